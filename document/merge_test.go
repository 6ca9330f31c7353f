package document

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

func allPagesOf(tb testing.TB, r *Reader, path string) []Page {
	tb.Helper()
	var pages []Page
	require.NoError(tb, r.Extract(tb.Context(), path, PDF, 1, 0, func(p Page) error {
		pages = append(pages, p)
		return nil
	}))
	return pages
}

func TestSearchablePDF(t *testing.T) {
	t.Parallel()
	r := testReader(t, nil)
	picture := formattest.Paper(t, 400, 500)
	original := formattest.PDF(
		formattest.PDFPage{Content: formattest.Line(72, 700, "Drawn text") + "0.5 0 0 0.5 10 10 cm\n"}, // leaves its scale behind
		formattest.PDFPage{Content: formattest.FullPageImage, Image: picture},
		formattest.PDFPage{Content: formattest.FullPageImage, Image: picture, Attributes: "/Rotate 90"},
		formattest.PDFPage{Content: formattest.FullPageImage, Image: picture, Attributes: "/Rotate 180 /CropBox [10 20 600 780]"},
		formattest.PDFPage{Content: formattest.FullPageImage, Image: picture, Attributes: "/Rotate 270 /MediaBox [-100 -50 512 742]"},
	)
	for name, data := range map[string][]byte{
		"Plain":     original,
		"Encrypted": formattest.Encrypt(t, original, ""),
		"NoTable":   original[:bytes.LastIndex(original, []byte("xref"))],
	} {
		path := formattest.TempFile(t, "a.pdf", data)
		before := allPagesOf(t, r, path)
		var layers []layout.Page
		for _, page := range before {
			layers = append(layers, formattest.Recognised(page.Number, page.Width, page.Height))
		}
		output := filepath.Join(t.TempDir(), "out.pdf")
		require.NoError(t, r.Searchable(t.Context(), path, PDF, layers, output), name)
		after := allPagesOf(t, r, output)
		require.Len(t, after, len(before), name)
		for i, page := range after {
			require.Equal(t, before[i].Width, page.Width, name)
			t.Logf("%s page %d", name, i+1)
			formattest.RequireWords(t, layers[i], page)
			was, err := r.Render(t.Context(), path, PDF, i+1, 50)
			require.NoError(t, err)
			is, err := r.Render(t.Context(), output, PDF, i+1, 50)
			require.NoError(t, err)
			require.Equal(t, was.Bytes, is.Bytes, "%s: page %d looks as before", name, i+1)
		}
		require.Contains(t, after[0].Text, "Drawn text")
		formattest.RequireFound(t, output, layers[0])
		written, err := os.ReadFile(output)
		require.NoError(t, err)
		require.True(t, bytes.Contains(written, picture), "images keep their bytes")
	}
	err := r.Searchable(t.Context(), formattest.TempFile(t, "a.pdf", original), PDF, []layout.Page{formattest.Recognised(9, 612, 792)}, filepath.Join(t.TempDir(), "out.pdf"))
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

// TestSearchableTurned has text that stands sideways or upside down on the page: other
// programs read it as recognition did, and so do we.
func TestSearchableTurned(t *testing.T) {
	t.Parallel()
	r := testReader(t, nil)
	const text = "This lease is made between landlord Alder\nand tenant Birch on the first of May\nto end two years after that day at noon\n"
	upright := layout.Page{Text: text}
	x, y := float32(100), float32(200)
	for start, left := 0, text; left != ""; {
		word, separator := left[:strings.IndexAny(left, " \n")], left[strings.IndexAny(left, " \n")]
		end := start + len(word)
		upright.Words = append(upright.Words, layout.Word{Start: start, End: end, Box: layout.Box{X0: x, Y0: y, X1: x + 6*float32(len(word)), Y1: y + 11}})
		if x += 6 * float32(len(word)+1); separator == '\n' {
			x, y = 100, y+16
		}
		start, left = end+1, left[len(word)+1:]
	}
	const side = 600 // of the page, which is square
	turns := []func(b layout.Box) layout.Box{
		func(b layout.Box) layout.Box { return b },
		func(b layout.Box) layout.Box { return layout.Box{X0: side - b.Y1, Y0: b.X0, X1: side - b.Y0, Y1: b.X1} },
		func(b layout.Box) layout.Box {
			return layout.Box{X0: side - b.X1, Y0: side - b.Y1, X1: side - b.X0, Y1: side - b.Y0}
		},
		func(b layout.Box) layout.Box { return layout.Box{X0: b.Y0, Y0: side - b.X1, X1: b.Y1, Y1: side - b.X0} },
	}
	paper := formattest.Paper(t, 600, 600)
	for quarters, turn := range turns {
		page := layout.Page{Number: 1, Width: side, Height: side, Text: text}
		for _, w := range upright.Words {
			w.Box = turn(w.Box)
			page.Words = append(page.Words, w)
		}
		require.Equal(t, quarters, layout.Quarters(page))
		image := formattest.PDFPage{Content: "q 600 0 0 600 0 0 cm /I Do Q", Image: paper, Attributes: "/MediaBox [0 0 600 600]"}
		turned := image
		turned.Attributes += " /Rotate 90"
		for name, source := range map[string]Part{
			"PDF":    {formattest.TempFile(t, "a.pdf", formattest.PDF(image)), PDF},
			"Rotate": {formattest.TempFile(t, "b.pdf", formattest.PDF(turned)), PDF},
			"JPEG":   {formattest.TempFile(t, "c.jpg", paper), JPEG},
		} {
			output := filepath.Join(t.TempDir(), "out.pdf")
			require.NoError(t, r.Searchable(t.Context(), source.Path, source.Kind, []layout.Page{page}, output))
			read := allPagesOf(t, r, output)[0]
			if quarters == 2 { // pdfium has what is drawn in several pieces on a line from left to right
				require.ElementsMatch(t, strings.Fields(text), strings.Fields(read.Text), name)
			} else {
				require.Equal(t, strings.Fields(text), strings.Fields(read.Text), "%s, %d quarters", name, quarters)
			}
			if read.Width == side { // of a picture without a resolution it is another
				formattest.RequireWords(t, page, read)
			}
			formattest.RequireText(t, output, text)
		}
	}
}

func encodePNG(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, png.Encode(&b, m))
	return b.Bytes()
}

