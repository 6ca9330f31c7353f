package ocr_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// program is the child, built once for all tests.
var program string

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == liar {
		lie()
		return
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "clausemill-ocr")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "clausemill-ocr")
		build := exec.Command("go", "build", "-o", program, "github.com/clausemill/clausemill/cmd/clausemill-ocr")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "build the child (needs cgo, libtesseract-dev and libleptonica-dev):", err)
			return 1
		}
		return m.Run()
	}())
}

// liar is the argument that makes the test binary a child that answers
// nonsense.
const liar = "lie"

func lie() {
	_ = child.Serve(context.Background(), os.Stdin, os.Stdout, func(_ json.RawMessage, image []byte, reply func(any, []byte) error) error {
		if len(image) == 1 {
			return reply([]string{"not", "an", "answer"}, nil)
		}
		return reply(ocr.Answer{Width: 100, Height: 100, Paragraphs: [][][]ocr.Reading{
			{}, {{}}, {{
				{Text: "a\x00b\nc\f\u0085", Box: [4]float32{-5, -math.MaxFloat32, math.MaxFloat32, 50}, Confidence: 1e9},
				{Text: " \u00a0\t"},
			}},
			{{{Text: "d\xff", Confidence: -3}}},
		}}, nil)
	})
}

func newReader(t testing.TB, cfg ocr.Config) *ocr.Reader {
	t.Helper()
	if cfg.Command == nil {
		cfg.Command = []string{program}
	}
	r := ocr.New(cfg)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// fixture is a page of clauses at 200 dpi.
func fixture(t testing.TB) (*image.Gray, string) {
	t.Helper()
	f, err := os.Open("testdata/clauses.png")
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	gray := image.NewGray(img.Bounds())
	draw.Draw(gray, gray.Rect, img, image.Point{}, draw.Src)
	text, err := os.ReadFile("testdata/clauses.txt")
	require.NoError(t, err)
	return gray, string(text)
}

// scan is an image of 200 dpi as a page.
func scan(img *image.Gray, encoded []byte) ocr.Image {
	if encoded == nil {
		encoded = ocrtest.EncodePGM(img)
	}
	size := img.Rect.Size()
	return ocr.Image{Bytes: encoded, DPI: 200, Width: float32(size.X) * 72 / 200, Height: float32(size.Y) * 72 / 200, Number: 3}
}

func requireText(t *testing.T, want string, page layout.Page, most float64) {
	t.Helper()
	edits, length := ocrtest.Edits(page.Text, want)
	require.LessOrEqual(t, float64(edits)/float64(length), most, "%d edits in %d characters:\n%s", edits, length, page.Text)
}

// requireSound holds a page to what layout promises of it.
func requireSound(t *testing.T, page layout.Page) {
	t.Helper()
	require.NotContains(t, page.Text, "\n\n\n")
	require.False(t, strings.HasPrefix(page.Text, "\n"))
	runes := []rune(page.Text)
	covered := make([]bool, len(runes))
	last := 0
	for _, w := range page.Words {
		require.GreaterOrEqual(t, w.Start, last)
		require.Greater(t, w.End, w.Start)
		last = w.End
		for i := w.Start; i < w.End; i++ {
			covered[i] = true
		}
		b := w.Box
		require.True(t, 0 <= b.X0 && b.X0 <= b.X1 && b.X1 <= page.Width, b)
		require.True(t, 0 <= b.Y0 && b.Y0 <= b.Y1 && b.Y1 <= page.Height, b)
		require.True(t, 0 <= w.Confidence && w.Confidence <= 100)
	}
	for i, r := range runes {
		require.Equal(t, !unicode.IsSpace(r), covered[i], "code point %d, %q", i, r)
		require.True(t, r == '\n' || !unicode.IsControl(r), "control character %q", r)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	img, text := fixture(t)
	page, err := newReader(t, ocr.Config{}).Read(t.Context(), scan(img, nil))
	require.NoError(t, err)
	requireSound(t, page)
	requireText(t, text, page, 0.001)
	require.Equal(t, 3, page.Number)
	require.InDelta(t, 417.6, page.Width, 0.01)
	require.InDelta(t, 244.8, page.Height, 0.01)
	require.Greater(t, page.Confidence, float32(85))
	require.Contains(t, page.Text, "unless it is in\nwriting and signed")              // line by line
	require.Contains(t, page.Text, "agreed to its terms.\n\n24.8 The Executive shall") // clause by clause
	require.Contains(t, strings.Split(page.Text, "\n"), "24.8 The Executive shall not be contractually entitled to receive any benefit from the Company")

	first := page.Words[0] // "Agreement." begins 157 pixels from the left and 50 from the top
	require.InDelta(t, 157*.36, first.Box.X0, 1.5)
	require.InDelta(t, 50*.36, first.Box.Y0, 1.5)
	require.InDelta(t, 275*.36, first.Box.X1, 1.5)
	require.InDelta(t, 72*.36, first.Box.Y1, 1.5)
}

// Every way in which a page lies on the scanner gives the same words, and boxes
// where they are on that scan.
func TestReadAsItLies(t *testing.T) {
	t.Parallel()
	img, text := fixture(t)
	reader := newReader(t, ocr.Config{})
	straight, err := reader.Read(t.Context(), scan(img, nil))
	require.NoError(t, err)
	w, h := float64(straight.Width), float64(straight.Height)
	rotated := func(degrees float64) func(x, y float64) (float64, float64) {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		return func(x, y float64) (float64, float64) {
			dx, dy := x-w/2, y-h/2
			return w/2 + dx*cos - dy*sin, h/2 + dx*sin + dy*cos
		}
	}
	for name, tc := range map[string]struct {
		img  *image.Gray
		at   func(x, y float64) (float64, float64)
		most float64
	}{
		"turned right":       {ocrtest.Turn(img, 1), func(x, y float64) (float64, float64) { return h - y, x }, 0.002},
		"upside down":        {ocrtest.Turn(img, 2), func(x, y float64) (float64, float64) { return w - x, h - y }, 0.002},
		"turned left":        {ocrtest.Turn(img, 3), func(x, y float64) (float64, float64) { return y, w - x }, 0.002},
		"skewed by 1.3":      {ocrtest.Rotate(img, 1.3), rotated(1.3), 0.004},
		"skewed by -4":       {ocrtest.Rotate(img, -4), rotated(-4), 0.004},
		"skewed upside down": {ocrtest.Turn(ocrtest.Rotate(img, 2), 2), func(x, y float64) (float64, float64) { x, y = rotated(2)(x, y); return w - x, h - y }, 0.004},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := reader.Read(t.Context(), scan(tc.img, nil))
			require.NoError(t, err)
			requireSound(t, page)
			requireText(t, text, page, tc.most)
			words := map[string][]layout.Word{}
			for _, word := range straight.Words {
				s := string([]rune(straight.Text)[word.Start:word.End])
				words[s] = append(words[s], word)
			}
			compared := 0
			for _, got := range page.Words {
				s := string([]rune(page.Text)[got.Start:got.End])
				if len(words[s]) != 1 {
					continue // twice on the page
				}
				x, y := centre(words[s][0].Box)
				x, y = tc.at(x, y)
				gotX, gotY := centre(got.Box)
				require.InDelta(t, x, gotX, 1.5, s)
				require.InDelta(t, y, gotY, 1.5, s)
				compared++
			}
			require.Greater(t, compared, 50)
		})
	}
}

