package query

import (
	"slices"
	"strings"
)

// What is here finds in a question the names of values: of parties, laws, people and
// whatever else the team's files have. Where a name ends is known by the names that
// there are, not by the words that follow it.

// MostFound is how many values Vocabulary.Find gives at most. Where it gives as many, there
// may be more, so a part of a name is not enough.
const MostFound = 50

// mostLookups is how many names of one question are looked up.
const mostLookups = 10

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
	return Fold(strings.NewReplacer(",", "", ".", "").Replace(name))
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
		list = append(list, Option{Value: code, Name: name})
	}
	return list
}

// valuesOf consumes the name of values of a field.
func (p *parser) valuesOf(d Definition) []Option {
	switch {
	case d.Field == AttributeField("governing_law"):
		return p.law()
	case d.Field == DocumentType:
		return p.oneOf(d.Field, p.types)
	case d.Field == Label:
		return p.oneOf(d.Field, p.labels)
	case closed[d.Field] != nil || p.vocabulary.Values[d.Field] != nil:
		return p.oneOf(d.Field, nil)
	case d.Of == Files && d.Field != File:
		return p.namesOf(d.Field, anywhere)
	case d.Of == Audit && !d.Names && p.at < len(p.tokens):
		p.at++
		word := p.tokens[p.at-1].word
		return []Option{{Value: word, Name: word}}
	}
	return nil
}

// oneOf consumes the whole name of an option of a field, or what it is called otherwise.
func (p *parser) oneOf(f Field, otherwise []calling) []Option {
	options := slices.Concat(p.vocabulary.Values[f], closed[f])
	for to := min(len(p.tokens), p.at+longestCalled); to > p.at; to-- {
		name := plain(p.words(p.at, to))
		i := slices.IndexFunc(options, func(o Option) bool { return plain(o.Name) == name || Fold(o.Value) == name })
		if i >= 0 {
			p.at = to
			return options[i : i+1]
		}
	}
	return p.called(otherwise)
}

// law consumes the name of a law: of the team's files, or an adjective.
func (p *parser) law() []Option {
	p.takeAny("the laws of", "laws of", "the law of", "law of")
	p.take("the")
	p.takeAny("state of", "commonwealth of", "province of")
	options := p.namesOf(AttributeField("governing_law"), beginning)
	if options == nil && p.at < len(p.tokens) {
		for _, nation := range nations[p.tokens[p.at].lower] {
			options = append(options, Option{Value: nation, Name: nation})
		}
		if options != nil {
			p.at++
		}
	}
	if options == nil {
		options = p.foreignLaw()
	}
	if options != nil {
		p.takeAny("law", "laws")
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
	var groups [][]Option
	joint, ok := p.series(func() bool {
		options := values()
		if options == nil {
			return false
		}
		groups = append(groups, options)
		return true
	})
	if !ok {
		return nil
	}
	if joint == "or" || joint == "nor" {
		return [][]Option{slices.Concat(groups...)}
	}
	return groups
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
	return f.label() + " is not " + strings.Join(names, " or ")
}

func split(options []Option) (values, names []string) {
	for _, o := range options {
		if !slices.Contains(values, o.Value) {
			values, names = append(values, o.Value), append(names, o.Name)
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
	return p.each(Party, groups), true
}

func (p *parser) party() []Option {
	return p.namesOf(Party, anywhere)
}

// single are the fields of which a row has one value, so that two conditions on one of
// them find nothing.
var single = []Field{Status, LifecycleStage, DocumentType, Language, MatterStatus, MatterStage, FileSource, CreatedBy, AttributeField("governing_law")}

// contradicts reports whether one of the filters from n on asks for another value of a
// field than one before them does.
func (p *parser) contradicts(n int) bool {
	for _, f := range p.filters[n:] {
		if f.Op == In && slices.Contains(single, f.Field) &&
			slices.ContainsFunc(p.filters[:n], func(other Filter) bool {
				return other.Op == In && other.Field == f.Field && !slices.Equal(other.Values, f.Values)
			}) {
			return true
		}
	}
	return false
}
