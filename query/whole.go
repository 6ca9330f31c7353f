package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What is here are the rules for figures that are compared with those of all: "longer than average",
// "suppliers with more than a tenth of our spend", "Acme's share of it", and for those of dates, which
// are ages.

// beyondWhole is for "above the average value", "with a notice period longer than average" and "twice the
// average rent": rows, or groups of them, by a figure that is compared with the average of all of them.
func (p *parser) beyondWhole() (string, bool) {
	if p.op != "" || p.having != nil || len(p.timed) > 0 || len(p.groups) > 1 || p.source != "" && p.source != Files {
		return "", false
	}
	worth := p.figureOpens()
	p.article()
	total, begun := p.takeAny("total", "overall", "combined"), p.at
	op, factor, d, named, ok := p.adjectiveAverage()
	if !ok {
		p.at = begun
		if d, named = p.figure(); named {
			p.takeAny("that is", "that are", "which is", "which are", "is", "are", "was", "were", "lasts", "of")
		}
		if op, factor, ok = p.timesAverage(); !ok || total && !named {
			return "", false
		}
	}
	than := p.tokens[p.at-1].lower
	compared := strings.ToLower(p.words(max(0, p.at-4), p.at))
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(compared, word) })
	}
	value, term := says("expensive", "larger", "bigger", "smaller", "costl"), says("longer", "shorter")
	counts := named && d.Field == File
	if counts {
		named = false
	} else if !named && p.take("number of") {
		counts = p.nouns(false)
	} else if !named {
		if d, named = p.figure(); !named && p.nouns(false) { // "worth more than the average contract"
			if end := p.at; p.takeAny("value", "term", "length") {
				p.at--
				d, named = p.figure()
			} else {
				p.at = end
			}
		}
	} else if at := p.at; p.at < len(p.tokens) {
		if of, again := p.figure(); again && of.Field != d.Field { // "a term longer than the average notice period" is another thing
			return "", false
		} else if !again {
			p.at = at
		}
	}
	switch {
	case named || counts:
	case worth, value, !term && len(p.groups) == 0 && p.contracts && (op == Above || op == Below):
		d, named = p.lookup(AttributeField("contract_value")), true
	case term:
		d, named = p.lookup(AttributeField("initial_term")), true
	}
	if !named && !(counts && len(p.groups) == 1) || than == "on" {
		return "", false
	}
	if !p.ofThemselves() {
		return "", false
	}
	p.having = []Bound{{Op: op, Value: factor, Across: Avg}}
	of := "of all that are asked for"
	switch {
	case counts:
		p.filters = append(p.filters, Filter{Field: p.groups[0], Op: Exists})
		return "those whose number " + comparisons[op] + " " + p.having[0].words(), true
	case len(p.groups) == 1:
		p.figureOfGroups(d)
		of = "of those of each " + p.groups[0].label()
	default:
		end := map[Op]MetricOp{Above: Max, AtLeast: Max, Below: Min, AtMost: Min}[op]
		p.files(d, end, 0)
		if p.counted {
			p.kind = TableChart
			of += ", each with its figure"
		}
	}
	if d.MayBeMoney() {
		of += ", in the same currency" + d.asSum()
	}
	times := ""
	if factor != 1 {
		times = strconv.FormatFloat(factor, 'f', -1, 64) + " times "
	}
	return d.Label + " " + comparisons[op] + " " + times + "the average " + of, true
}

// aboveOthers is for "spend per supplier, only those above the average": groups whose figure was told before.
func (p *parser) aboveOthers() (string, bool) {
	if len(p.groups) != 1 || p.having != nil || len(p.timed) > 0 {
		return "", false
	}
	p.take(",")
	if !p.takeAny("but only", "only", "limited to", "restricted to") {
		return "", false
	}
	p.takeAny("for", "show")
	p.takeAny("the", "those", "our")
	p.takeAny(append(p.groups[0].calls(), "ones")...)
	p.takeAny("that are", "which are", "who are", "that is", "with a figure", "with", "where it is", "where this is")
	op, factor, ok := p.timesAverage()
	if !ok || p.isField() {
		return "", false
	}
	p.having = []Bound{{Op: op, Value: factor, Across: Avg}}
	p.filters = append(p.filters, Filter{Field: p.groups[0], Op: Exists})
	return "those whose figure " + comparisons[op] + " " + p.having[0].words(), true
}

