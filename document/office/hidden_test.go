package office

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
)

// TestDOCXHidden holds which text is reported because a reader does not see it, or sees
// it struck out.
func TestDOCXHidden(t *testing.T) {
	t.Parallel()
	run := func(properties, text string) string {
		return `<w:r><w:rPr>` + properties + `</w:rPr><w:t>` + text + `</w:t></w:r>`
	}
	mark := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	cell := func(content string) string {
		return `<w:tbl><w:tr><w:tc><w:p>` + content + `</w:p></w:tc></w:tr></w:tbl><w:p/>`
	}
	for name, c := range map[string]struct {
		body   string
		hidden bool
	}{
		"Plain":          {para(runOf("a")), false},
		"Vanish":         {para(run(`<w:vanish/>`, "a")), true},
		"VanishOff":      {para(run(`<w:vanish w:val="0"/>`, "a")), false},
		"VanishedBlank":  {para(run(`<w:vanish/>`, " ")), false},
		"Struck":         {para(run(`<w:strike/>`, "a")), true},
		"StruckTwice":    {para(run(`<w:dstrike/>`, "a")), true},
		"White":          {para(run(`<w:color w:val="ffffff"/>`, "a")), true},
		"WhiteOnShade":   {para(run(`<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000000"/>`, "a")), false},
		"WhiteInTable":   {cell(run(`<w:color w:val="FFFFFF"/>`, "a")), false},
		"HiddenInTable":  {cell(run(`<w:vanish/>`, "a")), true},
		"OnePoint":       {para(run(`<w:sz w:val="2"/>`, "a")), true},
		"SevenPoints":    {para(run(`<w:sz w:val="14"/>`, "a")), false},
		"ByStyle":        {`<w:p><w:pPr><w:pStyle w:val="Gone"/></w:pPr>` + runOf("a") + `</w:p>`, true},
		"ByCharacter":    {para(run(`<w:rStyle w:val="Below"/>`, "a")), true},
		"StyleOverruled": {`<w:p><w:pPr><w:pStyle w:val="Gone"/></w:pPr>` + run(`<w:vanish w:val="0"/>`, "a") + `</w:p>`, false},
		"TrackedChange":  {para(runOf("a") + `<w:del w:id="1"><w:r><w:delText>b</w:delText></w:r></w:del>`), false},
		"CodeOfField":    {para(mark("begin") + run(`<w:vanish/>`, "code") + mark("end") + runOf("a")), false},
	} {
		pages := readAll(t, format.DOCX, "", formattest.WordDocument(t, c.body, "word/styles.xml", wordPart("styles",
			`<w:style w:type="paragraph" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:type="character" w:styleId="Below"><w:basedOn w:val="Struck"/></w:style>`+
				`<w:style w:type="character" w:styleId="Struck"><w:rPr><w:strike/></w:rPr></w:style>`)))
		require.Equal(t, c.hidden, pages[0].Reason == format.ReasonHidden, name)
		require.False(t, pages[0].NeedsOCR, name)
	}
}

// TestDOCXHiddenNote holds that text hidden in a note is told of the page that the note is
// on, and not told where nothing refers to the note.
func TestDOCXHiddenNote(t *testing.T) {
	t.Parallel()
	notes := ""
	for _, id := range []string{"1", "2"} {
		notes += `<w:footnote w:id="` + id + `">` + para(`<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>`) + `</w:footnote>`
	}
	for reference, want := range map[string]bool{`<w:r><w:footnoteReference w:id="1"/></w:r>`: true, "": false} {
		pages := readAll(t, format.DOCX, "", formattest.WordDocument(t,
			para(runOf("one")+`<w:r><w:br w:type="page"/></w:r>`)+para(runOf("two")+reference), "word/footnotes.xml", wordPart("footnotes", notes)))
		require.NotEqual(t, format.ReasonHidden, pages[0].Reason)
		require.Equal(t, want, pages[1].Reason == format.ReasonHidden, reference)
	}
}
