package docx

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/fault"
)

// A node is an element: its name and its place in its part.
type node struct {
	// Offsets into the part: the start tag is data[start:open], the content
	// data[open:close], the end tag data[close:end]. An element written as an
	// empty tag has open = close = end.
	start, open, close, end int32

	parent, child, next int32 // indices; 0 for none, since the root is nobody's child
	name                uint16
	declares            bool // it is in declared
}

// A tree is what the elements of a part are.
type tree struct {
	nodes    []node
	names    []string // canonical ones, by the number that nodes hold
	tracks   []bool   // which of them are tracked changes
	declared map[int32][]declaration
}

// A declaration gives a vocabulary a prefix.
type declaration struct{ prefix, uri string }

// What the elements of a part may cost. Word nests below 100 deep; a contract of
// a thousand pages has a million elements, of a few hundred names, in a few dozen
// vocabularies. Some programs declare a vocabulary again at every use.
const (
	maxDepth     = 256
	maxElements  = 2 << 20
	maxNames     = 10_000
	maxInScope   = 1000    // declarations at one place
	maxDeclaring = 1 << 18 // elements with declarations
	maxURI       = 1024    // bytes
)

func tooManyElements() error {
	return fault.File(DocumentTooLarge, fmt.Sprintf("the document has more than %d elements, which is the limit", maxElements), nil)
}

// spaces gives each vocabulary that is looked into the prefix of its canonical
// names. Both editions of a vocabulary, transitional and strict, share one.
var spaces = map[string]string{
	wordNS:       "",
	wordStrictNS: "",
	"http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
	"http://purl.oclc.org/ooxml/officeDocument/math":             "m:",
	relationNS: "r:",
	"http://purl.oclc.org/ooxml/officeDocument/relationships":                "r:",
	"http://schemas.openxmlformats.org/markup-compatibility/2006":            "mc:",
	"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp:",
	"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":             "wp:",
	"http://schemas.openxmlformats.org/drawingml/2006/main":                  "a:",
	"http://purl.oclc.org/ooxml/drawingml/main":                              "a:",
	"http://schemas.openxmlformats.org/drawingml/2006/picture":               "pic:",
	"http://purl.oclc.org/ooxml/drawingml/picture":                           "pic:",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingShape":      "wps:",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingGroup":      "wpg:",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas":     "wpc:",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing":    "wp14:",
	paragraphNS:                     "w14:",
	threadNS:                        "w15:",
	"urn:schemas-microsoft-com:vml": "v:",
	"urn:schemas-microsoft-com:office:office":                      "o:",
	"urn:schemas-microsoft-com:office:word":                        "w10:",
	"http://schemas.openxmlformats.org/package/2006/relationships": "rel:",
	"http://schemas.openxmlformats.org/package/2006/content-types": "ct:",
	"http://www.w3.org/XML/1998/namespace":                         "xml:",
}

const (
	wordNS       = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	wordStrictNS = "http://purl.oclc.org/ooxml/wordprocessingml/main"
	relationNS   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	paragraphNS  = "http://schemas.microsoft.com/office/word/2010/wordml"
	threadNS     = "http://schemas.microsoft.com/office/word/2012/wordml"
)

// canonical is the name of local in the vocabulary at uri.
func canonical(uri, local string) string {
	if prefix, known := spaces[uri]; known {
		return prefix + local
	}
	return "{" + uri + "}" + local
}

// A binding is the namespace of a prefix before the element at depth declared it.
type binding struct {
	prefix, before string
	depth          int
}

// A scanner reads a part into a tree. It accepts well-formed XML without a
// document type and nothing else.
type scanner struct {
	tree
	data     []byte
	at       int
	open     []int32           // the elements that are open, outermost first
	last     []int32           // the last child met of each open element
	bound    map[string]string // namespaces of prefixes
	bindings []binding         // to go back
	numbers  map[string]uint16 // of canonical names
	here     map[string]uint16 // of qualified names under the present bindings
	attrs    []attribute       // of the start tag at hand
	seen     map[string]bool   // their names, where they are many
	prefix   []byte            // of the last attribute, which is bound

	like  *Part  // an earlier part that has much in common with this one, nil for none
	twins []twin // of the elements that are open, outermost first, as far as they have one
	guess int32  // the element of like that may be the twin of the one at hand
}

