package tesseract

import (
	"bytes"
	"debug/elf"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/otiai10/gosseract/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/ocr"
)

func TestGroup(t *testing.T) {
	t.Parallel()
	word := func(text string, block, paragraph, line int) gosseract.BoundingBox {
		return gosseract.BoundingBox{
			Word: text, Box: image.Rect(10, 20, 60, 40), Confidence: 91.5,
			BlockNum: block, ParNum: paragraph, LineNum: line,
		}
	}
	reading := func(text string) ocr.Reading {
		return ocr.Reading{Text: text, Box: [4]float32{10, 20, 60, 40}, Confidence: 91.5}
	}
	require.Equal(t, [][][]ocr.Reading{
		{
			{reading("Smith"), reading("&"), reading("Co.'s")},
			{reading("“naïve”")},
		},
		{{reading("1.")}},
		{{reading("next")}},
		{{reading("block")}},
	}, paragraphs(group([]gosseract.BoundingBox{
		word(" ", 1, 1, 1), // a picture
		word("Smith", 2, 1, 1), word("&", 2, 1, 1), word("", 2, 1, 1), word("Co.\x00's\n", 2, 1, 1),
		word("\ufffd", 2, 1, 2), word("“naïve”", 2, 1, 3),
		word("1.", 2, 2, 1),
		word("\t", 2, 3, 1),
		word("next", 2, 4, 1),
		word("block", 3, 4, 1),
	})))
	require.Empty(t, group(nil))
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

// TestReplacedFunctions looks into the program for the functions that lines.c and
// threads.c put before those of the libraries, which are all that Tesseract has of
// OpenMP: without them all is read as well, and slower.
func TestReplacedFunctions(t *testing.T) {
	t.Parallel()
	dynamic := func(path string) []elf.Symbol {
		file, err := elf.Open(path)
		require.NoError(t, err)
		defer file.Close()
		symbols, err := file.DynamicSymbols()
		require.NoError(t, err)
		return symbols
	}
	program := dynamic("/proc/self/exe")
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	library := regexp.MustCompile(`/\S*libtesseract\S*`).Find(maps)
	require.NotNil(t, library)

	replaced := []string{"pixWriteMem"}
	for _, s := range dynamic(string(library)) {
		if s.Section == elf.SHN_UNDEF && (strings.HasPrefix(s.Name, "GOMP_") || strings.HasPrefix(s.Name, "omp_")) {
			replaced = append(replaced, s.Name)
		}
	}
	for _, name := range replaced {
		require.True(t, slices.ContainsFunc(program, func(s elf.Symbol) bool {
			return s.Name == name && s.Section != elf.SHN_UNDEF
		}), name)
	}
}

// TestWords holds that what is taken from Tesseract is what its own order of words has.
func TestWords(t *testing.T) {
	t.Parallel()
	picture, err := os.ReadFile("../testdata/clauses.png")
	require.NoError(t, err)
	engine := New()
	defer func() { require.NoError(t, engine.Close()) }()
	require.NoError(t, engine.use("eng"))
	page, err := prepare(picture, 300, &engine.osd)
	require.NoError(t, err)
	defer page.pix.close()
	got, err := engine.recognise(page.pix, page.dpi, gosseract.PSM_AUTO)
	require.NoError(t, err)
	want, err := engine.client.GetBoundingBoxesVerbose()
	require.NoError(t, err)
	for i := range want {
		want[i].WordNum = 0
	}
	require.NotEmpty(t, want)
	require.Equal(t, want, got)
}

// TestBlank looks for letters only on pages that may have some.
func TestBlank(t *testing.T) {
	t.Parallel()

	rule, margin, digit := image.Rect(200, 3200, 2200, 3203), image.Rect(100, 100, 103, 3300), image.Rect(1200, 3300, 1208, 3330)
	var dots []image.Rectangle // of a word from a dot matrix printer
	for i := range 80 {
		dots = append(dots, image.Rect(300+i%20*6, 300+i/20*6, 303+i%20*6, 303+i/20*6))
	}
	for _, test := range []struct {
		drawn []image.Rectangle
		want  bool
	}{
		{nil, true},
		{[]image.Rectangle{rule, margin}, true},
		{[]image.Rectangle{rule, digit}, false},
		{dots, false},
		{dots[:10], true},
	} {
		page := image.NewGray(image.Rect(0, 0, 2480, 3508))
		draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
		for _, r := range test.drawn {
			draw.Draw(page, r, image.Black, image.Point{}, draw.Src)
		}
		var encoded bytes.Buffer
		require.NoError(t, png.Encode(&encoded, page))
		prepared, err := prepare(encoded.Bytes(), 300, &osd{})
		require.NoError(t, err)
		require.Equal(t, test.want, prepared.blank, "%v", test.drawn)
		require.Equal(t, 2480, prepared.width)
		if !prepared.blank {
			prepared.pix.close()
		}
	}
}
