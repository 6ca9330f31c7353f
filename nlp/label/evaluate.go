package label

import (
	"cmp"
	"context"
	"slices"

	"github.com/clausemill/clausemill/nlp/learn"
)

// Metrics says how well a model labels passages it has not seen. All that is
// counted are pairs of a passage and a node.
type Metrics struct {
	Passages  int     `json:"passages"`
	Labels    int     `json:"labels"` // that people gave
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	MicroF1   float64 `json:"microF1"` // over all pairs
	MacroF1   float64 `json:"macroF1"` // mean over the nodes that occur
	// AveragePrecision is the area under precision and recall, over all pairs in
	// the order of their probability.
	AveragePrecision float64 `json:"averagePrecision"`
	// PrecisionAt80 is the precision where four of five labels are found.
	PrecisionAt80 float64 `json:"precisionAt80"`
	// FirstLabel is the share of labelled passages with a label predicted whose
	// first label is one that people gave.
	FirstLabel float64 `json:"firstLabel"`
	// PresenceF1 is about pairs of a file and a node.
	PresenceF1 float64 `json:"presenceF1"`
	// CalibrationError is the mean distance of probabilities from how often they
	// come true, over pairs of a probability above 1 %, in ten bins.
	CalibrationError float64       `json:"calibrationError"`
	Calibration      []Reliability `json:"calibration"`
	PerNode          []NodeMetrics `json:"perNode"`
}

// NodeMetrics are the metrics of one node.
type NodeMetrics struct {
	Node             string  `json:"node"`
	Labels           int     `json:"labels"`
	Precision        float64 `json:"precision"`
	Recall           float64 `json:"recall"`
	F1               float64 `json:"f1"`
	AveragePrecision float64 `json:"averagePrecision"`
	PresenceF1       float64 `json:"presenceF1"`
}

// Reliability compares the probabilities of one bin with what came true.
type Reliability struct {
	Pairs int     `json:"pairs"`
	Mean  float64 `json:"mean"` // of the probabilities
	Share float64 `json:"share"`
}

// Evaluate compares what m predicts with the labels of examples it was not
// trained on. withoutPresence are nodes that are left out of PresenceF1, because
// every file has them.
func Evaluate(m *Model, examples []Example, withoutPresence ...string) Metrics {
	e := newEvaluation(m.nodes, withoutPresence)
	for _, example := range examples {
		e.add(m, example)
	}
	return e.metrics()
}

// CrossValidate is five-fold cross-validation over files. Everything that training
// chooses, the threshold included, is chosen without the held-out fold. Where ctx
// ends, its cause is the error.
func CrossValidate(ctx context.Context, nodes []string, examples []Example, withoutPresence ...string) (Metrics, error) {
	e := newEvaluation(nodes, withoutPresence)
	for fold := range learn.Folds {
		seen, held := learn.Fold(examples, fold)
		m, err := Train(ctx, nodes, seen)
		if err != nil {
			return Metrics{}, err
		}
		for _, example := range held {
			e.add(m, example)
		}
	}
	return e.metrics(), nil
}

// outcome is a probability and whether it came true.
type outcome struct {
	probability float32
	right       bool
}

// leastOutcome is the probability below which a pair is out of the question.
const leastOutcome = 1e-3

// evaluation gathers what a model got right, file by file.
type evaluation struct {
	nodes    []string
	present  []bool // by node: counts for presence
	pairs    []learn.Tally
	files    []learn.Tally
	outcomes [][]outcome
	passages int
	first    learn.Tally
}

func newEvaluation(nodes, withoutPresence []string) *evaluation {
	e := &evaluation{nodes: nodes, present: make([]bool, len(nodes)), pairs: make([]learn.Tally, len(nodes)), files: make([]learn.Tally, len(nodes)), outcomes: make([][]outcome, len(nodes))}
	for i, node := range nodes {
		e.present[i] = !slices.Contains(withoutPresence, node)
	}
	return e
}

func (e *evaluation) add(m *Model, example Example) {
	probabilities := m.probabilities(example.Passages)
	for i := range example.Passages {
		e.passages += learn.Bit(example.decided(i))
	}
	for node, name := range e.nodes {
		var predicted, present bool
		for i, labels := range example.Labels {
			if !example.decided(i) {
				continue
			}
			o := outcome{probabilities[i*len(e.nodes)+node], slices.Contains(labels, name)}
			e.pairs[node].Add(o.probability >= m.threshold, o.right)
			predicted, present = predicted || o.probability >= m.threshold, present || o.right
			if o.probability >= leastOutcome {
				e.outcomes[node] = append(e.outcomes[node], o)
			}
		}
		e.files[node].Add(predicted, present)
	}
	for i, labels := range example.Labels {
		if len(labels) == 0 || !example.decided(i) {
			continue
		}
		if p := m.predict(probabilities[i*len(e.nodes):][:len(e.nodes)]); p.Label != "" {
			e.first.Add(true, slices.Contains(labels, p.Label))
		}
	}
}

func (e *evaluation) metrics() Metrics {
	m := Metrics{Passages: e.passages, FirstLabel: e.first.Precision()}
	var pairs, files learn.Tally
	var outcomes []outcome
	occurring := 0
	for node, name := range e.nodes {
		t := &e.pairs[node]
		pairs.Plus(*t)
		if e.present[node] {
			files.Plus(e.files[node])
		}
		if t.Hits+t.Missed > 0 {
			occurring++
			m.MacroF1 += t.F1()
		}
		average, _ := averagePrecision(e.outcomes[node], t.Hits+t.Missed)
		m.PerNode = append(m.PerNode, NodeMetrics{name, t.Hits + t.Missed, t.Precision(), t.Recall(), t.F1(), average, e.files[node].F1()})
		outcomes = append(outcomes, e.outcomes[node]...)
	}
	m.Labels = pairs.Hits + pairs.Missed
	m.Precision, m.Recall, m.MicroF1, m.PresenceF1 = pairs.Precision(), pairs.Recall(), pairs.F1(), files.F1()
	m.MacroF1 /= max(1, float64(occurring))
	m.AveragePrecision, m.PrecisionAt80 = averagePrecision(outcomes, m.Labels)
	m.Calibration, m.CalibrationError = reliability(outcomes)
	return m
}

// averagePrecision takes total labels, of which those without an outcome are
// never found.
func averagePrecision(outcomes []outcome, total int) (average, at80 float64) {
	slices.SortStableFunc(outcomes, func(a, b outcome) int { return cmp.Compare(b.probability, a.probability) })
	hits := 0
	for i, o := range outcomes {
		if !o.right {
			continue
		}
		hits++
		precision := float64(hits) / float64(i+1)
		average += precision / float64(total)
		if at80 == 0 && 5*hits >= 4*total {
			at80 = precision
		}
	}
	return average, at80
}

func reliability(outcomes []outcome) (bins []Reliability, failure float64) {
	bins = make([]Reliability, 10)
	pairs := 0
	for _, o := range outcomes {
		if o.probability < leastProbability {
			continue
		}
		pairs++
		bin := &bins[min(int(o.probability*10), 9)]
		bin.Pairs++
		bin.Mean += float64(o.probability)
		bin.Share += float64(learn.Bit(o.right))
	}
	for i := range bins {
		bin := &bins[i]
		if bin.Pairs == 0 {
			continue
		}
		failure += max(bin.Mean-bin.Share, bin.Share-bin.Mean) / float64(pairs)
		bin.Mean /= float64(bin.Pairs)
		bin.Share /= float64(bin.Pairs)
	}
	return bins, failure
}
