package query

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// Filter is a condition: on one field, on two fields of the same row, or of other conditions. Exactly one of
// Field, All, Any and Not is set; the zero filter lets everything through.
//
// Where the rows asked about have several of what a field belongs to, a
// condition asks for any of them: a file has the label if one of its sentences
// does, and two conditions may hold of two different sentences. Of sentences, a
// condition on a label and those on its score and its source that must all hold are
// about one label.
type Filter struct {
	Field  Field    `json:"field,omitempty" doc:"A field that POST /api/files/{fileId}/list-filters lists: status, documentType, attribute.governing_law, …"`
	Op     Op       `json:"op,omitempty" enum:"in,notIn,contains,startsWith,matches,gte,lte,gt,lt,exists,missing" doc:"Fields of text take contains for a part of the value, in any case; attributes for words of it in their order, of which the last may only be begun. The field text (what a file says) takes contains, with words and quoted phrases, and matches, with AND, OR, NOT, NEAR/n and parentheses as well. Both find the files that GET /api/search finds with them as q, with no words corrected or left out"`
	Values Values   `json:"values,omitempty" maxItems:"500" nullable:"false" doc:"Strings, numbers or booleans. The operators in and notIn take several values, exists and missing none, all others one. Durations are in days; a month is a twelfth of 365. Dates are written as 2026-03-31, as a time in RFC 3339, or relative: today, today+90d, month, quarter-1, …; march is the last March that has begun, next-march the first that is not over, and friday and next-friday likewise. Offsets may follow: year+1+6m, march+4d"`
	Than   Field    `json:"than,omitempty" doc:"Instead of a value, with gte, lte, gt and lt: another field of the same row, of the same kind. {\"field\": \"attribute.agreement_date\", \"op\": \"gt\", \"than\": \"attribute.effective_date\"} finds what was signed after it took effect. Sums of money are compared within a currency; a row that lacks one of the two does not match. One value may tell how far from the other field: of dates a time (+30d, -1y), of numbers a factor (2, 0.5)"`
	All    []Filter `json:"all,omitempty" maxItems:"50" nullable:"false" doc:"All of these conditions must match"`
	Any    []Filter `json:"any,omitempty" maxItems:"50" nullable:"false" doc:"At least one of these conditions must match"`
	Not    *Filter  `json:"not,omitempty" doc:"This condition must not match"`

	Words *Words `json:"-"` // what a condition on Said means, once a search has read it
}

// Words is a search that has been read, in the words of the index.
type Words struct {
	Query  string // a tsquery of lexemes; "" finds nothing
	Absent bool   // it asks for nothing to be there, so that no name is found by it
}

// The bounds of a filter. They keep a statement within what an engine takes.
const (
	mostConditions = 100
	mostDepth      = 5
	longestValue   = 2000 // bytes
	mostValues     = 500
	mostSearches   = 10 // conditions on Said, each of which is a search
)

var errUnread = fault.New(fault.Internal, "a condition on texts was not read")

var errShape = fault.New(fault.Invalid, "a filter has exactly one of field, all, any and not")

// Is is the condition that a field equals any of values.
func Is[T ~string](f Field, values ...T) Filter {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return Filter{Field: f, Op: In, Values: list}
}

// Compare is a condition with one value.
func Compare(f Field, op Op, value string) Filter {
	return Filter{Field: f, Op: op, Values: []string{value}}
}

// Than is the condition that one field of a row compares so with another one of it.
// The value, if there is one, says how far: +30d, or a factor.
func Than(f Field, op Op, other Field, by ...string) Filter {
	return Filter{Field: f, Op: op, Than: other, Values: by}
}

// And joins conditions; those that are zero fall away.
func And(list ...Filter) Filter {
	list = slices.DeleteFunc(list, Filter.IsZero)
	switch len(list) {
	case 0:
		return Filter{}
	case 1:
		return list[0]
	}
	return Filter{All: list}
}

// IsZero reports whether the filter lets everything through.
func (f Filter) IsZero() bool {
	return f.Field == "" && f.Op == "" && f.Values == nil && f.Than == "" && f.All == nil && f.Any == nil && f.Not == nil
}

