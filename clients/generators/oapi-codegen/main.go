// Oapi-codegen uploads a file and reads a redline with the client that oapi-codegen
// makes.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"mime/multipart"
	"net/http"
	"os"

	"github.com/clausemill/clausemill/clients/generators/oapi-codegen/api"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println("oapi-codegen: uploaded, and read a redline")
}

func run(ctx context.Context) error {
	authorized := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("CLAUSEMILL_TOKEN"))
		return nil
	}
	c, err := api.NewClientWithResponses(os.Getenv("CLAUSEMILL_URL"), api.WithRequestEditorFn(authorized))
	if err != nil {
		return err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "oapi-codegen.txt")
	if err != nil {
		return err
	}
	if _, err := part.Write([]byte("LEASE\n\n1. The tenant pays ten euros.\n")); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	sent, err := c.UploadFileWithBodyWithResponse(ctx, nil, w.FormDataContentType(), &form)
	if err != nil {
		return err
	}
	if sent.JSON202 == nil {
		return fmt.Errorf("%s: %s", sent.Status(), sent.Body)
	}
	file, err := sent.JSON202.AsFile()
	if err != nil {
		return err
	}
	for wait := int64(30); ; {
		now, err := c.GetFileStatusWithResponse(ctx, file.Id, &api.GetFileStatusParams{Wait: &wait})
		if err != nil {
			return err
		}
		if now.JSON200 == nil {
			return fmt.Errorf("%s: %s", now.Status(), now.Body)
		}
		if now.JSON200.TextReady {
			break
		}
	}
	words, text, replace := "ten euros", "twenty euros", api.ChangeTypeReplace
	change := api.CreateChangesRequest{Type: &replace, Anchor: &api.ProposedAnchor{Text: &words}, Text: &text}
	proposed, err := c.CreateChangesWithResponse(ctx, file.Id, nil, change)
	if err != nil {
		return err
	}
	if proposed.JSON201 == nil {
		return fmt.Errorf("%s: %s", proposed.Status(), proposed.Body)
	}
	wait := int64(60)
	made, err := c.GetRedlineWithResponse(ctx, file.Id, &api.GetRedlineParams{Wait: &wait})
	if err != nil {
		return err
	}
	if made.JSON200 == nil || !made.JSON200.Checks.AcceptAllEqualsTarget {
		return fmt.Errorf("%s: %s", made.Status(), made.Body)
	}
	return nil
}
