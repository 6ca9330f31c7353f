package value

import (
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Tape is a text as words, numbers and marks, without the furniture of its
// pages. Extractors read it from left to right and look no further than a fixed
// number of lexemes, so that their work is linear.
type Tape struct {
	text    string
	Lexemes []Lexeme

	words    *lex.Lexicon // of a language other than English, if it is one that is known
	language string       // ISO 639-1
	foreign  bool         // it is in a language other than English
	comma    bool         // the comma is before fractions and the stop parts groups: "1.234,56"
}

// Lexeme is a word, a number or a mark. Offsets are bytes of the text.
type Lexeme struct {
	Start, End int32
	Form       Form
	spaced     bool // white space is before it
	Initial    byte // its first byte, in lower case if it is a letter
	capital    bool // it is a word with a capital
	sense      lex.Sense
}

// Form is what sort of lexeme one is.
type Form uint8

// The closed set of forms.
const (
	Mark   Form = iota // one rune, or a run of the same
	Word               // letters, with apostrophes inside
	Number             // digits, with separators inside: "1,000.50", "06.04.2018"
)

// NewTape reads text in a language, an ISO 639-1 code, without its gaps, the running
// headers and footers, which are in order.
func NewTape(language, text string, gaps []lex.Extent) *Tape {
	text = text[:min(len(text), math.MaxInt32)]
	t := &Tape{text: text, Lexemes: make([]Lexeme, 0, len(text)/5), words: lex.LexiconOf(language), language: language, foreign: !lex.MaybeEnglish(language)}
	t.comma = t.words != nil && !pointsFractions(text)
	spaced := true
	ungrouped := 0 // where figures may be in groups again
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
		if (c == '*' || c == '_') && emphasises(text, i) {
			i += 2
			continue
		}
		form, end := lexAt(text, i)
		if form == Number {
			if t.words != nil {
				end = fractionEnd(text, end)
			}
			if i >= ungrouped {
				end, ungrouped = groupsEnd(text, i, end, t.foreign)
			}
		}
		if form == Mark && end == i {
			_, size := utf8.DecodeRuneInString(text[i:])
			i, spaced = i+size, true // white space beyond ASCII
			continue
		}
		l := Lexeme{Start: int32(i), End: int32(end), Form: form, spaced: spaced, Initial: c | 0x20}
		if form == Word {
			l.sense, l.capital = t.senseOf(text[i:end]), lex.HasCapital(text[i:end])
		}
		t.Lexemes = append(t.Lexemes, l)
		i, spaced = end, false
	}
	return t
}

// emphasises reports whether the two bytes at i are a mark of emphasis that Markdown puts
// around words, "**Acme Inc.**", and no blank or redaction, "[**]".
func emphasises(text string, i int) bool {
	if i+1 >= len(text) || text[i+1] != text[i] || i > 0 && text[i-1] == text[i] || i+2 < len(text) && text[i+2] == text[i] {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+2:])
	opens := (i == 0 || unicode.IsSpace(before) || strings.ContainsRune("(“\"‘$£€", before)) && (unicode.IsLetter(after) || unicode.IsDigit(after) || strings.ContainsRune("“\"‘$£€", after))
	closes := (unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune(".,:;)”\"’%", before)) && (i+2 == len(text) || unicode.IsSpace(after) || strings.ContainsRune(".,:;)”\"’", after))
	return opens || closes
}

func (t *Tape) senseOf(word string) lex.Sense {
	if t.words == nil {
		return lex.SenseOf(word)
	}
	if word[0]|0x20 == 'd' {
		if s := t.words.SenseOf(cutElision(word)); s.Class == lex.NumeralWord {
			return s // "une durée d'un an"
		}
	}
	if rest := word[elided(word):]; rest != "" && len(rest) < len(word) {
		if s := t.words.SenseOf(rest); s.Class == lex.BodyWord {
			return s // "l'Association"
		}
	}
	return t.words.SenseOf(word)
}

// elided returns how many bytes of word are a small word that lost its vowel, with its
// apostrophe: those of "l'" in "l'Association".
func elided(word string) int {
	i := strings.IndexAny(word, "'’")
	if i < 0 || !unicode.IsLower(rune(word[0])) && i > 1 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(word[i:])
	return i + size
}