func centre(b layout.Box) (x, y float64) { return float64(b.X0+b.X1) / 2, float64(b.Y0+b.Y1) / 2 }

func TestReadWorn(t *testing.T) {
	t.Parallel()
	img, text := fixture(t)
	reader := newReader(t, ocr.Config{})
	for seed := range uint64(4) {
		page, err := reader.Read(t.Context(), scan(img, ocrtest.Degrade(img, seed)))
		require.NoError(t, err)
		requireSound(t, page)
		requireText(t, text, page, 0.01)
	}
}

// Whatever resolution a page has or claims to have, its letters decide.
func TestReadAnySize(t *testing.T) {
	t.Parallel()
	img, text := fixture(t)
	reader := newReader(t, ocr.Config{})
	for _, tc := range []struct {
		factor, dpi float64
	}{{0.6, 120}, {0.6, 0}, {1, 0}, {1, 72}, {1, 100000}, {3, 600}, {3, 0}} {
		t.Run(fmt.Sprintf("%v at %v dpi", tc.factor, tc.dpi), func(t *testing.T) {
			t.Parallel()
			resized := resize(img, tc.factor)
			page, err := reader.Read(t.Context(), ocr.Image{Bytes: ocrtest.EncodePGM(resized), DPI: tc.dpi, Number: 1})
			require.NoError(t, err)
			requireSound(t, page)
			requireText(t, text, page, 0.01)
		})
	}
}

