package search

import (
	"strings"
	"time"

	"github.com/clausemill/clausemill/query"
)

// What the tests of this room look at from inside.
var (
	Parse      = func(text string) []string { return render(parseWords(text)) }
	Neighbours = func(word string) []string { return neighbours([]rune(word)) }
	Snippet    = func(text string, words ...string) string {
		return snippet([]rune(text), newMarker([][]string{words}, nil).mark(text))
	}
	Marked = func(text string, words ...string) []string {
		var list []string
		for _, at := range newMarker([][]string{words}, nil).mark(text) {
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

// ParseTerms reads what was typed, each term as it could have been.
func ParseTerms(text string) ([]string, error) {
	terms, _, err := parse(text, false)
	return render(terms), err
}

// ParseExpression writes an expression as it was read.
func ParseExpression(text string) (string, error) {
	terms, _, err := parseExpression(text, false)
	return strings.Join(render(terms), " "), err
}

func render(terms []term) []string {
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = t.String()
	}
	return list
}

// Indexed reports which documents of Meilisearch have a field.
func Indexed(f query.Field) (file, sentence bool) {
	return attribute(kindFile, f) != "", attribute(kindSentence, f) != ""
}
