package office

import (
	"cmp"
	"context"
	"errors"
	"image"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// softPage is the length after which text without pages is cut, at the next end of a
// paragraph, or of a line if there is none: some 80 printed pages.
const softPage = 256 << 10

// A flow turns running text into pages: it cleans characters, separates lines
// and paragraphs, and keeps at most one page in memory.
type flow struct {
	ctx    context.Context
	limits format.Limits
	emit   func(format.Page) error
	indent bool          // blanks at the start of a line are kept
	whole  bool          // page breaks are ignored
	foot   func()        // writes what belongs at the end of a page, or nil
	origin layout.Origin // of what is written
	seen   *int          // tables, over all flows of a file
	hides  bool          // text that a reader does not see was met on the page

	text       strings.Builder
	length     int // code points in text
	paragraphs []format.Paragraph
	number     int  // pages emitted
	touched    bool // the page has text or a drawing

	gap   int    // line ends to write before the next character
	cells int    // cell boundaries to write before the next character
	blank string // blanks to write before the next character

	current *format.Paragraph // nil between paragraphs
	inside  bool              // current has text on this page
	fields  []format.Field    // of the page
	filled  []openField       // the open fields
	fresh   bool              // the next character begins a field
	face    face              // of what is written
	stands  []format.Emphasis // what stands out on the page
	before  int               // where the character before ends, on the page
	broken  bool              // the page ends before the next character, or where current does
	late    bool              // a page ended inside a paragraph, without what belongs at its end
	err     error             // sticky
}

func newFlow(ctx context.Context, limits format.Limits, emit func(format.Page) error) *flow {
	return &flow{ctx: ctx, limits: limits, emit: emit, seen: new(int)}
}

// aside makes the flow of a story of an origin that is written later. Its pages go to
// to; a page ends only when it is full.
func (f *flow) aside(origin layout.Origin, to *[]format.Page) *flow {
	a := newFlow(f.ctx, f.limits, func(p format.Page) error {
		*to = append(*to, p)
		return nil
	})
	a.whole, a.seen, a.origin = true, f.seen, origin
	return a
}

// field begins a field of a form, whose value is written until endField.
func (f *flow) field(name, kind string) {
	f.filled, f.fresh = append(f.filled, openField{format.FieldName(name), kind}), true
}

// openField is a field whose value is written.
type openField struct{ name, kind string }

func (f *flow) endField() { f.filled, f.fresh = f.filled[:max(0, len(f.filled)-1)], true }

// begin opens a paragraph that p describes; its text is what is written until end.
func (f *flow) begin(p format.Paragraph) {
	f.end()
	if p.Origin == layout.Content {
		p.Origin = f.origin // that of a replayed paragraph is its own
	}
	f.current = &p
	f.inside = false
}

// end closes the open paragraph, without a line end: see line and paragraph.
func (f *flow) end() {
	f.closeParagraph()
	f.current = nil
	if f.broken {
		f.broken = false
		f.pageBreak()
	}
}

func (f *flow) closeParagraph() {
	if f.current == nil || !f.inside {
		return
	}
	p := *f.current
	p.End = f.length
	f.paragraphs = append(f.paragraphs, p)
	f.inside, f.fresh = false, true
}

// line ends the line.
func (f *flow) line() {
	f.gap, f.blank, f.cells = max(f.gap, 1), "", 0
	f.cut(2)
}

// paragraph ends the line and leaves a blank one.
func (f *flow) paragraph() {
	f.gap, f.blank, f.cells = 2, "", 0
	f.cut(1)
}

// cut ends a page that has grown over so many times the soft limit.
func (f *flow) cut(times int) {
	if f.length >= times*min(softPage, f.limits.MaxText/4) {
		f.pageBreak()
	}
}

// cell marks the boundary between two cells of a row.
func (f *flow) cell() { f.cells, f.blank = min(f.cells+1, maxCells), "" }

// drawing notes that the page has something other than text.
func (f *flow) drawing() {
	f.release()
	f.touched = true
}

// pageBreak ends the page unless it is empty: a page break and the rendered break
// that it caused count as one.
func (f *flow) pageBreak() {
	switch {
	case !f.touched || f.whole:
	case f.inside:
		f.broken = true // what belongs at the end of the page must not part a paragraph
	default:
		f.footer()
		f.flush()
	}
}

// release ends the page if a break in the open paragraph waits for more of it.
func (f *flow) release() {
	if f.broken {
		f.broken, f.late = false, f.foot != nil
		f.flush()
	}
}

// afterParagraph writes what belongs at the end of a page that ended inside the
// paragraph before.
func (f *flow) afterParagraph() {
	if f.late {
		f.late = false
		f.footer()
	}
}

// footer writes what belongs at the end of the page. An open paragraph is closed
// before and opened again afterwards.
func (f *flow) footer() {
	if f.foot == nil {
		return
	}
	open, started := f.current, f.inside
	f.end()
	f.foot()
	f.end()
	if f.current = open; open != nil {
		open.Continued = open.Continued || started
	}
}

// writeIn is write, set in a face.
func (f *flow) writeIn(set face, s string) {
	f.face = set
	f.write(s)
	f.face = face{}
}

// write appends text to the open line.
func (f *flow) write(s string) {
	for i := 0; i < len(s); {
		if n := plain(s[i:]); n > 0 {
			f.putPlain(s[i : i+n])
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '\n' || r == '\v' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			f.gap, f.blank, f.cells = min(f.gap+1, 2), "", 0
		case r == '\u00ad' || r == '\ufeff' || r == '\ufffc':
			// A soft hyphen, a byte order mark and the placeholder of an object are
			// invisible.
		case unicode.IsSpace(r) && r != '\r' && r != '\f':
			if len(f.blank) < maxBlank {
				f.blank += string(r)
			}
		case unicode.IsControl(r) || format.NonCharacter(r):
		default:
			f.put(r)
		}
	}
}

// plain is how many visible ASCII characters a text begins with: most of most texts.
func plain(s string) (n int) {
	for n < len(s) && s[n] > ' ' && s[n] < 0x7f {
		n++
	}
	return n
}

// putPlain is put for each character of a word: at once where nothing but the text changes
// from one to the next.
func (f *flow) putPlain(word string) {
	f.put(rune(word[0]))
	rest := word[1:]
	if f.face == (face{}) && len(f.filled) == 0 && f.length+len(rest) < f.limits.MaxText-maxOwed {
		f.text.WriteString(rest)
		f.length += len(rest)
		f.before = f.length
		return
	}
	for _, r := range rest {
		f.put(r)
	}
}

// Bounds of the blanks and cells before a character, so that a page stays within its
// limit.
const (
	maxBlank = 400 // bytes of blanks
	maxCells = 400 // empty cells in a row
	maxOwed  = maxBlank + maxCells + 8
)

// put appends a visible character, after the line ends, cells and blanks before it.
func (f *flow) put(r rune) {
	f.release()
	if full := f.limits.MaxText - maxOwed; f.length > 0 && (f.length >= full || f.blank != "" && f.length >= full-full/8) {
		f.flush()
	}
	starts := f.length == 0
	if !starts && f.gap > 0 {
		f.append("\n\n"[:f.gap])
		starts = true
	}
	for ; f.cells > 0; f.cells-- {
		f.append("\t")
	}
	if f.blank != "" && (!starts || f.indent) {
		f.append(f.blank)
	}
	f.gap, f.blank = 0, ""
	if f.current != nil && !f.inside {
		f.current.Start, f.inside = f.length, true
	}
	if last := len(f.filled) - 1; last >= 0 && f.current != nil {
		if f.fresh || len(f.fields) == 0 {
			f.fields = append(f.fields, format.Field{Start: f.length, Name: f.filled[last].name, Kind: f.filled[last].kind})
		}
		f.fields[len(f.fields)-1].End, f.fresh = f.length+1, false
	}
	if f.face != (face{}) {
		f.stands = format.AddEmphasis(f.stands, format.Emphasis{Start: f.length, End: f.length + 1, Bold: f.face.bold, Italic: f.face.italic, Underline: f.face.underlined}, f.before)
	}
	f.text.WriteRune(r)
	f.length++
	f.before, f.touched = f.length, true
}

// face is the type that characters are set in.
type face struct{ bold, italic, underlined bool }

func (f *flow) append(s string) {
	f.text.WriteString(s)
	f.length += utf8.RuneCountInString(s)
}

// again writes a paragraph that an aside collected, with the fields in it.
func (f *flow) again(p format.Paragraph, content string, fields []format.Field) {
	text, at := []rune(content), 0
	start := p.Start
	f.begin(p)
	for _, field := range fields {
		from, to := field.Start-start, field.End-start
		f.write(string(text[at:from]))
		f.field(field.Name, field.Kind)
		f.write(string(text[from:to]))
		f.endField()
		at = to
	}
	f.write(string(text[at:]))
	f.end()
}

// replay writes text that an aside collected, with a label at its first paragraph.
func (f *flow) replay(pages []format.Page, label string) {
	for _, page := range pages {
		f.hides = f.hides || page.Reason == format.ReasonHidden
		text, position, fields := []rune(page.Text), 0, page.Fields
		for _, p := range page.Paragraphs {
			f.write(string(text[position:p.Start]))
			content := string(text[p.Start:p.End])
			position = p.End
			p.Number, label = cmp.Or(label, p.Number), ""
			for len(fields) > 0 && fields[0].Start < p.Start {
				fields = fields[1:]
			}
			within := 0
			for within < len(fields) && fields[within].End <= p.End {
				within++
			}
			f.again(p, content, fields[:within])
			fields = fields[within:]
		}
	}
}

// writeNote writes a note that an aside collected.
func (f *flow) writeNote(pages []format.Page, label string) {
	f.paragraph()
	f.replay(pages, label)
	f.paragraph()
}

// flush emits the page and starts the next one.
func (f *flow) flush() {
	if f.current != nil {
		started := f.inside
		f.closeParagraph()
		f.current.Continued = f.current.Continued || started
	}
	f.number++
	switch {
	case f.err != nil:
	case f.ctx.Err() != nil:
		f.err = f.ctx.Err()
	case f.number > f.limits.MaxPages:
		f.err = format.TooManyPages(f.limits)
	default:
		page := textPage(f.number, f.text.String(), f.paragraphs, f.fields)
		page.Emphasis = f.stands
		if f.hides {
			page.Reason, f.hides = format.ReasonHidden, false
		}
		f.err = f.emit(page)
	}
	f.text.Reset()
	f.length, f.paragraphs, f.fields, f.touched = 0, nil, nil, false
	f.stands, f.before = nil, 0
	f.gap, f.blank, f.cells = 0, "", 0
}

// finish emits the last page; a file without any text has one blank page.
func (f *flow) finish() error {
	f.end()
	f.footer()
	if f.touched || f.number == 0 {
		f.flush()
	}
	return f.err
}

// textPage makes a page from text without geometry.
func textPage(number int, text string, paragraphs []format.Paragraph, fields []format.Field) format.Page {
	page := format.Page{Page: layout.Page{Number: number, Text: text, Confidence: 100}, Reason: format.ReasonGood, Paragraphs: paragraphs, Fields: fields}
	if text == "" {
		page.Reason = format.ReasonBlank
		return page
	}
	position, start := 0, -1
	for _, r := range text {
		if space := unicode.IsSpace(r); space && start >= 0 {
			page.Words = append(page.Words, layout.Word{Start: start, End: position, Confidence: 100})
			start = -1
		} else if !space && start < 0 {
			start = position
		}
		position++
	}
	if start >= 0 {
		page.Words = append(page.Words, layout.Word{Start: start, End: position, Confidence: 100})
	}
	markOrigins(page)
	return page
}

// markOrigins gives words the origins of their paragraphs, and those of fields.
func markOrigins(page format.Page) {
	mark := func(words []layout.Word, start, end int, origin layout.Origin) []layout.Word {
		for len(words) > 0 && words[0].End <= start {
			words = words[1:]
		}
		for i := 0; i < len(words) && words[i].Start < end; i++ {
			words[i].Origin = origin
		}
		return words
	}
	words := page.Words
	for _, f := range page.Fields {
		words = mark(words, f.Start, f.End, layout.Field)
	}
	words = page.Words
	for i := range page.Paragraphs {
		if p := &page.Paragraphs[i]; p.Origin != layout.Content {
			words = mark(words, p.Start, p.End, p.Origin)
		}
	}
}

// A runningReader writes the text of a file to a flow.
type runningReader func(ctx context.Context, f *io.SectionReader, to *flow) error

// running is an opened file without geometry: text that is read from its start.
type running struct {
	path   string
	limits format.Limits
	read   runningReader
}

// openRunning makes an opener of a reader of running text.
func openRunning(read runningReader) format.Opener {
	return func(_ context.Context, path string, limits format.Limits) (format.File, error) {
		return &running{path: path, limits: limits, read: read}, nil
	}
}

// errEnough stops a reader after the last requested page.
var errEnough = errors.New("enough pages")

func (d *running) Extract(ctx context.Context, from, to int, each func(format.Page) error) error {
	f, size, err := format.OpenFile(d.path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := newFlow(ctx, d.limits, func(page format.Page) error {
		if page.Number < from {
			return nil
		}
		if page.Number > to {
			return errEnough
		}
		return each(page)
	})
	err = d.read(ctx, io.NewSectionReader(f, 0, size), out)
	if err == nil {
		err = out.finish()
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// Pages cannot be told without reading the whole text.
func (d *running) Pages() int { return 0 }

func (d *running) Render(context.Context, int, float64, bool) (format.Image, error) {
	return format.Image{}, fault.New(fault.Unsupported, "a file of this format has no pages to draw")
}

func (d *running) Draw(context.Context, int, int) (image.Image, error) {
	return nil, fault.New(fault.Unsupported, "a file of this format has no pages to draw")
}

func (d *running) Close() error { return nil }

// contextReader stops a long read once its context has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
