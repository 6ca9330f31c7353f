package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// sweepBlobs removes stored bytes that no file refers to.
type sweepBlobs struct {
	river.WorkerDefaults[jobs.SweepBlobs]
	*Worker
}

// An upload writes its bytes before its row. Bytes without a row are left alone
// for longer than any upload takes.
const uploadMayTake = 6 * time.Hour

// What is stored is listed part after part, so that a large store is listed once in two
// days and not every time. It is rare that something is left behind.
const sweepEvery = 10 * time.Minute

// Work sweeps the part whose turn it is. A turn that nobody takes comes again.
func (w *sweepBlobs) Work(ctx context.Context, _ *river.Job[jobs.SweepBlobs]) error {
	turn := int(time.Now().Unix() / int64(sweepEvery/time.Second) % blob.Parts)
	n, err := w.sweep(ctx, uploadMayTake, func(each func(blob.Object) error) error { return w.Blobs.ObjectsOf(ctx, turn, each) })
	if n > 0 {
		w.Log.InfoContext(ctx, "removed bytes that no file refers to", slog.Int("objects", n))
	}
	return err
}

// Sweep removes stored bytes older than age that no file refers to, and returns
// how many objects those were. While an archive is imported it leaves them for later.
func (w *Worker) Sweep(ctx context.Context, age time.Duration) (int, error) {
	return w.sweep(ctx, age, func(each func(blob.Object) error) error { return w.Blobs.Objects(ctx, each) })
}

func (w *Worker) sweep(ctx context.Context, age time.Duration, objects func(each func(blob.Object) error) error) (int, error) {
	const atATime = 50 // imports wait for the deletes of one batch
	removed := 0
	var ids, keys []string
	flush := func() error {
		n, err := w.DB.UnknownBytes(ctx, ids, func(i int) error { return w.Blobs.Delete(ctx, keys[i]) })
		removed += n
		ids, keys = ids[:0], keys[:0]
		return err
	}
	err := objects(func(o blob.Object) error {
		if time.Since(o.Written) < age {
			return nil
		}
		if ids, keys = append(ids, o.ID), append(keys, o.Key); len(ids) == atATime {
			return flush()
		}
		return nil
	})
	if err != nil {
		return removed, err
	}
	return removed, flush()
}

// A file is stranded where it has been without a job for longer than a commit can take.
const (
	resumeEvery   = 5 * time.Minute
	strandedAfter = 10 * time.Minute
)

// resumeFiles begins files anew that are under way and that no job goes on with. No step leaves
// a file so: each one is a fault, and logged as one.
type resumeFiles struct {
	river.WorkerDefaults[jobs.ResumeFiles]
	*Worker
}

// Work goes over such files once.
func (w *resumeFiles) Work(ctx context.Context, _ *river.Job[jobs.ResumeFiles]) error {
	const atATime = 100 // more come in the next run
	files, err := w.DB.StrandedFiles(ctx, strandedAfter, atATime)
	if err != nil {
		return err
	}
	for _, f := range files {
		err := w.DB.InTx(ctx, func(tx *db.Tx) error {
			file, err := tx.RestartStranded(ctx, f, strandedAfter)
			if err != nil {
				return err
			}
			return enqueue(ctx, tx, jobs.ReceiveFile{File: jobs.File{FileID: file.ID, TeamID: file.TeamID, Attempt: file.Attempt, Bulk: file.Bulk}})
		})
		switch {
		case err == nil:
			w.Log.ErrorContext(ctx, "a file was under way and had no job: it begins anew", slog.String("file", f.FileID))
		case fault.KindOf(err) != fault.NotFound: // somebody went on with it
			return err
		}
	}
	return nil
}

// foldEach is how often changes are looked for that nobody has folded: what the vocabulary
// and counts of a team are behind after the worker was killed that knew of them.
const foldEach = time.Minute

// foldChanges brings the vocabularies and counts up to date that nobody did.
type foldChanges struct {
	river.WorkerDefaults[jobs.FoldChanges]
	*Worker
}

// Work folds the changes of all teams once.
func (w *foldChanges) Work(ctx context.Context, _ *river.Job[jobs.FoldChanges]) error {
	teams, err := w.DB.StaleVocabularies(ctx)
	if err != nil {
		return err
	}
	for _, team := range teams {
		if err := w.DB.FoldVocabulary(ctx, team); err != nil {
			return err
		}
	}
	if teams, err = w.DB.StaleCounts(ctx); err != nil {
		return err
	}
	for _, team := range teams {
		if err := w.DB.FoldCounts(ctx, team); err != nil {
			return err
		}
	}
	return nil
}

// prune forgets what has outlived its use, and brings the stems of texts up to date that a
// program of the release before saved.
type prune struct {
	river.WorkerDefaults[jobs.Prune]
	*Worker
}

// Work prunes once.
func (w *prune) Work(ctx context.Context, _ *river.Job[jobs.Prune]) error {
	for {
		const atATime = 20
		if n, err := w.DB.StemTexts(ctx, atATime); err != nil || n == 0 {
			return errors.Join(err, w.DB.Prune(ctx))
		}
	}
}
