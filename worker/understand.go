package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/nlp"
)

// understand ends a step that has all the pages of a file: it makes a text of
// them and keeps it, with what save writes and the pages themselves where they are new. What the
// text means is found and kept along with it, so that no row is written twice; where all came out
// as before, none is. Where that does not work at the first try, the text is kept alone, and its
// analysis becomes a step that may fail by itself.
func understand[A jobs.FileArgs](ctx context.Context, w *Worker, job *river.Job[A], file db.File, pages []db.Page, newPages bool, save func(tx *db.Tx) error) error {
	if err := unreadable(pages); err != nil {
		return err
	}
	structures := make([]db.PageStructure, len(pages))
	for i, p := range pages {
		structures[i] = db.PageStructure{Text: p.Text, Paragraphs: p.Paragraphs, Fields: p.Fields, Emphasis: p.Emphasis}
	}
	seg, err := segment(structures)
	if err != nil {
		return err
	}
	text := newText(seg)
	placeFields(seg, structures, text.Blocks)
	placeEmphasis(seg, structures, text.Blocks)
	text.Pages = &db.PageCounts{All: max(file.PageCount, len(pages)), Done: len(pages)}
	for _, p := range pages {
		if p.Source == string(document.Recognised) {
			text.Pages.Recognised++
		}
	}
	in, attempt := about(job.Args.About())
	all := func(tx *db.Tx) (db.File, error) {
		if err := save(tx); err != nil {
			return db.File{}, err
		}
		if newPages {
			if err := tx.ExchangePages(ctx, in, attempt.FileID, pages); err != nil {
				return db.File{}, err
			}
		}
		return saveText(ctx, tx, in, attempt.FileID, pages, seg, text)
	}
	if job.Attempt == 1 { // not even after a worker died of it
		u, err := w.read(ctx, in, file, seg, &text)
		if err == nil && newPages {
			u.meaning.Digest, err = digest(w.Version, pages, text, u)
		}
		if err == nil && newPages && file.Current() && !file.PagesAhead {
			same, err := unchanged(ctx, w, job, u, pages, text, save)
			if same || err != nil {
				return err
			}
		}
		if err == nil {
			err = w.relate(ctx, in, file.ID, &u)
		}
		if err == nil {
			return conclude(ctx, w, job, u, all)
		}
		if ctx.Err() != nil {
			return err
		}
		w.Log.WarnContext(ctx, "the analysis is left for later", slog.String("file", file.ID), slog.Any("error", err))
	}
	next := job.Args.About()
	return follow(ctx, w, job, db.StageClassify, func(tx *db.Tx) error {
		_, err := all(tx)
		return err
	}, jobs.IndexFile{File: next}, jobs.AnalyzeText{File: next})
}

// saveText replaces the text of a file that is held, so that nobody decides
// about the sentences that go. What it changes of text is a copy, as the
// transaction may run again. Marks of fields, and of a new version open changes, follow.
func saveText(ctx context.Context, tx *db.Tx, in db.Scope, fileID string, pages []db.Page, seg *nlp.Segmentation, text db.Text) (db.File, error) {
	decided, err := tx.DecidedSentences(ctx, in, fileID)
	if err != nil {
		return db.File{}, err
	}
	text.Sentences = slices.Clone(text.Sentences)
	carry(&text, seg, decided)
	if err := tx.AddWarnings(ctx, in, fileID, warnings(pages, text)...); err != nil {
		return db.File{}, err
	}
	file, err := tx.SaveText(ctx, in, fileID, text)
	if err != nil {
		return file, err
	}
	if err := carryMarks(ctx, tx, in, fileID, seg); err != nil || file.CurrentVersion == 1 {
		return file, err
	}
	if open, err := tx.OpenChangesBefore(ctx, in, file); err != nil || open == 0 {
		return file, err
	}
	return file, enqueue(ctx, tx, jobs.CarryChanges{DocumentID: file.ID, TeamID: in.TeamID, Version: file.CurrentVersion})
}

// understood is a text's meaning before the text is stored, and the files that
// it was compared with.
type understood struct {
	meaning db.Meaning
	sketch  db.Sketch
	reading nlp.Reading
	others  candidates
}

