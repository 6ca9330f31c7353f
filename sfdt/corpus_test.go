package sfdt_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/sfdt"
)

// corpus lists the Word documents of the dataset, or skips the test where it is
// not installed.
func corpus(tb testing.TB, pattern string) []string {
	tb.Helper()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		tb.Skip("CLAUSEMILL_DATA is not set")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "docx", pattern))
	require.NoError(tb, err)
	require.NotEmpty(tb, paths)
	return paths
}

// readable are the documents of the dataset that can be opened, by name.
func readable(tb testing.TB) map[string]*docx.Document {
	tb.Helper()
	all := map[string]*docx.Document{}
	for _, path := range corpus(tb, "*.docx") {
		data, err := os.ReadFile(path)
		require.NoError(tb, err)
		if src, err := docx.Open(data); err == nil {
			all[filepath.Base(path)] = src
		}
	}
	return all
}

// canonical is the text of the body in which every paragraph that can be edited
// is a line, without what the editor shows as a drawing or not at all.
func canonical(d *docx.Document) string {
	var lines []string
	for _, p := range d.Story("body").Paragraphs() {
		if p.Closest("txbxContent").Exists() {
			continue
		}
		var line strings.Builder
		for piece := range p.Pieces() {
			if !strings.Contains(piece.Text, "\uFFFC") && piece.End > piece.Start {
				line.WriteString(piece.Text)
			}
		}
		lines = append(lines, line.String())
	}
	return folded(lines)
}

// folded joins lines without the empty ones: rows whose cells all go on with
// those above are none in the editor.
func folded(lines []string) string {
	var kept []string
	for _, line := range lines {
		line = strings.NewReplacer("\uFFFC", "", "\n", " ").Replace(line)
		if strings.TrimSpace(line) != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// TestCorpusConverts holds every readable document to what the editor needs,
// and to saying the same words as the file.
func TestCorpusConverts(t *testing.T) {
	t.Parallel()

	converted := 0
	for name, src := range readable(t) {
		converted++
		made, err := sfdt.Convert(src)
		require.NoError(t, err, name)
		sound(t, made)
		saved, err := sfdt.Read(encode(t, made))
		require.NoError(t, err, name)
		var packed bytes.Buffer
		require.NoError(t, made.EncodeShort(&packed))
		short, err := sfdt.Read(packed.Bytes())
		require.NoError(t, err, name)
		require.Equal(t, saved, short, name)

		hasFormula := false
		for e := range src.Main().Root().Descendants() {
			hasFormula = hasFormula || e.Is("m:oMath")
		}
		if hasFormula {
			continue // the editor shows as text what is none in the canonical text
		}
		var lines []string
		for _, line := range saved.Text {
			lines = append(lines, current(saved, line))
		}
		require.Equal(t, canonical(src), folded(lines), name)
	}
	require.NotZero(t, converted)
}

// current is what is left of a line without what was deleted in it.
func current(saved *sfdt.Saved, line sfdt.Line) string {
	var b strings.Builder
	for _, r := range line.Runes {
		gone := false
		for _, id := range r.Revisions {
			kind := saved.Revisions[id].Type
			gone = gone || kind == "Deletion" || kind == "MoveFrom"
		}
		if !gone {
			b.WriteRune(r.Char)
		}
	}
	return b.String()
}

// BenchmarkConvert makes the editor's form of the contract of 54 pages with 468
// tracked changes, from the bytes of the file to those of the answer.
func BenchmarkConvert(b *testing.B) {
	data, err := os.ReadFile(corpus(b, "timing/synth50-tc.docx")[0])
	require.NoError(b, err)
	for b.Loop() {
		src, err := docx.Open(data)
		require.NoError(b, err)
		made, err := sfdt.Convert(src)
		require.NoError(b, err)
		var out bytes.Buffer
		require.NoError(b, made.Encode(&out))
	}
}
