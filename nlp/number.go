package nlp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// numbering is the number, letter or bullet that opens a heading, a paragraph
// or an item: "7.2", "(a)", "ARTICLE IX", "Section 4.02", "•".
type numbering struct {
	label string // as printed, without the stop or bracket that only closes it: "7.", "a)" are "7", "a"
	form  numberForm
	end   int // bytes up to the text that follows; 0 where there is no numbering
}

type numberForm uint8

const (
	unnumbered numberForm = iota
	bullet                // "•", "-"
	bracketed             // "(a)", "(iv)", "(12)"
	lettered              // "A.", "iv)"
	counted               // "7.", "7)"
	bare                  // "7" alone: a number only where a title follows
	decimal               // "7.2", "7.2.1(b)"
	named                 // "ARTICLE IX", "Section 4.02"
)

// numberWords name the parts of an agreement that carry numbers.
var numberWords = map[string]bool{
	"article": true, "section": true, "clause": true, "paragraph": true, "part": true, "chapter": true, "title": true, "item": true, "step": true,
}

// numberAt reads the numbering that s opens with. A figure that only begins a
// clause ("30 days", "1.5 million") is not one.
func numberAt(s string) numbering {
	if s == "" {
		return numbering{}
	}
	switch c := s[0]; {
	case c == '(':
		return bracketedAt(s)
	case isDigit(c):
		return countedAt(s)
	case isLetter(c):
		if n := letteredAt(s); n.end > 0 {
			return n
		}
		return namedAt(s)
	case c == '-' || c == '*' || c >= utf8.RuneSelf:
		return bulletAt(s)
	}
	return numbering{}
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
	return n > 0 && n+1 < len(s) && s[n] >= 'A' && s[n] <= 'Z' && isLetter(s[n+1])
}

func bulletAt(s string) numbering {
	r, size := utf8.DecodeRuneInString(s)
	if r == '§' {
		if n := countedAt(strings.TrimLeft(s[size:], " \u00a0")); n.end > 0 {
			end := strings.Index(s, n.label) + len(n.label)
			return closeNumber(s, numbering{label: s[:end], form: named}, end)
		}
	}
	if !strings.ContainsRune("-–—*•·●○▪■◦‣➢►\uf0b7\uf0a7", r) || size >= len(s) || s[size] != ' ' && s[size] != '\t' {
		return numbering{}
	}
	return closeNumber(s, numbering{label: s[:size], form: bullet}, size)
}

// mostParts bounds the levels that one number may name.
const mostParts = 8

func bracketedAt(s string) numbering {
	end := 0
	for parts := 0; parts < mostParts && end < len(s) && s[end] == '('; parts++ {
		inside := alphanumericPrefix(s[end+1:])
		if !isOrdinal(inside) || !strings.HasPrefix(s[end+1+len(inside):], ")") {
			break
		}
		end += len(inside) + 2
	}
	if end == 0 || isPhone(s[end:]) && end == len("(619)") {
		return numbering{}
	}
	return closeNumber(s, numbering{label: s[:end], form: bracketed}, end)
}

// isPhone reports whether s goes on with the number of a telephone behind its
// area: " 558-9390".
func isPhone(s string) bool {
	s = strings.TrimLeft(s, " ")
	return digitPrefix(s) == 3 && len(s) > 4 && strings.ContainsRune("-. ", rune(s[3])) && digitPrefix(s[4:]) == 4
}

