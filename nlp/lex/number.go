package lex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Numbering is the number, letter or bullet that opens a heading, a paragraph
// or an item: "7.2", "(a)", "ARTICLE IX", "Section 4.02", "•".
type Numbering struct {
	Label string // as printed, without the stop or bracket that only closes it: "7.", "a)" are "7", "a"
	Form  NumberForm
	End   int // bytes up to the text that follows; 0 where there is no numbering
}

// NumberForm is how a numbering is written. The forms are in order: those from
// Counted on number sections.
type NumberForm uint8

// The closed set of forms.
const (
	Unnumbered NumberForm = iota
	Bullet                // "•", "-"
	Bracketed             // "(a)", "(iv)", "(12)"
	Lettered              // "A.", "iv)"
	Counted               // "7.", "7)"
	Bare                  // "7" alone: a number only where a title follows
	Decimal               // "7.2", "7.2.1(b)"
	Named                 // "ARTICLE IX", "Section 4.02"
)

// numberWords name the parts of an agreement that carry numbers, in all languages that
// have a grammar: few words of one are others of another.
var numberWords = Set(`article section clause paragraph part chapter title item step
	artikel abschnitt kapitel teil ziffer hoofdstuk afdeling chapitre titre partie cláusula clausula artículo articulo capítulo capitulo sección
	articolo clausola capitolo sezione`)

// longestNumberWord is the length in bytes of the longest of numberWords.
const longestNumberWord = 10

// CutWord parts the label of a Named numbering into its word and its number: "ARTICLE",
// "IX". The word is "" for "§ 5".
func CutWord(label string) (word, number string) {
	word = wideWordAt(label)
	number = strings.TrimPrefix(strings.TrimPrefix(label[len(word):], "."), "§")
	return word, strings.TrimLeft(number, " \t\n\u00a0")
}

// NumberAt reads the numbering that s opens with. A figure that only begins a
// clause ("30 days", "1.5 million") is not one.
func NumberAt(s string) Numbering {
	if s == "" {
		return Numbering{}
	}
	switch c := s[0]; {
	case c == '(':
		return BracketedAt(s)
	case IsDigit(c):
		return countedAt(s)
	case IsLetter(c):
		if n := letteredAt(s); n.End > 0 {
			return n
		}
		return namedAt(s)
	case c == '-' || c == '*' || c >= utf8.RuneSelf:
		return bulletAt(s)
	}
	return Numbering{}
}

// isBrand reports whether s begins with a name that keeps its small letter at
// the start of a sentence: "eBay", "i-Escrow".
func isBrand(s string) bool {
	n := 0
	for n < len(s) && n < 3 && s[n] >= 'a' && s[n] <= 'z' {
		n++
	}
	if n > 0 && n < len(s) && s[n] == '-' {
		n++
	}
	return n > 0 && n+1 < len(s) && s[n] >= 'A' && s[n] <= 'Z' && IsLetter(s[n+1])
}

func bulletAt(s string) Numbering {
	r, size := utf8.DecodeRuneInString(s)
	if r == '§' {
		rest := strings.TrimLeft(s[size:], " \u00a0")
		from := len(s) - len(rest)
		label, end := namedNumber(rest)
		if DigitPrefix(label) == 0 || !IsOrdinal(AlphanumericPrefix(label)) {
			return Numbering{}
		}
		return closeNamed(s, Numbering{Label: s[:from+len(label)], Form: Named}, from+end)
	}
	if !strings.ContainsRune("-–—*•·●○▪■◦‣➢►\uf0b7\uf0a7", r) || size >= len(s) || s[size] != ' ' && s[size] != '\t' {
		return Numbering{}
	}
	return closeNumber(s, Numbering{Label: s[:size], Form: Bullet}, size)
}

// MostParts bounds the levels that one number may name.
const MostParts = 8

// BracketedAt reads "(a)", "(iv)" and several in a row, as "(a)(iv)", at the start
// of s.
func BracketedAt(s string) Numbering {
	end := 0
	for parts := 0; parts < MostParts && end < len(s) && s[end] == '('; parts++ {
		inside := AlphanumericPrefix(s[end+1:])
		if !IsOrdinal(inside) || !strings.HasPrefix(s[end+1+len(inside):], ")") {
			break
		}
		end += len(inside) + 2
	}
	if end == 0 || isPhone(s[end:]) && end == len("(619)") {
		return Numbering{}
	}
	return closeNumber(s, Numbering{Label: s[:end], Form: Bracketed}, end)
}

// isPhone reports whether s continues with the number of a telephone behind its
// area: " 558-9390".
func isPhone(s string) bool {
	s = strings.TrimLeft(s, " ")
	return DigitPrefix(s) == 3 && len(s) > 4 && strings.ContainsRune("-. ", rune(s[3])) && DigitPrefix(s[4:]) == 4
}

