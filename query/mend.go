package query

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp"
)

// What is here reads a question once more of which not all was understood: with names as they are
// written, and with the word that was meant where a letter is wrong. A reading is taken only if it
// leaves nothing over, and says what it has replaced.

// mostReread bounds how many words a question has that is read again, and mostLost how many of
// them were not understood.
const (
	mostReread = 40
	mostLost   = 6
)

// again is a parser that reads on from the same place by itself.
func (p *parser) again() *parser {
	own := *p
	own.clashes = map[int]bool{}
	return &own
}

// otherwise reads what p has not understood all of once more, from where it had begun. Where no
// reading leaves nothing over, p stands.
func (p *parser) otherwise(c Config, begun parser) (*parser, Config) {
	if len(p.contraries) > 0 && len(p.contraries) == len(p.unknown) || len(p.tokens) > mostReread {
		return p, c
	}
	if other, config, ok := p.reword(begun); ok {
		return other, config
	}
	if len(p.unknown) > mostLost {
		return p, c
	}
	for _, mend := range []func(*parser, []int) ([]Understood, bool){(*parser).oneFigure, (*parser).capitalise, (*parser).divide, (*parser).spell, (*parser).loosen} {
		var lost []int // of the words as they were written, which rules may have replaced
		for _, at := range p.lost {
			if at < len(p.tokens) {
				lost = append(lost, slices.IndexFunc(begun.tokens, func(t token) bool { return t.start == p.tokens[at].start }))
			}
		}
		begun.tokens = slices.Clone(begun.tokens)
		said, mended := mend(&begun, slices.DeleteFunc(lost, func(at int) bool { return at < 0 }))
		if !mended {
			continue
		}
		begun.spelt = append(slices.Clip(begun.spelt), said...)
		other := begun.again()
		config := other.read()
		if len(other.unknown) == 0 {
			return other, config
		}
		if other, config, ok := other.reword(begun); ok {
			return other, config
		}
	}
	return p, c
}

// namedFields are those whose values people name in small letters, or without the field.
func (p *parser) namedFields() []Field {
	list := []Field{Party, Category}
	for _, o := range p.vocabulary.Own {
		if d, ok := Lookup(AttributeField(o.Value)); ok && d.Kind == Enum {
			list = append(list, d.Field)
		}
	}
	return list
}

// capitalise writes names as names are written, of which words were not understood: "nda acme",
// "new york contracts".
func (p *parser) capitalise(lost []int) (said []Understood, mended bool) {
	for _, at := range lost {
		for from := max(0, at-1); from <= at; from++ {
			for to := min(len(p.tokens), at+longestTitle); to > at; to-- {
				if !p.isName(from, to, from == at) {
					continue
				}
				for i := from; i < to; i++ {
					first, size := utf8.DecodeRuneInString(p.tokens[i].word)
					p.tokens[i].word = string(unicode.ToUpper(first)) + p.tokens[i].word[size:]
				}
				mended = true
			}
		}
	}
	return nil, mended
}

// isName reports whether words are the name of a place, or the beginning of that of a party, of a
// person or of a value of the team's. Those that have the first word are looked up, once.
func (p *parser) isName(from, to int, valued bool) bool {
	if slices.ContainsFunc(p.tokens[from:to], func(t token) bool { return smallWords[t.lower] || t.quoted || capital(t) }) {
		return false
	}
	words := strings.TrimSuffix(p.words(from, to), "'s")
	if len(words) < len("ing") {
		return false
	}
	if _, ok := nlp.Place(words); ok {
		return true
	}
	return valued && slices.ContainsFunc(append(p.namedFields(), CreatedBy), func(f Field) bool {
		list, _ := having(p.find(f, strings.TrimSuffix(p.tokens[from].word, "'s")), plain(words), beginning)
		return list != nil
	})
}

