package doctype

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/learn"
)

// Example is a contract whose type people named.
type Example struct {
	Contract

	Type string
}

// mostTypes is how many types a model can learn.
const mostTypes = 64

// The settings of training were chosen by cross-validation over contracts;
// docs/contract-types.md has the figures.
const (
	// leastContracts is how many contracts make a feature of the text worth
	// knowing. A word of a title is worth it at once: types are few contracts.
	leastContracts = 2
	// mostStems is the size of the group of stems that distinguish types, and
	// leastStemContracts in how many contracts each has to occur.
	mostStems          = 150
	leastStemContracts = 5
	// leastWeight is the packed weight below which a feature of the text is left
	// out for a type.
	leastWeight = 2
)

var (
	titleSettings = learn.LinearOptions{Cost: 10, Rounds: 40}
	textSettings  = learn.LinearOptions{Cost: 1, Rounds: 15}
)

// headLength is how much of a text, in bytes, its title and the beginning that
// repeats it take at most.
const headLength = 3000

// The first readings of a contract.
const (
	wholeText = iota
	headlessText
)

// textParts is how many parts a text is learned from on their own, beside all of
// it.
const textParts = 3

// readings are the training examples made from one contract (data augmentation): its
// text as it is, without its head, each part of it, and its title as the text would
// mention it. Contracts are few and long, so words have to predict the type in any
// part of a text, and alone.
func readings(t Contract) []Contract {
	cut := func(from, to int) Contract { return Contract{Text: strings.ToValidUTF8(t.Text[from:to], "")} }
	n := len(t.Text)
	all := []Contract{t, cut(min(headLength, n), n)}
	for part := range textParts {
		all = append(all, cut(n*part/textParts, n*(part+1)/textParts))
	}
	if t.Title != "" {
		all = append(all, Contract{Text: "this " + t.Title})
	}
	return all
}

// Train learns a model of the given types from examples. The same examples
// in the same order give the same model. Where ctx ends, its cause is the error.
func Train(ctx context.Context, types []string, examples []Example) (*Model, error) {
	if len(types) < 2 || len(types) > mostTypes {
		return nil, errors.New("a model learns 2 to 64 types")
	}
	if len(examples) < learn.Folds {
		return nil, errors.New("a model takes examples of at least five contracts")
	}
	t := &trainer{types: types}
	for _, e := range examples {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		at := slices.Index(types, e.Type)
		if at < 0 {
			return nil, errors.New("an example is of a type that is not learned")
		}
		var features [][]learn.Feature
		for _, reading := range readings(e.Contract) {
			features = append(features, featuresOf(reading))
		}
		t.features, t.answers = append(t.features, features), append(t.answers, at)
	}
	// What the views count for is found on contracts that the linear models had
	// not seen.
	var titled, untitled fit
	for fold := range learn.Folds {
		m := t.learn(ctx, func(example int) bool { return example%learn.Folds != fold })
		vectorizer := learn.NewVectorizer(m.vocabulary, &groupWeights)
		for example := fold; example < len(examples); example += learn.Folds {
			whole := vectorizer.Vector(nil, t.features[example][wholeText])
			texts := m.margins(whole, textView)
			untitled.add(t.answers[example], texts)
			untitled.add(t.answers[example], m.margins(vectorizer.Vector(nil, t.features[example][headlessText]), textView))
			if whole.Own() > 0 {
				titled.add(t.answers[example], m.margins(whole, titleView), texts)
			}
		}
	}
	m := t.learn(ctx, func(int) bool { return true })
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	copy(m.titled[:], titled.fit(views))
	m.untitled = untitled.fit(1)[0]
	return m, nil
}

// trainer holds what training goes over again and again.
type trainer struct {
	types    []string
	features [][][]learn.Feature // by example and reading
	answers  []int               // by example: the place of its type
}

// learn learns all views from the chosen examples.
func (t *trainer) learn(ctx context.Context, chosen func(example int) bool) *Model {
	m := &Model{types: slices.Clone(t.types), known: len(t.types), vocabulary: t.vocabularyOf(chosen)}
	vectorizer := learn.NewVectorizer(m.vocabulary, &groupWeights)
	var seen [views][][]learn.Entry
	var wanted [views][]uint64
	for example, features := range t.features {
		if !chosen(example) {
			continue
		}
		answer := uint64(1) << t.answers[example]
		for _, reading := range features {
			v := vectorizer.Vector(nil, reading)
			for view, entries := range [...][]learn.Entry{titleView: v.Entries[:v.Own()], textView: v.Entries[v.Own():]} {
				if len(entries) > 0 {
					seen[view], wanted[view] = append(seen[view], entries), append(wanted[view], answer)
				}
			}
		}
	}
	var learned [views]*learn.Linear
	for view, settings := range [...]learn.LinearOptions{titleView: titleSettings, textView: textSettings} {
		learned[view] = learn.TrainLinear(ctx, seen[view], wanted[view], len(t.types), len(m.vocabulary.Keys), settings)
	}
	m.pack(learned)
	return m
}

