package learn

import "math"

// StrangerOdds is the logarithm of the odds of what the base model does not know,
// before anything is learned of it.
const StrangerOdds = -4

// Layer corrects a base model by what a team decided. It adds to the logarithm
// of the odds that the base model gives, so that a team which decided little
// has a model that differs little.
type Layer struct {
	nodes  int
	bias   []float32
	rows   []int32   // of the vocabulary, in order
	values []float32 // by place in rows, and by node

	places []int32 // by row of the vocabulary: its place in rows plus 1, or 0
}

// newLayer takes rows in ascending order.
func newLayer(nodes, vocabulary int, rows []int32) *Layer {
	l := &Layer{
		nodes: nodes, bias: make([]float32, nodes), rows: rows, values: make([]float32, len(rows)*nodes), places: make([]int32, vocabulary),
	}
	for place, row := range rows {
		l.places[row] = int32(place + 1)
	}
	return l
}

// Weights returns those of a row, one for each node, or none.
func (l *Layer) Weights(row int32) []float32 {
	place := int(l.places[row])
	if place == 0 {
		return nil
	}
	return l.values[(place-1)*l.nodes:][:l.nodes]
}

// Add adds the scores of the layer for a passage to sums, which has the prior.
func (l *Layer) Add(entries []Entry, sums []float32) {
	for node, bias := range l.bias {
		sums[node] += bias
	}
	for _, e := range entries {
		for node, weight := range l.Weights(e.Row) {
			sums[node] += float32(e.Value * weight)
		}
	}
}

// Lesson is a passage to learn from.
type Lesson struct {
	Entries []Entry
	Prior   []float32 // logarithms of odds, by node
	Targets []float32 // probabilities, by node
	Weight  float32
}

// The settings of TrainLayer.
const (
	adaptRounds = 20
	adaptRate   = 0.5
	adaptRidge  = 1e-4
)

// TrainLayer is logistic regression on what the prior leaves, by gradient descent
// with a rate of its own for each weight (Duchi et al., 2011).
func TrainLayer(lessons []Lesson, nodes, vocabulary int) *Layer {
	seen := make([]bool, vocabulary)
	for _, lesson := range lessons {
		if lesson.Weight == 1 {
			for _, e := range lesson.Entries {
				seen[e.Row] = true
			}
		}
	}
	var rows []int32
	for row, ok := range seen {
		if ok {
			rows = append(rows, int32(row))
		}
	}
	l := newLayer(nodes, vocabulary, rows)
	squares, biasSquares := make([]float32, len(l.values)), make([]float32, nodes)
	sums := make([]float32, nodes)
	order := make([]int, len(lessons))
	for i := range order {
		order[i] = i
	}
	random := Randomizer(1)
	for range adaptRounds {
		random.Shuffle(order)
		for _, i := range order {
			lesson := &lessons[i]
			copy(sums, lesson.Prior)
			l.Add(lesson.Entries, sums)
			for node, sum := range sums {
				gradient := lesson.Weight * (float32(Logistic(float64(sum))) - lesson.Targets[node])
				if gradient*gradient < 1e-6 {
					continue
				}
				descend(&l.bias[node], &biasSquares[node], gradient)
				for _, e := range lesson.Entries {
					if place := int(l.places[e.Row]) - 1; place >= 0 {
						descend(&l.values[place*nodes+node], &squares[place*nodes+node], gradient*e.Value)
					}
				}
			}
		}
	}
	return l
}

// descend takes one step against a gradient.
func descend(weight, squares *float32, gradient float32) {
	gradient += adaptRidge * *weight
	*squares += float32(gradient * gradient)
	if *squares > 0 {
		*weight -= float32(adaptRate * gradient / float32(math.Sqrt(float64(*squares)+1e-2)))
	}
}
