package api

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

// RenditionOptions are the options of a request for a document with changes.
type RenditionOptions struct {
	Version int      `query:"version" minimum:"1" doc:"Number of the version to apply the changes to; by default the current one. A version that does not exist is 404"`
	Format  string   `query:"format" enum:"json,docx,pdf,sfdt,html" doc:"Format of the answer; by default the Accept header decides. PDF needs LibreOffice on the workers. HTML is one page without scripts and with all styles inline, for mail"`
	Changes []string `query:"changes" doc:"Ids of the changes to apply; by default all open ones"`
	Strict  bool     `query:"strict" doc:"Answers 409 if any of the changes cannot be applied"`
	Base    string   `query:"base" maxLength:"64" doc:"SHA-256 of the document that the caller has seen"`
	Wait    int      `query:"wait" minimum:"0" maximum:"60" default:"5" doc:"Maximum seconds to wait for the result"`
}

type redlineRequest struct {
	FileRef
	RenditionOptions
}

type revisionRequest struct {
	FileRef
	RenditionOptions
	Existing string `query:"existing" enum:"accept,reject,keep" default:"accept" doc:"What happens to tracked changes without a decision"`
	Comments string `query:"comments" enum:"keep,strip" default:"keep"`
}

func (a *API) executeRedline(ctx context.Context, in *redlineRequest, w http.ResponseWriter, r *http.Request) error {
	return a.rendition(ctx, in.FileID, in.RenditionOptions, jobs.ExecuteChanges{Mode: "redline"}, w, r)
}

func (a *API) executeRevision(ctx context.Context, in *revisionRequest, w http.ResponseWriter, r *http.Request) error {
	return a.rendition(ctx, in.FileID, in.RenditionOptions, jobs.ExecuteChanges{Mode: "revision", Existing: in.Existing, Comments: in.Comments}, w, r)
}

// Rendition is a document with changes carried out.
type Rendition struct {
	FileID string `json:"fileId"`
	Kind   string `json:"kind" enum:"redline,revision"`
	redline.Report
	Document RenditionDocument `json:"document"`
}

// RenditionDocument is the bytes.
type RenditionDocument struct {
	Filename    string `json:"filename"`
	ContentType string `json:"contentType"`
	Size        int    `json:"size"`
	SHA256      string `json:"sha256"`
	Base64      []byte `json:"base64"`
}

// format is the requested format.
func (o RenditionOptions) format(r *http.Request) string {
	if o.Format != "" {
		return o.Format
	}
	accept := r.Header.Get("Accept")
	switch {
	case strings.Contains(accept, docx.ContentType):
		return "docx"
	case strings.Contains(accept, "application/pdf"):
		return "pdf"
	}
	return "json"
}

// rendition answers with a document that is made now or was made before.
func (a *API) rendition(ctx context.Context, fileID string, o RenditionOptions, job jobs.ExecuteChanges, w http.ResponseWriter, r *http.Request) error {
	format := o.format(r)
	if format == "pdf" {
		job.Format = format
	}
	file, made, err := a.carriedOut(ctx, fileID, o, job)
	if err != nil {
		return err
	}
	if made == nil {
		return later(w)
	}
	if o.Strict && len(made.report.Failed) > 0 {
		failed := made.report.Failed[0]
		return &Error{status: http.StatusConflict, Message: failed.Error, Code: failed.Code, Details: []Detail{{failed.ID, failed.Error}}}
	}
	return made.write(w, r, file, job.Mode, format)
}

// carriedOut is the result of a job on a file: nil if that takes longer than the
// caller waits.
func (a *API) carriedOut(ctx context.Context, fileID string, o RenditionOptions, job jobs.ExecuteChanges) (db.File, *made, error) {
	job.Version = o.Version
	file, job, err := a.execution(ctx, a.DB.Queries, fileID, o.Base, o.Changes, job)
	if err != nil {
		return file, nil, err
	}
	found, err := awaited(ctx, a, file.ID, job, time.Duration(o.Wait)*time.Second, func() (*made, error) { return a.found(ctx, file.ID, job.Key) })
	if err != nil {
		return file, nil, coded(err)
	}
	return file, found, nil
}

