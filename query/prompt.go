package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Values map[Field][]Option // of fields whose values are ids or keys: document types, matters, labels
}

// Option is a value of a field with the name that people give it.
type Option struct{ Value, Name string }

// maxPrompt is how many bytes of a prompt are read.
const maxPrompt = 1000

// Prompt makes a configuration of a question in plain words. It is Invalid, and
// names the words, where it does not understand all of them: half a question
// has the wrong answer.
func Prompt(text string, v Vocabulary) (Config, []Understood, error) {
	if len(text) > maxPrompt {
		return Config{}, nil, fault.Newf(fault.Invalid, "a prompt may have %d characters", maxPrompt)
	}
	p := newParser(text, v)
	if len(p.tokens) == 0 {
		return Config{}, nil, fault.New(fault.Invalid, "the prompt has no words")
	}
	for p.at < len(p.tokens) {
		start := p.at
		meaning, ok := p.step()
		if !ok {
			p.at = start
			if _, ok := p.field(); !ok {
				p.at++
			}
			p.unknown = append(p.unknown, p.phrase(start, p.at))
			continue
		}
		if meaning != "" {
			p.understood = append(p.understood, Understood{p.phrase(start, p.at), meaning})
		}
	}
	c := p.config()
	if len(p.unknown) > 0 {
		return Config{}, p.understood, MisunderstoodError{Words: p.unknown}.fault()
	}
	if _, err := c.Query.Checked(time.Unix(0, 0)); err != nil {
		return Config{}, p.understood, err
	}
	return c, p.understood, nil
}

// MisunderstoodError are words of a prompt that mean nothing here.
type MisunderstoodError struct{ Words []string }

// Error names the words.
func (m MisunderstoodError) Error() string {
	quoted := make([]string, len(m.Words))
	for i, w := range m.Words {
		quoted[i] = strconv.Quote(clip(w))
	}
	return "not understood: " + strings.Join(quoted, ", ")
}

func (m MisunderstoodError) fault() error {
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
	unknown    []string
	understood []Understood

	source  Source
	clauses bool // sentences were called clauses, so their type is their label
	op      MetricOp
	opWord  string
	metric  Field
	groups  []Field
	bucket  Bucket
	timed   bool  // grouped by the topic, whichever that is
	topic   Field // the date that periods are about
	periods [][]Filter
	filters []Filter
	sort    Sort
	limit   int
	kind    Chart
	needy   []string // words that mean something only if the answer is grouped
}

// named is a field with one of its names.
type named struct {
	words []string
	field Field
}

// fieldNames are what people call fields. User and type depend on the source.
var fieldNames = map[Field][]string{
	Status:                             {"status", "processing status"},
	DocumentType:                       {"document type", "contract type", "file type", "type", "agreement type"},
	AttributeField("governing_law"):    {"governing law", "applicable law", "law"},
	Counterparty:                       {"counterparty", "counter party"},
	Party:                              {"party"},
	Language:                           {"language"},
	Matter:                             {"matter"},
	FileSource:                         {"source"},
	LifecycleStage:                     {"lifecycle stage", "stage"},
	ErrorCode:                          {"error code", "error", "cause of failure"},
	CreatedBy:                          {"uploader", "user", "person", "people"},
	Label:                              {"label", "clause", "clause type", "tag"},
	LabelScore:                         {"label score", "clause score", "score"},
	Action:                             {"action"},
	Actor:                              {"actor"},
	ResourceKind:                       {"resource", "kind of resource"},
	Name:                               {"name", "file name"},
	PageCount:                          {"page count", "number of pages", "page"},
	Size:                               {"size", "file size"},
	ContentType:                        {"content type", "file format", "format"},
	CreatedAt:                          {"upload date", "creation date", "upload time"},
	UpdatedAt:                          {"change date"},
	AttributeField("contract_value"):   {"contract value", "value"},
	AttributeField("rent"):             {"rent", "monthly rent", "annual rent"},
	AttributeField("deposit"):          {"deposit", "security deposit"},
	AttributeField("salary"):           {"salary", "annual salary"},
	AttributeField("principal"):        {"principal", "loan amount"},
	AttributeField("interest_rate"):    {"interest rate"},
	AttributeField("probation_period"): {"probation period", "probation"},
	AttributeField("expiration_date"):  {"expiration date", "expiry date", "end date"},
	AttributeField("effective_date"):   {"effective date", "start date"},
	AttributeField("agreement_date"):   {"agreement date", "signing date"},
	AttributeField("renewal_term"):     {"renewal term"},
	AttributeField("initial_term"):     {"initial term"},
	AttributeField("notice_period"):    {"notice period"},
	AttributeField("document_name"):    {"document name"},
	MatterName:                         {"matter name"},
	MatterOwner:                        {"matter owner", "owner"},
	MatterStage:                        {"matter stage"},
	MatterStatus:                       {"matter status"},
}

