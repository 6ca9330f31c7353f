package likeness

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWording(t *testing.T) {
	t.Parallel()
	c := NewCorpus()
	texts := []string{
		"Sellers must insure goods", "Sellers must insure goods in transit", "Sellers must insure goods at sea", "Nobody ever spoke of bananas", "12 of the",
	}
	for _, text := range texts {
		c.Add(text)
	}
	c.Settle()
	same, ok := c.NewWording([]string{texts[0], texts[0], texts[0]})
	require.True(t, ok)
	require.InDelta(t, 0, same.Spread, 1e-6)
	mixed, ok := c.NewWording(texts)
	require.True(t, ok)
	require.Less(t, mixed.Medoid, 3, "one of those that say the same")
	require.Greater(t, mixed.Spread, 0.1)
	odd, ok := c.NewWording(texts[3:4])
	require.True(t, ok)
	require.InDelta(t, 0, same.Likeness(odd), 1e-6)
	require.InDelta(t, 1, same.Likeness(same), 1e-6)
	_, ok = c.NewWording(texts[4:])
	require.False(t, ok, "no word to compare")
}

// requireDiff holds a difference to its law: it holds both texts.
func requireDiff(t *testing.T, a, b string) []Edit {
	t.Helper()
	edits := DiffWords(a, b)
	var first, second strings.Builder
	for i, e := range edits {
		require.NotEmpty(t, e.Text)
		require.True(t, i == 0 || edits[i-1].Op != e.Op, "neighbours differ")
		if e.Op != "+" {
			first.WriteString(e.Text)
		}
		if e.Op != "-" {
			second.WriteString(e.Text)
		}
	}
	require.Equal(t, a, first.String())
	require.Equal(t, spaced(b), spaced(second.String()))
	return edits
}

// spaced are the words of a text, cut where DiffWords cuts.
func spaced(text string) []string {
	words := piecesOf(text)
	for i := range words {
		words[i] = trimSpace(words[i])
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

func TestDiffWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []Edit{{"=", "within "}, {"-", "30 "}, {"+", "60 "}, {"=", "days"}}, requireDiff(t, "within 30 days", "within 60 days"))
	require.Equal(t, []Edit{{"=", "same  text"}}, requireDiff(t, "same  text", "same text"))
	require.Equal(t, []Edit{{"+", "all new"}}, requireDiff(t, "", "all new"))
	require.Equal(t, []Edit{{"-", "all gone"}}, requireDiff(t, "all gone", ""))
	require.Equal(t, []Edit{{"=", "the end"}, {"+", " of it"}}, requireDiff(t, "the end", "the end of it"))
	require.Empty(t, DiffWords("", ""))
	long := strings.Repeat("word ", 2*mostDiffWords)
	requireDiff(t, long+"a", "b "+long)
}

func FuzzDiffWords(f *testing.F) {
	f.Add("a b c", "b c d")
	f.Add("  a\n b", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) < 2000 {
			requireDiff(t, a, b)
		}
	})
}
