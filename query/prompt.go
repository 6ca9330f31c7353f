package query

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clausemill/clausemill/fault"
)

// Chart is how an answer is drawn.
type Chart string

// The charts.
const (
	NumberChart Chart = "number"
	BarChart    Chart = "bar"
	LineChart   Chart = "line"
	PieChart    Chart = "pie"
	TableChart  Chart = "table"
)

// Config is a question with how to draw its answer.
type Config struct {
	Title string
	Kind  Chart
	Query Query
}

// Understood is the interpretation of words of a prompt.
type Understood struct {
	Phrase  string `json:"phrase"`
	Meaning string `json:"meaning"`
}

// Vocabulary is what prompts can name beside the fields that every deployment
// has: the team's own words.
type Vocabulary struct {
	Keys   []string           // of attributes of files
	Own    []Option           // fields of the team: keys of attributes, with their names
	Values map[Field][]Option // of fields whose values are ids or keys: document types, matters, labels

	// Find lists values of a field of which a name is a part. Where it is nil, names are
	// taken as they are written.
	Find func(f Field, name string) []Option
}

// Option is a value of a field with the name that people give it.
type Option struct{ Value, Name string }

// maxPrompt is how many characters of a prompt are read.
const maxPrompt = 1000

// Prompt makes a configuration of a question in plain words. It is Invalid, and
// names the words, where it does not understand all of them: half a question
// has the wrong answer.
func Prompt(text string, v Vocabulary) (Config, []Understood, error) {
	if utf8.RuneCountInString(text) > maxPrompt {
		return Config{}, nil, fault.Newf(fault.Invalid, "a question may have %d characters", maxPrompt)
	}
	p := newParser(text, v)
	if len(p.tokens) == 0 {
		return Config{}, nil, fault.New(fault.Invalid, "the prompt has no words")
	}
	begun := *p
	c := p.read()
	if _, err := c.Query.Checked(time.Unix(0, 0)); err != nil && len(p.unknown) == 0 { // what there is no query of may have been meant otherwise
		if other, config, ok := p.againAs(begun); ok {
			return config, other.understood, nil
		}
	}
	if len(p.unknown) > 0 {
		p, c = p.otherwise(c, begun)
	}
	if len(p.unknown) > 0 {
		return Config{}, p.understood, MisunderstoodError{p.named(), p.foreign()}.fault()
	}
	if _, err := c.Query.Checked(time.Unix(0, 0)); err != nil {
		return Config{}, p.understood, err
	}
	return c, p.understood, nil
}

// read reads all words, and puts together what they mean.
func (p *parser) read() Config {
	p.byRole()
	p.invert()
	for p.at < len(p.tokens) {
		start, filters, dated, periods := p.at, len(p.filters), len(p.datings), p.periods()
		before := *p
		meaning, ok := p.step()
		if end := p.at; ok && p.loses(before) {
			*p = before
			p.at = end
			p.unknown, p.lost = append(p.unknown, p.phrase(start, end)), append(p.lost, start)
			continue
		}
		if end := p.contrary(start, filters, ok); end > 0 {
			p.filters = p.filters[:min(filters, len(p.filters))]
			p.at = end
			p.unknown, p.lost = append(p.unknown, p.phrase(start, end)), append(p.lost, start)
			p.contraries = append(p.contraries, start)
			continue
		}
		if !ok {
			p.at = start
			if _, ok := p.field(); !ok {
				p.at++
			}
			p.unknown, p.lost = append(p.unknown, p.phrase(start, p.at)), append(p.lost, start)
			continue
		}
		p.nameRows(start, filters, dated)
		p.note(start, filters, periods)
		if meaning != "" {
			p.understood = append(p.understood, Understood{p.phrase(start, p.at), meaning})
		}
	}
	c := p.config()
	p.understood = slices.Concat(p.spelt, p.understood, p.played)
	return c
}

// loses reports whether the last step dropped a word that turns a condition round, or wrote over what
// was read before it. What rules take along with other words is checked here, for all of them.
func (p *parser) loses(before parser) bool {
	if before.having == nil && p.having != nil && p.kind == TableChart { // how many there are is seen there
		return false
	}
	figured := before.counted && before.metric == "" && p.metric != "" && p.op != CountDistinct && p.averaged == ""                                              // "the number of leases and their average rent" are two figures
	figured = figured || !before.counted && p.counted && before.metric != "" && before.op != CountDistinct                                                       // "total value and count"
	if slices.Equal(before.groups, []Field{File}) && before.limit == 1 && p.limit == 0 && len(p.groups) == 1 && p.op == before.op && p.metric == before.metric { // "the largest contract per region" is the first of each
		return false
	}
	if figured || written(before.op, p.op) || written(before.metric, p.metric) || written(before.sort, p.sort) || before.limit != usualLimit && written(before.limit, p.limit) || before.recently != "" && p.op != before.op {
		return true
	}
	not := slices.ContainsFunc(p.tokens[before.at:p.at], func(t token) bool { return !t.quoted && negations[t.lower] })
	return not && len(p.filters) > len(before.filters) && !slices.ContainsFunc(p.filters[len(before.filters):], Filter.negative)
}

// written reports whether something was read, and then something else in its place.
func written[T comparable](before, after T) bool {
	var nothing T
	return before != nothing && after != before
}

// negations turn a condition round.
var negations = map[string]bool{"not": true, "never": true, "neither": true, "nor": true}

// negative reports whether a condition leaves out what it names, or has an end. What clauses and states
// are called may have a negation in it: a covenant not to sue.
func (f Filter) negative() bool {
	return f.Not != nil || f.Field != "" && f.Op != In && f.Op != Contains && f.Op != Exists || f.Field == Label || f.Field == Status ||
		slices.ContainsFunc(slices.Concat(f.Any, f.All), Filter.negative)
}

// invert writes a question as a statement: "can the lease be assigned" has what can be behind the rows.
func (p *parser) invert() {
	if at := slices.IndexFunc(p.tokens, func(t token) bool { return t.lower == "average" }); at > 0 && (p.tokens[at-1].lower == "on" || p.tokens[at-1].lower == "in" || p.typical(at)) { // wherever it stands
		p.op, p.opWord, p.averaged = Avg, "average", p.phrase(at-1, at+1)
		p.spelt = append(p.spelt, Understood{p.averaged, "average"})
		from, to := at-1, at+1
		if from > 0 && to < len(p.tokens) && p.tokens[from-1].lower == "," && p.tokens[to].lower == "," {
			from, to = from-1, to+1
		}
		p.tokens = slices.Delete(slices.Clone(p.tokens), from, to)
	}
	if yes := tagged[p.tokens[0].lower]; yes != "" && len(p.tokens) > 1 && (p.tokens[1].lower == "we" || p.tokens[1].lower == "there" || yes != "do") { // "aren't there any contracts with Hooli": whether there are
		p.tokens = slices.Clone(p.tokens)
		p.tokens[0].lower = yes
	}
	if first := p.tokens[0].lower; first == "sort" || first == "order" || first == "arrange" { // "sort the leases by expiry date" lists them
		for at := 1; at+1 < len(p.tokens); at++ {
			ahead := p.again()
			ahead.at = at + 1
			if p.tokens[at].lower != "by" {
				continue
			}
			if d, ok := ahead.field(); ok && d.Of == Files && (d.Kind == Date || d.Kind == Number) {
				sorted := p.tokens[at]
				sorted.word, sorted.lower = "sorted", "sorted"
				p.tokens = slices.Insert(slices.Clone(p.tokens), at, sorted)
				p.tokens[0].lower = "list"
				break
			}
		}
	}
	for at := 1; at+2 <= len(p.tokens)-1; at++ { // two words for one thing: "assigned or transferred"
		if p.tokens[at].lower == "or" && slices.Contains(doublets, p.tokens[at-1].lower+" "+p.tokens[at+1].lower) {
			p.tokens = slices.Delete(slices.Clone(p.tokens), at, at+2)
		}
	}
	if n := len(p.tokens); n > 2 && p.tokens[n-2].lower == "or" && slices.Contains(doublets, p.tokens[n-3].lower+" "+p.tokens[n-1].lower) {
		p.tokens = slices.Clone(p.tokens[:n-2])
	}
	be := slices.IndexFunc(p.tokens, func(t token) bool { return t.lower == "be" })
	if be < 2 || p.tokens[0].lower != "can" && p.tokens[0].lower != "may" || p.tokens[1].lower == "you" {
		return
	}
	p.tokens = slices.Concat(p.tokens[1:be], p.tokens[:1], p.tokens[be:])
	first, verb := &p.tokens[be-1], p.tokens[be]
	first.start, first.end = verb.start, verb.start // phrases are from one word to a later one
}

// tagged are negations that questions begin with, and do not mean.
var tagged = map[string]string{"aren't": "are", "isn't": "is", "didn't": "did", "don't": "do", "doesn't": "does", "wasn't": "was", "weren't": "were", "haven't": "have", "hasn't": "has"}

// doublets are verbs that lawyers put beside each other for the same thing.
var doublets = []string{"assign transfer", "assigned transferred", "transfer assign", "transferred assigned", "assignment transfer", "transfer assignment", "assigning transferring", "signed executed", "executed signed", "sign execute", "renew extend", "renewed extended", "extended renewed", "cap limit", "capped limited", "limited capped", "expire lapse", "expired lapsed", "expiring ending", "end expire", "expire end", "ends expires"}

// typical reports whether an average is asked for by what it is of, behind the figure: "how many pages
// does the average lease have".
func (p *parser) typical(at int) bool {
	ahead := p.again()
	ahead.at = at + 1
	return at > 1 && (p.tokens[at-1].lower == "the" || p.tokens[at-1].lower == "an" || p.tokens[at-1].lower == "our") && questioning[p.tokens[0].lower] && !ahead.isField() &&
		(ahead.nouns(false) || ahead.called(ahead.types) != nil) && !p.plural(ahead.at-1) && ahead.at < len(p.tokens) && slices.Contains([]string{"have", "last", "cost", "run", "take", "has"}, p.tokens[ahead.at].lower)
}

// Unknown are words that mean nothing here, with what may have been meant: "" where
// nothing is like them.
type Unknown struct {
	Words, Nearest string

	Types []string // the types of documents that there are, if the words are what one is called
	Party bool     // they stand where the name of a party does

	Clause string // what they would be the name of, of which there is no clause

	Contrary bool // they cannot hold together with what was said before them
}

// String quotes the words and names what is nearest to them.
func (u Unknown) String() string {
	switch {
	case u.Contrary:
		return strconv.Quote(clip(u.Words)) + " (contradicts what was said before: nothing can be both)"
	case u.Types != nil:
		return fmt.Sprintf("%q (no type of documents here; here are %s)", clip(u.Words), strings.Join(u.Types, ", "))
	case u.Nearest == "" && u.Clause != "":
		return fmt.Sprintf("%q (no clause is called %q; ask for files that mention it)", clip(u.Words), clip(u.Clause))
	case u.Nearest == "" && u.Party:
		return strconv.Quote(clip(u.Words)) + " (no file has a party of that name)"
	case u.Nearest == "":
		return strconv.Quote(clip(u.Words))
	}
	return fmt.Sprintf("%q (did you mean %q?)", clip(u.Words), u.Nearest)
}

// MisunderstoodError are words of a prompt that mean nothing here.
type MisunderstoodError struct {
	Words   []Unknown
	Foreign bool // they are of another language than English
}

// Error names the words.
func (m MisunderstoodError) Error() string {
	quoted := make([]string, len(m.Words))
	for i, w := range m.Words {
		quoted[i] = w.String()
	}
	said := strings.Join(quoted, ", ")
	if !m.contrary() {
		said = "not understood: " + said
	}
	if m.Foreign {
		said += "; questions are read in English"
	}
	return said
}

// contrary reports whether all is understood, and cannot hold together.
func (m MisunderstoodError) contrary() bool {
	return !slices.ContainsFunc(m.Words, func(w Unknown) bool { return !w.Contrary })
}

func (m MisunderstoodError) fault() error {
	if m.contrary() {
		return fault.Wrap(fault.Invalid, m.Error(), m)
	}
	return fault.Wrap(fault.Invalid, m.Error()+"; ask for a count, sum, average or median of files, sentences, matters or activity, "+
		"by a field or per day, week, month, quarter or year, where a field is something", m)
}

// parser reads a prompt from left to right.
type parser struct {
	text       string
	tokens     []token
	at         int
	vocabulary Vocabulary
	fields     []named
	labels     []calling
	types      []calling
	phrases    []calling // that say that there is a label
	unknown    []string
	lost       []int // tokens at which nothing was understood
	understood []Understood
	played     []Understood // of parts by which parties are grouped
	spelt      []Understood // of words that were replaced by those that were meant
	loose      bool         // small words may be missing
	found      map[lookup][]Option
	last       lastStep
	ahead      int          // steps that are looked at within others
	clashes    map[int]bool // tokens behind a time that cannot be together with one before
	contraries []int        // of lost: where something contradicts what came before

	source    Source
	clauses   bool // sentences were called clauses, so their type is their label
	contracts bool // files were called contracts, so that their dates are those of the contracts
	listed    bool // the rows themselves are asked for
	counted   bool // how many there are is
	recently  Sort // by their dates; "" where not
	op        MetricOp
	opWord    string
	metric    Field
	groups    []Field
	bucket    Bucket
	timed     []int // of understood: grouped by the topic, whichever that is
	datings   []dating
	filters   []Filter
	only      []Filter // of groups
	having    []Bound
	unitOf    Bucket // of durations
	averaged  string // how an average was asked for behind the figure, "" where it was not
	comparing string // how a comparison of a figure was asked for, "" where it was not
	busy      bool   // the periods with the most are asked for
	sort      Sort
	limit     int
	kind      Chart
	needy     []string // words that mean something only if the answer is grouped
	sharing   sharing  // how a percentage is asked for
	base      int      // how many of the filters say of which rows the percentage is; -1 while that is not known
	baseDated int      // how many of the datings do
	ofPart    []Filter // what is true of the part that a percentage is of, where that was told before the rows
	old       bool     // how long ago a date was is the figure
	whole     string   // how all contracts were named as those that others are compared with
}

// named is a field with one of its names.
type named struct {
	name  string
	words []string
	field Field
}

// fieldNames are what people call fields. User and type depend on the source.
var fieldNames = map[Field][]string{
	Status:                             {"status", "processing status"},
	DocumentType:                       {"document type", "contract type", "file type", "type", "agreement type", "type of contract", "types of contract", "type of agreement", "types of agreement", "type of document", "types of document", "kind of contract", "kinds of contract", "kind of agreement", "kinds of agreement", "kind of document", "kinds of document"},
	AttributeField("governing_law"):    {"governing law", "applicable law", "law", "jurisdiction"},
	Counterparty:                       {"counterparty", "counter party", "contracting party", "contract partner", "contractual partner", "business partner", "companies"},
	Party:                              {"party"},
	PartyRole:                          {"party role", "party and role"},
	OurRole:                            {"our role", "our own role", "role of ours", "our part", "our side"},
	CounterpartyRole:                   {"counterparty role", "counterparty's role", "their role", "role of the other party", "role of the counterparty"},
	Language:                           {"language"},
	Matter:                             {"matter"},
	FileSource:                         {"source"},
	LifecycleStage:                     {"lifecycle stage", "stage", "lifecycle phase", "phase", "lifecycle"},
	ErrorCode:                          {"error code", "error", "cause of failure", "processing error", "upload error"},
	CreatedBy:                          {"uploader", "user", "person", "people"},
	Label:                              {"label", "clause", "clause type", "tag"},
	LabelScore:                         {"label score", "clause score", "score"},
	Action:                             {"action"},
	Actor:                              {"actor"},
	ResourceKind:                       {"resource", "kind of resource"},
	Name:                               {"name", "file name", "title", "document title", "file title"},
	PageCount:                          {"page count", "number of pages", "page"},
	Size:                               {"size", "file size"},
	ContentType:                        {"content type", "file format", "format"},
	CreatedAt:                          {"upload date", "creation date", "upload time"},
	UpdatedAt:                          {"change date"},
	AttributeField("contract_value"):   {"contract value", "value", "worth", "spend", "spending", "annual spend", "committed spend", "deal size", "deal value", "contract size", "contract amount", "agreement value", "contract price", "contract volume", "contract sum", "price", "total price"},
	AttributeField("rent"):             {"rent", "monthly rent", "annual rent", "rental fee", "rental cost"},
	AttributeField("deposit"):          {"deposit", "security deposit"},
	AttributeField("salary"):           {"salary", "annual salary", "monthly salary", "wage", "remuneration", "salary cost"},
	AttributeField("principal"):        {"principal", "loan amount", "loan size", "size of the loan", "size of loan"},
	AttributeField("interest_rate"):    {"interest rate", "interest", "rate of interest"},
	AttributeField("probation_period"): {"probation period", "probation"},
	AttributeField("payment_term"):     {"payment term", "payment period", "payment deadline", "credit period", "days to pay", "payment target", "payment time", "pay term"},
	AttributeField("expiration_date"):  {"expiration date", "expiry date", "expiry", "end date", "maturity date", "termination date", "date of expiry", "ending date", "contract end date", "end of contract", "expire date", "finish date", "date of expiration", "end of term"},
	AttributeField("effective_date"):   {"effective date", "start date", "commencement date", "go-live date", "starting date", "beginning date", "contract start date", "start of contract", "date of commencement"},
	AttributeField("agreement_date"):   {"agreement date", "signing date", "signature date", "date of signature", "date of signing", "contract date", "execution date", "date signed", "sig date", "sign date", "signed date"},
	AttributeField("renewal_term"):     {"renewal term"},
	AttributeField("renewal_type"):     {"renewal type", "type of renewal"},
	AttributeField("currency"):         {"currency"},
	AttributeField("address"):          {"address"},
	AttributeField("initial_term"):     {"initial term", "contract term", "term", "duration", "length", "contract length", "agreement length", "contract duration", "term length", "length of term", "lifetime", "contract period", "agreement term", "runtime", "running time", "validity", "validity period", "period of validity"},
	AttributeField("notice_period"):    {"notice period", "notice", "days notice", "days of notice", "termination notice period", "notice period for termination", "notice period to terminate", "cancellation period", "termination period", "period of notice", "notice time", "notice term", "termination notice"},
	AttributeField("document_name"):    {"document name"},
	AttributeField("signatory"):        {"signatory", "signature", "signer"},
	Said:                               {"text", "full text", "wording", "body"},
	Category:                           {"category"},
	MatterName:                         {"matter name"},
	MatterOwner:                        {"matter owner", "owner"},
	MatterDueAt:                        {"due date"},
	MatterStage:                        {"matter stage"},
	MatterStatus:                       {"matter status"},
}

// ofMatters are the fields of matters that go by the names of those of files.
var ofMatters = map[Field]Field{
	Status: MatterStatus, LifecycleStage: MatterStage, FileSource: MatterSource, Name: MatterName, CreatedBy: MatterOwner, CreatedAt: MatterCreatedAt, Category: MatterCategory,
}

