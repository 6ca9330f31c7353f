package query

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is here are the rules for how people ask for contracts: for lists of them, by
// their clauses, parties, laws, languages and words.

// listing is for "which contracts", "show me all files" and "list matters": what is
// asked for is the rows themselves.
func (p *parser) listing() (string, bool) {
	if later := p.at > 0 && p.tokens[p.at-1].lower == "," && p.source == "" && len(p.groups) == 0 && p.op == "" && p.sharing == notShared; len(p.understood) > 0 && !later { // "since January, which contracts …"
		return "", false
	}
	switch {
	case p.takeAny("can you list", "could you list", "please list up", "list up", "please list", "i need a list of", "give me a list of", "show me a list of", "a list of", "list of", "list all", "list"):
		p.kind = TableChart
	case p.composes():
		return "as a list", true
	case p.asks(), p.takeAny("which of our", "which of the"):
		if p.takeAny("how many", "how much", "what", "number of", "the number of", "whether", "if", "how", "who", "when") {
			return "", false // another question is asked
		}
	case p.at+2 < len(p.tokens) && slices.Contains([]string{"did", "has", "have"}, p.tokens[p.at+1].lower) && (capital(p.tokens[p.at+2]) || p.tokens[p.at+2].lower == "we" && !p.spendsFrom(p.at+1)) && p.take("what"): // "what did Jane upload"
	case p.takeAny("which", "what"):
		start := p.at
		p.count()
		rows := p.take("ones") || p.nouns(false) || p.takeAny("matters", "sentences", "clauses", "open matters", "uploads") || p.called(p.types) != nil || p.typeName() != nil || p.rowsAhead()
		if d, ok := p.field(); ok && !rows { // "which salaries are above 100k"
			rows = d.Kind == Number && d.Key != "" && p.plural(p.at-1) && p.take("are")
		}
		p.at = start
		if !rows {
			return "", false
		}
	default:
		return "", false
	}
	p.takeAny("all of the", "all of our", "all the", "all our", "all", "every", "each", "any", "the", "our", "ones")
	p.listed = true
	few := *p
	if n, ok := few.count(); ok && n > 0 && n <= mostLimit && few.rowsFollow() && few.firstAhead() { // "which three leases end soonest"
		p.at, p.limit = p.at+1, n
	}
	return "as a list", true
}

// rowsAhead reports whether files are named within the next words, which say of what kind
// they are.
func (p *parser) rowsAhead() bool {
	for n := range longestTitle + 1 {
		if p.at+n >= len(p.tokens) || smallWords[p.tokens[p.at+n].lower] {
			return false
		}
		ahead := *p
		ahead.at += n
		if ahead.nouns(false) {
			return true
		}
	}
	return false
}

// most is for "which counterparty has the most contracts" and "most common clauses".
func (p *parser) most() (string, bool) {
	start, order := p.at, ByValueDesc
	p.takeAny("the", "our")
	n, counted := p.count()
	common := p.takeAny("most common", "commonest", "most popular", "most frequently used", "most commonly used", "most frequent", "most used", "biggest", "largest", "main", "top", "most important")
	if !common && p.takeAny("smallest", "least common", "rarest", "least frequent", "least used", "least frequently used", "least popular") {
		common, order = true, ByValue
	}
	worth := Sort("") // "ten most expensive suppliers"
	if !common {
		switch p.superlative() {
		case "valuable", "expensive", "costly", "costliest", "highest-value":
			common, worth = true, map[bool]Sort{true: ByValue, false: ByValueDesc}[p.at > 1 && p.tokens[p.at-2].lower == "least"]
		case "cheapest":
			common, worth = true, ByValue
		}
	}
	asked := false
	if !common {
		p.at, n, counted = start, usualLimit, true
		asked = p.takeAny("which", "what")
		if few, ok := p.count(); ok && asked { // "which three counterparties have the most contracts"
			n = few
		} else if ok {
			return "", false
		}
	}
	d, ok := p.field()
	counts := d.Kind == Number && d.Key != "" && !d.IsMoney() && (common || asked && !d.IsDuration() && !p.plural(p.at-1)) // "most common payment term", "which cost centre has the highest spend"
	if !ok || d.Kind != Enum && !counts || d.mayBeSum() || counted && (n < 1 || n > mostLimit) {
		return "", false
	}
	if !counted {
		n = usualLimit
	}
	switch {
	case common:
	case asked && p.mostOften():
	case asked && p.takeAny("do most of our", "do most of the", "do most of", "do most", "do the majority of our", "do the most of our", "governs most of our", "govern most of our", "governs most", "applies to most of our", "apply to most of our", "applies to most", "is behind most of our", "covers most of our"): // what they are is read next
		if d.Of != Files {
			return "", false
		}
	case asked && p.takeAny("are most common", "are the most common", "is most common", "is the most common", "are most frequent", "occur most often", "appear most often", "is used most", "are used most", "comes up most", "come up most", "do we use most"):
	case asked && p.takeAny("are least common", "are the least common", "is least common", "is the least common", "are rarest", "is rarest", "are the rarest", "is the rarest", "occur least often", "appear least often", "is used least", "are used least"):
		order = ByValue
	case len(p.groups) == 0:
		return p.mostOf(d, n)
	default:
		return "", false
	}
	if d.Of == Sentences {
		p.source = Sentences
	}
	if worth != "" {
		if d.Kind != Enum || d.Of != Files || d.Field == File {
			return "", false
		}
		p.groups, p.sort, p.limit = append(p.groups, d.Field), worth, n
		p.op, p.opWord, p.metric = Sum, "total", AttributeField("contract_value")
		return "by " + d.Label + ", " + map[Sort]string{ByValueDesc: "the greatest", ByValue: "the least"}[worth] + " sum of " + p.metric.label() + " first", true
	}
	p.groups, p.sort, p.limit = append(p.groups, d.Field), order, n
	if by := p.byMeasure(false); by != "" { // "top counterparties by contract value"
		return "by " + d.Label + ", " + by, true
	}
	return "by " + d.Label + ", " + map[Sort]string{ByValueDesc: "the most first", ByValue: "the least first"}[order], true
}

// mostOften is for "do we accept most often" behind what is counted.
func (p *parser) mostOften() bool {
	start := p.at
	if p.takeAny("have we signed", "do we sign", "did we sign", "have we concluded") {
		p.about(AttributeField("agreement_date"))
		signed := p.at
		if p.takeAny("the most", "most") && (p.at == len(p.tokens) || p.isPeriod()) {
			return true
		}
		p.at = signed
	} else if _, ok := p.ours(); !ok {
		p.takeAny("are used", "is used", "come up", "comes up", "appear", "appears", "occur", "occurs", "are", "is", "do we see", "do we use")
	}
	if p.takeAny("most often", "the most often", "most frequently", "most commonly", "more than any other") {
		return true
	}
	p.at = start
	return false
}

// mostOf is for "which counterparty has the most contracts", "… accounts for the most contract
// value" and "which document type has the highest average value".
func (p *parser) mostOf(d Definition, n int) (string, bool) {
	start := p.at
	if p.takeAny("has the", "have the", "with the", "had the", "has", "have", "had", "brings in the", "bring in the", "brings the", "bring the", "generates the", "generate the", "contributes the", "contribute the", "represents the", "represent the", "makes up the", "make up the", "accounts for the", "account for the", "give us the", "gives us the", "bring us the", "brings us the", "carries the", "carry the", "shows the", "show the") && d.Of == Files {
		if op, ok := p.extreme(); ok {
			bring := !slices.ContainsFunc(p.tokens[start:p.at], func(t token) bool { return slices.Contains([]string{"has", "have", "with", "had"}, t.lower) })
			if meaning, ok := p.figureOf(d, op); ok {
				if of, _ := Lookup(p.metric); bring && of.IsMoney() && p.op == Max { // what they bring is all of it
					p.op, meaning = Sum, strings.Replace(meaning, "the greatest ", "the greatest sum of ", 1)
				}
				p.limit = n
				return meaning, true
			}
		}
	}
	p.at = start
	order := ByValueDesc
	if !p.holding(d) {
		return "", false
	}
	switch {
	case p.takeAny("the fewest", "fewest", "the lowest number of", "the smallest number of", "the lowest count of", "the least"):
		order = ByValue
	case !p.takeAny("the most of", "the most", "most", "the highest number of", "the largest number of", "the greatest number of", "the highest count of"):
		return "", false
	}
	p.groups, p.sort, p.limit = append(p.groups, d.Field), order, n
	rows := p.at
	if of, ok := p.field(); ok && of.IsMoney() && of.Of == Files && d.Of == Files {
		p.op, p.opWord, p.metric = Sum, "total", of.Field
		return "by " + d.Label + ", " + map[Sort]string{ByValueDesc: "the greatest", ByValue: "the least"}[order] + " sum of " + of.Label + " first", true
	}
	if p.at = rows; d.Of == Files {
		if of, ok := p.field(); ok && of.Kind == Enum && of.Of == Files && of.Field != d.Field && p.plural(p.at-1) { // "which region has the fewest suppliers"
			p.op, p.metric, p.filters = CountDistinct, of.Field, append(p.filters, Filter{Field: d.Field, Op: Exists})
			return "by " + d.Label + ", " + map[Sort]string{ByValueDesc: "the most", ByValue: "the fewest"}[order] + " different values of " + of.Label + " first", true
		}
	}
	if p.at = rows; p.paysMost(rows) && (p.at == len(p.tokens) || p.isPeriod() || p.stops()) {
		p.op, p.opWord, p.metric = Sum, "total", AttributeField("contract_value")
		return "by " + d.Label + ", " + map[Sort]string{ByValueDesc: "the greatest", ByValue: "the least"}[order] + " sum of " + p.metric.label() + " first", true
	}
	if p.at = rows; !p.countedAhead(d) && !(p.take("of") && p.at == len(p.tokens)) {
		return "", false
	}
	if p.source = d.Of; d.Of == Sentences { // a clause may be in a contract many times
		p.op, p.metric = CountDistinct, File
	}
	return "by " + d.Label + ", " + map[Sort]string{ByValueDesc: "the most", ByValue: "the fewest"}[order] + " first", true
}

