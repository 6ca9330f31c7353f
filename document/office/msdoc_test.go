package office

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/document/sniff"
	"github.com/clausemill/clausemill/fault"
)

func TestDOC(t *testing.T) {
	t.Parallel()
	converter, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip("LibreOffice is not installed")
	}
	f, err := openDOC(converter)(t.Context(), "testdata/agreement.doc", format.DefaultLimits())
	require.NoError(t, err)
	var pages []format.Page
	require.NoError(t, f.Extract(t.Context(), 1, format.AllPages, func(p format.Page) error {
		checkText(t, p)
		pages = append(pages, p)
		return nil
	}))
	require.Equal(t, "heading1 Services Agreement\nlist_item1 1. The parties agree.\nlist_item1 2. The term is sixty days.\n"+
		"1.1.1 paragraph Fee\n1.1.2 paragraph USD 100\nparagraph Signed in München.\nfootnote paragraph 1 Business days.", outline(pages))
	dir := f.(*converted).dir
	require.DirExists(t, dir)
	require.NoError(t, f.Close())
	require.NoDirExists(t, dir)

	_, err = openDOC(converter)(t.Context(), formattest.TempFile(t, "a", formattest.Compound(t, "WordDocument", "no document")), format.DefaultLimits())
	formattest.RequireCode(t, fault.ConversionFailed, err)
}

func TestDOCWithoutConverter(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/agreement.doc")
	require.NoError(t, err)
	kind, err := sniff.File(t.Context(), bytes.NewReader(data), int64(len(data)), "a.doc", format.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, format.DOC, kind)
	_, err = openDOC("")(t.Context(), "testdata/agreement.doc", format.DefaultLimits())
	formattest.RequireCode(t, fault.UnsupportedType, err)
	require.Contains(t, fault.Message(err), "libreoffice-writer")
}

func TestDOCConverters(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	sample := filepath.Join(place, "sample.docx")
	require.NoError(t, os.WriteFile(sample, formattest.WordDocument(t, para(runOf("converted"))), 0o600))
	convertWith := func(ctx context.Context, script string) (format.File, error) {
		return openDOC(formattest.Program(t, script))(ctx, "testdata/agreement.doc", format.DefaultLimits())
	}

	f, err := convertWith(t.Context(), `cp `+sample+` "$PWD/source.docx"`)
	require.NoError(t, err)
	require.NoError(t, f.Extract(t.Context(), 1, format.AllPages, func(p format.Page) error {
		require.Equal(t, "converted", p.Text)
		return nil
	}))
	require.NoError(t, f.Close())

	f, err = convertWith(t.Context(), `test -e again && exec cp `+sample+` source.docx; touch again; exit 81`)
	require.NoError(t, err, "it is started again when it asks for it")
	require.NoError(t, f.Close())

	for name, script := range map[string]string{
		"Fails":     `echo sorry; exit 1`,
		"NoResult":  `exit 0`,
		"AlwaysAsk": `exit 81`,
	} {
		_, err = convertWith(t.Context(), script)
		formattest.RequireCode(t, fault.ConversionFailed, err)
		require.NotContains(t, fault.Message(err), "sorry", name)
	}

	_, err = convert(t.Context(), formattest.Program(t, `exec sleep 1000`), fromDOC, "testdata/agreement.doc", t.TempDir(), 10*time.Millisecond)
	formattest.RequireCode(t, fault.ConversionFailed, err)
	require.Contains(t, fault.Message(err), "10ms")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = convertWith(ctx, `exec sleep 1000`)
	require.ErrorIs(t, err, context.Canceled)
}
