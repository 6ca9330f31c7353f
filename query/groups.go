package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What is here are the rules for groups: those whose figure is within bounds, those that
// are compared with each other, and the periods with the most of something.

// threshold is for "which parties have more than 3 contracts", "counterparties with a total
// contract value over $1 million" and "clauses that appear in fewer than 5 contracts".
func (p *parser) threshold() (string, bool) {
	if p.op != "" || len(p.groups) > 0 || p.having != nil {
		return "", false
	}
	asked := p.takeAny("how many", "number of", "count of", "count", "which of our", "which of the", "which", "what")
	counted := asked && !slices.Contains([]string{"which", "what"}, p.tokens[p.at-1].lower)
	p.takeAny("different", "of our", "of the", "the", "our")
	d, ok := p.field()
	if !ok || d.Kind != Enum || !slices.Contains([]Source{Files, Sentences, Matters}, d.Of) || p.source != "" && p.source != Files && p.source != d.Of {
		return "", false
	}
	meaning, ok := p.summed(d)
	if direct := p.at < len(p.tokens) && strings.ContainsAny(p.tokens[p.at].lower[:1], "<>"); !ok && !direct && !p.holding(d) { // "counterparties > 2 contracts"
		return "", false
	}
	if !ok {
		if meaning, ok = p.bounds(); !ok || !p.countedAhead(d) {
			return "", false
		}
		p.source = d.Of
		if d.Of == Sentences { // a clause may be in a contract many times
			p.op, p.metric = CountDistinct, File
		}
	}
	p.groups = append(p.groups, d.Field)
	p.filters = append(p.filters, Filter{Field: d.Field, Op: Exists}) // none is no group of them
	meaning = "by " + d.Label + ", those with " + meaning
	if counted {
		p.kind = TableChart
		meaning += ", each with its figure"
	}
	if p.having[0].Op == Below || p.having[0].Op == AtMost {
		meaning += ", of those that have any"
	}
	return meaning, true
}

// holding consumes what is between the values of a field and how many rows they have.
func (p *parser) holding(d Definition) bool {
	p.takeAny("that", "which", "who")
	switch d.Field { //nolint:exhaustive // the others do nothing themselves
	case CreatedBy:
		if p.takeAny("uploaded", "added", "have uploaded", "has uploaded", "have added", "has added") {
			return true
		}
	case Party, Counterparty:
		if p.takeAny("signed", "have signed", "has signed", "did we sign", "have we signed") {
			p.about(AttributeField("agreement_date"))
			return true
		}
	}
	return p.takeAny("do we spend", "are we spending", "did we spend", "cost us", "costs us", "cost", "costs", "do we pay", "are we paying", "did we pay", "do we owe", "pays", "pay", "pays us", "pay us", "with", "have", "has", "had", "having", "hold", "holding", "own", "owning", "account for", "accounts for", "cover", "do we have", "we have", "appear in", "appears in", "appearing in", "occur in", "occurs in",
		"occurring in", "are in", "is in", "are used in", "is used in", "used in", "are involved in", "is involved in", "involved in", "are listed in", "listed in", "mentioned in", "are on", "linked to", "associated with", "are found in", "is found in", "found in", "are named in", "named in", "govern", "governs", "governing", "are party to",
		"is party to", "are a party to", "is a party to", "come up in", "comes up in", "show up in", "shows up in", "turn up in", "turns up in", "feature in", "features in", "contain", "contains", "containing", "include", "includes", "apply to", "applies to")
}

// summed consumes a figure of each group with its bounds: "with an average notice period of
// at most 30 days", "whose total rent exceeds 1 million".
func (p *parser) summed(d Definition) (string, bool) {
	before := *p
	p.takeAny("that", "which", "who")
	rows := p.take("whose") && p.nouns(false) // "whose contracts total more than 500k"
	p.takeAny("with", "where the", "have", "has", "having")
	p.article()
	op, found := MetricOp(""), false
	for _, m := range []struct {
		op    MetricOp
		words []string
	}{{Sum, []string{"total", "combined", "aggregate", "overall", "add up to", "amount to", "come to", "sum up to"}}, {Avg, []string{"average", "mean"}}, {Median, []string{"median"}}} {
		if found = p.takeAny(m.words...); found {
			op = m.op
			break
		}
	}
	of, ok := p.field()
	if rows && !ok && op == Sum {
		of, ok = Lookup(AttributeField("contract_value"))
	}
	if !found || !ok || of.Kind != Number || of.Of != Files || d.Of != Files {
		*p = before
		return "", false
	}
	p.takeAny("is", "are", "of")
	filters := len(p.filters)
	meaning, ok := p.bounded(of)
	if !ok {
		*p = before
		return "", false
	}
	p.bind(filters, op, of)
	p.source = Files
	return map[MetricOp]string{Sum: "a sum of ", Avg: "an average of ", Median: "a median of "}[op] + strings.Replace(meaning, ", whatever the currency", ", in each currency", 1), true
}

