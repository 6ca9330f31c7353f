package label

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/clausemill/clausemill/nlp/learn"
)

// Example is a file with the labels that people gave its passages.
type Example struct {
	Passages []Passage
	Labels   [][]string   // by passage: the nodes that are right, none of them where it is empty
	Decided  []bool       // by passage: somebody has said so; nil where all are
	Partly   map[int]Part // by passage that is not decided: what somebody said of some nodes

	prior *prior // what a base makes of it, once it was read
}

// Part is what users decided about some nodes of a passage; the others are open.
type Part struct {
	Given, Refused []string
}

var errUneven = errors.New("an example has labels for some of its passages only")

// whole reports whether there is an answer for each passage.
func (e *Example) whole() bool {
	return len(e.Labels) == len(e.Passages) && (e.Decided == nil || len(e.Decided) == len(e.Passages))
}

func (e *Example) decided(passage int) bool { return e.Decided == nil || e.Decided[passage] }

// said returns the nodes that people gave a passage and that they refused, and reports
// whether they said anything of it. Of a decided passage all other nodes are refused.
func (e *Example) said(passage int) (part Part, ok bool) {
	if e.decided(passage) {
		return Part{Given: e.Labels[passage]}, true
	}
	part, ok = e.Partly[passage]
	return part, ok
}

// silent reports whether nobody said anything of the file.
func (e *Example) silent() bool {
	return e.Decided != nil && !slices.Contains(e.Decided, true) && len(e.Partly) == 0
}

// mostNodes is how many nodes a model can learn.
const mostNodes = 64

var linearSettings = learn.LinearOptions{Cost: 0.3, Rounds: 8}

var forestSettings = learn.ForestOptions{Trees: 150, Depth: learn.MostDepth, LeastRows: 30, Rate: 0.1, Ridge: 5}

// Train learns a model of the given nodes from examples. It takes two minutes on
// 400 contracts, or until ctx ends, whose cause is then the error; the same
// examples in the same order give the same model.
func Train(ctx context.Context, nodes []string, examples []Example) (*Model, error) {
	t, err := newTrainer(ctx, nodes, examples)
	if err != nil {
		return nil, err
	}
	m := &Model{nodes: slices.Clone(nodes), known: len(nodes), floors: make([]float32, len(nodes)), frequency: make([]float32, len(nodes))}
	files := make([]scored, len(examples))
	for i := range files {
		files[i] = *newScored(examples[i].Passages, nodes)
	}
	m.vocabulary = t.vocabulary
	var learned [linearViews]*learn.Linear
	for view := range linearViews {
		m.views[view] = t.calibrate(view, files, func(chosen func(example int) bool) scorer {
			l := t.learnLinear(ctx, view, chosen)
			return func(number int, scores []float32) { l.Score(t.entries(view, number), scores) }
		})
		learned[view] = t.learnLinear(ctx, view, all)
	}
	m.views[networkView] = t.calibrate(networkView, files, func(chosen func(example int) bool) scorer {
		n := t.learnNetwork(ctx, chosen)
		return func(number int, scores []float32) {
			t.scoreByNetwork(n, number, scores)
			for node := range scores {
				scores[node] *= marginOfOdds
			}
		}
	})
	for node := range m.nodes {
		m.views[networkView].Slope[node] *= marginOfOdds
	}
	m.network = t.learnNetwork(ctx, all)
	m.network.Round()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	m.pack(learned)
	for i := range files {
		files[i].finish()
	}
	t.setFloors(m, files)
	t.learnForest(ctx, m, files)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return m, nil
}

// all chooses every example.
func all(int) bool { return true }

// marginOfOdds makes of the logarithms of odds of a network what lines are fitted to: of
// margins that tell nothing below -1.3.
const marginOfOdds = 1.0 / 6

var networkSettings = learn.NetworkOptions{Units: 64, Passes: 4, Rate: 0.2}

// trainer holds what training goes over again and again.
type trainer struct {
	nodes    int
	examples []Example
	starts   []int    // by example: the number of its first passage
	wanted   []uint64 // by passage: its labels as a bit set
	counts   []int    // by node: the passages that carry it

	vocabulary *learn.Vocabulary
	vectors    []learn.Vector  // by passage
	words      [][]learn.Entry // by passage: what a network sees of it
	isWord     []bool          // by row of the vocabulary
}