func TestSearchableImage(t *testing.T) {
	t.Parallel()
	r := testReader(t, nil)
	for name, test := range map[string]struct {
		kind Kind
		data []byte
	}{
		"JPEG":   {JPEG, formattest.Paper(t, 800, 1000)},
		"Colour": {PNG, encodePNG(t, formattest.Flag())},
	} {
		path := formattest.TempFile(t, "image", test.data)
		img, err := r.Render(t.Context(), path, test.kind, 1, 0)
		require.NoError(t, err, name)
		layer := formattest.Recognised(1, img.PageWidth, img.PageHeight)
		output := filepath.Join(t.TempDir(), "out.pdf")
		require.NoError(t, r.Searchable(t.Context(), path, test.kind, []layout.Page{layer}, output), name)
		pages := allPagesOf(t, r, output)
		require.Len(t, pages, 1)
		require.InDelta(t, img.PageWidth, pages[0].Width, 0.01)
		require.InDelta(t, img.PageHeight, pages[0].Height, 0.01)
		require.InDelta(t, 1, pages[0].ImageArea, 0.001)
		formattest.RequireWords(t, layer, pages[0])
		formattest.RequireFound(t, output, layer)
		if test.kind == JPEG {
			written, err := os.ReadFile(output)
			require.NoError(t, err)
			require.True(t, bytes.Contains(written, test.data), "a JPEG keeps its bytes")
		}
	}
}

