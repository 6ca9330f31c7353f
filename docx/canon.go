package docx

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
)

// Canon writes an element with all below it so that what means the same reads the
// same: names in their canonical form, attributes in order, without tracked changes,
// without what programs count anew when they save (rsids, ids of drawings and
// bookmarks, remembered page breaks), and with what a relationship leads to in place
// of its id: the address of a link, the hash of a picture or other part.
func (d *Document) Canon(e Element) string {
	c := canon{doc: d, opened: map[string]bool{}}
	c.element(e)
	return c.out.String()
}

// Digest names the content of a part by its hash: of an XML part by its meaning, as
// Canon writes it. It is "" where the package lacks the part.
func (d *Document) Digest(name string) string {
	c := canon{doc: d, opened: map[string]bool{}}
	return c.digest(name)
}

// Destination is what a relationship of a part leads to: its address or the hash of
// the part, as in Canon.
func (d *Document) Destination(of, id string) string {
	c := canon{doc: d, opened: map[string]bool{}}
	return c.destination(of, id)
}

type canon struct {
	doc    *Document
	out    strings.Builder
	opened map[string]bool // the parts that are being written, which may refer to one another
}

// maxOpened is how far references of parts to parts are followed.
const maxOpened = 8

// volatile are the elements that say nothing to a reader.
var volatile = []string{
	"proofErr", "lastRenderedPageBreak", "rsids", "moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd",
	"w14:docId", "w15:docId", "wp14:sizeRelH", "wp14:sizeRelV",
}

// switches are the elements that are on without a value and with the value 1.
var switches = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden specVanish rtl cs
		keepNext keepLines pageBreakBefore widowControl suppressLineNumbers suppressAutoHyphens contextualSpacing mirrorIndents bidi adjustRightInd autoSpaceDE autoSpaceDN
		cantSplit tblHeader hidden noWrap hideMark bidiVisual titlePg formProt trackRevisions evenAndOddHeaders qFormat autoRedefine locked mirrorMargins`) {
		switches[name] = true
	}
}

func (c *canon) element(e Element) {
	if !e.Exists() || e.Is("bookmarkEnd") || e.Is("bookmarkStart") && strings.HasPrefix(e.Attr("name"), "_GoBack") || e.Is(volatile...) || isRevision(e) && !e.Is("ins", "moveTo") || e.Is("id") && e.Parent().Is("sdtPr") {
		return
	}
	if e.Is("ins", "moveTo") { // what it holds is as if it had been there
		for child := range e.Children() {
			c.element(child)
		}
		return
	}
	name := e.Name()
	if e.Is("pPr", "rPr", "trPr", "tcPr") && saysNothing(e) {
		return
	}
	var attributes []string
	for _, a := range e.attributes() {
		if c.counts(name, a[0]) {
			continue
		}
		value := a[1]
		switch {
		case strings.HasPrefix(a[0], "r:"):
			value = c.destination(e.part.Name, value)
		case a[0] == "val" && (value == "true" || value == "on" || value == "1" && switches[name]):
			continue
		case a[0] == "val" && (value == "false" || value == "off"):
			value = "0"
		}
		attributes = append(attributes, " "+a[0]+`="`+Escape(value)+`"`)
	}
	slices.Sort(attributes)
	c.out.WriteString("<" + name + strings.Join(attributes, "") + ">")
	if e.node().child == 0 {
		c.out.WriteString(Escape(e.Chars()))
	}
	for child := range e.Children() {
		c.element(child)
	}
	c.out.WriteString("</>")
}

// saysNothing reports whether properties hold none, but for marks of tracked changes.
func saysNothing(properties Element) bool {
	for c := range properties.Children() {
		if !isRevision(c) || c.First().Exists() {
			return false
		}
	}
	return true
}

// counts reports whether an attribute is a number that programs give out.
func (c *canon) counts(element, attribute string) bool {
	switch {
	case strings.HasPrefix(attribute, "rsid"), attribute == "w14:paraId", attribute == "w14:textId", strings.HasPrefix(attribute, "wp14:"), attribute == "xml:space":
		return true
	case element == "lvl" && (attribute == "tplc" || attribute == "tentative"), element == "fldChar" && attribute == "dirty":
		return true
	case attribute == "id":
		return strings.HasSuffix(element, "docPr") || strings.HasSuffix(element, "cNvPr") || element == "bookmarkStart" || element == "bookmarkEnd" || element == "v:shape" || element == "v:shapetype"
	default:
		return element == "o:OLEObject" && attribute == "ShapeID" || attribute == "o:spid" || attribute == "o:gfxdata"
	}
}

// attributes are the canonical names and the values of an element's attributes,
// without declarations of vocabularies.
func (e Element) attributes() [][2]string {
	var all [][2]string
	for _, a := range tagAttributes(e.part.data[e.node().start:e.node().open]) {
		prefix, local, prefixed := strings.Cut(a[0], ":")
		switch {
		case a[0] == "xmlns", prefix == "xmlns":
			continue
		case prefixed:
			a[0] = canonical(e.part.uri(e.id, prefix), local)
		}
		all = append(all, a)
	}
	return all
}

func (c *canon) destination(of, id string) string {
	for _, r := range c.doc.Relationships(of) {
		switch {
		case r.ID != id:
		case r.External:
			return r.Target
		default:
			return r.Type + " " + c.digest(r.Target)
		}
	}
	return id
}

func (c *canon) digest(name string) string {
	key := strings.ToLower(name)
	if c.opened[key] || len(c.opened) == maxOpened || c.doc.entries[key] == nil {
		return path.Ext(name)
	}
	c.opened[key] = true
	defer delete(c.opened, key)
	if c.doc.digests == nil {
		c.doc.digests = map[string]string{}
	}
	if known, ok := c.doc.digests[key]; ok {
		return known
	}
	var sum [sha256.Size]byte
	if part, err := c.doc.Part(name); isXML(key) && err == nil && part != nil {
		inner := canon{doc: c.doc, opened: c.opened}
		inner.element(part.Root())
		sum = sha256.Sum256([]byte(inner.out.String()))
	} else {
		data, err := c.doc.Bytes(name)
		if err != nil {
			return ""
		}
		sum = sha256.Sum256(data)
	}
	c.doc.digests[key] = hex.EncodeToString(sum[:8])
	return c.doc.digests[key]
}
