package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
		third := page.Paragraphs[2]
		require.Equal(t, "Jane Roe", string([]rune(page.Text)[third.Fields[0][0]:third.Fields[0][1]]))
	}
	for name, data := range map[string][]byte{
		"Static":   dynamic(false, whole),
		"Empty":    dynamic(true, xfa("", leaseData)),
		"Broken":   dynamic(true, whole[:len(whole)-40]),
		"Entities": dynamic(true, strings.Replace(strings.Replace(whole, "<xdp:xdp", `<!DOCTYPE x [<!ENTITY a "bomb">]><xdp:xdp`, 1), "Lease of", "&a;", 1)),
		"Deep":     dynamic(true, xfa(strings.Repeat("<subform>", 300)+leaseForm+strings.Repeat("</subform>", 300), "")),
		"Large":    dynamic(true, xfa(strings.Repeat("<draw/>", maxFormNodes), "")),
	} {
		page := readPDF(t, data)[0]
		require.Equal(t, "Please wait...\n", page.Text, name)
		require.Equal(t, format.ReasonGood, page.Reason, name)
	}
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
