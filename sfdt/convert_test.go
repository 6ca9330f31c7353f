package sfdt_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/sfdt"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const spaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"` +
	` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"` +
	` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"` +
	` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"` +
	` xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"` +
	` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"` +
	` xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"` +
	` xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"` +
	` xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"`

// file makes a package of a body and of other parts, "styles" for
// word/styles.xml, whose root is made here. What begins with "media/" is taken
// as it is.
func file(tb testing.TB, body string, parts map[string]string) []byte {
	tb.Helper()
	roots := map[string]string{"header1": "hdr", "footer1": "ftr", "commentsExtended": "w15:commentsEx"}
	all := map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="r" Type="x/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml": `<w:document` + spaces + `><w:body>` + body + `</w:body></w:document>`,
	}
	var relations strings.Builder
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		content := parts[name]
		kind := strings.TrimRight(name, "0123456789")
		target := name + ".xml"
		switch {
		case strings.HasPrefix(name, "media/"):
			kind, target = "image", name
			all["word/"+name] = content
		case strings.Contains(name, "://"):
			relations.WriteString(`<Relationship Id="link" Type="x/hyperlink" Target="` + name + `" TargetMode="External"/>`)
			continue
		default:
			root := roots[name]
			if root == "" {
				root = kind
			}
			if !strings.Contains(root, ":") {
				root = "w:" + root
			}
			all["word/"+target] = "<" + root + spaces + ">" + content + "</" + root + ">"
		}
		relations.WriteString(`<Relationship Id="` + filepath.Base(name) + `" Type="x/` + kind + `" Target="` + target + `"/>`)
	}
	all["word/_rels/document.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + relations.String() + `</Relationships>`
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		w, err := z.Create(name)
		require.NoError(tb, err)
		_, err = w.Write([]byte(all[name]))
		require.NoError(tb, err)
	}
	require.NoError(tb, z.Close())
	return out.Bytes()
}

func convert(tb testing.TB, data []byte) *sfdt.Document {
	tb.Helper()
	src, err := docx.Open(data)
	require.NoError(tb, err)
	made, err := sfdt.Convert(src)
	require.NoError(tb, err)
	return made
}

func encode(tb testing.TB, d *sfdt.Document) []byte {
	tb.Helper()
	var out bytes.Buffer
	require.NoError(tb, d.Encode(&out))
	return out.Bytes()
}

