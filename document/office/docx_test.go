package office

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

// para is a paragraph of a Word document around runs.
func para(content string) string { return "<w:p>" + content + "</w:p>" }

// runOf is a run of text.
func runOf(text string) string { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }

func TestDOCXText(t *testing.T) {
	t.Parallel()
	deleted := func(s string) string {
		return `<w:del w:id="1" w:author="A"><w:r><w:delText>` + s + `</w:delText></w:r></w:del>`
	}
	field := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	code := `<w:r><w:instrText> REF x </w:instrText></w:r>`
	box := func(s string) string { return `<w:txbxContent>` + para(runOf(s)) + `</w:txbxContent>` }
	row := func(cells ...string) string {
		return `<w:tr><w:tc>` + strings.Join(cells, `</w:tc><w:tc>`) + `</w:tc></w:tr>`
	}

	for name, c := range map[string]struct{ body, want string }{
		"Paragraphs":        {para(runOf("One")) + para("") + para(runOf("Two")), "One\n\nTwo"},
		"SplitRuns":         {para(runOf("ter") + runOf("mi") + runOf("nation")), "termination"},
		"TrimmedText":       {para(`<w:r><w:t> a </w:t></w:r>` + runOf("b ")), "ab"},
		"LineEndsAreBlanks": {para(runOf("a\nb")), "a b"},
		"Insertion":         {para(runOf("a ") + `<w:ins w:id="1">` + runOf("new ") + `</w:ins>` + runOf("b")), "a new b"},
		"Deletion":          {para(runOf("a ") + deleted("old ") + runOf("b")), "a b"},
		"DeletedInInsertion": {
			para(runOf("a") + `<w:ins w:id="1">` + deleted("x") + runOf("b") + `</w:ins>`), "ab",
		},
		"Move": {
			para(`<w:moveFrom w:id="1">`+runOf("gone")+`</w:moveFrom>`+runOf("a")) + para(`<w:moveTo w:id="2">`+runOf("come")+`</w:moveTo>`),
			"a\n\ncome",
		},
		"DeletedParagraphMark": {
			para(`<w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>`+runOf("one ")) + para(runOf("two")), "one two",
		},
		"Breaks": {
			para(runOf("a") + `<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:t>d</w:t></w:r>`), "a\tb\nc\nd",
		},
		"Hyphens":  {para(runOf("co") + `<w:r><w:noBreakHyphen/><w:t>op</w:t><w:softHyphen/><w:t>er</w:t></w:r>`), "co\u2011oper"},
		"Symbols":  {para(`<w:r><w:sym w:font="Wingdings" w:char="F0A8"/><w:sym w:font="Symbol" w:char="F0B7"/></w:r>`), "☐•"},
		"Hidden":   {para(runOf("a") + `<w:r><w:rPr><w:vanish/></w:rPr><w:t>b</w:t></w:r>` + `<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>c</w:t></w:r>`), "ac"},
		"Controls": {para(runOf("a\u0085b\u2028c\u0091d\ufeffe")), "a\nb\ncde"},
		"Field":    {para(field("begin") + code + field("separate") + runOf("2.1") + field("end") + runOf(" x")), "2.1 x"},
		"FieldInField": {
			para(field("begin") + code + field("begin") + field("separate") + runOf("code") + field("end") + field("separate") + runOf("shown") + field("end")),
			"shown",
		},
		"FieldWithoutEnd": {para(field("begin")+code+runOf("x")) + para(runOf("the rest")), "the rest"},
		"SimpleField":     {para(`<w:fldSimple w:instr="DATE">` + runOf("today") + `</w:fldSimple>`), "today"},
		"FormCheckBoxes": {
			para(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r>` + field("end") +
				`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData></w:fldChar></w:r>` + field("end")),
			"☒☐",
		},
		"Wrappers": {
			para(`<w:hyperlink>`+runOf("a")+`</w:hyperlink><w:smartTag>`+runOf("b")+`</w:smartTag><w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>`+runOf("c")+`</w:sdtContent></w:sdt>`) +
				`<w:sdt><w:sdtContent>` + para(runOf("d")) + `</w:sdtContent></w:sdt>`,
			"abc\n\nd",
		},
		"Math": {para(`<m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num></m:f></m:oMath>`), "x=1"},
		"Ruby": {para(`<w:r><w:ruby><w:rt>` + runOf("kan") + `</w:rt><w:rubyBase>` + runOf("漢") + `</w:rubyBase></w:ruby></w:r>`), "漢"},
		"TextBoxOnce": {
			para(runOf("before")+`<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>`+box("boxed")+
				`</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>`+box("boxed")+`</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`+runOf(" after")) +
				para(runOf("next")),
			"before after\n\nboxed\n\nnext",
		},
		"Table": {
			para(runOf("x")) + `<w:tbl><w:tblPr/>` + row(para(runOf("a")), para(runOf("b"))) + row(para(""), para(runOf("c"))+para(runOf("d"))) + `</w:tbl>` + para(runOf("y")),
			"x\n\na\tb\n\tc\nd\n\ny",
		},
		"TableInTable": {
			`<w:tbl>` + row(para(runOf("a")), `<w:tbl>`+row(para(runOf("b")), para(runOf("c")))+`</w:tbl>`+para("")) + `</w:tbl>`,
			"a\nb\tc",
		},
		"DeletedRowAndCell": {
			`<w:tbl><w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>` + para(runOf("gone")) + `</w:tc></w:tr>` +
				`<w:tr><w:tc><w:tcPr><w:cellDel w:id="2"/></w:tcPr>` + para(runOf("gone")) + `</w:tc><w:tc>` + para(runOf("kept")) + `</w:tc></w:tr></w:tbl>`,
			"kept",
		},
		"ExplicitPages":    {para(runOf("a")+`<w:r><w:br w:type="page"/></w:r>`) + para(runOf("b")), "a\fb"},
		"RenderedPages":    {para(runOf("a ") + `<w:r><w:lastRenderedPageBreak/><w:t>b</w:t></w:r>`), "a\fb"},
		"OneBreakOfTwo":    {para(runOf("a")+`<w:r><w:br w:type="page"/></w:r>`) + para(`<w:r><w:lastRenderedPageBreak/><w:t>b</w:t></w:r>`), "a\fb"},
		"BreakBefore":      {para(runOf("a")) + para(`<w:pPr><w:pageBreakBefore/></w:pPr>`+runOf("b")), "a\fb"},
		"Sections":         {para(`<w:pPr><w:sectPr/></w:pPr>`+runOf("a")) + para(runOf("b")) + `<w:sectPr/>`, "a\fb"},
		"ContinuousBreak":  {para(`<w:pPr><w:sectPr/></w:pPr>`+runOf("a")) + para(runOf("b")) + `<w:sectPr><w:type w:val="continuous"/></w:sectPr>`, "a\n\nb"},
		"PictureIsNoBlank": {para(`<w:r><w:drawing/><w:br w:type="page"/></w:r>`) + para(runOf("b")), "\fb"},
		"RowOverPages": {
			`<w:tbl>` + row(para(runOf("a")+`<w:r><w:lastRenderedPageBreak/><w:t>b</w:t></w:r>`), para(runOf("c")+`<w:r><w:lastRenderedPageBreak/><w:t>d</w:t></w:r>`)) + `</w:tbl>`,
			"a\fb\tcd",
		},
		"Empty": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, text(readAll(t, format.DOCX, "", formattest.WordDocument(t, c.body))))
		})
	}
}

func TestDOCXNotes(t *testing.T) {
	t.Parallel()
	ref := func(kind, id string) string { return `<w:r><w:` + kind + `Reference w:id="` + id + `"/></w:r>` }
	note := func(kind, id, text string) string {
		return `<w:` + kind + ` w:id="` + id + `"><w:p>` + runOf(text) + `</w:p></w:` + kind + `>`
	}
	pages := readAll(t, format.DOCX, "", formattest.WordDocument(t,
		para(runOf("one")+ref("footnote", "7")+ref("endnote", "3")+runOf(" more"))+para(runOf("two")+ref("footnote", "8")+`<w:r><w:br w:type="page"/></w:r>`)+
			para(runOf("three")+ref("footnote", "9")+ref("footnote", "404")),
		"word/footnotes.xml", wordPart("footnotes", `<w:footnote w:type="separator" w:id="0"><w:p>`+runOf("----")+`</w:p></w:footnote>`+
			note("footnote", "8", "second")+note("footnote", "7", "first")+note("footnote", "9", "third")),
		"word/endnotes.xml", wordPart("endnotes", note("endnote", "3", "at the end"))))
	require.Equal(t, "one more\n\ntwo\n\nfirst\n\nsecond\fthree\n\nthird\n\nat the end", text(pages))
	require.Equal(t, "paragraph one more\nparagraph two\nfootnote paragraph 1 first\nfootnote paragraph 2 second\nparagraph three\nfootnote paragraph 3 third\nendnote paragraph i at the end", outline(pages))
	require.Equal(t, "footnote:7", pages[0].Paragraphs[2].Part)
	require.Equal(t, 2, pages[0].Paragraphs[2].Block, "notes are counted as they stand in their part")
}

func TestDOCXStructure(t *testing.T) {
	t.Parallel()
	level := func(i, format, text, more string) string {
		return `<w:lvl w:ilvl="` + i + `"><w:start w:val="1"/><w:numFmt w:val="` + format + `"/><w:lvlText w:val="` + text + `"/>` + more + `</w:lvl>`
	}
	numbering := wordPart("numbering",
		`<w:abstractNum w:abstractNumId="0">`+
			level("0", "upperRoman", "ARTICLE %1", `<w:pStyle w:val="H1"/>`)+
			level("1", "decimalZero", "%1.%2", `<w:isLgl/>`)+
			level("2", "lowerLetter", "(%3)", "")+`</w:abstractNum>`+
			`<w:abstractNum w:abstractNumId="1">`+level("0", "bullet", "\uf0b7", "")+`</w:abstractNum>`+
			`<w:abstractNum w:abstractNumId="2"><w:numStyleLink w:val="Linked"/></w:abstractNum>`+
			`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`+
			`<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>`+
			`<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="2"><w:startOverride w:val="5"/></w:lvlOverride></w:num>`+
			`<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>`)
	styles := wordPart("styles",
		`<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>`+
			`<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>`+
			`<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:basedOn w:val="N"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`+
			`<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>`+
			`<w:style w:type="numbering" w:styleId="Linked"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`)
	styled := func(style, list, level, text string) string {
		p := `<w:pStyle w:val="` + style + `"/>`
		if list != "" {
			p += `<w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + list + `"/></w:numPr>`
		}
		return para(`<w:pPr>` + p + `</w:pPr>` + runOf(text))
	}
	body := styled("T", "", "", "Agreement") +
		styled("H1", "", "", "Terms") + styled("N", "1", "1.0", "first") + styled("N", "1", "2", "a") + styled("N", "1", "2", "b") +
		styled("N", "1", "1", "second") + styled("N", "1", "2", "again a") + styled("N", "3", "2", "restarted") +
		para(`<w:pPr><w:pStyle w:val="H1"/><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>`) + // its mark is deleted: not counted
		para(`<w:pPr><w:pStyle w:val="H1"/><w:sectPr><w:type w:val="continuous"/></w:sectPr></w:pPr>`) + // only a break of sections
		styled("H1", "", "", "Law") + styled("H1", "0", "0", "Unnumbered") + styled("N", "2", "0", "dot") + styled("N", "4", "0", "linked") +
		styled("Loop", "9", "0", "in no list") + para(`<w:pPr><w:outlineLvl w:val="1"/></w:pPr>`+runOf("outlined")) +
		`<w:sectPr><w:type w:val="continuous"/></w:sectPr>`
	pages := readAll(t, format.DOCX, "", formattest.WordDocument(t, body, "word/numbering.xml", numbering, "word/styles.xml", styles))
	require.Equal(t, strings.Join([]string{
		"heading Agreement", "heading1 ARTICLE I Terms", "list_item2 1.01 first", "list_item3 (a) a", "list_item3 (b) b",
		"list_item2 1.02 second", "list_item3 (a) again a", "list_item3 (e) restarted", "heading1 ARTICLE II Law",
		"heading1 Unnumbered", "list_item1 • dot", "list_item1 ARTICLE III linked", "paragraph in no list", "heading2 outlined",
	}, "\n"), outline(pages))
	require.Equal(t, "Title", pages[0].Paragraphs[0].Style)
	require.NotContains(t, text(pages), "ARTICLE")
}

// The index of a paragraph counts every w:p, those that are not shown included,
// so that tracked changes find it again.
func TestDOCXBlocks(t *testing.T) {
	t.Parallel()
	pages := readAll(t, format.DOCX, "", formattest.WordDocument(t, para("")+`<w:del>`+para(runOf("x"))+`</w:del>`+
		para(runOf("a")+`<w:r><w:pict><w:txbxContent>`+para(runOf("box"))+`</w:txbxContent></w:pict></w:r>`)+
		para(runOf("b ")+`<w:r><w:lastRenderedPageBreak/><w:t>c</w:t></w:r>`)))
	got := map[string]int{}
	for _, page := range pages {
		for _, p := range page.Paragraphs {
			got[string([]rune(page.Text)[p.Start:p.End])] = p.Block
			require.Equal(t, p.Start == 0 && page.Number == 2, p.Continued)
		}
	}
	require.Equal(t, map[string]int{"a": 2, "box": 3, "b": 4, "c": 4}, got)
}

func TestDOCXElsewhere(t *testing.T) {
	t.Parallel()
	strict := strings.ReplaceAll(formattest.WordRoot, wordNS, wordStrictNS)
	utf16Part := func(s string) string {
		b := []byte{0xff, 0xfe}
		for _, r := range s {
			b = append(b, byte(r), byte(r>>8))
		}
		return string(b)
	}
	content := "<w:body>" + para(runOf("found")) + "</w:body></w:document>"
	for name, parts := range map[string][]string{
		"Strict":     {"word/document.xml", strict + content},
		"UTF16":      {"word/document.xml", utf16Part(`<?xml version="1.0" encoding="UTF-16"?>` + formattest.WordRoot + content)},
		"Latin1":     {"word/document.xml", `<?xml version="1.0" encoding="ISO-8859-1"?>` + formattest.WordRoot + content},
		"OtherCase":  {"Word/Document.xml", formattest.WordRoot + content},
		"Backslash":  {`word\document.xml`, formattest.WordRoot + content},
		"Relocated":  {"_rels/.rels", `<Relationships><Relationship Type="x/officeDocument" Target="/word/main.xml"/></Relationships>`, "word/main.xml", formattest.WordRoot + content},
		"NoBodyEnds": {"word/document.xml", formattest.WordRoot + "<w:background/>" + content},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := formattest.Zipped(t, append([]string{"[Content_Types].xml", `<Types ContentType="wordprocessingml"/>`}, parts...)...)
			require.Equal(t, "found", text(readAll(t, format.DOCX, "", data)))
		})
	}
}

