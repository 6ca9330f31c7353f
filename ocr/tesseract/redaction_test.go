package tesseract

import (
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/ocr"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	word := func(text string, left, right int) ocr.Reading {
		return ocr.Reading{Text: text, Box: [4]float32{float32(left), 10, float32(right), 30}, Confidence: 40}
	}
	for name, tc := range map[string]struct {
		words []ocr.Reading
		want  string
	}{
		"letters":                  {[]ocr.Reading{word("pays", 20, 80), word("[eer]", 99, 151), word("now", 160, 190)}, "pays [***] now"},
		"read as it is":            {[]ocr.Reading{word("pays", 20, 80), word("$[***].", 90, 158)}, "pays $[***]."},
		"with punctuation":         {[]ocr.Reading{word("($[eK),", 85, 165)}, "($[***]),"},
		"punctuation of its own":   {[]ocr.Reading{word("[eK.", 100, 150)}, "[***]"},
		"in two parts":             {[]ocr.Reading{word("[Ae", 100, 125), word("e].", 126, 157), word("now", 170, 190)}, "[***]. now"},
		"part of a longer word":    {[]ocr.Reading{word("Glumetza[eK", 20, 150)}, "Glumetza[eK"},
		"beside":                   {[]ocr.Reading{word("pays", 20, 97), word("now", 153, 190)}, "pays [***] now"},
		"nothing else on the line": {nil, "[***]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lines []line
			if tc.words != nil {
				var l line
				for _, w := range tc.words {
					l.add(w)
				}
				lines = append(lines, l)
			}
			lines = redact(lines, []redaction{{image.Rect(100, 8, 150, 32), "[***]"}})
			require.Len(t, lines, 1)
			var text []string
			for _, w := range lines[0].words {
				text = append(text, w.Text)
			}
			require.Equal(t, tc.want, strings.Join(text, " "))
		})
	}
}

// Redactions in whose place nothing was read are blocks of their own, which arrange puts into
// their places.
func TestRedactUnread(t *testing.T) {
	t.Parallel()
	lines := redact(nil, []redaction{{image.Rect(100, 8, 150, 32), "[***]"}, {image.Rect(900, 708, 950, 732), "[***]"}})
	require.Len(t, blocks(lines), 2)
}
