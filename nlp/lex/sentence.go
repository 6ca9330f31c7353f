package lex

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// shortItem is the length below which an item of a list inside a paragraph is a
// word or two that say nothing alone: "(11) Italy;".
const shortItem = 90

// splitter cuts one block into sentences. The block is a stretch of text in
// which the gaps (running headers and footers) do not count.
type splitter struct {
	*Grammar
	text string // up to the end of the block; offsets are those of the whole text
	gaps []Extent
	cuts []Extent
}

// Split appends to cuts the sentences of text[block.start:block.end], trimmed, in
// order and without overlap. Together they hold every byte of the block that is
// neither white space nor in a gap. Gaps are ordered and each begins at the start of
// a line.
func (g *Grammar) Split(text string, block Extent, gaps, cuts []Extent) []Extent {
	if g.unicode {
		return splitUnicode(text, block, gaps, cuts)
	}
	s := splitter{Grammar: g, text: text[:block.End], gaps: gaps, cuts: cuts}
	begin := s.skipSpace(block.Start)
	for i := s.afterNumber(begin); i < len(s.text); {
		switch c := s.text[i]; {
		case !mark[c]:
			i++
		case c == '\n' || c == '\f':
			i = s.skipSpace(i)
		default:
			end, next, ok := s.boundary(begin, i)
			if ok {
				s.emit(begin, end)
				begin = next
				next = s.afterNumber(next)
			}
			i = next
		}
	}
	s.emit(begin, len(s.text))
	return s.cuts
}

// mark holds the bytes at which the splitter has to think.
var mark = [256]bool{'.': true, '?': true, '!': true, ';': true, ':': true, '\n': true, '\f': true}

func (s *splitter) emit(start, end int) {
	if trimmed := Trim(s.text, Extent{start, end}); trimmed.Start < trimmed.End {
		s.cuts = append(s.cuts, trimmed)
	}
}

// boundary judges the mark at i. It returns where the sentence that began at
// begin ends and where the next one starts; if there is no boundary, next is
// where to go on reading.
func (s *splitter) boundary(begin, i int) (end, next int, ok bool) {
	switch c := s.text[i]; c {
	case ';', ':':
		next = s.skipSpace(i + 1)
		if next == i+1 {
			return i + 1, next, false
		}
		end = i + 1
		if c == ';' {
			// The word that joins two items closes the first.
			if word := s.conjunctionAt(s.text[next:]); word > 0 {
				end, next = next+word, s.skipSpace(next+word)
			}
		}
		return end, next, s.opensItem(next, i-begin >= shortItem)
	default:
		end = s.closers(i + 1)
		next = s.skipSpace(end)
		if next == end || next >= len(s.text) {
			return end, max(next, i+1), false
		}
		if c == '.' && end == i+1 && !s.stops(begin, i, next) {
			return end, next, false
		}
		return end, next, s.starts(next)
	}
}

// stops reports whether the full stop at i ends a sentence as far as the word
// before it can tell; next is where the following text begins.
func (s *splitter) stops(begin, i, next int) bool {
	word := s.wordBefore(s.text[begin:i])
	if word == "" {
		return true
	}
	if s.wide && len(word) == 1 && i-begin > 2 && s.text[i-2] == '-' && IsDigit(s.text[i-3]) {
		return true // the last letter of a number: "12.345.678-Z"
	}
	kind, known := s.abbreviations[word]
	if !known && len(word) > 1 {
		kind, known = s.abbreviations[strings.ToLower(word)]
		if !known && s.wide && (isShortened(word) || slices.ContainsFunc(s.suffixes, func(suffix string) bool { return strings.HasSuffix(word, suffix) })) {
			kind = beforeNumber
		}
	}
	switch kind {
	case beforeName:
		return false
	case beforeNumber:
		return !s.startsNumber(next)
	case beforeDay:
		return !IsDigit(s.text[next])
	case afterName:
		return s.startsWithOpener(next)
	}
	if s.isInitials(word) {
		if len(word) == 1 && s.afterLabel(s.text[begin:i-1]) {
			return true
		}
		return len(word) > 1 && s.startsWithOpener(next)
	}
	return s.ordinals == nil || !s.isOrdinal(s.text[begin:i-len(word)], word, s.text[next:])
}

// starts reports whether a sentence can begin at i, behind any opening
// brackets.
func (s *splitter) starts(i int) bool {
	for i < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		switch {
		case r == '(' || r == '[':
			if NumberAt(s.text[i:]).End > 0 {
				return true
			}
			i += size
		case unicode.IsLower(r):
			return NumberAt(s.text[i:]).End > 0 || isBrand(s.text[i:])
		default:
			return !strings.ContainsRune(",;:)]%", r)
		}
	}
	return true
}

// startsNumber reports whether a figure, a blank to fill in or a single letter
// follows, as after "No." or "Sec.".
func (s *splitter) startsNumber(i int) bool {
	c := s.text[i]
	if IsDigit(c) || c == '_' || c == '#' || c == '[' || c == '(' {
		return true
	}
	word := WordAt(s.text[i:])
	return len(word) == 1 || word != "" && strings.Trim(word, "IVXLC") == ""
}

