package docx

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/fault"
)

// Content is content of a document that can be put into another one: blocks, a row, a
// cell, or something in a paragraph that is no text, such as a picture, a text box, a
// formula or the reference of a note.
type Content struct {
	Markup string        `json:"markup"`          // the elements, in a root that declares their vocabularies
	Parts  []ContentPart `json:"parts,omitempty"` // what they refer to by relationships, whose ids are indices: r:embed="0"
	Notes  []ContentNote `json:"notes,omitempty"` // what they refer to as notes, by index as well
}

// A ContentPart is the target of a relationship.
type ContentPart struct {
	Relation  string           `json:"relation"`         // URI of the type of the relationship
	Target    string           `json:"target,omitempty"` // address of what is outside of the package
	Name      string           `json:"name,omitempty"`   // the end of the part's name, such as image.png
	Type      string           `json:"type,omitempty"`   // its media type
	Data      []byte           `json:"data,omitempty"`
	Relations []ContentRelated `json:"relations,omitempty"` // of the part itself
}

// A ContentRelated is a relationship between parts of a Content.
type ContentRelated struct {
	ID   string `json:"id"`
	Part int    `json:"part"`
}

// A ContentNote is a footnote or an endnote.
type ContentNote struct {
	Kind    string  `json:"kind"` // footnote or endnote
	Content Content `json:"content"`
}

// maxContent bounds what is taken over with all its parts, in bytes.
const maxContent = 8 << 20

// Known says what a style or list of one document is called in another: kind is
// paragraph, character, table or list.
type Known func(kind, id string) (string, bool)

// Take copies elements with all that they refer to, without tracked changes, comments
// and bookmarks. A style or list that is not known is left out.
func (d *Document) Take(known Known, elements ...Element) (*Content, error) {
	t := &taker{doc: d, known: known, content: &Content{}, spaces: map[string]string{wordNS: "w"}, parts: map[string]int{}, notes: map[string]int{}}
	if err := t.take(elements); err != nil {
		return nil, err
	}
	return t.content, nil
}

// TakeText is text with the properties of a run of the document.
func (d *Document) TakeText(known Known, rPr Element, text string) (*Content, error) {
	t := &taker{doc: d, known: known, content: &Content{}, spaces: map[string]string{wordNS: "w"}, parts: map[string]int{}, notes: map[string]int{}}
	t.out.WriteString("<w:r>")
	if rPr.Exists() {
		t.element(rPr)
	}
	var b strings.Builder
	writeText(&b, "w:", text)
	t.out.WriteString(b.String() + "</w:r>")
	return t.content, t.take(nil)
}

type taker struct {
	doc     *Document
	known   Known
	content *Content
	out     bytes.Buffer
	spaces  map[string]string // the prefix of each vocabulary in the copy
	parts   map[string]int    // by part and id of the relationship, or by name
	notes   map[string]int
	noted   bool
	size    int
	err     error
}

func (t *taker) take(elements []Element) error {
	for _, e := range elements {
		if e.part.strict {
			return unsupported("a document of the strict edition of the format")
		}
		if run := e.Parent(); run.Is("r") {
			t.run(run, e)
		} else {
			t.element(e)
		}
	}
	var root strings.Builder
	root.WriteString("<content")
	for _, uri := range slices.Sorted(maps.Keys(t.spaces)) {
		root.WriteString(" xmlns:" + t.spaces[uri] + `="` + Escape(uri) + `"`)
	}
	if copied := t.out.Bytes(); bytes.Count(copied, []byte(`w:fldCharType="begin"`)) != bytes.Count(copied, []byte(`w:fldCharType="end"`)) {
		return unsupported("a part of a field")
	}
	t.content.Markup = root.String() + ">" + t.out.String() + "</content>"
	if t.size += len(t.content.Markup); t.size > maxContent {
		return fault.File(DocumentTooLarge, fmt.Sprintf("more than %d MiB in one piece cannot be taken over", maxContent>>20), nil)
	}
	return t.err
}

