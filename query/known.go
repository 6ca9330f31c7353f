package query

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/nlp"
)

// What is here finds in a question the names of values: of parties, laws, people and
// whatever else the team's files have. Where a name ends is known by the names that
// there are, not by the words that follow it.

// MostFound is how many values Vocabulary.Find gives at most. Where it gives as many, there
// may be more, so a part of a name is not enough.
const MostFound = 50

// mostLookups is how many names of one question are looked up.
const mostLookups = 30

// longestCalled is how many words a name of the team's has at most.
const longestCalled = 12

// lookup is a name that was looked up.
type lookup struct {
	field Field
	name  string
}

// find looks up a name, once.
func (p *parser) find(f Field, name string) []Option {
	key := lookup{f, Fold(name)}
	found, known := p.found[key]
	if !known && p.vocabulary.Find != nil && len(p.found) < mostLookups {
		found = p.vocabulary.Find(f, name)
		p.found[key] = found
	}
	return found
}

// part is which part of a name may stand for all of it.
type part bool

const (
	beginning part = false
	anywhere  part = true // in whole words
)

// namesOf consumes the longest name that values of a field have, and gives these values:
// those of which it is a part, or the ones whose whole name it is. The values that have
// its first word are looked up, and those of more words where they are too many.
func (p *parser) namesOf(f Field, of part) []Option {
	if p.at == len(p.tokens) || slices.Contains(articles, p.tokens[p.at].word) {
		return nil
	}
	if !capital(p.tokens[p.at]) {
		of = beginning
	}
	var whole []Option
	end := p.at
	for n := 1; n <= longestName && p.at+n <= len(p.tokens); n++ {
		found := p.find(f, p.words(p.at, p.at+n))
		if len(found) >= MostFound {
			if exact, ok := having(found, plain(p.words(p.at, p.at+n)), of); ok {
				whole, end = exact, p.at+n
			}
			continue
		}
		for to := min(len(p.tokens), p.at+longestCalled); to >= p.at+n; to-- {
			if p.tokens[to-1].lower == "," {
				continue
			}
			if options, _ := having(found, plain(p.words(p.at, to)), of); options != nil {
				p.at = to
				return options
			}
		}
		break
	}
	p.at = end
	return whole
}

var articles = []string{"a", "an", "the", "any"}

// plain is a name as names are compared: Acme, Inc. is Acme Inc.
func plain(name string) string {
	return Fold(strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), ".", ""))
}

// having are the options with a name as a part, or those whose name it is, which are then
// exact.
func having(options []Option, name string, of part) (list []Option, exact bool) {
	if name == "" {
		return nil, false
	}
	var whole []Option
	for _, o := range options {
		switch full := plain(o.Name); {
		case full == name:
			whole = append(whole, o)
		case strings.HasPrefix(full, name+" "), of == anywhere && strings.Contains(" "+full+" ", " "+name+" "):
			list = append(list, o)
		}
	}
	if whole != nil {
		return whole, true
	}
	return list, false
}

// closed are the values of fields that are the same everywhere.
var closed = map[Field][]Option{
	Status:         same("queued", "processing", "completed", "failed", "cancelled"),
	LifecycleStage: same("draft", "review", "negotiation", "approval", "signature", "active", "expired", "terminated", "archived"),
	MatterStatus:   same("open", "on_hold", "closed"),
	Language:       languageOptions(),
}

func same(values ...string) []Option {
	list := make([]Option, len(values))
	for i, v := range values {
		list[i] = Option{Value: v, Name: strings.ReplaceAll(v, "_", " ")}
	}
	return list
}

func languageOptions() []Option {
	var list []Option
	for name, code := range languages {
		list = append(list, Option{Value: code, Name: strings.ToUpper(name[:1]) + name[1:]})
	}
	return list
}

// valuesOf consumes the name of values of a field.
func (p *parser) valuesOf(d Definition) []Option {
	switch {
	case d.Field == governingLaw:
		return p.law()
	case d.Field == DocumentType:
		return p.oneOf(d.Field, p.types)
	case d.Field == Label:
		return p.oneOf(d.Field, p.labels)
	case d.Field == OurRole || d.Field == CounterpartyRole:
		p.takeAny("a", "the")
		if names := p.takeRole(); names != nil {
			return roleOptions(names)
		}
		return nil
	case closed[d.Field] != nil || p.vocabulary.Values[d.Field] != nil:
		return p.oneOf(d.Field, nil)
	case d.Of == Files && d.Field != File, d.Field == MatterOwner:
		return p.namesOf(d.Field, anywhere)
	case d.Of == Audit && !d.Names && p.at < len(p.tokens):
		p.at++
		word := p.tokens[p.at-1].word
		return []Option{{Value: word, Name: word}}
	}
	return nil
}

