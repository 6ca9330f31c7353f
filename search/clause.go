package search

import (
	"regexp"
	"slices"
	"strings"
)

// clause is phrases that must all be in a sentence, each a run of stems, and others
// that must not. It is what a search server beside Postgres can be asked.
type clause struct {
	has, lacks []string
	weight     float64 // against the other clauses; 1 where 0
}

// The bounds of what a server is asked: clauses of which any may hold, and phrases in
// one of them, of which it reads no more.
const (
	mostClauses = 40
	mostPhrases = 10
)

// clauses are q for a server that knows neither parentheses nor spellings: one of them
// holds of what q holds of. It is not ok where they would be too many, and where words
// are to be near each other.
func (q *question) clauses() (list []clause, ok bool) {
	list = []clause{{}}
	seen := map[string]bool{"": true}
	for _, t := range q.terms {
		query := q.render(t)
		if seen[query] {
			continue
		}
		seen[query] = true
		if list, ok = q.each(list, t, false); !ok {
			return nil, false
		}
	}
	for _, c := range list {
		if len(c.has) > mostPhrases {
			return nil, false
		}
	}
	return list, true
}

// most are clauses for most of words, the rarest first: any two of the rarest
// together, and then any of them. It is not ok where what must be absent is too much.
func (q *question) most(words []rated) (list []clause, ok bool) {
	const paired = 5
	without := []clause{{}}
	for _, t := range q.absent() {
		if without, ok = q.each(without, t, false); !ok {
			return nil, false
		}
	}
	ways := make([][]clause, len(words))
	for i, w := range words {
		ways[i], _ = q.ways(w.term, false)
	}
	var pairs, singles []clause
	for i := range words {
		for _, one := range ways[i] {
			for _, absent := range without {
				single := one.and(absent)
				single.weight = 0.5 / float64(i+1)
				singles = append(singles, single)
			}
			for j := i + 1; j < min(len(words), paired); j++ {
				for _, other := range ways[j] {
					for _, absent := range without {
						pairs = append(pairs, one.and(other).and(absent))
					}
				}
			}
		}
	}
	list = slices.Concat(pairs[:min(len(pairs), mostClauses/2)], singles)
	return list[:min(len(list), mostClauses)], true
}

// and is a clause for what c and other hold of.
func (c clause) and(other clause) clause {
	return clause{has: union(c.has, other.has), lacks: union(c.lacks, other.lacks)}
}

// each are clauses for what list and t hold of.
func (q *question) each(list []clause, t term, excluded bool) ([]clause, bool) {
	ways, ok := q.ways(t, excluded)
	if !ok || len(list)*len(ways) > mostClauses {
		return nil, false
	}
	var all []clause
	for _, c := range list {
		for _, way := range ways {
			all = append(all, c.and(way))
		}
	}
	return all, true
}

// union is list with what else there is of more.
func union(list, more []string) []string {
	all := slices.Clone(list)
	for _, s := range more {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// ways are clauses for t, or for what t does not hold of.
func (q *question) ways(t term, excluded bool) (list []clause, ok bool) {
	excluded = excluded != t.not
	if t.group == nil {
		return q.waysOf(t, excluded)
	}
	if t.group.op == opNear {
		return nil, false
	}
	any := (t.group.op == opOr) != excluded
	if !any {
		list = []clause{{}}
	}
	for _, part := range t.group.parts {
		if q.render(part) == "" {
			continue
		}
		if !any {
			if list, ok = q.each(list, part, excluded); !ok {
				return nil, false
			}
			continue
		}
		more, ok := q.ways(part, excluded)
		if list = append(list, more...); !ok || len(list) > mostClauses {
			return nil, false
		}
	}
	return list, true
}

// waysOf are those of a word or phrase.
func (q *question) waysOf(t term, excluded bool) (list []clause, ok bool) {
	var phrases []string
	for _, words := range append([][]string{t.words}, t.others...) {
		wholes := []string{""}
		for _, w := range words {
			stems := q.form(w).stems()
			if len(stems) == 0 {
				continue
			}
			if len(wholes)*len(stems) > mostClauses {
				return nil, false
			}
			var longer []string
			for _, whole := range wholes {
				for _, stem := range stems {
					longer = append(longer, strings.TrimSpace(whole+" "+stem))
				}
			}
			wholes = longer
		}
		phrases = append(phrases, slices.DeleteFunc(wholes, func(whole string) bool { return whole == "" })...)
	}
	if excluded {
		return []clause{{lacks: phrases}}, true
	}
	for _, phrase := range phrases {
		list = append(list, clause{has: []string{phrase}})
	}
	return list, len(list) <= mostClauses
}

// stems are the alternatives of f as they are indexed.
func (f *form) stems() []string {
	var list []string
	for _, query := range f.alternatives() {
		if stem := stemOf(query); stem != "" && !slices.Contains(list, stem) {
			list = append(list, stem)
		}
	}
	return list
}

var lexeme = regexp.MustCompile(`'((?:[^']|'')*)'`)

// stemOf is the run of stems that a tsquery of lexemes is.
func stemOf(query string) string {
	var list []string
	for _, m := range lexeme.FindAllStringSubmatch(query, -1) {
		list = append(list, plain(m[1]))
	}
	return strings.Join(strings.Fields(strings.Join(list, " ")), " ")
}

// String is c as a server is asked. Each phrase is quoted, so that it is looked for as
// it is; the space at the end says that its last word is complete.
func (c clause) String() string {
	var b strings.Builder
	for _, phrase := range c.lacks {
		b.WriteString(`-"` + phrase + `" `)
	}
	for _, phrase := range c.has {
		b.WriteString(`"` + phrase + `" `)
	}
	return b.String()
}
