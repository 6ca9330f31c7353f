package structure

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
)

const (
	// longestTitle bounds a heading, in bytes.
	longestTitle = 160
	// mostTitleWords bounds a heading in words; a line of capitals beyond it is
	// a clause somebody wanted to be read.
	mostTitleWords = 16
)

// title counts what the words at the start of a paragraph look like, up to the mark
// that could close a heading.
type title struct {
	end       int  // bytes, with the closing mark
	closed    byte // the mark that closes it: '.', ':', ';', '-'; one of the below; or 0 where the text ends
	words     int
	capitals  int    // words all in capitals
	capital   int    // words that begin with a capital, those in capitals included
	small     int    // words in small letters, connectors left out
	predicate bool   // a word says that somebody does something
	previous  string // the word last read, in small letters
}

// What closes a title without a mark.
const (
	tooLong  = ','
	byNumber = '#' // the number of a section: "GRANT OF RIGHTS 2.1 Licence."
	byOpener = 'T' // a word that begins sentences: "3.6 Sale of Product The Manufacturer agrees"
)

// TitleClosers are the words that begin sentences and are not capitals of a
// title.
var TitleClosers = lex.Set("The This If Subject Neither Each Except Notwithstanding Unless Either You We It")

// Connectors are the small words of titles written with capital letters.
var Connectors = lex.Set(`a an and as at between but by for from if in into of off on or per than the through to under until up upon via vs with within without
	not no against after before during over its their your our other &`)

// takesNumber holds the words whose number is no new section's: "Reference to
// Exhibit 1".
var takesNumber = lex.Set("article articles section sections clause clauses paragraph paragraphs part parts exhibit exhibits schedule schedules annex annexes " +
	"appendix appendices attachment attachments addendum title no form rule")

// predicates give away a sentence: headings do not say what somebody does.
var predicates = lex.Set(`shall will is are was were may must has have had be been agrees agree means mean hereby does do can cannot should would could includes
	include acknowledges acknowledge represents warrants constitutes`)

// readTitle reads the title that s may open with.
func readTitle(rules *lex.Grammar, s string) title {
	var t title
	for i := 0; i < len(s) && i < longestTitle && t.words < mostTitleWords+1; {
		for i < len(s) && lex.ASCIISpace[s[i]] {
			i++
		}
		from := i
		if t.words > 0 && !takesNumber[t.previous] && opensSection(s[from:]) {
			t.closed = byNumber
			return t
		}
		if t.words > 0 && opensCell(s[from:]) {
			t.closed = tooLong
			return t
		}
		for i < len(s) && !lex.ASCIISpace[s[i]] {
			i++
		}
		word := s[from:i]
		if t.words > 0 && t.small == 0 && i < len(s) && !Connectors[t.previous] && (TitleClosers[word] || lex.Openers[word] && goesOnSmall(s[i:])) {
			t.closed = byOpener
			return t
		}
		bare := strings.TrimRight(word, ".:;,)]\"'”’")
		t.count(strings.TrimLeft(bare, "([\"'“‘"))
		t.previous = strings.ToLower(word)
		t.end = i
		tail := word[len(bare):]
		switch {
		case strings.HasPrefix(tail, ".") && rules.EndsAt(s, from+len(bare)):
			t.closed = '.'
			t.end = from + len(bare) + 1
			return t
		case strings.HasSuffix(tail, "].") && s[0] != '[' && rules.EndsAt(s, i-1):
			t.closed = '.' // "Termination for Failure to [***]."
			return t
		case strings.Contains(tail, ":"):
			t.closed = ':'
			return t
		case strings.Contains(tail, ";") && !lex.StartsUpper(strings.TrimLeft(s[i:], " \t\n")):
			t.closed = ';'
			return t
		case (word == "-" || word == "–" || word == "—") && lex.StartsUpper(strings.TrimLeft(s[i:], " \n")) && t.words > 0:
			t.closed = '-'
			return t
		}
	}
	if t.end < len(strings.TrimRightFunc(s, unicode.IsSpace)) {
		t.closed = tooLong
	}
	return t
}

// goesOnSmall reports whether the first word of s that counts in a title is
// written small: "Upon [the] termination", not "Upon [the] Closing".
func goesOnSmall(s string) bool {
	for word := range strings.FieldsSeq(s[:min(len(s), longestTitle)]) {
		if !Connectors[word] {
			return lex.StartsLower(word)
		}
	}
	return false
}

// opensSection reports whether s begins with the number of a section and its
// text: "2.1 Grant", "(a) The Seller".
func opensSection(s string) bool {
	if s == "" || !lex.IsDigit(s[0]) && s[0] != '(' && s[0] != 'S' {
		return false
	}
	n := lex.NumberAt(s)
	return n.Form == lex.Decimal || n.Form == lex.Named && strings.Contains(n.Label, ".") || n.Form == lex.Bracketed && lex.StartsUpper(s[n.End:])
}

// opensCell reports whether s begins with the letter of an item, as the next column of a
// row does: "Project Manager   [a)   Signs the form]".
func opensCell(s string) bool {
	return len(s) > 2 && s[0] >= 'a' && s[0] <= 'h' && s[1] == ')' && lex.ASCIISpace[s[2]]
}

