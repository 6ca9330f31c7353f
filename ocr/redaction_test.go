package ocr_test

import (
	"fmt"
	"image"
	"image/draw"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// What was taken out of a contract is read as such in a table, where Tesseract by itself takes
// it for letters.
func TestReadRedactions(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Config{})
	rows := [][]string{
		{"Products to be bought in each contract year", "Minimum", "Price of one", "Royalty"},
		{"First year, beginning with the effective date", "[***]", "[***]", "[***]"},
		{"Second year, and the extension of the first", "[***]", "[*****]", "[***]"},
		{"Third year, unless notice has been given", "[*****]", "[***]", "[***]"},
		{"Fourth year, where the minimum was bought", "[***]", "[•]", "[***]"},
		{"Fifth year, as agreed by the committee", "[***]", "[***]", "[***]"},
		{"Sixth year, in all countries but the first", "[*]", "[***]", "[none]"},
		{"Seventh year, for products that compete", "[***]", "[ten]", "[***]"},
		{"Eighth year, after which the parties agree anew", "[***]", "[***]", "[***]"},
	}
	var want []string
	for _, row := range rows {
		want = append(want, strings.Join(row, " "))
	}
	for name, ttf := range map[string][]byte{"regular": goregular.TTF, "mono": gomono.TTF} {
		for _, degrees := range []float64{0, 1} {
			t.Run(fmt.Sprintf("%s, %v degrees", name, degrees), func(t *testing.T) {
				t.Parallel()
				page, err := reader.Read(t.Context(), scan(ocrtest.Rotate(typeset(t, ttf, rows), degrees), nil))
				require.NoError(t, err)
				requireSound(t, page)
				require.Equal(t, want, strings.FieldsFunc(page.Text, func(r rune) bool { return r == '\n' }))
			})
		}
	}
}

// typeset is the picture of a table in a font, at 200 dpi.
func typeset(t *testing.T, ttf []byte, rows [][]string) *image.Gray {
	t.Helper()
	parsed, err := opentype.Parse(ttf)
	require.NoError(t, err)
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 9, DPI: 200})
	require.NoError(t, err)
	img := image.NewGray(image.Rect(0, 0, 1900, 100+60*len(rows)))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for i, row := range rows {
		for j, cell := range row {
			to := font.Drawer{Dst: img, Src: image.Black, Face: face, Dot: fixed.P(60+min(j, 1)*700+300*j, 80+60*i)}
			to.DrawString(cell)
		}
	}
	return img
}