// resize averages pixels or repeats them.
func resize(img *image.Gray, factor float64) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, int(float64(img.Rect.Dx())*factor), int(float64(img.Rect.Dy())*factor)))
	samples := 1
	if factor < 1 {
		samples = 4
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			sum := 0
			for i := range samples * samples {
				sx := (float64(x) + (float64(i%samples)+0.5)/float64(samples)) / factor
				sy := (float64(y) + (float64(i/samples)+0.5)/float64(samples)) / factor
				sum += int(img.Pix[min(int(sy), img.Rect.Dy()-1)*img.Stride+min(int(sx), img.Rect.Dx()-1)])
			}
			out.Pix[y*out.Stride+x] = uint8(sum / (samples * samples))
		}
	}
	return out
}

func TestReadColumns(t *testing.T) {
	t.Parallel()
	img, text := fixture(t)
	size := img.Rect.Size()
	spread := image.NewGray(image.Rect(0, 0, 2*size.X, size.Y))
	draw.Draw(spread, img.Rect, img, image.Point{}, draw.Src)
	draw.Draw(spread, img.Rect.Add(image.Pt(size.X, 0)), img, image.Point{}, draw.Src)
	reader := newReader(t, ocr.Config{})
	for _, degrees := range []float64{0, 1} {
		page, err := reader.Read(t.Context(), scan(ocrtest.Rotate(spread, degrees), nil))
		require.NoError(t, err)
		requireSound(t, page)
		// The numbers of clauses may stand apart, but no line goes across.
		for _, clause := range []string{"one month of the Commencement Date then the Executive will be deemed", "shall be an original, and all the counterparts together shall constitute"} {
			require.Equal(t, 2, strings.Count(strings.Join(strings.Fields(page.Text), " "), clause), "%v degrees:\n%s", degrees, page.Text)
		}
		require.Contains(t, text, "24.12")
	}
}

// The cells of a table whose text runs on are read one after the other, row by row.
func TestReadCells(t *testing.T) {
	t.Parallel()
	img, _ := fixture(t)
	reader := newReader(t, ocr.Config{})
	page, err := reader.Read(t.Context(), scan(img, nil))
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		lines [][]int // of each cell
		width int     // of a column
		apart int     // of columns
		ruled bool
	}{
		"between rules":         {[][]int{{1, 5, 3}, {2, 4, 4}}, 300, 28, true},
		"with white in between": {[][]int{{3, 5, 4}, {5, 3, 4}}, 300, 50, false},
		"narrow":                {[][]int{{4, 6, 3}, {3, 5, 6}}, 210, 28, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, text := setCells(img, page, tc.lines, tc.width, tc.apart, tc.ruled)
			for _, degrees := range []float64{0, 1} {
				read, err := reader.Read(t.Context(), scan(ocrtest.Rotate(table, degrees), nil))
				require.NoError(t, err)
				requireSound(t, read)
				requireText(t, text, read, 0.02)
			}
		})
	}
}

