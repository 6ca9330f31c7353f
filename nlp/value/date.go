package value

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/nlp/lex"
)

// dates finds calendar dates and normalises them to ISO 8601, as far as they
// are filled in. A date in figures that can be read with the day or the month
// first is given both readings.
type dates struct{}

// Centuries: figures of two digits below the pivot belong to the 2000s.
const (
	pivotYear = 50
	firstYear = 1800
	LastYear  = 2199
)

func (d dates) extract(t *Tape) []Mention {
	var found []Mention
	for i := 0; i < len(t.Lexemes); i++ {
		if l := &t.Lexemes[i]; l.Form == Word && l.sense.Class == 0 && (l.Initial != 'd' || t.words != nil) {
			continue // most words
		}
		value, next, ok := d.at(t, i)
		if !ok {
			continue
		}
		confidence := 0.97
		switch {
		case value.Relative != "":
			confidence = 0.9
		case value.Readings != nil:
			confidence = 0.5
		case len(value.Date) < len(time.DateOnly):
			confidence = 0.7
		case t.words != nil && d.short(t, i, next) && !t.Is(i-1, beforeDates...):
			confidence = 0.5
		}
		found = append(found, Mention{t.Extent(i, next), Date, value, confidence})
		i = next - 1
	}
	return found
}

// beforeDates are words of languages other than English that are before a date and hardly
// before the number of a section.
var beforeDates = []string{"am", "vom", "zum", "ab", "bis", "seit", "dem", "den", "le", "du", "au", "el", "del", "al", "hasta", "desde", "il", "dal", "op", "vanaf", "tot", "per"}

// beforeNumbers are words of those languages that are before the number of a section.
var beforeNumbers = []string{
	"ziffer", "ziffern", "ziff", "nr", "nummer", "abs", "absatz", "abschnitt", "punkt", "pkt", "kapitel", "kap", "anlage", "artikel", "klausel", "§", "art", "arts", "artt", "article", "articles", "clause", "clauses", "section",
	"sections", "point", "points", "alinéa", "al", "annexe", "n", "no", "nº", "núm", "num", "numéro", "número", "numero", "artículo", "cláusula", "apartado", "punto", "punti", "puntos", "sección", "anexo", "articolo", "articoli", "clausola",
	"comma", "sezione", "paragrafo", "allegato", "lid", "sub", "onder", "paragraaf", "par", "hoofdstuk", "bijlage", "bepaling", "version", "versión", "versione", "versie",
}

// numbersSection reports whether the figures at lexeme i are behind a word that makes
// them the number of a section: "Ziffer 10.11.12", "art. 10.11.12", "n.º 10.11.12".
func (d dates) numbersSection(t *Tape, i int) bool {
	for before := 1; before <= 3; before++ {
		if t.Is(i-before, beforeNumbers...) {
			return !t.Is(i-before, "al") || before > 1 // Spanish "al 10.11.12" is a date
		}
		if !t.Is(i-before, ".", "°", "º") {
			break
		}
	}
	return false
}

// short reports whether the date between two lexemes is in figures with a year of two
// digits.
func (d dates) short(t *Tape, i, next int) bool {
	first, year := t.At(i), t.At(next-1)
	year = year[strings.LastIndexByte(year, '.')+1:]
	return t.IsNumber(i) && lex.DigitPrefix(first) <= 2 && len(year) == 2 && lex.DigitPrefix(year) == 2
}

// at reads the date at lexeme i.
func (d dates) at(t *Tape, i int) (value Value, next int, ok bool) {
	switch t.Form(i) {
	case Number:
		if value, next, ok = d.figures(t, i); ok {
			return value, next, ok
		}
		return d.dayFirst(t, i)
	case Word:
		switch s := t.Sense(i); {
		case s.Class == lex.MonthWord:
			return d.monthFirst(t, i)
		case s.Class == lex.OrdinalWord, s.Class == lex.NumeralWord && s.Value >= 20 && s.Value <= 30:
			return d.dayFirst(t, i)
		case t.Is(i, "date"):
			return d.relative(t, i)
		}
	default:
		if t.Blank(i) > i {
			return d.dayFirst(t, i)
		}
	}
	return Value{}, i, false
}

