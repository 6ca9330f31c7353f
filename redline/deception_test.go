package redline_test

import (
	"archive/zip"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

const allNS = wordNS + ` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"`

// agreement is a small contract with one of everything that a change can hide in.
func agreement() map[string]string {
	const rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	const pkg = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	return map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels": pkg + `<Relationship Id="r1" Type="` + rel + `officeDocument" Target="word/document.xml"/>` +
			`<Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/><Relationship Id="r3" Type="` + rel + `custom-properties" Target="docProps/custom.xml"/></Relationships>`,
		"word/_rels/document.xml.rels": pkg + `<Relationship Id="h1" Type="` + rel + `header" Target="header1.xml"/><Relationship Id="h2" Type="` + rel + `header" Target="header2.xml"/>` +
			`<Relationship Id="s1" Type="` + rel + `styles" Target="styles.xml"/><Relationship Id="n1" Type="` + rel + `numbering" Target="numbering.xml"/><Relationship Id="t1" Type="` + rel + `settings" Target="settings.xml"/>` +
			`<Relationship Id="f1" Type="` + rel + `footnotes" Target="footnotes.xml"/><Relationship Id="e1" Type="` + rel + `endnotes" Target="endnotes.xml"/><Relationship Id="c1" Type="` + rel + `comments" Target="comments.xml"/>` +
			`<Relationship Id="i1" Type="` + rel + `image" Target="media/seal.png"/><Relationship Id="x1" Type="` + rel + `customXml" Target="../customXml/item1.xml"/><Relationship Id="d1" Type="` + rel + `chart" Target="charts/chart1.xml"/>` +
			`<Relationship Id="l1" Type="` + rel + `hyperlink" Target="https://example.com/terms" TargetMode="External"/><Relationship Id="k1" Type="` + rel + `aFChunk" Target="chunk.html"/></Relationships>`,
		"word/document.xml": `<?xml version="1.0"?><w:document ` + allNS + `><w:body>` +
			`<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>1 Liability</w:t></w:r></w:p>` +
			`<w:p><w:r><w:t xml:space="preserve">The Supplier pays 100 EUR. </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Liability is unlimited.</w:t></w:r></w:p>` +
			`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Delivery within ten days.</w:t></w:r></w:p>` +
			`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Payment within ten days.</w:t></w:r></w:p>` +
			`<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="l1"><w:r><w:t>the terms</w:t></w:r></w:hyperlink><w:r><w:t xml:space="preserve"> and </w:t></w:r><w:hyperlink w:anchor="cap"><w:r><w:t>the cap</w:t></w:r></w:hyperlink></w:p>` +
			`<w:p><w:bookmarkStart w:id="5" w:name="cap"/><w:r><w:t>The cap is one million.</w:t></w:r><w:bookmarkEnd w:id="5"/><w:r><w:t xml:space="preserve"> The floor is zero.</w:t></w:r></w:p>` +
			`<w:p><w:r><w:t xml:space="preserve">The fee is </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> REF fee \h </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>500</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> EUR</w:t></w:r></w:p>` +
			`<w:p><w:r><w:t>Notice is by letter</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t xml:space="preserve"> or by mail</w:t></w:r><w:r><w:endnoteReference w:id="2"/></w:r></w:p>` +
			`<w:p><w:r><w:t xml:space="preserve">Seal: </w:t></w:r><w:r><w:drawing><wp:inline><wp:extent cx="900" cy="900"/><wp:docPr id="1" name="Seal" descr="Seal of the buyer"/><a:graphic><a:graphicData><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="s"/></pic:nvPicPr><pic:blipFill><a:blip r:embed="i1"/><a:srcRect l="0"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>` +
			`<w:p><m:oMath><m:r><m:t>p=2r</m:t></m:r></m:oMath><w:r><w:t xml:space="preserve"> is the price</w:t></w:r></w:p>` +
			`<w:p><w:r><w:pict><v:shape style="position:absolute;left:10pt"><v:textbox><w:txbxContent><w:p><w:r><w:t>Box: no warranty</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>` +
			`<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:docPr id="9" name="b"/></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape alt="fallback one"/></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>` +
			`<w:p><w:r><w:drawing><wp:inline><wp:docPr id="4" name="Chart"/><a:graphic><a:graphicData><chart r:id="d1"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>` +
			`<w:tbl><w:tblPr><w:tblW w:w="5000"/></w:tblPr><w:tblGrid><w:gridCol w:w="2500"/><w:gridCol w:w="2500"/></w:tblGrid><w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr/><w:p><w:r><w:t>Item</w:t></w:r></w:p></w:tc><w:tc><w:tcPr/><w:p><w:r><w:t>Price</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:tcPr/><w:p><w:r><w:t>Seat</w:t></w:r></w:p></w:tc><w:tc><w:tcPr/><w:p><w:r><w:t>100</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` +
			`<w:sdt><w:sdtPr><w:alias w:val="Party"/><w:dataBinding w:xpath="/a/b"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Acme Ltd</w:t></w:r></w:p></w:sdtContent></w:sdt>` +
			`<w:p><w:commentRangeStart w:id="0"/><w:r><w:t>Governing law is Irish law.</w:t></w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>` +
			`<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> exclusive</w:t></w:r></w:p>` +
			`<w:altChunk r:id="k1"/>` +
			`<w:p><w:r><w:t>Signed in Cork.</w:t></w:r></w:p>` +
			`<w:sectPr><w:headerReference w:type="default" r:id="h1"/><w:headerReference w:type="first" r:id="h2"/><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>`,
		"word/header1.xml": `<w:hdr ` + allNS + `><w:p><w:r><w:t xml:space="preserve">Draft, page </w:t></w:r><w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p></w:hdr>`,
		"word/header2.xml": `<w:hdr ` + allNS + `><w:p><w:r><w:t>Confidential</w:t></w:r></w:p></w:hdr>`,
		"word/styles.xml": `<w:styles ` + allNS + `><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>` +
			`<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:basedOn w:val="N"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="N"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style><w:style w:type="table" w:styleId="T"><w:name w:val="grid"/></w:style></w:styles>`,
		"word/numbering.xml":  `<w:numbering ` + allNS + `><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
		"word/settings.xml":   `<w:settings ` + allNS + `><w:trackRevisions/><w:documentProtection w:edit="readOnly" w:enforcement="1"/><w:defaultTabStop w:val="720"/></w:settings>`,
		"word/footnotes.xml":  `<w:footnotes ` + allNS + `><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>Registered letter.</w:t></w:r></w:p></w:footnote><w:footnote w:id="3"><w:p><w:r><w:t>Any letter.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"word/endnotes.xml":   `<w:endnotes ` + allNS + `><w:endnote w:id="2"><w:p><w:r><w:t>With receipt.</w:t></w:r></w:p></w:endnote></w:endnotes>`,
		"word/comments.xml":   `<w:comments ` + allNS + `><w:comment w:id="0" w:author="Bob"><w:p><w:r><w:t>Agreed.</w:t></w:r></w:p></w:comment></w:comments>`,
		"word/media/seal.png": "\x89PNG one", "word/charts/chart1.xml": `<chart><v>10</v></chart>`, "word/chunk.html": "<p>Annex A</p>",
		"customXml/item1.xml": `<a><b>Acme Ltd</b></a>`,
		"docProps/core.xml":   `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Supply</dc:title><cp:revision>1</cp:revision></cp:coreProperties>`,
		"docProps/custom.xml": `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"><property name="Matter"><v>A-1</v></property></Properties>`,
	}
}