// prefix is what the copy calls a vocabulary.
func (t *taker) prefix(uri string) string {
	p, known := t.spaces[uri]
	if !known {
		if p = strings.TrimSuffix(spaces[uri], ":"); p == "" {
			p = fmt.Sprintf("n%d", len(t.spaces))
		}
		t.spaces[uri] = p
	}
	return p + ":"
}

// extended are the vocabularies that say nothing that readers need.
var extended = []string{"w14:", "w15:", "wp14:"}

func isExtended(name string) bool {
	return slices.ContainsFunc(extended, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) ||
		strings.HasPrefix(name, "{http://schemas.microsoft.com/office/word/20")
}

// run copies one leaf with a run around it.
func (t *taker) run(run, leaf Element) {
	t.out.WriteString("<w:r>")
	t.runLook(run.Child("rPr"), leaf.Is("footnoteReference", "endnoteReference"))
	t.element(leaf)
	t.out.WriteString("</w:r>")
}

// runLook copies a w:rPr; the reference of a note is raised if its style is not known.
func (t *taker) runLook(rPr Element, reference bool) {
	from := t.out.Len()
	if rPr.Exists() {
		t.element(rPr)
	}
	if look := string(t.out.Bytes()[from:]); reference && !strings.Contains(look, "w:rStyle") && !strings.Contains(look, "w:vertAlign") {
		t.out.Truncate(from)
		inner := strings.TrimSuffix(strings.TrimPrefix(look, "<w:rPr>"), "</w:rPr>")
		t.out.WriteString("<w:rPr>" + inner + `<w:vertAlign w:val="superscript"></w:vertAlign></w:rPr>`)
	}
}

// element copies e.
func (t *taker) element(e Element) {
	name := e.Name()
	switch {
	case name == "", t.err != nil, isRevision(e) && !e.Is("ins", "moveTo"), isRangeMark(e), isExtended(name), e.Is(volatile...):
		return
	case e.Is("sectPr", "bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "commentReference", "permStart", "permEnd", "cnfStyle", "sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr", "altChunk", "subDoc", "fldData"):
		return
	case e.Is("sdt", "sdtContent", "smartTag", "customXml", "ins", "moveTo"):
		t.children(e)
		return
	case e.Is("mc:AlternateContent") && !e.Parent().Is("r"): // around runs or blocks
		t.children(e.Child("mc:Choice"))
		return
	case e.Is("hyperlink"):
		t.field(linkCode(t.doc, e), e)
		return
	case e.Is("fldSimple"):
		t.field(e.Attr("instr"), e)
		return
	case e.Is("pStyle", "rStyle", "tblStyle"):
		kind := map[string]string{"pStyle": "paragraph", "rStyle": "character", "tblStyle": "table"}[name]
		if id, ok := t.known(kind, e.Attr("val")); ok {
			t.out.WriteString("<w:" + name + ` w:val="` + Escape(id) + `"></w:` + name + ">")
		}
		return
	case e.Is("numPr"):
		if id, ok := t.known("list", e.Child("numId").Attr("val")); ok && e.Child("numId").Exists() {
			t.out.WriteString("<w:numPr>")
			if level := e.Child("ilvl"); level.Exists() {
				t.out.WriteString(`<w:ilvl w:val="` + Escape(level.Attr("val")) + `"></w:ilvl>`)
			}
			t.out.WriteString(`<w:numId w:val="` + Escape(id) + `"></w:numId></w:numPr>`)
		}
		return
	}
	switch {
	case e.Is("t"):
		t.out.WriteString(`<w:t xml:space="preserve">` + Escape(textOf(e)) + "</w:t>")
		return
	case e.Is("tbl") && !e.Child("tblGrid").Exists(): // which the format wants
		t.out.WriteString("<w:tbl>")
		t.element(e.Child("tblPr"))
		t.out.WriteString("<w:tblGrid></w:tblGrid>")
		for c := range e.Children() {
			if !c.Is("tblPr") {
				t.element(c)
			}
		}
		t.out.WriteString("</w:tbl>")
		return
	}
	if e.Is("r") {
		reference := e.Child("footnoteReference").Exists() || e.Child("endnoteReference").Exists()
		t.out.WriteString("<w:r>")
		t.runLook(e.Child("rPr"), reference)
		for c := range e.Children() {
			if !c.Is("rPr") {
				t.element(c)
			}
		}
		t.out.WriteString("</w:r>")
		return
	}
	qualified := t.qualified(e)
	t.out.WriteString("<" + qualified + t.attributes(e) + ">")
	if e.node().child == 0 {
		t.out.WriteString(Escape(e.Chars()))
	}
	t.children(e)
	t.out.WriteString("</" + qualified + ">")
}

func (t *taker) children(e Element) {
	for c := range e.Children() {
		t.element(c)
	}
}

// linkCode is the code of a field that links to where a w:hyperlink does.
func linkCode(d *Document, e Element) string {
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, "%22") + `"` }
	code := "HYPERLINK"
	if id := e.Attr("r:id"); id != "" {
		code += " " + quoted(d.Destination(e.part.Name, id))
	}
	if anchor := e.Attr("anchor"); anchor != "" {
		code += ` \l ` + quoted(anchor)
	}
	return code
}