// countedAt reads "7.", "7)", "7.2", "7.2.1", "7.B", "7.2(b)" and a bare "7".
func countedAt(s string) numbering {
	end := digitPrefix(s)
	if end == 0 || end > 3 {
		return numbering{}
	}
	parts := 1
	for end+1 < len(s) && s[end] == '.' {
		part := alphanumericPrefix(s[end+1:])
		if digits := digitPrefix(part); digits > 0 {
			part = part[:digits]
		}
		next := end + 1 + len(part)
		if !isOrdinal(part) || isLetter(part[0]) && (next == len(s) || s[next] != '.' && !asciiSpace[s[next]]) {
			break
		}
		end = next
		parts++
	}
	for end < len(s) && s[end] == '(' {
		sub := bracketedAt(s[end:])
		if sub.end == 0 {
			break
		}
		end += len(sub.label)
		parts++
	}
	n := numbering{label: s[:end], form: decimal}
	stopped := end < len(s) && (s[end] == '.' || s[end] == ')')
	switch {
	case parts == 1 && stopped:
		n.form = counted
	case parts == 1 && end > 2:
		return numbering{} // the number of a house
	case parts == 1:
		n.form = bare
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
	case glued && (n.form == bare || !unicode.IsUpper(first) || len(wordAt(rest)) < 3),
		n.form == bare && !unicode.IsUpper(first),
		n.form == decimal && !unicode.IsUpper(first) && !strings.ContainsRune("\"“”'‘([", first) && !isBrand(rest):
		return numbering{}
	}
	return closeNumber(s, n, end)
}

// letteredAt reads "A.", "b)", "IV." and "iv)".
func letteredAt(s string) numbering {
	word := alphanumericPrefix(s)
	end := len(word)
	if end > 5 || end >= len(s) || !isOrdinal(word) || isDigit(word[end-1]) ||
		s[end] != '.' && s[end] != ')' || end+1 < len(s) && !asciiSpace[s[end+1]] {
		return numbering{}
	}
	return closeNumber(s, numbering{label: word, form: lettered}, end+1)
}

// namedAt reads "ARTICLE IX", "Section 4.02(a)" and the like.
func namedAt(s string) numbering {
	word := wordAt(s)
	if len(word) > 9 || len(word) < 4 || s[0] > 'Z' || !numberWords[strings.ToLower(word)] {
		return numbering{}
	}
	rest := strings.TrimLeft(s[len(word):], " \t\u00a0")
	from := len(s) - len(rest)
	if from == len(word) || rest == "" {
		return numbering{}
	}
	number := 0
	for number < len(rest) && (isDigit(rest[number]) || isLetter(rest[number]) || rest[number] == '.' || rest[number] == '(' || rest[number] == ')' || rest[number] == '-') {
		number++
	}
	label := strings.TrimRight(rest[:number], ".-")
	head := alphanumericPrefix(label)
	if !isOrdinal(head) && numberNames[strings.ToLower(label)] == 0 {
		return numbering{}
	}
	n := closeNumber(s, numbering{label: s[:from+len(label)], form: named}, from+number)
	if dash := strings.TrimLeft(s[n.end:], ":-–—"); dash != "" && asciiSpace[dash[0]] {
		n = closeNumber(s, n, len(s)-len(dash)) // "ARTICLE I - TERM"
	}
	if behind := s[n.end:]; startsLower(behind) && !isBrand(behind) || behind != "" && (behind[0] == ',' || behind[0] == ';') {
		return numbering{} // "Section 4.2, the Seller pays" mentions it
	}
	return n
}

// numberNames are the values of the numbers that articles write out.
var numberNames = func() map[string]int {
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
func closeNumber(s string, n numbering, end int) numbering {
	for end < len(s) && asciiSpace[s[end]] {
		end++
	}
	n.end = end
	return n
}

// isOrdinal reports whether s counts: digits, one letter (or the same twice, as
// lists go on after z), or a roman number.
func isOrdinal(s string) bool {
	switch {
	case s == "" || len(s) > 6:
		return false
	case digitPrefix(s) == len(s):
		return len(s) <= 3
	case len(s) == 1 || len(s) == 2 && s[0] == s[1]:
		return isLetter(s[0])
	}
	return isRoman(s)
}

// isRoman reports whether s is a roman number below 90 in one case, which is as
// far as articles and front matter count.
func isRoman(s string) bool {
	lower := strings.ToLower(s)
	if s != lower && s != strings.ToUpper(s) {
		return false
	}
	return romanValue(lower) > 0
}

// romanValue returns the value of a lower-case roman number, or 0.
func romanValue(s string) int {
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
