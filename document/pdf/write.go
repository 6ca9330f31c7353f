package pdf

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/layout"
)

// Writer writes a PDF from start to end, or an update of one: pages with an image, a
// layer of invisible text, or both, and copies of other pages.
type Writer struct {
	w       *bufio.Writer
	written int64
	offsets map[int]int64 // of the objects, by number
	next    int           // the first number that is free
	kids    []int         // the pages' numbers
	font    int           // the number of the text layer's font, once there is one
	codes   map[uint16]int
	zlib    *zlib.Writer // used again for every stream
	err     error        // the first one; everything after it is void
}

// The first objects of a new file are referred to before they are known.
const (
	catalogObject = 1 + iota
	pagesObject
	firstFree
)

// NewWriter begins a file.
func NewWriter(w io.Writer) *Writer {
	p := &Writer{w: bufio.NewWriterSize(w, 64<<10), offsets: map[int]int64{}, next: firstFree}
	p.printf("%%PDF-1.7\n%%\xE2\xE3\xCF\xD3\n") // bytes that mark the file as binary
	return p
}

// newPDFUpdate writes all of a file, to add to it.
func newUpdate(w io.Writer, from *objects) *Writer {
	p := &Writer{w: bufio.NewWriterSize(w, 64<<10), offsets: map[int]int64{}, next: 1}
	for number := range from.places {
		p.next = max(p.next, number+1)
	}
	if _, err := io.Copy(p, io.NewSectionReader(from.r, 0, from.size)); err != nil {
		p.err = err
	}
	p.printf("\n")
	return p
}

func (p *Writer) printf(format string, args ...any) {
	if p.err == nil {
		n, err := fmt.Fprintf(p.w, format, args...)
		p.written += int64(n)
		p.err = err
	}
}

// Write takes the bytes of a stream.
func (p *Writer) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.w.Write(b)
	p.written += int64(n)
	p.err = err
	return n, err
}

func (p *Writer) reserve() int {
	p.next++
	return p.next - 1
}

func (p *Writer) object(number int, format string, args ...any) {
	p.offsets[number] = p.written
	p.printf("%d 0 obj\n", number)
	p.printf(format, args...)
	p.printf("\nendobj\n")
}

// stream writes a stream of unknown length, and the length after it.
func (p *Writer) stream(dictionary string, write func(io.Writer) error) int {
	number, length := p.reserve(), p.reserve()
	p.offsets[number] = p.written
	p.printf("%d 0 obj\n<<%s/Length %d 0 R>>\nstream\n", number, dictionary, length)
	start := p.written
	if err := write(p); err != nil && p.err == nil {
		p.err = err
	}
	size := p.written - start
	p.printf("\nendstream\nendobj\n")
	p.object(length, "%d", size)
	return number
}

func (p *Writer) packed(dictionary string, data []byte) int {
	return p.stream(dictionary+"/Filter/FlateDecode", func(w io.Writer) error {
		if p.zlib == nil {
			p.zlib = zlib.NewWriter(w)
		}
		p.zlib.Reset(w)
		if _, err := p.zlib.Write(data); err != nil {
			return err
		}
		return p.zlib.Close()
	})
}

// embedded is an image as a PDF holds it.
type embedded struct {
	width, height int
	colour        string // the colour space's name, without the slash
	turn          raster.Orientation

	// One of these: the bytes of a JPEG, or packed samples of bits each.
	jpeg    io.Reader
	samples []byte
	bits    int
	inverse bool // the samples of a JPEG stand for their opposite
}

func (p *Writer) image(i *embedded) int {
	dictionary := fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/%s", i.width, i.height, i.colour)
	if i.jpeg == nil {
		return p.packed(dictionary+fmt.Sprintf("/BitsPerComponent %d", i.bits), i.samples)
	}
	if i.inverse {
		dictionary += "/Decode[1 0 1 0 1 0 1 0]"
	}
	return p.stream(dictionary+"/BitsPerComponent 8/Filter/DCTDecode", func(w io.Writer) error {
		_, err := io.Copy(w, i.jpeg)
		return err
	})
}

