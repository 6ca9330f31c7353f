package document

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
)

func TestDOC(t *testing.T) {
	t.Parallel()
	converter, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip("LibreOffice is not installed")
	}
	f, err := openDOC(converter)(t.Context(), "testdata/agreement.doc", DefaultLimits())
	require.NoError(t, err)
	var pages []Page
	require.NoError(t, f.extract(t.Context(), 1, allPages, func(p Page) error {
		checkText(t, p)
		pages = append(pages, p)
		return nil
	}))
	require.Equal(t, "heading1 Services Agreement\nlist_item1 1. The parties agree.\nlist_item1 2. The term is sixty days.\n"+
		"table Fee\ntable USD 100\nparagraph Signed in München.\nnote 1 Business days.", outline(pages))
	dir := f.(*converted).dir
	require.DirExists(t, dir)
	require.NoError(t, f.close())
	require.NoDirExists(t, dir)

	_, err = openDOC(converter)(t.Context(), tempFile(t, "a", compound(t, "WordDocument", "no document")), DefaultLimits())
	requireCode(t, fault.ConversionFailed, err)
}

func TestDOCWithoutConverter(t *testing.T) {
	t.Parallel()
	kind, err := sniffed(t, "a.doc", fixture(t, "agreement.doc"))
	require.NoError(t, err)
	require.Equal(t, DOC, kind)
	_, err = openDOC("")(t.Context(), "testdata/agreement.doc", DefaultLimits())
	requireCode(t, fault.UnsupportedType, err)
	require.Contains(t, fault.Message(err), "libreoffice-writer")
}

// program writes a converter that does what a script says.
func program(tb testing.TB, script string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "soffice")
	require.NoError(tb, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700)) //nolint:gosec // it is to be run
	return path
}

func TestDOCConverters(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	sample := filepath.Join(place, "sample.docx")
	require.NoError(t, os.WriteFile(sample, wordDocument(t, para(runOf("converted"))), 0o600))
	convertWith := func(ctx context.Context, script string) (file, error) {
		return openDOC(program(t, script))(ctx, "testdata/agreement.doc", DefaultLimits())
	}

	f, err := convertWith(t.Context(), `cp `+sample+` "$PWD/source.docx"`)
	require.NoError(t, err)
	require.NoError(t, f.extract(t.Context(), 1, allPages, func(p Page) error {
		require.Equal(t, "converted", p.Text)
		return nil
	}))
	require.NoError(t, f.close())

	f, err = convertWith(t.Context(), `test -e again && exec cp `+sample+` source.docx; touch again; exit 81`)
	require.NoError(t, err, "it is started again when it asks for it")
	require.NoError(t, f.close())

	for name, script := range map[string]string{
		"Fails":     `echo sorry; exit 1`,
		"NoResult":  `exit 0`,
		"AlwaysAsk": `exit 81`,
	} {
		_, err = convertWith(t.Context(), script)
		requireCode(t, fault.ConversionFailed, err)
		require.NotContains(t, fault.Message(err), "sorry", name)
	}

	_, err = convert(t.Context(), program(t, `exec sleep 1000`), fromDOC, "testdata/agreement.doc", t.TempDir(), 10*time.Millisecond)
	requireCode(t, fault.ConversionFailed, err)
	require.Contains(t, fault.Message(err), "10ms")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = convertWith(ctx, `exec sleep 1000`)
	require.ErrorIs(t, err, context.Canceled)
}
