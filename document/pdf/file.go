package pdf

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"unicode"

	"github.com/tetratelabs/wazero/api"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// Engine opens PDFs, compiling pdfium for the first one.
type Engine struct {
	CacheDir string
	runtime  *pdfiumRuntime
	instance *pdfium
	opened   uint32 // documents so far; names the next one's source
	inUse    int    // documents that live in the instance
}

// fresh returns an instance for another document. It is a new one if the last one
// trapped or grew too large, unless documents are open in it.
func (e *Engine) fresh(ctx context.Context) (*pdfium, error) {
	if e.runtime == nil {
		// Not the request's context: the runtime outlives it.
		runtime, err := newPDFiumRuntime(context.WithoutCancel(ctx), e.CacheDir)
		if err != nil {
			return nil, err
		}
		e.runtime = runtime
		debug.FreeOSMemory() // compiling leaves 300 MB behind
	}
	if p := e.instance; p != nil && e.inUse == 0 && (p.err != nil || p.memory.Size() > pdfiumRecycle) {
		e.Drop()
	}
	if e.instance == nil {
		instance, err := e.runtime.start(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		e.instance = instance
	}
	return e.instance, nil
}

// Warm compiles pdfium, or finds it compiled, before there is a document.
func (e *Engine) Warm(ctx context.Context) error {
	_, err := e.fresh(ctx)
	return err
}

// Drop frees the instance's memory. No call may follow: compiled code does not check
// whether its memory still exists.
func (e *Engine) Drop() {
	if e.instance != nil {
		e.instance.err = errDropped
		_ = e.instance.module.Close(e.instance.ctx) // only its memory is of interest
		e.instance = nil
	}
}

var errDropped = errors.New("pdfium was stopped")

// file is an open PDF.
type file struct {
	engine *Engine
	limits format.Limits
	bytes  *os.File
	size   int64 // of contents
	count  int

	contents io.ReaderAt // bytes, or what they were repaired to

	password string // "" for most

	structure *structure // nil until a page is taken for a scan

	flat map[int]bool // pages whose overlays are part of their content by now

	forms, formInfo uint64 // what knows the fields of the document, and its settings; 0 until they are asked for
	listed, options int    // fields, and entries of lists, so far

	p        *pdfium
	source   uint32 // key of bytes in the runtime's sources
	access   uint32 // FPDF_FILEACCESS
	document uint32 // FPDF_DOCUMENT
}

// The engine's error codes for a document that does not open.
const (
	pdfiumErrorPassword = 4
	pdfiumErrorSecurity = 5
)

// Open is a format.Opener.
func (e *Engine) Open(ctx context.Context, path string, limits format.Limits) (format.File, error) {
	d, err := e.openPDF(ctx, path, "", limits)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (e *Engine) openPDF(ctx context.Context, path, password string, limits format.Limits) (*file, error) {
	f, size, err := format.OpenFile(path)
	if err != nil {
		return nil, err
	}
	d := &file{engine: e, limits: limits, bytes: f, contents: f, size: size, password: password}
	if err = d.load(ctx); d.damaged(err) {
		err = d.loadRepaired(ctx, err)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// damaged reports whether the engine cannot open a file, or does not find its first page.
func (d *file) damaged(err error) bool {
	if err != nil {
		return fault.CodeOf(err) == fault.CorruptFile && d.p.err == nil
	}
	return d.p.call(d.p.pageSize, uint64(d.document), 0, uint64(d.p.out)) == 0 && d.p.err == nil
}

// loadRepaired loads the file again with sound contents, if they can be made. One that opened
// as it was, without its first page, is loaded as it was where the repair does not open.
func (d *file) loadRepaired(ctx context.Context, err error) error {
	contents, size := d.contents, d.size
	if !d.repair() {
		return err
	}
	again := d.load(ctx)
	if again == nil || err != nil {
		return again
	}
	d.unload()
	d.contents, d.size = contents, size
	return d.load(ctx)
}

// repair makes sound contents of the file, if that can be done.
func (d *file) repair() bool {
	if d.size > maxRepaired {
		return false
	}
	data := make([]byte, d.size)
	if n, _ := d.bytes.ReadAt(data, 0); n < len(data) {
		return false
	}
	if data = repair(data); data == nil {
		return false
	}
	d.unload()
	d.contents, d.size = bytes.NewReader(data), int64(len(data))
	return true
}

// load gives the document to an engine instance.
func (d *file) load(ctx context.Context) error {
	p, err := d.engine.fresh(ctx)
	if err != nil {
		return err
	}
	d.p, d.flat = p, map[int]bool{}
	d.engine.inUse++
	d.engine.opened++
	d.source = d.engine.opened
	d.engine.runtime.sources[d.source] = &blockReader{r: d.contents}
	d.access = uint32(p.call(p.createAccess, uint64(d.size), uint64(d.source)))
	d.document = uint32(p.withText(d.password, func(password uint64) uint64 { return p.call(p.load, uint64(d.access), password) }))
	if d.document == 0 {
		reason := p.call(p.lastError)
		if p.err == nil && (reason == pdfiumErrorPassword || reason == pdfiumErrorSecurity) {
			return fault.File(fault.PasswordProtected, "the file is protected by a password; unlock it with the password, or upload it without one", nil)
		}
		return fault.File(fault.CorruptFile, "the file is not a readable PDF", p.err)
	}
	d.count = int(int32(p.call(p.countPages, uint64(d.document))))
	switch {
	case p.err != nil:
		return fault.File(fault.CorruptFile, "the file is not a readable PDF", p.err)
	case d.count <= 0:
		return fault.File(fault.EmptyFile, "the PDF has no pages", nil)
	case d.count > d.limits.MaxPages:
		return format.TooManyPages(d.limits)
	}
	return nil
}

func (d *file) Pages() int { return d.count }

// unload closes the document in the engine; the file stays open.
func (d *file) unload() {
	if d.p == nil {
		return
	}
	if d.formInfo != 0 {
		d.p.call(d.p.exitForms, d.forms) // which may be 0
		d.p.call(d.p.free, d.formInfo)
		d.forms, d.formInfo = 0, 0
	}
	if d.document != 0 {
		d.p.call(d.p.closeDocument, uint64(d.document))
	}
	d.p.call(d.p.free, uint64(d.access))
	delete(d.engine.runtime.sources, d.source)
	d.engine.inUse--
	d.p, d.document = nil, 0
}

func (d *file) Close() error {
	d.unload()
	return d.bytes.Close()
}

// ready ensures a working instance: after a trap, or when a page has made the instance
// too large, the document moves to a new one.
func (d *file) ready(ctx context.Context) error {
	if d.p != nil && d.p.err == nil && d.p.memory.Size() <= pdfiumRecycle {
		return nil
	}
	d.unload()
	return d.load(ctx)
}

// Extract delivers an unreadable page as an empty one that is marked as such, so that
// one broken page does not affect the others.
func (d *file) Extract(ctx context.Context, from, to int, each func(format.Page) error) error {
	for number := max(from, 1); number <= min(to, d.count); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.flat[number] { // what is filled in could not be told from what is printed
			d.unload()
		}
		if err := d.ready(ctx); err != nil {
			return err
		}
		page := d.readPage(number)
		if number == 1 && d.p.err == nil {
			d.form(&page)
		}
		if d.p.err != nil || !displayable(page.Width) || !displayable(page.Height) {
			page = format.Unreadable(number)
		}
		if err := each(page); err != nil {
			return err
		}
	}
	return nil
}

// displayable reports whether a page can have this width or height, in points: more
// than zero, less than a kilometre, and not NaN.
func displayable(points float32) bool { return points >= 1 && points < 3e6 }

// readPage reads one page. It is void if the engine trapped on the way, and
// without size if the page does not load.
func (d *file) readPage(number int) format.Page {
	p := d.p
	handle := p.call(p.loadPage, uint64(d.document), uint64(number-1))
	if handle == 0 {
		return format.Page{}
	}
	defer func() { p.call(p.closePage, handle) }()

	view := p.view(handle)
	page := format.Page{Page: layout.Page{Number: number, Width: view.width, Height: view.height, Confidence: 100}}
	glyphs := p.glyphs(handle, view, d.limits.MaxText)
	lines := splitLines(glyphs)
	overlays, drawn, whole := d.overlays(handle, view)
	if len(overlays) > 0 {
		over := ticked(d.overlaid(handle, number, view), overlays)
		lines, glyphs = merge(lines, splitLines(over), overlays), append(glyphs, over...)
		p.call(p.closePage, handle)
		handle = p.call(p.loadPage, uint64(d.document), uint64(number-1)) // with all that it shows
	}
	content := p.content(handle, view)
	content.rules = append(content.rules, drawn...)
	underline(lines, content.rules)
	usual := usualLeading(lines)
	page.Fields = d.list(assemble(&page, tabulate(lines, content.rules, number), usual), overlays)
	var images, words float32
	own := 0 // words that are not filled in
	for _, i := range content.images {
		images += area(i.box)
	}
	for _, w := range page.Words {
		words += area(w.Box)
		if w.Origin == layout.Content {
			own++
		}
	}
	page.ImageArea, page.TextArea = view.share(images), view.share(words)
	page.Reason = judge(page.Text, own, page.ImageArea, count(glyphs), content)
	if page.Reason == format.ReasonNoText && len(content.images) == 0 && p.blank(handle, view, content.rules) {
		page.Reason = format.ReasonBlank
	}
	if !whole {
		page.Reason = format.ReasonAnnotations
	}
	page.NeedsOCR = page.Reason.NeedsOCR()
	return page
}

// view maps a page's own coordinates, which may be turned and cropped and grow
// upwards, to the page as displayed.
type view struct {
	left, bottom, right, top float32 // of the visible part, in the page's coordinates
	rotation                 int     // quarter turns clockwise
	width, height            float32 // as displayed
}

func (p *pdfium) view(page uint64) view {
	p.call(p.pageBounds, page, uint64(p.out))
	r := p.floats(4) // FS_RECTF: left, top, right, bottom
	v := view{left: r[0], top: r[1], right: r[2], bottom: r[3]}
	v.rotation = int(p.call(p.pageRotation, page)) & 3
	v.width, v.height = v.right-v.left, v.top-v.bottom
	if v.rotation&1 == 1 {
		v.width, v.height = v.height, v.width
	}
	return v
}

// box maps a rectangle, cut to what is visible.
func (v view) box(left, bottom, right, top float32) layout.Box {
	b := v.place(left, bottom, right, top)
	return layout.Box{
		X0: within(b.X0, v.width), Y0: within(b.Y0, v.height),
		X1: within(b.X1, v.width), Y1: within(b.Y1, v.height),
	}
}

// place maps a rectangle, which may reach beyond the edges.
func (v view) place(left, bottom, right, top float32) layout.Box {
	switch v.rotation {
	case 0:
		return layout.Box{X0: left - v.left, Y0: v.top - top, X1: right - v.left, Y1: v.top - bottom}
	case 1:
		return layout.Box{X0: bottom - v.bottom, Y0: left - v.left, X1: top - v.bottom, Y1: right - v.left}
	case 2:
		return layout.Box{X0: v.right - right, Y0: bottom - v.bottom, X1: v.right - left, Y1: top - v.bottom}
	default:
		return layout.Box{X0: v.top - top, Y0: v.right - right, X1: v.top - bottom, Y1: v.right - left}
	}
}

// orientation returns how m, which maps the unit square of an image to the page,
// rotates and mirrors the displayed image; 0 if not by right angles.
func (v view) orientation(m matrix) raster.Orientation {
	right, down := v.direction(m[0], m[1]), v.direction(-m[2], -m[3])
	if right == slanted || down == slanted {
		return 0
	}
	// By where the image's right side and its lower side are displayed: right,
	// left, below, above.
	return [4][4]raster.Orientation{
		{0, 0, 1, 4},
		{0, 0, 2, 3},
		{5, 6, 0, 0},
		{8, 7, 0, 0},
	}[right][down]
}

// slanted is any direction other than the four.
const slanted = -1

// direction is where a vector on the page points to as displayed: 0 right, 1
// left, 2 down, 3 up.
func (v view) direction(x, y float32) int {
	switch v.rotation {
	case 0:
		y = -y
	case 1:
		x, y = y, x
	case 2:
		x = -x
	default:
		x, y = -y, -x
	}
	const straight = 1000 // to one: less than three pixels on a page
	switch {
	case x > straight*max(y, -y):
		return 0
	case -x > straight*max(y, -y):
		return 1
	case y > straight*max(x, -x):
		return 2
	case -y > straight*max(x, -x):
		return 3
	default:
		return slanted
	}
}

func area(b layout.Box) float32 { return (b.X1 - b.X0) * (b.Y1 - b.Y0) }

// share is the part of the page that area covers, at most all of it: where
// boxes overlap, their areas may add up to more.
func (v view) share(area float32) float32 {
	if v.width*v.height <= 0 {
		return 0
	}
	return min(area/(v.width*v.height), 1)
}

// within clamps x to 0..limit; NaN becomes 0.
func within(x, limit float32) float32 {
	if !(x > 0) {
		return 0
	}
	return min(x, limit)
}

// glyphs reads the page's characters, at most limit.
func (p *pdfium) glyphs(page uint64, v view, limit int) []glyph {
	text := p.call(p.loadText, page)
	if text == 0 {
		return nil
	}
	defer p.call(p.closeText, text)
	n := min(int(int32(p.call(p.countChars, text))), limit)
	if n <= 0 {
		return nil
	}
	glyphs := make([]glyph, n)
	faces := typefaces{p: p, text: text, fonts: map[uint64]typeface{}}
	var face typeface
	inside, named := false, false // a word, with a letter
	for i := range glyphs {
		r := rune(p.call(p.unicode, text, uint64(i)))
		if (r == '\r' || r == '\n') && p.isDrawn(text, i) {
			r = unicode.ReplacementChar // whose font does not say what it is
		}
		glyphs[i].r = r
		if unicode.IsSpace(r) {
			inside, named = false, false
		} else if letter := unicode.IsLetter(r) || unicode.IsDigit(r); !inside || letter && !named {
			face, inside, named = faces.at(i), true, letter
		}
		if r == '\r' || r == '\n' {
			continue
		}
		glyphs[i].face = face
		p.call(p.looseBox, text, uint64(i), uint64(p.out))
		b := p.floats(4) // FS_RECTF: left, top, right, bottom
		glyphs[i].box = v.box(b[0], b[3], b[2], b[1])
	}
	order(glyphs)
	mend(glyphs)
	return glyphs
}

// isDrawn reports whether a line end is a letter of the page nevertheless: the engine adds the
// ends of lines by itself, and only a font of the file's own can have a letter in their place.
func (p *pdfium) isDrawn(text uint64, i int) bool {
	object := p.call(p.textObject, text, uint64(i))
	if object == 0 || p.call(p.isGenerated, text, uint64(i)) != 0 || p.call(p.isEmbedded, p.call(p.objectFont, object)) != 1 {
		return false
	}
	out := uint64(p.out) // four doubles: left, right, bottom, top
	if p.call(p.tightBox, text, uint64(i), out, out+8, out+16, out+24) == 0 {
		return false
	}
	b, _ := p.memory.Read(p.out, 32)
	at := func(n int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*n:])) }
	return at(1) > at(0) && at(3) > at(2)
}

