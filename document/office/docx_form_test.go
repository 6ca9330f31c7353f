package office

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

// TestDOCXHostile reads what nobody writes: it is read within bounds, or refused with
// the reason.
func TestDOCXHostile(t *testing.T) {
	t.Parallel()
	mark := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	for name, c := range map[string]struct {
		body  string
		parts []string
		want  string
	}{
		"StylesInACircle": {
			para(`<w:pPr><w:pStyle w:val="A"/></w:pPr>` + runOf("text")),
			[]string{"word/styles.xml", wordPart("styles", `<w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>`)},
			"paragraph text",
		},
		"LargeNumbers": {
			strings.Repeat(para(`<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>`+runOf("text")), 2),
			[]string{"word/numbering.xml", wordPart("numbering", `<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1000000000"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`)},
			"list_item1 1000000000. text\nlist_item1 1000000001. text",
		},
		"FieldsInFields":   {para(strings.Repeat(mark("begin"), 100_000)+runOf("code")+strings.Repeat(mark("end"), 100_000)) + para(runOf("text")), nil, "paragraph text"},
		"FieldsWithoutEnd": {strings.Repeat(para(strings.Repeat(mark("begin")+mark("separate"), 1000)), 100) + para(runOf("text")), nil, "paragraph text"},
		"ManyFields": {
			para(strings.Repeat(mark("begin")+`<w:r><w:instrText>FORMTEXT</w:instrText></w:r>`+mark("separate")+runOf("x")+mark("end"), 20_000)), nil, "paragraph " + strings.Repeat("x", 20_000),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, outline(readAll(t, format.DOCX, "", formattest.WordDocument(t, c.body, c.parts...))))
		})
	}
	deep := strings.Repeat(`<w:sdt><w:sdtContent>`, 1000) + para(runOf("text")) + strings.Repeat(`</w:sdtContent></w:sdt>`, 1000)
	_, _, err := read(t, "", formattest.WordDocument(t, deep), format.DefaultLimits())
	require.Equal(t, fault.FileTooLarge, fault.CodeOf(err))
}

// filled lists what pages say was filled into forms.
func filled(pages []format.Page) (all []string) {
	for _, page := range pages {
		for _, f := range page.Fields {
			value := string([]rune(page.Text)[f.Start:f.End])
			if f.Name != "" {
				value = f.Name + ": " + value
			}
			all = append(all, value)
		}
	}
	return all
}

