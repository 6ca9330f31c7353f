package nlp

import "context"

// TypeMetrics says how well a model tells the types of contracts it has not
// seen.
type TypeMetrics struct {
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
	CalibrationError float64         `json:"calibrationError"`
	PerType          []MetricsOfType `json:"perType"`
}

// MetricsOfType are the metrics of one type.
type MetricsOfType struct {
	Type      string  `json:"type"`
	Contracts int     `json:"contracts"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// EvaluateTypes compares what m predicts with the types of examples that it was
// not trained on.
func EvaluateTypes(m *TypeModel, examples []TypeExample) TypeMetrics {
	e := newTypeEvaluation(m.types)
	e.add(m, examples)
	return e.metrics()
}

// CrossValidateTypes trains on all contracts but one part of them, evaluates on
// that part, and so on for each of five parts. The first metrics are those of the
// contracts as they are; the others are of what each of altered makes of the
// contracts that are scored, and of no others. Where ctx ends, its cause is the
// error.
func CrossValidateTypes(ctx context.Context, types []string, examples []TypeExample, altered ...func(TypeText) TypeText) ([]TypeMetrics, error) {
	evaluations := make([]*typeEvaluation, 1+len(altered))
	for i := range evaluations {
		evaluations[i] = newTypeEvaluation(types)
	}
	for fold := range folds {
		var seen, held []TypeExample
		for i, example := range examples {
			if i%folds == fold {
				held = append(held, example)
			} else {
				seen = append(seen, example)
			}
		}
		m, err := TrainTypes(ctx, types, seen)
		if err != nil {
			return nil, err
		}
		evaluations[0].add(m, held)
		for i, alter := range altered {
			for _, example := range held {
				evaluations[1+i].add(m, []TypeExample{{alter(example.TypeText), example.Type}})
			}
		}
	}
	metrics := make([]TypeMetrics, len(evaluations))
	for i, e := range evaluations {
		metrics[i] = e.metrics()
	}
	return metrics, nil
}

// typeEvaluation adds up what TypeMetrics tells.
type typeEvaluation struct {
	types    []string
	tallies  map[string]*tally
	all      int
	right    int
	topThree int
	given    tally // hits are right
	bins     [10]bin
}

// bin is the contracts whose likeliest type has about the same probability.
type bin struct {
	contracts int
	sum       float64 // of the probabilities
	right     int
}

func newTypeEvaluation(types []string) *typeEvaluation {
	e := &typeEvaluation{types: types, tallies: map[string]*tally{}}
	for _, id := range types {
		e.tallies[id] = &tally{}
	}
	return e
}

func (e *typeEvaluation) add(m *TypeModel, examples []TypeExample) {
	for _, example := range examples {
		p := m.Predict(example.TypeText, func(string) bool { return true })
		first := p.Scores[0]
		right := first.Type == example.Type
		e.all++
		e.right += bit(right)
		for _, s := range p.Scores[:min(3, len(p.Scores))] {
			e.topThree += bit(s.Type == example.Type)
		}
		e.given.add(p.Type != "", p.Type == example.Type)
		for id, t := range e.tallies {
			t.add(id == first.Type, id == example.Type)
		}
		b := &e.bins[min(int(first.Probability*10), len(e.bins)-1)]
		b.contracts++
		b.sum += first.Probability
		b.right += bit(right)
	}
}

func (e *typeEvaluation) metrics() TypeMetrics {
	given := e.given.hits + e.given.wrong
	m := TypeMetrics{
		Contracts: e.all, Accuracy: ratio(e.right, e.all), TopThree: ratio(e.topThree, e.all), Given: ratio(given, e.all), Right: ratio(e.given.hits, given),
	}
	occurring := 0
	for _, id := range e.types {
		t := e.tallies[id]
		m.PerType = append(m.PerType, MetricsOfType{id, t.hits + t.missed, t.precision(), t.recall(), t.f1()})
		if t.hits+t.missed > 0 {
			occurring++
			m.MacroF1 += t.f1()
		}
	}
	m.MacroF1 /= float64(max(1, occurring))
	for _, b := range e.bins {
		m.CalibrationError += abs(b.sum-float64(b.right)) / float64(max(1, e.all))
	}
	return m
}