func newParser(text string, v Vocabulary) *parser {
	p := &parser{base: -1, text: text, tokens: tokens(text), vocabulary: v, found: map[lookup][]Option{}, clashes: map[int]bool{}}
	for _, t := range p.tokens {
		if said := p.text[t.start:t.end]; fiscalYear.MatchString(strings.ToLower(said)) {
			p.spelt = append(p.spelt, Understood{said, "read as the calendar year " + t.word})
		}
	}
	add := func(f Field, name string) {
		p.fields = append(p.fields, named{strings.Join(strings.Fields(name), " "), strings.Fields(name), f})
	}
	for _, o := range v.Own { // first: the team has its own words
		for _, name := range spellings(o.Name) {
			add(AttributeField(o.Value), name)
			add(AttributeField(o.Value), plural(name))
			if strings.HasSuffix(o.Value, "_number") && strings.HasSuffix(name, "s") { // seats
				add(AttributeField(o.Value), "number of "+name)
			}
			if d, ok := Lookup(AttributeField(o.Value)); ok && d.Kind == Date && !strings.HasSuffix(name, " date") {
				add(AttributeField(o.Value), name+" date")
				add(AttributeField(o.Value), name+" dates")
			}
		}
	}
	for f, names := range fieldNames {
		for _, name := range names {
			add(f, name)
			add(f, plural(name))
		}
	}
	p.labels = callings(v.Values[Label], func(o Option) []string { return labelNames[o.Value] })
	p.types = callings(v.Values[DocumentType], namesOfType)
	for _, key := range v.Keys {
		name := strings.ReplaceAll(key, "_", " ")
		if !slices.ContainsFunc(p.fields, func(n named) bool { return n.name == name }) {
			add(AttributeField(key), name)
			add(AttributeField(key), plural(name))
		}
	}
	slices.SortStableFunc(p.fields, func(a, b named) int { return len(b.words) - len(a.words) })
	said := map[string][]string{"anti_assignment": consents()}
	for _, o := range v.Values[Label] {
		for _, phrase := range slices.Concat(labelPhrases[o.Value], predicates(o), said[o.Value]) {
			all := spellings(phrase)
			for before, instead := range map[string]string{"can ": "may ", "cannot ": "may not "} {
				if rest, ok := strings.CutPrefix(phrase, before); ok {
					all = append(all, instead+rest, strings.Replace(instead, "may", "can", 1)+rest, strings.Replace(instead, "may", "could", 1)+rest)
				}
			}
			if strings.Contains(phrase, " is not ") {
				all = append(all, strings.ReplaceAll(phrase, " is not ", " isn't "))
			}
			for _, spelling := range all {
				p.phrases = append(p.phrases, calling{spelling, o})
			}
		}
	}
	slices.SortStableFunc(p.phrases, func(a, b calling) int { return len(b.name) - len(a.name) })
	return p
}

func plural(name string) string {
	if stem, ok := strings.CutSuffix(name, "y"); ok {
		return stem + "ies"
	}
	if strings.HasSuffix(name, "s") {
		return name + "es"
	}
	return name + "s"
}

// step consumes the next words, and returns their interpretation; "" is for words that
// do not matter. A rule that does not hold leaves nothing behind.
func (p *parser) step() (string, bool) {
	for _, rule := range []func() (string, bool){
		p.framed, p.tail, p.ownShare, p.partAmong, p.partByValue, p.boundFigure, p.beyondWhole, p.aboveOthers, p.partOfWhole, p.age, p.giver, p.fieldsCompared, p.withSeated, p.seated, p.foreignParties, p.bothOf, p.mayDo, p.terminable, p.growth, p.mostInOne, p.notBoth, p.sorted, p.counting, p.expiresNext, p.lastly, p.threshold, p.severalValues, p.busiest, p.versus, p.comparison, p.moreOf, p.most, p.which, p.whenRows, p.andWhen, p.theirs, p.rank, p.ofEach, p.figures, p.listing, p.howMuch, p.howLong, p.whyFailed, p.whatUploaded, p.asked, p.share, p.top, p.ranked, p.recent, p.distinct, p.otherThan, p.namedValue, p.groupsBy, p.grouping, p.chart, p.totals, p.measure, p.noneAbove, p.without, p.says, p.grants, p.speaking, p.lasts, p.renewals, p.governed, p.net,
		p.inLanguage, p.inCurrency, p.format, p.acting, p.sides, p.whoHas, p.labelled, p.worth, p.valueFirst, p.entitled, p.mention, p.mentioned, p.where, p.apart, p.period, p.remaining, p.pending, p.rangeFirst, p.compared, p.fieldCompared, p.standing, p.property, p.spread, p.involving, p.signedBy, p.noun, p.topical, p.bareMetric,
		p.titled, p.uploader, p.durations, p.ours, p.utmost, p.isUtmost, p.labelRows, p.bareType, p.bareLabel, p.alternative, p.filler, p.joining, p.negated, p.worded, p.inName, p.bareRole, p.bareValue, p.bareTime, p.bareCurrency,
	} {
		before := *p
		if meaning, ok := rule(); ok {
			return meaning, true
		}
		*p = before
	}
	return "", false
}

// take consumes a phrase, in which small words may be missing where p is loose.
func (p *parser) take(phrase string) bool {
	at := p.at
	for word, rest := "", phrase; rest != ""; {
		word, rest, _ = strings.Cut(rest, " ")
		switch {
		case at < len(p.tokens) && !p.tokens[at].quoted && p.tokens[at].lower == word:
			at++
		case !p.loose || at == p.at || rest == "" || !omitted[word]:
			return false
		}
	}
	p.at = at
	return true
}

// omitted are the words that people leave out within a phrase who are in a hurry: "due renew".
var omitted = map[string]bool{"a": true, "an": true, "the": true, "of": true, "to": true, "for": true, "is": true, "are": true, "be": true, "been": true}

// takeLoose consumes a phrase, in which articles and the like may stand between the words:
// "cap our liability", "prohibit any assignment".
func (p *parser) takeLoose(phrase string) bool {
	start := p.at
	for word, rest := "", phrase; rest != ""; {
		word, rest, _ = strings.Cut(rest, " ")
		if !p.take(word) && !(p.loose && omitted[word] && p.at > start && rest != "") && (p.at == start || !p.takeAny("the", "our", "its", "their", "any", "an", "a", "such") || !p.take(word)) {
			p.at = start
			return false
		}
	}
	return true
}

// takeAny consumes the first of phrases that is there.
func (p *parser) takeAny(phrases ...string) bool { return slices.ContainsFunc(phrases, p.take) }

// field consumes the name of a field.
func (p *parser) field() (Definition, bool) {
	for _, n := range p.fields {
		if !p.take(n.name) {
			continue
		}
		f, name := n.field, n.words[len(n.words)-1]
		if of, ok := ofMatters[f]; ok && p.source == Matters {
			f = of
		}
		switch {
		case f == CreatedBy && p.source == Audit:
			f = Actor
		case f == DocumentType && p.clauses && len(n.words) == 1 && strings.HasPrefix(name, "type"):
			f = Label
		}
		return p.lookup(f), true
	}
	return Definition{}, false
}

// lookup is the definition of a field that there is, by the name that the team gave it.
func (p *parser) lookup(f Field) Definition {
	d, _ := Lookup(f)
	if i := slices.IndexFunc(p.vocabulary.Own, func(o Option) bool { return d.Key != "" && o.Value == d.Key }); i >= 0 {
		d.Label = p.vocabulary.Own[i].Name
	}
	return d
}

// isField reports whether the name of a field begins here.
func (p *parser) isField() bool {
	start := p.at
	_, ok := p.field()
	p.at = start
	return ok
}

// whyFailed is for "which files failed and why" and "why did files fail".
func (p *parser) whyFailed() (string, bool) {
	failed := Is(Status, "failed")
	switch {
	case slices.ContainsFunc(p.filters, func(f Filter) bool { return reflect.DeepEqual(f, failed) }) && p.takeAny("and why", "why"):
	case p.takeAny("why did", "why do", "why have") && (p.uploadsAhead() || p.nouns(false)) && p.takeAny("fail", "failed"):
		p.filters = append(p.filters, failed)
	case p.reasons():
		if !p.takeAny("failed", "failing") || !p.nouns(false) && !p.uploadsAhead() {
			return "", false
		}
		p.filters = append(p.filters, failed)
	default:
		return "", false
	}
	p.groups = append(p.groups, ErrorCode)
	return "failed ones by " + ErrorCode.label(), true
}

// reasons is for "the three most common reasons for".
func (p *parser) reasons() bool {
	p.take("the")
	n, counted := p.count()
	most := p.takeAny("most common", "most frequent", "main", "commonest", "top")
	if !counted {
		n, counted = p.count()
	}
	if !p.takeAny("reasons for", "causes of", "causes for", "reason for", "cause of") || counted && (!most || n < 1 || n > mostLimit) {
		return false
	}
	if most && counted {
		p.sort, p.limit = ByValueDesc, n
	}
	return true
}

// uploadsAhead consumes "uploads", whose date is that of the upload.
func (p *parser) uploadsAhead() bool {
	if !p.takeAny("the uploads", "our uploads", "uploads", "my uploads") {
		return false
	}
	p.about(CreatedAt)
	return true
}

// asked is for what "who" and "what" ask for without naming it: "who has uploaded files", "what
// governs our leases".
func (p *parser) asked() (string, bool) {
	if len(p.groups) > 0 || len(p.understood) > 0 {
		return "", false
	}
	switch {
	case p.takeAny("who uploaded", "who has uploaded", "who have uploaded", "who added", "who has added", "who uploads"):
		p.takeAny("the most", "most")
		p.about(CreatedAt)
		p.groups = append(p.groups, CreatedBy)
		return "by who uploaded them", true
	case p.takeAny("who signed", "who has signed", "who are the signatories of", "who are the signatories to", "who executed"):
		p.takeAny("the most", "most")
		p.groups = append(p.groups, AttributeField("signatory"))
	case p.takeAny("who are we", "who do we", "whom do we", "with whom do we", "with whom are we", "who did we") && p.takeOf(owning):
		p.take("with")
		p.groups = append(p.groups, Counterparty)
	case p.takeAny("by which law", "by what law", "by which laws", "under which law", "under what law", "under which laws", "what governs", "what law governs", "which law governs", "what laws govern"):
		p.groups = append(p.groups, governingLaw)
	default:
		return "", false
	}
	return "by " + p.groups[0].label(), true
}

// top is for "top 10 parties" and "10 parties with the most contracts".
func (p *parser) top() (string, bool) {
	order := ByValueDesc
	p.takeAny("with each of", "for each of", "of each of", "from each of")
	p.takeAny("the", "our")
	n, ok := p.count() // "ten biggest counterparties"
	named := p.takeAny("top", "biggest", "largest", "most important", "most frequent")
	if !named && p.takeAny("bottom", "smallest") {
		named, order = true, ByValue
	}
	if !ok {
		n, ok = p.count()
	}
	if !ok || n < 1 || n > mostLimit {
		return "", false
	}
	fields := p.at
	if d, ok := p.figure(); ok && d.Key != "" { // "the five biggest deposits" are figures of files
		if !named || !p.plural(p.at-1) || len(p.groups) > 0 || p.op != "" || p.groupsAhead() {
			return "", false
		}
		return p.files(d, map[Sort]MetricOp{ByValueDesc: Max, ByValue: Min}[order], n), true
	}
	p.at = fields
	d, ok := p.field()
	if !ok || d.Kind == Number && d.Of == Files {
		return "", false
	}
	switch {
	case p.takeAny("with the most", "with most"):
	case p.takeAny("with the fewest", "with fewest", "with the least"):
		order = ByValue
	case p.withExtreme(): // "the five suppliers with the longest payment terms"
		op, _ := p.extreme()
		meaning, ok := p.figureOf(d, op)
		p.limit = n
		return meaning, ok
	case !named:
		return "", false
	}
	if d.Of == Sentences {
		p.source = Sentences
	}
	p.groups, p.limit, p.sort = append(p.groups, d.Field), n, order
	if meaning := p.byMeasure(false); meaning != "" {
		return fmt.Sprintf("the %d values of %s %s, the %s first", n, d.Label, meaning, map[Sort]string{ByValueDesc: "greatest", ByValue: "least"}[order]), true
	}
	for _, by := range []string{"by the number of", "by number of", "by count of", "by"} { // what is counted anyway
		start := p.at
		if p.take(by) {
			if _, ok := p.noun(); ok {
				break
			}
			p.at = start
		}
	}
	if n == 1 {
		return "the value of " + d.Label + " with the " + map[Sort]string{ByValueDesc: "most", ByValue: "fewest"}[order], true
	}
	return fmt.Sprintf("the %d values of %s with the %s", n, d.Label, map[Sort]string{ByValueDesc: "most", ByValue: "fewest"}[order]), true
}

// byMeasure consumes the figure that groups are in the order of: "by contract value", "by
// average rent"; told is whether it has to be said which figure of several.
func (p *parser) byMeasure(told bool) string {
	start := p.at
	if !p.takeAny("by", "in terms of", "ranked by", "sorted by", "ordered by", "measured by", "and their", "with their", "and the", "with the", "with", "and") && !p.loose {
		return ""
	}
	if p.tokens[p.at-1].lower == "their" {
		told = false
	}
	joined := slices.Contains([]string{"with", "and"}, p.tokens[p.at-1].lower) && p.at == start+1
	op, said := Sum, "total"
	if p.takeAny("average", "mean") {
		op, said, told = Avg, "average", false
	} else if p.takeAny("total", "the total", "overall", "combined", "sum of") {
		told = false
	}
	said0 := p.at > start+1
	d, ok := p.field()
	if !ok || told || joined && !said0 || d.Kind != Number || d.Of != Files || !d.IsMoney() && op == Sum && d.Field != PageCount {
		p.at = start
		return ""
	}
	p.op, p.opWord, p.metric = op, said, d.Field
	return "by " + said + " " + d.Label
}

// groupsBy is for "counterparties by total contract value".
func (p *parser) groupsBy() (string, bool) {
	if len(p.groups) == 0 || p.op != "" {
		return "", false
	}
	meaning := p.byMeasure(true)
	if meaning != "" && p.sort == "" && !p.datedGroup() {
		p.sort = ByValueDesc
	}
	return meaning, meaning != ""
}

// ranked is for "the 5 contracts with the highest contract value", "top 10
// files by pages", "files with the most pages" and "the longest contracts".
func (p *parser) ranked() (string, bool) {
	if first := p.tokens[0].lower; (first == "is" || first == "are") && len(p.filters) > 0 && p.at > 0 { // "is the Acme lease the largest contract": of all
		return "", false
	}
	if p.at > 2 && p.at < 5 && p.tokens[p.at-2].lower == "of" && p.superlative() != "" { // "which of our ten largest expire": of all
		return "", false
	}
	if p.at > 0 && p.at < 3 && (p.tokens[0].lower == "is" || p.tokens[0].lower == "are") && len(p.groups) == 0 && p.superlativeAhead() { // "is our largest contract with Acme": of all
		return "", false
	}
	p.take("the")
	if meaning, ok := p.figureFirst(); ok {
		return meaning, true
	}
	how := p.superlative()
	n, counted := p.count()
	if how == "" || how == "top" { // "top 5 longest"
		how = cmp.Or(p.superlative(), how)
	}
	rows := p.at
	if counted && n < 1 || n > mostLimit {
		return "", false
	}
	typed := !p.nouns(false)
	if typed && (how == "" || p.called(p.types) == nil && !p.passRows()) {
		return "", false
	}
	if !counted {
		if n = usualLimit; !p.plural(p.at-1) && (how != "" || rowWords[p.tokens[p.at-1].lower]) {
			n = 1
		}
	}
	if typed {
		d, by, end := p.byAhead()
		if p.isField() || p.nouns(true) || end == 0 && p.groupsAhead() {
			return "", false
		}
		if p.withExtreme() {
			return "", false // the rows are read before
		}
		if end > 0 { // "largest 3 leases by rent"
			p.tokens, p.at = slices.Delete(slices.Clone(p.tokens), by, end), rows // they are read next
			return p.files(d, endOf(how), n), true
		}
		if how != "longest" && how != "shortest" && how != "top" { // "largest loan"
			meaning, ok := p.sized(how, n)
			p.at = rows // they are read next
			return meaning, ok
		}
		p.at = rows // they are read next
	}
	switch {
	case slices.Contains([]string{"valuable", "expensive", "costly", "costliest", "cheapest", "highest-value"}, how):
		d, _ := Lookup(AttributeField("contract_value"))
		op := endOf(how)
		if p.tokens[max(0, rows-2)].lower == "least" {
			op = Min
		}
		return p.files(d, op, n), true
	case p.withExtreme():
		op, _ := p.extreme()
		return p.byFigure(op, n)
	case how != "" && p.take("by"):
		return p.byFigure(endOf(how), n)
	case how != "" && !p.isField():
		return p.sized(how, n)
	}
	return "", false
}

// superlativeAhead reports whether the first of an order is named next.
func (p *parser) superlativeAhead() bool {
	ahead := *p
	ahead.takeAny("the", "our")
	return ahead.superlative() != ""
}

// byAhead is where later on it is told by which figure of files they are ordered, and where that ends:
// 0 where it is not.
func (p *parser) byAhead() (d Definition, at, end int) {
	ahead := *p
	for at = p.at; at+1 < len(p.tokens); at++ {
		if ahead.at = at + 1; p.tokens[at].lower == "by" {
			ahead.takeAny("the", "their", "total")
			if d, ok := ahead.figure(); ok {
				return d, at, ahead.at
			}
		}
	}
	return d, 0, 0
}

// figureFirst is for "highest value contract", "lowest rent leases" and "the five longest notice
// periods": the files that have them.
func (p *parser) figureFirst() (string, bool) {
	start := p.at
	n, counted := p.count()
	op, ok := p.extreme()
	if !counted {
		n, counted = p.count()
	}
	d, field := p.figure()
	if p.at == start && p.takeAny("longest-running", "longest running", "longest-lasting", "longest lasting") {
		ok, op = true, Max
		d, field = Lookup(AttributeField("initial_term"))
	}
	rows, several := p.at, p.at > start && p.plural(p.at-1) && d.Key != "" && p.op == "" && len(p.groups) == 0 && !p.groupsAhead()
	named := p.nouns(false) || p.called(p.types) != nil
	if !ok || !field || !named && !several {
		p.at = start
		return "", false
	}
	switch many := p.plural(p.at - 1); {
	case !counted && many:
		n = usualLimit
	case !counted:
		n = 1
	}
	p.at = rows // they are read next
	return p.files(d, op, n), n > 0 && n <= mostLimit
}

// passRows passes over what files are called within the next words: "active supplier contracts".
func (p *parser) passRows() bool {
	for range longestTitle {
		if p.at >= len(p.tokens) || smallWords[p.tokens[p.at].lower] || p.isField() {
			return false
		}
		p.at++
		if p.nouns(false) {
			return true
		}
	}
	return false
}