// inStage is for "in the draft stage", "at signature stage" and "in review or approval".
func (p *parser) inStage() (string, bool) {
	start := p.at
	p.take("are")
	p.take("still")
	waiting := p.takeAny("awaiting", "waiting for", "waiting on", "pending", "out for", "ready for", "sent for", "up for", "stuck in")
	several := 0
	groups := p.seriesOf(func() []Option {
		p.takeAny("in the", "in", "at the", "at", "the")
		several++
		return p.oneOf(LifecycleStage, nil)
	})
	stages := slices.Concat(groups...)
	if stages != nil && (p.takeAny("stage", "stages", "phase", "phases") || waiting || several > 1 && len(stages) > 1) && p.source != Matters {
		return p.anyOf(LifecycleStage, stages), true
	}
	p.at = start
	return "", false
}

// oneOf consumes the whole name of an option of a field, or what it is called otherwise.
func (p *parser) oneOf(f Field, otherwise []calling) []Option {
	options := slices.Concat(p.vocabulary.Values[f], closed[f])
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = plain(o.Name)
	}
	for to := min(len(p.tokens), p.at+longestCalled); to > p.at; to-- {
		name := plain(p.words(p.at, to))
		for i, o := range options {
			if names[i] == name || Fold(o.Value) == name {
				p.at = to
				return options[i : i+1]
			}
		}
	}
	return p.called(otherwise)
}

// law consumes the name of a law: a place that nlp knows, one of the team's files, or an
// adjective.
func (p *parser) law() []Option {
	p.takeAny("the laws of", "laws of", "the law of", "law of")
	p.takeAny("the", "a", "any")
	start := p.at
	if p.takeAny("us state", "american state", "us states", "state in the us", "state of the us") {
		if place, ok := nlp.Place(nations["american"]); ok {
			p.takeAny("law", "laws")
			return p.lawsOf(place)
		}
	}
	if p.at < len(p.tokens) {
		if place, ok := nlp.Place(nations[p.tokens[p.at].lower]); ok {
			p.at++
			p.takeAny("law", "laws")
			return p.lawsOf(place)
		}
	}
	if place, ok := p.place(); ok {
		return p.lawsOf(place)
	}
	p.at = start
	p.takeAny("state of", "commonwealth of", "province of")
	options := p.namesOf(governingLaw, beginning)
	if options == nil {
		options = p.foreignLaw()
	}
	if options != nil {
		p.takeAny("law", "laws")
	}
	return options
}

var governingLaw = AttributeField("governing_law")

// place consumes the longest name of a place that is there, with "law" where that follows.
func (p *parser) place() (nlp.Territory, bool) {
	for to := min(len(p.tokens), p.at+longestCalled); to > p.at; to-- {
		if last := p.tokens[to-1].lower; last == "," || last == "law" || last == "laws" {
			continue
		}
		if place, ok := nlp.Place(p.words(p.at, to)); ok {
			p.at = to
			p.takeAny("law", "laws")
			return place, true
		}
	}
	return nlp.Territory{}, false
}

// federal are the countries in which contracts have the law of a part.
var federal = []string{"AU", "CA", "GB", "US"}

// lawsOf are the values of the law of a place: with those of its parts, and those that name
// it first of several.
func (p *parser) lawsOf(place nlp.Territory) []Option {
	options := []Option{{Value: place.Name, Name: place.Name}}
	if place.Code == "GB-ENG" || place.Code == "GB-EAW" { // they are one
		options = []Option{{"England", "England"}, {"England and Wales", "England and Wales"}}
	}
	var parts []nlp.Territory
	if slices.Contains(federal, place.Code) {
		parts = place.Parts()
	}
	found := p.find(governingLaw, place.Name)
	for _, o := range found {
		if strings.HasPrefix(Fold(o.Name), Fold(place.Name)+" and ") && len(options) == 1 {
			options = append(options, o)
		}
	}
	if len(found) == 0 && len(parts) == 0 && p.vocabulary.Find != nil {
		options[0].Name += " (which no file has)"
	}
	for _, part := range parts {
		options = append(options, Option{part.Name, "a part of it"})
	}
	return options
}

// foreignLaw consumes a name that no file has as its law, and says so.
func (p *parser) foreignLaw() []Option {
	start := p.at
	for p.at < len(p.tokens) && p.at < start+longestName && capital(p.tokens[p.at]) && !p.stops() && p.tokens[p.at].lower != "law" {
		p.at++
	}
	if p.at == start {
		return nil
	}
	name := p.words(start, p.at)
	return []Option{{Value: name, Name: name + " (which no file has)"}}
}

// series consumes what item does, again and again, where and, or, nor or commas are in
// between, and gives that word. "A or b and c" has two readings, so it is none.
func (p *parser) series(item func() bool) (joint string, ok bool) {
	if !item() {
		return "", false
	}
	for {
		start := p.at
		word := p.joint()
		if word == "" || !item() {
			p.at = start
			return joint, true
		}
		if word != "," && joint != "" && word != joint {
			return "", false
		}
		if word != "," {
			joint = word
		}
	}
}