// Comparison is a condition on one field, its values understood.
type Comparison struct {
	Definition

	Op      Op
	Than    *Definition // another field of the row that it is compared with: Texts are then how much later that is, as Postgres writes times, or Numbers by what it is multiplied
	Texts   []string    // of enum and text, in small letters except for ids
	Numbers []float64   // of number
	Time    time.Time   // of date; Op is then AtLeast, AtMost, Above or Below, and of an instant
	Yes     bool        // of boolean
	Words   *Words      // of Said
}

// Dialect is how an engine writes conditions.
type Dialect interface {
	Compare(c Comparison) string
	Not(condition string) string
}

// LabelDialect is a Dialect of rows that have several labels. OfOneLabel writes that one
// of them meets all conditions, which are on fields of labels.
type LabelDialect interface {
	Dialect
	OfOneLabel(list []Comparison) (condition string, ok bool)
}

// Render writes f in a language, "" for the zero filter. It is Invalid where
// Checked would be, and where a date is relative.
func (f Filter) Render(l Dialect) (string, error) {
	switch {
	case f.IsZero():
		return "", nil
	case f.All != nil:
		return f.renderTogether(l)
	case f.Any != nil:
		return renderAll(f.Any, " OR ", l)
	case f.Not != nil:
		condition, err := f.Not.Render(l)
		if err != nil {
			return "", err
		}
		return l.Not(condition), nil
	}
	c, err := f.comparison(time.Time{})
	if err != nil {
		return "", err
	}
	if c.Words = f.Words; f.Field == Said && c.Words == nil {
		return "", errUnread
	}
	return l.Compare(c), nil
}

// renderTogether writes conditions that must all hold: those on a label, and on its score
// and its source, of one label, where l can say so.
func (f Filter) renderTogether(l Dialect) (string, error) {
	labels, ok := l.(LabelDialect)
	ofLabel, rest := f.ofOneLabel()
	if !ok || len(ofLabel) == 0 {
		return renderAll(f.All, " AND ", l)
	}
	list := make([]Comparison, len(ofLabel))
	for i, part := range ofLabel {
		c, err := part.comparison(time.Time{})
		if err != nil {
			return "", err
		}
		list[i] = c
	}
	condition, ok := labels.OfOneLabel(list)
	if !ok {
		return renderAll(f.All, " AND ", l)
	}
	if len(rest) == 0 {
		return condition, nil
	}
	others, err := renderAll(rest, " AND ", l)
	return "(" + condition + " AND " + others + ")", err
}

// ofOneLabel returns those parts of f that are about one label, if they say more of it
// than which it is, and the other parts.
func (f Filter) ofOneLabel() (ofLabel, rest []Filter) {
	named, more := false, false
	for _, part := range f.Parts() {
		of := part.Op != NotIn && part.Op != Missing
		named = named || of && part.Field == Label
		more = more || of && (part.Field == LabelScore || part.Field == LabelSource)
		if of && (part.Field == Label || part.Field == LabelScore || part.Field == LabelSource) {
			ofLabel = append(ofLabel, part)
		} else {
			rest = append(rest, part)
		}
	}
	if !named || !more {
		return nil, f.Parts()
	}
	return ofLabel, rest
}

// PairsLabels reports whether f asks for a label that has a certain score or source.
func (f Filter) PairsLabels() bool {
	if ofLabel, _ := f.ofOneLabel(); len(ofLabel) > 0 {
		return true
	}
	return f.Not != nil && f.Not.PairsLabels() || slices.ContainsFunc(slices.Concat(f.All, f.Any), Filter.PairsLabels)
}

