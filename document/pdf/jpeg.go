package pdf

import (
	"bytes"
	"image/color"
	"image/jpeg"
	"io"
	"slices"

	"github.com/clausemill/clausemill/document/format"
)

// A page that consists of one JPEG is passed on as that JPEG: decoding it natively
// costs almost nothing, in the engine's sandbox an eighth of a second.
//
// The engine returns the position of the image on its page. The meaning of its samples
// it returns only together with the samples, so that is read from the file.

// Bounds of the search for a JPEG: a scan has four objects on each page, and a JPEG
// larger than this is not smaller when decoded.
const (
	maxScanObjects = 100_000
	maxJPEG        = 32 << 20
)

// jpeg is the JPEG that a page consists of; not ok if the page must be drawn
// instead.
func (d *file) jpeg(page uint64, number int, v view, c content) (out format.Image, ok bool) {
	p := d.p
	if len(c.images) != 1 || !p.onlyImages(page, c) {
		return format.Image{}, false
	}
	i := c.images[0]
	if !fills(i, v) || p.call(p.transparent, i.object) != 0 || p.clipped(i.object) {
		return format.Image{}, false
	}
	stream, colours, ok := d.onlyStream(number)
	if !ok || stream.Size() > maxJPEG || p.call(p.imageData, i.object, 0, 0) != uint64(stream.Size()) {
		return format.Image{}, false
	}
	data := make([]byte, stream.Size())
	if _, err := io.ReadFull(stream, data); err != nil || p.err != nil || !usualJPEG(data, i, colours, d.limits.MaxPixels) {
		return format.Image{}, false
	}
	return format.Image{
		Bytes: data, JPEG: true, Width: i.width, Height: i.height,
		DPI: float64(i.width) / float64(v.width) * pointsPerInch, PageWidth: v.width, PageHeight: v.height,
	}, true
}

// fills reports whether an image is displayed as it is, in square pixels, from
// edge to edge of the page, at no less than the resolution of recognition.
func fills(i placed, v view) bool {
	if i.turn != 1 || i.width <= 0 || i.height <= 0 {
		return false
	}
	across, down := v.width/float32(i.width), v.height/float32(i.height)
	off := max(i.full.X0, -i.full.X0, i.full.Y0, -i.full.Y0,
		i.full.X1-v.width, v.width-i.full.X1, i.full.Y1-v.height, v.height-i.full.Y1)
	return off < min(across, down)/2 && max(across, down) < 1.01*min(across, down) &&
		pointsPerInch/across >= format.CoarsestDPI
}

// clipped reports whether part of an object is hidden.
func (p *pdfium) clipped(object uint64) bool {
	clip := p.call(p.clipPath, object)
	return clip != 0 && int32(p.call(p.countPaths, clip)) > 0
}

// usualJPEG reports whether data is a JPEG of the size and with the colours of
// an image, written as photographs are, that can be decoded in little memory:
// one that comes in several passes is kept whole, with its colours.
func usualJPEG(data []byte, i placed, colours, maxSamples int) bool {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width != i.width || config.Height != i.height {
		return false
	}
	model := color.GrayModel
	if colours == 3 {
		model = color.YCbCrModel
	}
	return config.ColorModel == model && i.width <= maxSamples/colours/i.height
}

// onlyStream is the data of the only image that a page draws, and the number of its
// colours. It must be a JPEG whose colours need no information from the PDF.
func (d *file) onlyStream(number int) (data *io.SectionReader, colours int, ok bool) {
	if d.structure == nil {
		d.structure = readStructure(d.contents, d.size, d.limits)
	}
	if len(d.structure.pages) != d.count {
		return nil, 0, false
	}
	objects := d.structure.objects
	resources, err := objects.resolveDict(d.structure.pages[number-1].dict.get("/Resources"))
	if err != nil || resources.get("/ColorSpace") != nil { // which may redefine the device colours
		return nil, 0, false
	}
	drawn, err := objects.resolveDict(resources.get("/XObject"))
	if err != nil || len(drawn.keys) != 1 {
		return nil, 0, false
	}
	reference, ok := drawn.get(drawn.keys[0]).reference()
	if !ok {
		return nil, 0, false
	}
	object, err := objects.object(reference)
	if err != nil || object.data == nil {
		return nil, 0, false
	}
	image, err := object.value.dict()
	if err != nil {
		return nil, 0, false
	}
	colours, ok = objects.plain(image)
	return object.data, colours, ok
}

// structure is the file's structure, which is read without the engine. It has no pages
// if the file is damaged.
type structure struct {
	objects *objects
	pages   []leaf
}

func readStructure(r io.ReaderAt, size int64, limits format.Limits) *structure {
	objects, err := openObjects(r, size, maxScanObjects)
	if err != nil || objects.trailer.get("/Encrypt") != nil {
		return &structure{}
	}
	pages, err := objects.leaves(limits)
	if err != nil {
		return &structure{}
	}
	return &structure{objects, pages}
}

// harmless are the entries of an image that do not change what it shows.
var harmless = []string{"/Type", "/Name", "/Width", "/Height", "/Length", "/Interpolate", "/Intent", "/Metadata", "/StructParent"}

// plain returns the number of colours of an image. It is not ok unless the image is a
// JPEG in grey or colour, without masks, inversion or anything else that is not known
// to be harmless.
func (p *objects) plain(image dict) (colours int, ok bool) {
	needed := 2
	for _, key := range image.keys {
		value, err := p.resolve(image.get(key))
		if err != nil {
			return 0, false
		}
		if value.isArray() {
			if elements, err := value.array(); err == nil && len(elements) == 1 {
				value = elements[0]
			}
		}
		switch entry := key + " " + string(value); {
		case entry == "/ColorSpace /DeviceGray":
			colours = 1
		case entry == "/ColorSpace /DeviceRGB":
			colours = 3
		case entry == "/Subtype /Image", entry == "/Filter /DCTDecode":
			needed--
		case entry == "/BitsPerComponent 8", slices.Contains(harmless, key):
		default:
			return 0, false
		}
	}
	return colours, needed == 0 && colours > 0
}
