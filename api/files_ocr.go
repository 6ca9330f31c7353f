package api

import (
	"context"
	"io"
	"iter"
	"net/http"
	"slices"
	"sync"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// filesOCR serves recognised text.
func (a *API) filesOCR() {
	session := a.area("Files", withSession)
	get(session, "/api/files/{fileId}/ocr", "getOCR", "Get the recognised text of a file", a.getOCR, describe(
		"Returns the pages recognised by OCR, with their confidence. Pages whose own text layer was good enough are left out. 404 where no page was recognised."))
	head(session, "/api/files/{fileId}/ocr", "checkOCR", "Check whether a file has recognised text", a.headOCR, describe(
		"Answers 200 if OCR recognised text on any page, and 404 otherwise."))
	raw(session, http.MethodGet, "/api/files/{fileId}/ocr-download", "downloadOCR", "Download the recognised text of a file", a.downloadOCR,
		produces("text/plain", "text/html", "application/pdf"), describe(
			"Returns the whole text of the file, with form feeds between pages. `format=hocr` returns hOCR, with the position of every word; `format=pdf` returns a searchable PDF. 404 where no page was recognised."))
}

// OCR is the recognised text of a file.
type OCR struct {
	FileID     string    `json:"fileId"`
	Confidence float32   `json:"confidence" doc:"Mean over the pages, 0 to 100"`
	Pages      []OCRPage `json:"pages" nullable:"false"`
}

// OCRPage is one recognised page.
type OCRPage struct {
	Number     int       `json:"number" doc:"Page number, from 1"`
	Reason     string    `json:"reason" doc:"Why the page was recognised: its own text was missing, garbled, …"`
	Confidence float32   `json:"confidence" doc:"0 to 100"`
	Width      float32   `json:"width" doc:"In points"`
	Height     float32   `json:"height" doc:"In points"`
	Text       string    `json:"text"`
	LayerText  *string   `json:"layerText,omitempty" doc:"The text layer of the page, which was not used"`
	Error      string    `json:"error,omitempty" doc:"Why the page could not be recognised"`
	Words      []OCRWord `json:"words,omitempty" doc:"Only with words=true"`
}

// OCRWord is a word and its position.
type OCRWord struct {
	Text       string     `json:"text"`
	Box        layout.Box `json:"box" doc:"In points from the upper left corner"`
	Confidence float32    `json:"confidence" doc:"0 to 100"`
}

func newOCRPage(p db.Page) (OCRPage, error) {
	out := OCRPage{
		Number: p.Number, Reason: p.Reason, Confidence: p.Confidence, Width: p.Width, Height: p.Height,
		Text: p.Text, LayerText: p.LayerText, Error: text(p.ErrorCode),
	}
	page, err := p.Layout()
	if err != nil {
		return out, err
	}
	runes := []rune(p.Text)
	for _, w := range page.Words {
		out.Words = append(out.Words, OCRWord{string(runes[w.Start:w.End]), w.Box, w.Confidence})
	}
	return out, nil
}

func (a *API) getOCR(ctx context.Context, in *struct {
	FileRef
	From  int  `query:"from" minimum:"1" default:"1" doc:"First page"`
	To    int  `query:"to" minimum:"1" maximum:"1000000" default:"1000000" doc:"Last page"`
	Words bool `query:"words" doc:"Adds words with their bounding boxes, for at most 100 pages at once"`
}) (OCR, error) {
	if err := a.requireOCR(ctx, in.FileID); err != nil {
		return OCR{}, err
	}
	row, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID)
	if err != nil {
		return OCR{}, err
	}
	if in.Words && min(in.To, row.PageCount)-in.From >= wordPages {
		return OCR{}, invalid("query.words", "is limited to 100 pages at once; narrow from and to")
	}
	read := a.DB.PagesBetween
	if in.Words {
		read = a.DB.PagesWithWords
	}
	pages, err := read(ctx, auth.Scope(ctx), in.FileID, in.From, in.To)
	if err != nil {
		return OCR{}, err
	}
	out := OCR{FileID: in.FileID, Pages: []OCRPage{}}
	for _, p := range pages {
		if p.Source != string(document.Recognised) || p.Pending {
			continue
		}
		page, err := newOCRPage(p)
		if err != nil {
			return OCR{}, err
		}
		out.Pages = append(out.Pages, page)
	}
	out.Confidence = layout.MeanConfidence(newList(out.Pages, func(p OCRPage) float32 { return p.Confidence }).Items)
	return out, nil
}

// wordPages bounds an answer with words: a dense page has a thousand.
const wordPages = 100

func (a *API) headOCR(ctx context.Context, in *FileRef) error { return a.requireOCR(ctx, in.FileID) }