// figureOpens consumes what stands before a figure that is compared, and reports whether it is what
// contracts are worth.
func (p *parser) figureOpens() bool {
	p.takeAny("and", "but")
	p.takeAny("that", "which", "who")
	if p.takeAny("cost", "costs", "pay", "paying") {
		return true
	}
	p.takeAny("where the", "where", "whose", "in which the", "with", "have", "has", "having", "are", "is", "at", "run", "last", "earn", "earning")
	return p.takeAny("worth", "valued at", "cost us", "costing", "do we pay", "are we paying", "we pay", "we paying", "we are paying", "pay us", "do we spend", "we spend")
}

// figure consumes the name of a number of files, or of what may be one.
func (p *parser) figure() (Definition, bool) {
	start := p.at
	d, ok := p.field()
	if !ok && p.takeAny("caps on liability", "cap on liability", "caps on our liability", "limits of liability", "liability caps", "liability cap", "liability limits", "liability limit", "caps", "cap") && slices.Contains(p.vocabulary.Keys, "liability_cap") {
		d, ok = p.lookup(AttributeField("liability_cap")), true
	}
	if ok && d.mayBeSum() {
		d.Kind = Number
	}
	if ok = ok && d.Kind == Number && d.Of == Files; !ok {
		p.at = start
	}
	return d, ok
}

// adjectiveAverage is for "a shorter notice period than average" and "more contracts than average", which
// are counted as files are.
func (p *parser) adjectiveAverage() (op Op, factor float64, d Definition, named, ok bool) {
	switch {
	case p.takeAny("longer", "higher", "larger", "bigger", "greater", "more"):
		op = Above
	case p.takeAny("shorter", "lower", "smaller", "less", "fewer"):
		op = Below
	default:
		return "", 0, d, false, false
	}
	if d, named = p.figure(); !named && p.nouns(false) {
		d, named = Lookup(File)
	}
	p.takeAny("in place", "with us")
	return op, 1, d, named, named && p.take("than") && p.average()
}

// timesAverage consumes how a figure compares with an average, and by what that is multiplied: "more than
// twice the average", "20% above average".
func (p *parser) timesAverage() (op Op, factor float64, ok bool) {
	factor = 1
	start := p.at
	if p.takeAny("above-average", "above-the-average", "higher-than-average", "larger-than-average", "longer-than-average", "bigger-than-average") {
		return Above, 1, true
	}
	if p.takeAny("below-average", "below-the-average", "lower-than-average", "smaller-than-average", "shorter-than-average") {
		return Below, 1, true
	}
	least := p.takeAny("more than", "over", "at least")
	reached := least && p.tokens[p.at-1].lower == "least"
	if a, counted := p.amount(); counted && a.percent && a.n > 0 { // "more than 20% above average"
		side, compared := p.comparator()
		if !compared || side != Above && side != Below || !p.average() {
			return "", 0, false
		}
		if factor = 1 + a.n/100; side == Below {
			factor = 1 - a.n/100
		}
		if reached {
			side = map[Op]Op{Above: AtLeast, Below: AtMost}[side]
		}
		return side, factor, factor > 0
	}
	p.at = start
	op, compared := p.comparator()
	if !compared && p.takeAny("larger", "bigger", "greater", "more expensive", "costlier", "longer", "higher", "more valuable") && p.take("than") {
		op, compared = Above, true
	} else if !compared && p.takeAny("smaller", "less expensive", "cheaper", "shorter", "less valuable", "lower") && p.take("than") {
		op, compared = Below, true
	}
	if !compared && !least {
		switch p.at = start; {
		case p.takeAny("exceed", "exceeds"):
			op, compared = Above, true
		default:
			op, compared = AtLeast, false
		}
	}
	times := p.at
	switch a, counted := p.amount(); {
	case counted && !a.days && !a.money && !a.percent && a.n > 0 && p.takeAny("times", "x"):
		factor = a.n
	default:
		if p.at = times; p.takeAny("twice", "double") {
			factor = 2
		} else if p.takeAny("half of", "half") {
			factor = 0.5
		} else if p.takeAny("three times", "triple") {
			factor = 3
		}
	}
	if !compared && factor == 1 {
		return "", 0, false
	}
	return op, factor, p.average()
}