// Page writes a page of the size that text has (in points), with an image that
// fills it or none.
func (p *Writer) Page(text layout.Page, m *raster.Picture) error {
	forms, contents := "", []byte(nil)
	if m != nil {
		i := newEmbedded(m)
		forms += fmt.Sprintf("/I %d 0 R", p.image(i))
		contents = fmt.Appendf(contents, "q %s cm/I Do Q\n", fill(i.turn, text.Width, text.Height))
	}
	if len(text.Words) > 0 {
		form, place := p.textForm(text)
		forms += fmt.Sprintf("/T %d 0 R", form)
		contents = fmt.Appendf(contents, "q %s cm/T Do Q\n", place)
	}
	content := p.packed("", contents)
	number := p.reserve()
	p.object(number, "<</Type/Page/Parent %d 0 R/MediaBox[0 0 %s %s]/Resources<</XObject<<%s>>>>/Contents %d 0 R>>",
		pagesObject, decimal(text.Width), decimal(text.Height), forms, content)
	p.kids = append(p.kids, number)
	return p.err
}

// Pages is how many pages there are so far.
func (p *Writer) Pages() int { return len(p.kids) }

// Finish writes the page tree, the catalog and the cross-reference table of a new file.
func (p *Writer) Finish() error {
	p.finishFont()
	var kids strings.Builder
	for _, number := range p.kids {
		fmt.Fprintf(&kids, "%d 0 R ", number)
	}
	p.object(pagesObject, "<</Type/Pages/Count %d/Kids[%s]>>", len(p.kids), kids.String())
	p.object(catalogObject, "<</Type/Catalog/Pages %d 0 R>>", pagesObject)
	start := p.written
	p.printf("xref\n0 1\n0000000000 65535 f \n")
	p.table()
	p.printf("trailer\n<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", p.next, catalogObject, start)
	return p.flush()
}

// finishUpdate writes the cross-references of the objects that were added to a file,
// in the form that the file uses.
func (p *Writer) finishUpdate(from *objects) error {
	p.finishFont()
	trailer := dict{}
	for _, key := range []string{"/Root", "/Info", "/ID"} {
		if value := from.trailer.get(key); value != nil {
			trailer = trailer.with(key, value)
		}
	}
	trailer = trailer.with("/Prev", fmt.Appendf(nil, "%d", from.start))
	start := p.written
	if from.streams {
		p.crossStream(trailer)
	} else {
		p.printf("xref\n")
		p.table()
		p.printf("trailer\n%s\n", trailer.with("/Size", fmt.Appendf(nil, "%d", p.next)).raw())
	}
	p.printf("startxref\n%d\n%%%%EOF\n", start)
	return p.flush()
}

func (p *Writer) flush() error {
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}

// runs are the numbers of the objects that were written, as first numbers and
// lengths of unbroken runs.
func (p *Writer) runs(each func(first, n int)) {
	numbers := slices.Sorted(maps.Keys(p.offsets))
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n] == numbers[0]+n {
			n++
		}
		each(numbers[0], n)
		numbers = numbers[n:]
	}
}

func (p *Writer) table() {
	p.runs(func(first, n int) {
		p.printf("%d %d\n", first, n)
		for number := first; number < first+n; number++ {
			p.printf("%010d 00000 n \n", p.offsets[number])
		}
	})
}

func (p *Writer) crossStream(trailer dict) {
	own := p.reserve()
	p.offsets[own] = p.written
	var index, data []byte
	p.runs(func(first, n int) {
		index = fmt.Appendf(index, "%d %d ", first, n)
		for number := first; number < first+n; number++ {
			data = append(data, 1) // an object at an offset
			data = binary.BigEndian.AppendUint64(data, uint64(p.offsets[number]))
		}
	})
	trailer = trailer.with("/Type", raw("/XRef")).with("/W", raw("[1 8 0]")).
		with("/Index", fmt.Appendf(nil, "[%s]", index)).
		with("/Size", fmt.Appendf(nil, "%d", p.next)).with("/Length", fmt.Appendf(nil, "%d", len(data)))
	p.printf("%d 0 obj\n%s\nstream\n%s\nendstream\nendobj\n", own, trailer.raw(), data)
}

func decimal(v float32) string { return fmt.Sprintf("%.2f", v) }

