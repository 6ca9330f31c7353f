package picture

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/bits"

	"golang.org/x/image/tiff/lzw"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/fault"
)

// The tags of TIFF 6.0 that matter here.
const (
	tagSubfileType     = 254
	tagOldSubfileType  = 255
	tagWidth           = 256
	tagHeight          = 257
	tagBits            = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagFillOrder       = 266
	tagStripOffsets    = 273
	tagOrientation     = 274
	tagSamples         = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagXResolution     = 282
	tagYResolution     = 283
	tagPlanar          = 284
	tagT4Options       = 292
	tagResolutionUnit  = 296
	tagPredictor       = 317
	tagColorMap        = 320
	tagTileWidth       = 322
	tagTileHeight      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagExtraSamples    = 338
	tagSampleFormat    = 339
	tagJPEGTables      = 347
)

// The values of PhotometricInterpretation: the meaning of samples.
const (
	whiteIsZero = iota
	blackIsZero
	trueColour
	palette
	mask
	separated // cyan, magenta, yellow, black
	yCbCr
)

// The values of Compression.
const (
	uncompressed     = 1
	huffman          = 2
	groupThreeScheme = 3
	groupFourScheme  = 4
	lempelZiv        = 5
	oldJPEG          = 6
	jpegScheme       = 7
	deflate          = 8
	packBits         = 32773
	oldDeflate       = 32946
)

// docs/decisions.md compares what follows with Leptonica and golang.org/x/image.

// tiffFile is a TIFF or the TIFF structure that EXIF is.
type tiffFile struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	first int64 // offset of the first directory
}

// A directory maps tags to their entries.
type directory map[uint16]entry

// An entry holds a tag's values, or where they lie.
type entry struct {
	kind  uint16
	count uint32
	value [4]byte
}

var errTIFF = errors.New("malformed structure")

func openTIFFStructure(r io.ReaderAt, size int64) (*tiffFile, error) {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, errTIFF
	}
	t := &tiffFile{r: r, size: size}
	switch string(head[:4]) {
	case "II*\x00":
		t.order = binary.LittleEndian
	case "MM\x00*":
		t.order = binary.BigEndian
	case "II+\x00", "MM\x00+":
		return nil, fault.File(fault.UnsupportedType, "BigTIFF is not supported; save the file as TIFF", nil)
	default:
		return nil, errTIFF
	}
	t.first = int64(t.order.Uint32(head[4:]))
	return t, nil
}

// directory reads the entries at off and the offset of the next directory.
func (t *tiffFile) directory(off int64) (directory, int64, error) {
	var count [2]byte
	if _, err := t.r.ReadAt(count[:], off); err != nil {
		return nil, 0, errTIFF
	}
	raw := make([]byte, 12*int(t.order.Uint16(count[:]))+4)
	n, err := t.r.ReadAt(raw, off+2)
	if n < len(raw)-4 {
		return nil, 0, errTIFF
	}
	d := directory{}
	for b := raw[:len(raw)-4]; len(b) > 0; b = b[12:] {
		e := entry{kind: t.order.Uint16(b[2:]), count: t.order.Uint32(b[4:])}
		copy(e.value[:], b[8:12])
		d[t.order.Uint16(b)] = e
	}
	if err != nil { // some writers leave out the offset after the last directory
		return d, 0, nil
	}
	return d, int64(t.order.Uint32(raw[len(raw)-4:])), nil
}

// values reads up to limit integers of a tag; nil if it is absent or of another
// kind.
func (t *tiffFile) values(d directory, tag uint16, limit int) []int {
	e, ok := d[tag]
	width := map[uint16]int64{1: 1, 3: 2, 4: 4, 7: 1, 13: 4}[e.kind] // byte, short, long, undefined, directory
	if !ok || width == 0 {
		return nil
	}
	n := int64(min(uint64(e.count), uint64(limit)))
	raw := e.value[:]
	if int64(e.count)*width > 4 {
		off := int64(t.order.Uint32(raw))
		if off+n*width > t.size {
			return nil
		}
		raw = make([]byte, n*width)
		if _, err := t.r.ReadAt(raw, off); err != nil {
			return nil
		}
	}
	values := make([]int, n)
	for i := range values {
		switch b := raw[int64(i)*width:]; width {
		case 1:
			values[i] = int(b[0])
		case 2:
			values[i] = int(t.order.Uint16(b))
		case 4:
			values[i] = int(t.order.Uint32(b))
		}
	}
	return values
}

