package value

import (
	"strconv"
)

// percentages finds shares: "5%", "2.5 percent", "five per cent (5%)".
type percentages struct{}

func (p percentages) extract(t *Tape) []Mention {
	var found []Mention
	for i := 0; i < len(t.Lexemes); i++ {
		if l := &t.Lexemes[i]; l.Form != Number && !t.opensNumeral(i) {
			continue
		}
		value, next, ok := p.at(t, i)
		if !ok {
			continue
		}
		confidence := 0.97
		if value.Readings != nil {
			confidence = 0.5
		}
		found = append(found, Mention{t.Extent(i, next), Percentage, value, confidence})
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
		value, ok := p.figure(t, i)
		if !ok {
			return Value{}, i, false
		}
		if next = i + 1; value.Readings != nil {
			end, ok := p.sign(t, next)
			return value, end, ok
		}
		amount = value.Amount
	case t.opensNumeral(i):
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

// figure reads the number at lexeme i. One with a stop before three digits is a fraction in
// English texts: no percentage has thousands.
func (p percentages) figure(t *Tape, i int) (Value, bool) {
	readings, tails := t.readings(t.At(i)), t.tails(i)
	switch {
	case len(readings) == 0:
		return Value{}, false
	case len(tails) > 0 || len(readings) > 1 && t.comma:
		return Value{Readings: append(tails, readings...)}, true
	}
	return Value{Amount: readings[0]}, true
}

// bracketed reads "(5%)" and the word that may follow it.
func (p percentages) bracketed(t *Tape, i int) (Value, int, bool) {
	if !t.Is(i, "(") || !t.IsNumber(i+1) {
		return Value{}, i, false
	}
	value, ok := p.figure(t, i+1)
	if !ok {
		return Value{}, i, false
	}
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
	if t.words == nil {
		return i, false
	}
	if t.Is(i, "prozent", "procent", "percento", "pct") {
		return i + 1, true
	}
	for _, phrase := range [...]string{"pour cent", "por ciento", "per cento", "v . H .", "v . H"} {
		if next, ok := t.Follows(i, phrase); ok {
			return next, true
		}
	}
	return i, false
}

func decimalOf(n int) string { return strconv.Itoa(n) }
