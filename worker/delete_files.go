package worker

import (
	"context"
	"slices"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// deleteFiles moves many files into the trash, some at a time, so that a long
// list never holds up the team.
type deleteFiles struct {
	river.WorkerDefaults[jobs.DeleteFiles]
	*Worker
}

// trashedAtOnce is how many things go into the trash, or come back, in one
// transaction.
const trashedAtOnce = 10

// Work deletes what is still there of the list.
func (w *deleteFiles) Work(ctx context.Context, job *river.Job[jobs.DeleteFiles]) error {
	in := db.Scope{TeamID: job.Args.TeamID, ActorKind: job.Args.ActorKind, ActorID: job.Args.ActorID}
	for some := range slices.Chunk(job.Args.FileIDs, trashedAtOnce) {
		err := w.DB.InTx(ctx, func(tx *db.Tx) error {
			if err := tx.HoldOperation(ctx, in, job.Args.OperationID); err != nil {
				return err
			}
			gone, err := tx.DeleteFiles(ctx, in, some, job.Args.OperationID)
			if err != nil || len(gone) == 0 { // before: by the first run of this job, or by somebody else
				return err
			}
			if err := tx.Fence(ctx, job.ID, job.Attempt); err != nil {
				return err
			}
			running, err := tx.CancelWaitingJobs(ctx, in, some)
			if err != nil {
				return err
			}
			if err := jobs.Cancel(ctx, w.river, tx.Raw, running); err != nil {
				return err
			}
			if err := enqueue(ctx, tx, jobs.SettleFiles{TeamID: in.TeamID, FileIDs: some}); err != nil {
				return err
			}
			return tx.StepOperation(ctx, in, job.Args.OperationID, len(gone), nil)
		})
		if err != nil {
			return err
		}
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.FinishOperation(ctx, in, job.Args.OperationID, nil, ""); err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}

// purgeFile removes what is left of a purged file outside the database.
type purgeFile struct {
	river.WorkerDefaults[jobs.PurgeFile]
	*Worker
}

// Work purges one file.
func (w *purgeFile) Work(ctx context.Context, job *river.Job[jobs.PurgeFile]) error {
	// A job of an older release names no bytes: its file had one version.
	for _, id := range append(job.Args.Bytes, job.Args.FileID) {
		if err := w.Blobs.Delete(ctx, blob.Of(job.Args.FileID, id)); err != nil {
			return err
		}
	}
	return w.forget(ctx, db.System(job.Args.TeamID), []string{job.Args.FileID})
}