// value reads the first integer of a tag.
func (t *tiffFile) value(d directory, tag uint16, absent int) int {
	if v := t.values(d, tag, 1); len(v) > 0 {
		return v[0]
	}
	return absent
}

// rational reads a fraction.
func (t *tiffFile) rational(d directory, tag uint16) float64 {
	var b [8]byte
	e, ok := d[tag]
	if !ok || e.kind != 5 {
		return 0
	}
	if _, err := t.r.ReadAt(b[:], int64(t.order.Uint32(e.value[:]))); err != nil || t.order.Uint32(b[4:]) == 0 {
		return 0
	}
	return float64(t.order.Uint32(b[:])) / float64(t.order.Uint32(b[4:]))
}

// metadata reads the density and the turning of a directory.
func (t *tiffFile) metadata(d directory) (density, raster.Orientation) {
	scale := map[int]float64{2: 1, 3: 2.54}[t.value(d, tagResolutionUnit, 2)] // inch, centimetre
	return density{t.rational(d, tagXResolution) * scale, t.rational(d, tagYResolution) * scale},
		raster.Orientation(t.value(d, tagOrientation, 1))
}

// exifMetadata reads the first directory of an EXIF block.
func exifMetadata(b []byte) (density, raster.Orientation) {
	t, err := openTIFFStructure(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return density{}, 0
	}
	d, _, err := t.directory(t.first)
	if err != nil {
		return density{}, 0
	}
	return t.metadata(d)
}

// openTIFF opens a TIFF of any number of pages.
func openTIFF(_ context.Context, path string, limits format.Limits) (format.File, error) {
	f, size, err := format.OpenFile(path)
	if err != nil {
		return nil, err
	}
	t, err := openTIFFStructure(f, size)
	var frames []frame
	if err == nil {
		frames, err = t.frames(limits)
	}
	if err != nil {
		f.Close()
		return nil, imageFault("TIFF", err)
	}
	return &File{file: f, kind: format.TIFF, limits: limits, frames: frames}, nil
}

// reducedImage is the bit of a directory that holds a thumbnail.
const reducedImage = 1

// frames walks the chain of directories, which may be a loop in a hostile file.
func (t *tiffFile) frames(limits format.Limits) ([]frame, error) {
	var frames []frame
	seen := map[int64]bool{}
	for off := t.first; off != 0; {
		if seen[off] {
			return nil, fault.File(fault.CorruptFile, "the TIFF's pages form a ring", nil)
		}
		seen[off] = true
		d, next, err := t.directory(off)
		if err != nil {
			return nil, err
		}
		off = next
		if t.value(d, tagSubfileType, 0)&reducedImage != 0 || t.value(d, tagOldSubfileType, 0) == 2 {
			continue
		}
		if len(frames) == limits.MaxPages {
			return nil, format.TooManyPages(limits)
		}
		one := frame{width: t.value(d, tagWidth, 0), height: t.value(d, tagHeight, 0)}
		if err := checkPixels(one.width, one.height, limits); err != nil {
			return nil, format.AtPage(err, len(frames)+1)
		}
		one.density, one.turn = t.metadata(d)
		one.decode = func() (*image.Gray, error) {
			m, err := t.bitmap(d, limits)
			if err != nil {
				return nil, imageFault("TIFF", err)
			}
			gray, err := m.decode()
			if err != nil {
				return nil, imageFault("TIFF", err)
			}
			return gray, nil
		}
		frames = append(frames, one)
	}
	if len(frames) == 0 {
		return nil, fault.File(fault.CorruptFile, "the TIFF has no pages", nil)
	}
	return frames, nil
}

// A bitmap is how a page's pixels are laid out and packed.
type bitmap struct {
	tiff   *tiffFile
	limits format.Limits

	width, height           int
	blockWidth, blockHeight int // of a strip or a tile
	tiled                   bool
	offsets, counts         []int

	compression, predictor, fillOrder, photometric int
	bits, samples                                  int
	mixed                                          bool // group 3 is two-dimensional in part
	alpha                                          bool // the last sample is opacity
	shades                                         []uint8
	tables                                         []byte // of JPEG
}

