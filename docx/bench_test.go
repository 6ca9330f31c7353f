package docx_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
)

// long is a contract of 54 pages with 468 tracked changes.
func long(b *testing.B) []byte {
	b.Helper()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		b.Skip("CLAUSEMILL_DATA is not set")
	}
	data, err := os.ReadFile(filepath.Join(dir, "docx", "timing", "synth50-tc.docx"))
	require.NoError(b, err)
	b.ReportAllocs()
	return data
}

func BenchmarkRevisions(b *testing.B) {
	data := long(b)
	for b.Loop() {
		d, err := docx.Open(data)
		require.NoError(b, err)
		require.Len(b, d.Revisions(), 468)
	}
}

func BenchmarkAcceptAll(b *testing.B) {
	data := long(b)
	for b.Loop() {
		d, err := docx.Open(data)
		require.NoError(b, err)
		_, err = d.Resolve(docx.AcceptAll)
		require.NoError(b, err)
	}
}
