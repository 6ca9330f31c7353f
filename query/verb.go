package query

import (
	"slices"
	"strings"
)

// What is here are verbs in all their forms, and the clauses that say of rows no more than
// that they are the team's.

// irregular are the past and the participle of verbs that do not form them with -ed.
var irregular = map[string][2]string{
	"become": {"became", "become"}, "begin": {"began", "begun"}, "bring": {"brought", "brought"}, "come": {"came", "come"}, "cost": {"cost", "cost"}, "do": {"did", "done"}, "fall": {"fell", "fallen"}, "forbid": {"forbade", "forbidden"}, "give": {"gave", "given"}, "go": {"went", "gone"}, "have": {"had", "had"},
	"hold": {"held", "held"}, "keep": {"kept", "kept"}, "make": {"made", "made"}, "pay": {"paid", "paid"}, "put": {"put", "put"}, "run": {"ran", "run"}, "say": {"said", "said"}, "show": {"showed", "shown"}, "spend": {"spent", "spent"}, "set": {"set", "set"}, "take": {"took", "taken"},
}

// verb is a verb in its forms, with the words that belong to it: running out, comes to an end.
type verb struct{ base, third, ing, past, done string }

// verbOf inflects the first word.
func verbOf(words string) verb {
	base, rest, _ := strings.Cut(words, " ")
	if rest != "" {
		rest = " " + rest
	}
	stem, past := base, base+"ed"
	third := base + "s"
	switch last := base[len(base)-1]; {
	case strings.HasSuffix(base, "e"):
		stem, past = base[:len(base)-1], base+"d"
	case last == 'y' && !strings.ContainsRune("aeo", rune(base[len(base)-2])):
		third, past = plural(base), base[:len(base)-1]+"ied"
	case strings.HasSuffix(base, "s"), strings.HasSuffix(base, "sh"), strings.HasSuffix(base, "ch"), strings.HasSuffix(base, "o"):
		third = base + "es"
	case slices.Contains([]string{"begin", "run", "set", "put", "permit", "cap", "bar", "ban", "forbid", "commit"}, base):
		stem, past = base+string(last), base+string(last)+"ed"
	}
	done := past
	if forms, ok := irregular[base]; ok {
		past, done = forms[0], forms[1]
	}
	if base == "have" {
		third = "has"
	}
	return verb{base + rest, third + rest, stem + "ing" + rest, past + rest, done + rest}
}

// futures are what stands before the base of a verb where what it says is to come.
var futures = []string{"will", "due to", "set to", "going to", "scheduled to", "expected to", "bound to"}

// present are the forms of what is so now, or is to come: expire, to expire, is due to expire.
func present(v verb) []string {
	list := []string{v.base, v.third, v.ing, "to " + v.base}
	for _, before := range futures {
		list = append(list, before+" "+v.base)
	}
	return list
}

// ended are those of what has been, which can be nothing else: what has come to an end comes
// to an end as well.
func ended(v verb) []string {
	if v.done == v.base {
		return []string{v.past, "have " + v.done, "has " + v.done}
	}
	return []string{v.past, v.done}
}

func anyForm(v verb) []string { return append(present(v), v.past, v.done) }

// phrases are words by the first of them, the longest first.
type phrases map[string][]string

