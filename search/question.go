package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/db"
)

// question is a query that Postgres has been asked about word by word.
type question struct {
	Query
	scope      db.Scope
	byFile     bool
	languages  []string // of the team's texts
	terms      []term
	forms      map[string]*form // by word as fold makes it
	statistics db.WordStatistics
	first      string // the tsquery that counts most, where not all words are held; else ""
}

// form is that of a word as it was typed.
func (q *question) form(word string) *form { return q.forms[fold(word)] }

// form is the form of a word in the index, with its alternatives.
type form struct {
	db.WordForm
	others    []string // tsqueries of other spellings, the likeliest first
	spellings []string // the words of others, where it was respelled
	share     float64  // of sentences that have it; 0 for a rare one
	prefix    bool
	respelled bool
}

// maxWord is the longest word that is respelled, in code points.
const maxWord = 40

// spell takes up the spellings of word that are close enough. A spelling two
// edits away must be far commoner than one that is one edit away.
func (f *form) spell(word string, spellings []db.Spelling) {
	const perEdit = 50
	type candidate struct {
		db.Spelling
		weight float64
	}
	var close []candidate
	runes := []rune(word)
	for _, s := range spellings {
		if s.Word != word || s.Like == word {
			continue
		}
		if s.Stop {
			// No word is as common as these.
			f.spellings, f.others, f.Queries, f.Stop = []string{s.Like}, nil, s.Queries, true
			return
		}
		most := edits(runes)
		if d := Distance(runes, []rune(s.Like), most); d <= most {
			close = append(close, candidate{s, float64(s.Files) / math.Pow(perEdit, float64(d))})
		}
	}
	slices.SortFunc(close, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.Like, b.Like))
	})
	for _, c := range close[:min(len(close), mostSpellings)] {
		f.others = append(f.others, c.Queries...)
		f.spellings = append(f.spellings, c.Like)
		f.Files += c.Files
	}
}

// usedBy is how many files of the team use the word in any form or spelling.
func (f *form) usedBy() int { return max(f.Files, f.AnyForm) }

// alternatives are the tsqueries that stand for the word, each once and in order.
func (f *form) alternatives() []string {
	list := append(slices.Clone(f.others), f.Queries...)
	slices.Sort(list)
	return slices.Compact(list)
}

// query is the tsquery for the word or its alternatives; "" where it has none.
func (f *form) query() string {
	if list := f.alternatives(); len(list) > 0 {
		return either(list)
	}
	return ""
}

// either is the tsquery for any of queries.
func either(queries []string) string {
	if len(queries) == 1 {
		return queries[0]
	}
	return "(" + strings.Join(queries, " | ") + ")"
}

// rated is the tsquery of a word with how common that is.
type rated struct {
	query string
	share float64 // of sentences
	files int     // of the team
	term  term    // what it is the query of
}

// pairs is the tsquery for any two of words in one sentence, with its
// likelihood.
func pairs(words []rated) (string, float64) {
	var list []string
	likelihood := 0.0
	for i, a := range words {
		for _, b := range words[i+1:] {
			list = append(list, "("+a.query+" & "+b.query+")")
			likelihood = max(likelihood, together(a.share, b.share))
		}
	}
	return either(list), likelihood
}

// singles is the tsquery for any of words, with its likelihood.
func singles(words []rated) (string, float64) {
	likelihood := 0.0
	for _, w := range words {
		likelihood = max(likelihood, w.share)
	}
	return either(queries(words)), likelihood
}

func queries(words []rated) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.query
	}
	return list
}

// together estimates the share of sentences that contain words of these shares. Words
// in a text are correlated, so each further word reduces it by less than its share.
func together(shares ...float64) float64 {
	least, product := 1.0, 1.0
	for _, share := range shares {
		share = min(1, share)
		least = min(least, share)
		product *= math.Sqrt(share)
	}
	return product * math.Sqrt(least)
}