// divide cuts words at their hyphens that were not understood with them: "governing-law clause".
func (p *parser) divide(lost []int) (said []Understood, mended bool) {
	for i := len(lost) - 1; i >= 0; i-- {
		t := p.tokens[lost[i]]
		at := strings.IndexByte(t.word, '-')
		if t.quoted || at < 1 || at == len(t.word)-1 || len(t.word) != len(t.lower) || t.end-t.start < len(t.word) {
			continue
		}
		first, second := t, t
		first.word, first.lower, first.end = t.word[:at], t.lower[:at], t.start+at
		second.word, second.lower, second.start = t.word[at+1:], t.lower[at+1:], t.start+at+1
		p.tokens = slices.Replace(slices.Clone(p.tokens), lost[i], lost[i]+1, first, second)
		mended = true
	}
	return nil, mended
}

// spell puts the words that were meant in place of those that were not understood, where they
// differ in a letter or two.
func (p *parser) spell(lost []int) (said []Understood, mended bool) {
	lexicon := p.lexicon()
	for _, at := range lost {
		if p.tokens[at].quoted || capital(p.tokens[at]) && at > 0 || lexicon[p.tokens[at].lower] {
			continue
		}
		if word := meant(p.tokens[at].lower, lexicon); word != "" {
			p.tokens[at].word, p.tokens[at].lower = word, word
			said = append(said, Understood{p.phrase(at, at+1), "read as " + strconv.Quote(word)})
		}
	}
	return said, len(said) > 0
}

// loosen lets small words be missing within phrases: "contracts up renewal".
func (p *parser) loosen([]int) (said []Understood, mended bool) {
	p.loose = true
	return nil, true
}

// lexicon are the words that questions are made of.
func (p *parser) lexicon() map[string]bool {
	set := map[string]bool{}
	add := func(words string) {
		for _, word := range strings.Fields(words) {
			set[word] = true
		}
	}
	for _, n := range p.fields {
		add(n.name)
	}
	for _, list := range [][]calling{p.labels, p.types, p.phrases} {
		for _, c := range list {
			add(c.name)
		}
	}
	for _, t := range topics {
		for _, list := range t.words {
			add(strings.Join(list, " "))
		}
	}
	for _, names := range roles {
		for _, name := range names {
			add(name + " " + plural(name))
		}
	}
	for _, options := range closed {
		for _, o := range options {
			add(o.Name)
		}
	}
	for unit := range units {
		add(unit)
	}
	for adverb := range adverbs {
		add(adverb)
	}
	add(strings.Join(monthNames, " "))
	add(strings.Join(usual, " "))
	add(grammar)
	return set
}

// grammar are the words between those that name something.
const grammar = "please many which where whose their there about after before until within during under above below total highest lowest largest smallest longest shortest median number percentage clauses clause provision provisions " +
	"together altogether currently missing compare grouped sorted mention mentions mentioning containing contain contains including excluding renewed reviewed approved upcoming alphabetical order counterparty supplier renewal weekend"

// ownWords are words with a meaning of their own that are like those of questions. They are not
// mistyped: three is not there, and translation no transition.
var ownWords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range slices.Concat(numerals, strings.Fields("them form from agree inc hand distribution who whom whose was were does had its her his him has did how why our out own others word work working current transaction sell off field import inure principle principles proper property properties group media litigation present pre continuing amend war contact contacts promotion precision county country close sub queue commerce leaves credit credits custom sending exemption composition compete competing complying exclusion instance instances translation statute statutes furnishing "+
		"filled expect par discover discovers inter mass computer computers completing dead land sec large low high small short long sort sorts counter join third retirement rendering construct process parts part state states stage trail trial later latter lost last late least beast team teams item items house houses fine fines sale sales cause causes role roll rule rules right rights site sites user uses page phase change charge charges lender leader leaders tent rest rents test tests price prize sing sign song risk disk desk vendor venue general generous personal person patent parent parents office officer official effort efforts invoice invoices service services version versions draft craft expense expenses expertise experience export reward record records standard email portal project projects product products party pretty county action auction notion motion option options minor major moral manual annual")) {
		set[word] = true
	}
	return set
}()

