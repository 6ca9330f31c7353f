package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/fault"
)

// kindOf takes for a TIFF what is none of the others.
func kindOf(data []byte) format.Kind {
	switch http.DetectContentType(data) {
	case "image/png":
		return format.PNG
	case "image/jpeg":
		return format.JPEG
	case "image/webp":
		return format.WebP
	default:
		return format.TIFF
	}
}

// openImage opens a picture as serving does.
func openImage(tb testing.TB, data []byte, limits format.Limits) (format.File, error) {
	tb.Helper()
	f, err := Opener(kindOf(data))(tb.Context(), formattest.TempFile(tb, "image", data), limits)
	if err == nil {
		tb.Cleanup(func() { f.Close() })
	}
	return f, err
}

// renderedAs renders a page in its own resolution, or in that of dpi.
func renderedAs(tb testing.TB, f format.File, page int, dpi float64) (format.Image, *image.Gray) {
	tb.Helper()
	img, err := f.Render(tb.Context(), page, dpi, false)
	require.NoError(tb, err)
	return img, fromPNM(tb, img)
}

// fromPNM reads what recognition is given.
func fromPNM(tb testing.TB, img format.Image) *image.Gray {
	tb.Helper()
	head := len(img.Bytes) - img.Width*img.Height
	require.Equal(tb, []byte("P5"), img.Bytes[:2])
	gray := image.NewGray(image.Rect(0, 0, img.Width, img.Height))
	require.Equal(tb, len(gray.Pix), copy(gray.Pix, img.Bytes[head:]))
	return gray
}

func fixture(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(tb, err)
	return data
}

// distance is the mean distance of two pictures, 0 to 255.
func distance(tb testing.TB, a, b *image.Gray) float64 {
	tb.Helper()
	require.Equal(tb, a.Rect, b.Rect)
	sum := 0.0
	for i := range a.Pix {
		sum += math.Abs(float64(a.Pix[i]) - float64(b.Pix[i]))
	}
	return sum / float64(len(a.Pix))
}

// asIs asks for more than any picture has.
const asIs = 1e6

func pngOf(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, png.Encode(&b, m))
	return b.Bytes()
}

func jpegOf(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}))
	return b.Bytes()
}

// chunk is a chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// withDensity puts a pHYs chunk after the header of a PNG.
func withDensity(data []byte, perMetre uint32) []byte {
	body := binary.BigEndian.AppendUint32(nil, perMetre)
	body = append(binary.BigEndian.AppendUint32(body, perMetre), 1)
	const header = 8 + 25
	return append(append(bytes.Clone(data[:header]), chunk("pHYs", body)...), data[header:]...)
}

// exif is an EXIF block with an orientation and a resolution.
func exif(order binary.AppendByteOrder, mark string, o, dpi int) []byte {
	b := append([]byte(mark), 0, 0)
	b = order.AppendUint16(b[:2], 42)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint16(order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tagOrientation), 3), 1), uint16(o))
	b = append(b, 0, 0)
	for _, tag := range []uint16{tagXResolution, tagYResolution} {
		b = order.AppendUint32(order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), 5), 1), 50)
	}
	b = order.AppendUint32(b, 0)
	return order.AppendUint32(order.AppendUint32(b, uint32(dpi)), 1)
}

// withEXIF puts an APP1 segment at the start of a JPEG.
func withEXIF(data, block []byte) []byte {
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(block)+8))
	segment = append(append(segment, "Exif\x00\x00"...), block...)
	return append(segment, data[2:]...)
}

// corner is white with one dark quarter.
func corner(width, height int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = raster.White
		if i%width < width/2 && i/width < height/2 {
			m.Pix[i] = 0
		}
	}
	return m
}

func TestPictures(t *testing.T) {
	t.Parallel()
	word, err := png.Decode(bytes.NewReader(fixture(t, "word.png")))
	require.NoError(t, err)
	want := raster.Gray(word)
	coloured := image.NewRGBA(want.Rect)
	shifted := image.NewNRGBA(want.Rect.Add(image.Pt(3, 5)))
	deep := image.NewGray16(want.Rect)
	indexed := image.NewPaletted(want.Rect, nil)
	for i := range 256 {
		indexed.Palette = append(indexed.Palette, color.Gray{uint8(i)})
	}
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			v := want.GrayAt(x, y)
			coloured.Set(x, y, v)
			shifted.SetNRGBA(x+3, y+5, color.NRGBA{0, 0, 0, 255 - v.Y}) // black ink on nothing
			deep.Set(x, y, v)
			indexed.SetColorIndex(x, y, v.Y)
		}
	}
	for name, c := range map[string]struct {
		data     []byte
		distance float64
	}{
		"PNG":         {fixture(t, "word.png"), 0},
		"WebP":        {fixture(t, "word.webp"), 4},
		"JPEG":        {jpegOf(t, want), 2},
		"Colours":     {jpegOf(t, coloured), 2},
		"Transparent": {pngOf(t, shifted), 0},
		"Deep":        {pngOf(t, deep), 0},
		"Indexed":     {pngOf(t, indexed), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := openImage(t, c.data, format.DefaultLimits())
			require.NoError(t, err)
			require.Equal(t, 1, f.Pages())
			_, got := renderedAs(t, f, 1, asIs)
			require.LessOrEqual(t, distance(t, want, got), c.distance)
			_, err = f.Render(t.Context(), 2, 0, false)
			require.Equal(t, fault.NotFound, fault.KindOf(err))
		})
	}
}

