package query

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// What is here has a language model write queries of questions that the grammar does not
// understand. What it writes is foreign text: it goes through the same allow-list as what
// anybody else asks, names no value that there is not, and is shown in words.

//go:embed prompts/system.txt
var writerPrompt string

var writerTemplate = template.Must(template.New("writer").Parse(writerPrompt))

// mostTold is how many values of a field a model is told.
const mostTold = 300

// told are the values of a field in a model's prompt.
type told struct {
	Field   Field
	Options []Option
}

// WriterPrompt is what a model is told before a question: the fields, and the names of
// labels and types of documents. Names of matters and parties are not among it.
func WriterPrompt(v Vocabulary) (string, error) {
	var fields []Definition
	for _, s := range []Source{Files, Sentences, Attributes, Matters} {
		for _, d := range Fields(s) {
			if !slices.Contains(fields, d) {
				fields = append(fields, d)
			}
		}
	}
	for _, key := range v.Keys {
		if d, ok := Lookup(AttributeField(key)); ok {
			fields = append(fields, d)
		}
	}
	for _, own := range v.Own {
		if i := slices.IndexFunc(fields, func(d Definition) bool { return d.Key == own.Value }); i >= 0 {
			fields[i].Label = own.Name
		}
	}
	var values []told
	for _, f := range []Field{DocumentType, Label} {
		options := v.Values[f]
		values = append(values, told{f, options[:min(len(options), mostTold)]})
	}
	var text bytes.Buffer
	err := writerTemplate.Execute(&text, map[string]any{"Fields": fields, "Values": values})
	return text.String(), err
}

// nothingWritten is what a model writes that has no query for a question.
const nothingWritten = "NOTHING"

// ReadWritten is the configuration that a model wrote for a question, with what it means.
// It is Invalid, with the reason, where the model wrote none, or one that asks for fields
// or values that there are not.
func ReadWritten(written, question string, v Vocabulary, now time.Time) (Config, Understood, error) {
	var c struct {
		Kind  Chart `json:"kind"`
		Query Query `json:"query"`
	}
	written = strings.TrimSpace(written)
	if written == nothingWritten {
		return Config{}, Understood{}, fault.New(fault.Invalid, "the language model has no query for it either")
	}
	start, end := strings.IndexByte(written, '{'), strings.LastIndexByte(written, '}')
	if start < 0 || end < start {
		return Config{}, Understood{}, fault.New(fault.Invalid, "the language model wrote no query")
	}
	from := json.NewDecoder(strings.NewReader(written[start : end+1]))
	from.DisallowUnknownFields()
	if err := from.Decode(&c); err != nil {
		return Config{}, Understood{}, fault.Wrap(fault.Invalid, "the language model wrote no query that can be read", err)
	}
	if _, err := from.Token(); !errors.Is(err, io.EOF) {
		return Config{}, Understood{}, fault.New(fault.Invalid, "the language model wrote more than one query")
	}
	if c.Query.Source == Audit {
		return Config{}, Understood{}, fault.New(fault.Invalid, "the language model asked for what was done, which it may not")
	}
	if !slices.Contains([]Chart{NumberChart, BarChart, LineChart, PieChart, TableChart}, c.Kind) {
		c.Kind = TableChart
	}
	if _, err := c.Query.Checked(now); err != nil {
		return Config{}, Understood{}, err
	}
	for _, list := range [][]Filter{c.Query.Filters, c.Query.Metric.Filters, c.Query.Only} {
		for i, f := range list {
			var err error
			if list[i], err = v.known(f); err != nil {
				return Config{}, Understood{}, err
			}
		}
	}
	title := titleOf(question)
	return Config{title, c.Kind, c.Query}, Understood{title, v.words(c.Query)}, nil
}

// known is f with the values that there are in place of their names.
func (v Vocabulary) known(f Filter) (Filter, error) {
	each := func(list []Filter) (known []Filter, err error) {
		for _, part := range list {
			if part, err = v.known(part); err != nil {
				return nil, err
			}
			known = append(known, part)
		}
		return known, nil
	}
	var err error
	if f.Not != nil {
		var not Filter
		not, err = v.known(*f.Not)
		f.Not = &not
		return f, err
	}
	if f.All, err = each(f.All); err != nil {
		return f, err
	}
	if f.Any, err = each(f.Any); err != nil || f.Field == "" {
		return f, err
	}
	d, _ := Lookup(f.Field)
	if d.Kind != Enum || f.Than != "" {
		return f, nil
	}
	var values Values
	for _, value := range f.Values {
		found := v.valuesOf(f.Field, value)
		if len(found) == 0 {
			return f, fault.Newf(fault.Invalid, "the language model took %q for a value of %s, which it is not", clip(value), strings.ToLower(d.Label))
		}
		values = append(values, found...)
	}
	f.Values = values
	return f, nil
}

