package nlp

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/link"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden is a contract that lies beside the code.
type golden struct{ name, text string }

func goldenFiles(t *testing.T) []golden {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	files := make([]golden, len(names))
	for i, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		files[i] = golden{strings.TrimSuffix(name, ".txt"), string(text)}
	}
	return files
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, file := range goldenFiles(t) {
		t.Run(filepath.Base(file.name), func(t *testing.T) {
			t.Parallel()
			pages := strings.Split(file.text, "\f")
			s := structure.Segment(pages)
			nlptest.RequireLaws(t, pages, s)
			if *update {
				require.NoError(t, os.WriteFile(file.name+".golden", []byte(draw(s)), 0o644))
			}
			want, err := os.ReadFile(file.name + ".golden")
			require.NoError(t, err)
			require.Equal(t, string(want), draw(s))
		})
	}
}

// draw writes a segmentation down so that a change of it can be read: a line
// for each document, block and sentence, with its span.
func draw(s *structure.Segmentation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "language %q\n", s.Language)
	for _, f := range s.Furniture {
		fmt.Fprintf(&b, "furniture [%d,%d) %s\n", f.Start, f.End, s.Quote(f))
	}
	for _, x := range s.Sections {
		fmt.Fprintf(&b, "%ssection [%d,%d) body [%d,%d) %s %q\n", strings.Repeat("  ", x.Level-1), x.Start, x.End, x.Body.Start, x.Body.End, x.Path, x.Title)
	}
	for _, x := range link.Terms(s) {
		for _, d := range x.Definitions {
			fmt.Fprintf(&b, "term %q [%d,%d) %s by [%d,%d), %d uses\n", x.Name, d.Term.Start, d.Term.End, d.Kind, d.Start, d.End, len(x.Uses))
		}
	}
	for _, x := range link.References(s) {
		fmt.Fprintf(&b, "reference [%d,%d) %q >%s\n", x.Start, x.End, lex.Unwrap(s.Quote(x.Span)), nlptest.TargetOf(s, x))
	}
	for _, x := range s.Signatures() {
		fmt.Fprintf(&b, "signature %q by %q name %q title %q date %q\n", x.Party.Text, x.By.Text, x.Name.Text, x.Title.Text, x.Date.Text)
	}
	sentences := s.Sentences
	for _, d := range s.Documents {
		fmt.Fprintf(&b, "\ndocument [%d,%d) %s %q %q pages %d to %d\n", d.Start, d.End, d.Kind, d.Number, d.Title, d.FirstPage, d.LastPage)
		for _, block := range d.Blocks {
			fmt.Fprintf(&b, "  %s [%d,%d) page %d", block.Kind, block.Start, block.End, block.Page)
			if block.Number != "" {
				fmt.Fprintf(&b, " number %q", block.Number)
			}
			if block.Title != "" {
				fmt.Fprintf(&b, " title %q", block.Title)
			}
			if block.Contents {
				b.WriteString(" contents")
			}
			b.WriteByte('\n')
			for len(sentences) > 0 && sentences[0].Block == block.Ordinal {
				fmt.Fprintf(&b, "    [%d,%d) %s\n", sentences[0].Start, sentences[0].End, s.Plain(sentences[0].Span))
				sentences = sentences[1:]
			}
		}
	}
	return b.String()
}

func TestUnwrapKeepsWords(t *testing.T) {
	t.Parallel()
	for _, file := range goldenFiles(t) {
		text := file.text
		require.Equal(t, strings.Fields(text), strings.Fields(strings.Join(strings.Fields(lex.Unwrap(text)), " ")))
	}
}