// render is the tsquery for a term; "" for a word of grammar, which is only looked for
// in phrases.
func (q *question) render(t term) string {
	var list []string
	joint := " | "
	switch {
	case t.group != nil && t.group.op == opNear:
		list = q.around(t.group)
	case t.group != nil:
		if t.group.op == opAnd {
			joint = " & "
		}
		for _, part := range t.group.parts {
			if query := q.render(part); query != "" && !slices.Contains(list, query) {
				list = append(list, query)
			}
		}
	case q.passedOver(t):
	default:
		list = q.phrases(t)
	}
	switch {
	case len(list) == 0:
		return ""
	case t.not:
		return "!(" + strings.Join(list, joint) + ")"
	default:
		return "(" + strings.Join(list, joint) + ")"
	}
}

// passedOver reports whether t is a word of grammar that stands for itself: nobody
// looks for those.
func (q *question) passedOver(t term) bool {
	return t.single() && q.form(t.words[0]).Stop
}

// around are the tsqueries for two parts at most so many words from each other, either
// of them first; for one of them, where the other is nothing that is indexed.
func (q *question) around(g *group) []string {
	ones, others := q.phrases(g.parts[0]), q.phrases(g.parts[1])
	if len(ones) == 0 || len(others) == 0 {
		return append(ones, others...)
	}
	// Each pair by itself: of alternatives that differ in length Postgres counts from the
	// longest. Where they are too many, what was typed is asked for.
	if len(ones)*len(others)*g.near > mostNearing {
		ones, others = ones[:1], others[:1]
	}
	var list []string
	for _, one := range ones {
		for _, other := range others {
			for n := 1; n <= g.near; n++ {
				list = append(list, fmt.Sprintf("(%s) <%d> (%s)", one, n, other), fmt.Sprintf("(%s) <%d> (%s)", other, n, one))
			}
		}
	}
	return list
}

// phrases are the tsqueries for the words of a term and for its synonyms.
func (q *question) phrases(t term) []string {
	var list []string
	for _, words := range append([][]string{t.words}, t.others...) {
		if query := q.phrase(words); query != "" && !slices.Contains(list, query) {
			list = append(list, query)
		}
	}
	return list
}

// phrase is the tsquery for a phrase. What is no word leaves a gap.
func (q *question) phrase(words []string) string {
	var b strings.Builder
	gap := 1
	for _, w := range words {
		query := q.form(w).query()
		switch {
		case query == "" && b.Len() > 0:
			gap++
		case query == "":
		case b.Len() == 0:
			b.WriteString(query)
		default:
			fmt.Fprintf(&b, " <%d> %s", gap, query)
			gap = 1
		}
	}
	return b.String()
}

// all is the tsquery for all terms together.
func (q *question) all() string { return q.together(q.terms) }

// ranked is all without distances: to rank by them takes Postgres minutes.
func (q *question) ranked() string {
	terms := make([]term, len(q.terms))
	for i, t := range q.terms {
		terms[i] = t.anywhere()
	}
	return q.together(terms)
}

func (q *question) together(terms []term) string {
	var list []string
	for _, t := range terms {
		if query := q.render(t); query != "" && !slices.Contains(list, query) {
			list = append(list, query)
		}
	}
	return strings.Join(list, " & ")
}

