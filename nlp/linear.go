package nlp

import "context"

// linearOptions are the settings of learnLinear. The defaults were chosen by
// cross-validation over contracts; docs/clause-labels.md has the figures.
type linearOptions struct {
	cost   float64 // of a passage on the wrong side, against the length of the weights
	rounds int
}

// linear scores passages for all nodes at once. The weights of one feature lie
// side by side, so that a passage touches little memory.
type linear struct {
	nodes   int
	weights []float32 // by row and node
	bias    []float32 // by node
}

// score adds up the weights of entries in scores, one for each node.
func (l *linear) score(entries []entry, scores []float32) {
	copy(scores, l.bias)
	for _, e := range entries {
		weights := l.weights[int(e.row)*l.nodes:][:len(scores)]
		for node, weight := range weights {
			scores[node] += float32(e.value * weight)
		}
	}
}

// rest is for how many rounds a passage is left out that is far on the right
// side of every border.
const rest = 3

// farEnough is how far that is, in margins.
const farEnough = 0.05

// learnLinear finds for every node the support vector machine with squared
// hinge loss, by coordinate descent in the dual (Hsieh et al., 2008): passage by
// passage in an order that is shuffled each round from a fixed seed. wanted says
// which nodes a passage is labelled with, as a bit set. It stops where ctx ends;
// what was learned by then is of no use.
func learnLinear(ctx context.Context, vectors [][]entry, wanted []uint64, nodes, rows int, options linearOptions) *linear {
	l := &linear{nodes: nodes, weights: make([]float32, rows*nodes), bias: make([]float32, nodes)}
	multipliers := make([]float32, len(vectors)*nodes)
	order, resting := make([]int, len(vectors)), make([]int, len(vectors))
	for i := range order {
		order[i] = i
	}
	ridge := float32(1 / (2 * options.cost))
	scores := make([]float32, nodes)
	random := randomizer(1)
	for round := range options.rounds {
		if ctx.Err() != nil {
			break
		}
		random.shuffle(order)
		for _, i := range order {
			if resting[i] > 0 && round < options.rounds-1 {
				resting[i]--
				continue
			}
			l.score(vectors[i], scores)
			length := 1 + ridge // the bias is a feature of every passage
			for _, e := range vectors[i] {
				length += float32(e.value * e.value)
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
						l.weights[int(e.row)*nodes+node] += float32(step * e.value)
					}
					l.bias[node] += step
				}
			}
			if far {
				resting[i] = rest
			}
		}
	}
	return l
}

// randomizer is a source of numbers that are the same every time.
type randomizer uint64

func (r *randomizer) below(n int) int {
	*r = *r*6364136223846793005 + 1442695040888963407
	return int(uint64(*r>>33) % uint64(n))
}

func (r *randomizer) shuffle(order []int) {
	for i := len(order) - 1; i > 0; i-- {
		j := r.below(i + 1)
		order[i], order[j] = order[j], order[i]
	}
}
