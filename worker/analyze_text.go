package worker

import (
	"context"
	"fmt"
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
	pages, err := w.DB.PageTexts(ctx, in, file.ID)
	if err != nil {
		return db.Meaning{}, err
	}
	sentences, err := w.DB.Sentences(ctx, in, file.ID)
	if err != nil {
		return db.Meaning{}, err
	}
	return newMeaning(file, nlp.Segment(pages), sentences)
}

// AnalysisVersion names the rules of an analysis. It is stored with the result,
// so that what newer rules would find otherwise can be found.
var AnalysisVersion = fmt.Sprintf("%d.%d", nlp.SegmenterVersion, nlp.AttributeVersion)

// newMeaning makes rows of what was found in a text. It speaks of the sentences
// that are stored, which older rules may have cut.
func newMeaning(file db.File, seg *nlp.Segmentation, sentences []db.Sentence) (db.Meaning, error) {
	facts := seg.Facts()
	attributes, err := newAttributes(seg, facts)
	return db.Meaning{
		Analysis:   db.Analysis{Generation: file.Generation, Version: AnalysisVersion, Counts: count(seg, sentences, facts)},
		Sections:   newSections(seg, sentences),
		Attributes: attributes,
	}, err
}

// newSections makes rows of the sections of a text.
func newSections(seg *nlp.Segmentation, sentences []db.Sentence) []db.Section {
	first := func(holds func(db.Sentence) bool) int {
		return sort.Search(len(sentences), func(i int) bool { return holds(sentences[i]) })
	}
	sections := make([]db.Section, len(seg.Sections))
	for i, s := range seg.Sections {
		sections[i] = db.Section{
			ID: db.NewID(), Ordinal: s.Ordinal, Document: s.Document, Level: s.Level, Number: s.Number, Path: s.Path, Title: s.Title,
			Start: s.Start, End: s.End, FirstPage: s.FirstPage, LastPage: s.LastPage,
			// A sentence that goes on into a section is part of it: "7.2 (a) The Seller".
			FirstSentence: first(func(t db.Sentence) bool { return t.End > s.Start }),
			EndSentence:   first(func(t db.Sentence) bool { return t.Start >= s.End }),
		}
		if s.Parent >= 0 {
			sections[i].Parent = &s.Parent
		}
	}
	return sections
}

// count tells how much of each sort a text has.
func count(seg *nlp.Segmentation, sentences []db.Sentence, facts nlp.Attributes) db.Counts {
	n := db.Counts{Words: len(strings.Fields(seg.Text)), Sentences: len(sentences), Sections: len(seg.Sections)}
	terms := map[string]bool{}
	for _, f := range facts.Findings {
		switch f.Key {
		case nlp.DefinedTerm:
			terms[f.Value.Name] = true
		case nlp.CrossReference:
			n.CrossReferences++
		}
	}
	n.DefinedTerms = len(terms)
	return n
}
