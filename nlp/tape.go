package nlp

import (
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
)

// tape is a text as words, numbers and marks, without the furniture of its
// pages. Extractors read it from left to right and look no further than a fixed
// number of lexemes, so that their work is linear.
type tape struct {
	text string
	lex  []lexeme
}

// lexeme is a word, a number or a mark. Offsets are bytes of the text.
type lexeme struct {
	start, end int32
	form       lexForm
	spaced     bool // white space stands before it
	initial    byte // its first byte, in lower case if it is a letter
	capital    bool // it is a word with a capital
	sense      lex.Sense
}

type lexForm uint8

const (
	aMark   lexForm = iota // one rune, or a run of the same
	aWord                  // letters, with apostrophes inside
	aNumber                // digits, with separators inside: "1,000.50", "06.04.2018"
)

// newTape reads text without its gaps, the running headers and footers, which are
// in order.
func newTape(text string, gaps []lex.Extent) *tape {
	text = text[:min(len(text), math.MaxInt32)]
	t := &tape{text: text, lex: make([]lexeme, 0, len(text)/5)}
	spaced := true
	for i := 0; i < len(text); {
		for len(gaps) > 0 && gaps[0].End <= i {
			gaps = gaps[1:]
		}
		if len(gaps) > 0 && gaps[0].Start <= i {
			i, spaced = gaps[0].End, true
			continue
		}
		c := text[i]
		if lex.ASCIISpace[c] {
			i, spaced = i+1, true
			continue
		}
		form, end := lexAt(text, i)
		if form == aMark && end == i {
			_, size := utf8.DecodeRuneInString(text[i:])
			i, spaced = i+size, true // white space beyond ASCII
			continue
		}
		l := lexeme{start: int32(i), end: int32(end), form: form, spaced: spaced, initial: c | 0x20}
		if form == aWord {
			l.sense, l.capital = lex.SenseOf(text[i:end]), lex.HasCapital(text[i:end])
		}
		t.lex = append(t.lex, l)
		i, spaced = end, false
	}
	return t
}

