package office

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/document/archive"
	"github.com/clausemill/clausemill/document/format"
	wml "github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// readDOCX writes the text that a reader of a Word document sees. Tracked
// insertions are included and deletions left out; fields show their results. List
// numbers are not part of the text. Footnotes follow at the end of their page, or behind
// the paragraph that their page ends in, endnotes at the end of the document, and behind
// them the headers and footers, each once. Pages are those that the program
// which saved the file laid out, where the file records them.
func readDOCX(ctx context.Context, f *io.SectionReader, to *flow) error {
	a, err := archive.Open(ctx, f, f.Size(), to.limits)
	if err != nil {
		return err
	}
	d := &docx{archive: a, body: to}
	if err := d.locate(); err != nil {
		return err
	}
	if err := optional(d.readStyles()); err != nil {
		return err
	}
	if err := optional(d.readNumbering()); err != nil {
		return err
	}
	for _, kind := range []string{"footnote", "endnote"} {
		if err := d.readNotes(kind); err != nil {
			return err
		}
	}
	body := &story{docx: d, place: place{out: to}, part: "body", counts: map[string]int{}}
	to.foot = func() {
		if to.late = body.tables > 0; !to.late {
			body.writeNotes("footnote")
		}
	}
	if err := d.walk(d.main, body); err != nil {
		return err
	}
	to.footer()
	body.writeNotes("endnote")
	return d.writeEdges()
}

// docx is what is known about a Word document apart from its stories.
type docx struct {
	archive  *archive.ZIP
	body     *flow // what the document is written to
	main     *zip.File
	related  map[string]string // kind of relationship → name of the part
	targets  map[string]string // id of relationship → name of the part
	edges    []edge            // the headers and footers that sections refer to
	sections []bool            // whether each section starts on a new page; nil until asked for
	styles   map[string]*style
	numbers  wml.Numbering
	notes    map[noteRef][]format.Page
	listed   map[string]int // abstract list → the number that names it
}

// A noteRef names a note: its kind ("footnote" or "endnote") and its id.
type noteRef struct{ kind, id string }

// A story is a run of blocks while it is read: the body, a note, a text box.
type story struct {
	*docx
	place
	xml  *xmlReader
	part string

	fields []field  // the open complex fields, innermost last
	beyond int      // fields open inside those, too deep to be looked at
	toc    int      // content controls around that hold a table of contents
	breaks struct { // page breaks in the open row, whose cells lie side by side
		row, cell int
	}
	styled string         // id of the style of the paragraph
	noted  []noteRef      // notes that wait for the end of the page or document
	counts map[string]int // notes written, by kind
	ended  int            // sections
}

const (
	wordNS       = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	wordStrictNS = "http://purl.oclc.org/ooxml/wordprocessingml/main"
	mathNS       = "http://schemas.openxmlformats.org/officeDocument/2006/math"
	mathStrictNS = "http://purl.oclc.org/ooxml/officeDocument/math"
	compatNS     = "http://schemas.openxmlformats.org/markup-compatibility/2006"
)

// word returns the local name of an element of WordprocessingML, a prefixed one
// for the two other vocabularies that hold text, and "" for anything else.
func word(name xml.Name) string {
	switch name.Space {
	case wordNS, wordStrictNS:
		return name.Local
	case mathNS, mathStrictNS:
		return "m:" + name.Local
	case compatNS:
		return "mc:" + name.Local
	default:
		return ""
	}
}

// locate finds the main part and what it refers to. Packages without proper
// relationships are read by the usual names.
func (d *docx) locate() error {
	whole, _ := d.relationships("_rels/.rels", "")
	target := whole["officeDocument"]
	d.main = d.archive.Part(cmp.Or(target, "word/document.xml"))
	if d.main == nil {
		return fault.File(fault.CorruptFile, "the document lacks its main part", nil)
	}
	dir, base := path.Split(d.main.Name)
	d.related, d.targets = d.relationships(dir+"_rels/"+base+".rels", dir)
	for _, kind := range []string{"styles", "numbering", "footnotes", "endnotes"} {
		if d.related[kind] == "" {
			d.related[kind] = dir + kind + ".xml"
		}
	}
	return nil
}

