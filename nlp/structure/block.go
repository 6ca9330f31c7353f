package structure

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// piece is a block while it is being made. Its rows are the units that are
// never joined into one sentence: the lines of a table or of signatures.
type piece struct {
	lex.Extent
	kind     BlockKind
	page     int
	number   lex.Numbering
	title    string
	contents bool
	rows     []lex.Extent  // nil for prose
	cells    [][]tableCell // by row, where they are declared
	of       *declared     // the paragraph that it begins; nil where none is declared
}

// lostBreak is the number of blank lines that, inside a page, stand for a page
// break that was lost or for a deliberate gap.
const lostBreak = 4

// leastWidth is the length in bytes that the lines of running text have at
// least; shorter ones are names, addresses and the like.
const leastWidth = 60

// lineKind says what part a line plays, before lines become paragraphs.
type lineKind uint8

const (
	prose lineKind = iota
	contentsLine
	signatureLine
	tableLine
)

// outline makes blocks of lines.
type outline struct {
	rules    *lex.Grammar
	text     string
	lines    []line // without furniture
	apart    []bool // a page break lies between the line and the one before
	barred   []bool // furniture does; without a page break that is a guess, and nothing is joined on a guess
	kinds    []lineKind
	widths   []int // by page: where its lines wrap
	pieces   []piece
	declared []declared     // paragraphs
	declares bool           // headings: what only looks like one is text
	at       int            // the line of the piece last added
	headed   bool           // the piece last added is a heading that runs in before the text that comes next
	subjects map[string]int // of sentences, by how often; nil before they are needed
}

// findBlocks makes the blocks of text from its lines, which know their
// furniture.
func findBlocks(rules *lex.Grammar, text string, all []line, paragraphs []declared) []piece {
	o := outline{rules: rules, text: text, declared: paragraphs, declares: countHeadings(paragraphs) >= leastDeclared}
	o.lines = make([]line, 0, len(all))
	o.apart = make([]bool, 0, len(all))
	for i, l := range all {
		if l.furniture {
			continue
		}
		o.lines = append(o.lines, l)
		before := len(o.lines) - 2
		o.apart = append(o.apart, before >= 0 && o.lines[before].page != l.page)
		o.barred = append(o.barred, i > 0 && all[i-1].furniture)
	}
	o.kinds = make([]lineKind, len(o.lines))
	o.measure()
	o.markContents()
	o.markSignatures()
	o.markTables()
	for i := 0; i < len(o.lines); {
		end := i + 1
		for end < len(o.lines) && o.kinds[end] == o.kinds[i] && o.joins(i, end) {
			end++
		}
		switch d := o.lines[i].of; {
		case o.kinds[i] == tableLine && d != nil && d.Table > 0:
			o.addTable(i, end)
		case o.kinds[i] != prose:
			o.addRows(o.kinds[i], i, end)
		case d != nil && (d.Kind != "" || d.beside()):
			o.addDeclared(i, end)
		default:
			o.addProse(i, end)
		}
		i = end
	}
	o.restore()
	o.scatter()
	return o.pieces
}

func (o *outline) line(i int) string { return o.text[o.lines[i].Start:o.lines[i].End] }

// measure finds for each page the length its full lines have.
func (o *outline) measure() {
	if len(o.lines) == 0 {
		return
	}
	o.widths = make([]int, o.lines[len(o.lines)-1].page+1)
	all := make([]int, 0, len(o.lines))
	for i := 0; i < len(o.lines); {
		page, from := o.lines[i].page, len(all)
		for ; i < len(o.lines) && o.lines[i].page == page; i++ {
			all = append(all, o.lines[i].len())
		}
		if len(all)-from >= 8 {
			o.widths[page] = percentile(all[from:], 85)
		}
	}
	general := max(percentile(all, 85), leastWidth)
	for page, width := range o.widths {
		// A page of headings and signatures tells nothing about where its lines
		// wrap.
		if width < general/2 {
			width = general
		}
		o.widths[page] = max(width, leastWidth)
	}
}

func percentile(lengths []int, percent int) int {
	sorted := slices.Sorted(slices.Values(lengths))
	return sorted[(len(sorted)*percent+99)/100-1]
}

// joins reports whether line i continues with the block that began at line first
// and reaches to line i-1.
func (o *outline) joins(first, i int) bool {
	if above, d := o.lines[i-1].of, o.lines[i].of; above != nil || d != nil {
		same := above == d || above != nil && d != nil && o.apart[i] && d.Continued && above.Kind == d.Kind && above.Origin == d.Origin
		switch {
		case o.kinds[i] == tableLine && above != nil && d != nil && d.Table > 0:
			return above.Table == d.Table
		case o.kinds[i] == prose && !same && (above == nil || d == nil || above.stands() || d.stands() || above.Table != d.Table):
			return false
		case o.kinds[i] == prose && !same: // nothing is declared but that they are two
		case o.kinds[i] == prose && (d.Kind != "" || d.beside()):
			return true
		case o.kinds[i] == prose && o.apart[i]:
			return true
		}
	}
	switch o.kinds[i] {
	case contentsLine:
		return true
	case signatureLine:
		return !o.apart[i]
	case tableLine:
		return o.lines[i].blanks <= 1
	}
	return o.joinsProse(first, i)
}