func (t *tiffFile) bitmap(d directory, limits format.Limits) (*bitmap, error) {
	r := &bitmap{
		tiff: t, limits: limits,
		width: t.value(d, tagWidth, 0), height: t.value(d, tagHeight, 0),
		compression: t.value(d, tagCompression, uncompressed),
		mixed:       t.value(d, tagT4Options, 0)&1 != 0,
		predictor:   t.value(d, tagPredictor, 1),
		fillOrder:   t.value(d, tagFillOrder, 1),
		photometric: t.value(d, tagPhotometric, whiteIsZero),
		bits:        t.value(d, tagBits, 1),
		samples:     t.value(d, tagSamples, 1),
	}
	if err := r.check(t, d); err != nil {
		return nil, err
	}
	if extra := t.value(d, tagExtraSamples, 0); extra == 1 || extra == 2 {
		r.alpha = true
	}
	if r.photometric == palette {
		r.shades = t.palette(d, r.bits)
	}
	for _, b := range t.values(d, tagJPEGTables, 1<<16) {
		r.tables = append(r.tables, byte(b))
	}
	r.blockWidth, r.blockHeight = t.value(d, tagTileWidth, 0), t.value(d, tagTileHeight, 0)
	offsets, counts := uint16(tagTileOffsets), uint16(tagTileByteCounts)
	if r.tiled = r.blockWidth > 0 && r.blockHeight > 0; !r.tiled {
		r.blockWidth, r.blockHeight = r.width, t.value(d, tagRowsPerStrip, r.height)
		r.blockHeight = min(max(r.blockHeight, 1), r.height)
		offsets, counts = tagStripOffsets, tagStripByteCounts
	}
	blocks := r.across() * r.down()
	if r.blockWidth > limits.MaxPixels/r.blockHeight || r.blockWidth*r.samples > limits.MaxPixels ||
		blocks > maxPadding*limits.MaxPixels/(r.blockWidth*r.blockHeight) {
		return nil, errTIFF
	}
	r.offsets, r.counts = t.values(d, offsets, blocks), t.values(d, counts, blocks)
	if len(r.offsets) != blocks || len(r.counts) != blocks && blocks > 1 {
		return nil, errTIFF
	}
	if len(r.counts) == 0 { // old writers omit it for uncompressed data
		r.counts = []int{int(t.size) - r.offsets[0]}
	}
	return r, nil
}

// maxPadding bounds the total size of a page's tiles, relative to the largest page, so
// that a page of very thin tiles cannot cause endless work.
const maxPadding = 4

// check refuses valid features that are not supported, and names them.
func (r *bitmap) check(t *tiffFile, d directory) error {
	refuse := func(what string) error {
		return fault.File(fault.UnsupportedType, "the TIFF uses "+what+", which is not supported", nil)
	}
	switch r.compression {
	case uncompressed, lempelZiv, jpegScheme, deflate, packBits, oldDeflate:
	case huffman, groupThreeScheme, groupFourScheme:
		if r.bits != 1 || r.samples != 1 {
			return errTIFF
		}
	case oldJPEG:
		return refuse("old-style JPEG compression")
	default:
		return refuse(fmt.Sprintf("compression %d", r.compression))
	}
	switch r.bits {
	case 1, 2, 4, 8, 16:
	default:
		return refuse(fmt.Sprintf("%d bits a sample", r.bits))
	}
	if r.samples < 1 || r.samples > 16 {
		return refuse(fmt.Sprintf("%d samples a pixel", r.samples))
	}
	if r.samples > 1 && t.value(d, tagPlanar, 1) == 2 {
		return refuse("separate colour planes")
	}
	if t.value(d, tagSampleFormat, 1) != 1 {
		return refuse("samples that are not whole numbers")
	}
	if r.predictor != 1 && (r.predictor != 2 || r.bits < 8) {
		return refuse(fmt.Sprintf("predictor %d", r.predictor))
	}
	least := map[int]int{whiteIsZero: 1, blackIsZero: 1, trueColour: 3, palette: 1, mask: 1, separated: 4}[r.photometric]
	if r.compression != jpegScheme && (least == 0 || r.samples < least) {
		return refuse(fmt.Sprintf("colour model %d", r.photometric))
	}
	return nil
}

