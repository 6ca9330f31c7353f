package worker

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"time"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/search"
)

// planNearestEvery is how often it is looked which teams want another index.
const planNearestEvery = 5 * time.Minute

// dueNearest is when a team does. Below so many sentences all of them are read in half a
// second; what has changed is read by each process that answers, and kept in its memory.
// What was removed is in the index until the next one is built, which is within a day.
var dueNearest = db.DueNearest{Format: nlp.SegmentFormat, Sentences: 20_000, Share: 50, Age: 23 * time.Hour}

// planNearest finds the teams whose index of nearest sentences is due.
type planNearest struct {
	river.WorkerDefaults[jobs.PlanNearest]
	*Worker
}

// Work plans once.
func (w *planNearest) Work(ctx context.Context, _ *river.Job[jobs.PlanNearest]) error {
	due, err := w.DB.DueNearestIndexes(ctx, dueNearest)
	if err != nil || len(due) == 0 {
		return err
	}
	list := make([]river.JobArgs, len(due))
	for i, team := range due {
		list[i] = jobs.BuildNearest{TeamID: team}
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error { return enqueue(ctx, tx, list...) })
}

// buildNearest builds the index by which the nearest sentences of a team are found.
type buildNearest struct {
	river.WorkerDefaults[jobs.BuildNearest]
	*Worker
}

// Work stores an index in place of the one before, of which it reads only what has
// changed since. Bytes whose row was never written, as after a crash, are swept.
func (w *buildNearest) Work(ctx context.Context, job *river.Job[jobs.BuildNearest]) error {
	in := db.System(job.Args.TeamID)
	build, err := search.BuildNearest(ctx, w.DB, in, func(ctx context.Context, bytesID string) (path string, release func(), err error) {
		return w.Blobs.Local(ctx, blob.Nearest(bytesID))
	}, w.Log)
	if err != nil {
		return err
	}
	defer build.Close()
	before := build.Before.BytesID
	if build.Files == 0 {
		if before == "" {
			return nil
		}
		if err := w.DB.DropNearestIndex(ctx, in, before); err != nil {
			return err
		}
		return w.Blobs.Delete(ctx, blob.Nearest(before))
	}
	row := build.Before
	row.Seen = build.Seen
	if !build.Same {
		row = db.NearestIndex{BytesID: db.NewID(), Format: nlp.SegmentFormat, Files: build.Files, Seen: build.Seen}
		if row.Size, err = w.storeNearest(ctx, row.BytesID, build); err != nil {
			return err
		}
		row.Sentences = build.Sentences
	}
	var obsolete string
	err = w.DB.InTx(ctx, func(tx *db.Tx) error {
		obsolete = before
		err := tx.SaveNearestIndex(ctx, in, row, before)
		if fault.KindOf(err) == fault.Conflict { // another was built, or the one before was found to be damaged
			obsolete, err = row.BytesID, nil
		}
		if err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
	if err != nil || build.Same || obsolete == "" {
		return err
	}
	// Who has read the row before finds nothing, and reads it again.
	if err := w.Blobs.Delete(ctx, blob.Nearest(obsolete)); err != nil {
		w.Log.WarnContext(ctx, "an index of nearest sentences is left for later", slog.String("index", obsolete), slog.Any("error", err))
	}
	return nil
}

// storeNearest puts an index into the file store as it is written, and returns its size.
func (w *Worker) storeNearest(ctx context.Context, bytesID string, build *search.NearestBuild) (int64, error) {
	from, to := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := build.Write(to)
		to.CloseWithError(err)
		written <- err
	}()
	stored, err := w.Blobs.Put(ctx, blob.Nearest(bytesID), from, math.MaxInt64-1)
	_ = from.Close()
	if cause := <-written; cause != nil && !errors.Is(cause, io.ErrClosedPipe) {
		err = cause
	}
	return stored.Size, err
}
