package query

import (
	"slices"
	"strconv"
)

// Fact is something that a file says of itself under the key of an attribute.
type Fact struct {
	Key    string
	Normal string   // as values of attributes are compared
	Number *float64 // where it is one
	Day    *string  // where it is one
}

// Condition is that of having what a fact says: the same words, number or day.
// It is false where there is no such field, or the fact has none of these.
func (f Fact) Condition() (Filter, bool) {
	d, ok := Lookup(AttributeField(f.Key))
	switch {
	case !ok:
	case d.Kind == Enum:
		return Is(d.Field, f.Normal), true
	case d.Kind == Number && f.Number != nil:
		return Is(d.Field, strconv.FormatFloat(*f.Number, 'f', -1, 64)), true
	case d.Kind == Date && f.Day != nil:
		return And(Compare(d.Field, AtLeast, *f.Day), Compare(d.Field, AtMost, *f.Day)), true
	}
	return Filter{}, false
}

// Near is the condition of saying something like a fact: a day of the same year, or a number
// that is a quarter more or less at most. It is false for other facts.
func (f Fact) Near() (Filter, bool) {
	d, ok := Lookup(AttributeField(f.Key))
	switch {
	case !ok:
	case d.Kind == Number && f.Number != nil:
		least, most := *f.Number*0.75, *f.Number*1.25
		text := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
		return And(Compare(d.Field, AtLeast, text(min(least, most))), Compare(d.Field, AtMost, text(max(least, most)))), true
	case d.Kind == Date && f.Day != nil && len(*f.Day) > len("-01-01"):
		year := (*f.Day)[:len(*f.Day)-len("-01-01")]
		return And(Compare(d.Field, AtLeast, year+"-01-01"), Compare(d.Field, AtMost, year+"-12-31")), true
	}
	return Filter{}, false
}

// Suggestion is a condition on one field with the facts that it is made of.
type Suggestion struct {
	Condition Filter
	Facts     []int // places in the list that was given
}

// Suggest makes of facts a condition for each field, in their order. A field that
// takes values has all of them; of numbers and days the first is taken.
func Suggest(facts []Fact) []Suggestion {
	var all []Suggestion
	for i, fact := range facts {
		condition, ok := fact.Condition()
		if !ok {
			continue
		}
		at := slices.IndexFunc(all, func(s Suggestion) bool { return s.Condition.Uses()[0] == condition.Uses()[0] })
		switch {
		case at < 0:
			all = append(all, Suggestion{condition, []int{i}})
		case all[at].Condition.Op == In && !slices.Contains(all[at].Condition.Values, condition.Values[0]):
			all[at].Condition.Values = append(all[at].Condition.Values, condition.Values...)
			all[at].Facts = append(all[at].Facts, i)
		}
	}
	return all
}