// relationships maps the kinds and the ids of a part's relationships to their targets.
// If they cannot be read the part has none, as in Word, which repairs such files.
func (d *docx) relationships(name, dir string) (targets, byID map[string]string) {
	targets, byID = map[string]string{}, map[string]string{}
	_ = d.read(name, func(x *xmlReader) error {
		return x.children(func(e xml.StartElement) error {
			kind, target := path.Base(attribute(e, "Type")), attribute(e, "Target")
			if attribute(e, "TargetMode") == "External" {
				return nil
			}
			if !strings.HasPrefix(target, "/") {
				target = path.Join(dir, target)
			}
			target = strings.TrimPrefix(path.Clean(target), "/")
			if byID[attribute(e, "Id")] = target; targets[kind] == "" {
				targets[kind] = target
			}
			return nil
		})
	})
	return targets, byID
}

// read opens a part inside its root element. A part that does not exist is not
// read, which is no error.
func (d *docx) read(name string, within func(*xmlReader) error) error {
	part := d.archive.Part(name)
	if part == nil {
		return nil
	}
	r, err := d.archive.Open(part)
	if err != nil {
		return err
	}
	defer r.Close()
	x := newXMLReader(r, d.body.limits)
	if err := x.enter(); err != nil {
		return err
	}
	return within(x)
}

// optional drops the error of a part that the text does not depend on, unless
// the file as a whole is to be refused for it.
func optional(err error) error {
	if fault.CodeOf(err) == fault.CorruptFile {
		return nil
	}
	return err
}

// walk reads the story of a whole part: the body, without what may surround it.
func (d *docx) walk(part *zip.File, s *story) error {
	return d.read(part.Name, func(x *xmlReader) error {
		s.xml = x
		return x.children(func(e xml.StartElement) error {
			if word(e.Name) == "body" {
				return s.blocks()
			}
			return nil
		})
	})
}

// readNotes reads all notes of a kind in advance, each into its own pages, because
// the text may refer to them in another order.
func (d *docx) readNotes(kind string) error {
	if d.notes == nil {
		d.notes = map[noteRef][]format.Page{}
	}
	return d.read(d.related[kind+"s"], func(x *xmlReader) error {
		return x.children(func(e xml.StartElement) error {
			switch attribute(e, "type") {
			case "separator", "continuationSeparator", "continuationNotice":
				return nil
			}
			if word(e.Name) != kind {
				return nil
			}
			id := attribute(e, "id")
			pages, err := d.aside(x, kind+":"+id, noteOrigins[kind])
			d.notes[noteRef{kind, id}] = pages
			return err
		})
	})
}

var noteOrigins = map[string]layout.Origin{"footnote": layout.Footnote, "endnote": layout.Endnote}

// aside reads a story that is to be written later.
func (d *docx) aside(x *xmlReader, part string, origin layout.Origin) ([]format.Page, error) {
	var pages []format.Page
	s := &story{docx: d, place: place{out: d.body.aside(origin, &pages)}, xml: x, part: part}
	if err := s.blocks(); err != nil {
		return nil, err
	}
	err := s.out.finish()
	return pages, err
}

// blocks reads the block-level children of the element that was entered last.
func (s *story) blocks() error { return s.xml.children(s.block) }

func (s *story) block(e xml.StartElement) error {
	switch word(e.Name) {
	case "p":
		return s.paragraph()
	case "tbl":
		return s.table(func() error { return s.xml.children(s.row) })
	case "sdt":
		return s.control(s.block, false)
	case "customXml", "smartTag", "ins", "moveTo":
		return s.blocks()
	case "mc:AlternateContent":
		return s.alternate(s.block)
	case "sectPr":
		edges, err := readEdges(s.xml)
		s.edges = append(s.edges, edges...)
		return err
	default:
		return nil
	}
}