// monthFirst reads "January 5, 2020", "Oct. 11th, 1996", "March __, 2020" and
// "March 2020".
func (d dates) monthFirst(t *Tape, i int) (Value, int, bool) {
	if !t.IsUpper(i) && t.words == nil {
		return Value{}, i, false
	}
	month, next := int(t.Sense(i).Value), i+1
	if t.Is(next, ".") {
		next++
	}
	day, after, ok := d.day(t, next)
	if t.words != nil { // the day is first, here
		if t.words.Of[t.At(next)] {
			next++
		}
		after, ok = next, false
	}
	if !ok {
		before := i - 1
		if t.words != nil && t.Is(before, ".") {
			before--
		}
		if _, ok := t.count(before); ok {
			return Value{}, i, false // a day that the month does not have
		}
		day, after = 0, next
	}
	if t.Is(after, ",", ".") {
		after++
	}
	year, end, ok := d.year(t, after)
	if !ok {
		return Value{}, i, false
	}
	return d.value(year, month, day, end, i)
}

// dayFirst reads "5 January 2020", "this 5th day of January, 2020" from its
// figure on, "the fifth day of ______, 2020" and "____ day of March 2020".
func (d dates) dayFirst(t *Tape, i int) (Value, int, bool) {
	day, next, ok := d.day(t, i)
	if !ok {
		return Value{}, i, false
	}
	named := false
	if t.Is(next, "day") {
		next, named = next+1, true
	}
	for t.Is(next, ",") && named || t.Is(next, "-") || strings.HasPrefix(t.At(next), "--") {
		next++
	}
	if t.Is(next, "of") {
		next++
	}
	if named && t.Is(next, "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday") { // "20th day of Friday, March 2020"
		if next++; t.Is(next, ",") {
			next++
		}
	}
	if t.words != nil {
		if t.Is(next, ".") {
			next++
		}
		if t.words.Of[t.At(next)] {
			next++
		}
	}
	month := 0
	switch {
	case t.Sense(next).Class == lex.MonthWord:
		month, next = int(t.Sense(next).Value), next+1
	case named && t.Blank(next) > next:
		day, next = 0, t.Blank(next)
	default:
		return Value{}, i, false
	}
	for t.Is(next, ",", ".") || t.Is(next, "of") || t.words != nil && t.words.Of[t.At(next)] || named && t.Is(next, "in", "the", "year") {
		next++
	}
	year, end, ok := d.year(t, next)
	if !ok {
		return Value{}, i, false
	}
	return d.value(year, month, day, end, i)
}

// day reads a day of the month: "5", "5th", "fifth", "twenty-first" or a
// blank, which is day 0.
func (d dates) day(t *Tape, i int) (day, next int, ok bool) {
	if next = t.Blank(i); next > i {
		if t.Is(next, "th", "st", "nd", "rd") {
			next++
		}
		return 0, next, true
	}
	if n, next, ok := t.numeral(i); ok {
		if n < 1 || n > 31 || t.Sense(next-1).Class != lex.OrdinalWord {
			return 0, i, false
		}
		if n, ok := t.count(next + 1); ok && t.Is(next, "(") && n <= 31 {
			for next += 2; t.Is(next, "th", "st", "nd", "rd", ")"); next++ {
			}
		}
		return n, next, true
	}
	n, ok := t.count(i)
	if !ok || n < 1 || n > 31 || len(t.At(i)) > 2 {
		return 0, i, false
	}
	return n, d.afterOrdinal(t, i+1), true
}

// afterOrdinal skips the ending of an ordinal in figures. Superscripts come out
// of some files with a gap: "15t h".
func (d dates) afterOrdinal(t *Tape, i int) int {
	switch {
	case t.words != nil && t.Glued(i) && t.Is(i, "er", "e", "º", "ª", "°", "o"):
		return i + 1
	case t.Is(i, "th", "st", "nd", "rd"):
		return i + 1
	case t.Is(i, "t") && t.Is(i+1, "h"), t.Is(i, "s") && t.Is(i+1, "t"), t.Is(i, "n") && t.Is(i+1, "d"), t.Is(i, "r") && t.Is(i+1, "d"):
		return i + 2
	}
	return i
}

// year reads a year in four figures or in words.
func (d dates) year(t *Tape, i int) (year, next int, ok bool) {
	if n, ok := t.count(i); ok && len(t.At(i)) == 4 && n >= firstYear && n <= LastYear {
		return n, i + 1, true
	}
	if n, next, ok := t.Quantity(i); ok && n >= 2000 && n <= LastYear && t.IsWord(i) {
		return n, next, true
	}
	return 0, i, false
}

