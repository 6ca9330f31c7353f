package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

// filesSFDT serves files as the Syncfusion editor opens them.
func (a *API) filesSFDT() {
	session := a.area("Files", withSession)
	raw(session, http.MethodGet, "/api/files/{fileId}/sfdt", "getSFDT", "Get a document in SFDT form", a.getSFDT, etagged, documentSFDT, orLater(a), describe(
		"Returns the file in the format of the Syncfusion document editor, with sections, headers and footers, styles, lists, tables, pictures, fields, notes, "+
			"comments and tracked changes. `editor.open` takes the field `sfdt`; with `optimized=true` it takes the whole answer, where `sfdt` is in the short form of the format, compressed. "+
			"The views `redline` and `revision` have the open changes, as tracked changes or applied; for them the answer may be 202 with Retry-After while the document is made. "+
			"`source` is `docx` for a Word document. For other formats it is `text`: a document is built from the structure of the text. "+
			"409 while there is no text. Send what the editor saves from the view `original` to `POST /api/files/{fileId}/changes`. That operation refuses what was saved from another view or an earlier version (409, `stale_document`)."))
}

// documentSFDT documents an answer that is streamed.
func documentSFDT(op *huma.Operation) {
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	op.Responses = map[string]*huma.Response{"200": {Description: http.StatusText(http.StatusOK), Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"fileId", "version", "source", "sfdt"},
			Properties: map[string]*huma.Schema{
				"fileId": text(""), "version": {Type: huma.TypeInteger, Description: "Number of the version of the file"}, "source": text("docx or text"),
				"sfdt": {Description: "An object, or with `optimized` a string"},
			},
		}},
	}}}
}

func (a *API) getSFDT(ctx context.Context, in *struct {
	AtVersion
	View      string `query:"view" enum:"original,redline,revision" default:"original" doc:"original: the document as it is; redline: with the open changes as tracked changes; revision: with the open changes applied and all tracked changes accepted"`
	Optimized bool   `query:"optimized" doc:"Returns the short form of the format, compressed"`
	Wait      int    `query:"wait" minimum:"0" maximum:"60" default:"5" doc:"Maximum seconds to wait for the view"`
}, w http.ResponseWriter, _ *http.Request) error {
	if in.View != "original" {
		job := jobs.ExecuteChanges{Mode: in.View}
		if in.View == "revision" {
			job.Existing, job.Comments = "accept", "keep"
		}
		file, made, err := a.carriedOut(ctx, in.FileID, RenditionOptions{Version: in.Version, Wait: in.Wait}, job)
		if err != nil {
			return err
		}
		return a.viewSFDT(ctx, w, file, made, in.Optimized)
	}
	row, err := a.DB.FileAt(ctx, auth.Scope(ctx), in.FileID, in.Version)
	if err != nil {
		return err
	}
	etag := fmt.Sprintf(`"%d-%x.%d.%d.%t"`, row.CurrentVersion, row.SHA256[:min(16, len(row.SHA256))], row.Generation, sfdt.Version, in.Optimized)
	if err := conditional(callOf(ctx), etag); err != nil {
		return err
	}
	o, release, err := a.open(ctx, in.FileID, in.Version)
	if err != nil {
		return err
	}
	defer release()
	return writeSFDT(w, o.file, o.Source, o.doc, in.Optimized)
}

// viewSFDT answers with a document that has the open changes.
func (a *API) viewSFDT(ctx context.Context, w http.ResponseWriter, file db.File, made *made, optimized bool) error {
	if made == nil {
		return later(w)
	}
	etag := fmt.Sprintf(`"%s.%d.%t"`, redline.SHA256(made.document), sfdt.Version, optimized)
	if err := conditional(callOf(ctx), etag); err != nil {
		return err
	}
	release, err := a.quotas.texts.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	doc, err := docx.Open(made.document)
	if err != nil {
		return err
	}
	return writeSFDT(w, file, draft.Source(made.report.Source), doc, optimized)
}

func writeSFDT(w http.ResponseWriter, file db.File, source draft.Source, doc *docx.Document, optimized bool) error {
	made, err := sfdt.Convert(doc)
	if err != nil {
		return err
	}
	head, err := json.Marshal(map[string]any{"fileId": file.ID, "version": file.CurrentVersion, "source": source})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := fmt.Fprintf(w, `%s,"sfdt":`, head[:len(head)-1]); err != nil {
		return err
	}
	encode := made.Encode
	if optimized {
		encode = made.EncodeShort
	}
	if err := encode(w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "}")
	return err
}

// EditorDocument is a document that the editor saved, in any form of the format.
type EditorDocument json.RawMessage

// MarshalJSON writes the document unchanged.
func (d EditorDocument) MarshalJSON() ([]byte, error) { return json.RawMessage(d).MarshalJSON() }

// UnmarshalJSON keeps the bytes.
func (d *EditorDocument) UnmarshalJSON(b []byte) error {
	*d = bytes.Clone(b)
	return nil
}

// Schema is an object, or a string with the compressed form.
func (EditorDocument) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// edits are the changes that were made in the editor.
func edits(in EditorDocument, o *opened, me redline.Author) (proposal, error) {
	saved, err := sfdt.Read(in)
	if err != nil {
		return proposal{}, err
	}
	changes, unclear, err := sfdt.Compare(o.doc, saved, me, time.Now().UTC().Truncate(time.Second))
	for i := range changes {
		changes[i].ID = db.NewID()
	}
	return proposal{changes: changes, found: &redline.Comparison{Changes: changes, Left: unclear}}, coded(err)
}