func TestDOCXFields(t *testing.T) {
	t.Parallel()
	field := func(code, more, result string) string {
		return `<w:r><w:fldChar w:fldCharType="begin">` + more + `</w:fldChar></w:r><w:r><w:instrText> ` + code + ` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` + result + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	control := func(properties, content string) string {
		return `<w:sdt><w:sdtPr>` + properties + `</w:sdtPr><w:sdtContent>` + content + `</w:sdtContent></w:sdt>`
	}
	list := `<w:ffData><w:name w:val="Colour"/><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList></w:ffData>`
	for name, c := range map[string]struct {
		body, want string
		filled     []string
	}{
		"FormText":    {para(runOf("Name: ") + field("FORMTEXT", "", runOf("Jane")+runOf(" Doe")) + runOf(".")), "Name: Jane Doe.", []string{"Jane Doe"}},
		"DropDown":    {para(field("FORMDROPDOWN", list, "")), "blue", []string{"Colour: blue"}},
		"Nested":      {para(control("", runOf("Party, founded ")+control("", runOf("1 May 2020"))+runOf(", Cork"))), "Party, founded 1 May 2020, Cork", []string{"Party, founded", "1 May 2020", ", Cork"}},
		"CheckBox":    {para(field("FORMCHECKBOX", `<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>`, "")), "☒", nil},
		"MergeField":  {para(`<w:fldSimple w:instr=" MERGEFIELD  Name ">` + runOf("Jane") + `</w:fldSimple>` + field(`MERGEFIELD "City"`, "", runOf("Rome"))), "JaneRome", []string{"Name: Jane", "City: Rome"}},
		"OtherField":  {para(field("REF x", "", runOf("2.1"))), "2.1", nil},
		"Text":        {para(runOf("a ") + control(`<w:alias w:val="Second"/><w:tag w:val="t"/><w:text/>`, runOf("b")) + runOf(" c")), "a b c", []string{"Second: b"}},
		"Placeholder": {para(control(`<w:showingPlcHdr/><w:text/>`, runOf("click"))), "click", nil},
		"Choice":      {control(`<w:dropDownList><w:listItem w:displayText="x"/></w:dropDownList>`, para(runOf("x"))), "x", []string{"x"}},
		"RichBlocks":  {control(``, para(runOf("x"))), "x", nil},
		"Cell":        {`<w:tbl><w:tr>` + control(`<w:date/>`, `<w:tc>`+para(runOf("May 5"))+`</w:tc>`) + `</w:tr></w:tbl>`, "May 5", []string{"May 5"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := readAll(t, format.DOCX, "", formattest.WordDocument(t, c.body))
			require.Equal(t, c.want, text(pages))
			if c.filled != nil || name != "CheckBox" {
				require.Equal(t, c.filled, filled(pages))
			}
		})
	}
}

// relations is the part that names the parts that the document refers to.
func relations(kinds ...string) string {
	var b strings.Builder
	for _, kind := range kinds {
		b.WriteString(`<Relationship Id="` + kind + `" Type="http://x/` + strings.TrimRight(kind, "0123456789") + `" Target="` + kind + `.xml"/>`)
	}
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + b.String() + `</Relationships>`
}

func TestDOCXHeaders(t *testing.T) {
	t.Parallel()
	section := func(more string, references ...string) string {
		s := `<w:sectPr>`
		for i := 0; i < len(references); i += 2 {
			kind := strings.TrimRight(references[i+1], "0123456789")
			s += `<w:` + kind + `Reference w:type="` + references[i] + `" w:id="` + references[i+1] + `"/>`
		}
		return s + more + `</w:sectPr>`
	}
	pages := readAll(t, format.DOCX, "", formattest.WordDocument(t,
		para(`<w:pPr>`+section("", "default", "header1", "first", "header2", "default", "footer1")+`</w:pPr>`+runOf("one"))+para(runOf("two"))+section("", "default", "header1", "even", "header3"),
		"word/_rels/document.xml.rels", relations("header1", "header2", "header3", "footer1"),
		"word/header1.xml", wordPart("hdr", para(runOf("DRAFT"))), "word/header2.xml", wordPart("hdr", para(runOf("first"))),
		"word/header3.xml", wordPart("hdr", para(runOf("even"))), "word/footer1.xml", wordPart("ftr", para(runOf("ACME"))+para(runOf("INC"))),
	))
	require.Equal(t, "one\ftwo\n\nDRAFT\n\nACME\n\nINC", text(pages))
	require.Equal(t, "paragraph one\nparagraph two\nheader paragraph DRAFT\nfooter paragraph ACME\nfooter paragraph INC", outline(pages))
	for _, w := range pages[1].Words {
		require.Equal(t, w.Start > 3, w.Origin.String() != "content")
	}
	only := readAll(t, format.DOCX, "", formattest.WordDocument(t, para("")+section("<w:titlePg/>", "first", "header2"),
		"word/_rels/document.xml.rels", relations("header2"), "word/header2.xml", wordPart("hdr", para(runOf("first")))))
	require.Equal(t, "first", text(only))
}

// TestDOCXNoteInsideParagraph holds that a note does not part the paragraph that goes
// on behind the end of its page.
func TestDOCXNoteInsideParagraph(t *testing.T) {
	t.Parallel()
	pages := readAll(t, format.DOCX, "", formattest.WordDocument(t,
		para(runOf("one")+`<w:r><w:footnoteReference w:id="1"/></w:r>`+`<w:r><w:lastRenderedPageBreak/></w:r>`+runOf(" two"))+para(runOf("three")),
		"word/footnotes.xml", wordPart("footnotes", `<w:footnote w:id="1">`+para(runOf("note"))+`</w:footnote>`)))
	require.Equal(t, "one\ftwo\n\nnote\n\nthree", text(pages))
	require.True(t, pages[1].Paragraphs[0].Continued)
}

func TestDOCXContents(t *testing.T) {
	t.Parallel()
	pages := readAll(t, format.DOCX, "", formattest.WordDocument(t,
		`<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>`+para(runOf("1. Goods"))+`</w:sdtContent></w:sdt>`+
			para(`<w:pPr><w:pStyle w:val="T"/></w:pPr>`+runOf("2. Law"))+para(runOf("x")),
		"word/styles.xml", wordPart("styles", `<w:style w:type="paragraph" w:styleId="T"><w:name w:val="toc 1"/></w:style>`)))
	require.Equal(t, "contents 1. Goods\ncontents 2. Law\nparagraph x", outline(pages))
}
