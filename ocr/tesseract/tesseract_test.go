package tesseract

import (
	"math"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/ocr"
)

const page = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
  <div class='ocr_page' id='page_1' title='image "unknown"; bbox 0 0 800 600; ppageno 0; scan_res 200 200'>
   <div class='ocr_photo' id='block_1_1' title="bbox 1 2 3 4"></div>
   <div class='ocr_carea' id='block_1_2' title="bbox 10 20 300 80">
    <p class='ocr_par' id='par_1_1' lang='eng' title="bbox 10 20 300 80">
     <span class='ocr_header' id='line_1_1' title="bbox 10 20 300 40; baseline 0 -4; x_size 20">
      <span class='ocrx_word' id='word_1_1' title='bbox 10 20 60 40; x_wconf 96'>Smith</span>
      <span class='ocrx_word' id='word_1_2' title='bbox 70 20 90 40; x_wconf 91'>&amp;</span>
      <span class='ocrx_word' id='word_1_3' title='bbox 100 20 160 40; x_wconf 95'><strong><em>Co.&#39;s</em></strong></span>
     </span>
     <span class='ocr_line' id='line_1_2' title="bbox 10 50 300 80">
      <span class='ocrx_word' id='word_1_4' title='bbox 10 50 60 80; x_wconf 0'>“naïve”</span>
      <span class='ocrx_word' id='word_1_5' title='bbox 70 50 70 80; x_wconf 95'> </span>
     </span>
    </p>
    <p class='ocr_par' id='par_1_2' lang='eng' title="bbox 10 90 300 99">
     <span class='ocr_line' id='line_1_3' title="bbox 10 90 300 99">
      <span class='ocrx_word' id='word_1_6' title='bbox 10 90 300 99; x_wconf 95'> </span>
     </span>
    </p>
   </div>
   <div class='ocr_carea' id='block_1_3' title="bbox 10 100 300 120">
    <p class='ocr_par' id='par_1_3' lang='eng' title="bbox 10 100 300 120">
     <span class='ocr_caption' id='line_1_4' title="bbox 10 100 300 120">
      <span class='ocrx_word' id='word_1_7' title='bbox 10 100 60 120; x_wconf 88'>1&lt;2</span>
     </span>
    </p>
   </div>
  </div>`

func TestParseHOCR(t *testing.T) {
	t.Parallel()
	paragraphs, err := parseHOCR(page)
	require.NoError(t, err)
	require.Equal(t, [][][]ocr.Reading{
		{
			{
				{Text: "Smith", Box: [4]float32{10, 20, 60, 40}, Confidence: 96},
				{Text: "&", Box: [4]float32{70, 20, 90, 40}, Confidence: 91},
				{Text: "Co.'s", Box: [4]float32{100, 20, 160, 40}, Confidence: 95},
			},
			{{Text: "“naïve”", Box: [4]float32{10, 50, 60, 80}}},
		},
		{{{Text: "1<2", Box: [4]float32{10, 100, 60, 120}, Confidence: 88}}},
	}, paragraphs)
}

func TestParseHOCRWithoutWords(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "plain text", "<div class='ocr_page'></div>",
		"<span class='ocrx_word' title='bbox 1 2 3'>no box</span>", "<span class='ocrx_word' title='bbox 9 9 1 1; x_wconf 3'>inside out</span>"} {
		paragraphs, err := parseHOCR(s)
		require.NoError(t, err)
		require.Empty(t, paragraphs, s)
	}
	_, err := parseHOCR("<p class='ocr_par'><span")
	require.Error(t, err, "cut short")
}

func FuzzParseHOCR(f *testing.F) {
	f.Add(page)
	f.Add("<span class='ocrx_word' title='bbox 1 2 3 4; x_wconf 999'>a<b/>&nbsp;\x01b</span>")
	f.Fuzz(func(t *testing.T, hocr string) {
		paragraphs, err := parseHOCR(hocr)
		if err != nil {
			return
		}
		for _, lines := range paragraphs {
			require.NotEmpty(t, lines)
			for _, words := range lines {
				require.NotEmpty(t, words)
				for _, w := range words {
					require.NotEmpty(t, w.Text)
					require.False(t, strings.ContainsFunc(w.Text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }))
					require.True(t, w.Box[0] <= w.Box[2] && w.Box[1] <= w.Box[3])
					require.True(t, w.Confidence >= 0 && w.Confidence <= 100)
				}
			}
		}
	})
}

// Whatever is done to a page, a point of it is led back to where it was.
func TestRestorePoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := geometry{
			width: rapid.IntRange(16, 9000).Draw(t, "width"), height: rapid.IntRange(16, 9000).Draw(t, "height"),
			quarters: rapid.IntRange(0, 3).Draw(t, "quarters"), scale: rapid.Float64Range(0.1, 3).Draw(t, "scale"),
			degrees: rapid.Float64Range(-maxSkew, maxSkew).Draw(t, "degrees"),
		}
		w, h := float64(g.width), float64(g.height)
		x, y := rapid.Float64Range(0, w).Draw(t, "x"), rapid.Float64Range(0, h).Draw(t, "y")

		// The way there, from what the operations are said to do.
		px, py, pw, ph := x, y, w, h
		for range g.quarters {
			px, py, pw, ph = ph-py, px, ph, pw
		}
		g.scaledW, g.scaledH = int(pw*g.scale), int(ph*g.scale)
		px, py = px*g.scale, py*g.scale
		g.preparedW, g.preparedH = g.scaledW, g.scaledH
		if g.degrees != 0 { // paper for the corners
			g.preparedW += rapid.IntRange(0, 500).Draw(t, "more")
			g.preparedH += rapid.IntRange(0, 500).Draw(t, "more")
		}
		px, py = px+float64((g.preparedW-g.scaledW)/2), py+float64((g.preparedH-g.scaledH)/2)
		cx, cy := float64(g.preparedW/2), float64(g.preparedH/2)
		sin, cos := math.Sincos(g.degrees * math.Pi / 180)
		px, py = cx+(px-cx)*cos-(py-cy)*sin, cy+(px-cx)*sin+(py-cy)*cos

		gotX, gotY := g.restorePoint(px, py)
		if math.Abs(gotX-x) > 1e-6*w || math.Abs(gotY-y) > 1e-6*h {
			t.Fatalf("(%v, %v) came back as (%v, %v)", x, y, gotX, gotY)
		}
		box := g.restore([4]float32{float32(px) - 5, float32(py) - 3, float32(px) + 5, float32(py) + 3})
		if box[0] < 0 || box[1] < 0 || float64(box[2]) > w || float64(box[3]) > h ||
			float64(box[0]) > x+0.1 || float64(box[2]) < x-0.1 || float64(box[1]) > y+0.1 || float64(box[3]) < y-0.1 {
			t.Fatalf("box %v does not hold (%v, %v)", box, x, y)
		}
	})
}

func TestReadingScale(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		xHeight, dpi float64
		want         float64
	}{
		{"11 point at 300 dpi", 18, 300, 11.5 / 18},
		{"11 point at unknown dpi", 18, 0, 11.5 / 18},
		{"fine print is not shrunk", 11.3, 300, 1},
		{"a fax is enlarged", 6, 100, 11.5 / 6},
		{"but not beyond 300 dpi", 2, 150, 2},
		{"large type stays above 140 dpi", 60, 300, 140. / 300},
		{"no letters", 0, 600, 190. / 600},
		{"no letters and no dpi", 0, 0, 190. / 300},
		{"nearly right stays", 11.9, 170, 1},
		{"within reason", 180, 0, 0.1},
	} {
		require.InDelta(t, tc.want, readingScale(tc.xHeight, tc.dpi), 1e-9, tc.name)
	}
}

func TestXHeight(t *testing.T) {
	t.Parallel()
	var heights [maxLetter]int
	heights[1], heights[2] = 5000, 900 // noise and stops
	require.Zero(t, xHeight(heights))
	heights[9], heights[13] = 400, 300 // small and tall letters
	require.InDelta(t, 9, xHeight(heights), 0.01)
	heights[10] = 400
	require.InDelta(t, 9.5, xHeight(heights), 0.01)
}

func TestOtsu(t *testing.T) {
	t.Parallel()
	var histogram [256]int
	require.Equal(t, 128, otsu(&histogram))
	histogram[40], histogram[60], histogram[200], histogram[220] = 10, 10, 500, 400
	threshold := otsu(&histogram)
	require.Greater(t, threshold, 60)
	require.LessOrEqual(t, threshold, 200)
}

// drawing is a page of 270 by 350 in eighths: 1 line in 2 has ink where text
// says so.
func drawing(text func(x, y int) bool) [][]bool {
	rows := make([][]bool, 350)
	for y := range rows {
		rows[y] = make([]bool, 270)
		for x := range rows[y] {
			rows[y][x] = y > 30 && y < 320 && y%4 < 2 && x > 30 && x < 240 && text(x, y)
		}
	}
	return rows
}

func TestHasColumns(t *testing.T) {
	t.Parallel()
	words := func(x, y int) bool { return (x+7*y)%11 > 1 }
	for _, tc := range []struct {
		name    string
		text    func(x, y int) bool
		degrees float64
		want    bool
	}{
		{"blank", func(int, int) bool { return false }, 0, false},
		{"prose", words, 0, false},
		{"numbers in the margin", func(x, y int) bool { return words(x, y) && (x > 70 || x < 45 && y%40 < 4) }, 0, false},
		{"two columns", func(x, y int) bool { return words(x, y) && (x < 130 || x > 140) }, 0, true},
		{"two columns on half of the page", func(x, y int) bool { return words(x, y) && (y < 175 || x < 130 || x > 140) }, 0, true},
		{"two columns that lean", func(x, y int) bool {
			middle := 135 + int(math.Tan(2*math.Pi/180)*float64(y-175))
			return words(x, y) && (x < middle-5 || x > middle+5)
		}, 2, true},
		{"signatures side by side", func(x, y int) bool { return words(x, y) && (y < 290 || x < 120 || x > 150) }, 0, false},
		{"a narrow column of text", func(x, y int) bool { return words(x, y) && x < 120 }, 0, false},
	} {
		require.Equal(t, tc.want, hasColumns(drawing(tc.text), tc.degrees), tc.name)
	}
	require.False(t, hasColumns(nil, 0))
}
