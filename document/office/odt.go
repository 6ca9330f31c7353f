package office

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/document/archive"
	"github.com/clausemill/clausemill/document/format"
	wml "github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// readODT writes the text that a reader of an OpenDocument text sees, by the
// rules of readDOCX. What was deleted under tracking stands apart in the file
// and is passed over.
func readODT(ctx context.Context, f *io.SectionReader, to *flow) error {
	a, err := archive.Open(ctx, f, f.Size(), to.limits)
	if err != nil {
		return err
	}
	manifest, err := a.ReadHead("META-INF/manifest.xml", 4<<20)
	if err != nil {
		return err
	}
	if bytes.Contains(manifest, []byte("encryption-data")) {
		return fault.File(fault.PasswordProtected, "the document is protected by a password; upload it without one", nil)
	}
	content := a.Part("content.xml")
	if content == nil {
		return fault.File(fault.CorruptFile, "the document lacks its main part", nil)
	}
	d := &odt{limits: to.limits, styles: map[string]*odtStyle{}, lists: map[string]*odtList{}}
	s := &odtStory{odt: d, place: place{out: to}, kind: format.Body}
	to.foot = func() { s.writeNotes() }
	// The common styles come first: those of the content are based on them.
	if common := a.Part("styles.xml"); common != nil {
		if err := optional(d.read(a, common, nil)); err != nil {
			return err
		}
	}
	if err := d.read(a, content, s); err != nil {
		return err
	}
	to.footer()
	for i, pages := range d.endnotes {
		to.writeNote(pages, wml.Roman(i+1))
	}
	return to.err
}

// odt is what is known of a text beside its stories.
type odt struct {
	limits   format.Limits
	styles   map[string]*odtStyle
	lists    map[string]*odtList // list styles; "" is that of the headings
	endnotes [][]format.Page
}

type odtStyle struct {
	name, display, parent string
	breakBefore           bool
	hidden                bool
	unnumbered            bool // takes a heading out of the numbering
	automatic             bool // made for one place: it has no name that a user knows
}

// An odtList is a list style and how far its lists have counted.
type odtList struct {
	levels  [wml.ListLevels]odtLevel
	counts  [wml.ListLevels]int
	counted [wml.ListLevels]bool
}

type odtLevel struct {
	bullet         bool
	prefix, suffix string
	format         string // "1", "a", "A", "i", "I", or "" for none
	start, display int    // the first number; how many levels are shown
}

// An odtStory is a run of blocks while it is read: the body, a note, a text box.
type odtStory struct {
	*odt
	place
	xml  *xmlReader
	kind format.ParagraphKind

	footnotes [][]format.Page
	noted     int

	list   string // the style of the open list
	depth  int    // its level, from 1
	label  string // of the paragraph that starts an item
	blank  bool   // the last character was a blank
	hidden bool
}

// odfPrefixes abbreviate the vocabularies of OpenDocument.
var odfPrefixes = map[string]string{
	"urn:oasis:names:tc:opendocument:xmlns:office:1.0":                     "office:",
	"urn:oasis:names:tc:opendocument:xmlns:style:1.0":                      "style:",
	"urn:oasis:names:tc:opendocument:xmlns:text:1.0":                       "text:",
	"urn:oasis:names:tc:opendocument:xmlns:table:1.0":                      "table:",
	"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0":                    "draw:",
	"urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0": "loext:",
}

// odf returns an element's name with the usual prefix, or "" outside of the
// vocabularies that matter.
func odf(name xml.Name) string {
	prefix, ok := odfPrefixes[name.Space]
	if !ok {
		return ""
	}
	return prefix + name.Local
}

