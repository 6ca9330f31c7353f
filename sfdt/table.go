package sfdt

import (
	"github.com/clausemill/clausemill/docx"
)

// A gridCell is a cell with its place in the grid of its table.
type gridCell struct {
	element   docx.Element
	at, span  int  // columns of the grid
	continued bool // it continues the cell above it
	rows      int  // how many rows it covers
}

// A gridRow is a row with what the grid leaves free before and after it.
type gridRow struct {
	element       docx.Element
	before, after int
	cells         []gridCell
}

// table reads a w:tbl; it is not ok where no row has a cell.
func (w *storyWriter) table(e docx.Element) (Block, bool) {
	rows := grid(e)
	widths := columnWidths(e, rows)
	properties := tableProperties{direct: e.Child("tblPr")}
	properties.styles = w.tableStyles(properties.direct.Child("tblStyle").Attr("val"))
	b := Block{
		Grid: widths, ColumnCount: len(widths), TableFormat: properties.format(), WrapTextAround: new(false),
		Title: properties.direct.Child("tblCaption").Attr("val"), Description: properties.direct.Child("tblDescription").Attr("val"),
	}
	for _, row := range rows {
		made := Row{Format: w.rowFormat(row, widths), Cells: []Cell{}}
		for i, cell := range row.cells {
			if cell.continued {
				continue
			}
			made.Cells = append(made.Cells, Cell{
				Format: cellFormat(cell, widths), Blocks: atLeastOne(w.blocks(cell.element)), ColumnIndex: i,
			})
		}
		b.Rows = append(b.Rows, made)
	}
	return b, len(b.Rows) > 0
}

// maxSpan is the widest table that Word opens.
const maxSpan = 63