// An attribute is one of a start tag, unparsed.
type attribute struct {
	name       []byte // qualified
	start, end int    // of the raw value
}

// scan reads all elements of a part in document order. The data must be UTF-8.
// What they have in common with the part like, if one is given, is taken from it.
func scan(data []byte, like *Part) (tree, error) {
	s := newScanner(data, like)
	err := s.run()
	return s.tree, err
}

func newScanner(data []byte, like *Part) *scanner {
	s := &scanner{
		data:    data,
		bound:   map[string]string{"xml": "http://www.w3.org/XML/1998/namespace"},
		numbers: map[string]uint16{},
		here:    map[string]uint16{},
	}
	s.declared = map[int32][]declaration{}
	expected := len(data)/24 + 8
	if like != nil {
		s.follow(like)
		expected = len(like.nodes)*len(data)/len(like.data) + 8
	}
	s.nodes = make([]node, 0, min(expected, maxElements))
	return s
}

func (s *scanner) run() error {
	if !utf8.Valid(s.data) {
		return s.fail("its text is not UTF-8")
	}
	if bytes.Contains(s.data, []byte("\uFFFE")) || bytes.Contains(s.data, []byte("\uFFFF")) {
		return s.fail("it has a character that XML forbids")
	}
	s.at = len(s.data) - len(bytes.TrimPrefix(s.data, []byte("\uFEFF")))
	if bytes.HasPrefix(s.data[s.at:], []byte("<?xml")) {
		if err := s.until("?>"); err != nil {
			return err
		}
	}
	for s.at < len(s.data) {
		if err := s.step(); err != nil {
			return err
		}
	}
	if len(s.nodes) == 0 || len(s.open) > 0 {
		return s.fail("it ends too early")
	}
	return nil
}

func (s *scanner) fail(what string) error {
	return fault.File(InvalidDocument, "the document's XML cannot be read", fmt.Errorf("at byte %d: %s", s.at, what))
}

// step reads character data up to the next tag, or a tag.
func (s *scanner) step() error {
	if s.data[s.at] != '<' {
		return s.text()
	}
	rest := s.data[s.at:]
	switch {
	case bytes.HasPrefix(rest, []byte("</")):
		return s.endTag()
	case bytes.HasPrefix(rest, []byte("<!--")):
		return s.comment()
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return s.literal()
	case bytes.HasPrefix(rest, []byte("<?")):
		if len(rest) > 4 && strings.EqualFold(string(rest[2:5]), "xml") && (len(rest) == 5 || !isNameByte(rest[5])) {
			return s.fail("a declaration that does not come first")
		}
		if len(rest) < 3 || !isNameStart(rest[2]) {
			return s.fail("an instruction without a name")
		}
		return s.until("?>")
	case bytes.HasPrefix(rest, []byte("<!")):
		return fault.File(InvalidDocument, "the document declares a document type, which its format forbids", nil)
	default:
		return s.startTag()
	}
}

// until passes over what ends with end.
func (s *scanner) until(end string) error {
	from := s.at
	i := bytes.Index(s.data[from:], []byte(end))
	if i < 0 {
		return s.fail("no end of what begins with " + strconv.Quote(string(s.data[from:min(from+9, len(s.data))])))
	}
	s.at = from + i + len(end)
	return s.controls(from, s.at)
}

func (s *scanner) comment() error {
	from := s.at
	s.at += len("<!--")
	if err := s.until("--"); err != nil {
		return err
	}
	if s.at >= len(s.data) || s.data[s.at] != '>' {
		return s.fail("two hyphens in a comment")
	}
	s.at++
	return s.controls(from, s.at)
}

func (s *scanner) literal() error {
	if len(s.open) == 0 {
		return s.fail("text outside the root element")
	}
	return s.until("]]>")
}

// controls refuses the characters that XML forbids.
func (s *scanner) controls(from, to int) error {
	for _, c := range s.data[from:to] {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return s.fail("a control character")
		}
	}
	return nil
}

