package office

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
)

// TestMuchEmphasis bounds what stands out on a page, whose text is read all the same.
func TestMuchEmphasis(t *testing.T) {
	t.Parallel()
	const words = 15_000
	pages := readAll(t, format.HTML, "", []byte("<p>"+strings.Repeat("<b>a</b>b ", words)))
	require.Len(t, pages, 1)
	require.Len(t, pages[0].Words, words)
	require.Len(t, pages[0].Emphasis, 10_000)
	for _, e := range pages[0].Emphasis {
		require.Equal(t, 1, e.End-e.Start)
	}
}

// TestEmphasis reads what formats set in bold and italic type and underlined, as those have it.
func TestEmphasis(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind format.Kind
		data []byte
		want []string
	}{
		"HTML": {
			format.HTML, []byte(`<p>The <b>Monthly <i>Rent</i></b> is <em>due</em>.<p style="font-weight: 700">All bold <span style="font-weight:normal">not</span></p>
				<ul><li>plain<li style="FONT-STYLE: Italic">slanted</ul><b>A<br>B</b> <u>Term</u> <span style="text-decoration: underline">sheet</span>`),
			[]string{"b Monthly", "bi Rent", "i due", "b All bold", "i slanted", "b A\nB", "u Term sheet"},
		},
		"RTF": {
			format.RTF, []byte(rtfHead + `\pard The {\b Monthly {\i Rent}} is \i due\i0.\par {\ul Term\ulnone  sheet} \b Bold\plain  not{\footnote \b note}\par}`),
			[]string{"b Monthly", "bi Rent", "i due", "u Term", "b Bold"},
		},
		"ODT": {
			format.ODT, openText(t, `<text:p>The <text:span text:style-name="B">Monthly <text:span text:style-name="I">Rent</text:span></text:span> is`+
				`<text:s/><text:span text:style-name="I">due</text:span></text:p><text:p text:style-name="P">Bold <text:span text:style-name="N">not</text:span> <text:span text:style-name="U">Term</text:span></text:p>`,
				`<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style><style:style style:name="I"><style:text-properties fo:font-style="italic"/></style:style>`+
					`<style:style style:name="P" style:parent-style-name="B"/><style:style style:name="N"><style:text-properties fo:font-weight="normal"/></style:style><style:style style:name="U"><style:text-properties fo:font-weight="normal" style:text-underline-style="solid"/></style:style>`),
			[]string{"b Monthly", "bi Rent", "i due", "b Bold", "u Term"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var found []string
			for _, p := range readAll(t, c.kind, "", c.data) {
				for _, e := range p.Emphasis {
					face := ""
					if e.Bold {
						face += "b"
					}
					if e.Italic {
						face += "i"
					}
					if e.Underline {
						face += "u"
					}
					found = append(found, face+" "+string([]rune(p.Text)[e.Start:e.End]))
				}
			}
			require.Equal(t, c.want, found)
		})
	}
}