func TestPictureSize(t *testing.T) {
	t.Parallel()
	blank := func(w, h int) []byte { return pngOf(t, image.NewGray(image.Rect(0, 0, w, h))) }
	for name, c := range map[string]struct {
		data          []byte
		dpi           float64 // that is asked for
		width, height float32 // of the page in points
		pixels        int     // across
		got           float64
	}{
		"Density":       {withDensity(blank(1700, 2200), 7874), 0, 612, 792, 1700, 200},
		"FineScan":      {withDensity(blank(3400, 4400), 15748), 0, 612, 792, 2550, 300},
		"CoarseScan":    {withDensity(blank(850, 1100), 3937), 0, 612, 792, 1275, 150},
		"Asked":         {withDensity(blank(1700, 2200), 7874), 100, 612, 792, 850, 100},
		"Guessed":       {blank(1654, 2339), asIs, 595, 842, 1654, 200},
		"Photograph":    {withDensity(blank(3000, 2000), 2835), asIs, 842, 561, 3000, 256.6},
		"Nonsense":      {withDensity(blank(1654, 2339), 10), asIs, 595, 842, 1654, 200},
		"JPEG":          {withEXIF(jpegOf(t, corner(200, 100)), exif(binary.BigEndian, "MM", 1, 40)), asIs, 360, 180, 200, 40},
		"TurnedJPEG":    {withEXIF(jpegOf(t, corner(200, 100)), exif(binary.LittleEndian, "II", 6, 40)), asIs, 180, 360, 100, 40},
		"TinyIsCoarse":  {blank(20, 10), asIs, 20, 10, 20, 72},
		"TallAndNarrow": {blank(1, 3000), asIs, 0, 842, 1, 256.6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := openImage(t, c.data, format.DefaultLimits())
			require.NoError(t, err)
			img, _ := renderedAs(t, f, 1, c.dpi)
			require.InDelta(t, c.width, img.PageWidth, 1)
			require.InDelta(t, c.height, img.PageHeight, 1)
			require.InDelta(t, c.pixels, img.Width, 1)
			require.InDelta(t, c.got, img.DPI, 0.2)
			var pages []format.Page
			require.NoError(t, f.Extract(t.Context(), 1, format.AllPages, func(p format.Page) error {
				pages = append(pages, p)
				return nil
			}))
			require.Len(t, pages, 1)
			require.Equal(t, img.PageWidth, pages[0].Width)
			require.Equal(t, img.PageHeight, pages[0].Height)
			require.True(t, pages[0].NeedsOCR)
			require.Equal(t, format.ReasonImage, pages[0].Reason)
		})
	}
}

// The dark corner tells where each of the eight orientations takes a picture.
func TestPictureTurns(t *testing.T) {
	t.Parallel()
	upright := corner(40, 24)
	dark := func(m *image.Gray) (x, y int) {
		for i, v := range m.Pix {
			if v < 128 {
				x, y = x+2*(i%m.Rect.Dx())/m.Rect.Dx(), y+2*(i/m.Rect.Dx())/m.Rect.Dy()
			}
		}
		return min(x, 1), min(y, 1)
	}
	for o, want := range [][2]int{1: {0, 0}, 2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1}, 9: {0, 0}} {
		f, err := openImage(t, withEXIF(jpegOf(t, upright), exif(binary.BigEndian, "MM", o, 10)), format.DefaultLimits())
		require.NoError(t, err)
		_, got := renderedAs(t, f, 1, asIs)
		x, y := dark(got)
		require.Equal(t, want, [2]int{x, y}, "orientation %d", o)
		require.Equal(t, o >= 5 && o <= 8, got.Rect.Dx() == 24)
	}
	// Mirrored and then turned is not turned and then mirrored.
	asymmetric := &image.Gray{Pix: []uint8{1, 2, 3, 4, 5, 6}, Stride: 3, Rect: image.Rect(0, 0, 3, 2)}
	for o, want := range map[raster.Orientation][]uint8{2: {3, 2, 1, 6, 5, 4}, 5: {1, 4, 2, 5, 3, 6}, 6: {4, 1, 5, 2, 6, 3}, 7: {6, 3, 5, 2, 4, 1}, 8: {3, 6, 2, 5, 1, 4}} {
		require.Equal(t, want, raster.Turned(asymmetric, o).Pix)
	}
}