// paysMost reports whether what is paid is what there is most of: "which vendors do we pay the most".
func (p *parser) paysMost(at int) bool {
	from := max(0, at-4)
	return slices.ContainsFunc(p.tokens[from:at], func(t token) bool {
		return slices.Contains([]string{"pay", "paying", "pays", "spend", "spending", "owe", "cost", "costs"}, t.lower)
	})
}

// figureOf consumes the figure of which each group has the most, or the least.
func (p *parser) figureOf(d Definition, op MetricOp) (string, bool) {
	order := map[MetricOp]Sort{Max: ByValueDesc, Min: ByValue}[op]
	switch most := p.tokens[p.at-1].lower == "most"; {
	case p.takeAny("average", "mean"):
		op = Avg
	case p.takeAny("total", "overall", "combined"):
		op = Sum
	case p.takeAny("share of our", "share of the", "share of"): // which is where the sum is
		p.takeAny("total", "overall")
		op = Sum
	case most:
		return "", false
	}
	of, ok := p.field()
	if !ok || of.Kind != Number || of.Of != Files {
		return "", false
	}
	if strings.HasPrefix(p.tokens[p.at-1].lower, "spend") { // which is all of it
		op = Sum
	}
	p.op, p.opWord, p.metric = op, string(op), of.Field
	p.groups, p.sort, p.limit = append(p.groups, d.Field), order, usualLimit
	p.filters = append(p.filters, Filter{Field: d.Field, Op: Exists})
	if of.Key != "" {
		p.filters = append(p.filters, Filter{Field: of.Field, Op: Exists})
	}
	return "by " + d.Label + ", the " + map[Sort]string{ByValueDesc: "greatest ", ByValue: "least "}[order] + map[MetricOp]string{Avg: "average of ", Sum: "sum of "}[op] + of.Label + " first", true
}

// usualLimit is how many are shown where nobody says how many.
const usualLimit = 10

// recent is for "latest contracts", "5 most recent uploads" and "the oldest contract".
func (p *parser) recent() (string, bool) {
	p.takeAny("the", "our")
	if p.take("next") {
		return p.upcoming()
	}
	n, counted := p.count()
	order, which := ByKeyDesc, "latest"
	switch {
	case p.takeAny("latest", "newest", "most recently", "most recent", "last", "newly", "recent"):
	case p.takeAny("oldest", "earliest", "first"):
		order, which = ByKey, "oldest"
	default:
		return "", false
	}
	if p.isUnit() || len(p.groups) > 0 { // "last year's contracts", and the first of each
		return "", false
	}
	if !counted {
		n, counted = p.count()
	}
	uploads := p.takeAny("uploads", "upload")
	if verb := p.at; !uploads { // "most recently uploaded files"
		for _, t := range topics {
			if p.at == verb && (t.field == CreatedAt || t.field == UpdatedAt || t.field == AttributeField("agreement_date")) && p.takeOf(t.words) {
				p.about(t.field)
			}
		}
	}
	rows := p.at
	if !uploads && !p.nouns(false) && p.called(p.types) == nil && !p.passRows() {
		return "", false
	}
	if !counted {
		n = usualLimit
		if !p.plural(p.at - 1) {
			n = 1
		}
	}
	if n < 1 || n > mostLimit {
		return "", false
	}
	if uploads {
		p.about(CreatedAt)
	} else {
		p.at = rows // they are read next
	}
	p.listed, p.recently, p.limit = true, order, n
	if slices.ContainsFunc(p.tokens[p.at:], func(t token) bool { return slices.Contains([]string{"per", "each", "every"}, t.lower) }) { // of each group
		return "", false
	}
	return "the " + which, true
}

// upcoming is for "the next 5 contracts to expire"; their name is read next.
func (p *parser) upcoming() (string, bool) {
	n, counted := p.count()
	rows := p.at
	if !counted {
		n = 1
	}
	if n < 1 || n > mostLimit || !p.nouns(false) && p.called(p.types) == nil {
		return "", false
	}
	if !counted && p.plural(p.at-1) {
		n = usualLimit
	}
	p.takeAny("that", "which", "due")
	if !p.takeAny("to expire", "to end", "expiring", "ending", "will expire", "will end", "expire") {
		return "", false
	}
	p.at = rows
	return p.soonest(n)
}

// soonest asks for the n files that expire first, from today on.
func (p *parser) soonest(n int) (string, bool) {
	p.about(AttributeField("expiration_date"))
	p.listed, p.recently, p.limit = true, ByKey, n
	return "the first that expire, from today on", p.lies(from("today"))
}

// counting is for "the ten NDAs that expire soonest".
func (p *parser) counting() (string, bool) {
	p.take("the")
	n, ok := p.count()
	rows := p.at
	if !ok || n < 1 || n > mostLimit || p.limit != 0 || !p.nouns(false) && p.called(p.types) == nil || !p.takeAny("that", "which") || !p.takeOf(endingNext) {
		return "", false
	}
	p.at, p.limit = rows, n
	return "the first " + strconv.Itoa(n), true
}

// firstAhead reports whether it is told later which rows come first.
func (p *parser) firstAhead() bool {
	return slices.ContainsFunc(p.tokens[p.at:], func(t token) bool {
		return slices.Contains([]string{"soonest", "first", "next", "last", "earliest", "latest", "recently"}, t.lower)
	})
}

// expiresNext is for "which contract expires next".
func (p *parser) expiresNext() (string, bool) {
	if p.at == 0 || p.source != Files && p.source != "" {
		return "", false
	}
	n := 1
	if p.plural(p.at - 1) {
		n = usualLimit
	}
	n = cmp.Or(p.limit, n)
	p.takeAny("that", "which")
	p.takeAny("will", "is due to", "are due to", "are", "is")
	if !p.takeOf(endingNext) && !p.takeAny("closest to expiry", "closest to expiration", "closest to expiring", "nearest to expiry", "nearest to expiration", "nearest expiry", "expiring next", "expiring first", "ending next", "ending first", "next to expire", "first to expire", "expires next", "expire next", "expires first", "expire first", "expires soonest", "expire soonest", "ends next", "end next", "ends first", "end first", "is next to expire", "are next to expire", "is the next to expire", "are the next to expire") {
		return "", false
	}
	start := p.at
	_, counted := p.count()
	if _, unit := p.unit(); counted || unit { // expire next year
		return "", false
	}
	if _, month := p.month(); month || start < len(p.tokens) && slices.Contains(weekdays, p.tokens[start].lower) { // expire next January, or next Monday
		return "", false
	}
	p.at = start
	return p.soonest(n)
}

// lastly is for "was signed last" and "were uploaded most recently".
func (p *parser) lastly() (string, bool) {
	if len(p.datings) == 0 || p.isPeriod() {
		return "", false
	}
	d := p.datings[len(p.datings)-1]
	if d.end != p.at || d.spans != nil || p.recently != "" {
		return "", false
	}
	order, which := ByKeyDesc, "latest"
	if !p.takeAny("last", "as last", "as the last", "most recently", "the latest", "latest") {
		if order, which = ByKey, "earliest"; !p.takeAny("first", "as first", "as the first", "earliest", "the earliest", "the longest ago", "longest ago") {
			return "", false
		}
	}
	p.listed, p.recently, p.limit = true, order, cmp.Or(p.limit, p.asMany())
	return "the " + which, true
}