// later answers that a document is not made yet.
func later(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "1")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	return json.NewEncoder(w).Encode(Message{"the document is being made; repeat the request"})
}

// made is a rendition that can be answered with.
type made struct {
	report   redline.Report
	document []byte
}

// execution completes a job with its file, its changes and the key of its result.
func (a *API) execution(ctx context.Context, q db.Queries, fileID, base string, ids []string, job jobs.ExecuteChanges) (db.File, jobs.ExecuteChanges, error) {
	scope := auth.Scope(ctx)
	file, err := q.FileAt(ctx, scope, fileID, job.Version)
	if err != nil {
		return file, job, err
	}
	job.DocumentID, job.TeamID, job.ActorKind, job.ActorID = file.ID, scope.TeamID, scope.ActorKind, scope.ActorID
	if job.BaseSHA256, err = a.baseOf(ctx, file); err != nil {
		return file, job, coded(err)
	}
	if base != "" && base != job.BaseSHA256 {
		return file, job, coded(errStale)
	}
	changes, err := openChanges(ctx, q, file.ID, ids)
	if err != nil {
		return file, job, err
	}
	if ids != nil && len(changes) != len(ids) {
		return file, job, fault.New(fault.NotFound, "not found: one of the changes is not open in this file")
	}
	for _, c := range changes {
		job.ChangeIDs = append(job.ChangeIDs, c.ID)
	}
	described, err := json.Marshal([]any{renditionVersion, job.Mode, file.CurrentVersion, job.BaseSHA256, changes, job.Existing, job.Comments, job.Format, job.Decision, job.Author, job.OperationID})
	job.Key = redline.SHA256(described)
	return file, job, err
}

// renditionVersion changes when documents are made in another way, so that stored ones
// are not used any more.
const renditionVersion = 2

// baseOf is the SHA-256 of a file's Word document.
func (a *API) baseOf(ctx context.Context, file db.File) (string, error) {
	if isDOCX(file) {
		return hex.EncodeToString(file.SHA256), nil
	}
	d, err := draft.Read(ctx, a.DB, a.Blobs, a.Pictures, auth.Scope(ctx), file)
	return redline.SHA256(d.Data), err
}

// awaited is what a job makes of a file, as find sees it: nil if that takes longer than
// patience.
func awaited[T any](ctx context.Context, a *API, fileID string, job jobs.Args, patience time.Duration, find func() (*T, error)) (*T, error) {
	found, err := find()
	if found != nil || err != nil {
		return found, err
	}
	waiter, err := a.wait(ctx, fileID)
	if err != nil {
		return nil, err
	}
	defer waiter.done()
	if err := a.DB.InTx(ctx, func(tx *db.Tx) error { return jobs.Insert(ctx, a.Jobs, tx.Raw, job) }); err != nil {
		return nil, err
	}
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		more, err := waiter.wait(ctx, over)
		if err != nil {
			return nil, err
		}
		if found, err = find(); found != nil || err != nil || !more {
			return found, err
		}
	}
}

// found is the stored result for a key: nil if there is none yet, the error if it
// failed.
func (a *API) found(ctx context.Context, fileID, key string) (*made, error) {
	raw, err := hex.DecodeString(key)
	if err != nil {
		return nil, err
	}
	row, err := a.DB.Rendition(ctx, auth.Scope(ctx), fileID, raw)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint:nilnil // not yet is an answer
	}
	if err != nil {
		return nil, err
	}
	var outcome redline.Outcome
	if err := json.Unmarshal(row.Report, &outcome); err != nil {
		return nil, fault.Wrap(fault.Internal, "a rendition cannot be read", err)
	}
	if outcome.Error != nil {
		return nil, unmade(outcome.Error)
	}
	return &made{*outcome.Report, row.Document}, nil
}

// unmade is the error of a document that could not be made.
func unmade(failure *redline.Failure) error {
	if failure.Kind != fault.Internal {
		return failure.Fault()
	}
	e := newError(http.StatusInternalServerError, "the document could not be made, and the log of the workers has the reason; repeat the request to try again")
	e.retryAfter = int(db.KeepAttempt.Seconds())
	return e
}

// htmlType is the media type of pages.
const htmlType = "text/html; charset=utf-8"

