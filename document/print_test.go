package document

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

func TestPrint(t *testing.T) {
	t.Parallel()
	converter, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip("LibreOffice is not installed")
	}
	place := t.TempDir()
	source, output := filepath.Join(place, "a.docx"), filepath.Join(place, "a.pdf")
	require.NoError(t, os.WriteFile(source, formattest.Zipped(t,
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
			`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" `+
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml", formattest.WordRoot+"<w:body>"+"<w:p><w:r><w:t>Signed in München.</w:t></w:r></w:p>"+"</w:body></w:document>",
	), 0o600))
	r := testReader(t, func(c *Config) { c.Converter = converter })
	require.NoError(t, r.Print(t.Context(), source, DOCX, output))
	info, err := r.Inspect(t.Context(), output, "a.pdf")
	require.NoError(t, err)
	require.Equal(t, Info{Kind: PDF, Pages: 1}, info)
	require.NoError(t, r.Extract(t.Context(), output, PDF, 1, 0, func(p Page) error {
		require.Equal(t, "Signed in München.\n", p.Text)
		return nil
	}))

	require.NoError(t, os.WriteFile(source, []byte("no document"), 0o600))
	require.NoError(t, os.Remove(output))
	err = testReader(t, func(c *Config) { c.Converter = formattest.Program(t, "exit 1") }).Print(t.Context(), source, DOCX, output)
	formattest.RequireCode(t, fault.ConversionFailed, err)
	require.NoFileExists(t, output)

	err = testReader(t, nil).Print(t.Context(), source, DOCX, output)
	formattest.RequireCode(t, fault.ConversionFailed, err)
	require.Contains(t, fault.Message(err), "libreoffice-writer")
}
