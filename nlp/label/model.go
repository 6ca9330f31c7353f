package label

import (
	"cmp"
	"math"
	"slices"

	"github.com/clausemill/clausemill/nlp/learn"
)

// views are what a model sees of a passage, each with a model of its own: linear ones of
// its words alone, which are the strongest features, and of its context too, which helps
// where they fail; and a network, which knows words that stand for the same.
const (
	ownView   = iota // the words of the passage
	wholeView        // those, and the words of its heading, its neighbours and its section

	linearViews

	networkView = iota - 1 // the words of all of them, without pairs, as a network sees them

	views = iota - 1
)

// Model labels passages with the nodes it has learned. It is safe for use by
// several goroutines at once.
type Model struct {
	nodes      []string // in the order in which they were learned
	known      int      // how many of them the base knows; the others are a team's own
	vocabulary *learn.Vocabulary
	weights    learn.Weights
	views      [views]learn.Calibration // of the network only the line
	network    *learn.Network
	floors     []float32 // by node: the score below which a passage is not looked at again
	frequency  []float32 // by node: how often it occurs, as the logarithm of its odds
	forest     *learn.Forest
	threshold  float32      // the probability from which a passage carries a label
	layer      *learn.Layer // what a team decided about the nodes of the base, or nil
	own        *own         // what a team decided about others, or nil
	renamed    bool         // nodes may have the same name, or none
}

// Score is how likely a node is.
type Score struct {
	Node        string  `json:"node"`
	Probability float64 `json:"probability"`
}

// Prediction is a model's prediction for one passage.
type Prediction struct {
	// Labels are the nodes that the passage is labelled with, the likeliest first. There
	// are none where the model abstains: no node is likely enough.
	Labels []Score
	// NoClause is the probability of no node being right, estimated from the likeliest
	// node.
	NoClause float64
	// Alternatives are the likeliest of the other nodes, at most three.
	Alternatives []Score
}

// leastProbability is the probability from which alternatives are listed.
const leastProbability = 0.01

// mostAlternatives is how many of them.
const mostAlternatives = 3

// Nodes returns the ids of the nodes that the model knows.
func (m *Model) Nodes() []string { return slices.Clone(m.nodes) }

// Renamed is m with other names for nodes, by their present names. A node that gets
// the name of another one is merged into it, and one that gets none is never
// predicted.
func (m *Model) Renamed(names map[string]string) *Model {
	renamed := *m
	renamed.nodes = slices.Clone(m.nodes)
	for i, node := range m.nodes {
		if name, ok := names[node]; ok {
			renamed.nodes[i], renamed.renamed = name, true
		}
	}
	return &renamed
}

// Threshold returns the probability from which a passage carries a label. It is
// the same for all nodes.
func (m *Model) Threshold() float64 { return float64(m.threshold) }

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
	var found []Score
	for node, probability := range probabilities {
		if probability >= leastProbability {
			found = append(found, Score{m.nodes[node], float64(probability)})
		}
	}
	slices.SortStableFunc(found, func(a, b Score) int { return cmp.Compare(b.Probability, a.Probability) })
	if m.renamed {
		found = firstOfEach(found)
	}
	over := 0
	for over < len(found) && found[over].Probability >= float64(m.threshold) {
		over++
	}
	p := Prediction{Labels: found[:over:over], NoClause: 1, Alternatives: found[over:min(len(found), over+mostAlternatives)]}
	if len(found) > 0 {
		p.NoClause = 1 - found[0].Probability
	}
	return p
}

// firstOfEach leaves out nodes without a name, and all but the first of the same.
func firstOfEach(scores []Score) []Score {
	var list []Score
	for _, s := range scores {
		if s.Node != "" && !slices.ContainsFunc(list, func(other Score) bool { return other.Node == s.Node }) {
			list = append(list, s)
		}
	}
	return list
}