func renderAll(list []Filter, joint string, l Dialect) (string, error) {
	parts := make([]string, len(list))
	for i, f := range list {
		part, err := f.Render(l)
		if err != nil {
			return "", err
		}
		parts[i] = part
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return "(" + strings.Join(parts, joint) + ")", nil
}

// Checked validates f for queries about s, and resolves relative dates to the time
// now. It is Invalid, with the reason, where f is no filter for s.
func (f Filter) Checked(s Source, now time.Time) (Filter, error) {
	if f.IsZero() {
		return f, nil
	}
	budget := mostConditions
	f, err := f.checked(s, now, mostDepth, &budget)
	if err != nil {
		return f, err
	}
	searches := 0
	f.each(func(c Filter) {
		if c.Field == Said {
			searches++
		}
	})
	if searches > mostSearches {
		return f, fault.Newf(fault.Invalid, "a filter may have %d conditions on %s", mostSearches, Said)
	}
	return f, nil
}

// Read is f with each condition on Said as read says. f itself stays as it is.
func (f Filter) Read(read func(op Op, text string) (Words, error)) (Filter, error) {
	if f.Field == Said {
		words, err := read(f.Op, f.Values[0])
		f.Words = &words
		return f, err
	}
	for _, list := range []*[]Filter{&f.All, &f.Any} {
		*list = slices.Clone(*list)
		for i, inner := range *list {
			var err error
			if (*list)[i], err = inner.Read(read); err != nil {
				return f, err
			}
		}
	}
	if f.Not != nil {
		inner, err := f.Not.Read(read)
		f.Not = &inner
		return f, err
	}
	return f, nil
}

func (f Filter) checked(s Source, now time.Time, depth int, budget *int) (Filter, error) {
	set := 0
	for _, is := range []bool{f.Field != "", f.All != nil, f.Any != nil, f.Not != nil} {
		if is {
			set++
		}
	}
	if set != 1 || f.Field == "" && (f.Op != "" || f.Values != nil || f.Than != "") {
		return f, errShape
	}
	if depth--; depth < 0 {
		return f, fault.Newf(fault.Invalid, "a filter may be %d levels deep", mostDepth)
	}
	var err error
	if f.Not != nil {
		inner, err := f.Not.checked(s, now, depth, budget)
		return Filter{Not: &inner}, err
	}
	for _, list := range []*[]Filter{&f.All, &f.Any} {
		if *list == nil {
			continue
		}
		if len(*list) == 0 {
			return f, fault.New(fault.Invalid, "all and any need conditions")
		}
		*list = slices.Clone(*list)
		for i := range *list {
			if (*list)[i], err = (*list)[i].checked(s, now, depth, budget); err != nil {
				return f, err
			}
		}
		return f, nil
	}
	if *budget--; *budget < 0 {
		return f, fault.Newf(fault.Invalid, "a filter may have %d conditions", mostConditions)
	}
	c, err := f.comparison(now)
	if err != nil {
		return f, err
	}
	if !slices.Contains(reach[s], c.Of) {
		return f, fault.Newf(fault.Invalid, "%s is no field of %s", f.Field, s)
	}
	if f.Than != "" {
		return f, nil
	}
	if len(f.Values) > mostValues {
		return f, fault.Newf(fault.Invalid, "%s has more than %d values", f.Field, mostValues)
	}
	if c.Kind == Date && len(f.Values) > 0 {
		return Filter{Field: f.Field, Op: c.Op, Values: []string{c.Time.UTC().Format(time.RFC3339Nano)}}, nil
	}
	return f, nil
}

// comparison understands a condition on a field. Without a time, dates must be
// absolute.
func (f Filter) comparison(now time.Time) (Comparison, error) {
	d, ok := Lookup(f.Field)
	if !ok {
		return Comparison{}, fault.Newf(fault.Invalid, "%q is no field", clip(string(f.Field)))
	}
	if f.Than != "" {
		return f.comparedWith(d)
	}
	if compares := f.Op == AtLeast || f.Op == AtMost || f.Op == Above || f.Op == Below; compares && d.mayBeSum() {
		d.Kind = Number
	} else if compares && d.Member != "" && len(f.Values) == 1 {
		d.Kind = Date // or a number: whichever the value is
		if _, err := strconv.ParseFloat(f.Values[0], 64); err == nil {
			d.Kind = Number
		}
	}
	taken := operators[d.Kind]
	if d.Field == Said || d.Key != "" {
		taken = d.Operators()
	}
	if !slices.Contains(taken, f.Op) {
		return Comparison{}, fault.Newf(fault.Invalid, "%s takes %s, not %q", f.Field, join(taken), clip(string(f.Op)))
	}
	if f.All != nil || f.Any != nil || f.Not != nil {
		return Comparison{}, errShape
	}
	c := Comparison{Definition: d, Op: f.Op}
	switch {
	case f.Op == Exists || f.Op == Missing:
		if len(f.Values) > 0 {
			return c, fault.Newf(fault.Invalid, "%s takes no values", f.Op)
		}
		return c, nil
	case len(f.Values) != 1 && (f.Op != In && f.Op != NotIn || d.Kind == Boolean):
		return c, fault.Newf(fault.Invalid, "%s of %s takes one value", f.Op, f.Field)
	}
	for _, v := range f.Values {
		if err := c.take(v, now); err != nil {
			return c, err
		}
	}
	return c, nil
}

// comparedWith understands a condition on d that has another field in place of values.
func (f Filter) comparedWith(d Definition) (Comparison, error) {
	other, ok := Lookup(f.Than)
	for _, side := range []*Definition{&d, &other} {
		if side.mayBeSum() {
			side.Kind = Number
		}
	}
	switch {
	case !ok:
		return Comparison{}, fault.Newf(fault.Invalid, "%q is no field", clip(string(f.Than)))
	case f.All != nil || f.Any != nil || f.Not != nil:
		return Comparison{}, errShape
	case !slices.Contains([]Op{AtLeast, AtMost, Above, Below}, f.Op):
		return Comparison{}, fault.Newf(fault.Invalid, "than goes with gte, lte, gt and lt, not with %q", clip(string(f.Op)))
	case !d.ComparesWith(other):
		return Comparison{}, fault.Newf(fault.Invalid, "%s cannot be compared with %s", f.Field, f.Than)
	}
	c := Comparison{Definition: d, Op: f.Op, Than: &other}
	if len(f.Values) == 0 {
		return c, nil
	}
	by := f.Values[0]
	factor, err := strconv.ParseFloat(by, 64)
	m := farther.FindStringSubmatch(by)
	switch {
	case len(f.Values) > 1:
		return c, fault.Newf(fault.Invalid, "%s of %s and %s takes one value at most", f.Op, f.Field, f.Than)
	case d.Kind == Date && m != nil:
		c.Texts = []string{m[1] + " " + map[string]string{"d": "days", "w": "weeks", "m": "months", "y": "years"}[m[2]]}
	case d.Kind == Number && err == nil && factor > 0 && !math.IsInf(factor, 0):
		c.Numbers = []float64{factor}
	default:
		return c, fault.Newf(fault.Invalid, "%q does not say how far %s is from %s: for dates +30d or -1y, for numbers a factor above 0", clip(by), f.Field, f.Than)
	}
	return c, nil
}

// farther is how far one date of a row is from another: +30d, -1y.
var farther = regexp.MustCompile(`^([+-]\d{1,5})([dwmy])$`)

// ComparesWith reports whether values of d can be compared with those of another field of the same
// file: both are dates, sums of money, durations, or other numbers alike.
func (d Definition) ComparesWith(other Definition) bool {
	own := func(d Definition) bool {
		return d.Of == Files && d.Member == "" && (d.Kind == Date || d.Kind == Number || d.mayBeSum())
	}
	date := func(d Definition) bool { return d.Kind == Date }
	return own(d) && own(other) && d.Field != other.Field && date(d) == date(other) && d.MayBeMoney() == other.MayBeMoney() && d.IsDuration() == other.IsDuration()
}

// take understands one value.
func (c *Comparison) take(v string, now time.Time) error {
	if len(v) > longestValue {
		return fault.Newf(fault.Invalid, "a value of %s is longer than %d bytes", c.Field, longestValue)
	}
	if strings.ContainsRune(v, 0) {
		return fault.Newf(fault.Invalid, "a value of %s has a NUL character", c.Field)
	}
	switch c.Kind {
	case Enum:
		if c.Op == Contains {
			if v = Fold(bare(v)); v == "" {
				return fault.Newf(fault.Invalid, "%s needs a value with letters", c.Field)
			}
		} else if c.IsPlace() {
			if place, ok := nlp.Place(v); ok {
				v = place.Name
			}
		}
		if !c.Names {
			v = Fold(v)
		}
		c.Texts = append(c.Texts, v)
	case Text:
		if c.Op == In || c.Op == NotIn {
			c.Texts = append(c.Texts, Fold(v))
			return nil
		}
		if v == "" {
			return fault.Newf(fault.Invalid, "%s needs a value that is not empty", c.Field)
		}
		c.Texts = append(c.Texts, norm.NFC.String(v)) // as names are kept
	case Number:
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return fault.Newf(fault.Invalid, "%q is no number, as %s needs one", clip(v), c.Field)
		}
		c.Numbers = append(c.Numbers, n)
	case Boolean:
		yes, err := strconv.ParseBool(v)
		if err != nil {
			return fault.Newf(fault.Invalid, "%s takes true or false", c.Field)
		}
		c.Yes = yes
	case Date:
		at, day, err := parseTime(v, now)
		if err != nil {
			return fault.Newf(fault.Invalid, "%q is no date, as %s needs one: 2026-03-31, an instant, today-30d, month, quarter+1", clip(v), c.Field)
		}
		if day { // it lasts until the next one
			switch c.Op { //nolint:exhaustive // the others are about its start
			case AtMost:
				c.Op, at = Below, nextDay(at)
			case Above:
				c.Op, at = AtLeast, nextDay(at)
			}
		}
		c.Time = at
	}
	return nil
}

