package docx

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumberFormats(t *testing.T) {
	t.Parallel()
	for format, want := range map[string][]string{
		"decimal":      {"0", "1", "4", "21", "112", "5000"},
		"decimalZero":  {"00", "01", "04", "21", "112", "5000"},
		"lowerRoman":   {"0", "i", "iv", "xxi", "cxii", "5000"},
		"upperLetter":  {"0", "A", "D", "U", "HHHHH", "5000"},
		"ordinal":      {"0th", "1st", "4th", "21st", "112th", "5000th"},
		"cardinalText": {"Zero", "One", "Four", "Twenty-One", "112", "5000"},
		"ordinalText":  {"Zeroth", "First", "Fourth", "Twenty-First", "112", "5000"},
		"none":         {"", "", "", "", "", ""},
		"chicago":      {"0", "1", "4", "21", "112", "5000"},
	} {
		for i, n := range []int{0, 1, 4, 21, 112, 5000} {
			require.Equal(t, want[i], FormatNumber(n, format), "%s of %d", format, n)
		}
	}
	require.Equal(t, "Ninety-Ninth", inWords(99, ordinals))
	require.Equal(t, "Twenty", inWords(20, cardinals))
	require.Equal(t, "2nd 3rd 11th 13th 22nd", strings.Join([]string{ordinal(2), ordinal(3), ordinal(11), ordinal(13), ordinal(22)}, " "))
}

// TestNumbersAreBounded has a number that is as long as a book.
func TestNumbersAreBounded(t *testing.T) {
	t.Parallel()
	n := Numbering{
		Abstracts: map[string]*AbstractList{"a": {Levels: [ListLevels]ListLevel{{Start: 1, Text: "%1."}, {Start: 1, Text: strings.Repeat("%1", maxNumber)}, {Start: 77, Format: "cardinalText", Text: strings.Repeat("%3", maxNumber/2)}}}},
		Lists:     map[string]*List{"1": {Abstract: "a"}},
	}
	counted, ok := n.Next(ListRef{List: "1"}, nil)
	require.True(t, ok)
	require.Equal(t, Counted{Number: "1.", List: "a", Level: 1}, counted)
	counted, ok = n.Next(ListRef{List: "1", Level: new(1)}, nil)
	require.True(t, ok)
	require.Equal(t, 2, counted.Level)
	require.Empty(t, counted.Number)
	counted, ok = n.Next(ListRef{List: "1", Level: new(2)}, nil)
	require.True(t, ok)
	require.Empty(t, counted.Number, "its text is short, it is not")
}

// FuzzNumbers numbers paragraphs by any lists and styles: as many as there are.
func FuzzNumbers(f *testing.F) {
	f.Add(`<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:lvlText w:val="%1."/><w:pStyle w:val="S"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>`,
		`<w:style w:type="paragraph" w:default="1" w:styleId="S"><w:basedOn w:val="S"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`,
		`<w:p/><w:p><w:pPr><w:numPr><w:ilvl w:val="8"/><w:numId w:val="1"/></w:numPr></w:pPr></w:p><w:p><w:pPr><w:sectPr/></w:pPr></w:p>`)
	f.Fuzz(func(t *testing.T, lists, styles, content string) {
		part := func(root, content string) string {
			return `<w:` + root + ` xmlns:w="` + wordNS + `">` + content + `</w:` + root + `>`
		}
		var data bytes.Buffer
		z := zip.NewWriter(&data)
		for _, p := range [][2]string{
			{"[Content_Types].xml", builtTypes},
			{"_rels/.rels", builtPackage},
			{"word/_rels/document.xml.rels", builtRelationships},
			{"word/document.xml", builtDocument("", content)},
			{"word/numbering.xml", part("numbering", lists)},
			{"word/styles.xml", part("styles", styles)},
			{"word/settings.xml", builtSettings},
		} {
			w, err := z.Create(p[0])
			require.NoError(t, err)
			_, err = w.Write([]byte(p[1]))
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		d, err := Open(data.Bytes())
		if err != nil {
			return
		}
		require.Len(t, d.Numbers(), len(d.Story("body").Paragraphs()))
	})
}
