package field

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// Kind says what the values of a field are.
type Kind string

// The closed set of kinds.
const (
	Text   Kind = "text"
	Number Kind = "number"
	Date   Kind = "date"
	Money  Kind = "money"
	Choice Kind = "choice"
)

// measured reports whether values are dates, amounts or numbers, of which most contracts
// have some of other matters.
func (k Kind) measured() bool { return k == Number || k == Date || k == Money }

// Question is what a field asks for.
type Question struct {
	Kind     Kind
	Words    []string // its name, the question in words and examples of answers, as far as they are given
	Choices  []string // of a Choice
	Language string   // ISO 639-1 of the text; "" where that is not known
}

// ValueOf reads what words that somebody marked, or typed, answer to q. It is false
// where they hold no value of the kind. Of several values the first counts.
func ValueOf(q Question, words string) (value.Value, bool) {
	line := lex.Unwrap(words)
	switch q.Kind {
	case Text:
		return value.Value{Name: line}, line != ""
	case Choice:
		i := slices.IndexFunc(q.Choices, func(c string) bool { return strings.EqualFold(c, line) })
		if i < 0 {
			i = slices.IndexFunc(q.Choices, func(c string) bool { return says(plainWords(line), plainWords(c)) })
		}
		if i < 0 {
			return value.Value{}, false
		}
		return value.Value{Name: q.Choices[i]}, true
	default:
		found := mentions(q, words, nil)
		if len(found) == 0 {
			return value.Value{}, false
		}
		return found[0].Value, true
	}
}

// Found is a value in words, and its place in them.
type Found struct {
	Value value.Value
	lex.Span
}

// ValuesIn returns the values of q in words, in order; none for texts and choices, which
// are what somebody takes them for.
func ValuesIn(q Question, words string) []Found {
	offsets := lex.NewOffsets(words)
	var list []Found
	for _, m := range mentions(q, words, nil) {
		list = append(list, Found{m.Value, lex.Span{Start: offsets.CodePoint(m.Start), End: offsets.CodePoint(m.End)}})
	}
	return list
}

// mentions finds the values of a kind in text, in order.
func mentions(q Question, text string, gaps []lex.Extent) []value.Mention {
	tape := value.NewTape(q.Language, text, gaps)
	found := value.Find(tape, lex.MaybeEnglish(q.Language))
	switch q.Kind {
	case Date:
		return slices.DeleteFunc(found, func(m value.Mention) bool { return m.Key != value.Date || m.Value.Date == "" })
	case Money:
		return slices.DeleteFunc(found, func(m value.Mention) bool { return m.Key != value.Money || m.Value.Amount == "" })
	case Number:
		return numbers(tape, found)
	default:
		return nil
	}
}

// numbers are the lengths of time and percentages of a text, without their units, and
// the figures that are part of nothing else.
func numbers(tape *value.Tape, found []value.Mention) []value.Mention {
	var list []value.Mention
	for _, m := range found {
		switch {
		case m.Key == value.Period && len(m.Value.Duration) > 2:
			m.Value = value.Value{Amount: m.Value.Duration[1 : len(m.Value.Duration)-1]}
		case m.Key != value.Percentage || m.Value.Amount == "":
			continue
		default:
			m.Value = value.Value{Amount: m.Value.Amount}
		}
		list = append(list, m)
	}
	for i, next := range tape.Lexemes {
		if next.Form != value.Number || slices.ContainsFunc(found, func(m value.Mention) bool { return m.Start <= int(next.Start) && int(next.End) <= m.End }) {
			continue
		}
		if amount, ok := figure(tape.At(i)); ok {
			list = append(list, value.Mention{Extent: tape.Extent(i, i+1), Key: bareFigure, Value: value.Value{Amount: amount}})
		}
	}
	value.Sort(list)
	return list
}

// bareFigure is the key of a number that nothing is said of.
const bareFigure value.Key = "figure"

// figure is the number that digits write, with commas between thousands.
func figure(s string) (amount string, ok bool) {
	s = strings.ReplaceAll(s, ",", "")
	if strings.Count(s, ".") > 1 || len(s) > 15 {
		return "", false
	}
	return s, true
}

// plainWords are the words of a text in small letters, with a blank around each.
func plainWords(text string) string {
	var b strings.Builder
	for word := range lex.Words(text, false) {
		b.WriteString(" " + word)
	}
	return b.String() + " "
}

// says reports whether one text has all words of another in their order. Both are
// plainWords.
func says(text, words string) bool { return len(words) > 1 && strings.Contains(text, words) }
