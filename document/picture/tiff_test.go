package picture

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/fault"
)

// field is an entry of a TIFF directory: a tag and its values, longs all.
type field struct {
	tag    uint16
	values []uint32
}

// tiffOf writes a TIFF of pages, each a directory and the pixels of its one
// strip. The offset of the strip is filled in.
func tiffOf(order binary.AppendByteOrder, pages ...tiffPage) []byte {
	out := append([]byte(nil), "II*\x00"...)
	if order == binary.AppendByteOrder(binary.BigEndian) {
		out = []byte("MM\x00*")
	}
	out = order.AppendUint32(out, 0)
	link := 4 // where the offset of the next directory goes
	put := func(at int, v int) { copy(out[at:], order.AppendUint32(nil, uint32(v))) }
	for _, p := range pages {
		strip := len(out)
		out = append(out, p.pixels...)
		fields := append(slices.Clone(p.fields), field{tagStripOffsets, []uint32{uint32(strip)}}, field{tagStripByteCounts, []uint32{uint32(len(p.pixels))}})
		slices.SortFunc(fields, func(a, b field) int { return int(a.tag) - int(b.tag) })
		places := map[uint16]int{}
		for _, f := range fields {
			if len(f.values) > 1 {
				places[f.tag] = len(out)
				for _, v := range f.values {
					out = order.AppendUint32(out, v)
				}
			}
		}
		put(link, len(out))
		out = order.AppendUint16(out, uint16(len(fields)))
		for _, f := range fields {
			out = order.AppendUint32(order.AppendUint16(order.AppendUint16(out, f.tag), 4), uint32(len(f.values)))
			if at, ok := places[f.tag]; ok {
				out = order.AppendUint32(out, uint32(at))
			} else {
				out = order.AppendUint32(out, f.values[0])
			}
		}
		link = len(out)
		out = order.AppendUint32(out, 0)
	}
	return out
}

type tiffPage struct {
	fields []field
	pixels []byte
}

// plain is a page of uncompressed pixels of a size, a depth and a colour model.
func plain(width, height, bits, photometric uint32, pixels string, more ...field) tiffPage {
	return tiffPage{append([]field{
		{tagWidth, []uint32{width}}, {tagHeight, []uint32{height}}, {tagBits, []uint32{bits}}, {tagPhotometric, []uint32{photometric}},
	}, more...), []byte(pixels)}
}

// The pages of the fixture show one word in eight codings: plain bits, group 4
// in strips, group 3 in two dimensions and in one, JPEG with its tables apart,
// LZW with a predictor in tiles, PackBits and plain grey. Libtiff wrote it.
func TestTIFFPages(t *testing.T) {
	t.Parallel()
	f, err := openImage(t, fixture(t, "pages.tif"), format.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, 8, f.Pages())
	word, err := png.Decode(bytes.NewReader(fixture(t, "word.png")))
	require.NoError(t, err)
	_, first := renderedAs(t, f, 1, asIs)
	for page := 1; page <= 8; page++ {
		img, got := renderedAs(t, f, page, asIs)
		require.InDelta(t, 100, img.DPI, 0.1)
		switch {
		case page <= 4:
			require.Zero(t, distance(t, first, got), "page %d", page)
		case page == 5:
			require.Less(t, distance(t, raster.Gray(word), got), 6.0, "page %d", page)
		default:
			require.Zero(t, distance(t, raster.Gray(word), got), "page %d", page)
		}
	}
	var numbers []int
	require.NoError(t, f.Extract(t.Context(), 3, 5, func(p format.Page) error {
		numbers = append(numbers, p.Number)
		return nil
	}))
	require.Equal(t, []int{3, 4, 5}, numbers)
}