func pack(tb testing.TB, parts map[string]string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.Create(name)
		require.NoError(tb, err)
		_, err = w.Write([]byte(parts[name]))
		require.NoError(tb, err)
	}
	require.NoError(tb, z.Close())
	return b.Bytes()
}

const (
	mainPart  = "word/document.xml"
	stylePart = "word/styles.xml"
	clause    = `<w:r><w:rPr><w:b/></w:rPr><w:t>Liability is unlimited.</w:t></w:r>`
)

// look gives the clause another format.
func look(markup string) [3]string {
	return [3]string{mainPart, `<w:rPr><w:b/></w:rPr><w:t>Liability`, `<w:rPr>` + markup + `</w:rPr><w:t>Liability`}
}

// text replaces words of the body.
func text(old, new string) [3]string { return [3]string{mainPart, old, new} }

// deceptions are ways to change a contract past a reader: the part, what stands there,
// what is put in its place.
var deceptions = map[string][3]string{
	"bold removed":                  look(``),
	"struck through":                look(`<w:b/><w:strike/>`),
	"struck through twice":          look(`<w:b/><w:dstrike/>`),
	"hidden":                        look(`<w:b/><w:vanish/>`),
	"hidden on the web":             look(`<w:b/><w:webHidden/>`),
	"nearly white text":             look(`<w:b/><w:color w:val="FEFEFE"/>`),
	"white on no colour":            look(`<w:b/><w:color w:val="FFFFFF"/><w:shd w:val="clear" w:color="auto" w:fill="auto"/>`),
	"white on white":                look(`<w:b/><w:color w:val="FFFFFF"/><w:shd w:val="clear" w:color="auto" w:fill="FFFFFF"/>`),
	"text of a fraction of a point": look(`<w:b/><w:sz w:val="2.0"/>`),
	"new hidden paragraph":          text(`<w:p><w:pPr>`, `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>The supplier may raise all prices at will.</w:t></w:r></w:p><w:p><w:pPr>`),
	"new hidden words":              text(`<w:r><w:t>Payment`, `<w:r><w:rPr><w:vanish/></w:rPr><w:t xml:space="preserve">No </w:t></w:r><w:r><w:t>Payment`),
	"white text":                    look(`<w:b/><w:color w:val="FFFFFF"/>`),
	"one point text":                look(`<w:b/><w:sz w:val="2"/>`),
	"text on its own colour":        look(`<w:b/><w:shd w:val="clear" w:fill="000000"/>`),
	"squeezed to one percent":       look(`<w:b/><w:w w:val="1"/>`),
	"lowered off the line":          look(`<w:b/><w:position w:val="-3000"/>`),
	"symbol font":                   look(`<w:b/><w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>`),
	"superscript":                   look(`<w:b/><w:vertAlign w:val="superscript"/>`),
	"hidden by a character style":   {stylePart, `<w:name w:val="Normal"/>`, `<w:name w:val="Normal"/><w:rPr><w:vanish/></w:rPr>`},
	"highlight":                     look(`<w:b/><w:highlight w:val="black"/>`),
	"right to left override":        text(clause, `<w:bdo w:val="rtl">`+clause+`</w:bdo>`),
	"zero-width character":          text(`100 EUR`, "10\u200B0 EUR"),
	"zero-width joiner":             text(`Supplier pays`, "Suppl\u200Dier pays"),
	"homoglyph":                     text(`Supplier pays`, "Suррlier pays"),
	"no-break space":                text(`Supplier pays`, "Supplier\u00A0pays"),
	"soft hyphen":                   text(`<w:t>Signed in Cork.</w:t>`, `<w:t>Sig</w:t><w:softHyphen/><w:t>ned in Cork.</w:t>`),
	"digit":                         text(`one million`, `one billion`),
	"symbol in place of a letter":   text(`<w:t>Signed in Cork.</w:t>`, `<w:t>Signed in Cork.</w:t><w:sym w:font="Wingdings" w:char="F0FC"/>`),
	"heading style":                 text(`<w:pStyle w:val="H1"/>`, `<w:pStyle w:val="H2"/>`),
	"heading level":                 text(`<w:pStyle w:val="H1"/>`, `<w:pStyle w:val="H1"/><w:outlineLvl w:val="3"/>`),
	"indent off the page":           text(`<w:p><w:r><w:t>Signed`, `<w:p><w:pPr><w:ind w:left="30000"/></w:pPr><w:r><w:t>Signed`),
	"frame off the page":            text(`<w:p><w:r><w:t>Signed`, `<w:p><w:pPr><w:framePr w:x="-9000" w:y="1"/></w:pPr><w:r><w:t>Signed`),
	"hidden paragraph end":          text(`<w:p><w:r><w:t>Signed`, `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:t>Signed`),
	"style redefined":               {stylePart, `<w:name w:val="Normal"/>`, `<w:name w:val="Normal"/><w:rPr><w:sz w:val="2"/></w:rPr>`},
	"unused style redefined":        {stylePart, `<w:name w:val="grid"/>`, `<w:name w:val="grid"/><w:rPr><w:vanish/></w:rPr>`},
	"defaults redefined":            {stylePart, `<w:sz w:val="22"/>`, `<w:sz w:val="22"/><w:color w:val="FFFFFF"/>`},
	"list format":                   {"word/numbering.xml", `decimal`, `lowerRoman`},
	"list text":                     {"word/numbering.xml", `%1.`, `2.%1`},
	"list start":                    {"word/numbering.xml", `<w:start w:val="1"/>`, `<w:start w:val="4"/>`},
	"list restarted":                {"word/numbering.xml", `<w:num w:numId="1"><w:abstractNumId w:val="0"/>`, `<w:num w:numId="1"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>`},
	"list left":                     text(`<w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Payment`, `<w:numId w:val="0"/></w:numPr></w:pPr><w:r><w:t>Payment`),
	"number hidden":                 text(`<w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Payment`, `<w:numId w:val="1"/></w:numPr><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:pPr><w:r><w:t>Payment`),
	"link target":                   {"word/_rels/document.xml.rels", `example.com/terms`, `example.com/other`},
	"internal link":                 text(`w:anchor="cap"`, `w:anchor="floor"`),
	"bookmark moved":                text(`<w:bookmarkEnd w:id="5"/><w:r><w:t xml:space="preserve"> The floor is zero.</w:t></w:r>`, `<w:r><w:t xml:space="preserve"> The floor is zero.</w:t></w:r><w:bookmarkEnd w:id="5"/>`),
	"field code":                    text(`REF fee`, `REF cap`),
	"cached field number":           text(`<w:t>500</w:t>`, `<w:t>900</w:t>`),
	"field made text":               text(`<w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> REF fee \h </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>500</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/>`, `<w:t>500</w:t>`),
	"check box ticked":              text(`<w:default w:val="0"/>`, `<w:default w:val="1"/>`),
	"footnote swapped":              text(`<w:footnoteReference w:id="2"/>`, `<w:footnoteReference w:id="3"/>`),
	"footnote text":                 {"word/footnotes.xml", `Registered letter.`, `Letter.`},
	"footnote hidden":               {"word/footnotes.xml", `<w:r><w:t>Registered`, `<w:r><w:rPr><w:vanish/></w:rPr><w:t>Registered`},
	"endnote text":                  {"word/endnotes.xml", `With receipt.`, `Without receipt.`},
	"comment text":                  {"word/comments.xml", `Agreed.`, `Not agreed.`},
	"comment author":                {"word/comments.xml", `Bob`, `Ann`},
	"comment on other words":        text(`<w:commentRangeStart w:id="0"/><w:r><w:t>Governing law is Irish law.</w:t></w:r>`, `<w:r><w:t xml:space="preserve">Governing law </w:t></w:r><w:commentRangeStart w:id="0"/><w:r><w:t>is Irish law.</w:t></w:r>`),
	"picture":                       {"word/media/seal.png", "one", "two"},
	"picture cropped":               text(`<a:srcRect l="0"/>`, `<a:srcRect l="90000"/>`),
	"picture shrunk":                text(`cx="900"`, `cx="1"`),
	"alternative text":              text(`Seal of the buyer`, `The buyer waives all claims`),
	"formula":                       text(`p=2r`, `p=r`),
	"text box":                      text(`Box: no warranty`, `Box: warranty`),
	"text box off the page":         text(`left:10pt`, `left:9000pt`),
	"fallback":                      text(`fallback one`, `fallback two`),
	"chart":                         {"word/charts/chart1.xml", `10`, `99`},
	"table header row":              text(`<w:trPr><w:tblHeader/></w:trPr>`, ``),
	"table width":                   text(`<w:gridCol w:w="2500"/></w:tblGrid>`, `<w:gridCol w:w="1"/></w:tblGrid>`),
	"hidden row":                    text(`<w:tr><w:tc><w:tcPr/><w:p><w:r><w:t>Seat`, `<w:tr><w:trPr><w:hidden/></w:trPr><w:tc><w:tcPr/><w:p><w:r><w:t>Seat`),
	"merged cells":                  text(`<w:tcPr/><w:p><w:r><w:t>Seat`, `<w:tcPr><w:vMerge/></w:tcPr><w:p><w:r><w:t>Seat`),
	"row height":                    text(`<w:tr><w:tc><w:tcPr/><w:p><w:r><w:t>Seat`, `<w:tr><w:trPr><w:trHeight w:val="1" w:hRule="exact"/></w:trPr><w:tc><w:tcPr/><w:p><w:r><w:t>Seat`),
	"data binding":                  text(`/a/b`, `/a/c`),
	"bound data":                    {"customXml/item1.xml", `Acme`, `Apex`},
	"imported chunk":                {"word/chunk.html", `Annex A`, `Annex B`},
	"header text":                   {"word/header1.xml", `Draft`, `Final`},
	"headers swapped":               text(`r:id="h1"/><w:headerReference w:type="first" r:id="h2"/>`, `r:id="h2"/><w:headerReference w:type="first" r:id="h1"/>`),
	"header gone":                   text(`<w:headerReference w:type="first" r:id="h2"/>`, ``),
	"page margins":                  text(`w:top="1440"`, `w:top="40"`),
	"page size":                     text(`w:h="16838"`, `w:h="1683"`),
	"first page header":             text(`</w:sectPr>`, `<w:titlePg/></w:sectPr>`),
	"tracked changes off":           {"word/settings.xml", `<w:trackRevisions/>`, ``},
	"protection off":                {"word/settings.xml", `w:enforcement="1"`, `w:enforcement="0"`},
	"title":                         {"docProps/core.xml", `Supply`, `Licence`},
	"own property":                  {"docProps/custom.xml", `A-1`, `A-2`},
	"macro-like part":               {"word/_rels/document.xml.rels", `</Relationships>`, `<Relationship Id="v1" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="media/seal.png"/></Relationships>`},
	"template attached":             {"word/_rels/document.xml.rels", `</Relationships>`, `<Relationship Id="v1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" Target="https://example.com/t.dotm" TargetMode="External"/></Relationships>`},
	"other language of a sentence":  look(`<w:b/><w:i/>`),
}

