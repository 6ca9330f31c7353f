package worker

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
)

// executeChanges carries out changes of a document and keeps what came of it.
type executeChanges struct {
	river.WorkerDefaults[jobs.ExecuteChanges]
	*Worker
}

// Work executes changes. A failure is stored as the result, so that waiting callers
// get it: for long if the document and its changes are the cause, and otherwise for
// long enough to be read.
func (w *executeChanges) Work(ctx context.Context, job *river.Job[jobs.ExecuteChanges]) error {
	e := execution{w, job, scopeOf(job.Args)}
	err := e.run(ctx)
	if err == nil || ctx.Err() != nil || !lasting(err) {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := endUnexecuted(ctx, tx, job.Args, err); err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}

// lasting reports whether an error is an answer: another try now would fail as well.
func lasting(err error) bool {
	return fault.Permanent(err) || fault.CodeOf(err) == fault.ConversionFailed
}

// endUnexecuted stores why an execution failed, in place of its result.
func endUnexecuted(ctx context.Context, tx *db.Tx, args jobs.ExecuteChanges, cause error) error {
	in := scopeOf(args)
	if err := endUnmade(ctx, tx, in, args.DocumentID, args.Key, cause); err != nil || args.OperationID == "" {
		return err
	}
	return tx.FinishOperation(ctx, in, args.OperationID, nil, fault.Message(cause))
}

// endUnmade stores why something could not be made of a file, in place of it.
func endUnmade(ctx context.Context, tx *db.Tx, in db.Scope, fileID, key string, cause error) error {
	keep := db.KeepAttempt
	if kind := fault.KindOf(cause); kind == fault.Invalid || kind == fault.TooLarge {
		keep = db.KeepRendition
	}
	report, err := json.Marshal(redline.Outcome{Error: redline.NewFailure(cause)})
	if err != nil {
		return err
	}
	return save(ctx, tx, in, fileID, key, db.Rendition{Report: report}, keep)
}

func scopeOf(args jobs.ExecuteChanges) db.Scope {
	return db.Scope{TeamID: args.TeamID, ActorKind: args.ActorKind, ActorID: args.ActorID}
}

// save keeps what was made of a file under its key.
func save(ctx context.Context, tx *db.Tx, in db.Scope, fileID, key string, r db.Rendition, keep time.Duration) error {
	raw, err := hex.DecodeString(key)
	if err != nil {
		return fault.Wrap(fault.Invalid, "the key is not hexadecimal", err)
	}
	return tx.SaveRendition(ctx, in, fileID, raw, r, keep)
}

// An execution is one run of a job.
type execution struct {
	*executeChanges
	job *river.Job[jobs.ExecuteChanges]
	in  db.Scope
}

func (e *execution) run(ctx context.Context) error {
	file, err := e.DB.FileAt(ctx, e.in, e.job.Args.DocumentID, e.job.Args.Version)
	if err != nil {
		return err
	}
	base, err := draft.Read(ctx, e.DB, e.Blobs, e.Pictures, e.in, file)
	if err != nil {
		return err
	}
	if redline.SHA256(base.Data) != e.job.Args.BaseSHA256 {
		return errStale
	}
	changes, err := e.changes(ctx)
	if err != nil {
		return err
	}
	result, err := e.execute(base.Data, changes)
	if err != nil {
		return err
	}
	report := result.Report(string(base.Source), redline.Base{SHA256: e.job.Args.BaseSHA256, Version: file.CurrentVersion})
	encoded, err := json.Marshal(redline.Outcome{Report: &report})
	if err != nil {
		return err
	}
	rendition := db.Rendition{Report: encoded, Document: result.Document}
	if e.job.Args.Format == "pdf" {
		if rendition.Document, err = e.printed(ctx, result.Document); err != nil {
			return err
		}
	}
	if !e.replaces() {
		return e.DB.InTx(ctx, func(tx *db.Tx) error {
			if err := save(ctx, tx, e.in, e.job.Args.DocumentID, e.job.Args.Key, rendition, db.KeepRendition); err != nil {
				return err
			}
			return jobs.Follow(ctx, tx.Raw, tx, e.job)
		})
	}
	return e.replace(ctx, file, report, result.Document)
}

var errStale = &fault.Error{Kind: fault.Conflict, Code: redline.StaleDocument, Message: "the file has changed since this was asked for"}

// wanted refuses a result in which a change was carried out that has been
// withdrawn meanwhile.
func (e *execution) wanted(ctx context.Context, tx *db.Tx, report redline.Report) error {
	rows, err := tx.Changes(ctx, e.in, e.job.Args.DocumentID)
	if err != nil {
		return err
	}
	open := map[string]bool{}
	for _, row := range rows {
		open[row.ID] = row.Status == db.ChangeProposed
	}
	for _, done := range report.Applied {
		if !open[done.ID] {
			return fault.New(fault.Conflict, "a change was withdrawn in the meantime; try again")
		}
	}
	return nil
}

// printed is a DOCX as PDF.
func (e *execution) printed(ctx context.Context, docx []byte) (pdf []byte, err error) {
	source, err := os.CreateTemp("", "clausemill-*.docx")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(source.Name())) }()
	if _, err := source.Write(docx); err != nil {
		return nil, errors.Join(err, source.Close())
	}
	if err := source.Close(); err != nil {
		return nil, err
	}
	err = e.print(ctx, source.Name(), document.DOCX, func(output string) error {
		pdf, err = os.ReadFile(output)
		return err
	})
	return pdf, err
}

