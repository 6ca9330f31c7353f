package score

import (
	"context"

	"github.com/clausemill/clausemill/nlp"
)

// Row is one figure beside what it is measured against.
type Row struct {
	Topic  string  `json:"topic"`
	What   string  `json:"what"`
	Score  float64 `json:"score"`
	Anchor float64 `json:"anchor,omitempty"` // what common means reach; 0 where there is no such figure
	Target float64 `json:"target,omitempty"`
}

// Met reports whether the target is reached.
func (r Row) Met() bool { return r.Score >= r.Target }

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
		{topic, "accuracy", whole.Accuracy, 0.903, 0.92},
		{topic, "macro F1", whole.MacroF1, 0.915, 0.90},
		{topic, "accuracy without the head", body.Accuracy, 0.70, 0.75},
	}, nil
}

// WithoutHead is a contract without its title and the beginning that repeats it.
func WithoutHead(t nlp.TypeText) nlp.TypeText {
	const head = 3000 // characters
	text := []rune(t.Text)
	return nlp.TypeText{Text: string(text[min(head, len(text)):])}
}

// LabelRows are the scores of the model of clause labels, cross-validated like
// TypeRows. It takes minutes.
func (c *Corpus) LabelRows(ctx context.Context) ([]Row, error) {
	nodes, examples := c.Labels()
	m, err := nlp.CrossValidate(ctx, nodes, examples, Everywhere...)
	if err != nil {
		return nil, err
	}
	const topic = "clause labels"
	return []Row{
		{topic, "micro F1", m.MicroF1, 0.603, 0.64},
		{topic, "macro F1", m.MacroF1, 0.527, 0.56},
		{topic, "average precision", m.AveragePrecision, 0.658, 0.70},
		{topic, "precision at 80 % recall", m.PrecisionAt80, 0.268, 0},
		{topic, "presence in a contract, F1", m.PresenceF1, 0.768, 0.80},
		{topic, "calibration error", m.CalibrationError, 0, 0},
	}, nil
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
		rows = append(rows, Row{"attributes", a.Name + ", F1", a.F1(), w.anchor, w.target})
	}
	return rows
}

// SentenceRows are the share of marked clauses that begin and end with a
// sentence, and how many sentences it takes.
func (c *Corpus) SentenceRows() []Row {
	e := c.Edges()
	const topic = "sentences"
	return []Row{
		{topic, "both edges of clauses", e.Both.Value(), 0.834, 0.88},
		{topic, "sentences to a contract", float64(e.Sentences) / float64(max(1, len(c.Contracts))), 0, 0},
	}
}

// HeadingRows compare headings with tables of contents.
func (c *Corpus) HeadingRows() []Row {
	precision, recall := c.Headings()
	const topic = "headings"
	return []Row{
		{topic, "against tables of contents, F1", F1(precision, recall), 0.73, 0.90},
		{topic, "recall", recall.Value(), 0.865, 0},
		{topic, "precision", precision.Value(), 0.632, 0},
	}
}