// asMany is how many rows are asked for by the name that they had.
func (p *parser) asMany() int {
	if slices.ContainsFunc(p.tokens[:p.at], func(t token) bool { return isRows(t) && strings.HasSuffix(t.lower, "s") }) {
		return usualLimit
	}
	return 1
}

// isRows reports whether a word is what rows are called.
func isRows(t token) bool { return rowWords[strings.TrimSuffix(t.lower, "s")] }

// rowWords are what rows are called in the singular.
var rowWords = map[string]bool{"contract": true, "agreement": true, "document": true, "file": true, "lease": true, "nda": true, "deal": true}

// says is for words that say of a contract that it has a clause, or that it has not: "that
// auto-renew", "cannot be terminated for convenience".
func (p *parser) says() (string, bool) {
	p.takeAny("that are", "which are", "that", "which", "are", "where the", "where", "and the", "in which the", "in which", "whose")
	p.takeAny("with liability", "with our liability", "with the liability")
	p.takeAny("either party", "any party", "each party", "both parties", "one party", "either side", "we")
	if option, ok := p.saying(""); ok {
		if cap, _ := Lookup(AttributeField("liability_cap")); option.Value == "cap_on_liability" && (p.takeAny("to", "at") || p.isMeasured()) { // "capped at $1m"
			if meaning, ok := p.bounded(cap); ok {
				return meaning, true
			}
			n, ok := p.amount()
			return p.number(cap, In, n.String()) + cap.anyCurrency(), ok && cap.takes(n)
		}
		ahead := *p
		ahead.datings = slices.Clone(p.datings)
		ahead.about(AttributeField("expiration_date"))
		if option.Value == "renewal_term" && ahead.isPeriod() { // when they would end
			p.about(AttributeField("expiration_date"))
		}
		return p.anyOf(Label, []Option{option}), true
	}
	if p.enables() {
		option, ok := p.saying("can ")
		return p.anyOf(Label, []Option{option}) + ", whoever may", ok // a clause is of no side
	}
	if p.takeAny("cannot", "can not", "can't") {
		if option, ok := p.saying("can "); ok {
			return p.lacks([][]Option{{option}}), true
		}
		return "", false
	}
	if !p.takeAny("not", "do not", "don't", "does not", "doesn't", "are not", "is not", "never") {
		return "", false
	}
	if p.takeAny("lack", "lacking", "miss") {
		p.article()
		if groups := p.clauseNames(); groups != nil {
			return p.each(Label, groups), true
		}
		return "", false
	}
	can := ""
	if p.enables() {
		can = "can "
	}
	option, ok := p.saying(can)
	return p.lacks([][]Option{{option}}), ok
}

// saying consumes a phrase that says of a contract that it has a clause; its beginning may
// have been read.
func (p *parser) saying(read string) (Option, bool) {
	for _, c := range p.phrases {
		if rest, ok := strings.CutPrefix(c.name, read); ok && p.takeLoose(rest) {
			return c.option, true
		}
	}
	if read != "" || !slices.ContainsFunc(p.tokens, func(t token) bool { return strings.HasPrefix(t.lower, "licen") }) {
		return Option{}, false
	}
	for _, c := range p.labels { // "licenses that are perpetual"
		start := p.at
		adjective, ok := strings.CutSuffix(c.name, " license")
		if ok && (strings.HasPrefix(adjective, "non ") || !strings.Contains(adjective, " ")) && p.take(adjective) && !p.rowsFollow() {
			return c.option, true
		}
		p.at = start
	}
	return Option{}, false
}

// renewals is for contracts that are renewed unless somebody acts.
func (p *parser) renewals() (string, bool) {
	p.takeAny("that are", "which are", "are", "is")
	upcoming := p.takeAny("upcoming renewals", "renewals coming up")
	if !upcoming && !p.takeAny("up for renewal", "due for renewal", "due to renew", "coming up for renewal", "come up for renewal", "comes up for renewal", "be up for renewal", "fall due for renewal", "renewals", "renewing", "that renew", "which renew", "that renews", "which renews", "renews", "renew", "to be renewed", "be renewed") {
		return "", false
	}
	renewal := p.option(Label, "renewal_term")
	if renewal == nil {
		return "", false
	}
	d := p.about(AttributeField("expiration_date"))
	p.filters = append(p.filters, Is(Label, renewal.Value))
	if upcoming {
		d.near(len(p.understood))
		d.words, d.end = "upcoming renewals", p.at
	}
	return Label.is(renewal.Name) + ", by " + AttributeField("expiration_date").label(), true
}

// option is a value of a field that the team has.
func (p *parser) option(f Field, value string) *Option {
	for i, o := range p.vocabulary.Values[f] {
		if o.Value == value {
			return &p.vocabulary.Values[f][i]
		}
	}
	return nil
}

func (f Field) label() string {
	d, _ := Lookup(f)
	return d.Label
}

// mention is for "that mention NETGEAR", "that do not mention it" and "but not NETGEAR".
func (p *parser) mention() (string, bool) {
	if n := len(p.filters); n > 0 && p.filters[n-1].Uses()[0] == Said && p.takeAny("but not", "and not", "but no", "not") && !p.rowsFollow() {
		p.takeAny("mentioning", "mention")
		return p.notContaining()
	}
	p.takeAny("that", "which")
	if start := p.at; p.takeAny("do not mention a", "don't mention a", "does not mention a", "doesn't mention a", "do not mention any", "don't mention any", "do not mention an", "don't mention an") { // "that don't mention a governing law"
		named := p.at
		if groups := p.clauseNames(); groups != nil && (p.at == len(p.tokens) || p.stops()) {
			return p.lacks(groups), true
		}
		p.at = named
		if meaning, ok := p.fieldsMissing(false); ok && (p.at == len(p.tokens) || p.stops()) {
			return meaning, true
		}
		p.at = start
	}
	if p.takeAny("mention neither", "mentioning neither", "contain neither of the words", "refer to neither", "mentions neither") || p.takeAny("do not mention", "don't mention", "does not mention", "doesn't mention", "never mention", "not mentioning", "without mentioning", "do not contain the word", "do not contain the words", "do not have the word", "don't have the word", "do not use the word", "don't use the word", "without the word", "without the words", "lacking the word", "not containing the word") {
		return p.notContaining()
	}
	if !p.takeAny("mentioning", "mention", "mentions", "referring to", "refer to", "refers to", "referencing", "reference", "references", "citing", "cite", "using the term", "using the word", "use the term", "use the word", "with the words", "with the word", "with the phrase", "with the term", "talking about", "talk about", "speaking of", "discussing", "discuss", "having the phrase", "having the word", "having the words", "have the phrase", "have the word", "has the word", "has the phrase", "containing the term", "contain the term", "containing the words", "containing the word", "containing the phrase",
		"contain the words", "contain the word", "contain the phrase", "say", "saying", "about") || p.take("to") {
		return "", false
	}
	if p.tokens[p.at-1].lower == "about" && p.at < len(p.tokens) && !p.tokens[p.at].quoted && strings.ContainsAny(p.tokens[p.at].word[:1], "0123456789$€£") { // nearly as much
		return "", false
	}
	if p.tokens[p.at-1].lower == "about" && p.at < 5 && p.source == "" && len(p.understood) == 0 { // "tell me about our exposure"
		return "", false
	}
	if p.tokens[p.at-1].lower == "say" && len(p.understood) == 0 { // "can you say how many"
		return "", false
	}
	if p.tokens[p.at-1].lower == "say" && p.takeAny("about", "anything about", "something about") && p.tokens[0].lower == "what" { // "what do our leases say about subletting"
		p.listed = true
	}
	return p.containing()
}

// mentioned is for "personal data mentioned in agreements with Acme": the words come first.
func (p *parser) mentioned() (string, bool) {
	start := p.at
	if start > 0 || p.at == len(p.tokens) || smallWords[p.tokens[p.at].lower] {
		return "", false
	}
	for p.at < min(len(p.tokens), start+longestTitle) {
		p.at++
		words := p.words(start, p.at)
		if p.tokens[start].quoted {
			words = `"` + words + `"`
		}
		p.takeAny("is", "are")
		if p.takeAny("mentioned in", "referred to in", "referenced in", "cited in") {
			p.filters = append(p.filters, Compare(Said, Contains, words))
			return "the text contains " + words, true
		}
	}
	return "", false
}