// bind has the conditions from one on be bounds of a figure of each group.
func (p *parser) bind(filters int, op MetricOp, of Definition) {
	for _, f := range p.filters[filters:] {
		n, _ := strconv.ParseFloat(f.Values[0], 64) // just written
		p.having = append(slices.Clone(p.having), Bound{Op: f.Op, Value: n})
	}
	p.filters = slices.Clone(p.filters[:filters])
	p.op, p.opWord, p.metric = op, string(op), of.Field
}

// bounds consumes how many there have to be of each: "more than 3", "2 or more", "exactly
// one", "between 2 and 5".
func (p *parser) bounds() (string, bool) {
	start := p.at
	set := func(list ...Bound) (string, bool) {
		p.having = list
		return p.phrase(start, p.at), true
	}
	if p.takeAny("multiple", "several different", "more than a single") {
		return set(Bound{Op: Above, Value: 1})
	}
	if p.take("between") {
		least, ok := p.count()
		if !ok || !p.take("and") {
			return "", false
		}
		most, ok := p.count()
		if !ok || most < least {
			return "", false
		}
		return set(Bound{Op: AtLeast, Value: float64(least)}, Bound{Op: AtMost, Value: float64(most)})
	}
	if p.takeAny("exactly", "only", "just", "precisely") {
		n, ok := p.count()
		if !ok || n < 1 {
			return "", false
		}
		return set(Bound{Op: AtLeast, Value: float64(n)}, Bound{Op: AtMost, Value: float64(n)})
	}
	op, compared := p.comparator()
	a, ok := p.amount()
	if !ok || a.days || a.money || a.percent || a.value() != math.Trunc(a.value()) {
		return "", false
	}
	if !compared {
		if op, compared = p.orMore(); !compared {
			return "", false
		}
	}
	if n := a.value(); n == 0 && (op == AtMost || op == AtLeast) || n <= 1 && op == Below {
		return "", false // those without any are in no group
	}
	return set(Bound{Op: op, Value: a.value()})
}

// countedAhead reports whether what is counted of the values of d comes next. It is read then.
func (p *parser) countedAhead(d Definition) bool {
	start := p.at
	defer func() { p.at = start }()
	p.takeAny("different", "of our", "of the")
	if d.Of == Matters {
		for range longestTitle {
			if p.take("matters") || p.take("matter") {
				return true
			}
			p.at++
		}
		return false
	}
	return p.called(p.types) != nil || p.typeName() != nil || p.rowsAhead()
}

// severalValues is for "contracts with more than two parties".
func (p *parser) severalValues() (string, bool) {
	if len(p.groups) == 1 && (p.source == "" || p.source == Files) { // "counterparties with contracts in more than one currency"
		return p.severalOfEach()
	}
	if p.source != Files || p.op != "" || len(p.groups) > 0 || p.having != nil || !p.takeAny("with", "that have", "which have", "have", "has", "having", "between", "involving", "naming", "that name") {
		return "", false
	}
	d, meaning, ok := p.severalOf()
	if !ok || !d.Many || p.tokens[p.at-1].quoted {
		return "", false
	}
	p.op, p.metric, p.groups, p.kind = CountDistinct, d.Field, []Field{File}, TableChart
	return "by " + File.label() + ", those with " + meaning + " values of " + d.Label, true
}

// severalOf consumes how many values of which field of files there have to be: "more than two
// different parties".
func (p *parser) severalOf() (d Definition, meaning string, ok bool) {
	if meaning, ok = p.bounds(); !ok {
		return d, "", false
	}
	p.takeAny("different", "distinct")
	d, ok = p.field()
	return d, meaning, ok && d.Kind == Enum && d.Of == Files
}

