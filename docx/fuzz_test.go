package docx_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// pack makes a package of parts.
func pack(tb testing.TB, parts ...[2]string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range parts {
		w, err := z.Create(part[0])
		require.NoError(tb, err)
		_, err = io.WriteString(w, part[1])
		require.NoError(tb, err)
	}
	require.NoError(tb, z.Close())
	return b.Bytes()
}

const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`

// document is a package of a main part only.
func document(tb testing.TB, main string) []byte {
	tb.Helper()
	return pack(tb, [2]string{"[Content_Types].xml", types}, [2]string{"word/document.xml", main})
}

func body(content string) string {
	return `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + content + `</w:body></w:document>`
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	good := document(t, body("<w:p/>"))
	_, err := docx.Open(good)
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		data []byte
		code fault.Code
	}{
		"Empty":     {nil, docx.NotDOCX},
		"PDF":       {[]byte("%PDF-1.7"), docx.NotDOCX},
		"OLE":       {[]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), docx.EncryptedOrLegacy},
		"Cut":       {good[:len(good)/2], docx.InvalidDocument},
		"NoTypes":   {pack(t, [2]string{"word/document.xml", body("")}), docx.InvalidDocument},
		"NoMain":    {pack(t, [2]string{"[Content_Types].xml", types}), docx.InvalidDocument},
		"Sheet":     {document(t, `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>`), docx.NotDOCX},
		"NoBody":    {document(t, `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`), docx.InvalidDocument},
		"Doctype":   {document(t, `<!DOCTYPE a [<!ENTITY b "c">]>`+body("&b;")), docx.InvalidDocument},
		"Entity":    {document(t, body("<w:p>&b;</w:p>")), docx.InvalidDocument},
		"Malformed": {document(t, body("<w:p></w:r>")), docx.InvalidDocument},
		"Prefix":    {document(t, body("<x:p/>")), docx.InvalidDocument},
		"Deep":      {document(t, body(strings.Repeat("<w:p>", 300)+strings.Repeat("</w:p>", 300))), docx.InvalidDocument},
		"Twice":     {pack(t, [2]string{"[Content_Types].xml", types}, [2]string{"a.xml", "<a/>"}, [2]string{"A.xml", "<a/>"}), docx.InvalidDocument},
		"Outside":   {pack(t, [2]string{"../a.xml", "<a/>"}), docx.InvalidDocument},
		"Bomb":      {document(t, body("<w:p>"+strings.Repeat(" ", 300<<20)+"</w:p>")), docx.DocumentTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := docx.Open(tt.data)
			require.Equal(t, tt.code, fault.CodeOf(err), "%v", err)
		})
	}
	damaged := bytes.Clone(good)
	damaged[bytes.Index(damaged, []byte("word/document.xml"))+20] ^= 0xFF
	_, err = docx.Open(damaged)
	require.Error(t, err)
}

// FuzzScan compares what is taken for XML with what the standard library takes,
// which never may be less.
func FuzzScan(f *testing.F) {
	f.Add(`<w:p><w:r><w:t xml:space="preserve"> a &amp; b </w:t></w:r></w:p>`)
	f.Add(`<w:p><!-- c --><?pi x?><![CDATA[ <a> ]]></w:p>`)
	f.Add(`<w:p w:a="1" xmlns:b='u'><b:c/></w:p>`)
	f.Add(`<w:p><w:ins w:id="1" w:author="A"><w:r><w:t>x</w:t></w:r></w:ins><w:del w:id="2"><w:r><w:delText>y</w:delText></w:r></w:del></w:p>`)
	f.Add(`<w:p/><w:trPr><w:ins w:id="3"/></w:trPr><w:tcPr><w:cellIns w:id="4"/></w:tcPr><w:tc><w:p/></w:tc>`)
	f.Add(`<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr></w:p><w:tbl><w:tr><w:trPr><w:ins w:id="3"/></w:trPr><w:tc><w:p/></w:tc></w:tr></w:tbl>`)
	f.Fuzz(func(t *testing.T, content string) {
		main := body(content)
		d, err := docx.Open(document(t, main))
		if err != nil {
			return
		}
		tokens := xml.NewDecoder(strings.NewReader(main))
		for {
			if _, err := tokens.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%q was taken: %v", main, err)
			}
		}
		d.Revisions()
		d.Comments()
		d.Shape()
		for _, decide := range []func(docx.Revision) docx.Decision{docx.AcceptAll, docx.RejectAll} {
			resolved, err := d.Resolve(decide)
			require.NoError(t, err)
			after, err := docx.Open(resolved)
			require.NoError(t, err)
			for _, r := range after.Revisions() {
				require.NotContains(t, []string{"text", "mark", "row"}, r.On, "%q", main)
			}
		}
		if p := d.Story("body").Paragraph(0); p != nil {
			e := d.Edit()
			mark := e.Mark()
			if err := e.Insert(p, p.Len()/2, "a\nb", ann); err != nil {
				e.Undo(mark)
			}
			edited, err := e.Bytes()
			require.NoError(t, err)
			_, err = docx.Open(edited)
			require.NoError(t, err, "%q", main)
		}
	})
}

// FuzzOpen reads any package.
func FuzzOpen(f *testing.F) {
	f.Add(document(f, body(`<w:p><w:r><w:t>a</w:t></w:r></w:p>`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := docx.Open(data)
		if err != nil {
			require.NotEqual(t, fault.InternalCode, fault.CodeOf(err))
			return
		}
		d.Faults()
	})
}
