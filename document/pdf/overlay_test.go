package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/layout"
)

// annotation is the dictionary of one of a kind, 200 by 20 points from x and y, with
// the appearance of a number.
func annotation(kind string, x, y, appearance int, more string) string {
	return fmt.Sprintf("<</Type /Annot /Subtype /%s /Rect [%d %d %d %d] /AP <</N @%d>> %s>>", kind, x, y, x+200, y+20, appearance, more)
}

// overlaidPage is a page with annotations.
func overlaidPage(content string, appearances []string, annotations ...string) formattest.PDFPage {
	return formattest.PDFPage{Content: content, Appearances: appearances, Attributes: "/Annots [" + strings.Join(annotations, " ") + "]"}
}

// ofOrigin is the words of a page with an origin.
func ofOrigin(p format.Page, origin layout.Origin) (words []string) {
	text := []rune(p.Text)
	for _, w := range p.Words {
		if w.Origin == origin {
			words = append(words, string(text[w.Start:w.End]))
		}
	}
	return words
}

// TestOverlays reads what a page shows over its content in its place: values of fields
// behind their captions, what stands alone between the lines.
func TestOverlays(t *testing.T) {
	t.Parallel()
	show := func(text string) string { return formattest.Line(2, 5, text) }
	page := readPDF(t, formattest.PDF(overlaidPage(
		formattest.Line(72, 700, "Tenant:")+formattest.Line(400, 700, "Date:")+formattest.Line(72, 660, "1. The rent is due.")+formattest.Line(72, 620, "2. Notices."),
		[]string{show("Jane Doe"), show("1 May 2024"), show("E-signed by Jane Doe"), show("VOID"), show("hidden")},
		annotation("Widget", 130, 695, 0, "/FT /Tx /T (tenant) /V (Jane Doe)"),
		annotation("Widget", 440, 695, 1, "/FT /Tx /T (date)"),
		annotation("Widget", 72, 560, 2, "/FT /Sig /T (signature)"),
		annotation("Stamp", 72, 638, 3, ""),
		annotation("FreeText", 72, 500, 4, "/F 2"),  // hidden
		annotation("FreeText", 72, 480, 4, "/F 32"), // not to be viewed
	)))[0]
	require.Equal(t, "Tenant: Jane Doe Date: 1 May 2024\n\n1. The rent is due.\nVOID\n\n2. Notices.\n\nE-signed by Jane Doe\n", page.Text)
	require.Equal(t, []string{"Jane", "Doe", "1", "May", "2024", "E-signed", "by", "Jane", "Doe"}, ofOrigin(page, layout.Field))
	require.Equal(t, []string{"VOID"}, ofOrigin(page, layout.Annotation))
	jane := page.Words[1].Box
	require.InDelta(t, 132, jane.X0, 1)
	require.InDelta(t, 792-700, jane.Y1, 4, "the baseline is 92 points from the top")
}

// TestOverlaysAlone reads a page that has nothing else, and one that is turned.
func TestOverlaysAlone(t *testing.T) {
	t.Parallel()
	appearance := []string{formattest.Line(2, 5, "Signed: Ada Lovelace")}
	upright := overlaidPage("", appearance, annotation("Widget", 72, 400, 0, "/FT /Sig /T (s)"))
	turned := upright
	turned.Attributes += " /Rotate 90"
	for _, page := range readPDF(t, formattest.PDF(upright, turned)) {
		require.Equal(t, "Signed: Ada Lovelace\n", page.Text)
		require.Equal(t, format.ReasonGood, page.Reason)
		require.Len(t, ofOrigin(page, layout.Field), 3)
	}
}

// TestLinesOverContent takes lines that are drawn over a page for lines of the page.
func TestLinesOverContent(t *testing.T) {
	t.Parallel()
	page := readPDF(t, formattest.PDF(overlaidPage(
		`BT /F0 12 Tf 72 700 Td (The Monthly Rent is due) Tj ET`, nil, // Rent: 141 to 168
		"<</Type /Annot /Subtype /Line /Rect [141.5 697.7 168 698.3] /L [141.5 698 168 698]>>",
		"<</Type /Annot /Subtype /PolyLine /Rect [50 46 550 46] /Vertices [50 46 550 46]>>",
	)))[0]
	require.Equal(t, "The Monthly Rent is due\n", page.Text)
	require.Len(t, page.Emphasis, 1)
	require.Equal(t, "Rent", page.Text[page.Emphasis[0].Start:page.Emphasis[0].End])
	require.True(t, page.Emphasis[0].Underline)
}

