package value

import (
	"cmp"
	"slices"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Mention is a value and the words that say it.
type Mention struct {
	lex.Extent
	Key        Key
	Value      Value
	Confidence float64 // 0 to 1
}

// extractor finds values of one sort. It must not panic on any tape, and every
// mention must lie within its text.
type extractor interface {
	extract(t *Tape) []Mention
}

// extractors run over English texts, those of known over texts in the other languages
// that have a lexicon, and those of anyLanguage over every one.
var (
	anyLanguage = []extractor{dates{}, amounts{}, percentages{}}
	known       = []extractor{periods{}, organizations{}}
	extractors  = []extractor{periods{}, jurisdictions{}, organizations{}, persons{}, addresses{}}
)

// Find reads what t says, in order. Of a text in a language that is not known it takes
// what needs none: figures of dates, money and percentages.
func Find(t *Tape, english bool) []Mention {
	list := anyLanguage
	switch {
	case english:
		list = slices.Concat(anyLanguage, extractors)
	case t.words != nil:
		list = append(slices.Concat(anyLanguage, known), laws{lawsOf[t.language]})
	}
	var found []Mention
	for _, e := range list {
		found = append(found, e.extract(t)...)
	}
	Sort(found)
	return found
}

// Sort puts them in the order of their places, the longer of those that
// begin in one place first.
func Sort(list []Mention) {
	slices.SortStableFunc(list, func(a, b Mention) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Key, b.Key))
	})
}