// meant is the only word of a lexicon that a word differs from in a letter, "" where there is
// none. That of short words another letter stands in the place of one may be another word.
func meant(word string, lexicon map[string]bool) string {
	letters := len([]rune(word))
	if ownWords[word] {
		return ""
	}
	if letters >= 4 && consonants(word) == word { // cntrcts
		full, several := "", false
		for known := range lexicon {
			if known != word && consonants(known) == word {
				full, several = known, full != ""
			}
		}
		if full != "" && !several {
			return full
		}
	}
	if letters < 3 {
		return ""
	}
	if full := shortened(word, lexicon); full != "" {
		return full
	}
	best, least, several := "", 2, false
	if letters >= 9 {
		least = 3
	}
	for known := range lexicon {
		if len(known) < 4 || known[0] != word[0] || letters < 4 {
			continue
		}
		d := distance(word, known)
		if d == 2 && swapped(word, known) {
			d = 1
		} else if letters < 5 && len(known) != letters+1 || len(known) < 5 {
			continue
		}
		if len(known) == len(word) && d == 1 && letters < 7 && !swapped(word, known) {
			continue
		}
		if d < least {
			best, least, several = known, d, false
		} else if d == least && best != "" && known != best {
			if shorter := min(known, best); plural(shorter) == max(known, best) { // in one number or the other
				best = shorter
				continue
			}
			several = true
		}
	}
	if several {
		return ""
	}
	return best
}

// shortened is the only word that begins with another one, in whichever form, "" where there are
// several: lang is language.
func shortened(word string, lexicon map[string]bool) string {
	full := ""
	for known := range lexicon {
		switch rest, ok := strings.CutPrefix(known, word); {
		case !ok || len(rest) < 2:
		case full == "" || strings.HasPrefix(full, known):
			full = known
		case !strings.HasPrefix(known, strings.TrimSuffix(full, "y")):
			return ""
		}
	}
	return full
}

// consonants are a word without its vowels, and with each letter once where it is doubled.
func consonants(word string) string {
	var last rune
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("aeiou", r) || r == last {
			return -1
		}
		last = r
		return r
	}, word)
}

// swapped reports whether two letters beside each other are all that differs.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

// bareValue is for a value by itself, of the only field that has one of that name: "EMEA contracts",
// "leases Acme". Behind a word that was not understood it may belong to that, and a value that is all
// there is may be looked for.
func (p *parser) bareValue() (string, bool) {
	if p.source == Matters && p.loose {
		if people := p.namesOf(MatterOwner, anywhere); people != nil && (p.at == len(p.tokens) || p.stops() || p.joins()) {
			return p.anyOf(MatterOwner, people), true
		}
	}
	if len(p.lost) > 0 || p.source != "" && p.source != Files {
		return "", false
	}
	if types := p.stem(); types != nil {
		return p.anyOf(DocumentType, types), true
	}
	start, first := p.at, p.at == 0
	not := p.takeAny("neither")
	var field Field
	groups := p.seriesOf(func() []Option {
		p.takeAny("in", "from")
		f, options := p.onlyNamed(field)
		if field != "" && f != field {
			return nil
		}
		field = f
		return options
	})
	if groups == nil || first && p.at == len(p.tokens) || p.at < len(p.tokens) && slices.Contains(comparing, p.tokens[p.at].lower) {
		return "", false
	}
	p.contracts = p.contracts || field == Party
	switch {
	case not:
		return p.noneOf(field, slices.Concat(groups...)), true
	case field == Party:
		return p.each(field, groups), true
	}
	if n := len(p.filters) - 1; n >= 0 && p.last.end == start && p.last.filters == n && p.filters[n].Field == field && p.filters[n].Op == In { // "region APAC EMEA" are either
		values, _ := split(slices.Concat(groups...))
		p.filters = slices.Clone(p.filters)
		p.filters[n].Values = slices.Concat(p.filters[n].Values, values)
		return "or " + strings.Join(values, " or "), true
	}
	return p.anyOf(field, slices.Concat(groups...)), true
}

