package pdf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
)

// TestEmphasis finds bold and italic words by their fonts, and those whose outlines are
// drawn too.
func TestEmphasis(t *testing.T) {
	t.Parallel()
	font := func(name string) string { return "<</Type /Font /Subtype /Type1 /BaseFont /" + name + ">>" }
	data := formattest.PDF(formattest.PDFPage{
		Font: font("Helvetica") + " /F1 " + font("ABCDEF+Helvetica-Bold") + " /F2 " + font("Times-BoldItalic"),
		Content: `BT /F0 12 Tf 72 700 Td (In this lease ") Tj /F1 12 Tf (Monthly Rent) Tj /F0 12 Tf (" is the rent, and ) Tj /F2 12 Tf (Term)  Tj ET ` +
			"BT /F1 12 Tf 72 650 Td (BOLD) Tj ET BT /F1 12 Tf 72 636 Td (LINES) Tj ET BT 2 Tr /F0 12 Tf 72 600 Td (stroked) Tj ET",
	})
	f, err := testEngine(t).Open(t.Context(), formattest.TempFile(t, "a.pdf", data), format.DefaultLimits())
	require.NoError(t, err)
	defer f.Close()
	found := map[string]format.Emphasis{}
	require.NoError(t, f.Extract(t.Context(), 1, 1, func(p format.Page) error {
		for _, e := range p.Emphasis {
			found[string([]rune(p.Text)[e.Start:e.End])] = format.Emphasis{Bold: e.Bold, Italic: e.Italic}
		}
		return nil
	}))
	require.Equal(t, map[string]format.Emphasis{
		`"Monthly Rent"`:         {Bold: true},
		"Term":                   {Bold: true, Italic: true},
		"BOLD\nLINES\n\nstroked": {Bold: true},
	}, found)
}

func TestReadTypeface(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]typeface{
		"":                           {},
		"ArialMT":                    {},
		"ABCDEF+Arial-BoldMT":        {bold: true},
		"TimesNewRomanPS-ItalicMT":   {italic: true},
		"TimesNewRoman,BoldItalic":   {bold: true, italic: true},
		"FranklinGothic-Demi":        {bold: true},
		"Helvetica-Oblique":          {italic: true},
		"BOLDXX+Garamond":            {},
		"HelveticaNeueLTStd-BlackEx": {bold: true},
	} {
		require.Equal(t, want, readTypeface(name, 0), name)
	}
	require.Equal(t, typeface{bold: true, italic: true}, readTypeface("F1", flagItalic|flagForceBold|32))
}
