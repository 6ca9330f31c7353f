package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/layout"
)

// glyph is a character, in the order of the page's content. Spaces and line ends
// are glyphs too, with meaningless boxes.
type glyph struct {
	r    rune
	box  layout.Box
	face typeface // of the first glyph of its word, from the first letter on of that
}

// run is a word before it has a place in the text.
type run struct {
	text   string
	box    layout.Box
	face   typeface
	origin layout.Origin
	field  int // number of the overlay that it is the value of, from 1; 0 for none
	cell   cell
	before byte // what parts it from the word before in its line; 0 for a blank
}

// assemble makes the text of a page of lines, with a blank line where the distance
// between two is more than the usual one. It reports where the overlays are that
// are fields, by their numbers.
func assemble(page *format.Page, lines [][]run, usual float32) (fields []placedField) {
	var text strings.Builder
	at, field := 0, 0
	before := 0 // where the word before ends
	for i, line := range lines {
		if i > 0 {
			separator := "\n"
			if startsParagraph(lines[i-1], line, usual) {
				separator = "\n\n"
			}
			text.WriteString(separator)
			at += len(separator)
		}
		for j, word := range line {
			if j > 0 {
				text.WriteByte(cmp.Or(word.before, ' '))
				at++
			}
			start := at
			for range word.text {
				at++
			}
			text.WriteString(word.text)
			page.Words = append(page.Words, layout.Word{Start: start, End: at, Box: word.box, Confidence: 100, Origin: word.origin})
			page.Emphasis = format.AddEmphasis(page.Emphasis, format.Emphasis{Start: start, End: at, Bold: word.face.bold, Italic: word.face.italic, Underline: word.face.underlined}, before)
			before = at
			if word.cell != (cell{}) {
				addCell(page, word, start, at, j == 0 || word.before != 0)
			}
			switch word.field {
			case 0:
			case field:
				fields[len(fields)-1].end = at
			default:
				fields = append(fields, placedField{overlay: word.field - 1, start: start, end: at})
			}
			field = word.field
		}
	}
	if at > 0 {
		text.WriteByte('\n')
	}
	page.Text = text.String()
	return fields
}

// addCell has a word of a table go on with its paragraph, or begin one.
func addCell(page *format.Page, word run, start, end int, begins bool) {
	if last := len(page.Paragraphs) - 1; !begins && last >= 0 {
		page.Paragraphs[last].End = end
		return
	}
	page.Paragraphs = append(page.Paragraphs, format.Paragraph{
		Start: start, End: end, Kind: format.Body, Table: word.cell.table, Row: word.cell.row, Cell: word.cell.column,
	})
}

// placedField is where the value of a field is in the text of its page.
type placedField struct{ overlay, start, end int }

// order turns around what is written from right to left where the engine has it in the
// order of the page. It takes texts whose characters are drawn one by one as if they were
// drawn from the left, and turns around those that are not.
func order(glyphs []glyph) {
	for start := 0; start < len(glyphs); start++ {
		if !isRightToLeft(glyphs[start].r) {
			continue
		}
		last, rising, falling := start, 0, 0
		for i := start + 1; i < len(glyphs); i++ {
			r := glyphs[i].r
			if isRightToLeft(r) {
				if glyphs[i].box.X0 > glyphs[last].box.X0 {
					rising++
				} else {
					falling++
				}
				last = i
			} else if r != ' ' && !unicode.Is(unicode.Mn, r) {
				break
			}
		}
		if rising > 4*falling {
			slices.Reverse(glyphs[start : last+1])
		}
		start = last
	}
}

// isRightToLeft reports whether r is a letter of Hebrew, Arabic or their relatives.
func isRightToLeft(r rune) bool {
	return r >= 0x590 && (r < 0x900 || r >= 0xFB1D && r < 0xFE00 || r >= 0xFE70 && r < 0xFF00) && unicode.IsLetter(r)
}