// read reads the styles of a part, and its body into s if there is one.
func (d *odt) read(a *archive.ZIP, part *zip.File, s *odtStory) error {
	r, err := a.Open(part)
	if err != nil {
		return err
	}
	defer r.Close()
	x := newXMLReader(r, d.limits)
	if err := x.enter(); err != nil {
		return err
	}
	return x.children(func(e xml.StartElement) error {
		switch odf(e.Name) {
		case "office:styles", "office:automatic-styles":
			automatic := odf(e.Name) == "office:automatic-styles"
			return x.children(func(e xml.StartElement) error { return d.readStyle(x, e, automatic) })
		case "office:body":
			if s == nil {
				return nil
			}
			s.xml = x
			return x.children(func(e xml.StartElement) error {
				if odf(e.Name) != "office:text" {
					return nil
				}
				return s.blocks()
			})
		}
		return nil
	})
}

func (d *odt) readStyle(x *xmlReader, e xml.StartElement, automatic bool) error {
	switch odf(e.Name) {
	case "text:list-style", "text:outline-style":
		list := &odtList{}
		name := attribute(e, "name")
		if odf(e.Name) == "text:outline-style" {
			name = ""
		}
		d.lists[name] = list
		return x.children(func(e xml.StartElement) error {
			list.readLevel(e)
			return nil
		})
	case "style:style":
	default:
		return nil
	}
	st := &odtStyle{
		name: attribute(e, "name"), parent: attribute(e, "parent-style-name"),
		breakBefore: attribute(e, "master-page-name") != "", automatic: automatic,
	}
	for _, a := range e.Attr {
		st.unnumbered = st.unnumbered || a.Name.Local == "list-style-name" && a.Value == ""
	}
	st.display = cmp.Or(attribute(e, "display-name"), st.name)
	d.styles[st.name] = st
	return x.children(func(e xml.StartElement) error {
		switch odf(e.Name) {
		case "style:paragraph-properties":
			st.breakBefore = st.breakBefore || attribute(e, "break-before") == "page"
		case "style:text-properties":
			st.hidden = attribute(e, "display") == "none"
		}
		return nil
	})
}

func (l *odtList) readLevel(e xml.StartElement) {
	index := integer(attribute(e, "level"))
	if index == nil || *index < 1 || *index > wml.ListLevels {
		return
	}
	level := &l.levels[*index-1]
	level.bullet = strings.HasSuffix(e.Name.Local, "bullet") || strings.HasSuffix(e.Name.Local, "image")
	level.prefix, level.suffix = attribute(e, "num-prefix"), attribute(e, "num-suffix")
	level.format = attribute(e, "num-format")
	level.start, level.display = 1, 1
	if n := integer(attribute(e, "start-value")); n != nil {
		level.start = *n
	}
	if n := integer(attribute(e, "display-levels")); n != nil {
		level.display = *n
	}
}

// next counts an item at a level from 1 and renders its number. A start of its
// own overrides that of the level.
func (l *odtList) next(depth int, start *int) string {
	index := min(depth, wml.ListLevels) - 1
	switch {
	case start != nil:
		l.counts[index] = *start
	case l.counted[index]:
		l.counts[index]++
	default:
		l.counts[index] = l.levels[index].start
	}
	l.counted[index] = true
	for i := range index {
		if !l.counted[i] {
			l.counts[i], l.counted[i] = l.levels[i].start, true
		}
	}
	for i := index + 1; i < wml.ListLevels; i++ {
		l.counted[i] = false
	}
	level := l.levels[index]
	if level.bullet {
		return "•"
	}
	if level.format == "" {
		return ""
	}
	var shown []string
	for i := max(0, index+1-level.display); i <= index; i++ {
		if format, ok := numberFormats[l.levels[i].format]; ok {
			shown = append(shown, wml.FormatNumber(l.counts[i], format))
		}
	}
	return strings.TrimSpace(level.prefix + strings.Join(shown, ".") + level.suffix)
}

func (s *odtStory) blocks() error { return s.xml.children(s.block) }

