package docx_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// texts are the canonical texts of all paragraphs, story by story.
func texts(tb testing.TB, data []byte) []string {
	tb.Helper()
	d, err := docx.Open(data)
	require.NoError(tb, err)
	var all []string
	for _, s := range d.Stories() {
		for _, p := range s.Paragraphs() {
			if text := strings.TrimRight(p.Text(), " "); text != "" {
				all = append(all, text)
			}
		}
	}
	return all
}

// TestGoldens compares with what others accepted and rejected, and looks for
// tracked changes that were left.
func TestGoldens(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, path := range corpus(t) {
		for suffix, decide := range map[string]func(docx.Revision) docx.Decision{"-Accepted": docx.AcceptAll, "-Rejected": docx.RejectAll} {
			golden, err := os.ReadFile(filepath.Join(filepath.Dir(path), "goldens", strings.TrimSuffix(filepath.Base(path), ".docx")+suffix+".docx"))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			require.NoError(t, err)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			d, err := docx.Open(data)
			require.NoError(t, err)
			resolved, err := d.Resolve(decide)
			require.NoError(t, err)
			require.Equal(t, texts(t, golden), texts(t, resolved), path+suffix)
			after, err := docx.Open(resolved)
			require.NoError(t, err)
			require.Empty(t, after.Revisions(), path+suffix)
			compared++
		}
	}
	require.Positive(t, compared)
	t.Log(compared)
}