// splitLines groups glyphs to words, cleaned, where spaces part them, and words to
// lines, leaving out what is empty after cleaning.
func splitLines(glyphs []glyph) [][]run {
	var lines [][]run
	var line []run
	var word []rune
	var box layout.Box
	var face typeface  // of the word, by its first letter if there is one
	named := false     // the word has a letter
	var last glyph     // of the word
	var widest float32 // gap between two glyphs of the word
	endWord := func() {
		if text := clean(word); text != "" {
			line = append(line, run{text: text, box: box, face: face})
		}
		word = word[:0]
	}
	endLine := func() {
		endWord()
		if len(line) > 0 {
			lines = append(lines, line)
			line = nil
		}
	}
	for i, g := range glyphs {
		switch {
		case g.r == '\n' || g.r == '\r':
			endLine()
			continue
		case unicode.IsSpace(g.r):
			endWord()
			continue
		}
		gap := g.box.X0 - box.X1
		if len(word) > 0 && len(line) == 0 && gap > 2*widest && apart(box, g.box) && !(isDigit(last.r) && isDigit(g.r)) && isLabel(word) {
			endWord()
		}
		if len(word) == 0 {
			box, widest, face, named = g.box, 0, g.face, false
		} else {
			box, widest = box.Union(g.box), max(widest, gap)
		}
		if !named && (unicode.IsLetter(g.r) || unicode.IsDigit(g.r)) {
			face, named = g.face, true
		}
		last = g
		if !isHyphen(g.r) {
			word = append(word, g.r)
			continue
		}
		word = append(word, '-')
		if i+1 < len(glyphs) && glyphs[i+1].box.X0 < g.box.X0 {
			endLine() // the engine joins the lines at such a hyphen
		}
	}
	endLine()
	return lines
}

// isHyphen recognises all representations of a hyphen. The engine reports one at the
// end of a line as U+0002 or U+FFFE. Many fonts have their hyphen at the code of the
// soft hyphen, which on a page, unlike in running text, is visible.
func isHyphen(r rune) bool { return r == '\u00AD' || r == '\u0002' || r == '\uFFFE' }

// apart reports whether b begins too far after a to be the next letter of the same
// word, although the engine has not separated them. Where letters are spaced, or a digit
// follows a digit, it may be that nevertheless.
func apart(a, b layout.Box) bool {
	return b.X0-a.X1 > 0.06*(b.Y1-b.Y0)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// isLabel reports whether word is the number of a clause, such as "1.", "(iv)" or
// "12.3". A tab follows such a number, which may be a very small gap in narrow type.
func isLabel(word []rune) bool {
	inner, closed := strings.CutSuffix(strings.TrimPrefix(string(word), "("), ")")
	closed = closed || strings.HasSuffix(inner, ".")
	short, digits, dots := 0, 0, 0
	for _, r := range inner {
		switch {
		case isDigit(r):
			digits++
		case r == '.':
			dots++
		case unicode.IsLetter(r):
			short++
		default:
			return false
		}
	}
	return short <= 4 && digits <= 8 && (closed || short == 0 && dots > 0)
}

// drawn maps characters that users search in another form to that form: ligatures, and
// the bullets of symbol fonts.
var drawn = map[rune]string{
	'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st",
	'\uF0B7': "•", '\uF0A7': "▪", '\uF0D8': "➢", '\uF06F': "□", '\uF0A8': "□", '\uF0FC': "✓", '\uF0FE': "☒",
}

// clean returns a word as it is stored: composed (NFC), ligatures spelled out,
// without control characters, non-characters and invisible marks.
func clean(word []rune) string {
	plain := true
	for _, r := range word {
		if r <= ' ' || r >= 0x7F {
			plain = false
			break
		}
	}
	if plain {
		return string(word)
	}
	var b strings.Builder
	for i, r := range word {
		if utf16.IsSurrogate(r) {
			if i+1 < len(word) {
				if pair := utf16.DecodeRune(r, word[i+1]); pair != unicode.ReplacementChar {
					b.WriteRune(pair)
				}
			}
			continue
		}
		if spelled, ok := drawn[r]; ok {
			b.WriteString(spelled)
		} else if visible(r) {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// visible reports whether r is kept in a text. Of the invisible characters only the
// two joiners are, because some scripts need them for spelling.
func visible(r rune) bool {
	switch {
	case r == '\u200C' || r == '\u200D':
		return true
	case format.NonCharacter(r):
		return false
	default:
		return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp)
	}
}

// leading is the distance between the lower edges of two lines, in points.
func leading(above, below []run) float32 {
	return below[0].box.Y1 - above[0].box.Y1
}

// usualLeading is the usual distance of lines within the page's paragraphs: the lower
// quartile, because larger distances are between paragraphs. It is 0 without lines.
func usualLeading(lines [][]run) float32 {
	var all []float32
	for i := 1; i < len(lines); i++ {
		height := lines[i][0].box.Y1 - lines[i][0].box.Y0
		if d := leading(lines[i-1], lines[i]); d > height/2 && d < 3*height {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/4]
}

// startsParagraph reports whether a blank line belongs between two lines: if the
// second is further below than usual, or is higher up (the next column, a box beside
// the text). The rows of a table follow each other.
func startsParagraph(above, below []run, usual float32) bool {
	if above[0].cell.table != 0 || below[0].cell.table != 0 {
		return above[0].cell.table != below[0].cell.table
	}
	height := below[0].box.Y1 - below[0].box.Y0
	d := leading(above, below)
	if usual == 0 {
		usual = 1.2 * height
	}
	return d > 1.3*max(usual, height) || d < -height/2
}
