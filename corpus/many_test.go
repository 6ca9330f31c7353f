package corpus_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/corpus"
)

func TestRanks(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int{1, 2, 2, 4}, corpus.Ranks([]float64{0.9, 0.1 + 0.4, 0.2 + 0.3 - 1e-16, 0.1}))
	require.Empty(t, corpus.Ranks(nil))
}

func TestShare(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 0.75, corpus.Share(3, 4), 1e-9)
	require.Zero(t, corpus.Share(0, 0))
}

// TestBranches puts every node under its family once, the named families first.
func TestBranches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var nodes []corpus.Node
		for i := range rapid.IntRange(0, 12).Draw(r, "nodes") {
			nodes = append(nodes, corpus.Node{Label: strconv.Itoa(i), Family: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(r, "family"), Frequency: 1})
		}
		branches := corpus.Branches([]string{"b", "a"}, nodes)
		require.Equal(r, []string{"b", "a"}, []string{branches[0].Family, branches[1].Family})
		seen := 0
		for _, b := range branches {
			require.True(r, slices.IsSorted(b.Nodes))
			for _, n := range b.Nodes {
				require.Equal(r, b.Family, nodes[n].Family)
			}
			seen += len(b.Nodes)
		}
		require.Equal(r, len(nodes), seen)

		families := map[string]int{}
		at := -1
		for _, v := range corpus.Vertices(nodes) {
			if v.Family == nil {
				require.Equal(r, at+1, v.Node, "nodes keep their order")
				at = v.Node
				continue
			}
			families[v.Family.Name]++
			require.Equal(r, at, v.Node, "behind its first node")
			require.Equal(r, v.Node, slices.IndexFunc(nodes, func(n corpus.Node) bool { return n.Family == v.Family.Name }))
		}
		require.Equal(r, len(nodes)-1, at)
		require.NotContains(r, families, "")
		for name, n := range families {
			require.Equal(r, 1, n, name)
		}
	})
}

func TestWordings(t *testing.T) {
	t.Parallel()
	law := "This Agreement is governed by the laws of New York."
	wordings, alike := corpus.Wordings([]string{"law", "venue", "cap", "silent"}, []corpus.Example{
		{"law", law}, {"cap", "Liability never exceeds the fees paid in twelve months."}, {"law", "Governed by the laws of the State of New York."},
		{"venue", law}, {"law", law}, {"silent", "12 34"},
	})
	require.NotContains(t, wordings, "silent", "it has no words")
	require.Equal(t, 3, wordings["law"].Sentences)
	require.Contains(t, []int{0, 4}, wordings["law"].Medoid, "a place in the whole list")
	require.Equal(t, 1, wordings["cap"].Medoid)
	require.InDelta(t, 0, wordings["cap"].Spread, 1e-6)
	require.Len(t, alike, 1)
	require.Equal(t, "law", alike[0].From, "the earlier node first")
	require.Equal(t, "venue", alike[0].To)
	require.Greater(t, alike[0].Likeness, 0.5)
}

func TestSentences(t *testing.T) {
	t.Parallel()
	law := "This Agreement is governed by the laws of New York."
	other := "Each party keeps the other's information confidential."
	s := corpus.NewSentences([]string{law, law, other}, []string{"a", "b", "b"})
	require.Equal(t, 2, s.Files())
	same := s.Hold(law, 1)
	require.Len(t, same.Nearest, 1)
	require.InDelta(t, 1, same.Similarity, 1e-5)
	require.InDelta(t, 1, *same.Typicality, 1e-9, "both files have it")
	require.InDelta(t, 0.5, *s.Hold(other, 3).Typicality, 1e-9)
	odd := s.Hold("Bananas ripen.", 3)
	require.Empty(t, odd.Nearest)
	require.Zero(t, odd.Similarity)

	similarity, typicality := s.Whole([]corpus.Held{same, odd})
	require.Less(t, similarity, same.Similarity)
	require.Greater(t, similarity, 0.5, "the longer sentence counts more")
	require.InDelta(t, similarity, *typicality, 1e-5)
	similarity, typicality = s.Whole(nil)
	require.Zero(t, similarity)
	require.Zero(t, *typicality)

	text := corpus.NewSentences([]string{law}, []string{""})
	require.Nil(t, text.Hold(law, 1).Typicality, "of no file")
	_, typicality = text.Whole([]corpus.Held{text.Hold(law, 1)})
	require.Nil(t, typicality)
}

func TestPropose(t *testing.T) {
	t.Parallel()
	_, ok := corpus.Propose(nil)
	require.False(t, ok)
	best, _ := corpus.Propose([]corpus.Vote{{"b", 0.9}, {"a", 0.5}, {"a", 0.6}})
	require.Equal(t, "a", best.Label)
	require.Equal(t, 2, best.Support)
	require.InDelta(t, 1.1/2, best.Score, 1e-9)
	best, _ = corpus.Propose([]corpus.Vote{{"b", 0.5}, {"a", 0.5}})
	require.Equal(t, "a", best.Label, "of equal ones the first by name")
	best, _ = corpus.Propose([]corpus.Vote{{"a", 0}})
	require.False(t, math.IsNaN(best.Score))
}

