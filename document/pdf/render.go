package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"slices"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// scanShare is the part of a page that its images cover when the page is a scan.
const scanShare = 0.85

// The engine's bitmap formats and drawing flags.
const (
	bitmapGray      = 1
	bitmapBGR       = 2
	bitmapBGRx      = 3
	drawAnnotations = 0x01
	drawReversed    = 0x10 // red before blue
	opaqueWhite     = 0xFFFFFFFF

	pointsPerInch = 72
)

// Render draws one page in grey, annotations and filled form fields included, at dpi
// or less: a scan at its own resolution, a huge page at the resolution that the limit
// on pixels allows. With dpi 0 only the page decides.
func (d *file) Render(ctx context.Context, number int, dpi float64, packed bool) (format.Image, error) {
	page, view, err := d.shown(ctx, number)
	if err != nil {
		return format.Image{}, err
	}
	p := d.p
	defer p.call(p.closePage, page)
	content := p.content(page, view)
	if packed {
		if img, ok := d.jpeg(page, number, view, content); ok {
			return img, nil
		}
	}
	dpi = resolution(view, content.images, dpi, d.limits.MaxPixels)
	img, ok := p.scan(page, view, content, dpi, d.limits.MaxPixels)
	if !ok {
		img = p.draw(page, view, dpi)
	}
	if p.err != nil {
		return format.Image{}, pageFault(number, p.err)
	}
	return img, nil
}

// shown loads a page that can be drawn. The caller closes it.
func (d *file) shown(ctx context.Context, number int) (page uint64, v view, err error) {
	if number < 1 || number > d.count {
		return 0, view{}, fault.Newf(fault.NotFound, "the PDF has no page %d", number)
	}
	if err := d.ready(ctx); err != nil {
		return 0, view{}, err
	}
	p := d.p
	page = p.call(p.loadPage, uint64(d.document), uint64(number-1))
	if page == 0 {
		return 0, view{}, pageFault(number, p.err)
	}
	if v = p.view(page); !displayable(v.width) || !displayable(v.height) {
		p.call(p.closePage, page)
		return 0, view{}, pageFault(number, p.err)
	}
	if page = d.filledIn(page, number, v); page == 0 {
		return 0, view{}, pageFault(number, p.err)
	}
	return page, v, nil
}

// Draw draws one page for people, in colour, annotations and filled form fields included.
// A page that is one JPEG is decoded natively, as for recognition.
func (d *file) Draw(ctx context.Context, number, width int) (image.Image, error) {
	page, view, err := d.shown(ctx, number)
	if err != nil {
		return nil, err
	}
	p := d.p
	defer p.call(p.closePage, page)
	across, down := format.DrawnSize(view.width, view.height, width)
	if img, ok := d.jpeg(page, number, view, p.content(page, view)); ok {
		if decoded, err := jpeg.Decode(bytes.NewReader(img.Bytes)); err == nil {
			return raster.Fit(decoded, across, down, 1), nil
		}
	}
	img := p.paint(page, across, down)
	if p.err != nil {
		return nil, pageFault(number, p.err)
	}
	return img, nil
}

// paint draws a page in colour on white. The picture is void if the engine trapped.
func (p *pdfium) paint(page uint64, width, height int) *image.RGBA {
	return p.paintPart(page, image.Rect(0, 0, width, height), width, height, drawAnnotations|drawReversed)
}

// paintPart draws a part of a page, in the pixels of the whole page at across by down.
func (p *pdfium) paintPart(page uint64, part image.Rectangle, across, down int, flags uint64) *image.RGBA {
	width, height := part.Dx(), part.Dy()
	w, h := uint64(width), uint64(height)
	signed := func(n int) uint64 { return uint64(uint32(int32(n))) }
	pixels := p.alloc(4 * width * height)
	bitmap := p.call(p.createBitmap, w, h, bitmapBGRx, uint64(pixels), 4*w)
	p.call(p.fill, bitmap, 0, 0, w, h, opaqueWhite)
	p.call(p.render, bitmap, page, signed(-part.Min.X), signed(-part.Min.Y), uint64(across), uint64(down), 0, flags)
	p.call(p.destroyBitmap, bitmap)
	drawn, ok := p.memory.Read(pixels, uint32(4*width*height))
	if p.err != nil || !ok {
		return nil
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	copy(out.Pix, drawn)
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = 0xff
	}
	p.call(p.free, uint64(pixels))
	return out
}

