package value

import (
	"strconv"

	"github.com/clausemill/clausemill/nlp/lex"
)

// percentages finds shares: "5%", "2.5 percent", "five per cent (5%)".
type percentages struct{}

func (p percentages) extract(t *Tape) []Mention {
	var found []Mention
	for i := 0; i < len(t.Lexemes); i++ {
		if l := &t.Lexemes[i]; l.Form != Number && l.sense.Class != lex.NumeralWord {
			continue
		}
		value, next, ok := p.at(t, i)
		if !ok {
			continue
		}
		found = append(found, Mention{t.Extent(i, next), Percentage, value, 0.97})
		i = next - 1
	}
	return found
}

// at reads the percentage at lexeme i.
func (p percentages) at(t *Tape, i int) (Value, int, bool) {
	var amount string
	var next int
	switch {
	case t.IsNumber(i):
		readings := decimals(t.At(i))
		if len(readings) == 0 {
			return Value{}, i, false
		}
		amount, next = readings[0], i+1
	case t.Sense(i).Class == lex.NumeralWord:
		n, after, ok := t.numeral(i)
		if !ok {
			return Value{}, i, false
		}
		amount, next = decimalOf(n), after
	default:
		return Value{}, i, false
	}
	if value, end, ok := p.bracketed(t, next); ok {
		return value, end, true
	}
	end, ok := p.sign(t, next)
	if !ok {
		return Value{}, i, false
	}
	if value, after, ok := p.bracketed(t, end); ok {
		return value, after, true
	}
	return Value{Amount: amount}, end, true
}

// bracketed reads "(5%)" and the word that may follow it.
func (p percentages) bracketed(t *Tape, i int) (Value, int, bool) {
	if !t.Is(i, "(") || !t.IsNumber(i+1) {
		return Value{}, i, false
	}
	readings := decimals(t.At(i + 1))
	if len(readings) == 0 {
		return Value{}, i, false
	}
	value := Value{Amount: readings[0]}
	end, inside := p.sign(t, i+2)
	if !t.Is(end, ")") {
		return Value{}, i, false
	}
	end++
	if after, ok := p.sign(t, end); ok && !inside {
		return value, after, true
	}
	return value, end, inside
}

// sign reads "%", "percent" or "per cent", and returns what follows.
func (p percentages) sign(t *Tape, i int) (int, bool) {
	switch {
	case t.Is(i, "%", "percent", "％"):
		return i + 1, true
	case t.Is(i, "per") && t.Is(i+1, "cent"):
		return i + 2, true
	}
	return i, false
}

func decimalOf(n int) string { return strconv.Itoa(n) }
