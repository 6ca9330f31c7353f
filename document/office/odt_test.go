package office

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

const odfRoot = ` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"` +
	` xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"` +
	` xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:form="urn:oasis:names:tc:opendocument:xmlns:form:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0">`

// openText makes an OpenDocument text of a body and of automatic styles.
func openText(tb testing.TB, body, styles string, parts ...string) []byte {
	tb.Helper()
	return formattest.Zipped(tb, append([]string{
		"mimetype", "application/vnd.oasis.opendocument.text",
		"content.xml", `<office:document-content` + odfRoot + `<office:automatic-styles>` + styles + `</office:automatic-styles>` +
			`<office:body><office:text>` + body + `</office:text></office:body></office:document-content>`,
	}, parts...)...)
}

func TestODT(t *testing.T) {
	t.Parallel()
	p := func(s string) string { return "<text:p>" + s + "</text:p>" }
	for name, c := range map[string]struct{ body, styles, want string }{
		"Paragraphs": {p("One") + p("") + "<text:h>Two</text:h>", "", "One\n\nTwo"},
		"Blanks":     {p(" a \n  b<text:s text:c=\"3\"/>c<text:tab/>d<text:line-break/>e "), "", "a b   c\td\ne"},
		"Spans":      {p("ter<text:span>mi</text:span><text:a>nation</text:a> <text:page-number>4</text:page-number>"), "", "termination 4"},
		"Revisions": {
			`<text:tracked-changes><text:changed-region>` + p("gone") + `</text:changed-region></text:tracked-changes>` +
				p(`a <text:change-start/>new<text:change-end/><text:change/> b`), "", "a new b",
		},
		"NotShown": {
			p(`a<office:annotation>` + p("no") + `</office:annotation><text:hidden-text>no</text:hidden-text><text:ruby><text:ruby-base>b</text:ruby-base><text:ruby-text>no</text:ruby-text></text:ruby>` +
				`<text:span text:style-name="H">no</text:span>c`),
			`<style:style style:name="H"><style:text-properties text:display="none"/></style:style>`, "abc",
		},
		"Containers": {`<text:section>` + p("a") + `</text:section><text:table-of-content><text:table-of-content-source/><text:index-body>` + p("b") + `</text:index-body></text:table-of-content>`, "", "a\n\nb"},
		"TextBox":    {p(`a<draw:frame><draw:text-box>`+p("box")+`</draw:text-box></draw:frame> b`) + p("c"), "", "a b\n\nbox\n\nc"},
		"Table": {
			p("x") + `<table:table><table:table-header-rows><table:table-row><table:table-cell>` + p("a") + `</table:table-cell><table:table-cell>` + p("b") +
				`</table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:covered-table-cell/><table:table-cell>` + p("c") + p("d") +
				`</table:table-cell></table:table-row></table:table>` + p("y"), "", "x\n\na\tb\n\tc\nd\n\ny",
		},
		"Pages": {
			p("a") + `<text:p text:style-name="B">b<text:soft-page-break/>c</text:p>`,
			`<style:style style:name="B"><style:paragraph-properties fo:break-before="page"/></style:style>`, "a\fb\fc",
		},
		"Empty": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, text(readAll(t, format.ODT, "", openText(t, c.body, c.styles))))
		})
	}
}

func TestODTStructure(t *testing.T) {
	t.Parallel()
	common := `<office:document-styles` + odfRoot + `<office:styles>` +
		`<style:style style:name="Text_20_body" style:display-name="Text body"/><style:style style:name="Title"/>` +
		`<style:style style:name="Loop" style:parent-style-name="Loop"/>` +
		`<text:outline-style><text:outline-level-style text:level="1" style:num-format="I" style:num-prefix="Article "/>` +
		`<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2" style:num-suffix="."/></text:outline-style>` +
		`<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>` +
		`<text:list-level-style-bullet text:level="2"/></text:list-style></office:styles></office:document-styles>`
	styles := `<style:style style:name="P1" style:parent-style-name="Text_20_body"/><style:style style:name="Off" style:list-style-name=""/>`
	item := func(s string) string { return "<text:list-item>" + s + "</text:list-item>" }
	p := func(s string) string { return `<text:p text:style-name="P1">` + s + "</text:p>" }
	note := func(class, s string) string {
		return `<text:note text:note-class="` + class + `"><text:note-citation>9</text:note-citation><text:note-body>` + p(s) + `</text:note-body></text:note>`
	}
	body := `<text:p text:style-name="Title">Agreement</text:p><text:h text:outline-level="1">Terms</text:h><text:h text:outline-level="2">Price</text:h>` +
		`<text:h text:outline-level="1" text:style-name="Off">Apart</text:h>` +
		`<text:list text:style-name="L">` + item(p("one"+note("footnote", "foot"))+`<text:list>`+item(p("dot"))+`</text:list>`) + item(p("two")+p("more")) + `</text:list>` +
		`<text:list text:style-name="L" text:continue-numbering="true">` + item(p("three")) + `</text:list>` +
		`<text:list text:style-name="L"><text:list-header>` + p("head") + `</text:list-header>` + item(p("again"+note("endnote", "end"))) + `</text:list>` +
		`<text:h text:outline-level="1">Law</text:h><text:p text:style-name="Loop">last</text:p>`
	pages := readAll(t, format.ODT, "", openText(t, body, styles, "styles.xml", common))
	require.Equal(t, strings.Join([]string{
		"heading Agreement", "heading1 Article I Terms", "heading2 I.1. Price", "heading1 Apart",
		"list_item1 (a) one", "list_item2 • dot", "list_item1 (b) two", "list_item1 more", "list_item1 (c) three",
		"list_item1 head", "list_item1 (a) again", "heading1 Article II Law", "paragraph last", "footnote paragraph 1 foot", "endnote paragraph i end",
	}, "\n"), outline(pages))
	require.Equal(t, "Text body", pages[0].Paragraphs[4].Style)
}

func TestODTFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data []byte
		code fault.Code
	}{
		"Encrypted":  {openText(t, "", "", "META-INF/manifest.xml", "<manifest:encryption-data/>"), fault.PasswordProtected},
		"NoContent":  {formattest.Zipped(t, "mimetype", "application/vnd.oasis.opendocument.text"), fault.CorruptFile},
		"Malformed":  {openText(t, "<text:p>", ""), fault.CorruptFile},
		"TooDeep":    {openText(t, strings.Repeat("<text:section>", 300)+strings.Repeat("</text:section>", 300), ""), fault.FileTooLarge},
		"OtherKinds": {formattest.Zipped(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet"), fault.UnsupportedType},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := read(t, "", c.data, format.DefaultLimits())
			formattest.RequireCode(t, c.code, err)
		})
	}
}

func TestODTFields(t *testing.T) {
	t.Parallel()
	pages := readAll(t, format.ODT, "", openText(t, `<office:forms><form:form><form:checkbox form:id="c" form:current-state="checked" form:label="Yes"/><form:text form:id="t" form:name="City" form:value="old" form:current-value="new"/>`+
		`<form:listbox form:id="l"><form:option form:label="red"/><form:option form:label="blue" form:current-selected="true"/></form:listbox></form:form></office:forms>`+
		`<text:p>Name: <text:user-field-get text:name="Tenant">Jane</text:user-field-get>, <draw:control draw:control="c"/> <draw:control draw:control="t"/> <draw:control draw:control="l"/><draw:control draw:control="none"/></text:p>`, ""))
	require.Equal(t, "Name: Jane, ☒ Yes new blue", text(pages))
	require.Equal(t, []string{"Tenant: Jane", "☒ Yes", "City: new", "blue"}, filled(pages))
}

func TestODTHeaders(t *testing.T) {
	t.Parallel()
	header := `<style:header><text:p>DRAFT</text:p></style:header>`
	pages := readAll(t, format.ODT, "", openText(t, `<text:p>one</text:p>`, "", "styles.xml", `<office:document-styles`+odfRoot+`<office:master-styles>`+
		`<style:master-page>`+header+`<style:footer><text:p>ACME</text:p></style:footer></style:master-page><style:master-page>`+header+
		`<style:footer style:display="false"><text:p>no</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`))
	require.Equal(t, "paragraph one\nheader paragraph DRAFT\nfooter paragraph ACME", outline(pages))
}

func FuzzODT(f *testing.F) {
	f.Add(`<office:forms><form:form><form:listbox form:id="l"><form:option form:label="a" form:selected="true"/></form:listbox></form:form></office:forms><text:p><draw:control draw:control="l"/></text:p>`)
	f.Add(`<text:h text:outline-level="2">a</text:h><text:list text:style-name="L"><text:list-item><text:p>b<text:note><text:note-body><text:p>c</text:p></text:note-body></text:note></text:p></text:list-item></text:list>`)
	f.Add(`<table:table><table:table-row><table:table-cell><text:p>a<draw:frame><draw:text-box><text:p>b</text:p></draw:text-box></draw:frame></text:p></table:table-cell></table:table-row></table:table>`)
	f.Fuzz(func(t *testing.T, body string) { fuzzRunning(t, readODT, openText(t, body, "")) })
}
