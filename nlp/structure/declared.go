package structure

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Page is the text of a page with the structure that its format declares.
type Page struct {
	Text     string
	Declared []Declared // paragraphs in order, without overlap; nil where the format declares none
}

// Declared is what the format of a file declares about a paragraph. It wins over what
// the text looks like.
type Declared struct {
	lex.Span // code points from the start of the page
	// Kind is Heading, ListItem or Contents; "" for a paragraph that may be anything.
	Kind  BlockKind `json:"kind,omitempty"`
	Level int       `json:"level,omitempty"` // of a heading, from 1; 0 for the title of the document
	// Number is shown before the text and is no part of it: "2.1", "(a)", "•".
	Number string `json:"number,omitempty"`
	List   int    `json:"list,omitempty"`  // names the list that counts it, from 1; 0 for none
	Depth  int    `json:"depth,omitempty"` // in that list, from 1
	// Table, Row and Cell are where it is in a table, from 1; 0 for none. No two tables of
	// a file have one number.
	Table     int    `json:"table,omitempty"`
	Row       int    `json:"row,omitempty"`
	Cell      int    `json:"cell,omitempty"`
	Origin    string `json:"origin,omitempty"`    // "" for the content itself; what is beside it never opens a section
	Continued bool   `json:"continued,omitempty"` // it began on the page before
}

// Contents is the kind of the paragraphs of a table of contents.
const Contents BlockKind = "contents"

// Cell is a cell of a table.
type Cell struct {
	lex.Span
	Column int    `json:"column"`           // from 1; empty cells count
	Number string `json:"number,omitempty"` // of its first paragraph, where that is not in the text
}

// declared is a paragraph with its place in the canonical text.
type declared struct {
	*Declared
	lex.Extent
	page int // where its page begins, in code points
}

// leastDeclared is how many headings a file declares at least before lines that only
// look like headings count as text.
const leastDeclared = 3

// declare places the paragraphs of pages in the canonical text. Those of a page that
// are out of order or beyond its text are left out.
func (s *Segmentation) declare(pages []Page) []declared {
	var all []declared
	for i := range pages {
		start, end := s.PageStarts[i], s.Offsets.CodePoint(len(s.Text))
		if i+1 < len(s.PageStarts) {
			end = s.PageStarts[i+1] - 1
		}
		at := start
		for j := range pages[i].Declared {
			p := &pages[i].Declared[j]
			if p.Start < 0 || start+p.Start < at || p.End <= p.Start || start+p.End > end {
				break
			}
			at = start + p.End
			e := lex.Trim(s.Text, lex.Extent{Start: s.Offsets.Byte(start + p.Start), End: s.Offsets.Byte(start + p.End)})
			if e.Start < e.End {
				all = append(all, declared{p, e, start})
			}
		}
	}
	return all
}

// startOf is the index of the first paragraph that begins at a byte or behind it.
func startOf(all []declared, at int) int {
	return sort.Search(len(all), func(i int) bool { return all[i].Start >= at })
}

// isHeading reports whether d opens a section.
func (d *declared) isHeading() bool {
	return d != nil && d.Kind == Heading && d.Level > 0 && d.Origin == ""
}

// beside reports whether d is not in the flow of the content: a header, a note.
func (d *declared) beside() bool { return d != nil && d.Origin != "" }

// stands reports whether what d is does not depend on what it looks like.
func (d *declared) stands() bool { return d != nil && (d.Kind != "" || d.Origin != "") }

// level is that of a heading or of a list item, 0 for others.
func (d *declared) level() int {
	switch {
	case d == nil:
		return 0
	case d.Kind == Heading:
		return d.Level
	}
	return d.Depth
}