func TestStands(t *testing.T) {
	t.Parallel()
	likeness := func(f float64) *float64 { return &f }
	require.Equal(t, corpus.Extra, corpus.Stands(nil, 0.6))
	require.Equal(t, corpus.Typical, corpus.Stands(likeness(0.6), 0.6))
	require.Equal(t, corpus.Typical, corpus.Stands(likeness(0.599995), 0.6), "likenesses are rounded")
	require.Equal(t, corpus.Unusual, corpus.Stands(likeness(0.59), 0.6))
	require.True(t, corpus.Expected(0.5))
	require.False(t, corpus.Expected(0.49))
	require.Empty(t, corpus.Typical.Remark("Cap", 0.9, 1, "x"))
	require.Equal(t, "Cap: unusual wording, 43 % like the closest one.\nFees.", corpus.Unusual.Remark("Cap", 0.43, 1, "Fees."))
	require.Equal(t, "Cap: no other file of the type has the like.", corpus.Extra.Remark("Cap", 0, 0, ""))
	require.Equal(t, "Cap: missing. 80 % of the files of the type have it.", corpus.Missing.Remark("Cap", 0, 0.8, ""))
	require.Equal(t, "Cap: missing. 80 % of the files of the type have it.\nFees.", corpus.Missing.Remark("Cap", 0, 0.8, "Fees."))
}

// TestClauses puts every sentence under its label, and each label once.
func TestClauses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var list []corpus.Labelling
		for i := range rapid.IntRange(0, 20).Draw(r, "sentences") {
			list = append(list, corpus.Labelling{Label: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "label"), Score: rapid.Float64Range(0, 1).Draw(r, "score"), Source: i})
		}
		given := slices.Clone(list)
		sure := corpus.Surest(list)
		require.Equal(r, given, list, "what is given stays as it is")
		require.ElementsMatch(r, list, sure)
		seen := 0
		before := 2.0
		for _, c := range corpus.Clauses(sure) {
			require.LessOrEqual(r, c.Score, before, "the surest label first")
			before = c.Score
			require.Equal(r, c.Score, list[c.Sources[0]].Score)
			for _, i := range c.Sources {
				require.Equal(r, c.Label, list[i].Label)
				require.LessOrEqual(r, list[i].Score, c.Score)
			}
			seen += len(c.Sources)
		}
		require.Equal(r, len(list), seen)
	})
}

func TestAdvise(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 1, corpus.Gain(5, 10), 1e-9)
	require.Zero(t, corpus.Gain(0, 10))
	require.Zero(t, corpus.Gain(10, 10))
	require.Equal(t, []corpus.Advice{{3, corpus.Gain(4, 10)}, {1, corpus.Gain(4, 10)}, {0, corpus.Gain(4, 10)}}, corpus.Advise([]corpus.Split{
		{"law", "NY", 4, 0}, {"law", "DE", 4, 0}, {"status", "completed", 10, 9}, {"party", "Acme", 4, 1},
	}, 10, 12), "what is searched with comes first, then by key and value; what all have tells nothing")
	rapid.Check(t, func(r *rapid.T) {
		all := rapid.IntRange(1, 100).Draw(r, "all")
		n := rapid.IntRange(0, all).Draw(r, "n")
		gain := corpus.Gain(n, all)
		require.InDelta(r, gain, corpus.Gain(all-n, all), 1e-9, "having tells as much as not having")
		require.GreaterOrEqual(r, gain, 0.0)
		require.LessOrEqual(r, gain, 1.0)
		var splits []corpus.Split
		for range rapid.IntRange(0, 20).Draw(r, "splits") {
			splits = append(splits, corpus.Split{With: rapid.IntRange(0, all).Draw(r, "with"), Used: rapid.IntRange(0, 30).Draw(r, "used")})
		}
		advice := corpus.Advise(splits, all, 5)
		require.LessOrEqual(r, len(advice), 5)
		for i, a := range advice {
			require.Positive(r, a.Gain)
			if i > 0 && splits[a.Split].Used >= splits[advice[i-1].Split].Used {
				require.LessOrEqual(r, a.Gain, advice[i-1].Gain+1e-9)
			}
		}
	})
}

func TestWeight(t *testing.T) {
	t.Parallel()
	weight, files := corpus.Weight(2, 100, 3, 9)
	require.Equal(t, 3, files)
	require.InDelta(t, 0.02*math.Log(10.0/4), weight, 1e-9)
	_, files = corpus.Weight(1, 100, 0, 9)
	require.Equal(t, 1, files, "the file itself has it")
	_, files = corpus.Weight(1, 100, 12, 9)
	require.Equal(t, 9, files)
	weight, _ = corpus.Weight(0, 0, 0, 0)
	require.False(t, math.IsNaN(weight) || math.IsInf(weight, 0))
}

func TestLikeliest(t *testing.T) {
	t.Parallel()
	require.Equal(t, []corpus.Ranked{{1, 0}, {2, 2}}, corpus.Likeliest([]string{"nda", "hidden", "lease"}, func(key string) bool { return !strings.HasPrefix(key, "h") }))
	require.Empty(t, corpus.Likeliest(nil, nil))
}
