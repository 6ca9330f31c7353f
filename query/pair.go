package query

import (
	"fmt"
	"slices"
	"strconv"
)

// What is here are the rules for conditions on two facts of the same contract: "signed after the
// effective date", "where the liability cap is below the contract value".

// apartBy are the words by which one fact is compared with another.
var apartBy = []struct {
	op    Op
	dates bool
	words []string
}{
	{AtLeast, true, []string{"not before", "not earlier than", "no earlier than", "on or after", "or after"}},
	{AtMost, true, []string{"not after", "not later than", "no later than", "on or before"}},
	{Above, true, []string{"only after", "after", "later than", "past", "beyond", "follows", "following", "subsequent to"}},
	{Below, true, []string{"even before", "before", "prior to", "earlier than", "precedes", "preceding", "ahead of"}},
	{AtLeast, false, []string{"at least as high as", "at least", "no less than", "not less than", "no lower than", "not lower than", "not below", ">=", "is not less than", "equals or exceeds"}},
	{AtMost, false, []string{"at most", "no more than", "not more than", "no higher than", "not higher than", "not above", "does not exceed", "do not exceed", "doesn't exceed", "not exceeding", "no longer than", "not longer than", "<="}},
	{Above, false, []string{"more than", "greater than", "higher than", "longer than", "bigger than", "larger than", "in excess of", "exceeds", "exceed", "exceeding", "above", "over", ">"}},
	{Below, false, []string{"less than", "lower than", "shorter than", "smaller than", "below", "under", "<"}},
}

// together is that two dates are the same.
var together = []string{"the same as", "identical to", "equal to", "equals", "the same day as", "on the same day as", "same day as", "on", "="}

// fieldsCompared is for "whose liability cap is below the contract value" and "signed after they took
// effect".
func (p *parser) fieldsCompared() (string, bool) {
	first, ok := p.verbCompared()
	if !ok {
		if first, ok = p.factCompared(); !ok {
			return "", false
		}
	}
	start := p.at
	if meaning, ok := p.farApart(first); ok {
		return meaning, true
	}
	p.at = start
	op, not, ok := p.apartBy(first)
	if !ok {
		return "", false
	}
	factor := p.multiple(first)
	second, ok := p.otherFact(first)
	if !ok || !first.ComparesWith(second) {
		return "", false
	}
	said := map[Op]string{AtLeast: "on or after", AtMost: "on or before", Above: "after", Below: "before", In: "on the day of"}
	if first.Kind != Date {
		said = comparisons
	}
	switch {
	case op == In && not:
		p.filters = append(p.filters, Filter{Any: []Filter{Than(first.Field, Above, second.Field), Than(first.Field, Below, second.Field)}})
		return first.Label + " is another day than " + second.Label + ", of those that have both", true
	case op == In:
		p.filters = append(p.filters, Than(first.Field, AtLeast, second.Field), Than(first.Field, AtMost, second.Field))
	default:
		if not {
			op = map[Op]Op{AtLeast: Below, AtMost: Above, Above: AtMost, Below: AtLeast}[op]
		}
		p.filters = append(p.filters, Than(first.Field, op, second.Field, factor...))
	}
	by := ""
	if factor != nil {
		by = factor[0] + " times "
	}
	meaning := first.Label + " " + said[op] + " " + by + second.Label + ", of those that have both"
	if first.MayBeMoney() {
		meaning += ", in the same currency"
	}
	return meaning, true
}

// farApart is for "more than a year before they took effect" and "within 30 days of signing", behind the
// first of two dates.
func (p *parser) farApart(first Definition) (string, bool) {
	within := p.takeAny("within the", "within", "in the")
	p.takeAny("last", "first")
	op, compared := Op(""), within
	if !within {
		op, compared = p.comparator()
	}
	n, counted := p.count()
	if !counted && p.takeAny("a", "an", "one") {
		n, counted = 1, true
	}
	b, unit := p.unit()
	before := p.takeAny("before", "prior to", "ahead of")
	after := !before && p.takeAny("after", "following", "from")
	around := within && !before && !after && p.take("of")
	if first.Kind != Date || !compared || !counted || !unit || n < 1 || n > 999 || !before && !after && !around {
		return "", false
	}
	second, ok := p.otherFact(first)
	if !ok || !first.ComparesWith(second) {
		return "", false
	}
	far, less := length(n, b), within || op == Below || op == AtMost
	than := func(op Op, by ...string) {
		p.filters = append(p.filters, Than(first.Field, op, second.Field, by...))
	}
	switch {
	case around:
		than(AtLeast, "-"+far)
		than(AtMost, "+"+far)
	case less && before:
		than(map[bool]Op{true: Above, false: AtLeast}[op == Below], "-"+far)
		than(AtMost)
	case less:
		than(AtLeast)
		than(map[bool]Op{true: Below, false: AtMost}[op == Below], "+"+far)
	case before:
		than(map[Op]Op{Above: Below, AtLeast: AtMost}[op], "-"+far)
	default:
		than(op, "+"+far)
	}
	how := map[Op]string{Above: "more than", AtLeast: "at least", Below: "less than", AtMost: "at most", "": "at most"}[op]
	side := map[bool]string{true: "before", false: "after"}[before]
	if around {
		side = "before or after"
	}
	return fmt.Sprintf("%s %s %s %s %s, of those that have both", first.Label, how, lasting("", n, b), side, second.Label), true
}