func TestTIFFPixels(t *testing.T) {
	t.Parallel()
	colours := make([]uint32, 3*4)
	for i, v := range []uint32{0, 0x5555, 0xaaaa, 0xffff} {
		colours[i], colours[4+i], colours[8+i] = v, v, v
	}
	for name, c := range map[string]struct {
		page tiffPage
		want []uint8
	}{
		"WhiteIsZero":  {plain(4, 1, 1, whiteIsZero, "\x50"), []uint8{255, 0, 255, 0}},
		"BlackIsZero":  {plain(4, 1, 1, blackIsZero, "\x50"), []uint8{0, 255, 0, 255}},
		"LeastFirst":   {plain(4, 1, 1, blackIsZero, "\x0a", field{tagFillOrder, []uint32{2}}), []uint8{0, 255, 0, 255}},
		"TwoBits":      {plain(4, 1, 2, blackIsZero, "\x1b"), []uint8{0, 85, 170, 255}},
		"FourBits":     {plain(3, 1, 4, blackIsZero, "\x08\xf0"), []uint8{0, 136, 255}},
		"OddRows":      {plain(3, 2, 4, blackIsZero, "\x08\xf0\xf8\x00"), []uint8{0, 136, 255, 255, 136, 0}},
		"SixteenBits":  {plain(2, 1, 16, blackIsZero, "\x34\x12\xff\xff"), []uint8{0x12, 255}},
		"Palette":      {plain(4, 1, 2, palette, "\x1b", field{tagColorMap, colours}), []uint8{0, 0x55, 0xaa, 255}},
		"NoPalette":    {plain(2, 1, 2, palette, "\x1b"), []uint8{0, 0}},
		"Colour":       {plain(2, 1, 8, trueColour, "\xff\xff\xff\xff\x00\x00", field{tagSamples, []uint32{3}}), []uint8{255, 76}},
		"Opacity":      {plain(2, 1, 8, trueColour, "\x00\x00\x00\xff\x00\x00\x00\x00", field{tagSamples, []uint32{4}}, field{tagExtraSamples, []uint32{2}}), []uint8{0, 255}},
		"FourInks":     {plain(2, 1, 8, separated, "\x00\x00\x00\x00\x00\x00\x00\xff", field{tagSamples, []uint32{4}}), []uint8{255, 0}},
		"Differences":  {plain(3, 1, 8, blackIsZero, "\x10\x10\xf0", field{tagPredictor, []uint32{2}}), []uint8{0x10, 0x20, 0x10}},
		"WideDiffs":    {plain(2, 1, 16, blackIsZero, "\xff\x10\x01\x00", field{tagPredictor, []uint32{2}}), []uint8{0x10, 0x11}},
		"PackBits":     {plain(5, 1, 8, blackIsZero, "\x80\x01\x0a\x0b\xfe\x0c", field{tagCompression, []uint32{packBits}}), []uint8{10, 11, 12, 12, 12}},
		"Mask":         {plain(2, 1, 8, mask, "\x00\xff"), []uint8{0, 255}},
		"NoCompressed": {plain(2, 1, 8, blackIsZero, "\x00\xff", field{tagRowsPerStrip, []uint32{0xffffffff}}), []uint8{0, 255}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := openImage(t, tiffOf(binary.LittleEndian, c.page), format.DefaultLimits())
			require.NoError(t, err)
			_, got := renderedAs(t, f, 1, asIs)
			require.Equal(t, c.want, got.Pix)
		})
	}
	f, err := openImage(t, tiffOf(binary.BigEndian, plain(2, 1, 16, blackIsZero, "\x12\x34\xff\xff")), format.DefaultLimits())
	require.NoError(t, err)
	_, got := renderedAs(t, f, 1, asIs)
	require.Equal(t, []uint8{0x12, 255}, got.Pix)
}

