package sfdt

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/docx"
)

// A storyWriter turns the blocks of one story into blocks of the editor.
type storyWriter struct {
	*converter
	story   *docx.Story
	remarks bool // comments are written
	noted   bool // the next paragraph is the first of a note and shows its mark

	waiting []Inline    // what was between paragraphs and goes into the next one
	last    *[]Inline   // of the last paragraph
	open    []openField // fields that have begun, innermost last
	changes []string    // ids of the tracked changes around what is read
	into    *[]Inline   // the paragraph or content control that is written
}

// An openField is a field whose end was not met yet.
type openField struct{ result bool }

// write begins to read a story. Before that, the marks of fields and bookmarks without
// a partner must have been found.
func (c *converter) write(story *docx.Story) *storyWriter {
	c.pairFields(story.Root)
	c.pairBookmarks(story.Root)
	return &storyWriter{converter: c, story: story, remarks: true}
}

// pairFields finds the marks of complex fields that are complete: the editor shows
// nothing behind a field that never ends.
func (c *converter) pairFields(root docx.Element) {
	type begun struct{ begin, separate docx.Element }
	stacks := map[docx.Element][]begun{} // each text box has its own
	for e := range root.Descendants() {
		if !e.Is("fldChar") {
			continue
		}
		box := e.Closest("txbxContent")
		stack := stacks[box]
		n := len(stack)
		switch e.Attr("fldCharType") {
		case "begin":
			stack = append(stack, begun{begin: e})
		case "separate":
			if n > 0 && !stack[n-1].separate.Exists() {
				stack[n-1].separate = e
			}
		case "end":
			if n > 0 {
				c.fields[stack[n-1].begin], c.fields[e] = true, true
				if stack[n-1].separate.Exists() {
					c.fields[stack[n-1].separate] = true
				}
				stack = stack[:n-1]
			}
		}
		stacks[box] = stack
	}
}

// pairBookmarks names the ends of bookmarks after their starts. Of two with one
// name the first is kept.
func (c *converter) pairBookmarks(root docx.Element) {
	starts := map[string]docx.Element{}
	for e := range root.Descendants() {
		switch {
		case e.Is("bookmarkStart"):
			starts[e.Attr("id")] = e
		case e.Is("bookmarkEnd"):
			start := starts[e.Attr("id")]
			name := start.Attr("name")
			if name == "" || c.bookmarked[name] {
				continue
			}
			c.bookmarked[name] = true
			c.bookmarks[start], c.bookmarks[e] = name, name
		}
	}
}

// all is the whole of a container: at least one paragraph.
func (w *storyWriter) all(container docx.Element) []Block {
	blocks := atLeastOne(w.blocks(container))
	w.finish(blocks)
	return blocks
}

// finish puts what was behind the last paragraph into it.
func (w *storyWriter) finish(blocks []Block) {
	if len(w.waiting) == 0 {
		return
	}
	if w.last == nil && len(blocks) > 0 {
		w.last = blocks[len(blocks)-1].Inlines
	}
	if w.last != nil {
		*w.last = append(*w.last, w.waiting...)
	}
	w.waiting = nil
}

func (w *storyWriter) blocks(container docx.Element) []Block {
	var blocks []Block
	for e := range container.Children() {
		blocks = w.block(blocks, e)
	}
	return blocks
}

// block appends what e gives: one block, several where it is a wrapper, none
// where it is something else.
func (w *storyWriter) block(blocks []Block, e docx.Element) []Block {
	switch e.Name() {
	case "p":
		return append(blocks, w.paragraph(e))
	case "tbl":
		if table, ok := w.table(e); ok {
			return append(blocks, table)
		}
		return blocks
	case "sdt":
		inner := w.blocks(e.Child("sdtContent"))
		if control := w.control(e); control != nil && simple(inner) {
			return append(blocks, Block{Control: control, Blocks: inner})
		}
		return append(blocks, inner...)
	case "customXml", "smartTag", "ins", "del", "moveFrom", "moveTo", "mc:Choice", "mc:Fallback":
		return append(blocks, w.blocks(e)...)
	case "mc:AlternateContent":
		return append(blocks, w.blocks(branch(e))...)
	case "m:oMathPara", "m:oMath":
		return append(blocks, w.formula(e))
	default:
		w.into = &w.waiting
		w.marker(e)
		return blocks
	}
}