// typeOrStem consumes what a type of documents is called, with the word agreement or without it.
func (p *parser) typeOrStem() []Option {
	if types := p.called(p.types); types != nil {
		return types
	}
	for _, o := range p.vocabulary.Values[DocumentType] {
		for _, last := range []string{" agreement", " contract"} {
			if stem, ok := strings.CutSuffix(lowerWords(o.Name), last); ok && p.take(stem) {
				return []Option{o}
			}
		}
	}
	return nil
}

// stem consumes what a type of documents is called without the word agreement: "consulting spend".
func (p *parser) stem() (types []Option) {
	start := p.at
	if types = p.typeOrStem(); types != nil && p.isField() {
		return types
	}
	p.at = start
	return nil
}

// bareRole is for a part by itself: "uncapped liability, suppliers".
func (p *parser) bareRole() (string, bool) {
	if len(p.lost) > 0 || p.source != "" && p.source != Files {
		return "", false
	}
	if n := len(p.filters); n > 0 && p.last.end == p.at && p.filters[n-1].Field == Party || p.at > 0 && p.tokens[p.at-1].lower != "," && smallWords[p.tokens[p.at-1].lower] && !(p.tokens[p.at-1].lower == "and" && p.at == len(p.tokens)-1 && n > 0 && p.filters[n-1].Field != Party) {
		return "", false // whose part it is, or what was spoken of before
	}
	if p.at > 0 && p.tokens[p.at-1].lower == "as" { // whose part it is
		return "", false
	}
	names := p.takeRole()
	if names == nil || p.at < len(p.tokens) && !p.stops() && !p.isField() && !slices.Contains([]string{",", "and"}, p.tokens[p.at].lower) && !p.partyNamed() {
		return "", false
	}
	if p.source == "" && len(p.groups) == 0 && p.op == "" && p.plural(p.at-1) { // "low risk suppliers"
		p.groups = append(p.groups, Counterparty)
		return "by " + Counterparty.label() + ", " + p.ofSide(CounterpartyRole, names), true
	}
	return p.ofSide(CounterpartyRole, names), true
}

// partyNamed reports whether the name of a party is next.
func (p *parser) partyNamed() bool {
	start := p.at
	defer func() { p.at = start }()
	return capital(p.tokens[p.at]) && (p.party() != nil || p.bareNamed())
}

// bareNamed reports whether a value of a field of the team is next.
func (p *parser) bareNamed() bool {
	_, options := p.onlyNamed("")
	return options != nil
}

// onlyNamed consumes a value of the only field that has one of that name, or of the one that a value
// before it in a series was of.
func (p *parser) onlyNamed(before Field) (field Field, options []Option) {
	start, end := p.at, p.at
	if matter := p.oneOf(Matter, nil); matter != nil {
		end = p.at
		if p.take("matter") {
			return Matter, matter
		}
		p.at = start
		if before != Matter && p.namesOf(Party, beginning) != nil {
			return "", nil // which of them is meant?
		}
		p.at = end
		return Matter, matter
	}
	if p.at == len(p.tokens) || smallWords[p.tokens[p.at].lower] || len(p.tokens[p.at].word) < len("ing") || !capital(p.tokens[p.at]) {
		return "", nil
	}
	if n := len(p.filters); n > 0 && p.last.end == p.at && p.filters[n-1].Field == Party {
		return "", nil // it may be more of that name
	}
	for _, f := range p.namedFields() {
		p.at = start
		found := p.namesOf(f, part(f != Party)) // the end of a name stands for many
		switch {
		case found == nil:
		case options != nil:
			return "", nil // which of them is meant?
		default:
			field, options, end = f, found, p.at
		}
	}
	p.at = end
	return field, options
}
