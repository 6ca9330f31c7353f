package docx

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Story is a separate flow of text: the body, a header, a note.
type Story struct {
	// Key names it within the document: "body", "header:N" and "footer:N" (from
	// 1, in the natural order of their parts' names), "footnote:ID",
	// "endnote:ID".
	Key  string
	Root Element // holds the blocks

	paragraphs []*Paragraph
	columns    [][]*Paragraph
	beside     map[int32][2]Element // the blocks before and after each paragraph
	fields     []field
	walked     bool
}

// A Paragraph is a w:p with its canonical text: what a reader sees who looks at
// the document with changes shown and deletions hidden. Insertions are in,
// deletions out; fields show their results; a tab is \t, a line break \v, a page
// or column break \f, a no-break hyphen U+2011, a soft hyphen U+00AD; a note's
// reference, a drawing, an object and a formula are one U+FFFC each. Numbers of
// lists are no text. Offsets count code points.
type Paragraph struct {
	Element
	Story *Story
	Index int // among all w:p of the story in document order, cells and text boxes included

	leaves []leaf
	text   string
}

// A leaf is the smallest inline element with a position: a w:t, a tab, a drawing, a
// field character.
type leaf struct {
	item Element // the leaf itself
	run  Element // the w:r that holds it; none for a formula
	text string  // as it stands in the file; "" for what has no text

	// Its place in the canonical text; start = end for what is invisible.
	start, end int

	deleted bool // by somebody, in the file
	field   int  // the outermost field around it, from 1; 0 for none
	result  bool // it belongs to the result of that field
}

func (l *leaf) visible() bool { return l.end > l.start }

// A field is one that no other field surrounds.
type field struct {
	paragraph *Paragraph // where it begins
	first     int        // leaf in that paragraph
	last      int        // leaf that ends it; -1 when that is in another paragraph
}

// object replaces in text what is no text.
const object = "\uFFFC"

// Stories lists the body, headers, footers and notes. Notes that separate text
// from notes are none.
func (d *Document) Stories() []*Story { return d.stories }

// Story finds a story by its key, nil if there is none.
func (d *Document) Story(key string) *Story { return d.byKey[key] }