// countedAt reads "7.", "7)", "7.2", "7.2.1", "7.B", "7.2(b)" and a bare "7".
func countedAt(s string) Numbering {
	end := DigitPrefix(s)
	if end == 0 || end > 3 {
		return Numbering{}
	}
	parts := 1
	for end+1 < len(s) && s[end] == '.' {
		part := AlphanumericPrefix(s[end+1:])
		if digits := DigitPrefix(part); digits > 0 {
			part = part[:digits]
		}
		next := end + 1 + len(part)
		if !IsOrdinal(part) || IsLetter(part[0]) && (next == len(s) || s[next] != '.' && !ASCIISpace[s[next]]) {
			break
		}
		end = next
		parts++
	}
	for end < len(s) && s[end] == '(' {
		sub := BracketedAt(s[end:])
		if sub.End == 0 {
			break
		}
		end += len(sub.Label)
		parts++
	}
	n := Numbering{Label: s[:end], Form: Decimal}
	stopped := end < len(s) && (s[end] == '.' || s[end] == ')')
	switch {
	case parts == 1 && stopped:
		n.Form = Counted
	case parts == 1 && end > 2:
		return Numbering{} // the number of a house
	case parts == 1:
		n.Form = Bare
	}
	if stopped {
		end++
	}
	rest := strings.TrimLeft(s[end:], " \t\n\u00a0")
	if rest == "" {
		return closeNumber(s, n, end)
	}
	glued := len(rest) == len(s)-end
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case glued && (n.Form == Bare || !unicode.IsUpper(first) || len(WordAt(rest)) < 3),
		n.Form == Bare && !unicode.IsUpper(first),
		n.Form == Decimal && !unicode.IsUpper(first) && !strings.ContainsRune("\"“”'‘([", first) && !isBrand(rest):
		return Numbering{}
	}
	return closeNumber(s, n, end)
}

// letteredAt reads "A.", "b)", "IV." and "iv)".
func letteredAt(s string) Numbering {
	word := AlphanumericPrefix(s)
	end := len(word)
	if end > 5 || end >= len(s) || !IsOrdinal(word) || IsDigit(word[end-1]) ||
		s[end] != '.' && s[end] != ')' || end+1 < len(s) && !ASCIISpace[s[end+1]] {
		return Numbering{}
	}
	return closeNumber(s, Numbering{Label: word, Form: Lettered}, end+1)
}

// namedAt reads "ARTICLE IX", "Section 4.02(a)", "Art. 7", "Cláusula Quinta" and the
// like.
func namedAt(s string) Numbering {
	if s[0] > 'Z' {
		return Numbering{}
	}
	word := WordAt(s)
	if len(word) < len(s) && s[len(word)] >= utf8.RuneSelf && len(word) < longestNumberWord {
		word = wideWordAt(s)
	}
	from := len(word)
	switch {
	case from == len("Art") && strings.HasPrefix(s[from:], ".") && strings.EqualFold(word, "art"):
		from++
	case from < 4 || from > longestNumberWord || !numberWords[strings.ToLower(word)]:
		return Numbering{}
	}
	rest := strings.TrimLeft(s[from:], " \t\u00a0")
	from = len(s) - len(rest)
	if from == len(word) || rest == "" {
		return Numbering{}
	}
	label, number := namedNumber(rest)
	if !IsOrdinal(AlphanumericPrefix(label)) && NumberValue(label) == 0 {
		return Numbering{}
	}
	return closeNamed(s, Numbering{Label: s[:from+len(label)], Form: Named}, from+number)
}

// namedNumber reads the number that s opens with, and returns with it where the marks end
// that close it: "IX", "4.02(a)", "1" of "1er", "Quinta".
func namedNumber(s string) (label string, end int) {
	if ordinal := wideWordAt(s); ordinalNames[strings.ToLower(ordinal)] > 0 {
		label = ordinal
		next := strings.TrimLeft(s[len(label):], " \u00a0")
		if both := s[:len(s)-len(next)+len(wideWordAt(next))]; NumberValue(both) > 0 {
			label = both
		}
		end = len(label)
	} else if digits := DigitPrefix(s); digits > 0 && ordinalMark(s[digits:]) > 0 {
		label, end = s[:digits], digits+ordinalMark(s[digits:])
	} else {
		for end < len(s) && (IsDigit(s[end]) || IsLetter(s[end]) || s[end] == '.' || s[end] == '(' || s[end] == ')' || s[end] == '-') {
			end++
		}
		return strings.TrimRight(s[:end], ".-"), end
	}
	return label, len(s) - len(strings.TrimLeft(s[end:], ".-"))
}

