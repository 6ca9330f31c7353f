package nlp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

// TestContracts holds what is read of twenty contracts to what somebody who read
// them found right: the tree of their sections and their attributes.
func TestContracts(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/contracts/*.txt")
	require.NoError(t, err)
	require.Len(t, names, 20)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			pages := strings.Split(string(text), "\f")
			s := structure.Segment(pages)
			nlptest.RequireLaws(t, pages, s)
			found := fact.Extract(s)
			nlptest.RequireAttributes(t, s, found)
			drawn := drawSections(s) + "\n" + nlptest.DrawAttributes(t, s, found)
			golden := strings.TrimSuffix(name, ".txt") + ".golden"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(drawn), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), drawn)
		})
	}
}

// drawSections writes a line for each document and each section: its path, its
// title and how it goes on.
func drawSections(s *structure.Segmentation) string {
	const most = 50 // code points of the body
	var b strings.Builder
	document := -1
	for _, x := range s.Sections {
		for document < x.Document {
			document++
			d := s.Documents[document]
			fmt.Fprintf(&b, "%s %q %q\n", d.Kind, d.Number, d.Title)
		}
		body := s.Plain(lex.Span{Start: x.Body.Start, End: min(x.Body.End, x.Body.Start+most)})
		fmt.Fprintf(&b, "%s%s %q %s\n", strings.Repeat("  ", x.Level), x.Path, x.Title, body)
	}
	return b.String()
}