// TestDeceptions holds Compare to telling every way to change a document, as a change
// or in what is left, and to nothing left when the changes do it all.
func TestDeceptions(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(deceptions), 60)
	base := pack(t, agreement())
	same, err := redline.Compare(base, base)
	require.NoError(t, err)
	require.Empty(t, same.Changes)
	require.Empty(t, same.Left)
	tracked, named := 0, 0
	for name, d := range deceptions {
		t.Run(name, func(t *testing.T) {
			parts := agreement()
			require.Contains(t, parts[d[0]], d[1])
			parts[d[0]] = strings.Replace(parts[d[0]], d[1], d[2], 1)
			other := pack(t, parts)
			for _, pair := range [][2][]byte{{base, other}, {other, base}} {
				found, err := redline.Compare(pair[0], pair[1])
				require.NoError(t, err)
				require.False(t, len(found.Changes) == 0 && len(found.Left) == 0, "nothing is told")
				if len(found.Left) == 0 {
					tracked++
				} else {
					named++
				}
				t.Log(len(found.Changes), found.Left, found.Warnings)
				holdTold(t, pair[0], found)
			}
		})
	}
	t.Log(tracked, "as tracked changes,", named, "named")
}

// holdTold applies the changes of a comparison: the proof must hold.
func holdTold(t *testing.T, base []byte, found *redline.Comparison) {
	t.Helper()
	for i := range found.Changes {
		found.Changes[i].ID, found.Changes[i].Author, found.Changes[i].Date = strconv.Itoa(i), ann, noon
	}
	r, err := redline.Execute(base, found.Changes, redline.Options{})
	require.NoError(t, err)
	require.Empty(t, r.Failed)
	require.True(t, r.Checks.RejectAllEqualsBase && r.Checks.AcceptAllEqualsTarget && r.Checks.Opens, "%+v", r.Checks)
}

