package document

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/document/sniff"
	"github.com/clausemill/clausemill/fault"
)

func TestUnlock(t *testing.T) {
	t.Parallel()
	const password = "Schlüssel § 1"
	r := testReader(t, nil)
	whole := formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "The price is confidential.")}, formattest.PDFPage{})
	data := formattest.Encrypt(t, whole, password)
	locked := formattest.TempFile(t, "a.pdf", data)
	output := filepath.Join(t.TempDir(), "open.pdf")
	for _, right := range []string{password, "owner"} {
		require.NoError(t, r.Unlock(t.Context(), locked, "a.pdf", right, output))
		info, err := r.Inspect(t.Context(), output, "a.pdf")
		require.NoError(t, err)
		require.Equal(t, Info{Kind: PDF, Pages: 2}, info)
		var text string
		require.NoError(t, r.Extract(t.Context(), output, PDF, 1, 1, func(p Page) error { text = p.Text; return nil }))
		require.Equal(t, "The price is confidential.\n", text)
		_, err = r.Inspect(t.Context(), locked, "a.pdf")
		require.Equal(t, fault.PasswordProtected, fault.CodeOf(err), "the child has not kept it open")
	}
	after, err := os.ReadFile(locked)
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, after))

	require.NoError(t, os.Remove(output))
	word, err := os.ReadFile("office/testdata/agile.docx")
	require.NoError(t, err)
	workbook, err := os.ReadFile("office/testdata/agile.xlsx")
	require.NoError(t, err)
	require.NoError(t, r.Unlock(t.Context(), "office/testdata/agile.docx", "a.docx", "Password1234_", output))
	info, err := r.Inspect(t.Context(), output, "a.docx")
	require.NoError(t, err)
	require.Equal(t, DOCX, info.Kind)

	require.NoError(t, os.Remove(output))
	old, err := os.ReadFile("office/testdata/rc4.doc")
	require.NoError(t, err)
	require.NoError(t, r.Unlock(t.Context(), "office/testdata/rc4.doc", "a.doc", "Password1234_", output))
	after, err = os.ReadFile(output)
	require.NoError(t, err)
	kind, err := sniff.File(t.Context(), bytes.NewReader(after), int64(len(after)), "", format.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, format.DOC, kind)

	require.NoError(t, os.Remove(output))
	for name, tt := range map[string]struct {
		data     []byte
		password string
		code     fault.Code
		says     string
	}{
		"Wrong":     {data, "Schluessel", fault.PasswordProtected, "the password is wrong"},
		"None":      {data, "", fault.PasswordProtected, "the password is wrong"},
		"Nul":       {data, password + "\x00x", fault.PasswordProtected, "the password is wrong"},
		"Damaged":   {data[:len(data)/3], password, fault.CorruptFile, "not a readable PDF"},
		"Office":    {formattest.Compound(t, "EncryptedPackage", "x", "EncryptionInfo", "y"), password, fault.UnsupportedType, "encrypted in a way that is not supported"},
		"Workbook":  {workbook, "Password1234_", fault.UnsupportedType, "Excel"},
		"WrongWord": {word, password, fault.PasswordProtected, "the password is wrong"},
		"WrongDOC":  {old, password, fault.PasswordProtected, "the password is wrong"},
		"CutDOC":    {old[:len(old)-5000], "Password1234_", fault.CorruptFile, "cut short"},
		"OtherPDF":  {[]byte("Just text."), password, fault.UnsupportedType, "only PDFs and Word documents can be unlocked"},
	} {
		err := r.Unlock(t.Context(), formattest.TempFile(t, "a", tt.data), "a", tt.password, output)
		require.Equal(t, tt.code, fault.CodeOf(err), "%s: %v", name, err)
		require.Equal(t, fault.Invalid, fault.KindOf(err), name)
		require.Contains(t, fault.Message(err), tt.says, name)
		require.NotContains(t, err.Error(), password, name)
		require.NoFileExists(t, output, name)
	}
}
