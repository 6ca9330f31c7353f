package nlp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var asciiSpace = [256]bool{' ': true, '\t': true, '\n': true, '\v': true, '\f': true, '\r': true}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// digitPrefix counts the digits that s opens with.
func digitPrefix(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// alphanumericPrefix returns the ASCII letters and digits that s opens with.
func alphanumericPrefix(s string) string {
	n := 0
	for n < len(s) && (isDigit(s[n]) || isLetter(s[n])) {
		n++
	}
	return s[:n]
}

// wordAt returns the ASCII letters that s opens with.
func wordAt(s string) string {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	return s[:n]
}

// wordBefore returns the word that s closes with: the letters, digits and
// inner stops behind the last white space, bracket, quote or dash.
func wordBefore(s string) string {
	i := len(s)
	for i > 0 && i > len(s)-maxAbbreviation && (isDigit(s[i-1]) || isLetter(s[i-1]) || s[i-1] == '.' || s[i-1] == '&') {
		i--
	}
	return s[i:]
}

// trim narrows e to what is left without white space at its ends.
func trim(text string, e extent) extent {
	for e.start < e.end {
		if c := text[e.start]; c < utf8.RuneSelf && !asciiSpace[c] {
			break
		}
		r, size := utf8.DecodeRuneInString(text[e.start:e.end])
		if !unicode.IsSpace(r) {
			break
		}
		e.start += size
	}
	for e.start < e.end {
		if c := text[e.end-1]; c < utf8.RuneSelf && !asciiSpace[c] {
			break
		}
		r, size := utf8.DecodeLastRuneInString(text[e.start:e.end])
		if !unicode.IsSpace(r) {
			break
		}
		e.end -= size
	}
	return e
}

// hasWord reports whether s holds a word: two letters in a row, or one of a
// script whose words may be as short. A number alone ("(b)", "C-1") is none.
func hasWord(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if isLetter(s[i]) && isLetter(s[i+1]) {
			return true
		}
		if s[i] >= utf8.RuneSelf {
			return hasLetter(s[i:])
		}
	}
	return false
}

// hasLetter reports whether s holds a letter of any script.
func hasLetter(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) >= 0
}

// startsUpper reports whether s begins with a capital, possibly behind an
// opening quote or bracket.
func startsUpper(s string) bool {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if !strings.ContainsRune("\"'“‘([", r) {
			return unicode.IsUpper(r)
		}
		s = s[size:]
	}
	return false
}

// startsLower reports whether s begins with a small letter, so that it goes on
// from what stands before it.
func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// endsLower reports whether s ends with a small letter.
func endsLower(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLower(r)
}

// isCapitals reports whether s has letters and none of them is small.
func isCapitals(s string) bool {
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

// set is the words of a list, to look up.
func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// decode is utf8.DecodeRuneInString, and quick where most text is.
func decode(s string) (rune, int) {
	if s != "" && s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

// isWordRune reports whether r is a letter, a digit or a mark on one.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isLetter(byte(r)) || isDigit(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// hasCapital reports whether word begins with a capital or has one behind its
// first letter.
func hasCapital(word string) bool {
	if len(word) > 1 && word[0]|word[1] < utf8.RuneSelf {
		return isCapital(word[0]) || isCapital(word[1])
	}
	r, size := decode(word)
	if unicode.IsUpper(r) {
		return true
	}
	r, _ = decode(word[size:])
	return unicode.IsUpper(r)
}

// lastWord returns the last word of s, or "" where s does not end with one.
func lastWord(s string) string {
	i := len(s)
	for i > 0 && isLetter(s[i-1]) {
		i--
	}
	return s[i:]
}