func (s *scanner) text() error {
	from := s.at
	i := bytes.IndexByte(s.data[from:], '<')
	if i < 0 {
		i = len(s.data) - from
	}
	to := from + i
	outside := len(s.open) == 0
	for ; s.at < to; s.at++ {
		c := s.data[s.at]
		switch {
		case !notable[c] && !outside:
		case c == '&':
			n, err := s.reference(to)
			if err != nil {
				return err
			}
			s.at += n - 1
		case c == ']' && bytes.HasPrefix(s.data[s.at:], []byte("]]>")):
			return s.fail("the end of a literal section that was not begun")
		case c < ' ' && c != '\t' && c != '\n' && c != '\r':
			return s.fail("a control character")
		}
		if outside && c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return s.fail("text outside the root element")
		}
	}
	return nil
}

// reference checks the character reference at hand and returns its length.
func (s *scanner) reference(limit int) (int, error) {
	i := bytes.IndexByte(s.data[s.at:limit], ';')
	if i < 0 || i > 12 {
		return 0, s.fail("a reference without an end")
	}
	if _, ok := referenced(s.data[s.at+1 : s.at+i]); !ok {
		return 0, s.fail("a reference to what is not defined")
	}
	return i + 1, nil
}

// referenced is the character that a reference names: one of the five that are
// predefined, or a number.
func referenced(name []byte) (rune, bool) {
	switch string(name) {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "apos":
		return '\'', true
	case "quot":
		return '"', true
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	digits, base := string(name[1:]), 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	r := rune(n)
	return r, err == nil && n <= utf8.MaxRune && IsXML(r)
}

// IsXML reports whether XML can hold r at all.
func IsXML(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r < 0xD800 || r > 0xDFFF && r < 0xFFFE || r > 0xFFFF && r <= utf8.MaxRune
}

// What bytes are: parts of names, and those that need a look in text and values.
var starts, continues, notable = func() (starts, continues, notable [256]bool) {
	for i := range 256 {
		c := byte(i)
		starts[i] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= utf8.RuneSelf
		continues[i] = starts[i] || c >= '0' && c <= '9' || c == '-' || c == '.'
		notable[i] = c < ' ' || c == '&' || c == '<' || c == ']'
	}
	return starts, continues, notable
}()

func isNameStart(c byte) bool { return starts[c] }
func isNameByte(c byte) bool  { return continues[c] }

// name reads a qualified name.
func (s *scanner) name() ([]byte, error) {
	from := s.at
	if from >= len(s.data) || !isNameStart(s.data[from]) {
		return nil, s.fail("no name where one must be")
	}
	colon, colons := -1, 0
	for s.at < len(s.data) && isNameByte(s.data[s.at]) {
		if s.data[s.at] == ':' {
			colon = s.at - from
			colons++
		}
		s.at++
	}
	name := s.data[from:s.at]
	if colons > 1 || colon == 0 || colons == 1 && (colon == len(name)-1 || !isNameStart(name[colon+1])) {
		return nil, s.fail("a name with a colon out of place")
	}
	return name, nil
}

// blanks passes over white space and reports whether there was any.
func (s *scanner) blanks() bool {
	from := s.at
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return s.at > from
		}
	}
	return s.at > from
}

func (s *scanner) startTag() error {
	if reused, err := s.reuse(); reused || err != nil {
		return err
	}
	start := s.at
	s.at++
	raw, err := s.name()
	if err != nil {
		return err
	}
	if err := s.attributes(); err != nil {
		return err
	}
	if len(s.open) == 0 && len(s.nodes) > 0 {
		return s.fail("a second root element")
	}
	if len(s.open) >= maxDepth {
		return fault.File(InvalidDocument, fmt.Sprintf("the document nests its elements deeper than %d, which is the limit", maxDepth), nil)
	}
	if len(s.nodes) == maxElements {
		return tooManyElements()
	}
	index := int32(len(s.nodes))
	declares, err := s.bind(index)
	if err != nil {
		return err
	}
	name, err := s.resolve(raw)
	if err != nil {
		return err
	}
	for _, a := range s.attrs {
		if !s.isBound(a.name) {
			return s.fail("a prefix that is not declared")
		}
	}
	self := s.at < len(s.data) && s.data[s.at] == '/'
	if self {
		s.at++
	}
	if s.at >= len(s.data) || s.data[s.at] != '>' {
		return s.fail("a start tag without an end")
	}
	s.at++
	n := node{name: name, start: int32(start), open: int32(s.at), close: int32(s.at), end: int32(s.at), declares: declares}
	s.nodes = append(s.nodes, n)
	s.link(index)
	if self {
		s.unbind()
		return nil
	}
	s.open, s.last = append(s.open, index), append(s.last, 0)
	s.pair()
	return nil
}

