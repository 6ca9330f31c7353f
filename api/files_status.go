package api

import (
	"context"
	"hash/fnv"
	"math"
	"strconv"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// filesStatus serves the processing status of files, and cancelling and retrying.
func (a *API) filesStatus() {
	keyed := a.area("Files", withKey)
	get(keyed, "/api/files/{fileId}/status", "getFileStatus", "Get the processing status of a file", a.getFileStatus, describe(
		"Returns how far the file is processed. With `wait` it is a long poll: the answer is sent once the status differs from the ETag in `If-None-Match` or, without that header, from the present one. "+
			"If nothing changes in time, the answer is 304, or 200 without `If-None-Match`. Without that header, a file whose processing has ended is answered at once."))

	session := a.area("Files", withSession)
	put(session, "/api/files/{fileId}/status", "setFileStatus", "Retry or cancel the processing of a file", a.setFileStatus, eitherWay[StatusChange](a), describe(
		"Changes the processing status: `queued` starts a new attempt, `cancelled` stops the running one, `completed` accepts the existing text. "+
			"Without a value the status is derived again from pages and jobs, which ends the processing of a file whose jobs were lost. "+
			"`status` is a query parameter or in the body. A change that is not possible is 409."))
}

// State is the state of a file's processing.
type State struct {
	Status     db.FileStatus `json:"status"`
	Stage      db.FileStage  `json:"stage"`
	Progress   float64       `json:"progress" minimum:"0" maximum:"1"`
	Pages      PageCounts    `json:"pages"`
	Entries    *EntryCounts  `json:"entries,omitempty" doc:"Files in an archive, or attachments of a message"`
	Attempt    int           `json:"attempt" doc:"1 after the upload; each reprocessing adds one"`
	QueuedAt   time.Time     `json:"queuedAt"`
	StartedAt  *time.Time    `json:"startedAt,omitempty"`
	FinishedAt *time.Time    `json:"finishedAt,omitempty"`
	UpdatedAt  time.Time     `json:"updatedAt" doc:"Last change of any kind"`
	TextReady  bool          `json:"textReady" doc:"Whether the text can be read"`
	Searchable bool          `json:"searchable" doc:"Whether search finds the text"`
	Warnings   []Warning     `json:"warnings" nullable:"false"`
	Error      *FileError    `json:"error,omitempty"`
	Retryable  *bool         `json:"retryable,omitempty" doc:"Only with an error: whether another attempt could succeed"`
}

// PageCounts are how many pages there are, were read, and had to be recognised.
type PageCounts struct {
	Total int `json:"total"`
	Done  int `json:"done"`
	OCR   int `json:"ocr"`
}

// EntryCounts are how many files a file contains, and how many of them are done.
type EntryCounts struct {
	Total int `json:"total"`
	Done  int `json:"done"`
}

// Warning is something a reader of the file should know.
type Warning struct {
	Code    string `json:"code"`
	Pages   []int  `json:"pages,omitempty"`
	Message string `json:"message"`
}

// FileError is why a file failed.
type FileError struct {
	Code    fault.Code `json:"code"`
	Stage   string     `json:"stage"`
	Message string     `json:"message"`
	Hint    string     `json:"hint" doc:"How to resolve it"`
	Page    *int       `json:"page,omitempty"`
}

// hints are the ways to resolve each error.
var hints = map[fault.Code]string{
	fault.PasswordProtected: "unlock it with its password, if it is a PDF or an Office document; or remove the password and upload the file again",
	fault.UnsupportedType:   "convert it to PDF or DOCX and upload that",
	fault.CorruptFile:       "open it where it was made, save it again and upload that",
	fault.EmptyFile:         "check the file and upload it again",
	fault.FileTooLarge:      "split the file",
	fault.TooManyPages:      "split the file",
	fault.OCRTimeout:        "reprocess it; scan the page again if that does not help",
	fault.OCRCrash:          "reprocess it; scan the page again if that does not help",
	fault.OCRMemory:         "scan the page at 300 dpi or less; print it to a new PDF if it is no scan",
	fault.ConversionFailed:  "convert it to PDF and upload that",
	fault.IndexUnavailable:  "reprocess it from the stage index",
	fault.BytesLost:         "upload the file again; tell the operator, who may have a backup",
	fault.InternalCode:      "reprocess it; tell the operator if that does not help",
}

func newState(f db.FileState) State {
	s := State{
		Status: f.Status, Stage: f.Stage, Progress: f.Progress(),
		Pages:   PageCounts{Total: f.PageCount, Done: f.PagesDone, OCR: f.PagesOCR},
		Attempt: f.Attempt, QueuedAt: f.QueuedAt.UTC(), StartedAt: utc(f.StartedAt), FinishedAt: utc(f.FinishedAt),
		UpdatedAt: f.ProgressAt.UTC(), TextReady: f.TextReady, Searchable: f.Searchable(),
		Warnings: make([]Warning, len(f.Warnings)),
	}
	if n := max(f.Entries, f.EntriesDone); n > 0 { // how many attachments a message has shows when it is read
		s.Entries = &EntryCounts{Total: n, Done: f.EntriesDone}
	}
	for i, w := range f.Warnings {
		s.Warnings[i] = Warning(w)
	}
	if f.ErrorCode != nil {
		retryable := f.Retryable()
		s.Retryable = &retryable
	}
	s.Error = newFileError(f.ErrorCode, f.ErrorStage, f.ErrorMessage, f.ErrorPage)
	return s
}

// newFileError is nil where there is no code.
func newFileError(code, stage, message *string, page *int) *FileError {
	if code == nil {
		return nil
	}
	cause := fault.Code(*code)
	return &FileError{Code: cause, Stage: text(stage), Message: text(message), Hint: hints[cause], Page: page}
}

// version changes with the state.
func (s State) version() string {
	b := make([]byte, 0, 128)
	b = append(append(append(b, s.Status...), ' '), s.Stage...)
	for _, n := range []int{s.Attempt, s.Pages.Total, s.Pages.Done, s.Pages.OCR, len(s.Warnings), int(s.UpdatedAt.UnixNano())} {
		b = strconv.AppendInt(append(b, ' '), int64(n), 10)
	}
	b = strconv.AppendBool(strconv.AppendBool(append(b, ' '), s.TextReady), s.Searchable)
	h := fnv.New64a()
	_, _ = h.Write(b) // never fails
	return strconv.FormatUint(h.Sum64(), 36)
}

// FileStatus is the state of a file's processing, with estimates.
type FileStatus struct {
	ID string `json:"id"`
	State
	ETASeconds    *int `json:"etaSeconds,omitempty" doc:"Estimated seconds until processing ends, at least so many for a file that is far behind in the queue; absent where there is no estimate yet"`
	QueuePosition *int `json:"queuePosition,omitempty" doc:"Position in the queue: the number of the team's files before it, plus one; 1001 stands for that and all behind it. Only while it is queued"`
}

func (s FileStatus) etag() string { return `W/"` + s.version() + `"` }

// stop ends the processing of files whose rows tx has locked.
func (a *API) stop(ctx context.Context, tx *db.Tx, ids ...string) error {
	running, err := tx.CancelWaitingJobs(ctx, auth.Scope(ctx), ids)
	if err != nil {
		return err
	}
	return jobs.Cancel(ctx, a.Jobs, tx.Raw, running)
}

type fileStatusRequest struct {
	FileRef
	Wait        int    `query:"wait" minimum:"0" maximum:"60" doc:"Seconds to wait for a change"`
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of the status that the caller has"`
}

func (a *API) getFileStatus(ctx context.Context, in *fileStatusRequest) (FileStatus, error) {
	if in.Wait == 0 {
		return a.fileStatus(ctx, in.FileID)
	}
	return a.waitForStatus(ctx, in)
}

// waitForStatus answers once the status has changed, or the wait is over.
func (a *API) waitForStatus(ctx context.Context, in *fileStatusRequest) (FileStatus, error) {
	waiter, err := a.wait(ctx, in.FileID)
	if err != nil {
		return FileStatus{}, err
	}
	defer waiter.done()
	over := time.NewTimer(time.Duration(in.Wait) * time.Second)
	defer over.Stop()

	known := in.IfNoneMatch
	for {
		now, err := a.fileStatus(ctx, in.FileID)
		if err != nil {
			return FileStatus{}, err
		}
		if known == "" {
			if now.Status.Terminal() {
				return now, nil
			}
			known = now.etag()
		}
		if !etagMatches(known, now.etag()) {
			return now, nil
		}
		if more, err := waiter.wait(ctx, over); err != nil {
			return FileStatus{}, err
		} else if !more {
			return now, nil
		}
	}
}

func (a *API) fileStatus(ctx context.Context, id string) (FileStatus, error) {
	scope := auth.Scope(ctx)
	row, err := a.states.do(ctx, hiddenFrom(scope), db.FileRef{TeamID: scope.TeamID, FileID: id})
	if err != nil {
		return FileStatus{}, err
	}
	if row.ID == "" {
		return FileStatus{}, fault.New(fault.NotFound, "not found")
	}
	s := FileStatus{ID: row.ID, State: newState(row)}
	if row.Status.Terminal() {
		return s, nil
	}
	queue, err := a.queues.around(ctx, scope.TeamID, row)
	if err != nil {
		return FileStatus{}, err
	}
	if row.Status == db.FileQueued {
		position := queue.Ahead(row) + 1
		s.QueuePosition = &position
	}
	if seconds, ok := queue.Remaining(row); ok {
		eta := int(math.Ceil(seconds))
		s.ETASeconds = &eta
	}
	return s, nil
}

// StatusChange is the requested status of a file.
type StatusChange struct {
	Status db.FileStatus `json:"status,omitempty" enum:"queued,cancelled,completed"`
}

func (a *API) setFileStatus(ctx context.Context, in *struct {
	FileRef
	Body *StatusChange
}) (FileStatus, error) {
	scope := auth.Scope(ctx)
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		switch status := orNothing(in.Body).Status; status { //nolint:exhaustive // the others come of the work itself
		case db.FileQueued:
			_, err = a.restart(ctx, tx, in.FileID, db.FileOptions{})
			return err
		case db.FileCancelled, db.FileCompleted:
			return a.end(ctx, tx, in.FileID, status)
		default:
			return tx.DeriveStatus(ctx, scope, in.FileID)
		}
	})
	if err != nil {
		return FileStatus{}, err
	}
	return a.fileStatus(ctx, in.FileID)
}

// end stops the processing of a file, and cancels the file or accepts its text.
func (a *API) end(ctx context.Context, tx *db.Tx, id string, status db.FileStatus) error {
	if err := tx.LockFiles(ctx, auth.Scope(ctx), []string{id}); err != nil {
		return err
	}
	if err := a.stop(ctx, tx, id); err != nil {
		return err
	}
	if status == db.FileCancelled {
		_, err := tx.CancelFile(ctx, auth.Scope(ctx), id)
		return err
	}
	_, err := tx.AcceptFile(ctx, auth.Scope(ctx), id)
	return err
}
