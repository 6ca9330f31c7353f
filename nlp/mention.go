package nlp

import (
	"cmp"
	"slices"

	"github.com/clausemill/clausemill/nlp/lex"
)

// mention is a value and the words that say it.
type mention struct {
	lex.Extent
	key        Key
	value      Value
	confidence float64 // 0 to 1
}

// extractor finds values of one sort. It must not panic on any tape, and every
// mention must lie within its text.
type extractor interface {
	extract(t *tape) []mention
}

// extractors run over English texts, those of anyLanguage over every one.
var (
	anyLanguage = []extractor{dates{}, amounts{}, percentages{}}
	extractors  = []extractor{periods{}, jurisdictions{}, organizations{}, persons{}, addresses{}}
)

// findMentions reads what t says, in order. Of a text that is not English it takes
// what needs no language: figures of dates, money and percentages.
func findMentions(t *tape, english bool) []mention {
	var found []mention
	for _, e := range anyLanguage {
		found = append(found, e.extract(t)...)
	}
	if english {
		for _, e := range extractors {
			found = append(found, e.extract(t)...)
		}
	}
	sortMentions(found)
	return found
}

// sortMentions puts them in the order of their places, the longer of those that
// begin in one place first.
func sortMentions(list []mention) {
	slices.SortStableFunc(list, func(a, b mention) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.key, b.key))
	})
}
