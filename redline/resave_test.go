package redline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/redline"
)

const (
	pageField = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>4</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
	footLine  = `<w:r><w:t>Supply agreement</w:t></w:r>`
	framed    = `<w:p><w:pPr><w:framePr w:wrap="around" w:hAnchor="margin" w:xAlign="right"/></w:pPr>` + pageField + `</w:p><w:p>` + footLine + `</w:p>`
	section   = `<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>`
)

func boxed(of string) string {
	return `<w:p><w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml"><v:rect><v:textbox><w:txbxContent><w:p>` + of + `</w:p></w:txbxContent></v:textbox></v:rect></w:pict></w:r>` + footLine + `</w:p>`
}

func paragraph(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }

func tableOf(rows ...string) string {
	return `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid>` + strings.Join(rows, "") + `</w:tbl>`
}

func rowOf(properties string, cells ...string) string {
	row := `<w:tr><w:trPr>` + properties + `</w:trPr>`
	for _, cell := range cells {
		row += `<w:tc><w:tcPr/>` + paragraph(cell) + `</w:tc>`
	}
	return row + `</w:tr>`
}

const emptyCell = `<w:tc><w:tcPr/><w:p/></w:tc></w:tr>`

// resaved are bodies that say the same in another way, after a first paragraph.
var resaved = map[string][2]string{
	"frame as a box":            {framed, boxed(pageField)},
	"empty columns":             {tableOf(rowOf(`<w:gridAfter w:val="1"/>`, "Fee", "100")), tableOf(strings.TrimSuffix(rowOf(``, "Fee", "100"), `</w:tr>`) + emptyCell)},
	"empty columns in front":    {tableOf(rowOf(`<w:gridBefore w:val="1"/>`, "Fee", "100")), tableOf(`<w:tr>` + strings.TrimSuffix(emptyCell, `</w:tr>`) + strings.TrimPrefix(rowOf(``, "Fee", "100"), `<w:tr><w:trPr></w:trPr>`))},
	"two tables":                {tableOf(rowOf("", "A", "1"), rowOf("", "B", "2")) + tableOf(rowOf("", "C", "3")) + paragraph("End."), tableOf(rowOf("", "A", "1"), rowOf("", "B", "2"), rowOf("", "C", "3")) + paragraph("End.")},
	"section in a paragraph":    {`<w:p><w:pPr>` + section + `</w:pPr>` + footLine + `</w:p>` + paragraph("End."), `<w:p>` + footLine + `</w:p><w:p><w:pPr>` + section + `</w:pPr></w:p>` + paragraph("End.")},
	"paragraph behind a table":  {paragraph("Fees.") + tableOf(rowOf("", "A", "1")), paragraph("Fees.") + tableOf(rowOf("", "A", "1")) + `<w:p/>`},
	"sides of cells":            {tableOf(`<w:tr><w:tc><w:tcPr><w:tcW w:w="3600"/><w:tcMar><w:left w:w="20.0"/></w:tcMar></w:tcPr><w:p/></w:tc></w:tr>`), tableOf(`<w:tr><w:trPr><w:cantSplit w:val="0"/></w:trPr><w:tc><w:tcPr><w:tcW w:w="3599"/><w:tcBorders/><w:tcMar><w:start w:w="20"/></w:tcMar></w:tcPr><w:p/></w:tc></w:tr>`)},
	"spacing in other measures": {`<w:p><w:pPr><w:spacing w:line="340"/></w:pPr>` + footLine + `</w:p>`, `<w:p><w:pPr><w:spacing w:line="338"/></w:pPr>` + footLine + `</w:p>`},
}

// TestCompareResaved holds that what programs write in several ways is no change, in
// either direction.
func TestCompareResaved(t *testing.T) {
	t.Parallel()
	for name, bodies := range resaved {
		a, b := word(t, paragraph("First.")+bodies[0]), word(t, paragraph("First.")+bodies[1])
		for _, p := range [][2][]byte{{a, b}, {b, a}} {
			found, err := redline.Compare(p[0], p[1])
			require.NoError(t, err, name)
			if len(found.Changes) > 0 && name == "paragraph behind a table" {
				continue // the last paragraph of a document may go
			}
			require.Empty(t, found.Changes, name)
			require.True(t, len(found.Left) > 0 || name == "sides of cells", name)
		}
	}
}

