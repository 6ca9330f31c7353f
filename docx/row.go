package docx

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/fault"
)

// InsertRow puts a row before or after one that it resembles, with the texts of
// its cells.
func (e *Editor) InsertRow(row Element, before bool, cells []string, by By) error {
	models := slices.Collect(Cells(row))
	if len(cells) != len(models) {
		return fault.Newf(fault.Invalid, "the row has %d cells, and texts are given for %d", len(models), len(cells))
	}
	if err := e.rowEditable(row); err != nil {
		return err
	}
	at := int(row.node().end)
	if before {
		at = int(row.node().start)
	}
	e.add(op{kind: opSplice, part: row.part, start: at, by: by, markup: func() string { return e.newRow(row, before, models, cells, by) }})
	return nil
}

func (e *Editor) newRow(row Element, before bool, models []Element, cells []string, by By) string {
	w := row.part.word()
	var b strings.Builder
	b.WriteString("<" + w + "tr>")
	if exceptions := row.Child("tblPrEx"); exceptions.Exists() {
		b.WriteString(exceptions.startTag() + clean(exceptions) + exceptions.endTag())
	}
	b.WriteString("<" + w + "trPr>" + clean(row.Child("trPr"), "tblHeader", "hidden", "cnfStyle"))
	b.WriteString(e.ids.mark(w, "ins", by) + "</" + w + "trPr>")
	for i, model := range models {
		b.WriteString("<" + w + "tc>" + cellProperties(w, model, mergedAt(row, before, i)))
		like := Element{}
		properties := ""
		for block := range Blocks(model) {
			if block.Is("p") {
				like = block
				break
			}
		}
		p := &Paragraph{Element: like}
		if like.Exists() {
			for r := range like.Descendants() {
				if r.Is("r") && !isRevision(r.Parent()) {
					properties = runProperties(w, r.Child("rPr"))
					break
				}
			}
		}
		for _, line := range strings.Split(cells[i], "\n") {
			b.WriteString("<" + w + "p>")
			if like.Exists() {
				b.WriteString(shellProperties(p, resembling(p, "", Settings{}), "", e.ids.mark(w, "ins", by), ""))
			} else {
				b.WriteString("<" + w + "pPr><" + w + "rPr>" + e.ids.mark(w, "ins", by) + "</" + w + "rPr></" + w + "pPr>")
			}
			if line != "" {
				b.WriteString(e.ids.mark(w, "ins", by, runs(w, line, properties)))
			}
			b.WriteString("</" + w + "p>")
		}
		b.WriteString("</" + w + "tc>")
	}
	b.WriteString("</" + w + "tr>")
	return b.String()
}

// afterMerge are the children of a w:tcPr that stand behind a w:vMerge.
var afterMerge = []string{"tcBorders", "shd", "noWrap", "tcMar", "textDirection", "tcFitText", "vAlign", "hideMark", "headers"}

// cellProperties copies a w:tcPr for a new row.
func cellProperties(w string, cell Element, merged bool) string {
	var b strings.Builder
	b.WriteString("<" + w + "tcPr>")
	for c := range cell.Child("tcPr").Children() {
		if merged && (c.Is("vMerge") || !cell.Child("tcPr", "vMerge").Exists() && c.Is(afterMerge...)) {
			b.WriteString("<" + w + "vMerge/>")
			merged = false
		}
		if !isRevision(c) && !c.Is("vMerge", "cnfStyle") {
			b.Write(c.Raw())
		}
	}
	if merged {
		b.WriteString("<" + w + "vMerge/>")
	}
	b.WriteString("</" + w + "tcPr>")
	return b.String()
}

// mergedAt reports whether a new row beside row lies within a cell that spans
// several rows.
func mergedAt(row Element, before bool, cell int) bool {
	if !before {
		all := slices.Collect(Rows(tableOf(row)))
		i := slices.Index(all, row)
		if i < 0 || i+1 == len(all) {
			return false
		}
		row = all[i+1]
	}
	i := 0
	for c := range Cells(row) {
		if i == cell {
			merge := c.Child("tcPr", "vMerge")
			return merge.Exists() && merge.Attr("val") != "restart"
		}
		i++
	}
	return false
}

func tableOf(row Element) Element { return row.Closest("tbl") }

// rowEditable returns why a row must stay unchanged, or nil.
func (e *Editor) rowEditable(row Element) error {
	return editableWithin(row.Parent(), e.doc.storyOf(row).Root, Element{})
}

// DeleteRow deletes a row: the row itself, and everything in it, since some
// programs look only at the one and some only at the other.
func (e *Editor) DeleteRow(row Element, by By) error {
	if row.Child("trPr", "del").Exists() {
		return gone()
	}
	return e.deleteWithin(row, by)
}

// deleteWithin deletes all in a row or cell.
func (e *Editor) deleteWithin(within Element, by By) error {
	story := e.doc.storyOf(within)
	w := within.part.word()
	for _, c := range slices.Concat([]Element{within}, slices.Collect(within.Descendants())) {
		switch {
		case c.Closest("txbxContent").Exists() && contains(within, c.Closest("txbxContent")): // goes with the box
		case c.Is("p"):
			p := story.ParagraphOf(c)
			if err := editableWithin(p.Parent(), story.Root, within); err != nil {
				return err
			}
			if err := e.deleteAll(p, by); err != nil {
				return err
			}
			e.add(op{kind: opDeleteMark, p: p, by: by})
		case c.Is("tr"):
			e.deleteRowMark(w, c, by)
		}
	}
	return nil
}

func (e *Editor) deleteRowMark(w string, row Element, by By) {
	properties := row.Child("trPr")
	if properties.Child("del").Exists() {
		return
	}
	mark := func() string { return e.ids.mark(w, "del", by) }
	at, markup := int(row.node().open), func() string { return "<" + w + "trPr>" + mark() + "</" + w + "trPr>" }
	switch change := properties.Child("trPrChange"); {
	case change.Exists():
		at, markup = int(change.node().start), mark
	case properties.Exists() && properties.node().open < properties.node().end:
		at, markup = int(properties.node().close), mark
	case properties.Exists():
		e.add(op{
			kind: opSplice, part: row.part, start: int(properties.node().start), end: int(properties.node().end), by: by,
			markup: func() string { return properties.startTag() + mark() + properties.endTag() },
		})
		return
	case row.Child("tblPrEx").Exists():
		at = int(row.Child("tblPrEx").node().end)
	}
	e.add(op{kind: opSplice, part: row.part, start: at, by: by, markup: markup})
}
