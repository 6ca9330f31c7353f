package doctype

import (
	"context"

	"github.com/clausemill/clausemill/nlp/learn"
)

// Metrics are the scores of a model on contracts that it was not trained on.
type Metrics struct {
	Contracts int     `json:"contracts"`
	Accuracy  float64 `json:"accuracy"` // of the likeliest types, given or not
	MacroF1   float64 `json:"macroF1"`  // mean over the types that occur
	TopThree  float64 `json:"topThree"` // the share whose type is among the three likeliest
	// Given is the share of contracts that are given a type, and Right the share
	// of these whose type is right: what is left to people is the rest.
	Given float64 `json:"given"`
	Right float64 `json:"right"`
	// CalibrationError is the mean distance of the probabilities of the likeliest
	// types from how often they come true, in ten bins.
	CalibrationError float64       `json:"calibrationError"`
	PerType          []TypeMetrics `json:"perType"`
}

// TypeMetrics are those of one type.
type TypeMetrics struct {
	Type      string  `json:"type"`
	Contracts int     `json:"contracts"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Evaluate compares what m predicts with the types of examples that it was
// not trained on.
func Evaluate(m *Model, examples []Example) Metrics {
	e := newEvaluation(m.types)
	e.add(m, examples)
	return e.metrics()
}

// CrossValidate trains on all contracts but one part of them, evaluates on
// that part, and so on for each of five parts. The first metrics are those of the
// contracts as they are; the others are of what each of altered makes of the
// contracts that are scored, and of no others. Where ctx ends, its cause is the
// error.
func CrossValidate(ctx context.Context, types []string, examples []Example, altered ...func(Contract) Contract) ([]Metrics, error) {
	evaluations := make([]*evaluation, 1+len(altered))
	for i := range evaluations {
		evaluations[i] = newEvaluation(types)
	}
	for fold := range learn.Folds {
		seen, held := learn.Fold(examples, fold)
		m, err := Train(ctx, types, seen)
		if err != nil {
			return nil, err
		}
		evaluations[0].add(m, held)
		for i, alter := range altered {
			for _, example := range held {
				evaluations[1+i].add(m, []Example{{alter(example.Contract), example.Type}})
			}
		}
	}
	metrics := make([]Metrics, len(evaluations))
	for i, e := range evaluations {
		metrics[i] = e.metrics()
	}
	return metrics, nil
}

// evaluation adds up the counts behind Metrics.
type evaluation struct {
	types    []string
	tallies  map[string]*learn.Tally
	all      int
	right    int
	topThree int
	given    learn.Tally // hits are right
	bins     [10]bin
}

// bin is the contracts whose likeliest type has about the same probability.
type bin struct {
	contracts int
	sum       float64 // of the probabilities
	right     int
}

func newEvaluation(types []string) *evaluation {
	e := &evaluation{types: types, tallies: map[string]*learn.Tally{}}
	for _, id := range types {
		e.tallies[id] = &learn.Tally{}
	}
	return e
}

func (e *evaluation) add(m *Model, examples []Example) {
	for _, example := range examples {
		p := m.Predict(example.Contract, func(string) bool { return true })
		first := p.Scores[0]
		right := first.Type == example.Type
		e.all++
		e.right += learn.Bit(right)
		for _, s := range p.Scores[:min(3, len(p.Scores))] {
			e.topThree += learn.Bit(s.Type == example.Type)
		}
		e.given.Add(p.Type != "", p.Type == example.Type)
		for id, t := range e.tallies {
			t.Add(id == first.Type, id == example.Type)
		}
		b := &e.bins[min(int(first.Probability*10), len(e.bins)-1)]
		b.contracts++
		b.sum += first.Probability
		b.right += learn.Bit(right)
	}
}

func (e *evaluation) metrics() Metrics {
	given := e.given.Hits + e.given.Wrong
	m := Metrics{
		Contracts: e.all, Accuracy: learn.Ratio(e.right, e.all), TopThree: learn.Ratio(e.topThree, e.all), Given: learn.Ratio(given, e.all), Right: learn.Ratio(e.given.Hits, given),
	}
	occurring := 0
	for _, id := range e.types {
		t := e.tallies[id]
		m.PerType = append(m.PerType, TypeMetrics{id, t.Hits + t.Missed, t.Precision(), t.Recall(), t.F1()})
		if t.Hits+t.Missed > 0 {
			occurring++
			m.MacroF1 += t.F1()
		}
	}
	m.MacroF1 /= float64(max(1, occurring))
	for _, b := range e.bins {
		m.CalibrationError += abs(b.sum-float64(b.right)) / float64(max(1, e.all))
	}
	return m
}