// read analyses a text that is not stored yet, and labels its sentences.
func (w *Worker) read(ctx context.Context, in db.Scope, file db.File, seg *nlp.Segmentation, text *db.Text) (u understood, err error) {
	facts := nlp.Facts(seg)
	if u.meaning, err = w.mean(ctx, in, file, seg, facts, text.Sentences); err != nil {
		return u, err
	}
	u.sketch, u.reading = newSketch(seg), newReading(file, seg, facts)
	for i, p := range u.meaning.Labels {
		text.Sentences[i].Predict(p.Predicted)
	}
	u.meaning.Labels = nil
	return u, nil
}

// relate compares a text with those of the files that it may be almost the same as.
func (w *Worker) relate(ctx context.Context, in db.Scope, fileID string, u *understood) (err error) {
	if u.others, err = similar(ctx, w.DB.Queries, in, fileID, u.sketch, u.sketch.Bands); err != nil {
		return err
	}
	u.meaning.Compared, err = w.compare(ctx, in, u.reading, u.others.best)
	return err
}

// errAnew rolls a transaction back, as what was read is to be written anew.
var errAnew = errors.New("not as it is stored")

// unchanged ends the attempt of a file that was read before, if all came out as it is stored:
// nothing of that is written again. Its sentences keep their ids, and no index has to follow.
// Where it did not, the transaction is rolled back: to commit what holds a row waits for the disk.
func unchanged[A jobs.FileArgs](ctx context.Context, w *Worker, job *river.Job[A], u understood, pages []db.Page, text db.Text, save func(tx *db.Tx) error) (same bool, err error) {
	in, attempt := about(job.Args.About())
	found := warnings(pages, text)
	if u.meaning.ModelID == nil {
		found = append(found, unlabelled)
	}
	err = w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.PlanOnce(ctx); err != nil {
			return err
		}
		if same, err = tx.CompleteUnchanged(ctx, in, attempt, u.meaning.Digest, *text.Pages, found...); err != nil {
			return err
		}
		if !same {
			return errAnew
		}
		if err := save(tx); err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
	if errors.Is(err, errAnew) {
		return false, nil
	}
	return same, err
}

// conclude stores a text with its meaning, and ends its attempt but for the
// index. Whether files that are worth comparing with it appeared meanwhile shows under a lock of
// the team, right before the commit; then it is compared once more, and all is written again.
func conclude[A jobs.FileArgs](ctx context.Context, w *Worker, job *river.Job[A], u understood, save func(tx *db.Tx) (db.File, error)) error {
	in, attempt := about(job.Args.About())
	var appeared []db.SketchedFile
	store := func(tx *db.Tx) error {
		file, err := save(tx)
		if err != nil {
			return err
		}
		u.meaning.Generation, u.sketch.Generation = file.Generation, file.Generation
		if u.meaning.Type != nil {
			u.meaning.Type.Generation = file.Generation
		}
		if err := saveMeaning(ctx, tx, in, file.ID, u.meaning); err != nil {
			return err
		}
		if err := tx.SaveSketch(ctx, in, file.ID, u.sketch); err != nil {
			return err
		}
		if err := end(ctx, w, tx, job); err != nil {
			return err
		}
		if err := tx.LockSketches(ctx, in); err != nil {
			return err
		}
		appeared, err = u.others.appeared(ctx, tx.Queries, in, attempt.FileID, u.sketch)
		if len(appeared) > 0 && err == nil {
			err = errAppeared
		}
		return err
	}
	err := w.write(ctx, in, attempt, store)
	for errors.Is(err, errAppeared) {
		u.others.add(appeared)
		if u.meaning.Compared, err = w.compare(ctx, in, u.reading, u.others.best); err == nil {
			err = w.write(ctx, in, attempt, store)
		}
	}
	if err == nil && w.Search.Immediate() {
		w.vocabularies.changed(ctx, in.TeamID)
	}
	return err
}

// errAppeared has conclude begin again.
var errAppeared = errors.New("similar files appeared meanwhile")

// end ends a step after which the file is only to be indexed, if that.
func end[A jobs.FileArgs](ctx context.Context, w *Worker, tx *db.Tx, job *river.Job[A]) error {
	in, attempt := about(job.Args.About())
	if w.Search.Immediate() {
		if err := jobs.Follow(ctx, tx.Raw, tx, job); err != nil {
			return err
		}
		return tx.CompleteSearchable(ctx, in, attempt)
	}
	if err := jobs.Follow(ctx, tx.Raw, tx, job, jobs.IndexFile{File: job.Args.About()}); err != nil {
		return err
	}
	return tx.AwaitIndex(ctx, in, attempt)
}
