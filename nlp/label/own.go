package label

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/learn"
)

const (
	// LeastExamples is how many decisions have to say that a label of a team is right
	// before it is learned.
	LeastExamples = 5
	// OtherFiles is how many files without decisions labels are told from, beside those
	// with decisions: few examples are of few files.
	OtherFiles = 20
	// undecidedCost is what a passage costs that nobody decided about: most carry no
	// label, but some were only not looked at.
	undecidedCost = 0.1
	// mostUndecidedOwn bounds the undecided passages that are learned from.
	mostUndecidedOwn = 3000
)

// own is what was learned of the labels that the base model does not know: for each a
// machine of its own, and a line that makes its scores logarithms of odds. Machines
// look at all features of a passage and at what the base model makes of it.
type own struct {
	strange    []uint32          // features that the base model does not know, in order
	counts     []uint32          // how many passages have each
	passages   int               // of so many
	vocabulary *learn.Vocabulary // of the base model, with those
	machines   *learn.Machines
	slopes     []float32 // by label
	shifts     []float32
}

// OwnLabel says what was learned of a label that the base model does not know.
type OwnLabel struct {
	Node     string `json:"node"`
	Examples int    `json:"examples"` // decisions that say it is right
	Learned  bool   `json:"learned"`  // they are enough
	// What machines that had not seen the contract make of the decisions: how many of the
	// examples they find, and how many of the others they take for it.
	Found int `json:"found"`
	Wrong int `json:"wrong"`
}

// lesson is a passage that own labels are learned from.
type lesson struct {
	entries       []learn.Entry
	own           int // how many of them are of its own words
	file, passage int
	decided       bool
	Part          // what was said of it
}

// about reports whether somebody said whether a label is right.
func (l *lesson) about(node string) bool {
	return l.decided || slices.Contains(l.Given, node) || slices.Contains(l.Refused, node)
}

// learnOwn learns those labels of decisions that the base of m does not know and that
// have enough examples, by name.
func (m *Model) learnOwn(ctx context.Context, decisions []Example) (o *own, told []OwnLabel) {
	examples := map[string]int{}
	for _, e := range decisions {
		for i := range e.Passages {
			part, _ := e.said(i)
			for _, label := range part.Given {
				if !slices.Contains(m.nodes[:m.known], label) {
					examples[label]++
				}
			}
		}
	}
	learned := 0
	for label, n := range examples {
		told = append(told, OwnLabel{Node: label, Examples: n, Learned: n >= LeastExamples})
		learned += learn.Bit(n >= LeastExamples)
	}
	slices.SortFunc(told, func(a, b OwnLabel) int { return strings.Compare(a.Node, b.Node) })
	if learned == 0 {
		return nil, told
	}
	o = &own{}
	for _, e := range decisions {
		o.passages += len(e.Passages)
	}
	o.strange, o.counts = m.strangers(decisions)
	o.vocabulary = m.vocabulary.Extended(o.strange, o.counts, o.passages)
	lessons, share := m.ownLessons(o.vocabulary, decisions)
	rows := len(o.vocabulary.Keys) + m.known
	machines := make([]*learn.Machine, learned)
	o.slopes, o.shifts = make([]float32, learned), make([]float32, learned)
	labels := make([]*OwnLabel, 0, learned)
	for i := range told {
		if told[i].Learned {
			labels = append(labels, &told[i])
		}
	}
	learn.Each(learned, func(i int) {
		label := labels[i]
		scores := crossScore(ctx, lessons, label.Node, rows)
		at, slope := float32(border(lessons, scores, label.Node, share)), ownSlope(lessons, scores, label.Node)
		for k, l := range lessons {
			is := slices.Contains(l.Given, label.Node)
			label.Found += learn.Bit(is && scores[k] >= at)
			label.Wrong += learn.Bit(!is && l.about(label.Node) && scores[k] >= at)
		}
		machines[i] = trainOwn(ctx, lessons, label.Node, rows, func(int) bool { return true })
		o.slopes[i], o.shifts[i] = slope, logit(m.threshold)-float32(slope*at)
	})
	o.machines = learn.PackMachines(machines, rows)
	return o, told
}

func logit(probability float32) float32 {
	return float32(math.Log(float64(probability) / (1 - float64(probability))))
}

