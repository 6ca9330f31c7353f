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

// Intervals are figures of Metrics with where they lie in draws of files.
type Intervals struct {
	MicroF1          learn.Interval `json:"microF1"`
	MacroF1          learn.Interval `json:"macroF1"`
	AveragePrecision learn.Interval `json:"averagePrecision"`
	PrecisionAt80    learn.Interval `json:"precisionAt80"`
	PresenceF1       learn.Interval `json:"presenceF1"`
	// PresenceOfAll is PresenceF1 with the nodes that Metrics leaves out.
	PresenceOfAll    learn.Interval `json:"presenceOfAll"`
	CalibrationError learn.Interval `json:"calibrationError"`
}

// Validation is how well models label files that they were not trained on.
type Validation struct {
	Metrics   Metrics
	Intervals Intervals
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
// ends, its cause is the error. told is told of each model and its fold, if it is not nil.
func CrossValidate(ctx context.Context, nodes []string, examples []Example, told func(m *Model, held []Example), withoutPresence ...string) (Validation, error) {
	e := newEvaluation(nodes, withoutPresence)
	for fold := range learn.Folds {
		seen, held := learn.Fold(examples, fold)
		m, err := Train(ctx, nodes, seen)
		if err != nil {
			return Validation{}, err
		}
		if told != nil {
			told(m, held)
		}
		for _, example := range held {
			e.add(m, example)
		}
	}
	return Validation{e.metrics(), e.intervals()}, nil
}

// outcome is a probability and whether it came true.
type outcome struct {
	probability float32
	right       bool
	file        int
}

// leastOutcome is the probability below which a pair is out of the question.
const leastOutcome = 1e-3

// evaluation gathers what a model got right, file by file.
type evaluation struct {
	nodes    []string
	present  []bool          // by node: counts for presence
	pairs    [][]learn.Tally // by file and node
	files    [][]learn.Tally // the same: is the node in the file at all
	outcomes [][]outcome     // by node
	passages int
	first    learn.Tally
}

func newEvaluation(nodes, withoutPresence []string) *evaluation {
	e := &evaluation{nodes: nodes, present: make([]bool, len(nodes)), outcomes: make([][]outcome, len(nodes))}
	for i, node := range nodes {
		e.present[i] = !slices.Contains(withoutPresence, node)
	}
	return e
}

// add counts what m predicts of an example, and returns its pairs and how many of its
// passages m labels as people did.
func (e *evaluation) add(m *Model, example Example) (all learn.Tally, agreed int) {
	return e.count(m, example, m.probabilities(example.Passages))
}

// count is add of probabilities that m gave.
func (e *evaluation) count(m *Model, example Example, probabilities []float32) (all learn.Tally, agreed int) {
	unlike := make([]bool, len(example.Passages))
	file, pairs, files := len(e.files), make([]learn.Tally, len(e.nodes)), make([]learn.Tally, len(e.nodes))
	e.pairs, e.files = append(e.pairs, pairs), append(e.files, files)
	for node, name := range e.nodes {
		var predicted, present bool
		for i, labels := range example.Labels {
			if !example.decided(i) {
				continue
			}
			o := outcome{probabilities[i*len(m.nodes)+node], slices.Contains(labels, name), file}
			said := o.probability >= m.threshold
			unlike[i] = unlike[i] || said != o.right
			pairs[node].Add(said, o.right)
			predicted, present = predicted || said, present || o.right
			if o.probability >= leastOutcome {
				e.outcomes[node] = append(e.outcomes[node], o)
			}
		}
		files[node].Add(predicted, present)
		all.Plus(pairs[node])
	}
	for i, labels := range example.Labels {
		if !example.decided(i) {
			continue
		}
		e.passages++
		agreed += learn.Bit(!unlike[i])
		if len(labels) == 0 {
			continue
		}
		if p := m.predict(probabilities[i*len(m.nodes):][:len(m.nodes)]); len(p.Labels) > 0 {
			e.first.Add(true, slices.Contains(labels, p.Labels[0].Node))
		}
	}
	return all, agreed
}

func (e *evaluation) metrics() Metrics {
	m := Metrics{Passages: e.passages, FirstLabel: e.first.Precision()}
	once := e.drawn(nil)
	for node, name := range e.nodes {
		t, file := sum(e.pairs, node, once), sum(e.files, node, once)
		ranked := rank(e.outcomes[node : node+1])
		average, _ := averagePrecision(ranked, t.Hits+t.Missed, once)
		m.PerNode = append(m.PerNode, NodeMetrics{name, t.Hits + t.Missed, t.Precision(), t.Recall(), t.F1(), average, file.F1()})
	}
	var pairs learn.Tally
	pairs, m.MacroF1 = e.labelled(once)
	m.Labels = pairs.Hits + pairs.Missed
	m.Precision, m.Recall, m.MicroF1 = pairs.Precision(), pairs.Recall(), pairs.F1()
	m.PresenceF1 = e.presence(once, false)
	ranked := rank(e.outcomes)
	m.AveragePrecision, m.PrecisionAt80 = averagePrecision(ranked, m.Labels, once)
	m.Calibration, m.CalibrationError = reliability(ranked, once)
	return m
}

// intervals draws files anew for each figure.
func (e *evaluation) intervals() Intervals {
	ranked := rank(e.outcomes)
	of := func(figure func(times []int) float64) learn.Interval {
		return learn.NewInterval(len(e.files), func(drawn []int) float64 { return figure(e.drawn(drawn)) })
	}
	ranks := func(times []int) (average, at80 float64) {
		pairs, _ := e.labelled(times)
		return averagePrecision(ranked, pairs.Hits+pairs.Missed, times)
	}
	return Intervals{
		MicroF1:          of(func(times []int) float64 { pairs, _ := e.labelled(times); return pairs.F1() }),
		MacroF1:          of(func(times []int) float64 { _, macro := e.labelled(times); return macro }),
		AveragePrecision: of(func(times []int) float64 { average, _ := ranks(times); return average }),
		PrecisionAt80:    of(func(times []int) float64 { _, at80 := ranks(times); return at80 }),
		PresenceF1:       of(func(times []int) float64 { return e.presence(times, false) }),
		PresenceOfAll:    of(func(times []int) float64 { return e.presence(times, true) }),
		CalibrationError: of(func(times []int) float64 { _, failure := reliability(ranked, times); return failure }),
	}
}

// drawn says how often each file was drawn; nil is each once.
func (e *evaluation) drawn(files []int) (times []int) {
	if files == nil {
		return slices.Repeat([]int{1}, len(e.files))
	}
	times = make([]int, len(e.files))
	for _, file := range files {
		times[file]++
	}
	return times
}

// sum adds up the tallies of a node over files, each as often as it was drawn.
func sum(tallies [][]learn.Tally, node int, times []int) (all learn.Tally) {
	for file, n := range times {
		t := tallies[file][node]
		all.Plus(learn.Tally{Hits: n * t.Hits, Wrong: n * t.Wrong, Missed: n * t.Missed})
	}
	return all
}

// labelled returns the pairs of all nodes, and the mean F1 of the nodes that occur.
func (e *evaluation) labelled(times []int) (pairs learn.Tally, macro float64) {
	occurring := 0
	for node := range e.nodes {
		t := sum(e.pairs, node, times)
		pairs.Plus(t)
		if t.Hits+t.Missed > 0 {
			occurring++
			macro += t.F1()
		}
	}
	return pairs, macro / max(1, float64(occurring))
}

func (e *evaluation) presence(times []int, ofAll bool) float64 {
	var files learn.Tally
	for node := range e.nodes {
		if ofAll || e.present[node] {
			files.Plus(sum(e.files, node, times))
		}
	}
	return files.F1()
}

// rank is all outcomes, the likeliest first.
func rank(outcomes [][]outcome) []outcome {
	ranked := slices.Concat(outcomes...)
	slices.SortStableFunc(ranked, func(a, b outcome) int { return cmp.Compare(b.probability, a.probability) })
	return ranked
}

// averagePrecision takes ranked outcomes of files that were drawn so many times, and
// their total labels, of which those without an outcome are never found.
func averagePrecision(ranked []outcome, total int, times []int) (average, at80 float64) {
	hits, all := 0, 0
	for _, o := range ranked {
		n := times[o.file]
		all += n
		if !o.right || n == 0 {
			continue
		}
		hits += n
		precision := float64(hits) / float64(all)
		average += float64(n) * precision / float64(total)
		if at80 == 0 && 5*hits >= 4*total {
			at80 = precision
		}
	}
	return average, at80
}

func reliability(outcomes []outcome, times []int) (bins []Reliability, failure float64) {
	bins = make([]Reliability, 10)
	pairs := 0
	for _, o := range outcomes {
		if o.probability < leastProbability {
			continue
		}
		n := times[o.file]
		pairs += n
		bin := &bins[min(int(o.probability*10), 9)]
		bin.Pairs += n
		bin.Mean += float64(n) * float64(o.probability)
		bin.Share += float64(n * learn.Bit(o.right))
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
