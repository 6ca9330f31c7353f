package picture

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"

	"golang.org/x/image/webp"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// File is an opened image file: each frame is a page to be recognised.
type File struct {
	file   *os.File
	kind   format.Kind
	limits format.Limits
	frames []frame
}

// frame is one picture of a file, before its turning.
type frame struct {
	width, height int
	density       density
	turn          raster.Orientation
	decode        func() (*image.Gray, error)
}

// density is a resolution in dots per inch; zero where the file says nothing.
type density struct{ x, y float64 }

// codec is how one of the single-frame formats is read.
type codec struct {
	name     string
	config   func(io.Reader) (image.Config, error)
	decode   func(io.Reader) (image.Image, error)
	metadata func(io.ReaderAt, int64) (density, raster.Orientation)
}

var codecs = map[format.Kind]codec{
	format.PNG:  {"PNG", png.DecodeConfig, png.Decode, pngMetadata},
	format.JPEG: {"JPEG", jpeg.DecodeConfig, jpeg.Decode, jpegMetadata},
	format.WebP: {"WebP", webp.DecodeConfig, decodeWebP, webpMetadata},
}

// decodeWebP decodes a lossy picture into the full range of luminance: WebP uses the
// range of video, where black is 16 and white is 235.
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

// Opener returns the opener of a picture format, and nil for other formats.
func Opener(kind format.Kind) format.Opener {
	switch {
	case kind == format.TIFF:
		return openTIFF
	case codecs[kind].config != nil:
		return openPicture(kind)
	default:
		return nil
	}
}

// openPicture makes the opener of a single-frame format.
func openPicture(kind format.Kind) format.Opener {
	c := codecs[kind]
	return func(_ context.Context, path string, limits format.Limits) (format.File, error) {
		f, size, err := format.OpenFile(path)
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
			return raster.Gray(m), nil
		}
		return &File{file: f, kind: kind, limits: limits, frames: []frame{one}}, nil
	}
}

// checkPixels refuses a picture that is empty or too large, before it is unpacked.
func checkPixels(width, height int, limits format.Limits) error {
	if width <= 0 || height <= 0 {
		return fault.File(fault.CorruptFile, "the image has no pixels", nil)
	}
	if width > limits.MaxPixels/height {
		return fault.File(fault.FileTooLarge,
			fmt.Sprintf("the image has %d by %d pixels; %d pixels in all are the limit", width, height, limits.MaxPixels), nil)
	}
	return nil
}

// imageFault classifies the error of a decoder.
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

// Pages is how many pictures the file holds.
func (p *File) Pages() int { return len(p.frames) }

// Close closes the file; what was decoded stays.
func (p *File) Close() error { return p.file.Close() }

// Extract delivers pages without text, each to be recognised.
func (p *File) Extract(ctx context.Context, from, to int, each func(format.Page) error) error {
	for number := max(from, 1); number <= min(to, len(p.frames)); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		width, height := p.frames[number-1].points()
		err := each(format.Page{
			Page:      layout.Page{Number: number, Width: width, Height: height},
			NeedsOCR:  true,
			Reason:    format.ReasonImage,
			ImageArea: 1,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Render decodes a page, upright and in square pixels, at dpi or less; with dpi 0 at
// the resolution that recognition needs.
func (p *File) Render(ctx context.Context, page int, dpi float64, _ bool) (format.Image, error) {
	if page < 1 || page > len(p.frames) {
		return format.Image{}, fault.Newf(fault.NotFound, "the image has no page %d", page)
	}
	if err := ctx.Err(); err != nil {
		return format.Image{}, err
	}
	f := p.frames[page-1]
	gray, err := f.decode()
	if err != nil {
		return format.Image{}, format.AtPage(err, page)
	}
	resolution := f.resolution()
	target := max(resolution.x, resolution.y)
	if dpi > 0 {
		target = min(target, dpi)
	} else {
		target = min(max(target, format.CoarsestDPI), format.FinestDPI)
	}
	width := scaled(f.width, target/resolution.x)
	height := scaled(f.height, target/resolution.y)
	if width > p.limits.MaxPixels/height {
		shrink := math.Sqrt(float64(p.limits.MaxPixels) / float64(width) / float64(height))
		target *= shrink
		width, height = max(1, int(float64(width)*shrink)), max(1, int(float64(height)*shrink))
	}
	gray = raster.Turned(raster.Resized(gray, width, height), f.turn)
	out := format.Image{Width: gray.Rect.Dx(), Height: gray.Rect.Dy(), DPI: target}
	out.PageWidth, out.PageHeight = f.points()
	out.Bytes = append(fmt.Appendf(nil, "P5\n%d %d\n255\n", out.Width, out.Height), gray.Pix...)
	return out, nil
}

func scaled(n int, by float64) int { return max(1, int(math.Round(float64(n)*by))) }

// The shortest and the longest page, in inches. A density that gives another length is
// the default of some program and not a measurement.
const (
	shortestPage = 2
	longestPage  = 48
	a4           = 11.69 // the long side, for want of anything better
)

// resolution is the frame's density if it is plausible, else the density that makes it
// a page of ordinary size.
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

// photograph reports whether a density is one that cameras write by default.
func (f frame) photograph() bool {
	return f.density.x <= 96 && max(f.width, f.height) >= 1600
}

// points is the size of the page as displayed.
func (f frame) points() (width, height float32) {
	d := f.resolution()
	width = float32(float64(f.width) / d.x * 72)
	height = float32(float64(f.height) / d.y * 72)
	if f.turn.Swaps() {
		width, height = height, width
	}
	return width, height
}

// inchesPerMetre turns a PNG's density around.
const inchesPerMetre = 39.3701

// pngMetadata reads the pHYs chunk, which stands before the pixels.
func pngMetadata(r io.ReaderAt, _ int64) (d density, _ raster.Orientation) {
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
func jpegMetadata(r io.ReaderAt, _ int64) (d density, turn raster.Orientation) {
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
func webpMetadata(r io.ReaderAt, size int64) (d density, turn raster.Orientation) {
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