// requireOCR is NotFound unless the file has recognised text.
func (a *API) requireOCR(ctx context.Context, id string) error {
	found, err := a.DB.HasOCRText(ctx, auth.Scope(ctx), []string{id})
	if err == nil && !found[id] {
		return fault.New(fault.NotFound, "there is no recognised text")
	}
	return err
}

type downloadOCRRequest struct {
	FileRef
	Format string `query:"format" enum:"text,hocr,pdf" default:"text"`
}

func (a *API) downloadOCR(ctx context.Context, in *downloadOCRRequest, w http.ResponseWriter, _ *http.Request) error {
	scope := auth.Scope(ctx)
	if err := a.requireOCR(ctx, in.FileID); err != nil {
		return err
	}
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return err
	}
	switch in.Format {
	case "hocr":
		return a.writeHOCR(ctx, row, w)
	case "pdf":
		if a.PDF == nil {
			return fault.New(fault.Unavailable, "this server cannot make searchable PDFs")
		}
		return a.writePDF(ctx, row, w)
	default:
		announce(w, "text/plain; charset=utf-8", withExtension(row.Name, ".txt"))
		return a.writeText(ctx, row, w)
	}
}

// writePDF makes a searchable PDF and sends it once it is complete. Its slot is freed
// at the first byte and not at the last, because a slow caller may take long.
func (a *API) writePDF(ctx context.Context, row db.File, w http.ResponseWriter) error {
	release, err := a.quotas.pdfs.take(ctx)
	if err != nil {
		return err
	}
	made := sync.OnceFunc(release)
	defer made()
	announce(w, "application/pdf", withExtension(row.Name, ".searchable.pdf"))
	return a.PDF.SearchablePDF(ctx, row, writerFunc(func(p []byte) (int, error) {
		made()
		return w.Write(p)
	}))
}

// writerFunc is an io.Writer.
type writerFunc func(p []byte) (int, error)

// Write writes p.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// announce says what follows and under which name it is saved.
func announce(w http.ResponseWriter, contentType, name string) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Disposition", attachment(name))
}

// writeText writes the file's canonical text.
func (a *API) writeText(ctx context.Context, file db.File, w io.Writer) error {
	for page, err := range a.pagesOf(ctx, file, a.DB.PagesBetween) {
		if err != nil {
			return err
		}
		text := page.Text
		if page.Number > 1 {
			text = "\f" + text
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}

func (a *API) writeHOCR(ctx context.Context, row db.File, w http.ResponseWriter) error {
	announce(w, "text/html; charset=utf-8", withExtension(row.Name, ".hocr.html"))
	return layout.WriteHOCR(w, row.Name, a.layoutsOf(ctx, row), 300/72.)
}

// layoutsOf reads the pages of a file, with their words, on demand.
func (a *API) layoutsOf(ctx context.Context, file db.File) iter.Seq2[layout.Page, error] {
	return func(yield func(layout.Page, error) bool) {
		for row, err := range a.pagesOf(ctx, file, a.DB.PagesWithWords) {
			var page layout.Page
			if err == nil {
				page, err = row.Layout()
			}
			if !yield(page, err) || err != nil {
				return
			}
		}
	}
}

// pagesAtOnce is how many pages are kept in memory for sending.
const pagesAtOnce = 16

// readPages reads pages of a file from one number to another.
type readPages func(ctx context.Context, in db.Scope, fileID string, from, to int) ([]db.Page, error)

// pagesOf reads the pages of a file on demand.
func (a *API) pagesOf(ctx context.Context, file db.File, read readPages) iter.Seq2[db.Page, error] {
	return func(yield func(db.Page, error) bool) {
		number := 0
		for {
			pages, err := a.somePages(ctx, file, read, number)
			if err != nil {
				yield(db.Page{}, err)
				return
			}
			if slices.ContainsFunc(pages, func(p db.Page) bool { return !yield(p, nil) }) || len(pages) < pagesAtOnce {
				return
			}
			number = last(pages).Number
		}
	}
}

// somePages reads the pages after one. It is Conflict if a new attempt has begun,
// since a document must not mix pages of two attempts.
func (a *API) somePages(ctx context.Context, file db.File, read readPages, after int) ([]db.Page, error) {
	pages, err := read(ctx, auth.Scope(ctx), file.ID, after+1, after+pagesAtOnce)
	if err != nil {
		return nil, err
	}
	now, err := a.DB.File(ctx, auth.Scope(ctx), file.ID) // last, so that the pages are not younger
	if err == nil && now.Attempt != file.Attempt {
		err = fault.New(fault.Conflict, "the file was reprocessed in the meantime; repeat the request")
	}
	return pages, err
}