// simple reports whether the editor can put a control around blocks.
func simple(blocks []Block) bool {
	return len(blocks) > 0 && !slices.ContainsFunc(blocks, func(b Block) bool { return b.Inlines == nil })
}

// branch is the part of an AlternateContent that is shown.
func branch(e docx.Element) docx.Element {
	if choice := e.Child("mc:Choice"); choice.Exists() {
		return choice
	}
	return e.Child("mc:Fallback")
}

// formula is a formula between paragraphs.
func (w *storyWriter) formula(e docx.Element) Block {
	b := emptyParagraph()
	w.into, w.last = b.Inlines, b.Inlines
	w.inline(e, docx.Element{}, nil)
	return b
}

func (w *storyWriter) paragraph(e docx.Element) Block {
	properties := e.Child("pPr")
	format := paragraphFormat(properties)
	if name, known := w.styleNames[properties.Child("pStyle").Attr("val")]; known {
		format.StyleName = name
	} else {
		format.StyleName = normalStyle
	}
	format.ListFormat = w.listFormat(properties.Child("numPr"))
	b := Block{ParagraphFormat: format, CharacterFormat: w.format(properties.Child("rPr")), Inlines: &[]Inline{}, source: w.story.ParagraphOf(e)}
	if marks := w.marks(properties.Child("rPr")); len(marks) > 0 {
		mark := CharacterFormat{}
		if b.CharacterFormat != nil {
			mark = *b.CharacterFormat
		}
		mark.RevisionIDs = marks
		b.CharacterFormat = &mark
	}
	*b.Inlines = append(*b.Inlines, w.waiting...)
	w.waiting = nil
	w.into, w.last = b.Inlines, b.Inlines
	if breaks := properties.Child("pageBreakBefore"); breaks.On() && !w.noted {
		w.text(pageBreak, nil)
	}
	if w.noted {
		w.noted = false
		w.text(noteMark, &CharacterFormat{BaselineAlignment: "Superscript"})
	}
	w.inlines(e)
	return b
}

// The characters that the editor reads as something else.
const (
	noteMark    = "\u0002" // the number of the note that the text belongs to
	pageBreak   = "\f"
	columnBreak = "\u000e"
	lineBreak   = "\v"
)

// format reads a w:rPr, once for all runs that have the same. Runs without
// properties have none.
func (c *converter) format(e docx.Element) *CharacterFormat {
	if !e.Exists() {
		return nil
	}
	key := string(e.Raw())
	if f, known := c.formats[key]; known {
		return f
	}
	f := c.characterFormat(e)
	if name, known := c.styleNames[e.Child("rStyle").Attr("val")]; known {
		f.StyleName = name
	}
	c.formats[key] = f
	return f
}

func (w *storyWriter) inlines(container docx.Element) {
	for e := range container.Children() {
		w.inline(e, docx.Element{}, nil)
	}
}

// inline reads e, which is or belongs to run where that exists.
func (w *storyWriter) inline(e, run docx.Element, format *CharacterFormat) {
	switch name := e.Name(); name {
	case "pPr", "rPr", "sdtPr", "sdtEndPr":
	case "r":
		format := w.format(e.Child("rPr"))
		for c := range e.Children() {
			w.inline(c, e, format)
		}
	case "ins", "del", "moveFrom", "moveTo":
		if id := w.revision(e); id != "" {
			w.changes = append(slices.Clip(w.changes), id)
			w.inlines(e)
			w.changes = w.changes[:len(w.changes)-1]
			return
		}
		w.inlines(e)
	case "smartTag", "customXml", "bdo", "dir", "sdtContent":
		w.inlines(e)
	case "sdt":
		w.inlineControl(e)
	case "hyperlink":
		w.hyperlink(e)
	case "fldSimple":
		w.simpleField(e)
	case "mc:AlternateContent":
		for c := range branch(e).Children() {
			w.inline(c, run, format)
		}
	default:
		w.content(e, format)
	}
}