// average consumes that an average is what something is compared with.
func (p *parser) average() bool {
	p.takeAny("the", "our", "their", "its", "what is")
	p.takeAny("overall", "portfolio", "total")
	return p.takeAny("average", "mean", "avg")
}

// ofThemselves consumes of what the average is that rows are compared with, which has to be all of them.
func (p *parser) ofThemselves() bool {
	start := p.at
	p.takeAny("for", "of", "across", "among")
	p.takeAny("all of them", "all of these", "all of our", "all our", "all the", "all", "our", "the", "these", "those")
	from := p.at
	if types := p.called(p.types); types != nil {
		values, _ := split(types)
		same := slices.ContainsFunc(p.filters, func(f Filter) bool { return f.Field == DocumentType && slices.Equal(f.Values, Values(values)) })
		return same || p.at == from
	}
	if p.nouns(false) || p.takeAny("portfolio", "suppliers", "customers", "counterparties", "vendors", "supplier", "customer", "counterparty") {
		p.whole = p.phrase(start, p.at)
		return true
	}
	if p.at > start && (p.at == len(p.tokens) || !p.tokens[p.at-1].quoted && p.tokens[start].lower == "for") {
		p.at = start
	}
	return true
}

// narrows reports whether a condition leaves less than all contracts, or all of those with a side that was
// named as all are, to make an average of.
func (p *parser) narrows(f Filter) bool {
	return f.Field != CounterpartyRole && f.Op != Exists && f.Field != p.metric
}

// figureOfGroups measures groups by d: by its sum where it is money, else by its average.
func (p *parser) figureOfGroups(d Definition) {
	p.op, p.opWord, p.metric = Avg, "average", d.Field
	if d.MayBeMoney() || d.Field == PageCount {
		p.op, p.opWord = Sum, "total"
	}
	p.source = Files
	p.filters = append(p.filters, Filter{Field: p.groups[0], Op: Exists})
}

// partOfWhole is for "suppliers who account for more than 10% of our spend": groups that have such a part
// of the figures of all of them.
func (p *parser) partOfWhole() (string, bool) {
	if p.op != "" && p.op != CountDistinct || p.having != nil || len(p.groups) > 1 || p.op == "" && len(p.groups) == 0 {
		return "", false
	}
	group := p.metric
	if p.op == "" {
		group = p.groups[0]
	}
	if d, ok := Lookup(group); !ok || d.Kind != Enum || d.Of != Files || group == File {
		return "", false
	}
	p.takeAny("that", "which", "who")
	if !(p.at < len(p.tokens) && strings.ContainsAny(p.tokens[p.at].lower[:1], "<>")) && !p.takeAny("account for", "accounts for", "make up", "makes up", "represent", "represents", "contribute", "contributes", "have", "has", "with", "hold", "holds", "receive", "receives", "get", "cover", "covers", "take", "takes", "are", "is", "bring in", "brings in", "bring", "brings", "generate", "generates", "contribute", "contributes", "pay us", "spend") {
		return "", false
	}
	op, compared := p.comparator()
	a, ok := p.amount()
	part := a.n / 100
	if !ok && p.takeAny("a tenth", "half", "a quarter", "a third", "a fifth") {
		part, ok, a.percent = map[string]float64{"tenth": 0.1, "half": 0.5, "quarter": 0.25, "third": 1. / 3, "fifth": 0.2}[p.tokens[p.at-1].lower], true, true
	}
	if !ok || !a.percent || part <= 0 || !p.takeAny("of", "in") && !p.isField() {
		return "", false
	}
	if suffixed, after := p.orMore(); !compared && after {
		op, compared = suffixed, true
	}
	p.takeAny("all of our", "all our", "our", "all", "the")
	p.takeAny("total", "overall", "whole", "entire")
	d, money := p.figure()
	if !compared || money && !d.IsMoney() || !money && !p.nouns(false) {
		return "", false
	}
	if p.op == CountDistinct { // "how many suppliers account for …"
		p.op, p.metric, p.groups, p.kind = "", "", []Field{group}, TableChart
	}
	p.having = []Bound{{Op: op, Value: part, Across: Sum}}
	p.source = Files
	if money {
		p.figureOfGroups(d)
	} else {
		p.filters = append(p.filters, Filter{Field: group, Op: Exists})
	}
	return fmt.Sprintf("each with its figure, those with a part of all figures that %s %s%%", comparisons[op], strconv.FormatFloat(part*100, 'f', -1, 64)), true
}