func TestDOCXFaults(t *testing.T) {
	t.Parallel()
	small := format.DefaultLimits()
	small.MaxPages, small.MaxUnzipped, small.MaxDepth = 2, 64<<10, 30
	page := para(runOf("x") + `<w:r><w:br w:type="page"/></w:r>`)
	content := func(xml string) []byte {
		return formattest.Zipped(t, "[Content_Types].xml", "wordprocessingml", "word/document.xml", xml)
	}
	whole := formattest.WordDocument(t, para(runOf(strings.Repeat("many words ", 5000))))
	damaged := slices.Clone(whole)
	copy(damaged[len(damaged)/3:], "\xff\xff\xff\xff\xff\xff")

	for name, c := range map[string]struct {
		data []byte
		code fault.Code
	}{
		"NoMainPart":        {formattest.Zipped(t, "[Content_Types].xml", "wordprocessingml"), fault.CorruptFile},
		"Unclosed":          {content(formattest.WordRoot + "<w:body><w:p>"), fault.CorruptFile},
		"NotXML":            {content("hello"), fault.CorruptFile},
		"DocumentType":      {content(`<!DOCTYPE x [<!ENTITY a "aaaa">]>` + formattest.WordRoot + "<w:body/></w:document>"), fault.CorruptFile},
		"UnknownEntity":     {content(formattest.WordRoot + "<w:body>" + para(runOf("&a;")) + "</w:body></w:document>"), fault.CorruptFile},
		"DamagedNotes":      {formattest.WordDocument(t, para(runOf("a")), "word/footnotes.xml", "<w:footnotes"), fault.CorruptFile},
		"CutShort":          {whole[:len(whole)/2], fault.CorruptFile},
		"DamagedPart":       {damaged, fault.CorruptFile},
		"TooManyPages":      {formattest.WordDocument(t, page+page+page), fault.TooManyPages},
		"TooDeep":           {formattest.WordDocument(t, strings.Repeat("<w:sdt>", 50)+strings.Repeat("</w:sdt>", 50)), fault.FileTooLarge},
		"Bomb":              {formattest.WordDocument(t, para(runOf(strings.Repeat("a", 80<<10)))), fault.FileTooLarge},
		"BombInAnAttribute": {formattest.WordDocument(t, `<w:p w:x="`+strings.Repeat("a", 80<<10)+`"/>`), fault.FileTooLarge},
		"Encrypted":         {formattest.Compound(t, "EncryptedPackage", "x", "EncryptionInfo", "y"), fault.PasswordProtected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := read(t, "a.docx", c.data, small)
			formattest.RequireCode(t, c.code, err)
		})
	}
	t.Run("StylesMayBeDamaged", func(t *testing.T) {
		t.Parallel()
		data := formattest.WordDocument(t, para(runOf("a")), "word/styles.xml", "<w:styles", "word/numbering.xml", "?")
		require.Equal(t, "a", text(readAll(t, format.DOCX, "", data)))
	})
}