// multiple consumes by what the other fact is multiplied, "twice" or "half", nil where it is not.
func (p *parser) multiple(first Definition) []string {
	if first.Kind == Date {
		return nil
	}
	start := p.at
	switch {
	case p.takeAny("twice", "double"):
		return []string{"2"}
	case p.takeAny("half of", "half"):
		return []string{"0.5"}
	}
	a, ok := p.amount()
	switch {
	case !ok || a.n <= 0 || a.money:
	case a.percent && p.take("of"):
		return []string{strconv.FormatFloat(a.n/100, 'f', -1, 64)}
	case a.unit == 0 && p.takeAny("times", "x"):
		return []string{a.String()}
	}
	if p.at = start; first.MayBeMoney() {
		n, counted := p.count()
		if counted && n > 0 && p.takeAny("months", "month's", "months'", "month") { // "three months' rent"
			return []string{strconv.Itoa(n)}
		}
	}
	p.at = start
	return nil
}

// verbCompared gives the date of a verb that was read last, "signed", which then is not the date that
// a time is about.
func (p *parser) verbCompared() (Definition, bool) {
	n := len(p.datings)
	if n == 0 || p.datings[n-1].end != p.at || p.at == 0 || p.datings[n-1].spans != nil || p.datings[n-1].field == "" {
		return Definition{}, false
	}
	d := p.lookup(p.datings[n-1].field)
	p.datings = slices.Clone(p.datings[:n-1])
	return d, true
}

// factCompared consumes the fact that is compared: "where the liability cap is", "with a term that is".
func (p *parser) factCompared() (Definition, bool) {
	p.takeAny("where does the", "where do the", "where is the", "where are the", "does the", "where the", "where their", "where", "while the", "whose", "in which the", "in which", "for which the", "of which the", "with a", "with an", "with the", "with", "that have a", "that have an", "having a", "having an", "that have", "which have a", "has a", "have a", "have an", "having", "and the", "and whose", "and a")
	p.takeAny("a", "an", "the", "its", "their", "our")
	d, ok := p.fact()
	if ok {
		p.takeAny("that is", "that was", "which is", "that are", "which was", "is", "are", "was", "were", "falls", "fell", "lies", "comes", "came", "occurs", "that", "of")
	}
	return d, ok
}

// fact consumes the name of a number or a date of files, or of what happens then.
func (p *parser) fact() (Definition, bool) {
	start := p.at
	if d, ok := p.dateOrEvent(); ok && d.Of == Files {
		return p.lookup(d.Field), true
	}
	p.at = start
	if d, ok := p.field(); ok && d.Of == Files && d.Member == "" && (d.Kind == Number || d.mayBeSum()) {
		return d, true
	}
	p.at = start
	if p.takeAny("cap on liability", "liability cap", "liability limit", "limit of liability", "limitation of liability", "cap") {
		return p.lookup(AttributeField("liability_cap")), slices.Contains(p.vocabulary.Keys, "liability_cap")
	}
	return Definition{}, false
}

// apartBy consumes the words by which a fact is compared with another one.
func (p *parser) apartBy(first Definition) (op Op, not, ok bool) {
	for _, c := range apartBy {
		if c.dates == (first.Kind == Date) && p.takeAny(c.words...) {
			return c.op, false, true
		}
	}
	not = p.takeAny("not", "isn't", "aren't", "wasn't")
	for _, c := range apartBy {
		if not && c.dates == (first.Kind == Date) && p.takeAny(c.words...) {
			return c.op, true, true
		}
	}
	switch {
	case first.Kind != Date:
	case p.takeAny("different from", "other than", "another day than", "on another day than", "on a different day than", "on a different day from"):
		return In, !not, true
	case p.takeAny(together...):
		return In, not, true
	}
	return "", false, false
}

// otherFact consumes the fact that another one is compared with: "their effective date", "they were
// signed", "taking effect".
func (p *parser) otherFact(first Definition) (Definition, bool) {
	p.takeAny("the day of", "the date of", "the day", "the date")
	start := p.at
	p.takeAny("a", "an", "the", "its", "their", "our")
	if d, ok := p.fact(); ok {
		return d, p.at == len(p.tokens) || !p.isUnit() && !p.isPeriod() || p.stops()
	}
	p.at = start
	if first.Kind != Date {
		return Definition{}, false
	}
	p.takeAny("they actually", "they", "it", "we", "being", "having been", "getting", "the contract", "the contracts", "the agreement", "the lease", "the term", "its term", "their term")
	p.takeAny("even", "actually", "formally", "had already", "have already", "has already", "had been", "have been", "has been", "were", "was", "are", "is", "had", "have", "has", "did", "become", "became", "get", "got")
	for _, t := range topics {
		if slices.Contains([]Field{MatterDueAt, MatterCreatedAt}, t.field) {
			continue
		}
		if p.takeOf(t.words) {
			p.takeAny("it", "them")
			return p.lookup(t.field), true
		}
	}
	if p.takeOf(expired) {
		return p.lookup(AttributeField("expiration_date")), true
	}
	return Definition{}, false
}
