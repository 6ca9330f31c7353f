package docx

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"

	"github.com/clausemill/clausemill/fault"
)

// Why bytes are no document that can be edited.
const (
	NotDOCX           fault.Code = "not_docx"
	EncryptedOrLegacy fault.Code = "encrypted_or_legacy"
	InvalidDocument   fault.Code = "invalid_document"
	DocumentTooLarge  fault.Code = "document_too_large"
)

// What a package may cost. Text beyond plainRatio packs like a bomb; pictures of
// a plain colour do too, but stay below freeBytes.
const (
	maxUnpacked = 200 << 20
	maxXML      = 64 << 20 // of the parts that are read into trees
	maxEntries  = 10_000
	plainRatio  = 200
	freeBytes   = 4 << 20
)

// ContentType is the media type of the documents that are written.
const ContentType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// A Document is an opened package. It reads parts as they are asked for and
// must not be used by two goroutines at once.
type Document struct {
	data     []byte
	like     *Document // what it was made of, nil if that is not known
	zip      *zip.Reader
	entries  map[string]*zip.File      // by lower-case name
	parts    map[string]*Part          // read already, by lower-case name
	kept     map[string][]byte         // XML that was unpacked and not read yet, by lower-case name
	unread   int64                     // bytes of XML that may still be read
	elements int                       // that may still be read
	related  map[string][]Relationship // read already, by the part that they are of
	main     *Part
	stories  []*Story
	byKey    map[string]*Story
	byRoot   map[Element]*Story
	numbers  []string          // of the body's paragraphs; nil until asked for
	looks    *looks            // nil until asked for
	digests  map[string]string // of parts, by lower-case name

	revisionIDs map[Element]string // nil until asked for
}

// SHA256 names the bytes of the package.
func (d *Document) SHA256() [sha256.Size]byte { return sha256.Sum256(d.data) }

// A Part is an XML part of a package.
type Part struct {
	Name string // without a leading slash, as the package has it

	tree
	data   []byte
	strict bool              // written in the strict edition of the vocabulary
	root   map[string]string // what the root calls a vocabulary, by its URI
}

func (p *Part) at(id int32) Element {
	if id == 0 {
		return Element{}
	}
	return Element{p, id}
}

// Root is the outermost element, none for a part that is missing.
func (p *Part) Root() Element {
	if p == nil {
		return Element{}
	}
	return Element{p, 0}
}

// Data is the part's XML in UTF-8. It must not be changed.
func (p *Part) Data() []byte { return p.data }

// uri is the namespace of prefix at the element id.
func (p *Part) uri(id int32, prefix string) string {
	if prefix == "xml" {
		return "http://www.w3.org/XML/1998/namespace"
	}
	for {
		n := &p.nodes[id]
		if n.declares {
			for _, d := range p.declared[id] {
				if d.prefix == prefix {
					return d.uri
				}
			}
		}
		if id == 0 {
			return ""
		}
		id = n.parent
	}
}

// tagAttributes are the qualified names and values of a well-formed start tag.
func tagAttributes(tag []byte) [][2]string {
	var found [][2]string
	at := bytes.IndexAny(tag, " \t\r\n")
	for at >= 0 && at < len(tag) {
		for at < len(tag) && !isNameStart(tag[at]) {
			at++
		}
		from := at
		for at < len(tag) && isNameByte(tag[at]) {
			at++
		}
		if at >= len(tag) || from == at {
			break
		}
		name := string(tag[from:at])
		for tag[at] != '"' && tag[at] != '\'' {
			at++
		}
		length := bytes.IndexByte(tag[at+1:], tag[at])
		found = append(found, [2]string{name, decode(tag[at+1 : at+1+length])})
		at += length + 2
	}
	return found
}

// Open reads a package. Its errors are fault.File errors with one of the codes
// above; the bytes are kept and must not be changed.
func Open(data []byte) (*Document, error) { return open(data, nil) }

