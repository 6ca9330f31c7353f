package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// settleFiles does what follows from files having gone into the trash, or come
// back.
type settleFiles struct {
	river.WorkerDefaults[jobs.SettleFiles]
	*Worker
}

// Work acts on the present state of the files. Those in the trash or purged are
// removed from the search index; the others are indexed, and compared with files that
// may be near duplicates.
func (w *settleFiles) Work(ctx context.Context, job *river.Job[jobs.SettleFiles]) error {
	in := db.System(job.Args.TeamID)
	files, err := w.DB.Files(ctx, in, db.FileFilter{IDs: job.Args.FileIDs}, "", len(job.Args.FileIDs))
	if err != nil {
		return err
	}
	w.vocabularies.changed(ctx, in.TeamID)
	gone := job.Args.FileIDs
	var here []db.FileRef
	for _, f := range files {
		gone = slices.DeleteFunc(gone, func(id string) bool { return id == f.ID })
		here = append(here, db.FileRef{TeamID: in.TeamID, FileID: f.ID})
		if err := w.compareAgain(ctx, in, f.ID); err != nil && !fault.Permanent(err) { // it is gone again, or has another text
			return err
		}
	}
	if len(here) > 0 {
		if err := w.index(ctx, here); err != nil {
			return err
		}
	}
	return w.forget(ctx, in, gone)
}

// forget takes files out of the search index that are in no team.
func (w *Worker) forget(ctx context.Context, in db.Scope, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	refs := make([]db.FileRef, len(ids))
	for i, id := range ids {
		refs[i] = db.FileRef{TeamID: in.TeamID, FileID: id}
	}
	if err := w.Search.Remove(ctx, refs); err != nil {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error { return tx.SetRemoved(ctx, in, ids, w.Search.Immediate()) })
}

// restoreTrash brings many things back out of the trash, some at a time.
type restoreTrash struct {
	river.WorkerDefaults[jobs.RestoreTrash]
	*Worker
}

// Work restores the entries of the list that still exist. One that cannot be
// restored, because its name is taken, stays in the trash and is listed with the
// operation; the others are restored all the same.
func (w *restoreTrash) Work(ctx context.Context, job *river.Job[jobs.RestoreTrash]) error {
	in := db.Scope{TeamID: job.Args.TeamID, ActorKind: job.Args.ActorKind, ActorID: job.Args.ActorID, Admin: job.Args.Admin}
	for some := range slices.Chunk(job.Args.EntryIDs, trashedAtOnce) {
		err := w.restore(ctx, in, job, some)
		if refusal(err) {
			err = w.restoreEach(ctx, in, job, some)
		}
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

// refusal reports whether err is of what was to be restored, and not of the job.
func refusal(err error) bool {
	return err != nil && fault.Permanent(err) && !errors.Is(err, db.ErrFenced) && !errors.Is(err, db.ErrCancelled)
}

func (w *restoreTrash) restoreEach(ctx context.Context, in db.Scope, job *river.Job[jobs.RestoreTrash], ids []string) error {
	for _, id := range ids {
		err := w.restore(ctx, in, job, []string{id})
		if refusal(err) {
			refused := []db.ItemError{{TrashID: id, Error: fault.Message(err)}}
			err = w.DB.InTx(ctx, func(tx *db.Tx) error { return tx.StepOperation(ctx, in, job.Args.OperationID, 1, refused) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restore brings entries back in one transaction, all or none.
func (w *restoreTrash) restore(ctx context.Context, in db.Scope, job *river.Job[jobs.RestoreTrash], ids []string) error {
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.HoldOperation(ctx, in, job.Args.OperationID); err != nil {
			return err
		}
		if err := tx.HoldOperation(ctx, in, job.Args.OperationID); err != nil {
			return err
		}
		if err := tx.Fence(ctx, job.ID, job.Attempt); err != nil {
			return err
		}
		back, err := tx.RestoreTrash(ctx, in, ids, "", w.Search.Immediate())
		if err != nil || len(back.Entries) == 0 {
			return err
		}
		if len(back.Files) > 0 {
			next := []jobs.Args{jobs.SettleFiles{TeamID: in.TeamID, FileIDs: back.Files}}
			for _, f := range back.Reading {
				next = append(next, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: in.TeamID, Attempt: f.Attempt, Bulk: f.Bulk}})
			}
			if err := enqueue(ctx, tx, next...); err != nil {
				return err
			}
		}
		return tx.StepOperation(ctx, in, job.Args.OperationID, len(back.Entries), nil)
	})
}

// emptyTrash purges what has been in the trash for long enough.
type emptyTrash struct {
	river.WorkerDefaults[jobs.EmptyTrash]
	*Worker
}

// Work purges the entries that are due, one after the other, up to a limit for each
// run.
func (w *emptyTrash) Work(ctx context.Context, job *river.Job[jobs.EmptyTrash]) error {
	const inOneTurn = 200
	purged, err := w.EmptyTrash(ctx, inOneTurn)
	if purged > 0 {
		w.Log.InfoContext(ctx, "purged what had been in the trash for long enough", slog.Int("things", purged))
	}
	if err != nil || purged < inOneTurn {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error { return jobs.Follow(ctx, tx.Raw, tx, job, jobs.EmptyTrash{}) })
}

// EmptyTrash purges what has been in the trash for as long as w keeps it, in all
// teams, the oldest first and at most so many things, and returns how many of them
// are gone. What cannot be purged does not keep it from the others.
func (w *Worker) EmptyTrash(ctx context.Context, most int) (int, error) {
	due, err := w.DB.DueTrash(ctx, w.Trash, most)
	if err != nil {
		return 0, err
	}
	purged := 0
	for _, ref := range due {
		in := db.System(ref.TeamID)
		oneErr := w.DB.InTx(ctx, func(tx *db.Tx) error {
			gone, err := tx.PurgeTrash(ctx, in, ref.ID)
			if err != nil {
				return err
			}
			for _, f := range gone.Files {
				if err := jobs.Insert(ctx, w.river, tx.Raw, jobs.PurgeFile{FileID: f.ID, TeamID: in.TeamID, Bytes: f.Bytes}); err != nil {
					return err
				}
			}
			return nil
		})
		switch {
		case ctx.Err() != nil:
			return purged, ctx.Err()
		case oneErr == nil, fault.KindOf(oneErr) == fault.NotFound: // restored, or purged by somebody
			purged++
		default:
			err = errors.Join(err, fmt.Errorf("trash entry %s: %w", ref.ID, oneErr))
		}
	}
	return purged, err
}
