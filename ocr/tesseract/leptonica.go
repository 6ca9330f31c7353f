package tesseract

// #cgo LDFLAGS: -lleptonica
// #include <stdlib.h>
// #include <leptonica/allheaders.h>
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"math"
	"unsafe"

	"github.com/clausemill/clausemill/fault"
)

// pix is an image in Leptonica's memory. Methods that return another leave
// their receiver alone; close frees it. The zero pix is none.
type pix struct{ p *C.PIX }

var errLeptonica = errors.New("leptonica refused the image or is out of memory")

func init() {
	C.setMsgSeverity(C.L_SEVERITY_NONE) // errors are returned; a hostile image could fill the log
}

func wrap(p *C.PIX) (pix, error) {
	if p == nil {
		return pix{}, errLeptonica
	}
	return pix{p}, nil
}

func (p pix) close() { C.pixDestroy(&p.p) }

// become puts another image, made of this one, into its place.
func (p *pix) become(other pix, err error) error {
	if err == nil {
		p.close()
		*p = other
	}
	return err
}

func (p pix) width() int  { return int(C.pixGetWidth(p.p)) }
func (p pix) height() int { return int(C.pixGetHeight(p.p)) }

const (
	// maxPixels is the largest image that is worked on: a letter page at 640
	// dpi. Larger JPEG and bilevel images are read at a fraction of their size.
	maxPixels = 40 << 20

	// maxDecoding bounds the bytes that reading an image takes before it is
	// grey. A letter page in colour at 600 dpi stays below it, and with it a
	// child below its memory limit.
	maxDecoding = 240 << 20
)

// decode reads an image in any of Leptonica's formats as 8 bit grey; dpi is 0
// where it is not known. shrink is how many pixels of the image became one, in
// each direction.
func decode(image []byte, dpi float64) (p pix, shrink int, err error) {
	if len(image) == 0 {
		return pix{}, 0, fault.File(fault.CorruptFile, "the page image is empty", nil)
	}
	data, size := (*C.l_uint8)(unsafe.Pointer(unsafe.SliceData(image))), C.size_t(len(image))
	var format, w, h, bits, samples C.l_int32
	if C.pixReadHeaderMem(data, size, &format, &w, &h, &bits, &samples, nil) != 0 || w <= 0 || h <= 0 {
		return pix{}, 0, fault.File(fault.CorruptFile, "the page image cannot be read", nil)
	}
	jpeg := format == C.IFF_JFIF_JPEG
	bilevel := bits == 1 && samples == 1
	pixels := int64(w) * int64(h)
	shrink = 1
	for jpeg && shrink < 8 && dpi >= float64(2*shrink*maxDPI) {
		shrink *= 2
	}
	for pixels/int64(shrink*shrink) > maxPixels {
		shrink *= 2
	}
	decoding := pixels * int64(bits*samples) / 8
	if samples > 1 {
		decoding += 4 * pixels // the rows of the file, and Leptonica's
	}
	switch {
	case shrink == 1 && decoding <= maxDecoding:
	case jpeg && shrink <= 8: // by the decoder, row by row
	case bilevel && shrink <= 2:
	default:
		return pix{}, 0, &fault.Error{Kind: fault.TooLarge, Code: fault.FileTooLarge,
			Message: fmt.Sprintf("the page image of %d by %d pixels is too large, at most %d million can be read", w, h, maxPixels/1_000_000)}
	}
	var raw *C.PIX
	switch {
	case jpeg:
		var hint C.l_int32
		if samples <= 3 { // the decoder makes no grey of CMYK
			hint = C.L_JPEG_READ_LUMINANCE
		}
		raw = C.pixReadMemJpeg(data, size, 0, C.l_int32(shrink), nil, hint)
	case format == C.IFF_PNM && bits == 8 && samples == 1:
		raw = readPGM(image, int(w), int(h))
	default:
		raw = C.pixReadMem(data, size)
	}
	if raw == nil {
		return pix{}, 0, fault.File(fault.CorruptFile, "the page image is damaged", nil)
	}
	defer C.pixDestroy(&raw)
	p, err = grey(raw, shrink)
	return p, shrink, err
}