// alternate reads the first branch of an AlternateContent: the branches show
// the same thing by different means.
func (s *story) alternate(each func(xml.StartElement) error) error {
	taken := false
	return s.xml.children(func(e xml.StartElement) error {
		if taken || e.Name.Space != compatNS {
			return nil
		}
		taken = true
		return s.xml.children(each)
	})
}

// paragraph reads a w:p.
func (s *story) paragraph() error {
	p := format.Paragraph{Kind: format.Body, Part: s.part, Block: s.xml.paragraphs - 1}
	s.styled = ""
	s.settle()
	var properties paragraphProperties
	begun := false
	begin := func(empty bool) {
		if begun {
			return
		}
		begun = true
		// The paragraph that only holds the break of a section has no number.
		s.describe(&p, properties, properties.gone || properties.section && empty)
		if s.breaksBefore(properties) {
			s.pageBreak()
		}
		s.out.begin(p)
	}
	err := s.xml.children(func(e xml.StartElement) error {
		if word(e.Name) == "pPr" {
			var err error
			properties, err = readParagraphProperties(s.xml)
			s.styled = properties.style
			return err
		}
		begin(false)
		return s.inline(e)
	})
	if err != nil {
		return err
	}
	begin(true)
	s.out.end()
	s.endParagraphFields()
	if !properties.gone {
		s.separate()
	}
	s.writeBoxes()
	if s.tables == 0 && !properties.gone {
		s.out.afterParagraph()
	}
	s.edges = append(s.edges, properties.edges...)
	if properties.section {
		return s.sectionEnd()
	}
	return s.out.err
}

// describe sets the kind of a paragraph, and counts it in its list.
func (s *story) describe(p *format.Paragraph, properties paragraphProperties, uncounted bool) {
	chain := s.styleChain(properties.style)
	if len(chain) > 0 {
		p.Style = chain[0].name
	}
	if !uncounted {
		if counted, ok := s.label(properties, chain); ok {
			p.Kind, p.Number, p.List, p.Depth = format.ListItem, counted.Number, s.listOf(counted.List), counted.Level
		}
	}
	if level, ok := headingLevel(properties, chain); ok {
		p.Kind, p.Level = format.Heading, level
	}
	if s.toc > 0 || isContentsStyle(p.Style) {
		p.Kind = format.Contents
	}
	s.inTable(p)
}

// isContentsStyle reports whether a style is that of a table of contents: "toc 1".
func isContentsStyle(style string) bool {
	name := strings.ToLower(style)
	return strings.HasPrefix(name, "toc ") || strings.HasPrefix(name, "table of ")
}

func (s *story) breaksBefore(properties paragraphProperties) bool {
	if properties.breakBefore != nil {
		return *properties.breakBefore
	}
	for _, style := range s.styleChain(properties.style) {
		if style.breakBefore != nil {
			return *style.breakBefore
		}
	}
	return false
}

// inline reads a child of a paragraph.
func (s *story) inline(e xml.StartElement) error {
	switch word(e.Name) {
	case "r":
		return s.run()
	case "sdt":
		return s.control(s.inline, true)
	case "fldSimple":
		return s.simpleField(attribute(e, "instr"))
	case "ins", "moveTo", "hyperlink", "smartTag", "customXml",
		"bdo", "dir", "rubyBase", "m:oMath", "m:oMathPara":
		return s.inlines()
	case "mc:AlternateContent":
		return s.alternate(s.inline)
	case "m:t":
		text, err := s.xml.text()
		s.out.write(text)
		return err
	default:
		if strings.HasPrefix(word(e.Name), "m:") {
			return s.inlines()
		}
		return nil
	}
}

func (s *story) inlines() error { return s.xml.children(s.inline) }

