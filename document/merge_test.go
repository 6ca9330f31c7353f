package document

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// recognised is a page as recognition returns it: words of a few scripts at
// known places.
func recognised(number int, width, height float32) layout.Page {
	page := layout.Page{Number: number, Width: width, Height: height}
	at := 0
	for i, word := range []string{"Mietvertrag", "für", "договор", "第一条", "naïve", "(a)"} {
		n := len([]rune(word))
		x, y := float32(40+50*(i%2)), float32(60+30*(i/2))
		page.Words = append(page.Words, layout.Word{
			Start: at, End: at + n, Confidence: 90,
			Box: layout.Box{X0: x, Y0: y, X1: x + float32(6*n), Y1: y + 10},
		})
		page.Text += word + "\n"
		at += n + 1
	}
	return page
}

// requireWords asserts that page holds the words of want at their places, among
// others.
func requireWords(tb testing.TB, want layout.Page, page Page) {
	tb.Helper()
	text, wanted := []rune(page.Text), []rune(want.Text)
	for _, w := range want.Words {
		found := false
		for _, have := range page.Words {
			if string(text[have.Start:have.End]) == string(wanted[w.Start:w.End]) {
				found = true
				require.InDelta(tb, w.Box.X0, have.Box.X0, 1, "%q", page.Text)
				require.InDelta(tb, w.Box.X1, have.Box.X1, 1)
				require.InDelta(tb, w.Box.Y0, have.Box.Y0, 1)
				require.InDelta(tb, w.Box.Y1, have.Box.Y1, 1)
			}
		}
		require.True(tb, found, "%s in %q", string(wanted[w.Start:w.End]), page.Text)
	}
}

// requireFound asserts that another program finds the words of page.
func requireFound(tb testing.TB, path string, want layout.Page) {
	tb.Helper()
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		tb.Log("pdftotext is not installed")
		return
	}
	out, err := exec.CommandContext(tb.Context(), tool, "-q", path, "-").Output()
	require.NoError(tb, err)
	for word := range strings.FieldsSeq(want.Text) {
		require.Contains(tb, string(out), word)
	}
}

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
	picture := paper(t, 400, 500)
	original := buildPDF(
		pdfPage{content: line(72, 700, "Drawn text") + "0.5 0 0 0.5 10 10 cm\n"}, // leaves its scale behind
		pdfPage{content: fullPageImage, image: picture},
		pdfPage{content: fullPageImage, image: picture, attributes: "/Rotate 90"},
		pdfPage{content: fullPageImage, image: picture, attributes: "/Rotate 180 /CropBox [10 20 600 780]"},
		pdfPage{content: fullPageImage, image: picture, attributes: "/Rotate 270 /MediaBox [-100 -50 512 742]"},
	)
	for name, data := range map[string][]byte{
		"Plain":     original,
		"Encrypted": encrypt(t, original, ""),
		"NoTable":   original[:bytes.LastIndex(original, []byte("xref"))],
	} {
		path := tempFile(t, "a.pdf", data)
		before := allPagesOf(t, r, path)
		var layers []layout.Page
		for _, page := range before {
			layers = append(layers, recognised(page.Number, page.Width, page.Height))
		}
		output := filepath.Join(t.TempDir(), "out.pdf")
		require.NoError(t, r.Searchable(t.Context(), path, PDF, layers, output), name)
		after := allPagesOf(t, r, output)
		require.Len(t, after, len(before), name)
		for i, page := range after {
			require.Equal(t, before[i].Width, page.Width, name)
			t.Logf("%s page %d", name, i+1)
			requireWords(t, layers[i], page)
			was, err := r.Render(t.Context(), path, PDF, i+1, 50)
			require.NoError(t, err)
			is, err := r.Render(t.Context(), output, PDF, i+1, 50)
			require.NoError(t, err)
			require.Equal(t, was.Bytes, is.Bytes, "%s: page %d looks as before", name, i+1)
		}
		require.Contains(t, after[0].Text, "Drawn text")
		requireFound(t, output, layers[0])
		written, err := os.ReadFile(output)
		require.NoError(t, err)
		require.True(t, bytes.Contains(written, picture), "images keep their bytes")
	}
	err := r.Searchable(t.Context(), tempFile(t, "a.pdf", original), PDF, []layout.Page{recognised(9, 612, 792)}, filepath.Join(t.TempDir(), "out.pdf"))
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func encodePNG(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, png.Encode(&b, m))
	return b.Bytes()
}