// longest are words with the longest first.
func longest(list []string) []string {
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

func phrasesOf(lists ...[]string) phrases {
	set := phrases{}
	for _, words := range longest(slices.Concat(lists...)) {
		first, _, _ := strings.Cut(words, " ")
		set[first] = append(set[first], words)
	}
	return set
}

// takeOf consumes the longest of phrases that is there.
func (p *parser) takeOf(set phrases) bool {
	return p.at < len(p.tokens) && p.takeAny(set[p.tokens[p.at].lower]...)
}

func forms(verbs []string, of func(verb) []string) []string {
	var list []string
	for _, words := range verbs {
		list = append(list, of(verbOf(words))...)
	}
	return list
}

// ending and starting are what contracts do when their dates come.
var (
	endings    = []string{"expire", "end", "terminate", "lapse", "run out", "come to an end", "come to its end", "come to their end", "reach its end", "reach their end", "finish", "mature"}
	beginnings = []string{"start", "begin", "commence", "take effect", "come into effect", "go into effect", "come into force", "enter into force", "become effective", "go live"}
	signings   = []string{"sign", "countersign", "execute", "conclude", "enter into"}
	uploads    = []string{"upload", "add", "import", "create", "file", "put in", "bring in", "load"}
	changes    = []string{"update", "change", "modify", "edit"}
)

// topics are the dates by what happens then.
var topics = []struct {
	field Field
	words phrases
}{
	{AttributeField("expiration_date"), phrasesOf(forms(endings, present), []string{"expirations", "expiries"})},
	{AttributeField("effective_date"), phrasesOf(forms(beginnings, anyForm), []string{"effective"})},
	{AttributeField("agreement_date"), phrasesOf(forms(signings, func(v verb) []string { return []string{v.base, v.past, v.done, "to be " + v.done} }), []string{"dated", "made", "issued", "raised", "signatures", "signings"})},
	{MatterDueAt, phrasesOf([]string{"due"})},
	{MatterCreatedAt, phrasesOf([]string{"opened"})},
	{UpdatedAt, phrasesOf(forms(changes, ended), []string{"last updated", "last changed", "last modified", "last edited"})},
	{CreatedAt, phrasesOf(forms(uploads, ended), []string{"uploads", "upload count", "upload counts", "upload volume", "upload volumes", "upload activity", "upload numbers"})},
}

// uploading is what people do with files.
var uploading = phrasesOf(forms(uploads, anyForm))

// expired is what contracts have done that are over. One that was terminated is in a stage.
var expired = phrasesOf(forms(slices.DeleteFunc(slices.Clone(endings), func(s string) bool { return s == "terminate" }), ended))

// lacking is what stands before what files do not have: "does not contain", "includes no", "silent on".
var lacking = phrasesOf(forms([]string{"have", "contain", "include", "state", "say", "tell", "specify", "name", "define", "provide for", "feature", "set out", "address", "cover", "deal with", "carry", "agree to", "accept", "give", "show"}, func(v verb) (list []string) {
	for _, not := range []string{"do not ", "don't ", "does not ", "doesn't ", "did not ", "didn't ", "never ", "fail to ", "fails to "} {
		list = append(list, not+v.base)
	}
	for _, not := range []string{"not ", "have not ", "haven't ", "has not ", "hasn't "} {
		list = append(list, not+v.done)
	}
	for _, form := range []string{v.base, v.third, v.ing} {
		list = append(list, form+" no", form+" neither", form+" none of")
	}
	return append(list, "not "+v.ing)
}), []string{
	"without", "with no", "with neither", "with none of", "missing", "miss", "misses", "lacking", "lack", "lacks", "silent on", "silent about", "silent as to", "say nothing about", "says nothing about", "say nothing on", "says nothing on", "contain nothing on", "contain nothing about", "have nothing on",
	"have not been assigned", "has not been assigned", "have not yet been assigned", "not been assigned", "have not been given", "of unknown", "of no known", "with missing", "with unknown", "with missing or unknown", "with unknown or missing",
	"do not know", "don't know", "we do not know", "we don't know", "do we not know", "omit", "omits", "omitting", "exclude", "excludes", "belong to no", "belongs to no", "assigned to no", "linked to no", "part of no", "in no",
})

// accepting is what we do who have a clause in a contract: "where we accepted unlimited liability".
var accepting = phrasesOf(forms([]string{"accept", "agree to", "agree on", "agree", "take on", "sign up to", "submit to", "grant", "give", "undertake", "negotiate", "obtain", "get", "have", "commit to"}, anyForm))

// paying are verbs by which it is asked what contracts cost.
var paying = phrasesOf(forms([]string{"spend", "pay", "owe"}, anyForm), []string{"committed", "commit"})

// bearing are verbs by which rows have figures and clauses.
var bearing = phrasesOf(forms([]string{"carry", "bear", "come with", "attract", "charge", "name", "feature", "list", "contemplate"}, func(v verb) []string { return []string{v.base, v.third, v.ing} }))

// touching is how a clause has to do with rows: "subject to", "that would be triggered by".
var touching = phrasesOf(func() (list []string) {
	for _, verb := range []string{"bound by", "subject to", "triggered by", "affected by", "caught by", "hit by", "covered by", "impacted by"} {
		for _, be := range []string{"", "would be ", "could be ", "may be ", "might be ", "that are ", "which are ", "that is ", "that would be ", "which would be ", "that could be "} {
			list = append(list, be+verb)
		}
	}
	return list
}())

// asking are verbs by which people ask for rows.
var asking = phrasesOf(forms(seeking, func(v verb) []string { return []string{v.base} }))

// teams are those on whose behalf people ask.
var teams = phrasesOf([]string{"procurement", "finance", "legal", "sales", "hr", "compliance", "treasury", "management", "tax", "accounting", "controlling", "the board", "our board", "the auditors", "our auditors", "the auditor", "the cfo", "our cfo", "the ceo", "the gc", "our gc", "the client", "my boss", "our procurement", "our finance", "our sales"})

// asksFor are the same of one who tells what he does: "I am searching".
var asksFor = phrasesOf(forms(seeking, func(v verb) []string { return []string{v.ing} }))

var seeking = []string{"list up", "show", "list", "find", "get", "give", "display", "pull up", "pull", "bring up", "fetch", "retrieve", "return", "print", "search for", "search", "look up", "look for", "identify", "provide", "see", "view", "send", "enumerate", "extract", "locate", "calculate", "compute", "analyse", "analyze", "evaluate"}

// endingNext is what contracts do that expire before others.
var endingNext = phrasesOf(forms(endings, func(v verb) (list []string) {
	for _, form := range []string{v.base, v.third, v.ing} {
		for _, when := range []string{"next", "first", "soonest", "the soonest", "earliest"} {
			list = append(list, form+" "+when)
		}
	}
	return list
}))

// polite are words before them.
var polite = longest([]string{
	"can you please", "could you please", "can you", "could you", "would you", "will you", "please", "i want to", "i would like to", "i'd like to", "i need to", "we want to", "we would like to", "we'd like to", "we need to",
	"let me", "let us", "let's", "help me", "i want you to", "can i", "can we", "could i", "could we", "may i", "may we", "need to", "want to", "might i", "i", "kindly", "now", "just", "quickly", "hi", "hello", "hey", "hi there", "good morning", "ok", "okay", "so", "also", "thanks", "thank you", ",",
	"i would", "we would", "please to", "i want", "we want", "i wonder", "i was wondering", "i am wondering", "wondering", "do you know", "do we know", "do you happen to know", "any idea", "is it possible to", "it is possible to", "would it be possible to", "is there a way to", "is there any way to", "i am trying to", "i have to", "we have to", "can someone", "could someone", "can anyone", "could anyone", "can anybody", "could anybody", "can somebody", "could somebody", "would someone", "would somebody", "someone", "somebody",
})

// asks consumes how people ask for something: "could you please pull up", "I'd like to see".
func (p *parser) asks() bool {
	start := p.at
	if p.takeOf(teams) {
		if p.takeAny("team", "department"); p.takeAny("would like", "needs", "need", "wants", "want", "asks for", "asked for", "is asking for", "are asking for", "has asked for", "have asked for", "requires", "is after", "is looking for") {
			p.takeAny("to see", "to get", "to have")
			return true
		}
		p.at = start
	}
	for p.takeAny(polite...) {
	}
	if p.takeOf(asking) {
		p.takeAny("me", "us", "to me", "to us", "please")
		p.takeAny("please")
		return true
	}
	p.at = start
	if p.takeAny("i need", "we need", "need", "want", "i want", "we want", "i would like", "i'd like", "i would need", "i would require", "i require", "i am after", "i would be interested in", "we would be interested in", "i am interested in", "we are interested in", "i am trying to find", "trying to find") {
		return true
	}
	p.takeAny("i am", "we are", "am")
	if p.takeOf(asksFor) {
		return true
	}
	p.at = start
	return false
}

// composes consumes that something is to be made of the rows: "compile a table showing". To make one
// of them is not to ask.
func (p *parser) composes() bool {
	start := p.at
	if p.composed() {
		return true
	}
	p.at = start
	return false
}

func (p *parser) composed() bool {
	for p.takeAny(polite...) {
	}
	if !p.takeAny("compile", "create", "make", "build", "prepare", "generate", "produce", "draw up", "put together", "draw", "have", "get", "receive", "see", "need", "want") {
		return false
	}
	p.takeAny("me", "us")
	p.article()
	switch {
	case p.takeAny("list", "table", "register", "schedule", "inventory"):
		p.kind, p.listed = TableChart, true
	case p.takeAny("overview", "summary", "report"):
		p.listed = true
	case !p.takeAny("statistic", "statistics", "breakdown", "chart", "graph", "diagram"):
		return false
	}
	p.takeAny("that shows", "which shows", "showing", "of", "about", "on", "with", "for", "listing", "containing")
	p.takeAny("all of our", "all our", "all the", "all", "our", "the", "every")
	return true
}

// relative consumes what joins a verb to the rows that it is about: "that have been",
// "which are".
func (p *parser) relative() {
	p.takeAny("that", "which", "who")
	for range 3 {
		if !p.takeAny("have", "has", "had", "are", "is", "were", "was", "been", "being", "already", "meanwhile", "since", "now") {
			return
		}
	}
}

// owning are what a team does with any of its contracts.
var owning = phrasesOf(forms([]string{
	"have", "use", "have on file", "have got", "have in place", "hold", "keep", "own", "agree to", "agree on", "agree", "accept", "store", "manage", "maintain", "enter into", "sign up to",
	"commit to", "take", "take on", "take out", "deal with", "work with", "do business with", "contract with", "buy from", "purchase from", "sell to", "rent from", "lease from", "lease to", "rent to", "lend to", "borrow from",
}, anyForm), []string{"exposed to", "bound by", "subject to", "committed to", "party to", "a party to", "dealing with", "tied to", "covered by"})

// ours consumes a clause that says of rows no more than that they are the team's, or that
// they are there: "that we have agreed to", "are we bound by", "in our portfolio".
func (p *parser) ours() (string, bool) {
	if p.takeAny("in our portfolio", "in the portfolio", "in our repository", "in the repository", "in our database", "in the database", "in the system", "in our system", "in our files", "on our books", "on file",
		"on record", "in place", "in our archive", "in existence", "of ours") {
		return "", true
	}
	if n := len(p.datings); n > 0 && p.datings[n-1].end == p.at && p.datings[n-1].field == AttributeField("agreement_date") && p.takeAny("by us", "from us", "on our behalf", "on our side") { // "signed by us"
		p.datings = slices.Clone(p.datings)
		p.datings[n-1].end = p.at
		return "", true
	}
	whom := p.takeAny("with whom", "with which")
	p.takeAny("that", "which", "to which")
	p.takeAny("do", "did", "have", "are", "were", "had")
	if !p.takeAny("we", "our company", "our team") {
		return "", false
	}
	p.takeAny("do", "did", "have", "are", "were", "had")
	if p.takeAny("currently", "already", "ever", "now", "actually") && p.tokens[p.at-1].lower == "ever" && p.takeAny("sign", "signed", "enter into", "entered into", "conclude", "concluded", "do", "done", "agree", "agreed") {
		return "", true
	}
	if p.tokens[p.at-1].lower == "have" && p.take("got") {
		return "", true
	}
	if had := p.tokens[p.at-1].lower; (had == "have" || had == "had") && whom && p.at < len(p.tokens) { // "with whom we have a right of first refusal"
		return "", p.means()
	}
	verb := p.at
	if !p.takeOf(owning) || p.at < len(p.tokens) && capital(p.tokens[p.at]) || verb > 0 && p.tokens[verb-1].lower == "have" && p.tokens[verb].lower == "contracts" {
		return "", false // a name that follows belongs to the verb, and to have contracts is no other one
	}
	p.contracts = p.contracts || strings.HasPrefix(p.tokens[verb].lower, "agree")
	return "", true
}

// bareType is for a type of documents in the singular: "every lease that …", "the NDA with Acme".
func (p *parser) bareType() (string, bool) {
	if p.source != "" && p.source != Files {
		return "", false
	}
	start := p.at
	if labels := p.called(p.labels); labels != nil { // a perpetual license is no license only
		end := p.at
		p.at = start
		if types := p.called(p.types); types == nil && p.typeWithin(start, end) {
			p.at = end
			return p.anyOf(Label, labels), true
		}
	}
	p.at = start
	options := p.called(p.types)
	if options == nil || p.nouns(true) || p.takeAny("provision", "provisions", "language") {
		return "", false
	}
	p.contracts = true
	if p.among() {
		return "among all", true
	}
	return p.anyOf(DocumentType, options), true
}

// typeWithin reports whether words end with what a type of documents is called.
func (p *parser) typeWithin(start, end int) bool {
	at := p.at
	defer func() { p.at = at }()
	p.at = max(start, end-1)
	return p.called(p.types) != nil && p.at == end
}

// joiners are words between the rows and what is understood by itself.
var joiners = []string{"where", "in which", "under which", "for which", "to which", "has", "had", "been", "being", "be", "whose", "who", "plus", "as well as", "either", "or either",
	"but only those", "only those", "just those", "only the ones", "limited to", "restricted to", "namely", "those with", "those that", "those", "the ones with", "the ones that"}

// joining is for words that join what is understood by itself to what it is about: "leases
// to which …", "amendments to NDAs".
func (p *parser) joining() (string, bool) {
	start := p.at
	if start > 0 && p.tokens[start-1].lower == "," {
		p.take("only")
	}
	for p.takeAny(joiners...) {
	}
	if p.at > start && start > 0 && (p.tokens[start-1].lower == "of" || p.tokens[start-1].lower == "and" && p.tokens[p.at-1].lower == "which") { // "which of those" were spoken of elsewhere, and "and under which" asks again
		return "", false
	}
	if p.at > start || p.at > 0 && slices.Contains([]string{"which", "that"}, p.tokens[p.at-1].lower) && p.take("both") {
		return "", p.means()
	}
	if p.take("with") { // "with high risk"
		if p.op == CountDistinct { // "number of vendors with active contracts"
			return "", p.means()
		}
		ahead := *p
		ahead.article()
		_, ok := ahead.valueFirst()
		return "", ok
	}
	if !p.takeAny("to", "on", "under", "covered by", "against", "related to", "relating to", "concerning", "regarding", "belonging to", "that belong to", "linked to", "connected to", "attached to", "assigned to", "appear in", "appears in", "occur in", "are included in", "included in", "are found in") {
		return "", false
	}
	if p.tokens[p.at-1].lower == "against" && p.op != "" { // "average of those against all contracts"
		return "", false
	}
	start = p.at
	defer func() { p.at = start }()
	if f, options := p.onlyNamed(""); options != nil {
		return "", f == Matter || f == Party
	}
	p.takeAny("all our", "all", "our", "the", "any", "these", "those")
	return "", p.called(p.types) != nil || p.nouns(false) || p.partyAhead()
}

// partyAhead reports whether files are named by their party next: "the Acme lease".
func (p *parser) partyAhead() bool {
	p.takeAny("the", "our", "all", "any")
	if p.at == len(p.tokens) || !capital(p.tokens[p.at]) {
		return false
	}
	ahead := *p
	_, ok := ahead.involving()
	return ok
}

// notBoth is for "but not both" behind two clauses or parties of which one is there.
func (p *parser) notBoth() (string, bool) {
	n := len(p.filters) - 1
	if n < 0 || p.last.end != p.at {
		return "", false
	}
	if p.take(","); !p.takeAny("but not both", "and not both", "not both", "but not both of them") {
		return "", false
	}
	f := p.filters[n]
	d, _ := Lookup(f.Field)
	if f.Op != In || len(f.Values) != 2 || f.Field != Label && !d.Many {
		return "", false
	}
	one, other := Is(f.Field, f.Values[0]), Is(f.Field, f.Values[1])
	p.filters = append(slices.Clone(p.filters[:n]), Filter{Any: []Filter{And(one, Filter{Not: &other}), And(other, Filter{Not: &one})}})
	return "not both of them", true
}

// alternative is for "or" between conditions on different fields: "governed by Texas law or
// with Acme", "expiring this year or without an expiration date". Conditions that are joined
// to one of them by "and" as well have two readings, so they are none.
func (p *parser) alternative() (string, bool) {
	before := p.last
	if before.end != p.at || before.joined || !p.take("or") && !p.unites() {
		return "", false
	}
	first := slices.Clone(p.filters[before.filters:])
	filters, datings := len(p.filters), len(p.datings)
	period := before.dated && len(first) == 0
	if !period && len(first) == 0 {
		return "", false
	}
	p.takeAny("else", "either")
	p.takeAny("those", "ones", "the ones", "these")
	var said []string
	for len(p.filters) == filters && !p.lying(datings) {
		meaning, ok := p.further()
		if !ok || p.at == len(p.tokens) && len(p.filters) == filters && !p.lying(datings) {
			return "", false
		}
		if meaning != "" {
			said = append(said, meaning)
		}
	}
	second := slices.Clone(p.filters[filters:])
	if p.at < len(p.tokens) && slices.Contains([]string{"and", "or"}, p.tokens[p.at].lower) || len(p.datings) > datings+1 {
		return "", false
	}
	if period && p.lying(datings) {
		d := *p.ownDating(datings)
		if d.field == "" || d.behind || d.ahead || d.not || len(d.spans) != 1 || len(second) > 0 {
			return "", false
		}
		d.said = nil
		p.direct(&d)
		second, p.datings = d.spans[0].of(d.field), p.datings[:datings]
		said = append(said[:0], d.field.label()+": "+said[len(said)-1])
	}
	p.filters = slices.Clone(p.filters[:before.filters])
	switch {
	case period:
		d := p.ownDating(len(p.datings) - 1)
		d.or = append(d.or, And(second...))
	case p.lying(datings):
		d := p.ownDating(len(p.datings) - 1)
		d.or = append(d.or, And(first...))
	default:
		p.filters = append(p.filters, either(And(first...), And(second...)))
	}
	return "or " + strings.Join(said, ", "), true
}

// unites consumes "and" before further rows, which are asked for beside those before: "and those with Acme".
func (p *parser) unites() bool {
	for _, joint := range []string{"and also", "and", "as well as", "plus"} {
		start := p.at
		if p.take(joint) {
			if at := p.at; p.takeAny("those", "the ones", "all those", "all the ones") {
				p.at = at
				p.take("all")
				return true
			}
			p.at = start
		}
	}
	return false
}

// either is one of two conditions: of the values of one field, one of them.
func either(a, b Filter) Filter {
	if d, _ := Lookup(a.Field); a.Field != "" && a.Field == b.Field && a.Op == In && b.Op == In && d.Kind == Enum {
		return Is(a.Field, slices.Concat(a.Values, b.Values)...)
	}
	return Filter{Any: []Filter{a, b}}
}

// negated is for "not" before a condition that is understood by itself: "not expiring this
// year", "not with Acme", "never uploaded by Jane".
func (p *parser) negated() (string, bool) {
	p.takeAny("that", "which")
	p.takeAny("do", "does", "did", "will", "have", "has", "are", "is", "were", "was")
	if p.take("neither") {
		start := p.at
		meaning, ok := p.opposite()
		for ok && p.take("nor") {
			var other string
			other, ok = p.opposite()
			meaning += ", " + other
		}
		return meaning, ok && slices.ContainsFunc(p.tokens[start:p.at], func(t token) bool { return t.lower == "nor" })
	}
	if !p.takeAny("not", "never", "don't", "doesn't", "didn't", "won't", "aren't", "isn't", "wasn't", "weren't", "haven't", "hasn't") {
		return "", false
	}
	return p.opposite()
}

// opposite reads on up to a condition, and asks for its opposite.
func (p *parser) opposite() (string, bool) {
	filters, datings, periods := len(p.filters), slices.Clone(p.datings), p.periods()
	var said []string
	for len(p.filters) == filters && p.periods() == periods {
		meaning, ok := p.further()
		if !ok || p.at == len(p.tokens) && len(p.filters) == filters && p.periods() == periods {
			return "", false
		}
		if meaning != "" {
			said = append(said, meaning)
		}
	}
	switch dated := p.periods() > periods; {
	case dated && (len(p.filters) > filters || len(p.datings) > len(datings)+1):
		return "", false
	case dated:
		p.ownDating(len(p.datings) - 1).not = true
		said = append(said, "or not stated")
	default:
		inner := And(slices.Clone(p.filters[filters:])...)
		if inner.Not != nil || inner.Op == NotIn || inner.Op == Missing {
			return "", false
		}
		p.filters = append(slices.Clone(p.filters[:filters]), Filter{Not: &inner})
	}
	return "not: " + strings.Join(said, ", "), true
}

// mostAhead bounds how many steps are looked at within others: each would look at all that
// follows it.
const mostAhead = 2

// further is a step within another one.
func (p *parser) further() (string, bool) {
	if p.ahead >= mostAhead {
		return "", false
	}
	p.ahead++
	meaning, ok := p.step()
	p.ahead--
	return meaning, ok
}

// lying reports whether a date with a period was read behind so many others.
func (p *parser) lying(datings int) bool {
	return len(p.datings) > datings && p.datings[len(p.datings)-1].spans != nil
}

// ownDating is a date that may be changed without changing what was kept of the parser.
func (p *parser) ownDating(i int) *dating {
	p.datings = slices.Clone(p.datings)
	return &p.datings[i]
}

// lastStep is where the last condition ended, and what was there before it.
type lastStep struct {
	end     int // the token behind it
	filters int
	dated   bool // it gave a date its period
	joined  bool // "and" joins it to another condition
}

// note keeps what the step from the token start on has added.
func (p *parser) note(start, filters, spans int) {
	added, dated := len(p.filters) > filters, p.periods() > spans
	if !added && !dated {
		return
	}
	and := p.tokens[start].lower == "and" || start > 0 && p.tokens[start-1].lower == "and"
	p.last = lastStep{p.at, filters, dated, and}
}

// periods is how many dates have a period.
func (p *parser) periods() int {
	n := 0
	for _, d := range p.datings {
		if d.spans != nil {
			n++
		}
	}
	return n
}

// giving and barring are verbs by which clauses are told: "grant a license", "prohibit assignment".
var (
	giving  = phrasesOf(forms([]string{"allow", "allow for", "permit", "grant", "give", "impose", "offer", "feature", "carry", "set out", "address", "stipulate", "contemplate", "establish", "have"}, anyForm))
	barring = phrasesOf(forms([]string{"prohibit", "restrict", "forbid", "bar", "ban", "limit", "exclude", "prevent"}, anyForm))
	// restricting are labels of clauses that forbid what they are called by.
	restricting = []string{"anti_assignment", "change_of_control", "no_solicit_of_employees", "no_solicit_of_customers", "non_compete", "cap_on_liability", "price_restrictions", "volume_restriction"}
)

// grants is for "that allow audits", "which prohibit assignment" and "do not grant a license". To
// allow what a clause forbids is to have none, or one with an exception: nobody knows.
func (p *parser) grants() (string, bool) {
	asked := p.at == 0 && p.takeAny("where do we", "where did we", "where have we", "where are we", "where are we currently")
	if asked && (p.takeOf(accepting) || p.takeOf(owning)) || !asked && p.takeAny("where we have", "where we've", "where we", "in which we have", "in which we", "under which we have", "under which we", "for which we", "that we have", "that we") && p.takeOf(accepting) {
		p.article()
		groups := p.clauseNames()
		if groups == nil {
			return "", false
		}
		if asked { // "where are we bound by exclusivity"
			p.listed, p.contracts = true, true
		}
		return p.each(Label, groups), true
	}
	p.takeAny("that", "which")
	not := p.takeAny("do not", "don't", "does not", "doesn't", "never", "not")
	bars := p.takeOf(barring)
	if !bars && !p.takeOf(giving) {
		return "", false
	}
	whose := ""
	if !bars && p.somebody() { // "give the customer audit rights"
		whose = ", whoever has it"
	}
	p.article()
	groups := p.clauseNames()
	if groups == nil {
		return "", false
	}
	for _, o := range slices.Concat(groups...) {
		if slices.Contains(restricting, o.Value) != bars {
			return "", false
		}
	}
	if not {
		return p.lacks(groups) + whose, true
	}
	return p.each(Label, groups) + whose, true
}

// enabling are verbs of what lets somebody do what a clause is about.
var enabling = phrasesOf(forms([]string{"allow", "permit", "let", "entitle", "enable"}, func(v verb) []string { return []string{v.base, v.third, v.ing} }))

// enables consumes that somebody is let do what follows: "allow us to", "let the landlord".
func (p *parser) enables() bool {
	start := p.at
	if p.takeOf(enabling) && p.somebody() {
		p.take("to")
		return true
	}
	p.at = start
	return false
}

// somebody consumes a side of a contract. A clause is of none of them, which has to be said.
func (p *parser) somebody() bool {
	if p.takeAny("us", "them", "you", "either party", "each party", "both parties", "one party", "any party", "the counterparty", "the other party", "the other side") {
		return true
	}
	start := p.at
	if p.article(); p.takeRole() != nil {
		return true
	}
	p.at = start
	return false
}

// passive consumes what a contract does with what a clause is about: "where insurance is required",
// "where assignment is prohibited".
func (p *parser) passive(groups [][]Option) {
	start := p.at
	if !p.takeAny("is", "are") {
		return
	}
	did := p.takeAny("required", "granted", "given", "agreed", "included", "provided", "provided for", "permitted", "allowed", "stipulated", "addressed", "offered")
	bars := !did && p.takeAny("prohibited", "restricted", "forbidden", "excluded", "limited", "barred", "banned", "not allowed", "not permitted")
	for _, o := range slices.Concat(groups...) {
		if !did && !bars || slices.Contains(restricting, o.Value) != bars {
			p.at = start
		}
	}
}

// speaking is for "clauses on change of control" and "clauses about assignment".
func (p *parser) speaking() (string, bool) {
	if p.at == 0 || !strings.HasPrefix(p.tokens[p.at-1].lower, "clause") && !strings.HasPrefix(p.tokens[p.at-1].lower, "sentence") ||
		!p.takeAny("on", "about", "regarding", "concerning", "covering", "dealing with", "relating to", "related to", "addressing", "for") {
		return "", false
	}
	groups := p.seriesOf(func() []Option { p.article(); return p.called(p.labels) })
	if groups == nil {
		return "", false
	}
	p.takeAny("clause", "clauses")
	return p.anyOf(Label, slices.Concat(groups...)), true
}

// valueFirst is for a value of a field of the team before the field's name, or the first word
// of it: "high risk", "EMEA region contracts".
func (p *parser) valueFirst() (string, bool) {
	start := p.at
	for n := 1; n <= 3 && start+n < len(p.tokens); n++ {
		if word := p.tokens[start+n-1]; smallWords[word.lower] && !(n == 2 && word.lower == "or") || word.quoted {
			return "", false
		}
		p.at = start + n
		d, ok := p.ownField()
		if !ok || d.Kind != Enum || d.Key == "" || closed[d.Field] != nil {
			continue
		}
		end := p.at
		p.at = start
		if groups := p.seriesOf(func() []Option { return p.namesOf(d.Field, anywhere) }); groups != nil && p.at == start+n {
			p.at = end
			return p.anyOf(d.Field, slices.Concat(groups...)), true
		}
	}
	return "", false
}

// ownField consumes the name of a field of the team, or its first word.
func (p *parser) ownField() (Definition, bool) {
	for _, whole := range []bool{true, false} {
		for _, o := range p.vocabulary.Own {
			for _, name := range spellings(o.Name) {
				first, _, _ := strings.Cut(name, " ")
				if whole && p.take(name) || !whole && !smallWords[first] && p.take(first) {
					return Lookup(AttributeField(o.Value))
				}
			}
		}
	}
	return Definition{}, false
}

// bareLabel is for the name of a clause by itself: "is there a non-compete in …".
func (p *parser) bareLabel() (string, bool) {
	hurried := p.loose && p.at > 0 && len(p.lost) == 0 && (p.last.end == p.at || isRows(p.tokens[p.at-1])) // "Bolt MSA change of control"
	if p.source != "" && p.source != Files || p.at > 0 && !hurried && !slices.Contains([]string{"a", "an", "any", "there", "have", "has", "and", "or", "with", ",", "neither"}, p.tokens[p.at-1].lower) {
		return "", false
	}
	first := p.at == 0
	groups := p.clauseNames()
	if groups != nil && p.absent() { // "insurance missing"
		return p.lacks(groups), true
	}
	if groups == nil || first && p.at == len(p.tokens) || p.at < len(p.tokens) && slices.Contains([]string{"value", "values", "amount", "date"}, p.tokens[p.at].lower) {
		return "", false
	}
	if p.renewed(groups) { // "any renewals in December"
		p.about(AttributeField("expiration_date"))
	}
	return p.each(Label, groups), true
}

// labelRows is for rows that are called by a clause: "revenue sharing agreements".
func (p *parser) labelRows() (string, bool) {
	if p.source != "" && p.source != Files {
		return "", false
	}
	options := p.called(p.labels)
	rows := p.at
	if options == nil || !p.nouns(false) {
		return "", false
	}
	p.at = rows // they are read next
	return p.anyOf(Label, options), true
}

// sorted is for "sorted by expiration date" behind a list: a date or a figure of files.
func (p *parser) sorted() (string, bool) {
	if start := p.at; start > 0 && len(p.groups) == 0 && p.op == "" && p.takeAny("in chronological order", "chronologically", "in date order", "in order of date", "in reverse chronological order") {
		p.listed, p.recently = true, ByKey
		if p.tokens[start+1].lower == "reverse" {
			p.recently = ByKeyDesc
		}
		return "by date", true
	}
	if start := p.at; start > 0 && len(p.groups) == 0 && p.op == "" {
		p.take(",")
		if p.takeAny("most valuable first", "highest value first", "largest value first", "most expensive first", "biggest first", "largest first") {
			d, _ := Lookup(AttributeField("contract_value"))
			for _, f := range p.filters { // "deposits of more than 50,000, biggest first"
				if of, _ := Lookup(f.Field); of.IsMoney() && f.Op != Exists {
					d = of
				}
			}
			return p.files(d, Max, 0), true
		}
		p.at = start
	}
	if start := p.at; start > 0 && len(p.groups)+len(p.timed) == 0 && p.op == "" && p.recently == "" {
		p.take(",")
		if p.listed && p.takeAny("in alphabetical order", "alphabetically", "sorted alphabetically", "sorted by name", "by name", "ordered by name", "from a to z", "a to z", "a-z", "in order of name") {
			p.groups, p.sort, p.kind, p.source = []Field{Name, File}, ByKey, TableChart, Files
			return "by name", true
		}
		if p.takeAny("with dates", "with the dates", "with their dates", "and dates", "and their dates") {
			p.listed, p.recently = true, ByKey
			return "by date", true
		}
		if p.takeAny("top", "the top") { // "customer contracts, top 10 by value"
			if n, ok := p.count(); ok && n > 0 && n <= mostLimit && p.take("by") {
				return p.byFigure(Max, n)
			}
			return "", false
		}
		if p.takeAny("newest upload first", "newest uploads first", "latest upload first", "latest uploads first", "most recent upload first", "oldest upload first", "oldest uploads first", "earliest upload first", "earliest uploads first") {
			p.about(CreatedAt)
			p.listed, p.recently = true, ByKeyDesc
			if which := p.tokens[p.at-3].lower; which == "oldest" || which == "earliest" {
				p.recently = ByKey
			}
			return "by " + CreatedAt.label(), true
		}
		if p.takeAny("newest first", "latest first", "most recent first") {
			p.listed, p.recently = true, ByKeyDesc
			return "the latest first", true
		}
		if p.takeAny("oldest first", "earliest first", "soonest first", "in order of expiry", "by order of expiry") {
			if p.tokens[p.at-1].lower == "expiry" {
				p.about(AttributeField("expiration_date"))
			}
			p.listed, p.recently = true, ByKey
			return "the earliest first", true
		}
		p.at = start
	}
	if p.at == 0 || len(p.groups) > 0 || p.op != "" || !p.takeAny("sorted by", "ordered by", "in order of", "in ascending order of", "in descending order of", "sort by", "order by", "ranked by", "sorted after", "ordered after", "sorted on", "sorted according to") && !(p.listed && p.take("by")) {
		return "", false
	}
	lone := p.kind != TableChart // "show leases by expiry date" is told in groups, unless it is said which comes first

	if p.takeAny("date", "the date", "dates") && p.op == "" { // whichever that is
		p.listed, p.recently = true, ByKey
		if p.takeAny("descending", "latest first", "newest first") {
			p.recently = ByKeyDesc
		}
		return "by date", true
	}
	bare := p.tokens[p.at-1].lower == "by" && p.at > 1 && !slices.Contains([]string{"sorted", "ordered", "sort", "order", "ranked"}, p.tokens[p.at-2].lower)
	p.takeAny("the", "their")
	d, ok := p.field()
	comma := p.at
	p.take(",")
	if !ok || d.Of != Files || d.Kind != Date && d.Kind != Number || bare && d.Key == "" && d.Kind != Date {
		return "", false
	}
	falling := slices.ContainsFunc(p.tokens[:p.at], func(t token) bool { return t.lower == "descending" }) || p.takeAny("descending", "desc", "in descending order", "latest first", "newest first", "highest first", "largest first", "from high to low")
	rising := !falling && p.takeAny("ascending", "asc", "in ascending order", "earliest first", "soonest first", "nearest first", "oldest first", "lowest first", "smallest first", "from low to high")
	if !falling && !rising {
		if p.at = comma; lone && bare {
			return "", false
		}
	}
	if d.Kind == Number {
		op := Max
		if rising {
			op = Min
		}
		return p.files(d, op, 0), true
	}
	p.about(d.Field)
	if p.listed, p.recently = true, ByKey; falling {
		p.recently = ByKeyDesc
	}
	meaning := "by " + d.Label + ", " + map[Sort]string{ByKey: "the earliest first", ByKeyDesc: "the latest first"}[p.recently]
	if d.Key != "" { // rows without it are left out
		meaning += ", of those that have one"
	}
	return meaning, true
}

// andWhen is for "and when do they end" behind what the rows are.
func (p *parser) andWhen() (string, bool) {
	if p.at == 0 || p.op != "" || len(p.groups) > 0 || p.counted {
		return "", false
	}
	p.take(",")
	if !p.takeAny("and when", "when") || !p.takeAny("do they", "does it", "will they", "will it", "did they", "did it", "were they", "was it", "are they", "is it") {
		return "", false
	}
	p.listed, p.recently = true, ByKey
	return "as a list, by date", true
}

// theirs is for "and their expiry dates" and "with their values" behind what the rows are.
func (p *parser) theirs() (string, bool) {
	if p.at > 0 && p.op == "" && len(p.groups) == 0 && p.takeAny(", and what are they worth", "and what are they worth", "and how much are they worth", ", and how much are they worth", "and what is it worth") {
		d, _ := Lookup(AttributeField("contract_value"))
		return p.files(d, Max, 0), true
	}
	if start := p.at; p.counted && p.op == "" && len(p.groups) == 1 && p.takeAny("and their", "with their", "and its") {
		if d, ok := p.field(); ok && (p.at == len(p.tokens) || p.stops()) {
			if of := ofMatters[d.Field]; p.groups[0] == Matter && of != "" { // "files per matter and their status"
				d = p.lookup(of)
			}
			p.groups = append(p.groups, d.Field)
			return "by " + d.Label, d.Kind == Enum && p.groups[0] != d.Field
		}
		p.at = start
	}
	if start := p.at; start > 0 && p.op == "" && len(p.groups) == 0 && (p.listed || p.kind == TableChart) && p.takeAny("with", "showing") { // "a table of contracts with value and currency"
		if meaning, ok := p.columns(); ok {
			return meaning, true
		}
		p.at = start
	}
	if p.at == 0 || p.op != "" || len(p.groups) > 0 || !p.takeAny("and their", "with their", "including their", "incl their", "incl. their", "including", "incl", "incl.", "and its", "with its", "and what are their", "and what is their", "and what is its", "together with their", "along with their") {
		return "", false
	}
	if meaning, ok := p.columns(); ok {
		return meaning, true
	}
	d, ok := p.field()
	if !ok || p.at < len(p.tokens) && !p.stops() && p.tokens[p.at].lower != "," {
		return "", false
	}
	switch {
	case d.Kind == Date && (d.Of == Files || d.Of == Matters && p.source == Matters):
		p.about(d.Field)
		p.listed, p.recently = true, ByKey
		return "as a list, by " + d.Label, !p.isPeriod()
	case d.Kind == Number && d.Of == Files && p.source != Matters:
		return p.files(d, Max, 0), true
	case d.Kind == Enum && d.Of == Files && p.source != Matters:
		p.groups = append(p.groups, d.Field)
		return "by " + d.Label, true
	}
	return "", false
}

// columns is for "with their rent and expiry dates": several facts of each, as many as there are groups.
func (p *parser) columns() (string, bool) {
	start := p.at
	var list []Definition
	for len(list) <= mostGroups {
		if len(list) > 0 && p.joint() == "" {
			break
		}
		p.takeAny("their", "its", "the")
		d, ok := p.field()
		if !ok || d.Of != Files || slices.ContainsFunc(list, func(other Definition) bool { return other.Field == d.Field }) {
			list = nil
			break
		}
		list = append(list, d)
	}
	figure := slices.IndexFunc(list, func(d Definition) bool { return d.Kind == Number })
	groups := []Field{}
	for i, d := range list {
		if i != figure {
			groups = append(groups, d.Field)
		}
	}
	if groups = append(groups, File); len(list) < 2 || len(groups) > mostGroups || p.source == Matters || p.source == Sentences || p.at < len(p.tokens) && !p.stops() {
		p.at = start
		return "", false
	}
	p.groups, p.kind, p.source = groups, TableChart, Files
	if figure >= 0 {
		p.op, p.opWord, p.metric = Max, "greatest", list[figure].Field
	}
	if p.sort = ByKey; p.datedGroup() {
		p.bucket = Day
	}
	said := make([]string, len(list))
	for i, d := range list {
		said[i] = d.Label
	}
	return "with " + strings.Join(said, ", ") + " of each", true
}

// figures is for "what are the payment terms in the Acme agreements": of each of them.
func (p *parser) figures() (string, bool) {
	first := p.at == 0
	if p.op != "" || len(p.groups) > 0 || !first && !slices.Contains([]string{"is", "are", "the", "our", "show", "list", "me", "need", "give", "want", "get"}, p.tokens[p.at-1].lower) {
		return "", false
	}
	d, ok := p.field()
	if start := p.at; ok && first && d.Kind == Date && d.Of == Files && p.plural(p.at-1) && p.at < len(p.tokens) && capital(p.tokens[p.at]) && !p.isPeriod() { // "expiry dates Globex contracts"
		p.at = start
		p.about(d.Field)
		p.listed, p.recently = true, ByKey
		return "as a list, by " + d.Label, true
	}
	if start := p.at; ok && first && d.Kind == Date && d.Of == Files && p.plural(p.at-1) && (p.takeAny("all our", "all", "our") || true) && p.rowsFollow() { // "end dates all leases"
		p.at = start
		p.about(d.Field)
		p.listed, p.recently = true, ByKey
		return "as a list, by " + d.Label, true
	} else {
		p.at = start
	}
	if ok && first && d.Kind == Number && d.Of == Files && p.at < len(p.tokens) && capital(p.tokens[p.at]) && p.partyAhead() { // "notice period Initech MSA"
		return p.files(d, Max, 0), true
	}
	if start := p.at; ok && d.Kind == Date && (!first || p.plural(p.at-1)) && p.takeAny("in", "of", "under", "for", "across") { // "expiry dates of our leases"
		p.at = start
		p.about(d.Field)
		p.listed, p.recently = true, ByKey
		return "as a list, by " + d.Label, !p.isPeriod()
	}
	if start := p.at; ok && (first || p.comparesTimes()) && d.IsMoney() && !p.plural(p.at-1) && p.takeAny("of our", "of all our", "of the", "of all", "of") {
		if p.nouns(false) || p.called(p.types) != nil || p.passRows() {
			if p.plural(p.at - 1) { // "value of supply contracts"
				p.at, p.op, p.opWord, p.metric = start, Sum, "total", d.Field
				return "sum of " + d.Label, true
			}
		}
		p.at = start
	}
	if start := p.at; ok && first && !p.plural(p.at-1) && p.takeAny("of the", "in the", "on the", "of our", "in our") && p.partyAhead() { // "deposit of the Northwind lease"
		p.at = start
		return p.files(d, Max, 0), d.Kind == Number && d.Of == Files
	}
	if !ok || first && !p.plural(p.at-1) || d.Kind != Number || d.Key == "" || p.groupsAhead() || p.at == len(p.tokens) || !slices.Contains([]string{"in", "of", "under", "for", "across", "on", "with", "from"}, p.tokens[p.at].lower) || p.isMeasured() {
		return "", false
	}
	if end := p.at; first { // "payment terms of net 60" are no rows
		p.at++
		if !p.takeAny("all", "our", "the") && p.called(p.types) == nil && !p.partyAhead() && !(p.at < len(p.tokens) && capital(p.tokens[p.at]) && p.party() != nil) {
			return "", false
		}
		p.at = end
	}
	return p.files(d, Max, 0), true
}

// comparesTimes reports whether something is compared later on: "this quarter compared with last".
func (p *parser) comparesTimes() bool {
	return slices.ContainsFunc(p.tokens[p.at:], func(t token) bool {
		return strings.HasPrefix(t.lower, "compare") || slices.Contains([]string{"vs", "vs.", "versus"}, t.lower)
	})
}

// uploader is for "by Jane Doe" behind an upload and its time.
func (p *parser) uploader() (string, bool) {
	if !slices.ContainsFunc(p.datings, func(d dating) bool { return d.field == CreatedAt }) || p.at == len(p.tokens) {
		return "", false
	}
	not := p.takeAny("by someone other than", "by somebody other than", "by anyone other than", "by anyone but", "by anybody but", "by anyone except", "by people other than", "by others than", "not by", "but not by", "other than by")
	if !not && !p.takeAny("by", "from") && !p.loose || p.at == len(p.tokens) || !capital(p.tokens[p.at]) {
		return "", false
	}
	people := p.seriesOf(func() []Option { return p.namesOf(CreatedBy, anywhere) })
	if people == nil {
		return "", false
	}
	if not {
		return p.noneOf(CreatedBy, slices.Concat(people...)), true
	}
	return p.anyOf(CreatedBy, slices.Concat(people...)), true
}
