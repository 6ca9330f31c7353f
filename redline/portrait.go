package redline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/docx"
)

// A portrait is a paragraph as a reader sees it.
type portrait struct {
	p      *docx.Paragraph
	words  wording
	looks  []*textLook // of each character of words
	items  []item
	style  string
	number string
	list   string
	look   docx.Look
	mark   docx.Look

	drawn bool // beside words and number
}

// A textLook is a look with its key: equal looks have equal keys. Direct is what the run
// itself says, beside its styles.
type textLook struct {
	key    string
	look   docx.Look
	direct string
	rPr    docx.Element
}

// An item is what a paragraph holds beside text: a picture, a note, a field, a link, a
// bookmark that something refers to.
type item struct {
	kind  string
	value string
	at    int // in the paragraph's canonical text
}

func (p *portrait) place() string { return p.p.Story.Key + ", paragraph " + strconv.Itoa(p.p.Index) }

// whole is what a paragraph says, to be told as one value.
func (p *portrait) whole() string {
	text := strings.Join(p.words.shown, "")
	for _, i := range p.items {
		text += " [" + i.kind + " " + excerpt(i.value) + "]"
	}
	return cmp.Or(text, "an empty paragraph")
}

// portraits are those of the paragraphs of a story, with their words and numbers: draw
// adds the rest. What is in a text box belongs to the box.
func (u *unsaid) portraits(d *docx.Document, s *docx.Story) []*portrait {
	numbers := d.Numbers()
	var all []*portrait
	for _, p := range s.Paragraphs() {
		if p.Closest("txbxContent").Exists() {
			continue
		}
		one := &portrait{p: p}
		one.words, _ = u.codes.reads(p)
		if s.Key == "body" {
			one.number = numbers[p.Index]
		}
		all = append(all, one)
	}
	return all
}

// draw adds what is to be seen of paragraphs of a document.
func (u *unsaid) draw(d *docx.Document, all ...*portrait) {
	for _, p := range all {
		if !p.drawn {
			number := p.number
			*p = *u.portrait(d, p.p)
			p.number = number
		}
	}
}

func (u *unsaid) portrait(d *docx.Document, p *docx.Paragraph) *portrait {
	set := u.book.paragraph(d, p)
	out := &portrait{p: p, look: set.look, mark: set.mark, list: set.list, style: set.style, drawn: true}
	var fields []field
	out.words, fields = u.codes.reads(p)
	for _, f := range fields {
		value := f.code
		if byCode, pages := isCounted(f.code); byCode && !pages {
			value += " shows " + f.result
		}
		out.items = append(out.items, item{"field", value, f.at})
	}
	out.looks = u.book.of(d, p, out.words)
	w := &itemWalker{unsaid: u, doc: d, pieces: map[docx.Element]docx.Piece{}, noted: strings.Contains(p.Story.Key, "note:")}
	for piece := range p.Pieces() {
		w.pieces[piece.Item] = piece
	}
	w.walk(p.Element)
	out.items = append(out.items, w.items...)
	return out
}

// A lookBook remembers what text and paragraphs look like, by the document, the styles
// around them and what they say themselves.
type lookBook struct {
	texts      map[lookKey]*textLook
	paragraphs map[lookKey]*setting
}

func newLookBook() *lookBook {
	return &lookBook{texts: map[lookKey]*textLook{}, paragraphs: map[lookKey]*setting{}}
}

// A setting is how a paragraph is set.
type setting struct {
	style, list string
	look, mark  docx.Look
}

// paragraph is how a paragraph and its mark are set.
func (b *lookBook) paragraph(d *docx.Document, p *docx.Paragraph) *setting {
	pPr := p.Child("pPr")
	key := lookKey{doc: d, run: string(pPr.Raw()), table: p.Closest("tbl").Child("tblPr", "tblStyle").Attr("val")}
	set := b.paragraphs[key]
	if set == nil { // the marks of paragraphs are no text of any script
		set = &setting{style: d.ParagraphStyle(p), list: d.List(p), look: d.Look(p), mark: d.TextLook(p, p.Mark())}
		withoutComplex(set.mark)
		withoutEastern(set.mark)
		b.paragraphs[key] = set
	}
	return set
}

// markOf is the key of the look that new text of an empty paragraph like p has: that of
// its mark, or of its first words.
func (b *lookBook) markOf(d *docx.Document, p *docx.Paragraph) string {
	rPr := p.Mark()
	look := d.TextLook(p, rPr)
	withoutComplex(look)
	withoutEastern(look)
	return look.String()
}

type lookKey struct {
	doc          *docx.Document
	style, table string
	run          string
	object       bool
	complex      bool
	eastern      bool
}

