package sfdt

import (
	"math"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// looks compares how the characters of a paragraph are set, and the paragraph.
func (c *column) looks(b baseLine, g lineGroup) {
	s := setter{column: c, line: b}
	typed := false // in another way than the text in front of it or, at the begin, behind it
	for _, line := range g.lines {
		for _, r := range line.Runes {
			if _, is := c.typed(r.Revisions); is {
				typed = typed || len(b.runes) > 0 && r.Look != b.runes[max(0, s.at-1)].Look
				s.flush()
				continue
			}
			if _, is := c.struck(r.Revisions); is || r.Char == object {
				s.flush()
			} else {
				s.compare(b.runes[s.at].Look, r.Look)
			}
			s.at++
		}
		if b.source != nil && b.text != "" && line.Setting.differs(b.setting, c.made.listOf(b.setting.Style)) {
			c.doubt(b, "got another style, alignment, indent or list, which cannot be said by changes; set it in a word processor")
		}
	}
	s.flush()
	if typed {
		c.doubt(b, "got text that is set in another way than that beside it; set it once the text is there")
	}
	if s.unsaid {
		c.doubt(b, "was set in a font, a style or a way that cannot be said by changes; set it in a word processor")
	}
}

// newLooks names a paragraph that was rewritten and has words set as none were.
func (c *column) newLooks(b baseLine, g lineGroup) {
	known := map[Look]bool{{}: true}
	for _, r := range b.runes {
		known[r.Look] = true
	}
	for _, r := range g.kept {
		if !known[r.Look] {
			c.doubt(b, "was edited and set in another way; set it once the text is there")
			return
		}
	}
}

// differs reports whether a paragraph was set in another way. What the editor
// does not save is as it was, and where it edits it writes out the list that the
// style gives.
func (s Setting) differs(before Setting, ofStyle ListFormat) bool {
	list := s.List != 0 && (s.List != before.List || s.Level != before.Level)
	if before.List == 0 && s.List == float64(ofStyle.List) && (ofStyle.Level == nil || s.Level == float64(*ofStyle.Level)) {
		list = false
	}
	return list || s.Style != "" && s.Style != before.Style || s.Align != "" && s.Align != before.Align ||
		s.Left != 0 && s.Left != before.Left || s.First != 0 && s.First != before.First
}

// listOf is the list that a style puts its paragraphs into, 0 for none.
func (d *Document) listOf(style string) ListFormat {
	for range maxStyles {
		i := slices.IndexFunc(d.Styles, func(s Style) bool { return s.Name == style })
		if i < 0 {
			break
		}
		if f := d.Styles[i].ParagraphFormat; f != nil && f.ListFormat != nil {
			return *f.ListFormat
		}
		style = d.Styles[i].BasedOn
	}
	return ListFormat{}
}

// A setter joins characters that were set in the same way.
type setter struct {
	*column
	line   baseLine
	at     int // in the line
	unsaid bool

	start   int // of what is open
	was, is Look
	open    bool
}

func (s *setter) compare(was, is Look) {
	if s.open && (s.was != was || s.is != is) {
		s.flush()
	}
	if was == is || s.open {
		return
	}
	s.open, s.start, s.was, s.is = true, s.at, was, is
}

// flush makes a change of what is open, which ends in front of the position.
func (s *setter) flush() {
	if !s.open {
		return
	}
	s.open = false
	format, said := s.is.since(s.was)
	s.unsaid = s.unsaid || !said
	switch {
	case format.IsZero():
	case s.line.source == nil || s.line.offsets == nil:
		s.unsaid = true
	default:
		start, end := s.line.offsets[s.start], s.line.offsets[s.at-1]+1
		if start < end {
			s.change(redline.Change{Type: redline.FormatText, Anchor: s.line.anchor(start, end), Format: format}, Revision{})
		}
	}
}

// contentsStyle begins the styles that the editor gives to the links of a table
// of contents.
const contentsStyle = "toc "

// since returns which formatting was set, and whether that is all that changed.
func (l Look) since(was Look) (format docx.Format, said bool) {
	if was.Style != "" && l.Style == "" {
		return format, true // the editor has written out the values of the style
	}
	said = l.Font == "" || l.Font == was.Font
	said = said && l.Baseline == was.Baseline && (l.Style == was.Style || strings.HasPrefix(l.Style, contentsStyle))
	toggle := func(into **bool, is, was Toggle) {
		switch {
		case is == was, is == Unset && was == Off: // the editor saves what its style says already as nothing
		case is == Unset:
			said = false
		default:
			*into = new(is == On)
		}
	}
	toggle(&format.Bold, l.Bold, was.Bold)
	toggle(&format.Italic, l.Italic, was.Italic)
	toggle(&format.Caps, l.Caps, was.Caps)
	line := func(into **bool, is, was, on string) {
		now, before := switched(is), switched(was)
		if is != was && (now == before || now == On && is != on) {
			said = false
			return
		}
		toggle(into, now, before)
	}
	line(&format.Underline, l.Underline, was.Underline, "Single")
	line(&format.Strike, l.Strike, was.Strike, "SingleStrike")
	if l.Highlight != was.Highlight {
		if name, known := highlightOf[l.Highlight]; known {
			format.Highlight = &name
		} else {
			said = false
		}
	}
	if l.Color != was.Color {
		if digits, isColour := strings.CutPrefix(l.Color, "#"); isColour && len(digits) >= 6 {
			format.Color = new(digits[:6])
		} else {
			said = false
		}
	}
	if l.Size != was.Size {
		if half := math.Round(l.Size * 2); half >= 2 && half <= 3276 {
			format.Size = new(int(half))
		} else {
			said = false
		}
	}
	return format, said
}

// switched is whether a kind of line is drawn.
func switched(kind string) Toggle {
	switch kind {
	case "":
		return Unset
	case "None":
		return Off
	default:
		return On
	}
}

// highlightOf are the names that Word has for the editor's.
var highlightOf = func() map[string]string {
	names := map[string]string{}
	for word, editor := range highlights {
		names[editor] = word
	}
	return names
}()

// insides compares the notes in a paragraph, and the texts of shapes.
func (c *column) insides(b baseLine, g lineGroup) {
	for i, r := range b.runes {
		is := g.kept[i].Run
		if r.Inside == nil && is.Inside == nil {
			continue
		}
		if note := c.note(b, i); len(note) > 0 && is.Inside != nil {
			c.text(sourcesOf(note), r.Inside, is.Inside)
		} else if joined(r.Inside) != joined(is.Inside) {
			c.doubt(b, "has a text box or a note that was edited; edit it in a word processor")
		}
	}
}

// note is the note that a character represents, nil if it is none or is deleted.
func (c *column) note(b baseLine, i int) []Block {
	if b.source == nil || b.offsets == nil || c.base.gone(b.runes[i]) {
		return nil
	}
	for piece := range b.source.Pieces() {
		if piece.Start == b.offsets[i] && !piece.Deleted && piece.Item.Is("footnoteReference", "endnoteReference") {
			return c.made.notes[strings.TrimSuffix(piece.Item.Name(), "Reference")+":"+piece.Item.Attr("id")]
		}
	}
	return nil
}
