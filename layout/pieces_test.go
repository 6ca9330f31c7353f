package layout_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/layout"
)

// paged is a page of lines of words, each ten points wide and high, with boxes as turn
// leaves them.
func paged(lines []string, turn func(layout.Box) layout.Box) layout.Page {
	page := layout.Page{Number: 1, Width: 612, Height: 792}
	for y, line := range lines {
		for x, word := range strings.Fields(line) {
			if x > 0 {
				page.Text += " "
			}
			start := len([]rune(page.Text))
			page.Text += word
			box := layout.Box{X0: float32(20 * x), Y0: float32(20 * y), X1: float32(20*x + 10), Y1: float32(20*y + 10)}
			page.Words = append(page.Words, layout.Word{Start: start, End: len([]rune(page.Text)), Box: turn(box)})
		}
		page.Text += "\n"
	}
	return page
}

// turns are how boxes lie where text is turned clockwise by so many quarters.
var turns = []func(layout.Box) layout.Box{
	func(b layout.Box) layout.Box { return b },
	func(b layout.Box) layout.Box { return layout.Box{X0: 500 - b.Y1, Y0: b.X0, X1: 500 - b.Y0, Y1: b.X1} },
	func(b layout.Box) layout.Box {
		return layout.Box{X0: 500 - b.X1, Y0: 500 - b.Y1, X1: 500 - b.X0, Y1: 500 - b.Y0}
	},
	func(b layout.Box) layout.Box { return layout.Box{X0: b.Y0, Y0: 500 - b.X1, X1: b.Y1, Y1: 500 - b.X0} },
}

func TestPieces(t *testing.T) {
	t.Parallel()
	page := paged([]string{"The lessee pays", "a fee of ten", "euros"}, turns[0])
	require.Equal(t, []layout.Piece{
		{4, 15, layout.Box{X0: 20, X1: 50, Y1: 10}},
		{16, 21, layout.Box{Y0: 20, X1: 30, Y1: 30}},
	}, layout.Pieces(page, 4, 21), "a rectangle for each line")
	require.Equal(t, []layout.Piece{{6, 8, layout.Box{X0: 20, X1: 30, Y1: 10}}}, layout.Pieces(page, 6, 8), "a part of a word is marked by the word")
	require.Empty(t, layout.Pieces(page, 3, 4), "between words")
	require.Empty(t, layout.Pieces(page, 6, 6))
	require.Empty(t, layout.Pieces(page, 100, 200))

	// Two columns that were read as one line each.
	page = paged([]string{"left x right", "left x right"}, turns[0])
	page.Words[1].Box = layout.Box{X0: 300, X1: 310, Y1: 10}
	require.Equal(t, []layout.Piece{
		{0, 4, layout.Box{X1: 10, Y1: 10}},
		{5, 6, layout.Box{X0: 300, X1: 310, Y1: 10}},
	}, layout.Pieces(page, 0, 6), "what is between is not covered")

	page.Words[0].Box = layout.Box{}
	require.Len(t, layout.Pieces(page, 0, 6), 1, "a word without a box")
}

// TestPiecesCoverTheirWords holds it of any span, whichever way the page is turned.
func TestPiecesCoverTheirWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`([a-z]{1,5} ){0,6}`), 1, 8).Draw(t, "lines")
		page := paged(lines, turns[rapid.IntRange(0, 3).Draw(t, "turn")])
		length := len(page.Text)
		start := rapid.IntRange(0, length).Draw(t, "start")
		end := rapid.IntRange(start, length).Draw(t, "end")
		pieces := layout.Pieces(page, start, end)
		for _, w := range page.Words {
			x, y := w.Box.Middle()
			covered := false
			for _, p := range pieces {
				covered = covered || p.Box.Contains(x, y)
			}
			require.Equal(t, start < end && w.End > start && w.Start < end, covered)
		}
	})
}

func TestQuarters(t *testing.T) {
	t.Parallel()
	for quarters, turn := range turns {
		require.Equal(t, quarters, layout.Quarters(paged([]string{"The lessee pays", "a fee", "on time"}, turn)))
		require.Equal(t, 0, layout.Quarters(paged([]string{"Annex"}, turn)), "one word says nothing")
	}
	mirrored := func(b layout.Box) layout.Box { return layout.Box{X0: 500 - b.X1, Y0: b.Y0, X1: 500 - b.X0, Y1: b.Y1} }
	require.Equal(t, 0, layout.Quarters(paged([]string{"يدفع المستأجر رسوما", "في الموعد"}, mirrored)))
	require.Equal(t, 0, layout.Quarters(layout.Page{}))
}

func TestFraction(t *testing.T) {
	t.Parallel()
	page := layout.Page{Width: 612, Height: 792}
	require.Equal(t, layout.Box{X0: 0.5, Y0: 0.25, X1: 1, Y1: 0.33333}, layout.Box{X0: 306, Y0: 198, X1: 700, Y1: 264}.Fraction(page))
	require.Equal(t, layout.Box{}, layout.Box{X0: 1, Y0: 1, X1: 2, Y1: 2}.Fraction(layout.Page{}))
}
