package docx

import (
	"strings"
)

// Shape describes what a reader sees of the document, a line a paragraph: its
// properties and its text with formatting, deletions included, whichever runs
// the text lies in; and a line for each table, row, cell and section. Two documents of one shape look the same and hold the same
// tracked changes; bookmarks and comments are not looked at.
func (d *Document) Shape() []string {
	var lines []string
	for _, s := range d.stories {
		for _, p := range s.Paragraphs() {
			lines = append(lines, s.Key+" "+p.shape())
		}
		for e := range s.Root.Descendants() {
			if !e.Is("tblPr", "tblGrid", "trPr", "tcPr", "sectPr") || isRevision(e.Parent()) {
				continue
			}
			if properties := clean(e); properties != "" {
				lines = append(lines, s.Key+" "+e.Name()+" "+properties)
			}
		}
	}
	return lines
}

func (p *Paragraph) shape() string {
	var b strings.Builder
	b.WriteString(propertiesOnly(p.Child("pPr")))
	b.WriteString(" mark[" + formatting(p.Mark()) + "]")
	last := ""
	for piece := range p.Pieces() {
		if piece.Text == "" || piece.Item.Is("fldChar") {
			continue
		}
		look := formatting(piece.Run.Child("rPr"))
		if around := piece.Item.Closest("ins", "del", "moveFrom", "moveTo", "p"); !around.Is("p") {
			look += " " + around.Name() + " " + around.Attr("author") + " " + around.Attr("date")
		}
		if look != last {
			b.WriteString("\n  {" + look + "} ")
			last = look
		}
		b.WriteString(piece.Text)
	}
	return b.String()
}

// formatting is a w:rPr without what identifies its tracked changes.
func formatting(rPr Element) string {
	var b strings.Builder
	for c := range rPr.Children() {
		if isRevision(c) {
			b.WriteString("<" + c.Name() + " " + c.Attr("author") + " " + c.Attr("date") + ">")
			b.Write(c.Content())
			continue
		}
		b.Write(c.Raw())
	}
	return b.String()
}