// Punctuation are the characters that part the words of a value as spaces do.
const Punctuation = "-/(),.:;&"

// bare is a text with spaces in place of punctuation.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(Punctuation, r) {
			return ' '
		}
		return r
	}, text)
}

// Uses lists the fields that f has conditions on, each once, and those that they are compared with.
func (f Filter) Uses() []Field {
	var list []Field
	f.each(func(c Filter) {
		for _, field := range []Field{c.Field, c.Than} {
			if field != "" && !slices.Contains(list, field) {
				list = append(list, field)
			}
		}
	})
	return list
}

// Has reports whether one of f's conditions on fields is as told.
func (f Filter) Has(is func(Filter) bool) bool {
	found := false
	f.each(func(c Filter) { found = found || is(c) })
	return found
}

// UsesOf reports whether f has a condition on a field of s.
func (f Filter) UsesOf(s Source) bool {
	return slices.ContainsFunc(f.Uses(), func(field Field) bool {
		d, ok := Lookup(field)
		return ok && d.Of == s
	})
}

// Values are what a field is compared with. In JSON they may be strings, numbers and
// booleans.
type Values []string

// UnmarshalJSON reads a list of any of them.
func (v *Values) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var list []any
	if err := decoder.Decode(&list); err != nil || list == nil {
		*v = nil
		return err
	}
	*v = make(Values, len(list))
	for i, value := range list {
		switch value := value.(type) {
		case string:
			(*v)[i] = value
		case json.Number:
			(*v)[i] = value.String()
		case bool:
			(*v)[i] = strconv.FormatBool(value)
		default:
			return fault.New(fault.Invalid, "values are strings, numbers or booleans")
		}
	}
	return nil
}

