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

func (m *Model) lessons(decisions []Example) []learn.Lesson {
	var lessons, undecided []learn.Lesson
	vectorizer := learn.NewVectorizer(m.vocabulary, &groupWeights)
	for _, example := range decisions {
		prior := m.odds(example.Passages)
		for i, features := range fileFeatures(example.Passages) {
			l := learn.Lesson{Prior: prior[i*len(m.nodes):][:m.known], Targets: make([]float32, m.known), Weight: 1}
			if !example.decided(i) {
				for node := range l.Targets {
					l.Targets[node] = float32(learn.Logistic(float64(l.Prior[node])))
				}
			}
			part, said := example.said(i)
			for target, nodes := range [][]string{part.Refused, part.Given} {
				for _, label := range nodes {
					if node := slices.Index(m.nodes[:m.known], label); node >= 0 {
						l.Targets[node] = float32(target)
					}
				}
			}
			l.Entries = vectorizer.Vector(nil, features.own, features.heading, features.beside).Entries
			if said {
				lessons = append(lessons, l)
			} else {
				l.Weight = undecidedWeight
				undecided = append(undecided, l)
			}
		}
	}
	if most := mostUndecided * len(lessons); len(undecided) > most {
		order := make([]int, len(undecided))
		for i := range order {
			order[i] = i
		}
		random := learn.Randomizer(1)
		random.Shuffle(order)
		chosen := make([]learn.Lesson, most)
		for i := range chosen {
			chosen[i] = undecided[order[i]]
		}
		undecided = chosen
	}
	if len(lessons) == 0 {
		return nil
	}
	return append(lessons, undecided...)
}
