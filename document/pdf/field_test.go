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

// listed is the fields of a page, as "name: value", with what was chosen.
func listed(p format.Page) (all []string) {
	for _, f := range p.Fields {
		line := f.Name + ": " + string([]rune(p.Text)[f.Start:f.End])
		if f.Kind != "" {
			line += " (" + strings.Join(append([]string{f.Kind}, f.Chosen...), " ") + ")"
		}
		all = append(all, line)
	}
	return all
}

// TestFields lists what was filled into a form, under whole names, and not what is
// printed on it or hidden.
func TestFields(t *testing.T) {
	t.Parallel()
	form := formattest.PDFPage{
		Content: formattest.Line(72, 700, "Tenant:") + formattest.Line(400, 700, "Date:"),
		Fields: []string{
			"<</FT /Tx /T (lease) /Kids [#1 #2]>>",
			annotation("Widget", 130, 695, 0, "/T (tenant.name) /Parent #0"),
			annotation("Widget", 440, 695, 1, "/T <FEFF00440061007400652014> /Parent #0"),
			annotation("Widget", 72, 600, 2, "/FT /Tx /Ff 4096 /T (notes)"), // of several lines
			annotation("Widget", 72, 560, 3, "/FT /Btn /Ff 65536 /T (send)"),
			annotation("Widget", 72, 520, 4, "/FT /Tx /F 2 /T (hidden)"),
			annotation("Widget", 72, 480, 5, "/FT /Tx /Ff 8192 /T (pin)"),
			annotation("Widget", 72, 440, 6, "/FT /Ch /T (list) /Opt [[(r) (red)] (blue)] /V (r) /I [0]"),
			annotation("Stamp", 72, 400, 7, ""),
			annotation("Widget", 340, 695, 8, "/FT /Tx /T (empty)"),
		},
	}
	for _, text := range []string{"Jane Doe", "1 May 2024", "", "Send", "no", "****", "red blue", "VOID", ""} {
		form.Appearances = append(form.Appearances, formattest.Line(2, 5, text))
	}
	form.Appearances[2] = formattest.Line(2, 12, "no pets") + formattest.Line(2, 0, "at all")

	page := readPDF(t, formattest.PDF(form))[0]
	require.Equal(t, []string{"lease.tenant.name: Jane Doe", "lease.Date—: 1 May 2024", "notes: no pets\nat all", "list: red blue (list red)"}, listed(page))
	require.Equal(t, layout.Box{X0: 130, Y0: 792 - 715, X1: 330, Y1: 792 - 695}, page.Fields[0].Box)
	require.Contains(t, page.Text, "Send", "a caption is text")
}

// TestHostileFields lists fields without names, with endless ones, and those that are
// their own parents.
func TestHostileFields(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string][]string{
		"NoForm": nil,
		"NoName": {annotation("Widget", 72, 400, 0, "/FT /Tx")},
		"Long":   {annotation("Widget", 72, 400, 0, "/FT /Tx /T ("+strings.Repeat("a", 60_000)+")")},
		"Loop":   {annotation("Widget", 72, 400, 0, "/FT /Tx /T (a) /Parent #1 /Kids [#1]"), "<</T (b) /Parent #0 /Kids [#0]>>"},
		"Odd":    {annotation("Widget", 72, 400, 0, "/FT 7 /T [#0] /Ff (x)")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := formattest.PDFPage{Appearances: []string{formattest.Line(2, 5, "value")}, Fields: fields}
			if fields == nil {
				page.Attributes = "/Annots [" + annotation("Widget", 72, 400, 0, "/FT /Tx /T (a)") + "]"
			}
			got := readPDF(t, formattest.PDF(page))[0]
			require.Equal(t, "value\n", got.Text)
			require.Len(t, got.Fields, 1)
			require.LessOrEqual(t, len(got.Fields[0].Name), 200)
		})
	}
}

// TestFieldsWithoutAppearance reads what a program filled into a form whose looks it left
// to others, which is all that a reader sees then: the old looks do not count.
func TestFieldsWithoutAppearance(t *testing.T) {
	t.Parallel()
	const rect = "<</Type /Annot /Subtype /Widget /F 4 /Rect [130 %d 330 %d] /DA (/F0 12 Tf 0 g) "
	at := func(y int, more string) string { return fmt.Sprintf(rect, y, y+20) + more + ">>" }
	form := formattest.PDFPage{
		Content: formattest.Line(72, 700, "Tenant:") + formattest.Line(72, 660, "Rent:") + formattest.Line(72, 620, "Term:") + formattest.Line(72, 580, "Pets:"),
		Form:    "/NeedAppearances true /DA (/F0 12 Tf 0 g) /DR <</Font <</F0 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>>>>>",
		Fields: []string{
			at(695, "/FT /Tx /T (tenant) /V (Jane Doe)"),
			at(655, "/FT /Tx /T (rent) /V (1,200 EUR) /AP <</N @0>>"),
			at(615, "/FT /Ch /Ff 131072 /T (term) /Opt [(1 year) (2 years)] /V (2 years) /AP <</N @1>>"),
			at(575, "/FT /Btn /T (pets) /V /Yes /AS /Yes /MK <</CA (4)>> /AP <</N <</Yes @1 /Off @1>>>>"),
		},
		Appearances: []string{formattest.Line(2, 5, "900 EUR"), "/Tx BMC EMC"},
	}
	page := readPDF(t, formattest.PDF(form))[0]
	require.Equal(t, []string{"tenant: Jane Doe", "rent: 1,200 EUR", "term: 2 years (choice)", "pets: ☒ (checkbox Yes)"}, listed(page))
	require.Contains(t, page.Text, "Rent: 1,200 EUR\n")

	form.Form = ""
	require.Contains(t, readPDF(t, formattest.PDF(form))[0].Text, "Rent: 900 EUR\n")
}