// utmost is for rows "with the highest contract value", whatever they were called before.
func (p *parser) utmost() (string, bool) {
	if p.op == "" && len(p.groups) == 0 && p.at > 0 && p.limit == 0 {
		start, n := p.at, usualLimit
		if !p.plural(p.at - 1) {
			n = 1
		}
		if op, ok := p.dearest(); ok { // "the contracts worth the most"
			d, _ := Lookup(AttributeField("contract_value"))
			return p.files(d, op, n), true
		}
		p.at = start
	}
	if p.op != "" || len(p.groups) > 0 || p.at == 0 || !p.takeAny("with the", "that has the", "that have the", "which has the", "which have the", "having the", "has the", "have the") {
		return "", false
	}
	n := p.asMany()
	if meaning, ok := p.extremeDate(n); ok {
		return meaning, true
	}
	op, ok := p.extreme()
	if !ok {
		return "", false
	}
	return p.byFigure(op, n)
}

// isUtmost is for rows of which is asked which "is the newest", or "is the most valuable".
func (p *parser) isUtmost() (string, bool) {
	if p.op != "" || len(p.groups) > 0 || p.at == 0 || p.recently != "" || !p.takeAny("is the", "are the", "is our", "are our") {
		return "", false
	}
	n := 1
	if p.tokens[p.at-2].lower == "are" {
		n = usualLimit
	}
	start := p.at
	for order, words := range map[Sort][]string{ByKeyDesc: {"newest", "latest", "most recent", "youngest"}, ByKey: {"oldest", "earliest"}} {
		if p.takeAny(words...) {
			p.listed, p.recently, p.limit = true, order, n
			return "by date, the first of them", p.at == len(p.tokens) || slices.Contains([]string{"of", "with", "from", "for", "in"}, p.tokens[p.at].lower)
		}
	}
	if how := p.superlative(); how != "" && how != "top" && p.at == len(p.tokens) {
		d, _ := Lookup(AttributeField("contract_value"))
		if how == "longest" || how == "shortest" {
			d, _ = Lookup(AttributeField("initial_term"))
		}
		op := endOf(how)
		if p.tokens[start].lower == "least" {
			op = Min
		}
		return p.files(d, op, n), true
	}
	return "", false
}

// withExtreme consumes what stands before the greatest or the least of a figure: "with the".
func (p *parser) withExtreme() bool {
	start := p.at
	if p.takeAny("with the", "with") {
		at := p.at
		if _, ok := p.extreme(); ok {
			p.at = at
			return true
		}
	}
	p.at = start
	return false
}

// superlative consumes a word that asks for the first of an order, and gives it.
func (p *parser) superlative() string {
	if !p.takeAny("top", "biggest", "largest", "longest", "smallest", "shortest", "most valuable", "most expensive", "most costly", "costliest", "highest-value", "least valuable", "least expensive", "cheapest") {
		return ""
	}
	return p.tokens[p.at-1].lower
}

// endOf is the end of an order that a superlative asks for.
func endOf(how string) MetricOp {
	if how == "shortest" || how == "smallest" || how == "cheapest" {
		return Min
	}
	return Max
}

// extreme consumes a word for the greatest figures, or for the least.
func (p *parser) extreme() (MetricOp, bool) {
	if p.takeAny("most high", "most", "highest", "largest", "longest", "biggest", "greatest") {
		return Max, true
	}
	return Min, p.takeAny("fewest", "least", "lowest", "smallest", "shortest")
}

// plural reports whether the word at a token names several.
func (p *parser) plural(at int) bool { return strings.HasSuffix(p.tokens[at].lower, "s") }

// byFigure consumes a figure of files, and asks for the n files that have the most of it, or the least.
func (p *parser) byFigure(op MetricOp, n int) (string, bool) {
	p.takeAny("number of", "amount of")
	d, ok := p.figure()
	if !ok {
		return "", false
	}
	return p.files(d, op, n), true
}

// files asks for the n files that have the most of d, or the least; all of them where n is 0.
func (p *parser) files(d Definition, op MetricOp, n int) string {
	has := Filter{Field: d.Field, Op: Exists}
	if d.mayBeSum() {
		has = Compare(d.Field, AtLeast, "0")
	}
	if d.Key != "" && !slices.ContainsFunc(p.filters, func(f Filter) bool { return reflect.DeepEqual(f, has) }) { // those without would come last, yet they would come
		p.filters = append(p.filters, has)
	}
	if p.metric == d.Field && p.limit == 0 && slices.Equal(p.groups, []Field{File}) { // "the value of the largest contract"
		p.groups = nil
	}
	order, which := ByValueDesc, "highest"
	if op == Min {
		order, which = ByValue, "lowest"
	}
	if d.Field == PageCount {
		which = map[MetricOp]string{Max: "most", Min: "fewest"}[op]
	}
	p.op, p.metric = op, d.Field
	p.source, p.groups, p.limit, p.sort = Files, append(p.groups, File), n, order
	if n == 0 {
		return d.Label + " of each" + d.asSum()
	}
	if n == 1 {
		return fmt.Sprintf("the file with the %s %s", which, d.Label) + d.asSum()
	}
	return fmt.Sprintf("the %d files with the %s %s", n, which, d.Label) + d.asSum()
}

// groupsAhead reports whether something is grouped by later.
func (p *parser) groupsAhead() bool {
	return slices.ContainsFunc(p.tokens[p.at:], func(t token) bool { return slices.Contains([]string{"by", "per", "each", "every"}, t.lower) })
}

// groupedAhead is groupsAhead of a field, or of a time: New York law that contracts are governed by is none.
func (p *parser) groupedAhead() bool {
	ahead := *p
	for ; ahead.at < len(p.tokens); ahead.at++ {
		if slices.Contains([]string{"by", "per", "each", "every"}, p.tokens[ahead.at].lower) {
			if ahead.at++; ahead.isField() || ahead.isUnit() {
				return true
			}
			ahead.at--
		}
	}
	return false
}

// sized is for files that are long or short, in pages, or big or small: files in bytes, and
// contracts by what they are worth.
func (p *parser) sized(how string, n int) (string, bool) {
	long := how == "longest" || how == "shortest"
	called := p.tokens[p.at-1].lower
	field := PageCount
	switch file := strings.HasPrefix(called, "file") || strings.HasPrefix(called, "document"); {
	case how == "top" && (file || p.groupsAhead() || p.at < len(p.tokens) && slices.Contains([]string{"with", "that", "which", "for", "in"}, p.tokens[p.at].lower)):
		return "", false
	case !long && file:
		field = Size
	case !long:
		field = AttributeField("contract_value")
	}
	d, _ := Lookup(field)
	return p.files(d, endOf(how), n), true
}

// which is for "which lease has the highest rent".
func (p *parser) which() (string, bool) {
	if !p.takeAny("which", "what") {
		return "", false
	}
	start, meaning := p.at, ""
	if options := p.called(p.types); options != nil {
		meaning = ", where " + p.anyOf(DocumentType, options)
	}
	if !p.nouns(false) && meaning == "" {
		return "", false
	}
	n := 1
	if p.plural(p.at-1) && p.at > start {
		n = usualLimit
	}
	if op, ok := p.dearest(); ok {
		d, _ := Lookup(AttributeField("contract_value"))
		return p.files(d, op, n) + meaning, true
	}
	if !p.takeAny("has the", "have the", "has our", "is the one with the", "are the ones with the") {
		return "", false
	}
	if asked, ok := p.extremeDate(n); ok {
		return asked + meaning, true
	}
	op, ok := p.extreme()
	if !ok {
		return "", false
	}
	asked, ok := p.byFigure(op, n)
	return asked + meaning, ok
}

// dearest consumes that rows are worth the most, or the least: "that cost us the most", "we pay the
// least for".
func (p *parser) dearest() (MetricOp, bool) {
	p.takeAny("that", "which")
	p.takeAny("are", "is")
	paid := p.takeAny("we pay", "we spend", "do we pay", "do we spend")
	if !paid && !p.takeAny("cost us", "costs us", "cost", "costs", "worth") {
		return "", false
	}
	op := Max
	if !p.takeAny("the most", "most") {
		if op = Min; !p.takeAny("the least", "least") {
			return "", false
		}
	}
	return op, !paid || p.takeAny("money for", "money on", "for", "on")
}

// extremeDate consumes a date with which of them is asked for: "the latest end date".
func (p *parser) extremeDate(n int) (string, bool) {
	start, order, which := p.at, ByKeyDesc, "latest"
	if !p.takeAny("latest", "last", "most recent", "furthest") {
		if order, which = ByKey, "earliest"; !p.takeAny("earliest", "first", "oldest", "soonest", "nearest") {
			return "", false
		}
	}
	if d, ok := p.field(); ok && d.Kind == Date && d.Of == Files {
		p.about(d.Field)
		p.listed, p.recently, p.limit = true, order, n
		return "the " + which + " " + d.Label, true
	}
	p.at = start
	return "", false
}

// rank is for "rank counterparties by contract value".
func (p *parser) rank() (string, bool) {
	if !p.takeAny("rank our", "rank the", "rank", "sort our", "sort the", "sort", "order our", "order the") {
		return "", false
	}
	group, ok := p.field()
	if !ok || group.Kind != Enum || !p.take("by") {
		return "", false
	}
	p.groups, p.sort, p.limit = append(p.groups, group.Field), ByValueDesc, usualLimit
	p.at--
	if by := p.byMeasure(false); by != "" {
		return "by " + group.Label + ", " + by + ", the greatest first", true
	}
	p.take("by")
	p.takeAny("number of", "count of")
	_, ok = p.noun()
	return "by " + group.Label + ", the most first", ok
}

// ofEach is for "the value of each contract with Acme".
func (p *parser) ofEach() (string, bool) {
	if p.op != "" { // "total size of all files" is one figure
		return "", false
	}
	if last := len(p.tokens) - 1; p.at == 0 && p.tokens[last].lower == "cost" && p.takeAny("what does each", "what does every", "what does our", "what does the", "what do our", "what do the", "what do all our") { // "what does each Globex contract cost"
		p.tokens = p.tokens[:last]
		d, _ := Lookup(AttributeField("contract_value"))
		return p.files(d, Max, 0), true
	}
	p.take("the")
	d, ok := p.field()
	if !ok || d.Of != Files || !p.takeAny("of each of our", "of each", "from each", "from every", "of every", "for each", "for every", "in each", "in every") && (d.Kind != Number || !p.takeAny("of all our", "of all")) {
		return "", false
	}
	if start := p.at; !p.nouns(false) {
		if p.called(p.types) == nil && !p.partyAhead() {
			return "", false
		}
		p.at = start // they are read next
	}
	switch d.Kind {
	case Number:
		return p.files(d, Max, 0), true
	case Date:
		p.about(d.Field)
		p.listed, p.recently = true, ByKey
		return "as a list, by " + d.Label, true
	case Enum:
		p.groups = append(p.groups, d.Field, File)
		return d.Label + " of each", len(p.groups) == 2 && d.Field != File
	case Text, Boolean:
	}
	return "", false
}

// whenRows is for "when does our contract with Bolt end": a list with that date.
func (p *parser) whenRows() (string, bool) {
	if len(p.understood) > 0 || !p.takeAny("until when", "till when", "by when", "when", "how long until", "how long before", "how many days until", "how many days before", "how many months until", "how soon does", "how soon do", "how soon will", "how much longer does", "how much longer do", "how much longer will") {
		return "", false
	}
	until := p.tokens[p.at-1].lower == "when" && p.at > 1
	how := p.tokens[0].lower == "how" // when that is, is told
	if how && strings.HasPrefix(p.words(0, p.at), "how much longer") {
		until = true
	}
	if !how && !p.takeAny("does", "do", "will", "did", "was", "were", "is", "are") { // "when ends the lease"
		verb := slices.IndexFunc(topics, func(t struct {
			field Field
			words phrases
		}) bool {
			return p.takeOf(t.words)
		})
		if verb < 0 && !(until && p.takeAny("runs", "run")) {
			return "", false
		}
		until = until || verb >= 0
		if verb >= 0 {
			p.about(topics[verb].field)
			until = false
		}
	}
	if until {
		p.about(AttributeField("expiration_date"))
	}
	p.takeAny("our", "the")
	p.listed, p.recently = true, ByKey
	return "as a list, by date", true
}

// distinct is for "how many different languages", and for "how many parties",
// since these are not what is counted otherwise.
func (p *parser) distinct() (string, bool) {
	counted := p.takeAny("number of", "how many", "count of", "count")
	if counted {
		p.takeAny("of all our", "of our", "of the", "of all")
	}
	different := p.takeAny("different", "distinct", "unique")
	d, ok := p.field()
	if ok && counted && !different && p.op == "" && len(p.groups) == 0 && (d.Field == Counterparty || d.Field == Party) && p.totalAhead() { // "how many suppliers have contracts worth over 1m in total"
		p.groups, p.kind = []Field{d.Field}, TableChart
		return "by " + d.Label + ", each with its figure", true
	}
	if ok && counted && d.Field == CreatedBy && p.takeOf(uploading) { // "how many people uploaded files"
		p.about(CreatedAt)
		p.op, p.metric = CountDistinct, d.Field
		return "the number of people who uploaded them", true
	}
	if ok && counted && !different && p.op == "" && (d.Field == PageCount || strings.HasSuffix(d.Key, "_number") && strings.HasSuffix(strings.ToLower(d.Label), "s")) { // each file has one number of them
		p.op, p.opWord, p.metric = Sum, "total", d.Field
		return "sum of " + d.Label, true
	}
	if !ok || !different && !(counted && slices.Contains([]Field{Party, Counterparty, DocumentType, Language, governingLaw, AttributeField("signatory"), AttributeField("currency")}, d.Field)) {
		return "", false
	}
	if !counted && d.Kind == Enum && len(p.groups) == 0 { // "what are the different currencies"
		p.groups = append(p.groups, d.Field)
		return "by " + d.Label, true
	}
	p.op, p.metric = CountDistinct, d.Field
	return "the number of different values of " + d.Label, true
}

// namedValue is for "license agreements", "license agreement contracts" and
// "governing law clauses": what the rows are is named before them.
func (p *parser) namedValue() (string, bool) {
	start := p.at
	for _, f := range []Field{DocumentType, Label} {
		list := p.types
		if f == Label {
			list = p.labels
		}
		end, open := 0, false
		groups := p.seriesOf(func() []Option { // the last word is that of the rows, or names files itself
			from := p.at
			options := p.called(list)
			last := p.at
			if options == nil {
				return nil
			}
			if open = !p.nouns(f == Label) && !(f == DocumentType && p.several(from)); open {
				if p.joint() == "" { // not license and lease agreements
					return nil
				}
				p.at = last
			}
			end = last
			return options
		})
		if groups == nil || open { // "governing law and value"
			p.at = start
			continue
		}
		p.at = end
		p.contracts = p.contracts || f == DocumentType
		if f == DocumentType && p.among() {
			return "among all", true
		}
		return p.anyOf(f, slices.Concat(groups...)), true
	}
	return "", false
}

// several reports whether the words since start name files by their type, without another
// word: leases, or a name of three letters as NDA is.
func (p *parser) several(start int) bool {
	last := p.tokens[p.at-1].lower
	return strings.HasSuffix(last, "s") || p.recently != "" && (last == "agreement" || last == "contract") || p.at == start+1 && len(p.tokens[start].lower) == len("nda")
}

// totalAhead reports whether a bound is one of the sum of each group: "worth over 1m in total".
func (p *parser) totalAhead() bool {
	for at := p.at; at < len(p.tokens); at++ {
		ahead := p.again()
		ahead.at = at
		if _, ok := ahead.comparator(); !ok {
			continue
		}
		if n, ok := ahead.amount(); ok && !n.days && ahead.takeAny(totals...) {
			return true
		}
	}
	return false
}

// totals say behind a bound that it is one of a sum.
var totals = []string{"in total", "in all", "overall", "altogether", "combined", "together", "in aggregate"}

// nouns consumes what sentences are called, or files.
func (p *parser) nouns(ofSentences bool) bool {
	if ofSentences {
		return p.takeAny("sentences", "clauses", "sentence", "clause")
	}
	return p.takeAny("contracts", "files", "documents", "agreements", "contract", "file", "document", "agreement", "deals", "deal")
}

func (f Field) is(value string) string {
	d, _ := Lookup(f)
	return d.Label + " is " + value
}

// units are the periods by their names.
var units = map[string]Bucket{
	"day": Day, "week": Week, "month": Month, "quarter": Quarter, "year": Year,
	"days": Day, "weeks": Week, "months": Month, "quarters": Quarter, "years": Year, "week's": Week, "month's": Month, "quarter's": Quarter, "year's": Year,
}

var adverbs = map[string]Bucket{
	"daily": Day, "weekly": Week, "monthly": Month, "quarterly": Quarter, "yearly": Year, "annual": Year, "annually": Year,
}

func (p *parser) unit() (Bucket, bool) {
	if p.at == len(p.tokens) {
		return "", false
	}
	start := p.at
	if p.take("calendar") && p.at == len(p.tokens) {
		p.at = start
	}
	b, ok := units[p.tokens[p.at].lower]
	if ok {
		p.at++
	} else {
		p.at = start
	}
	return b, ok
}