// asked is the part of all that the index is asked for; "" where that is all of it. To find
// out which of a few hundred sentences hold a common word Postgres goes over most of what the
// index lists for that. To read these sentences takes less.
func (q *question) asked() string {
	// Entries of a list in the time that it takes to read a sentence: 5 ns and 1.3 us make
	// 260. More, since shares are guessed, and to read too many sentences has no bound.
	const read = 400
	if q.Prefix || q.teamShare() == 0 { // what may follow a prefix is not counted
		return ""
	}
	type part struct {
		query  string
		share  float64
		common bool // a word of which Postgres knows the share
	}
	var parts []part
	var list []string
	for _, t := range q.terms {
		query := q.render(t)
		switch {
		case query == "" || slices.ContainsFunc(parts, func(p part) bool { return p.query == query }):
		case t.not:
			list = append(list, query)
		case t.single():
			f := q.form(t.words[0])
			parts = append(parts, part{query, cmp.Or(f.share, q.guessed(f.usedBy())), f.share > 0})
		default:
			share, files := q.commonness(t)
			parts = append(parts, part{query, cmp.Or(share, q.guessed(files)), false})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.share, b.share) })
	n := len(parts)
	for ; n > 1 && parts[n-1].common; n-- {
		var rest []float64
		for _, p := range parts[:n-1] {
			rest = append(rest, p.share)
		}
		if last := parts[n-1].share; together(rest...)*(1-math.Sqrt(last))*read >= last {
			break
		}
	}
	if n == len(parts) {
		return ""
	}
	for _, p := range parts[:n] {
		list = append(list, p.query)
	}
	return strings.Join(list, " & ")
}

// exact is the tsquery for all words as one phrase, or synonyms in their places. It
// ranks sentences, and need not match; "" for a single word.
func (q *question) exact() string {
	const most = 16 // ways to put it
	wholes := [][]string{nil}
	for _, t := range q.terms {
		if t.not || t.group != nil {
			continue
		}
		ways := append([][]string{t.words}, t.others...)
		if len(wholes)*len(ways) > most {
			ways = ways[:1]
		}
		var longer [][]string
		for _, whole := range wholes {
			for _, words := range ways {
				longer = append(longer, slices.Concat(whole, words))
			}
		}
		wholes = longer
	}
	if len(wholes[0]) < 2 {
		return ""
	}
	return q.render(term{words: wholes[0], others: wholes[1:], quoted: true})
}

// mostLiteral bounds the words of a literal, other spellings and synonyms
// included: what is longer needs no help to be found.
const mostLiteral = 24

// literal is a regular expression for what exact is, to the letter: with the
// stop words, and with the forms of words as they were typed. Other spellings
// and synonyms count as typed. It is "" where there are too many.
func (q *question) literal() string {
	words := 0
	spelled := func(word string) string {
		f := q.form(word)
		list := append([]string{fold(word)}, f.spellings...)
		words += len(list)
		any := "(?:" + strings.Join(list, "|") + ")"
		if f.prefix {
			any += `\w*`
		}
		return any
	}
	var terms []string
	for _, t := range q.terms {
		if t.group != nil {
			return "" // which of its words there are is open
		}
		if t.not {
			continue
		}
		var list []string
		for _, together := range append([][]string{t.words}, t.others...) {
			parts := make([]string, len(together))
			for i, word := range together {
				parts[i] = spelled(word)
			}
			list = append(list, strings.Join(parts, `\W+`))
		}
		terms = append(terms, "(?:"+strings.Join(list, "|")+")")
	}
	if words > mostLiteral {
		return ""
	}
	return `\m` + strings.Join(terms, `\W+`) + `\M`
}

// positive reports whether q asks for anything to be there.
func (q *question) positive() bool {
	return slices.ContainsFunc(q.terms, func(t term) bool { return t.asserts(false) && q.render(t) != "" })
}

// literally makes words of grammar a phrase where nothing else is asked for.
func (q *question) literally() {
	if q.positive() || slices.ContainsFunc(q.terms, func(t term) bool { return t.group != nil }) {
		return
	}
	whole := term{quoted: true}
	var terms []term
	for _, t := range q.terms {
		if t.not {
			terms = append(terms, t)
		} else {
			whole.words = append(whole.words, t.words...)
		}
	}
	if len(whole.words) > 0 {
		terms = append(terms, whole)
		q.terms = terms
	}
}

