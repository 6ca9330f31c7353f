package score

import (
	"context"
	"slices"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
)

// Row is one figure beside what it is measured against.
type Row struct {
	Topic  string  `json:"topic"`
	What   string  `json:"what"`
	Score  float64 `json:"score"`
	Anchor float64 `json:"anchor,omitempty"` // what common means reach; 0 where there is no such figure
	Target float64 `json:"target,omitempty"`
	// Interval is where the score lies in draws of contracts, where that is known, and
	// Before what an earlier report says; 0 where there is none.
	Interval *learn.Interval `json:"interval,omitempty"`
	Before   float64         `json:"before,omitempty"`
}

// Met reports whether the target is reached.
func (r Row) Met() bool { return r.Score >= r.Target }

// Compare puts the scores of an earlier report beside those of rows.
func Compare(rows, earlier []Row) {
	for i := range rows {
		same := func(r Row) bool { return r.Topic == rows[i].Topic && r.What == rows[i].What }
		if at := slices.IndexFunc(earlier, same); at >= 0 {
			rows[i].Before = earlier[at].Score
		}
	}
}

// Everywhere are the nodes that every contract has, or that are found as values;
// whether a contract has them is no question.
var Everywhere = []string{
	"document_name", "parties", "agreement_date", "effective_date", "expiration_date", "renewal_term",
	"notice_period_to_terminate_renewal", "governing_law",
}

// TypeRows are the scores of the model of types: five times over, four fifths of
// the contracts are trained on and the last is scored.
func (c *Corpus) TypeRows(ctx context.Context) ([]Row, error) {
	types, examples := c.Types()
	metrics, err := nlp.CrossValidateTypes(ctx, types, examples, WithoutHead)
	if err != nil {
		return nil, err
	}
	whole, body := metrics[0], metrics[1]
	const topic = "contract type"
	return []Row{
		{Topic: topic, What: "accuracy", Score: whole.Accuracy, Anchor: 0.903, Target: 0.92},
		{Topic: topic, What: "macro F1", Score: whole.MacroF1, Anchor: 0.915, Target: 0.90},
		{Topic: topic, What: "accuracy without the head", Score: body.Accuracy, Anchor: 0.70, Target: 0.75},
	}, nil
}

// WithoutHead is a contract without its title and the beginning that repeats it.
func WithoutHead(t nlp.TypeText) nlp.TypeText {
	const head = 3000 // characters
	text := []rune(t.Text)
	return nlp.TypeText{Text: string(text[min(head, len(text)):])}
}

// LabelRows are the scores of the model of clause labels, cross-validated like
// TypeRows, and what a review of the labels of each fold is worth. It takes minutes.
func (c *Corpus) LabelRows(ctx context.Context) ([]Row, []Reviewed, error) {
	nodes, examples := c.Labels()
	reviews := NewReviews()
	v, err := nlp.CrossValidate(ctx, nodes, examples, reviews.Add, Everywhere...)
	if err != nil {
		return nil, nil, err
	}
	row := func(what string, i learn.Interval, anchor, target float64) Row {
		return Row{Topic: "clause labels", What: what, Score: i.Value, Anchor: anchor, Target: target, Interval: &i}
	}
	i := v.Intervals
	return []Row{
		row("micro F1", i.MicroF1, 0.603, 0.70),
		row("macro F1", i.MacroF1, 0.527, 0.56),
		row("average precision", i.AveragePrecision, 0.658, 0.74),
		row("precision at 80 % recall", i.PrecisionAt80, 0.268, 0.40),
		row("presence in a contract, F1", i.PresenceF1, 0.768, 0.80),
		row("presence of all nodes, F1", i.PresenceOfAll, 0, 0.88),
		row("calibration error", i.CalibrationError, 0, 0),
	}, reviews.Gains(), nil
}

// AttributeRows are the F1 of each attribute. Their rules learn nothing, so all
// contracts are scored.
func (c *Corpus) AttributeRows() []Row {
	wanted := map[string]struct{ anchor, target float64 }{
		"document name": {0.667, 0.85}, "parties, exact": {0.589, 0.75}, "parties, similar": {0.715, 0.85},
		"agreement date": {0.763, 0.88}, "effective date": {0.681, 0.80}, "expiration date": {0.516, 0.65},
		"governing law": {0.958, 0.97}, "renewal term": {0.604, 0.75}, "notice period": {0.600, 0.75},
	}
	var rows []Row
	for _, a := range c.Attributes() {
		w := wanted[a.Name]
		rows = append(rows, Row{Topic: "attributes", What: a.Name + ", F1", Score: a.F1(), Anchor: w.anchor, Target: w.target})
	}
	return rows
}

// SentenceRows are the share of marked clauses that begin and end with a
// sentence, and how many sentences it takes.
func (c *Corpus) SentenceRows() []Row {
	e := c.Edges()
	const topic = "sentences"
	return []Row{
		{Topic: topic, What: "both edges of clauses", Score: e.Both.Value(), Anchor: 0.834, Target: 0.88},
		{Topic: topic, What: "sentences to a contract", Score: float64(e.Sentences) / float64(max(1, len(c.Contracts)))},
	}
}

// HeadingRows compare headings with tables of contents.
func (c *Corpus) HeadingRows() []Row {
	precision, recall := c.Headings()
	const topic = "headings"
	return []Row{
		{Topic: topic, What: "against tables of contents, F1", Score: F1(precision, recall), Anchor: 0.73, Target: 0.90},
		{Topic: topic, What: "recall", Score: recall.Value(), Anchor: 0.865},
		{Topic: topic, What: "precision", Score: precision.Value(), Anchor: 0.632},
	}
}