// grouping is for "by party and status", "per month" and "monthly".
func (p *parser) grouping() (string, bool) {
	if p.at < len(p.tokens) && !p.isField() {
		if b, ok := adverbs[p.tokens[p.at].lower]; ok {
			p.at++
			p.bucket, p.timed = b, append(p.timed, len(p.understood))
			return "per " + string(b), true
		}
	}
	if p.takeAny("by who uploaded them", "by who uploaded it", "by who added them", "by who uploaded", "by whom they were uploaded", "by the person who uploaded them") {
		p.groups = append(p.groups, CreatedBy)
		return "by who uploaded them", true
	}
	if start := p.at; p.takeAny("in each of", "for each of", "during each of") { // "in each of the last three years"
		said, s, ok := p.nearby()
		if b := units[p.tokens[p.at-1].lower]; ok && b != "" && p.lies(s) {
			p.bucket, p.timed = b, append(p.timed, len(p.understood))
			return said + ", per " + string(b), true
		}
		p.at = start
	}
	if start := p.at; p.takeAny("each", "every") || p.counted && p.metric == "" && p.op != "" && p.op != CountDistinct && p.takeAny("in any one", "in a single", "in one", "in any", "in a", "a") { // "how many a month on average"
		b, ok := p.unit()
		if ok && p.op == Sum && (p.metric == AttributeField("rent") || p.metric == AttributeField("salary")) { // "how much do we pay in rent each month"
			return "as it is written, whether " + p.phrase(start, p.at) + " or for another time", true
		}
		if ok && !p.datedGroup() {
			p.bucket, p.timed = b, append(p.timed, len(p.understood))
			return "per " + string(b), true
		}
		p.at = start
	}
	if start := p.at; p.unitByUnit(start) {
		b := units[p.tokens[start].lower]
		p.bucket, p.timed = b, append(p.timed, len(p.understood))
		return "per " + string(b), true
	}
	if p.take("over time") {
		p.timed = append(p.timed, len(p.understood))
		return "over time", true
	}
	grouped := p.at < len(p.tokens) && p.tokens[p.at].lower == "grouped"
	if len(p.groups) == 0 && p.op == "" && p.takeAny("the distribution of", "distribution of", "the spread of", "the range of", "histogram of") { // how many rows have each of them
		p.takeAny("our", "the")
		d, ok := p.field()
		p.groups = append(p.groups, d.Field)
		return "by " + d.Label, ok && d.Kind == Number && d.Key != "" && !d.IsMoney()
	}
	over := p.at
	if p.take("over") && !p.isField() {
		p.at = over
	}
	if p.at == over && !p.takeAny("distributed across", "distributed by", "distributed over", "spread across", "spread over", "split across", "broken down across", "divided by", "across", "and by", "grouped by", "broken down by", "split by", "by each", "by the", "by", "per each", "per", "for each combination of", "per combination of", "by combination of", "for each", "for every", "of each", "in each", "under each", "under every", "governed by which", "under which", "by which", "with which", "in which", "from which", "within each", "across each", "with each", "with every", "does each", "does every", "did each", "did every", "has each", "has every") {
		if len(p.groups)+len(p.timed) == 0 || !p.takeAny("and", ",") {
			return "", false
		}
	}
	if b, ok := p.unit(); ok {
		if p.take("end") { // "by year end"
			return "", false
		}
		if b != Year && p.metric == AttributeField("contract_value") && slices.ContainsFunc(p.tokens, func(t token) bool { return t.lower == "pay" || t.lower == "paying" }) { // what is paid in a month is not what contracts of that month are worth
			return "", false
		}
		p.bucket = b
		if start := p.at; p.takeAny("of the", "of") {
			if d, ok := p.dateOrEvent(); ok {
				p.groups = append(p.groups, d.Field)
				p.ofGroup(d)
				return d.Label + " per " + string(b), true
			}
			p.at = start
		}
		if !p.datedGroup() {
			p.timed = append(p.timed, len(p.understood))
		}
		return "per " + string(b), true
	}
	if d, b, ok := p.unitOfEvent(); ok {
		p.bucket, p.groups = b, append(p.groups, d.Field)
		p.ofGroup(d)
		return d.Label + " per " + string(b), true
	}
	d, ok := p.field()
	if !ok && p.tokens[p.at-1].lower == "which" {
		return "", false
	}
	if !ok {
		rows := p.at
		if (p.source == Sentences && (p.op == "" || p.metric == "") || p.op == CountDistinct) && p.nouns(false) { // "clauses per contract"
			p.groups = append(p.groups, File)
			return "by " + File.label(), true
		}
		if p.nouns(false) && p.op != "" && p.op != Count {
			if p.op != Avg && p.op != Median {
				p.groups = append(p.groups, File)
				return "by " + File.label(), true
			}
			return "", true // an average per file is one over all files
		}
		if p.op != "" && p.called(p.types) != nil { // which are read next
			p.at = rows
			return "", true
		}
		return "", false
	}
	if d.Field == AttributeField("notice_period") && p.tokens[p.at-1].lower == "notice" && p.tokens[p.at-2].lower == "by" && !p.plural(p.at-3) { // "renew by notice"
		return "", false
	}
	if d.Kind == Number && d.Of == Files && (d.IsMoney() || d.IsDuration()) && p.op == "" && !p.counted && !grouped { // nothing is counted by what it is worth
		if len(p.groups)+len(p.timed) == 0 {
			return p.files(d, Max, 0), true
		}
		if end := p.at; p.takeAny("of each", "for each", "of every", "for every") { // of which two values are asked
			p.at = end
			return "", false
		}
		if p.op, p.opWord, p.metric = Avg, "average", d.Field; d.IsMoney() {
			p.op, p.opWord = Sum, "total"
		}
		return map[MetricOp]string{Avg: "average of ", Sum: "sum of "}[p.op] + d.Label, true
	}
	if n := len(p.groups); n > 0 && p.groups[n-1] == File && p.limit == 1 && (p.op == Max || p.op == Min) && d.Kind == Enum { // "largest contract per counterparty"
		p.groups, p.limit, p.sort = slices.Clone(p.groups[:n-1]), 0, ""
	}
	p.groups = append(p.groups, d.Field)
	p.ofGroup(d)
	if d.Field == CreatedBy {
		if p.takeAny("upload", "uploaded", "add", "added") { // "did each user upload"
			p.about(CreatedAt)
		}
		return "by who uploaded them", true
	}
	return "by " + d.Label, true
}

// unitByUnit consumes "year over year" and "month by month" from a token on.
func (p *parser) unitByUnit(at int) bool {
	if at+2 >= len(p.tokens) || units[p.tokens[at].lower] == "" || p.tokens[at].lower != p.tokens[at+2].lower || !slices.Contains([]string{"over", "on", "by", "after"}, p.tokens[at+1].lower) {
		return false
	}
	p.at = at + 3
	return true
}

// events are the dates by what happens then: "by month of signature".
var events = map[string]Field{
	"signature": AttributeField("agreement_date"), "signing": AttributeField("agreement_date"), "execution": AttributeField("agreement_date"),
	"expiry": AttributeField("expiration_date"), "expiration": AttributeField("expiration_date"),
	"maturity": AttributeField("expiration_date"), "commencement": AttributeField("effective_date"), "upload": CreatedAt,
}

// ofGroup has a time that follows a date which is grouped by be of that date: "by due date this month".
func (p *parser) ofGroup(d Definition) {
	if d.Kind == Date && p.isPeriod() {
		p.about(d.Field)
	}
}

// unitOfEvent is for "signature year" and "expiry month".
func (p *parser) unitOfEvent() (Definition, Bucket, bool) {
	start := p.at
	if d, ok := p.dateOrEvent(); ok {
		if b, ok := p.unit(); ok {
			return d, b, true
		}
	}
	p.at = start
	return Definition{}, "", false
}

// dateOrEvent consumes the name of a date, or of what happens then.
func (p *parser) dateOrEvent() (Definition, bool) {
	if p.at < len(p.tokens) {
		if f, ok := events[p.tokens[p.at].lower]; ok {
			p.at++
			p.take("date")
			return Lookup(f)
		}
	}
	d, ok := p.field()
	return d, ok && d.Kind == Date
}

// datedGroup reports whether a date is grouped by already.
func (p *parser) datedGroup() bool {
	return slices.ContainsFunc(p.groups, func(f Field) bool { d, _ := Lookup(f); return d.Kind == Date })
}

// spread is for a field on its own: "governing law breakdown" and
// "pie chart of lifecycle stages". One that is a date waits for its periods.
func (p *parser) spread() (string, bool) {
	start := p.at
	d, ok := p.field()
	counted := start > 0 && slices.Contains([]string{"how many", "number of", "count of"}, strings.ToLower(p.words(max(0, start-2), start)))
	if !ok || counted || p.op != "" || p.source != "" || len(p.groups) > 0 && d.Kind != Number || p.tokens[start].lower == "signatures" { // which are told by their date
		return "", false
	}
	end := p.at
	if p.at = start; (p.nouns(true) || p.take("matters") || p.take("actions") && p.groupsAhead()) && p.at == end {
		return "", false // what is counted
	}
	p.at = end
	switch d.Kind {
	case Enum:
		if p.isMeasured() { // what is told in words has no figure, but for "suppliers >10% spend"
			ahead := p.again()
			ahead.groups = []Field{d.Field}
			if _, ok := ahead.partOfWhole(); !ok {
				return "", false
			}
		}
		if d.Field == ErrorCode && p.groupsAhead() { // "upload errors by user"
			p.filters = append(p.filters, Is(Status, "failed"))
			return Status.is("failed"), true
		}
		if start == 0 && (d.Field == Party || d.Field == Counterparty) && p.plural(end-1) && p.distributed() { // "suppliers by region"
			p.op, p.metric = CountDistinct, d.Field
			return "the number of different values of " + d.Label, true
		}
		p.groups = append(p.groups, d.Field)
		if d.Of != Files && !(d.Of == Matters && p.filesAhead()) {
			p.source = d.Of
		}
		if d.Field == CreatedBy {
			return "by who uploaded them", true
		}
		return "by " + d.Label, true
	case Date:
		if p.at == len(p.tokens) && len(p.filters) > 0 { // "Globex MSA expiry date"
			p.about(d.Field)
			p.listed, p.recently = true, ByKey
			return "as a list, by " + d.Label, true
		}
		if p.plural(end-1) && len(p.filters) > 0 && d.Of == Files && !p.groupsAhead() && !p.isPeriod() && p.at < len(p.tokens) && capital(p.tokens[p.at]) { // "lease end dates Acme"
			p.about(d.Field)
			p.listed, p.recently = true, ByKey
			return "as a list, by " + d.Label, true
		}
		p.about(d.Field)
		p.needy = append(p.needy, p.phrase(start, end))
		return "about " + d.Label, true
	case Number:
		if rows := p.at; p.takeAny("per", "for each", "of each", "in each") && !p.isField() && p.nouns(false) { // "seats per contract"
			return p.files(d, Max, 0), true
		} else {
			p.at = rows
		}
		if p.at == len(p.tokens) && len(p.filters) > 0 && len(p.groups) == 0 && d.Of == Files { // "Globex MSA value"
			return p.files(d, Max, 0), true
		}
		if d.Key == "" || !p.groupsAhead() && len(p.groups)+len(p.timed) == 0 && p.kind != LineChart || p.isMeasured() {
			return "", false
		}
		if p.op, p.opWord, p.metric = Avg, "average", d.Field; d.IsMoney() {
			p.op, p.opWord = Sum, "total"
		}
		return map[MetricOp]string{Avg: "average of ", Sum: "sum of "}[p.op] + d.Label, true
	case Text, Boolean:
	}
	return "", false
}

// filesAhead reports whether files are named later: "matter owner of the Falcon contracts".
func (p *parser) filesAhead() bool {
	return slices.ContainsFunc(p.tokens[p.at:], isRows)
}

// distributed reports whether another field is grouped by next.
func (p *parser) distributed() bool {
	start := p.at
	defer func() { p.at = start }()
	if !p.takeAny("by", "per") {
		return false
	}
	d, ok := p.field()
	return ok && d.Kind == Enum
}

// sharing is how a percentage is asked for.
type sharing int

const (
	notShared sharing = iota
	shareOf           // "percentage of NDAs with a cap": the rows end with their name
	shareThat         // "what percentage of NDAs signed in 2020 have a cap": they end with the verb
)

// share is for "what percentage of NDAs have a cap on liability": the rows, and what is true of
// a part of them.
func (p *parser) share() (string, bool) {
	if p.source != "" || p.sharing != notShared {
		return "", false
	}
	switch {
	case p.at == 0 && p.takeAny("do more than half of our", "do more than half of the", "do most of our", "do most of the", "do most", "do the majority of our", "do all of our", "do all our", "do all the", "do all", "does every", "does each"): // which is so where it is 100 %
		p.sharing = shareThat
	case p.at == 0 && p.takeAny("are all of our", "are all our", "are all the", "are all", "is every", "is each"):
		p.sharing = shareOf
	case p.takeAny("what percentage of", "what percent of", "what share of", "what proportion of", "what fraction of", "what part of", "what portion of", "which portion of", "which percentage of", "which share of", "how many percent of", "how much of"):
		p.sharing = shareThat
	case p.takeAny("what is the percentage of", "what is the share of", "percentage of", "percent of", "proportion of", "fraction of", "portion of", "share of"):
		p.sharing = shareOf
	default:
		return "", false
	}
	much := p.tokens[p.at-2].lower == "much" // of what is no number of rows
	p.takeAny("all of our", "all our", "all the", "all", "our", "the")
	start := p.at
	p.takeAny("total", "overall")
	if d, ok := p.field(); ok && d.IsMoney() && d.Of == Files && p.op == "" && !p.groupedAhead() && !p.isMeasured() { // "what share of our spend is with Acme"
		p.op, p.opWord, p.metric = Sum, "total", d.Field
		return "as a percentage of the sum of " + d.Label, true
	}
	p.at = start
	return "as a percentage", !much
}

// mainVerbs begin what is said of the rows of a percentage.
var mainVerbs = strings.Fields("are is were was have has had do does don't doesn't can can't cannot will contain contains include includes exclude lack lacks mention mentions say " +
	"expire expires end ends goes go comes come sits renew renews auto-renew auto-renews allow allows require requires restrict restricts permit permits last lasts run runs exceed exceeds carry carries lapse lapses start starts")

// nameRows notes where the rows of a percentage have been named, after the step from the
// token start on, before which there were so many filters and dates.
func (p *parser) nameRows(start, filters, dated int) {
	if word := p.tokens[start].lower; p.sharing == shareOf && p.base >= 0 && filters+dated > p.base+p.baseDated && (word == "that" || word == "which") {
		p.base, p.baseDated = filters, dated // "of NDAs with Acme that auto-renew"
		return
	}
	named := p.source != "" || p.metric != "" || slices.ContainsFunc(p.filters, func(f Filter) bool { return f.Field == DocumentType })
	switch {
	case p.sharing == notShared || p.base >= 0 || !named:
	case p.sharing == shareOf:
		p.base, p.baseDated = len(p.filters), len(p.datings)
	case slices.Contains(mainVerbs, p.tokens[start].lower):
		p.base, p.baseDated = filters, dated
	}
}

// shared has the query measure which part of the rows the conditions behind their name are
// true of. Without any, the shares are those of the groups. Of several behind "percentage of
// NDAs" nobody knows which of them name the rows.
func (p *parser) shared(q *Query, periods []Filter) {
	if p.ofPart != nil {
		q.Metric, q.Filters = Metric{Op: Share, Field: p.metric, Filters: p.ofPart}, slices.Concat(periods, p.filters)
		return
	}
	base := max(p.base, 0)
	if slices.ContainsFunc(p.tokens, func(t token) bool { return t.lower == "among" }) { // of which rows comes last
		p.unknown = append(p.unknown, "among")
	}
	var where []Filter
	switch {
	case len(periods) == 0:
		where = p.filters[base:]
	case p.baseDated == 0 && len(p.filters) > base && p.sharing == shareThat && !slices.ContainsFunc(p.datings, func(d dating) bool { return d.field != "" }): // "of files failed last month" is of those of last month
		where = p.filters[base:]
	case p.baseDated == 0:
		where = slices.Concat(periods, p.filters[base:])
		periods = nil
	case p.baseDated == len(p.datings):
		where = p.filters[base:]
	default:
		p.unknown = append(p.unknown, "percentage")
	}
	if len(where)+len(periods)+len(q.GroupBy) == 0 && p.sharing == shareOf { // "share of supplier contracts": of all
		base, where = 0, p.filters
	}
	if p.sharing == shareOf && len(where)+len(periods) == 0 && len(q.GroupBy) > 0 && base == 1 && len(p.played) == 0 && p.filters[0].Field != DocumentType { // "share of scanned files per type"
		base, where = 0, p.filters
	}
	if d, _ := Lookup(p.metric); d.IsMoney() && slices.ContainsFunc(where, func(f Filter) bool { return slices.Contains(f.Uses(), AttributeField("currency")) }) { // sums are of one currency each
		p.unknown = append(p.unknown, "percentage")
	}
	several := p.sharing == shareOf && len(p.filters[base:])+len(p.datings)-p.baseDated > 1
	switch {
	case len(where) > 0 && (p.op == "" || p.op == Sum && p.metric != "") && !several:
		q.Metric = Metric{Op: Share, Field: p.metric, Filters: where}
		q.Filters = slices.Concat(periods, p.filters[:base])
	case len(where) == 0 && len(q.GroupBy) > 0 && (p.op == "" || p.op == Sum && p.metric != "" && p.having == nil):
		p.kind = cmp.Or(p.kind, PieChart)
	case len(p.unknown) == 0: // otherwise what it lacks is named already
		p.unknown = append(p.unknown, "percentage")
	}
}

func (p *parser) chart() (string, bool) {
	if p.takeAny("how has", "how have", "how did", "how does", "how do") { // "how has the number of NDAs developed"
		return p.develops(false)
	}
	if start := p.at; p.take("how") { // "how our contract value has developed"
		if meaning, ok := p.develops(true); ok {
			return meaning, true
		}
		p.at = start
	}
	p.takeAny("as a", "as an", "as", "in a", "draw a", "show a")
	for _, c := range []struct {
		kind  Chart
		words []string
	}{
		{PieChart, []string{"pie chart", "pie", "donut", "shares of"}},
		{BarChart, []string{"bar chart", "bar graph", "bars", "bar", "column chart"}},
		{LineChart, []string{"line chart", "line graph", "line", "trend of", "trend"}},
		{TableChart, []string{"table", "list"}},
	} {
		start := p.at
		if p.takeAny(c.words...) {
			p.kind = c.kind
			if strings.HasPrefix(p.tokens[start].lower, "share") {
				p.needy = append(p.needy, p.phrase(start, p.at))
			}
			p.take("of")
			return "drawn as " + string(c.kind), true
		}
	}
	return "", false
}

// develops is for how something changes over time, of which the verb comes later; it stands behind
// "has" where that did not come first.
func (p *parser) develops(behind bool) (string, bool) {
	rest := slices.IndexFunc(p.tokens[p.at:], func(t token) bool { return trends[t.lower] })
	if rest < 0 {
		return "", !behind && p.spreads()
	}
	from, to := p.at+rest, p.at+rest+1
	if behind {
		if from--; rest == 0 || !slices.Contains([]string{"has", "have", "had"}, p.tokens[from].lower) {
			return "", false
		}
	}
	p.tokens = slices.Delete(slices.Clone(p.tokens), from, to)
	p.kind = LineChart
	return "drawn as " + string(LineChart), true
}

// spreads reports whether what follows is told by groups: "how do our leases split by type".
func (p *parser) spreads() bool {
	at := slices.IndexFunc(p.tokens[p.at:], func(t token) bool { return spreading[t.lower] })
	if at < 0 {
		return false
	}
	p.tokens = slices.Clone(p.tokens)
	end := p.at + at
	if p.tokens[end].lower == "break" && end+1 < len(p.tokens) && p.tokens[end+1].lower == "down" {
		p.tokens = slices.Delete(p.tokens, end, end+1)
	}
	p.tokens = slices.Delete(p.tokens, end, end+1)
	return p.groupsAhead()
}

// spreading are verbs of what is in groups.
var spreading = map[string]bool{"split": true, "divide": true, "break": true, "spread": true, "distribute": true, "vary": true, "differ": true, "divided": true, "distributed": true}

// trends are verbs of what changes over time.
var trends = map[string]bool{"developed": true, "develop": true, "evolved": true, "evolve": true, "changed": true, "change": true, "grown": true, "grow": true, "grew": true, "trended": true}

