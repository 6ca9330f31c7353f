// Redline proposes a change of the text of a file, and downloads the Word document that
// has it as a tracked change. It signs in as a service account.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	clausemill "github.com/clausemill/clausemill/clients/go"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, fileID, before, after string) error {
	url := os.Getenv("CLAUSEMILL_URL")
	account := clausemill.ClientCredentials(url, os.Getenv("CLAUSEMILL_CLIENT_ID"), os.Getenv("CLAUSEMILL_CLIENT_SECRET"))
	c, err := clausemill.New(clausemill.Config{URL: url, Tokens: account})
	if err != nil {
		return err
	}
	change := clausemill.CreateChangesRequest{
		Type: new(clausemill.ChangeTypeReplace), Anchor: &clausemill.ProposedAnchor{Text: new(before)}, Text: new(after),
	}
	if _, err := c.CreateChanges(ctx, fileID, change, clausemill.CreateChangesParams{}); err != nil {
		return err
	}
	made, err := c.Redline(ctx, fileID, clausemill.GetRedlineParams{})
	if err != nil {
		return err
	}
	if checks := made.Checks; !checks.AcceptAllEqualsTarget || !checks.RejectAllEqualsBase {
		return fmt.Errorf("the redline is not what it should be: %+v", checks)
	}
	document, err := c.DownloadRedline(ctx, fileID, clausemill.GetRedlineParams{})
	if err != nil {
		return err
	}
	defer document.Close()
	_, err = io.Copy(os.Stdout, document)
	return err
}
