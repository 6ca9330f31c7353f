package search

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
)

// lexicon knows the words of teams. Both engines ask it, so that they look for the
// same stems, in the same languages and the same other spellings.
type lexicon struct {
	db *db.DB

	mu         sync.Mutex
	statistics db.WordStatistics
	readAt     time.Time
}

func newLexicon(d *db.DB) *lexicon { return &lexicon{db: d} }

// question reads q, which is checked, and looks its words up.
func (l *lexicon) question(ctx context.Context, in db.Scope, query Query, byFile bool) (*question, error) {
	terms, cut, err := parse(query.Text, query.Prefix)
	if err != nil {
		return nil, err
	}
	query.Prefix = query.Prefix && !cut // what comes before an operator is complete
	q := &question{Query: query, scope: in, byFile: byFile, terms: withSynonyms(terms, query.Synonyms), forms: map[string]*form{}}
	if len(q.terms) == 0 && query.Text != "" {
		return q, nil
	}
	if q.statistics, err = l.wordStatistics(ctx); err != nil {
		return nil, err
	}
	return q, l.understand(ctx, q)
}

// look looks the words of q up in the index.
func (q *question) look(ctx context.Context, in db.Queries) error {
	typed := map[string]string{} // by word as fold makes it
	for _, t := range leaves(q.terms) {
		for _, words := range append([][]string{t.words}, t.others...) {
			for _, w := range words {
				q.forms[fold(w)], typed[fold(w)] = &form{}, w
			}
		}
	}
	if len(q.forms) == 0 {
		return nil
	}
	list := slices.Sorted(maps.Keys(q.forms))
	asTyped := make([]string, len(list))
	for i, w := range list {
		asTyped[i] = typed[w]
	}
	languages, known, err := in.WordForms(ctx, q.scope, list, asTyped)
	if err != nil {
		return err
	}
	q.languages = languages
	for i, w := range list {
		q.forms[w].WordForm = known[i]
		q.forms[w].share = q.share(known[i].Queries)
	}
	return nil
}

// understand looks the words of q up, and finds other spellings for those that
// the team does not use.
func (l *lexicon) understand(ctx context.Context, q *question) error {
	if err := q.look(ctx, l.db.Queries); err != nil || len(q.forms) == 0 {
		return err
	}
	if q.Prefix {
		if err := l.complete(ctx, q); err != nil {
			return err
		}
	}
	if err := l.respell(ctx, q); err != nil {
		return err
	}
	q.literally()
	return nil
}

// complete expands the last word of q to all words that begin with it.
func (l *lexicon) complete(ctx context.Context, q *question) error {
	last := q.terms[len(q.terms)-1]
	if last.quoted || last.not || last.group != nil {
		return nil
	}
	const most = 30
	word := fold(last.words[len(last.words)-1])
	longer, err := l.db.WordsWithPrefix(ctx, q.scope, q.languages, word, most)
	if err != nil {
		return err
	}
	f := q.forms[word]
	f.prefix = true
	for _, other := range longer {
		f.Stop = false
		for _, query := range other.Queries {
			if !slices.Contains(f.others, query) {
				f.others = append(f.others, query)
				f.share += q.share([]string{query})
			}
		}
		f.Files += other.Files
	}
	return nil
}

// Spellings that stand in for one word, and words that are respelled at once.
const (
	mostSpellings = 4
	mostRespelled = 8
)

// respell finds other spellings for words that the team does not use. One that it
// uses is meant, however rare it is.
func (l *lexicon) respell(ctx context.Context, q *question) error {
	var list []string
	var near [][]string
	for _, t := range leaves(q.terms) {
		for _, w := range t.words {
			w = fold(w)
			f := q.forms[w]
			runes := []rune(w)
			skip := t.quoted || t.not || len(t.others) > 0 || len(f.Queries) == 0 || f.Stop || f.prefix || f.respelled || edits(runes) == 0 || len(runes) > maxWord
			if skip || f.Files > 0 || f.share > 0 || len(list) == mostRespelled {
				continue
			}
			f.respelled = true
			list, near = append(list, w), append(near, neighbours(runes))
		}
	}
	if len(list) == 0 {
		return nil
	}
	spellings, err := l.db.Spellings(ctx, q.scope, q.languages, list, near)
	if err != nil {
		return err
	}
	for _, w := range list {
		q.forms[w].spell(w, spellings)
		q.forms[w].share += q.share(q.forms[w].others)
	}
	return nil
}

// wordStatistics are renewed every few minutes; they change as slowly as the
// language of contracts.
func (l *lexicon) wordStatistics(ctx context.Context) (db.WordStatistics, error) {
	const lifetime = 5 * time.Minute
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.readAt) < lifetime {
		return l.statistics, nil
	}
	fresh, err := l.db.WordStatistics(ctx)
	if err != nil {
		return db.WordStatistics{}, err
	}
	l.statistics, l.readAt = fresh, time.Now()
	return fresh, nil
}
