package worker

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// about is whose work a job is and which attempt it belongs to.
func about(f jobs.File) (db.Scope, db.Attempt) {
	return db.System(f.TeamID), db.Attempt{FileID: f.FileID, Number: f.Attempt}
}

// open is the file of an attempt that is still wanted, for a step to start on.
// Whether it still is when the step ends is decided again, under a lock.
func (w *Worker) open(ctx context.Context, in db.Scope, a db.Attempt) (db.File, error) {
	file, err := w.DB.File(ctx, in, a.FileID)
	if err == nil && (file.Attempt != a.Number || file.Status.Terminal()) {
		err = db.ErrOvertaken
	}
	return file, err
}

// local is the bytes of a file as blob.Store has them. Where the right store has
// none, another try may find what a backup brings.
func (w *Worker) local(ctx context.Context, file db.File) (path string, release func(), err error) {
	path, release, err = w.Blobs.Local(ctx, blob.Of(file.ID, file.BytesID))
	if fault.KindOf(err) == fault.NotFound {
		err = &fault.Error{Kind: fault.Internal, Code: fault.BytesLost, Message: "the file store does not have the bytes of the file", Cause: err}
	}
	return path, release, err
}

// write writes to the file of an attempt, if it is still wanted.
func (w *Worker) write(ctx context.Context, in db.Scope, a db.Attempt, save func(tx *db.Tx) error) error {
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.PlanOnce(ctx); err != nil {
			return err
		}
		if _, err := tx.OpenAttempt(ctx, in, a); err != nil {
			return err
		}
		return save(tx)
	})
}

// keep writes part of a step's result, if the attempt and the job are still
// ours.
func keep[A jobs.FileArgs](ctx context.Context, w *Worker, job *river.Job[A], save func(tx *db.Tx) error) error {
	in, attempt := about(job.Args.About())
	return w.write(ctx, in, attempt, func(tx *db.Tx) error {
		if err := tx.Fence(ctx, job.ID, job.Attempt); err != nil {
			return err
		}
		return save(tx)
	})
}

// follow ends a step: if the attempt and the job are still ours, save writes the
// result, the file enters stage, next is enqueued and the job is completed, all
// or nothing.
func follow[A jobs.FileArgs](ctx context.Context, w *Worker, job *river.Job[A], stage db.FileStage, save func(tx *db.Tx) error, next ...river.JobArgs) error {
	in, attempt := about(job.Args.About())
	return w.write(ctx, in, attempt, func(tx *db.Tx) error {
		if err := save(tx); err != nil {
			return err
		}
		if err := jobs.Follow(ctx, tx.Raw, tx, job, next...); err != nil {
			return err
		}
		_, err := tx.EnterStage(ctx, in, attempt, stage)
		return err
	})
}

// nothing is the result of a step that only passes on.
func nothing(*db.Tx) error { return nil }

// enqueue inserts jobs in tx beside those that follow the step.
func enqueue(ctx context.Context, tx *db.Tx, list ...river.JobArgs) error {
	return jobs.Insert(ctx, river.ClientFromContext[pgx.Tx](ctx), tx.Raw, list...)
}
