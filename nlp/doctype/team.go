package doctype

import (
	"errors"
	"math"
	"slices"

	"github.com/clausemill/clausemill/nlp/learn"
)

// Adapt returns a model of m and, on top of it, what a team's own assignments
// teach: m itself stays as it is. They may name types that m does not know. A
// model that was adapted before is adapted anew, from its base.
func (m *Model) Adapt(assigned []Example) (*Model, error) {
	team := *m
	team.layer, team.types = nil, slices.Clone(m.types[:m.known])
	for _, e := range assigned {
		if !slices.Contains(team.types, e.Type) {
			team.types = append(team.types, e.Type)
		}
	}
	if len(assigned) == 0 || len(team.types) > mostTypes {
		return nil, errors.New("a model is adapted to the contracts of 1 to 64 types")
	}
	vectorizer := learn.NewVectorizer(team.vocabulary, &groupWeights)
	lessons := make([]learn.Lesson, len(assigned))
	for i, e := range assigned {
		v := vectorizer.Vector(nil, featuresOf(e.Contract))
		l := learn.Lesson{Entries: v.Entries, Prior: make([]float32, len(team.types)), Targets: make([]float32, len(team.types)), Weight: 1}
		team.prior(v, team.trust(e.Contract), l.Prior)
		l.Targets[slices.Index(team.types, e.Type)] = 1
		lessons[i] = l
	}
	team.layer = learn.TrainLayer(lessons, len(team.types), len(team.vocabulary.Keys))
	return &team, nil
}

// prior fills odds with the prior of a contract, before a team's own assignments
// count: the logarithm of the odds of each type.
func (m *Model) prior(v learn.Vector, trust float64, odds []float32) {
	const least = 1e-4 // probability
	for i := range odds {
		odds[i] = learn.StrangerOdds
	}
	for i, p := range m.base(v, trust) {
		p = min(max(p, least), 1-least)
		odds[i] = float32(math.Log(p / (1 - p)))
	}
}
