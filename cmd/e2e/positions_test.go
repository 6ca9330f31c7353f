package e2e_test

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

// rightWords is how many of a thousand words a rectangle has to tell right.
const rightWords = 995

// TestPositions marks spans of files that have pages in every way: what is in the
// rectangles of a span is its words and no others, and the page can be drawn.
func TestPositions(t *testing.T) {
	t.Parallel()
	sideways, upsideDown, leftward := turnedScans(scan(t, clauses(90, linesAPage)))
	turned := bytes.Replace(scannedPDF(t, 91, 1), []byte("/Type /Page /Parent"), []byte("/Type /Page /Rotate 270 /Parent"), 1)
	_, c, browser := newService(t)
	for _, one := range []struct {
		upload
		rotation int
	}{
		{upload{"text.pdf", textPDF(92, 3)}, 0},
		{upload{"scan.pdf", scannedPDF(t, 93, 2)}, 0},
		{upload{"rotated.pdf", turned}, 270},
		{upload{"picture.png", encodePNG(t, scan(t, clauses(94, linesAPage)))}, 0},
		{upload{"pages.tiff", encodeTIFF(scan(t, clauses(95, linesAPage)), scan(t, clauses(96, linesAPage)))}, 0},
		{upload{"sideways.png", encodePNG(t, sideways)}, 90},
		{upload{"down.png", encodePNG(t, upsideDown)}, 180},
		{upload{"leftward.png", encodePNG(t, leftward)}, 270},
	} {
		t.Run(one.name, func(t *testing.T) {
			f := c.wait(c.upload(one.upload).ID, 3*time.Minute)
			p := placesOf(t, browser, f.ID)
			require.Greater(t, utf8.RuneCountInString(p.text), 300)
			for _, page := range p.pages {
				require.Equal(t, one.rotation, page.Rotation, p.text)
			}
			p.requireMarked(t, 60)
			width, height := p.pages[0].Width, p.pages[0].Height
			a := browser.get(fmt.Sprintf("/api/files/%s/pages/1/image?width=400", f.ID), "Accept", "image/png")
			require.Equal(t, http.StatusOK, a.status)
			drawn, _, err := image.Decode(bytes.NewReader(a.body))
			require.NoError(t, err)
			require.Equal(t, 400, drawn.Bounds().Dx())
			require.InDelta(t, 400*height/width, drawn.Bounds().Dy(), 1, "as displayed")
			p.requireInk(t, drawn)
		})
	}
}

// TestPositionsOfContracts is TestPositions of real contracts.
func TestPositionsOfContracts(t *testing.T) {
	if *share == 0 || os.Getenv("CLAUSEMILL_DATA") == "" {
		t.Skip("takes minutes: `make corpus` runs it")
	}
	files, err := filepath.Glob(filepath.Join(os.Getenv("CLAUSEMILL_DATA"), "cuad", "pdf", "*.pdf"))
	require.NoError(t, err)
	_, c, browser := newService(t)
	for i := 0; i < len(files); i += *share {
		t.Run(filepath.Base(files[i]), func(t *testing.T) {
			content, err := os.ReadFile(files[i])
			require.NoError(t, err)
			f := c.wait(c.upload(upload{filepath.Base(files[i]), content}).ID, 10*time.Minute)
			placesOf(t, browser, f.ID).requireMarked(t, 40)
		})
	}
}

// turnedScans are a page turned clockwise by one, two and three quarters.
func turnedScans(m *image.Gray) (one, two, three *image.Gray) {
	quarter := func(m *image.Gray) *image.Gray {
		out := image.NewGray(image.Rect(0, 0, m.Rect.Dy(), m.Rect.Dx()))
		for y := range m.Rect.Dy() {
			for x := range m.Rect.Dx() {
				out.SetGray(m.Rect.Dy()-1-y, x, m.GrayAt(x, y))
			}
		}
		return out
	}
	one = quarter(m)
	two = quarter(one)
	return one, two, quarter(two)
}

// places is where the words of a file stand.
type places struct {
	browser *caller
	id      string
	text    string
	pages   []api.PageInfo
	words   []api.PageWord
	page    []int // of each word
}

func placesOf(t *testing.T, browser *caller, id string) *places {
	t.Helper()
	p := &places{browser: browser, id: id, text: string(browser.get("/api/files/" + id + "/text").body)}
	var list api.PageList
	browser.get("/api/files/"+id+"/pages?limit=500").into(t, http.StatusOK, &list)
	require.Len(t, list.Items, list.Total)
	p.pages = list.Items
	text := []rune(p.text)
	for _, page := range p.pages {
		var words api.PageWords
		browser.get(fmt.Sprintf("/api/files/%s/pages/%d/words?limit=5000", id, page.Number)).into(t, http.StatusOK, &words)
		require.Len(t, words.Items, words.Total)
		for _, w := range words.Items {
			require.Equal(t, string(text[w.Span.Start:w.Span.End]), w.Text)
			p.words, p.page = append(p.words, w), append(p.page, page.Number)
		}
	}
	return p
}

// requireMarked marks n spans, of a word to several pages.
func (p *places) requireMarked(t *testing.T, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 0))
	length := utf8.RuneCountInString(p.text)
	right, wrong := 0, 0
	for range n {
		start := rng.IntN(length)
		end := min(start+[]int{1, 8, 60, 400, 4000}[rng.IntN(5)], length)
		var boxes api.TextBoxes
		p.browser.get(fmt.Sprintf("/api/files/%s/boxes?start=%d&end=%d&limit=5000", p.id, start, end)).into(t, http.StatusOK, &boxes)
		for i, w := range p.words {
			marked, wanted := covered(boxes.Items, p.page[i], w.Box), w.Span.Start < end && w.Span.End > start
			if marked && wanted {
				right++
			} else if marked || wanted {
				wrong++
			}
		}
	}
	t.Logf("%d words right, %d wrong", right, wrong)
	require.Positive(t, right)
	require.GreaterOrEqual(t, right*1000, (right+wrong)*rightWords)
}

// covered reports whether the middle of a box is in one of the rectangles.
func covered(boxes []api.TextBox, page int, box api.PageBox) bool {
	const rounding = 1e-4
	x, y := (box.X0+box.X1)/2, (box.Y0+box.Y1)/2
	for _, b := range boxes {
		if b.Page == page && x >= b.Box.X0-rounding && x <= b.Box.X1+rounding && y >= b.Box.Y0-rounding && y <= b.Box.Y1+rounding {
			return true
		}
	}
	return false
}

// requireInk finds something dark in the box of each word of the first page.
func (p *places) requireInk(t *testing.T, drawn image.Image) {
	t.Helper()
	width, height := float32(drawn.Bounds().Dx()), float32(drawn.Bounds().Dy())
	for i, w := range p.words {
		if p.page[i] != p.pages[0].Number {
			break
		}
		dark := false
		for y := int(w.Box.Y0 * height); y < int(w.Box.Y1*height)+1; y++ {
			for x := int(w.Box.X0 * width); x < int(w.Box.X1*width)+1; x++ {
				r, _, _, _ := drawn.At(x, y).RGBA()
				dark = dark || r < 0xc000
			}
		}
		require.True(t, dark, "%q stands elsewhere", w.Text)
	}
}
