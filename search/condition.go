package search

import (
	"context"
	"slices"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

// Read reads the conditions on what files say as searches of the team. They mean what
// Text of a Query means, but that no word is corrected and none left out. It is Invalid
// where an expression is not well formed.
func Read(ctx context.Context, in db.Scope, filter query.Filter, d db.Queries) (query.Filter, error) {
	if !slices.Contains(filter.Uses(), query.Said) {
		return filter, nil
	}
	groups, err := d.SynonymGroups(ctx, in)
	if err != nil {
		return filter, err
	}
	synonyms := make([][]string, len(groups))
	for i, g := range groups {
		synonyms[i] = g.Words
	}
	return filter.Read(func(op query.Op, text string) (query.Words, error) {
		text = clean(text)
		terms := parseWords(text)
		if op == query.Matches {
			if terms, _, err = parse(text, false); err != nil {
				return query.Words{}, err
			}
		}
		q := &question{Query: Query{Text: text}, scope: in, terms: withSynonyms(terms, synonyms), forms: map[string]*form{}}
		if err := q.look(ctx, d); err != nil {
			return query.Words{}, err
		}
		q.literally()
		return query.Words{Query: q.all(), Absent: !q.positive()}, nil
	})
}