// TestHiddenText holds the alarm: text that is hidden, struck out, white or tiny.
func TestHiddenText(t *testing.T) {
	t.Parallel()
	base := pack(t, agreement())
	for _, name := range []string{"struck through", "struck through twice", "hidden", "white text", "nearly white text", "white on no colour", "white on white", "text of a fraction of a point", "new hidden paragraph", "new hidden words", "one point text", "style redefined", "defaults redefined", "hidden by a character style"} {
		d, parts := deceptions[name], agreement()
		parts[d[0]] = strings.Replace(parts[d[0]], d[1], d[2], 1)
		found, err := redline.Compare(base, pack(t, parts))
		require.NoError(t, err)
		require.Equal(t, []string{redline.HiddenText}, found.Warnings, name)
		back, err := redline.Compare(pack(t, parts), base)
		require.NoError(t, err)
		require.Empty(t, back.Warnings, name)
	}
}

// TestPageNumbers holds that what Word counts anew is no difference, and that a field
// stays one when the words beside it change.
func TestPageNumbers(t *testing.T) {
	t.Parallel()
	base := pack(t, agreement())
	parts := agreement()
	parts["word/header1.xml"] = strings.Replace(parts["word/header1.xml"], "<w:t>1</w:t>", "<w:t>17</w:t>", 1)
	found, err := redline.Compare(base, pack(t, parts))
	require.NoError(t, err)
	require.Empty(t, found.Changes)
	require.Empty(t, found.Left)

	parts["word/header1.xml"] = strings.Replace(parts["word/header1.xml"], "Draft", "Final", 1)
	found, err = redline.Compare(base, pack(t, parts))
	require.NoError(t, err)
	require.Empty(t, found.Left)
	holdTold(t, base, found)
	r, err := redline.Execute(base, found.Changes, redline.Options{Clean: true})
	require.NoError(t, err)
	d, err := docx.Open(r.Document)
	require.NoError(t, err)
	require.Equal(t, "Final, page 1", d.Story("header:1").Paragraph(0).Text())
	require.Contains(t, string(d.Story("header:1").Root.Part().Data()), "fldSimple")
}