// replaces reports whether the result becomes the file.
func (e *execution) replaces() bool { return e.source() != "" }

// source is that of the version which the result becomes, if it does.
func (e *execution) source() db.VersionSource {
	switch e.job.Args.Mode {
	case "decide", "all":
		return db.VersionExecuted
	case "edit":
		return db.VersionEdited
	default:
		return ""
	}
}

// changes are those of the job, in the order in which they were proposed.
func (e *execution) changes(ctx context.Context) ([]redline.Change, error) {
	rows, err := e.DB.Changes(ctx, e.in, e.job.Args.DocumentID)
	if err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	for _, id := range e.job.Args.ChangeIDs {
		asked[id] = true
	}
	var changes []redline.Change
	for _, row := range rows {
		if !asked[row.ID] || e.replaces() && row.Status != db.ChangeProposed {
			continue
		}
		var c redline.Change
		if err := json.Unmarshal(row.Body, &c); err != nil {
			return nil, fault.Wrap(fault.Internal, "a change cannot be read", err)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

var decisions = map[string]docx.Decision{"accept": docx.Accept, "reject": docx.Reject, "keep": docx.Keep}

func (e *execution) execute(base []byte, changes []redline.Change) (*redline.Result, error) {
	a := e.job.Args
	switch a.Mode {
	case "redline":
		return redline.Execute(base, changes, redline.Options{})
	case "revision":
		return redline.Execute(base, changes, redline.Options{Clean: true, Existing: decisions[a.Existing], Strip: a.Comments == "strip"})
	case "edit":
		return redline.Execute(base, changes, redline.Options{Clean: true, Tracked: true})
	case "all":
		return redline.Execute(base, changes, redline.Options{Clean: true})
	case "decide":
		return redline.Decide(base, changes, func(r docx.Revision) docx.Decision {
			if a.Author != "" && r.Author != a.Author {
				return docx.Keep
			}
			return decisions[a.Decision]
		})
	default:
		return nil, fault.Newf(fault.Invalid, "there is no mode %s", a.Mode)
	}
}

// replace makes the result the next version of the file, which is then read. Its
// bytes are stored before, under an id of this run alone: no run can write over
// what another one has made.
func (e *execution) replace(ctx context.Context, file db.File, report redline.Report, document []byte) error {
	done := map[string]any{
		"version": file.CurrentVersion, "applied": report.Applied, "failed": report.Failed,
		"accepted": report.Accepted, "rejected": report.Rejected, "left": report.Revisions.After,
	}
	if redline.SHA256(document) == report.Base.SHA256 { // nothing to do
		return e.DB.InTx(ctx, func(tx *db.Tx) error {
			if err := e.finish(ctx, tx, done, report); err != nil {
				return err
			}
			return jobs.Follow(ctx, tx.Raw, tx, e.job)
		})
	}
	version := db.NewVersion{
		BytesID: db.NewID(), Name: file.Name, Kind: file.Kind, ContentType: file.ContentType,
		Source: e.source(), Note: e.job.Args.Note,
	}
	written, err := e.Blobs.Put(ctx, blob.Version(version.BytesID), bytes.NewReader(document), draft.MaxSize)
	if err != nil {
		return err
	}
	version.Size, version.SHA256 = written.Size, written.SHA256[:]
	err = e.DB.InTx(ctx, func(tx *db.Tx) error {
		held, err := tx.FileForUpdate(ctx, e.in, file.ID)
		switch {
		case err != nil:
			return err
		case !held.Status.Terminal():
			return fault.New(fault.Conflict, "the file is being processed")
		case !bytes.Equal(held.SHA256, file.SHA256):
			return errStale
		}
		if err := e.wanted(ctx, tx, report); err != nil {
			return err
		}
		next, err := tx.AddVersion(ctx, e.in, held, version, false)
		if err != nil {
			return err
		}
		done["version"] = next.CurrentVersion
		if err := e.end(ctx, tx, report); err != nil {
			return err
		}
		if err := e.finish(ctx, tx, done, report); err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, e.job, jobs.ReceiveFile{File: jobs.File{FileID: file.ID, TeamID: e.in.TeamID, Attempt: next.Attempt}})
	})
	if fault.Permanent(err) { // of anything else a commit may have come
		err = errors.Join(err, e.Blobs.Delete(ctx, blob.Version(version.BytesID)))
	}
	return err
}

// finish ends the operation, which counts the changes that could not be carried out.
func (e *execution) finish(ctx context.Context, tx *db.Tx, done map[string]any, report redline.Report) error {
	id := e.job.Args.OperationID
	failed := make([]db.ItemError, len(report.Failed))
	for i, f := range report.Failed {
		failed[i] = db.ItemError{FileID: e.job.Args.DocumentID, Error: f.Error}
	}
	if len(failed) > 0 {
		if err := tx.StepOperation(ctx, e.in, id, 0, failed); err != nil && fault.KindOf(err) != fault.NotFound { // one that has ended stays as it is
			return err
		}
	}
	return tx.FinishOperation(ctx, e.in, id, done, "")
}

// end records the outcome of each change.
func (e *execution) end(ctx context.Context, tx *db.Tx, report redline.Report) error {
	executed := make([]string, len(report.Applied))
	for i, a := range report.Applied {
		executed[i] = a.ID
	}
	failed := map[string]json.RawMessage{}
	for _, f := range report.Failed {
		reason, err := json.Marshal(f)
		if err != nil {
			return err
		}
		failed[f.ID] = reason
	}
	return tx.EndChanges(ctx, e.in, e.job.Args.DocumentID, executed, failed)
}
