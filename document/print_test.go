package document

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

// printed is what LibreOffice prints of a Word document.
func printed(t *testing.T, document []byte) (info Info, text string) {
	t.Helper()
	converter, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip("LibreOffice is not installed")
	}
	source, output := formattest.TempFile(t, "a.docx", document), filepath.Join(t.TempDir(), "a.pdf")
	r := testReader(t, func(c *Config) { c.Converter = converter })
	require.NoError(t, r.Print(t.Context(), source, DOCX, output))
	info, err = r.Inspect(t.Context(), output, "a.pdf")
	require.NoError(t, err)
	require.NoError(t, r.Extract(t.Context(), output, PDF, 1, 0, func(p Page) error {
		text += p.Text
		return nil
	}))
	return info, text
}

func TestPrint(t *testing.T) {
	t.Parallel()
	info, text := printed(t, printable(t, "<w:p><w:r><w:t>Signed in München.</w:t></w:r></w:p>"))
	require.Equal(t, Info{Kind: PDF, Pages: 1}, info)
	require.Equal(t, "Signed in München.\n", text)
}

func TestPrintFails(t *testing.T) {
	t.Parallel()
	source, output := formattest.TempFile(t, "a.docx", []byte("no document")), filepath.Join(t.TempDir(), "a.pdf")
	err := testReader(t, func(c *Config) { c.Converter = formattest.Program(t, "exit 1") }).Print(t.Context(), source, DOCX, output)
	formattest.RequireCode(t, fault.ConversionFailed, err)
	require.NoFileExists(t, output)

	err = testReader(t, nil).Print(t.Context(), source, DOCX, output)
	formattest.RequireCode(t, fault.ConversionFailed, err)
	require.Contains(t, fault.Message(err), "libreoffice-writer")
}

// TestPrintedNotes prints notes in the order of their references, whatever their ids:
// LibreOffice goes by the ids.
func TestPrintedNotes(t *testing.T) {
	t.Parallel()
	body, parts := "", []string{}
	for kind, ids := range map[string][]string{"footnote": {"9", "3", "7"}, "endnote": {"3", "9"}} { // nothing refers to 8
		note := func(id, more, content string) string {
			return "<w:" + kind + ` w:id="` + id + `"` + more + "><w:p><w:r>" + content + "</w:r></w:p></w:" + kind + ">"
		}
		notes := note("-1", ` w:type="separator"`, "<w:separator/>") + note("0", ` w:type="continuationSeparator"`, "<w:continuationSeparator/>")
		for _, id := range []string{"3", "7", "8", "9"} {
			notes += note(id, "", "<w:t>"+kind+id+"</w:t>")
		}
		parts = append(parts, kind, "<w:"+kind+`s xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">`+notes+"</w:"+kind+"s>")
		for _, id := range ids {
			body += "<w:p><w:r><w:t>Clause</w:t></w:r><w:r><w:" + kind + `Reference w:id="` + id + `"/></w:r></w:p>`
		}
	}
	_, text := printed(t, printable(t, body, parts...))
	order := regexp.MustCompile(`(footnote|endnote)\d`).FindAllString(text, -1)
	require.Equal(t, []string{"footnote9", "footnote3", "footnote7", "endnote3", "endnote9"}, order)
}

// printable is a Word document of a body and of notes, given as kind and part by turns.
func printable(tb testing.TB, body string, notes ...string) []byte {
	tb.Helper()
	const (
		relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
		opening  = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		media    = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	)
	types, relations, parts := "", "", []string{}
	for kind := range slices.Chunk(notes, 2) {
		name := kind[0] + "s"
		types += `<Override PartName="/word/` + name + `.xml" ContentType="` + media + name + `+xml"/>`
		relations += `<Relationship Id="` + name + `" Type="` + relation + name + `" Target="` + name + `.xml"/>`
		parts = append(parts, "word/"+name+".xml", kind[1])
	}
	return formattest.Zipped(tb, append([]string{
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/word/document.xml" ContentType="` + media + `document.main+xml"/>` + types + `</Types>`,
		"_rels/.rels", opening + `<Relationship Id="r1" Type="` + relation + `officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/_rels/document.xml.rels", opening + relations + `</Relationships>`,
		"word/document.xml", formattest.WordRoot + "<w:body>" + body + "</w:body></w:document>",
	}, parts...)...)
}