func TestTIFFFaults(t *testing.T) {
	t.Parallel()
	one := func(f ...field) []byte {
		return tiffOf(binary.LittleEndian, plain(2, 1, 8, blackIsZero, "\x00\xff", f...))
	}
	thumbnail := plain(1, 1, 8, blackIsZero, "\x00", field{tagSubfileType, []uint32{1}})
	page := plain(2, 1, 8, blackIsZero, "\x00\xff")
	ring := tiffOf(binary.LittleEndian, page, page)
	copy(ring[len(ring)-4:], ring[4:8])
	small := format.DefaultLimits()
	small.MaxPages, small.MaxPixels = 2, 1000
	for name, c := range map[string]struct {
		data []byte
		code fault.Code
		says string
	}{
		"Ring":             {ring, fault.CorruptFile, "ring"},
		"TooManyPages":     {tiffOf(binary.LittleEndian, page, page, page), fault.TooManyPages, "2 pages"},
		"OnlyThumbnails":   {tiffOf(binary.LittleEndian, thumbnail, thumbnail, thumbnail), fault.CorruptFile, "no pages"},
		"TooLarge":         {tiffOf(binary.LittleEndian, plain(1<<20, 1<<20, 1, blackIsZero, "")), fault.FileTooLarge, "1000"},
		"NoSize":           {tiffOf(binary.LittleEndian, plain(0, 1, 1, blackIsZero, "")), fault.CorruptFile, "no pixels"},
		"DirectoryBeyond":  {[]byte("II*\x00\xff\xff\x00\x00"), fault.CorruptFile, "decoded"},
		"CutShort":         {tiffOf(binary.LittleEndian, plain(100, 10, 8, blackIsZero, "short")), fault.CorruptFile, "cut short"},
		"BadDeflate":       {one(field{tagCompression, []uint32{deflate}}), fault.CorruptFile, "decoded"},
		"BadLZW":           {one(field{tagCompression, []uint32{lempelZiv}}), fault.CorruptFile, "decoded"},
		"BadJPEG":          {one(field{tagCompression, []uint32{jpegScheme}}), fault.CorruptFile, "decoded"},
		"OldJPEG":          {one(field{tagCompression, []uint32{oldJPEG}}), fault.UnsupportedType, "old-style JPEG"},
		"OtherCompression": {one(field{tagCompression, []uint32{50000}}), fault.UnsupportedType, "compression 50000"},
		"DeepFax":          {one(field{tagCompression, []uint32{groupFourScheme}}), fault.CorruptFile, "decoded"},
		"Planes":           {one(field{tagSamples, []uint32{3}}, field{tagPlanar, []uint32{2}}), fault.UnsupportedType, "separate colour planes"},
		"Floats":           {one(field{tagSampleFormat, []uint32{3}}), fault.UnsupportedType, "whole numbers"},
		"FloatPredictor":   {one(field{tagPredictor, []uint32{3}}), fault.UnsupportedType, "predictor"},
		"Lab":              {tiffOf(binary.LittleEndian, plain(1, 1, 8, 8, "x")), fault.UnsupportedType, "colour model"},
		"FewSamples":       {tiffOf(binary.LittleEndian, plain(1, 1, 8, trueColour, "x")), fault.UnsupportedType, "colour model"},
		"OddDepth":         {tiffOf(binary.LittleEndian, plain(1, 1, 7, blackIsZero, "x")), fault.UnsupportedType, "7 bits"},
		"Slivers":          {one(field{tagTileWidth, []uint32{900}}, field{tagTileHeight, []uint32{1}}, field{tagTileOffsets, []uint32{8, 8}}), fault.CorruptFile, "decoded"},
		"HugeTiles":        {one(field{tagTileWidth, []uint32{1 << 20}}, field{tagTileHeight, []uint32{1 << 20}}), fault.CorruptFile, "decoded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := openImage(t, c.data, small)
			if err == nil {
				_, err = f.Render(t.Context(), 1, 0, false)
			}
			formattest.RequireCode(t, c.code, err)
			require.Contains(t, fault.Message(err), c.says)
		})
	}
	_, err := openTIFF(t.Context(), formattest.TempFile(t, "big.tif", []byte("II+\x00\x08\x00\x00\x00")), small)
	formattest.RequireCode(t, fault.UnsupportedType, err)
}

// faxBits packs codes into bytes.
func faxBits(codes string) []byte {
	codes = strings.ReplaceAll(codes, " ", "")
	codes += strings.Repeat("0", (8-len(codes)%8)%8)
	var out []byte
	for group := range slices.Chunk([]byte(codes), 8) {
		var b byte
		for _, bit := range group {
			b = b<<1 | (bit - '0')
		}
		out = append(out, b)
	}
	return out
}

