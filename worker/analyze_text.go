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

// analyzeText analyses a text that is stored already: because it should be analysed
// again, or because understand could not store both together. The text is indexed
// at the same time, and the attempt ends when both are done.
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
		if err := saveMeaning(ctx, tx, in, file.ID, meaning); err != nil {
			return err
		}
		if err := jobs.Follow(ctx, tx.Raw, tx, job); err != nil {
			return err
		}
		return tx.AwaitIndex(ctx, in, attempt)
	})
}

// saveMeaning stores the analysis of a text, with a warning if it has no labels.
func saveMeaning(ctx context.Context, tx *db.Tx, in db.Scope, fileID string, m db.Meaning) error {
	if err := tx.SaveAnalysis(ctx, in, fileID, m); err != nil || m.ModelID != nil {
		return err
	}
	return tx.AddWarnings(ctx, in, fileID, unlabelled)
}

// endUnanalyzed ends an attempt whose analysis failed: the text stays readable and
// searchable.
func endUnanalyzed(ctx context.Context, tx *db.Tx, in db.Scope, a db.Attempt) error {
	if _, err := tx.OpenAttempt(ctx, in, a); err != nil {
		return err
	}
	if err := tx.AddWarnings(ctx, in, a.FileID, unanalyzed); err != nil {
		return err
	}
	return tx.AwaitIndex(ctx, in, a)
}

var unanalyzed = db.Warning{Code: db.AnalysisFailed, Message: "the text could not be analysed; reprocess the file from classify to try again"}

// unlabelled is the warning for a text in a language without a model.
var unlabelled = db.Warning{Code: db.LanguageUnlabelled, Message: "clauses are labelled in English texts only"}

// analyze reads a file's text and analyses it. Its sketch is saved first, so that of
// two near duplicates that are read at the same time at least one finds the other.
func (w *Worker) analyze(ctx context.Context, in db.Scope, file db.File) (db.Meaning, error) {
	pages, err := w.DB.PageStructures(ctx, in, file.ID)
	if err != nil {
		return db.Meaning{}, err
	}
	sentences, err := w.DB.Sentences(ctx, in, file.ID)
	if err != nil {
		return db.Meaning{}, err
	}
	seg, err := segment(pages)
	if err != nil {
		return db.Meaning{}, err
	}
	sketch := newSketch(seg)
	sketch.Generation = file.Generation
	err = w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.SaveSketch(ctx, in, file.ID, sketch); err != nil {
			return err
		}
		return tx.LockSketches(ctx, in)
	})
	if err != nil {
		return db.Meaning{}, err
	}
	others, err := similar(ctx, w.DB.Queries, in, file.ID, sketch, sketch.Bands)
	if err != nil {
		return db.Meaning{}, err
	}
	facts := nlp.Facts(seg)
	compared, err := w.compare(ctx, in, newReading(file, seg, facts), others.best)
	if err != nil {
		return db.Meaning{}, err
	}
	m, err := w.mean(ctx, in, file, seg, facts, sentences)
	m.Compared = compared
	return m, err
}

// mean computes the analysis of a file's text, from its facts and sentences, but for how it
// compares with others.
func (w *Worker) mean(ctx context.Context, in db.Scope, file db.File, seg *nlp.Segmentation, facts nlp.Attributes, sentences []db.Sentence) (db.Meaning, error) {
	m := db.Meaning{
		Analysis: db.Analysis{Generation: file.Generation, Version: nlp.Version, Counts: count(seg, sentences, facts)},
		Sections: newSections(seg, sentences),
	}
	var err error
	if m.Attributes, err = newAttributes(seg, facts); err != nil {
		return m, err
	}
	proposed, err := w.propose(ctx, in, seg)
	if m.Attributes = append(m.Attributes, proposed...); err != nil || !nlp.Labels(seg.Language) {
		return m, err
	}
	id, model, err := w.models.Active(ctx, in)
	if err != nil {
		return m, err
	}
	m.ModelID, m.Labels = &id, newPredictions(seg, id, model.Predict(nlp.Passages(seg, facts)), sentences)
	m.Type, err = w.guessType(ctx, in, file.Generation, nlp.NewTypeText(seg, facts))
	return m, err
}

// guessType says which of the team's document types a text is of.
func (w *Worker) guessType(ctx context.Context, in db.Scope, generation int, text nlp.TypeText) (*db.TypeGuess, error) {
	types, err := w.DB.TypeKeys(ctx, in)
	if err != nil {
		return nil, err
	}
	has := make(map[string]bool, len(types))
	for _, t := range types {
		has[t.ModelKey()] = true
	}
	id, model, err := w.models.ActiveTypes(ctx, in)
	if err != nil {
		return nil, err
	}
	predicted := model.Predict(text, func(key string) bool { return has[key] })
	guess := db.TypeGuess{Generation: generation, ModelID: id, Title: text.Title, Abstained: predicted.Type == "", Scores: make([]db.TypeScore, len(predicted.Scores))}
	for i, s := range predicted.Scores {
		guess.Scores[i] = db.TypeScore(s)
	}
	return &guess, nil
}

// newPredictions makes rows of a model's predictions. They are matched to the stored
// sentences; one that older rules have segmented differently is left unchanged.
func newPredictions(seg *nlp.Segmentation, modelID string, predicted []nlp.Prediction, sentences []db.Sentence) []db.Prediction {
	stored := make(map[nlp.Span]string, len(sentences))
	for _, s := range sentences {
		stored[nlp.Span{Start: s.Start, End: s.End}] = s.ID
	}
	var list []db.Prediction
	for i, p := range predicted {
		id, ok := stored[seg.Sentences[i].Span]
		if !ok {
			continue
		}
		list = append(list, db.Prediction{SentenceID: id, Predicted: newPredicted(modelID, p)})
	}
	return list
}

func newPredicted(modelID string, p nlp.Prediction) db.Predicted {
	return db.NewPredicted(&modelID, newScoredLabels(p.Labels), newScoredLabels(p.Alternatives))
}

func newScoredLabels(scores []nlp.Score) []db.ScoredLabel {
	labels := make([]db.ScoredLabel, len(scores))
	for i, s := range scores {
		labels[i] = db.ScoredLabel{Node: s.Node, Score: ptr(float32(s.Probability))}
	}
	return labels
}

func ptr[T any](v T) *T { return &v }

// newSections makes rows of the sections of a text, by the sentences that are
// stored.
func newSections(seg *nlp.Segmentation, sentences []db.Sentence) []db.Section {
	first := func(holds func(db.Sentence) bool) int {
		return sort.Search(len(sentences), func(i int) bool { return holds(sentences[i]) })
	}
	sections := make([]db.Section, len(seg.Sections))
	for i, s := range seg.Sections {
		sections[i] = db.Section{
			ID: db.NewID(), Ordinal: s.Ordinal, Document: s.Document, Level: s.Level, Number: s.Number, Path: s.Path, Title: s.Title,
			Start: s.Start, End: s.End, FirstPage: s.FirstPage, LastPage: s.LastPage,
			// A sentence that continues into a section is part of it: "7.2 (a) The Seller".
			FirstSentence: first(func(t db.Sentence) bool { return t.End > s.Start }),
			EndSentence:   first(func(t db.Sentence) bool { return t.Start >= s.End }),
		}
		if s.Parent >= 0 {
			sections[i].Parent = &s.Parent
		}
	}
	return sections
}

// count counts the elements of a text by kind.
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
	if grade, ok := nlp.Readability(seg); ok {
		n.Readability = &grade
	}
	return n
}