func (d *Document) readStories() error {
	d.stories = []*Story{{Key: "body", Root: d.main.Root().Child("body")}}
	relationships := d.Relationships(d.main.Name)
	for _, kind := range []string{"header", "footer"} {
		var names []string
		known := map[string]bool{}
		for _, r := range relationships {
			if r.Type == kind && !r.External && !known[r.Target] && d.entries[strings.ToLower(r.Target)] != nil {
				names, known[r.Target] = append(names, r.Target), true
			}
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
		for i, name := range names {
			part, err := d.Part(name)
			if err != nil {
				return err
			}
			if part != nil {
				d.stories = append(d.stories, &Story{Key: kind + ":" + strconv.Itoa(i+1), Root: part.Root()})
			}
		}
	}
	for _, kind := range []string{"footnote", "endnote"} {
		part, err := d.Part(d.target(d.main.Name, kind+"s"))
		if err != nil {
			return err
		}
		for e := range part.Root().Children() {
			if e.Is(kind) && !separates(e) {
				d.stories = append(d.stories, &Story{Key: kind + ":" + e.Attr("id"), Root: e})
			}
		}
	}
	d.byKey, d.byRoot = map[string]*Story{}, map[Element]*Story{}
	for _, s := range slices.Backward(d.stories) { // of two notes with one id the first counts
		d.byKey[s.Key], d.byRoot[s.Root] = s, s
	}
	_, err := d.Part(d.target(d.main.Name, "comments"))
	return err
}

// Paragraphs lists those of the story in document order.
func (s *Story) Paragraphs() []*Paragraph {
	if s.paragraphs == nil {
		for e := range s.Root.Descendants() {
			if e.Is("p") {
				s.paragraphs = append(s.paragraphs, &Paragraph{Element: e, Story: s, Index: len(s.paragraphs)})
			}
		}
	}
	return s.paragraphs
}

// Paragraph finds the one at index, nil outside the story.
func (s *Story) Paragraph(index int) *Paragraph {
	if all := s.Paragraphs(); index >= 0 && index < len(all) {
		return all[index]
	}
	return nil
}

// ParagraphOf finds the paragraph that is the element e.
func (s *Story) ParagraphOf(e Element) *Paragraph {
	i, found := slices.BinarySearchFunc(s.Paragraphs(), e.id, func(p *Paragraph, id int32) int { return cmp.Compare(p.id, id) })
	if !found || e.part != s.Root.part {
		return nil
	}
	return s.paragraphs[i]
}

// Columns lists the paragraphs in sequences in which each follows the other
// directly: a table ends one, every cell and text box begins another.
func (s *Story) Columns() [][]*Paragraph {
	if s.columns == nil {
		s.beside = map[int32][2]Element{}
		s.column(s.Root)
	}
	return s.columns
}

func (s *Story) column(container Element) {
	var now []*Paragraph
	var previous Element
	end := func() {
		if len(now) > 0 {
			s.columns = append(s.columns, now)
			now = nil
		}
	}
	for block := range Blocks(container) {
		s.beside[block.id] = [2]Element{previous, {}}
		if previous.Exists() {
			s.beside[previous.id] = [2]Element{s.beside[previous.id][0], block}
		}
		previous = block
		if block.Is("p") {
			now = append(now, s.ParagraphOf(block))
			s.boxes(block)
			continue
		}
		end()
		for row := range Rows(block) {
			for cell := range Cells(row) {
				s.column(cell)
			}
		}
	}
	end()
}

// boxes goes through the text boxes in a paragraph.
func (s *Story) boxes(p Element) {
	for e := p.First(); e.part != nil; e = e.Next() {
		if e.Is("txbxContent") {
			s.column(e)
		} else if e.node().child != 0 {
			s.boxes(e)
		}
	}
}

// Following is the block after p in its story or cell, none at the end.
func (s *Story) Following(p *Paragraph) Element { return p.following() }

// Text is the canonical text of the paragraph.
func (p *Paragraph) Text() string {
	p.Story.walk()
	return p.text
}

// Len is the length of the canonical text in code points.
func (p *Paragraph) Len() int { return utf8.RuneCountInString(p.Text()) }

// ID is the identifier that Word gave the paragraph, "" for none. It is not
// always unique.
func (p *Paragraph) ID() string { return p.Attr("w14:paraId") }

// Mark is the properties of the paragraph mark, w:pPr/w:rPr.
func (p *Paragraph) Mark() Element { return p.Child("pPr", "rPr") }

// MarkDeleted reports whether a revision of the file deletes the mark, which
// makes the paragraph run on into the next one.
func (p *Paragraph) MarkDeleted() bool {
	mark := p.Mark()
	return mark.Child("del").Exists() || mark.Child("moveFrom").Exists()
}

// A Piece is what one inline element gives to a paragraph's text.
type Piece struct {
	Item       Element // w:t, w:tab, w:drawing, w:fldChar, m:oMath, …
	Run        Element // the w:r around it, whose w:rPr formats it; none for a formula
	Text       string  // "" for what has none
	Start, End int     // in the canonical text of the paragraph
	Deleted    bool    // by a tracked change: its text is not canonical
	Field      int     // the field it belongs to, from 1 within the story; 0 for none
	Result     bool    // it is part of that field's result
}

// Pieces gives the inline content in order, hidden pieces included.
func (p *Paragraph) Pieces() iter.Seq[Piece] {
	p.Story.walk()
	return func(yield func(Piece) bool) {
		for i := range p.leaves {
			l := &p.leaves[i]
			if !yield(Piece{l.item, l.run, l.text, l.start, l.end, l.deleted, l.field, l.result}) {
				return
			}
		}
	}
}

// walk reads the inline content of all paragraphs, since a field may begin in
// one and end in another.
func (s *Story) walk() {
	if s.walked {
		return
	}
	s.walked = true
	if endless := s.read(nil); len(endless) > 0 {
		s.read(endless)
	}
}

// read reads the inline content of all paragraphs, and returns where fields begin that
// never end. A part of a program or a tracked change may have left them behind; Word
// hides all that follows, which nobody means. Those that are in none are read as if they
// were not there.
func (s *Story) read(none map[Element]bool) (endless map[Element]bool) {
	s.fields = []field{{}}
	open := map[int32]*walker{} // by the text box of the paragraphs
	for _, p := range s.Paragraphs() {
		box := p.Closest("txbxContent").id
		w := open[box]
		if w == nil {
			w = &walker{story: s, none: none}
			open[box] = w
		}
		p.leaves = nil
		w.paragraph(p)
	}
	endless = map[Element]bool{}
	for _, w := range open {
		for _, f := range w.nested {
			endless[f.begin] = true
		}
	}
	return endless
}

// A walker reads paragraphs that follow one another.
type walker struct {
	story *Story
	p     *Paragraph
	text  strings.Builder
	at    int

	none   map[Element]bool // the marks that begin no field
	nested []complexField   // those that are open, innermost last
	coded  int              // how many of them have not reached it
	field  int              // the outermost of them
	simple int              // fldSimple elements around
}

// A complexField is one between two marks.
type complexField struct {
	begin  Element
	result bool // it is reached
}

func (w *walker) paragraph(p *Paragraph) {
	w.p, w.at = p, 0
	w.text.Reset()
	w.inline(p.Element, Element{}, false)
	p.text = w.text.String()
}

// inline reads what is below e, which is or belongs to run where that exists.
func (w *walker) inline(e, run Element, deleted bool) {
	for c := e.First(); c.part != nil; c = c.Next() {
		switch name := c.name(); name {
		case "pPr", "rPr", "sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr", "fldData":
		case "r":
			w.inline(c, c, deleted)
		case "ins", "moveTo", "hyperlink", "smartTag", "customXml", "sdt", "sdtContent", "bdo", "dir":
			w.inline(c, run, deleted)
		case "del", "moveFrom":
			w.inline(c, run, true)
		case "fldSimple":
			w.begin()
			w.simple++
			w.inline(c, run, deleted)
			w.simple--
			w.finish()
		case "mc:AlternateContent":
			if run.Exists() {
				w.add(c, run, object, deleted)
				continue
			}
			branch := c.Child("mc:Choice")
			if !branch.Exists() {
				branch = c.Child("mc:Fallback")
			}
			w.inline(branch, run, deleted)
		default:
			w.leaf(c, run, name, deleted)
		}
	}
}

// leaf reads an element that holds no other inline content.
func (w *walker) leaf(c, run Element, name string, deleted bool) {
	switch name {
	case "t", "delText":
		w.add(c, run, textOf(c), deleted)
	case "tab", "ptab":
		w.add(c, run, "\t", deleted)
	case "br":
		switch c.Attr("type") {
		case "", "textWrapping":
			w.add(c, run, "\v", deleted)
		default:
			w.add(c, run, "\f", deleted)
		}
	case "cr":
		w.add(c, run, "\v", deleted)
	case "noBreakHyphen":
		w.add(c, run, "\u2011", deleted)
	case "softHyphen":
		w.add(c, run, "\u00AD", deleted)
	case "sym":
		w.add(c, run, symbolOf(c), deleted)
	case "footnoteReference", "endnoteReference", "drawing", "pict", "object", "ruby", "m:oMath", "m:oMathPara":
		w.add(c, run, object, deleted)
	case "fldChar":
		w.fieldChar(c, run, deleted)
	default:
		if run.Exists() {
			w.add(c, run, "", deleted)
		}
	}
}

func (w *walker) fieldChar(c, run Element, deleted bool) {
	switch c.Attr("fldCharType") {
	case "begin":
		if !w.none[c] {
			w.begin()
			w.nested = append(w.nested, complexField{begin: c})
			w.coded++
		}
		w.add(c, run, "", deleted)
	case "separate":
		if n := len(w.nested); n > 0 && !w.nested[n-1].result {
			w.nested[n-1].result = true
			w.coded--
		}
		w.add(c, run, "", deleted)
	case "end":
		w.add(c, run, "", deleted)
		if n := len(w.nested); n > 0 {
			if !w.nested[n-1].result {
				w.coded--
			}
			w.nested = w.nested[:n-1]
			w.finish()
		}
	default:
		w.add(c, run, "", deleted)
	}
}

// begin notes that a field begins, if none is open.
func (w *walker) begin() {
	if len(w.nested) == 0 && w.simple == 0 {
		w.story.fields = append(w.story.fields, field{paragraph: w.p, first: len(w.p.leaves), last: -1})
		w.field = len(w.story.fields) - 1
	}
}

// finish notes that a field has ended, if none around it is open.
func (w *walker) finish() {
	if len(w.nested) == 0 && w.simple == 0 {
		if f := &w.story.fields[w.field]; f.paragraph == w.p {
			f.last = len(w.p.leaves) - 1
		}
		w.field = 0
	}
}

func (w *walker) add(item, run Element, text string, deleted bool) {
	code := w.coded > 0
	l := leaf{item: item, run: run, text: text, start: w.at, end: w.at, deleted: deleted, field: w.field, result: w.field != 0 && !code}
	if text != "" && !deleted && !code {
		l.end += utf8.RuneCountInString(text)
		w.at = l.end
		for _, r := range text {
			if r == '\n' || r == '\r' {
				r = ' ' // as Word shows it; in canonical text it would end the paragraph
			}
			w.text.WriteRune(r)
		}
	}
	w.p.leaves = append(w.p.leaves, l)
}

// textOf is the text of a w:t or w:delText: without blanks around it where it
// does not say that they count.
func textOf(e Element) string {
	text := e.Chars()
	if e.Attr("xml:space") != "preserve" {
		text = strings.Trim(text, " \t\r\n")
	}
	return text
}

// symbolOf is the character of a w:sym, in its font's own encoding.
func symbolOf(e Element) string {
	n, err := strconv.ParseUint(e.Attr("char"), 16, 32)
	if err != nil || n > utf8.MaxRune || !IsXML(rune(n)) || n < ' ' {
		return object
	}
	return string(rune(n))
}

// Blocks gives the paragraphs ("p") and tables ("tbl") directly below a story's
// root, a cell, a text box or another container, looking through content
// controls and what else only wraps blocks.
func Blocks(container Element) iter.Seq[Element] {
	return func(yield func(Element) bool) { blocks(container, yield) }
}

func blocks(container Element, yield func(Element) bool) bool {
	for c := range container.Children() {
		switch {
		case c.Is("p", "tbl"):
			if !yield(c) {
				return false
			}
		case c.Is(wrappers...), c.Is("mc:AlternateContent", "mc:Choice"):
			if !blocks(c, yield) {
				return false
			}
		}
	}
	return true
}

// wrappers are the elements that stand around blocks and rows without being any.
var wrappers = []string{"sdt", "sdtContent", "customXml", "smartTag", "ins", "del", "moveFrom", "moveTo"}

// Rows gives the rows of a table, Cells the cells of a row, through what only
// wraps them.
func Rows(table Element) iter.Seq[Element] { return below(table, "tr") }

// Cells gives the cells of a row.
func Cells(row Element) iter.Seq[Element] { return below(row, "tc") }

func below(e Element, name string) iter.Seq[Element] {
	return func(yield func(Element) bool) { descend(e, name, yield) }
}

func descend(e Element, name string, yield func(Element) bool) bool {
	for c := range e.Children() {
		if c.Is(name) && !yield(c) || c.Is(wrappers...) && !descend(c, name, yield) {
			return false
		}
	}
	return true
}
