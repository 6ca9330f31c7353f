package label

import (
	"errors"
	"fmt"
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
	mostUndecided = 10
)

// Adapt returns m with a layer trained on a team's decisions; m itself is unchanged.
// Decisions may be on a few passages of each file, as Decided lists, and name nodes
// that m does not know. For a model that was adapted before, a new layer is trained
// over its base.
func (m *Model) Adapt(decisions []Example) (*Model, error) {
	team := *m
	team.layer, team.nodes = nil, slices.Clone(m.nodes[:m.known])
	index := map[string]int{}
	for i, node := range team.nodes {
		index[node] = i
	}
	for _, example := range decisions {
		if !example.whole() {
			return nil, errUneven
		}
		for _, labels := range example.Labels {
			for _, label := range labels {
				if _, ok := index[label]; !ok {
					index[label] = len(team.nodes)
					team.nodes = append(team.nodes, label)
				}
			}
		}
	}
	if len(team.nodes) > mostNodes {
		return nil, fmt.Errorf("a model knows at most %d labels, and with those that people gave there would be %d", mostNodes, len(team.nodes))
	}
	lessons := team.lessons(decisions, index)
	if len(lessons) == 0 {
		return nil, errors.New("there are no decisions to learn from")
	}
	team.layer = learn.TrainLayer(lessons, len(team.nodes), len(team.vocabulary.Keys))
	return &team, nil
}

func (m *Model) lessons(decisions []Example, index map[string]int) []learn.Lesson {
	var lessons, undecided []learn.Lesson
	vectorizer := learn.NewVectorizer(m.vocabulary, &groupWeights)
	for _, example := range decisions {
		prior := m.odds(example.Passages)
		for i, features := range fileFeatures(example.Passages) {
			l := learn.Lesson{Prior: prior[i*len(m.nodes):][:len(m.nodes)], Targets: make([]float32, len(m.nodes)), Weight: 1}
			if example.decided(i) {
				for _, label := range example.Labels[i] {
					l.Targets[index[label]] = 1
				}
			} else {
				l.Weight = undecidedWeight
				for node := range l.Targets {
					l.Targets[node] = float32(learn.Logistic(float64(l.Prior[node])))
				}
			}
			l.Entries = vectorizer.Vector(nil, features.own, features.heading, features.beside).Entries
			if example.decided(i) {
				lessons = append(lessons, l)
			} else {
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
