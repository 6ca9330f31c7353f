package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
)

// filesPrint gives pages to files whose text flows.
func (a *API) filesPrint() {
	keyed := a.area("Files", withKey)
	post(keyed, "/api/files/{fileId}/pages", "printFile", "Lay out a file as pages", a.printFile, orUnfinished[Printed](a), describe(
		"Lays out a Word document (DOCX, DOC, RTF or ODT) as pages, the way LibreOffice prints it, with tracked changes and comments as they show. "+
			"From then on the operations on pages answer for it as for a PDF, until it is read again or a week is over: repeat this then. Files that are laid out already answer at once, and so do PDFs and images. "+
			"202 where it takes longer than `wait` seconds: repeat the request. Words of headers, footers and notes have no place on printed pages. "+
			"404 with the code `no_pages` for formats that are not laid out (HTML, mail, text), and 503 with the code `conversion_failed` where no worker has LibreOffice."))
	raw(keyed, http.MethodGet, "/api/files/{fileId}/print", "downloadPrint", "Download the pages of a file as PDF", a.downloadPrint, produces("application/pdf"), describe(
		"Returns the PDF that a Word document (DOCX, DOC, RTF or ODT) was laid out as by `POST …/pages`. 404 with the code `no_pages` until then, and for files of other formats: "+
			"a PDF is its own print (`…/download`), and scans have `…/ocr-download?format=pdf`."))
}

// Printed says how many pages a file has.
type Printed struct {
	FileID string `json:"fileId"`
	Ready  bool   `json:"ready" doc:"Whether the pages can be asked for"`
	Total  int    `json:"total" doc:"Number of pages; 0 until they are ready"`
}

func (p Printed) underway() string {
	if p.Ready {
		return ""
	}
	return "/api/files/" + p.FileID + "/pages"
}

type printRequest struct {
	FileRef
	Wait int `query:"wait" minimum:"0" maximum:"60" default:"20" doc:"Maximum seconds to wait for the pages"`
}

func (a *API) printFile(ctx context.Context, in *printRequest) (Printed, error) {
	row, err := a.settled(ctx, in.FileID)
	if err != nil {
		return Printed{}, err
	}
	if document.Kind(row.Kind).Drawn() {
		return Printed{row.ID, true, row.PageCount}, nil
	}
	of, err := a.printOf(ctx, row)
	if err != nil {
		return Printed{}, err
	}
	job := jobs.PrintFile{DocumentID: row.ID, TeamID: auth.Scope(ctx).TeamID, Key: of.key(), Version: row.TextVersion, Generation: row.Generation}
	print, err := awaited(ctx, a, row.ID, job, time.Duration(in.Wait)*time.Second, func() (*keptPrint, error) {
		kept, err := a.print(ctx, of)
		if kept != nil && kept.Error != nil {
			return nil, unmade(kept.Error)
		}
		return kept, err
	})
	switch {
	case err != nil:
		return Printed{}, coded(err)
	case print == nil:
		return Printed{FileID: row.ID}, nil
	}
	return Printed{row.ID, true, len(print.Pages)}, nil
}

// printed is a file at the version of its text, which is laid out as pages.
type printed struct{ db.File }

// printOf is the print of a file, which need not be there. It is errNoPages for formats
// that are not laid out.
func (a *API) printOf(ctx context.Context, row db.File) (printed, error) {
	if row.TextVersion != row.CurrentVersion {
		var err error
		if row, err = a.DB.FileAt(ctx, auth.Scope(ctx), row.ID, row.TextVersion); err != nil {
			return printed{}, err
		}
	}
	if !document.Kind(row.Kind).Printed() {
		return printed{}, errNoPages
	}
	return printed{row}, nil
}

// key is the key of the rendition that a print is kept as, in hexadecimal.
func (p printed) key() string {
	const printing = 1 // changes when files are laid out in another way
	key := sha256.Sum256(fmt.Appendf(nil, "print %d %x %d", printing, p.SHA256, p.Generation))
	return hex.EncodeToString(key[:])
}

// keptPrint is a print, or why there is none.
type keptPrint struct {
	draft.Print

	Error *redline.Failure `json:"error"`
}

// print is what is kept of a print: nil where nothing is.
func (a *API) print(ctx context.Context, of printed) (*keptPrint, error) {
	key, err := hex.DecodeString(of.key())
	if err != nil {
		return nil, err
	}
	report, err := a.DB.RenditionReport(ctx, auth.Scope(ctx), of.ID, key)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint:nilnil // not yet is an answer
	}
	if err != nil {
		return nil, err
	}
	var kept keptPrint
	if err := json.Unmarshal(report, &kept); err != nil {
		return nil, fault.Wrap(fault.Internal, "a print cannot be read", err)
	}
	return &kept, nil
}

// errNotPrinted is the fault of questions about pages of a file that nobody had laid out.
var errNotPrinted = coded(&fault.Error{Kind: fault.NotFound, Code: "no_pages", Message: "the file has no pages until it is laid out: POST /api/files/{fileId}/pages does that"})

// places are the pages of a file and their places in its text: those that were read, or
// those that it was laid out on.
type places struct {
	spans []db.PageSpan
	print *draft.Print // nil where the pages were read
}

// placesOf is a fault with the code no_pages where a file has none.
func (a *API) placesOf(ctx context.Context, row db.File) (p places, err error) {
	if document.Kind(row.Kind).Drawn() {
		p.spans, err = a.DB.PageSpans(ctx, auth.Scope(ctx), row.ID)
		return p, err
	}
	of, err := a.printOf(ctx, row)
	if err != nil {
		return p, err
	}
	kept, err := a.print(ctx, of)
	if err == nil && (kept == nil || kept.Error != nil) {
		err = errNotPrinted
	}
	if err != nil {
		return p, err
	}
	return places{kept.Spans(), &kept.Print}, nil
}

func (a *API) downloadPrint(ctx context.Context, in *FileRef, w http.ResponseWriter, _ *http.Request) error {
	row, err := a.settled(ctx, in.FileID)
	if err != nil {
		return err
	}
	of, err := a.printOf(ctx, row)
	if err != nil {
		return err
	}
	pdf, err := a.pdf(ctx, of)
	if err != nil {
		return err
	}
	announce(w, "application/pdf", withExtension(row.Name, ".pdf"))
	_, err = w.Write(pdf)
	return err
}

// pdf is the PDF of a print.
func (a *API) pdf(ctx context.Context, of printed) ([]byte, error) {
	key, err := hex.DecodeString(of.key())
	if err != nil {
		return nil, err
	}
	kept, err := a.DB.Rendition(ctx, auth.Scope(ctx), of.ID, key)
	if fault.KindOf(err) == fault.NotFound || err == nil && kept.Document == nil {
		return nil, errNotPrinted
	}
	return kept.Document, err
}