func open(data []byte, like *Document) (*Document, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xD0\xCF\x11\xE0")):
		return nil, fault.File(EncryptedOrLegacy, "the file is encrypted or in the format of Word 97; save it as DOCX without a password", nil)
	case !bytes.HasPrefix(data, []byte("PK")):
		return nil, fault.File(NotDOCX, "the file is no DOCX", nil)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault.File(InvalidDocument, "the document's package cannot be read; it may be cut short", err)
	}
	d := &Document{data: data, like: like, zip: z, entries: map[string]*zip.File{}, parts: map[string]*Part{}, kept: map[string][]byte{}, unread: maxXML, elements: maxElements, related: map[string][]Relationship{}}
	if err := d.index(); err != nil {
		return nil, err
	}
	return d, d.locate()
}

// index checks every entry and unpacks it, so that a damaged picture is found
// here and not in what is made of the document. XML is kept to be read.
func (d *Document) index() error {
	if len(d.zip.File) > maxEntries {
		return fault.File(DocumentTooLarge, fmt.Sprintf("the document has more than %d parts, which is the limit", maxEntries), nil)
	}
	left := int64(maxUnpacked)
	for _, f := range d.zip.File {
		name := strings.ToLower(f.Name)
		if slices.Contains(strings.Split(strings.ReplaceAll(name, `\`, "/"), "/"), "..") {
			return fault.File(InvalidDocument, "the document has a part whose name leads out of it", nil)
		}
		if d.entries[name] != nil {
			return fault.File(InvalidDocument, "the document has two parts of one name", nil)
		}
		d.entries[name] = f
		if f.Flags&0x1 != 0 {
			return fault.File(EncryptedOrLegacy, "the document is encrypted; save it without a password", nil)
		}
		var to bytes.Buffer
		var n int64
		var err error
		if isXML(name) && int64(f.UncompressedSize64) < left-(maxUnpacked-maxXML) {
			to.Grow(int(min(f.UncompressedSize64, f.CompressedSize64*plainRatio)) + bytes.MinRead)
			n, err = d.unpack(f, &to, left)
			d.kept[name] = to.Bytes()
		} else {
			n, err = d.unpack(f, io.Discard, left)
		}
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// isXML reports whether an entry is one that may be read as a part.
func isXML(name string) bool {
	return strings.HasSuffix(name, ".rels") || strings.HasSuffix(name, ".xml") && !strings.HasPrefix(name, "customxml/")
}

// unpack writes an entry of at most limit bytes.
func (d *Document) unpack(f *zip.File, to io.Writer, limit int64) (int64, error) {
	r, err := f.Open()
	if err != nil {
		return 0, fault.File(InvalidDocument, "the document has a part that cannot be unpacked", err)
	}
	defer r.Close()
	if packed := int64(f.CompressedSize64); packed < limit/plainRatio {
		limit = min(limit, max(packed*plainRatio, freeBytes))
	}
	n, err := io.Copy(to, io.LimitReader(r, limit+1))
	switch {
	case n > limit:
		return n, fault.File(DocumentTooLarge, "the document unpacks to more than the limit", nil)
	case err != nil:
		return n, fault.File(InvalidDocument, "the document has a damaged part", err)
	}
	return n, nil
}

// with is the document with other bytes for some of its parts, by name. It holds
// them in memory only.
func (d *Document) with(changed map[string][]byte) (*Document, error) {
	c := *d
	c.parts, c.kept, c.related = maps.Clone(d.parts), maps.Clone(d.kept), map[string][]Relationship{}
	c.numbers, c.looks, c.digests, c.revisionIDs = nil, nil, nil, nil
	for name, data := range changed {
		key := strings.ToLower(name)
		p, err := newPart(name, data, d.parts[key])
		if err != nil {
			return nil, err
		}
		c.parts[key] = p
	}
	c.main = c.parts[strings.ToLower(d.main.Name)]
	return &c, c.readStories()
}

// Excerpt is the document with only the blocks for which keep is true, of those
// directly below the roots of its stories.
func (d *Document) Excerpt(keep func(Element) bool) (*Document, error) {
	edits := map[*Part]splices{}
	for _, s := range d.stories {
		for e := range s.Root.Children() {
			if !e.Is("sectPr") && !keep(e) {
				cut := edits[e.part]
				cut.replace(int(e.node().start), int(e.node().end), "")
				edits[e.part] = cut
			}
		}
	}
	changed := map[string][]byte{}
	for part, cut := range edits {
		changed[part.Name] = cut.apply(part.data)
	}
	return d.with(changed)
}

// Names lists the entries of the package in its order.
func (d *Document) Names() []string {
	names := make([]string, len(d.zip.File))
	for i, f := range d.zip.File {
		names[i] = f.Name
	}
	return names
}

// Bytes unpacks an entry: a picture, say. It is nil where there is none.
func (d *Document) Bytes(name string) ([]byte, error) {
	f := d.entries[strings.ToLower(name)]
	if f == nil {
		return nil, nil
	}
	var b bytes.Buffer
	b.Grow(int(min(f.UncompressedSize64, freeBytes)))
	_, err := d.unpack(f, &b, maxUnpacked)
	return b.Bytes(), err
}

// Part reads an XML part. It is nil where there is none, which is no error.
func (d *Document) Part(name string) (*Part, error) {
	key := strings.ToLower(name)
	if p, ok := d.parts[key]; ok {
		return p, nil
	}
	data, unpacked := d.kept[key]
	delete(d.kept, key)
	if !unpacked {
		var err error
		if data, err = d.Bytes(name); err != nil || data == nil {
			return nil, err
		}
	}
	if d.unread -= int64(len(data)); d.unread < 0 {
		return nil, fault.File(DocumentTooLarge, fmt.Sprintf("the document has more than %d MiB of text and markup, which is the limit", maxXML>>20), nil)
	}
	var like *Part
	if d.like != nil {
		like = d.like.parts[key]
	}
	p, err := newPart(d.entries[key].Name, data, like)
	if err != nil {
		return nil, err
	}
	if d.elements -= len(p.nodes); d.elements < 0 {
		return nil, tooManyElements()
	}
	d.parts[key] = p
	return p, nil
}

// newPart reads a part. Like is an earlier one that it may have much in common
// with, nil for none.
func newPart(name string, data []byte, like *Part) (*Part, error) {
	data, err := toUTF8(data)
	if err != nil {
		return nil, err
	}
	if like != nil && like.Name == name && bytes.Equal(like.data, data) {
		return like, nil
	}
	tree, err := scan(data, like)
	if err != nil {
		return nil, err
	}
	p := &Part{Name: name, data: data, tree: tree, root: map[string]string{}}
	for _, d := range p.declared[0] {
		if old, known := p.root[d.uri]; !known || d.prefix < old && d.prefix != "" || old == "" {
			p.root[d.uri] = d.prefix
		}
		p.strict = p.strict || d.uri == wordStrictNS
	}
	return p, nil
}

// toUTF8 decodes a part in another encoding, which few programs write. Its
// declaration then says what is no longer so; edited parts get a new one.
func toUTF8(data []byte) ([]byte, error) {
	head := data[:min(len(data), 200)]
	if bytes.HasPrefix(head, []byte("\xFF\xFE")) || bytes.HasPrefix(head, []byte("\xFE\xFF")) {
		decoded, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
		if err != nil {
			return nil, fault.File(InvalidDocument, "the document's text cannot be decoded", err)
		}
		return renamed(decoded), nil
	}
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return data, nil
	}
	label := declaredEncoding(head)
	if label == "" || strings.EqualFold(label, "utf-8") || strings.EqualFold(label, "utf8") || strings.EqualFold(label, "us-ascii") {
		return data, nil
	}
	r, err := charset.NewReaderLabel(label, bytes.NewReader(data))
	if err != nil {
		return nil, fault.File(InvalidDocument, "the document's text is in an encoding that is not known", err)
	}
	decoded, err := io.ReadAll(r)
	if err != nil {
		return nil, fault.File(InvalidDocument, "the document's text cannot be decoded", err)
	}
	return renamed(decoded), nil
}

// declaredEncoding is the encoding that an XML declaration names.
func declaredEncoding(data []byte) string {
	declaration, _, found := bytes.Cut(data, []byte("?>"))
	if !found {
		return ""
	}
	_, rest, found := bytes.Cut(declaration, []byte("encoding"))
	rest = bytes.TrimLeft(rest, " \t\r\n=")
	if !found || len(rest) == 0 {
		return ""
	}
	value, _, _ := bytes.Cut(rest[1:], rest[:1])
	return string(value)
}

// renamed declares text to be what it is now.
func renamed(data []byte) []byte {
	if label := declaredEncoding(data); label != "" {
		return bytes.Replace(data, []byte(label), []byte("UTF-8"), 1)
	}
	return data
}

// A Relationship is how one part refers to another.
type Relationship struct {
	ID       string
	Type     string // the last element of its URI: "image", "header", "hyperlink"
	Target   string // the name of the part, or a URL where it is external
	External bool
}

// relationshipsName is the part that holds the relationships of a part; those
// of the package itself for "".
func relationshipsName(of string) string {
	dir, base := path.Split(of)
	return dir + "_rels/" + base + ".rels"
}

// Relationships lists those of a part in their order. A part whose relationships
// cannot be read has none: Word repairs as much.
func (d *Document) Relationships(of string) []Relationship {
	if all, known := d.related[of]; known {
		return all
	}
	part, err := d.Part(relationshipsName(of))
	if err != nil {
		return nil
	}
	var all []Relationship
	for e := range part.Root().Children() {
		r := Relationship{
			ID: e.Attr("Id"), Type: path.Base(e.Attr("Type")), Target: e.Attr("Target"), External: e.Attr("TargetMode") == "External",
		}
		if !r.External {
			if !strings.HasPrefix(r.Target, "/") {
				r.Target = path.Join(path.Dir(of), r.Target)
			}
			r.Target = strings.TrimPrefix(path.Clean(r.Target), "/")
		}
		all = append(all, r)
	}
	d.related[of] = all
	return all
}

// target names the first part that of refers to by a relationship of kind.
func (d *Document) target(of, kind string) string {
	for _, r := range d.Relationships(of) {
		if r.Type == kind && !r.External {
			return r.Target
		}
	}
	return ""
}

// Related reads the part that the main part refers to by a relationship of a
// kind ("styles", "numbering", "settings", "comments", "fontTable", "theme"),
// nil where there is none or it cannot be read.
func (d *Document) Related(kind string) *Part {
	p, err := d.Part(d.target(d.main.Name, kind))
	if err != nil {
		return nil
	}
	return p
}

// Main is the part that holds the body.
func (d *Document) Main() *Part { return d.main }

// locate finds the main part and reads every story, so that a document that
// opens can be edited throughout.
func (d *Document) locate() error {
	if d.entries["[content_types].xml"] == nil {
		return fault.File(InvalidDocument, "the document lacks its list of content types", nil)
	}
	name := d.target("", "officeDocument")
	if d.entries[strings.ToLower(name)] == nil {
		name = "word/document.xml"
	}
	main, err := d.Part(name)
	switch {
	case err != nil:
		return err
	case main == nil:
		return fault.File(InvalidDocument, "the document lacks its main part", nil)
	case !main.Root().Is("document"):
		return fault.File(NotDOCX, "the file is an Office document, but none of Word", errors.New(main.Root().Name()))
	case !main.Root().Child("body").Exists():
		return fault.File(InvalidDocument, "the document lacks its body", nil)
	}
	d.main = main
	return d.readStories()
}
