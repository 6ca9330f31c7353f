package docx_test

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
)

// corpus lists the Word documents of the dataset, or skips the test where it is
// not installed.
func corpus(tb testing.TB) []string {
	tb.Helper()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		tb.Skip("CLAUSEMILL_DATA is not set")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "docx", "*.docx"))
	require.NoError(tb, err)
	require.NotEmpty(tb, paths)
	return paths
}

// TestCorpusReads holds every readable document to what reading promises:
// offsets that fit the text, pieces that make it up.
func TestCorpusReads(t *testing.T) {
	t.Parallel()
	opened := 0
	for _, path := range corpus(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		d, err := docx.Open(data)
		if err != nil {
			t.Log(filepath.Base(path), err)
			continue
		}
		opened++
		for _, s := range d.Stories() {
			for _, p := range s.Paragraphs() {
				at := 0
				for piece := range p.Pieces() {
					require.Equal(t, at, piece.Start, path)
					at = piece.End
				}
				require.Equal(t, utf8.RuneCountInString(p.Text()), at, path)
			}
		}
		for _, r := range d.Revisions() {
			require.LessOrEqual(t, r.Start, r.End)
		}
	}
	t.Log(opened)
}
