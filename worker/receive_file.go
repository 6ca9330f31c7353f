package worker

import (
	"context"
	"errors"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// receiveFile finds out what a file is and which step comes first: none where
// it is an archive, the last ones where the same bytes were read before. A small
// file is read along with that.
type receiveFile struct {
	river.WorkerDefaults[jobs.ReceiveFile]
	*Worker
}

// readAtOnce is the size in bytes up to which a file is read when it is received:
// then reading costs no more than another job would.
const readAtOnce = 1 << 20

// brief is the size in bytes up to which a file mostly ends within a tenth of a second. That it
// is being worked on is not written down: this takes a transaction, an event and an update of
// a row in many indexes.
const brief = 32 << 10

// Work receives one file.
func (w *receiveFile) Work(ctx context.Context, job *river.Job[jobs.ReceiveFile]) error {
	in, attempt := about(job.Args.File)
	file, err := w.open(ctx, in, attempt)
	enter := func() error {
		return keep(ctx, w.Worker, job, func(tx *db.Tx) (err error) {
			file, err = tx.EnterStage(ctx, in, attempt, db.StageReceived)
			return err
		})
	}
	if err == nil && (file.Size > brief || job.Attempt > 1) {
		err = enter()
	}
	if err != nil {
		return err
	}
	from := db.FileStage(file.Options.From)
	if !file.Current() { // the text that is there is another version's
		from = ""
	}
	switch from { //nolint:exhaustive // the others begin at the top
	case db.StageSegment:
		return follow(ctx, w.Worker, job, db.StageSegment, nothing, jobs.SegmentText(job.Args))
	case db.StageClassify: // its text may still wait for an engine
		return follow(ctx, w.Worker, job, db.StageClassify, nothing, jobs.IndexFile(job.Args), jobs.AnalyzeText(job.Args))
	case db.StageIndex:
		return follow(ctx, w.Worker, job, db.StageIndex, nothing, jobs.IndexFile(job.Args))
	}
	if file.Size == 0 {
		return fault.File(fault.EmptyFile, "the file is empty", nil)
	}

	local, release, err := w.local(ctx, file)
	if err != nil {
		return err
	}
	defer release()
	info, err := w.lane(job.Args.File).Documents.Inspect(ctx, local, file.Name)
	if err != nil {
		return err
	}
	first := file.BytesID == file.ID
	switch {
	case info.Kind == document.ZIP && file.Source == string(document.ZIP):
		// One can be made that holds itself.
		return fault.File(fault.UnsupportedType, "an archive inside an archive is not unpacked; upload it by itself", nil)
	case info.Kind == document.ZIP && !first:
		return fault.File(fault.UnsupportedType, "an archive is no version of a document; upload it as a file", nil)
	case first && (info.Kind == document.ZIP || info.Kind == document.EML): // what a later message carries is not the file's
		if file.Status == db.FileQueued { // thousands of files may be in a few bytes
			if err := enter(); err != nil {
				return err
			}
		}
		if err := w.unpack(ctx, job, file, local, info.Kind); err != nil {
			return err
		}
	}
	setKind := func(tx *db.Tx) error {
		return tx.SetKind(ctx, in, file.ID, string(info.Kind), info.Kind.ContentType(), info.Pages)
	}
	if info.Kind == document.ZIP { // there is nothing to read in it
		return w.DB.InTx(ctx, func(tx *db.Tx) error {
			if err := tx.CompleteAttempt(ctx, in, attempt); err != nil {
				return err
			}
			if err := setKind(tx); err != nil {
				return err
			}
			return jobs.Follow(ctx, tx.Raw, tx, job)
		})
	}
	if file.DuplicateOf != nil && (attempt.Number == 1 || file.Options.Unread) {
		reused, err := w.reuse(ctx, job, *file.DuplicateOf, setKind)
		if reused || err != nil {
			return err
		}
	}
	if file.Size > readAtOnce || job.Attempt > 1 { // what ended a worker is tried a step at a time
		return follow(ctx, w.Worker, job, db.StageExtract, setKind, jobs.ExtractText(job.Args))
	}
	file.Kind, file.ContentType, file.PageCount = string(info.Kind), info.Kind.ContentType(), info.Pages
	err = extract(ctx, w.Worker, job, file, local, setKind)
	if fault.Permanent(err) && ctx.Err() == nil { // the failure is recorded with the stage
		return errors.Join(err, keep(ctx, w.Worker, job, func(tx *db.Tx) error {
			if err := setKind(tx); err != nil {
				return err
			}
			_, err := tx.EnterStage(ctx, in, attempt, db.StageExtract)
			return err
		}))
	}
	return err
}

// reuse gives the file the pages that were read in a file with the same bytes,
// if there are such pages, and sends it on.
func (w *receiveFile) reuse(ctx context.Context, job *river.Job[jobs.ReceiveFile], from string, setKind func(*db.Tx) error) (bool, error) {
	in, attempt := about(job.Args.File)
	err := follow(ctx, w.Worker, job, db.StageSegment, func(tx *db.Tx) error {
		if err := setKind(tx); err != nil {
			return err
		}
		n, err := tx.CopyPages(ctx, in, from, attempt.FileID)
		if err == nil && n == 0 {
			err = errNothingToReuse
		}
		return err
	}, jobs.SegmentText(job.Args))
	if errors.Is(err, errNothingToReuse) {
		return false, nil
	}
	return err == nil, err
}

var errNothingToReuse = errors.New("the other file's reading is not complete")