func newTrainer(ctx context.Context, nodes []string, examples []Example) (*trainer, error) {
	if len(nodes) == 0 || len(nodes) > mostNodes {
		return nil, errors.New("a model learns 1 to 64 nodes")
	}
	if len(examples) < learn.Folds {
		return nil, errors.New("a model takes examples from at least five files")
	}
	index := map[string]int{}
	for i, node := range nodes {
		index[node] = i
	}
	if len(index) < len(nodes) {
		return nil, errors.New("a node is listed twice")
	}
	t := &trainer{nodes: len(nodes), examples: examples, counts: make([]int, len(nodes))}
	var features [][]learn.Feature
	words := map[uint32]bool{}
	for _, example := range examples {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !example.whole() || slices.Contains(example.Decided, false) {
			return nil, errUneven
		}
		t.starts = append(t.starts, len(t.wanted))
		for _, f := range fileFeatures(example.Passages) {
			features = append(features, slices.Concat(f.own, f.heading, f.beside, f.wide))
			for _, part := range f.words() {
				for _, word := range part {
					words[word.Key] = true
				}
			}
		}
		for _, labels := range example.Labels {
			var set uint64
			for _, label := range labels {
				node, ok := index[label]
				if !ok {
					return nil, errors.New("an example has a label that is none of the nodes")
				}
				set |= 1 << node
			}
			for node := range nodes {
				t.counts[node] += int(set >> node & 1)
			}
			t.wanted = append(t.wanted, set)
		}
	}
	if len(t.wanted) == 0 {
		return nil, errors.New("the examples have no passages")
	}
	t.vocabulary = learn.TrainVocabulary(features, t.starts)
	vectorizer := learn.NewVectorizer(t.vocabulary, &groupWeights)
	t.vectors = make([]learn.Vector, len(features))
	for i := range features {
		t.vectors[i] = vectorizer.Vector(nil, features[i])
	}
	t.isWord = make([]bool, len(t.vocabulary.Keys))
	for row, key := range t.vocabulary.Keys {
		t.isWord[row] = words[key]
	}
	t.words = make([][]learn.Entry, len(features))
	for i := range t.vectors {
		t.words[i] = appendKnown(nil, &t.vectors[i], func(row int32) bool { return t.isWord[row] })
	}
	return t, nil
}

// entries returns what a view shows of a passage.
func (t *trainer) entries(view, number int) []learn.Entry {
	if v := &t.vectors[number]; view == ownView {
		return v.Entries[:v.Own()]
	}
	return t.vectors[number].Entries
}

// learnLinear learns what a view shows of the chosen examples.
func (t *trainer) learnLinear(ctx context.Context, view int, chosen func(example int) bool) *learn.Linear {
	seen, wanted := t.shown(chosen, func(number int) []learn.Entry { return t.entries(view, number) })
	return learn.TrainLinear(ctx, seen, wanted, t.nodes, len(t.vocabulary.Keys), linearSettings)
}

// learnNetwork learns the words of the chosen examples.
func (t *trainer) learnNetwork(ctx context.Context, chosen func(example int) bool) *learn.Network {
	seen, wanted := t.shown(chosen, func(number int) []learn.Entry { return t.words[number] })
	return learn.TrainNetwork(ctx, seen, wanted, t.nodes, t.isWord, networkSettings)
}

// shown returns what is seen of the passages of the chosen examples, and their labels.
func (t *trainer) shown(chosen func(example int) bool, of func(number int) []learn.Entry) (seen [][]learn.Entry, wanted []uint64) {
	for example, start := range t.starts {
		if !chosen(example) {
			continue
		}
		for i := range t.examples[example].Passages {
			seen, wanted = append(seen, of(start+i)), append(wanted, t.wanted[start+i])
		}
	}
	return seen, wanted
}

func (t *trainer) scoreByNetwork(n *learn.Network, number int, scores []float32) {
	sums := make([]float32, n.Units())
	n.Add(t.words[number], sums)
	n.Score(sums, scores)
}

// scorer scores a passage, by its number, for every node.
type scorer func(number int, scores []float32)

// calibrate scores each example by what was learned without it, and fits the lines that
// make those scores logarithms of odds.
func (t *trainer) calibrate(view int, files []scored, learned func(chosen func(example int) bool) scorer) learn.Calibration {
	learn.Each(learn.Folds, func(fold int) {
		score := learned(func(example int) bool { return example%learn.Folds != fold })
		for example := fold; example < len(files); example += learn.Folds {
			scores := make([]float32, len(files[example].passages)*t.nodes)
			for i := range files[example].passages {
				score(t.starts[example]+i, scores[i*t.nodes:][:t.nodes])
			}
			files[example].views[view] = scores
		}
	})
	c := learn.Calibration{Slope: make([]float32, t.nodes), Shift: make([]float32, t.nodes)}
	learn.Each(t.nodes, func(node int) { c.Slope[node], c.Shift[node] = t.fit(view, node, files) })
	for i := range files {
		for scores := files[i].views[view]; len(scores) > 0; scores = scores[t.nodes:] {
			c.Line(scores[:t.nodes])
		}
	}
	return c
}