// owner consumes whose something is: "Acme's", "Stark Industries'".
func (p *parser) owner() []Option {
	start := p.at
	for at := start; at < min(len(p.tokens), start+longestTitle); at++ {
		t := p.tokens[at]
		stem, ok := strings.CutSuffix(t.word, "'s")
		if !ok {
			if stem, ok = strings.CutSuffix(t.word, "s'"); ok {
				stem += "s"
			}
		}
		if !ok || t.quoted {
			continue
		}
		ahead := p.again()
		ahead.tokens = slices.Clone(p.tokens)
		ahead.tokens[at].word, ahead.tokens[at].lower = stem, strings.ToLower(stem)
		if options := ahead.party(); options != nil && ahead.at == at+1 {
			p.at = ahead.at
			return options
		}
	}
	return nil
}

// ownShare is for "Acme's share of our spend", which is a percentage of what follows.
func (p *parser) ownShare() (string, bool) {
	if p.source != "" || p.sharing != notShared || p.op != "" {
		return "", false
	}
	owner := p.owner()
	if owner == nil || !p.takeAny("percentage share", "share", "portion", "part", "percentage", "proportion") || !p.takeAny("of", "in") {
		return "", false
	}
	values, names := split(owner)
	p.ofPart = []Filter{Is(Party, values...)}
	p.sharing = shareOf
	said := "as a percentage, of which " + Party.label() + " is " + strings.Join(names, " or ")
	p.takeAny("all of our", "all our", "all the", "all", "our", "the")
	p.takeAny("total", "overall")
	if d, ok := p.field(); ok && d.IsMoney() && d.Of == Files {
		p.op, p.opWord, p.metric = Sum, "total", d.Field
		return said + ", of the sum of " + d.Label, true
	} else if ok {
		return "", false
	}
	return said, true
}

// partAmong is for "share of contracts under English law among our customer contracts": what was said is of
// the part, and what follows of the rows.
func (p *parser) partAmong() (string, bool) {
	if p.sharing != shareOf || p.ofPart != nil || len(p.filters) == 0 || len(p.datings) > 0 || p.op != "" || !p.takeAny("among", "amongst", "out of") {
		return "", false
	}
	p.ofPart, p.filters = p.filters, nil
	return "of those that follow", p.at < len(p.tokens)
}

// partByValue is for "Acme's share of our leases by value", which is one of that sum.
func (p *parser) partByValue() (string, bool) {
	if p.sharing == notShared || p.op != "" || p.metric != "" || !p.takeAny("by", "in terms of", "measured by", "in") {
		return "", false
	}
	p.takeAny("total", "the", "overall")
	d, ok := p.figure()
	if !ok || !d.IsMoney() || p.isMeasured() {
		return "", false
	}
	p.op, p.opWord, p.metric = Sum, "total", d.Field
	return "of the sum of " + d.Label, true
}

// boundFigure is for "do our leases have an average term of more than five years": the figure is told, which
// is not one of the rows that are beyond the bound.
func (p *parser) boundFigure() (string, bool) {
	if p.at == 0 || p.metric != "" || len(p.groups) > 0 || !slices.Contains([]MetricOp{Avg, Median, Sum}, p.op) || p.averaged != "" || !strings.HasSuffix(p.opWord, p.tokens[p.at-1].word) {
		return "", false
	}
	d, ok := p.figure()
	filters := len(p.filters)
	p.takeAny("is", "of")
	meaning, bounded := p.bounded(d)
	if !ok || !bounded || !slices.Contains([]string{"do", "does", "is", "are", "have", "has"}, p.tokens[0].lower) {
		return "", false
	}
	p.metric, p.filters = d.Field, slices.Clone(p.filters[:filters])
	return "of " + d.Label + ", the figure itself: whether " + meaning + " is seen by it", true
}