// worded is for "without GDPR wording" and "with references to Brexit": words that are no clause.
func (p *parser) worded() (string, bool) {
	if p.takeAny("regarding", "concerning", "relating to", "related to", "that relate to", "which relate to", "on the subject of", "on the topic of", "to do with") {
		return p.containing()
	}
	not := p.takeAny("without", "lacking", "with no", "that have no", "have no", "has no")
	if !not && !p.takeAny("with", "that have", "have", "has", "containing", "that contain", "contain") {
		return "", false
	}
	p.article()
	start := p.at
	if p.takeAny("reference to", "references to", "mention of", "mentions of", "wording on", "wording about", "language on", "language about") {
		if not {
			return p.notContaining()
		}
		return p.containing()
	}
	for p.at < min(len(p.tokens), start+longestTitle) && !smallWords[p.tokens[p.at].lower] {
		if p.at++; !p.takeAny("wording", "language", "references") {
			continue
		}
		words := p.words(start, p.at-1)
		said := Compare(Said, Contains, words)
		if meaning := "the text contains " + words; !not {
			p.filters = append(p.filters, said)
			return meaning, true
		}
		p.filters = append(p.filters, Filter{Not: &said})
		return "not: the text contains " + words, true
	}
	return "", false
}

// whatUploaded is for "what John uploaded".
func (p *parser) whatUploaded() (string, bool) {
	if len(p.understood) > 0 || !p.take("what") || p.at == len(p.tokens) || !capital(p.tokens[p.at]) {
		return "", false
	}
	people := p.seriesOf(func() []Option { return p.namesOf(CreatedBy, anywhere) })
	p.takeAny("has", "have")
	if people == nil || !p.takeOf(uploading) {
		return "", false
	}
	p.about(CreatedAt)
	p.source, p.listed = Files, true
	return "as a list, " + p.anyOf(CreatedBy, slices.Concat(people...)), true
}

// entitled is for "files named amendment" and "in the folder Leases".
func (p *parser) entitled() (string, bool) {
	field := Name
	if p.takeAny("in the folder", "in folder", "from the folder", "from folder", "in the directory", "under the folder") {
		field = Path
		p.takeAny("named", "called")
	} else if p.at == 0 || !isRows(p.tokens[p.at-1]) || !p.takeAny("named", "called", "titled", "entitled", "by the name of", "with the title", "with the name") {
		return "", false
	}
	d, _ := Lookup(field)
	return p.texts(d, Contains, " contains ")
}

// inName is for "with Confidential in the name".
func (p *parser) inName() (string, bool) {
	if !p.takeAny("with", "that have", "having") || p.at == len(p.tokens) {
		return "", false
	}
	p.takeAny("the word", "the words")
	for start := p.at; p.at < min(len(p.tokens), start+longestTitle); {
		p.at++
		if words := p.words(start, p.at); p.takeAny(inTheName...) {
			p.filters = append(p.filters, Compare(Name, Contains, words))
			return Name.label() + " contains " + words, true
		}
		if words := p.words(start, p.at); p.takeAny("in the text", "in their text", "in its text", "in the wording", "in the body", "somewhere in the text", "in the document text") {
			if p.tokens[start].quoted {
				words = `"` + words + `"`
			}
			p.filters = append(p.filters, Compare(Said, Contains, words))
			return "the text contains " + words, true
		}
	}
	return "", false
}

// inTheName says that words stand in the name of a file, and not in its text.
var inTheName = []string{"in the name", "in their name", "in its name", "in their names", "in the file name", "in their file name", "in the title", "in their title", "in the filename", "in their filename"}

// notContaining asks for files that say none of several things.
func (p *parser) notContaining() (string, bool) {
	n := len(p.filters)
	meaning, ok := p.containing()
	if !ok {
		return "", false
	}
	p.filters = slices.Clone(p.filters)
	for i := range p.filters[n:] {
		said := p.filters[n+i]
		p.filters[n+i] = Filter{Not: &said}
	}
	return "not: " + meaning, true
}

// containing asks for files that say something, or one of several things: a phrase where it
// is quoted.
func (p *parser) containing() (string, bool) {
	if p.source == Sentences {
		return "", false // it would be asked of their files
	}
	p.takeAny("the words", "the word", "the phrase", "either", "both")
	var list []Filter
	var meanings []string
	joint, ok := p.series(func() bool {
		if p.at == len(p.tokens) || slices.Contains([]string{"no", "not", "neither", "nothing", "never", "none", "either", "both"}, p.tokens[p.at].lower) ||
			len(list) > 0 && (p.means() || slices.Contains(mainVerbs, p.tokens[p.at].lower) || slices.Contains([]string{"involve", "involves", "concern", "concerns", "bind", "binds", "affect", "affects", "cover", "covers"}, p.tokens[p.at].lower)) {
			return false
		}
		quoted := p.tokens[p.at].quoted
		at := p.at
		value, ok := p.value(true)
		if slices.ContainsFunc(p.tokens[at:p.at], func(t token) bool { return t.lower == "than" && !t.quoted }) { // a bound, and no words
			return false
		}
		if slices.ContainsFunc(p.tokens[at:p.at], func(t token) bool { return questioning[t.lower] && !t.quoted }) {
			return false // another question begins
		}
		if !quoted && p.labelWithin(at, p.at) {
			return false // it says more than the name of the clause
		}
		if last := strings.LastIndexByte(value, ' '); !quoted && last > 0 && clauseWords[strings.ToLower(value[last+1:])] { // "an arbitration clause" is told by arbitration
			if value = value[:last]; p.mistyped(at, p.at-1) {
				return false
			}
		}
		if quoted {
			value = `"` + value + `"`
		}
		list, meanings = append(list, Compare(Said, Contains, value)), append(meanings, "the text contains "+value)
		return ok
	})
	if ok && p.takeAny(inTheName...) {
		for i, f := range list {
			words := strings.Trim(f.Values[0], `"`)
			list[i], meanings[i] = Compare(Name, Contains, words), Name.label()+" contains "+words
		}
	}
	return p.add(list, meanings, joint, ok)
}

// mistyped reports whether the name of a clause that has no label is like a word of one that has.
func (p *parser) mistyped(from, to int) bool {
	lexicon := p.lexicon()
	return slices.ContainsFunc(p.tokens[from:to], func(t token) bool { return !t.quoted && !lexicon[t.lower] && meant(t.lower, lexicon) != "" })
}

// clauseWords are what clauses are called.
var clauseWords = map[string]bool{"clause": true, "clauses": true, "provision": true, "provisions": true}

// labelWithin reports whether words end with the name of a clause, behind other words that say more
// of it: "a post-termination non-compete".
func (p *parser) labelWithin(from, to int) bool {
	start := p.at
	defer func() { p.at = start }()
	for p.at = from + 1; p.at < to; p.at++ {
		at := p.at
		if labels := p.called(p.labels); labels != nil && (p.at == to || p.at == to-1 && clauseWords[p.tokens[p.at].lower]) && strings.ContainsAny(p.words(at, p.at), "- ") {
			return true
		}
		p.at = at
	}
	return false
}

// means reports whether what follows has a meaning of its own, so that it is no part of what
// came before.
func (p *parser) means() bool {
	before := *p
	meaning, ok := p.further()
	if ok && meaning == "" && p.at < len(p.tokens) && p.at == before.at+1 && slices.Contains([]string{"in", "for", "from", "of", "there"}, p.tokens[before.at].lower) {
		meaning, ok = p.further()
	}
	*p = before
	return ok && meaning != ""
}

// barred say behind types of documents that they are not meant.
var barred = []string{"excluded", "excepted", "aside", "apart", "not included", "not counted", "left out"}

