package lex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ASCIISpace tells of a byte whether it is white space, as most of that is.
var ASCIISpace = [256]bool{' ': true, '\t': true, '\n': true, '\v': true, '\f': true, '\r': true}

// IsDigit reports whether c is a digit of ASCII.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsLetter reports whether c is a letter of ASCII, in either case.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsCapital reports whether c is a capital of ASCII.
func IsCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// DigitPrefix counts the digits that s opens with.
func DigitPrefix(s string) int {
	n := 0
	for n < len(s) && IsDigit(s[n]) {
		n++
	}
	return n
}

// AlphanumericPrefix returns the ASCII letters and digits that s opens with.
func AlphanumericPrefix(s string) string {
	n := 0
	for n < len(s) && (IsDigit(s[n]) || IsLetter(s[n])) {
		n++
	}
	return s[:n]
}

// WordAt returns the ASCII letters that s opens with.
func WordAt(s string) string {
	n := 0
	for n < len(s) && IsLetter(s[n]) {
		n++
	}
	return s[:n]
}

// WordBefore returns the word that s closes with: the letters, digits and
// inner stops behind the last white space, bracket, quote or dash.
func WordBefore(s string) string {
	i := len(s)
	for i > 0 && i > len(s)-maxAbbreviation && (IsDigit(s[i-1]) || IsLetter(s[i-1]) || s[i-1] == '.' || s[i-1] == '&') {
		i--
	}
	return s[i:]
}

// Trim narrows e to what is left without white space at its ends.
func Trim(text string, e Extent) Extent {
	for e.Start < e.End {
		if c := text[e.Start]; c < utf8.RuneSelf && !ASCIISpace[c] {
			break
		}
		r, size := utf8.DecodeRuneInString(text[e.Start:e.End])
		if !unicode.IsSpace(r) {
			break
		}
		e.Start += size
	}
	for e.Start < e.End {
		if c := text[e.End-1]; c < utf8.RuneSelf && !ASCIISpace[c] {
			break
		}
		r, size := utf8.DecodeLastRuneInString(text[e.Start:e.End])
		if !unicode.IsSpace(r) {
			break
		}
		e.End -= size
	}
	return e
}

// HasWord reports whether s holds a word: two letters in a row, or one of a
// script whose words may be as short. A number alone ("(b)", "C-1") is none.
func HasWord(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if IsLetter(s[i]) && IsLetter(s[i+1]) {
			return true
		}
		if s[i] >= utf8.RuneSelf {
			return HasLetter(s[i:])
		}
	}
	return false
}

// HasLetter reports whether s holds a letter of any script.
func HasLetter(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) >= 0
}

// StartsUpper reports whether s begins with a capital, possibly behind an
// opening quote or bracket.
func StartsUpper(s string) bool {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if !strings.ContainsRune("\"'“‘([", r) {
			return unicode.IsUpper(r)
		}
		s = s[size:]
	}
	return false
}

// StartsLower reports whether s begins with a small letter, so that it goes on
// from what is before it.
func StartsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// endsLower reports whether s ends with a small letter.
func endsLower(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLower(r)
}

// IsCapitals reports whether s has letters and none of them is small.
func IsCapitals(s string) bool {
	letters := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			return false
		case c >= 'A' && c <= 'Z':
			letters = true
		case c >= utf8.RuneSelf:
			return letters && strings.IndexFunc(s[i:], unicode.IsLower) < 0
		}
	}
	return letters
}

// Set is the words of a list, to look up.
func Set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// DecodeRune is utf8.DecodeRuneInString, and quick where most text is.
func DecodeRune(s string) (rune, int) {
	if s != "" && s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

// IsWordRune reports whether r is a letter, a digit or a mark on one.
func IsWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return IsLetter(byte(r)) || IsDigit(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// HasCapital reports whether word begins with a capital or has one behind its
// first letter.
func HasCapital(word string) bool {
	if len(word) > 1 && word[0]|word[1] < utf8.RuneSelf {
		return IsCapital(word[0]) || IsCapital(word[1])
	}
	r, size := DecodeRune(word)
	if unicode.IsUpper(r) {
		return true
	}
	r, _ = DecodeRune(word[size:])
	return unicode.IsUpper(r)
}

// LastWord returns the last word of s, or "" where s does not end with one.
func LastWord(s string) string {
	i := len(s)
	for i > 0 && IsLetter(s[i-1]) {
		i--
	}
	return s[i:]
}
