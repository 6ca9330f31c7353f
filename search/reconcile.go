package search

import (
	"context"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// reconcileBatch is how many files are compared or indexed at once.
const reconcileBatch = 500

// indexWaiting indexes the files whose text or labels no engine has confirmed.
func indexWaiting(ctx context.Context, d *db.DB, e Engine) (Drift, error) {
	var drift Drift
	for {
		waiting, err := d.UnindexedFiles(ctx, reconcileBatch)
		if err != nil || len(waiting) == 0 {
			return drift, err
		}
		n, err := indexAndRecord(ctx, d, e, waiting)
		drift.Indexed += n
		if err != nil || n == 0 { // n is 0 where all of them went away meanwhile
			return drift, err
		}
	}
}

// indexAndRecord indexes files and records what was confirmed.
func indexAndRecord(ctx context.Context, d *db.DB, e Engine, files []db.FileRef) (int, error) {
	done, err := e.Index(ctx, files)
	if err != nil {
		return 0, err
	}
	for _, f := range done {
		err := d.InTx(ctx, func(tx *db.Tx) error {
			return tx.SetIndexed(ctx, db.System(f.TeamID), f.FileID, f.Generation)
		})
		if err != nil && fault.KindOf(err) != fault.NotFound { // deleted meanwhile
			return 0, err
		}
	}
	return len(done), d.SetLabelsIndexed(ctx, done)
}

// confirmed says that rows were indexed as they are.
func confirmed(rows []db.IndexFile) []db.Indexed {
	list := make([]db.Indexed, len(rows))
	for i, f := range rows {
		list[i] = db.Indexed{FileRef: f.FileRef, Generation: f.Generation, Labels: f.Labels}
	}
	return list
}