// content is what a page draws beside and beneath its text.
type content struct {
	texts     int          // text objects
	invisible int          // of these, drawn without colour, as OCR programs do beneath a scan
	drawings  int          // paths and shadings
	images    []placed     // with the part of the page they cover
	rules     []layout.Box // thin lines, upright or level
}

// placed is where an image stands on its page and what it holds.
type placed struct {
	object        uint64
	box           layout.Box         // what is visible of it
	full          layout.Box         // all of it
	turn          raster.Orientation // how its samples are to be turned for display; 0 if not by right angles
	width, height int                // samples
}

// The engine's kinds of page object.
const (
	objectText  = 1
	objectPath  = 2
	objectImage = 3
	objectForm  = 5
)

// Bounds of the walk over a page's objects. Forms nest. Maps have hundreds of
// thousands of paths, of which the first few are enough.
const (
	maxObjects   = 100_000
	maxFormDepth = 8
)

// renderInvisible is the text render mode that draws nothing.
const renderInvisible = 3

func (p *pdfium) content(page uint64, v view) content {
	var c content
	left := maxObjects
	p.walk(&c, v, page, p.countObjects, p.object, identity, maxFormDepth, &left)
	return c
}

// walk visits the objects of a page or form; place maps the coordinates of the
// form to those of the page.
func (p *pdfium) walk(c *content, v view, container uint64, count, get api.Function, place matrix, depth int, left *int) {
	n := int(int32(p.call(count, container)))
	for i := 0; i < n && *left > 0; i++ {
		*left--
		object := p.call(get, container, uint64(i))
		switch p.call(p.objectType, object) {
		case objectText:
			c.texts++
			if p.call(p.renderMode, object) == renderInvisible {
				c.invisible++
			}
		case objectImage:
			c.images = append(c.images, p.image(object, v, place))
		case objectForm:
			if depth > 0 {
				p.walk(c, v, object, p.countParts, p.part, place.after(p.matrix(object)), depth-1, left)
			}
		case objectPath:
			c.drawings++
			p.rule(c, v, object, place)
		default:
			c.drawings++
		}
	}
}

