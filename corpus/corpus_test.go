package corpus_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/corpus"
)

func TestPercentile(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 0.5, corpus.Percentile([]int{1, 2, 3}, 2), 1e-9)
	require.InDelta(t, 0.25, corpus.Percentile([]string{"2024-05-01", "2024-06-01"}, "2024-05-01"), 1e-9)
	require.Zero(t, corpus.Percentile(nil, 1))
	rapid.Check(t, func(r *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-5, 5), 1, 30).Draw(r, "values")
		v := rapid.IntRange(-6, 6).Draw(r, "v")
		at := corpus.Percentile(values, v)
		require.GreaterOrEqual(r, corpus.Percentile(values, v+1), at, "what is greater stands no lower")
		turned := make([]int, len(values))
		for i, other := range values {
			turned[i] = -other
		}
		require.InDelta(r, 1-at, corpus.Percentile(turned, -v), 1e-9, "the order turned round")
	})
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 2.5, corpus.Quantile([]float64{1, 2, 3, 4}, 0.5), 1e-9)
	rapid.Check(t, func(r *rapid.T) {
		sorted := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 30).Draw(r, "values")
		slices.Sort(sorted)
		share := rapid.Float64Range(0, 1).Draw(r, "share")
		at := corpus.Quantile(sorted, share)
		require.GreaterOrEqual(r, at, sorted[0]-1e-6)
		require.LessOrEqual(r, at, sorted[len(sorted)-1]+1e-6)
		require.LessOrEqual(r, corpus.Quantile(sorted, share/2), at+1e-6)
		require.InDelta(r, sorted[0], corpus.Quantile(sorted, 0), 0)
		require.InDelta(r, sorted[len(sorted)-1], corpus.Quantile(sorted, 1), 0)
	})
}

// TestInBuckets puts any dates in buckets: each is in one, the buckets do not
// overlap, and what is coarser than they are is in none.
func TestInBuckets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		period := rapid.SampledFrom([]corpus.Period{corpus.Month, corpus.Quarter, corpus.Year}).Draw(r, "period")
		var list []corpus.Dated
		fine := 0
		for i := range rapid.IntRange(0, 30).Draw(r, "files") {
			day := time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 1500).Draw(r, "day")).Format(time.DateOnly)
			date := rapid.SampledFrom([]string{day, day[:7], day[:4], day + "x", "soon"}).Draw(r, "date")
			list = append(list, corpus.Dated{FileID: fmt.Sprint("file ", i), Date: date})
			if date == day || date == day[:7] || date == day[:4] && period == corpus.Year {
				fine++
			}
		}
		s := corpus.InBuckets(list, "file 0", period)
		require.Equal(r, fine, s.Dates)
		require.Equal(r, len(list) > 0, s.Own != nil)
		seen, last := map[string]string{}, ""
		for _, b := range s.Buckets {
			require.Greater(r, b.From, last, "in order, without overlap")
			require.GreaterOrEqual(r, b.To, b.From)
			last = b.To
			first, err := time.Parse(time.DateOnly, b.From)
			require.NoError(r, err)
			end, err := time.Parse(time.DateOnly, b.To)
			require.NoError(r, err)
			require.Equal(r, map[corpus.Period]int{corpus.Month: 1, corpus.Quarter: 3, corpus.Year: 12}[period], int(end.Month())-int(first.Month())+1)
			require.Equal(r, []int{1, 1}, []int{first.Day(), end.AddDate(0, 0, 1).Day()}, "whole months")
			for _, id := range b.Files {
				require.NotContains(r, seen, id)
				seen[id] = b.From
			}
		}
		require.Len(r, seen, fine)
		for _, d := range list {
			if from, ok := seen[d.FileID]; ok {
				require.GreaterOrEqual(r, (d.Date + "-12-31")[:10], from)
			}
		}
		if s.Own != nil {
			require.Equal(r, seen["file 0"], s.Own.From)
		}
	})
}

func TestRankDurations(t *testing.T) {
	t.Parallel()
	ranks := corpus.RankDurations([]corpus.Lasting{
		{"a", "term", "P2Y"}, {"b", "term", "P30D"}, {"c", "term", "until the end"}, {"a", "notice", "P1M"},
	}, "a")
	require.Len(t, ranks, 2)
	require.Equal(t, "notice", ranks[0].Key)
	term := ranks[1]
	require.Equal(t, 2, term.Files)
	require.InDeltaSlice(t, []float64{30, 205, 380, 555, 730}, []float64{term.Min, term.P25, term.Median, term.P75, term.Max}, 1e-9)
	require.Equal(t, corpus.Length{Duration: "P2Y", Days: 730, Percentile: 0.75}, *term.Own)
	require.Nil(t, corpus.RankDurations([]corpus.Lasting{{"b", "term", "P30D"}}, "a")[0].Own)
}

// TestOutline keeps every node once, in its family, in the order of places.
func TestOutline(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var nodes []corpus.Node
		sentences := 0
		for i := range rapid.IntRange(0, 20).Draw(r, "nodes") {
			n := corpus.Node{
				Label: fmt.Sprintf("node %02d", i), Family: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(r, "family"),
				Sentences: rapid.IntRange(1, 9).Draw(r, "sentences"), Frequency: rapid.Float64Range(0.01, 1).Draw(r, "frequency"), Place: rapid.Float64Range(0, 1).Draw(r, "place"),
			}
			sentences += n.Sentences
			nodes = append(nodes, n)
		}
		seen := map[int]bool{}
		place, counted := -1.0, 0
		for _, f := range corpus.Outline(nodes) {
			require.GreaterOrEqual(r, f.Place, place)
			place = f.Place
			counted += f.Sentences
			least, most, inside := 2.0, -1.0, -1.0
			for _, n := range f.Nodes {
				require.False(r, seen[n])
				seen[n] = true
				require.Equal(r, f.Name, nodes[n].Family)
				require.GreaterOrEqual(r, nodes[n].Place, inside)
				inside = nodes[n].Place
				least, most = min(least, inside), max(most, inside)
				require.GreaterOrEqual(r, f.Frequency, nodes[n].Frequency)
			}
			require.True(r, least-1e-9 <= f.Place && f.Place <= most+1e-9, "a mean lies between")
		}
		require.Len(r, seen, len(nodes))
		require.Equal(r, sentences, counted)
	})
}
