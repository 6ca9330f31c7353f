package document

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/fault"
)

// drawn is a page as people see it.
func drawn(t *testing.T, r *Reader, path string, kind Kind, page, width int, as Format) image.Image {
	t.Helper()
	data, err := r.Draw(t.Context(), path, kind, page, width, as)
	require.NoError(t, err)
	img, name, err := image.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, string(as), name)
	return img
}

func requireColour(t *testing.T, want color.RGBA, img image.Image, x, y int) {
	t.Helper()
	r, g, b, _ := img.At(x, y).RGBA()
	require.InDelta(t, want.R, r>>8, 20)
	require.InDelta(t, want.G, g>>8, 20)
	require.InDelta(t, want.B, b>>8, 20)
}

func TestDraw(t *testing.T) {
	t.Parallel()
	r := testReader(t, nil)
	red, white := color.RGBA{R: 255}, color.RGBA{R: 255, G: 255, B: 255}
	const mark = "1 0 0 rg 0 0 306 396 re f" // the lower left quarter
	path := formattest.TempFile(t, "a.pdf", formattest.PDF(
		formattest.PDFPage{Content: mark}, formattest.PDFPage{Content: mark, Attributes: "/Rotate 90"},
		formattest.PDFPage{Content: formattest.FullPageImage, Image: formattest.Paper(t, 1700, 2200)},
		formattest.PDFPage{Content: mark, Attributes: "/MediaBox [0 0 2 14000]"},
	))
	for _, as := range []Format{AsJPEG, AsPNG} {
		img := drawn(t, r, path, PDF, 1, 400, as)
		require.Equal(t, image.Pt(400, 518), img.Bounds().Size())
		requireColour(t, red, img, 100, 400)
		requireColour(t, white, img, 300, 400)
		requireColour(t, white, img, 100, 100)
		img = drawn(t, r, path, PDF, 2, 400, as)
		require.Equal(t, image.Pt(400, 309), img.Bounds().Size(), "as displayed")
		requireColour(t, red, img, 100, 100)
		requireColour(t, white, img, 300, 250)
	}
	require.Equal(t, image.Pt(500, 647), drawn(t, r, path, PDF, 3, 500, AsJPEG).Bounds().Size(), "a scan")
	for _, as := range []Format{AsJPEG, AsPNG} {
		require.LessOrEqual(t, drawn(t, r, path, PDF, 4, 4000, as).Bounds().Dy(), 16_000, "a page that would be too high")
	}
	_, err := r.Draw(t.Context(), path, PDF, 5, 100, AsPNG)
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	flag := formattest.TempFile(t, "flag.png", encodePNG(t, formattest.Flag()))
	img := drawn(t, r, flag, PNG, 1, 150, AsPNG)
	require.Equal(t, image.Pt(150, 200), img.Bounds().Size())
	requireColour(t, color.RGBA{R: 255, G: 255, B: 40}, drawn(t, r, flag, PNG, 1, 300, AsPNG), 180, 380)
	for o := range raster.Orientation(9) {
		turned := formattest.TempFile(t, "turned.jpg", turnedJPEG(t, o))
		size := drawn(t, r, turned, JPEG, 1, 200, AsJPEG).Bounds().Size()
		want := image.Pt(200, 250)
		if o.Swaps() {
			want = image.Pt(200, 160)
		}
		require.Equal(t, want, size, "orientation %d", o)
	}
	_, err = r.Draw(t.Context(), formattest.TempFile(t, "a.html", []byte("<p>Lease")), HTML, 1, 100, AsPNG)
	require.Equal(t, fault.Unsupported, fault.KindOf(err))
	cut := formattest.Paper(t, 800, 1000)
	_, err = r.Draw(t.Context(), formattest.TempFile(t, "cut.jpg", cut[:len(cut)/2]), JPEG, 1, 100, AsPNG)
	require.Equal(t, fault.CorruptFile, fault.CodeOf(err))
}

// TestDrawColour has a JPEG in colour, which keeps them through scaling.
func TestDrawColour(t *testing.T) {
	t.Parallel()
	r := testReader(t, nil)
	var data bytes.Buffer
	require.NoError(t, jpeg.Encode(&data, raster.Fit(formattest.Flag(), 301, 401, 1), &jpeg.Options{Quality: 95}))
	path := formattest.TempFile(t, "a.jpg", data.Bytes())
	requireColour(t, color.RGBA{R: 255, G: 255, B: 40}, drawn(t, r, path, JPEG, 1, 150, AsPNG), 75, 180)
}
