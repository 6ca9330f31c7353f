package pdf

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	_ "image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
)

func picturesOf(tb testing.TB, data []byte) (all []format.Picture) {
	tb.Helper()
	f, err := testEngine(tb).openPDF(tb.Context(), formattest.TempFile(tb, "a.pdf", data), "", format.DefaultLimits())
	require.NoError(tb, err)
	defer f.Close()
	require.NoError(tb, f.Pictures(tb.Context(), func(p format.Picture) error {
		all = append(all, p)
		return nil
	}))
	return all
}

// TestPictures cuts pictures out of their pages: a repeated one once, none that is the page,
// behind its text or a line.
func TestPictures(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, formattest.Flag(), nil))
	photo := out.Bytes()
	draw := func(x, y, w, h int) string { return fmt.Sprintf("q %d 0 0 %d %d %d cm /I0 Do Q ", w, h, x, y) }
	text := formattest.Line(72, 700, "This is the lease of a flat.") + formattest.Line(72, 400, "Signed by the landlord, who agrees.")
	all := picturesOf(t, formattest.PDF(
		formattest.PDFPage{Content: text + draw(72, 500, 150, 100), Image: photo},
		formattest.PDFPage{Content: text + draw(72, 500, 150, 100) + draw(300, 100, 60, 40), Image: photo},
		formattest.PDFPage{Content: draw(0, 0, 612, 792) + text, Image: photo},
		formattest.PDFPage{Content: text + draw(60, 390, 400, 40) + draw(72, 600, 400, 3), Image: photo},
	))
	require.Len(t, all, 2)
	for i, want := range []format.Picture{
		{Page: 1, Width: 150, Height: 100, Down: 192. / 792, Above: "This is the lease of a flat.", Below: "Signed by the landlord, who agrees."},
		{Page: 2, Width: 60, Height: 40, Down: 652. / 792, Above: "Signed by the landlord, who agrees."},
	} {
		m, _, err := image.Decode(bytes.NewReader(all[i].Bytes))
		require.NoError(t, err)
		require.InDelta(t, want.Width/want.Height, float64(m.Bounds().Dx())/float64(m.Bounds().Dy()), 0.03)
		require.LessOrEqual(t, m.Bounds().Dx()*m.Bounds().Dy(), maxPicturePixels)
		all[i].Bytes, all[i].JPEG = nil, false
		require.InDelta(t, want.Down, all[i].Down, 0.01)
		require.InDelta(t, want.Width, all[i].Width, 0.5)
		require.InDelta(t, want.Height, all[i].Height, 0.5)
		all[i].Down, all[i].Width, all[i].Height = want.Down, want.Width, want.Height
		require.Equal(t, want, all[i])
	}
}
