package field

import (
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Placer finds words in a text where white space may differ, as it does between
// two readings of one page.
type Placer struct {
	letters string // the text without white space
	at      []int  // by byte of letters: its code point in the text
}

// NewPlacer prepares a text.
func NewPlacer(text string) *Placer {
	var letters strings.Builder
	p := &Placer{at: make([]int, 0, len(text))}
	point := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			size, _ := letters.WriteRune(r)
			for range size {
				p.at = append(p.at, point)
			}
		}
		point++
	}
	p.letters = letters.String()
	return p
}

// Find returns the place of words, the one nearest to a code point where they stand
// more than once.
func (p *Placer) Find(words string, near int) (span lex.Span, ok bool) {
	sought := strings.Join(strings.Fields(words), "")
	if sought == "" {
		return span, false
	}
	for from := 0; ; {
		i := strings.Index(p.letters[from:], sought)
		if i < 0 {
			return span, ok
		}
		first, last := from+i, from+i+len(sought)-1
		found := lex.Span{Start: p.at[first], End: p.at[last] + 1}
		if !ok || distance(found.Start, near) < distance(span.Start, near) {
			span, ok = found, true
		}
		from = first + len(sought)
	}
}

func distance(a, b int) int { return max(a-b, b-a) }