func grey(raw *C.PIX, shrink int) (pix, error) {
	if C.pixGetDepth(raw) == 1 && shrink == 2 {
		return wrap(C.pixScaleToGray2(raw))
	}
	opaque := C.pixRemoveAlpha(raw) // onto white
	if opaque == nil {
		return pix{}, errLeptonica
	}
	defer C.pixDestroy(&opaque)
	return wrap(C.pixConvertTo8(opaque, 0))
}

// readPGM reads the binary PGM that pages arrive in. Leptonica would read it,
// too, but a byte at a time, which is a tenth of a page's whole work.
func readPGM(image []byte, w, h int) *C.PIX {
	if !bytes.HasPrefix(image, []byte("P5")) || len(image) < w*h {
		return nil
	}
	p := C.pixCreateNoInit(C.l_int32(w), C.l_int32(h), 8)
	if p == nil {
		return nil
	}
	pixels := image[len(image)-w*h:]
	stride := 4 * int(C.pixGetWpl(p))
	data := unsafe.Slice((*byte)(unsafe.Pointer(C.pixGetData(p))), stride*h)
	for y := range h {
		row := data[y*stride : (y+1)*stride]
		clear(row[copy(row, pixels[y*w:(y+1)*w]):])
	}
	C.pixEndianByteSwap(p)
	return p
}

// threshold separates ink from paper in a grey image: Otsu's value over a
// sample of its pixels.
func (p pix) threshold() int {
	const everyRow = 5
	stride, w := 4*int(C.pixGetWpl(p.p)), p.width()
	data := unsafe.Slice((*byte)(unsafe.Pointer(C.pixGetData(p.p))), stride*p.height())
	var histogram [256]int
	for y := 0; y < p.height(); y += everyRow {
		for _, v := range data[y*stride : y*stride+w&^3] {
			histogram[v]++
		}
	}
	return otsu(&histogram)
}

// otsu returns the value that splits a histogram in two with the most variance
// between the parts.
func otsu(histogram *[256]int) int {
	var total, sum float64
	for v, n := range histogram {
		total += float64(n)
		sum += float64(v * n)
	}
	var below, sumBelow, most float64
	best := 128
	for v, n := range histogram {
		below += float64(n)
		sumBelow += float64(v * n)
		above := total - below
		if below == 0 || above == 0 {
			continue
		}
		distance := sumBelow/below - (sum-sumBelow)/above
		if variance := below * above * distance * distance; variance > most {
			best, most = v+1, variance
		}
	}
	return best
}

func (p pix) binary() (pix, error) {
	return wrap(C.pixThresholdToBinary(p.p, C.l_int32(p.threshold())))
}

// halve shrinks a binary image; a pixel is ink where any of its four was.
func (p pix) halve() (pix, error) {
	return wrap(C.pixReduceRankBinaryCascade(p.p, 1, 0, 0, 0))
}

// turn rotates clockwise by quarters.
func (p pix) turn(quarters int) (pix, error) {
	return wrap(C.pixRotateOrth(p.p, C.l_int32(quarters)))
}

func (p pix) scale(factor float64) (pix, error) {
	return wrap(C.pixScaleGeneral(p.p, C.l_float32(factor), C.l_float32(factor), 0, 0))
}

// rotate turns a grey image clockwise about its centre, on paper large enough
// to lose no corner.
func (p pix) rotate(degrees float64) (pix, error) {
	return wrap(C.pixRotate(p.p, C.l_float32(degrees*math.Pi/180), C.L_ROTATE_AREA_MAP, C.L_BRING_IN_WHITE,
		C.l_int32(p.width()), C.l_int32(p.height())))
}

// skew returns the clockwise degrees that straighten the lines of a binary
// image, within maxSkew, and how much better they are then than at worst.
func (p pix) skew() (degrees, confidence float64) {
	const sweepAt, searchAt = 4, 2 // reductions
	var angle, conf C.l_float32
	if C.pixFindSkewSweepAndSearch(p.p, &angle, &conf, sweepAt, searchAt, maxSkew, 1, 0.01) != 0 {
		return 0, 0
	}
	return float64(angle), float64(conf)
}

