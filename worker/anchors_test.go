package worker_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/redline"
)

// TestEverySentenceIsAPlace comments on and rewords every sentence of the Word
// documents in CLAUSEMILL_DATA, by where it was read: none may be elsewhere in
// the document, or in two places.
func TestEverySentenceIsAPlace(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		t.Skip("CLAUSEMILL_DATA is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "docx", "*.docx"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	self, err := os.Executable()
	require.NoError(t, err)
	reader := document.NewReader(document.Config{Command: []string{self, "reader"}, Size: 1, CacheDir: os.TempDir(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = reader.Close() })
	documents, sentences, elsewhere := 0, 0, 0
	refused := map[fault.Code]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		doc, err := docx.Open(data)
		if err != nil {
			continue
		}
		var pages []string
		if err := reader.Extract(t.Context(), file, document.DOCX, 1, 0, func(p document.Page) error {
			pages = append(pages, p.Text)
			for _, paragraph := range p.Paragraphs {
				if paragraph.Part == "body" {
					require.Equal(t, paragraph.Number, doc.Numbers()[paragraph.Block], "%s %d", filepath.Base(file), paragraph.Block)
				}
			}
			return nil
		}); err != nil {
			continue
		}
		documents++
		text := redline.NewText(doc, strings.Join(pages, "\f"))
		for _, s := range nlp.Segment(pages).Sentences {
			sentences++
			first, _, _ := strings.Cut(s.Text, " ")
			for _, c := range []redline.Change{
				{Type: redline.Delete},
				{Type: redline.CommentOn, Text: "Why?"},
				{Type: redline.Replace, Text: strings.Replace(s.Text, first, first+" amended", 1)},
			} {
				c.Anchor.Text, c.Author, c.Date = s.Text, redline.Author{Name: "Ada"}, time.Unix(0, 0)
				placed, err := text.Place(c, s.Start, s.End)
				if c.Type == redline.Delete {
					var words strings.Builder
					for _, p := range placed {
						words.WriteString(p.Anchor.Text)
					}
					if err == nil && bare(words.String()) != bare(s.Text) {
						elsewhere++
						t.Logf("%s: %q stands as %q", filepath.Base(file), s.Text, words.String())
					}
					continue
				}
				if err == nil {
					for i := range placed {
						placed[i].ID = strconv.Itoa(i)
					}
					if _, failed := redline.Propose(doc, "", nil, placed); failed != nil {
						err = failed[0].Err
					}
				}
				if err == nil {
					continue
				}
				var why *redline.Error
				require.ErrorAs(t, err, &why)
				refused[why.Code]++
				if why.Code != "unsupported_region" {
					t.Logf("%s: %s of %q: %s", filepath.Base(file), c.Type, s.Text, why.Message)
				}
			}
		}
	}
	t.Logf("%d sentences of %d documents; %d stand otherwise, refused %v", sentences, documents, elsewhere, refused)
	require.LessOrEqual(t, elsewhere, sentences/1000, "with a check box or a formula in them")
	require.LessOrEqual(t, refused[redline.AnchorNotFound], sentences/200, "formulas")
	delete(refused, redline.AnchorNotFound)
	delete(refused, "unsupported_region")
	require.Empty(t, refused)
}

// bare is a text without what documents and files tell in different ways.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("\u00AD\uFFFC", r) {
			return -1
		}
		return r
	}, text)
}
