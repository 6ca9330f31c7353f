package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/layout"
)

// xfa is a form with a template and data.
func xfa(template, data string) string {
	return `<?xml version="1.0"?><xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/">` + template +
		`</template><xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data>` + data + `</xfa:data></xfa:datasets></xdp:xdp>`
}

// dynamic is a PDF with a form, in one stream or several, whose page asks to wait.
func dynamic(needsRendering bool, parts ...string) []byte {
	data := string(formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Please wait...")}))
	at := strings.LastIndex(data, "xref\n0")
	var objects, streams strings.Builder
	for i, part := range parts {
		fmt.Fprintf(&objects, "%d 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n", 50+i, len(part), part)
		fmt.Fprintf(&streams, "(part%d) %d 0 R ", i, 50+i)
	}
	form := "[" + streams.String() + "]"
	if len(parts) == 1 {
		form = "50 0 R"
	}
	catalog := fmt.Sprintf("1 0 obj\n<</Type /Catalog /Pages 2 0 R /NeedsRendering %t /AcroForm <</Fields [] /XFA %s>>>>\nendobj\n", needsRendering, form)
	return repair([]byte(data[:at] + objects.String() + catalog + "trailer\n"))
}

const leaseForm = `<subform name="lease">
	<draw name="title"><value><text>Lease of a Flat</text></value></draw>
	<draw presence="hidden"><value><text>Never shown</text></value></draw>
	<draw><value><exData contentType="text/html"><body xmlns="http://www.w3.org/1999/xhtml"><p>The Tenant <b>shall</b> pay</p><p>the rent.</p></body></exData></value></draw>
	<field name="tenant"><caption><value><text>Tenant</text></value></caption><ui><textEdit/></ui></field>
	<field name="secret" presence="invisible"><ui><textEdit/></ui></field>
	<field name="pin"><ui><passwordEdit/></ui></field>
	<field name="term"><caption><value><text>Term</text></value></caption><ui><textEdit/></ui><value><text>one year</text></value></field>
	<field name="pets"><caption><value><text>Pets</text></value></caption><ui><checkButton/></ui><items><text>yes</text><text>no</text></items></field>
	<field name="state"><caption><value><text>State</text></value></caption><ui><choiceList/></ui><items><text>Delaware</text><text>Texas</text></items><items save="1"><text>DE</text><text>TX</text></items></field>
	<exclGroup name="pay"><field name="m"><caption><value><text>monthly</text></value></caption><ui><checkButton/></ui><items><text>1</text></items></field>
	<field name="y"><caption><value><text>yearly</text></value></caption><ui><checkButton/></ui><items><text>2</text></items></field></exclGroup>
	<subform name="row"><field name="room"><ui><textEdit/></ui></field></subform>
	<event><script>app.alert("Never shown")</script></event>
</subform>`

const leaseData = `<lease><tenant>Jane
 Roe</tenant><secret>hidden</secret><pin>1234</pin><pets>yes</pets><state>TX</state><pay>2</pay><row><room>Kitchen</room></row><row><room>Hall</room></row><other>unbound</other></lease>`

func TestDynamicForm(t *testing.T) {
	t.Parallel()
	whole := xfa(leaseForm, leaseData)
	at := strings.Index(whole, "<xfa:datasets")
	for name, data := range map[string][]byte{"OneStream": dynamic(true, whole), "Parts": dynamic(true, whole[:at], whole[at:])} {
		page := readPDF(t, data)[0]
		require.Equal(t, "Lease of a Flat\nThe Tenant shall pay the rent.\nTenant Jane Roe\nTerm one year\nPets ☒\nState Texas\nmonthly ☐\nyearly ☒\nKitchen\nHall\n", page.Text, name)
		require.Equal(t, format.ReasonForm, page.Reason)
		require.False(t, page.NeedsOCR)
		require.Equal(t, layout.Field, page.Words[11].Origin, "what was filled in")
		require.Equal(t, layout.Content, page.Words[10].Origin)
		require.Equal(t, "tenant: Jane Roe", listed(page)[0])
	}
	for name, data := range map[string][]byte{
		"Static": dynamic(false, whole),
		"Empty":  dynamic(true, xfa("", leaseData)),
	} {
		page := readPDF(t, data)[0]
		require.Equal(t, "Please wait...\n", page.Text, name)
		require.Equal(t, format.ReasonGood, page.Reason, name)
	}
	for name, data := range map[string][]byte{
		"Encoding": dynamic(true, strings.Replace(whole, `"1.0"?`, `"1.0" encoding="x-none"?`, 1)),
		"Texts":    dynamic(true, xfa("<draw>"+strings.Repeat("x<b/>", maxFormNodes/2)+"</draw>", "")),
		"Broken":   dynamic(true, whole[:len(whole)-40]),
		"Entities": dynamic(true, strings.Replace(strings.Replace(whole, "<xdp:xdp", `<!DOCTYPE x [<!ENTITY a "bomb">]><xdp:xdp`, 1), "Lease of", "&a;", 1)),
		"Deep":     dynamic(true, xfa(strings.Repeat("<subform>", 300)+leaseForm+strings.Repeat("</subform>", 300), "")),
		"Large":    dynamic(true, xfa(strings.Repeat("<draw/>", maxFormNodes), "")),
	} {
		page := readPDF(t, data)[0]
		require.Equal(t, "Please wait...\n", page.Text, name)
		require.Equal(t, format.ReasonFormIncomplete, page.Reason, name)
		require.False(t, page.NeedsOCR, name)
	}
	page := readPDF(t, dynamic(true, whole+"<broken"))[0]
	require.Contains(t, page.Text, "Tenant Jane Roe\n")
	require.Equal(t, format.ReasonFormIncomplete, page.Reason)
}

// formText is the text of a form, which may have so many code points, and whether it has more.
func formText(t *testing.T, data string, limit int) (string, bool) {
	root, err := parseForm([]byte(data), format.DefaultLimits().MaxDepth)
	require.NoError(t, err)
	r := formReader{limit: limit}
	r.read(root)
	return r.text.String(), r.cut
}

// TestFormBinding gives fields the values of their own part of the form.
func TestFormBinding(t *testing.T) {
	t.Parallel()
	field := func(name, caption, bind string) string {
		return `<field name="` + name + `"><caption><value><text>` + caption + `</text></value></caption><ui><textEdit/></ui>` + bind + `</field>`
	}
	group := func(name, bind string, in ...string) string {
		return `<subform name="` + name + `">` + bind + strings.Join(in, "") + `</subform>`
	}
	ref := func(to string) string { return `<bind match="dataRef" ref="` + to + `"/>` }
	sale := group("sale", "", group("Buyer", "", field("Name", "Buyer:", "")), group("Seller", "", field("Name", "Seller:", "")))
	const bob = "<Seller><Name>Bob Ltd</Name></Seller>"
	for name, c := range map[string]struct{ template, data, want string }{
		"OnlySeller":   {sale, "<sale>" + bob + "</sale>", "Buyer:\nSeller: Bob Ltd\n"},
		"OtherOrder":   {sale, "<sale>" + bob + "<Buyer><Name>Ann Inc</Name></Buyer></sale>", "Buyer: Ann Inc\nSeller: Bob Ltd\n"},
		"EmptyBuyer":   {sale, "<sale><Buyer/>" + bob + "<Name>None</Name></sale>", "Buyer:\nSeller: Bob Ltd\nNone\n"},
		"OtherRoot":    {sale, "<form1>" + bob + "</form1>", "Buyer:\nSeller: Bob Ltd\n"},
		"Page":         {group("sale", "", group("page", "", field("Name", "Buyer:", ""))), "<sale><Name>Ann Inc</Name></sale>", "Buyer: Ann Inc\n"},
		"OwnFirst":     {group("sale", "", group("page", "", field("Name", "Page:", "")), field("Name", "Sale:", "")), "<sale><Name>Ann Inc</Name></sale>", "Page:\nSale: Ann Inc\n"},
		"FieldNone":    {group("sale", "", field("Name", "First:", `<bind match="none"/>`), field("Name", "Second:", "")), "<sale><Name>Ann Inc</Name></sale>", "First:\nSecond: Ann Inc\n"},
		"SubformNone":  {group("sale", "", group("Seller", `<bind match="none"/>`, field("Name", "Sale:", ""))), "<sale>" + bob + "<Name>Ann Inc</Name></sale>", "Sale: Ann Inc\nBob Ltd\n"},
		"Reference":    {group("sale", "", field("x", "Seller:", ref("$.Seller.Name")), field("y", "Again:", ref("$record.Seller.Name"))), "<sale>" + bob + "</sale>", "Seller: Bob Ltd\nAgain: Bob Ltd\n"},
		"GroupRef":     {group("sale", "", group("x", ref("Seller[0]"), field("Name", "Seller:", ""))), "<sale>" + bob + "</sale>", "Seller: Bob Ltd\n"},
		"Rows":         {group("sale", "", group("r", ref("row[*]"), field("n", "1:", "")), group("r", ref("$.row[*]"), field("n", "2:", ""))), "<sale><row><n>a</n></row><row><n>b</n></row><row><n>c</n></row></sale>", "1: a\n2: b\nc\n"},
		"NoReference":  {group("sale", "", field("Name", "Seller:", ref("$.Seller[7].Name")), field("Name", "Other:", ref("!odd")), field("Name", "All:", ref("$"))), "<sale>" + bob + "</sale>", "Seller:\nOther:\nAll:\nBob Ltd\n"},
		"Global":       {group("sale", "", field("Name", "1:", `<bind match="global"/>`), field("Name", "2:", `<bind match="global"/>`)), "<sale>" + bob + "</sale>", "1: Bob Ltd\n2: Bob Ltd\n"},
		"Formatted":    {group("sale", "", field("Name", "Buyer:", "")), "<sale><Name><body><p>Ann</p><p>Inc</p></body></Name></sale>", "Buyer: Ann Inc\n"},
		"NoData":       {sale, "", "Buyer:\nSeller:\n"},
		"ManyOfAName":  {group("sale", "", strings.Repeat(field("n", "", ""), 1000)), "<sale>" + strings.Repeat("<n>a</n>", 1000) + "</sale>", strings.Repeat("a\n", 1000)},
		"ManyComments": {"<draw><value><text>" + strings.Repeat("a<!---->", 200_000) + "</text></value></draw>", "", strings.Repeat("a", 200_000) + "\n"},
	} {
		text, cut := formText(t, xfa(c.template, c.data), 1_000_000)
		require.Equal(t, c.want, text, name)
		require.False(t, cut, name)
	}
}

func TestFormEncodings(t *testing.T) {
	t.Parallel()
	whole := xfa("<draw><value><text>M\xfcnchen</text></value></draw>", "")
	text, _ := formText(t, strings.Replace(whole, `"1.0"?`, `"1.0" encoding="ISO-8859-1"?`, 1), 100)
	require.Equal(t, "München\n", text)
	wide, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(strings.Replace(strings.Replace(whole, "\xfc", "ü", 1), `"1.0"?`, `"1.0" encoding="UTF-16"?`, 1))
	require.NoError(t, err)
	text, _ = formText(t, wide, 100)
	require.Equal(t, "München\n", text)
}

// TestFormIsCut ends a form that is too long at one place, and tells.
func TestFormIsCut(t *testing.T) {
	t.Parallel()
	draw := func(text string) string { return "<draw><value><text>" + text + "</text></value></draw>" }
	text, cut := formText(t, xfa(draw("First")+draw("A paragraph that is long")+draw("Last"), ""), 20)
	require.Equal(t, "First\n", text)
	require.True(t, cut)
}

func FuzzForm(f *testing.F) {
	f.Add([]byte(xfa(leaseForm, leaseData)))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := parseForm(data, format.DefaultLimits().MaxDepth)
		if err != nil {
			return
		}
		r := formReader{limit: 1000}
		r.read(root)
		page := format.Page{Page: layout.Page{Text: r.text.String(), Words: r.words}}
		formattest.CheckPage(t, page)
		require.LessOrEqual(t, len([]rune(page.Text)), r.limit)
	})
}

