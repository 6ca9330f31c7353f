package pdf

import (
	"encoding/binary"
	"image"
	"math"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/layout"
)

// A page that has only upright images need not be drawn. Extracting and scaling the
// images here takes a fifth of the time that the engine needs to draw them, which is a
// good part of the time to recognise the page.

// maxStrips is how many images may make up a scan: some scanners cut a page into
// strips.
const maxStrips = 64

// darkest is the mean grey below which an extracted image may not be what the page
// shows: its colours may be inverted, or hidden behind a mask, which only drawing the
// page takes into account.
const darkest = 128

// scan composes the page's picture from its images; not ok if the page must be
// drawn instead.
func (p *pdfium) scan(page uint64, v view, c content, dpi float64, maxPixels int) (out format.Image, ok bool) {
	if !p.onlyImages(page, c) || !isScan(v, c.images, maxPixels) {
		return format.Image{}, false
	}
	width, height := v.pixels(dpi)
	canvas := image.NewGray(image.Rect(0, 0, width, height))
	for i := range canvas.Pix {
		canvas.Pix[i] = raster.White
	}
	scale := dpi / pointsPerInch
	for _, i := range c.images {
		strip := p.samples(page, i)
		if strip == nil || mean(strip) < darkest {
			return format.Image{}, false
		}
		at := pixelRect(i.full, scale)
		across, down := max(at.Dx(), 1), max(at.Dy(), 1)
		if i.turn.Swaps() {
			across, down = down, across
		}
		strip = raster.Turned(raster.Resized(strip, across, down), i.turn)
		paste(canvas, strip, at.Min)
	}
	return format.Image{
		Bytes: raster.PGM(canvas), Width: width, Height: height, DPI: dpi, PageWidth: v.width, PageHeight: v.height,
	}, true
}

// onlyImages reports whether only images are visible on the page.
func (p *pdfium) onlyImages(page uint64, c content) bool {
	return c.drawings == 0 && c.texts <= c.invisible && p.call(p.countAnnotations, page) == 0
}

// paste copies the part of src that lies on dst when its corner is put at at.
func paste(dst, src *image.Gray, at image.Point) {
	visible := src.Rect.Add(at).Intersect(dst.Rect)
	for y := visible.Min.Y; y < visible.Max.Y; y++ {
		copy(dst.Pix[y*dst.Stride+visible.Min.X:][:visible.Dx()], src.Pix[(y-at.Y)*src.Stride+visible.Min.X-at.X:])
	}
}

// mostBeyond is how much larger than its visible part an image may be.
const mostBeyond = 1.2

// isScan reports whether upright images cover the page side by side, with room
// in memory for each.
func isScan(v view, images []placed, maxPixels int) bool {
	if len(images) == 0 || len(images) > maxStrips {
		return false
	}
	var sum float32
	for n, i := range images {
		sum += area(i.box)
		if i.turn == 0 || !(area(i.full) <= mostBeyond*area(i.box)) || i.width <= 0 || i.height <= 0 || i.width > maxPixels/i.height {
			return false
		}
		for _, other := range images[:n] {
			if overlap(i.box, other.box) > 0.02*area(i.box) {
				return false
			}
		}
	}
	return v.share(sum) >= scanShare
}

func overlap(a, b layout.Box) float32 {
	return max(0, min(a.X1, b.X1)-max(a.X0, b.X0)) * max(0, min(a.Y1, b.Y1)-max(a.Y0, b.Y0))
}

func pixelRect(b layout.Box, scale float64) image.Rectangle {
	at := func(x float32) int { return int(math.Round(float64(x) * scale)) }
	return image.Rect(at(b.X0), at(b.Y0), at(b.X1), at(b.Y1))
}

// samples unpacks an image in grey, or returns nil if that is not safe or not
// possible.
func (p *pdfium) samples(page uint64, i placed) *image.Gray {
	// FPDF_IMAGEOBJ_METADATA: seven words, of which the sixth is the colour
	// space; a stencil has none.
	p.call(p.imageMetadata, i.object, page, uint64(p.out))
	if metadata, _ := p.memory.Read(p.out, 28); binary.LittleEndian.Uint32(metadata[20:]) == 0 {
		return nil
	}
	bitmap := p.call(p.imageBitmap, i.object)
	if bitmap == 0 {
		return nil
	}
	defer p.call(p.destroyBitmap, bitmap)
	width, height := int(p.call(p.bitmapWidth, bitmap)), int(p.call(p.bitmapHeight, bitmap))
	stride := int(p.call(p.bitmapStride, bitmap))
	buffer := uint32(p.call(p.bitmapBuffer, bitmap))
	format := p.call(p.bitmapFormat, bitmap)
	pixels, ok := p.memory.Read(buffer, uint32(stride*height))
	if !ok || p.err != nil || width <= 0 || height <= 0 {
		return nil
	}
	gray := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		from, to := pixels[y*stride:], gray.Pix[y*gray.Stride:][:width]
		switch format {
		case bitmapGray:
			copy(to, from)
		case bitmapBGR, bitmapBGRx:
			step := 3
			if format == bitmapBGRx {
				step = 4
			}
			for x := range to {
				b := from[x*step:][:3]
				to[x] = raster.Luma(b[2], b[1], b[0])
			}
		default: // transparency shows what lies beneath
			return nil
		}
	}
	return gray
}

// mean is the average grey of a sample of the picture.
func mean(m *image.Gray) int {
	const every = 97 // prime to the usual widths, so that it wanders over the columns
	sum, n := 0, 0
	for i := 0; i < len(m.Pix); i += every {
		sum += int(m.Pix[i])
		n++
	}
	return sum / max(n, 1)
}
