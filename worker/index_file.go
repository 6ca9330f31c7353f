package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// indexFile makes a file's text findable, and ends its attempt. It takes along
// what else waits, because engines like few large batches.
type indexFile struct {
	river.WorkerDefaults[jobs.IndexFile]
	*Worker
}

const filesPerBatch = 64

// linger is how long a file of an import waits for others to be indexed along with it. An engine
// that is sent each by itself takes as much of a processor as reading them does.
const linger = 500 * time.Millisecond

// Work indexes one batch.
func (w *indexFile) Work(ctx context.Context, job *river.Job[jobs.IndexFile]) error {
	if job.Args.Bulk && !w.Search.Immediate() {
		select {
		case <-time.After(linger):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	in, attempt := about(job.Args.File)
	if _, err := w.open(ctx, in, attempt); err != nil {
		return err
	}
	batch, err := w.DB.AdoptIndexJobs(ctx, filesPerBatch)
	if err != nil {
		return err
	}
	batch = append(batch, db.FileRef{TeamID: in.TeamID, FileID: attempt.FileID})
	if err := w.index(ctx, batch); err != nil {
		return err
	}
	if err := w.DB.InTx(ctx, func(tx *db.Tx) error { return jobs.Follow(ctx, tx.Raw, tx, job) }); err != nil {
		return err
	}
	for _, ref := range batch {
		w.vocabularies.changed(ctx, ref.TeamID)
	}
	return nil
}

// index sends files to the engine and ends their attempts: well, or with a
// warning where the engine does not answer.
func (w *Worker) index(ctx context.Context, batch []db.FileRef) error {
	done, err := w.Search.Index(ctx, batch)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		w.Log.WarnContext(ctx, "indexing is put off", slog.Int("files", len(batch)), slog.Any("error", err))
		for _, ref := range batch {
			failed := false
			err := w.DB.InTx(ctx, func(tx *db.Tx) (err error) {
				failed, err = tx.CompleteUnindexed(ctx, db.System(ref.TeamID), ref.FileID)
				return err
			})
			if err != nil && !fault.Permanent(err) {
				return err
			}
			if failed && err == nil {
				w.metrics.failures.WithLabelValues(string(fault.IndexUnavailable)).Inc()
			}
		}
		return nil
	}
	for _, file := range done {
		in := db.System(file.TeamID)
		err := w.DB.InTx(ctx, func(tx *db.Tx) error { return tx.FinishIndexing(ctx, in, file.FileID, file.Generation) })
		if err != nil && !fault.Permanent(err) { // deleted meanwhile is fine
			return err
		}
	}
	return w.DB.SetLabelsIndexed(ctx, done)
}

// reconcileIndex heals what came apart between the database and the engine.
type reconcileIndex struct {
	river.WorkerDefaults[jobs.ReconcileIndex]
	*Worker
}

// Timeout allows for a full comparison of a large corpus.
func (*reconcileIndex) Timeout(*river.Job[jobs.ReconcileIndex]) time.Duration { return 2 * time.Hour }

// Work reconciles once. An engine that is down is nothing to retry for: the next
// round comes soon.
func (w *reconcileIndex) Work(ctx context.Context, job *river.Job[jobs.ReconcileIndex]) error {
	drift, err := w.Search.Reconcile(ctx, job.Args.Full)
	if drift.Indexed+drift.Removed > 0 {
		w.Log.InfoContext(ctx, "healed the index", slog.Int("indexed", drift.Indexed), slog.Int("removed", drift.Removed))
	}
	if err != nil {
		w.Log.WarnContext(ctx, "the index cannot be reconciled now", slog.Any("error", err))
	}
	const atATime = 1000
	stale, err := w.DB.StaleIndexing(ctx, atATime)
	if err != nil {
		return err
	}
	for _, ref := range stale {
		in := db.System(ref.TeamID)
		file, err := w.DB.File(ctx, in, ref.FileID)
		if err != nil {
			continue // deleted meanwhile
		}
		err = w.DB.InTx(ctx, func(tx *db.Tx) error { return tx.FinishIndexing(ctx, in, file.ID, file.IndexedGeneration) })
		if err != nil && !fault.Permanent(err) {
			return err
		}
	}
	return nil
}