// block reads a block-level element. Unknown containers are entered: sections
// and indexes of many kinds hold paragraphs.
func (s *odtStory) block(e xml.StartElement) error {
	switch odf(e.Name) {
	case "text:p", "text:h":
		return s.paragraph(e)
	case "text:list":
		return s.openList(e)
	case "table:table":
		return s.table(func() error { return s.xml.children(s.row) })
	case "text:soft-page-break":
		s.out.pageBreak()
	case "draw:frame", "draw:custom-shape", "draw:g", "draw:rect":
		if err := s.drawing(); err != nil {
			return err
		}
		s.writeBoxes()
	case "text:section", "text:index-body", "text:table-of-content", "text:illustration-index", "text:table-index",
		"text:object-index", "text:user-index", "text:alphabetical-index", "text:bibliography", "text:index-title",
		"text:numbered-paragraph":
		return s.blocks()
	}
	return nil
}

// openList reads a text:list; its numbers go on from the list before it if it
// says so.
func (s *odtStory) openList(e xml.StartElement) error {
	outer := s.list
	if name := attribute(e, "style-name"); name != "" {
		s.list = name
	}
	s.depth++
	continued := attribute(e, "continue-numbering") == "true" || attribute(e, "continue-list") != ""
	if list := s.lists[s.list]; list != nil && s.depth == 1 && !continued && s.list != "" {
		list.counted = [wml.ListLevels]bool{}
	}
	err := s.xml.children(func(e xml.StartElement) error {
		switch odf(e.Name) {
		case "text:list-item":
			if list := s.lists[s.list]; list != nil {
				s.label = list.next(s.depth, integer(attribute(e, "start-value")))
			}
			err := s.blocks()
			s.label = ""
			return err
		case "text:list-header":
			return s.blocks()
		}
		return nil
	})
	s.depth--
	s.list = outer
	return err
}

// paragraph reads a text:p or a text:h.
func (s *odtStory) paragraph(e xml.StartElement) error {
	p := format.Paragraph{Kind: s.kind, Number: s.label}
	s.label = ""
	styles := s.chain(attribute(e, "style-name"))
	if len(styles) > 0 && styles[0].breakBefore && s.tables == 0 {
		s.out.pageBreak()
	}
	s.describe(&p, e, styles)
	s.settle()
	s.out.begin(p)
	s.blank = true
	if err := s.inlines(); err != nil {
		return err
	}
	s.out.end()
	s.separate()
	s.writeBoxes()
	return s.out.err
}

// describe tells the part that a paragraph plays.
func (s *odtStory) describe(p *format.Paragraph, e xml.StartElement, styles []*odtStyle) {
	unnumbered := attribute(e, "is-list-header") == "true"
	for i, st := range styles {
		unnumbered = unnumbered || i == 0 && st.unnumbered
		if !st.automatic {
			p.Style = st.display
			break
		}
	}
	level, isHeading := builtInHeading(p.Style)
	if odf(e.Name) == "text:h" {
		level, isHeading = 1, true
		if n := integer(attribute(e, "outline-level")); n != nil && *n > 0 {
			level = min(*n, wml.ListLevels)
		}
		if outline := s.lists[""]; outline != nil && s.depth == 0 && !unnumbered {
			p.Number = outline.next(level, integer(attribute(e, "start-value")))
		}
	}
	switch {
	case s.tables > 0:
		p.Kind = format.Cell
	case s.kind != format.Body:
	case isHeading:
		p.Kind, p.Level = format.Heading, level
	case s.depth > 0:
		p.Kind, p.Level = format.ListItem, s.depth
	}
}

// chain lists a style and its ancestors, nearest first.
func (s *odtStory) chain(name string) []*odtStyle {
	var chain []*odtStyle
	for st := s.styles[name]; st != nil && len(chain) < maxStyles; st = s.styles[st.parent] {
		chain = append(chain, st)
	}
	return chain
}

// inlines reads the text and the elements of a paragraph.
func (s *odtStory) inlines() error { return s.xml.content(s.inline, s.text) }

// text writes character data, in which any number of blanks is one.
func (s *odtStory) text(data string) {
	if s.hidden {
		return
	}
	s.out.write(collapse(data, &s.blank))
}

// collapse makes one blank of every run of white space; blank carries from one
// piece of text to the next whether a blank was last.
func collapse(text string, blank *bool) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if r != '\u00a0' && r != '\u2007' && r != '\u202f' && unicode.IsSpace(r) {
			if !*blank {
				b.WriteByte(' ')
			}
			*blank = true
			continue
		}
		*blank = false
		b.WriteRune(r)
	}
	return b.String()
}