func p(text string) string {
	return `<w:p><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

const by = ` w:author="Ann" w:date="2026-01-02T03:04:05Z"`

// pixel is a picture of one dot.
const pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"

// samples are small documents, one for each thing that can be in one.
var samples = []struct {
	name, body string
	parts      map[string]string
}{
	{"text", `<w:p><w:pPr><w:pStyle w:val="h1"/><w:jc w:val="both"/><w:ind w:left="720.0" w:hanging="360"/><w:spacing w:line="360" w:after="120"/>` +
		`<w:tabs><w:tab w:val="clear" w:pos="720"/><w:tab w:val="right" w:leader="dot" w:pos="9000"/></w:tabs></w:pPr>` +
		`<w:r><w:rPr><w:b/><w:i w:val="0"/><w:u w:val="double"/><w:sz w:val="25"/><w:color w:val="ff0000"/><w:rFonts w:asciiTheme="minorHAnsi"/></w:rPr>` +
		`<w:t>One</w:t><w:t xml:space="preserve"> &amp; two</w:t><w:tab/><w:t>three</w:t><w:br/><w:br w:type="page"/><w:noBreakHyphen/><w:sym w:font="Symbol" w:char="F0B7"/></w:r></w:p>`,
		map[string]string{
			"styles": `<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>` +
				`<w:style w:type="paragraph" w:default="1" w:styleId="n"><w:name w:val="Standard"/></w:style>` +
				`<w:style w:type="paragraph" w:styleId="h1"><w:name w:val="heading 1"/><w:basedOn w:val="loop"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>` +
				`<w:style w:type="paragraph" w:styleId="loop"><w:name w:val="Loop"/><w:basedOn w:val="h1"/></w:style>`,
			"theme1": ``,
		}},
	{"sections", p("first") + `<w:p><w:pPr><w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:headerReference w:type="default" r:id="header1"/></w:sectPr></w:pPr></w:p>` +
		p("second") + `<w:sectPr><w:type w:val="continuous"/><w:titlePg/><w:cols w:num="2" w:space="720"/><w:pgNumType w:start="5"/><w:footerReference w:type="first" r:id="footer1"/></w:sectPr>`,
		map[string]string{
			"header1": p("head"), "footer1": `<w:p><w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p>`,
			"settings": `<w:evenAndOddHeaders/><w:trackRevisions/><w:compat><w:compatSetting w:name="compatibilityMode" w:val="15"/></w:compat>`,
		}},
	{"lists", `<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="7"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:pStyle w:val="c"/></w:pPr><w:r><w:t>b</w:t></w:r></w:p><w:p><w:pPr><w:numPr><w:numId w:val="99"/></w:numPr></w:pPr><w:r><w:t>no such list</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:pStyle w:val="c"/><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr><w:r><w:t>out</w:t></w:r></w:p>`,
		map[string]string{
			"styles": `<w:style w:type="paragraph" w:styleId="c"><w:name w:val="Clause"/><w:pPr><w:numPr><w:numId w:val="8"/></w:numPr></w:pPr></w:style>` +
				`<w:style w:type="numbering" w:styleId="ns"><w:name w:val="Legal"/><w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr></w:style>`,
			"numbering": `<w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>` +
				`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:pStyle w:val="c"/><w:lvlText w:val="(%2)"/><w:pPr><w:ind w:left="1440"/></w:pPr></w:lvl></w:abstractNum>` +
				`<w:abstractNum w:abstractNumId="4"><w:numStyleLink w:val="ns"/></w:abstractNum>` +
				`<w:num w:numId="7"><w:abstractNumId w:val="3"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="4"/></w:lvlOverride></w:num>` +
				`<w:num w:numId="8"><w:abstractNumId w:val="4"/></w:num><w:num w:numId="9"><w:abstractNumId w:val="77"/></w:num>`,
		}},
	{"tables", `<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders><w:top w:val="single" w:sz="8"/></w:tblBorders></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="3000"/></w:tblGrid>` +
		`<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:shd w:val="clear" w:fill="EEEEEE"/></w:tcPr>` + p("wide") + `</w:tc></w:tr>` +
		`<w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>` + p("tall") + `</w:tc><w:tc>` + p("b") + `</w:tc></w:tr>` +
		`<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc>` + p("c") + `</w:tc></w:tr>` +
		`<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>` + p("kept") + `</w:tc><w:tc/></w:tr>` +
		`<w:tr><w:trPr><w:del w:id="1"` + by + `/></w:trPr><w:tc>` + p("x") + `</w:tc><w:tc>` + p("y") + `</w:tc></w:tr></w:tbl>` + p("after"), nil},
	{"changes", `<w:p><w:r><w:t xml:space="preserve">a </w:t></w:r><w:ins w:id="1"` + by + `><w:r><w:t>in</w:t></w:r><w:del w:id="2" w:author="Bob" w:date="2026-02-02T00:00:00Z"><w:r><w:delText>out</w:delText></w:r></w:del></w:ins>` +
		`<w:moveFromRangeStart w:id="8" w:name="m"` + by + `/><w:moveFrom w:id="3"` + by + `><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:moveFromRangeEnd w:id="8"/></w:p>` +
		`<w:p><w:pPr><w:rPr><w:ins w:id="4"` + by + `/></w:rPr></w:pPr><w:ins w:id="5"` + by + `><w:r><w:t>new paragraph</w:t></w:r></w:ins></w:p>` +
		`<w:p><w:r><w:rPr><w:b/><w:rPrChange w:id="6"` + by + `><w:rPr/></w:rPrChange></w:rPr><w:t>formatted</w:t></w:r></w:p>`, nil},
	{"comments", `<w:p><w:commentRangeStart w:id="1"/><w:commentRangeStart w:id="2"/><w:r><w:t>said</w:t></w:r><w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r>` +
		`<w:commentRangeEnd w:id="2"/><w:r><w:commentReference w:id="2"/></w:r></w:p><w:p><w:r><w:t>point</w:t><w:commentReference w:id="3"/></w:r><w:commentRangeStart w:id="4"/></w:p>`,
		map[string]string{
			"comments": comment("1", "P1", "first") + comment("2", "P2", "answer") + comment("3", "P3", "at a point") + comment("4", "P4", "begun and never ended") +
				comment("5", "P5", "answer without a place") + comment("6", "P6", "nowhere"),
			"commentsExtended": `<w15:commentEx w15:paraId="P2" w15:paraIdParent="P1"/><w15:commentEx w15:paraId="P1" w15:done="1"/><w15:commentEx w15:paraId="P5" w15:paraIdParent="P2"/>`,
		}},
	{"fields", `<w:p><w:bookmarkStart w:id="1" w:name="here"/><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> DATE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` +
		`<w:r><w:t>today</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:bookmarkEnd w:id="1"/><w:bookmarkStart w:id="2" w:name="open"/>` +
		`<w:hyperlink r:id="link"><w:r><w:t>out</w:t></w:r></w:hyperlink><w:hyperlink w:anchor="here"><w:r><w:t>in</w:t></w:r></w:hyperlink></w:p>` +
		`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>never ends</w:instrText></w:r><w:r><w:t>seen</w:t></w:r></w:p>` +
		`<w:bookmarkStart w:id="3" w:name="between"/><w:p/><w:bookmarkEnd w:id="3"/>`,
		map[string]string{"https://example.org/a?b": ""}},
	{"notes", `<w:p><w:r><w:t>text</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r><w:r><w:endnoteReference w:id="9"/></w:r></w:p>`,
		map[string]string{"footnotes": `<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>note</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p></w:footnote>`}},
	{"drawings", `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="127000" cy="254000"/><wp:docPr id="1" name="x" descr="logo"/><a:graphic><a:blip r:embed="dot.png"/></a:graphic></wp:inline></w:drawing></w:r>` +
		`<w:r><w:drawing><wp:inline><a:blip r:embed="missing"/></wp:inline></w:drawing></w:r>` +
		`<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor behindDoc="0"><wp:positionH relativeFrom="page"><wp:align>center</wp:align></wp:positionH><wp:extent cx="1270000" cy="1270000"/><wp:wrapSquare wrapText="left"/>` +
		`<wps:txbx><w:txbxContent>` + p("boxed") + `</w:txbxContent></wps:txbx></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>` + p("boxed") + `</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
		map[string]string{"media/dot.png": pixel}},
	{"controls", `<w:sdt><w:sdtPr><w:alias w:val="Party"/><w:tag w:val="party"/></w:sdtPr><w:sdtContent>` + p("block") + `</w:sdtContent></w:sdt>` +
		`<w:p><w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/><w14:checkedState w14:val="2612" w14:font="MS Gothic"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt>` +
		`<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText="One" w:value="1"/></w:dropDownList></w:sdtPr><w:sdtContent><w:r><w:t>One</w:t></w:r></w:sdtContent></w:sdt></w:p>` +
		`<w:p><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p>`, nil},
	{"nothing", "", nil},
}

