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

// numberWords name the parts of an agreement that carry numbers.
var numberWords = map[string]bool{
	"article": true, "section": true, "clause": true, "paragraph": true, "part": true, "chapter": true, "title": true, "item": true, "step": true,
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
		if n := countedAt(strings.TrimLeft(s[size:], " \u00a0")); n.End > 0 {
			end := strings.Index(s, n.Label) + len(n.Label)
			return closeNumber(s, Numbering{Label: s[:end], Form: Named}, end)
		}
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

// namedAt reads "ARTICLE IX", "Section 4.02(a)" and the like.
func namedAt(s string) Numbering {
	word := WordAt(s)
	if len(word) > 9 || len(word) < 4 || s[0] > 'Z' || !numberWords[strings.ToLower(word)] {
		return Numbering{}
	}
	rest := strings.TrimLeft(s[len(word):], " \t\u00a0")
	from := len(s) - len(rest)
	if from == len(word) || rest == "" {
		return Numbering{}
	}
	number := 0
	for number < len(rest) && (IsDigit(rest[number]) || IsLetter(rest[number]) || rest[number] == '.' || rest[number] == '(' || rest[number] == ')' || rest[number] == '-') {
		number++
	}
	label := strings.TrimRight(rest[:number], ".-")
	head := AlphanumericPrefix(label)
	if !IsOrdinal(head) && NumberNames[strings.ToLower(label)] == 0 {
		return Numbering{}
	}
	n := closeNumber(s, Numbering{Label: s[:from+len(label)], Form: Named}, from+number)
	if dash := strings.TrimLeft(s[n.End:], ":-–—"); dash != "" && ASCIISpace[dash[0]] {
		n = closeNumber(s, n, len(s)-len(dash)) // "ARTICLE I - TERM"
	}
	if behind := s[n.End:]; StartsLower(behind) && !isBrand(behind) || behind != "" && (behind[0] == ',' || behind[0] == ';') {
		return Numbering{} // "Section 4.2, the Seller pays" mentions it
	}
	return n
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