// Valueless reports whether f has a condition that takes any number of values and
// has none: in of nothing never holds, and notIn of nothing always does.
func (f Filter) Valueless() bool {
	found := false
	f.each(func(c Filter) { found = found || (c.Op == In || c.Op == NotIn) && len(c.Values) == 0 })
	return found
}

// Asserts reports whether one part can show f for the whole: f is a condition, or
// any of several, on what is there. What is missing, and what holds of one part
// and another, is seen in the whole only.
func (f Filter) Asserts() bool {
	if f.All != nil || f.Not != nil || f.Op == NotIn || f.Op == Missing {
		return false
	}
	return !slices.ContainsFunc(f.Any, func(inner Filter) bool { return !inner.Asserts() })
}

// each calls do for every condition on a field.
func (f Filter) each(do func(Filter)) {
	if f.Field != "" {
		do(f)
	}
	for _, list := range [][]Filter{f.All, f.Any} {
		for _, inner := range list {
			inner.each(do)
		}
	}
	if f.Not != nil {
		f.Not.each(do)
	}
}

// Parts are the conditions that must all hold.
func (f Filter) Parts() []Filter {
	switch {
	case f.IsZero():
		return nil
	case f.All != nil:
		var list []Filter
		for _, part := range f.All {
			list = append(list, part.Parts()...)
		}
		return list
	}
	return []Filter{f}
}

// Without is f but for those of its parts that are about field alone.
func (f Filter) Without(field Field) Filter {
	return And(slices.DeleteFunc(f.Parts(), func(part Filter) bool {
		uses := part.Uses()
		return len(uses) == 1 && uses[0] == field
	})...)
}

func join[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

// clip is what an error quotes of a caller's word.
func clip(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