// age is for "average age of our contracts" and "how old are our leases on average".
func (p *parser) age() (string, bool) {
	if p.op == "" && len(p.understood) == 0 && p.takeAny("how old is", "how old are") { // "how old is the Acme MSA": its date tells
		p.about(AttributeField("agreement_date"))
		p.listed, p.recently = true, ByKey
		return "as a list, by " + AttributeField("agreement_date").label(), true
	}
	figure := slices.Contains([]MetricOp{Avg, Median, Max, Min}, p.op) && p.metric == ""
	if !figure || !p.takeAny("age", "ages") && !p.takeAny("how old are", "how old is") {
		return "", false
	}
	p.metric, p.old = AttributeField("agreement_date"), true
	return "how long ago " + p.metric.label() + " was", true
}

const giverUnknown = "who has to give the notice is not known: the notice period of the file, whoever gives it"

// mayDo is for "which agreements can we terminate for convenience": what can be done is read next. A clause
// is of no side, which is said; what somebody else may do is not asked for so.
func (p *parser) mayDo() (string, bool) {
	start := p.at
	if start == 0 || !isRows(p.tokens[start-1]) && !p.typeEnds() || !p.takeAny("can", "may", "could") || !p.takeAny("we", "either party") || p.at == len(p.tokens) {
		return "", false
	}
	can := p.tokens[start]
	can.start, can.end = p.tokens[p.at].start, p.tokens[p.at].start
	p.tokens = slices.Insert(slices.Clone(p.tokens), p.at, can)
	return "whoever may: which side a clause is of is not known", p.means()
}

// giver is for "90 days' notice from us" and "require us to give 60 days' notice": who gives it is read from
// no contract, so that the notice period is all that is asked for, which is said.
func (p *parser) giver() (string, bool) {
	if p.metric == AttributeField("notice_period") {
		if meaning, ok := p.givenBy(); ok {
			return meaning, true
		}
	}
	if n := len(p.filters); n > 0 && p.last.end == p.at && slices.Contains(p.filters[n-1].Uses(), AttributeField("notice_period")) {
		if p.takeAny("from", "by", "on", "for", "to", "given by", "owed by") && p.giverNamed() && (p.at == len(p.tokens) || p.stops() || p.joins()) {
			return giverUnknown, true
		}
		return "", false
	}
	p.takeAny("that", "which", "where", "in which", "under which")
	bound := p.takeAny("require", "requires", "requiring", "oblige", "obliges", "force")
	if !p.giverNamed() || !p.takeAny("must", "has to", "have to", "need to", "needs to", "to", "owes", "owe", "shall", "should") && !bound {
		return "", false
	}
	p.takeAny("give", "provide", "serve", "get", "receive")
	if p.takeAny("us", "them", "the other side"); p.at == len(p.tokens) {
		return "", false
	}
	p.article()
	start := p.at
	if _, ok := p.field(); ok { // "a notice period of 90 days"
		p.at = start
	}
	if meaning, ok := p.compared(); ok && slices.Contains(p.filters[len(p.filters)-1].Uses(), AttributeField("notice_period")) {
		return meaning + "; " + giverUnknown, true
	}
	return "", false
}

// givenBy is for "the notice period that Hooli has to give us", behind the figure.
func (p *parser) givenBy() (string, bool) {
	start := p.at
	p.takeAny("that", "which")
	meaning := ""
	if !p.giverNamed() {
		groups := p.seriesOf(p.party)
		if groups == nil {
			p.at = start
			return "", false
		}
		meaning = p.each(Party, groups) + "; "
	}
	if !p.takeAny("has to give", "have to give", "must give", "needs to give", "need to give", "gives", "give", "owes", "owe") {
		return "", false
	}
	p.takeAny("us", "them")
	return meaning + giverUnknown, true
}

// giverNamed consumes one side of a contract, or both.
func (p *parser) giverNamed() bool {
	return p.takeAny("we", "our side", "they", "their side", "either side", "both sides") || p.somebody()
}
