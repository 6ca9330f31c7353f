package likeness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
)

func sentencesAt(texts ...string) []structure.Sentence {
	all, at := make([]structure.Sentence, len(texts)), 0
	for i, text := range texts {
		all[i] = structure.Sentence{Span: lex.Span{Start: at, End: at + len(text)}, Text: text}
		at += len(text) + 1
	}
	return all
}

func TestCarrySame(t *testing.T) {
	t.Parallel()
	renewed := sentencesAt("A heading.", "The Seller delivers the goods.", "Notices are in writing.", "The  Buyer\npays.")
	matched, orphaned := Carry([]Anchored{{"The Buyer pays.", 40}, {"The seller delivers the goods", 0}}, renewed)
	require.Equal(t, []Match{{0, 3, 1}, {1, 1, 1}}, matched)
	require.Empty(t, orphaned)
}

func TestCarryRepeated(t *testing.T) {
	t.Parallel()
	renewed := sentencesAt("New.", "Intentionally omitted.", "Some text.", "Intentionally omitted.", "Intentionally omitted.")
	start := func(i int) int { return renewed[i].Start }
	all, _ := Carry([]Anchored{{"Intentionally omitted.", 0}, {"Intentionally omitted.", 30}, {"Intentionally omitted.", 60}}, renewed)
	require.Equal(t, []Match{{0, 1, 1}, {1, 3, 1}, {2, 4, 1}}, all, "as many as before: each stays in its place")
	last, _ := Carry([]Anchored{{"Intentionally omitted.", start(4) - 3}}, renewed)
	require.Equal(t, []Match{{0, 4, 1}}, last, "fewer: the nearest")
	_, orphaned := Carry([]Anchored{{"New.", 0}, {"New.", 5}}, renewed)
	require.Equal(t, []int{1}, orphaned, "a sentence takes one decision")
}

func TestCarryLike(t *testing.T) {
	t.Parallel()
	renewed := sentencesAt(
		"The Licensee shall not assign this Agreement without the prior written consent of the Licensor.",
		"This Agreement is governed by the laws of the State of Delaware.",
		"Either party may terminate this Agreement upon thirty days notice. Upon termination the Licensee shall return all copies of the Software.",
		"The fee is due on receipt.",
	)
	old := []Anchored{
		{"The Licen5ee shall not assign this Agreernent without the prior written consent of the Licensor.", 0},
		{"Upon termination the Licensee shall return all copies of the Software.", 150},
		{"Insurance must be kept by each of the parties at all times.", 300},
	}
	matched, orphaned := Carry(old, renewed)
	require.Len(t, matched, 2)
	require.Equal(t, []int{0, 0}, []int{matched[0].Old, matched[0].New})
	require.Less(t, matched[0].Score, 1.0)
	require.Equal(t, []int{1, 2}, []int{matched[1].Old, matched[1].New})
	require.Equal(t, []int{2}, orphaned)
}