// vocabularyOf collects the features of the chosen examples that can distinguish
// types.
func (t *trainer) vocabularyOf(chosen func(example int) bool) *learn.Vocabulary {
	counts, last, group := map[uint32]uint32{}, map[uint32]int{}, map[uint32]uint8{}
	total := 0
	for example, features := range t.features {
		if !chosen(example) {
			continue
		}
		total++
		for _, f := range features[wholeText] {
			if before, ok := last[f.Key]; !ok || before != example {
				last[f.Key], group[f.Key] = example, f.Group
				counts[f.Key]++
			}
		}
	}
	var keys, stems []uint32
	for key, count := range counts {
		switch {
		case group[key] != titleWords && count < leastContracts:
		case group[key] == tellingStems:
			stems = append(stems, key)
		default:
			keys = append(keys, key)
		}
	}
	vocabularyOf := func(keys []uint32) *learn.Vocabulary {
		slices.Sort(keys)
		kept := make([]uint32, len(keys))
		for i, key := range keys {
			kept[i] = counts[key]
		}
		return learn.NewVocabulary(keys, kept, uint32(total))
	}
	return vocabularyOf(append(keys, t.telling(vocabularyOf(stems), chosen)...))
}

// telling returns the stems with the highest ratio of variance between types to
// variance within types (the F statistic of an analysis of variance).
func (t *trainer) telling(stems *learn.Vocabulary, chosen func(example int) bool) []uint32 {
	type moments struct {
		sums      []float64 // of the values, by type
		squares   float64
		contracts int
	}
	seen := make([]moments, len(stems.Keys))
	for row := range seen {
		seen[row].sums = make([]float64, len(t.types))
	}
	vectorizer := learn.NewVectorizer(stems, &groupWeights)
	total, examples := 0.0, make([]float64, len(t.types))
	for example, features := range t.features {
		if !chosen(example) {
			continue
		}
		entries := vectorizer.Vector(nil, features[headlessText]).Entries
		if len(entries) == 0 {
			continue
		}
		answer := t.answers[example]
		total++
		examples[answer]++
		for _, e := range entries {
			s, value := &seen[e.Row], float64(e.Value)
			s.sums[answer] += value
			s.squares += value * value
			s.contracts++
		}
	}
	apart := map[uint32]float64{}
	var ranked []uint32
	for row, key := range stems.Keys {
		s := seen[row]
		if s.contracts < leastStemContracts {
			continue
		}
		sum, explained := 0.0, 0.0
		for answer, ofType := range s.sums {
			sum += ofType
			explained += ofType * ofType / max(1, examples[answer])
		}
		apart[key] = (explained - sum*sum/total) / (s.squares - sum*sum/total)
		ranked = append(ranked, key)
	}
	slices.SortStableFunc(ranked, func(a, b uint32) int { return cmp.Compare(apart[b], apart[a]) })
	return ranked[:min(mostStems, len(ranked))]
}

// pack keeps the weights of the linear models in bytes, without those that are
// too small to matter. All features stay, because each counts in how long a
// vector is.
func (m *Model) pack(learned [views]*learn.Linear) {
	types := len(m.types)
	for view, l := range learned {
		units := make([]float32, types)
		for i, weight := range l.Weights {
			units[i%types] = max(units[i%types], float32(abs(float64(weight)))/math.MaxInt8)
		}
		m.views[view].Units, m.views[view].Bias = units, l.Bias
	}
	m.weights.Starts = make([]uint32, 1, len(m.vocabulary.Keys)+1)
	for row := range m.vocabulary.Keys {
		for view, l := range learned {
			for i, weight := range l.Weights[row*types:][:types] {
				value := math.Round(float64(weight / max(m.views[view].Units[i], math.SmallestNonzeroFloat32)))
				if abs(value) >= leastWeight {
					m.weights.Packed = append(m.weights.Packed, learn.NewWeight(view*types+i, int8(value)))
				}
			}
		}
		m.weights.Starts = append(m.weights.Starts, uint32(len(m.weights.Packed)))
	}
}

// fit finds what the margins of views count for, so that their sum is the
// logarithm of odds.
type fit struct {
	margins [][][]float64 // by example, view and type
	answers []int
}

func (f *fit) add(answer int, views ...[]float64) {
	f.margins, f.answers = append(f.margins, views), append(f.answers, answer)
}

// fit returns a factor for each view, by gradient ascent on the likelihood.
func (f *fit) fit(views int) []float32 {
	const (
		rounds = 2000
		rate   = 0.5
	)
	factors := make([]float64, views)
	for i := range factors {
		factors[i] = 1
	}
	for range rounds {
		slopes := make([]float64, views)
		for example, margins := range f.margins {
			p := make([]float64, len(margins[0]))
			for view, list := range margins {
				for i, margin := range list {
					p[i] += factors[view] * margin
				}
			}
			softmax(p)
			for view, list := range margins {
				for i, margin := range list {
					slopes[view] += margin * (float64(learn.Bit(i == f.answers[example])) - p[i])
				}
			}
		}
		for view, slope := range slopes {
			factors[view] = max(0, factors[view]+rate*slope/float64(max(1, len(f.answers))))
		}
	}
	out := make([]float32, views)
	for i, factor := range factors {
		out[i] = float32(factor)
	}
	return out
}