func (p *pdfium) image(object uint64, v view, place matrix) placed {
	out := uint64(p.out)
	p.call(p.objectBounds, object, out, out+4, out+8, out+12)
	b := p.floats(4) // left, bottom, right, top
	left, bottom, right, top := place.bounds(b[0], b[1], b[2], b[3])
	i := placed{object: object, box: v.box(left, bottom, right, top), full: v.place(left, bottom, right, top)}
	i.turn = v.orientation(place.after(p.matrix(object)))
	p.call(p.imageSize, object, out, out+4)
	size, _ := p.memory.Read(p.out, 8)
	i.width, i.height = int(binary.LittleEndian.Uint32(size)), int(binary.LittleEndian.Uint32(size[4:]))
	return i
}

// matrix is an affine map in PDF's order: x' = ax + cy + e, y' = bx + dy + f.
type matrix [6]float32

var identity = matrix{1, 0, 0, 1, 0, 0}

func (p *pdfium) matrix(object uint64) matrix {
	p.call(p.objectMatrix, object, uint64(p.out))
	return p.floats(6)
}

// String writes m as an operand of a content stream.
func (m matrix) String() string {
	return fmt.Sprintf("%.6f %.6f %.6f %.6f %s %s", m[0], m[1], m[2], m[3], decimal(m[4]), decimal(m[5]))
}