// grid reads the rows of a table and merges cells over rows. A cell that continues
// none, or has text of its own, is a separate cell, so that no text is lost. A row in
// which every cell continues one above is dropped.
func grid(table docx.Element) []gridRow {
	var rows []gridRow
	for e := range docx.Rows(table) {
		properties := e.Child("trPr")
		row := gridRow{element: e, before: span(properties.Child("gridBefore")), after: span(properties.Child("gridAfter"))}
		at, own := row.before, false
		for c := range docx.Cells(e) {
			cell := gridCell{element: c, at: at, span: max(1, span(c.Child("tcPr", "gridSpan"))), rows: 1}
			merge := c.Child("tcPr", "vMerge")
			if merge.Exists() && merge.Attr("val") != "restart" && empty(c) {
				cell.continued = above(rows, cell) != nil
			}
			own = own || !cell.continued
			at += cell.span
			row.cells = append(row.cells, cell)
		}
		if !own {
			continue
		}
		for _, cell := range row.cells {
			if cell.continued {
				above(rows, cell).rows++
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func span(e docx.Element) int {
	n, _ := whole(e.Attr("val"))
	return min(max(0, n), maxSpan)
}

// above finds the cell that begins a merge which reaches the row before that of cell,
// nil if there is none of its width.
func above(rows []gridRow, cell gridCell) *gridCell {
	for i := len(rows) - 1; i >= 0; i-- {
		for j := range rows[i].cells {
			over := &rows[i].cells[j]
			if over.at != cell.at {
				continue
			}
			switch {
			case over.span != cell.span:
				return nil
			case over.continued:
			case over.element.Child("tcPr", "vMerge").Exists() && i+over.rows == len(rows):
				return over
			default:
				return nil
			}
		}
	}
	return nil
}

// empty reports whether nothing can be seen in a cell.
func empty(cell docx.Element) bool {
	for e := range cell.Descendants() {
		switch e.Name() {
		case "t", "delText", "tab", "sym", "drawing", "pict", "object", "m:t", "tbl", "footnoteReference", "endnoteReference",
			"commentRangeStart", "commentRangeEnd", "commentReference", "fldChar", "fldSimple", "bookmarkStart", "bookmarkEnd":
			return false
		}
	}
	return true
}

// columnWidths is the grid of a table: as it is written, widened to what its
// rows need.
func columnWidths(table docx.Element, rows []gridRow) []float64 {
	var widths []float64
	for e := range table.Child("tblGrid").Children() {
		if e.Is("gridCol") && len(widths) < maxSpan {
			widths = append(widths, max(0, pointsOr(e, "w", 0)))
		}
	}
	need := 1
	for _, row := range rows {
		columns := row.before + row.after
		for _, cell := range row.cells {
			columns += cell.span
		}
		need = max(need, columns)
	}
	for len(widths) < need {
		widths = append(widths, 0)
	}
	for _, row := range rows {
		for _, cell := range row.cells {
			if width := points(cell.element.Child("tcPr", "tcW"), "w"); cell.span == 1 && widths[cell.at] == 0 && width != nil && inTwips(cell.element.Child("tcPr", "tcW")) {
				widths[cell.at] = *width
			}
		}
	}
	for i := range widths {
		if widths[i] <= 0 {
			widths[i] = (wordPage - 2*wordMargin) / float64(len(widths))
		}
	}
	return widths
}

// inTwips reports whether a width is one, and no share or "auto".
func inTwips(e docx.Element) bool { return e.Attr("type") == "dxa" || e.Attr("type") == "" }

func sum(widths []float64) float64 {
	total := 0.0
	for _, width := range widths {
		total += width
	}
	return total
}

// tableProperties are those of a table and of its styles, nearest first.
type tableProperties struct {
	direct docx.Element
	styles []docx.Element
}

// tableStyles are the w:tblPr of a table style and of those it is based on.
func (c *converter) tableStyles(id string) []docx.Element {
	var chain []docx.Element
	for e := c.styles[id]; e.Exists() && len(chain) < maxStyles; e = c.styles[e.Child("basedOn").Attr("val")] {
		chain = append(chain, e.Child("tblPr"))
	}
	return chain
}

// find is the nearest property called name.
func (p tableProperties) find(name string) docx.Element {
	if e := p.direct.Child(name); e.Exists() {
		return e
	}
	for _, style := range p.styles {
		if e := style.Child(name); e.Exists() {
			return e
		}
	}
	return docx.Element{}
}

func (p tableProperties) format() *TableFormat {
	f := &TableFormat{
		AllowAutoFit: p.find("tblLayout").Attr("type") != "fixed", TableAlignment: "Left", Bidi: p.find("bidiVisual").On(),
		Frame: frame(p.find("tblBorders"), p.find("shd"), p.find("tblCellMar")),
	}
	f.PreferredWidthType = "Auto"
	if width := p.find("tblW"); width.Attr("type") != "auto" {
		f.PreferredWidth, f.PreferredWidthType = preferred(width)
	}
	if indent := p.find("tblInd"); inTwips(indent) {
		f.LeftIndent = pointsOr(indent, "w", 0)
	}
	if spacing := p.find("tblCellSpacing"); inTwips(spacing) {
		f.CellSpacing = max(0, pointsOr(spacing, "w", 0))
	}
	switch p.find("jc").Attr("val") {
	case "center":
		f.TableAlignment = "Center"
	case "right", "end":
		f.TableAlignment = "Right"
	}
	return f
}

// preferred reads a width that the layout should aim at.
func preferred(e docx.Element) (width float64, kind string) {
	value := e.Attr("w")
	if share, ok := number64(value[:max(0, len(value)-1)]); ok && value[len(value)-1] == '%' {
		return share, "Percent"
	}
	if e.Attr("type") == "pct" {
		if share, ok := number64(value); ok && share > 0 {
			return share / 50, "Percent" // written in fiftieths
		}
	}
	if width := points(e, "w"); width != nil && *width > 0 && inTwips(e) {
		return *width, "Point"
	}
	return 0, "Auto"
}

// frame reads lines, ground and margins.
func frame(lines, ground, margins docx.Element) Frame {
	side := func(names ...string) *float64 {
		for _, name := range names {
			if width := points(margins.Child(name), "w"); width != nil && *width >= 0 {
				return width
			}
		}
		return nil
	}
	return Frame{
		LeftMargin: side("left", "start"), RightMargin: side("right", "end"), TopMargin: side("top"), BottomMargin: side("bottom"),
		Borders: borders(lines), Shading: shading(ground),
	}
}

func (w *storyWriter) rowFormat(row gridRow, widths []float64) RowFormat {
	properties := row.element.Child("trPr")
	f := RowFormat{
		AllowBreakAcrossPages: !properties.Child("cantSplit").On(), IsHeader: properties.Child("tblHeader").On(), HeightType: "AtLeast",
		GridBefore: row.before, GridBeforeWidth: sum(widths[:row.before]), GridBeforeWidthType: "Point",
		GridAfter: row.after, GridAfterWidth: sum(widths[len(widths)-row.after:]), GridAfterWidthType: "Point",
		RevisionIDs: w.marks(properties),
	}
	if height := properties.Child("trHeight"); height.Exists() {
		f.Height = max(0, pointsOr(height, "val", 0))
		if height.Attr("hRule") == "exact" {
			f.HeightType = "Exactly"
		}
	}
	return f
}

func cellFormat(cell gridCell, widths []float64) CellFormat {
	properties := cell.element.Child("tcPr")
	f := CellFormat{
		ColumnSpan: cell.span, RowSpan: cell.rows, CellWidth: sum(widths[cell.at : cell.at+cell.span]), VerticalAlignment: "Top",
		Frame: frame(properties.Child("tcBorders"), properties.Child("shd"), properties.Child("tcMar")),
	}
	f.PreferredWidth, f.PreferredWidthType = preferred(properties.Child("tcW"))
	if f.PreferredWidthType == "Auto" {
		f.PreferredWidth, f.PreferredWidthType = f.CellWidth, "Point"
	}
	switch properties.Child("vAlign").Attr("val") {
	case "center", "both":
		f.VerticalAlignment = "Center"
	case "bottom":
		f.VerticalAlignment = "Bottom"
	}
	return f
}