// count adds one word to t.
func (t *title) count(word string) {
	if word == "" {
		return
	}
	first, _ := utf8.DecodeRuneInString(word)
	lower := strings.ToLower(word)
	switch {
	case predicates[word] || predicates[lower] && lex.IsCapitals(word) && t.previous != "to":
		t.predicate = true
		t.words++
	case unicode.IsUpper(first):
		t.words++
		t.capital++
		if word == strings.ToUpper(word) && len(word) > 1 {
			t.capitals++
		}
	case unicode.IsLower(first):
		if !Connectors[lower] {
			t.small++
		}
		t.words++
	}
}

// isTitle reports whether the whole of s is written as a heading: in capitals,
// or with capital letters.
func isTitle(s string) bool {
	if len(s) > longestTitle || !lex.StartsUpper(s) {
		return false
	}
	t := readTitle(lex.GrammarOf(""), s)
	return t.end == len(s) && t.plain() && t.small == 0
}

// plain reports whether t has the length of a heading and says nothing.
func (t *title) plain() bool {
	return t.capital > 0 && t.words <= mostTitleWords && !t.predicate && t.closed != ';' && t.closed != tooLong
}

// headingEnd returns how much of s, a paragraph behind its numbering, is its
// heading: nothing, all, or the words that run in before the text.
func headingEnd(rules *lex.Grammar, form lex.NumberForm, s string) int {
	if first, _ := utf8.DecodeRuneInString(s); !unicode.IsUpper(first) && !unicode.IsDigit(first) && first != '[' {
		return 0
	}
	numbered := form != lex.Unnumbered && form != lex.Bullet
	section := numbered && form != lex.Bracketed
	t := readTitle(rules, s)
	if word := lex.WordAt(s); conditions[word] || t.small > 0 && subjects[word] || strings.HasPrefix(s, "In this ") {
		return 0 // "15.8 If the Executive:", "5. We maintain a site at www.example.com"
	}
	if !t.plain() {
		if section {
			return capitalsEnd(s)
		}
		return 0
	}
	runsIn := strings.TrimSpace(s[t.end:]) != ""
	switch {
	case t.closed == '.' && t.small > 0 && rules.OpensSentence(s):
		return 0 // "3. Die Miete beträgt 500 Euro."
	case pageOf.MatchString(s[:t.end]):
		return 0 // the foot of a page: "3.8 [***] CONFIDENTIAL Page 16 of 49"
	case runsIn && t.runsIn(numbered), !runsIn && t.stands(section, numbered, s):
		return t.end
	}
	return 0
}

// conditions begin sentences and no titles, and subjects no titles with small letters.
var (
	conditions = lex.Set("If Unless Whenever Whether")
	subjects   = lex.Set("We You It They Each Either Neither Upon Subject")
)

// pageOf is how pages are counted.
var pageOf = regexp.MustCompile(`Page \d+ of \d+`)

// runsIn reports whether t is a heading that the text follows on its line.
func (t *title) runsIn(numbered bool) bool {
	switch {
	case t.closed == 0:
		return false
	case t.closed == byNumber:
		return t.small == 0
	case t.closed == byOpener:
		return numbered && t.words <= 8
	case numbered && t.small == 0:
		return true
	case t.closed == '-':
		return false
	case numbered:
		return t.small <= 4 && t.words <= 7 || t.closed == '.' && t.small*5 <= t.words && t.words <= 12
	case t.capitals == t.words:
		return t.end > 4
	}
	return t.closed == '.' && t.small == 0 && t.capital >= 2 && t.words <= 8
}

// stands reports whether t, which is all of s, is a heading on lines of its
// own.
func (t *title) stands(section, numbered bool, s string) bool {
	switch {
	case !numbered && t.capitals*2 < t.words && (strings.ContainsAny(s, ",0123456789") || lex.Openers[lex.WordAt(s)]):
		return false // an address, or "The Buyer:" before a list
	case t.small == 0:
		return numbered || t.closed != '.' || t.capitals == t.words
	}
	return section && t.small <= 6 && t.words <= 10 && (t.closed == 0 || t.words <= 6)
}

// capitalsEnd returns the end of a heading in capitals which the text follows
// without a mark: "12. TRANSFER OF TITLE The Manufacturer agrees".
func capitalsEnd(s string) int {
	words, end := 0, 0
	for i := 0; i < len(s) && i < longestTitle; {
		from := i
		for i < len(s) && !lex.ASCIISpace[s[i]] {
			i++
		}
		word := s[from:i]
		if word != strings.ToUpper(word) || !lex.HasLetter(word) && word != "&" || lex.NumberAt(s[from:]).End > 0 {
			if words == 1 && from > 0 && strings.EqualFold(word, strings.TrimSpace(s[:end])) {
				return end // "21. NOTICES Notices are in writing"
			}
			if words >= 2 && (lex.StartsUpper(word) && len(word) > 1 || lex.NumberAt(s[from:]).End > 0) || words == 1 && lex.NumberAt(s[from:]).Form == lex.Decimal {
				return end
			}
			return 0
		}
		words++
		end = i
		for i < len(s) && lex.ASCIISpace[s[i]] {
			i++
		}
	}
	return 0
}
