package formattest

import (
	"image"
	"image/color"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/layout"
)

// CheckPage asserts what every page promises.
func CheckPage(tb testing.TB, p format.Page) {
	tb.Helper()
	text := []rune(p.Text)
	covered := 0
	for i, w := range p.Words {
		require.GreaterOrEqual(tb, w.Start, covered)
		require.Less(tb, w.Start, w.End)
		require.LessOrEqual(tb, w.End, len(text))
		require.Empty(tb, strings.TrimSpace(string(text[covered:w.Start])), "characters outside words")
		require.Falsef(tb, strings.ContainsFunc(string(text[w.Start:w.End]), unicode.IsSpace), "word %d", i)
		require.True(tb, w.Box.X0 >= 0 && w.Box.X0 <= w.Box.X1 && w.Box.X1 <= p.Width, "%v on %v", w.Box, p.Width)
		require.True(tb, w.Box.Y0 >= 0 && w.Box.Y0 <= w.Box.Y1 && w.Box.Y1 <= p.Height, "%v on %v", w.Box, p.Height)
		covered = w.End
	}
	require.Empty(tb, strings.TrimSpace(string(text[covered:])))
	for i, r := range text {
		if r == '\t' && slices.ContainsFunc(p.Paragraphs, func(q format.Paragraph) bool { return q.Table > 0 && q.End == i }) {
			continue // between the cells of a table
		}
		require.False(tb, r != '\n' && (unicode.IsControl(r) || format.NonCharacter(r)), "%U", r)
	}
	require.Equal(tb, p.Words, roundTrip(tb, p.Words), "words survive storage")
}

// roundTrip is words as they are stored: boxes to a tenth of a point.
func roundTrip(tb testing.TB, words []layout.Word) []layout.Word {
	tb.Helper()
	again, err := layout.DecodeWords(layout.EncodeWords(words))
	require.NoError(tb, err)
	require.Len(tb, again, len(words))
	for i := range again {
		require.InDelta(tb, words[i].Box.X0, again[i].Box.X0, 0.06)
		require.InDelta(tb, words[i].Box.Y1, again[i].Box.Y1, 0.06)
		again[i].Box = words[i].Box
	}
	return again
}

// Recognised is a page as recognition returns it: words of a few scripts at
// known places.
func Recognised(number int, width, height float32) layout.Page {
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

// RequireWords asserts that page holds the words of want at their places, among
// others.
func RequireWords(tb testing.TB, want layout.Page, page format.Page) {
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

// RequireFound asserts that another program finds the words of page.
func RequireFound(tb testing.TB, path string, want layout.Page) {
	tb.Helper()
	out, ok := Pdftotext(tb, path)
	for word := range strings.FieldsSeq(want.Text) {
		require.True(tb, !ok || strings.Contains(out, word), word)
	}
}

// RequireText asserts that another program reads the words of text in their order, and
// no others.
func RequireText(tb testing.TB, path, text string) {
	tb.Helper()
	if out, ok := Pdftotext(tb, path); ok {
		require.Equal(tb, strings.Fields(text), strings.Fields(out))
	}
}

// Pdftotext is what that program reads, where it is installed.
func Pdftotext(tb testing.TB, path string) (text string, ok bool) {
	tb.Helper()
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		tb.Log("pdftotext is not installed")
		return "", false
	}
	out, err := exec.CommandContext(tb.Context(), tool, "-q", path, "-").Output()
	require.NoError(tb, err)
	return string(out), true
}

// Flag is a picture of three colours on half transparent ground.
func Flag() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, 300, 400))
	for y := range 400 {
		for x := range 300 {
			m.Set(x, y, color.NRGBA{R: uint8(255 * (x / 100 % 2)), G: uint8(255 * (y / 200)), B: 40, A: uint8(128 + 127*(x/150))})
		}
	}
	return m
}
