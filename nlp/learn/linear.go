package learn

import "context"

// LinearOptions are the settings of TrainLinear. The defaults were chosen by
// cross-validation over contracts; docs/clause-labels.md has the figures.
type LinearOptions struct {
	Cost   float64 // of a passage on the wrong side, against the length of the weights
	Rounds int
}

// Linear scores passages for all nodes at once. The weights of one feature lie
// side by side, so that a passage touches little memory.
type Linear struct {
	nodes   int
	Weights []float32 // by row and node
	Bias    []float32 // by node
}

// Score adds up the weights of entries in scores, one for each node.
func (l *Linear) Score(entries []Entry, scores []float32) {
	copy(scores, l.Bias)
	for _, e := range entries {
		weights := l.Weights[int(e.Row)*l.nodes:][:len(scores)]
		for node, weight := range weights {
			scores[node] += float32(e.Value * weight)
		}
	}
}

// rest is for how many rounds a passage is skipped that is far on the right side of
// every decision boundary.
const rest = 3

// farEnough is how far that is, in margins.
const farEnough = 0.05

// TrainLinear finds for every node the support vector machine with squared
// hinge loss, by coordinate descent in the dual (Hsieh et al., 2008): passage by
// passage in an order that is shuffled each round from a fixed seed. wanted says
// which nodes a passage is labelled with, as a bit set. It stops where ctx ends;
// what was learned by then is of no use.
func TrainLinear(ctx context.Context, vectors [][]Entry, wanted []uint64, nodes, rows int, options LinearOptions) *Linear {
	l := &Linear{nodes: nodes, Weights: make([]float32, rows*nodes), Bias: make([]float32, nodes)}
	multipliers := make([]float32, len(vectors)*nodes)
	order, resting := make([]int, len(vectors)), make([]int, len(vectors))
	for i := range order {
		order[i] = i
	}
	ridge := float32(1 / (2 * options.Cost))
	scores := make([]float32, nodes)
	random := Randomizer(1)
	for round := range options.Rounds {
		if ctx.Err() != nil {
			break
		}
		random.Shuffle(order)
		for _, i := range order {
			if resting[i] > 0 && round < options.Rounds-1 {
				resting[i]--
				continue
			}
			l.Score(vectors[i], scores)
			length := 1 + ridge // the bias is a feature of every passage
			for _, e := range vectors[i] {
				length += float32(e.Value * e.Value)
			}
			far := true
			for node, multiplier := range multipliers[i*nodes:][:nodes] {
				side := float32(-1)
				if wanted[i]>>node&1 == 1 {
					side = 1
				}
				slope := side*scores[node] - 1 + ridge*multiplier
				if multiplier == 0 && slope >= 0 {
					far = far && slope >= farEnough
					continue
				}
				far = false
				renewed := max(0, multiplier-slope/length)
				multipliers[i*nodes+node] = renewed
				if step := (renewed - multiplier) * side; step != 0 {
					for _, e := range vectors[i] {
						l.Weights[int(e.Row)*nodes+node] += float32(step * e.Value)
					}
					l.Bias[node] += step
				}
			}
			if far {
				resting[i] = rest
			}
		}
	}
	return l
}

// Randomizer is a source of numbers that are the same every time.
type Randomizer uint64

// Below returns the next number, 0 to n-1.
func (r *Randomizer) Below(n int) int {
	*r = *r*6364136223846793005 + 1442695040888963407
	return int(uint64(*r>>33) % uint64(n))
}

// Shuffle puts order into another.
func (r *Randomizer) Shuffle(order []int) {
	for i := len(order) - 1; i > 0; i-- {
		j := r.Below(i + 1)
		order[i], order[j] = order[j], order[i]
	}
}
