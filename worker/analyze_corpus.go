package worker

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/nlp"
)

// The bounds of what is read for a corpus, so that only counting takes longer for a
// large one.
const (
	comparedWordings = 200 // sentences of each node
	termFiles        = 200 // the newest, whose words are counted
	mostTerms        = 100
	mostUnusual      = 20
)

// The schedule of planned analyses. A corpus that is the same at two consecutive
// plans has settled and is analysed. One that keeps changing is analysed too, so
// that its analysis is never older than neverSettles during a long import.
const (
	planAnalysesEvery = time.Minute
	neverSettles      = 15 * time.Minute
)

// planAnalyses finds the corpora that should be analysed.
type planAnalyses struct {
	river.WorkerDefaults[jobs.PlanAnalyses]
	*Worker
}

// Work plans once.
func (w *planAnalyses) Work(ctx context.Context, _ *river.Job[jobs.PlanAnalyses]) error {
	due, err := w.DB.DueAnalyses(ctx, neverSettles)
	if err != nil || len(due) == 0 {
		return err
	}
	list := make([]river.JobArgs, len(due))
	for i, d := range due {
		list[i] = jobs.AnalyzeCorpus{TeamID: d.TeamID, DocumentTypeID: d.DocumentTypeID, Version: d.Version}
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error { return enqueue(ctx, tx, list...) })
}

// analyzeCorpus analyses the corpus of a document type. The figures of each file
// are stored when its labels change, so a new file costs no reading of the others.
type analyzeCorpus struct {
	river.WorkerDefaults[jobs.AnalyzeCorpus]
	*Worker
}

// Work analyses one corpus. It does nothing for a type that was deleted, or was
// analysed after the job was planned.
func (w *analyzeCorpus) Work(ctx context.Context, job *river.Job[jobs.AnalyzeCorpus]) error {
	in, err := w.DB.Shared(ctx, job.Args.TeamID)
	if err != nil {
		return err
	}
	id := job.Args.DocumentTypeID
	if job.Args.Planned() {
		row, err := w.DB.DocumentType(ctx, in, id)
		if fault.KindOf(err) == fault.NotFound || err == nil && !row.Stale {
			return nil
		}
		if err != nil {
			return err
		}
	}
	// The state is read first: a change during the analysis makes its result stale
	// at once, and is never taken to be included.
	state, err := w.DB.CorpusState(ctx, in, id)
	if err != nil {
		return err
	}
	result, err := w.corpus(ctx, in, id, false)
	if err != nil {
		return err
	}
	if state.AllFiles > state.Files {
		all, err := w.corpus(ctx, in, id, true)
		if err != nil {
			return err
		}
		result.Copies = &db.CopiesResult{CorpusResult: all, Files: state.AllFiles}
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.SaveTypeAnalysis(ctx, in, id, state, result); err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		if !job.Args.Planned() {
			if err := tx.StepOperation(ctx, in, job.Args.OperationID, 1, nil); err != nil && fault.KindOf(err) != fault.NotFound {
				return err
			}
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}

func (w *Worker) corpus(ctx context.Context, in db.Scope, documentTypeID string, copies bool) (r db.CorpusResult, err error) {
	if r.Nodes, err = w.DB.CorpusNodes(ctx, in, documentTypeID, copies); err != nil {
		return r, err
	}
	families, err := w.families(ctx, in)
	if err != nil {
		return r, err
	}
	if r.Edges, err = w.DB.CorpusEdges(ctx, in, documentTypeID, copies, families); err != nil {
		return r, err
	}
	examples, err := w.DB.CorpusExamples(ctx, in, documentTypeID, copies, comparedWordings)
	if err != nil {
		return r, err
	}
	r.Edges = append(r.Edges, compareWordings(r.Nodes, examples)...)
	if r.Terms, r.TermFiles, err = w.DB.CorpusTerms(ctx, in, documentTypeID, copies, termFiles, mostTerms); err != nil {
		return r, err
	}
	if r.Attributes, err = w.DB.CorpusAttributes(ctx, in, documentTypeID, copies); err != nil {
		return r, err
	}
	if r.OverTime, err = w.DB.CorpusOverTime(ctx, in, documentTypeID, copies); err != nil {
		return r, err
	}
	r.Unusual, err = w.DB.UnusualFiles(ctx, in, documentTypeID, copies, mostUnusual)
	return r, err
}

// families lists the nodes that belong to a family, those of the team included.
func (w *Worker) families(ctx context.Context, in db.Scope) ([]db.FamilyNode, error) {
	names := map[string]string{}
	for _, f := range nlp.Families() {
		names[f.ID] = f.Name
	}
	var list []db.FamilyNode
	for _, n := range nlp.Taxonomy() {
		list = append(list, db.FamilyNode{Family: names[n.Family], Label: n.ID})
	}
	own, err := w.DB.Nodes(ctx, in)
	for _, n := range own {
		if n.Family != "" {
			list = append(list, db.FamilyNode{Family: n.Family, Label: n.Key})
		}
	}
	return list, err
}

// compareWordings computes the typical wording of each node, and which nodes have
// similar wordings.
func compareWordings(nodes []db.CorpusNode, examples []db.LabelledText) (similar []db.CorpusEdge) {
	labels := make([]string, len(nodes))
	for i, n := range nodes {
		labels[i] = n.Label
	}
	texts := make([]corpus.Example, len(examples))
	for i, e := range examples {
		texts[i] = corpus.Example{Node: e.Label, Text: e.Text}
	}
	wordings, alike := corpus.Wordings(labels, texts)
	for i, n := range nodes {
		if w, ok := wordings[n.Label]; ok {
			middle := examples[w.Medoid]
			nodes[i].Wording = &db.CorpusWording{SentenceID: middle.ID, Text: middle.Text, Spread: w.Spread, Sentences: w.Sentences}
		}
	}
	for _, a := range alike {
		similar = append(similar, db.CorpusEdge{From: a.From, To: a.To, Kind: "similar", Weight: a.Likeness})
	}
	return similar
}