// figures reads "2020-01-05", "1/5/2020", "5.1.2020" and "01-05-20".
func (d dates) figures(t *Tape, i int) (Value, int, bool) {
	var parts []string
	next := i + 1
	if parts = strings.Split(t.At(i), "."); len(parts) != 3 {
		separator := t.At(i + 1)
		if separator != "/" && separator != "-" && separator != "." || !t.Glued(i+1) || t.At(i+3) != separator {
			return Value{}, i, false
		}
		for j := i + 1; j < i+5; j++ {
			if !t.Glued(j) || t.Form(j) != []Form{Mark, Number}[(j-i+1)%2] {
				return Value{}, i, false
			}
		}
		parts, next = []string{t.At(i), t.At(i + 2), t.At(i + 4)}, i+5
	}
	if t.Glued(i) && t.Is(i-1, "/", "-", ".") || t.Glued(next) && (t.Is(next, "/", "-") || t.IsWord(next)) {
		return Value{}, i, false
	}
	var n [3]int
	for j, part := range parts {
		if len(part) == 0 || lex.DigitPrefix(part) != len(part) || len(part) > 4 {
			return Value{}, i, false
		}
		for k := range len(part) {
			n[j] = n[j]*10 + int(part[k]-'0')
		}
	}
	lengths := [3]int{len(parts[0]), len(parts[1]), len(parts[2])}
	if lengths[0] == 4 && lengths[1] <= 2 && lengths[2] <= 2 {
		return d.value(n[0], n[1], n[2], next, i)
	}
	dotted := next == i+1 || t.Is(i+1, ".")
	short := !dotted || t.words != nil && lengths[0] == 2 && lengths[1] == 2
	if lengths[0] > 2 || lengths[1] > 2 || lengths[2] != 4 && (lengths[2] != 2 || !short || t.words != nil && d.numbersSection(t, i)) {
		return Value{}, i, false
	}
	year := n[2]
	if lengths[2] == 2 {
		year += 1900
		if n[2] < pivotYear {
			year += 100
		}
	}
	var readings []string
	for _, reading := range [][2]int{{n[0], n[1]}, {n[1], n[0]}} {
		if date, ok := calendar(year, reading[0], reading[1]); ok && !slices.Contains(readings, date) {
			readings = append(readings, date)
		}
	}
	if _, ok := calendar(year, n[1], n[0]); ok && (t.words != nil || dotted && t.foreign) {
		readings = []string{readings[len(readings)-1]} // the day is first
	}
	switch len(readings) {
	case 0:
		return Value{}, i, false
	case 1:
		return Value{Date: readings[0]}, next, true
	}
	return Value{Readings: readings}, next, true
}

// relative reads "date first written above", "date first above written", "date
// hereof" and "date of this Agreement".
func (d dates) relative(t *Tape, i int) (Value, int, bool) {
	next := i + 1
	switch {
	case t.Is(next, "hereof"):
		next++
	case t.Is(next, "of") && t.Is(next+1, "this") && t.Is(next+2, "agreement", "contract", "lease", "amendment"):
		next += 3
	default:
		above := false
		for t.Is(next, "first", "written", "above", "set", "forth", "hereinabove", "stated", "indicated", "mentioned", "appearing", "listed") {
			above = above || t.Is(next, "above", "hereinabove")
			next++
		}
		if !above || next < i+3 {
			return Value{}, i, false
		}
	}
	return Value{Relative: string(AgreementDate)}, next, true
}

// value makes the date of what is known of it; 0 is a blank.
func (d dates) value(year, month, day, next, i int) (Value, int, bool) {
	switch {
	case month == 0:
		return Value{Date: fmt.Sprintf("%04d", year)}, next, true
	case day == 0:
		return Value{Date: fmt.Sprintf("%04d-%02d", year, month)}, next, true
	}
	date, ok := calendar(year, month, day)
	if !ok {
		return Value{}, i, false
	}
	return Value{Date: date}, next, true
}

// calendar returns the date, if the month has that day.
func calendar(year, month, day int) (string, bool) {
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < firstYear || year > LastYear || month < 1 || month > 12 || date.Day() != day {
		return "", false
	}
	return date.Format(time.DateOnly), true
}