// otherThan is for "excluding NDAs" and "other than leases and those with Acme".
func (p *parser) otherThan() (string, bool) {
	begun := p.at
	if groups := p.seriesOf(func() []Option { return p.called(p.types) }); groups != nil && p.takeAny(barred...) { // "NDAs excluded"
		return p.noneOf(DocumentType, slices.Concat(groups...)), true
	}
	p.at = begun
	first := p.at == 0 && p.takeAny("exclude", "leave out", "ignore", "omit", "ignoring", "leaving out") // "exclude NDAs: how many …"
	any := first || p.takeAny("excluding", "except for", "except", "other than", "with the exception of", "save for", "leaving out", "leaving aside", "ignoring", "omitting", "not counting", "apart from", "rather than", "instead of", "but the one", "but the ones", "but those", "except the one", "except the ones")
	if !any && p.at > 0 && slices.Contains([]string{"anything", "everything", "all"}, p.tokens[p.at-1].lower) {
		any = p.take("but")
	}
	if !any && !p.takeAny("that are not", "which are not", "that are neither", "which are neither", "are neither", "but not", "but no", "outside of", "outside", "not in", "not from", "with anyone other than", "with anyone but", "with anyone except", "with parties other than", "with others than") {
		return "", false
	}
	start := p.at
	groups := p.seriesOf(func() []Option { p.takeAny("the", "any"); return p.called(p.types) })
	if types := slices.Concat(groups...); p.at < len(p.tokens) && slices.Contains([]string{"in", "with", "from"}, p.tokens[p.at].lower) && types != nil && any {
		return p.exceptFor(types)
	} else if types != nil {
		return p.noneOf(DocumentType, types), true
	}
	p.at = start
	p.takeAny("those with", "with", "those from", "those governed by", "those under", "those in", "those that have", "those")
	if groups = p.seriesOf(p.comparedLaw); groups != nil {
		return p.noneOf(governingLaw, slices.Concat(groups...)), true
	}
	if groups = p.clauseNames(); groups != nil {
		return p.lacks(groups), true
	}
	named := p.at
	p.take("the")
	f, options := p.onlyNamed("")
	if f == Matter && p.tokens[p.at-1].lower == "matter" {
		return p.noneOf(f, options), true
	}
	end := p.at
	p.at = named
	if groups = p.seriesOf(p.party); groups != nil {
		return p.noneOf(Party, slices.Concat(groups...)), true
	}
	if p.at = end; options != nil {
		return p.noneOf(f, options), true
	}
	if !any {
		return "", false
	}
	p.at = start // "except those that auto-renew"
	p.takeAny("those", "the ones", "ones", "any", "anything", "all")
	return p.opposite()
}

// exceptFor reads what narrows types of documents that are not meant: of "except for leases in
// EMEA" other leases are.
func (p *parser) exceptFor(types []Option) (string, bool) {
	filters, periods := len(p.filters), p.periods()
	said := []string{p.anyOf(DocumentType, types)}
	for len(p.filters) < filters+2 {
		narrowing, ok := p.further()
		if !ok || p.at == len(p.tokens) && len(p.filters) < filters+2 || p.periods() > periods {
			return "", false
		}
		if narrowing != "" {
			said = append(said, narrowing)
		}
	}
	inner := And(slices.Clone(p.filters[filters:])...)
	p.filters = append(slices.Clone(p.filters[:filters]), Filter{Not: &inner})
	return "not: " + strings.Join(said, ", "), true
}

// worth is for "worth more than $1 million" and "who earn more than 100k".
func (p *parser) worth() (string, bool) {
	key := "contract_value"
	if !p.takeAny("worth", "valued at", "valued", "with a total value of", "costing", "that cost us", "that cost", "that costs", "which cost", "costs", "cost") {
		key = "salary"
		if p.takeAny("that", "who"); !p.takeAny("earn", "earns", "earning") {
			return "", false
		}
	}
	d, _ := Lookup(AttributeField(key))
	return p.bounded(d)
}

// bounded consumes how a number compares: "more than 50", "between 10 and 20", "more than 1
// million but less than 5 million".
func (p *parser) bounded(d Definition) (string, bool) {
	begun := p.at
	if p.takeAny("between", "from") || p.ranged() {
		least, ok := p.amount()
		if !ok || !p.takeAny("and", "to", "up to") {
			p.at = begun
			return "", false
		}
		most, ok := p.amount()
		if least.unit == 0 { // between 1 and 5 million
			least.unit, least.days = most.unit, most.days
		}
		if !ok || least.value() > most.value() || !d.takes(least) || !d.takes(most) {
			return "", false
		}
		p.number(d, AtLeast, least.String())
		p.number(d, AtMost, most.String())
		return d.Label + " from " + least.String() + " to " + most.String() + d.anyCurrency() + p.rate(d), true
	}
	if p.takeAny("about", "around", "approximately", "roughly", "approx", "approx.", "circa", "nearly", "close to", "some") {
		n, ok := p.amount()
		if !ok || !d.takes(n) || n.value() == 0 {
			p.at = begun
			return "", false
		}
		least, most := amount{n: math.Round(n.value()*90) / 100}, amount{n: math.Round(n.value()*110) / 100}
		p.number(d, AtLeast, least.String())
		p.number(d, AtMost, most.String())
		return d.Label + " within a tenth of " + n.String() + d.anyCurrency() + p.rate(d), true
	}
	var meanings []string
	var unit amount
	filters := len(p.filters)
	for {
		start := p.at
		if meanings != nil {
			p.takeAny("but", "and")
		}
		op, ok := p.comparator()
		n, numbered := p.amount()
		if suffixed, after := p.orMore(); numbered && !ok && after {
			op, ok = suffixed, true
		}
		if meanings != nil && n.unit == 0 { // "longer than 3 months but shorter than 6"
			n.unit, n.days = unit.unit, unit.days
		}
		unit = n
		if !ok || !numbered || !d.takes(n) || meanings != nil && p.at < len(p.tokens) && p.isField() { // "over 20% and more than 100 seats"
			p.at = start
			break
		}
		meanings = append(meanings, p.number(d, op, n.String())+d.anyCurrency()+p.rate(d))
	}
	if meanings != nil && p.totalled(d) {
		return p.bindTotal(filters, d, strings.Join(meanings, ", and ")), true
	}
	return strings.Join(meanings, ", and "), meanings != nil
}

// rangeFirst is for "30 to 60 days of notice", "$1m-$5m contracts" and "loans at 4-6%".
func (p *parser) rangeFirst() (string, bool) {
	p.takeAny("with", "at", "of", "for", "that pay", "paying", "between")
	if !p.ranged() {
		return "", false
	}
	start := p.at
	_, _ = p.amount()
	p.takeAny("to", "up to")
	most, _ := p.amount()
	after := p.at
	d, ok := p.field()
	switch {
	case ok:
	case p.takeAny("prior written notice", "written notice", "prior notice", "of notice", "notice"):
		d, _ = Lookup(AttributeField("notice_period"))
	case most.percent:
		d, _ = Lookup(AttributeField("interest_rate"))
	case most.money, most.unit >= 1000 && !most.days:
		d, _ = Lookup(AttributeField("contract_value"))
	case most.days && p.rowsFollow():
		d, _ = Lookup(AttributeField("initial_term"))
	default:
		return "", false
	}
	after = max(after, p.at)
	p.at = start
	meaning, ok := p.bounded(d)
	p.at = max(p.at, after)
	return meaning, ok
}

// terminable is for "that we can terminate with 30 days' notice": how long the notice is, is read next.
func (p *parser) terminable() (string, bool) {
	p.takeAny("that", "which")
	p.takeAny("we", "either party", "you")
	if !p.takeAny("can be terminated", "may be terminated", "can be ended", "can be cancelled", "can terminate", "may terminate", "can end", "can cancel", "can exit", "can get out of", "terminable", "cancellable", "can be exited", "are terminable", "are cancellable") {
		return "", false
	}
	p.takeAny("with", "on", "upon", "at", "by giving", "by", "within", "subject to", "giving")
	p.take("just")
	start := p.at
	p.comparator()
	n, ok := p.amount()
	if !ok || !n.days || !p.takeAny("prior written notice", "written notice", "prior notice", "of notice", "notice", "notice period") {
		return "", false
	}
	p.at = start // it is read next
	return "", true
}

// ranged reports whether two figures follow with "to" between them: "30 to 60 days".
func (p *parser) ranged() bool {
	start := p.at
	defer func() { p.at = start }()
	_, least := p.amount()
	least = least && p.takeAny("to", "up to")
	_, most := p.amount()
	return least && most
}

// totalled consumes that a bound is one of the sum of each group.
func (p *parser) totalled(d Definition) bool {
	return d.IsMoney() && len(p.groups) == 1 && p.op == "" && p.having == nil && p.takeAny(totals...)
}

// bindTotal has the conditions from one on be bounds of it.
func (p *parser) bindTotal(filters int, d Definition, meaning string) string {
	p.bind(filters, Sum, d)
	p.filters = append(p.filters, Filter{Field: p.groups[0], Op: Exists})
	return "those with a sum of " + meaning
}