func (p *parser) measure() (string, bool) {
	start := p.at
	if labels := p.called(p.labels); labels != nil && p.at > start+1 { // a minimum commitment is a clause
		return "", false
	}
	p.at = start
	for _, m := range []struct {
		op    MetricOp
		said  string
		words []string
	}{
		{Sum, "sum", []string{"sum up", "add up", "sum of", "sum", "total", "combined", "aggregate", "overall", "cumulative"}},
		{Avg, "average", []string{"average", "mean", "avg"}},
		{Median, "median", []string{"median"}},
		{Max, "greatest", []string{"longest", "highest", "largest", "maximum", "max", "biggest", "latest"}},
		{Min, "least", []string{"shortest", "lowest", "smallest", "minimum", "min", "earliest"}},
	} {
		start := p.at
		if p.op == "" && p.takeAny("spending", "spend", "expenditure", "total spending", "total spend", "committed spend", "money spent") { // what contracts are worth
			p.op, p.opWord, p.metric = Sum, "total", AttributeField("contract_value")
			if p.take("on") {
				if types := p.typeOrStem(); types != nil { // "spend on consulting"
					return "sum of " + p.metric.label() + ", " + p.anyOf(DocumentType, types), true
				}
			}
			return "sum of " + p.metric.label(), true
		}
		if !p.takeAny(m.words...) {
			continue
		}
		if m.op == Sum && p.isMeasured() { // "contracts that total more than 500k"
			return "", false
		}
		if p.op != "" && p.op != m.op { // "minimum and maximum" are two
			return "", false
		}
		if p.at == len(p.tokens) && len(p.groups)+len(p.timed) > 0 && slices.Contains([]string{"and", "the"}, p.tokens[start-1].lower) { // "of each, and the total" as well
			return "", false
		}
		p.op, p.opWord = m.op, p.tokens[start].word
		if p.opWord == "total" && p.at < len(p.tokens) && p.tokens[p.at].lower == "of" { // which is no number of rows
			p.opWord = p.phrase(start, p.at+1)
		}
		end := p.at
		if p.takeAny("length of the", "length of", "amount of the", "amount of") && !p.isField() { // "average length of NDAs"
			p.at = end
		}
		return m.said, true
	}
	return "", false
}

// bareMetric is for the field of a measure on its own.
func (p *parser) bareMetric() (string, bool) {
	d, ok := p.figure()
	if !ok {
		d, ok = p.field()
	}
	if !ok || p.op == "" || p.metric != "" || d.Kind != Number && (d.Kind != Date || p.op != Max && p.op != Min) {
		return "", false
	}
	p.metric = d.Field
	if d.Of == Sentences {
		p.source = Sentences
	}
	return "of " + d.Label + d.asSum(), true
}

// totals is for "rent total" and "notice period average": the measure behind its field.
func (p *parser) totals() (string, bool) {
	d, ok := p.field()
	if !ok || p.op != "" || d.Kind != Number || d.Of != Files {
		return "", false
	}
	switch {
	case p.takeAny("total", "in total", "sum", "overall"):
		p.op, p.opWord = Sum, "total"
	case p.takeAny("average", "avg"):
		p.op, p.opWord = Avg, "average"
	case p.take("median"):
		p.op, p.opWord = Median, "median"
	default:
		return "", false
	}
	p.metric = d.Field
	return p.opWord + " of " + d.Label, p.at == len(p.tokens) || !p.isField() && !p.isMeasured()
}

// noneAbove is for "suppliers with no contract above 10,000": groups of which the greatest is no more.
func (p *parser) noneAbove() (string, bool) {
	if len(p.groups) != 1 || p.op != "" || p.having != nil || p.counted {
		return "", false
	}
	p.takeAny("that", "which")
	if !p.takeAny("with no", "without a", "without any", "have no", "has no", "having no", "do not have a", "don't have a", "do not have any", "don't have any", "do we have no") || !p.nouns(false) {
		return "", false
	}
	p.takeAny("worth", "valued", "with a value", "with a contract value")
	op, ok := p.comparator()
	n, amount := p.amount()
	d, _ := Lookup(AttributeField("contract_value"))
	least := map[Op]Op{Above: AtMost, AtLeast: Below}[op]
	if !ok || !amount || least == "" || n.days || n.percent || !n.money && n.value() < 1000 || p.isField() {
		return "", false
	}
	p.source, p.contracts = Files, true
	p.filters = append(p.filters, Filter{Field: p.groups[0], Op: Exists})
	p.op, p.opWord, p.metric, p.having = Max, "greatest", d.Field, []Bound{{Op: least, Value: n.value()}}
	return "those whose greatest " + d.Label + " " + comparisons[least] + " " + n.String() + d.anyCurrency(), true
}

func (p *parser) article() { p.takeAny("a", "an", "the", "any") }

// without is for what files do not have: clauses, values and parties.
func (p *parser) without() (string, bool) {
	p.takeAny("that", "which", "and", "but", "who", "are", "and are", "but are", "there is", "where there is", "where is", "where are", "where there are", "where", "in which there is", "in which is", "in which", "for which there is", "for which", "whose")
	if !p.take("no") && !p.takeOf(lacking) {
		return "", false
	}
	excluded := strings.HasPrefix(p.tokens[p.at-1].lower, "exclude") && p.at > 1 && p.tokens[p.at-2].lower != "but"
	one := strings.HasPrefix(p.tokens[p.at-1].lower, "miss") || strings.HasPrefix(p.tokens[p.at-1].lower, "lack") // of several
	p.takeAny("either", "both", "any of the following", "any of", "key data such as", "key data like", "data such as", "data like", "key terms such as", "terms such as", "information such as", "details such as", "fields such as")
	start := p.at
	p.article()
	if groups, joint := p.listOf(p.clauseName); groups != nil {
		if excluded && slices.ContainsFunc(slices.Concat(groups...), func(o Option) bool { return slices.Contains(restricting, o.Value) }) {
			return "", false // to exclude assignment is to have a clause
		}
		p.stated()
		if one && joint == "or" {
			return p.lacksOne(groups), true
		}
		if joint == "or" || joint == "nor" {
			groups = [][]Option{slices.Concat(groups...)}
		}
		return p.lacks(groups), true
	}
	p.at = start
	if option, ok := p.saying(""); ok && !excluded { // "no auto-renew"
		return p.lacks([][]Option{{option}}), true
	}
	p.article()
	p.takeAny("custom field", "the field", "field", "value for", "known")
	if meaning, ok := p.fieldsMissing(one); ok {
		return meaning, true
	}
	p.at = start
	p.article()
	if d, ok := p.field(); ok && closed[d.Field] != nil {
		options := p.valuesOf(d)
		if options == nil {
			return "", false
		}
		return p.noneOf(d.Field, options), true
	}
	p.at = start
	if names := p.takeRoles(); names != nil {
		if p.stated(); p.at < len(p.tokens) && !p.stops() && !p.joins() {
			return "", false
		}
		said := p.noneOf(OurRole, roleOptions(names))
		return said + ", and " + p.noneOf(CounterpartyRole, roleOptions(names)) + ", as far as the parts of the parties are known", true
	}
	p.at = start
	groups := p.seriesOf(p.party)
	if groups == nil {
		return "", false
	}
	p.takeAny("as a party", "as party", "as parties", "as a counterparty", "being a party")
	return p.noneOf(Party, slices.Concat(groups...)), true
}

// fieldsMissing consumes names of fields that files have no value of: "a start date or an end
// date".
func (p *parser) fieldsMissing(one bool) (string, bool) {
	var list []Filter
	var said []string
	start := p.at
	joint, ok := p.series(func() bool {
		p.article()
		d, ok := p.field()
		if !ok {
			d, ok = p.fieldAsked()
		}
		if at := p.at; !ok && p.take("end") { // "which have no end"
			if ok = p.at == len(p.tokens) || p.stops(); !ok {
				p.at = at
			}
			d, _ = Lookup(AttributeField("expiration_date"))
		}
		if !ok || p.isMeasured() || !slices.Contains(d.Operators(), Missing) {
			return false
		}
		if end := p.at; closed[d.Field] != nil && p.valuesOf(d) != nil { // "without status completed"
			p.at = end
			return false
		}
		if !slices.Contains(said, "without "+d.Label) { // governing law or jurisdiction are one
			list, said = append(list, Filter{Field: d.Field, Op: Missing}), append(said, "without "+d.Label)
		}
		return true
	})
	if !ok {
		return "", false
	}
	p.stated()
	if joint != "nor" && joint != "or" && start > 0 && p.tokens[start-1].lower == "neither" { // "with neither party in EMEA" is no pair
		return "", false
	}
	if one && joint == "or" && len(list) > 1 { // "missing a start date or an end date" is said of those that lack one
		p.filters = append(p.filters, Filter{Any: list})
		return strings.Join(said, " or "), true
	}
	p.filters = append(p.filters, list...)
	return strings.Join(said, " and "), true
}

// fieldAsked consumes a question that names a field: "which law governs them", "when they end".
func (p *parser) fieldAsked() (Definition, bool) {
	for f, words := range map[Field][]string{
		governingLaw:                      {"which law governs them", "what law governs them", "which law governs it", "which law applies", "what law applies", "which law they are under", "under which law they are", "what governs them"},
		AttributeField("expiration_date"): {"when they end", "when they expire", "when it ends", "when it expires", "until when they run"},
		AttributeField("effective_date"):  {"when they start", "when they begin", "when they take effect", "when it starts", "when it takes effect"},
		AttributeField("agreement_date"):  {"when they were signed", "when it was signed"},
	} {
		if p.takeAny(words...) {
			return p.lookup(f), true
		}
	}
	return Definition{}, false
}

// stated consumes that a value is there, behind what says that it is not.
func (p *parser) stated() {
	start := p.at
	p.takeAny("is", "are", "was", "being", "at all", "has been")
	if !p.takeAny("stated", "specified", "given", "set", "provided", "recorded", "known", "agreed", "mentioned", "defined", "filled in", "included", "present", "there", "assigned", "entered", "named", "identified", "listed") {
		p.at = start
	}
}

// opposites are labels that no one lacks together with the other: "no cap on liability and
// unlimited liability".
var opposites = map[string]string{"cap_on_liability": "uncapped_liability", "uncapped_liability": "cap_on_liability"}

// lacks asks for files in which no sentence has any of the labels. A label that is named
// behind its opposite is one that they have.
func (p *parser) lacks(groups [][]Option) string {
	var meanings []string
	for i, options := range groups {
		before := slices.Concat(groups[:i]...)
		if len(options) == 1 && slices.ContainsFunc(before, func(o Option) bool { return o.Value == opposites[options[0].Value] }) {
			meanings = append(meanings, "but with one whose "+p.anyOf(Label, options))
			continue
		}
		values, names := split(options)
		has := Is(Label, values...)
		p.filters = append(p.filters, Filter{Not: &has})
		for _, name := range names {
			meanings = append(meanings, Label.is(name))
		}
	}
	return "without a sentence whose " + strings.Join(meanings, " or ")
}

// lacksOne asks for files that have not all of the labels: "missing an audit right or insurance" is said
// of those that lack one.
func (p *parser) lacksOne(groups [][]Option) string {
	var any []Filter
	var meanings []string
	for _, options := range groups {
		values, names := split(options)
		has := Is(Label, values...)
		any, meanings = append(any, Filter{Not: &has}), append(meanings, "without a sentence whose "+Label.is(strings.Join(names, " or ")))
	}
	p.filters = append(p.filters, Filter{Any: any})
	return strings.Join(meanings, " or ")
}

// clauseNames consumes the names of clauses. The first name has to be followed by "clause"
// where it is the name of a field as well, unless it says more: source code escrow is no
// source. Of a key of the team, which few files have, the clause is meant.
func (p *parser) clauseNames() [][]Option { return p.seriesOf(p.clauseName) }

func (p *parser) clauseName() []Option {
	p.article()
	if p.takeAny("clause", "clauses", "provision", "provisions", "language", "section", "sections", "terms", "rules", "wording") { // "a clause on change of control"
		if !p.takeAny("on", "about", "for", "regarding", "concerning", "covering", "dealing with", "relating to", "addressing", "that deals with", "which deals with") {
			return nil
		}
		p.article()
		return p.called(p.labels)
	}
	start := p.at
	d, named := p.field()
	named = named && fieldNames[d.Field] != nil
	end := p.at
	p.at = start
	options := p.called(p.labels)
	if is := p.at; named && options != nil && p.at <= end && p.takeAny("is", "=") && p.at < len(p.tokens) && capital(p.tokens[p.at]) { // "and governing law is Texas"
		return nil
	} else if options != nil {
		p.at = is
	}
	explicit := options != nil && p.takeAny("clause", "clauses", "provision", "provisions", "language", "right", "rights", "commitment", "commitments", "obligation", "obligations", "requirement", "requirements", "covenant", "covenants", "undertaking", "undertakings", "wording", "option", "options", "pricing", "arrangement", "arrangements", "mechanism", "mechanisms", "restriction", "restrictions", "protection", "protections")
	if options == nil || !explicit && (named && p.at <= end && !p.inSeries(start) || p.isMeasured()) {
		return nil
	}
	return options
}

// renewed reports whether contracts that renew are asked for, and a time follows: when they would end.
func (p *parser) renewed(groups [][]Option) bool {
	return slices.ContainsFunc(slices.Concat(groups...), func(o Option) bool { return o.Value == "renewal_term" }) && p.isPeriod()
}

// inSeries reports whether the words from start on follow others of a series.
func (p *parser) inSeries(start int) bool {
	return start > 1 && slices.Contains([]string{"and", "or", "nor", ",", "and/or"}, p.tokens[start-1].lower) &&
		!(p.tokens[start-1].lower == "," && p.at == len(p.tokens) && p.at == start+2 && !slices.ContainsFunc(p.filters, func(f Filter) bool { return slices.Contains(f.Uses(), Label) })) // "Hooli contracts, governing law?"
}

// isMeasured reports whether a figure follows, so that a value was named, not a clause.
func (p *parser) isMeasured() bool {
	start := p.at
	defer func() { p.at = start }()
	p.takeAny("is", "of")
	p.comparator() // "under New York law" is none
	p.takeAny("about", "around", "approximately", "roughly")
	_, ok := p.amount()
	return ok || p.take("between")
}

// labelled is for "sentences labelled governing law" and "contracts tagged priority": what
// people put on files are categories, and on sentences labels.
func (p *parser) labelled() (string, bool) {
	if p.takeAny("in the category", "in category", "of the category", "of category", "categorised as", "categorized as", "filed under", "with the category", "with category") {
		groups := p.seriesOf(func() []Option { return p.namesOf(Category, anywhere) })
		if groups == nil {
			return "", false
		}
		return p.anyOf(Category, slices.Concat(groups...)), true
	}
	if start := p.at; p.takeAny("in the", "of the", "from the", "under the", "with the") { // "in the Priority category"
		if options := p.namesOf(Category, anywhere); options != nil && p.take("category") {
			return p.anyOf(Category, options), true
		}
		p.at = start
	}
	if !p.takeAny("labelled as", "labelled", "labeled as", "labeled", "tagged as", "tagged with", "tagged", "classified as", "with the tag", "with tag", "with the label", "with label", "marked as", "flagged as") {
		return "", false
	}
	for _, f := range []Field{Label, DocumentType, Category} {
		start := p.at
		groups := p.seriesOf(func() []Option {
			p.article()
			switch f { //nolint:exhaustive // no others
			case Label:
				return p.oneOf(Label, p.labels)
			case DocumentType:
				return p.oneOf(DocumentType, p.types)
			default:
				return p.namesOf(Category, anywhere)
			}
		})
		if groups != nil {
			return p.anyOf(f, slices.Concat(groups...)), true
		}
		p.at = start
	}
	return p.valueFirst() // "flagged as high risk"
}

// governed is for "governed by Delaware law" and "under the laws of New York". Several laws are
// alternatives, whichever word joins them.
func (p *parser) governed() (string, bool) {
	p.takeAny("that are", "which are")
	not := p.take("not")
	bare := !p.takeAny("governed by", "subject to the laws of", "under the laws of", "subject to the law of", "under the law of")
	if named := slices.ContainsFunc(p.tokens[p.at:min(len(p.tokens), p.at+longestTitle)], func(t token) bool { return t.lower == "law" }); bare && !p.takeAny("subject to", "under") && !(named && p.lawAhead()) {
		return "", false
	}
	not = p.takeAny("neither", "not", "laws other than", "law other than", "a law other than", "any law other than", "any law but", "laws except") || not
	if p.at < len(p.tokens) && strings.HasPrefix(p.tokens[p.at].lower, "non-") { // non-US law
		named := p.tokens[p.at]
		named.word, named.lower, not = named.word[len("non-"):], named.lower[len("non-"):], !not
		p.tokens = slices.Clone(p.tokens)
		p.tokens[p.at] = named
	}
	groups := p.seriesOf(func() []Option {
		if p.take("either"); not {
			p.take("not")
		}
		return p.law()
	})
	if groups == nil || bare && !strings.HasPrefix(p.tokens[p.at-1].lower, "law") {
		return "", false
	}
	p.take("governed") // "New York law governed contracts"
	law := AttributeField("governing_law")
	if not {
		return p.noneOf(law, slices.Concat(groups...)), true
	}
	return p.anyOf(law, slices.Concat(groups...)), true
}

// lawAhead reports whether a law is named in full next: "customer contracts New York law".
func (p *parser) lawAhead() bool {
	start := p.at
	defer func() { p.at = start }()
	if nations[p.tokens[start].lower] != "" {
		p.at++
		return p.take("law")
	}
	_, ok := p.place()
	return ok && p.tokens[p.at-1].lower == "law"
}