// valuesOf are the values of a field that a name stands for: the one that has it, else those of
// which it is a part.
func (v Vocabulary) valuesOf(f Field, name string) (found []string) {
	same := func(o Option) bool { return Fold(o.Value) == Fold(name) || Fold(o.Name) == Fold(name) }
	options := v.Values[f]
	if i := slices.IndexFunc(options, same); i >= 0 {
		return []string{options[i].Value}
	}
	if f == Label || f == DocumentType {
		return nil
	}
	if v.Find == nil {
		return []string{name}
	}
	options = v.Find(f, name)
	if i := slices.IndexFunc(options, same); i >= 0 {
		return []string{options[i].Value}
	}
	for _, o := range options {
		found = append(found, o.Value)
	}
	return found
}

// words says what a query asks for.
func (v Vocabulary) words(q Query) string {
	ops := map[MetricOp]string{Count: "number of ", CountDistinct: "number of different ", Sum: "sum of ", Avg: "average of ", Min: "least ", Max: "greatest ", Median: "median of "}
	said := ops[q.Metric.Op] + string(q.Source)
	switch {
	case q.Metric.Op == Share:
		if said = string(q.Source); q.Metric.Field != "" {
			said = "the sum of " + v.label(q.Metric.Field) + " of " + said
		}
		said = "percentage of " + said + " of which is true that " + v.together(q.Metric.Filters, " and ")
	case q.Metric.Field != "":
		said = ops[q.Metric.Op] + v.label(q.Metric.Field) + " of " + string(q.Source)
		if unit := q.Metric.Unit; unit != "" {
			figure := strings.TrimSuffix(v.label(q.Metric.Field), " in days") + " in " + string(unit) + "s"
			if q.Metric.Measured().Kind == Date {
				figure = "time in " + string(unit) + "s since " + v.label(q.Metric.Field)
			}
			said = ops[q.Metric.Op] + figure + " of " + string(q.Source)
		}
	}
	for i, f := range q.GroupBy {
		said += []string{", by ", " and "}[min(i, 1)] + v.label(f)
	}
	if q.Bucket != "" {
		said += ", each " + string(q.Bucket)
	}
	if len(q.Filters) > 0 {
		said += ", where " + v.together(q.Filters, " and ")
	}
	if len(q.Only) > 0 {
		said += ", only groups where " + v.together(q.Only, " and ")
	}
	if q.Across != "" {
		said = ops[q.Across] + "the groups of: " + said
	}
	for i, b := range q.Having {
		said += []string{", of groups whose figure ", " and "}[min(i, 1)] + comparisons[b.Op] + " " + b.words()
	}
	return said
}

// words say what b is compared with.
func (b Bound) words() string {
	value := strconv.FormatFloat(b.Value, 'f', -1, 64)
	if b.Across == "" {
		return value
	}
	whole := map[MetricOp]string{Sum: "sum", Avg: "average", Min: "least", Max: "greatest"}[b.Across] + " of all groups"
	if b.Value == 1 {
		return "the " + whole
	}
	return value + " times the " + whole
}

// label is what a field is called.
func (v Vocabulary) label(f Field) string {
	d, _ := Lookup(f)
	if i := slices.IndexFunc(v.Own, func(o Option) bool { return o.Value == d.Key }); i >= 0 {
		return v.Own[i].Name
	}
	return strings.ToLower(d.Label)
}

func (v Vocabulary) together(list []Filter, with string) string {
	var parts []string
	for _, f := range list {
		parts = append(parts, v.condition(f))
	}
	return strings.Join(parts, with)
}

// comparisons are the operators in words.
var comparisons = map[Op]string{
	In: "is", NotIn: "is not", Contains: "contains", Matches: "matches", StartsWith: "begins with", AtLeast: "is at least", AtMost: "is at most",
	Above: "is above", Below: "is below", Exists: "is there", Missing: "is missing",
}

// condition says a filter.
func (v Vocabulary) condition(f Filter) string {
	switch {
	case f.Not != nil:
		return "not (" + v.condition(*f.Not) + ")"
	case len(f.All) > 0:
		return "(" + v.together(f.All, " and ") + ")"
	case len(f.Any) > 0:
		return "(" + v.together(f.Any, " or ") + ")"
	}
	if f.Than != "" {
		said := v.label(f.Field) + " " + comparisons[f.Op] + " " + v.label(f.Than) + " of the same file"
		if len(f.Values) > 0 {
			said += ", by " + f.Values[0]
		}
		return said
	}
	names := make([]string, len(f.Values))
	for i, value := range f.Values {
		names[i] = value
		if at := slices.IndexFunc(v.Values[f.Field], func(o Option) bool { return o.Value == value }); at >= 0 {
			names[i] = v.Values[f.Field][at].Name
		}
	}
	return strings.TrimSpace(v.label(f.Field) + " " + comparisons[f.Op] + " " + strings.Join(names, " or "))
}