// probabilities returns how likely every node is, by passage and node.
func (m *Model) probabilities(passages []Passage) []float32 {
	odds := m.odds(passages)
	if m.own != nil {
		m.own.judge(passages, odds, len(m.nodes))
	}
	if m.layer != nil {
		m.correct(passages, odds)
	}
	return chances(odds)
}

// correct adds to the odds of the nodes of the base what the layer makes of the passages.
func (m *Model) correct(passages []Passage, odds []float32) {
	vectorizer := learn.NewVectorizer(m.vocabulary, &groupWeights)
	defer vectorizer.Release()
	var v learn.Vector
	for i, features := range fileFeatures(passages) {
		v = vectorizer.Vector(v.Entries, features.own, features.heading, features.beside)
		m.layer.Add(v.Entries, odds[i*len(m.nodes):][:m.known])
	}
}

// chances turns logarithms of odds into probabilities, in place.
func chances(odds []float32) []float32 {
	ruledOut := float32(learn.Logistic(lowestOdds))
	for i, sum := range odds {
		if sum == lowestOdds { // as most are
			odds[i] = ruledOut
			continue
		}
		odds[i] = float32(learn.Logistic(float64(sum)))
	}
	return odds
}

// odds returns what the base makes of every passage and node, as logarithms. It rules
// out what it does not know.
func (m *Model) odds(passages []Passage) []float32 {
	all := slices.Repeat([]float32{lowestOdds}, len(m.nodes)*len(passages))
	f := m.score(passages)
	for node := range m.known {
		f.observe(node, m.floors[node], m.frequency[node], func(passage int, seen *[observations]float32) {
			all[passage*len(m.nodes)+node] = m.forest.Score(seen[:])
		})
	}
	return all
}

// score looks at a file in every view.
func (m *Model) score(passages []Passage) *scored {
	f := newScored(passages, m.nodes[:m.known])
	for view := range views {
		f.views[view] = make([]float32, len(passages)*m.known)
	}
	vectorizer := learn.NewVectorizer(m.vocabulary, &groupWeights)
	var sums, wide learn.SlotSums
	units, wideUnits := make([]float32, m.network.Units()), make([]float32, m.network.Units())
	var v learn.Vector
	var words []learn.Entry
	for i, features := range fileFeatures(passages) {
		if !features.same {
			v = vectorizer.Vector(v.Entries, features.heading, features.wide)
			clear(wide[:linearViews*m.known])
			m.weights.Add(v.Entries, &wide)
			words = appendKnown(words[:0], &v, m.network.Knows)
			clear(wideUnits)
			m.network.Add(words, wideUnits)
		}
		v = vectorizer.Vector(v.Entries, features.own, features.beside)
		copy(sums[:linearViews*m.known], wide[:])
		m.weights.Add(v.Entries, &sums)
		for view := range linearViews {
			m.views[view].Apply(sums[view*m.known:], f.views[view][i*m.known:][:m.known])
		}
		words = appendKnown(words[:0], &v, m.network.Knows)
		copy(units, wideUnits)
		m.network.Add(words, units)
		scores := f.views[networkView][i*m.known:][:m.known]
		m.network.Score(units, scores)
		m.views[networkView].Line(scores)
	}
	vectorizer.Release()
	f.finish()
	return f
}

// appendKnown appends those entries of v whose rows are known, each group scaled to what it
// counts as if it had no others.
func appendKnown(words []learn.Entry, v *learn.Vector, known func(row int32) bool) []learn.Entry {
	from := 0
	for group, end := range v.Ends {
		if end <= from {
			continue
		}
		start, all, square := len(words), end-from, float32(0)
		for _, e := range v.Entries[from:end] {
			if known(e.Row) {
				words = append(words, e)
				square += float32(e.Value * e.Value)
			}
		}
		if n := len(words) - start; n < all && n > 0 {
			scale := float32(groupWeights[group] / math.Sqrt(float64(square)))
			for i := range words[start:] {
				words[start+i].Value *= scale
			}
		}
		from = end
	}
	return words
}