// setCells sets the words of a page anew, in the cells of a table.
func setCells(img *image.Gray, page layout.Page, lines [][]int, width, apart int, ruled bool) (*image.Gray, string) {
	const leading, space, padding = 34, 9, 14
	full := width + apart
	out := image.NewGray(image.Rect(0, 0, 80+3*full, 680))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	rule := func(r image.Rectangle) {
		if ruled {
			draw.Draw(out, r, image.Black, image.Point{}, draw.Src)
		}
	}
	text := []rune(page.Text)
	words := page.Words
	middle := func(w layout.Word) int { // of the line of a word, so that words keep to one
		high, low := w.Box.Y0, w.Box.Y1
		for _, other := range page.Words {
			if min(w.Box.Y1, other.Box.Y1)-max(w.Box.Y0, other.Box.Y0) > (w.Box.Y1-w.Box.Y0)/2 {
				high, low = min(high, other.Box.Y0), max(low, other.Box.Y1)
			}
		}
		return int((high + low) / .72)
	}
	var want []string
	y := 40
	for _, row := range lines {
		end := y
		for column, n := range row {
			left := 40 + column*full + apart/2
			x, at := left, y+padding
			for n > 0 {
				b := words[0].Box
				from := image.Rect(int(b.X0/.36)-1, middle(words[0])-15, int(b.X1/.36)+2, middle(words[0])+15)
				if x > left && x+from.Dx() > left+width {
					x, at, n = left, at+leading, n-1
					continue
				}
				draw.Draw(out, image.Rect(x, at, x+from.Dx(), at+from.Dy()), img, from.Min, draw.Src)
				x += from.Dx() + space
				want = append(want, string(text[words[0].Start:words[0].End]))
				words = words[1:]
			}
			end = max(end, at+padding)
		}
		rule(image.Rect(40, y, 40+3*full, y+3))
		y = end
	}
	rule(image.Rect(40, y, 40+3*full, y+3))
	for column := range 4 {
		x := 40 + column*full
		rule(image.Rect(x, 40, x+3, y+3))
	}
	return out, strings.Join(want, " ")
}

// Lines below the ring of a stamp are read, which Tesseract by itself takes for
// a picture, and they are read in their place.
func TestReadStamped(t *testing.T) {
	t.Parallel()
	img, text := fixture(t)
	for _, radius := range []float64{150, 190} {
		for a := 0.0; a < 2*math.Pi; a += 0.2 / radius {
			x, y := 580+radius*math.Cos(a), 340+radius*math.Sin(a)
			draw.Draw(img, image.Rect(int(x)-1, int(y)-1, int(x)+2, int(y)+2), image.NewUniform(color.Gray{110}), image.Point{}, draw.Src)
		}
	}
	page, err := newReader(t, ocr.Config{}).Read(t.Context(), scan(img, nil))
	require.NoError(t, err)
	requireSound(t, page)
	requireText(t, text, page, 0.08)
}

func TestReadFormats(t *testing.T) {
	t.Parallel()
	img, text := fixture(t)
	reader := newReader(t, ocr.Config{})
	var asPNG, asJPEG, transparent bytes.Buffer
	require.NoError(t, png.Encode(&asPNG, img))
	require.NoError(t, jpeg.Encode(&asJPEG, img, nil))
	clear := image.NewNRGBA(img.Rect) // black letters on no paper at all
	for i, v := range img.Pix {
		clear.Pix[4*i+3] = 255 - v
	}
	require.NoError(t, png.Encode(&transparent, clear))
	for name, b := range map[string][]byte{
		"png": asPNG.Bytes(), "jpeg": asJPEG.Bytes(), "transparent": transparent.Bytes(),
		"pgm with comment": append([]byte("P5\n# by a scanner\n1160 680\n255\n"), img.Pix...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := reader.Read(t.Context(), scan(img, b))
			require.NoError(t, err)
			requireText(t, text, page, 0.003)
		})
	}
}