// run reads a w:r.
func (s *story) run() error {
	hidden := false
	look := s.effective(runLook{})
	return s.xml.children(func(e xml.StartElement) error {
		switch {
		case word(e.Name) == "rPr":
			own, err := readRunLook(s.xml)
			hidden, look = own.vanish != nil && *own.vanish, s.effective(own)
			return err
		case word(e.Name) == "fldChar":
			return s.fieldChar(e)
		case word(e.Name) == "instrText":
			return s.fieldCode()
		case s.inCode():
			return nil
		case word(e.Name) == "t" && s.conceals(look):
			return s.concealed(e, hidden)
		case hidden:
			return nil
		default:
			return s.runContent(e)
		}
	})
}

// words reads a w:t, and writes it if it is to be written.
func (s *story) words(e xml.StartElement, write bool) (string, error) {
	text, err := s.xml.text()
	if attribute(e, "space") != "preserve" {
		text = strings.Trim(text, " \t\r\n")
	}
	if write {
		s.out.write(lineEnds.Replace(text))
	}
	return text, err
}

// concealed reads a w:t that a reader does not see, or sees struck out.
func (s *story) concealed(e xml.StartElement, hidden bool) error {
	text, err := s.words(e, !hidden)
	s.out.hides = s.out.hides || strings.TrimSpace(text) != ""
	return err
}

// runContent reads a visible child of a run.
func (s *story) runContent(e xml.StartElement) error {
	switch name := word(e.Name); name {
	case "t":
		_, err := s.words(e, true)
		return err
	case "tab", "ptab":
		s.out.write("\t")
	case "cr":
		s.out.line()
	case "br":
		if attribute(e, "type") == "page" {
			s.pageBreak()
		} else {
			s.out.line()
		}
	case "lastRenderedPageBreak":
		s.pageBreak()
	case "noBreakHyphen":
		s.out.write("\u2011")
	case "sym":
		s.out.write(symbol(attribute(e, "font"), attribute(e, "char")))
	case "footnoteReference", "endnoteReference":
		s.noted = append(s.noted, noteRef{strings.TrimSuffix(name, "Reference"), attribute(e, "id")})
	case "drawing", "pict", "object":
		s.out.drawing()
		return s.drawing()
	case "ruby":
		return s.inlines()
	case "mc:AlternateContent":
		return s.alternate(s.runContent)
	}
	return nil
}

// lineEnds replaces line ends in a text node by blanks, which is all they mean there.
var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// drawing looks for text boxes in a drawing.
func (s *story) drawing() error {
	return s.xml.children(func(e xml.StartElement) error {
		switch word(e.Name) {
		case "txbxContent":
			origin := s.out.origin
			if origin == layout.Content {
				origin = layout.TextBox
			}
			pages, err := s.aside(s.xml, s.part, origin)
			s.boxes = append(s.boxes, pages)
			return err
		case "mc:AlternateContent":
			return s.alternate(func(xml.StartElement) error { return s.drawing() })
		default:
			return s.drawing()
		}
	})
}

// writeNotes writes the notes of a kind that are waiting, labelled in the order
// of their references.
func (s *story) writeNotes(kind string) {
	waiting := s.noted
	s.noted = nil
	for _, ref := range waiting {
		if ref.kind != kind {
			s.noted = append(s.noted, ref)
			continue
		}
		s.counts[kind]++
		label := strconv.Itoa(s.counts[kind])
		if kind == "endnote" {
			label = wml.Roman(s.counts[kind])
		}
		s.out.writeNote(s.notes[ref], label)
	}
}

// pageBreak ends the page. The cells of a row are side by side, so a break in a cell
// counts only if no earlier cell of the row had as many breaks.
func (s *story) pageBreak() {
	if s.tables > 0 {
		if s.breaks.cell++; s.breaks.cell <= s.breaks.row {
			return
		}
		s.breaks.row = s.breaks.cell
	}
	s.out.pageBreak()
}

func (s *story) row(e xml.StartElement) error {
	switch word(e.Name) {
	case "tr":
	case "sdt":
		return s.control(s.row, false)
	case "customXml", "ins", "moveTo":
		return s.xml.children(s.row)
	default:
		return nil
	}
	if s.tables == 1 {
		s.breaks.row = 0
	}
	s.beginRow()
	gone, first := false, true
	return s.xml.children(func(e xml.StartElement) error {
		if word(e.Name) == "trPr" {
			var err error
			gone, err = marked(s.xml, "del")
			return err
		}
		if gone {
			return nil
		}
		return s.cell(e, &first)
	})
}