// field writes a field of a code around the content of e: links and simple fields cannot
// be in a tracked change.
func (t *taker) field(code string, e Element) {
	t.out.WriteString(`<w:r><w:fldChar w:fldCharType="begin"></w:fldChar></w:r><w:r><w:instrText xml:space="preserve"> ` + Escape(strings.TrimSpace(code)) + ` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"></w:fldChar></w:r>`)
	t.children(e)
	t.out.WriteString(`<w:r><w:fldChar w:fldCharType="end"></w:fldChar></w:r>`)
}

// qualified is the name of e in the copy.
func (t *taker) qualified(e Element) string {
	prefix, local, prefixed := strings.Cut(e.qualified(), ":")
	if !prefixed {
		prefix, local = "", prefix
	}
	return t.prefix(e.part.uri(e.id, prefix)) + local
}

func (t *taker) attributes(e Element) string {
	var b strings.Builder
	for _, a := range tagAttributes(e.part.data[e.node().start:e.node().open]) {
		prefix, local, prefixed := strings.Cut(a[0], ":")
		if !prefixed {
			local = prefix
		}
		if a[0] == "xmlns" || prefix == "xmlns" || strings.HasPrefix(local, "rsid") || a[0] == "mc:Ignorable" {
			continue
		}
		name, value := a[0], a[1]
		if prefixed && prefix != "xml" {
			uri := e.part.uri(e.id, prefix)
			known := canonical(uri, local)
			switch {
			case isExtended(known):
				continue
			case strings.HasPrefix(known, "r:"):
				value = t.related(e.part.Name, value)
			}
			name = t.prefix(uri) + local
		}
		switch {
		case prefixed && fraction.MatchString(value) && !strings.Contains(e.Name(), ":"): // some programs write such
			value, _, _ = strings.Cut(value, ".")
		case e.Is("footnoteReference", "endnoteReference") && local == "id":
			value = t.note(strings.TrimSuffix(e.Name(), "Reference"), value)
		case e.Is("mc:Choice") && a[0] == "Requires":
			var needs []string
			for _, p := range strings.Fields(value) {
				needs = append(needs, strings.TrimSuffix(t.prefix(e.part.uri(e.id, p)), ":"))
			}
			value = strings.Join(needs, " ")
		}
		b.WriteString(" " + name + `="` + Escape(value) + `"`)
	}
	return b.String()
}

// related is the index of what a relationship of a part leads to.
func (t *taker) related(of, id string) string {
	if i := t.relation(of, id, 0); i >= 0 {
		return strconv.Itoa(i)
	}
	return ""
}