// severalOfEach is for groups whose rows have several values of another field: "counterparties with
// contracts in more than one currency".
func (p *parser) severalOfEach() (string, bool) {
	group, _ := Lookup(p.groups[0])
	p.takeAny("that", "which", "who")
	if p.op != "" || p.having != nil || group.Kind != Enum || group.Of != Files || !p.takeAny("appear in", "appears in", "occur in", "are in", "is in", "are active in", "active in", "operate in", "in", "under", "with", "of", "across", "governed by", "from", "spanning", "covering") {
		return "", false
	}
	d, meaning, ok := p.severalOf()
	if !ok || d.Field == p.groups[0] {
		return "", false
	}
	p.op, p.metric, p.kind, p.source = CountDistinct, d.Field, cmp.Or(p.kind, TableChart), Files
	p.filters = append(p.filters, Filter{Field: p.groups[0], Op: Exists})
	return "those with " + meaning + " values of " + d.Label, true
}

// busiestUnit is for "the busiest month for signatures", of which the month is read next.
func (p *parser) busiestUnit() bool {
	p.takeAny("the", "our")
	return p.take("busiest")
}

// busiest is for "which months saw the most expirations".
func (p *parser) busiest() (string, bool) {
	if len(p.groups) > 0 || len(p.timed) > 0 || !p.takeAny("in which", "which", "what", "in what") && !p.busiestUnit() {
		return "", false
	}
	b, ok := p.unit()
	if !ok {
		return "", false
	}
	order, busiest := ByValueDesc, p.tokens[p.at-2].lower == "busiest"
	if p.takeAny("of", "in") { // "which month of this year"
		_, s, ok := p.time()
		if !ok || !p.lies(s) {
			return "", false
		}
	}
	switch {
	case busiest:
		p.takeAny("for", "of", "by", "in terms of")
	case p.takeAny("has the most", "have the most", "had the most", "saw the most", "see the most", "with the most", "brought the most", "did we sign the most", "do the most", "did the most", "did most"):
	case p.takeAny("has the fewest", "have the fewest", "had the fewest", "saw the fewest", "see the fewest", "with the fewest", "did we sign the fewest"):
		order = ByValue
	default:
		return "", false
	}
	if last := p.words(p.at-4, p.at); p.at >= 4 && (strings.EqualFold(last, "we sign the most") || strings.EqualFold(last, "we sign the fewest")) {
		p.about(AttributeField("agreement_date"))
	}
	p.busy, p.bucket, p.timed, p.sort, p.limit, p.kind = true, b, append(p.timed, len(p.understood)), order, usualLimit, BarChart
	return "per " + string(b) + ", " + map[Sort]string{ByValueDesc: "the most", ByValue: "the fewest"}[order] + " first", true
}

// versus is for "NDAs versus leases" and "compare Delaware and New York contracts": one of
// several values of a field, split by them.
func (p *parser) versus() (string, bool) {
	if len(p.groups) > 0 {
		return "", false
	}
	if start := p.at; slices.ContainsFunc(p.tokens[:start], func(t token) bool { return t.lower == "split" || t.lower == "breakdown" }) && p.take("between") || p.takeAny("split between", "breakdown between") {
		p.comparing = p.phrase(start, p.at)
	}
	asked := p.takeAny("the ratio of", "ratio of", "ratio between", "compare", "show me a comparison of", "a comparison of", "comparison of", "comparison between")
	if !asked {
		p.takeAny("how do", "how does", "how many")
		asked = p.comparing != ""
	}
	if !asked && !slices.ContainsFunc(p.tokens[p.at:], func(t token) bool {
		return slices.Contains(comparing, t.lower) || strings.HasPrefix(t.lower, "compare") || t.lower == "as"
	}) {
		return "", false
	}
	var field Field
	var options []Option
	joints := 0
	for {
		f, side := p.comparedSide(field)
		if side == nil {
			return "", false
		}
		field, options = f, append(options, side...)
		if !p.takeAny(comparing...) && !(asked && p.takeAny("and", "with", "to", "against", ",", "or", "compare with", "compare to")) {
			break
		}
		p.take("and")
		joints++
	}
	if joints == 0 {
		return "", false
	}
	p.groups = append(p.groups, field)
	meaning := p.anyOf(field, options) + ", split by " + field.label()
	if d, _ := Lookup(field); d.Many { // files have others beside
		p.only = append(p.only, p.filters[len(p.filters)-1])
	}
	return meaning, true
}