func TestFax(t *testing.T) {
	t.Parallel()
	const eol, fill = "000000000001", "0000000000000000"
	// Eight pixels: white 3, black 2, white 3; then black 1, white 7.
	const first, second = "1000 11 1000", "00110101 010 1111"
	rows := "\xff\xff\xff\x00\x00\xff\xff\xff" + "\x00\xff\xff\xff\xff\xff\xff\xff"
	align := func(codes string) string {
		return codes + strings.Repeat("0", (8-len(strings.ReplaceAll(codes, " ", ""))%8)%8)
	}
	for name, c := range map[string]struct {
		coding faxCoding
		codes  string
	}{
		"ModifiedHuffman": {modifiedHuffman, align(first) + second},
		"GroupThree":      {groupThree, eol + first + eol + second + strings.Repeat(eol, 6)},
		"Fill":            {groupThree, fill + eol + first + fill + eol + second},
		"NoFirstEnd":      {groupThree, first + eol + second},
		"Mixed":           {groupThreeMixed, eol + "1" + first + eol + "0" + "001 00110101 010 0001 1" + strings.Repeat(eol+"1", 6)},
		"GroupFour":       {groupFour, "001 1000 11 1" + "001 00110101 010 0001 1" + eol + eol},
		"NoTrailer":       {groupFour, "001 1000 11 1" + "001 00110101 010 0001 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := faxBits(c.codes)
			got, err := decodeFax(data, c.coding, false, 8, 2)
			require.NoError(t, err)
			require.Equal(t, []byte(rows), got.Pix)
			for i, b := range data {
				data[i] = bits.Reverse8(b)
			}
			got, err = decodeFax(data, c.coding, true, 8, 2)
			require.NoError(t, err)
			require.Equal(t, []byte(rows), got.Pix)
		})
	}
	t.Run("DamagedRow", func(t *testing.T) {
		t.Parallel()
		got, err := decodeFax(faxBits(eol+first+eol+"1000 0000 0001 1111 1"+eol+second), groupThree, false, 8, 6)
		require.NoError(t, err)
		require.Equal(t, rows[:8]+rows[:8]+rows[8:], string(got.Pix[:24]), "it is the row above")
		require.Equal(t, strings.Repeat("\xff", 24), string(got.Pix[24:]), "what was not sent is white")
	})
	t.Run("LongRuns", func(t *testing.T) {
		t.Parallel()
		// White 2560 + 1728 + 63, then black 1.
		got, err := decodeFax(faxBits("000000011111 010011011 00110100 010"), modifiedHuffman, false, 4352, 1)
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("\xff", 4351)+"\x00", string(got.Pix))
	})
	for name, c := range map[string]struct {
		coding faxCoding
		codes  string
	}{
		"Noise":       {groupFour, "0000001 1111111"},
		"TooLong":     {groupFour, "001 10010 00110101 11"},
		"Backwards":   {groupFour, "001 1000 11 1" + "1 000010 000010 000010"},
		"CutShort":    {groupFour, "001 1000 11 1"},
		"Nothing":     {modifiedHuffman, ""},
		"MostDamaged": {groupThree, strings.Repeat(eol+"0000 0000 1", 4)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := decodeFax(faxBits(c.codes), c.coding, false, 8, 4)
			require.Error(t, err)
		})
	}
}

// Every prefix code stands for itself: no code is the start of another.
func TestFaxCodes(t *testing.T) {
	t.Parallel()
	for _, codes := range []string{whiteCodes + " " + longCodes, blackCodes + " " + longCodes} {
		all := strings.Fields(codes)
		require.Len(t, all, 64+27+13)
		for i, a := range all {
			for j, b := range all {
				require.False(t, i != j && strings.HasPrefix(b, a), "%s %s", a, b)
			}
		}
	}
}

func FuzzFax(f *testing.F) {
	f.Add([]byte("\x26\xa0\x00\x10\x01"), uint8(3), uint16(8), uint16(2))
	f.Add([]byte("\x00\x18\xe0\x01\x35\x5f"), uint8(1), uint16(8), uint16(2))
	f.Fuzz(func(t *testing.T, data []byte, coding uint8, width, height uint16) {
		w, h := int(width%2000)+1, int(height%100)+1
		page, err := decodeFax(data, faxCoding(coding%4), coding&4 != 0, w, h)
		if err == nil {
			require.Len(t, page.Pix, w*h)
		}
	})
}
