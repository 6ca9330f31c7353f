// Exportattributes writes a table of all files with all their attributes, as CSV. It
// signs in as a service account with the scopes export and files:read.
package main

import (
	"context"
	"io"
	"log"
	"os"

	clausemill "github.com/clausemill/clausemill/clients/go"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	url := os.Getenv("CLAUSEMILL_URL")
	account := clausemill.ClientCredentials(url, os.Getenv("CLAUSEMILL_CLIENT_ID"), os.Getenv("CLAUSEMILL_CLIENT_SECRET"))
	c, err := clausemill.New(clausemill.Config{URL: url, Tokens: account})
	if err != nil {
		return err
	}
	known, err := c.ListAttributeKeys(ctx)
	if err != nil {
		return err
	}
	var params clausemill.ExportFilesParams
	for _, field := range known.Items {
		params.Attributes = append(params.Attributes, field.Key)
	}
	table, err := c.ExportFiles(ctx, params)
	if err != nil {
		return err
	}
	defer table.Close()
	_, err = io.Copy(os.Stdout, table)
	return err
}