// inline reads an element inside a paragraph. Unknown ones are fields, whose
// content is what they show.
func (s *odtStory) inline(e xml.StartElement) error {
	switch name := odf(e.Name); name {
	case "text:span":
		outer := s.hidden
		if st := s.styles[attribute(e, "style-name")]; st != nil && st.hidden {
			s.hidden = true
		}
		err := s.inlines()
		s.hidden = outer
		return err
	case "text:s":
		n := integer(attribute(e, "c"))
		if n == nil {
			n = new(int)
			*n = 1
		}
		s.write(strings.Repeat(" ", min(max(*n, 0), maxBlank)))
	case "text:tab":
		s.write("\t")
	case "text:line-break":
		s.out.line()
		s.blank = true
	case "text:soft-page-break":
		s.out.pageBreak()
	case "text:note":
		return s.note(e)
	case "text:number", "text:hidden-text", "text:ruby-text", "text:script", "office:annotation", "office:annotation-end":
	default:
		switch {
		case strings.HasPrefix(name, "draw:"):
			return s.drawing()
		case strings.HasPrefix(name, "text:"), name == "loext:content-control":
			return s.inlines()
		}
	}
	return nil
}

// write writes text that stands for itself.
func (s *odtStory) write(text string) {
	if !s.hidden {
		s.out.write(text)
		s.blank = false
	}
}

// drawing looks for text boxes in a drawing.
func (s *odtStory) drawing() error {
	s.out.drawing()
	return s.xml.children(func(e xml.StartElement) error {
		switch odf(e.Name) {
		case "draw:text-box", "text:p", "text:list":
			pages, err := s.aside(e, s.kind)
			s.boxes = append(s.boxes, pages)
			return err
		default:
			return s.drawing()
		}
	})
}

// note reads a text:note: its mark is dropped, its body waits.
func (s *odtStory) note(e xml.StartElement) error {
	class := attribute(e, "note-class")
	return s.xml.children(func(e xml.StartElement) error {
		if odf(e.Name) != "text:note-body" {
			return nil
		}
		pages, err := s.aside(e, format.Note)
		if class == "endnote" {
			s.endnotes = append(s.endnotes, pages)
		} else {
			s.footnotes = append(s.footnotes, pages)
		}
		return err
	})
}

// aside reads the element e, or its blocks, into a story that is written later.
func (s *odtStory) aside(e xml.StartElement, kind format.ParagraphKind) ([]format.Page, error) {
	var pages []format.Page
	inner := &odtStory{odt: s.odt, place: place{out: newAside(s.out.ctx, s.out.limits, &pages)}, xml: s.xml, kind: kind}
	read := inner.blocks
	if name := odf(e.Name); name == "text:p" || name == "text:list" {
		read = func() error { return inner.block(e) }
	}
	if err := read(); err != nil {
		return nil, err
	}
	s.footnotes = append(s.footnotes, inner.footnotes...)
	err := inner.out.finish()
	return pages, err
}

// writeNotes writes the footnotes of the page that ends.
func (s *odtStory) writeNotes() {
	waiting := s.footnotes
	s.footnotes = nil
	for _, pages := range waiting {
		s.noted++
		s.out.writeNote(pages, strconv.Itoa(s.noted))
	}
}

func (s *odtStory) row(e xml.StartElement) error {
	switch odf(e.Name) {
	case "table:table-row":
	case "table:table-rows", "table:table-header-rows", "table:table-row-group":
		return s.xml.children(s.row)
	case "text:soft-page-break":
		s.out.pageBreak()
		return nil
	default:
		return nil
	}
	s.beginRow()
	first := true
	return s.xml.children(func(e xml.StartElement) error {
		name := odf(e.Name)
		if name != "table:table-cell" && name != "table:covered-table-cell" {
			return nil
		}
		s.beginCell(first)
		first = false
		return s.blocks()
	})
}