// where is for "where governing law is Delaware", "with a notice period of at
// least 60 days", "with an effective date after 2020", "with a cap on
// liability" and "with Acme Inc.".
func (p *parser) where() (string, bool) {
	contains := p.takeAny("containing", "that contain", "which contain", "contain", "that contains", "contains", "that include", "which include", "include", "includes")
	with := contains || p.takeOf(bearing) || p.takeAny("with", "that specify", "which specify", "specify", "specifies", "specifying", "stating", "that state", "which state", "that provide for", "which provide for", "provide for", "provides for", "providing for", "how often do we agree to", "how often do we accept", "where there is", "where there are", "where exists", "where exist", "in which there is", "in which there are", "where we agree to", "that have agreed to", "who have agreed to", "have agreed to", "has agreed to", "that agree to", "requiring", "that require", "that requires", "which require", "require", "that have", "that has", "having", "has", "which have", "have", "that had", "had")
	bound := !with && p.takeOf(touching) // clauses
	if with = with || bound; !with && p.take("of type") {
		p.at-- // the name of the field
	} else if !with && !p.takeAny("where the", "where", "while the", "while", "whilst the", "whilst", "although the", "although", "even though", "though", "whose", "and where", "and whose", "for which") {
		if with = len(p.filters) > 0 && p.takeAny("but have", "but has", "but"); !with && (len(p.filters) == 0 || !p.take("and")) {
			return "", false
		}
		with = with || p.tokens[p.at-1].lower == "and" && p.filters[len(p.filters)-1].Op == Exists // "with a deposit and a break fee"
	}
	if meaning, ok := p.someOf(with); ok {
		return meaning, true
	}
	one := with && p.takeAny("any of", "at least one of", "one of", "one or more of", "either of")
	p.takeAny("both", "either", "all of", "each of", "all")
	bare := p.at
	p.article()
	if at := p.at; p.take("total") && (!p.isField() || !with) {
		p.at = at
	}
	if known := p.at; with && p.takeAny("known", "stated", "specified", "recorded", "defined") {
		if d, ok := p.field(); ok && slices.Contains(d.Operators(), Exists) && !p.isMeasured() {
			p.filters = append(p.filters, Filter{Field: d.Field, Op: Exists})
			return "with " + d.Label, true
		}
		p.at = known
	}
	theirs := p.take("their") || p.at == bare && (p.listed || p.kind == TableChart)
	start := p.at
	if meaning, ok := p.compared(); ok {
		return meaning, true
	}
	p.at = start
	if groups := p.clauseNames(); groups != nil {
		if p.absent() {
			return p.lacks(groups), true
		}
		if p.renewed(groups) { // "with renewal in May"
			p.about(AttributeField("expiration_date"))
		}
		p.passive(groups)
		if one {
			return p.anyOf(Label, slices.Concat(groups...)), true
		}
		return p.each(Label, groups), true
	}
	if bound {
		return "", false
	}
	p.at = start
	if place, ok := p.place(); ok && with && (strings.HasPrefix(p.tokens[p.at-1].lower, "law") || p.takeAny("as governing law", "as the governing law", "as their governing law", "as applicable law", "as the applicable law", "as its governing law")) { // with Delaware law
		return p.anyOf(governingLaw, p.lawsOf(place)), true
	}
	p.at = start
	d, ok := p.fieldOrCap()
	if !ok && with {
		if meaning, ok := p.parties(); ok && !contains {
			return meaning, true
		}
		p.at = start
	}
	if !ok && contains {
		return p.containing()
	}
	if !ok {
		return "", false
	}
	if meaning, ok := p.isMissing(d); ok {
		return meaning, true
	}
	after := p.at
	if p.takeAny("is", "are", "was", "has been") && slices.Contains(d.Operators(), Exists) {
		said := p.at
		if p.stated(); p.at > said && (p.at == len(p.tokens) || p.stops() || p.joins()) { // "whose end date is known"
			p.filters = append(p.filters, Filter{Field: d.Field, Op: Exists})
			return "with " + d.Label, true
		}
	}
	p.at = after
	if d.Field == Matter && p.takeAny("is", "are") { // "whose matter is still open"
		p.takeAny("still", "already", "now", "currently")
		if status := p.oneOf(MatterStatus, nil); status != nil {
			return p.anyOf(MatterStatus, status), true
		}
		p.at = after
	}
	switch p.comparedAs(d) {
	case Date:
		if p.takeAny("has passed", "has already passed", "has come and gone", "has gone by", "is over") {
			p.about(d.Field)
			return "before today", p.lies(before("today"))
		}
		p.takeAny("is", "was", "lies", "falls", "fell", "occurs", "is due", "will be")
		if start := p.at; p.isPeriod() {
			p.at = start
			p.about(d.Field)
			return "about " + d.Label, true
		}
	case Number:
		p.takeAny("is", "of", "=", "equals")
		p.takeAny("exactly", "precisely", "just", "equal to")
		start := p.at
		if meaning, ok := p.bounded(d); ok {
			return meaning, true
		}
		p.at = start
		if n, ok := p.amount(); ok && d.takes(n) {
			return p.oneOfNumbers(d, n) + d.anyCurrency() + p.rate(d), true
		}
	case Text:
		if d.Field == Said {
			return p.saidWords()
		}
		if meaning, ok := p.hasWords(d); ok {
			return meaning, true
		}
		if p.takeAny("starts with", "begins with") {
			return p.texts(d, StartsWith, " starts with ")
		}
		return "", false
	case Enum:
		if meaning, ok := p.hasWords(d); ok {
			return meaning, true
		}
		if meaning, ok := p.equals(d); ok {
			return meaning, true
		}
		p.at = after
	case Boolean:
	}
	end := *p
	if _, currency := p.inCurrency(); currency { // "that have a rent in dollars"
		*p = end
	} else if *p = end; !with || p.at < len(p.tokens) && !p.stops() && p.tokens[p.at].lower != "," && p.tokens[p.at].lower != "and" {
		return "", false
	}
	if theirs && d.Kind == Enum && len(p.groups) == 0 && p.op == "" { // "failed files with their error code"
		p.groups = append(p.groups, d.Field)
		return "by " + d.Label, true
	}
	if d.Kind == Number && d.Of == Files && d.Key != "" && (p.listed || p.kind == TableChart) && p.at == len(p.tokens) && len(p.groups) == 0 && p.op == "" && (p.plural(p.at-1) && !p.plural(p.at-2) || bare > 1 && p.tokens[bare-2].lower == ",") { // "list the loans with interest rates"
		return p.files(d, Max, 0), true
	}
	if d.Kind == Date && (p.listed || p.kind == TableChart) && p.plural(p.at-1) && len(p.groups) == 0 { // "list leases with their expiry dates"
		p.about(d.Field)
		p.listed, p.recently = true, ByKey
		return "by " + d.Label, true
	}
	if end := p.at; d.Field == AttributeField("initial_term") && p.takeOf(topics[0].words) { // "with a term ending in 2029"
		p.at = end
		return "", true
	}
	p.filters = append(p.filters, Filter{Field: d.Field, Op: Exists})
	return "with " + d.Label, true
}

// someOf is for "at least two of exclusivity, a non-compete and insurance": one condition for each
// choice of as many.
func (p *parser) someOf(with bool) (string, bool) {
	start := p.at
	if !with || !p.takeAny("at least", "two or more", "any") || p.tokens[p.at-1].lower == "more" && !p.take("of") {
		p.at = start
		return "", false
	}
	n, counted := 2, p.tokens[p.at-1].lower == "of"
	if !counted {
		n, counted = p.count()
		counted = p.take("of") && counted
	}
	p.takeAny("the following", "these")
	var options []Option
	_, ok := p.series(func() bool {
		groups := p.clauseNames()
		options = append(options, slices.Concat(groups...)...)
		return groups != nil
	})
	if !counted || !ok || n < 2 || n > len(options) || len(options) > mostChosen {
		p.at = start
		return "", false
	}
	var any []Filter
	var choose func(from int, chosen []Filter)
	choose = func(from int, chosen []Filter) {
		if len(chosen) == n {
			any = append(any, And(slices.Clone(chosen)...))
			return
		}
		for i := from; i < len(options); i++ {
			choose(i+1, append(slices.Clone(chosen), Is(Label, options[i].Value)))
		}
	}
	choose(0, nil)
	p.filters = append(p.filters, Filter{Any: any})
	_, names := split(options)
	return fmt.Sprintf("with at least %d of %s", n, strings.Join(names, ", ")), true
}

// mostChosen is of how many clauses some are chosen.
const mostChosen = 5

// fieldOrCap consumes the name of a field, or what a cap on liability is called, of which a figure
// follows.
func (p *parser) fieldOrCap() (Definition, bool) {
	start := p.at
	if labels := p.called(p.labels); len(labels) == 1 && labels[0].Value == "cap_on_liability" && p.isMeasured() {
		return Lookup(AttributeField("liability_cap"))
	}
	p.at = start
	return p.field()
}

// saidWords is for "whose text contains GDPR" and "with the wording best efforts".
func (p *parser) saidWords() (string, bool) {
	not := p.takeAny("does not contain", "doesn't contain", "does not mention", "doesn't mention", "does not say", "lacks")
	if !not && !p.takeAny("contains", "contain", "containing", "mentions", "mention", "says", "has", "includes", "include", "refers to", "uses") {
		return "", false
	}
	if not {
		return p.notContaining()
	}
	return p.containing()
}

// hasWords is for "contains lease" behind a name or words that a file has.
func (p *parser) hasWords(d Definition) (string, bool) {
	has := p.at
	if d.Kind != Text && d.Key == "" || !p.takeAny("contains", "contain", "containing", "has", "have", "includes", "include", "like") {
		return "", false
	}
	if strings.HasPrefix(p.tokens[has].lower, "ha") && p.rowsFollow() { // "which regions have contracts without"
		return "", false
	}
	if strings.HasPrefix(p.tokens[has].lower, "ha") && p.at < len(p.tokens) && !p.tokens[p.at].quoted && smallWords[p.tokens[p.at].lower] { // "which region has the most leases"
		return "", false
	}
	return p.texts(d, Contains, " contains ")
}

// absent consumes that there is no value of what was named: "is not stated", "missing".
func (p *parser) absent() bool {
	start := p.at
	p.takeAny("is", "are", "was", "has been", "have been", "isn't", "aren't", "has", "have")
	no := p.takeAny("not yet been", "not been", "not yet", "not", "never been") || strings.HasSuffix(p.tokens[max(0, p.at-1)].lower, "n't")
	if stated := p.at; no {
		if p.stated(); p.at > stated || p.takeAny("available", "clear", "indicated") {
			return true
		}
	} else if p.takeAny("missing", "unknown", "empty", "blank", "undefined", "unspecified", "absent", "unclear", "unstated", "lacking") {
		return true
	}
	p.at = start
	return false
}

// isMissing is for "is not stated".
func (p *parser) isMissing(d Definition) (string, bool) {
	if !p.absent() || !slices.Contains(d.Operators(), Missing) {
		return "", false
	}
	p.filters = append(p.filters, Filter{Field: d.Field, Op: Missing})
	return "without " + d.Label, true
}

// comparedAs is the kind that the words which follow compare d as: a cap on liability may be
// a sum, or be told in other ways.
func (p *parser) comparedAs(d Definition) Kind {
	if d.mayBeSum() && p.isMeasured() {
		return Number
	}
	return d.Kind
}

// texts consumes parts of a text: "contains lease or agreement".
func (p *parser) texts(d Definition, op Op, says string) (string, bool) {
	var list []Filter
	var meanings []string
	joint, ok := p.series(func() bool {
		value, ok := p.value(true)
		if ok {
			list, meanings = append(list, Compare(d.Field, op, value)), append(meanings, d.Label+says+value)
		}
		return ok
	})
	return p.add(list, meanings, joint, ok)
}

// add takes over the conditions of a series, one of which has to hold where it is joined by
// "or", and says what they mean together.
func (p *parser) add(list []Filter, meanings []string, joint string, ok bool) (string, bool) {
	switch {
	case !ok:
		return "", false
	case joint == "or":
		p.filters = append(p.filters, Filter{Any: list})
		return strings.Join(meanings, ", or "), true
	}
	p.filters = append(p.filters, list...)
	return strings.Join(meanings, ", and "), true
}

// equals is for "is Delaware or Texas" and "is not Delaware".
func (p *parser) equals(d Definition) (string, bool) {
	not := p.takeAny("is not", "are not", "isn't", "aren't", "differs from", "is different from", "is other than", "other than", "is neither", "is none of", "not")
	if !not {
		if !p.takeAny("is one of", "is", "are", "equals", "=", ":", "named", "called") && !d.IsPlace() {
			p.take("of")
		}
	}
	groups := p.seriesOf(func() []Option {
		p.takeAny("either", "the")
		if not {
			p.takeAny("not", "neither")
		}
		return p.valuesOf(d)
	})
	switch {
	case groups == nil:
		return "", false
	case not:
		return p.noneOf(d.Field, slices.Concat(groups...)), true
	case d.Many && d.Key == "":
		return p.each(d.Field, groups), true
	}
	return p.anyOf(d.Field, slices.Concat(groups...)), true
}

// stops reports whether a value has ended: with what follows something else
// begins.
func (p *parser) stops() bool {
	start := p.at
	defer func() { p.at = start }()
	return p.takeAny("by", "per", "for each", "for every", "grouped by", "as a", "as", "where", "whose", "with", "without", "and where", "and whose", "that", "which", "but", "governed", "involving", "signed", "mentioning",
		"and with", "and are", "and is", "and have", "and has", "and that", "and which", "in the last", "in the past", "in the next", "within the", "uploaded", "added", "expiring", "that expire", "expire", "expires", "executed", "dated", "ending",
		"effective", "worth", "do we", "did we", "are there", "over time", "since", ";") || p.isPeriod()
}

// joins reports whether a word that joins conditions is next.
func (p *parser) joins() bool {
	return p.at < len(p.tokens) && slices.Contains([]string{"and", "or", "but", ",", "in", "of", "for"}, p.tokens[p.at].lower)
}

// value consumes words up to where something else begins, or, of a series, to its next part.
func (p *parser) value(inSeries bool) (string, bool) {
	if p.at < len(p.tokens) && p.tokens[p.at].quoted {
		p.at++
		return p.tokens[p.at-1].word, true
	}
	start := p.at
	for p.at < len(p.tokens) && !p.stops() && !(inSeries && slices.Contains([]string{"and", "or", "nor", ",", "and/or"}, p.tokens[p.at].lower)) {
		p.at++
	}
	return p.words(start, p.at), p.at > start
}

// compared is for "more than 50 pages".
func (p *parser) compared() (string, bool) {
	if p.take("between") { // "contracts between 100k and 500k"
		p.at--
		d, _ := Lookup(AttributeField("contract_value"))
		filters := p.filters
		meaning, ok := p.bounded(d)
		if !ok {
			return "", false
		}
		if most, _ := strconv.ParseFloat(p.filters[len(p.filters)-1].Values[0], 64); most < 1000 { // nothing says that it is money
			p.filters = filters
			return "", false
		}
		return meaning, true
	}
	paying := p.takeAny("do we pay", "are we paying", "we pay", "that pay", "pay", "paying")
	begun := p.at
	op, compared := p.comparator() // "at least" is not "at"
	giving := !paying && !compared && p.takeAny("on", "upon", "at", "by giving", "giving", "on giving")
	if giving {
		begun = p.at
		op, compared = p.comparator()
	}
	n, ok := p.amount()
	if !ok {
		return "", false
	}
	if giving && !n.days || paying && !compared {
		return "", false
	}
	if compared && p.takeAny("total", "combined", "average") { // of each group: "leases by landlord > 100k total rent"
		which := p.tokens[p.at-1].lower
		of, ok := p.field()
		if !ok || len(p.groups) == 0 || p.op != "" || p.having != nil || !of.takes(n) || of.Kind != Number {
			return "", false
		}
		p.op, p.opWord, p.metric = map[string]MetricOp{"total": Sum, "combined": Sum, "average": Avg}[which], which, of.Field
		p.having = []Bound{{Op: op, Value: n.value()}}
		return "those with " + which + " " + of.Label + " " + comparisons[op] + " " + n.String(), true
	}
	if !compared && !giving && p.at < len(p.tokens)-1 && p.take("plus") { // "60+ days notice"
		op, compared = AtLeast, true
	}
	after := p.at
	d, ok := p.field()
	if !ok && compared && p.take("in") { // "exceed 250,000 in value"
		if d, ok = p.field(); !ok {
			p.at = after
		}
	}
	if ok && compared && p.isMeasured() { // "loans over 1m, interest over 5%"
		ok, p.at = false, after
	}
	if !ok && p.source != Matters && n.days && compared && slices.Contains([]string{"longer", "shorter", ">", "<", ">=", "<="}, p.tokens[begun].lower) { // "agreements longer than 3 years"
		d, ok = Lookup(AttributeField("initial_term"))
	}
	if factor := p.factor(sizes); !ok && compared && factor != 0 {
		d, ok = Lookup(Size)
		n.unit = max(n.unit, 1) * factor
	}
	if !ok && compared && (n.money || n.unit >= 1000 && !n.days) && !p.figureBefore(begun) { // "over 1m"
		d, ok = Lookup(AttributeField("contract_value"))
	}
	if !ok && compared && n.unit == 0 && n.n >= 10000 && !n.percent && begun > 0 && isRows(p.tokens[begun-1]) { // "contracts over 100,000"
		d, ok = Lookup(AttributeField("contract_value"))
	}
	if last := len(p.filters) - 1; !ok && compared && begun > 0 && last >= 0 && p.tokens[begun-1].lower == "or" && p.last.end == begun-1 && p.filters[last].Op == Missing { // "where the discount is missing or below 5%"
		if before, _ := Lookup(p.filters[last].Field); before.takes(n) {
			d, ok = p.lookup(before.Field), true
		}
	}
	if !ok && compared && n.percent && !p.figureBefore(begun) && slices.Contains(p.vocabulary.Keys, "interest_rate") { // "loans under 5%"
		d, ok = Lookup(AttributeField("interest_rate"))
	}
	if !ok && n.days && p.takeAny("prior written notice", "written notice", "prior notice", "of notice", "notice") {
		d, ok = Lookup(AttributeField("notice_period"))
	}
	if !ok && n.days && !compared && p.rowsFollow() { // "3-year contracts"
		d, ok = Lookup(AttributeField("initial_term"))
	}
	if suffixed, after := p.orMore(); after && !compared { // "30 days' notice or less"
		op, compared = suffixed, true
	}
	year := n.unit == 0 && !n.money && n.n >= 1900 && n.n < 2200
	switch {
	case !ok || !d.takes(n), !compared && year && d.IsMoney(): // "2025 spend"
		return "", false
	case compared && p.totalled(d):
		meaning := p.number(d, op, n.String())
		return p.bindTotal(len(p.filters)-1, d, meaning), true
	case compared:
		return p.number(d, op, n.String()) + d.anyCurrency(), true
	case d.Key == "": // "10 parties with the most contracts"
		return "", false
	}
	return p.number(d, In, n.String()) + d.anyCurrency(), true
}

// figureBefore reports whether the name of a figure ends at a token, which is then what is compared.
func (p *parser) figureBefore(at int) bool {
	ahead := *p
	for ahead.at = max(0, at-longestTitle); ahead.at < at; {
		from := ahead.at
		if d, ok := ahead.field(); ok && ahead.at == at && d.Kind == Number {
			return true
		}
		ahead.at = from + 1
	}
	return false
}

// net is for "payment terms of net 60" and "net 30 contracts".
func (p *parser) net() (string, bool) {
	p.takeAny("with", "on", "that have", "have")
	if p.takeAny("payment terms", "payment term") {
		p.takeAny("is", "are", "of")
	}
	if p.takeAny("payment due within", "payment within", "payments due within", "payable within", "due for payment within") {
		d, _ := Lookup(AttributeField("payment_term"))
		n, ok := p.amount()
		if !ok || !n.days {
			return "", false
		}
		if op, open := p.orMore(); open && op != AtMost {
			return "", false
		}
		return p.number(d, AtMost, n.String()), true
	}
	if !p.take("net") {
		return "", false
	}
	n, ok := p.count()
	if !ok {
		return "", false
	}
	p.takeAny("day", "days")
	p.takeAny("payment terms", "payment term", "terms")
	d, _ := Lookup(AttributeField("payment_term"))
	op, open := p.orMore()
	if !open {
		op = In
	}
	return p.number(d, op, strconv.Itoa(n)), true
}

