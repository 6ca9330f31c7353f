package learn

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNetwork learns what no linear model can: one of two words, but not both.
func TestNetwork(t *testing.T) {
	t.Parallel()
	const (
		each = 20 // features of a word, of which half are left out in training
		rows = 2*each + 1
	)
	known := slices.Repeat([]bool{true}, rows)
	known[2*each] = false
	var vectors [][]Entry
	var wanted []uint64
	for i := range 4000 {
		first, second := i&1, i>>1&1
		entries := []Entry{{2 * each, float32(i % 7)}}
		for row := range int32(each) {
			if first == 1 {
				entries = append(entries, Entry{row, 1})
			}
			if second == 1 {
				entries = append(entries, Entry{each + row, 1})
			}
		}
		vectors, wanted = append(vectors, entries), append(wanted, uint64(first^second)|uint64(first)<<1)
	}
	n := TrainNetwork(t.Context(), vectors, wanted, 2, known, NetworkOptions{Units: 8, Passes: 4, Rate: 0.2})
	n.Round()
	require.True(t, n.Knows(0))
	require.False(t, n.Knows(2*each))

	data := n.Append(nil)
	p := &Parser{Data: data}
	read := p.Network(2, rows)
	require.NoError(t, p.Done())
	score := func(n *Network, entries []Entry) []float32 {
		sums, scores := make([]float32, n.Units()), make([]float32, 2)
		n.Add(entries, sums)
		n.Score(sums, scores)
		return scores
	}
	for i, entries := range vectors[:4] {
		scores := score(n, entries)
		for node, s := range scores {
			require.Equal(t, wanted[i]>>node&1 == 1, s > 0, "passage %d node %d: %v", i, node, s)
		}
		require.Equal(t, scores, score(read, entries), "as it was before it was written")
	}
	for end := range data {
		p := &Parser{Data: data[:end]}
		require.Nil(t, p.Network(2, rows))
		require.Error(t, p.Done())
	}
	p = &Parser{Data: data}
	require.Nil(t, p.Network(2, 2), "rows that the vocabulary does not have")
}