// share is how many of all sentences hold one of the lexemes that queries are, about.
func (q *question) share(queries []string) float64 {
	share := 0.0
	for _, query := range queries {
		if lexeme, ok := strings.CutPrefix(query, "'"); ok {
			share += q.statistics.Frequencies[strings.TrimSuffix(lexeme, "'")]
		}
	}
	return share
}

// teamShare is how many of all sentences are the team's; 0 for few.
func (q *question) teamShare() float64 {
	return q.statistics.Frequencies[db.TeamLexeme(q.scope.TeamID)]
}

// likelihood guesses the share of sentences that hold all words; 0 where one is
// rare.
func (q *question) likelihood() float64 {
	var shares []float64
	phrases := 1.0
	for _, t := range q.terms {
		if t.not || q.passedOver(t) {
			continue
		}
		if t.group != nil {
			share, _ := q.commonness(t)
			shares = append(shares, share)
			continue
		}
		for _, w := range t.words {
			if f := q.form(w); f.query() != "" {
				share := f.share
				if len(t.words) == 1 {
					share = q.wordShare(f)
				}
				shares = append(shares, share)
			}
		}
		if len(t.words) > 1 {
			phrases /= 10
		}
		if len(t.others) > 0 {
			phrases = 0 // nobody knows; that is the cautious way
		}
	}
	return together(shares...) * phrases
}

// wordShare is the share of sentences that hold a word. Postgres knows it of the commonest
// words. Of another one that more files have than an answer counts it is guessed.
func (q *question) wordShare(f *form) float64 {
	if f.share > 0 || f.usedBy() < Window {
		return f.share
	}
	return q.guessed(f.usedBy())
}

// guessed is the share of sentences that hold a word of so many files of the team: some of
// each, and fewer than hold any word that Postgres knows the share of.
func (q *question) guessed(files int) float64 {
	const perFile = 1.5 // of stems that 1,000 to 16,000 of 100,000 files have: 1.2 to 1.5 is the median, 1.5 to 2.6 the mean
	sentences := q.teamShare() * q.statistics.Sentences
	if sentences == 0 {
		return 0
	}
	return min(perFile*float64(files)/sentences, q.statistics.Least)
}