// howMuch is for "how much rent do we pay" and "how much do we spend on rent".
func (p *parser) howMuch() (string, bool) {
	if !p.take("how much") && !(p.take("what") && p.spendsAhead()) {
		return "", false
	}
	if start := p.at; p.takeAny("is the", "is our", "are the", "are our") && !p.isField() && p.tokens[len(p.tokens)-1].lower != "worth" && p.endsInFigure() { // "how much is the Northwind lease deposit"
		return "", true
	} else {
		p.at = start
	}
	if start := p.at; p.nouns(false) && p.plural(p.at-1) { // "how much contracts"
		p.at, p.counted = start, true
		return "", true
	}
	if worth := slices.ContainsFunc(p.tokens[p.at:], func(t token) bool { return t.lower == "worth" }); worth && p.takeAny("are all our", "are our", "are all", "are the", "are", "is our", "is the", "is") {
		p.op, p.opWord, p.metric = Sum, "total", AttributeField("contract_value")
		return "sum of " + p.metric.label(), true
	}
	start := p.at
	if p.spends() {
		said := "average of "
		if p.averaged == "" {
			p.op, p.opWord, said = Sum, "total", "sum of "
		}
		p.metric = AttributeField("contract_value")
		said += p.metric.label()
		verb := p.at
		p.takeAny("to", "for", "with", "on")
		if meaning, ok := p.parties(); ok { // "how much do we pay Globex"
			return said + ", " + meaning, true
		}
		p.takeAny("under our", "under the", "under all", "under", "in our", "on our", "our", "all our")
		if types := p.typeOrStem(); types != nil { // "how much did we spend on consulting"
			return said + ", " + p.anyOf(DocumentType, types), true
		}
		if p.at = verb; p.at == len(p.tokens) || slices.Contains([]string{"per", "by", "each", "every", "with"}, p.tokens[p.at].lower) || p.isPeriod() {
			return said, true
		}
		if p.metric = ""; p.averaged == "" {
			p.op, p.opWord = "", ""
		}
	}
	p.at = start
	p.takeAny("is tied up in our", "is tied up in", "is locked up in our", "is locked up in", "do we have tied up in", "are the", "are our", "are all our", "are all the", "are all", "is our total", "is the total", "we pay in", "we pay", "we owe in", "we owe", "is our", "is the", "do we pay in", "do we pay for", "do we spend on", "do we owe in", "are we paying in", "are we paying for", "total")
	d, ok := p.field()
	if !ok || !d.IsMoney() || d.Of != Files {
		return "", false
	}
	p.takeAny("do we pay", "do we spend", "do we owe", "do we have", "we pay", "are we paying", "is paid", "is due")
	if start := p.at; p.take("to") {
		if meaning, ok := p.parties(); ok { // "do we pay to Acme"
			p.op, p.opWord, p.metric = Sum, "total", d.Field
			return "sum of " + d.Label + ", " + meaning, true
		}
		p.at = start
	}
	p.op, p.opWord, p.metric = Sum, "total", d.Field
	return "sum of " + d.Label, true
}

// endsInFigure reports whether the question ends with a figure of files that was named by nothing before.
func (p *parser) endsInFigure() bool {
	ahead := p.again()
	for at := p.at + 1; at < len(p.tokens); at++ {
		ahead.at = at
		if d, ok := ahead.figure(); ok && d.IsMoney() {
			return ahead.at == len(p.tokens)
		}
	}
	return false
}

// spendsFrom reports whether it is said from a token on that the team pays.
func (p *parser) spendsFrom(at int) bool {
	ahead := *p
	ahead.at = at
	return ahead.spends()
}

// spendsAhead reports whether it is next that the team has paid: what it pays is no sum of all.
func (p *parser) spendsAhead() bool {
	return p.at < len(p.tokens) && (p.tokens[p.at].lower == "did" || p.tokens[p.at].lower == "have") && p.spendsFrom(p.at)
}

// spends consumes that it is the team who pays: "have we committed to pay".
func (p *parser) spends() bool {
	p.takeAny("have", "do", "did", "are", "will")
	if !p.take("we") {
		return false
	}
	p.takeAny("have", "are", "had")
	p.takeAny("committed to", "agreed to", "have to", "to", "contracted to", "obliged to")
	return p.takeOf(paying)
}

// howLong is for "how long are our leases on average".
func (p *parser) howLong() (string, bool) {
	if meaning, ok := p.noticed(); ok {
		return meaning, true
	}
	days := p.op == Avg && p.take("how many")
	if b, unit := p.unit(); days && unit && p.takeAny("is", "are") {
		p.unitOf = map[Bucket]Bucket{Month: Month, Year: Year, Week: Week}[b]
	} else if days || !p.takeAny("how long are", "how long do", "how long does", "how long is") || p.op != "" && p.op != Avg {
		return "", false
	}
	if p.op == "" { // of each
		p.takeAny("the", "our")
		d, _ := Lookup(AttributeField("initial_term"))
		return p.files(d, Max, 0), p.partyAhead() || p.at < len(p.tokens) && p.rowsFollow()
	}
	p.metric = AttributeField("initial_term")
	start := p.at
	p.takeAny("the", "our")
	if d, ok := p.field(); ok && d.IsDuration() { // "how long is the notice period"
		p.metric = d.Field
	} else {
		p.at = start
	}
	return "average of " + p.metric.label(), true
}

// noticed is for "how much notice do we have to give under our leases".
func (p *parser) noticed() (string, bool) {
	start := p.at
	if p.op != "" && p.averaged == "" || !p.takeAny("how many days notice", "how many days of notice", "how much notice", "what notice", "what notice period") {
		return "", false
	}
	p.takeAny("must we", "do we", "should we", "would we")
	usually := p.takeAny("typically", "usually", "normally", "generally") || p.averaged != ""
	if p.tokens[p.at-1].lower != "we" && !usually || !p.takeAny("have to give", "need to give", "give") {
		p.at = start
		return "", false
	}
	if d, _ := Lookup(AttributeField("notice_period")); !usually {
		return p.files(d, Max, 0), true
	}
	p.op, p.opWord, p.metric = Avg, "average", AttributeField("notice_period")
	return "average of " + p.metric.label(), true
}

func (p *parser) number(d Definition, op Op, n string) string {
	p.filters = append(p.filters, Compare(d.Field, op, n))
	return fmt.Sprintf("%s %s %s", d.Label, comparisons[op], n)
}

// oneOfNumbers asks for a number or those that follow it: "30, 60 or 90 days".
func (p *parser) oneOfNumbers(d Definition, first amount) string {
	list := []amount{first}
	for {
		start := p.at
		joint := p.joint()
		n, ok := p.amount()
		if joint != "or" && joint != "," || !ok || !d.takes(n) || p.isField() {
			p.at = start
			break
		}
		list = append(list, n)
	}
	values, last := make([]string, len(list)), list[len(list)-1]
	for i, n := range list {
		if n.unit == 0 {
			n.unit, n.days = last.unit, last.days
		}
		values[i] = n.String()
	}
	p.filters = append(p.filters, Is(d.Field, values...))
	return d.Label + " " + comparisons[In] + " " + strings.Join(values, " or ")
}

func (p *parser) comparator() (Op, bool) {
	for _, c := range []struct {
		op    Op
		words []string
	}{
		{AtLeast, []string{"at least", "a minimum of", "upwards of", "no shorter than", "not shorter than", "no less than", "not less than", "not under", "not below", ">="}},
		{AtMost, []string{"at most", "a maximum of", "no longer than", "not longer than", "no higher than", "does not exceed", "do not exceed", "not exceeding", "that does not exceed", "no more than", "not more than", "not over", "not above", "up to", "<="}},
		{Above, []string{"of more than", "more than", "greater than", "higher than", "longer than", "bigger than", "larger than", "in excess of", "exceeds", "exceed", "that exceeds", "that exceed", "beyond", "over", "above", "exceeding", ">"}},
		{Below, []string{"of less than", "less than", "fewer than", "lower than", "shorter than", "smaller than", "under", "below", "<"}},
	} {
		if p.takeAny(c.words...) {
			return c.op, true
		}
	}
	start := p.at
	for op, words := range map[Op][]string{Above: {"more", "greater", "higher", "longer", "bigger", "larger", "later"}, Below: {"less", "fewer", "lower", "shorter", "smaller"}} {
		if p.takeAny(words...) && (p.takeAny("as", "then") || p.at < len(p.tokens) && isNumber(p.tokens[p.at].lower)) { // for than, or without it
			return op, true
		}
		p.at = start
	}
	return "", false
}

// property is for words that are conditions by themselves.
func (p *parser) property() (string, bool) {
	p.relative()
	if p.isField() { // "processing errors" are not being processed
		return "", false
	}
	p.takeAny("still marked as", "still marked", "marked as", "marked", "flagged as", "listed as", "shown as", "still shown as")
	if start := p.at; p.takeOf(expired) && p.isPeriod() { // in a time, and not before today
		p.about(AttributeField("expiration_date")).behind = true
		return "by Expiration date", true
	} else {
		p.at = start
	}
	for _, c := range []struct {
		filter Filter
		said   string
		words  []string
	}{
		{Compare(AttributeField("expiration_date"), Below, "today"), "Expiration date before today", []string{"past their end date", "past their expiration date", "past their expiry date", "past their expiry", "past expiry", "past expiration", "no longer in force", "no longer in effect"}},
		{Compare(AttributeField("expiration_date"), AtLeast, "today"), "Expiration date today or later", []string{"still running", "still runs", "still run", "still valid", "still in effect", "still live", "still going", "unexpired", "not expired", "not yet expired", "have not expired", "have not yet expired", "haven't expired"}},
		{Compare(AttributeField("effective_date"), Above, "today"), "Effective date after today", []string{"not yet effective", "not effective yet", "not yet in force", "not in force yet", "not yet in effect", "not yet started", "not started yet", "not yet commenced", "not yet begun", "yet to start", "yet to commence", "yet to begin", "yet to take effect"}},
	} {
		if p.takeAny(c.words...) || c.filter.Op == Below && p.takeOf(expired) {
			p.filters = append(p.filters, c.filter)
			return c.said, true
		}
	}
	p.take("still")
	if meaning, ok := p.inStage(); ok {
		return meaning, true
	}
	start := p.at
	not := p.takeAny("not yet", "still not", "not")
	p.takeAny("yet been", "been", "be")
	for _, c := range []struct {
		filter Filter
		words  []string
	}{
		{Is(Status, "failed"), []string{"failed to process", "failed to be processed", "failed processing", "failed to upload", "could not be processed", "couldn't be processed", "could not be read", "failed", "have failed"}},
		{Is(Status, "queued"), []string{"queued", "in the queue", "in queue", "stuck in the queue", "waiting to be processed", "waiting for processing", "waiting"}},
		{Is(Status, "processing"), []string{"processing", "being processed"}},
		{Is(Status, "cancelled"), []string{"cancelled", "canceled"}},
		{Is(Status, "completed"), []string{"completed", "processed successfully", "successfully processed", "processed"}},
		{Is(LifecycleStage, "draft"), []string{"drafts", "draft", "in draft", "being drafted"}},
		{Is(LifecycleStage, "review"), []string{"in review", "under review", "being reviewed"}},
		{Is(LifecycleStage, "negotiation"), []string{"in negotiation", "in negotiations", "under negotiation", "being negotiated", "negotiating"}},
		{Is(LifecycleStage, "approval"), []string{"in approval", "awaiting approval", "being approved"}},
		{Is(LifecycleStage, "signature"), []string{"in signature", "awaiting signature"}},
		{Is(LifecycleStage, "active"), []string{"active", "in force", "current", "ongoing", "live"}},
		{Is(LifecycleStage, "terminated"), []string{"terminated"}},
		{Is(LifecycleStage, "archived"), []string{"archived"}},
		{Is(MatterStatus, "open"), []string{"open"}},
		{Is(MatterStatus, "on_hold"), []string{"on hold"}},
		{Is(MatterStatus, "closed"), []string{"closed"}},
		{And(Is(MatterStatus, "open", "on_hold"), Compare(MatterDueAt, Below, "today")), []string{"overdue", "past due", "past their due date", "past its due date", "past the due date"}},
		{Is(LabelSource, "validated"), []string{"validated by people", "validated"}},
		{Is(LabelSource, "predicted"), []string{"predicted by the model", "predicted"}},
		{Filter{Field: Label, Op: Missing}, []string{"unlabelled", "unlabeled"}},
		{Filter{Field: Category, Op: Missing}, []string{"uncategorised", "uncategorized"}},
		{Filter{Field: DocumentType, Op: Missing}, []string{"unclassified", "without any type", "of unknown type"}},
		{Is(DocumentTypeSource, "assigned"), []string{"classified by people", "classified by a person", "classified by hand", "classified manually", "manually classified", "typed by hand"}},
		{Is(DocumentTypeSource, "predicted"), []string{"classified by the model", "classified automatically", "automatically classified", "classified by a model", "classified by machine"}},
		{Filter{Field: DocumentType, Op: Exists}, []string{"classified by document type", "classified by type", "classified", "typed"}},
		{Filter{Field: Matter, Op: Exists}, []string{"assigned to a matter", "assigned to any matter", "in a matter", "in any matter", "part of a matter", "linked to a matter"}},
		{Is(Duplicate, "true"), []string{"duplicates", "duplicate", "dups", "dup", "duplicated", "uploaded twice", "uploaded more than once", "stored twice", "stored more than once"}},
		{Is(NeedsReview, "true"), []string{"with facts to review", "facts to review", "with facts that need review", "facts that need review", "need review", "needs review", "needing review", "need to be reviewed", "needs to be reviewed", "require review", "requires review", "requiring review", "to be reviewed", "need checking", "need a review", "needs a review"}},
		{Is(HasOCR, "true"), []string{"scanned", "scans", "with ocr", "ocr", "recognised by ocr", "recognized by ocr"}},
	} {
		if !p.takeAny(c.words...) {
			continue
		}
		if c.filter.Field == LifecycleStage {
			p.takeAny("as of today", "as at today", "today") // which is when it is asked
		}
		if slices.Contains([]Field{LifecycleStage, LabelSource, NeedsReview, Matter}, c.filter.Field) && p.isPeriod() || c.filter.Field == MatterStatus && start > 0 && c.words[0] != "open" && p.isPeriod() || c.filter.Field == MatterStatus && !p.ofMatters() {
			return "", false // nobody keeps which stage a file was in, and a contract is closed by being signed
		}
		if slices.Contains([]Field{LifecycleStage, Status, MatterStatus}, c.filter.Field) {
			p.takeAny("status", "state", "stage")
		}
		d, _ := Lookup(c.filter.Field)
		var meaning string
		switch {
		case c.filter.All != nil:
			meaning = "Matter due before today, and not closed"
		case c.filter.Op == Missing:
			meaning = "without " + d.Label
		case c.filter.Op == Exists:
			meaning = "with " + d.Label
		case d.Kind == Boolean:
			meaning = d.Label + ": yes"
		case c.filter.Field == LabelSource:
			meaning = "Clause is " + c.words[0]
		default:
			meaning = d.Label + " is " + strings.ReplaceAll(c.filter.Values[0], "_", " ")
		}
		if not {
			p.filters = append(p.filters, Filter{Not: &c.filter})
			return "not: " + meaning, true
		}
		p.filters = append(p.filters, c.filter)
		return meaning, true
	}
	return "", false
}

// noun is for what is counted.
func (p *parser) noun() (string, bool) {
	for _, n := range []struct {
		source Source
		words  []string
	}{
		{Sentences, []string{"sentences", "sentence"}},
		{Sentences, []string{"clauses", "clause"}},
		{Matters, []string{"matters"}},
		{Audit, []string{"audit events", "audit log", "audit", "activity", "events", "actions"}},
		{Files, []string{"files", "file", "contracts", "contract", "documents", "document", "agreements", "agreement", "deals", "deal", "everything", "anything", "portfolio", "contract portfolio", "entire portfolio", "whole portfolio"}},
	} {
		start := p.at
		if !p.takeAny(n.words...) {
			continue
		}
		if end := p.at; n.source == Files { // "deal size" is no size
			p.at = start
			if d, ok := p.field(); ok && p.at > end && d.Kind == Number {
				return "", false
			}
			p.at = end
		}
		if p.source == Files && n.source == Sentences {
			return "", false // of which something was said that is not understood
		}
		if p.source == Files && n.source == Matters { // contracts in matters
			return "", true
		}
		if n.source == Files {
			p.included()
		}
		if p.source == "" || p.source == Files {
			p.source = n.source
			p.clauses = n.words[0] == "clauses"
		}
		if called := p.tokens[p.at-1].lower; strings.HasPrefix(called, "contract") || strings.HasPrefix(called, "agreement") || strings.HasPrefix(called, "deal") {
			p.contracts = true
		}
		return "about " + string(n.source), true
	}
	return "", false
}

// included consumes types of documents behind the name of all of them: "contracts and NDAs" are
// contracts.
func (p *parser) included() {
	start := p.at
	if p.joint() == "" || p.seriesOf(func() []Option { p.takeAny("any", "all", "our"); return p.called(p.types) }) == nil || p.at < len(p.tokens) && slices.Contains(comparing, p.tokens[p.at].lower) || p.takeAny(barred...) {
		p.at = start
	}
}

// among consumes that types of documents are named beside all of them: "NDAs and other contracts".
func (p *parser) among() bool {
	start := p.at
	if p.joint() != "and" {
		p.at = start
		return false
	}
	p.takeAny("all other", "any other", "the other", "our other", "other", "all", "all our", "our")
	rows := p.at
	if !p.nouns(false) {
		p.at = start
		return false
	}
	p.at = rows // they are read next
	return true
}

// topical is for words that say which date a period is about.
func (p *parser) topical() (string, bool) {
	if p.takeAny("did we", "have we", "we", "do we", "has anyone", "has anybody", "has someone", "has somebody", "did anyone", "did anybody", "did someone", "did somebody", "have people", "did people") && p.takeOf(uploading) {
		p.about(CreatedAt)
		return "by " + CreatedAt.label(), true
	}
	p.relative()
	if p.isField() && p.tokens[p.at].lower != "signatures" { // "effective date" is more than "effective"
		return "", false
	}
	start := p.at
	if p.take("closed") && !p.matterAhead() { // as deals are
		p.about(AttributeField("agreement_date")).idle = true
		p.datings[len(p.datings)-1].words, p.datings[len(p.datings)-1].end = p.phrase(start, p.at), p.at
		return "by " + AttributeField("agreement_date").label(), true
	}
	p.at = start
	if p.takeAny("nearing expiry", "nearing expiration", "nearing their end", "nearing their end date", "close to expiry", "close to expiration", "close to expiring", "approaching expiry", "approaching expiration", "approaching their end date", "about to expire", "about to end", "about to lapse", "about to terminate", "about to run out", "due to expire soon", "upcoming expirations", "upcoming expiries", "upcoming expiry dates") {
		p.about(AttributeField("expiration_date")).near(len(p.understood))
		return "by " + AttributeField("expiration_date").label(), true
	}
	if start > 0 && p.at < len(p.tokens) && p.tokens[start-1].lower == "we" && strings.HasPrefix(p.tokens[p.at].lower, "terminat") {
		return "", false // that somebody did is no date
	}
	if p.take("upcoming") && slices.ContainsFunc(p.tokens[p.at:min(len(p.tokens), p.at+longestTitle)], func(t token) bool { return t.lower == "expirations" || t.lower == "expiries" }) { // "upcoming lease expirations"
		p.about(AttributeField("expiration_date")).near(len(p.understood))
		return "by " + AttributeField("expiration_date").label(), true
	}
	p.at = start
	p.relative()
	for _, c := range topics {
		if c.field == UpdatedAt && start > 0 && slices.Contains([]string{"what", "has", "have"}, p.tokens[start-1].lower) && p.tokens[0].lower == "what" {
			return "", false // what changed within a document is no question about files
		}
		if p.takeOf(c.words) {
			if last := p.tokens[len(p.tokens)-1]; start > 0 && p.tokens[start-1].lower == "we" && c.field == AttributeField("agreement_date") && last.lower == "with" && !slices.ContainsFunc(p.tokens[p.at:], func(t token) bool { return isNumber(t.lower) || units[t.lower] != "" }) { // "which companies have we signed NDAs with"
				return "", true
			}
			if p.at < len(p.tokens) && start > 0 && p.tokens[p.at].lower == "by" && (c.field == CreatedAt || c.field == AttributeField("agreement_date") && p.at+1 < len(p.tokens) && capital(p.tokens[p.at+1])) && slices.Contains([]string{"are", "is", "were", "was", "been"}, p.tokens[start-1].lower) {
				return "", false // by whom is read with it
			}
			d := p.about(c.field)
			d.words, d.end = p.phrase(start, p.at), p.at
			d.idle = c.field != CreatedAt && c.field != MatterCreatedAt // every file was uploaded
			d.soon = d.soon || p.tokens[start].lower == "expiring"
			d.ahead = d.ahead || slices.ContainsFunc(futures, func(s string) bool { return strings.HasPrefix(strings.ToLower(d.words), s+" ") })
			if d.soon && !d.always {
				d.said = append(d.said, len(p.understood))
			}
			return "by " + c.field.label(), true
		}
	}
	return "", false
}