// dataDir is where the large test data lies.
func dataDir(tb testing.TB, name string) string {
	tb.Helper()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		tb.Skip("CLAUSEMILL_DATA is not set")
	}
	return filepath.Join(dir, name)
}

// TestDOCXCorpus reads hundreds of documents of many makers, damaged and hostile
// ones among them: each gives text or says by a code why not.
func TestDOCXCorpus(t *testing.T) {
	t.Parallel()
	dir := dataDir(t, "docx")
	paths, err := filepath.Glob(filepath.Join(dir, "*.docx"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	refused := map[fault.Code]int{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		if _, _, err := read(t, path, data, format.DefaultLimits()); err != nil {
			code := fault.CodeOf(err)
			formattest.RequireCode(t, code, err)
			require.Contains(t, path, "poi__", "only the hostile ones are refused: %v", err)
			refused[code]++
		}
	}
	require.Equal(t, 2, refused[fault.PasswordProtected])
	require.LessOrEqual(t, refused[fault.CorruptFile], 4)
	require.Len(t, refused, 2, "%v", refused)
}

// TestDOCXGoldens compares documents with tracked changes to what their makers
// reviewed as all changes accepted: the text must be the same.
func TestDOCXGoldens(t *testing.T) {
	t.Parallel()
	dir := dataDir(t, "docx")
	goldens, err := filepath.Glob(filepath.Join(dir, "goldens", "*Accepted.docx"))
	require.NoError(t, err)
	require.NotEmpty(t, goldens)
	compared := 0
	for _, golden := range goldens {
		source := filepath.Join(dir, strings.TrimSuffix(filepath.Base(golden), "-Accepted.docx")+".docx")
		data, err := os.ReadFile(source)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		accepted, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, strings.Fields(text(readAll(t, format.DOCX, "", accepted))), strings.Fields(text(readAll(t, format.DOCX, "", data))), source)
		compared++
	}
	require.GreaterOrEqual(t, compared, 20)
}

// The side channel crosses from a child as JSON.
func TestParagraphJSON(t *testing.T) {
	t.Parallel()
	p := format.Paragraph{Start: 1, End: 2, Kind: format.Heading, Level: 1, Number: "1.", Style: "heading 1", Part: "body", Block: 3, Continued: true}
	data, err := json.Marshal(p)
	require.NoError(t, err)
	var again format.Paragraph
	require.NoError(t, json.Unmarshal(data, &again))
	require.Equal(t, p, again)
}

func FuzzDOCX(f *testing.F) {
	note := wordPart("footnotes", `<w:footnote w:id="1">`+para(runOf("n"))+`</w:footnote>`)
	f.Add(para(runOf("a")+`<w:r><w:footnoteReference w:id="1"/><w:br w:type="page"/></w:r>`)+`<w:tbl><w:tr><w:tc>`+para(runOf("b"))+`</w:tc></w:tr></w:tbl>`, note, "")
	f.Add(para(`<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:fldChar w:fldCharType="begin"/><w:sym w:font="Symbol" w:char="F0B7"/></w:r>`), "",
		wordPart("numbering", `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="1"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`))
	f.Add(`<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>`+para(`<w:fldSimple w:instr="MERGEFIELD a">`+runOf("b")+`</w:fldSimple><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:listEntry w:val="c"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`)+`</w:sdtContent></w:sdt>`, "", "")
	f.Fuzz(func(t *testing.T, body, footnotes, numbering string) {
		parts := []string{"word/numbering.xml", numbering}
		if footnotes != "" {
			parts = append(parts, "word/footnotes.xml", footnotes)
		}
		fuzzRunning(t, readDOCX, formattest.WordDocument(t, body, parts...))
	})
}