// pack keeps the weights of the linear models in bytes, without those that are
// too small to matter. All features stay, because each counts in how long a
// vector is.
func (m *Model) pack(learned [linearViews]*learn.Linear) {
	nodes := len(m.nodes)
	for view, l := range learned {
		units := make([]float32, nodes)
		for i, weight := range l.Weights {
			units[i%nodes] = max(units[i%nodes], float32(math.Abs(float64(weight)))/math.MaxInt8)
		}
		m.views[view].Units, m.views[view].Bias = units, l.Bias
	}
	m.weights.Starts = make([]uint32, 1, len(m.vocabulary.Keys)+1)
	for row := range m.vocabulary.Keys {
		for view, l := range learned {
			for node, weight := range l.Weights[row*nodes:][:nodes] {
				if value := math.Round(float64(weight / max(m.views[view].Units[node], math.SmallestNonzeroFloat32))); math.Abs(value) >= learn.LeastPacked {
					m.weights.Packed = append(m.weights.Packed, learn.NewWeight(view*nodes+node, int8(value)))
				}
			}
		}
		m.weights.Starts = append(m.weights.Starts, uint32(len(m.weights.Packed)))
	}
}

// fit finds the line that makes margins logarithms of odds.
func (t *trainer) fit(view, node int, files []scored) (slope, shift float32) {
	var margins []float32
	var right []bool
	for example := range files {
		scores := files[example].views[view]
		for i := range files[example].passages {
			margins = append(margins, scores[i*t.nodes+node])
			right = append(right, t.wanted[t.starts[example]+i]>>node&1 == 1)
		}
	}
	return learn.FitLine(margins, right)
}

// setFloors sets for each node the score below which passages are not looked at
// again: it lets through a thousand and eight times as many as carry the node.
func (t *trainer) setFloors(m *Model, files []scored) {
	for node := range t.nodes {
		var scores []float32
		for i := range files {
			for passage := range files[i].passages {
				scores = append(scores, files[i].score(passage, node))
			}
		}
		slices.SortFunc(scores, func(a, b float32) int { return cmp.Compare(b, a) })
		m.floors[node] = scores[min(len(scores)-1, 1000+8*t.counts[node])]
		m.frequency[node] = float32(math.Log((float64(t.counts[node]) + 1) / float64(len(t.wanted))))
	}
}

// observed is what the forest learns from.
type observed struct {
	rows    []float32
	answers []bool
	example []int // by answer
}

func (t *trainer) observe(m *Model, files []scored) *observed {
	var all observed
	for example := range files {
		for node := range t.nodes {
			files[example].observe(node, m.floors[node], m.frequency[node], func(passage int, seen *[observations]float32) {
				all.rows = append(all.rows, seen[:]...)
				all.answers = append(all.answers, t.wanted[t.starts[example]+passage]>>node&1 == 1)
				all.example = append(all.example, example)
			})
		}
	}
	return &all
}

// learnForest trains the forest that judges scores by their context, and sets the
// threshold with the best F1 on held-out files.
func (t *trainer) learnForest(ctx context.Context, m *Model, files []scored) {
	all := t.observe(m, files)
	m.forest = learn.TrainForest(ctx, all.rows, observations, all.answers, forestSettings)
	judged := make([]outcome, 0, len(all.answers))
	for fold := range learn.Folds {
		var some observed
		for i, example := range all.example {
			if example%learn.Folds != fold {
				some.rows = append(some.rows, all.rows[i*observations:][:observations]...)
				some.answers = append(some.answers, all.answers[i])
			}
		}
		held := learn.TrainForest(ctx, some.rows, observations, some.answers, forestSettings)
		for i, example := range all.example {
			if example%learn.Folds == fold {
				judged = append(judged, outcome{probability: held.Probability(all.rows[i*observations:][:observations]), right: all.answers[i]})
			}
		}
	}
	total := 0
	for _, count := range t.counts {
		total += count
	}
	m.threshold = bestThreshold(judged, total)
}

// bestThreshold returns the probability that gives the best F1, of total answers
// that are right: halfway between the last that counts and the next.
func bestThreshold(judged []outcome, total int) float32 {
	slices.SortStableFunc(judged, func(a, b outcome) int { return cmp.Compare(b.probability, a.probability) })
	threshold, best, hits := float32(0.5), 0.0, 0
	for i, o := range judged {
		hits += learn.Bit(o.right)
		next := float32(0)
		if i+1 < len(judged) {
			next = judged[i+1].probability
		}
		if f1 := learn.Ratio(2*hits, i+1+total); f1 > best && next < o.probability {
			best, threshold = f1, (o.probability+next)/2
		}
	}
	return threshold
}