// TestOptionalPartsOfForm leaves out what a form has in store and does not show: parts that
// begin without an instance, unless the data has one.
func TestOptionalPartsOfForm(t *testing.T) {
	t.Parallel()
	const (
		clause = `<draw><value><text>The Guarantor pays.</text></value></draw>`
		name   = `<field name="name"><ui><textEdit/></ui></field>`
		always = `<draw><value><text>The Tenant pays.</text></value></draw>`
	)
	part := func(occurs string, in ...string) string {
		return `<subform name="lease">` + always + `<subform name="guarantor">` + strings.Join(in, "") + occurs + `</subform></subform>`
	}
	for _, c := range []struct{ form, data, want string }{
		{part(`<occur min="0" max="-1"/>`, clause), "<lease/>", "The Tenant pays.\n"},
		{part(`<occur min="0" max="-1"/>`, clause), "<lease><guarantor/></lease>", "The Tenant pays.\nThe Guarantor pays.\n"},
		{part(`<occur min="0" max="-1"/>`, clause, name), "<lease><guarantor><name>Ann</name></guarantor></lease>", "The Tenant pays.\nThe Guarantor pays.\nAnn\n"},
		{part(`<occur min="0"/>`, clause, name), "<name>Ann</name>", "The Tenant pays.\nThe Guarantor pays.\nAnn\n"},
		{part(`<occur min="0" initial="1"/>`, clause), "<lease/>", "The Tenant pays.\nThe Guarantor pays.\n"},
		{part(`<occur min="1" max="-1"/>`, clause), "<lease/>", "The Tenant pays.\nThe Guarantor pays.\n"},
		{part("", clause), "", "The Tenant pays.\nThe Guarantor pays.\n"},
		{strings.Replace(part(`<occur min="0"/>`, clause), ` name="guarantor"`, "", 1), "<lease/>", "The Tenant pays.\n"},
	} {
		text, _ := formText(t, xfa(c.form, c.data), 1000)
		require.Equal(t, c.want, text, "%s %s", c.form, c.data)
	}
}