// strangers counts the features of passages with own labels that the base model does
// not know.
func (m *Model) strangers(decisions []Example) (keys, counts []uint32) {
	each := func(wants func(e *Example, passage int) bool, do func(file int, key uint32)) {
		learn.Each(len(decisions), func(file int) {
			e := &decisions[file]
			first := 0
			for first < len(e.Passages) && !wants(e, first) {
				first++
			}
			if first == len(e.Passages) {
				return // as are most files, of own labels
			}
			for i, f := range fileFeatures(e.Passages) {
				if !wants(e, i) {
					continue
				}
				for _, features := range [][]learn.Feature{f.own, f.heading, f.beside, f.wide} {
					for _, feature := range features {
						do(file, feature.Key)
					}
				}
			}
		})
	}
	byFile := make([]map[uint32]uint32, len(decisions)) // how many passages have each
	for i := range byFile {
		byFile[i] = map[uint32]uint32{}
	}
	each(func(e *Example, passage int) bool {
		part, _ := e.said(passage)
		return m.isOwn(part.Given)
	}, func(file int, key uint32) {
		if m.vocabulary.Row(key) < 0 {
			byFile[file][key] = 0
		}
	})
	found := map[uint32]uint32{}
	for _, keys := range byFile {
		for key := range keys {
			found[key] = 0
		}
	}
	if len(found) > 0 {
		each(func(*Example, int) bool { return true }, func(file int, key uint32) {
			if _, ok := found[key]; ok {
				byFile[file][key]++
			}
		})
	}
	for _, keys := range byFile {
		for key, n := range keys {
			found[key] += n
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		keys, counts = append(keys, key), append(counts, found[key])
	}
	return keys, counts
}

// isOwn reports whether the base model does not know one of labels.
func (m *Model) isOwn(labels []string) bool {
	return slices.ContainsFunc(labels, func(l string) bool { return !slices.Contains(m.nodes[:m.known], l) })
}

// ownLessons returns the passages of the files of which something was said, and a share of
// the others.
func (m *Model) ownLessons(v *learn.Vocabulary, decisions []Example) (lessons []lesson, share float64) {
	undecided := 0
	for _, e := range decisions {
		for i := range e.Passages {
			_, said := e.said(i)
			undecided += learn.Bit(!said)
		}
	}
	share = min(1, float64(mostUndecidedOwn)/max(1, float64(undecided)))
	const steps = 1 << 20
	random := learn.Randomizer(1)
	byFile := make([][]lesson, len(decisions))
	for file := range decisions {
		e := &decisions[file]
		for i := range e.Passages {
			part, said := e.said(i)
			if said || random.Below(steps) < int(share*steps) {
				byFile[file] = append(byFile[file], lesson{file: file, passage: i, decided: e.decided(i), Part: part})
			}
		}
	}
	learn.Each(len(decisions), func(file int) {
		if len(byFile[file]) == 0 {
			return
		}
		prior, next := m.priorOf(&decisions[file]), 0
		vectorizer := learn.NewVectorizer(v, &groupWeights)
		defer vectorizer.Release()
		for i, f := range fileFeatures(decisions[file].Passages) {
			if next == len(byFile[file]) {
				break
			}
			if l := &byFile[file][next]; l.passage == i {
				vector := vectorizer.Vector(nil, f.own, f.heading, f.beside, f.wide)
				l.entries, l.own = appendOdds(v, vector.Entries, prior[i*m.known:][:m.known]), vector.Own()
				next++
			}
		}
	})
	return slices.Concat(byFile...), share
}

// appendOdds appends what the base model makes of a passage, as features beside those
// of its words.
func appendOdds(v *learn.Vocabulary, entries []learn.Entry, odds []float32) []learn.Entry {
	for node, sum := range odds {
		if sum > lowestOdds {
			entries = append(entries, learn.Entry{Row: int32(len(v.Keys) + node), Value: (sum - lowestOdds) / -lowestOdds})
		}
	}
	return entries
}

// trainOwn learns a label from those lessons that are chosen: the mean of a machine that
// sees the words of a passage alone, and one that sees everything.
func trainOwn(ctx context.Context, lessons []lesson, node string, rows int, chosen func(lesson int) bool) *learn.Machine {
	var alone, whole []learn.Answer
	for i, l := range lessons {
		if !chosen(i) {
			continue
		}
		a := learn.Answer{Entries: l.entries, Right: slices.Contains(l.Given, node), Cost: 1}
		if !l.about(node) {
			a.Cost = undecidedCost
		}
		whole = append(whole, a)
		a.Entries = l.entries[:l.own]
		alone = append(alone, a)
	}
	machine, other := learn.TrainMachine(ctx, whole, rows), learn.TrainMachine(ctx, alone, rows)
	machine.Bias = (machine.Bias + other.Bias) / 2
	for row, weight := range other.Weights {
		machine.Weights[row] = (machine.Weights[row] + weight) / 2
	}
	return machine
}

// crossScore scores each lesson by a machine that had not seen its file.
func crossScore(ctx context.Context, lessons []lesson, node string, rows int) []float32 {
	var files []int // that have the label
	for _, l := range lessons {
		if slices.Contains(l.Given, node) && !slices.Contains(files, l.file) {
			files = append(files, l.file)
		}
	}
	folds := min(learn.Folds, len(files))
	fold := func(l lesson) int {
		if at := slices.Index(files, l.file); at >= 0 {
			return at % folds
		}
		return l.file % folds
	}
	if folds == 1 { // no other file has it
		folds = learn.Folds
		fold = func(l lesson) int { return l.passage % folds }
	}
	scores := make([]float32, len(lessons))
	for held := range folds {
		m := trainOwn(ctx, lessons, node, rows, func(i int) bool { return fold(lessons[i]) != held })
		for i, l := range lessons {
			if fold(l) == held {
				scores[i] = m.Score(l.entries)
			}
		}
	}
	return scores
}

// border returns the score from which passages carry a label, by scores of machines
// that had not seen their file. How many of the undecided passages carry it is not
// known, and so neither is F1; but the square of recall over the share of passages
// that are labelled rises and falls with it (Lee and Liu, 2003). As many more as
// there are examples keep a few high scores from being all that counts.
func border(lessons []lesson, scores []float32, node string, share float64) float64 {
	const (
		blur   = 0.1 // of a score, because there are few examples
		lowest = -1.5
		step   = 0.02
	)
	var examples []float64
	over := make([]float64, int(-2*lowest/step)+1) // by step: how many passages score as much
	for i, l := range lessons {
		if slices.Contains(l.Given, node) {
			examples = append(examples, float64(scores[i]))
		}
		for at := 0; at < len(over) && float64(scores[i]) >= lowest+float64(at)*step; at++ {
			if l.about(node) {
				over[at]++
			} else {
				over[at] += 1 / share
			}
		}
	}
	best, border := -1.0, 0.0
	for i, n := range over {
		at, recall := lowest+float64(i)*step, 0.0
		for _, score := range examples {
			recall += learn.Logistic((score-at)/blur) / float64(len(examples))
		}
		if worth := recall * recall / (n + float64(len(examples))); worth > best {
			best, border = worth, at
		}
	}
	return border
}

// ownSlope is how fast the odds of an own label rise with its score.
func ownSlope(lessons []lesson, scores []float32, node string) float32 {
	right := make([]bool, len(lessons))
	for i, l := range lessons {
		right[i] = slices.Contains(l.Given, node)
	}
	slope, _ := learn.FitLine(scores, right)
	return min(max(slope, 2), 8) // whatever a few examples say
}

// judge puts the odds of own labels at the end of those of each passage, which has so
// many of nodes.
func (o *own) judge(passages []Passage, odds []float32, nodes int) {
	vectorizer := learn.NewVectorizer(o.vocabulary, &groupWeights)
	defer vectorizer.Release()
	sums := make([]float32, len(o.slopes))
	known := nodes - len(sums)
	var v learn.Vector
	for i, f := range fileFeatures(passages) {
		v = vectorizer.Vector(v.Entries, f.own, f.heading, f.beside, f.wide)
		base, own := odds[i*nodes:][:known], odds[i*nodes+known:][:len(sums)]
		v.Entries = appendOdds(o.vocabulary, v.Entries, base)
		o.machines.Score(v.Entries, sums)
		for label, sum := range sums {
			own[label] = float32(sum*o.slopes[label]) + o.shifts[label]
		}
	}
}