// lasts is for "that last longer than 5 years" and "running for at least 3 years", and for
// "running until 2030", which is when they expire.
func (p *parser) lasts() (string, bool) {
	if p.at > 0 && (isRows(p.tokens[p.at-1]) || p.typeEnds()) && p.takeAny("for", "of") { // "leases for more than 10 years"
		start := p.at
		op, compared := p.comparator()
		n, ok := p.amount()
		d, _ := Lookup(AttributeField("initial_term"))
		switch {
		case !ok || !n.days || n.value() < dayWords["month"]:
		case compared:
			return p.number(d, op, n.String()), true
		case p.at == len(p.tokens) || !p.isField():
			return p.number(d, In, n.String()), true
		}
		p.at = start - 1
	}
	if p.at > 0 && p.tokens[p.at-1].lower == "been" || p.takeAny("have been", "has been") { // "have been running for over 8 years" is since when
		return "", false
	}
	p.relative()
	if !p.takeAny("last", "lasts", "lasting", "run", "runs", "running", "extend", "extends", "extending", "continue", "continues", "continuing", "valid", "remain valid", "remains valid", "remain in force", "remains in force", "stay in force") || p.tokens[p.at-1].lower == "last" && p.isUnit() {
		return "", false
	}
	start := p.at
	p.take("for")
	d, _ := Lookup(AttributeField("initial_term"))
	if meaning, ok := p.bounded(d); ok {
		return meaning, true
	}
	p.at = start
	if p.takeAny("until", "till", "through") { // that is when they end
		if first, next, ok := p.date(); ok {
			p.about(AttributeField("expiration_date"))
			return daysSaid(first, next), p.lies(within(first, next))
		}
		p.at = start
	}
	if !p.isPeriod() {
		return "", false
	}
	p.about(AttributeField("expiration_date")).idle = true
	return "by " + AttributeField("expiration_date").label(), true
}

// standing is for "have been in force for over ten years".
func (p *parser) standing() (string, bool) {
	p.relative()
	been := p.takeAny("have been", "has been") || p.at > 0 && p.tokens[p.at-1].lower == "been"
	if been = p.take("been") || been; p.takeAny("expired for", "lapsed for", "over for") { // "have been expired for more than 90 days"
		return p.aged(AttributeField("expiration_date"), 9999)
	}
	if !p.takeAny("in force for", "in effect for", "active for", "in place for") && !(been && p.takeAny("running for", "going for", "going on for", "effective for", "live for", "on foot for", "around for")) {
		return "", false
	}
	return p.aged(AttributeField("effective_date"), 999)
}

// typeEnds reports whether the word before is the last of what a type of documents is called.
func (p *parser) typeEnds() bool {
	return p.typeWithin(p.at-1, p.at)
}

// isUnit reports whether a time is counted or named next.
func (p *parser) isUnit() bool {
	start := p.at
	defer func() { p.at = start }()
	p.count()
	_, ok := p.unit()
	return ok
}

// orMore consumes how a number compares that was named before it: "or more".
func (p *parser) orMore() (Op, bool) {
	start, op := p.at, AtLeast
	if !p.takeAny("or more", "and more", "or longer", "or above", "and above", "or higher", "or greater", "and up", "upwards", "and over", "or over", "plus") {
		if op = AtMost; !p.takeAny("or less", "or fewer", "or shorter", "or below", "and below", "or lower", "or sooner", "or faster", "or quicker", "or under", "and under") {
			return "", false
		}
	}
	end := p.at
	if _, another := p.amount(); another || p.take("than") { // "above 30 and below 60"
		p.at = start
		return "", false
	}
	p.at = end
	return op, true
}

// takes reports whether d has values that a can be compared with: what is in percent is
// compared with rates, days with times, and money with money. A number that is a year is no time.
func (d Definition) takes(a amount) bool {
	if d.IsDuration() && a.unit == 0 && a.n >= 1900 && a.n < 2200 {
		return false
	}
	return (d.Kind == Number || d.mayBeSum()) && (!a.percent || strings.HasSuffix(d.Key, "_rate")) && (!a.days || d.IsDuration()) && (!a.money || d.IsMoney() || d.mayBeSum())
}

// money are the keys of attributes that are sums of money.
var money = []string{"contract_value", "rent", "deposit", "salary", "principal", "liability_cap"}

// asSum says that what may be told in other words is measured where it is a sum.
func (d Definition) asSum() string {
	if d.mayBeSum() {
		return ", where it is told as a sum"
	}
	return ""
}

// anyCurrency says that sums are compared as numbers.
func (d Definition) anyCurrency() string {
	if d.IsMoney() || slices.Contains(money, d.Key) {
		return ", whatever the currency"
	}
	return ""
}

// rate consumes what a sum of money is paid for, behind it: "5000 per month". Files are
// not compared by it, which is said.
func (p *parser) rate(d Definition) string {
	if !slices.Contains(money, d.Key) || p.op != "" {
		return ""
	}
	start := p.at
	if p.takeAny("per", "a", "an", "each", "every", "/") {
		if _, ok := p.unit(); !ok {
			p.at = start
		}
	} else if p.at < len(p.tokens) && adverbs[p.tokens[p.at].lower] != "" {
		p.at++
	}
	if p.at == start {
		return ""
	}
	return ", as it is written, whether " + p.phrase(start, p.at) + " or for another time"
}

// fieldCompared is for "notice period longer than 60 days", "value over $1 million" and
// "renewal type automatic".
func (p *parser) fieldCompared() (string, bool) {
	d, ok := p.fieldOrCap()
	if !ok || d.Of != Files && d.Field != LabelScore {
		return "", false
	}
	if d.Of == Sentences && p.source == "" {
		p.source = Sentences
	}
	if meaning, ok := p.isMissing(d); ok {
		return meaning, true
	}
	if p.op != "" && p.metric == "" && p.source == "" && !p.counted && d.Kind == Number { // "total of all salaries above 80,000"
		p.metric = d.Field
	}
	switch kind := p.comparedAs(d); {
	case kind == Number:
		p.takeAny("is", "are", "of", "=", "equals")
		start := p.at
		if meaning, ok := p.bounded(d); ok {
			return meaning, true
		}
		p.at = start
		if n, ok := p.amount(); ok && d.Key != "" && d.takes(n) && !(d.IsMoney() && n.unit == 0 && !n.money && n.n >= 1900 && n.n < 2200) { // a year
			return p.number(d, In, n.String()) + d.anyCurrency() + p.rate(d), true
		}
	case kind == Date && d.Of == Files && p.takeAny("is", "are", "was", "lies", "falls", "will be") && p.isPeriod(): // "which end date is before 2028"
		p.about(d.Field)
		return "about " + d.Label, true
	case kind == Enum && (d.Key != "" || closed[d.Field] != nil):
		if meaning, ok := p.hasWords(d); ok {
			return meaning, true
		}
		return p.equals(d)
	}
	return "", false
}

// inLanguage is for "in German", "not in English" and "French contracts".
func (p *parser) inLanguage() (string, bool) {
	p.takeAny("that are", "which are")
	not := p.take("not")
	spoken := p.at < len(p.tokens) && strings.HasSuffix(p.tokens[p.at].lower, "-language") // English-language NDAs
	in, non := p.takeAny("written in", "drafted in", "concluded in", "executed in", "made in", "in"), false
	groups := p.seriesOf(func() []Option {
		p.takeAny("in", "either")
		if p.at == len(p.tokens) {
			return nil
		}
		name := strings.TrimSuffix(p.tokens[p.at].lower, "-language")
		if other, cut := strings.CutPrefix(name, "non-"); cut && !in { // non-English contracts
			name, non = other, true
		}
		code, ok := languages[name]
		if !ok {
			return nil
		}
		p.at++
		p.take("language")
		return []Option{{Value: code, Name: strings.ToUpper(name[:1]) + name[1:]}}
	})
	if groups == nil {
		return "", false
	}
	rows := p.at
	if in && p.at < len(p.tokens) && strings.HasPrefix(p.tokens[p.at].lower, "law") || !in && (not && !p.tongued() || !not && !p.nouns(false) && !(spoken && p.called(p.types) != nil)) {
		return "", false
	}
	p.at = rows
	if options := slices.Concat(groups...); not || non {
		return p.noneOf(Language, options), true
	}
	return p.anyOf(Language, slices.Concat(groups...)), true
}

// tongued reports whether the condition before is about a language: "in German, not English".
func (p *parser) tongued() bool {
	n := len(p.filters)
	return n > 0 && p.filters[n-1].Field == Language
}

// moneys are the currencies by what people call them.
var moneys = map[string]string{
	"dollars": "USD", "usd": "USD", "us-dollars": "USD", "euros": "EUR", "euro": "EUR", "eur": "EUR", "pounds": "GBP", "gbp": "GBP", "sterling": "GBP",
	"chf": "CHF", "francs": "CHF", "yen": "JPY", "jpy": "JPY", "cad": "CAD", "aud": "AUD", "rupees": "INR", "inr": "INR", "cny": "CNY", "yuan": "CNY",
}

