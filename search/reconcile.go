package search

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// reconcileBatch is how many files are indexed as one: to a server with a large
// index 2,000 are little more work than 500. Meanwhile the next are read, so that
// it does not wait.
const (
	reconcileBatch = 2000
	batchesAtOnce  = 2
)

// indexWaiting indexes the files whose text or labels no engine has confirmed.
func indexWaiting(ctx context.Context, d *db.DB, e Engine) (Drift, error) {
	var drift Drift
	for {
		waiting, err := d.UnindexedFiles(ctx, batchesAtOnce*reconcileBatch)
		if err != nil || len(waiting) == 0 {
			return drift, err
		}
		var n atomic.Int64
		group, ctx := errgroup.WithContext(ctx)
		for some := range slices.Chunk(waiting, reconcileBatch) {
			group.Go(func() error { return indexAndRecord(ctx, d, e, some, &n) })
		}
		err = group.Wait()
		drift.Indexed += int(n.Load())
		if err != nil || n.Load() == 0 { // none where all of them went away meanwhile
			return drift, err
		}
	}
}

// indexAndRecord indexes files, records what was confirmed, and adds it to n.
func indexAndRecord(ctx context.Context, d *db.DB, e Engine, files []db.FileRef, n *atomic.Int64) error {
	done, err := e.Index(ctx, files)
	if err != nil {
		return err
	}
	for _, f := range done {
		err := d.InTx(ctx, func(tx *db.Tx) error {
			return tx.FinishIndexing(ctx, db.System(f.TeamID), f.FileID, f.Generation)
		})
		if err != nil && fault.KindOf(err) != fault.NotFound { // deleted meanwhile
			return err
		}
	}
	n.Add(int64(len(done)))
	return d.SetLabelsIndexed(ctx, done)
}

// confirmed makes the confirmation that rows were indexed as they are.
func confirmed(rows []db.IndexFile) []db.Indexed {
	list := make([]db.Indexed, len(rows))
	for i, f := range rows {
		list[i] = db.Indexed{FileRef: f.FileRef, Generation: f.Generation, Labels: f.Labels}
	}
	return list
}