// fill is the matrix that spreads an image of an orientation over a page.
func fill(o raster.Orientation, width, height float32) string {
	// The unit square's corner and its sides: right and up.
	var m [6]float32
	switch o {
	case 2:
		m = [6]float32{-width, 0, 0, height, width, 0}
	case 3:
		m = [6]float32{-width, 0, 0, -height, width, height}
	case 4:
		m = [6]float32{width, 0, 0, -height, 0, height}
	case 5:
		m = [6]float32{0, -height, -width, 0, width, height}
	case 6:
		m = [6]float32{0, -height, width, 0, 0, height}
	case 7:
		m = [6]float32{0, height, width, 0, 0, 0}
	case 8:
		m = [6]float32{0, height, -width, 0, width, 0}
	default:
		m = [6]float32{width, 0, 0, height, 0, 0}
	}
	parts := make([]string, len(m))
	for i, v := range m {
		parts[i] = decimal(v)
	}
	return strings.Join(parts, " ")
}

// textForm writes the words of a page as a form in which they stand upright, and returns
// the matrix that puts it on the page. Some readers ignore text that is rotated in its
// own form or page and has empty glyphs.
func (p *Writer) textForm(page layout.Page) (number int, place matrix) {
	page, place = upright(page)
	return p.packed(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 %s %s]/Resources<</Font<</F %d 0 R>>>>",
		decimal(page.Width), decimal(page.Height), p.textFont()), p.appendTextLayer(nil, page)), place
}

// upright is a page turned so that its text stands upright, and the matrix that turns it
// back. Coordinates of the matrix grow upwards.
func upright(page layout.Page) (turned layout.Page, back matrix) {
	quarters, width, height := layout.Quarters(page), page.Width, page.Height
	turned, back = page, identity
	switch quarters {
	case 1:
		back = matrix{0, -1, 1, 0, 0, height}
	case 2:
		back = matrix{-1, 0, 0, -1, width, height}
	case 3:
		back = matrix{0, 1, -1, 0, width, 0}
	default:
		return turned, back
	}
	if quarters != 2 {
		turned.Width, turned.Height = height, width
	}
	turned.Words = slices.Clone(page.Words)
	for i := range turned.Words {
		b := &turned.Words[i].Box
		switch quarters {
		case 1:
			*b = layout.Box{X0: b.Y0, Y0: width - b.X1, X1: b.Y1, Y1: width - b.X0}
		case 2:
			*b = layout.Box{X0: width - b.X1, Y0: height - b.Y1, X1: width - b.X0, Y1: height - b.Y0}
		case 3:
			*b = layout.Box{X0: height - b.Y1, Y0: b.X0, X1: height - b.Y0, Y1: b.X1}
		}
	}
	return turned, back
}

// appendTextLayer writes the words of a page at their positions, invisibly (render
// mode 3). Every glyph is a rectangle of glyphWidth by 1, stretched so that the word
// fills its box.
func (p *Writer) appendTextLayer(b []byte, page layout.Page) []byte {
	p.textFont() // makes the table of codes
	text := []rune(page.Text)
	b = append(b, "BT 3 Tr/F 1 Tf\n"...)
	for _, word := range page.Words {
		box := word.Box
		units := utf16.Encode(text[word.Start:word.End])
		if box.X1 <= box.X0 || box.Y1 <= box.Y0 || len(units) == 0 {
			continue
		}
		stretch := (box.X1 - box.X0) / (glyphWidth * float32(len(units)))
		b = fmt.Appendf(b, "%.4f 0 0 %s %s %s Tm<", stretch, decimal(box.Y1-box.Y0), decimal(box.X0), decimal(page.Height-box.Y1))
		for _, unit := range units {
			code, known := p.codes[unit]
			if !known {
				code = len(p.codes) + 1
				p.codes[unit] = code
			}
			b = fmt.Appendf(b, "%04X", code)
		}
		b = append(b, ">Tj\n"...)
	}
	return append(b, "ET\n"...)
}

// glyphWidth is the width of every glyph of the invisible font, in its height.
const glyphWidth = 0.5

// textFont is the number of the font of the text layers, in which each code unit
// in use has a code and all codes show the same empty glyph.
func (p *Writer) textFont() int {
	if p.font == 0 {
		p.font, p.codes = p.reserve(), map[uint16]int{}
	}
	return p.font
}