// joinsProse is joins for lines of prose, where the break between two lines is
// one of the page or one that somebody meant.
func (o *outline) joinsProse(first, i int) bool {
	above, next := o.line(i-1), o.line(i)
	l := &o.lines[i]
	open := !o.rules.EndsSentence(above, next)
	goesOn := l.number.End == 0 && lex.StartsLower(next)
	switch {
	case i-1 == first && o.lines[first].number.End == len(above):
		return o.takesNumber(first, i)
	case l.soft:
		return open && (goesOn || endsInside(above))
	case o.barred[i] && !o.apart[i]:
		return false
	case o.apart[i]:
		return open && (goesOn || l.number.End == 0 && !isTitle(next) && (endsInside(above) || o.isFull(i, 80)))
	case l.blanks >= lostBreak:
		return false
	case l.blanks > 0:
		return open && (goesOn && !isTitle(strings.Trim(above, "\"“”")) || l.number.End == 0 && !isTitle(next) && leansOn[lex.LastWord(above)])
	case l.number.End > 0 && o.opensParagraph(i), lex.IsRecital(next):
		return false
	case goesOn:
		return true
	case lex.IsCapitals(above) != lex.IsCapitals(next):
		return open && o.isFull(i, 80)
	case lex.IsCapitals(next):
		return open
	case open && (isTitle(above) || isTitle(next)):
		return o.isFull(i, 80)
	case open:
		return o.isFull(i, 55)
	case strings.HasPrefix(next, "“") || next[0] == '"':
		return false // a list of definitions
	}
	return o.isFull(i, 88)
}

// takesNumber reports whether line i is the text of the number that stands
// alone on the line before.
func (o *outline) takesNumber(number, i int) bool {
	switch o.lines[number].number.Form {
	case lex.Bare:
		if _, attached := readAttachment(o.line(i)); attached {
			return false // a page number above an exhibit
		}
		fallthrough
	case lex.Named:
		return o.lines[i].number.End == 0 && isTitle(o.line(i))
	}
	return o.lines[i].number.End == 0 && !o.apart[i]
}

// isFull reports whether line i-1 is so long that, at the given share of the
// page's width, the first word of line i found no room on it.
func (o *outline) isFull(i, percent int) bool {
	word := strings.IndexByte(o.line(i), ' ')
	if word < 0 {
		word = o.lines[i].len()
	}
	return (o.lines[i-1].len()+1+word)*100 > o.widths[o.lines[i-1].page]*percent
}

// opensParagraph reports whether the number at the start of line i begins a
// paragraph, and is not one that the text mentions where its line wraps.
func (o *outline) opensParagraph(i int) bool {
	above := o.line(i - 1)
	if o.rules.EndsSentence(above, o.line(i)) || !o.isFull(i, 70) {
		return true
	}
	if o.rules.OpensOrdinal(above, o.line(i)) {
		return false
	}
	switch last := strings.ToLower(lex.LastWord(above)); o.lines[i].number.Form {
	case lex.Bullet:
		return true
	case lex.Bracketed, lex.Lettered, lex.Bare:
		return (last == "and" || last == "or") && strings.Contains(above, ";")
	default:
		return !strings.HasSuffix(above, ",") && !Connectors[last] && !lex.Labels[strings.TrimSuffix(last, "s")] && lex.StartsUpper(o.line(i)[o.lines[i].number.End:])
	}
}

// leansOn are the small words that no paragraph ends with.
var leansOn = lex.Set("a an at by for from in of on the to under with")

// endsInside reports whether s breaks off in the middle of a sentence: behind a
// small word or a comma.
func endsInside(s string) bool {
	if last := s[len(s)-1]; last == ',' || last == '-' {
		return true
	}
	word := lex.LastWord(s)
	return word != "" && word == strings.ToLower(word)
}

// add adds a piece behind all others. A title that is below its number,
// as articles have it, joins it.
func (o *outline) add(p piece) {
	for o.at+1 < len(o.lines) && o.lines[o.at+1].Start <= p.Start {
		o.at++
	}
	p.page = o.lines[o.at].page
	if last := len(o.pieces) - 1; last >= 0 && p.kind == Heading && p.number.Form == lex.Unnumbered {
		if above := &o.pieces[last]; above.kind == Heading && above.title == "" && above.page == p.page && above.number.End > 0 {
			above.title, above.End = p.title, p.End
			return
		}
	}
	o.pieces = append(o.pieces, p)
}

