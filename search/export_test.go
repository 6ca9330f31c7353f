package search

import (
	"strings"
	"time"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

// What the tests of this room look at from inside.
var (
	Parse      = func(text string) []string { return render(parseWords(text)) }
	Neighbours = func(word string) []string { return neighbours([]rune(word)) }
	Snippet    = func(text string, words ...string) string {
		text = string([]rune(text)) // valid UTF-8, as all that Postgres has
		return snippet(text, newMarker([][]string{words}, nil).mark(text))
	}
	Marked = func(text string, words ...string) []string {
		var list []string
		for _, at := range newMarker([][]string{words}, nil).mark(text) {
			list = append(list, text[at.start:at.end])
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

// WordShare is the share of sentences that hold a word of so many files.
func WordShare(known db.WordStatistics, teamID string, files, anyForm int, share float64) float64 {
	q := question{statistics: known, scope: db.System(teamID)}
	return q.wordShare(&form{WordForm: db.WordForm{Files: files, AnyForm: anyForm}, share: share})
}

// Asked is the part of a query that the index is asked for, by the shares of its words or, of
// those that Postgres does not know, the numbers of files.
func Asked(known db.WordStatistics, teamID, text string, shares map[string]float64, files map[string]int) (string, error) {
	terms, _, err := parse(text, false)
	q := question{Query: Query{Text: text}, statistics: known, scope: db.System(teamID), terms: terms, forms: map[string]*form{}}
	for _, t := range leaves(terms) {
		for _, w := range t.words {
			q.forms[w] = &form{WordForm: db.WordForm{Queries: []string{w}, Files: files[w]}, share: shares[w]}
		}
	}
	return q.asked(), err
}

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

// BuildNearestInParts is BuildNearest with how many sentences it keeps in memory.
var BuildNearestInParts = buildNearest

// NearestIndex is the stored index that a team's questions are answered from; "" for none.
func (n *Nearest) NearestIndex(teamID string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c := n.teams[teamID]; c != nil {
		return c.index
	}
	return ""
}

// Renew has the next question look for another index of the team.
func (n *Nearest) Renew(teamID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c := n.teams[teamID]; c != nil {
		c.asked = time.Time{}
	}
}

// Forget lets go of a team as when nobody has asked for long, and reports whether its
// index was let go of as well.
func (n *Nearest) Forget(teamID string) (unmapped bool) {
	n.mu.Lock()
	c := n.teams[teamID]
	n.mu.Unlock()
	if c == nil {
		return true
	}
	n.drop(teamID, c)
	n.mu.Lock()
	defer n.mu.Unlock()
	return c.users == 0
}

// Indexed reports which documents of Meilisearch have a field.
func Indexed(f query.Field) (file, sentence bool) {
	return attribute(kindFile, f) != "", attribute(kindSentence, f) != ""
}