// inCurrency is for "in euros" and "with currency EUR".
func (p *parser) inCurrency() (string, bool) {
	if !p.takeAny("in", "denominated in", "paid in", "priced in") && !(p.takeAny("with", "whose", "where the", "where") || p.isField()) {
		return "", false
	}
	if p.takeAny("currency") {
		p.takeAny("is", "of")
	}
	if p.at == len(p.tokens) {
		return "", false
	}
	groups := p.seriesOf(func() []Option { p.take("in"); return p.currency() })
	if groups == nil {
		return "", false
	}
	return p.anyOf(AttributeField("currency"), slices.Concat(groups...)), true
}

// bareCurrency is for a currency by itself: "deposits of leases EUR".
func (p *parser) bareCurrency() (string, bool) {
	if p.at == 0 || p.at == len(p.tokens) || len(p.tokens[p.at].word) != len("EUR") {
		return "", false
	}
	if before := p.tokens[p.at-1].lower; isNumber(before) && !(len(before) == len("2025") && (strings.HasPrefix(before, "19") || strings.HasPrefix(before, "20"))) {
		return "", false // of an amount
	}
	options := p.currency()
	if _, number := p.amount(); options == nil || number {
		return "", false
	}
	return p.anyOf(AttributeField("currency"), options), true
}

// currency consumes what a currency is called.
func (p *parser) currency() []Option {
	if p.at == len(p.tokens) {
		return nil
	}
	if p.takeAny("us", "american") && p.at == len(p.tokens) {
		return nil
	}
	code, ok := moneys[p.tokens[p.at].lower]
	for _, c := range []struct{ words, code string }{{"swiss francs", "CHF"}, {"british pounds", "GBP"}, {"canadian dollars", "CAD"}, {"australian dollars", "AUD"}, {"japanese yen", "JPY"}, {"indian rupees", "INR"}} {
		if p.take(c.words) {
			return []Option{{c.code, c.code}}
		}
	}
	if !ok {
		return nil
	}
	p.at++
	p.take("sterling")
	return []Option{{code, code}}
}

// formats are the types of files by what people call them.
var formats = map[string][]string{
	"pdf":  {"application/pdf"},
	"word": {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/msword"},
}

// format is for "PDFs" and "Word documents".
func (p *parser) format() (string, bool) {
	for name, types := range formats {
		switch {
		case name == "pdf" && p.take("pdfs"):
		case p.take(name) && (p.nouns(false) || p.at == len(p.tokens) && len(p.understood) > 0):
		case len(p.understood) > 0 && p.takeAny("in "+name+" format", "in "+name, "as "+name, "as "+name+" files"):
		default:
			continue
		}
		p.source = cmp.Or(p.source, Files)
		p.filters = append(p.filters, Is(ContentType, types...))
		return ContentType.is(strings.Join(types, " or ")), true
	}
	return "", false
}

// whoHas is for "how many contracts does Acme have with us", "that Acme signed" and "did Jane Doe upload".
func (p *parser) whoHas() (string, bool) {
	if p.takeAny("did", "has", "have") { // "did Jane Doe upload"
		start := p.at
		if meaning, ok := p.parties(); ok && (p.takeAny("signed", "sign", "executed", "entered into") && !p.isPeriod() || p.take("with us")) { // "has Acme signed an NDA"
			return meaning, true
		} else if end := p.at; ok && start > 0 && p.tokens[start-1].lower == "has" && p.takeAny("a", "an", "any") && p.rowsFollow() { // "has Acme a lease"
			p.at = end
			return meaning, true
		}
		p.at = start
		people := p.seriesOf(func() []Option { return p.namesOf(CreatedBy, anywhere) })
		if people == nil || !p.takeOf(uploading) {
			return "", false
		}
		p.about(CreatedAt)
		return p.anyOf(CreatedBy, slices.Concat(people...)), true
	}
	if meaning, ok := p.owners(); ok {
		return meaning, true
	}
	if people, said := p.uploaders(); people != nil { // "that Jane uploaded"
		p.about(CreatedAt)
		return said, true
	}
	if p.takeAny("that", "which") || p.at > 0 && p.at < len(p.tokens) && capital(p.tokens[p.at]) && p.source == Files { // "that Acme signed"
		meaning, ok := p.parties()
		if ok && p.takeAny("has with us", "have with us", "has with our company", "has", "have") && (p.at == len(p.tokens) || p.tokens[p.at-1].lower == "us" || p.stops()) {
			return meaning, true
		}
		p.about(AttributeField("agreement_date"))
		return meaning, ok && p.takeAny("signed", "has signed", "have signed", "entered into")
	}
	if start := p.at; p.takeAny("with", "and", "and with", "naming") { // "with Acme as a party"
		if meaning, ok := p.parties(); ok && p.takeAny("as a party", "as party", "as parties", "as one of the parties") {
			return meaning, true
		}
		p.at = start
		return "", false
	}
	if !p.takeAny("does", "do") {
		return "", false
	}
	if p.source == Matters {
		people := p.namesOf(MatterOwner, anywhere)
		if people == nil || !p.takeAny("have", "own", "manage", "handle", "run") {
			return "", false
		}
		return p.anyOf(MatterOwner, people), true
	}
	start := p.at
	if law := p.law(); law != nil && strings.HasPrefix(p.tokens[p.at-1].lower, "law") && p.takeAny("apply to", "apply", "govern", "cover") {
		return p.anyOf(governingLaw, law), true
	}
	p.at = start
	meaning, ok := p.parties()
	return meaning, ok && p.takeAny("have with us", "have")
}

// owners is for "that Jane is responsible for" behind matters.
func (p *parser) owners() (string, bool) {
	start := p.at
	p.takeAny("that", "which")
	if p.source == Matters && p.at < len(p.tokens) && capital(p.tokens[p.at]) {
		if people := p.namesOf(MatterOwner, anywhere); people != nil && p.takeAny("is responsible for", "is in charge of", "looks after", "takes care of", "is working on", "works on", "is managing", "is handling", "is running", "owns", "handles", "manages", "runs", "leads") {
			return p.anyOf(MatterOwner, people), true
		}
	}
	p.at = start
	return "", false
}

// uploaders consumes who uploaded files, and that they did.
func (p *parser) uploaders() (people []Option, said string) {
	start := p.at
	p.takeAny("that", "which")
	if p.at == 0 && len(p.tokens) > 1 && capital(p.tokens[0]) { // "Jane Doe uploads by month"
		if people = p.namesOf(CreatedBy, anywhere); people != nil && p.take("uploads") {
			return people, p.anyOf(CreatedBy, people)
		}
		p.at = start
	}
	if p.at == 0 || p.at == len(p.tokens) || !capital(p.tokens[p.at]) || p.source != Files && (p.source != "" || p.at == start && !p.contracts) {
		p.at = start
		return nil, ""
	}
	people = slices.Concat(p.seriesOf(func() []Option { return p.namesOf(CreatedBy, anywhere) })...)
	p.takeAny("has", "have", "had")
	if people == nil || !p.takeOf(uploading) {
		p.at = start
		return nil, ""
	}
	return people, p.anyOf(CreatedBy, people)
}

// involving is for "between Acme and Bolt", "involving Acme" and "Acme contracts".
func (p *parser) involving() (string, bool) {
	if p.take("between") {
		one := p.side()
		if one == nil || !p.take("and") {
			return "", false
		}
		other := p.side()
		if other == nil || len(one)+len(other) == 0 {
			return "", false
		}
		return p.each(Party, slices.DeleteFunc([][]Option{one, other}, func(side []Option) bool { return len(side) == 0 })), true
	}
	if p.takeAny("in the matter", "from the matter", "from matter", "under the matter", "under matter", "in matter", "of the matter", "of matter", "for the matter", "for matter") {
		matter := p.oneOf(Matter, nil)
		if matter == nil {
			return "", false
		}
		return p.anyOf(Matter, matter), true
	}
	if before := p.at; p.takeAny("in the", "to the", "of the", "on the", "for the", "from the") { // "in the Northwind matter"
		if matter := p.oneOf(Matter, nil); matter != nil && p.take("matter") {
			return p.anyOf(Matter, matter), true
		}
		p.at = before
	}
	if (p.source == Matters || p.at > 0 && p.tokens[p.at-1].lower == "matters") && p.takeAny("owned by", "belonging to", "that belong to", "which belong to", "assigned to", "handled by", "managed by", "led by", "run by", "of") {
		groups := p.seriesOf(func() []Option { return p.namesOf(MatterOwner, anywhere) })
		if groups == nil {
			return "", false
		}
		return p.anyOf(MatterOwner, slices.Concat(groups...)), true
	}
	if p.takeAny("uploaded by", "added by") {
		p.about(CreatedAt)
		p.takeAny("people", "someone", "somebody", "anyone", "anybody", "users", "a user", "others")
		not := p.takeAny("other than", "but not by", "but not", "but", "except", "not", "than")
		groups := p.seriesOf(func() []Option { return p.namesOf(CreatedBy, anywhere) })
		switch {
		case groups == nil:
			return "", false
		case not:
			return p.noneOf(CreatedBy, slices.Concat(groups...)), true
		}
		return p.anyOf(CreatedBy, slices.Concat(groups...)), true
	}
	before := p.at
	p.relative()
	signed := p.takeAny("signed by", "signed with", "sign with", "concluded with", "made with", "entered into with", "entered into by", "executed with", "executed by")
	if signed {
		p.about(AttributeField("agreement_date"))
	} else {
		p.at = before
	}
	if at := p.at; p.take("of") {
		if meaning, ok := p.possessive(); ok {
			return meaning, true
		}
		p.at = at
	}
	if signed || p.takeAny("involving", "of", "from", "for", "by", "to which", "towards", "toward", "vis-a-vis", "goes to", "go to", "comes from", "come from", "sits with", "is spent with") {
		p.takeAny("either", "both")
		if p.at == len(p.tokens) || !signed && !capital(p.tokens[p.at]) {
			return "", false
		}
		name := p.at
		meaning, ok := p.parties()
		if !ok && !signed && name > 1 && p.tokens[name-1].lower == "from" && (strings.HasPrefix(p.tokens[name-2].lower, "file") || strings.HasPrefix(p.tokens[name-2].lower, "document")) { // "documents from Jane"
			p.at = name
			if people := p.seriesOf(func() []Option { return p.namesOf(CreatedBy, anywhere) }); people != nil {
				return p.anyOf(CreatedBy, slices.Concat(people...)), true
			}
		}
		return meaning, ok
	}
	if meaning, ok := p.possessive(); ok {
		return meaning, true
	}
	if p.at == len(p.tokens) || !capital(p.tokens[p.at]) {
		return "", false
	}
	start := p.at
	laws := p.seriesOf(func() []Option { // Delaware agreements
		if place, ok := p.place(); ok {
			return p.lawsOf(place)
		}
		return nil
	})
	if laws != nil && p.rowsFollow() {
		return p.anyOf(governingLaw, slices.Concat(laws...)), true
	}
	p.at = start
	options := p.party()
	if options == nil || !p.rowsFollow() {
		return "", false
	}
	return p.anyOf(Party, options), true
}

// possessive is for "Acme's contracts".
func (p *parser) possessive() (string, bool) {
	if p.at == len(p.tokens) || !capital(p.tokens[p.at]) || !strings.HasSuffix(p.tokens[p.at].lower, "'s") {
		return "", false
	}
	before := *p
	if p.party() != nil { // of a name that ends so
		*p = before
		return "", false
	}
	owner := p.tokens[p.at]
	owner.lower = strings.TrimSuffix(owner.lower, "'s")
	runes := []rune(owner.word)
	owner.word = string(runes[:len(runes)-len("'s")])
	p.tokens = slices.Clone(p.tokens)
	p.tokens[p.at] = owner
	name := p.at
	if people := p.namesOf(MatterOwner, anywhere); people != nil && slices.ContainsFunc(p.tokens[p.at:min(len(p.tokens), p.at+longestTitle)], func(t token) bool { return t.lower == "matters" }) { // "Jane's open matters"
		return p.anyOf(MatterOwner, people), true
	}
	p.at = name
	if people := p.namesOf(CreatedBy, anywhere); people != nil && p.take("uploads") { // "Jane's uploads"
		p.about(CreatedAt)
		return p.anyOf(CreatedBy, people), true
	}
	p.at = name
	options := p.party()
	if options == nil || !p.rowsFollow() {
		*p = before
		return "", false
	}
	return p.anyOf(Party, options), true
}

// rowsFollow reports whether files are named next, by what they are called or by their type.
func (p *parser) rowsFollow() bool {
	start := p.at
	defer func() { p.at = start }()
	return p.nouns(false) || p.called(p.types) != nil
}

// side is a party of "between us and Acme": not nil, and empty where it is the team.
func (p *parser) side() []Option {
	if p.takeAny("us", "ourselves") {
		return []Option{}
	}
	return p.party()
}

// anyOf asks for one of the values of a field.
func (p *parser) anyOf(f Field, options []Option) string {
	values, names := split(options)
	p.filters = append(p.filters, Is(f, values...))
	return p.lookup(f).Label + " is " + strings.Join(names, " or ")
}

// capital reports whether a word is written as names are.
func capital(t token) bool {
	first, _ := utf8.DecodeRuneInString(t.word)
	return t.quoted || unicode.IsUpper(first)
}

// rows makes the question one for the rows themselves: their names, beside the date
// that it is about.
func (p *parser) rows(q *Query, topic Field, dated bool) {
	row, ok := map[Source]Field{Files: File, Sentences: Sentence, Matters: MatterName}[q.Source]
	if !ok {
		return
	}
	if p.clauses && !slices.ContainsFunc(p.filters, func(f Filter) bool { return slices.Contains(f.Uses(), Label) || slices.Contains(f.Uses(), LabelScore) }) { // "which clauses appear in the NDA"
		q.GroupBy, q.Sort = []Field{Label}, ByValueDesc
		return
	}
	q.GroupBy, p.kind = []Field{row}, TableChart
	if q.Source == Sentences || !dated && p.recently == "" {
		return
	}
	q.GroupBy, q.Bucket, q.Sort = []Field{topic, row}, Day, ByKey
	if p.recently != "" {
		q.Sort = p.recently
		if d, _ := Lookup(topic); d.Key != "" && !dated { // those without a date would come as well
			p.filters = append(p.filters, Filter{Field: topic, Op: Exists})
		}
	}
}

var documentName = AttributeField("document_name")

// longestTitle is how many words say which documents are meant.
const longestTitle = 3

// smallWords are no part of what documents are called.
var smallWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields("a an the our all any every each some and or not no of with without for from in by to per under between which what who how that these those are is do we have has , total average") {
		set[w] = true
	}
	return set
}()