// content reads an element that holds no inlines.
func (w *storyWriter) content(e docx.Element, format *CharacterFormat) {
	switch e.Name() {
	case "t", "delText":
		if !w.inCode() {
			w.text(textOf(e), format)
		}
	case "instrText", "delInstrText":
		if w.inCode() {
			w.text(e.Chars(), format)
		}
	case "fldChar":
		if w.fields[e] {
			w.fieldChar(e.Attr("fldCharType"), format)
		}
	case "tab", "ptab":
		w.text("\t", format)
	case "br":
		w.lineEnd(e, format)
	case "cr":
		w.add(Inline{Text: new(lineBreak), BreakClearType: "None", CharacterFormat: format})
	case "noBreakHyphen":
		w.text("\u2011", format)
	case "softHyphen":
		w.text("\u00ad", format)
	case "sym":
		w.symbol(e, format)
	case "footnoteReference", "endnoteReference":
		w.noteReference(e, format)
	case "drawing", "pict", "object":
		w.drawing(e)
	case "ruby":
		for c := range e.Child("rubyBase").Children() {
			w.inline(c, docx.Element{}, format)
		}
	case "m:t":
		w.text(e.Chars(), format)
	default:
		if strings.HasPrefix(e.Name(), "m:") {
			w.inlines(e)
		} else {
			w.marker(e)
		}
	}
}

// textOf is the text of a w:t: without blanks around it where it does not say
// that they count.
func textOf(e docx.Element) string {
	text := e.Chars()
	if e.Attr("xml:space") != "preserve" {
		text = strings.Trim(text, " \t\r\n")
	}
	return lineEnds.Replace(text)
}

// lineEnds makes blanks of the line ends in a text node, which mean no more.
var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// text writes text. A tab is an inline of its own; text in the same format as the
// inline before is joined to it.
func (w *storyWriter) text(text string, format *CharacterFormat) {
	for text != "" {
		piece, rest, tabbed := strings.Cut(text, "\t")
		text = rest
		if piece != "" {
			w.plain(piece, format)
		}
		if tabbed {
			w.add(Inline{Text: new("\t"), CharacterFormat: format})
		}
	}
}

func (w *storyWriter) plain(text string, format *CharacterFormat) {
	if n := len(*w.into); n > 0 {
		before := &(*w.into)[n-1]
		if before.Text != nil && joins(*before.Text) && joins(text) && before.BreakClearType == "" && before.CharacterFormat == format &&
			slices.Equal(before.RevisionIDs, w.changes) {
			joined := *before.Text + text
			before.Text = &joined
			return
		}
	}
	w.add(Inline{Text: &text, CharacterFormat: format})
}

// joins reports whether text is not one of the characters that have an inline of their
// own.
func joins(text string) bool {
	return !slices.Contains([]string{"\t", noteMark, pageBreak, columnBreak}, text)
}

func (w *storyWriter) add(i Inline) {
	i.RevisionIDs = w.changes
	*w.into = append(*w.into, i)
}

func (w *storyWriter) lineEnd(e docx.Element, format *CharacterFormat) {
	switch e.Attr("type") {
	case "page":
		w.text(pageBreak, format)
	case "column":
		w.text(columnBreak, format)
	default:
		clear := "None"
		switch e.Attr("clear") {
		case "left":
			clear = "Left"
		case "right":
			clear = "Right"
		case "all":
			clear = "All"
		}
		w.add(Inline{Text: new(lineBreak), BreakClearType: clear, CharacterFormat: format})
	}
}