// comparison is for "compare the average contract value of NDAs and leases", of which the
// sides come last.
func (p *parser) comparison() (string, bool) {
	start := p.at
	if p.takeAny("which is", "who has", "which has", "which are", "which of them is", "who is") { // "which is bigger in total value, Acme or Bolt"
		p.takeAny("the", "a")
		if !p.takeAny("bigger", "larger", "higher", "greater", "more", "lower", "smaller", "less", "longer", "shorter") {
			return "", false
		}
		p.takeAny("in terms of", "by", "in")
	} else if !p.takeAny("compare", "how does", "how do") {
		return "", false
	}
	p.takeAny("the", "our")
	at := p.at
	later := slices.ContainsFunc(p.tokens[at:], func(t token) bool { return t.lower == "compare" })
	if _, s, ok := p.time(); !later && ok && len(s) == 2 && p.takeAny(append([]string{"and", "with", "to"}, comparing...)...) { // "compare Q1 and Q2"
		p.at, p.comparing = at, p.phrase(start, at)
		return "", true
	}
	p.at = at
	if end := slices.IndexFunc(p.tokens[at:], func(t token) bool { return t.lower == "compare" }); end > 0 { // "how do 2024 and 2025 compare"
		if next := p.at + end + 1; next < len(p.tokens) && slices.Contains([]string{"with", "to", "against"}, p.tokens[next].lower) { // "how does the number in 2025 compare with 2024"
			p.comparing = p.phrase(start, at)
			p.tokens = slices.Delete(slices.Clone(p.tokens), next, next+1)
			p.tokens[next-1].lower = "versus"
			return "", true
		}
		if _, _, ok := p.time(); ok {
			p.tokens = slices.Delete(slices.Clone(p.tokens), at+end, at+end+1)
			p.at, p.comparing = at, p.phrase(start, at)
			return "", true
		}
		return "", false
	}
	if d, ok := p.field(); ok && d.Kind == Number && d.Of == Files && p.op == "" && p.at < len(p.tokens) && slices.Contains([]string{"in", "for", "of", "under", "between", "with"}, p.tokens[p.at].lower) { // "compare rent in EMEA and APAC"
		p.op, p.opWord, p.metric = Avg, "average", d.Field
		if d.IsMoney() {
			p.op, p.opWord = Sum, "total"
		}
		p.comparing = p.phrase(start, at)
		return map[MetricOp]string{Avg: "average of ", Sum: "sum of "}[p.op] + d.Label, true
	}
	p.at = at
	if _, ok := p.measure(); !ok && !p.takeAny("number of", "count of", "volume of") && p.called(p.types) == nil && !p.nouns(false) {
		return "", false
	}
	p.at, p.op, p.opWord = at, "", ""
	p.comparing = p.phrase(start, at)
	return "", true
}

// moreOf is for "more NDAs than MSAs": what is compared stands on both sides of "than".
func (p *parser) moreOf() (string, bool) {
	start := p.at
	if p.comparing != "" || !p.takeAny("more", "fewer") && !(p.takeAny("higher", "lower", "longer", "shorter", "greater", "larger", "smaller", "bigger") && p.at < len(p.tokens) && slices.Contains([]string{"in", "for", "with", "under", "among"}, p.tokens[p.at].lower)) || p.at == len(p.tokens) || slices.Contains([]string{"than", "of"}, p.tokens[p.at].lower) {
		return "", false
	}
	than := slices.IndexFunc(p.tokens, func(t token) bool { return t.lower == "than" })
	if than < p.at {
		return "", false
	}
	p.tokens = slices.Clone(p.tokens)
	p.tokens[than].lower = "versus"
	p.comparing = p.phrase(start, p.at)
	return "", true
}