// closeNamed closes the Named numbering n, which s opens with. It is none if what follows
// refers to the section: "Section 4.2, the Seller pays".
func closeNamed(s string, n Numbering, end int) Numbering {
	n = closeNumber(s, n, end)
	if dash := strings.TrimLeft(s[n.End:], ":-–—"); dash != "" && ASCIISpace[dash[0]] {
		n = closeNumber(s, n, len(s)-len(dash)) // "ARTICLE I - TERM"
	}
	if behind := s[n.End:]; StartsLower(behind) && !isBrand(behind) || behind != "" && (behind[0] == ',' || behind[0] == ';') || goesIntoSection(behind) {
		return Numbering{}
	}
	return n
}

// ordinalMark returns the length of what makes an ordinal of the figures before it:
// "1er", "1.º", "1ª".
func ordinalMark(s string) int {
	for _, mark := range []string{"er", "º", "ª", "°", ".º", ".ª", ".°"} {
		if strings.HasPrefix(s, mark) && wideWordAt(s[len(mark):]) == "" {
			return len(mark)
		}
	}
	return 0
}

// subdivisions are the parts of a section of a statute, which a reference to it goes on
// with: "§ 7 Abs. 2".
var subdivisions = Set("Abs Absatz Satz Nr Nummer Buchst")

// goesIntoSection reports whether s names a part of the section whose number is before it.
func goesIntoSection(s string) bool {
	word := WordAt(s)
	if !subdivisions[word] {
		return false
	}
	rest := strings.TrimLeft(s[len(word):], ". \u00a0")
	return rest != "" && (IsDigit(rest[0]) || StartsLower(rest))
}

// NumberNames are the values of the numbers that articles write out.
var NumberNames = func() map[string]int {
	all := map[string]int{}
	for _, names := range []string{
		"one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
		"first second third fourth fifth sixth seventh eighth ninth tenth",
	} {
		for i, name := range strings.Fields(names) {
			all[name] = i + 1
		}
	}
	return all
}()

// ordinalNames are the values of the ordinals that clauses have in other languages.
var ordinalNames = func() map[string]int {
	all := map[string]int{"premier": 1, "première": 1}
	for _, names := range []string{
		"primera segunda tercera cuarta quinta sexta séptima octava novena décima undécima duodécima",
		"primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo",
		"prima seconda terza quarta quinta sesta settima ottava nona decima undicesima dodicesima",
		"primo secondo terzo quarto quinto sesto settimo ottavo nono decimo undicesimo dodicesimo",
	} {
		for i, name := range strings.Fields(names) {
			all[name] = i + 1
		}
	}
	return all
}()

// NumberValue returns the value of a number that is written out, "Twelve" or "Décima
// Primera", or 0.
func NumberValue(s string) int {
	lower := strings.ToLower(s)
	if value := NumberNames[lower]; value > 0 {
		return value
	}
	ten, one, both := strings.Cut(lower, " ")
	switch value := ordinalNames[ten]; {
	case !both:
		return value
	case value != 10 || ordinalNames[one] == 0 || ordinalNames[one] >= 10:
		return 0
	}
	return 10 + ordinalNames[one]
}

// closeNumber moves the end of n behind the white space that follows.
func closeNumber(s string, n Numbering, end int) Numbering {
	for end < len(s) && ASCIISpace[s[end]] {
		end++
	}
	n.End = end
	return n
}

// IsOrdinal reports whether s counts: digits, one letter (or the same twice, as
// lists continue after z), or a roman number.
func IsOrdinal(s string) bool {
	switch {
	case s == "" || len(s) > 6:
		return false
	case DigitPrefix(s) == len(s):
		return len(s) <= 3
	case len(s) == 1 || len(s) == 2 && s[0] == s[1]:
		return IsLetter(s[0])
	}
	return IsRoman(s)
}

// IsRoman reports whether s is a roman number below 90 in one case, which is as
// far as articles and front matter count.
func IsRoman(s string) bool {
	lower := strings.ToLower(s)
	if s != lower && s != strings.ToUpper(s) {
		return false
	}
	return RomanValue(lower) > 0
}

// RomanValue returns the value of a lower-case roman number, or 0.
func RomanValue(s string) int {
	value, previous := 0, 0
	for i := len(s) - 1; i >= 0; i-- {
		digit := romanDigit(s[i])
		switch {
		case digit == 0:
			return 0
		case digit < previous:
			value -= digit
		default:
			value += digit
			previous = digit
		}
	}
	if value <= 0 || value >= 90 || formatRoman(value) != s {
		return 0
	}
	return value
}

func romanDigit(c byte) int {
	switch c {
	case 'i':
		return 1
	case 'v':
		return 5
	case 'x':
		return 10
	case 'l':
		return 50
	}
	return 0
}

// formatRoman writes 1 to 89, so that "iiii" and "vx" are no numbers.
func formatRoman(n int) string {
	tens := []string{"", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx"}
	ones := []string{"", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"}
	return tens[n/10] + ones[n%10]
}
