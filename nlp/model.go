package nlp

import (
	"cmp"
	"slices"
)

// Model labels passages with the nodes it has learned. It is safe for use by
// several goroutines at once.
type Model struct {
	nodes     []string // in the order in which they were learned
	views     [len(views)]viewModel
	floors    []float32 // by node: the score below which a passage is not looked at again
	frequency []float32 // by node: how often it occurs, as the logarithm of its odds
	forest    *forest
	border    float32 // the probability from which a passage carries a label
}

// viewModel scores passages by what one view shows of them.
type viewModel struct {
	vocabulary *vocabulary
	weights    []int8    // by row and node, in units
	units      []float32 // by node
	bias       []float32 // by node
	slope      []float32 // by node: makes the sum a logarithm of odds, with shift
	shift      []float32
}

// Score is how likely a node is.
type Score struct {
	Node        string  `json:"node"`
	Probability float64 `json:"probability"`
}

// Prediction is what a model says of one passage.
type Prediction struct {
	// Label is the node that the passage is labelled with, "" where the model
	// abstains: no node is likely enough.
	Label string
	// Probability is that of the label; where there is none, that of no node of
	// them all being right, as far as the likeliest tells.
	Probability float64
	// Doubt says how near the passage is to the border between a label and none:
	// 1 on it, 0 far off.
	Doubt float64
	// Labels are all nodes over the border, the likeliest first; Label is one of
	// them, and most passages that have one have no other.
	Labels []Score
	// Alternatives are the likeliest nodes below the border, at most three.
	Alternatives []Score
}

// leastProbability is that of the alternatives worth telling.
const leastProbability = 0.01

// mostAlternatives is how many of them.
const mostAlternatives = 3

// Nodes returns the ids of the nodes that the model knows.
func (m *Model) Nodes() []string { return slices.Clone(m.nodes) }

// Border returns the probability from which a passage carries a label. It is
// the same for all nodes.
func (m *Model) Border() float64 { return float64(m.border) }

// Predict labels the passages of one file, which are given whole and in order;
// a sentence on its own is a file of one passage.
func (m *Model) Predict(passages []Passage) []Prediction {
	probabilities := m.probabilities(passages)
	predictions := make([]Prediction, len(passages))
	for i := range predictions {
		predictions[i] = m.predict(probabilities[i*len(m.nodes):][:len(m.nodes)])
	}
	return predictions
}

func (m *Model) predict(probabilities []float32) Prediction {
	var p Prediction
	var found []Score
	for node, probability := range probabilities {
		if probability >= leastProbability {
			found = append(found, Score{m.nodes[node], float64(probability)})
		}
	}
	slices.SortStableFunc(found, func(a, b Score) int { return cmp.Compare(b.Probability, a.Probability) })
	over := 0
	for over < len(found) && found[over].Probability >= float64(m.border) {
		over++
	}
	p.Labels, p.Alternatives = found[:over:over], found[over:min(len(found), over+mostAlternatives)]
	top := 0.0
	if len(found) > 0 {
		top = found[0].Probability
	}
	p.Doubt = doubt(top, float64(m.border))
	p.Probability = 1 - top
	if over > 0 {
		p.Label, p.Probability = found[0].Node, top
	}
	return p
}

// doubt falls from 1 at the border to 0 at either end.
func doubt(probability, border float64) float64 {
	if probability < border {
		return probability / border
	}
	return (1 - probability) / (1 - border)
}

// probabilities returns how likely every node is, by passage and node. Those
// that are not likely at all are 0.
func (m *Model) probabilities(passages []Passage) []float32 {
	all := make([]float32, len(passages)*len(m.nodes))
	f := m.score(passages)
	for node := range m.nodes {
		f.observe(node, m.floors[node], m.frequency[node], func(passage int, seen *[observations]float32) {
			all[passage*len(m.nodes)+node] = m.forest.probability(seen[:])
		})
	}
	return all
}

// score looks at a file in every view.
func (m *Model) score(passages []Passage) *scored {
	f := &scored{passages: passages, nodes: len(m.nodes)}
	features := fileFeatures(passages)
	var entries []entry
	for v := range m.views {
		model := &m.views[v]
		f.views[v] = make([]float32, len(passages)*len(m.nodes))
		vectorizer := newVectorizer(model.vocabulary, views[v])
		for i := range passages {
			entries = vectorizer.vector(features[i], entries[:0])
			model.score(entries, f.views[v][i*len(m.nodes):][:len(m.nodes)])
		}
	}
	f.finish()
	return f
}

// score fills scores, one for each node.
func (v *viewModel) score(vector []entry, scores []float32) {
	clear(scores)
	for _, e := range vector {
		weights := v.weights[int(e.row)*len(scores):][:len(scores)]
		for node, weight := range weights {
			scores[node] += float32(e.value * float32(weight))
		}
	}
	for node := range scores {
		sum := float32(scores[node]*v.units[node]) + v.bias[node]
		scores[node] = float32(sum*v.slope[node]) + v.shift[node]
	}
}
