package pdf

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/layout"
)

// This file reads dynamic XFA forms. Their pages are made by a program of Adobe when the form
// is opened; what the PDF itself has is one page that asks to wait. What the form says is in
// its template, and what was filled in is in its data. Scripts are not run, and where things
// stand on pages is not known.

// formDynamic is the engine's type of such a form.
const formDynamic = 2

// Bounds of a form, in bytes and elements.
const (
	maxForm      = 16 << 20
	maxFormNodes = 200_000
)

// form reads the text of a dynamic form to page, which keeps its own if there is none.
func (d *file) form(page *format.Page) {
	if d.p.call(d.p.formType, uint64(d.document)) != formDynamic {
		return
	}
	root, err := parseForm(d.p.packets(d.document), d.limits.MaxDepth)
	r := formReader{limit: d.limits.MaxText}
	if root != nil {
		r.read(root)
	}
	if r.at > 0 {
		page.Text, page.Words, page.Paragraphs, page.Fields = r.text.String(), r.words, r.paragraphs, r.fields
		page.Reason, page.NeedsOCR = format.ReasonForm, false
	}
	if err != nil || r.cut {
		page.Reason, page.NeedsOCR = format.ReasonFormIncomplete, false
	}
}

// packets is the XML of a form, which a PDF may hold in several streams.
func (p *pdfium) packets(document uint32) []byte {
	var all []byte
	for i := range int32(p.call(p.countPackets, uint64(document))) {
		p.call(p.packet, uint64(document), uint64(i), 0, 0, uint64(p.out))
		b, _ := p.memory.Read(p.out, 4)
		size := binary.LittleEndian.Uint32(b)
		if p.err != nil || len(all)+int(size) > maxForm {
			return nil
		}
		buffer := p.alloc(int(size))
		p.call(p.packet, uint64(document), uint64(i), uint64(buffer), uint64(size), uint64(p.out))
		if content, ok := p.memory.Read(buffer, size); ok && p.err == nil {
			all = append(all, content...)
		}
		p.call(p.free, uint64(buffer))
	}
	return all
}

// formNode is an element of a form.
type formNode struct {
	name     string // without its prefix
	attrs    []xml.Attr
	children []*formNode
	text     []byte // its own
}