// titled is for kinds of documents that are no type of the team's: "employment agreements",
// "NDAs", "amendments". They are told by the names that the documents themselves have.
func (p *parser) titled() (string, bool) {
	if p.source != "" && p.source != Files {
		return "", false
	}
	start := p.at
	if titles := slices.DeleteFunc(p.typeName(), func(name string) bool { return !p.isTitle(name, false) }); len(titles) > 0 {
		return p.hasTitle(titles), true
	}
	p.at = start
	for n := min(longestTitle, len(p.tokens)-start); n > 0; n-- {
		p.at = start + n
		words := p.words(start, p.at)
		if slices.ContainsFunc(p.tokens[start:p.at], func(t token) bool { return smallWords[t.lower] }) || n == 1 && slices.Contains([]string{"first", "second", "third", "last"}, p.tokens[start].lower) {
			continue
		}
		rows := p.at
		switch plural, several := strings.CutSuffix(lowerWords(words), "s"); {
		case p.nouns(false) && p.isTitle(words, false):
			p.at = rows // they are read next
			return p.hasTitle([]string{words}), true
		case several && (p.listed || p.counted || start == 0) && p.isTitle(plural, true):
			p.at = rows
			return p.hasTitle([]string{plural}), true
		}
	}
	return "", false
}

// typeName consumes what a type of documents is often called, whether or not the team has
// it, and gives all that it is called.
func (p *parser) typeName() []string {
	start := p.at
	for _, names := range typeNames {
		for _, name := range names {
			if p.take(plural(name)) || p.take(name) && p.nouns(false) {
				return slices.Clone(names)
			}
			p.at = start
		}
	}
	return nil
}

// isTitle reports whether the name of a document has words, or ends with them.
func (p *parser) isTitle(words string, last bool) bool {
	found, _ := having(p.find(documentName, words), plain(words), anywhere)
	return slices.ContainsFunc(found, func(o Option) bool { return !last || strings.HasSuffix(" "+plain(o.Name), " "+plain(words)) })
}

// hasTitle asks for documents whose name has one of several words.
func (p *parser) hasTitle(titles []string) string {
	var any []Filter
	var said []string
	for _, title := range titles {
		any, said = append(any, Compare(documentName, Contains, title)), append(said, strconv.Quote(title))
	}
	p.contracts = true
	if len(any) > 1 {
		any = []Filter{{Any: any}}
	}
	p.filters = append(p.filters, any...)
	return documentName.label() + " has " + strings.Join(said, " or ") + " (no type of documents is called so)"
}