// link makes an element the last child of the one that is open, if one is.
func (s *scanner) link(index int32) {
	deep := len(s.open) - 1
	if deep < 0 {
		return
	}
	parent := s.open[deep]
	s.nodes[index].parent = parent
	if previous := s.last[deep]; previous != 0 {
		s.nodes[previous].next = index
	} else {
		s.nodes[parent].child = index
	}
	s.last[deep] = index
}

// attributes reads those of the start tag at hand.
func (s *scanner) attributes() error {
	s.attrs = s.attrs[:0]
	for {
		apart := s.blanks()
		if s.at >= len(s.data) {
			return s.fail("a start tag without an end")
		}
		if c := s.data[s.at]; c == '>' || c == '/' {
			return nil
		}
		if !apart {
			return s.fail("no blank before an attribute")
		}
		raw, err := s.name()
		if err != nil {
			return err
		}
		if s.twice(raw) {
			return s.fail("an attribute that comes twice")
		}
		s.blanks()
		if s.at >= len(s.data) || s.data[s.at] != '=' {
			return s.fail("an attribute without a value")
		}
		s.at++
		s.blanks()
		if s.at >= len(s.data) || s.data[s.at] != '"' && s.data[s.at] != '\'' {
			return s.fail("a value without quotes")
		}
		quote := s.data[s.at]
		s.at++
		from := s.at
		i := bytes.IndexByte(s.data[from:], quote)
		if i < 0 {
			return s.fail("a value without an end")
		}
		to := from + i
		for ; s.at < to; s.at++ {
			switch c := s.data[s.at]; {
			case !notable[c]:
			case c == '<':
				return s.fail("a tag inside a value")
			case c == '&':
				n, err := s.reference(to)
				if err != nil {
					return err
				}
				s.at += n - 1
			case c < ' ' && c != '\t' && c != '\n' && c != '\r':
				return s.fail("a control character")
			}
		}
		s.at = to + 1
		s.attrs = append(s.attrs, attribute{raw, from, to})
	}
}

// few are so many attributes that they are compared with each other.
const few = 16

// twice reports whether the start tag at hand has an attribute already.
func (s *scanner) twice(name []byte) bool {
	if len(s.attrs) < few {
		return slices.ContainsFunc(s.attrs, func(a attribute) bool { return bytes.Equal(a.name, name) })
	}
	if len(s.attrs) == few {
		s.seen = map[string]bool{}
		for _, a := range s.attrs {
			s.seen[string(a.name)] = true
		}
	}
	if s.seen[string(name)] {
		return true
	}
	s.seen[string(name)] = true
	return false
}

// bind takes in the declarations of the start tag at hand, which begins the
// element index.
func (s *scanner) bind(index int32) (declares bool, err error) {
	var all []declaration
	for _, a := range s.attrs {
		prefix, declares := bytes.CutPrefix(a.name, []byte("xmlns"))
		if !declares || len(prefix) > 0 && prefix[0] != ':' {
			continue
		}
		if a.end-a.start > maxURI {
			return false, s.fail("a vocabulary whose name is too long")
		}
		d := declaration{string(bytes.TrimPrefix(prefix, []byte(":"))), decode(s.data[a.start:a.end])}
		all = append(all, d)
		s.bindings = append(s.bindings, binding{d.prefix, s.bound[d.prefix], len(s.open)})
		s.rebind(d.prefix, d.uri)
	}
	if len(all) == 0 {
		return false, nil
	}
	if s.declared[index] = all; len(s.declared) > maxDeclaring || len(s.bindings) > maxInScope {
		return false, tooManyDeclared()
	}
	return true, nil
}

func tooManyDeclared() error {
	return fault.File(DocumentTooLarge, "the document declares more vocabularies than the limit", nil)
}