func TestReadBlank(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Config{})
	for _, shade := range []uint8{0, 128, 255} {
		img := image.NewGray(image.Rect(0, 0, 800, 1000))
		for i := range img.Pix {
			img.Pix[i] = shade
		}
		page, err := reader.Read(t.Context(), scan(img, nil))
		require.NoError(t, err)
		require.Empty(t, page.Text)
		require.Empty(t, page.Words)
		require.Zero(t, page.Confidence)
	}
	tiny := image.NewGray(image.Rect(0, 0, 1, 1))
	page, err := reader.Read(t.Context(), ocr.Image{Bytes: ocrtest.EncodePGM(tiny), Number: 1})
	require.NoError(t, err)
	require.Empty(t, page.Text)
}

func requireFault(t *testing.T, err error, kind fault.Kind, code fault.Code) {
	t.Helper()
	var e *fault.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind)
	require.Equal(t, code, e.Code)
	require.Equal(t, 3, e.Page)
	require.True(t, fault.Permanent(err))
}

func TestReadDamaged(t *testing.T) {
	t.Parallel()
	img, _ := fixture(t)
	var whole bytes.Buffer
	require.NoError(t, png.Encode(&whole, img))
	reader := newReader(t, ocr.Config{})
	for name, b := range map[string][]byte{
		"nothing":          {},
		"noise":            bytes.Repeat([]byte{7, 200, 31}, 5000),
		"cut PNG":          whole.Bytes()[:whole.Len()/2],
		"cut PGM":          ocrtest.EncodePGM(img)[:50_000],
		"PGM without data": []byte("P5\n5000 5000\n255\n"),
		"PGM of no size":   []byte("P5\n0 0\n255\n"),
		"text":             []byte("This is not an image but a sentence about one."),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := reader.Read(t.Context(), ocr.Image{Bytes: b, DPI: 200, Number: 3})
			requireFault(t, err, fault.Invalid, fault.CorruptFile)
		})
	}
}

func TestReadHuge(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Config{})
	for name, b := range map[string][]byte{
		"raw":            append([]byte("P5\n20000 20000\n255\n"), make([]byte, 400_000_000)...),
		"PNG bomb":       pngBomb(20_000, 20_000, 8, 0),
		"colour bomb":    pngBomb(12_000, 12_000, 8, 2),
		"bilevel bomb":   pngBomb(100_000, 100_000, 1, 0),
		"claimed by PGM": []byte("P5\n20000 20000\n255\n"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := reader.Read(t.Context(), ocr.Image{Bytes: b, DPI: 200, Number: 3})
			requireFault(t, err, fault.TooLarge, fault.FileTooLarge)
		})
	}
}

// pngBomb is a PNG whose few bytes promise any number of black pixels. It holds
// the first of them only: whoever unpacks it meets another error.
func pngBomb(w, h, depth, colour int) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		start := len(b)
		b = append(append(b, kind...), data...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(w))
	header = binary.BigEndian.AppendUint32(header, uint32(h))
	chunk("IHDR", append(header, byte(depth), byte(colour), 0, 0, 0))
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	chunk("IDAT", data.Bytes())
	chunk("IEND", nil)
	return b
}

// A page at a high resolution is read at a fraction of it, within the memory
// limit.
func TestReadLarge(t *testing.T) {
	t.Parallel()
	img, text := fixture(t)
	large := image.NewGray(image.Rect(0, 0, 7000, 7000))
	for i := range large.Pix {
		large.Pix[i] = 255
	}
	draw.Draw(large, image.Rect(0, 1000, 7000, 5080), resize(img, 6), image.Point{}, draw.Src)
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, large, nil))
	page, err := newReader(t, ocr.Config{}).Read(t.Context(), ocr.Image{Bytes: b.Bytes(), DPI: 1200, Number: 3})
	require.NoError(t, err)
	requireSound(t, page)
	requireText(t, text, page, 0.003)
	require.InDelta(t, 420, page.Width, 0.5)
	require.InDelta(t, 157*.36, page.Words[0].Box.X0, 1.5)
	require.InDelta(t, 60+50*.36, page.Words[0].Box.Y0, 1.5)
}