// flag is a picture of three colours on half transparent ground.
func flag() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, 300, 400))
	for y := range 400 {
		for x := range 300 {
			m.Set(x, y, color.NRGBA{R: uint8(255 * (x / 100 % 2)), G: uint8(255 * (y / 200)), B: 40, A: uint8(128 + 127*(x/150))})
		}
	}
	return m
}

func TestSearchableImage(t *testing.T) {
	t.Parallel()
	r := testReader(t, nil)
	for name, test := range map[string]struct {
		kind Kind
		data []byte
	}{
		"JPEG":   {JPEG, paper(t, 800, 1000)},
		"Colour": {PNG, encodePNG(t, flag())},
	} {
		path := tempFile(t, "image", test.data)
		img, err := r.Render(t.Context(), path, test.kind, 1, 0)
		require.NoError(t, err, name)
		layer := recognised(1, img.PageWidth, img.PageHeight)
		output := filepath.Join(t.TempDir(), "out.pdf")
		require.NoError(t, r.Searchable(t.Context(), path, test.kind, []layout.Page{layer}, output), name)
		pages := allPagesOf(t, r, output)
		require.Len(t, pages, 1)
		require.InDelta(t, img.PageWidth, pages[0].Width, 0.01)
		require.InDelta(t, img.PageHeight, pages[0].Height, 0.01)
		require.InDelta(t, 1, pages[0].ImageArea, 0.001)
		requireWords(t, layer, pages[0])
		requireFound(t, output, layer)
		if test.kind == JPEG {
			written, err := os.ReadFile(output)
			require.NoError(t, err)
			require.True(t, bytes.Contains(written, test.data), "a JPEG keeps its bytes")
		}
	}
}

// turnedJPEG is paper with an EXIF block that says how to turn it.
func turnedJPEG(tb testing.TB, o orientation) []byte {
	tb.Helper()
	data := paper(tb, 400, 500)
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
		parts = append(parts, Part{Path: tempFile(t, "part", data), Kind: kind})
	}
	add(PNG, encodePNG(t, flag()))
	add(PNG, encodePNG(t, bilevel))
	for o := range orientation(9) {
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
	parts = append(parts[:3:3], Part{Kind: PDF, Path: tempFile(t, "part", buildPDF(
		pdfPage{content: line(72, 700, "First")}, pdfPage{content: line(72, 700, "Second"), attributes: "/Rotate 90"}))})
	parts = append(parts, Part{Kind: PDF, Path: tempFile(t, "part", encrypt(t, buildPDF(pdfPage{content: line(72, 700, "Third")}), ""))}, parts[0])
	check(parts)

	_, err := r.Merge(t.Context(), []Part{parts[0], {Path: tempFile(t, "part", []byte("%PDF-1.7")), Kind: PDF}}, filepath.Join(t.TempDir(), "out.pdf"))
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
		return resized(&image.Gray{Pix: i.Bytes[len(i.Bytes)-i.Width*i.Height:], Stride: i.Width, Rect: image.Rect(0, 0, i.Width, i.Height)}, 200, 200)
	}
	x, y := pixels(a), pixels(b)
	differ := 0
	for i := range x.Pix {
		if d := int(x.Pix[i]) - int(y.Pix[i]); d < -60 || d > 60 {
			differ++
		}
	}
	return ratio(differ, len(x.Pix))
}

func TestPackKeepsColours(t *testing.T) {
	t.Parallel()
	require.Equal(t, "DeviceRGB", pack(flag()).colour)
	grey := image.NewNRGBA(image.Rect(0, 0, 3, 1))
	grey.Set(0, 0, color.NRGBA{R: 7, G: 7, B: 7, A: 255})
	grey.Set(1, 0, color.NRGBA{R: 90, G: 90, B: 90, A: 255})
	out := pack(grey)
	require.Equal(t, "DeviceGray", out.colour)
	require.Equal(t, []byte{7, 90, 255}, out.samples, "what is transparent shows white")
}