func (n *formNode) attr(name string) string {
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// child is the first element with a name, or an empty one.
func (n *formNode) child(name string) *formNode {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return &formNode{}
}

// shown is all text of n, in which paragraphs and line breaks of XHTML are spaces.
func (n *formNode) shown() string {
	var b strings.Builder
	var add func(*formNode)
	add = func(n *formNode) {
		b.Write(n.text)
		for _, c := range n.children {
			if c.name == "p" || c.name == "br" || c.name == "li" {
				b.WriteByte(' ')
			}
			add(c)
		}
		b.WriteByte(' ')
	}
	add(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

// parseForm reads a form. One with a document type, and so with entities, is refused. Behind a
// whole form there may be what is none: then there is a form and an error.
func parseForm(data []byte, maxDepth int) (*formNode, error) {
	root := &formNode{}
	open := []*formNode{root}
	nodes := 0
	tokens := format.NewXMLDecoder(bytes.NewReader(bytes.TrimRight(data, "\x00")))
	for {
		token, err := tokens.Token()
		switch {
		case err == nil:
		case len(open) > 1 || nodes == 0:
			return nil, err
		case errors.Is(err, io.EOF):
			return root, nil
		default:
			return root, err
		}
		last := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if nodes++; nodes > maxFormNodes || len(open) > maxDepth {
				return nil, unsound("a form of too many elements")
			}
			n := &formNode{name: t.Name.Local, attrs: t.Attr}
			last.children = append(last.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(last.children) > 0 { // between its elements, and in its place among them
				before := last.children[len(last.children)-1]
				if before.name != "" {
					if len(bytes.TrimSpace(t)) == 0 {
						continue
					}
					if nodes++; nodes > maxFormNodes {
						return nil, unsound("a form of too many elements")
					}
					before = &formNode{}
					last.children = append(last.children, before)
				}
				last = before
			}
			last.text = append(last.text, t...)
		case xml.Directive:
			return nil, unsound("a form with a document type")
		}
	}
}

// formReader writes a form as text.
type formReader struct {
	text       strings.Builder
	at         int // code points of text
	limit      int
	cut        bool // there is more than limit
	words      []layout.Word
	paragraphs []format.Paragraph
	fields     []format.Field

	names  map[string]bool      // fields that are shown
	bound  map[*formNode]*datum // the values of fields
	binder *formBinder
}

func (r *formReader) read(root *formNode) {
	for _, n := range root.children {
		if n.name == "xdp" {
			root = n
		}
	}
	template := root.child("template")
	b := bindForm(template, root.child("datasets").child("data"))
	r.names, r.bound, r.binder = map[string]bool{}, b.bound, b
	r.visit(template, false)
	// What parts that are repeated have beside the first one.
	for _, d := range b.values {
		if r.names[d.node.name] && !d.used {
			r.paragraph("", d.node.shown(), d.node.name)
		}
	}
}

// visit writes an element of the template.
func (r *formReader) visit(n *formNode, hidden bool) {
	switch n.attr("presence") {
	case "hidden", "invisible", "inactive":
		hidden = true
	}
	if !r.binder.isShown(n) {
		return
	}
	switch n.name {
	case "draw":
		if !hidden {
			r.paragraph(n.child("value").shown(), "", "")
		}
	case "field":
		value := n.child("value").shown()
		if d := r.bound[n]; d != nil {
			value = d.node.shown()
		}
		r.field(n, value, hidden)
	case "exclGroup":
		value := ""
		if d := r.bound[n]; d != nil {
			value = d.node.shown()
		}
		if caption := n.child("caption").child("value").shown(); !hidden {
			r.paragraph(caption, "", "")
		}
		for _, c := range n.children {
			if c.name == "field" {
				r.field(c, value, hidden)
			}
		}
	case "template", "subform", "subformSet", "area", "pageSet", "pageArea":
		for _, c := range n.children {
			r.visit(c, hidden)
		}
	}
}

// field writes a field with its value as it is shown.
func (r *formReader) field(n *formNode, value string, hidden bool) {
	ui := n.child("ui")
	has := func(kind string) bool { return ui.child(kind).name != "" }
	if hidden || has("passwordEdit") || has("button") {
		return
	}
	r.names[n.attr("name")] = true
	switch {
	case has("checkButton"):
		on := "1"
		if items := n.child("items"); len(items.children) > 0 {
			on = items.first()
		}
		value = map[bool]string{true: "☒", false: "☐"}[value == on]
	case has("choiceList"):
		value = choice(n, value)
	}
	r.paragraph(n.child("caption").child("value").shown(), value, n.attr("name"))
}

func (n *formNode) hasElements() bool {
	return slices.ContainsFunc(n.children, func(c *formNode) bool { return c.name != "" })
}

// first is the text of the first element in n.
func (n *formNode) first() string {
	for _, c := range n.children {
		if c.name != "" {
			return c.shown()
		}
	}
	return ""
}

// choice is the text that a list shows for a value.
func choice(n *formNode, value string) string {
	var shown, saved []string
	for _, items := range n.children {
		if items.name != "items" {
			continue
		}
		var texts []string
		for _, c := range items.children {
			if c.name != "" {
				texts = append(texts, c.shown())
			}
		}
		if items.attr("save") == "1" {
			saved = texts
		} else {
			shown = texts
		}
	}
	for i, s := range saved {
		if s == value && i < len(shown) {
			return shown[i]
		}
	}
	return value
}

// paragraph writes a line: what the form says, and what was filled in for a name.
func (r *formReader) paragraph(says, filled, name string) {
	says, filled = cleanWords(says), cleanWords(filled)
	length := utf8.RuneCountInString(says) + utf8.RuneCountInString(filled) + len(" \n")
	if says+filled == "" || r.cut {
		return
	}
	if r.at+length > r.limit {
		r.cut = true
		return
	}
	p := format.Paragraph{Start: r.at, Kind: format.Body}
	r.write(says, layout.Content)
	if says != "" && filled != "" {
		r.space(" ")
	}
	if start := r.at; filled != "" {
		r.write(filled, layout.Field)
		if len(r.fields) < maxFields {
			r.fields = append(r.fields, format.Field{Start: start, End: r.at, Name: format.FieldName(name)})
		}
	}
	p.End = r.at
	r.space("\n")
	r.paragraphs = append(r.paragraphs, p)
}

// cleanWords is a text as words are stored.
func cleanWords(text string) string {
	var words []string
	for word := range strings.FieldsSeq(text) {
		if word = clean([]rune(word)); word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

func (r *formReader) write(text string, origin layout.Origin) {
	for i, word := range strings.Fields(text) {
		if i > 0 {
			r.space(" ")
		}
		start := r.at
		r.text.WriteString(word)
		r.at += utf8.RuneCountInString(word)
		r.words = append(r.words, layout.Word{Start: start, End: r.at, Confidence: 100, Origin: origin})
	}
}

func (r *formReader) space(s string) {
	r.text.WriteString(s)
	r.at += len(s)
}