// comparedSide consumes one of several values of a field that are compared with each other;
// of which field the first of them is, is told by its name.
func (p *parser) comparedSide(field Field) (Field, []Option) {
	p.takeAny("the number of", "number of", "the count of")
	p.takeAny("all our", "our", "the", "all")
	named := p.nouns(false) || p.takeAny("those", "that", "the ones")
	if !p.takeAny("with", "from", "for", "of", "involving", "signed with", "signed by", "governed by", "under", "in", "between") && named {
		return "", nil
	}
	start := p.at
	for _, f := range append([]Field{DocumentType, MatterStatus, LifecycleStage, Status, AttributeField("currency"), governingLaw, CounterpartyRole}, p.namedFields()...) {
		p.at = start
		if field != "" && f != field {
			continue
		}
		var options []Option
		switch f { //nolint:exhaustive // no others are compared
		case DocumentType:
			options = p.called(p.types)
		case MatterStatus:
			if options = p.oneOf(f, nil); !p.matterAhead() {
				options = nil
			} else if options != nil {
				p.source = Matters
			}
		case LifecycleStage:
			if options = p.oneOf(f, nil); slices.ContainsFunc(options, func(o Option) bool { return o.Value == "expired" }) {
				options = nil // that is told by a date
			}
		case Status:
			options = p.oneOf(f, nil)
		case CounterpartyRole:
			if names := p.takeRole(); names != nil {
				options = roleOptions(names)
			}
		case governingLaw:
			options = p.comparedLaw()
		case AttributeField("currency"):
			options = p.currency()
		default:
			if p.at < len(p.tokens) && capital(p.tokens[p.at]) || f == Party {
				options = p.namesOf(f, anywhere)
			}
		}
		if options != nil {
			if !p.isField() { // "EMEA vs APAC contract value"
				_ = p.nouns(false) || f == MatterStatus && p.take("matters")
			}
			return f, options
		}
	}
	return "", nil
}

// comparedLaw consumes a place, or a law by its adjective.
func (p *parser) comparedLaw() []Option {
	if p.at == len(p.tokens) || !capital(p.tokens[p.at]) {
		return nil
	}
	start := p.at
	if _, place := p.place(); !place && nations[p.tokens[start].lower] == "" {
		return nil
	}
	p.at = start
	options := p.law()
	named := strings.HasPrefix(p.tokens[p.at-1].lower, "law") || p.at+2 < len(p.tokens) && (p.tokens[p.at].lower == "and" || slices.Contains(comparing, p.tokens[p.at].lower)) && p.tokens[p.at+2].lower == "law" // "English and German law"
	if nations[p.tokens[start].lower] == "" || named {
		return options
	}
	return nil // "German contracts" are written in German
}

// matterAhead reports whether matters are spoken of.
func (p *parser) matterAhead() bool {
	return p.source == Matters || p.at < len(p.tokens) && slices.ContainsFunc(p.tokens[p.at:], func(t token) bool { return t.lower == "matters" })
}

// ofMatters reports whether matters are spoken of anywhere.
func (p *parser) ofMatters() bool {
	return p.source == Matters || slices.ContainsFunc(p.tokens, func(t token) bool { return t.lower == "matters" || t.lower == "matter" })
}