// palette reads the shades of a colour map, which holds all reds, then all
// greens, then all blues.
func (t *tiffFile) palette(d directory, bits int) []uint8 {
	n := 1 << min(bits, 8)
	shades := make([]uint8, n)
	values := t.values(d, tagColorMap, 3*n)
	if len(values) == 3*n {
		for i := range shades {
			shades[i] = raster.Luma(uint8(values[i]>>8), uint8(values[n+i]>>8), uint8(values[2*n+i]>>8))
		}
	}
	return shades
}

func (r *bitmap) across() int { return (r.width + r.blockWidth - 1) / r.blockWidth }
func (r *bitmap) down() int   { return (r.height + r.blockHeight - 1) / r.blockHeight }

// decode unpacks all blocks.
func (r *bitmap) decode() (*image.Gray, error) {
	page := image.NewGray(image.Rect(0, 0, r.width, r.height))
	across := r.across()
	for i := range r.offsets {
		x, y := i%across*r.blockWidth, i/across*r.blockHeight
		height := r.blockHeight
		if !r.tiled {
			height = min(height, r.height-y)
		}
		block, err := r.block(i, r.blockWidth, height)
		if err != nil {
			return nil, err
		}
		for row := range min(block.Rect.Dy(), r.height-y) {
			copy(page.Pix[(y+row)*page.Stride+x:][:min(block.Rect.Dx(), r.width-x)], block.Pix[row*block.Stride:])
		}
	}
	return page, nil
}

// block unpacks a strip or a tile of width by height pixels.
func (r *bitmap) block(i, width, height int) (*image.Gray, error) {
	packed := bufio.NewReader(io.NewSectionReader(r.tiff.r, int64(r.offsets[i]), int64(max(r.counts[i], 0))))
	var unpacked io.Reader
	switch r.compression {
	case huffman, groupThreeScheme, groupFourScheme:
		return r.fax(packed, width, height)
	case jpegScheme:
		return r.jpeg(packed, width, height)
	case uncompressed:
		unpacked = packed
	case lempelZiv:
		reader := lzw.NewReader(packed, lzw.MSB, 8)
		defer reader.Close()
		unpacked = reader
	case packBits:
		unpacked = &packBitsReader{r: packed}
	default: // deflate
		reader, err := zlib.NewReader(packed)
		if err != nil {
			return nil, err
		}
		defer reader.Close()
		unpacked = reader
	}
	return r.pixels(unpacked, width, height)
}

// pixels reads rows of samples and makes shades of them.
func (r *bitmap) pixels(from io.Reader, width, height int) (*image.Gray, error) {
	block := image.NewGray(image.Rect(0, 0, width, height))
	row := make([]byte, (width*r.samples*r.bits+7)/8)
	samples := make([]byte, width*r.samples)
	for y := range height {
		if _, err := io.ReadFull(from, row); err != nil {
			return nil, err
		}
		if r.fillOrder == 2 && r.bits == 1 {
			for i, b := range row {
				row[i] = bits.Reverse8(b)
			}
		}
		r.unpredict(row)
		r.unpack(samples, row)
		r.shade(block.Pix[y*block.Stride:][:width], samples)
	}
	return block, nil
}

// unpredict adds up a row of differences.
func (r *bitmap) unpredict(row []byte) {
	switch {
	case r.predictor != 2:
	case r.bits == 8:
		for i := r.samples; i < len(row); i++ {
			row[i] += row[i-r.samples]
		}
	case r.bits == 16:
		for i := 2 * r.samples; i+1 < len(row); i += 2 {
			r.tiff.order.PutUint16(row[i:], r.tiff.order.Uint16(row[i:])+r.tiff.order.Uint16(row[i-2*r.samples:]))
		}
	}
}

