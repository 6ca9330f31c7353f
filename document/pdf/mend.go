package pdf

import (
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// This file mends characters that a font or its maps tell wrong, where it is plain what
// the page shows.

// mend mends the characters of a page.
func mend(glyphs []glyph) {
	unpackUTF8(glyphs)
	for start := 0; start < len(glyphs); {
		end := start
		rightToLeft, letters, high := 0, 0, false
		for ; end < len(glyphs) && glyphs[end].r != '\n' && glyphs[end].r != '\r'; end++ {
			switch r := glyphs[end].r; {
			case isRightToLeft(r):
				rightToLeft++
			case unicode.IsLetter(r):
				letters++
			}
			high = high || glyphs[end].r >= 0x80
		}
		if line := glyphs[start:end]; rightToLeft > letters {
			mirror(line)
		} else if high {
			unmistake(line)
		}
		start = end + 1
	}
}

// leastPacked is the fewest characters from which on UTF-8 is told from Korean, whose
// syllables have any of 40 times as many values.
const leastPacked = 8

// unpackUTF8 decodes characters that are two bytes of UTF-8 each: some programs for
// drawings write Cyrillic and Greek so into the maps of their fonts. As UTF-16 these are
// syllables of Korean.
func unpackUTF8(glyphs []glyph) {
	packed := 0
	for _, g := range glyphs {
		if !unicode.Is(unicode.Hangul, g.r) {
			continue
		}
		if g.r < 0xCE80 || g.r > 0xD1BF || g.r&0xC0 != 0x80 {
			return
		}
		packed++
	}
	if packed < leastPacked {
		return
	}
	for i, g := range glyphs {
		if unicode.Is(unicode.Hangul, g.r) {
			glyphs[i].r = g.r>>8&0x1F<<6 | g.r&0x3F
		}
	}
}

var opposite = map[rune]rune{'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{'}

// mirror turns the brackets of a line that is written from right to left, where the font
// names them by their shape on the page: where all of them close before they open.
func mirror(line []glyph) {
	var open, mirrored []rune
	for _, g := range line {
		other := opposite[g.r]
		switch g.r {
		case '(', '[', '{':
			open, mirrored = append(open, other), pop(mirrored, g.r)
		case ')', ']', '}':
			open, mirrored = pop(open, g.r), append(mirrored, other)
		default:
			continue
		}
	}
	if len(mirrored) > 0 || len(open) == 0 {
		return
	}
	for i, g := range line {
		if other := opposite[g.r]; other != 0 {
			line[i].r = other
		}
	}
}

// pop takes what is expected to follow off a stack; what is not expected stays as such.
func pop(stack []rune, r rune) []rune {
	if n := len(stack); n > 0 && stack[n-1] == r {
		return stack[:n-1]
	}
	return append(stack, unexpected)
}

const unexpected = -1

// unmistake decodes words again whose font was taken for one of old Macintoshes, where
// "ä" is at the place of "‰": they have signs or capitals between small letters then,
// and letters only when they are decoded as others are.
func unmistake(line []glyph) {
	for start := 0; start < len(line); start++ {
		if unicode.IsSpace(line[start].r) {
			continue
		}
		end, odd := start, false
		for ; end < len(line) && !unicode.IsSpace(line[end].r); end++ {
			odd = odd || end > start && end+1 < len(line) && isMistaken(line[end-1].r, line[end].r, line[end+1].r)
		}
		if odd {
			decodeAgain(line[start:end])
		}
		start = end
	}
}

// isMistaken reports whether r does not stand between such letters, but is at the place
// of a small letter. In Catalan a dot stands between two l.
func isMistaken(before, r, after rune) bool {
	switch {
	case r < 0x80, r == '·' && before == 'l', !unicode.IsLetter(before), !unicode.IsLower(after), unicode.IsLower(r):
		return false
	case unicode.IsLetter(r) && !unicode.IsLower(before): // capitals
		return false
	}
	other, ok := windows(r)
	return ok && other >= 'ß' && other <= 'ÿ' && unicode.IsLower(other)
}

// windows is the character at the place that r has on old Macintoshes.
func windows(r rune) (rune, bool) {
	b, ok := charmap.Macintosh.EncodeRune(r)
	if !ok || b < 0x80 {
		return r, false
	}
	return charmap.Windows1252.DecodeByte(b), true
}

// decodeAgain decodes the letters of a word again if all are letters then.
func decodeAgain(word []glyph) {
	for _, g := range word {
		if other, ok := windows(g.r); ok && !unicode.IsLetter(other) && !unicode.IsPunct(other) {
			return
		}
	}
	for i, g := range word {
		if other, ok := windows(g.r); ok {
			word[i].r = other
		}
	}
}