// tail is for what comes last of a question about groups: "highest first", "top 5".
func (p *parser) tail() (string, bool) {
	if start := p.at; start > 0 && slices.Contains([]string{"sign", "signed"}, p.tokens[start-1].lower) && p.take("with") {
		if p.at == len(p.tokens) || p.isPeriod() { // "how many parties did we sign with in 2023"
			return "", true
		}
		p.at = start
	}
	if len(p.groups)+len(p.timed) == 0 {
		return "", false
	}
	if start := p.at; p.op == "" && p.takeAny("with the number of", "with number of", "with their number of", "and number of", "and the number of", "and their number of") {
		if p.nouns(false) { // which is told anyway
			return "", true
		}
		p.at = start
	}
	p.take(",")
	switch {
	case p.ordered(ByValueDesc, "the most frequent first", "most frequent first", "most common first", "the most common first", "sorted by number", "sorted by count", "sorted by the number", "ordered by number", "ordered by count"):
		return "the greatest first", true
	case p.ordered(ByValue):
		return "the least first", true
	case p.sort == "" && p.takeAny("in alphabetical order", "alphabetically", "sorted alphabetically", "ordered alphabetically", "sorted by name", "ordered by name", "from a to z", "a to z"):
		p.sort = ByKey
		return "in alphabetical order", !p.datedGroup()
	case p.sort == "" && p.op == "" && len(p.groups) == 1 && !p.datedGroup() && p.takeAny("most often", "the most often", "most frequently", "most commonly"):
		p.sort, p.limit = ByValueDesc, usualLimit
		return "the most first", true
	case p.sort == "" && p.takeAny("newest first", "latest first", "most recent first"):
		p.sort = ByKeyDesc
		return "the latest first", p.datedGroup() || len(p.timed) > 0
	case p.sort == "" && p.takeAny("oldest first", "earliest first", "soonest first"):
		return "the earliest first", p.datedGroup() || len(p.timed) > 0
	case (p.limit == 0 || p.limit == usualLimit && p.op != "") && p.takeAny("top", "only the top", "just the top"):
		n, ok := p.count()
		if !ok || n < 1 || n > mostLimit || p.at < len(p.tokens) && p.isField() {
			return "", false
		}
		p.limit, p.sort = n, cmp.Or(p.sort, ByValueDesc)
		return "the first " + strconv.Itoa(n), true
	}
	if (p.sort == "" || p.sort == ByValueDesc) && p.op == "" {
		start := p.at
		if p.takeAny("by number of", "by the number of", "by count of", "by how many") && p.countedAhead(Definition{Of: Files}) || p.takeAny("by count", "by number", "by frequency") {
			p.sort = ByValueDesc
			return "the most first", true
		}
		p.at = start
	}
	if start := p.at; p.having == nil && p.op == "" && len(p.groups) > 0 && (p.takeAny("only", "but only") && p.takeAny(p.groups[0].calls()...) && p.take("with") || p.takeAny("but only those with", "only those with", "only the ones with", "but only those", "only those", "but only", "only", "those with", "if there are", "where there are", "where we have", "for which there are", "for which we have", "with which we have", "with", "having") || start > 0 && p.tokens[start-1].lower == ",") {
		if meaning, ok := p.bounds(); ok && (p.at == len(p.tokens) || p.tokens[p.at].lower == "," || p.nouns(false)) { // "NDAs per counterparty, only those with more than 2"
			p.filters = append(p.filters, Filter{Field: p.groups[0], Op: Exists})
			return "those with " + meaning, true
		}
		p.having, p.at = nil, start
	}
	if start := p.at; p.source == "" && p.op == "" && p.takeAny("with", "that have", "who have", "that govern", "govern", "governing", "apply to", "appear in", "occur in", "are found in", "are used in", "used in", "in", "of", "to", "governs", "applies to", "appears in", "occurs in", "is used in", "do", "are") {
		p.takeAny("all of our", "all our", "all", "our", "the")
		if p.countedAhead(Definition{Of: Files}) { // "which laws govern our leases"
			return "", true
		}
		p.at = start
	}
	for _, words := range []string{"with", "in", "for", "under", "denominated in", "paid in", "priced in", "expressed in", "concluded in", "written in", "drafted in", "governed by", "governed", "under contract with", "have", "use", "used", "contain", "with us", "signed with", "to"} {
		if start := p.at; p.take(words) { // "which languages are our contracts written in"
			if p.at == len(p.tokens) || words == "with" && slices.Contains(p.groups, Counterparty) && p.isPeriod() {
				return "", true
			}
			p.at = start
		}
	}
	return "", false
}

// calls are what the values of a field are called.
func (f Field) calls() []string {
	names := slices.Clone(fieldNames[f])
	for i, name := range names {
		names[i] = plural(name)
	}
	return names
}

// ordered consumes which end of the figures comes first, "longest first" or "descending", and has the
// groups in that order.
func (p *parser) ordered(order Sort, others ...string) bool {
	if p.sort != "" && p.sort != order || p.datedGroup() && len(p.groups) == 1 {
		return false
	}
	start := p.at
	p.take("the")
	op, ok := p.extreme()
	if first := ok && p.take("first") && (op == Max) == (order == ByValueDesc); !first {
		p.at = start
		p.take("in")
		if ok = p.takeAny(map[Sort][]string{
			ByValueDesc: {"descending order", "descending", "desc", "from highest to lowest", "from most to least", "high to low"},
			ByValue:     {"ascending order", "ascending", "asc", "from lowest to highest", "from least to most", "low to high"},
		}[order]...) || p.takeAny(others...); !ok {
			p.at = start
			return false
		}
	}
	p.sort = order
	return true
}