// rebind binds a prefix to a namespace from here on.
func (s *scanner) rebind(prefix, uri string) {
	if s.bound[prefix] == uri {
		return
	}
	if s.prefix = nil; len(s.here) > few {
		s.here = map[string]uint16{}
	}
	clear(s.here)
	if s.bound[prefix] = uri; uri == "" {
		delete(s.bound, prefix)
	}
}

// unbind forgets the declarations of the element that ends, once it is no
// longer among those that are open.
func (s *scanner) unbind() {
	for i := len(s.bindings) - 1; i >= 0 && s.bindings[i].depth >= len(s.open); i-- {
		gone := s.bindings[i]
		s.bindings = s.bindings[:i]
		s.rebind(gone.prefix, gone.before)
	}
}

// isBound reports whether the prefix of an attribute, if it has one, is bound to a
// namespace.
func (s *scanner) isBound(name []byte) bool {
	i := bytes.IndexByte(name, ':')
	if i < 0 || bytes.Equal(name[:i], s.prefix) {
		return true
	}
	if string(name[:i]) != "xmlns" && s.bound[string(name[:i])] == "" {
		return false
	}
	s.prefix = name[:i]
	return true
}

// resolve gives the number of the canonical name of a qualified one.
func (s *scanner) resolve(raw []byte) (uint16, error) {
	if number, ok := s.here[string(raw)]; ok {
		return number, nil
	}
	prefix, local, prefixed := strings.Cut(string(raw), ":")
	if !prefixed {
		prefix, local = "", prefix
	}
	uri := s.bound[prefix]
	if prefixed && uri == "" {
		return 0, s.fail("a prefix that is not declared")
	}
	name := canonical(uri, local)
	number, known := s.numbers[name]
	if !known {
		if len(s.names) == maxNames {
			return 0, fault.File(DocumentTooLarge, fmt.Sprintf("the document has elements of more than %d names, which is the limit", maxNames), nil)
		}
		number = uint16(len(s.names))
		s.names, s.numbers[name] = append(s.names, name), number
		s.tracks = append(s.tracks, tracks(name))
	}
	s.here[string(raw)] = number
	return number, nil
}

func (s *scanner) endTag() error {
	start := s.at
	if len(s.open) == 0 {
		return s.fail("an end tag too many")
	}
	s.at += len("</")
	raw, err := s.name()
	if err != nil {
		return err
	}
	deep := len(s.open) - 1
	n := &s.nodes[s.open[deep]]
	begun := s.data[n.start+1 : n.open]
	if !bytes.HasPrefix(begun, raw) || isNameByte(begun[len(raw)]) {
		return s.fail("an end tag of another element")
	}
	s.blanks()
	if s.at >= len(s.data) || s.data[s.at] != '>' {
		return s.fail("an end tag without an end")
	}
	s.at++
	n.close, n.end = int32(start), int32(s.at)
	s.open, s.last, s.twins = s.open[:deep], s.last[:deep], s.twins[:min(len(s.twins), deep)]
	s.unbind()
	return nil
}

// decode resolves the references and literal sections of well-formed text, and
// leaves out what is no text in it.
func decode(raw []byte) string {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '<') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return string(raw)
	}
	var b strings.Builder
	b.Grow(len(raw))
	for len(raw) > 0 {
		switch raw[0] {
		case '&':
			i := bytes.IndexByte(raw, ';')
			r, _ := referenced(raw[1:i])
			b.WriteRune(r)
			raw = raw[i+1:]
		case '<':
			if literal, ok := bytes.CutPrefix(raw, []byte("<![CDATA[")); ok {
				i := bytes.Index(literal, []byte("]]>"))
				b.Write(literal[:i])
				raw = literal[i+len("]]>"):]
			} else if bytes.HasPrefix(raw, []byte("<!--")) {
				raw = raw[bytes.Index(raw, []byte("-->"))+len("-->"):]
			} else {
				raw = raw[bytes.IndexByte(raw, '>')+1:]
			}
		case '\r':
			b.WriteByte('\n')
			raw = bytes.TrimPrefix(raw[1:], []byte("\n"))
		default:
			b.WriteByte(raw[0])
			raw = raw[1:]
		}
	}
	return b.String()
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\r", "&#13;")

// Escape makes text fit for the content of an element or a quoted value.
func Escape(text string) string { return escaper.Replace(text) }