// finishFont writes that font, if it was used.
func (p *Writer) finishFont() {
	if p.font == 0 {
		return
	}
	file := glyphlessFont()
	program := p.packed(fmt.Sprintf("/Length1 %d", len(file)), file)
	glyphs := p.packed("", bytes.Repeat([]byte{0, emptyGlyph}, len(p.codes)+1))
	unicode := p.packed("", p.unicodeMap())
	descriptor, descendant := p.reserve(), p.reserve()
	p.object(descriptor, "<</Type/FontDescriptor/FontName/GlyphLess/Flags 5/FontBBox[0 0 500 1000]/ItalicAngle 0/Ascent 1000/Descent 0/CapHeight 1000/StemV 80/FontFile2 %d 0 R>>", program)
	p.object(descendant, "<</Type/Font/Subtype/CIDFontType2/BaseFont/GlyphLess/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 500/CIDToGIDMap %d 0 R/FontDescriptor %d 0 R>>", glyphs, descriptor)
	p.object(p.font, "<</Type/Font/Subtype/Type0/BaseFont/GlyphLess/Encoding/Identity-H/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>", descendant, unicode)
}

// unicodeMap maps codes to code units, in blocks of at most 100.
func (p *Writer) unicodeMap() []byte {
	b := []byte("/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	units := make([]uint16, len(p.codes))
	for unit, code := range p.codes {
		units[code-1] = unit
	}
	code := 0
	for block := range slices.Chunk(units, 100) {
		b = fmt.Appendf(b, "%d beginbfchar\n", len(block))
		for _, unit := range block {
			code++
			b = fmt.Appendf(b, "<%04X><%04X>\n", code, unit)
		}
		b = append(b, "endbfchar\n"...)
	}
	return append(b, "endcmap\nCMapName currentdict/CMap defineresource pop\nend\nend\n"...)
}

// newPDFImage makes the image of a PDF from a picture.
func newEmbedded(m *raster.Picture) *embedded {
	if m.JPEG == nil {
		out := pack(m.Image)
		out.turn = m.Turn
		return out
	}
	out := &embedded{width: m.Config.Width, height: m.Config.Height, colour: "DeviceRGB", turn: m.Turn, jpeg: m.JPEG}
	switch m.Config.ColorModel {
	case color.GrayModel:
		out.colour = "DeviceGray"
	case color.CMYKModel:
		out.colour, out.inverse = "DeviceCMYK", true // as all programs write them, following Photoshop
	}
	return out
}

// pack makes an embedded image of a picture on white: grey where it has no colour, one
// bit a pixel where it is black and white.
func pack(m image.Image) *embedded {
	if gray, ok := m.(*image.Gray); ok {
		return packGray(gray)
	}
	b := m.Bounds()
	out := &embedded{width: b.Dx(), height: b.Dy(), colour: "DeviceRGB", bits: 8}
	out.samples = make([]byte, 0, 3*b.Dx()*b.Dy())
	coloured := false
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, alpha := m.At(x, y).RGBA()
			shine := 0xFFFF - alpha
			r, g, b = (r+shine)>>8, (g+shine)>>8, (b+shine)>>8
			coloured = coloured || r != g || g != b
			out.samples = append(out.samples, uint8(r), uint8(g), uint8(b))
		}
	}
	if !coloured {
		return packGray(raster.Gray(m))
	}
	return out
}

func packGray(m *image.Gray) *embedded {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	out := &embedded{width: width, height: height, colour: "DeviceGray", bits: 8}
	if !bilevel(m) {
		for y := range height {
			out.samples = append(out.samples, m.Pix[y*m.Stride:][:width]...)
		}
		return out
	}
	out.bits = 1
	stride := (width + 7) / 8
	out.samples = make([]byte, stride*height)
	for y := range height {
		for x, v := range m.Pix[y*m.Stride:][:width] {
			if v != 0 {
				out.samples[y*stride+x/8] |= 0x80 >> (x % 8)
			}
		}
	}
	return out
}

func bilevel(m *image.Gray) bool {
	for y := range m.Rect.Dy() {
		for _, v := range m.Pix[y*m.Stride:][:m.Rect.Dx()] {
			if v != 0 && v != raster.White {
				return false
			}
		}
	}
	return true
}