// lexAt returns the form and the end of the lexeme at i, or i where there is
// white space.
func lexAt(text string, i int) (lexForm, int) {
	c := text[i]
	switch {
	case lex.IsDigit(c):
		return aNumber, numberEnd(text, i)
	case lex.IsLetter(c):
		if rest := text[i+1:]; c == 'o' && len(rest) > 2 && rest[0] == 'f' && lex.IsCapital(rest[1]) && lex.IsLetter(rest[2]) && !lex.IsCapital(rest[2]) {
			return aWord, i + len("of") // "laws of the State ofTexas", which a scan runs together
		}
		return aWord, wordEnd(text, i+1)
	case c < utf8.RuneSelf:
		end := i + 1
		for end < len(text) && text[end] == c && repeated(c) {
			end++
		}
		return aMark, end
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	switch {
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return aWord, wordEnd(text, i+size)
	case unicode.IsSpace(r):
		return aMark, i
	}
	return aMark, i + size
}

// repeated reports whether runs of c are one mark: blanks to fill in and lines.
func repeated(c byte) bool { return c == '_' || c == '-' || c == '.' || c == '*' || c == '=' }

func wordEnd(text string, i int) int {
	for i < len(text) {
		c := text[i]
		if lex.IsLetter(c) {
			i++
			continue
		}
		if c == '\'' && i+1 < len(text) && lex.IsLetter(text[i+1]) {
			i += 2
			continue
		}
		if c < utf8.RuneSelf {
			return i
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '’' && i+size < len(text) && lex.IsLetter(text[i+size]) {
			i += size + 1
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return i
		}
		i += size
	}
	return i
}

// numberEnd returns the end of the number at i: digits, and separators that
// have the right number of digits behind them.
func numberEnd(text string, i int) int {
	i += lex.DigitPrefix(text[i:])
	for i+1 < len(text) {
		n := lex.DigitPrefix(text[i+1:])
		if text[i] == ',' && n >= 2 && n <= 3 || text[i] == '.' && n > 0 {
			i += 1 + n
			continue
		}
		break
	}
	return i
}

// at returns the words of lexeme i, "" outside the tape.
func (t *tape) at(i int) string {
	if i < 0 || i >= len(t.lex) {
		return ""
	}
	return t.text[t.lex[i].start:t.lex[i].end]
}

// is reports whether lexeme i is one of words, in any case.
func (t *tape) is(i int, words ...string) bool {
	if i < 0 || i >= len(t.lex) {
		return false
	}
	l := &t.lex[i]
	for _, word := range words {
		if len(word) == int(l.end-l.start) && word[0]|0x20 == l.initial && strings.EqualFold(word, t.text[l.start:l.end]) {
			return true
		}
	}
	return false
}

// follows reports whether the lexemes from i on are the words of phrase, and
// returns what comes behind.
func (t *tape) follows(i int, phrase string) (next int, ok bool) {
	for word := range strings.FieldsSeq(phrase) {
		if !t.is(i, word) {
			return i, false
		}
		i++
	}
	return i, true
}

func (t *tape) sense(i int) lex.Sense {
	if i < 0 || i >= len(t.lex) {
		return lex.Sense{}
	}
	return t.lex[i].sense
}

func (t *tape) form(i int) lexForm {
	if i < 0 || i >= len(t.lex) {
		return aMark
	}
	return t.lex[i].form
}

func (t *tape) isWord(i int) bool   { return t.form(i) == aWord }
func (t *tape) isNumber(i int) bool { return t.form(i) == aNumber }

// glued reports whether nothing stands between lexeme i and the one before.
func (t *tape) glued(i int) bool { return i > 0 && i < len(t.lex) && !t.lex[i].spaced }

// isUpper reports whether lexeme i is a word with a capital, which in names may
// be the second letter: "mPhase".
func (t *tape) isUpper(i int) bool { return i >= 0 && i < len(t.lex) && t.lex[i].capital }

// isQuote reports whether lexeme i is a double quotation mark.
func (t *tape) isQuote(i int) bool { return t.is(i, `"`, "“", "”", "„", "«", "»") }

// extent covers the lexemes from i up to but not next.
func (t *tape) extent(i, next int) lex.Extent {
	return lex.Extent{Start: int(t.lex[i].start), End: int(t.lex[next-1].end)}
}

// quote returns the words of the lexemes from i up to next on one line.
func (t *tape) quote(i, next int) string {
	e := t.extent(i, next)
	return lex.Unwrap(t.text[e.Start:e.End])
}

// find returns the first lexeme at or after the byte offset.
func (t *tape) find(offset int) int {
	return sort.Search(len(t.lex), func(i int) bool { return int(t.lex[i].start) >= offset })
}

// newline reports whether a line break stands before lexeme i.
func (t *tape) newline(i int) bool {
	if i <= 0 || i >= len(t.lex) {
		return true
	}
	return strings.ContainsAny(t.text[t.lex[i-1].end:t.lex[i].start], "\n\f")
}

// apart reports whether so much white space stands before lexeme i that what
// follows is another part of the page: a blank line or a wide gap.
func (t *tape) apart(i int) bool {
	const wide = 6
	if i <= 0 || i >= len(t.lex) {
		return true
	}
	space := t.text[t.lex[i-1].end:t.lex[i].start]
	return strings.Count(space, "\n") > 1 || strings.Contains(space, "\f") || !strings.Contains(space, "\n") && len(space) >= wide
}

// gap reports whether there is more white space before lexeme i than between
// words.
func (t *tape) gap(i int) bool {
	const wide = 3
	return i <= 0 || i >= len(t.lex) || t.lex[i].start-t.lex[i-1].end >= wide
}

// blank returns what follows a blank to fill in at i, "____" or "[●]" or
// "[***]", and i where there is none.
func (t *tape) blank(i int) int {
	switch at := t.at(i); {
	case strings.HasPrefix(at, "__"), at == "●", at == "•":
		return i + 1
	case at == "[" || at == "<":
		for j := i + 1; j < i+8 && t.form(j) == aMark; j++ {
			if t.is(j, "]", ">") {
				return j + 1
			}
		}
	}
	return i
}

// count reads a whole number of at most six digits at i, in figures.
func (t *tape) count(i int) (int, bool) {
	if !t.isNumber(i) || len(t.at(i)) > 7 {
		return 0, false
	}
	n, err := strconv.Atoi(strings.ReplaceAll(t.at(i), ",", ""))
	return n, err == nil
}

// numeral reads a number in words at i: "two hundred and fifty", "twenty-five".
// An ordinal may close it: "twenty-first".
func (t *tape) numeral(i int) (n int, next int, ok bool) {
	const most = 1_000_000_000_000
	total, part := 0, 0
	next = i
	for j := i; j < i+20; j++ {
		s := t.sense(j)
		switch {
		case s.Class == lex.NumeralWord || s.Class == lex.OrdinalWord:
			if part%100 != 0 && (part%100 < 20 || s.Value >= 10) {
				return total + part, next, ok // another number: "one two"
			}
			part += int(s.Value)
		case s.Class == lex.HundredWord && ok:
			part = max(part, 1) * 100
		case s.Class == lex.ScaleWord && ok:
			scale := 1
			for range int(s.Value) {
				scale *= 10
			}
			if part >= most/scale {
				return total, next, ok
			}
			total, part = total+max(part, 1)*scale, 0
		case ok && (t.is(j, "and") || t.is(j, "-")) && (t.sense(j+1).Class == lex.NumeralWord || t.sense(j+1).Class == lex.OrdinalWord):
			if t.is(j, "and") && total == 0 && part < 100 {
				return total + part, next, ok
			}
			continue
		default:
			return total + part, next, ok
		}
		next, ok = j+1, true
		if s.Class == lex.OrdinalWord {
			return total + part, next, true
		}
	}
	return total + part, next, ok
}

// quantity reads a whole number at i, in words, in figures or in both: "30",
// "thirty", "thirty (30)", "(30)". Of two that differ the figures hold.
func (t *tape) quantity(i int) (n int, next int, ok bool) {
	if n, next, ok = t.numeral(i); ok {
		if t.sense(next-1).Class == lex.OrdinalWord {
			return 0, i, false
		}
		j := next
		if t.is(j, "-") {
			j++
		}
		if figures, ok := t.count(j + 1); ok && t.is(j, "(", "[") && t.is(j+2, ")", "]") {
			return figures, j + 3, true
		}
		if figures, ok := t.count(j); ok && j == next {
			return figures, j + 1, true
		}
		return n, next, true
	}
	if n, ok = t.count(i); ok {
		if _, after, ok := t.numeral(i + 2); ok && t.is(i+1, "(") && t.is(after, ")") {
			return n, after + 1, true
		}
		return n, i + 1, true
	}
	if n, ok = t.count(i + 1); ok && t.is(i, "(") && t.is(i+2, ")") {
		return n, i + 3, true
	}
	return 0, i, false
}