// filler is for words that change nothing, and for those that ask how many there are.
func (p *parser) filler() (string, bool) {
	if p.at > 1 && p.at < len(p.tokens) && len(p.understood) > 0 && slices.Contains([]string{"which", "what", "how"}, p.tokens[p.at].lower) && (p.tokens[p.at-1].lower == "and" || p.tokens[p.at-2].lower == "and") { // another question begins
		return "", false
	}
	if p.takeAny("how many are they", "how many are these", "how many are those", "how many are there", "how many is that") {
		p.counted = true
		return "", p.at == len(p.tokens)
	}
	if p.takeAny("about how many", "roughly how many", "approximately how many", "how many", "how often", "total number of", "no of", "quantity of", "number of", "count of", "count") {
		p.counted = true
		return "", p.at == len(p.tokens) || p.tokens[p.at].lower != "and"
	}
	if p.take("number") {
		if p.metric != "" && p.at > 1 && p.tokens[p.at-2].lower == "and" { // "total value and number of contracts"
			return "", false
		}
		return "", p.at == len(p.tokens) || p.tokens[p.at].lower != "and" && p.tokens[p.at].lower != "," // "number and total value" are two
	}
	if start := p.at; start > 0 && p.take("only") {
		if p.isPeriod() {
			return "", true
		}
		p.at = start
	}
	if n := len(p.filters); n > 0 && p.last.end == p.at && p.op != Sum && slices.Contains([]Op{AtLeast, AtMost, Above, Below}, p.filters[n-1].Op) && p.takeAny(totals...) {
		return "", false // a bound of a sum is none of each
	}
	if p.unstopped() {
		return "", true
	}
	if n := len(p.filters); n > 0 && p.last.end == p.at && slices.Contains([]Field{Party, Counterparty}, p.filters[n-1].Field) && p.takeAny("company", "companies", "entity", "entities") {
		return "", true
	}
	if p.at == len(p.tokens)-1 && p.take("only") && len(p.filters) > 0 {
		return "", true
	}
	if p.at == len(p.tokens)-1 && questioning[p.tokens[0].lower] && p.takeAny("with", "in", "for", "under", "to", "of", "from", "by", "on", "against") { // "which laws are our contracts under"
		n := len(p.filters)
		return "", len(p.groups) > 0 || p.op == CountDistinct || p.listed || n > 0 && slices.Contains([]Field{OurRole, PartyRole}, p.filters[n-1].Field)
	}
	if n := len(p.filters) - 1; n >= 0 && len(p.groups) == 0 && p.op == "" && p.filters[n].Op == In && len(p.filters[n].Values) > 1 && p.take("respectively") {
		p.groups = append(p.groups, p.filters[n].Field)
		return "by " + p.filters[n].Field.label(), true
	}
	if p.metric == AttributeField("contract_value") && p.take("worth") { // "how much are they worth"
		return "", true
	}
	if d, _ := Lookup(p.metric); d.IsMoney() && p.takeAny("that we have paid", "we have paid", "that we paid", "we paid", "that we pay", "we pay", "do we pay", "that we owe", "we owe", "do we owe", "paid", "payable", "paid out", "owed", "tied up", "locked up") {
		return "", true
	}
	if start := p.at; p.takeAny("break down", "break out", "break", "slice", "split up", "split", "divide", "segment", "group", "sort", "down", "up") { // what by comes later
		if p.groupsAhead() && (start == 0 || p.at > start+1 || p.at < len(p.tokens) && p.tokens[p.at].lower == "by" || !slices.Contains([]string{"down", "up"}, p.tokens[start].lower)) {
			return "", true
		}
		p.at = start
	}
	if p.at == 0 && p.takeAny("do you have", "have you got", "dear all", "dear team", "dear colleagues", "dear colleague", "hi all", "hi team", "hi there", "hi", "hello", "hey", "good morning", "ok", "okay", "thanks", "so", "also", "does", "do") {
		return "", true
	}
	if p.at == len(p.tokens)-1 && p.recently != "" && p.topic() == AttributeField("expiration_date") && p.tokens[0].lower == "how" && p.takeAny("run", "last", "continue") {
		return "", true
	}
	if p.at == len(p.tokens)-1 && p.metric != "" && p.takeAny("require", "have", "need", "provide", "allow", "specify", "contain", "state", "cost", "ask") { // "how many days of notice do our leases require"
		return "", true
	}
	if p.at == len(p.tokens)-1 && len(p.filters) > 0 && p.last.end == p.at && (p.counted || p.listed) && p.takeAny("contain", "have", "include", "hold") { // "how many contracts does the Falcon matter contain"
		return "", true
	}
	if p.last.end == p.at && p.at > 0 && p.takeAny("ones") { // "archived ones"
		return "", true
	}
	if start := p.at; p.takeAny("every", "each") { // "every contract with Acme"
		if start == 0 && p.means() {
			return "", true
		}
		p.at = start
	}
	if start := p.at; p.last.end == start && start > 0 && p.takeAny("was", "were", "is", "are", "has been", "have been") { // "for which a term of 2 years was agreed"
		p.at = start
		if p.stated(); p.at > start {
			return "", true
		}
	}
	if start := p.at; p.take("distribution") { // which may be what contracts are about
		if !p.rowsFollow() && (len(p.groups)+len(p.timed) > 0 || p.groupsAhead()) {
			return "", true
		}
		p.at = start
	}
	if start := p.at; p.take("new") {
		p.needy = append(p.needy, p.phrase(start, p.at))
		return "", true
	}
	return "", p.takeAny("in the meantime", "meanwhile", "anywhere", "at all", "of any kind", "of any sort", "actually", "really", "in particular", "specifically", "in general", "generally", "if any", "if possible", "at present", "presently", "as things stand", "basically", "simply", "maybe", "perhaps", "until now", "till now", "information about", "informations about", "information on", "info on", "info about", "details of", "details on", "thx", "tia", "asap", "as soon as possible", "thanks in advance", "thank you in advance", "urgently", "urgent", "together", "all together", "exist there", "exists there", "there exist", "there exists", "it exists", "it exist", "inside", "therein", "show me", "show us", "show", "tell me", "tell us", "give me", "give us", "can you", "could you", "can someone", "could someone", "can anyone", "could anyone", "can anybody", "please help me", "i need", "we need", "i want", "what is", "what are", "what's", "who's", "how old is", "who are", "who is", "which", "what", "dashboard of", "dashboard", "kpi", "kpis", "overview", "a rundown of", "rundown of", "an overview of", "overview of", "a summary of", "a report on", "a report of", "report on", "an inventory of", "a register of", "statistics on", "statistics of", "statistics about", "stats on", "figures for", "breakdown of", "breakdown", "the names of", "names of", "altogether", "at the moment", "right now", "distribution of",
		"how are our", "how are the", "how are", "how is the distribution of", "how is the breakdown of", "how is the split of", "the split of", "split of", "does", "do we have", "have we got", "did we", "are there", "there are", "that are", "we have", "there", "the", "a", "an", "of", "all", "our", "me", "any", "will", "how long is", "how high is", "how big is", "existing", "please", "thank you", "many thanks", "thanks", "cheers", "best regards", "in total", "in days", "in", "is", "are",
		"were", "was", "that", "have", "and", "but", "also", "for", "from", "?", ",", "do", "we", "widget", "chart", "graph", "plot", "as", "currently", "still", "now", "yet", "list", "across", "among", "so far", "to date")
}

// unstopped consumes that nobody stops what happens by itself, behind a renewal or an end: "unless
// terminated", "unless we act".
func (p *parser) unstopped() bool {
	n, d := len(p.filters), len(p.datings)
	renews := n > 0 && p.last.end == p.at && p.filters[n-1].Field == Label && slices.Equal(p.filters[n-1].Values, []string{"renewal_term"})
	if !renews && !(d > 0 && p.datings[d-1].end == p.at && p.datings[d-1].field == AttributeField("expiration_date")) {
		return false
	}
	if renews && p.take("by default") {
		return true
	}
	if !p.take("unless") {
		return false
	}
	p.takeAny("we", "either party", "one party", "someone", "somebody", "notice is", "they are", "it is")
	if !p.takeAny("terminated", "terminates", "terminate", "cancelled", "canceled", "cancel", "renewed", "renew", "extended", "extend", "stopped", "stop them", "stop it", "given", "give notice", "gives notice", "act", "do something", "take action", "object", "intervene") || p.at < len(p.tokens) && isNumber(p.tokens[p.at].lower) || p.at < len(p.tokens) && p.tokens[p.at].lower == "by" { // by when that can be done is not known
		return false
	}
	if !renews {
		p.ownDating(d - 1).end = p.at
	}
	return true
}

// framed consumes how people begin another question: "I would like to know how many", "could you
// find out whether".
func (p *parser) framed() (string, bool) {
	start := p.at
	if len(p.understood) > 0 {
		return "", false
	}
	for p.takeAny(polite...) {
	}
	if !p.takeAny("to know", "know", "to understand", "understand", "find out", "learn", "check", "see", "figure out", "tell me", "tell us", "say me", "say us", "say", "inform me", "inform us", "let me know", "let us know", "be told", "need", "i need", "we need", "want") && !p.takeOf(asking) {
		return "", false
	}
	p.takeAny("me", "us")
	if at := p.at; p.takeAny("what we") && p.tokens[0].lower != "tell" { // "show me what we signed"
		p.at, p.listed = at+1, true
		return "as a list", true
	}
	p.takeAny("whether", "if")
	end := p.at
	asked := p.tokens[end-1].lower == "whether" || p.tokens[end-1].lower == "if" || p.takeAny("how", "which", "what", "who", "when", "the number of", "number of", "the total", "the average", "the sum", "the percentage", "the share")
	p.at = end
	return "", asked && end > start
}

// questioning are words that questions begin with, and may end with a preposition.
var questioning = map[string]bool{"how": true, "what": true, "which": true, "who": true, "whom": true}

// config puts together what was read.
func (p *parser) config() Config {
	q := Query{Source: p.source, Metric: Metric{Op: Count}, Only: p.only, Having: p.having, Sort: p.sort, Limit: p.limit}
	if q.Source == "" {
		q.Source = Files
		if len(p.unknown)+len(p.understood) == 0 { // nothing but words that say nothing
			for _, t := range p.tokens {
				p.unknown = append(p.unknown, t.word)
			}
		}
	}
	switch {
	case p.op == "":
	case p.acrossGroups(&q):
	case p.metric != "":
		q.Metric = Metric{Op: p.op, Field: p.metric}
	case p.op == Sum && strings.EqualFold(p.opWord, "total"):
		if i := slices.IndexFunc(p.understood, func(u Understood) bool { return u.Meaning == "sum" }); i >= 0 {
			p.understood[i].Meaning = "how many there are; name an amount, such as the value, for its sum"
		}
	case p.op == Sum && slices.ContainsFunc(p.filters, func(f Filter) bool { return f.Field == AttributeField("currency") }): // "the sum of all contracts in euros"
		q.Metric = Metric{Op: Sum, Field: AttributeField("contract_value")}
	default:
		p.unknown = append(p.unknown, p.opWord)
	}
	p.inUnits(&q)
	if strings.EqualFold(p.opWord, "cumulative") && len(p.timed)+len(p.groups) > 0 { // each period with those before it
		p.unknown = append(p.unknown, p.opWord)
	}
	if first := p.tokens[0]; slices.Contains([]string{"who", "whom", "whose", "why"}, first.lower) && len(p.groups) == 0 {
		p.unknown, p.lost = append(p.unknown, first.word), append(p.lost, 0)
	}
	if first := p.tokens[0].lower; first == "which" && p.listed && p.averaged == "" && len(p.groups) == 0 && p.metric != "" && slices.Contains([]MetricOp{Avg, Median, Sum}, p.op) && p.sharing == notShared { // "which contracts have an average notice period" asks for no figure
		p.unknown = append(p.unknown, p.opWord)
	}
	if d, _ := Lookup(p.metric); p.tokens[0].lower == "which" && p.listed && len(p.groups) == 0 && (p.op == Max || p.op == Min) && d.Kind == Number && d.Of == Files && p.sharing == notShared { // "which NDA is the longest in pages"
		p.files(d, p.op, 1)
		q.Sort, q.Limit = p.sort, p.limit
	}
	if p.averaged != "" && p.op != Avg {
		p.unknown = append(p.unknown, p.averaged)
	}
	if p.comparing != "" && len(p.groups)+len(p.timed) == 0 {
		p.unknown = append(p.unknown, p.comparing)
	}
	if at := p.everywhere(); at > 0 && p.sharing == notShared {
		p.unknown, p.lost = append(p.unknown, p.phrase(at, at+2)), append(p.lost, at)
	}
	topic, periods := p.settle(q)
	if p.whole != "" && (len(periods) > 0 || slices.ContainsFunc(p.filters, p.narrows)) {
		p.unknown = append(p.unknown, p.whole)
	}
	if len(p.timed) > 0 {
		p.groups = append(p.groups, topic)
	}
	if len(p.groups) == 0 && len(periods) == 0 {
		p.unknown = append(p.unknown, p.needy...)
	}
	for i, f := range p.groups {
		if of, ok := ofMatters[f]; ok && q.Source == Matters {
			p.groups[i] = of
		}
	}
	for i, f := range p.filters {
		if of := ofMatters[f.Field]; q.Source == Matters && (of == MatterStage || of == MatterCategory) {
			p.filters = slices.Clone(p.filters)
			p.filters[i].Field = of
		}
	}
	if p.kind == LineChart && len(p.groups) == 0 { // "trend of uploads"
		p.groups = []Field{topic}
	}
	q.GroupBy = p.groups
	if len(p.groups) == 0 && p.op == "" && !p.counted && (p.listed || p.kind == TableChart) {
		p.rows(&q, topic, len(periods) > 0)
	} else if p.datedGroup() {
		q.Bucket = p.bucket
		if q.Bucket == "" {
			q.Bucket = Month
		}
	}
	if d, _ := Lookup(topic); p.busy && d.Key != "" { // those without a date would be in no period, and yet the most
		p.filters = append(p.filters, Filter{Field: topic, Op: Exists})
	}
	if q.Filters = slices.Concat(periods, p.filters); p.sharing != notShared {
		p.shared(&q, periods)
	}
	return Config{Title: titleOf(p.text), Kind: p.drawn(q), Query: q}
}

// everywhere is where it is asked whether something is "in all" of them, which no number of
// what is there answers; 0 where it is not.
func (p *parser) everywhere() int {
	for at := 1; at+1 < len(p.tokens); at++ { // "parties whose contracts all lack a cap"
		if p.tokens[at].lower == "all" && len(p.groups) > 0 && isRows(p.tokens[at-1]) {
			return at
		}
	}
	if first := p.tokens[0].lower; !slices.Contains([]string{"do", "does", "is", "are", "have", "has"}, first) {
		return 0
	}
	for at := 1; at+1 < len(p.tokens); at++ {
		if p.tokens[at].lower == "in" && slices.Contains([]string{"all", "every", "each"}, p.tokens[at+1].lower) {
			return at
		}
	}
	return 0
}

// inUnits has durations told in the unit that was asked for.
func (p *parser) inUnits(q *Query) {
	if p.old {
		q.Metric.Unit = cmp.Or(p.unitOf, Year)
		return
	}
	if p.unitOf == "" {
		return
	}
	if d, _ := Lookup(q.Metric.Field); !d.IsDuration() && !p.old || p.op == CountDistinct {
		p.unknown = append(p.unknown, "in "+string(p.unitOf)+"s")
		return
	}
	if q.Metric.Unit = p.unitOf; p.unitOf == Day {
		q.Metric.Unit = ""
	}
}

// durations is for "in years" behind a duration.
func (p *parser) durations() (string, bool) {
	for _, unit := range []Bucket{Day, Week, Month, Year} {
		d, _ := Lookup(p.metric)
		if p.unitOf == "" && (p.at == len(p.tokens)-1 || p.at+1 < len(p.tokens) && slices.Contains([]string{"by", "per"}, p.tokens[p.at+1].lower)) && d.IsDuration() && p.take(string(unit)+"s") { // "avg term msas yrs"
			p.unitOf = unit
			return "in " + string(unit) + "s", true
		}
		if p.unitOf == "" && p.takeAny("in "+string(unit)+"s", "measured in "+string(unit)+"s", "expressed in "+string(unit)+"s") {
			p.unitOf = unit
			return "in " + string(unit) + "s", true
		}
	}
	return "", false
}

// drawn is the chart that was asked for, if it can show the answer, or the
// usual one.
func (p *parser) drawn(q Query) Chart {
	switch {
	case len(q.GroupBy) == 0, q.Across != "":
		return NumberChart
	case p.kind != "":
		return p.kind
	case len(q.GroupBy) > 1:
		return TableChart
	case p.datedGroup():
		return LineChart
	default:
		return BarChart
	}
}

// titleOf is a prompt with a capital, on one line.
func titleOf(prompt string) string {
	title := strings.Join(strings.Fields(prompt), " ")
	runes := []rune(title)
	const most = 200
	return strings.ToUpper(string(runes[:1])) + string(runes[1:min(len(runes), most)])
}

// phrase is the text of tokens.
func (p *parser) phrase(from, to int) string {
	if words := p.text[p.tokens[from].start:p.tokens[to-1].end]; words != "" {
		return words
	}
	return p.words(from, to) // which were moved
}