// fractionEnd returns the end of the figure that ends at end with a fraction of one
// digit, "12,5", which no English one has.
func fractionEnd(text string, end int) int {
	if end+1 < len(text) && text[end] == ',' && lex.DigitPrefix(text[end+1:]) == 1 {
		return end + 2
	}
	return end
}

// mostGroups bounds the groups of three digits behind the first: a row of more is a
// table, and no figure.
const mostGroups = 6

// groupsEnd returns the end of a figure whose digits are parted in groups of three by
// spaces or apostrophes, "12 500,00" or "12'500.00", of which text[i:end] is the first;
// end where it is none. In English texts spaces count only before a comma and a
// fraction, which no English figure has. Where the groups are no figure none of them
// begins one before again, so that each is read once.
func groupsEnd(text string, i, end int, foreign bool) (next, again int) {
	if end-i > 3 || end >= len(text) || lex.DigitPrefix(text[i:end]) != end-i {
		return end, end
	}
	separator, size := utf8.DecodeRuneInString(text[end:])
	if !strings.ContainsRune(groupMarks, separator) {
		return end, end
	}
	groups, fraction := 0, false
	next, again = end, end
	for next+size < len(text) && strings.HasPrefix(text[next:], text[end:end+size]) && lex.DigitPrefix(text[next+size:]) == 3 {
		again = next + size
		next = again + 3
		groups++
	}
	if groups == 0 || groups > mostGroups {
		return end, again
	}
	if next+1 < len(text) && (text[next] == ',' || text[next] == '.') {
		digits := lex.DigitPrefix(text[next+1:])
		fraction = text[next] == ',' && digits > 0
		if digits > 0 {
			next += 1 + digits
		}
	}
	if next < len(text) && (lex.IsLetter(text[next]) || text[next] == '.' && next+1 < len(text) && lex.IsDigit(text[next+1])) {
		return end, again
	}
	if foreign || fraction || separator == '\'' || separator == '’' {
		return next, next
	}
	return end, again
}

// pointsFractions reports whether figures of text show that it has a stop before
// fractions, "1,234.56" or "12'500.00", more often than a comma, as Swiss texts do.
func pointsFractions(text string) bool {
	stops, commas := 0, 0
	for i := 0; i < len(text); i++ {
		if !lex.IsDigit(text[i]) {
			continue
		}
		end := numberEnd(text, i)
		end, again := groupsEnd(text, i, end, true)
		figure := text[i:end]
		if at := strings.LastIndexAny(figure, ".,"); at > 0 && len(figure)-at == 3 && strings.Count(figure, figure[at:at+1]) == 1 {
			if figure[at] == '.' {
				stops++
			} else {
				commas++
			}
		}
		i = max(end, again-1)
	}
	return stops > commas
}