func TestEndOfChild(t *testing.T) {
	t.Parallel()
	img, _ := fixture(t)
	for name, tc := range map[string]struct {
		cfg  ocr.Config
		code fault.Code
	}{
		"hang":   {ocr.Config{Command: []string{"/bin/sh", "-c", "exec sleep 1000"}, PageTimeout: 50 * time.Millisecond}, fault.OCRTimeout},
		"slow":   {ocr.Config{PageTimeout: time.Millisecond}, fault.OCRTimeout},
		"crash":  {ocr.Config{Command: []string{"/bin/sh", "-c", "kill -SEGV $$"}}, fault.OCRCrash},
		"babble": {ocr.Config{Command: []string{"/bin/sh", "-c", "echo Tesseract Open Source OCR Engine"}}, fault.OCRCrash},
		"bloat":  {ocr.Config{MemoryLimit: 20 << 20}, fault.OCRMemory},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newReader(t, tc.cfg).Read(t.Context(), scan(img, nil))
			requireFault(t, err, fault.Invalid, tc.code)
		})
	}
}

func TestCancelEndsTheWork(t *testing.T) {
	t.Parallel()
	img, _ := fixture(t)
	ended := make(chan child.Event, 1)
	reader := newReader(t, ocr.Config{
		Command: []string{"/bin/sh", "-c", "exec sleep 1000"},
		Observe: func(e child.Event) { ended <- e },
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	page := scan(img, nil)
	page.Begun = func() { time.AfterFunc(50*time.Millisecond, cancel) } // a limit that a busy machine lets pass before leaves nothing to end
	_, err := reader.Read(ctx, page)
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, fault.Permanent(err))
	require.Equal(t, child.Event{Cause: child.Cancelled, Calls: 1}, <-ended)
}

func TestMissingProgramIsNotThePagesFault(t *testing.T) {
	t.Parallel()
	img, _ := fixture(t)
	_, err := newReader(t, ocr.Config{Command: []string{"/nonexistent/clausemill-ocr"}}).Read(t.Context(), scan(img, nil))
	require.Error(t, err)
	require.False(t, fault.Permanent(err))
}

func TestNonsenseIsCleaned(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Config{Command: []string{os.Args[0], liar}})
	page, err := reader.Read(t.Context(), ocr.Image{Bytes: []byte("image"), Width: 50, Height: 50, Number: 3})
	require.NoError(t, err)
	requireSound(t, page)
	require.Equal(t, "abc\n\nd\n", page.Text)
	require.Equal(t, layout.Box{X0: 0, Y0: 0, X1: 50, Y1: 25}, page.Words[0].Box)
	require.Equal(t, float32(100), page.Words[0].Confidence)
	require.Equal(t, float32(75), page.Confidence)

	_, err = reader.Read(t.Context(), ocr.Image{Bytes: []byte("1"), Number: 3})
	requireFault(t, err, fault.Invalid, fault.OCRCrash)
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Config{})
	languages, err := reader.Languages(t.Context())
	require.NoError(t, err)
	require.Contains(t, languages, "eng")
	require.NotContains(t, languages, "osd")

	img, text := fixture(t)
	for _, unknown := range []string{"xyz", "eng+xyz", "../eng", "eng+", "osd"} {
		page := scan(img, nil)
		page.Languages = unknown
		_, err := reader.Read(t.Context(), page)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.Contains(t, fault.Message(err), "is not installed, only "+strings.Join(languages, ", "))
	}
	page := scan(img, nil)
	page.Languages = "eng"
	read, err := reader.Read(t.Context(), page)
	require.NoError(t, err)
	requireText(t, text, read, 0.001)

	other := t.TempDir()
	_, err = newReader(t, ocr.Config{TessdataDir: other}).Read(t.Context(), scan(img, nil))
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.NoError(t, os.WriteFile(filepath.Join(other, "deu.traineddata"), nil, 0o600))
	languages, err = newReader(t, ocr.Config{TessdataDir: other}).Languages(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"deu"}, languages, "without a model for English")
}
