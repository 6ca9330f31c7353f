package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
)

// TestDeclaredStructure follows what a Word document declares to the rows of its text,
// and reads it the same again.
func TestDeclaredStructure(t *testing.T) {
	t.Parallel()

	m := newMill(t)
	m.start()
	part := func(root, content string) string {
		return `<w:` + root + ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` + content + `</w:` + root + `>`
	}
	paragraph := func(style, text string) string {
		return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	level := func(i int, text, style string) string {
		return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%s"/><w:pStyle w:val="%s"/></w:lvl>`, i, text, style)
	}
	const said = "The Seller shall sell the goods, as Section 2.1 says."
	f := m.wait(m.upload("contract.docx", formattest.WordDocument(t,
		paragraph("H", "Goods")+paragraph("C", said)+paragraph("H", "Law")+paragraph("C", said)+
			`<w:tbl><w:tr><w:tc>`+paragraph("", "Nuts")+`</w:tc><w:tc>`+paragraph("", "")+`</w:tc><w:tc><w:sdt><w:sdtPr><w:alias w:val="Dozens"/><w:text/></w:sdtPr><w:sdtContent>`+paragraph("", "12")+`</w:sdtContent></w:sdt></w:tc></w:tr></w:tbl>`+
			`<w:p><w:r><w:t>The end.</w:t><w:footnoteReference w:id="2"/></w:r></w:p><w:sectPr><w:headerReference xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" w:type="default" r:id="h"/></w:sectPr>`,
		"word/styles.xml", part("styles", `<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`+
			`<w:style w:type="paragraph" w:styleId="C"><w:name w:val="Clause"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`),
		"word/numbering.xml", part("numbering", `<w:abstractNum w:abstractNumId="1">`+level(0, "%1.", "H")+level(1, "%1.%2", "C")+`</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`),
		"word/footnotes.xml", part("footnotes", `<w:footnote w:id="2">`+paragraph("", "A note.")+`</w:footnote>`),
		"word/header1.xml", part("hdr", paragraph("", "DRAFT")),
		"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="h" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/header" Target="header1.xml"/></Relationships>`,
	)).ID)
	require.Equal(t, db.FileCompleted, f.Status)
	m.lawful(f.ID)

	blocks, err := m.db.Blocks(t.Context(), m.in, f.ID, -1, 100)
	require.NoError(t, err)
	var got []string
	for _, b := range blocks {
		got = append(got, strings.Join([]string{b.Kind, b.Origin, b.Number, b.Text}, "|"))
	}
	require.Equal(t, []string{
		"heading||1|Goods", "list_item||1.1|" + said, "heading||2|Law", "list_item||2.1|" + said, "table|||Nuts\t\t12", "paragraph|||The end.",
		"paragraph|footnote|1|A note.", "paragraph|header||DRAFT",
	}, got)
	require.Equal(t, [][]string{{"Nuts", "12"}}, blocks[4].CellTexts())
	require.Equal(t, 3, blocks[4].Cells[0][1].Column)
	require.Equal(t, []db.Field{{Start: blocks[4].Cells[0][1].Start, End: blocks[4].Cells[0][1].End, Name: "Dozens"}}, blocks[4].Fields)
	require.Nil(t, blocks[0].Cells)
	require.Equal(t, 2, blocks[1].Level)

	sections := func() (paths []string) {
		rows, err := m.db.Sections(t.Context(), m.in, f.ID, db.SectionFilter{}, -1, 100)
		require.NoError(t, err)
		for _, s := range rows {
			paths = append(paths, s.Path+" "+s.Title)
		}
		return paths
	}
	require.Equal(t, []string{"1 Goods", "1.1 ", "2 Law", "2.1 "}, sections())
	m.restart(f.ID, db.FileOptions{})
	m.wait(f.ID)
	require.Equal(t, []string{"1 Goods", "1.1 ", "2 Law", "2.1 "}, sections())
}

// TestFormFields follows what was filled into the form of a PDF to the blocks of its text,
// also where the text is made of the stored pages.
func TestFormFields(t *testing.T) {
	t.Parallel()

	m := newMill(t)
	m.start()
	field := func(x, y, appearance int, name string) string {
		return fmt.Sprintf("<</Type /Annot /Subtype /Widget /FT /Tx /Rect [%d %d %d %d] /AP <</N @%d>> /T (%s)>>", x, y, x+200, y+20, appearance, name)
	}
	form := func(value, name string) formattest.PDFPage {
		return formattest.PDFPage{
			Content:     formattest.Line(72, 700, "This is the lease of a flat.") + formattest.Line(72, 600, "Tenant:"),
			Appearances: []string{formattest.Line(2, 5, value)}, Fields: []string{field(130, 595, 0, name)},
		}
	}
	f := m.wait(m.upload("form.pdf", formattest.PDF(form("Jane Doe", "first"), form("John Roe", "second"))).ID)
	require.Equal(t, db.FileCompleted, f.Status)
	require.Equal(t, []string{"1 first: Jane Doe 130", "2 second: John Roe 130"}, m.fields(f.ID))

	m.restart(f.ID, db.FileOptions{})
	m.wait(f.ID)
	require.Equal(t, []string{"1 first: Jane Doe 130", "2 second: John Roe 130"}, m.fields(f.ID))
}

// TestEmphasis follows bold and italic words of a PDF to the blocks of its text, also where
// that is made of the stored pages, and to the document that is built of it.
func TestEmphasis(t *testing.T) {
	t.Parallel()

	m := newMill(t)
	m.start()
	font := func(name string) string { return "<</Type /Font /Subtype /Type1 /BaseFont /" + name + ">>" }
	page := formattest.PDFPage{
		Font: font("Helvetica") + " /F1 " + font("Helvetica-Bold") + " /F2 " + font("Helvetica-Oblique"),
		Content: "BT /F1 12 Tf 72 700 Td (1. Monthly Rent) Tj ET BT /F0 12 Tf 72 660 Td (The tenant pays the ) Tj /F1 12 Tf (Rent) Tj /F0 12 Tf ( to the landlord each month, ) Tj ET\n" +
			"BT /F0 12 Tf 72 646 Td (which is set out in ) Tj /F2 12 Tf (Schedule A) Tj /F0 12 Tf ( to this lease.) Tj ET",
	}
	f := m.wait(m.upload("lease.pdf", formattest.PDF(page)).ID)
	require.Equal(t, db.FileCompleted, f.Status)
	want := []string{"b: 1. Monthly Rent", "b: Rent", "i: Schedule A"}
	require.Equal(t, want, m.emphasis(f.ID))
	m.restart(f.ID, db.FileOptions{})
	f = m.wait(f.ID)
	require.Equal(t, want, m.emphasis(f.ID))

	built, err := draft.Read(t.Context(), m.db, m.blobs, nil, m.in, f)
	require.NoError(t, err)
	doc, err := docx.Open(built.Data)
	require.NoError(t, err)
	var emphasised []string
	for _, p := range doc.Story("body").Paragraphs() {
		for r := range p.Children() {
			if r.Child("rPr").Exists() {
				emphasised = append(emphasised, r.Child("t").Chars())
			}
		}
	}
	require.Equal(t, []string{"Rent", "Schedule A"}, emphasised, "headings have their style")
}

// emphasis lists what is set in bold (b) or italic (i) type in a file.
func (m *mill) emphasis(id string) (all []string) {
	blocks, err := m.db.Blocks(m.t.Context(), m.in, id, -1, 100)
	require.NoError(m.t, err)
	for _, b := range blocks {
		for _, e := range b.Emphasis {
			face := ""
			if e.Bold {
				face += "b"
			}
			if e.Italic {
				face += "i"
			}
			all = append(all, face+": "+string([]rune(b.Text)[e.Start-b.Start:e.End-b.Start]))
		}
	}
	return all
}

// fields lists the fields of a file.
func (m *mill) fields(id string) (all []string) {
	blocks, err := m.db.Blocks(m.t.Context(), m.in, id, -1, 100)
	require.NoError(m.t, err)
	for _, b := range blocks {
		for _, f := range b.Fields {
			all = append(all, fmt.Sprint(b.Page, " ", f.Name, ": ", string([]rune(b.Text)[f.Start-b.Start:f.End-b.Start]), " ", f.Box.X0))
		}
	}
	return all
}