// ofMatters are the fields of matters that go by the names of those of files.
var ofMatters = map[Field]Field{
	Status: MatterStatus, LifecycleStage: MatterStage, FileSource: MatterSource, Name: MatterName, CreatedBy: MatterOwner, CreatedAt: MatterCreatedAt,
}

func newParser(text string, v Vocabulary) *parser {
	p := &parser{text: text, tokens: tokens(text), vocabulary: v}
	add := func(f Field, name string) { p.fields = append(p.fields, named{strings.Fields(name), f}) }
	for f, names := range fieldNames {
		for _, name := range names {
			add(f, name)
			add(f, plural(name))
		}
	}
	for _, key := range v.Keys {
		name := strings.ReplaceAll(key, "_", " ")
		if !slices.ContainsFunc(p.fields, func(n named) bool { return strings.Join(n.words, " ") == name }) {
			add(AttributeField(key), name)
			add(AttributeField(key), plural(name))
		}
	}
	slices.SortStableFunc(p.fields, func(a, b named) int { return len(b.words) - len(a.words) })
	return p
}

func plural(name string) string {
	if stem, ok := strings.CutSuffix(name, "y"); ok {
		return stem + "ies"
	}
	return name + "s"
}

// step consumes the next words, and returns their interpretation; "" is for words that
// do not matter.
func (p *parser) step() (string, bool) {
	for _, rule := range []func() (string, bool){
		p.who, p.top, p.ranked, p.distinct, p.namedValue, p.grouping, p.chart, p.measure, p.without, p.governed, p.labelled, p.where, p.period,
		p.compared, p.property, p.spread, p.noun, p.topical, p.bareMetric, p.filler,
	} {
		start := p.at
		if meaning, ok := rule(); ok {
			return meaning, true
		}
		p.at = start
	}
	return "", false
}

// take consumes a phrase.
func (p *parser) take(phrase string) bool {
	words := strings.Fields(phrase)
	if p.at+len(words) > len(p.tokens) {
		return false
	}
	for i, w := range words {
		if t := p.tokens[p.at+i]; t.quoted || t.lower != w {
			return false
		}
	}
	p.at += len(words)
	return true
}

// takeAny consumes the first of phrases that is there.
func (p *parser) takeAny(phrases ...string) bool { return slices.ContainsFunc(phrases, p.take) }