// in is the document in a format, with its extension and media type.
func (m *made) in(format, title string) (extension, contentType string, document []byte, err error) {
	switch format {
	case "pdf":
		return ".pdf", "application/pdf", m.document, nil
	case "html":
		doc, err := docx.Open(m.document)
		if err != nil {
			return "", "", nil, err
		}
		return ".html", htmlType, redline.HTML(doc, title, m.report.Warnings), nil
	case "sfdt":
		doc, err := docx.Open(m.document)
		if err != nil {
			return "", "", nil, err
		}
		converted, err := sfdt.Convert(doc)
		if err != nil {
			return "", "", nil, err
		}
		var b bytes.Buffer
		err = converted.Encode(&b)
		return ".sfdt", sfdt.ContentType, b.Bytes(), err
	}
	return ".docx", docx.ContentType, m.document, nil
}

// write answers in a format.
func (m *made) write(w http.ResponseWriter, r *http.Request, file db.File, kind, format string) error {
	extension, contentType, document, err := m.in(format, file.Name)
	if err != nil {
		return err
	}
	header, name := w.Header(), withExtension(file.Name, "."+kind+extension)
	etag := `"` + redline.SHA256(document) + `"`
	header.Set("ETag", etag)
	header.Set("Vary", "Accept")
	if format != "json" {
		header.Set("X-Redline-Applied", strconv.Itoa(len(m.report.Applied)))
		header.Set("X-Redline-Failed", strconv.Itoa(len(m.report.Failed)))
		header.Set("X-Redline-Checks", strconv.FormatBool(m.report.Checks.OK()))
		header.Set("Content-Type", contentType)
		header.Set("Content-Disposition", attachment(name))
		if format == "html" { // should a browser show it in spite of that
			header.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'")
		}
		serveContent(w, r, time.Time{}, bytes.NewReader(document))
		return nil
	}
	if etagMatches(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	header.Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(Rendition{
		FileID: file.ID, Kind: kind, Report: m.report,
		Document: RenditionDocument{Filename: name, ContentType: contentType, Size: len(document), SHA256: strings.Trim(etag, `"`), Base64: document},
	})
}

// ExecuteOptions are the options of executions whose result becomes a version.
type ExecuteOptions struct {
	Base string `json:"base,omitempty" maxLength:"64" doc:"SHA-256 of the document that the caller has seen; if the document is another one, it is 409"`
}

// DecisionOptions decide on all remaining tracked changes.
type DecisionOptions struct {
	ExecuteOptions
	Decision string `json:"decision,omitempty" enum:"accept,reject" doc:"What happens to tracked changes without a decision; by default they stay"`
	Author   string `json:"author,omitempty" maxLength:"255" doc:"Restricts decision to the tracked changes of this author"`
}

type decisionRequest struct {
	FileRef
	Wait int `query:"wait" minimum:"0" maximum:"60" default:"5" doc:"Maximum seconds to wait for the result"`
	Body *DecisionOptions
}

// Executed is the result of decisions, or the operation that carries them out.
type Executed struct {
	Accepted    []string `json:"accepted" nullable:"false" doc:"Ids of the tracked changes that were accepted"`
	Rejected    []string `json:"rejected" nullable:"false" doc:"Ids of the tracked changes that were rejected"`
	Left        int      `json:"left" doc:"Number of tracked changes that remain in the document"`
	Version     int      `json:"version" doc:"Number of the current version of the file"`
	OperationID string   `json:"operationId,omitempty"`
	StatusURL   string   `json:"statusUrl,omitempty" doc:"URL of the operation, where it takes longer than wait seconds"`
}

func (e Executed) underway() string { return e.StatusURL }

func (a *API) executeDecisions(ctx context.Context, in *decisionRequest) (Executed, error) {
	options := orNothing(in.Body)
	changes, err := openChanges(ctx, a.DB.Queries, in.FileID, nil)
	if err != nil {
		return Executed{}, err
	}
	decisions := list(redline.Decisions(changes))
	if len(decisions) == 0 && options.Decision == "" {
		return a.nothingDecided(ctx, in.FileID, options.Base)
	}
	var op db.Operation
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		op, err = a.replaceFile(ctx, tx, in.FileID, options.Base, decisions, jobs.ExecuteChanges{Mode: "decide", Decision: options.Decision, Author: options.Author})
		return err
	})
	if err != nil {
		return Executed{}, err
	}
	return a.awaitOperation(ctx, op, time.Duration(in.Wait)*time.Second)
}

