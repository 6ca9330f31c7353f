package document

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"

	"golang.org/x/image/webp"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// A picture is an opened image file: each frame is a page to be recognised.
type picture struct {
	file   *os.File
	limits Limits
	frames []frame
}

// frame is one picture of a file, before its turning.
type frame struct {
	width, height int
	density       density
	turn          orientation
	decode        func() (*image.Gray, error)
}

// density is a resolution in dots per inch; zero where the file says nothing.
type density struct{ x, y float64 }

// codec is how one of the single-frame formats is read.
type codec struct {
	name     string
	config   func(io.Reader) (image.Config, error)
	decode   func(io.Reader) (image.Image, error)
	metadata func(io.ReaderAt, int64) (density, orientation)
}

var codecs = map[Kind]codec{
	PNG:  {"PNG", png.DecodeConfig, png.Decode, pngMetadata},
	JPEG: {"JPEG", jpeg.DecodeConfig, jpeg.Decode, jpegMetadata},
	WebP: {"WebP", webp.DecodeConfig, decodeWebP, webpMetadata},
}

// decodeWebP decodes a lossy picture into the range that the rest of the program
// knows: its luminance is that of video, where black is 16 and white is 235.
func decodeWebP(r io.Reader) (image.Image, error) {
	m, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	var luma []uint8
	switch m := m.(type) {
	case *image.YCbCr:
		luma = m.Y
	case *image.NYCbCrA:
		luma = m.Y
	}
	for i, v := range luma {
		luma[i] = uint8((min(max(int(v), 16), 235) - 16) * 255 / 219)
	}
	return m, nil
}

// openPicture makes the opener of a single-frame format.
func openPicture(kind Kind) opener {
	c := codecs[kind]
	return func(_ context.Context, path string, limits Limits) (file, error) {
		f, size, err := openFile(path)
		if err != nil {
			return nil, err
		}
		config, err := c.config(bufio.NewReader(io.NewSectionReader(f, 0, size)))
		if err == nil {
			err = checkPixels(config.Width, config.Height, limits)
		}
		if err != nil {
			f.Close()
			return nil, imageFault(c.name, err)
		}
		one := frame{width: config.Width, height: config.Height}
		one.density, one.turn = c.metadata(f, size)
		one.decode = func() (*image.Gray, error) {
			m, err := c.decode(bufio.NewReader(io.NewSectionReader(f, 0, size)))
			if err != nil {
				return nil, imageFault(c.name, err)
			}
			return toGray(m), nil
		}
		return &picture{file: f, limits: limits, frames: []frame{one}}, nil
	}
}

// checkPixels refuses a picture before it is unpacked.
func checkPixels(width, height int, limits Limits) error {
	if width <= 0 || height <= 0 {
		return fault.File(fault.CorruptFile, "the image has no pixels", nil)
	}
	if width > limits.MaxPixels/height {
		return fault.File(fault.FileTooLarge,
			fmt.Sprintf("the image has %d by %d pixels; %d pixels in all are the limit", width, height, limits.MaxPixels), nil)
	}
	return nil
}

// imageFault classifies what a decoder says.
func imageFault(name string, err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	var a jpeg.UnsupportedError
	var b png.UnsupportedError
	if errors.As(err, &a) || errors.As(err, &b) {
		return fault.File(fault.UnsupportedType, fmt.Sprintf("the %s image uses a feature that is not supported", name), err)
	}
	return fault.File(fault.CorruptFile, fmt.Sprintf("the %s image cannot be decoded; it may be cut short", name), err)
}

func (p *picture) pages() int { return len(p.frames) }

func (p *picture) close() error { return p.file.Close() }