// symbol writes a character of a font that has its own encoding.
func (w *storyWriter) symbol(e docx.Element, format *CharacterFormat) {
	n, err := strconv.ParseUint(e.Attr("char"), 16, 32)
	if err != nil || n < ' ' || !utf8.ValidRune(rune(n)) { //nolint:gosec // ValidRune refuses what does not fit
		return
	}
	shown := CharacterFormat{}
	if format != nil {
		shown = *format
	}
	font := e.Attr("font")
	shown.FontFamily, shown.FontFamilyASCII, shown.FontFamilyOther = font, font, font
	w.text(string(rune(n)), &shown)
}

func (w *storyWriter) noteReference(e docx.Element, format *CharacterFormat) {
	kind := strings.TrimSuffix(e.Name(), "Reference")
	blocks := w.note(kind, e.Attr("id"))
	if blocks == nil {
		return // no such note, or it is somewhere else already
	}
	mark := CharacterFormat{}
	if format != nil {
		mark = *format
	}
	mark.BaselineAlignment = "Superscript"
	w.add(Inline{NoteType: strings.ToUpper(kind[:1]) + kind[1:], CharacterFormat: &mark, Blocks: blocks})
}

// inCode reports whether the code of a field is read, which is not shown.
func (w *storyWriter) inCode() bool {
	return slices.ContainsFunc(w.open, func(f openField) bool { return !f.result })
}

// The begin, separator and end marks of fields.
const (
	fieldBegins    = 0
	fieldEnds      = 1
	fieldSeparates = 2
)

func (w *storyWriter) fieldChar(kind string, format *CharacterFormat) {
	n := len(w.open)
	switch {
	case kind == "begin":
		w.open = append(w.open, openField{})
		w.add(Inline{FieldType: new(fieldBegins), HasFieldEnd: true, CharacterFormat: format})
	case kind == "separate" && n > 0:
		w.open[n-1].result = true
		w.add(Inline{FieldType: new(fieldSeparates), CharacterFormat: format})
	case kind == "end" && n > 0:
		w.open = w.open[:n-1]
		w.add(Inline{FieldType: new(fieldEnds), CharacterFormat: format})
	}
}

// field writes a whole field whose result is what within writes.
func (w *storyWriter) field(code string, within func()) {
	w.fieldChar("begin", nil)
	w.text(code, nil)
	w.fieldChar("separate", nil)
	within()
	w.fieldChar("end", nil)
}

func (w *storyWriter) simpleField(e docx.Element) {
	w.field(e.Attr("instr"), func() { w.inlines(e) })
}

// hyperlink writes a link as the field that it once was.
func (w *storyWriter) hyperlink(e docx.Element) {
	code := ""
	if target := w.relation(e, e.Attr("r:id")); target.External && target.Target != "" {
		code = ` HYPERLINK "` + quoted.Replace(target.Target) + `" `
	} else if mark := e.Attr("anchor"); mark != "" {
		code = ` HYPERLINK \l "` + quoted.Replace(mark) + `" `
	}
	if code == "" || w.inCode() {
		w.inlines(e)
		return
	}
	w.field(code, func() { w.inlines(e) })
}

// quoted keeps a quotation mark from ending the address.
var quoted = strings.NewReplacer(`"`, "%22", "\n", "", "\r", "")

// marker reads what has a place and no width: the begin and end of bookmarks and
// comments.
func (w *storyWriter) marker(e docx.Element) {
	switch e.Name() {
	case "bookmarkStart", "bookmarkEnd":
		if name := w.bookmarks[e]; name != "" {
			kind := 0
			if e.Is("bookmarkEnd") {
				kind = 1
			}
			*w.into = append(*w.into, Inline{BookmarkType: &kind, Name: name})
		}
	case "commentRangeStart", "commentRangeEnd", "commentReference":
		at := w.comments[e.Attr("id")]
		if at == nil || !w.remarks {
			return
		}
		ids := append([]string{e.Attr("id")}, at.answers...)
		for _, border := range []struct {
			at   docx.Element
			kind int
		}{{at.start, 0}, {at.end, 1}} {
			if border.at != e {
				continue
			}
			for _, id := range ids {
				*w.into = append(*w.into, Inline{CommentType: new(border.kind), CommentID: commentID(id)})
			}
		}
	}
}
