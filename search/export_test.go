package search

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/query"
)

// What the tests of this room look at from inside.
var (
	Parse      = func(text string) []string { return render(parse(text)) }
	Neighbours = func(word string) []string { return neighbours([]rune(word)) }
	Snippet    = func(text string, words ...string) string {
		return snippet([]rune(text), newMarker(words, nil).mark(text))
	}
	Marked = func(text string, words ...string) []string {
		var list []string
		for _, at := range newMarker(words, nil).mark(text) {
			list = append(list, string([]rune(text)[at.start:at.end]))
		}
		return list
	}
	Fold        = fold
	Plain       = plain
	BySentences = bySentences
)

// The patience of a Fallback.
const (
	TripAfter     = tripAfter
	RestFor       = restFor
	SnippetLength = snippetLength
)

// SetClock replaces the clock of f.
func (f *Fallback) SetClock(now func() time.Time) { f.now = now }

func render(terms []term) []string {
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = t.String()
	}
	return list
}

// CheckMarks requires that what is marked in text lies in it, in order.
func CheckMarks(t *testing.T, text string) {
	t.Helper()
	runes := bare(text)
	last := 0
	for _, at := range marks(text) {
		require.LessOrEqual(t, last, at.start)
		require.Less(t, at.start, at.end)
		require.LessOrEqual(t, at.end, len(runes))
		last = at.end
	}
}

// Indexed reports which documents of Meilisearch have a field.
func Indexed(f query.Field) (file, sentence bool) {
	return attribute(kindFile, f) != "", attribute(kindSentence, f) != ""
}
