package lex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unwrap puts text on one line and leaves its hyphens.
func Unwrap(text string) string { return JoinLines(text, false) }

// JoinLines puts text on one line. Every run of white space becomes one blank,
// and none where a word was broken; of such a word the hyphen goes, too, if the
// text is hyphenated.
func JoinLines(text string, hyphenated bool) string {
	text = strings.TrimSpace(text)
	if isOneLine(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	kept := 0 // what is before it is written
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && c != '-' && !ASCIISpace[c] {
			i++
			continue
		}
		r, size := DecodeRune(text[i:])
		next := i + size
		switch space := breakAfter(text, i, r, next); {
		case space > 0:
			b.WriteString(text[kept:i])
			if r == '-' && !hyphenated {
				b.WriteByte('-')
			}
			next += space
			kept = next
		case r == '\u00ad':
			b.WriteString(text[kept:i])
			kept = next
		case r < utf8.RuneSelf && ASCIISpace[r]:
			b.WriteString(text[kept:i])
			b.WriteByte(' ')
			next = i + SpaceAt(text[i:])
			kept = next
		}
		i = next
	}
	b.WriteString(text[kept:])
	return b.String()
}

// isOneLine reports whether JoinLines leaves text as it is.
func isOneLine(text string) bool {
	for _, c := range [...]byte{'\n', '\t', '\r', '\f', '\v'} {
		if strings.IndexByte(text, c) >= 0 {
			return false
		}
	}
	return !strings.Contains(text, "  ") && !strings.Contains(text, "\u00ad")
}

// breakAfter returns the length of the line break that follows a word broken by
// the hyphen r, which is text[i:next], and 0 where there is none: where r is no
// hyphen, or the word does not continue in small letters.
func breakAfter(text string, i int, r rune, next int) int {
	if r != '-' && r != '\u00ad' {
		return 0
	}
	space := SpaceAt(text[next:])
	if space == 0 || !strings.ContainsAny(text[next:next+space], "\n\f") || !endsLower(text[:i]) || !StartsLower(text[next+space:]) {
		return 0
	}
	return space
}

// IsHyphenated reports whether text breaks words at the ends of its lines. Most
// contracts do not: there a hyphen at the end of a line is one of "royalty-free".
func IsHyphenated(text string) bool {
	const (
		least = 3 // broken words
		share = 3 // percent of the lines
	)
	lines, broken := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] != '\n' {
			continue
		}
		lines++
		if i >= 2 && text[i-1] == '-' && endsLower(text[:i-1]) && StartsLower(text[i+SpaceAt(text[i:]):]) {
			broken++
		}
	}
	return broken >= least && broken*100 >= lines*share
}

// SpaceAt returns the length of the ASCII white space that s opens with.
func SpaceAt(s string) int {
	n := 0
	for n < len(s) && ASCIISpace[s[n]] {
		n++
	}
	return n
}

// Squash returns the letters and digits of s in lower case: what is left when
// spacing and punctuation, which recognition often gets wrong, are not told
// apart.
func Squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
