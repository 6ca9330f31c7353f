package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/sfdt"
)

// filesSFDT serves files as the Syncfusion editor opens them.
func (a *API) filesSFDT() {
	session := a.area("Files", withSession)
	raw(session, http.MethodGet, "/api/files/{fileId}/sfdt", "Document in SFDT form", a.getSFDT, documentSFDT, describe(
		"The file as the Syncfusion document editor opens it: sections, headers and footers, styles, lists, tables, pictures, fields, notes, "+
			"comments and tracked changes. `editor.open` takes the field `sfdt`, or with `optimized=true` the whole answer: there it is in the short form of the format, packed. "+
			"`source` is `file` for a Word document and `text` for anything else, of which a document is made from the structure of its text. "+
			"409 while there is no text. What the editor saves goes back to `POST /api/files/{fileId}/changes`."))
}

// documentSFDT describes an answer that is written as it is made.
func documentSFDT(op *huma.Operation) {
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	op.Responses = map[string]*huma.Response{"200": {Description: http.StatusText(http.StatusOK), Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"fileId", "version", "source", "sfdt"},
			Properties: map[string]*huma.Schema{
				"fileId": text(""), "version": {Type: huma.TypeInteger}, "source": text("file or text"),
				"sfdt": {Description: "An object, or with `optimized` a string"},
			},
		}},
	}}}
}

func (a *API) getSFDT(ctx context.Context, in *struct {
	FileRef
	Optimized bool `query:"optimized" doc:"The short form of the format, packed"`
}, w http.ResponseWriter, _ *http.Request) error {
	row, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID)
	if err != nil {
		return err
	}
	etag := fmt.Sprintf(`"%x.%d.%d.%t"`, row.SHA256[:min(16, len(row.SHA256))], row.Generation, sfdt.Version, in.Optimized)
	if err := conditional(callOf(ctx), etag); err != nil {
		return err
	}
	release, err := a.texts.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	src, source, err := a.wordDocument(ctx, row)
	if err != nil {
		return err
	}
	made, err := sfdt.Convert(src)
	if err != nil {
		return err
	}
	head, err := json.Marshal(map[string]any{"fileId": row.ID, "version": row.Version, "source": source})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := fmt.Fprintf(w, `%s,"sfdt":`, head[:len(head)-1]); err != nil {
		return err
	}
	encode := made.Encode
	if in.Optimized {
		encode = made.EncodeShort
	}
	if err := encode(w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "}")
	return err
}

// What a Word document is made of.
const (
	fromFile = "file"
	fromText = "text"
)

// wordDocument opens a file as a Word document: as it is if it is one, else one
// that is made of what was read in it.
func (a *API) wordDocument(ctx context.Context, row db.File) (*docx.Document, string, error) {
	if row.Kind == string(document.DOCX) {
		src, err := a.openWord(ctx, row)
		var unreadable *fault.Error
		if err == nil || !row.TextReady || !errors.As(err, &unreadable) || unreadable.Code == "" {
			return src, fromFile, err
		}
	}
	if !row.TextReady {
		return nil, "", errNoTextYet
	}
	passages, err := a.passages(ctx, row.ID)
	if err != nil {
		return nil, "", err
	}
	data, err := docx.Build(passages)
	if err != nil {
		return nil, "", err
	}
	src, err := docx.Open(data)
	return src, fromText, err
}

// errNoTextYet is the answer to whoever asks before a file was read.
var errNoTextYet = fault.New(fault.Conflict, "the file has no text yet; ask again once textReady is true")

// maxWord is how large a Word document is opened: its text is a small part of
// it, and all of it is in memory.
const maxWord = 64 << 20

func (a *API) openWord(ctx context.Context, row db.File) (*docx.Document, error) {
	content, err := a.Blobs.Open(ctx, blob.Original(row.ID))
	if err != nil {
		return nil, err
	}
	defer content.Close()
	data, err := io.ReadAll(io.LimitReader(content, maxWord+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxWord {
		return nil, fault.File(docx.DocumentTooLarge, fmt.Sprintf("the document is larger than %d MiB, which is the limit for editing", maxWord>>20), nil)
	}
	return docx.Open(data)
}

// passages is the text of a file by its structure.
func (a *API) passages(ctx context.Context, fileID string) ([]docx.Passage, error) {
	var all []docx.Passage
	for after := -1; ; {
		blocks, err := a.DB.Blocks(ctx, auth.Scope(ctx), fileID, after, blocksAtOnce)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			all = append(all, docx.Passage{Kind: docx.PassageKind(b.Kind), Level: b.Level, Number: b.Number, Text: b.Text})
			after = b.Ordinal
		}
		if len(blocks) < blocksAtOnce {
			return all, nil
		}
	}
}

// blocksAtOnce is how many blocks are read in one go.
const blocksAtOnce = 5000