// maxRelated is how far parts are followed to those that they refer to.
const maxRelated = 4

func (t *taker) relation(of, id string, depth int) int {
	key := of + " " + id
	if i, known := t.parts[key]; known {
		return i
	}
	for _, r := range t.doc.Relationships(of) {
		if r.ID != id {
			continue
		}
		part := ContentPart{Relation: relationNS + "/" + r.Type}
		if uri := t.doc.relationURI(of, id); uri != "" {
			part.Relation = uri
		}
		if r.External {
			part.Target = r.Target
		} else {
			data, err := t.doc.Bytes(r.Target)
			if err != nil || data == nil || depth > maxRelated {
				return -1
			}
			if t.size += len(data); t.size > maxContent {
				t.err = fault.File(DocumentTooLarge, fmt.Sprintf("more than %d MiB in one piece cannot be taken over", maxContent>>20), nil)
				return -1
			}
			part.Data, part.Name, part.Type = data, path.Base(r.Target), t.doc.contentType(r.Target)
		}
		i := len(t.content.Parts)
		t.content.Parts, t.parts[key] = append(t.content.Parts, part), i
		if !r.External {
			var inner []ContentRelated
			for _, next := range t.doc.Relationships(r.Target) {
				if j := t.relation(r.Target, next.ID, depth+1); j >= 0 {
					inner = append(inner, ContentRelated{next.ID, j})
				}
			}
			t.content.Parts[i].Relations = inner
		}
		return i
	}
	return -1
}

// relationURI is the type of a relationship as it is written.
func (d *Document) relationURI(of, id string) string {
	part, err := d.Part(relationshipsName(of))
	if err != nil {
		return ""
	}
	for e := range part.Root().Children() {
		if e.Attr("Id") == id {
			return e.Attr("Type")
		}
	}
	return ""
}

// contentType is the media type of an entry.
func (d *Document) contentType(name string) string {
	part, err := d.Part("[Content_Types].xml")
	if err != nil {
		return ""
	}
	byExtension := ""
	for e := range part.Root().Children() {
		switch {
		case e.Is("ct:Override") && strings.EqualFold(strings.TrimPrefix(e.Attr("PartName"), "/"), name):
			return e.Attr("ContentType")
		case e.Is("ct:Default") && strings.EqualFold("."+e.Attr("Extension"), path.Ext(name)):
			byExtension = e.Attr("ContentType")
		}
	}
	return byExtension
}

// note is the index of a note.
func (t *taker) note(kind, id string) string {
	key := kind + ":" + id
	i, known := t.notes[key]
	story := t.doc.Story(key)
	if !known && story != nil && !t.noted {
		inner := &taker{doc: t.doc, known: t.known, content: &Content{}, spaces: map[string]string{wordNS: "w"}, parts: map[string]int{}, notes: map[string]int{}, noted: true, size: t.size}
		if err := inner.take(slices.Collect(story.Root.Children())); err != nil {
			t.err = err
			return ""
		}
		t.size = inner.size
		i = len(t.content.Notes)
		t.content.Notes, t.notes[key] = append(t.content.Notes, ContentNote{kind, *inner.content}), i
	}
	return strconv.Itoa(i)
}

// Root is the element around the content, none for content that is not well-formed.
func (c *Content) Root() Element {
	part, err := newPart("content", []byte(c.Markup), nil)
	if err != nil {
		return Element{}
	}
	return part.Root()
}

// Story is the content as a story, for those who read it.
func (c *Content) Story() *Story { return &Story{Key: "content", Root: c.Root()} }

// Text is the content of a paragraph that it is, as in canonical text.
func (c *Content) Text() string {
	p := &Paragraph{Element: c.Root()}
	w := &walker{story: &Story{fields: []field{{}}}, p: p}
	w.inline(p.Element, Element{}, false)
	return w.text.String()
}