// after is the map that does inner and then m.
func (m matrix) after(inner matrix) matrix {
	return matrix{
		m[0]*inner[0] + m[2]*inner[1], m[1]*inner[0] + m[3]*inner[1],
		m[0]*inner[2] + m[2]*inner[3], m[1]*inner[2] + m[3]*inner[3],
		m[0]*inner[4] + m[2]*inner[5] + m[4], m[1]*inner[4] + m[3]*inner[5] + m[5],
	}
}

// bounds is the upright rectangle around a mapped one.
func (m matrix) bounds(left, bottom, right, top float32) (l, b, r, t float32) {
	x := func(x, y float32) float32 { return m[0]*x + m[2]*y + m[4] }
	y := func(x, y float32) float32 { return m[1]*x + m[3]*y + m[5] }
	l = min(x(left, bottom), x(left, top), x(right, bottom), x(right, top))
	r = max(x(left, bottom), x(left, top), x(right, bottom), x(right, top))
	b = min(y(left, bottom), y(left, top), y(right, bottom), y(right, top))
	t = max(y(left, bottom), y(left, top), y(right, bottom), y(right, top))
	return l, b, r, t
}

// blockReader reads ahead, as the engine asks for half a kilobyte at a time.
type blockReader struct {
	r     io.ReaderAt
	block [64 << 10]byte
	start int64
	n     int
}

func (b *blockReader) ReadAt(p []byte, off int64) (int, error) {
	if len(p) >= len(b.block) {
		return b.r.ReadAt(p, off)
	}
	if off < b.start || off+int64(len(p)) > b.start+int64(b.n) {
		n, err := b.r.ReadAt(b.block[:], off)
		if b.start, b.n = off, n; n < len(p) {
			return copy(p, b.block[:n]), err
		}
	}
	return copy(p, b.block[off-b.start:b.n]), nil
}
