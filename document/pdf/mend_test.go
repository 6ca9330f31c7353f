package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/clausemill/clausemill/document/formattest"
)

// TestMend has characters as the engine tells them, and as the page shows them.
func TestMend(t *testing.T) {
	t.Parallel()
	for told, shown := range map[string]string{
		// Brackets named by their shape, in Hebrew and Arabic, and such that are right.
		"סעיף 15)ב()4( לחוק":       "סעיף 15(ב)(4) לחוק",
		"سعيد ]1[ و)ب(":            "سعيد [1] و(ب)",
		"סעיף 15(ב)(4) לחוק":       "סעיף 15(ב)(4) לחוק",
		"א) לחוק ב) לחוק":          "א) לחוק ב) לחוק",
		"(א לחוק\nב) לחוק":         "(א לחוק\nב) לחוק",
		"see a) and b( there":      "see a) and b( there",
		"the law (חוק) of the ]x[": "the law (חוק) of the ]x[",
		// UTF-8 taken for UTF-16, and Korean.
		"킜킰톁톁킰 킛킸톁톂 1:1": "Масса Лист 1:1",
		"킜킰톁톁킰 가킛킸톁톂":    "킜킰톁톁킰 가킛킸톁톂",
		"킜킰톁톁킰":          "킜킰톁톁킰",
		// Fonts of Windows taken for those of Macintosh.
		"Allg‰u, K‰ferhofen":     "Allgäu, Käferhofen",
		"DurÈe du prÍt (annÈes)": "Durée du prêt (années)",
		"gem‰ﬂ ﬁnd":              "gemäß ﬁnd",
		"50‰ of l·l":             "50‰ of l·l",
		"McÉwan, 5 ‰, „x“":       "McÉwan, 5 ‰, „x“",
	} {
		var glyphs []glyph
		for _, r := range told {
			glyphs = append(glyphs, glyph{r: r})
		}
		mend(glyphs)
		var got []rune
		for _, g := range glyphs {
			got = append(got, g.r)
		}
		require.Equal(t, shown, string(got))
	}
}

// TestLetterAsLineEnd has a font whose map takes one of its letters for a line end: the line
// goes on, with a letter that is not known. A line end that is none of its letters is one.
func TestLetterAsLineEnd(t *testing.T) {
	t.Parallel()
	read := func(cmap, program, line string) string {
		data := string(formattest.PDF(formattest.PDFPage{
			Content: formattest.Line(72, 700, line) + formattest.Line(72, 680, "Second line"),
			Font:    "<</Type /Font /Subtype /TrueType /BaseFont /Own /Encoding /WinAnsiEncoding /ToUnicode 50 0 R /FontDescriptor 51 0 R>>",
		}))
		cmap = "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar " + cmap + " endbfchar endcmap"
		objects := fmt.Sprintf("50 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n", len(cmap), cmap) +
			fmt.Sprintf("51 0 obj\n<</Type /FontDescriptor /FontName /Own /Flags 32 /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 /FontBBox [0 -200 1000 900] %s>>\nendobj\n", program) +
			fmt.Sprintf("52 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n", len(goregular.TTF), goregular.TTF)
		return readPDF(t, repair([]byte(data[:strings.LastIndex(data, "xref\n0")]+objects+"trailer\n<</Root 1 0 R>>\n")))[0].Text
	}
	const own = "/FontFile2 52 0 R"
	require.Equal(t, "A \ufffdopula here\nSe\ufffdond line\n", read("<63> <000D>", own, "A copula here"))
	require.Equal(t, "A \ufffdopula here\nSe\ufffdond line\n", read("<63> <000A>", own, "A copula here"))
	require.Equal(t, "A copula\nhere\nSecond line\n", read("<7E> <007E>", "", "A copula\nhere"))
}