func TestResized(t *testing.T) {
	t.Parallel()
	flat := image.NewGray(image.Rect(0, 0, 100, 70))
	for i := range flat.Pix {
		flat.Pix[i] = 137
	}
	for _, size := range []image.Point{{33, 20}, {100, 140}, {1, 1}, {250, 7}} {
		got := raster.Resized(flat, size.X, size.Y)
		require.Equal(t, size, got.Rect.Size())
		for _, v := range got.Pix {
			require.InDelta(t, 137, v, 1, "an even grey stays as it is")
		}
	}
	halves := raster.Resized(corner(100, 100), 50, 50)
	require.Zero(t, distance(t, corner(50, 50), halves))
	twice := raster.Resized(corner(50, 50), 100, 100)
	require.Less(t, distance(t, corner(100, 100), twice), 4.0)
}

func TestPictureFaults(t *testing.T) {
	t.Parallel()
	small := format.DefaultLimits()
	small.MaxPixels = 10_000
	header := func(width, height uint32) []byte {
		body := binary.BigEndian.AppendUint32(nil, width)
		body = append(binary.BigEndian.AppendUint32(body, height), 8, 0, 0, 0, 0)
		return append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", body)...)
	}
	whole := jpegOf(t, corner(80, 80))
	for name, c := range map[string]struct {
		data []byte
		code fault.Code
	}{
		"TooLarge":      {header(200, 51), fault.FileTooLarge},
		"Bomb":          {header(1<<20, 1<<20), fault.FileTooLarge},
		"NoPixels":      {header(0, 5), fault.CorruptFile},
		"HeaderOnly":    {header(80, 80), fault.CorruptFile},
		"CutHeader":     {whole[:30], fault.CorruptFile},
		"CutShort":      {whole[:len(whole)/2], fault.CorruptFile},
		"NotOfItsKind":  {[]byte("RIFF\x00\x00\x00\x00WEBPVP8 "), fault.CorruptFile},
		"NoImageInTIFF": {[]byte("II*\x00\x00\x00\x00\x00"), fault.CorruptFile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := openImage(t, c.data, small)
			if err == nil {
				_, err = f.Render(t.Context(), 1, 0, false)
				var page *fault.Error
				require.ErrorAs(t, err, &page)
				require.Equal(t, 1, page.Page)
			}
			formattest.RequireCode(t, c.code, err)
		})
	}
	// A page whose pixels are not square may grow beyond the limit.
	f := frame{width: 100, height: 50, density: density{10, 20}, decode: func() (*image.Gray, error) { return corner(100, 50), nil }}
	p := &File{limits: format.Limits{MaxPixels: 6000}, frames: []frame{f}}
	img, gray := renderedAs(t, p, 1, asIs)
	require.LessOrEqual(t, img.Width*img.Height, 6000)
	require.InDelta(t, 4, float64(gray.Rect.Dx())/float64(gray.Rect.Dy()), 0.1)
	require.Less(t, img.DPI, 20.0)
}

func FuzzPicture(f *testing.F) {
	f.Add(fixture(f, "word.png"))
	f.Add(fixture(f, "word.webp"))
	f.Add(fixture(f, "pages.tif"))
	f.Add(withEXIF(jpegOf(f, corner(16, 16)), exif(binary.BigEndian, "MM", 6, 40)))
	f.Fuzz(fuzzPicture)
}

// fuzzPicture renders every page of a picture, or gives a fault.
func fuzzPicture(t *testing.T, data []byte) {
	if len(data) == 0 {
		return
	}
	limits := format.DefaultLimits()
	limits.MaxPixels, limits.MaxPages = 200_000, 10
	file, err := openImage(t, data, limits)
	for page := 1; err == nil && page <= file.Pages(); page++ {
		var img format.Image
		if img, err = file.Render(t.Context(), page, 0, false); err == nil {
			require.LessOrEqual(t, img.Width*img.Height, limits.MaxPixels)
			fromPNM(t, img)
		}
	}
	if err != nil {
		formattest.RequireCode(t, fault.CodeOf(err), err)
		require.NotEqual(t, fault.InternalCode, fault.CodeOf(err), "%v", err)
	}
}
