package worker

import (
	"context"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// deleteFiles deletes many files, one transaction each, so that a long list
// never holds up the table.
type deleteFiles struct {
	river.WorkerDefaults[jobs.DeleteFiles]
	*Worker
}

// Work deletes what is still there of the list.
func (w *deleteFiles) Work(ctx context.Context, job *river.Job[jobs.DeleteFiles]) error {
	in := db.Scope{TeamID: job.Args.TeamID, ActorKind: job.Args.ActorKind, ActorID: job.Args.ActorID}
	for _, id := range job.Args.FileIDs {
		err := w.DB.InTx(ctx, func(tx *db.Tx) error {
			if err := tx.Fence(ctx, job.ID, job.Attempt); err != nil {
				return err
			}
			bytes, err := tx.BytesOf(ctx, in, id)
			if err != nil {
				return err
			}
			if _, err := tx.DeleteFile(ctx, in, id); err != nil {
				return err
			}
			running, err := tx.FileJobs(ctx, in, []string{id})
			if err != nil {
				return err
			}
			if err := jobs.Cancel(ctx, w.river, tx.Raw, running); err != nil {
				return err
			}
			if err := enqueue(ctx, tx, jobs.PurgeFile{FileID: id, TeamID: in.TeamID, Bytes: bytes}); err != nil {
				return err
			}
			return tx.StepOperation(ctx, in, job.Args.OperationID, 1, nil)
		})
		if err != nil && fault.KindOf(err) != fault.NotFound { // gone already: by the first run of this job, or by somebody else
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

// purgeFile removes what is left of a deleted file outside the database.
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
	return w.Search.Remove(ctx, []db.FileRef{{TeamID: job.Args.TeamID, FileID: job.Args.FileID}})
}