func (p *picture) extract(ctx context.Context, from, to int, each func(Page) error) error {
	for number := max(from, 1); number <= min(to, len(p.frames)); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		width, height := p.frames[number-1].points()
		err := each(Page{
			Page:      layout.Page{Number: number, Width: width, Height: height},
			NeedsOCR:  true,
			Reason:    ReasonImage,
			ImageArea: 1,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// render decodes a page, upright and in square pixels, at dpi or less; with dpi
// 0 it is as fine as recognition wants it.
func (p *picture) render(ctx context.Context, page int, dpi float64, _ bool) (Image, error) {
	if page < 1 || page > len(p.frames) {
		return Image{}, fault.Newf(fault.NotFound, "the image has no page %d", page)
	}
	if err := ctx.Err(); err != nil {
		return Image{}, err
	}
	f := p.frames[page-1]
	gray, err := f.decode()
	if err != nil {
		return Image{}, atPage(err, page)
	}
	resolution := f.resolution()
	target := max(resolution.x, resolution.y)
	if dpi > 0 {
		target = min(target, dpi)
	} else {
		target = min(max(target, coarsestDPI), finestDPI)
	}
	width := scaled(f.width, target/resolution.x)
	height := scaled(f.height, target/resolution.y)
	if width > p.limits.MaxPixels/height {
		shrink := math.Sqrt(float64(p.limits.MaxPixels) / float64(width) / float64(height))
		target *= shrink
		width, height = max(1, int(float64(width)*shrink)), max(1, int(float64(height)*shrink))
	}
	gray = turned(resized(gray, width, height), f.turn)
	out := Image{Width: gray.Rect.Dx(), Height: gray.Rect.Dy(), DPI: target}
	out.PageWidth, out.PageHeight = f.points()
	out.Bytes = append(fmt.Appendf(nil, "P5\n%d %d\n255\n", out.Width, out.Height), gray.Pix...)
	return out, nil
}

// atPage names the page in a fault.
func atPage(err error, page int) error {
	var known *fault.Error
	if errors.As(err, &known) {
		at := *known
		at.Page = page
		return &at
	}
	return err
}

func scaled(n int, by float64) int { return max(1, int(math.Round(float64(n)*by))) }

// A page is between these long, in inches; a density that says otherwise is the
// default of some program and not a measurement.
const (
	shortestPage = 2
	longestPage  = 48
	a4           = 11.69 // the long side, for want of anything better
)

// resolution is the frame's density where it can be believed, else the one that
// makes it a page of ordinary size.
func (f frame) resolution() density {
	d := f.density
	if d.x > 0 && d.y > 0 {
		long := max(float64(f.width)/d.x, float64(f.height)/d.y)
		if long >= shortestPage && long <= longestPage && d.x/d.y < 4 && d.y/d.x < 4 && !f.photograph() {
			return d
		}
	}
	guess := min(max(float64(max(f.width, f.height))/a4, 72), 1200)
	return density{guess, guess}
}

// photograph reports a density that cameras write without knowing the distance.
func (f frame) photograph() bool {
	return f.density.x <= 96 && max(f.width, f.height) >= 1600
}

// points is the size of the page as displayed.
func (f frame) points() (width, height float32) {
	d := f.resolution()
	width = float32(float64(f.width) / d.x * 72)
	height = float32(float64(f.height) / d.y * 72)
	if f.turn.swaps() {
		width, height = height, width
	}
	return width, height
}

// white is what shows through a transparent picture.
const white = 0xff

// toGray converts a picture to luminance on a white ground.
func toGray(m image.Image) *image.Gray {
	b := m.Bounds()
	gray := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	switch m := m.(type) {
	case *image.Gray:
		for y := range b.Dy() {
			copy(gray.Pix[y*gray.Stride:], m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):][:b.Dx()])
		}
	case *image.YCbCr:
		for y := range b.Dy() {
			copy(gray.Pix[y*gray.Stride:], m.Y[m.YOffset(b.Min.X, b.Min.Y+y):][:b.Dx()])
		}
	case *image.Paletted:
		var shade [256]uint8
		for i, c := range m.Palette {
			shade[i&0xff] = luminance(c)
		}
		for y := range b.Dy() {
			row := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):][:b.Dx()]
			for x, index := range row {
				gray.Pix[y*gray.Stride+x] = shade[index]
			}
		}
	case *image.NRGBA:
		for y := range b.Dy() {
			row := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):][:4*b.Dx()]
			for x := range b.Dx() {
				p := row[4*x : 4*x+4]
				gray.Pix[y*gray.Stride+x] = over(rgb(p[0], p[1], p[2]), p[3])
			}
		}
	default:
		for y := range b.Dy() {
			for x := range b.Dx() {
				gray.Pix[y*gray.Stride+x] = luminance(m.At(b.Min.X+x, b.Min.Y+y))
			}
		}
	}
	return gray
}

// luminance is the lightness of a colour on white.
func luminance(c color.Color) uint8 {
	r, g, b, a := c.RGBA()
	shine := 0xffff - a
	return rgb(uint8((r+shine)>>8), uint8((g+shine)>>8), uint8((b+shine)>>8))
}

// rgb weighs the primaries as the JFIF standard does.
func rgb(r, g, b uint8) uint8 {
	return uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
}

// over lays a shade of some opacity on white.
func over(shade, alpha uint8) uint8 {
	return uint8((uint32(shade)*uint32(alpha) + white*(255-uint32(alpha)) + 127) / 255)
}

// resized scales a picture: by the mean of the covered pixels where it shrinks,
// by linear interpolation where it grows.
func resized(src *image.Gray, width, height int) *image.Gray {
	if width == src.Rect.Dx() && height == src.Rect.Dy() {
		return src
	}
	columns, rows := shares(src.Rect.Dx(), width), shares(src.Rect.Dy(), height)
	dst := image.NewGray(image.Rect(0, 0, width, height))
	sums := make([]uint32, src.Rect.Dx())
	for y, row := range rows {
		clear(sums)
		for i, weight := range row.weights {
			line := src.Pix[(row.first+i)*src.Stride:][:len(sums)]
			for x, v := range line {
				sums[x] += weight * uint32(v)
			}
		}
		for x, column := range columns {
			var sum uint64
			for i, weight := range column.weights {
				sum += uint64(weight) * uint64(sums[column.first+i])
			}
			dst.Pix[y*dst.Stride+x] = uint8((sum + unit*unit/2) / (unit * unit))
		}
	}
	return dst
}

// unit is the sum of the weights of a share.
const unit = 1 << 12

