package office

import "github.com/clausemill/clausemill/document/format"

// A place tracks the position in a story while it is read: the nesting of tables, and
// what has to be written after the previous paragraph. Formats with nested elements
// share it.
type place struct {
	out    *flow
	tables int             // nesting of tables
	owed   bool            // a cell's paragraph is not its last
	boxes  [][]format.Page // text boxes that are anchored in the open paragraph
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
		p.out.replay(pages, "")
		p.separate()
	}
}

// table writes what rows reads as a table: a line for each row, a tab between
// cells.
func (p *place) table(rows func() error) error {
	p.tables++
	err := rows()
	if p.tables--; p.tables == 0 {
		p.owed = false
		p.out.paragraph()
	}
	return err
}

func (p *place) beginRow() {
	p.owed = false
	p.out.line()
}

func (p *place) beginCell(first bool) {
	if !first {
		p.out.cell()
	}
	p.owed = false
}
