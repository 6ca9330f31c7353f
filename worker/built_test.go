package worker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/worker"
)

// TestBuiltDocuments builds Word documents of the PDFs in CLAUSEMILL_DATA: each has all
// words of its file in their order, as we and LibreOffice read it, without headers, footers
// and numbers of its pages.
func TestBuiltDocuments(t *testing.T) {
	t.Parallel()
	files, reader := dataFiles(t, "cuad", "pdf", "*.pdf")
	built := t.TempDir()
	said := map[string]string{} // each file, without blanks
	kinds, shown := map[string]int{}, 0
	for _, file := range files {
		var read []db.PageStructure
		require.NoError(t, reader.Extract(t.Context(), file, document.PDF, 1, 0, func(p document.Page) error {
			page, err := worker.ReadPage(p)
			read = append(read, page)
			return err
		}))
		seg, err := worker.SegmentPages(read)
		require.NoError(t, err)
		blocks := worker.NewText(seg).Blocks
		worker.PlaceEmphasis(seg, read, blocks)
		text, outside := []rune(seg.Text), []rune(seg.Text)
		at := 0
		for _, b := range blocks {
			kinds[b.Kind]++
			blank(outside, b.Start, b.End)
			blank(text, at, b.Start)
			at = b.End
		}
		blank(text, at, len(text))
		for _, f := range seg.Furniture { // what runs along the pages is left out
			blank(outside, f.Start, f.End)
			blank(text, f.Start, f.End)
		}
		require.Empty(t, strings.TrimSpace(string(outside)), file)
		words := strings.Join(strings.Fields(string(text)), "")
		pictures, err := reader.Pictures(t.Context(), file, document.PDF)
		require.NoError(t, err)
		shown += len(pictures)
		data, err := draft.Build(blocks, pictures)
		require.NoError(t, err)
		doc, err := docx.Open(data)
		require.NoError(t, err)
		require.Empty(t, doc.Faults())
		var has strings.Builder
		for _, p := range doc.Story("body").Paragraphs() {
			has.WriteString(doc.Numbers()[p.Index] + strings.ReplaceAll(p.Text(), "\uFFFC", ""))
		}
		if len(pictures) > 0 {
			requireRedlines(t, doc, data, len(pictures))
		}
		name := strings.TrimSuffix(filepath.Base(file), ".pdf")
		requireSame(t, words, has.String(), name)
		said[name] = words
		require.NoError(t, os.WriteFile(filepath.Join(built, name+".docx"), data, 0o600))
	}
	t.Log(len(said), "documents", kinds, shown, "pictures")
	t.Run("LibreOffice", func(t *testing.T) {
		t.Parallel()
		if _, err := exec.LookPath("soffice"); err != nil {
			t.Skip("LibreOffice is not installed")
		}
		args := []string{"--headless", "-env:UserInstallation=file://" + filepath.Join(built, "profile"), "--convert-to", "txt:Text (encoded):UTF8", "--outdir", filepath.Join(built, "texts")}
		opened := 0
		for name := range said {
			if opened++; opened <= 20 {
				args = append(args, filepath.Join(built, name+".docx"))
			}
		}
		out, err := exec.CommandContext(t.Context(), "soffice", args...).CombinedOutput()
		require.NoError(t, err, string(out))
		texts, err := filepath.Glob(filepath.Join(built, "texts", "*.txt"))
		require.NoError(t, err)
		require.Len(t, texts, min(20, len(said)))
		for _, path := range texts {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			name := strings.TrimSuffix(filepath.Base(path), ".txt")
			requireSame(t, said[name], strings.TrimPrefix(string(text), "\ufeff"), name)
		}
	})
}

// requireRedlines takes the first picture of a document out, as a tracked change.
func requireRedlines(t *testing.T, doc *docx.Document, data []byte, pictures int) {
	t.Helper()
	var shown []*docx.Paragraph
	for _, p := range doc.Story("body").Paragraphs() {
		if p.Text() == "\uFFFC" {
			shown = append(shown, p)
		}
	}
	require.Len(t, shown, pictures)
	change := redline.Change{ID: "1", Type: redline.DeleteParagraph, Anchor: redline.Anchor{Part: "body", Block: &shown[0].Index}, Author: redline.Author{Name: "Ann Lee"}, Date: time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)}
	for _, clean := range []bool{false, true} {
		r, err := redline.Execute(data, []redline.Change{change}, redline.Options{Clean: clean})
		require.NoError(t, err)
		require.Empty(t, r.Failed)
		require.True(t, clean || r.Checks.OK(), "%+v", r.Checks)
	}
}

func blank(text []rune, from, to int) {
	for i := from; i < to; i++ {
		text[i] = ' '
	}
}

// requireSame holds what a document has against a text, both without blanks.
func requireSame(t *testing.T, want, has, name string) {
	t.Helper()
	has = strings.Join(strings.Fields(has), "")
	at := 0
	for at < len(want) && at < len(has) && want[at] == has[at] {
		at++
	}
	if at < max(len(want), len(has)) {
		near := func(text string) string { return text[max(0, min(at, len(text))-40):min(len(text), at+40)] }
		t.Errorf("%s: %d of %d bytes are the same: %q instead of %q", name, at, len(want), near(has), near(want))
	}
}
