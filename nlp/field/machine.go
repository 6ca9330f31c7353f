package field

import (
	"context"
	"math"
	"slices"

	"github.com/clausemill/clausemill/nlp/learn"
)

// lesson is a sentence or a candidate that is learned from.
type lesson struct {
	features []learn.Feature // group by group
	file     int
	right    bool
	unknown  bool // nobody said anything of its file
}

// wrongCost is what it costs to be wrong about a lesson that is not right, of which there
// are many more.
const wrongCost = 0.3

// unknownCost is what it costs of a file of which nobody said anything: it may have a
// value.
const unknownCost = 0.05

// machine tells lessons that are right from others.
type machine struct {
	vocabulary *learn.Vocabulary
	weights    learn.Weights
	unit, bias float32
	groups     *[learn.MostGroups]float64
}

// trainMachine learns from the lessons of those files that are chosen.
func trainMachine(ctx context.Context, lessons []lesson, groups *[learn.MostGroups]float64, chosen func(file int) bool) *machine {
	lessons = slices.Clone(lessons)
	lessons = slices.DeleteFunc(lessons, func(l lesson) bool { return !chosen(l.file) })
	m := &machine{vocabulary: vocabularyOf(lessons), groups: groups}
	vectorizer := learn.NewVectorizer(m.vocabulary, groups)
	defer vectorizer.Release()
	answers := make([]learn.Answer, len(lessons))
	for i, l := range lessons {
		answers[i] = learn.Answer{Entries: vectorizer.Vector(nil, l.features).Entries, Right: l.right, Cost: wrongCost}
		switch {
		case l.right:
			answers[i].Cost = 1
		case l.unknown:
			answers[i].Cost = unknownCost
		}
	}
	m.pack(learn.TrainMachine(ctx, answers, len(m.vocabulary.Keys)))
	return m
}

// vocabularyOf collects the features of lessons.
func vocabularyOf(lessons []lesson) *learn.Vocabulary {
	type tally struct {
		lessons uint32
		last    int
	}
	tallies := map[uint32]tally{}
	for i, l := range lessons {
		for _, f := range l.features {
			if t := tallies[f.Key]; t.lessons == 0 || t.last != i {
				tallies[f.Key] = tally{t.lessons + 1, i}
			}
		}
	}
	keys := make([]uint32, 0, len(tallies))
	for key, t := range tallies {
		if t.lessons > 1 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	counts := make([]uint32, len(keys))
	for i, key := range keys {
		counts[i] = tallies[key].lessons
	}
	return learn.NewVocabulary(keys, counts, uint32(len(lessons)))
}

// pack keeps the weights of t that are large enough to matter.
func (m *machine) pack(t *learn.Machine) {
	for _, weight := range t.Weights {
		m.unit = max(m.unit, float32(math.Abs(float64(weight)))/math.MaxInt8)
	}
	m.unit = max(m.unit, math.SmallestNonzeroFloat32)
	m.bias = t.Bias
	m.weights.Starts = make([]uint32, 1, len(t.Weights)+1)
	for _, weight := range t.Weights {
		if packed := math.Round(float64(weight / m.unit)); packed != 0 {
			m.weights.Packed = append(m.weights.Packed, learn.NewWeight(0, int8(packed)))
		}
		m.weights.Starts = append(m.weights.Starts, uint32(len(m.weights.Packed)))
	}
}

// scorer scores features by one machine, one after the other.
type scorer struct {
	m          *machine
	vectorizer interface {
		Vector(entries []learn.Entry, parts ...[]learn.Feature) learn.Vector
		Release()
	}
	entries []learn.Entry
}

func (m *machine) scorer() *scorer {
	return &scorer{m: m, vectorizer: learn.NewVectorizer(m.vocabulary, m.groups)}
}

// score is above 0 for what is rather right.
func (s *scorer) score(features []learn.Feature) float32 {
	v := s.vectorizer.Vector(s.entries, features)
	s.entries = v.Entries
	var sums learn.SlotSums
	s.m.weights.Add(v.Entries, &sums)
	return float32(sums[0]*s.m.unit) + s.m.bias
}
