package learn

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForestWalksItsTrees(t *testing.T) {
	t.Parallel()
	random := Randomizer(7)
	const width, n = 6, 400
	rows, answers := make([]float32, 0, n*width), make([]bool, n)
	for i := range n {
		for range width {
			rows = append(rows, float32(random.Below(50)))
		}
		answers[i] = rows[i*width] > 20 != (rows[i*width+1] > 30)
	}
	for _, depth := range []int{1, MostDepth} {
		f := TrainForest(t.Context(), rows, width, answers, ForestOptions{Trees: 20, Depth: depth, LeastRows: 3, Rate: 0.3, Ridge: 1})
		for i := range n {
			seen := rows[i*width:][:width]
			want := f.base
			for _, tree := range f.trees {
				at := int16(0)
				for tree[at].observation != leaf {
					if seen[tree[at].observation] <= tree[at].value {
						at = tree[at].low
					} else {
						at = tree[at].high
					}
				}
				want += tree[at].value
			}
			require.Equal(t, want, f.Score(seen))
		}
	}
}

// TestForestTellsTheBestApart gives a forest one answer in a hundred that is
// right, the highest of all.
func TestForestTellsTheBestApart(t *testing.T) {
	t.Parallel()
	const all, right = 10000, 100
	rows, answers := make([]float32, all), make([]bool, all)
	for i := range rows {
		rows[i], answers[i] = float32(i), i >= all-right
	}
	f := TrainForest(t.Context(), rows, 1, answers, ForestOptions{Trees: 50, Depth: 3, LeastRows: 3, Rate: 0.3, Ridge: 1})
	require.Greater(t, f.Probability([]float32{all - right/2}), float32(0.5))
	require.Less(t, f.Probability([]float32{all - 2*right}), float32(0.1))
}

func TestForestRefusesDeepTrees(t *testing.T) {
	t.Parallel()
	var deep tree
	for i := range int16(MostDepth) {
		deep = append(deep, branch{low: i + 1, high: i + 1})
	}
	require.True(t, new(Forest).add(append(deep[:MostDepth:MostDepth], branch{observation: leaf})))
	require.False(t, new(Forest).add(append(deep, branch{low: MostDepth + 1, high: MostDepth + 1}, branch{observation: leaf})))
}