// field consumes the name of a field.
func (p *parser) field() (Definition, bool) {
	for _, n := range p.fields {
		if !p.take(strings.Join(n.words, " ")) {
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
		return Lookup(f)
	}
	return Definition{}, false
}

func (p *parser) who() (string, bool) {
	if !p.takeAny("who uploaded the most", "who added the most") {
		return "", false
	}
	p.groups = append(p.groups, CreatedBy)
	return "by who uploaded them", true
}

// top is for "top 10 parties" and "10 parties with the most contracts".
func (p *parser) top() (string, bool) {
	order := ByValueDesc
	named := p.takeAny("top", "biggest", "largest")
	if !named && p.take("bottom") {
		named, order = true, ByValue
	}
	n, ok := p.count()
	if !ok || n < 1 || n > mostLimit {
		return "", false
	}
	d, ok := p.field()
	if !ok {
		return "", false
	}
	switch {
	case p.takeAny("with the most", "with most"):
	case p.takeAny("with the fewest", "with fewest", "with the least"):
		order = ByValue
	case !named:
		return "", false
	}
	for _, by := range []string{"by number of", "by count of", "by"} { // what is counted anyway
		start := p.at
		if p.take(by) {
			if _, ok := p.noun(); ok {
				break
			}
			p.at = start
		}
	}
	p.groups, p.limit, p.sort = append(p.groups, d.Field), n, order
	if order == ByValue {
		return fmt.Sprintf("the %d values of %s with the least", n, d.Label), true
	}
	return fmt.Sprintf("the %d values of %s with the most", n, d.Label), true
}

// ranked is for "the 5 contracts with the highest contract value", "top 10
// files by pages" and "files with the most pages".
func (p *parser) ranked() (string, bool) {
	p.take("the")
	top := p.takeAny("top", "biggest", "largest")
	n, counted := p.count()
	top = p.take("longest") || top
	if !counted {
		n = 10
	}
	if n < 1 || n > mostLimit || !p.nouns(false) {
		return "", false
	}
	op, order, which := Max, ByValueDesc, "most"
	switch {
	case p.takeAny("with the most", "with most", "with the highest", "with the largest", "with the longest"):
	case p.takeAny("with the fewest", "with fewest", "with the least", "with the lowest", "with the smallest", "with the shortest"):
		op, order, which = Min, ByValue, "least"
	case top && p.take("by"):
	default:
		return "", false
	}
	d, ok := p.field()
	if !ok || d.Kind != Number || d.Of != Files {
		return "", false
	}
	if d.Key != "" { // those without would come last, yet they would come
		p.filters = append(p.filters, Filter{Field: d.Field, Op: Exists})
	}
	p.op, p.metric = op, d.Field
	p.source, p.groups, p.limit, p.sort = Files, append(p.groups, File), n, order
	return fmt.Sprintf("the %d files with the %s %s", n, which, d.Label), true
}

// distinct is for "how many different languages", and for "how many parties",
// since these are not what is counted otherwise.
func (p *parser) distinct() (string, bool) {
	counted := p.takeAny("number of", "how many", "count of", "count")
	different := p.takeAny("different", "distinct", "unique")
	d, ok := p.field()
	if !ok || !different && !(counted && slices.Contains([]Field{Party, Counterparty, DocumentType, Language, AttributeField("governing_law")}, d.Field)) {
		return "", false
	}
	p.op, p.metric = CountDistinct, d.Field
	return "how many different values " + d.Label + " has", true
}

// namedValue is for "license agreements", "license agreement contracts" and
// "governing law clauses": what the rows are is named before them.
func (p *parser) namedValue() (string, bool) {
	for _, f := range []Field{DocumentType, Label} {
		for _, o := range p.vocabulary.Values[f] {
			start := p.at
			name := lowerWords(o.Name)
			if f == DocumentType && name != "" && p.take(plural(name)) {
				p.filters = append(p.filters, Is(f, o.Value))
				return f.is(o.Name), true
			}
			if name == "" || !p.take(name) {
				continue
			}
			rows := p.at
			if p.nouns(f == Label) {
				p.at = rows // they are read next
				p.filters = append(p.filters, Is(f, o.Value))
				return f.is(o.Name), true
			}
			p.at = start
		}
	}
	return "", false
}

// nouns consumes what sentences are called, or files.
func (p *parser) nouns(ofSentences bool) bool {
	if ofSentences {
		return p.takeAny("sentences", "clauses", "sentence", "clause")
	}
	return p.takeAny("contracts", "files", "documents", "agreements", "contract", "file", "document", "agreement")
}

func (f Field) is(value string) string {
	d, _ := Lookup(f)
	return d.Label + " is " + value
}

// units are the periods by their names.
var units = map[string]Bucket{
	"day": Day, "week": Week, "month": Month, "quarter": Quarter, "year": Year,
	"days": Day, "weeks": Week, "months": Month, "quarters": Quarter, "years": Year,
}

var adverbs = map[string]Bucket{
	"daily": Day, "weekly": Week, "monthly": Month, "quarterly": Quarter, "yearly": Year, "annual": Year, "annually": Year,
}

func (p *parser) unit() (Bucket, bool) {
	if p.at == len(p.tokens) {
		return "", false
	}
	b, ok := units[p.tokens[p.at].lower]
	if ok {
		p.at++
	}
	return b, ok
}

// grouping is for "by party and status", "per month" and "monthly".
func (p *parser) grouping() (string, bool) {
	if p.at < len(p.tokens) {
		if b, ok := adverbs[p.tokens[p.at].lower]; ok {
			p.at++
			p.bucket, p.timed = b, true
			return "per " + string(b), true
		}
	}
	if p.take("over time") {
		p.timed = true
		return "over time", true
	}
	if !p.takeAny("and by", "grouped by", "broken down by", "split by", "by each", "by the", "by", "per each", "per", "for each", "for every", "of each", "in each") {
		if len(p.groups) == 0 || !p.takeAny("and", ",") {
			return "", false
		}
	}
	if b, ok := p.unit(); ok {
		p.bucket = b
		if start := p.at; p.takeAny("of the", "of") {
			if d, ok := p.field(); ok && d.Kind == Date {
				p.groups = append(p.groups, d.Field)
				return d.Label + " per " + string(b), true
			}
			p.at = start
		}
		if !p.datedGroup() {
			p.timed = true
		}
		return "per " + string(b), true
	}
	d, ok := p.field()
	if !ok {
		if p.nouns(false) && p.op != "" && p.op != Count {
			return "", true // an average per file is one over all files
		}
		return "", false
	}
	p.groups = append(p.groups, d.Field)
	return "by " + d.Label, true
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
	if !ok || counted || p.op != "" || p.source != "" || len(p.groups) > 0 {
		return "", false
	}
	end := p.at
	if p.at = start; (p.nouns(true) || p.take("matters")) && p.at == end {
		return "", false // what is counted
	}
	p.at = end
	switch d.Kind {
	case Enum:
		p.groups = append(p.groups, d.Field)
		if d.Of != Files {
			p.source = d.Of
		}
		return "by " + d.Label, true
	case Date:
		p.topic = d.Field
		p.needy = append(p.needy, p.phrase(start, end))
		return "about " + d.Label, true
	case Text, Number, Boolean:
	}
	return "", false
}

func (p *parser) chart() (string, bool) {
	p.takeAny("as a", "as an", "as", "in a", "draw a", "show a")
	for _, c := range []struct {
		kind  Chart
		words []string
	}{
		{PieChart, []string{"pie chart", "pie", "donut", "share of", "shares of"}},
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

func (p *parser) measure() (string, bool) {
	for _, m := range []struct {
		op    MetricOp
		words []string
	}{
		{Sum, []string{"sum of", "sum", "total", "combined"}},
		{Avg, []string{"average", "mean", "avg"}},
		{Median, []string{"median"}},
		{Max, []string{"longest", "highest", "largest", "maximum", "max", "biggest", "latest"}},
		{Min, []string{"shortest", "lowest", "smallest", "minimum", "min", "earliest"}},
	} {
		start := p.at
		if !p.takeAny(m.words...) {
			continue
		}
		p.op, p.opWord = m.op, p.tokens[start].word
		return string(m.op), true
	}
	return "", false
}

// bareMetric is for the field of a measure on its own.
func (p *parser) bareMetric() (string, bool) {
	d, ok := p.field()
	if !ok || p.op == "" || p.metric != "" || d.Kind != Number && (d.Kind != Date || p.op != Max && p.op != Min) {
		return "", false
	}
	p.metric = d.Field
	if d.Of == Sentences {
		p.source = Sentences
	}
	return "of " + d.Label, true
}

func (p *parser) article() { p.takeAny("a", "an", "the", "any") }

func (p *parser) without() (string, bool) {
	if !p.takeAny("without", "with no", "missing", "lacking", "that have no", "that lack") {
		return "", false
	}
	p.article()
	if o, ok := p.clause(true); ok {
		return p.lacks(o)
	}
	d, ok := p.field()
	if !ok {
		if o, ok := p.clause(false); ok {
			return p.lacks(o)
		}
		return "", false
	}
	p.filters = append(p.filters, Filter{Field: d.Field, Op: Missing})
	return "without " + d.Label, true
}

// lacks asks for files in which no sentence has a label.
func (p *parser) lacks(o Option) (string, bool) {
	has := Is(Label, o.Value)
	p.filters = append(p.filters, Filter{Not: &has})
	return "without a sentence whose " + Label.is(o.Name), true
}

// clause consumes the name of a label. Explicit is "governing law clause";
// otherwise the name is enough.
func (p *parser) clause(explicit bool) (Option, bool) {
	start := p.at
	for _, o := range p.vocabulary.Values[Label] {
		if name := lowerWords(o.Name); name == "" || !p.take(name) {
			continue
		}
		if p.takeAny("clause", "clauses", "provision", "provisions") || !explicit && (p.at == len(p.tokens) || p.stops()) {
			return o, true
		}
		p.at = start
	}
	return Option{}, false
}

// labelled is for "sentences labelled governing law".
func (p *parser) labelled() (string, bool) {
	if !p.takeAny("labelled as", "labelled", "labeled as", "labeled", "tagged as", "tagged", "classified as") {
		return "", false
	}
	d, _ := Lookup(Label)
	values, ok := p.values(d)
	if !ok {
		return "", false
	}
	p.filters = append(p.filters, Is(Label, values...))
	return Label.is(strings.Join(values, " or ")), true
}

func (p *parser) governed() (string, bool) {
	if !p.takeAny("governed by the laws of", "governed by the law of", "governed by") {
		return "", false
	}
	p.take("the")
	p.take("state of")
	var words []string
	for p.at < len(p.tokens) && !p.stops() && !slices.Contains([]string{"law", "laws"}, p.tokens[p.at].lower) {
		words = append(words, p.tokens[p.at].word)
		p.at++
	}
	p.takeAny("law", "laws")
	if len(words) == 0 {
		return "", false
	}
	value := strings.Join(words, " ")
	p.filters = append(p.filters, Is(AttributeField("governing_law"), value))
	return "Governing law is " + value, true
}

// where is for "where governing law is Delaware", "with a notice period of at
// least 60 days", "with an effective date after 2020", "with a cap on
// liability" and "with Acme Inc.".
func (p *parser) where() (string, bool) {
	with := p.takeAny("with", "that have", "having", "which have", "have", "containing", "that contain", "which contain")
	if !with && !p.takeAny("where the", "where", "whose", "and where", "and whose", "for which") {
		if len(p.filters) == 0 || !p.take("and") {
			return "", false
		}
	}
	p.article()
	start := p.at
	if meaning, ok := p.compared(); ok {
		return meaning, true
	}
	p.at = start
	if o, ok := p.clause(true); ok {
		p.filters = append(p.filters, Is(Label, o.Value))
		return Label.is(o.Name), true
	}
	d, ok := p.field()
	if !ok {
		if o, ok := p.clause(false); ok {
			p.filters = append(p.filters, Is(Label, o.Value))
			return Label.is(o.Name), true
		}
		return p.party(with)
	}
	switch d.Kind {
	case Date:
		p.takeAny("is", "was", "lies")
		if start := p.at; p.isPeriod() {
			p.at = start
			p.topic = d.Field
			return "about " + d.Label, true
		}
	case Number:
		p.takeAny("is", "of")
		if op, ok := p.comparator(); ok {
			n, ok := p.amount()
			if !ok {
				return "", false
			}
			return p.number(d, op, n), true
		}
		if n, ok := p.amount(); ok {
			return p.number(d, In, n), true
		}
	case Text:
		if p.takeAny("contains", "containing", "has", "includes", "like") {
			if value, ok := p.value(); ok {
				p.filters = append(p.filters, Compare(d.Field, Contains, value))
				return d.Label + " contains " + value, true
			}
		}
		if p.takeAny("starts with", "begins with") {
			if value, ok := p.value(); ok {
				p.filters = append(p.filters, Compare(d.Field, StartsWith, value))
				return d.Label + " starts with " + value, true
			}
		}
		return "", false
	case Enum:
		op := In
		if p.takeAny("is not", "are not", "isn't", "other than") {
			op = NotIn
		} else {
			p.takeAny("is one of", "is", "are", "equals", "=", ":")
		}
		if values, ok := p.values(d); ok {
			p.filters = append(p.filters, Filter{Field: d.Field, Op: op, Values: values})
			return fmt.Sprintf("%s %s %s", d.Label, map[Op]string{In: "is", NotIn: "is not"}[op], strings.Join(values, " or ")), true
		}
		if op == NotIn {
			return "", false
		}
	case Boolean:
	}
	if !with || p.at < len(p.tokens) && !p.stops() {
		return "", false
	}
	p.filters = append(p.filters, Filter{Field: d.Field, Op: Exists})
	return "with " + d.Label, true
}

// party is for "with Acme Inc.": a name, which begins with a capital or is
// quoted.
func (p *parser) party(with bool) (string, bool) {
	if !with || p.at == len(p.tokens) {
		return "", false
	}
	if t := p.tokens[p.at]; !t.quoted && strings.ToLower(t.word[:1]) == t.word[:1] {
		return "", false
	}
	value, ok := p.value()
	if !ok {
		return "", false
	}
	p.filters = append(p.filters, Is(Party, value))
	return "Party is " + value, true
}

// stops reports whether a value has ended: with what follows something else
// begins.
func (p *parser) stops() bool {
	start := p.at
	defer func() { p.at = start }()
	return p.takeAny("by", "per", "for each", "for every", "grouped by", "as a", "as", "where", "whose", "with", "without", "and where", "and whose",
		"and with", "in the last", "in the past", "in the next", "within the", "uploaded", "added", "expiring", "that expire", "over time", "since", ";") || p.isPeriod()
}

// value consumes words up to where something else begins.
func (p *parser) value() (string, bool) {
	if p.at < len(p.tokens) && p.tokens[p.at].quoted {
		p.at++
		return p.tokens[p.at-1].word, true
	}
	var words []string
	for p.at < len(p.tokens) && !p.stops() {
		words = append(words, p.tokens[p.at].word)
		p.at++
	}
	return strings.Join(words, " "), len(words) > 0
}

// values consumes alternatives, as the field has them.
func (p *parser) values(d Definition) ([]string, bool) {
	var list []string
	for {
		start := p.at
		value, ok := p.value()
		if !ok {
			break
		}
		quoted := p.tokens[start].quoted
		for _, alternative := range strings.Split(value, " or ") {
			if quoted {
				alternative = value
			}
			known, ok := p.known(d.Field, strings.TrimPrefix(strings.TrimSpace(alternative), "either "))
			if !ok {
				return nil, false
			}
			list = append(list, known)
			if quoted {
				break
			}
		}
		if !p.take("or") {
			break
		}
	}
	return list, len(list) > 0
}

// known is the value of a field that people call name. Where the values are ids
// or keys, the name must be one that the team has.
func (p *parser) known(f Field, name string) (string, bool) {
	options := p.vocabulary.Values[f]
	for _, o := range options {
		if Fold(o.Name) == Fold(name) || Fold(o.Value) == Fold(name) {
			return o.Value, true
		}
	}
	d, _ := Lookup(f)
	if d.Names || f == Label {
		return "", false
	}
	if f == Status || f == LifecycleStage || f == MatterStatus {
		name = strings.ReplaceAll(Fold(name), " ", "_")
	}
	return name, name != ""
}

// compared is for "more than 50 pages".
func (p *parser) compared() (string, bool) {
	op, ok := p.comparator()
	if !ok {
		return "", false
	}
	n, ok := p.amount()
	if !ok {
		return "", false
	}
	d, ok := p.field()
	if !ok || d.Kind != Number {
		return "", false
	}
	return p.number(d, op, n), true
}

func (p *parser) number(d Definition, op Op, n string) string {
	p.filters = append(p.filters, Compare(d.Field, op, n))
	return fmt.Sprintf("%s %s %s", d.Label, op, n)
}

func (p *parser) comparator() (Op, bool) {
	for _, c := range []struct {
		op    Op
		words []string
	}{
		{AtLeast, []string{"at least", "no less than", "not less than", ">="}},
		{AtMost, []string{"at most", "no more than", "not more than", "up to", "<="}},
		{Above, []string{"of more than", "more than", "greater than", "higher than", "longer than", "over", "above", "exceeding", ">"}},
		{Below, []string{"of less than", "less than", "fewer than", "lower than", "shorter than", "under", "below", "<"}},
	} {
		if p.takeAny(c.words...) {
			return c.op, true
		}
	}
	return "", false
}

// property is for words that are conditions by themselves.
func (p *parser) property() (string, bool) {
	p.takeAny("that are", "which are", "that", "which", "are")
	p.takeAny("already")
	if p.takeAny("expired", "have expired", "have already expired", "has expired") {
		p.filters = append(p.filters, Compare(AttributeField("expiration_date"), Below, "today"))
		return "Expiration date before today", true
	}
	for _, c := range []struct {
		filter Filter
		words  []string
	}{
		{Is(Status, "failed"), []string{"failed", "have failed"}},
		{Is(Status, "queued"), []string{"queued", "waiting"}},
		{Is(Status, "processing"), []string{"processing", "being processed"}},
		{Is(Status, "cancelled"), []string{"cancelled", "canceled"}},
		{Is(Status, "completed"), []string{"completed"}},
		{Is(LifecycleStage, "draft"), []string{"draft", "in draft", "in the draft stage"}},
		{Is(LifecycleStage, "review"), []string{"in review", "in the review stage", "under review"}},
		{Is(LifecycleStage, "negotiation"), []string{"in negotiation", "in the negotiation stage", "under negotiation"}},
		{Is(LifecycleStage, "approval"), []string{"in approval", "in the approval stage", "awaiting approval"}},
		{Is(LifecycleStage, "signature"), []string{"in signature", "in the signature stage", "awaiting signature"}},
		{Is(LifecycleStage, "active"), []string{"active", "in force"}},
		{Is(LifecycleStage, "terminated"), []string{"terminated"}},
		{Is(LifecycleStage, "archived"), []string{"archived"}},
		{Is(MatterStatus, "open"), []string{"open"}},
		{Is(MatterStatus, "on_hold"), []string{"on hold"}},
		{And(Is(MatterStatus, "open", "on_hold"), Compare(MatterDueAt, Below, "today")), []string{"overdue"}},
		{Is(LabelSource, "validated"), []string{"validated by people", "validated"}},
		{Is(LabelSource, "predicted"), []string{"predicted by the model", "predicted"}},
		{Filter{Field: Label, Op: Missing}, []string{"unlabelled", "unlabeled"}},
		{Is(Duplicate, "true"), []string{"duplicates", "duplicate", "duplicated"}},
		{Is(HasOCR, "true"), []string{"scanned", "recognised by ocr", "recognized by ocr"}},
	} {
		if p.takeAny(c.words...) {
			p.filters = append(p.filters, c.filter)
			d, _ := Lookup(c.filter.Field)
			switch {
			case c.filter.All != nil:
				return "Matter due before today, and not closed", true
			case c.filter.Op == Missing:
				return "without " + d.Label, true
			}
			return d.Label + " is " + c.filter.Values[0], true
		}
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
		{Files, []string{"files", "file", "contracts", "contract", "documents", "document", "agreements", "agreement"}},
	} {
		if !p.takeAny(n.words...) {
			continue
		}
		if p.source == "" || p.source == Files {
			p.source = n.source
			p.clauses = n.words[0] == "clauses"
		}
		return "about " + string(n.source), true
	}
	return "", false
}

// topical is for words that say which date a period is about.
func (p *parser) topical() (string, bool) {
	p.takeAny("that", "which", "were", "was", "have been")
	for _, c := range []struct {
		field Field
		words []string
	}{
		{AttributeField("expiration_date"), []string{"were expiring", "expiring", "expire", "expires", "expirations", "ending", "end", "ends", "running out"}},
		{AttributeField("effective_date"), []string{"effective", "starting", "commencing", "start"}},
		{AttributeField("agreement_date"), []string{"signed", "dated", "made", "concluded"}},
		{MatterDueAt, []string{"due"}},
		{UpdatedAt, []string{"updated", "changed"}},
		{CreatedAt, []string{"were uploaded", "uploaded", "were added", "added", "uploads", "created", "imported"}},
	} {
		if p.takeAny(c.words...) {
			p.topic = c.field
			d, _ := Lookup(c.field)
			return "by " + d.Label, true
		}
	}
	return "", false
}

// filler is for words that change nothing.
func (p *parser) filler() (string, bool) {
	return "", p.takeAny("how many", "number of", "count of", "count", "show me", "show", "give me", "what is", "what are", "which", "what", "breakdown of", "breakdown", "distribution of", "distribution",
		"do we have", "are there", "there are", "that are", "we have", "there", "the", "a", "an", "of", "all", "our", "my", "me", "please", "in total", "in", "is", "are",
		"were", "was", "that", "have", "and", "new", "for", "from", "?", ",", "do", "we", "us", "widget", "chart", "as", "number")
}

// config puts together what was read.
func (p *parser) config() Config {
	q := Query{Source: p.source, Metric: Metric{Op: Count}, Sort: p.sort, Limit: p.limit}
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
	case p.metric != "":
		q.Metric = Metric{Op: p.op, Field: p.metric}
	case p.op == Sum && strings.EqualFold(p.opWord, "total"):
	default:
		p.unknown = append(p.unknown, p.opWord)
	}
	topic := p.topic
	if d, _ := Lookup(topic); topic == "" || (q.Source == Audit || q.Source == Matters) && d.Of != q.Source {
		topic = map[Source]Field{Audit: OccurredAt, Matters: MatterCreatedAt}[q.Source]
		if topic == "" {
			topic = CreatedAt
		}
	}
	if p.timed {
		p.groups = append(p.groups, topic)
	}
	if len(p.groups) == 0 && len(p.periods) == 0 {
		p.unknown = append(p.unknown, p.needy...)
	}
	for i, f := range p.groups {
		if of, ok := ofMatters[f]; ok && q.Source == Matters {
			p.groups[i] = of
		}
	}
	q.GroupBy = p.groups
	if p.datedGroup() {
		q.Bucket = p.bucket
		if q.Bucket == "" {
			q.Bucket = Month
		}
	}
	for _, period := range p.periods {
		for _, f := range period {
			f.Field = topic
			q.Filters = append(q.Filters, f)
		}
	}
	q.Filters = append(q.Filters, p.filters...)
	return Config{Title: p.title(), Kind: p.drawn(q), Query: q}
}

// drawn is the chart that was asked for, if it can show the answer, or the
// usual one.
func (p *parser) drawn(q Query) Chart {
	switch {
	case len(q.GroupBy) == 0:
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

// title is the prompt with a capital, on one line.
func (p *parser) title() string {
	title := strings.Join(strings.Fields(p.text), " ")
	runes := []rune(title)
	const most = 200
	return strings.ToUpper(string(runes[:1])) + string(runes[1:min(len(runes), most)])
}

// phrase is the text of tokens.
func (p *parser) phrase(from, to int) string {
	return p.text[p.tokens[from].start:p.tokens[to-1].end]
}