// of are the looks of a paragraph's words.
func (b *lookBook) of(d *docx.Document, p *docx.Paragraph, words wording) []*textLook {
	key := lookKey{doc: d, style: p.Child("pPr", "pStyle").Attr("val"), table: p.Closest("tbl").Child("tblPr", "tblStyle").Attr("val")}
	byRune := make([]*textLook, 0, len(words.text))
	for piece := range p.Pieces() {
		if piece.Start == piece.End {
			continue
		}
		rPr := piece.Run.Child("rPr")
		key.run, key.complex, key.eastern = string(rPr.Raw()), strings.ContainsFunc(piece.Text, isComplex), strings.ContainsFunc(piece.Text, isEastern)
		key.object = piece.Text == "\uFFFC"
		look, seen := b.texts[key]
		if !seen {
			look = &textLook{look: d.TextLook(p, rPr), direct: d.Canon(rPr), rPr: rPr}
			if look.look["rtl"] == "" && look.look["cs"] == "" && !key.complex {
				withoutComplex(look.look)
			}
			if !key.eastern {
				withoutEastern(look.look)
			}
			if piece.Text == "\uFFFC" { // no text, which only can be hidden
				hidden := look.look["vanish"]
				if look.look = (docx.Look{}); hidden != "" {
					look.look["vanish"] = hidden
				}
			}
			look.key = look.look.String()
			b.texts[key] = look
		}
		for range piece.End - piece.Start {
			byRune = append(byRune, look)
		}
	}
	if len(byRune) == len(words.text) { // no field is one character
		return byRune
	}
	none := &textLook{}
	looks := make([]*textLook, 0, len(words.text))
	at := 0
	for _, shown := range words.shown {
		look := none
		if at < len(byRune) {
			look = byRune[at]
		}
		looks = append(looks, look)
		at += utf8.RuneCountInString(shown)
	}
	return looks
}

// uniform reports whether all of a paragraph's words look the same.
func (p *portrait) uniform() bool {
	return len(p.looks) > 0 && !slices.ContainsFunc(p.looks, func(l *textLook) bool { return l.key != p.looks[0].key })
}

// firstComplex is where the first of the complex scripts, Hebrew, begins.
const firstComplex = 0x590

// isComplex reports whether a character is formatted by the properties of complex
// scripts.
func isComplex(r rune) bool {
	return r >= firstComplex && unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Thai, unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Khmer, unicode.Lao)
}

