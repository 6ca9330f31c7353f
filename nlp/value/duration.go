package value

import (
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// periods finds lengths of time: "thirty (30) days", "a 12-month period",
// "five (5) business days' notice".
type periods struct{}

func (p periods) extract(t *Tape) []Mention {
	var found []Mention
	for i := 0; i < len(t.Lexemes); i++ {
		if !t.IsNumber(i) && !t.opensNumeral(i) && !t.Is(i, "(") {
			continue
		}
		value, next, ok := p.at(t, i)
		if !ok {
			continue
		}
		found = append(found, Mention{t.Extent(i, next), Period, value, 0.95})
		i = next - 1
	}
	return found
}

// at reads the period at lexeme i.
func (p periods) at(t *Tape, i int) (Value, int, bool) {
	n, next, ok := t.Quantity(i)
	if !ok || n < 1 || n > 9999 {
		return Value{}, i, false
	}
	value := Value{}
	for t.words != nil && t.words.Between[strings.ToLower(t.At(next))] && next < i+12 {
		next++
	}
	for range 4 {
		switch {
		case t.Is(next, "business", "working"), t.Is(next, "trading", "banking"):
			value.Business = true
		case t.Is(next, "-", "–", "calendar", "consecutive", "additional", "successive", "full", "contract", "further", "more", "complete", "continuous"):
		default:
			return p.finish(t, i, next, n, value)
		}
		next++
	}
	return p.finish(t, i, next, n, value)
}

func (p periods) finish(t *Tape, i, next, n int, value Value) (Value, int, bool) {
	s := t.Sense(next)
	if s.Class != lex.UnitWord || t.Is(next+1, "of") && s.Value == 'D' && t.Sense(next+2).Class == lex.MonthWord {
		return Value{}, i, false
	}
	value.Duration = ISODuration(n, unit(s.Value))
	if t.words != nil {
		value.Business = t.words.Business[strings.ToLower(t.At(next))]
		if after := strings.ToLower(t.At(next + 1)); t.words.Business[after] || t.words.Between[after] {
			value.Business = value.Business || t.words.Business[after]
			next++
		}
		for _, half := range [...]string{"et demi", "et demie", "y medio", "y media", "e mezzo", "e mezza"} {
			if _, ok := t.Follows(next+1, half); ok {
				return Value{}, i, false
			}
		}
	}
	return value, next + 1, true
}

// ISODuration writes a length of time as ISO 8601 does, which knows no
// quarters.
func ISODuration(n int, unit unit) string {
	if unit == 'Q' {
		n, unit = 3*n, 'M'
	}
	return "P" + strconv.Itoa(n) + string(rune(unit))
}

// unit is a unit of time, as ISO 8601 writes it.
type unit = int
