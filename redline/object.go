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

// match finds the notes and text boxes of two documents that are counterparts. A box of
// the new document that says something else is none if apart says so of it: it is another
// box then, which takes the place of the old one.
func (b *codebook) match(pairs []storyPair, apart func(old, new boxIn) bool) {
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
				b.box(boxIn{p.old, old[i+n.a]}, boxIn{p.new, new[j+n.b]}, apart)
			}
			if m.a < len(old) {
				b.same(old[m.a], new[m.b])
			}
			i, j = m.a+1, m.b+1
		}
	}
}

// A boxIn is an object that holds text, in its story.
type boxIn struct {
	story *docx.Story
	docx.Element
}

// box makes boxes that say something else counterparts, unless they are to be told apart.
func (b *codebook) box(old, new boxIn, apart func(old, new boxIn) bool) {
	if apart == nil || !apart(old, new) {
		b.same(old.Element, new.Element)
		return
	}
	for _, e := range []docx.Element{old.Element, new.Element} {
		b.count++
		b.given[e] = b.of("box " + strconv.Itoa(b.count))
	}
}

// otherBox reports whether a box of the other document takes the place of one of the
// base, since its text was changed: both forms of a box, of which programs read one or
// the other, have to say the same. Where the new box cannot be taken over the old one
// stays, and is in Left.
func (c *comparer) otherBox(old, new boxIn) bool {
	if c.codes.boxText(old) == c.codes.boxText(new) {
		return false
	}
	_, err := c.take(new.Element)
	return err == nil
}

// boxText is what a box says, by the codes of its fields.
func (b *codebook) boxText(box boxIn) string {
	var text strings.Builder
	for _, content := range contentsOf(box.Element) {
		for e := range content.Descendants() {
			if e.Is("p") {
				words, _ := b.readNow(box.story.ParagraphOf(e)) // boxes have no character yet
				text.WriteString(string(words.text) + "\n")
			}
		}
	}
	return text.String()
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
