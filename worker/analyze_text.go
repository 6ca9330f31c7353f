package worker

import (
	"context"
	"sort"
	"strings"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/nlp"
)

// analyzeText finds out what a file's text means. The text is indexed meanwhile,
// and the attempt ends when both are done.
type analyzeText struct {
	river.WorkerDefaults[jobs.AnalyzeText]
	*Worker
}

// Work analyses one file.
func (w *analyzeText) Work(ctx context.Context, job *river.Job[jobs.AnalyzeText]) error {
	in, attempt := about(job.Args.File)
	file, err := w.open(ctx, in, attempt)
	if err != nil {
		return err
	}
	meaning, err := w.analyze(ctx, in, file)
	if err != nil {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if _, err := tx.OpenAttempt(ctx, in, attempt); err != nil {
			return err
		}
		if err := tx.SaveAnalysis(ctx, in, file.ID, meaning); err != nil {
			return err
		}
		if err := tx.AwaitIndex(ctx, in, attempt); err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}

// analyze reads a file's text and says what it means.
func (w *Worker) analyze(ctx context.Context, in db.Scope, file db.File) (db.Meaning, error) {
	pages, err := w.DB.Pages(ctx, in, file.ID)
	if err != nil {
		return db.Meaning{}, err
	}
	sentences, err := w.DB.Sentences(ctx, in, file.ID)
	if err != nil {
		return db.Meaning{}, err
	}
	seg := nlp.Segment(texts(pages))
	return newMeaning(file, seg, sentences), nil
}

// newMeaning makes rows of what was found in a text. It speaks of the sentences
// that are stored, which older rules may have cut.
func newMeaning(file db.File, seg *nlp.Segmentation, sentences []db.Sentence) db.Meaning {
	m := db.Meaning{Analysis: db.Analysis{
		Generation: file.Generation, Version: nlp.SegmenterVersion, Words: len(strings.Fields(seg.Text)), Sentences: len(sentences), Sections: len(seg.Sections),
	}}
	first := func(holds func(db.Sentence) bool) int {
		return sort.Search(len(sentences), func(i int) bool { return holds(sentences[i]) })
	}
	for _, s := range seg.Sections {
		section := db.Section{
			ID: db.NewID(), Ordinal: s.Ordinal, Document: s.Document, Level: s.Level, Number: s.Number, Path: s.Path, Title: s.Title,
			Start: s.Start, End: s.End, FirstPage: s.FirstPage, LastPage: s.LastPage,
			// A sentence that goes on into a section is part of it: "7.2 (a) The Seller".
			FirstSentence: first(func(t db.Sentence) bool { return t.End > s.Start }),
			EndSentence:   first(func(t db.Sentence) bool { return t.Start >= s.End }),
		}
		if s.Parent >= 0 {
			section.Parent = &s.Parent
		}
		m.Sections = append(m.Sections, section)
	}
	return m
}