// joint consumes what is between the parts of a series. "And/or" is or.
func (p *parser) joint() string {
	comma := p.take(",")
	switch {
	case p.takeAny("and/or", "or"):
		return "or"
	case p.takeAny("and", "as well as", "plus"):
		return "and"
	case p.take("nor"):
		return "nor"
	case comma:
		return ","
	}
	return ""
}

// seriesOf consumes a series of values: alternatives in one group where they are joined
// by or.
func (p *parser) seriesOf(values func() []Option) [][]Option {
	groups, joint := p.listOf(values)
	if joint == "or" || joint == "nor" {
		return [][]Option{slices.Concat(groups...)}
	}
	return groups
}

// listOf consumes a series of values, and gives those of each part with the word that joins them.
func (p *parser) listOf(values func() []Option) (groups [][]Option, joint string) {
	joint, ok := p.series(func() bool {
		options := values()
		if options == nil {
			return false
		}
		groups = append(groups, options)
		return true
	})
	if !ok {
		return nil, ""
	}
	return groups, joint
}

// each asks for one value of each group.
func (p *parser) each(f Field, groups [][]Option) string {
	var meanings []string
	for _, options := range groups {
		meanings = append(meanings, p.anyOf(f, options))
	}
	return strings.Join(meanings, ", and ")
}

// noneOf asks for those without any of the values.
func (p *parser) noneOf(f Field, options []Option) string {
	values, names := split(options)
	p.filters = append(p.filters, Filter{Field: f, Op: NotIn, Values: values})
	d := p.lookup(f)
	meaning := d.Label + " is not " + strings.Join(names, " or ")
	if d.Key != "" {
		meaning += ", or not stated"
	}
	return meaning
}

func split(options []Option) (values, names []string) {
	for _, o := range options {
		if !slices.ContainsFunc(values, func(v string) bool { return v == o.Value || Fold(v) == Fold(o.Value) }) {
			values = append(values, o.Value)
		}
		if !slices.Contains(names, o.Name) {
			names = append(names, o.Name)
		}
	}
	return values, names
}

// parties consumes names of parties, and asks for files that have them all, or one of
// those that are joined by or.
func (p *parser) parties() (string, bool) {
	groups := p.seriesOf(p.party)
	if groups == nil {
		return "", false
	}
	all := p.take("combined") || p.sharing != notShared && p.metric != "" // a share of a sum that each has a part of
	if all || strings.EqualFold(p.opWord, "combined") {                   // of those with one of them
		return p.anyOf(Party, slices.Concat(groups...)), true
	}
	return p.each(Party, groups), true
}

func (p *parser) party() []Option {
	return p.namesOf(Party, anywhere)
}

// single are the fields of which a row has one value, so that two conditions on one of
// them find nothing.
var single = []Field{Status, LifecycleStage, DocumentType, Language, MatterStatus, MatterStage, FileSource, CreatedBy, AttributeField("governing_law"), AttributeField("currency")}

// contrary is the token behind words that contradict what came before them, 0 where none
// do: a time that cannot be together with another, or one of the filters from n on.
func (p *parser) contrary(start, n int, ok bool) int {
	if !ok {
		end := 0
		for at := range p.clashes {
			if at > start && (end == 0 || at < end) {
				end = at
			}
		}
		return end
	}
	for i := n; i < len(p.filters); i++ {
		if slices.ContainsFunc(p.filters[:i], func(before Filter) bool { return contradict(before, p.filters[i]) }) {
			return p.at
		}
	}
	return 0
}

// contradict reports whether nobody means both of two conditions.
func contradict(a, b Filter) bool {
	if a.Not != nil || b.Not != nil {
		return a.Not != nil && reflect.DeepEqual(*a.Not, b) || b.Not != nil && reflect.DeepEqual(*b.Not, a)
	}
	if a.Field == "" || a.Field != b.Field {
		return false
	}
	switch {
	case a.Op == Missing || b.Op == Missing:
		return a.Op != b.Op && a.Op != NotIn && b.Op != NotIn
	case a.Op == In && b.Op == In:
		return slices.Contains(single, a.Field) && !slices.Equal(a.Values, b.Values)
	case a.Op == In && b.Op == NotIn, a.Op == NotIn && b.Op == In:
		return slices.Equal(a.Values, b.Values)
	}
	return above(a, b) || above(b, a)
}

// above reports whether a condition wants numbers that are greater than another one allows.
func above(a, b Filter) bool {
	if d, _ := Lookup(a.Field); d.Kind != Number && !d.mayBeSum() || a.Op != AtLeast && a.Op != Above || b.Op != AtMost && b.Op != Below {
		return false
	}
	least, _ := strconv.ParseFloat(a.Values[0], 64) // just written
	most, _ := strconv.ParseFloat(b.Values[0], 64)
	return least > most || least == most && (a.Op == Above || b.Op == Below)
}
