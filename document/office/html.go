package office

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/transform"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/sniff"
	wml "github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// readHTML writes the text of a page as a browser lays it out: blocks are
// paragraphs, table rows are lines with a tab between cells, numbers of lists
// are no text. Nothing runs and nothing is fetched.
func readHTML(ctx context.Context, f *io.SectionReader, to *flow) error {
	r := bufio.NewReaderSize(contextReader{ctx, f}, sniff.HeadSize)
	head, err := r.Peek(sniff.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	decoder := sniff.Decoder(head)
	// The standard falls back to two encodings, by less of the page than is known
	// here. sniff.Decoder detects them better, whether they are declared or not.
	if declared, name, _ := charset.DetermineEncoding(head, ""); name != "utf-8" && name != "windows-1252" {
		decoder = declared.NewDecoder()
	}
	return writeHTML(transform.NewReader(r, decoder), to)
}

// writeHTML writes a page in UTF-8.
func writeHTML(from io.Reader, to *flow) error {
	h := &hypertext{out: to, tokens: html.NewTokenizer(from), blank: true}
	h.tokens.SetMaxBuf(maxToken)
	for to.err == nil {
		switch h.tokens.Next() {
		case html.ErrorToken:
			err := h.tokens.Err()
			switch {
			case errors.Is(err, io.EOF):
				to.end()
				return to.err
			case errors.Is(err, html.ErrBufferExceeded):
				return fault.File(fault.FileTooLarge,
					fmt.Sprintf("the page has a tag or a text without tags of more than %d MiB, which is the limit", maxToken>>20), err)
			}
			return err
		case html.TextToken:
			h.text(string(h.tokens.Text()))
		case html.StartTagToken:
			h.start(h.tokens.Token())
		case html.SelfClosingTagToken: // which says nothing in HTML
			h.start(h.tokens.Token())
		case html.EndTagToken:
			h.finish(h.tokens.Token())
		}
	}
	return to.err
}

// maxToken bounds one tag or one run of text in bytes.
const maxToken = 16 << 20

// hypertext is a page while it is read. It is read as a stream: the standard's tree
// of badly nested tags would keep the whole page in memory, and a hostile page can
// make building it take quadratic time.
type hypertext struct {
	out    *flow
	tokens *html.Tokenizer
	open   []element // the elements around, innermost last

	blank bool                           // the last character was a blank
	broke bool                           // the last thing was a line break
	begun bool                           // a paragraph is open
	cells int                            // begun in the open row
	at    struct{ table, row, cell int } // in the outermost table
	lists int                            // outermost ones
	owed  bool                           // a cell's paragraph is not its last
	label string
}

// element is an open element, with its effect and that of its parents on text.
type element struct {
	tag  atom.Atom
	name string

	hidden    bool
	face      face
	fixed     bool // blanks count
	heading   int
	tables    int
	depth     int       // of lists
	list      *htmlList // that its items count in
	item      bool
	breakPage bool // when it ends
}

// htmlList numbers the items of a list.
type htmlList struct {
	id     int    // that nested lists share
	format string // of FormatNumber, or "bullet"
	next   int
}

// top is the innermost element.
func (h *hypertext) top() element {
	if len(h.open) == 0 {
		return element{}
	}
	return h.open[len(h.open)-1]
}

// text writes what stands between tags.
func (h *hypertext) text(s string) {
	at := h.top()
	if at.hidden {
		return
	}
	if !at.fixed {
		s = collapse(s, &h.blank)
	}
	if strings.TrimSpace(s) == "" {
		if h.begun {
			h.out.write(s)
		}
		return
	}
	h.broke = false
	if !h.begun {
		h.begin(at)
	}
	h.out.writeIn(at.face, s)
}

// begin opens a paragraph before its first character.
func (h *hypertext) begin(at element) {
	h.begun = true
	if h.owed {
		h.out.line()
		h.owed = false
	}
	p := format.Paragraph{Kind: format.Body, Number: h.label}
	h.label = ""
	switch {
	case at.heading > 0:
		p.Kind, p.Level = format.Heading, at.heading
	case at.item:
		p.Kind, p.Depth = format.ListItem, at.depth
		if at.list != nil {
			p.List = at.list.id
		}
	}
	if at.tables > 0 {
		p.Table, p.Row, p.Cell = h.at.table, h.at.row, h.at.cell
	}
	h.out.begin(p)
}

// block ends the open paragraph.
func (h *hypertext) block() {
	h.blank = true
	if !h.begun {
		return
	}
	h.begun, h.broke = false, false
	h.out.end()
	if h.top().tables > 0 {
		h.owed = true
	} else {
		h.out.paragraph()
	}
}

// lineBreak reads a br; two of them part paragraphs.
func (h *hypertext) lineBreak() {
	if h.broke {
		h.block()
		return
	}
	h.out.line()
	h.blank, h.broke = true, true
}

// maxOpen bounds the open elements: some pages never close any.
const maxOpen = 1000

// start reads a start tag.
func (h *hypertext) start(t html.Token) {
	h.implyEnds(t.DataAtom)
	e := h.top()
	e.tag, e.name, e.breakPage = t.DataAtom, t.Data, false
	style, _ := htmlAttribute(t, "style")
	style = strings.ToLower(strings.ReplaceAll(style, " ", ""))
	_, isHidden := htmlAttribute(t, "hidden")
	e.hidden = e.hidden || isHidden || invisible[t.DataAtom] || strings.Contains(style, "display:none")
	if !e.hidden {
		h.enter(t, &e, style)
	}
	switch {
	case void[t.DataAtom]:
		if e.breakPage {
			h.out.pageBreak()
		}
	case len(h.open) < maxOpen:
		h.open = append(h.open, e)
	}
}

// enter applies the effect of an element on the text around and inside it.
func (h *hypertext) enter(t html.Token, e *element, style string) {
	if blocks[t.DataAtom] {
		h.block()
	}
	if strings.Contains(style, "break-before:always") || strings.Contains(style, "break-before:page") {
		h.block()
		h.out.pageBreak()
	}
	e.breakPage = strings.Contains(style, "break-after:always") || strings.Contains(style, "break-after:page")
	e.face.set(t.DataAtom, style)
	switch t.DataAtom {
	case atom.Br:
		h.lineBreak()
	case atom.Img:
		h.out.drawing()
	case atom.Pre, atom.Textarea, atom.Xmp, atom.Plaintext, atom.Listing:
		e.fixed = true
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		e.heading = int(t.Data[1] - '0')
	case atom.Ul, atom.Menu:
		e.list, e.item = h.inside(&htmlList{format: "bullet"}, e.list), false
		e.depth++
	case atom.Ol:
		e.list, e.item = h.inside(newHTMLList(t), e.list), false
		e.depth++
	case atom.Li:
		e.item = true
		h.label = e.list.label(t)
	case atom.Table:
		if e.tables++; e.tables == 1 {
			*h.out.seen++
			h.at.table, h.at.row = *h.out.seen, 0
		}
		e.item, e.heading = false, 0
	case atom.Tr:
		h.owed, h.cells = false, 0
		if e.tables == 1 {
			h.at.row++
			h.at.cell = 0
		}
		h.out.line()
	case atom.Td, atom.Th:
		if h.cells++; h.cells > 1 {
			h.out.cell()
		}
		if e.tables == 1 {
			h.at.cell++
		}
		h.owed = false
	}
}

// set changes a face by an element and its style, which has no blanks.
func (f *face) set(tag atom.Atom, style string) {
	switch tag {
	case atom.B, atom.Strong, atom.Th:
		f.bold = true
	case atom.I, atom.Em, atom.Cite, atom.Dfn, atom.Var:
		f.italic = true
	case atom.U:
		f.underlined = true
	}
	for declaration := range strings.SplitSeq(style, ";") {
		switch name, value, _ := strings.Cut(declaration, ":"); name {
		case "font-weight":
			f.bold = isBold(value)
		case "font-style":
			f.italic = isItalic(value)
		case "text-decoration", "text-decoration-line":
			f.underlined = f.underlined || strings.Contains(value, "underline")
		}
	}
}

// isBold reads a weight as CSS and OpenDocument have it.
func isBold(weight string) bool {
	n, err := strconv.Atoi(weight)
	return strings.HasPrefix(weight, "bold") || err == nil && n >= 600
}

func isItalic(style string) bool {
	return strings.HasPrefix(style, "italic") || strings.HasPrefix(style, "oblique")
}

// inside gives a list the id of the one around it.
func (h *hypertext) inside(list, outer *htmlList) *htmlList {
	if outer != nil {
		list.id = outer.id
		return list
	}
	h.lists++
	list.id = h.lists
	return list
}

// leave applies the effect of an element's end.
func (h *hypertext) leave(e element) {
	if e.hidden {
		return
	}
	if e.tag == atom.Table && h.top().tables == 0 {
		h.owed = false
		h.out.paragraph()
	}
	if e.tag == atom.Li {
		h.label = ""
	}
	if e.breakPage {
		h.block()
		h.out.pageBreak()
	}
}

// finish reads an end tag. An end tag without an open element is ignored; so is one,
// inside a table cell, for an element around the cell.
func (h *hypertext) finish(t html.Token) {
	within := tableParts[t.DataAtom]
	for i := len(h.open) - 1; i >= 0; i-- {
		if h.open[i].name == t.Data {
			h.close(i)
			return
		}
		if !within && (h.open[i].tag == atom.Td || h.open[i].tag == atom.Th) {
			break
		}
	}
	if t.DataAtom == atom.P || t.DataAtom == atom.Br { // their end tags start an element first
		h.block()
	}
}

// close ends the open elements from index i on, innermost first.
func (h *hypertext) close(i int) {
	for len(h.open) > i {
		e := h.top()
		if blocks[e.tag] && !e.hidden {
			h.block() // before the element that describes the text is removed
		}
		h.open = h.open[:len(h.open)-1]
		h.leave(e)
	}
}

// implyEnds ends the elements whose end tags may be omitted before tag.
func (h *hypertext) implyEnds(tag atom.Atom) {
	ends, borders := impliedEnds[tag], impliedBorders[tag]
	if ends == nil {
		if !blocks[tag] {
			return
		}
		ends, borders = []atom.Atom{atom.P}, cellBorders
	}
	for i := len(h.open) - 1; i >= 0; i-- {
		for _, end := range ends {
			if h.open[i].tag == end {
				h.close(i)
				return
			}
		}
		for _, border := range borders {
			if h.open[i].tag == border {
				return
			}
		}
	}
}

// Which elements a start tag ends, and which elements stop that.
var (
	impliedEnds = map[atom.Atom][]atom.Atom{
		atom.Li:     {atom.Li},
		atom.Dt:     {atom.Dt, atom.Dd},
		atom.Dd:     {atom.Dt, atom.Dd},
		atom.Td:     {atom.Td, atom.Th},
		atom.Th:     {atom.Td, atom.Th},
		atom.Tr:     {atom.Tr},
		atom.Tbody:  {atom.Tbody, atom.Thead, atom.Tfoot},
		atom.Tfoot:  {atom.Tbody, atom.Thead, atom.Tfoot},
		atom.Option: {atom.Option},
		atom.Body:   {atom.Head},
	}
	impliedBorders = map[atom.Atom][]atom.Atom{
		atom.Li:     {atom.Ul, atom.Ol, atom.Menu, atom.Td, atom.Th},
		atom.Dt:     {atom.Dl},
		atom.Dd:     {atom.Dl},
		atom.Td:     {atom.Tr, atom.Table},
		atom.Th:     {atom.Tr, atom.Table},
		atom.Tr:     {atom.Table},
		atom.Tbody:  {atom.Table},
		atom.Tfoot:  {atom.Table},
		atom.Option: {atom.Select},
	}
	cellBorders = []atom.Atom{atom.Td, atom.Th, atom.Table, atom.Li, atom.Div, atom.Body}
)

func atoms(all ...atom.Atom) map[atom.Atom]bool {
	set := make(map[atom.Atom]bool, len(all))
	for _, a := range all {
		set[a] = true
	}
	return set
}

var (
	// void elements have no content and no end.
	void = atoms(atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link,
		atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr)

	// blocks stand on lines of their own.
	blocks = atoms(atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center,
		atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption,
		atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Legend, atom.Li, atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P,
		atom.Plaintext, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th,
		atom.Thead, atom.Tr, atom.Ul, atom.Xmp)

	// The contents of invisible elements are not shown. Deletions are shown struck
	// out, but left out here as tracked deletions are.
	invisible = atoms(atom.Del, atom.Head, atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Noembed, atom.Noframes,
		atom.Iframe, atom.Object, atom.Audio, atom.Video, atom.Datalist, atom.Title)

	tableParts = atoms(atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Body, atom.Html)
)

// htmlAttribute returns the value of an attribute, and whether it is there.
func htmlAttribute(t html.Token, name string) (string, bool) {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// htmlInteger returns an attribute that is a number, or nil.
func htmlInteger(t html.Token, name string) *int {
	value, _ := htmlAttribute(t, name)
	return integer(value)
}

func newHTMLList(t html.Token) *htmlList {
	kind, _ := htmlAttribute(t, "type")
	list := &htmlList{format: cmp.Or(numberFormats[kind], "decimal"), next: 1}
	if n := htmlInteger(t, "start"); n != nil {
		list.next = *n
	}
	return list
}

// label counts an item. One outside of any list has a bullet.
func (l *htmlList) label(t html.Token) string {
	if l == nil || l.format == "bullet" {
		return "•"
	}
	if n := htmlInteger(t, "value"); n != nil {
		l.next = *n
	}
	l.next++
	return wml.FormatNumber(l.next-1, l.format) + "."
}
