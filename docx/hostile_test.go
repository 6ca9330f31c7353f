package docx_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// many is n pieces of markup, each made of its number.
func many(n int, format string) string {
	var b bytes.Buffer
	numbered := strings.Contains(format, "%")
	for i := range n {
		if numbered {
			fmt.Fprintf(&b, format, i)
		} else {
			b.WriteString(format)
		}
	}
	return b.String()
}

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

// TestHostileCosts reads what is made to cost more than it should. Whatever took
// time by the square of its size would not end before the test is over; memory
// is counted. It runs alone, so that nothing else is.
func TestHostileCosts(t *testing.T) { //nolint:paralleltest // it counts the memory of the process
	const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	nested := func(depth int, content string) string {
		return many(depth, `<w:smartTag xmlns:a%d="u" xmlns:b="`+strings.Repeat("u", 900)+`">`) + content + strings.Repeat("</w:smartTag>", depth)
	}
	mark := `<w:ins w:id="%d" w:author="A"><w:r><w:t>x</w:t></w:r></w:ins>`
	for _, tt := range []struct {
		name string
		code fault.Code // "" for what can be read
		most int        // times the markup that may be allocated in all
		main string
		more [][2]string
	}{
		{"Attributes", "", 60, body(`<w:p ` + many(200_000, `a%d="" `) + `/>`), nil},
		{"AttributesEverywhere", "", 60, body(many(2_000, `<w:p `+many(200, `a%d="" `)+`/>`)), nil},
		{"Declarations", docx.DocumentTooLarge, 60, `<w:document xmlns:w="` + word + `" ` + many(100_000, `xmlns:a%d="u" `) + `><w:body/></w:document>`, nil},
		{"DeclaredAgain", "", 120, body(many(100_000, `<w:p xmlns:w="`+word+`" xmlns:a="u%d"/>`)), nil},
		{"DeclaringElements", docx.DocumentTooLarge, 120, body(many(300_000, `<w:p xmlns:a="u"/>`)), nil},
		{"LongVocabulary", docx.InvalidDocument, 60, body(`<w:p xmlns:a="` + strings.Repeat("u", 1<<20) + `">` + many(50_000, `<a:x%d/>`) + `</w:p>`), nil},
		{"Names", docx.DocumentTooLarge, 60, body(many(50_000, `<w:x%d/>`)), nil},
		{"Elements", docx.DocumentTooLarge, 60, body(strings.Repeat("<w:p/>", 3<<20)), nil},
		{"Text", "", 24, body(`<w:p><w:r><w:t>` + strings.Repeat("lorem ", 4<<20) + `</w:t></w:r></w:p>`), nil},
		{"References", "", 60, body(`<w:p><w:r><w:t>` + strings.Repeat("&lt;", 1<<20) + `</w:t></w:r></w:p>`), nil},
		{"Marks", "", 120, body(`<w:p>` + many(50_000, mark) + `</w:p>`), nil},
		{"MarksBelow", "", 120, body(`<w:p>` + nested(200, many(50_000, mark)) + `</w:p>`), nil},
		{"Fields", "", 120, body(`<w:p>` + strings.Repeat(`<w:r><w:fldChar w:fldCharType="begin"/></w:r>`, 100_000) + `</w:p>`), nil},
		{"Headers", "", 120, body(`<w:p/>`), [][2]string{{"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			many(100_000, `<Relationship Id="r%[1]d" Type="`+relations+`header" Target="h%[1]d.xml"/>`) + `</Relationships>`}}},
		{"Notes", "", 200, body(`<w:p/>`), [][2]string{
			{"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="` + relations + `footnotes" Target="footnotes.xml"/></Relationships>`},
			{"word/footnotes.xml", `<w:footnotes xmlns:w="` + word + `">` + many(50_000, `<w:footnote w:id="%[1]d"><w:p><w:ins w:id="%[1]d" w:author="A"><w:r><w:t>x</w:t></w:r></w:ins></w:p></w:footnote>`) + `</w:footnotes>`},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parts := append([][2]string{{"[Content_Types].xml", types}, {"word/document.xml", tt.main}}, tt.more...)
			size := 0
			for _, p := range parts {
				size += len(p[1])
			}
			data := packed(t, parts...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, err := docx.Open(data)
			if err == nil {
				d.Revisions()
				d.Comments()
				d.Faults()
				d.Shape()
				for _, s := range d.Stories() {
					require.Same(t, s, d.Story(s.Key))
				}
				_, err = d.Resolve(docx.AcceptAll)
			}
			runtime.ReadMemStats(&after)
			if tt.code == "" {
				require.NoError(t, err)
			} else {
				require.Equal(t, tt.code, fault.CodeOf(err), "%v", err)
			}
			t.Logf("%d bytes of markup, %d times as many allocated", size, (after.TotalAlloc-before.TotalAlloc)/uint64(size))
			require.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(size), uint64(tt.most))
		})
	}
}

// packed is a package that does not look like a bomb, however much of one it is:
// it is not compressed.
func packed(tb testing.TB, parts ...[2]string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range parts {
		w, err := z.CreateHeader(&zip.FileHeader{Name: part[0], Method: zip.Store})
		require.NoError(tb, err)
		_, err = io.WriteString(w, part[1])
		require.NoError(tb, err)
	}
	require.NoError(tb, z.Close())
	return b.Bytes()
}