// TestCompareResavedAndEdited finds what was edited beside that.
func TestCompareResavedAndEdited(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string][2]string{
		"frame as a box":         {footLine, `<w:r><w:t>Supply contract</w:t></w:r>`},
		"empty columns":          {`100`, `200`},
		"two tables":             {`<w:t>3</w:t>`, `<w:t>4</w:t>`},
		"section in a paragraph": {footLine, `<w:r><w:t>Supply contract</w:t></w:r>`},
	} {
		base, other := word(t, paragraph("First.")+resaved[name][0]), word(t, paragraph("First.")+strings.Replace(resaved[name][1], edit[0], edit[1], 1))
		found, err := redline.Compare(base, other)
		require.NoError(t, err, name)
		require.NotEmpty(t, found.Changes, name)
		for _, c := range found.Changes {
			require.Contains(t, []redline.Type{redline.Rewrite, redline.Delete, redline.Insert}, c.Type, name)
		}
		holdCompared(t, base, other, name)
	}
	base, other := word(t, framed), word(t, boxed(strings.Replace(pageField, "PAGE", "DATE", 1)))
	found, err := redline.Compare(base, other)
	require.NoError(t, err)
	require.NotEmpty(t, found.Changes, "the box says something else")
	base, other = word(t, resaved["empty columns"][0]), word(t, strings.Replace(resaved["empty columns"][1], emptyCell, `<w:tc><w:tcPr/>`+paragraph("VAT")+`</w:tc></w:tr>`, 1))
	found, err = redline.Compare(base, other)
	require.NoError(t, err)
	require.NotEmpty(t, found.Changes, "the cell is not empty")
}

// TestCompareSectionAhead pairs headers by what they say where a section is new in front.
func TestCompareSectionAhead(t *testing.T) {
	t.Parallel()
	parts := agreement()
	base := pack(t, parts)
	parts[mainPart] = strings.Replace(parts[mainPart], `<w:body>`, `<w:body><w:p><w:pPr><w:sectPr><w:headerReference w:type="default" r:id="h2"/></w:sectPr></w:pPr></w:p>`, 1)
	found, err := redline.Compare(base, pack(t, parts))
	require.NoError(t, err)
	for _, c := range found.Changes {
		require.False(t, strings.HasPrefix(c.Anchor.Part, "header:"), "%s of %q to %q", c.Type, c.Anchor.Text, c.Text)
	}
}

// TestCompareTwins finds what looks different in paragraphs of the same bytes: by a style,
// a list or what they lead to.
func TestCompareTwins(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][3]string{
		"style":  {stylePart, `<w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/>`, `<w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:strike/>`},
		"list":   {"word/numbering.xml", `w:val="decimal"`, `w:val="upperRoman"`},
		"number": {mainPart, `<w:t>Delivery within ten days.</w:t>`, `<w:t>Delivery within ten days.</w:t></w:r></w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>New.</w:t>`},
		"link":   {"word/_rels/document.xml.rels", `https://example.com/terms`, `https://example.com/other`},
		"note":   {"word/footnotes.xml", `Registered letter.`, `Registered post.`},
	} {
		parts := agreement()
		base := pack(t, parts)
		require.Contains(t, parts[change[0]], change[1], name)
		parts[change[0]] = strings.Replace(parts[change[0]], change[1], change[2], 1)
		found, err := redline.Compare(base, pack(t, parts))
		require.NoError(t, err, name)
		require.NotZero(t, len(found.Changes)+len(found.Left), name)
		if name == "number" {
			require.Len(t, found.Changes, 1, "the numbers behind it follow")
			require.Empty(t, found.Left)
		}
	}
}
