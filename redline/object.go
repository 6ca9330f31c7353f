package redline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// know makes the codebook tell the objects of a document apart.
func (b *codebook) know(d *docx.Document) {
	for _, s := range d.Stories() {
		b.documents[s.Root.Part()] = d
	}
}

// same gives notes and boxes that are counterparts one character.
func (b *codebook) same(old, new docx.Element) {
	r, known := b.given[new]
	if !known {
		b.count++
		r = b.of("counterpart " + strconv.Itoa(b.count))
	}
	b.given[old], b.given[new] = r, r
}

// match finds the notes and text boxes of two documents that are counterparts.
func (b *codebook) match(pairs []storyPair) {
	for _, p := range pairs {
		if p.old == nil || p.new == nil {
			continue
		}
		if kind, _, _ := strings.Cut(p.old.Key, ":"); kind == "footnote" || kind == "endnote" {
			b.same(p.old.Root, p.new.Root)
		}
		old, new := boxesOf(p.old), boxesOf(p.new)
		was, is := boxBlocks(p.old, old), boxBlocks(p.new, new)
		i, j := 0, 0
		for _, m := range append(common(texts(was), texts(is)), match{len(old), len(new)}) {
			for _, n := range similar(was[i:m.a], is[j:m.b]) {
				b.same(old[i+n.a], new[j+n.b])
			}
			if m.a < len(old) {
				b.same(old[m.a], new[m.b])
			}
			i, j = m.a+1, m.b+1
		}
	}
}

// objects are the names of what may have a text box.
var objects = []string{"drawing", "pict", "object", "mc:AlternateContent"}

// boxesOf are the objects in a story that hold text.
func boxesOf(s *docx.Story) []docx.Element {
	var all []docx.Element
	known := map[docx.Element]bool{}
	for e := range s.Root.Descendants() {
		if !e.Is("txbxContent") {
			continue
		}
		if o := outermost(e); o.Exists() && !known[o] {
			all, known[o] = append(all, o), true
		}
	}
	return all
}

// outermost is the object in a run that e is in.
func outermost(e docx.Element) (found docx.Element) {
	for around := e.Parent(); around.Exists(); around = around.Parent() {
		if around.Is(objects...) && around.Parent().Is("r") {
			found = around
		}
	}
	return found
}

// contentsOf are the text boxes of an object, in the form that is shown.
func contentsOf(object docx.Element) []docx.Element {
	var all []docx.Element
	for e := range object.Descendants() {
		if e.Is("txbxContent") && !e.Closest("mc:Fallback").Exists() {
			all = append(all, e)
		}
	}
	return all
}

func boxBlocks(s *docx.Story, boxes []docx.Element) []block {
	all := make([]block, len(boxes))
	for i, box := range boxes {
		contents := contentsOf(box)
		text := strings.Repeat("\f", len(contents)) // boxes of as many contents
		for _, content := range contents {
			for e := range content.Descendants() {
				if e.Is("p") {
					text += s.ParagraphOf(e).Text() + "\n"
				}
			}
		}
		all[i] = block{paragraphs: make([]*docx.Paragraph, 1), text: text}
		all[i].count()
	}
	return all
}

// object is the character of what is no text, by what a reader sees of it.
func (b *codebook) object(e docx.Element) rune {
	d := b.documents[e.Part()]
	if d == nil {
		return '\uFFFC'
	}
	if e.Is("footnoteReference", "endnoteReference") {
		if s := d.Story(strings.TrimSuffix(e.Name(), "Reference") + ":" + e.Attr("id")); s != nil {
			if r, known := b.given[s.Root]; known {
				return r
			}
			return b.of(e.Name() + " " + storyText(s))
		}
		return '\uFFFC'
	}
	if r, known := b.given[e]; known {
		return r
	}
	if e.Is("m:oMath", "m:oMathPara") {
		return b.of(d.Canon(e))
	}
	var shown []string
	for c := range e.Descendants() {
		if c.Closest("mc:Fallback").Exists() {
			continue
		}
		switch {
		case c.Is("a:blip"):
			shown = append(shown, "picture "+d.Destination(c.Part().Name, c.Attr("r:embed")+c.Attr("r:link")))
		case c.Is("v:imagedata"):
			shown = append(shown, "picture "+d.Destination(c.Part().Name, c.Attr("r:id")))
		case c.Is("a:srcRect"):
			for _, side := range []string{"l", "t", "r", "b"} {
				if cut, err := strconv.Atoi(c.Attr(side)); err == nil && cut/1000 != 0 {
					shown = append(shown, side+" "+strconv.Itoa(cut/1000))
				}
			}
		case c.Is("wp:docPr", "pic:cNvPr"):
			if alt := c.Attr("descr"); alt != "" && !slices.Contains(shown, "alt "+alt) {
				shown = append(shown, "alt "+alt)
			}
		case c.Is("t", "a:t"):
			shown = append(shown, c.Chars())
		}
	}
	if len(shown) == 0 { // a shape, a chart: nothing of it is understood
		return '\uFFFC'
	}
	return b.of("object " + strings.Join(shown, "\n"))
}
