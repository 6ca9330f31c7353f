package query

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// longestFold is how many characters of a value count.
const longestFold = 200

// Fold makes one of the ways in which a value can be written: small letters
// without accents, nothing invisible, single spaces.
func Fold(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Cc, unicode.Cf) && !unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD")))
	s = norm.NFC.String(strings.Join(strings.Fields(s), " "))
	if runes := []rune(s); len(runes) > longestFold {
		return string(runes[:longestFold])
	}
	return s
}