// lexAt returns the form and the end of the lexeme at i, or i where there is
// white space.
func lexAt(text string, i int) (Form, int) {
	c := text[i]
	switch {
	case lex.IsDigit(c):
		return Number, numberEnd(text, i)
	case lex.IsLetter(c):
		if rest := text[i+1:]; c == 'o' && len(rest) > 2 && rest[0] == 'f' && lex.IsCapital(rest[1]) && lex.IsLetter(rest[2]) && !lex.IsCapital(rest[2]) {
			return Word, i + len("of") // "laws of the State ofTexas", which a scan runs together
		}
		return Word, wordEnd(text, i+1)
	case c < utf8.RuneSelf:
		end := i + 1
		for end < len(text) && text[end] == c && repeated(c) {
			end++
		}
		return Mark, end
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	switch {
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return Word, wordEnd(text, i+size)
	case unicode.IsSpace(r):
		return Mark, i
	}
	return Mark, i + size
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

// At returns the words of lexeme i, "" outside the tape.
func (t *Tape) At(i int) string {
	if i < 0 || i >= len(t.Lexemes) {
		return ""
	}
	return t.text[t.Lexemes[i].Start:t.Lexemes[i].End]
}

// Is reports whether lexeme i is one of words, in any case.
func (t *Tape) Is(i int, words ...string) bool {
	if i < 0 || i >= len(t.Lexemes) {
		return false
	}
	l := &t.Lexemes[i]
	for _, word := range words {
		if len(word) == int(l.End-l.Start) && word[0]|0x20 == l.Initial && strings.EqualFold(word, t.text[l.Start:l.End]) {
			return true
		}
	}
	return false
}

// Follows reports whether the lexemes from i on are the words of phrase, and
// returns what comes behind.
func (t *Tape) Follows(i int, phrase string) (next int, ok bool) {
	for word := range strings.FieldsSeq(phrase) {
		if !t.Is(i, word) {
			return i, false
		}
		i++
	}
	return i, true
}

// Sense returns what lexeme i means.
func (t *Tape) Sense(i int) lex.Sense {
	if i < 0 || i >= len(t.Lexemes) {
		return lex.Sense{}
	}
	return t.Lexemes[i].sense
}

// Form returns that of lexeme i; outside the tape there are marks.
func (t *Tape) Form(i int) Form {
	if i < 0 || i >= len(t.Lexemes) {
		return Mark
	}
	return t.Lexemes[i].Form
}

// IsWord reports whether lexeme i is a word.
func (t *Tape) IsWord(i int) bool { return t.Form(i) == Word }

// IsNumber reports whether lexeme i is a number in figures.
func (t *Tape) IsNumber(i int) bool { return t.Form(i) == Number }

// Glued reports whether nothing is between lexeme i and the one before.
func (t *Tape) Glued(i int) bool { return i > 0 && i < len(t.Lexemes) && !t.Lexemes[i].spaced }

// IsUpper reports whether lexeme i is a word with a capital, which in names may
// be the second letter: "mPhase".
func (t *Tape) IsUpper(i int) bool { return i >= 0 && i < len(t.Lexemes) && t.Lexemes[i].capital }

// IsQuote reports whether lexeme i is a double quotation mark.
func (t *Tape) IsQuote(i int) bool { return t.Is(i, `"`, "“", "”", "„", "«", "»") }

// Extent covers the lexemes from i up to but not next.
func (t *Tape) Extent(i, next int) lex.Extent {
	return lex.Extent{Start: int(t.Lexemes[i].Start), End: int(t.Lexemes[next-1].End)}
}

// Quote returns the words of the lexemes from i up to next on one line.
func (t *Tape) Quote(i, next int) string {
	e := t.Extent(i, next)
	return lex.Unwrap(t.text[e.Start:e.End])
}

// Find returns the first lexeme at or after the byte offset.
func (t *Tape) Find(offset int) int {
	return sort.Search(len(t.Lexemes), func(i int) bool { return int(t.Lexemes[i].Start) >= offset })
}

// Newline reports whether a line break is before lexeme i.
func (t *Tape) Newline(i int) bool {
	if i <= 0 || i >= len(t.Lexemes) {
		return true
	}
	return strings.ContainsAny(t.text[t.Lexemes[i-1].End:t.Lexemes[i].Start], "\n\f")
}

// Apart reports whether so much white space is before lexeme i that what
// follows is another part of the page: a blank line or a wide gap.
func (t *Tape) Apart(i int) bool {
	const wide = 6
	if i <= 0 || i >= len(t.Lexemes) {
		return true
	}
	space := t.text[t.Lexemes[i-1].End:t.Lexemes[i].Start]
	return strings.Count(space, "\n") > 1 || strings.Contains(space, "\f") || !strings.Contains(space, "\n") && len(space) >= wide
}

// Gap reports whether there is more white space before lexeme i than between
// words.
func (t *Tape) Gap(i int) bool {
	const wide = 3
	return i <= 0 || i >= len(t.Lexemes) || t.Lexemes[i].Start-t.Lexemes[i-1].End >= wide
}

// Blank returns what follows a blank to fill in at i, "____" or "[●]" or
// "[***]", and i where there is none.
func (t *Tape) Blank(i int) int {
	switch at := t.At(i); {
	case strings.HasPrefix(at, "__"), at == "●", at == "•":
		return i + 1
	case at == "[" || at == "<":
		for j := i + 1; j < i+8 && t.Form(j) == Mark; j++ {
			if t.Is(j, "]", ">") {
				return j + 1
			}
		}
	}
	return i
}

// count reads a whole number of at most six digits at i, in figures.
func (t *Tape) count(i int) (int, bool) {
	if !t.IsNumber(i) || len(t.At(i)) > 7 {
		return 0, false
	}
	figure := t.At(i)
	if len(t.tails(i)) > 0 {
		return 0, false
	}
	if t.comma {
		readings := t.readings(figure)
		if len(readings) != 1 {
			return 0, false
		}
		figure = readings[0]
	}
	n, err := strconv.Atoi(strings.ReplaceAll(figure, ",", ""))
	return n, err == nil
}

// readings returns those of a figure as decimals with a stop, by the convention of the
// text: several where it may be read in more ways than one.
func (t *Tape) readings(figure string) []string {
	if strings.ContainsAny(figure, groupMarks) {
		return []string{strings.ReplaceAll(ungrouped.Replace(figure), ",", ".")}
	}
	if t.comma {
		if at := strings.IndexAny(figure, ".,"); at > 0 && at == strings.LastIndexAny(figure, ".,") && len(figure)-at == 4 && at <= 3 && figure[0] != '0' {
			if figure[at] == '.' {
				return []string{figure[:at] + figure[at+1:]}
			}
			return []string{figure[:at] + "." + figure[at+1:], figure[:at] + figure[at+1:]}
		}
	}
	return decimals(figure)
}

// spaced are the languages, ISO 639-1, that have a space between groups of digits.
var spaced = lex.Set("be bg cs es et fi fr hu lt lv nb nn no pl pt ru sk sv uk")

// tails returns the readings of the figure at lexeme i without its first groups, as
// decimals with a stop. A plain space between them may part two numbers in languages that
// do not group by it: "Pos. 2 300,00 €".
func (t *Tape) tails(i int) []string {
	var list []string
	figure := t.At(i)
	if spaced[t.language] || t.Is(i-1, "(") && t.Glued(i) {
		return nil
	}
	for at := strings.LastIndexByte(figure, ' '); at > 0; at = strings.LastIndexByte(figure[:at], ' ') {
		if figure[at+1] != '0' {
			list = append(list, strings.ReplaceAll(ungrouped.Replace(figure[at+1:]), ",", "."))
		}
	}
	return list
}

// groupMarks part the groups of a figure and nothing else.
const groupMarks = " '’\u00a0\u202f\u2009"

// ungrouped takes groupMarks out.
var ungrouped = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "\u2009", "", "'", "", "’", "")

// numeral reads a number in words at i: "two hundred and fifty", "twenty-five".
// An ordinal may close it: "twenty-first".
func (t *Tape) numeral(i int) (n int, next int, ok bool) {
	if t.words != nil {
		return t.numeralIn(i)
	}
	const most = 1_000_000_000_000
	total, part := 0, 0
	next = i
	for j := i; j < i+20; j++ {
		s := t.Sense(j)
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
			switch {
			case part >= most/scale:
				return total, next, ok
			case part == 0 && total > 0 && total < scale && total < most/scale: // "two thousand million"
				total *= scale
			default:
				total, part = total+max(part, 1)*scale, 0
			}
		case ok && (t.Is(j, "and") || t.Is(j, "-")) && (t.Sense(j+1).Class == lex.NumeralWord || t.Sense(j+1).Class == lex.OrdinalWord):
			if t.Is(j, "and") && total == 0 && part < 100 {
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

// numeralIn is numeral in other languages: "deux cent cinquante", "treinta y uno",
// "quatre-vingt-dix-sept".
func (t *Tape) numeralIn(i int) (n int, next int, ok bool) {
	const most = 1_000_000_000_000
	total, part, last := 0, 0, most
	next = i
	for j := i; j < i+20; j++ {
		s := t.Sense(j)
		value := int(s.Value)
		switch {
		case s.Class == lex.OrdinalWord && !ok:
			return value, j + 1, true
		case s.Class == lex.NumeralWord && part%100 == 4 && t.Is(j, "vingt", "vingts"):
			part += 80 - 4 // "deux cent quatre-vingts"
		case s.Class == lex.NumeralWord && fits(part, value):
			part += value
		case s.Class == lex.HundredWord && part < 100:
			part = max(part, 1) * 100
		case s.Class == lex.ScaleWord:
			scale := 1
			for range value {
				scale *= 10
			}
			switch {
			case part >= most/scale || total >= most:
				return total, next, ok
			case scale < last:
				total += max(part, 1) * scale
			case last < scale && total < scale && total+part < most/scale: // "dos mil quinientos millones"
				total = (total + part) * scale
			default:
				return total + part, next, ok // another number
			}
			part, last = 0, scale
		default:
			behind, joined := t.joined(j)
			if !ok || behind == j || joined && part%100 < 20 {
				return total + part, next, ok
			}
			j = behind - 1
			continue
		}
		next, ok = j+1, true
	}
	return total + part, next, ok
}

// fits reports whether a numeral of a value may follow those that make part, which is
// below a thousand unless it is one word: "deux cent" and "trente", "soixante" and "onze",
// "dix" and "sept".
func fits(part, value int) bool {
	low := part % 100
	switch {
	case value >= 1000:
		return part == 0
	case value >= 100:
		return part%1000 == 0
	}
	return low == 0 || low >= 20 && value < 10 && low%10 == 0 || (low == 60 || low == 80) && value < 20 || low == 10 && value >= 7 && value < 10
}

// joins reports whether lexeme i is a word inside a number: "treinta y uno".
func (t *Tape) joins(i int) bool { return t.words.Joins[strings.ToLower(t.At(i))] }

// joined returns what follows the hyphens and the word at lexeme i that join parts of a
// number, "vingt-et-un", and i where no part follows; joined says that there is a word.
func (t *Tape) joined(i int) (next int, joined bool) {
	next = i
	if t.Is(next, "-") {
		next++
	}
	if joined = t.joins(next); joined {
		if next++; t.Is(next, "-") {
			next++
		}
	}
	if next == i || !t.countsAt(next) {
		return i, false
	}
	return next, joined
}

// countsAt reports whether lexeme i is a word of a cardinal number.
func (t *Tape) countsAt(i int) bool {
	class := t.Sense(i).Class
	return class == lex.NumeralWord || class == lex.HundredWord || class == lex.ScaleWord
}

// opensNumeral reports whether a number in words may begin at lexeme i. In languages other
// than English none begins behind a word of another: what was not read as one number is
// none, rather than its end.
func (t *Tape) opensNumeral(i int) bool {
	if t.words == nil {
		return t.Sense(i).Class == lex.NumeralWord
	}
	if !t.countsAt(i) {
		return false
	}
	before := i - 1
	if t.Is(before, "komma", "virgule", "coma", "virgola") {
		return false // the fraction of a number in words
	}
	glued := t.Is(before, "-") && t.Glued(i)
	if glued {
		before--
	}
	joined := t.joins(before)
	if joined {
		before--
	}
	if glued && t.Is(before, "-") {
		before--
	}
	switch s := t.Sense(before); {
	case !t.countsAt(before):
		return true
	case joined && !glued:
		return s.Class == lex.NumeralWord && s.Value < 100 // "dos y tres años"
	}
	return false
}

// Quantity reads a whole number at i, in words, in figures or in both: "30",
// "thirty", "thirty (30)", "(30)". Of two that differ the figures hold.
func (t *Tape) Quantity(i int) (n int, next int, ok bool) {
	if n, next, ok = t.numeral(i); ok {
		if t.Sense(next-1).Class == lex.OrdinalWord {
			return 0, i, false
		}
		j := next
		if t.Is(j, "-") {
			j++
		}
		if figures, ok := t.count(j + 1); ok && t.Is(j, "(", "[") && t.Is(j+2, ")", "]") {
			return figures, j + 3, true
		}
		if figures, ok := t.count(j); ok && j == next {
			return figures, j + 1, true
		}
		return n, next, true
	}
	if n, ok = t.count(i); ok {
		if _, after, ok := t.numeral(i + 2); ok && t.Is(i+1, "(") && t.Is(after, ")") {
			return n, after + 1, true
		}
		return n, i + 1, true
	}
	if n, ok = t.count(i + 1); ok && t.Is(i, "(") && t.Is(i+2, ")") {
		return n, i + 3, true
	}
	return 0, i, false
}
