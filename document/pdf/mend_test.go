package pdf

import (
	"testing"

	"github.com/stretchr/testify/require"
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