func pageFault(number int, cause error) error {
	e := fault.File(fault.CorruptFile, fmt.Sprintf("page %d cannot be read", number), cause)
	e.Page = number
	return e
}

// resolution chooses at how many dots per inch a page is drawn.
func resolution(v view, images []placed, dpi float64, maxPixels int) float64 {
	if dpi <= 0 {
		dpi = format.FinestDPI
	}
	var covered, full float32
	samples := 0.0
	for _, i := range images {
		covered += area(i.box)
		full += area(i.full)
		samples += float64(i.width) * float64(i.height)
	}
	if v.share(covered) >= scanShare {
		native := pointsPerInch * math.Sqrt(samples/float64(full))
		dpi = min(dpi, max(native, format.CoarsestDPI))
	}
	dpi = min(dpi, pointsPerInch*math.Sqrt(float64(maxPixels)/(float64(v.width)*float64(v.height))))
	for {
		width, height := v.pixels(dpi)
		if width <= maxPixels/height {
			return dpi
		}
		dpi *= 0.999 // what rounding added
	}
}

// pixels is the page's size at dpi.
func (v view) pixels(dpi float64) (width, height int) {
	return max(1, int(float64(v.width)*dpi/pointsPerInch+0.5)), max(1, int(float64(v.height)*dpi/pointsPerInch+0.5))
}

// draw paints the page on white. The image is void if the engine trapped.
func (p *pdfium) draw(page uint64, v view, dpi float64) format.Image {
	width, height := v.pixels(dpi)
	stride := (width + 3) &^ 3
	w, h := uint64(width), uint64(height)

	pixels := p.alloc(stride * height)
	bitmap := p.call(p.createBitmap, w, h, bitmapGray, uint64(pixels), uint64(stride))
	p.call(p.fill, bitmap, 0, 0, w, h, opaqueWhite)
	p.call(p.render, bitmap, page, 0, 0, w, h, 0, drawAnnotations)
	p.call(p.destroyBitmap, bitmap)
	drawn, ok := p.memory.Read(pixels, uint32(stride*height))
	if p.err != nil || !ok {
		return format.Image{}
	}
	pnm := raster.PGM(&image.Gray{Pix: drawn, Stride: stride, Rect: image.Rect(0, 0, width, height)})
	p.call(p.free, uint64(pixels))
	return format.Image{Bytes: pnm, Width: width, Height: height, DPI: dpi, PageWidth: v.width, PageHeight: v.height}
}

// Few long rules of a page, as between chapters, are no letters. Letters may be drawn of
// many short ones.
const (
	fewRules = 8
	longRule = 36 // points
)

// blank reports whether nothing on the page can be a letter: nothing is drawn but a few
// long rules. A rendering of a few thousand pixels is enough: anything that makes none of
// them grey is thinner than any letter.
func (p *pdfium) blank(page uint64, v view, rules []layout.Box) bool {
	const dpi, most, lightest = 36, 1 << 20, 250
	long := slices.DeleteFunc(slices.Clone(rules), func(r layout.Box) bool { return max(r.X1-r.X0, r.Y1-r.Y0) < longRule })
	if len(long) > fewRules {
		return false
	}
	drawn := resolution(v, nil, dpi, most)
	img := p.draw(page, v, drawn)
	if p.err != nil {
		return false
	}
	pixel := float32(pointsPerInch / drawn)
	ofRule := func(at int) bool { // so close to one that no letter is between
		const margin = 0.5
		x, y := pixel*float32(at%img.Width), pixel*float32(at/img.Width)
		return slices.ContainsFunc(long, func(r layout.Box) bool {
			return x > r.X0-margin-pixel && x < r.X1+margin && y > r.Y0-margin-pixel && y < r.Y1+margin
		})
	}
	for at, grey := range img.Bytes[len(img.Bytes)-img.Width*img.Height:] {
		if grey < lightest && !ofRule(at) {
			return false
		}
	}
	return true
}