// nothingDecided is the answer if there are no decisions.
func (a *API) nothingDecided(ctx context.Context, fileID, base string) (Executed, error) {
	o, release, err := a.open(ctx, fileID, 0)
	if err != nil {
		return Executed{}, err
	}
	defer release()
	switch {
	case o.Source != draft.Original:
		return Executed{}, coded(errNotDOCX)
	case base != "" && base != o.sha256:
		return Executed{}, coded(errStale)
	}
	return Executed{Accepted: []string{}, Rejected: []string{}, Left: len(o.doc.Revisions()), Version: o.file.CurrentVersion}, nil
}

var (
	errNotDOCX = fault.File(docx.NotDOCX, "the file is not a DOCX, so its bytes cannot be replaced; upload the result of execute-revision instead", nil)
	errStale   = &fault.Error{Kind: fault.Conflict, Code: redline.StaleDocument, Message: "the document is not the one whose SHA-256 is base"}
)

// replaceFile starts an execution whose result becomes the next version of the file.
func (a *API) replaceFile(ctx context.Context, tx *db.Tx, fileID, base string, ids []string, job jobs.ExecuteChanges) (op db.Operation, err error) {
	if op, err = tx.CreateOperation(ctx, auth.Scope(ctx), "execute", 1, nil); err != nil {
		return op, err
	}
	job.OperationID = op.ID
	file, job, err := a.execution(ctx, tx.Queries, fileID, base, ids, job)
	switch {
	case err != nil:
		return op, err
	case !isDOCX(file):
		return op, coded(errNotDOCX)
	case !file.Status.Terminal():
		return op, coded(draft.ErrNotReady)
	}
	if err := tx.Audit(ctx, auth.Scope(ctx), "change.execution_asked", "file", fileID, map[string]any{"changes": len(job.ChangeIDs)}); err != nil {
		return op, err
	}
	return op, jobs.Insert(ctx, a.Jobs, tx.Raw, job)
}

func isDOCX(file db.File) bool { return document.Kind(file.Kind) == document.DOCX }

// awaitOperation returns the result of an operation, or the operation if it takes
// longer.
func (a *API) awaitOperation(ctx context.Context, op db.Operation, patience time.Duration) (Executed, error) {
	waiter, err := a.wait(ctx, op.ID)
	if err != nil {
		return Executed{}, err
	}
	defer waiter.done()
	over := time.NewTimer(patience)
	defer over.Stop()
	for waiting := true; ; {
		now, err := a.DB.Operation(ctx, auth.Scope(ctx), op.ID)
		if err != nil {
			return Executed{}, err
		}
		if out, err := executed(now); out.StatusURL == "" || err != nil || !waiting {
			return out, err
		}
		if waiting, err = waiter.wait(ctx, over); err != nil {
			return Executed{}, err
		}
	}
}

// executed is the result of an operation, or the operation if it has not ended.
func executed(op db.Operation) (Executed, error) {
	switch op.State {
	case "completed":
		out := Executed{OperationID: op.ID}
		return out, json.Unmarshal(op.Result, &out)
	case "cancelled":
		return Executed{}, db.ErrCancelled
	case "failed":
		return Executed{}, newError(http.StatusConflict, op.Errors[0].Error)
	}
	return Executed{Accepted: []string{}, Rejected: []string{}, OperationID: op.ID, StatusURL: operationPath(op.ID)}, nil
}

type executeAllRequest struct {
	FileRef
	Body *ExecuteOptions
}

// executeAll answers at once, because the new version is processed afterwards, which
// may take long.
func (a *API) executeAll(ctx context.Context, in *executeAllRequest) (Accepted, error) {
	var op db.Operation
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		op, err = a.replaceFile(ctx, tx, in.FileID, orNothing(in.Body).Base, nil, jobs.ExecuteChanges{Mode: "all"})
		return err
	})
	return newAccepted("execution queued", op, in.FileID), err
}