// apart is a comparison of times: "signed this year vs last year", "Q1 against Q2 2026", in which
// the first is of the year of the last.
func (p *parser) apart() (string, bool) {
	start := p.at
	said, first, ok := p.time()
	if !ok || len(first) != 2 || len(p.timed) > 0 {
		return "", false
	}
	end := p.at
	spans := []span{first}
	for p.takeAny(comparing...) || p.comparing != "" && p.takeAny(", and", ",", "and", "with", "to") {
		p.takeAny("the number of", "number of", "the count of")
		p.takeAny("those", "the ones", "that", "contracts", "agreements")
		if types := p.called(p.types); types != nil { // of the same kind
			values, _ := split(types)
			if !slices.ContainsFunc(p.filters, func(f Filter) bool { return f.Field == DocumentType && slices.Equal(f.Values, values) }) {
				return "", false
			}
		}
		if again := slices.IndexFunc(topics, func(t struct {
			field Field
			words phrases
		}) bool {
			return p.takeOf(t.words)
		}); again >= 0 && topics[again].field != p.topic() {
			return "", false
		}
		next, s, ok := p.beside(spans[len(spans)-1])
		if !ok {
			next, s, ok = p.time()
		}
		if !ok || len(s) != 2 {
			return "", false
		}
		if year, err := time.Parse(time.DateOnly, s[0].Values[0]); err == nil && len(spans) == 1 && first.isYearless() {
			if from, to, ok := parseDate(strings.TrimPrefix(p.words(start, end), "in ") + " " + strconv.Itoa(year.Year())); ok {
				said, first = daysSaid(from, to), within(from, to)
				spans[0] = first
			}
		}
		if s.length() != first.length() {
			return "", false
		}
		said, spans = said+" or "+next, append(spans, s)
	}
	if len(spans) < 2 || first.length() == "" || !p.lies(spans...) {
		return "", false
	}
	p.bucket, p.timed = first.length(), append(p.timed, len(p.understood))
	return said + ", split by " + string(p.bucket), true
}

// beside consumes the time before or behind another one that is told from today: "the month before".
func (p *parser) beside(s span) (string, span, bool) {
	m := relative.FindStringSubmatch(s[0].Values[0])
	if m == nil || m[1] == "" || m[8] != "" {
		return "", nil, false
	}
	n, _ := strconv.Atoi(m[2]) // "" is 0
	said := "the " + m[1] + " beside it"
	switch {
	case p.takeAny("the "+m[1]+" before", "the "+m[1]+" before that", "the "+m[1]+" prior", "the preceding "+m[1]):
		n--
	case p.takeAny("the same "+m[1]+" last year", "same "+m[1]+" last year", "the same "+m[1]+" of last year", "the same "+m[1]+" in the previous year", "the same period last year", "same period last year", "the same time last year", "same time last year", "the same "+m[1]+" a year ago", "the same "+m[1]+" a year earlier", "a year earlier", "a year ago", "one year ago"):
		year := map[Bucket]int{Month: 12, Quarter: 4, Year: 1}[Bucket(m[1])]
		if n -= year; year == 0 {
			return "", nil, false
		}
		said = "the same " + m[1] + " of the year before"
	case p.takeAny("the "+m[1]+" after", "the "+m[1]+" after that", "the following "+m[1]):
		n++
	default:
		return "", nil, false
	}
	at := func(n int) string {
		if n == 0 {
			return m[1]
		}
		return fmt.Sprintf("%s%+d", m[1], n)
	}
	return said, within(at(n), at(n+1)), true
}

// comparing is what stands between what is compared.
var comparing = []string{"vs", "vs.", "v.", "v", "versus", "against", "compared to", "compared with", "as compared to", "as compared with", "compare with", "compare to"}

// length is the period that a time lasts, "" if it is none.
func (s span) length() Bucket {
	day := time.Date(2026, time.January, 15, 0, 0, 0, 0, time.UTC) // any: what is relative lasts as long on others
	first, _, err := parseTime(s[0].Values[0], day)
	next, _, later := parseTime(s[1].Values[0], day)
	if err != nil || later != nil || s[1].Op != Below {
		return ""
	}
	for b, months := range map[Bucket]int{Year: 12, Quarter: 3, Month: 1} {
		if first.AddDate(0, months, 0).Equal(next) {
			return b
		}
	}
	if first.AddDate(0, 0, 7).Equal(next) {
		return Week
	}
	return ""
}
