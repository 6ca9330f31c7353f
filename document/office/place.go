package office

import "github.com/clausemill/clausemill/document/format"

// A place tracks the position in a story while it is read: the nesting of tables, and
// what has to be written after the previous paragraph. Formats with nested elements
// share it.
type place struct {
	out    *flow
	tables int                            // nesting of tables
	at     struct{ table, row, cell int } // in the outermost table
	owed   bool                           // a cell's paragraph is not its last
	boxes  [][]format.Page                // text boxes that are anchored in the open paragraph
}

// settle ends the line of the previous paragraph in the same cell, because another
// one follows.
func (p *place) settle() {
	if p.owed {
		p.out.line()
		p.owed = false
	}
}

// separate ends a paragraph's line: in a cell when another one follows, elsewhere with
// a blank line.
func (p *place) separate() {
	if p.tables > 0 {
		p.owed = true
	} else {
		p.out.paragraph()
	}
}

// writeBoxes writes the text boxes of the paragraph that ended.
func (p *place) writeBoxes() {
	boxes := p.boxes
	p.boxes = nil
	for _, pages := range boxes {
		p.settle()
		if p.tables > 0 { // the box is part of its cell
			for _, page := range pages {
				for i := range page.Paragraphs {
					p.inTable(&page.Paragraphs[i])
				}
			}
		}
		p.out.replay(pages, "")
		p.separate()
	}
}

// inTable says where in a table a paragraph is.
func (p *place) inTable(q *format.Paragraph) {
	q.Table, q.Row, q.Cell = 0, 0, 0
	if p.tables > 0 {
		q.Table, q.Row, q.Cell = p.at.table, p.at.row, p.at.cell
		q.Origin = p.out.origin
	}
}

// table writes what rows reads as a table: a line for each row, a tab between
// cells.
func (p *place) table(rows func() error) error {
	if p.tables++; p.tables == 1 {
		*p.out.seen++
		p.at.table, p.at.row = *p.out.seen, 0
	}
	err := rows()
	if p.tables--; p.tables == 0 {
		p.owed = false
		p.out.paragraph()
		p.out.afterParagraph()
	}
	return err
}

func (p *place) beginRow() {
	if p.tables == 1 {
		p.at.row++
		p.at.cell = 0
	}
	p.owed = false
	p.out.line()
}

func (p *place) beginCell(first bool) {
	if p.tables == 1 {
		p.at.cell++
	}
	if !first {
		p.out.cell()
	}
	p.owed = false
}