// rarest are the words that must be there, the rarest first. A quoted phrase is
// one of them, and so is a group, unless what it says to be absent is enough for it.
func (q *question) rarest() []rated {
	var list []rated
	add := func(r rated) {
		if r.query != "" && !slices.ContainsFunc(list, func(other rated) bool { return r.query == other.query }) {
			list = append(list, r)
		}
	}
	for _, t := range q.terms {
		switch {
		case t.not || q.passedOver(t) || !t.asserts(false):
		case t.quoted || len(t.others) > 0 || t.group != nil:
			share, files := q.commonness(t)
			if t.quoted || t.group != nil {
				files = max(1, files) // not to be left out as unused
			}
			t = t.anywhere()
			add(rated{q.render(t), share, files, t})
		default:
			for _, w := range t.words {
				if f := q.form(w); !f.Stop {
					add(rated{f.query(), q.wordShare(f), f.Files, term{words: []string{w}}})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b rated) int { return cmp.Or(cmp.Compare(a.share, b.share), cmp.Compare(a.files, b.files)) })
	return list
}

// commonness guesses the share of sentences that hold a term, in its own words
// or in others, and in how many files of the team it is at most.
func (q *question) commonness(t term) (share float64, files int) {
	if t.group != nil {
		return q.commonnessOf(t.group)
	}
	for _, words := range append([][]string{t.words}, t.others...) {
		var shares []float64
		least := math.MaxInt
		for _, w := range words {
			if f := q.form(w); f.query() != "" {
				shares = append(shares, f.share)
				least = min(least, f.Files)
			}
		}
		if len(shares) > 0 {
			share += together(shares...)
			files += least
		}
	}
	return share, files
}

// commonnessOf is that of terms that are joined.
func (q *question) commonnessOf(g *group) (share float64, files int) {
	var shares []float64
	least := math.MaxInt
	for _, part := range g.parts {
		if part.not || q.render(part) == "" {
			continue
		}
		s, n := q.commonness(part)
		shares = append(shares, s)
		share += s
		files += n
		least = min(least, n)
	}
	if g.op == opOr || len(shares) == 0 {
		return share, files
	}
	return together(shares...), least
}

// absent are the terms of q that must not be there.
func (q *question) absent() []term {
	return slices.DeleteFunc(slices.Clone(q.terms), func(t term) bool { return !t.not || q.render(t) == "" })
}

// spared are words, of which none is in a sentence that has what must be absent.
func (q *question) spared(words []rated) []rated {
	absent := q.together(q.absent())
	if absent == "" {
		return words
	}
	list := slices.Clone(words)
	for i := range list {
		list[i].query = "(" + list[i].query + " & " + absent + ")"
	}
	return list
}

// used leaves out words that the team does not use, if others remain.
func used(words []rated) []rated {
	list := slices.DeleteFunc(slices.Clone(words), func(r rated) bool { return r.share == 0 && r.files == 0 })
	if len(list) == 0 {
		return words
	}
	return list
}

// plan is the part of a plan that does not depend on the way it is carried out.
func (q *question) plan(words string) db.SearchPlan {
	p := db.SearchPlan{
		Words: words, Rank: words, Filter: q.Filter, ByFile: q.byFile, Best: BestOfFile, Limit: q.Limit, Offset: q.Offset,
	}
	if words == q.all() {
		p.Asked, p.Rank = q.asked(), q.ranked()
	}
	if q.byFile {
		p.Top, p.Spread, p.Few = q.Top, spread, tooFew
	}
	if q.positive() {
		p.Names, p.Exact, p.Literal = words, q.exact(), q.literal()
		if q.first != "" {
			p.Exact, p.Literal = q.first, ""
		}
	}
	for _, facet := range q.Facets {
		p.Facets = append(p.Facets, string(facet))
	}
	return p
}

// marker marks the words of q and their alternatives. Words of grammar are marked in
// the phrases that they were looked for in.
func (q *question) marker() *marker {
	var groups [][]string
	var prefixes []prefix
	var phrases [][]string
	for _, t := range leaves(q.terms) {
		if t.not || q.passedOver(t) {
			continue
		}
		first := len(groups)
		for i, words := range append([][]string{t.words}, t.others...) {
			grammar := false
			for j, w := range words {
				f := q.form(w)
				grammar = grammar || f.Stop
				if f.Stop || f.query() == "" {
					continue
				}
				if i == 0 || first+j >= len(groups) {
					groups = append(groups, nil)
				}
				place := len(groups) - 1
				if i > 0 { // a synonym stands for what it is one of
					place = min(first+j, place)
				}
				groups[place] = append(append(groups[place], w), f.spellings...)
				if f.prefix {
					prefixes = append(prefixes, prefix{w, place})
				}
			}
			if grammar {
				phrases = append(phrases, words)
			}
		}
	}
	m := newMarker(groups, prefixes, q.languages...)
	m.phrases = phrases
	return m
}

// corrected is the text that was searched for, where the best hit, a text, has another
// spelling and not the one that was typed; "" otherwise.
func (q *question) corrected(text string) string {
	if text == "" {
		return ""
	}
	there := Words(norm.NFC.String(text))
	return respelled(q.terms, func(w string) string {
		f := q.form(w)
		if len(f.spellings) == 0 || q.holds(there, w) {
			return w
		}
		for _, s := range f.spellings {
			if at := slices.IndexFunc(there, func(written string) bool { return fold(written) == s }); at >= 0 {
				return there[at] // with its accents
			}
			if q.holds(there, s) {
				return s
			}
		}
		return w
	})
}

// holds reports whether text has word in some form.
func (q *question) holds(text []string, word string) bool {
	m := newMarker([][]string{{word}}, nil, q.languages...)
	return slices.ContainsFunc(text, func(there string) bool { return m.placeOf(fold(there)) != unsought })
}

// respelled renders terms with each word spelled as spell says, or "" where that
// changes nothing.
func respelled(terms []term, spell func(string) string) string {
	list, changed := make([]string, len(terms)), false
	for i, t := range terms {
		t, other := t.respelled(spell)
		list[i], changed = t.String(), changed || other
	}
	if !changed {
		return ""
	}
	return strings.Join(list, " ")
}

// respelled is t with each word spelled as spell says, and whether that changes it.
func (t term) respelled(spell func(string) string) (term, bool) {
	changed := false
	switch {
	case t.not || t.quoted:
	case t.group != nil:
		g := *t.group
		g.parts = make([]term, len(t.group.parts))
		for i, part := range t.group.parts {
			part, other := part.respelled(spell)
			g.parts[i], changed = part, changed || other
		}
		t.group = &g
	default:
		t.words = slices.Clone(t.words)
		for i, w := range t.words {
			t.words[i] = spell(w)
			changed = changed || t.words[i] != w
		}
	}
	return t, changed
}

// facetsOf gives each facet that was asked for its values, if only none.
func facetsOf(asked []Facet, counted map[string][]db.FacetCount) map[Facet][]db.FacetCount {
	if len(asked) == 0 {
		return nil
	}
	facets := make(map[Facet][]db.FacetCount, len(asked))
	for _, facet := range asked {
		facets[facet] = counted[string(facet)]
		if facets[facet] == nil {
			facets[facet] = []db.FacetCount{}
		}
	}
	return facets
}

// typed returns a function that says how close a text is to the words as they were
// typed, or to other spellings and synonyms in their places: 2 where it has all of them in
// their order, 1 where it has them in these forms.
func (q *question) typed() func(text string) float64 {
	type way [][]string // for each of its words the spellings
	var terms [][]way
	for _, t := range q.terms {
		switch {
		case t.group != nil:
			return func(string) float64 { return 0 }
		case t.not:
			continue
		}
		own := make(way, len(t.words))
		for i, w := range t.words {
			own[i] = append([]string{fold(w)}, q.form(w).spellings...)
		}
		ways := []way{own}
		for _, other := range t.others {
			synonym := make(way, len(other))
			for i, w := range other {
				synonym[i] = []string{fold(w)}
			}
			ways = append(ways, synonym)
		}
		terms = append(terms, ways)
	}
	begins := func(there []string, w way) bool {
		for i, spellings := range w {
			if i >= len(there) || !slices.Contains(spellings, there[i]) {
				return false
			}
		}
		return true
	}
	var inOrder func(there []string, terms [][]way) bool
	inOrder = func(there []string, terms [][]way) bool {
		return len(terms) == 0 || slices.ContainsFunc(terms[0], func(w way) bool { return begins(there, w) && inOrder(there[len(w):], terms[1:]) })
	}
	// A synonym of several words is a phrase; those that were typed may be anywhere.
	has := func(there []string, ways []way) bool {
		for _, spellings := range ways[0] {
			if !slices.ContainsFunc(there, func(word string) bool { return slices.Contains(spellings, word) }) {
				return slices.ContainsFunc(ways[1:], func(w way) bool {
					for i := range there {
						if begins(there[i:], w) {
							return true
						}
					}
					return false
				})
			}
		}
		return true
	}
	return func(text string) float64 {
		there := Words(norm.NFC.String(text))
		for i, w := range there {
			there[i] = fold(w)
		}
		for i := range there {
			if inOrder(there[i:], terms) {
				return 2
			}
		}
		if slices.ContainsFunc(terms, func(ways []way) bool { return !has(there, ways) }) {
			return 0
		}
		return 1
	}
}