// cell reads a w:tc; first is true if no cell is before it in the row.
func (s *story) cell(e xml.StartElement, first *bool) error {
	switch word(e.Name) {
	case "tc":
	case "sdt":
		return s.control(func(e xml.StartElement) error { return s.cell(e, first) }, false)
	case "customXml":
		return s.xml.children(func(e xml.StartElement) error { return s.cell(e, first) })
	default:
		return nil
	}
	gone, begun := false, false
	return s.xml.children(func(e xml.StartElement) error {
		if word(e.Name) == "tcPr" {
			var err error
			gone, err = marked(s.xml, "cellDel")
			return err
		}
		if gone {
			return nil
		}
		if !begun {
			s.beginCell(*first)
			if s.tables == 1 {
				s.breaks.cell = 0
			}
			begun, *first = true, false
		}
		return s.block(e)
	})
}

// sectionEnd starts a new page if the next section starts on one. The file records
// that at the end of the next section, which readSections has read.
func (s *story) sectionEnd() error {
	if s.sections == nil {
		if err := s.readSections(); err != nil {
			return err
		}
	}
	if s.ended++; s.ended < len(s.sections) && s.sections[s.ended] && s.tables == 0 {
		s.out.pageBreak()
	}
	return s.out.err
}

// readSections reads in advance how each section of the body starts.
func (d *docx) readSections() error {
	d.sections = []bool{}
	return d.read(d.main.Name, func(x *xmlReader) error {
		return x.descendants(func(e xml.StartElement) error {
			if word(e.Name) != "sectPr" {
				return nil
			}
			paged := true
			err := x.children(func(e xml.StartElement) error {
				if word(e.Name) == "type" {
					paged = attribute(e, "val") != "continuous" && attribute(e, "val") != "nextColumn"
				}
				return nil
			})
			d.sections = append(d.sections, paged)
			return err
		})
	})
}

// paragraphProperties are the properties of a w:pPr that matter here.
type paragraphProperties struct {
	style       string
	outline     *int
	list        wml.ListRef
	breakBefore *bool
	section     bool // the paragraph ends a section
	edges       []edge
	gone        bool // its mark is deleted: the next paragraph continues it
}

// readParagraphProperties reads the w:pPr that was entered last.
func readParagraphProperties(x *xmlReader) (paragraphProperties, error) {
	var p paragraphProperties
	err := x.children(func(e xml.StartElement) error {
		var err error
		switch word(e.Name) {
		case "pStyle":
			p.style = attribute(e, "val")
		case "outlineLvl":
			p.outline = integer(attribute(e, "val"))
		case "numPr":
			p.list, err = readListRef(x)
		case "pageBreakBefore":
			on := isOn(e)
			p.breakBefore = &on
		case "sectPr":
			p.section = true
			p.edges, err = readEdges(x)
		case "rPr":
			p.gone, err = marked(x, "del", "moveFrom")
		}
		return err
	})
	return p, err
}

// marked reports whether the element that was entered last has a child of one
// of the names.
func marked(x *xmlReader, names ...string) (bool, error) {
	found := false
	err := x.children(func(e xml.StartElement) error {
		found = found || slices.Contains(names, word(e.Name))
		return nil
	})
	return found, err
}

// isOn reads a switch: its presence is on unless its value says otherwise.
func isOn(e xml.StartElement) bool {
	switch attribute(e, "val") {
	case "0", "false", "off":
		return false
	default:
		return true
	}
}

// integer reads a number that some exporters write as a decimal.
func integer(s string) *int {
	whole, _, _ := strings.Cut(s, ".")
	n, err := strconv.Atoi(whole)
	if err != nil {
		return nil
	}
	return &n
}