// addRows adds a block of lines that stay lines.
func (o *outline) addRows(kind lineKind, from, to int) {
	p := piece{Extent: lex.Extent{Start: o.lines[from].Start, End: o.lines[to-1].End}, kind: Table, contents: kind == contentsLine}
	if kind == signatureLine {
		p.kind = SignatureBlock
	}
	for i := from; i < to; i++ {
		p.rows = append(p.rows, o.lines[i].Extent)
	}
	o.add(p)
}

// addProse adds the paragraph that lines from to to make: a heading and its
// text, an item or plain text. Sections that were run together in one line are
// parted.
func (o *outline) addProse(from, to int) {
	together := slices.ContainsFunc(o.lines[from:to], func(l line) bool { return l.len() > longLine })
	o.addText(lex.Extent{Start: o.lines[from].Start, End: o.lines[to-1].End}, o.lines[from].number, from, to, together)
}

// addText adds the units that rest, which lines from to to hold, is made of.
func (o *outline) addText(rest lex.Extent, number lex.Numbering, from, to int, together bool) {
	solid := from + 1  // the line behind the last one before the next page break
	next := rest.Start // of the sections that were run together, as far as they were looked for
	for rest.Start < rest.End {
		for solid < to && (!o.apart[solid] || o.lines[solid].Start <= rest.Start) {
			solid++
		}
		unit := rest
		if together {
			// What was looked through is not looked through again behind a heading, but for
			// the first words, which have other ones before them now.
			behind, until := rest.Start+number.End, rest.End
			if next > behind {
				until = min(next, rest.Start+longestTitle)
			}
			if found := o.nextSection(rest, behind, until); next <= behind || found < next {
				next = found
			}
			unit.End = next
		}
		end := o.addUnit(lex.Trim(o.text, unit), number, o.lines[solid-1].End)
		rest = lex.Trim(o.text, lex.Extent{Start: end, End: rest.End})
		number = lex.NumberAt(o.text[rest.Start:rest.End])
	}
}

// addUnit adds what one unit of prose opens with, and returns where that ends:
// a heading, or all of it. Up to solid it has nothing of a page's furniture in
// it.
func (o *outline) addUnit(e lex.Extent, number lex.Numbering, solid int) int {
	p := piece{Extent: e, kind: Paragraph, number: number}
	plain := o.declares && number.Form <= lex.Bullet // what looks like a heading is none
	behind := lex.Trim(o.text, lex.Extent{Start: e.Start + number.End, End: max(e.Start+number.End, min(e.End, solid))})
	body := o.text[behind.Start:behind.End]
	end := 0
	if number.Form != lex.Unnumbered || !o.headed {
		end = headingEnd(o.rules, number.Form, body)
	}
	if end == 0 && number.Form >= lex.Counted && number.Form != lex.Bare {
		end = o.titleBefore(body)
	}
	if _, attached := readAttachment(body); plain && !attached && !namesInstrument(body) {
		end = 0
	}
	if _, attached := readAttachment(body); number.Form == lex.Bare && (attached || isStreet(body)) {
		end = 0 // a page number before an exhibit, or the number of a house
	}
	o.headed = false
	if crosses := e.End > solid; end > 0 && !(crosses && end == len(body)) || body == "" && number.Form == lex.Named {
		p.kind = Heading
		p.title = strings.TrimRight(body[:end], " .:-–—\n\t")
		p.Extent = lex.Trim(o.text, lex.Extent{Start: e.Start, End: behind.Start + end})
		o.add(p)
		o.headed = p.End < e.End
		return p.End
	}
	switch number.Form {
	case lex.Bare:
		p.number = lex.Numbering{} // the figure belongs to the text
	case lex.Unnumbered:
	default:
		p.kind = ListItem
	}
	o.add(p)
	return e.End
}

// nextSection returns where in e, one long line, between from and until, the next section
// begins: a number and a heading that follow the end of a sentence. It is the end of e if
// there is none.
func (o *outline) nextSection(e lex.Extent, from, until int) int {
	text := o.text[:e.End]
	for i := max(from, e.Start+1); i < min(until, e.End-2); i++ {
		if text[i] != ' ' || !lex.IsDigit(text[i+1]) && text[i+1] != '(' && (text[i+1] < 'A' || text[i+1] > 'Z') || !lex.EndsSentence(text[max(e.Start, i-8):i]) {
			continue
		}
		n := lex.NumberAt(text[i+1:])
		if n.Form < lex.Bracketed || n.Form == lex.Lettered && !lex.IsRoman(n.Label) && len(n.Label) > 1 {
			continue
		}
		if text[i-1] == '.' && !o.rules.StopsAt(text, e.Start, i-1, i+1) {
			continue
		}
		end := headingEnd(o.rules, n.Form, text[i+1+n.End:])
		if n.Form == lex.Bare && !strings.HasPrefix(strings.TrimLeft(text[i+1+n.End+end:], " "), n.Label+".") {
			continue // "2 TERM 2.1 Start." but not "2 Years"
		}
		if end > 0 || n.Form == lex.Named && i+1+n.End == e.End {
			return i + 1
		}
	}
	return e.End
}