// numbering is the number of d in the form that numbers in texts have.
func (d *declared) numbering() lex.Numbering {
	label := strings.Join(strings.Fields(d.Number), " ")
	if label == "" {
		return lex.Numbering{}
	}
	n := lex.NumberAt(label)
	switch {
	case n.End == len(label) && n.Form == lex.Bare:
		n.Form = lex.Counted
	case n.End == len(label) && n.Form != lex.Bullet:
	case lex.IsOrdinal(label):
		n = lex.Numbering{Label: label, Form: lex.Lettered}
	case strings.ContainsFunc(label, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		n = lex.Numbering{Label: label, Form: lex.Named}
	default:
		n = lex.Numbering{Label: label, Form: lex.Bullet}
	}
	n.End = 0 // it is not in the text
	return n
}

// countHeadings counts the headings that open sections.
func countHeadings(all []declared) (n int) {
	for i := range all {
		if all[i].isHeading() && all[i].Table == 0 {
			n++
		}
	}
	return n
}

// addDeclared adds the paragraph of lines from to to whose kind is declared.
func (o *outline) addDeclared(from, to int) {
	d := o.lines[from].of
	p := piece{Extent: lex.Extent{Start: o.lines[from].Start, End: o.lines[to-1].End}, kind: Paragraph, number: d.numbering(), of: d}
	switch {
	case d.beside():
		if d.Kind == ListItem {
			p.kind = ListItem
		}
		o.add(p)
		return
	case d.Kind == Heading:
		o.addHeading(p)
		return
	}
	o.addItem(p)
}

// mostHeading is the length in bytes from which a paragraph is no heading, whatever
// its style says.
const mostHeading = 400

// addHeading adds a paragraph that is declared as a heading. Contracts are often
// written in the styles of headings throughout: of a numbered clause only the
// words that run in are its heading.
func (o *outline) addHeading(p piece) {
	text := o.text[p.Start:p.End]
	if p.number.Form == lex.Unnumbered {
		if p.number = lex.NumberAt(text); p.number.Form == lex.Bare {
			p.number.Form = lex.Counted
		}
	}
	body := text[p.number.End:]
	t := readTitle(o.rules, body)
	sentence := t.predicate && lex.EndsSentence(body) || len(body) > longestTitle || t.closed == '.' && t.end < len(body)
	if numbered := p.number.Form > lex.Bullet; sentence && (numbered || len(body) > mostHeading) {
		o.addItem(p)
		return
	}
	p.kind, p.title = Heading, strings.TrimRight(body, " .:-–—\n\t")
	if p.title == "" && p.number.Form == lex.Unnumbered {
		p.title = body
	}
	o.headed = false
	o.add(p)
}

// addItem adds a numbered paragraph that is declared, with the heading that may run
// in before its text.
func (o *outline) addItem(p piece) {
	behind := p.Start + p.number.End
	if p.number.Form > lex.Bullet {
		body := o.text[behind:p.End]
		if end := headingEnd(o.rules, p.number.Form, body); end > 0 && (end < len(body) || p.of.Kind == Heading || !o.declares) {
			head := p
			head.kind, head.title = Heading, strings.TrimRight(body[:end], " .:-–—\n\t")
			head.Extent = lex.Trim(o.text, lex.Extent{Start: p.Start, End: behind + end})
			o.add(head)
			if rest := lex.Trim(o.text, lex.Extent{Start: behind + end, End: p.End}); rest.Start < rest.End {
				o.add(piece{Extent: rest, kind: Paragraph})
			}
			o.headed = false
			return
		}
	}
	p.kind = ListItem
	if p.number.Form == lex.Unnumbered {
		p.kind = Paragraph
	}
	o.headed = false
	o.add(p)
}

// addTable adds the lines from to to of a declared table, with its cells by rows.
func (o *outline) addTable(from, to int) {
	first := o.lines[from].of
	p := piece{Extent: lex.Extent{Start: o.lines[from].Start, End: o.lines[to-1].End}, kind: Table, of: first}
	for i := from; i < to; i++ {
		p.rows = append(p.rows, o.lines[i].Extent)
	}
	row, cell := 0, 0
	for i := startOf(o.declared, p.Start); i < len(o.declared) && o.declared[i].Start < p.End; i++ {
		d := &o.declared[i]
		if d.Table != first.Table {
			continue
		}
		fresh := p.cells == nil || d.Row != row
		if fresh {
			p.cells = append(p.cells, nil)
		}
		last := len(p.cells) - 1
		if fresh || d.Cell != cell {
			p.cells[last] = append(p.cells[last], tableCell{Extent: d.Extent, number: d.Number, column: d.Cell})
		}
		row, cell = d.Row, d.Cell
		p.cells[last][len(p.cells[last])-1].End = d.End
	}
	o.add(p)
}

// tableCell is a cell of a piece.
type tableCell struct {
	lex.Extent
	number string
	column int
}

// appendDeclared adds the section that the heading of piece i opens.
func (b *sectioner) appendDeclared(all []opening, i int) []opening {
	q := &b.pieces[i]
	if q.of.Level == 0 || q.kind == Paragraph || isContentsTitle(q.title) {
		return all
	}
	before := len(all)
	if q.number.Form >= lex.Bracketed {
		if all = b.appendNumbered(all, i); len(all) > before {
			return all
		}
	}
	return append(all, b.headed(q.Extent, q.number, lex.Unwrap(q.title), i, q.of))
}

// headed is the opening of a heading whose number, if it has one, has no place among
// others.
func (b *sectioner) headed(e lex.Extent, n lex.Numbering, title string, i int, of *declared) opening {
	kind := bySmallTitle
	if lex.IsCapitals(title) {
		kind = byTitle
	}
	if n.Form <= lex.Bullet {
		n = lex.Numbering{}
	}
	return opening{Extent: e, piece: i, of: of, number: n, title: title, readings: []reading{{kind: kind, path: strings.TrimRight(n.Label, ".:) ")}}}
}

// appendCells adds the sections that headings in the table of piece i open.
func (b *sectioner) appendCells(all []opening, i int) []opening {
	q := &b.pieces[i]
	for j := startOf(b.declared, q.Start); j < len(b.declared) && b.declared[j].End <= q.End; j++ {
		d := &b.declared[j]
		if !d.isHeading() || d.End-d.Start > longestTitle {
			continue
		}
		title := lex.Unwrap(b.s.Text[d.Start:d.End])
		o := b.headed(d.Extent, d.numbering(), title, i, d)
		if readings := readNumber(o.number.Form, o.number.Label); len(readings) > 0 {
			o.readings = readings
		}
		all = append(all, o)
	}
	return all
}

// placeDeclared chooses the depth of opening i by what the format declares: the level
// of a heading, the depth in a list. It is -1 where nothing is declared that is open.
func (b *sectioner) placeDeclared(i int) (reading, int) {
	o := &b.openings[i]
	if o.of == nil {
		return reading{}, -1
	}
	depth := -1
	if o.of.Kind == Heading {
		depth = b.belowHeading(o)
	} else if o.of.List > 0 {
		depth = b.inList(o.of)
	}
	if depth < 0 {
		return reading{}, -1
	}
	readings := b.likely(i)
	r := readings[0]
	if depth < len(b.open) {
		for _, other := range readings {
			if above := b.open[depth]; other.kind == above.kind && other.value == above.value+1 {
				r = other
			}
		}
	}
	return r, depth
}

// belowHeading is the depth below the innermost open heading of a higher level.
func (b *sectioner) belowHeading(o *opening) int {
	for depth, above := range slices.Backward(b.open) {
		if above.of.isHeading() && above.of.Level < o.of.Level {
			return depth + 1
		}
	}
	if r := o.readings[0]; r.kind == byDecimal {
		return b.within(r.path) // of an article whose heading is not declared
	}
	return 0
}

// inList is the depth in the open sections of the same list, -1 where none is open.
func (b *sectioner) inList(d *declared) int {
	inside := -1
	for depth, above := range b.open {
		switch {
		case above.of == nil || above.of.List != d.List:
		case above.of.Depth >= d.Depth:
			return depth
		default:
			inside = depth + 1
		}
	}
	return inside
}
