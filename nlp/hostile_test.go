package nlp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/likeness"
	"github.com/clausemill/clausemill/nlp/link"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

// TestSegmentHostile holds the work on a text in proportion to its length: each
// of these would take hours if some rule looked at the rest of the text again
// and again.
func TestSegmentHostile(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		"(", ") ", ")   ", "(a)", "(a) ", ". (", "1.", "1. ", "1.1.", "a-\n", "A. ", "...", ". ", ";", "; and (a) ", "i", "§ ", "\" ", "-\n",
		"\n", "\f", " ", "\u00a0", "\u2003\n", "contents\n", "Contents 1\n", "A ..... 1\n", "Name:\n", "By:\n", "____\n", "EXHIBIT A\n", "Exhibit A - B\n\n",
		"1\n\n", "Page 1\n\n", "Source: x\n\n", "ARTICLE\n", "ARTICLE I\n", "A   B   C\n", "A   ", "Term. ", "1. Term. ", "No. ", "word ", "Wort ß ", "x\fy\f", "'", "漢字。",
		"(a)(i)\n", "1.1.1.1 A\n", "1.\n\n1.\n\n", "(i) x\n\n", "“A” means B.\n\n", "\"", "“", "(“A”) ", "(the \"A", "\"A\" or ", "hereinafter ", "Section ", "Section 1(a), (b), ", "clause (a) of ", "§", "§ 1 ", "Exhibit \"A\" and ",
	} {
		nlptest.RequireLinear(t, pattern, 200_000, func(text string) {
			s := structure.Segment(strings.Split(text, "\f"))
			link.Terms(s)
			link.References(s)
			s.Signatures()
			likeness.Carry(anchorsOf(s), s.Sentences)
			lex.Tokens(text, lex.TokenOptions{})
		})
	}
}

// TestSegmentHostileLanguages is TestSegmentHostile for the rules of other languages.
func TestSegmentHostileLanguages(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"de", "fr", "es", "it", "nl", "pt"} {
		for _, pattern := range []string{"z. ", "31. März ", "31.\n", "am 3. ", "« ", " »", ". » ", ".\n", "art. ", "S. A. ", "¿", "d.w.z.", "Ü.", "1. Ä\n", "§ 1 ", "12-Z. "} {
			nlptest.RequireLinear(t, pattern, 200_000, func(text string) { structure.SegmentIn(language, []string{text}) })
		}
	}
}

// anchorsOf returns the sentences of s as decisions would have been kept.
func anchorsOf(s *structure.Segmentation) []likeness.Anchored {
	all := make([]likeness.Anchored, len(s.Sentences))
	for i, sentence := range s.Sentences {
		all[i] = likeness.Anchored{Text: sentence.Text, Start: sentence.Start}
	}
	return all
}

// TestCarryContracts re-reads contracts as another setting would: with their
// lines broken elsewhere and a letter wrong here and there.
func TestCarryContracts(t *testing.T) {
	t.Parallel()
	for _, file := range goldenFiles(t) {
		s := structure.Segment(strings.Split(file.text, "\f"))
		matched, orphaned := likeness.Carry(anchorsOf(s), s.Sentences)
		require.Empty(t, orphaned, file.name)
		for i, m := range matched {
			require.Equal(t, likeness.Match{Old: i, New: i, Score: 1}, m, file.name)
		}

		changed := structure.Segment(strings.Split(strings.NewReplacer("\n", " \n", "tt", "It", "  ", " ").Replace(file.text), "\f"))
		matched, orphaned = likeness.Carry(anchorsOf(s), changed.Sentences)
		require.Greater(t, len(matched)*100, len(s.Sentences)*90, file.name)
		require.Len(t, orphaned, len(s.Sentences)-len(matched))
		taken := map[int]bool{}
		for _, m := range matched {
			require.False(t, taken[m.New])
			taken[m.New] = true
		}
	}
}
