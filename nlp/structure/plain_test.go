package structure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

func TestPlainLeavesFurnitureOut(t *testing.T) {
	t.Parallel()
	pages := []string{
		"Acme Confidential\nThe Seller delivers the goods that are named in the order, and it does so\nat its own cost and risk, wherever the Buyer wants them to be brought and\n1",
		"Acme Confidential\nunloaded. The Buyer pays the price within thirty days of the date on which\nthe goods have come.\n2",
		"Acme Confidential\nNeither party assigns this Agreement without the consent of the other one.\n3",
	}
	s := structure.Segment(pages)
	nlptest.RequireLaws(t, pages, s)
	require.Len(t, s.Furniture, 6)
	require.Contains(t, s.Sentences[0].Text, "Acme Confidential")
	require.Equal(t, "The Seller delivers the goods that are named in the order, and it does so at its own cost and risk, wherever the Buyer wants them to be brought and unloaded.",
		s.Plain(s.Sentences[0].Span))
	require.Equal(t, "Neither party assigns this Agreement without the consent of the other one.", s.Plain(s.Sentences[2].Span))
}

func TestPlainMendsBrokenWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"Compound":   {"a royalty-\nfree licence", "a royalty-free licence"},
		"Hyphenated": {"The agree-\nment of the par-\nties is bind-\ning.", "The agreement of the parties is binding."},
		"Soft":       {"the agree\u00ad\nment binds", "the agreement binds"},
		"Range":      {"pages 5-\n7", "pages 5- 7"},
		"Spaces":     {"a\t b\n  c", "a b c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := structure.Segment([]string{c.text})
			require.Equal(t, c.want, s.Plain(lex.Span{Start: 0, End: len([]rune(c.text))}))
		})
	}
}