func comment(id, para, text string) string {
	return `<w:comment w:id="` + id + `" w:initials="A"` + by + `><w:p w14:paraId="` + para + `"><w:r><w:t>` + text + `</w:t></w:r></w:p></w:comment>`
}

func TestConvertGolden(t *testing.T) {
	t.Parallel()

	for _, sample := range samples {
		t.Run(sample.name, func(t *testing.T) {
			t.Parallel()

			made := convert(t, file(t, sample.body, sample.parts))
			sound(t, made)
			var indented bytes.Buffer
			require.NoError(t, json.Indent(&indented, encode(t, made), "", " "))
			golden := filepath.Join("testdata", sample.name+".json")
			if *update {
				require.NoError(t, os.WriteFile(golden, indented.Bytes(), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), indented.String())
		})
	}
}

func TestFormsSayTheSame(t *testing.T) {
	t.Parallel()

	for _, sample := range samples {
		made := convert(t, file(t, sample.body, sample.parts))
		long, err := sfdt.Read(encode(t, made))
		require.NoError(t, err)
		var packed bytes.Buffer
		require.NoError(t, made.EncodeShort(&packed))
		short, err := sfdt.Read(packed.Bytes())
		require.NoError(t, err)
		require.Equal(t, long, short, sample.name)
		wrapped, err := sfdt.Read([]byte(`{"sfdt": ` + packed.String() + `}`))
		require.NoError(t, err)
		require.Equal(t, long, wrapped)
	}
}

// TestReadLineBreak reads a line break as the editor saves it.
func TestReadLineBreak(t *testing.T) {
	t.Parallel()

	for _, document := range []string{
		`{"sections":[{"blocks":[{"inlines":[{"text":"a"},{"breakClearType":"None"},{"text":"b"}]}]}]}`,
		`{"optimizeSfdt":true,"sec":[{"b":[{"i":[{"tlp":"a"},{"bct":0},{"tlp":"b"}]}]}]}`,
	} {
		saved, err := sfdt.Read([]byte(document))
		require.NoError(t, err)
		require.Equal(t, "a\vb", saved.Text[0].String())
	}
}

// sound checks what the editor cannot do without, or fails to open a document
// for: sections with blocks, cells and comments with paragraphs, and nothing
// that refers to what is not there.
func sound(tb testing.TB, d *sfdt.Document) {
	tb.Helper()
	require.NotEmpty(tb, d.Sections)
	known := map[string]bool{}
	for _, s := range d.Styles {
		require.NotEmpty(tb, s.Name)
		known["style "+s.Name] = true
	}
	for _, r := range d.Revisions {
		require.NotEmpty(tb, r.Type)
		_, err := time.Parse(time.RFC3339, r.Date)
		require.NoError(tb, err)
		known["revision "+r.ID] = true
	}
	abstract := map[int]bool{}
	for _, a := range d.AbstractLists {
		require.Len(tb, a.Levels, 9)
		abstract[a.ID] = true
	}
	lists := map[int]bool{-1: true}
	for _, l := range d.Lists {
		require.True(tb, abstract[l.Abstract])
		lists[l.ID] = true
	}
	borders := map[string]int{}
	var blocks func([]sfdt.Block)
	var inlines func([]sfdt.Inline)
	changes := func(ids []string) {
		for _, id := range ids {
			require.True(tb, known["revision "+id])
		}
	}
	fields := 0
	inlines = func(all []sfdt.Inline) {
		for _, i := range all {
			changes(i.RevisionIDs)
			if i.CommentType != nil {
				borders[i.CommentID] += 1 + 10**i.CommentType
			}
			if i.FieldType != nil {
				fields += map[int]int{0: 1, 1: -1}[*i.FieldType]
			}
			if i.Text != nil {
				require.NotEmpty(tb, *i.Text)
				require.True(tb, *i.Text == "\t" || !strings.Contains(*i.Text, "\t"))
			}
			if i.NoteType != "" {
				require.NotEmpty(tb, i.Blocks)
				blocks(i.Blocks)
			}
			if i.Shape != nil {
				blocks(i.TextFrame.Blocks)
			}
			if i.Inlines != nil {
				inlines(*i.Inlines)
			}
		}
	}
	blocks = func(all []sfdt.Block) {
		for _, b := range all {
			if b.CharacterFormat != nil {
				changes(b.CharacterFormat.RevisionIDs)
			}
			if f := b.ParagraphFormat; f != nil {
				require.True(tb, known["style "+f.StyleName], f.StyleName)
				if f.ListFormat != nil {
					require.True(tb, lists[f.ListFormat.List])
				}
			}
			switch {
			case b.Inlines != nil:
				inlines(*b.Inlines)
			case b.Control != nil:
				require.NotEmpty(tb, b.Blocks)
				blocks(b.Blocks)
			default:
				require.NotEmpty(tb, b.Rows)
			}
			for _, row := range b.Rows {
				require.NotEmpty(tb, row.Cells)
				changes(row.Format.RevisionIDs)
				for _, cell := range row.Cells {
					require.Positive(tb, cell.Format.CellWidth)
					require.Positive(tb, cell.Format.RowSpan)
					require.NotEmpty(tb, cell.Blocks)
					blocks(cell.Blocks)
				}
			}
		}
	}
	for _, s := range d.Sections {
		require.NotEmpty(tb, s.Blocks)
		require.NotNil(tb, s.Blocks[len(s.Blocks)-1].Inlines)
		blocks(s.Blocks)
		for _, part := range []*sfdt.Body{
			s.HeadersFooters.Header, s.HeadersFooters.Footer, s.HeadersFooters.EvenHeader, s.HeadersFooters.EvenFooter,
			s.HeadersFooters.FirstPageHeader, s.HeadersFooters.FirstPageFooter,
		} {
			if part != nil {
				require.NotEmpty(tb, part.Blocks)
				blocks(part.Blocks)
			}
		}
	}
	require.Zero(tb, fields, "fields begin that do not end")
	const beginAndEnd = 12
	for _, c := range d.Comments {
		for _, remark := range append([]sfdt.Comment{c}, c.Replies...) {
			require.NotNil(tb, remark.Replies)
			require.NotEmpty(tb, remark.Blocks)
			require.Equal(tb, beginAndEnd, borders[remark.ID], "comment %s has no place", remark.ID)
		}
	}
}
