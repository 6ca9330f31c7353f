// Ogen uploads a file and reads a redline with the client that ogen makes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	ht "github.com/ogen-go/ogen/http"
	"github.com/ogen-go/ogen/ogenerrors"

	"github.com/clausemill/clausemill/clients/generators/ogen/api"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println("ogen: uploaded, and read a redline")
}

// serviceAccount signs requests with the token of a service account, and in no other
// of the ways that an operation may take.
type serviceAccount struct{ token string }

func (a serviceAccount) OAuth2(context.Context, api.OperationName) (api.OAuth2, error) {
	return api.OAuth2{Token: a.token}, nil
}

func (serviceAccount) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{}, ogenerrors.ErrSkipClientSecurity
}

func (serviceAccount) Session(context.Context, api.OperationName) (api.Session, error) {
	return api.Session{}, ogenerrors.ErrSkipClientSecurity
}

func run(ctx context.Context) error {
	c, err := api.NewClient(os.Getenv("CLAUSEMILL_URL"), serviceAccount{os.Getenv("CLAUSEMILL_TOKEN")})
	if err != nil {
		return err
	}
	text := strings.NewReader("LEASE\n\n1. The tenant pays ten euros.\n")
	form := &api.UploadFileFormMultipart{File: []ht.MultipartFile{{Name: "ogen.txt", File: text}}}
	answer, err := c.UploadFile(ctx, form, api.UploadFileParams{})
	if err != nil {
		return err
	}
	sent, ok := answer.(*api.UploadFileAcceptedHeaders)
	if !ok || !sent.Response.IsFile() {
		return fmt.Errorf("uploadFile: %T %+v", answer, answer)
	}
	file := sent.Response.File.ID
	for ready := false; !ready; {
		answer, err := c.GetFileStatus(ctx, api.GetFileStatusParams{FileId: file, Wait: api.NewOptInt64(30)})
		if err != nil {
			return err
		}
		now, ok := answer.(*api.FileStatusHeaders)
		if !ok {
			return fmt.Errorf("getFileStatus: %T %+v", answer, answer)
		}
		ready = now.Response.TextReady
	}
	change := &api.CreateChangesRequest{
		Type:   api.NewOptChangeType(api.ChangeTypeReplace),
		Anchor: api.NewOptProposedAnchor(api.ProposedAnchor{Text: api.NewOptString("ten euros")}),
		Text:   api.NewOptString("twenty euros"),
	}
	proposed, err := c.CreateChanges(ctx, change, api.CreateChangesParams{FileId: file})
	if err != nil {
		return err
	}
	if _, ok := proposed.(*api.CreatedChangesHeaders); !ok {
		return fmt.Errorf("createChanges: %T %+v", proposed, proposed)
	}
	made, err := c.GetRedline(ctx, api.GetRedlineParams{FileId: file, Wait: api.NewOptInt64(60), Format: api.NewOptRenditionFormat(api.RenditionFormatJSON)})
	if err != nil {
		return err
	}
	redline, ok := made.(*api.RenditionHeaders)
	if !ok || !redline.Response.Checks.AcceptAllEqualsTarget {
		return fmt.Errorf("getRedline: %T %+v", made, made)
	}
	return nil
}