// A share tells which source pixels make a target pixel, and how much of it.
type share struct {
	first   int
	weights []uint32
}

// shares divides from pixels among to.
func shares(from, to int) []share {
	all := make([]share, to)
	ratio := float64(from) / float64(to)
	reach := max(ratio, 1) / 2
	for i := range all {
		center := (float64(i) + 0.5) * ratio
		low, high := max(center-reach, 0), min(center+reach, float64(from))
		first, last := int(low), min(int(math.Ceil(high)), from)
		s := share{first: first, weights: make([]uint32, max(last-first, 1))}
		left := uint32(unit)
		for j := range s.weights {
			covered := min(high, float64(first+j+1)) - max(low, float64(first+j))
			s.weights[j] = min(uint32(math.Round(covered/(high-low)*unit)), left)
			left -= s.weights[j]
		}
		s.weights[len(s.weights)/2] += left // what rounding left over
		all[i] = s
	}
	return all
}

// orientation is how EXIF and TIFF say that a picture is to be turned.
type orientation int

func (o orientation) swaps() bool { return o >= 5 && o <= 8 }

// turned brings a picture upright.
func turned(src *image.Gray, o orientation) *image.Gray {
	if o < 2 || o > 8 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	dst := image.NewGray(image.Rect(0, 0, w, h))
	if o.swaps() {
		dst = image.NewGray(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x, v := range src.Pix[y*src.Stride:][:w] {
			var tx, ty int
			switch o {
			case 2: // mirrored
				tx, ty = w-1-x, y
			case 3: // upside down
				tx, ty = w-1-x, h-1-y
			case 4: // upside down and mirrored
				tx, ty = x, h-1-y
			case 5: // mirrored along the main diagonal
				tx, ty = y, x
			case 6: // to be turned clockwise
				tx, ty = h-1-y, x
			case 7: // mirrored along the other diagonal
				tx, ty = h-1-y, w-1-x
			case 8: // to be turned counter-clockwise
				tx, ty = y, w-1-x
			}
			dst.Pix[ty*dst.Stride+tx] = v
		}
	}
	return dst
}

// inchesPerMetre turns a PNG's density around.
const inchesPerMetre = 39.3701

// pngMetadata reads the pHYs chunk, which stands before the pixels.
func pngMetadata(r io.ReaderAt, _ int64) (d density, _ orientation) {
	var head [8]byte
	for off := int64(8); ; {
		if _, err := r.ReadAt(head[:], off); err != nil {
			return d, 0
		}
		length := int64(binary.BigEndian.Uint32(head[:]))
		switch string(head[4:]) {
		case "IDAT", "IEND":
			return d, 0
		case "pHYs":
			var b [9]byte
			if _, err := r.ReadAt(b[:], off+8); err == nil && b[8] == 1 { // per metre
				d.x = float64(binary.BigEndian.Uint32(b[0:])) / inchesPerMetre
				d.y = float64(binary.BigEndian.Uint32(b[4:])) / inchesPerMetre
			}
			return d, 0
		}
		off += 12 + length
	}
}

// jpegMetadata reads the JFIF and EXIF segments, which stand before the scan.
func jpegMetadata(r io.ReaderAt, _ int64) (d density, turn orientation) {
	var head [4]byte
	for off := int64(2); ; {
		if _, err := r.ReadAt(head[:], off); err != nil || head[0] != 0xff {
			return d, turn
		}
		if head[1] == 0xff { // fill
			off++
			continue
		}
		length := int64(binary.BigEndian.Uint16(head[2:]))
		body := make([]byte, min(length, 1<<16))
		switch marker := head[1]; {
		case marker == 0xda || marker == 0xd9 || length < 2: // the scan, or the end
			return d, turn
		case marker == 0xe0 || marker == 0xe1:
			n, _ := r.ReadAt(body[:length-2], off+4)
			body = body[:n]
		default:
			body = nil
		}
		switch {
		case len(body) >= 14 && string(body[:5]) == "JFIF\x00":
			scale := map[byte]float64{1: 1, 2: 2.54}[body[7]] // dots per inch, per centimetre
			d.x = float64(binary.BigEndian.Uint16(body[8:])) * scale
			d.y = float64(binary.BigEndian.Uint16(body[10:])) * scale
		case len(body) > 6 && string(body[:6]) == "Exif\x00\x00":
			exif, o := exifMetadata(body[6:])
			if turn = o; d.x == 0 {
				d = exif
			}
		}
		off += 2 + length
	}
}

// webpMetadata reads the EXIF chunk.
func webpMetadata(r io.ReaderAt, size int64) (d density, turn orientation) {
	var head [8]byte
	for off := int64(12); off < size; {
		if _, err := r.ReadAt(head[:], off); err != nil {
			return d, 0
		}
		length := int64(binary.LittleEndian.Uint32(head[4:]))
		if string(head[:4]) == "EXIF" {
			body := make([]byte, min(length, 1<<16))
			n, _ := r.ReadAt(body, off+8)
			return exifMetadata(body[:n])
		}
		off += 8 + length + length&1
	}
	return d, 0
}