// unpack makes one byte of each sample: the index of a palette as it is,
// anything else stretched to 0 to 255.
func (r *bitmap) unpack(samples, row []byte) {
	switch r.bits {
	case 8:
		copy(samples, row)
	case 16:
		high := 0
		if r.tiff.order == binary.LittleEndian {
			high = 1
		}
		for i := range samples {
			samples[i] = row[2*i+high]
		}
	default:
		most := byte(1<<r.bits - 1)
		stretch := 255 / most
		if r.photometric == palette {
			stretch = 1
		}
		for i := range samples {
			bit := i * r.bits
			samples[i] = row[bit/8] >> (8 - r.bits - bit%8) & most * stretch
		}
	}
}

// shade makes luminance of samples.
func (r *bitmap) shade(pixels, samples []byte) {
	for i := range pixels {
		s := samples[i*r.samples:][:r.samples]
		v := s[0]
		switch r.photometric {
		case whiteIsZero:
			v = ^v
		case palette:
			v = r.shades[int(v)%len(r.shades)]
		case trueColour:
			v = raster.Luma(s[0], s[1], s[2])
		case separated:
			v = raster.Luminance(color.CMYK{C: s[0], M: s[1], Y: s[2], K: s[3]})
		}
		if r.alpha {
			v = raster.Over(v, s[len(s)-1])
		}
		pixels[i] = v
	}
}

// fax unpacks CCITT data. If black is zero, black and white are swapped in TIFF.
func (r *bitmap) fax(packed io.Reader, width, height int) (*image.Gray, error) {
	data, err := io.ReadAll(packed)
	if err != nil {
		return nil, err
	}
	coding := map[int]faxCoding{huffman: modifiedHuffman, groupThreeScheme: groupThree, groupFourScheme: groupFour}[r.compression]
	if coding == groupThree && r.mixed {
		coding = groupThreeMixed
	}
	block, err := decodeFax(data, coding, r.fillOrder == 2, width, height)
	if err == nil && r.photometric != whiteIsZero {
		invert(block)
	}
	return block, err
}

func invert(m *image.Gray) {
	for i, v := range m.Pix {
		m.Pix[i] = ^v
	}
}

// jpeg unpacks a block that is a JPEG, whose tables may be in the directory.
func (r *bitmap) jpeg(packed io.Reader, width, height int) (*image.Gray, error) {
	data, err := io.ReadAll(packed)
	if err != nil {
		return nil, err
	}
	if len(r.tables) > 4 && len(data) > 2 {
		// Both are complete JPEGs: the end marker of the first and the start marker
		// of the second are dropped.
		data = append(r.tables[:len(r.tables)-2:len(r.tables)-2], data[2:]...)
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if config.Width < min(width, r.width) || config.Width > width || config.Height > height+16 {
		return nil, errTIFF
	}
	m, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if planes, ok := m.(*image.YCbCr); ok && r.photometric == trueColour {
		// The decoder cannot know that the planes are red, green and blue.
		return planesToGray(planes), nil
	}
	gray := raster.Gray(m)
	if r.photometric == whiteIsZero {
		invert(gray)
	}
	return gray, nil
}

// planesToGray reads the planes as red, green and blue.
func planesToGray(m *image.YCbCr) *image.Gray {
	b := m.Bounds()
	gray := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			c := m.COffset(b.Min.X+x, b.Min.Y+y)
			gray.Pix[y*gray.Stride+x] = raster.Luma(m.Y[m.YOffset(b.Min.X+x, b.Min.Y+y)], m.Cb[c], m.Cr[c])
		}
	}
	return gray
}

// A packBitsReader unpacks Apple's run-length scheme.
type packBitsReader struct {
	r    io.Reader
	left int  // bytes that the last code still gives
	run  bool // they repeat value
	last byte
}

func (p *packBitsReader) Read(out []byte) (int, error) {
	var code [1]byte
	for p.left == 0 {
		if _, err := io.ReadFull(p.r, code[:]); err != nil {
			return 0, err
		}
		switch n := int8(code[0]); {
		case n >= 0:
			p.left, p.run = int(n)+1, false
		case n != -128:
			p.left, p.run = 1-int(n), true
			if _, err := io.ReadFull(p.r, code[:]); err != nil {
				return 0, err
			}
			p.last = code[0]
		}
	}
	out = out[:min(len(out), p.left)]
	if p.run {
		for i := range out {
			out[i] = p.last
		}
	} else if n, err := io.ReadFull(p.r, out); err != nil {
		return n, err
	}
	p.left -= len(out)
	return len(out), nil
}