// isEastern reports whether a character is set in the font of East Asian scripts.
func isEastern(r rune) bool {
	return r >= firstComplex && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

// withoutEastern takes out the fonts of East Asian scripts, which other text does not show.
func withoutEastern(look docx.Look) {
	for _, name := range []string{"rFonts eastAsia", "rFonts eastAsiaTheme", "rFonts hint"} {
		delete(look, name)
	}
}

// withoutComplex takes out what does not show in other scripts.
func withoutComplex(look docx.Look) {
	for _, name := range []string{"bCs", "iCs", "szCs", "rFonts cs", "rFonts cstheme"} {
		delete(look, name)
	}
}

// An itemWalker collects the items of a paragraph.
type itemWalker struct {
	*unsaid
	doc    *docx.Document
	pieces map[docx.Element]docx.Piece
	noted  bool // it is in a note
	at     int
	items  []item
}

func (w *itemWalker) add(kind, value string) {
	w.items = append(w.items, item{kind, value, w.at})
}

func (w *itemWalker) walk(e docx.Element) {
	for c := range e.Children() {
		if piece, ok := w.pieces[c]; ok {
			w.leaf(c)
			w.at = piece.End
			continue
		}
		w.inline(c)
	}
}

// leaf adds what is no mere text.
func (w *itemWalker) leaf(e docx.Element) {
	switch {
	case e.Is("t", "tab", "cr", "instrText", "noBreakHyphen", "softHyphen", "delText", "delInstrText", "lastRenderedPageBreak", "annotationRef", "footnoteRef", "endnoteRef", "commentReference"):
	case e.Is("br") && e.Attr("type") == "" && e.Attr("clear") == "":
	case e.Is("fldChar"):
		if e.First().Exists() {
			w.add("form field", w.doc.Canon(e))
		}
	case e.Is("footnoteReference", "endnoteReference"):
		kind := strings.TrimSuffix(e.Name(), "Reference")
		if w.noted { // a note that refers to a note
			w.add(kind, "")
			return
		}
		w.add(kind, w.note(w.doc.Story(kind+":"+e.Attr("id"))))
		if e.Attr("customMarkFollows") != "" {
			w.add(kind+" mark", e.Attr("customMarkFollows"))
		}
	case e.Is("m:oMath", "m:oMathPara"):
		w.add("formula", w.doc.Canon(e))
	default:
		w.add(w.object(e))
	}
}

// note is what a note says and how.
func (w *itemWalker) note(s *docx.Story) string {
	if s == nil {
		return "none"
	}
	if known, read := w.unsaid.notes[s]; read { // much may refer to one note
		return known
	}
	var b, details strings.Builder
	for _, p := range s.Paragraphs() {
		if p.Closest("txbxContent").Exists() {
			continue
		}
		one := w.portrait(w.doc, p)
		b.WriteString(one.whole() + " ")
		details.WriteString(" {" + one.style + one.list + one.look.String() + one.mark.String())
		key := ""
		for i, look := range one.looks {
			if look.key != key {
				details.WriteString(" " + strconv.Itoa(i) + ":" + look.key)
				key = look.key
			}
		}
		for _, i := range one.items {
			details.WriteString(" " + i.kind + i.value + strconv.Itoa(i.at))
		}
		details.WriteString("}")
	}
	w.unsaid.notes[s] = b.String() + details.String()
	return w.unsaid.notes[s]
}

// object is a picture, a box or another object: what can be read of it first.
func (w *itemWalker) object(e docx.Element) (kind, value string) {
	kind = e.Name()
	var text strings.Builder
	for c := range e.Descendants() {
		switch {
		case c.Is("txbxContent"):
			kind = "text box"
		case c.Is("a:blip", "v:imagedata") && kind != "text box":
			kind = "picture"
		case c.Is("t", "a:t"):
			text.WriteString(c.Chars())
		}
	}
	return kind, text.String() + w.doc.Canon(e)
}

// inline looks at an element around or between runs.
func (w *itemWalker) inline(c docx.Element) {
	switch {
	case c.Is("pPr", "rPr", "sdtPr", "sdtEndPr", "proofErr", "smartTagPr", "customXmlPr", "bookmarkEnd", "fldData", "lastRenderedPageBreak", "moveToRangeStart", "moveToRangeEnd", "moveFromRangeStart", "moveFromRangeEnd"):
		if c.Is("bookmarkEnd") {
			w.bookmark("end of bookmark", w.bookmarkName(c))
		}
	case c.Is("bookmarkStart"):
		w.bookmark("bookmark", c.Attr("name"))
	case c.Is("commentRangeStart"):
		w.add("comment", w.comment(c.Attr("id")))
	case c.Is("commentRangeEnd"):
	case c.Is("hyperlink"):
		target := c.Attr("anchor")
		if id := c.Attr("r:id"); id != "" {
			target = w.doc.Destination(c.Part().Name, id) + " " + target
		}
		w.add("link", strings.TrimSpace(target+" "+c.Attr("docLocation")))
		w.walk(c)
		w.add("end of link", "")
	case c.Is("sdt"):
		w.add("content control", w.doc.Canon(c.Child("sdtPr")))
		w.walk(c)
	case c.Is("bdo", "dir"):
		w.add("direction", c.Attr("val"))
		w.walk(c)
		w.add("end of direction", "")
	case c.Is("mc:AlternateContent"):
		w.add("content in two forms", w.doc.Canon(c))
		w.walk(c.Child("mc:Choice"))
	case c.Is("r", "ins", "moveTo", "smartTag", "customXml", "sdtContent", "fldSimple"):
		w.walk(c)
	case c.Is("del", "moveFrom"):
	default:
		w.add(c.Name(), w.doc.Canon(c))
	}
}

func (w *itemWalker) bookmark(kind, name string) {
	if w.linked[name] && name != "" {
		w.add(kind, name)
	}
}

// bookmarkName is the name of the bookmark that ends at e.
func (u *unsaid) bookmarkName(end docx.Element) string {
	names, known := u.ends[end.Part()]
	if !known {
		names = map[string]string{}
		for e := range end.Part().Root().Descendants() {
			if e.Is("bookmarkStart") {
				names[e.Attr("id")] = e.Attr("name")
			}
		}
		u.ends[end.Part()] = names
	}
	return names[end.Attr("id")]
}

// comment is who says what in a comment.
func (w *itemWalker) comment(id string) string {
	said, known := w.unsaid.comments[w.doc]
	if !known {
		said = map[string]string{}
		for _, m := range w.doc.Comments() {
			said[m.ID] = m.Author + ": " + m.Text
		}
		w.unsaid.comments[w.doc] = said
	}
	return cmp.Or(said[id], "none")
}
