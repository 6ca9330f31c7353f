package pdf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/layout"
)

// ruled is thin rectangles, as most programs draw the borders of cells.
func ruled(boxes ...[4]float64) (content string) {
	for _, b := range boxes {
		content += fmt.Sprintf("%g %g %g %g re f\n", b[0], b[1], b[2], b[3])
	}
	return content
}

// priced is a table of three columns and three rows, whose first cell of the last row
// goes over two columns and whose last one is of the row above as well.
func priced() string {
	return ruled(
		[4]float64{72, 700, 450, 1}, [4]float64{72, 660, 450, 1}, [4]float64{72, 600, 300, 1}, [4]float64{72, 570, 450, 1},
		[4]float64{72, 570, 1, 130}, [4]float64{272, 600, 1, 100}, [4]float64{372, 570, 1, 130}, [4]float64{521, 570, 1, 130},
	)
}

// TestTables reads the words of a table by its cells, where the page has them line by line.
func TestTables(t *testing.T) {
	t.Parallel()
	text := formattest.Line(72, 730, "1. The Client pays the fees below.") +
		formattest.Line(78, 682, "Service") + formattest.Line(280, 682, "Unit") + formattest.Line(380, 682, "Price per unit") +
		formattest.Line(78, 644, "Hosting of the application in two") + formattest.Line(280, 644, "server") + formattest.Line(380, 644, "EUR 1,200.00") +
		formattest.Line(78, 630, "data centres") + formattest.Line(380, 630, "or EUR 40.00 a day") +
		formattest.Line(90, 610, "By the Supplier.") + formattest.Line(78, 610, "-") +
		formattest.Line(78, 580, "Both") +
		formattest.Line(72, 540, "2. Term. This Agreement begins today.")
	pages := readPDF(t, formattest.PDF(formattest.PDFPage{Content: text + priced()}, formattest.PDFPage{Content: text}, formattest.PDFPage{Content: text + priced()}))
	require.Equal(t, "1. The Client pays the fees below.\n\n"+
		"Service\tUnit\tPrice per unit\n"+
		"Hosting of the application in two data centres\n- By the Supplier.\tserver\tEUR 1,200.00\nor EUR 40.00 a day\n"+
		"Both\n\n"+
		"2. Term. This Agreement begins today.\n", pages[0].Text)
	for _, page := range pages {
		formattest.CheckPage(t, page)
	}
	var cells []string
	runes := []rune(pages[0].Text)
	for _, p := range pages[0].Paragraphs {
		require.Equal(t, pages[0].Paragraphs[0].Table, p.Table)
		cells = append(cells, fmt.Sprintf("%d.%d %s", p.Row, p.Cell, string(runes[p.Start:p.End])))
	}
	require.Equal(t, []string{
		"1.1 Service", "1.2 Unit", "1.3 Price per unit",
		"2.1 Hosting of the application in two data centres", "2.1 - By the Supplier.", "2.2 server", "2.3 EUR 1,200.00", "2.3 or EUR 40.00 a day",
		"3.1 Both",
	}, cells)

	require.Empty(t, pages[1].Paragraphs)
	require.Contains(t, pages[1].Text, "Service Unit Price per unit\n")
	require.Equal(t, pages[0].Text, pages[2].Text)
	require.NotEqual(t, pages[0].Paragraphs[0].Table, pages[2].Paragraphs[0].Table)
}

var unruled = regexp.MustCompile(`(?m)^.* re f\n`)

