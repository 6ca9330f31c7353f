package label

import (
	"context"
	"errors"
	"slices"

	"github.com/clausemill/clausemill/nlp/learn"
)

const (
	// lowestOdds is used for a passage that the base model rules out.
	lowestOdds = -8
	// undecidedWeight is what a passage counts that nobody decided about: it
	// holds the model to what it said before.
	undecidedWeight = 0.1
	// mostUndecided is how many of them there are at most to each decision.
	mostUndecided = 5
)

// Adapt returns the base of m with the labels of decisions that it does not know, until
// ctx ends, whose cause is then the error; m itself is unchanged. Decisions may be on a
// few passages of each file, as Decided lists. A label that has LeastExamples gets a
// machine of its own, and told says what became of each.
func (m *Model) Adapt(ctx context.Context, decisions []Example) (team *Model, told []OwnLabel, err error) {
	adapted := *m
	adapted.layer, adapted.own, adapted.nodes = nil, nil, slices.Clone(m.nodes[:m.known])
	if slices.ContainsFunc(decisions, func(e Example) bool { return !e.whole() }) {
		return nil, nil, errUneven
	}
	if !slices.ContainsFunc(decisions, func(e Example) bool { return !e.silent() }) {
		return nil, nil, errNothing
	}
	adapted.own, told = adapted.learnOwn(ctx, decisions)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	for _, label := range told {
		if label.Learned {
			adapted.nodes = append(adapted.nodes, label.Node)
		}
	}
	return &adapted, told, nil
}

var errNothing = errors.New("there are no decisions to learn from")

// Corrected returns m with a layer that is trained on decisions about the nodes of its
// base, of which each is whole.
func (m *Model) Corrected(decisions []Example) *Model {
	corrected := *m
	corrected.layer = learn.TrainLayer(corrected.lessons(decisions), m.known, len(m.vocabulary.Keys))
	return &corrected
}

// prior is what the base of a model makes of a file, as logarithms of odds.
type prior struct {
	of   *learn.Forest // whose it is
	odds []float32     // by passage and node of the base
}

// Read returns decisions with what the base of m makes of their files, so that Adapt, Try and
// Corrected need not ask again. It takes as many processors as there are.
func (m *Model) Read(ctx context.Context, decisions []Example) []Example {
	read := slices.Clone(decisions)
	learn.Each(len(read), func(i int) {
		if ctx.Err() == nil {
			read[i].prior = &prior{m.forest, m.priorOf(&read[i])}
		}
	})
	return read
}

// priorOf returns what the base of m makes of an example, by passage and node of the base.
func (m *Model) priorOf(e *Example) []float32 {
	if e.prior != nil && e.prior.of == m.forest {
		return e.prior.odds
	}
	base := *m
	base.nodes = m.nodes[:m.known]
	return base.odds(e.Passages)
}

// place is a passage of one of several files.
type place struct{ file, passage int }

// lessons are the passages that something was said of, and some of the others, which hold
// the layer to what the base says of them.
func (m *Model) lessons(decisions []Example) []learn.Lesson {
	var said, undecided []place
	for file := range decisions {
		for i := range decisions[file].Passages {
			if _, ok := decisions[file].said(i); ok {
				said = append(said, place{file, i})
			} else {
				undecided = append(undecided, place{file, i})
			}
		}
	}
	if len(said) == 0 {
		return nil
	}
	if most := mostUndecided * len(said); len(undecided) > most {
		order := make([]int, len(undecided))
		for i := range order {
			order[i] = i
		}
		random := learn.Randomizer(1)
		random.Shuffle(order)
		some := make([]place, most)
		for i := range some {
			some[i] = undecided[order[i]]
		}
		undecided = some
	}
	chosen := slices.Concat(said, undecided)
	lessons := make([]learn.Lesson, len(chosen))
	byFile := make([]map[int]int, len(decisions)) // by passage: its place among the chosen
	for at, p := range chosen {
		if byFile[p.file] == nil {
			byFile[p.file] = map[int]int{}
		}
		byFile[p.file][p.passage] = at
	}
	learn.Each(len(decisions), func(file int) {
		if len(byFile[file]) == 0 {
			return
		}
		e := &decisions[file]
		prior := m.priorOf(e)
		vectorizer := learn.NewVectorizer(m.vocabulary, &groupWeights)
		defer vectorizer.Release()
		for i, features := range fileFeatures(e.Passages) {
			if at, ok := byFile[file][i]; ok {
				lessons[at] = m.lesson(e, i, prior[i*m.known:][:m.known])
				lessons[at].Entries = vectorizer.Vector(nil, features.own, features.heading, features.beside).Entries
			}
		}
	})
	return lessons
}

// lesson is a passage with what it should be, without its entries.
func (m *Model) lesson(e *Example, passage int, prior []float32) learn.Lesson {
	l := learn.Lesson{Prior: prior, Targets: make([]float32, m.known), Weight: 1}
	if !e.decided(passage) {
		for node := range l.Targets {
			l.Targets[node] = float32(learn.Logistic(float64(l.Prior[node])))
		}
	}
	part, said := e.said(passage)
	for target, nodes := range [][]string{part.Refused, part.Given} {
		for _, label := range nodes {
			if node := slices.Index(m.nodes[:m.known], label); node >= 0 {
				l.Targets[node] = float32(target)
			}
		}
	}
	if !said {
		l.Weight = undecidedWeight
	}
	return l
}