// orientation scores, in standard deviations, how much more the letters of a
// binary image look upright than upside down, and as after a quarter turn to
// the left than to the right. Both are 0 where there are too few letters.
func (p pix) orientation() (up, left float64) {
	var u, l C.l_float32
	if C.pixOrientDetect(p.p, &u, &l, 0, 0) != 0 {
		return 0, 0
	}
	return float64(u), float64(l)
}

// mostPieces bounds what a hostile image is taken apart into; a page of text has
// some thousands of pieces.
const mostPieces = 200_000

// pieces are the connected pieces of a binary image that are high enough for a
// letter of some size, of so many in all.
func (p pix) pieces() (pieces []image.Rectangle, all int) {
	boxes := C.pixConnCompBB(p.p, 8)
	if boxes == nil {
		return nil, 0
	}
	defer C.boxaDestroy(&boxes)
	all = int(C.boxaGetCount(boxes))
	for _, b := range unsafe.Slice(boxes.box, all) {
		if b.h >= leastLetter && len(pieces) < mostPieces {
			pieces = append(pieces, image.Rect(int(b.x), int(b.y), int(b.x+b.w), int(b.y+b.h)))
		}
	}
	return pieces, all
}

// rules are the level lines of a binary image, of some length and more, and no
// thicker than that. Those of a frame are found alone, although they hang together.
// The image is not shrunk for it, as letters would run together to lines.
func (p pix) rules(length, thickness int) ([]image.Rectangle, error) {
	lines, err := wrap(C.pixOpenCompBrick(nil, p.p, C.l_int32(length), 1))
	if err != nil {
		return nil, err
	}
	defer lines.close()
	boxes := C.pixConnCompBB(lines.p, 8)
	if boxes == nil {
		return nil, nil
	}
	defer C.boxaDestroy(&boxes)
	var rules []image.Rectangle
	for _, b := range unsafe.Slice(boxes.box, int(C.boxaGetCount(boxes))) {
		if int(b.h) <= thickness && len(rules) < mostPieces {
			rules = append(rules, image.Rect(int(b.x), int(b.y), int(b.x+b.w), int(b.y+b.h)))
		}
	}
	return rules, nil
}

// heights counts pieces by height. Those that are too flat or wide for a letter
// are left out.
func heights(pieces []image.Rectangle) (heights [maxLetter]int) {
	for _, b := range pieces {
		if b.Dy() < maxLetter && b.Dx() < 4*b.Dy() {
			heights[b.Dy()]++
		}
	}
	return heights
}

// crop copies a part of the image.
func (p pix) crop(r image.Rectangle) (pix, error) {
	box := C.boxCreate(C.l_int32(r.Min.X), C.l_int32(r.Min.Y), C.l_int32(r.Dx()), C.l_int32(r.Dy()))
	defer C.boxDestroy(&box)
	return wrap(C.pixClipRectangle(p.p, box, nil))
}

// bitmap shrinks a binary image by 8 and returns its rows, true for ink.
func (p pix) bitmap() ([][]bool, error) {
	small, err := wrap(C.pixReduceRankBinaryCascade(p.p, 1, 1, 1, 0))
	if err != nil {
		return nil, err
	}
	defer small.close()
	return small.rows(), nil
}

// rows are those of a binary image, true for ink.
func (p pix) rows() [][]bool {
	w, wpl := p.width(), int(C.pixGetWpl(p.p))
	words := unsafe.Slice((*uint32)(unsafe.Pointer(C.pixGetData(p.p))), wpl*p.height())
	rows := make([][]bool, p.height())
	for y := range rows {
		rows[y] = make([]bool, w)
		for x := range w {
			rows[y][x] = words[y*wpl+x/32]>>(31-x%32)&1 == 1
		}
	}
	return rows
}

// inked is the number of pixels of a binary image that are ink.
func (p pix) inked() int {
	var n C.l_int32
	if C.pixCountPixels(p.p, &n, nil) != 0 {
		return 0
	}
	return int(n)
}

// serialise copies the image into Leptonica's own format, which it reads back
// with little more than one copy.
func (p pix) serialise() ([]byte, error) {
	var data *C.l_uint8
	var size C.size_t
	if C.pixWriteMemSpix(&data, &size, p.p) != 0 {
		return nil, errLeptonica
	}
	defer C.free(unsafe.Pointer(data))
	return C.GoBytes(unsafe.Pointer(data), C.int(size)), nil
}
