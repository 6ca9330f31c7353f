package score

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
)

// terms are the words and pairs of words of a text in order, and what each counts.
type terms []phrase

type phrase struct {
	words string
	value float64
}

// newTerms counts how often a text has each.
func newTerms(text string) terms {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	words = slices.DeleteFunc(words, func(w string) bool { return utf8.RuneCountInString(w) < 2 })
	counts := map[string]float64{}
	for i, word := range words {
		counts[word]++
		if i > 0 {
			counts[words[i-1]+" "+word]++
		}
	}
	var t terms
	for _, words := range slices.Sorted(maps.Keys(counts)) {
		t = append(t, phrase{words, counts[words]})
	}
	return t
}

// regression is what is commonly built to learn a label: logistic regression on words
// and pairs of words, each weighed by how rare it is in the decisions, vectors scaled
// to length one, with the settings that the usual library starts from.
type regression struct {
	rarity  map[string]float64
	weights map[string]float64
	bias    float64
}

// newRegression learns a label from the decisions on it.
func newRegression(decisions []nlp.Example, node string) *regression {
	var texts []terms
	var right []float64
	for _, e := range decisions {
		for i, p := range e.Passages {
			if e.Decided[i] {
				texts, right = append(texts, newTerms(p.Text)), append(right, float64(learn.Bit(slices.Contains(e.Labels[i], node))))
			}
		}
	}
	return trainRegression(texts, right)
}

// trainRegression learns which texts are right: 1, or 0.
func trainRegression(texts []terms, right []float64) *regression {
	r := &regression{rarity: map[string]float64{}, weights: map[string]float64{}}
	for _, t := range texts {
		for _, one := range t {
			r.rarity[one.words]++
		}
	}
	for words, n := range r.rarity {
		r.rarity[words] = math.Log((1+float64(len(texts)))/(1+n)) + 1
	}
	// Descent by all decisions at once, with Nesterov's momentum; what is minimised is so
	// well rounded that this is as good as any other method.
	const rounds = 600
	type entry struct {
		row   int
		value float64
	}
	rows := slices.Sorted(maps.Keys(r.rarity))
	vectors := make([][]entry, len(texts))
	for i, t := range texts {
		for _, one := range r.vector(t) {
			row, _ := slices.BinarySearch(rows, one.words)
			vectors[i] = append(vectors[i], entry{row, one.value})
		}
	}
	weights, before := make([]float64, len(rows)+1), make([]float64, len(rows)+1) // the last is the bias
	step := 1 / (1 + float64(len(texts))/2)
	for round := range rounds {
		momentum := float64(round) / float64(round+3)
		for i, w := range weights {
			weights[i], before[i] = w+momentum*(w-before[i]), w
		}
		gradient := slices.Clone(weights)
		gradient[len(rows)] = 0
		for i, vector := range vectors {
			sum := weights[len(rows)]
			for _, e := range vector {
				sum += weights[e.row] * e.value
			}
			wrong := learn.Logistic(sum) - right[i]
			for _, e := range vector {
				gradient[e.row] += wrong * e.value
			}
			gradient[len(rows)] += wrong
		}
		for i := range weights {
			weights[i] -= step * gradient[i]
		}
	}
	for row, words := range rows {
		r.weights[words] = weights[row]
	}
	r.bias = weights[len(rows)]
	return r
}

// vector weighs those terms that the decisions have.
func (r *regression) vector(t terms) terms {
	var v terms
	square := 0.0
	for _, one := range t {
		if rarity, ok := r.rarity[one.words]; ok {
			value := one.value * rarity
			v = append(v, phrase{one.words, value})
			square += value * value
		}
	}
	for i := range v {
		v[i].value /= math.Sqrt(square)
	}
	return v
}

// score is the logarithm of the odds.
func (r *regression) score(t terms) float64 {
	sum := r.bias
	for _, one := range r.vector(t) {
		sum += r.weights[one.words] * one.value
	}
	return sum
}