// TestNoTables leaves alone what is drawn with lines and is no table.
func TestNoTables(t *testing.T) {
	t.Parallel()
	words := formattest.Line(78, 644, "Signed for the Supplier on the first day of May") + formattest.Line(78, 610, "and for the Client on the next")
	for name, lines := range map[string]string{
		"A frame":          ruled([4]float64{72, 700, 450, 1}, [4]float64{72, 570, 450, 1}, [4]float64{72, 570, 1, 130}, [4]float64{521, 570, 1, 130}),
		"Rules":            ruled([4]float64{72, 660, 450, 1}, [4]float64{72, 630, 450, 1}, [4]float64{72, 600, 450, 1}),
		"One column":       ruled([4]float64{72, 660, 450, 1}, [4]float64{72, 630, 450, 1}, [4]float64{72, 600, 450, 1}, [4]float64{72, 600, 1, 60}, [4]float64{521, 600, 1, 60}),
		"One row":          ruled([4]float64{72, 660, 450, 1}, [4]float64{72, 600, 450, 1}, [4]float64{72, 600, 1, 60}, [4]float64{400, 600, 1, 60}, [4]float64{521, 600, 1, 60}),
		"Across the words": ruled([4]float64{72, 660, 450, 1}, [4]float64{72, 630, 450, 1}, [4]float64{72, 600, 450, 1}, [4]float64{92, 600, 1, 60}, [4]float64{150, 600, 1, 60}, [4]float64{210, 600, 1, 60}),
		"Apart":            ruled([4]float64{72, 660, 100, 1}, [4]float64{72, 630, 100, 1}, [4]float64{300, 500, 1, 60}, [4]float64{400, 500, 1, 60}),
		"Form": ruled([4]float64{72, 700, 450, 1}, [4]float64{72, 660, 450, 1}, [4]float64{72, 500, 450, 1}, [4]float64{72, 500, 1, 200}, [4]float64{300, 660, 1, 40}, [4]float64{521, 500, 1, 200}) +
			formattest.Line(78, 680, "Name") + formattest.Line(310, 680, "City") +
			formattest.Line(78, 590, "Income") + formattest.Line(310, 590, "Deductions") + formattest.Line(78, 570, "wages") + formattest.Line(310, 570, "rent") +
			formattest.Line(78, 550, "interest") + formattest.Line(310, 550, "travel"),
		// Lines around the figures only: what they are of is one cell beside all of them.
		"Figures": ruled([4]float64{72, 600, 1, 100}, [4]float64{400, 600, 1, 100}, [4]float64{521, 600, 1, 100}, [4]float64{72, 699, 450, 1}, [4]float64{400, 680, 122, 1},
			[4]float64{400, 660, 122, 1}, [4]float64{400, 640, 122, 1}, [4]float64{400, 620, 122, 1}, [4]float64{72, 600, 450, 1}) +
			formattest.Line(78, 684, "1 Wages") + formattest.Line(410, 684, "10") + formattest.Line(78, 664, "2 Rent") + formattest.Line(410, 664, "20") +
			formattest.Line(78, 624, "4 Sum") + formattest.Line(410, 624, "30") + formattest.Line(78, 604, "5 Due") + formattest.Line(410, 604, "40"),
	} {
		pages := readPDF(t, formattest.PDF(formattest.PDFPage{Content: words + lines}, formattest.PDFPage{Content: words + unruled.ReplaceAllString(lines, "")}))
		require.Empty(t, pages[0].Paragraphs, name)
		require.Equal(t, pages[1].Text, pages[0].Text, name)
	}
}

// TestManyTables bounds what lines cost that meet everywhere.
func TestManyTables(t *testing.T) {
	t.Parallel()
	var lines, words strings.Builder
	for i := range 1900 {
		lines.WriteString(ruled([4]float64{0, float64(i) * 7, 14000, 1}, [4]float64{float64(i) * 7, 0, 1, 14000}))
	}
	for i := range 2000 {
		words.WriteString(formattest.Line(float64(i%50)*250, float64(i/50)*300, "word"))
	}
	page := formattest.PDFPage{Attributes: "/MediaBox [0 0 14000 14000]", Content: lines.String() + words.String()}
	pages := readPDF(t, formattest.PDF(page))
	require.Equal(t, 2000, strings.Count(pages[0].Text, "word"))
}

func box(x, y, width, height float32) layout.Box {
	return layout.Box{X0: x, Y0: y, X1: x + width, Y1: y + height}
}

// drawnRules takes four bytes for each line.
func drawnRules(data []byte) (rules []layout.Box) {
	for b := range slices.Chunk(data, 4) {
		if len(b) == 4 {
			rules = append(rules, box(float32(b[0]), float32(b[1]), float32(b[2]), float32(b[3])))
		}
	}
	return rules
}

// FuzzTables draws any lines around any words: none is lost, and the page stays sound.
func FuzzTables(f *testing.F) {
	f.Add([]byte{10, 10, 100, 1, 10, 50, 100, 1, 10, 10, 1, 90, 60, 10, 1, 90, 110, 10, 1, 90})
	f.Add([]byte{0, 0, 255, 1, 0, 0, 1, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := drawnRules(data)
		var words [][]run
		for y := range 8 {
			var line []run
			for x := range 6 {
				line = append(line, run{text: fmt.Sprintf("w%d.%d", x, y), box: box(float32(x*40), float32(y*30), 30, 10)})
			}
			words = append(words, line)
		}
		page := format.Page{}
		page.Width, page.Height = 300, 300
		assemble(&page, tabulate(words, lines, 1), 12)
		formattest.CheckPage(t, page)
		require.Len(t, page.Words, 48)
		got := strings.Fields(page.Text)
		slices.Sort(got)
		require.Len(t, slices.Compact(got), 48)
	})
}
