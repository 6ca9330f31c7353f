package pdf

import (
	"image"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/layout"
)

// TestFieldsAreDrawn looks for the values of fields in pictures of a page, for people and
// for recognition, and reads them as fields before and afterwards.
func TestFieldsAreDrawn(t *testing.T) {
	t.Parallel()
	field := func(more string) []byte {
		return formattest.PDF(overlaidPage("", []string{formattest.Line(2, 5, "Jane Doe")}, annotation("Widget", 100, 600, 0, more)))
	}
	for name, test := range map[string]struct {
		data  []byte
		drawn bool
	}{
		"Text":      {field("/FT /Tx /T (tenant) /V (Jane Doe)"), true},
		"Printable": {field("/FT /Tx /F 4"), true},
		"Signature": {field("/FT /Sig"), true},
		"Hidden":    {field("/FT /Tx /F 2"), false},
		"NoView":    {field("/FT /Tx /F 32"), false},
		"Stamp":     {formattest.PDF(overlaidPage("", []string{formattest.Line(2, 5, "Jane Doe")}, annotation("Stamp", 100, 600, 0, ""))), true},
		"Nothing":   {formattest.PDF(formattest.PDFPage{}), false},
	} {
		f, err := testEngine(t).Open(t.Context(), formattest.TempFile(t, "a.pdf", test.data), format.DefaultLimits())
		require.NoError(t, err)
		read := func() (words []string) {
			require.NoError(t, f.Extract(t.Context(), 1, 1, func(p format.Page) error {
				words = append(ofOrigin(p, layout.Field), ofOrigin(p, layout.Annotation)...)
				return nil
			}), name)
			return words
		}
		for range 2 { // drawn first, and after it was read
			img, err := f.Render(t.Context(), 1, 100, false)
			require.NoError(t, err)
			require.Equal(t, test.drawn, dark(&image.Gray{Pix: img.Bytes[len(img.Bytes)-img.Width*img.Height:], Stride: img.Width, Rect: image.Rect(0, 0, img.Width, img.Height)}), name)
			picture, err := f.Draw(t.Context(), 1, 800)
			require.NoError(t, err)
			require.Equal(t, test.drawn, dark(picture), name)
			require.Equal(t, map[bool]string{true: "Jane Doe"}[test.drawn], strings.Join(read(), " "), name)
		}
		require.NoError(t, f.Close())
	}
}

// TestManyFieldsAreDrawn draws a page whose fields are too many to be read one by one.
func TestManyFieldsAreDrawn(t *testing.T) {
	t.Parallel()
	many := make([]string, maxOverlays+1)
	for i := range many {
		many[i] = annotation("Widget", 10+i%500, 10+i/200, 0, "/FT /Tx")
	}
	f, err := testEngine(t).Open(t.Context(), formattest.TempFile(t, "a.pdf", formattest.PDF(overlaidPage("", []string{formattest.Line(2, 5, "x")}, many...))), format.DefaultLimits())
	require.NoError(t, err)
	defer f.Close()
	started := time.Now()
	picture, err := f.Draw(t.Context(), 1, 800)
	require.NoError(t, err)
	require.True(t, dark(picture))
	t.Log(time.Since(started))
}

// dark reports whether a picture has something darker than grey.
func dark(m image.Image) bool {
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			if r, _, _, _ := m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y).RGBA(); r < 0x8000 {
				return true
			}
		}
	}
	return false
}