// turnedJPEG is paper with an EXIF block that says how to turn it.
func turnedJPEG(tb testing.TB, o raster.Orientation) []byte {
	tb.Helper()
	data := formattest.Paper(tb, 400, 500)
	exif := append([]byte("\xFF\xE1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), byte(o), 0, 0, 0, 0, 0, 0)
	return append(append(append([]byte(nil), data[:2]...), exif...), data[2:]...)
}

func TestMerge(t *testing.T) {
	t.Parallel()
	r := testReader(t, nil)
	bilevel := image.NewGray(image.Rect(0, 0, 101, 203))
	for i := range bilevel.Pix {
		bilevel.Pix[i] = uint8(255 * (i / 7 % 2))
	}
	var parts []Part
	add := func(kind Kind, data []byte) {
		parts = append(parts, Part{Path: formattest.TempFile(t, "part", data), Kind: kind})
	}
	add(PNG, encodePNG(t, formattest.Flag()))
	add(PNG, encodePNG(t, bilevel))
	for o := range raster.Orientation(9) {
		add(JPEG, turnedJPEG(t, o))
	}
	check := func(parts []Part) {
		output := filepath.Join(t.TempDir(), "out.pdf")
		n, err := r.Merge(t.Context(), parts, output)
		require.NoError(t, err)
		pages := allPagesOf(t, r, output)
		require.Len(t, pages, n)
		page := 0
		for i, part := range parts {
			info, err := r.Inspect(t.Context(), part.Path, "part")
			require.NoError(t, err)
			for inner := range info.Pages {
				page++
				want, err := r.Render(t.Context(), part.Path, part.Kind, inner+1, 60)
				require.NoError(t, err)
				have, err := r.Render(t.Context(), output, PDF, page, 60)
				require.NoError(t, err)
				require.InDelta(t, want.PageWidth, have.PageWidth, 0.02, "part %d", i)
				require.InDelta(t, want.PageHeight, have.PageHeight, 0.02, "part %d", i)
				require.Less(t, visibleChange(t, want, have), 0.03, "part %d", i)
			}
		}
		require.Equal(t, page, n)
	}
	check(parts)
	parts = append(parts[:3:3], Part{Kind: PDF, Path: formattest.TempFile(t, "part", formattest.PDF(
		formattest.PDFPage{Content: formattest.Line(72, 700, "First")}, formattest.PDFPage{Content: formattest.Line(72, 700, "Second"), Attributes: "/Rotate 90"}))})
	parts = append(parts, Part{Kind: PDF, Path: formattest.TempFile(t, "part", formattest.Encrypt(t, formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Third")}), ""))}, parts[0])
	check(parts)

	_, err := r.Merge(t.Context(), []Part{parts[0], {Path: formattest.TempFile(t, "part", []byte("%PDF-1.7")), Kind: PDF}}, filepath.Join(t.TempDir(), "out.pdf"))
	require.Equal(t, fault.CorruptFile, fault.CodeOf(err))
	require.Contains(t, fault.Message(err), "file 2:")
	output := filepath.Join(t.TempDir(), "out.pdf")
	_, err = r.Merge(t.Context(), []Part{{Path: parts[0].Path, Kind: HTML}}, output)
	require.Equal(t, fault.UnsupportedType, fault.CodeOf(err))
	require.NoFileExists(t, output)
}

// visibleChange is the share of pixels in which two pictures of a page clearly
// differ, after what one more or less row costs.
func visibleChange(tb testing.TB, a, b Image) float64 {
	tb.Helper()
	pixels := func(i Image) *image.Gray {
		return raster.Resized(&image.Gray{Pix: i.Bytes[len(i.Bytes)-i.Width*i.Height:], Stride: i.Width, Rect: image.Rect(0, 0, i.Width, i.Height)}, 200, 200)
	}
	x, y := pixels(a), pixels(b)
	differ := 0
	for i := range x.Pix {
		if d := int(x.Pix[i]) - int(y.Pix[i]); d < -60 || d > 60 {
			differ++
		}
	}
	return float64(differ) / float64(len(x.Pix))
}