// startsWithOpener reports whether the word at i is one that begins sentences
// and hardly ever follows a name.
func (s *splitter) startsWithOpener(i int) bool {
	if n := NumberAt(s.text[i:]); n.Form == Decimal || n.Form == Named || n.Form == Counted && len(n.Label) <= 2 {
		return true // a volume of reports has three figures: "410 U.S. 113."
	}
	if !s.wide {
		return s.openers[WordAt(s.text[i:])]
	}
	r, _ := DecodeRune(s.text[i:])
	return strings.ContainsRune("¿¡„«§", r) || s.openers[wideWordAt(s.text[i:])]
}

// conjunctionAt returns the length of the word at the start of s that joins the
// items of a list, or 0.
func (g *Grammar) conjunctionAt(s string) int {
	for _, word := range g.conjunctions {
		if strings.HasPrefix(s, word) && len(s) > len(word) && ASCIISpace[s[len(word)]] {
			return len(word)
		}
	}
	return 0
}

// opensItem reports whether an item of a list inside a paragraph begins at i,
// behind a colon or a semicolon: "(ii)", "b)" or the next recital. Behind a
// short item only a recital does, and a letter with a sentence: "B. The Seller".
func (s *splitter) opensItem(i int, long bool) bool {
	rest := s.text[i:]
	n := NumberAt(rest)
	return IsRecital(rest) || n.End > 0 && (long || n.Form == Lettered && StartsUpper(rest[n.End:]))
}

// closers returns the end of the closing quotes, brackets and further stops
// that belong to the sentence ending before i.
func (s *splitter) closers(i int) int {
	for i < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if !strings.ContainsRune(".?!\"'”’)]»", r) && (!s.wide || r != '“' && r != '‘') {
			break
		}
		i += size
	}
	if s.spacedQuotes {
		// « Le prix est ferme. »
		ahead := *s // whose gaps are not those that follow i
		if next := ahead.skipSpace(i); strings.HasPrefix(s.text[next:], "»") {
			return next + len("»")
		}
	}
	return i
}

// afterNumber returns the end of the numbering at i, so that its stops are not
// taken for the ends of sentences.
func (s *splitter) afterNumber(i int) int {
	if i >= len(s.text) {
		return i
	}
	return i + NumberAt(s.text[i:]).End
}

// skipSpace returns the first byte at or after i that is neither white space
// nor in a gap.
func (s *splitter) skipSpace(i int) int {
	for i < len(s.text) {
		for len(s.gaps) > 0 && s.gaps[0].End <= i {
			s.gaps = s.gaps[1:]
		}
		if len(s.gaps) > 0 && s.gaps[0].Start <= i {
			i = s.gaps[0].End
			continue
		}
		if c := s.text[i]; c < utf8.RuneSelf {
			if !ASCIISpace[c] {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if !unicode.IsSpace(r) {
			return i
		}
		i += size
	}
	return len(s.text)
}

// IsRecital reports whether s begins one of the paragraphs that say why an
// agreement is made.
func IsRecital(s string) bool {
	return strings.HasPrefix(s, "WHEREAS") || strings.HasPrefix(s, "Whereas,") || strings.HasPrefix(s, "NOW, THEREFORE") || strings.HasPrefix(s, "NOW THEREFORE")
}

// maxClosers bounds the brackets and quotes, in bytes, that are looked behind
// for the mark that ends a sentence.
const maxClosers = 16

// EndsSentence reports whether s closes with a mark that ends a sentence or a
// clause, as far as that can be told without what follows.
func EndsSentence(s string) bool {
	s = s[max(0, len(s)-maxClosers):]
	s = strings.TrimRightFunc(s, func(r rune) bool { return strings.ContainsRune("\"'”’)]»", r) || unicode.IsSpace(r) })
	return s != "" && strings.IndexByte(".?!;:", s[len(s)-1]) >= 0
}

// StopsAt reports whether the full stop at i, in a sentence of text that began
// at begin, ends it as far as the word before can tell; next is where the
// following text begins.
func (g *Grammar) StopsAt(text string, begin, i, next int) bool {
	reader := splitter{Grammar: g, text: text}
	return reader.stops(begin, i, next)
}

// EndsAt reports whether the stop at i of s ends a sentence.
func (g *Grammar) EndsAt(s string, i int) bool {
	reader := splitter{Grammar: g, text: s}
	next := reader.skipSpace(i + 1)
	return next >= len(s) || reader.stops(0, i, next) && reader.starts(next)
}

// splitUnicode is Split by Unicode's rules (UAX 29).
func splitUnicode(text string, block Extent, gaps, cuts []Extent) []Extent {
	// The rules take every line break for the end of a paragraph.
	flat := []byte(text[block.Start:block.End])
	for i, c := range flat {
		if ASCIISpace[c] {
			flat[i] = ' '
		}
	}
	for _, gap := range gaps {
		if gap.Start >= block.End {
			break
		}
		for i := max(gap.Start, block.Start); i < min(gap.End, block.End); i++ {
			flat[i-block.Start] = ' '
		}
	}
	for tokens := sentences.FromBytes(flat); tokens.Next(); {
		if e := Trim(text, Extent{block.Start + tokens.Start(), block.Start + tokens.End()}); e.Start < e.End {
			cuts = append(cuts, e)
		}
	}
	return cuts
}