// TestLinesOfOverlay keeps the lines of one overlay together.
func TestLinesOfOverlay(t *testing.T) {
	t.Parallel()
	note := formattest.Line(2, 12, "First line of a note") + formattest.Line(2, 0, "and its second.")
	page := readPDF(t, formattest.PDF(overlaidPage(
		formattest.Line(72, 700, "Above.")+formattest.Line(400, 655, "Beside.")+formattest.Line(72, 600, "Below."),
		[]string{note}, annotation("FreeText", 72, 650, 0, ""))))[0]
	require.Contains(t, strings.ReplaceAll(page.Text, "\n\n", "\n"), "First line of a note\nand its second.\n")
	require.Len(t, ofOrigin(page, layout.Annotation), 8)
}

// TestManyOverlays has the picture of a page recognised that has more annotations than
// are read in a bounded time.
func TestManyOverlays(t *testing.T) {
	t.Parallel()
	many := make([]string, 100_000)
	for i := range many {
		many[i] = annotation("Widget", 10+i%500, 10+i/200, 0, "/FT /Tx")
	}
	read := func(annotations []string) format.Page {
		return readPDF(t, formattest.PDF(overlaidPage(formattest.Line(72, 700, "Content."), []string{formattest.Line(2, 5, "x")}, annotations...)))[0]
	}
	page := read(many)
	require.Equal(t, "Content.\n", page.Text)
	require.Equal(t, format.ReasonAnnotations, page.Reason)
	require.True(t, page.NeedsOCR)
	page = read(many[:maxOverlays])
	require.Equal(t, format.ReasonGood, page.Reason)
	require.Equal(t, maxOverlays, strings.Count(strings.Join(ofOrigin(page, layout.Field), ""), "x"))
}

// TestHostileOverlays has annotations that are damaged, or contain themselves.
func TestHostileOverlays(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]formattest.PDFPage{
		"Itself":    overlaidPage(formattest.Line(72, 700, "Content."), []string{"/X Do"}, annotation("Stamp", 72, 600, 0, "/Resources <</XObject <</X @0>>>>")),
		"NoRect":    overlaidPage(formattest.Line(72, 700, "Content."), []string{formattest.Line(2, 5, "x")}, "<</Subtype /Widget /AP <</N @0>>>>"),
		"NoStream":  overlaidPage(formattest.Line(72, 700, "Content."), nil, "<</Subtype /Widget /Rect [1 2 3 4] /AP <</N 1 0 R>>>>"),
		"NaN":       overlaidPage(formattest.Line(72, 700, "Content."), []string{formattest.Line(2, 5, "x")}, "<</Subtype /Stamp /Rect [1e99 -1e99 9e999 3] /AP <</N @0>>>>"),
		"NotADict":  overlaidPage(formattest.Line(72, 700, "Content."), nil, "7", "(x)", "null", "[1 0 R]"),
		"ParentsUp": overlaidPage(formattest.Line(72, 700, "Content."), []string{formattest.Line(2, 5, "x")}, annotation("Widget", 10, 10, 0, "/Parent 2 0 R /FT /Tx")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, readPDF(t, formattest.PDF(page))[0].Text, "Content.")
		})
	}
}

// TestFilledScan is a form that was scanned and then filled in: its values say nothing
// of what is printed on it, so its picture is recognised.
func TestFilledScan(t *testing.T) {
	t.Parallel()
	form := overlaidPage(formattest.FullPageImage, []string{formattest.Line(2, 5, "Jane Doe of 12 Main Street, Springfield")})
	form.Image = scan(t, 1275, 1650)
	var fields []string
	for i := range 10 {
		fields = append(fields, annotation("Widget", 72, 700-30*i, 0, "/FT /Tx"))
	}
	form.Attributes = "/Annots [" + strings.Join(fields, " ") + "]"
	page := readPDF(t, formattest.PDF(form))[0]
	require.Greater(t, len(ofOrigin(page, layout.Field)), stampWords)
	require.Equal(t, format.ReasonImage, page.Reason)
}

// TestBoundOfOverlays leaves out which overlay a word is in where there is too much to
// compare.
func TestBoundOfOverlays(t *testing.T) {
	t.Parallel()
	field := overlay{box: layout.Box{X0: 0, Y0: 0, X1: 10, Y1: 10}, origin: layout.Field}
	line := slices.Repeat([]run{{box: layout.Box{X0: 1, Y0: 1, X1: 2, Y1: 2}}}, 3000)
	origin := func(overlays int) layout.Origin {
		merged := merge(nil, [][]run{slices.Clone(line)}, slices.Repeat([]overlay{field}, overlays))
		return merged[0][0].origin
	}
	require.Equal(t, layout.Field, origin(maxComparisons/len(line)))
	require.Equal(t, layout.Annotation, origin(maxComparisons/len(line)+1))
}