// TestHeadersByPlace holds that headers are compared by where they stand, whatever
// their parts are called.
func TestHeadersByPlace(t *testing.T) {
	t.Parallel()
	parts := agreement()
	parts["word/header1.xml"], parts["word/header2.xml"] = parts["word/header2.xml"], parts["word/header1.xml"]
	parts["word/_rels/document.xml.rels"] = strings.NewReplacer("header1.xml", "header2.xml", "header2.xml", "header1.xml").Replace(parts["word/_rels/document.xml.rels"])
	found, err := redline.Compare(pack(t, agreement()), pack(t, parts))
	require.NoError(t, err)
	require.Empty(t, found.Changes)
	require.Empty(t, found.Left)
}

// FuzzCompare compares with documents of which any one part is anything.
func FuzzCompare(f *testing.F) {
	for _, d := range deceptions {
		f.Add(d[0], strings.Replace(agreement()[d[0]], d[1], d[2], 1))
	}
	base := pack(f, agreement())
	f.Fuzz(func(t *testing.T, name, content string) {
		parts := agreement()
		if _, known := parts[name]; !known || len(content) > 1<<16 {
			return
		}
		parts[name] = content
		other := pack(t, parts)
		if _, err := docx.Open(other); err != nil {
			return
		}
		if found, err := redline.Compare(other, other); err == nil {
			require.Empty(t, found.Changes)
			require.Empty(t, found.Left)
		}
		if _, err := redline.Compare(base, other); err != nil {
			t.Log(err)
		}
	})
}

// TestDeceptionsInDocs holds that the table of the documentation has each of them.
func TestDeceptionsInDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "deceptions.md"))
	require.NoError(t, err)
	for name := range deceptions {
		require.Contains(t, string(page), "| "+name+" |")
	}
}
