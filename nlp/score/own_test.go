package score

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
)

// TestTeach teaches the base model labels that it does not know, of what speaks of
// certain things, on half of the contracts, and looks for them in the others.
func TestTeach(t *testing.T) {
	t.Parallel()
	base, err := nlp.BaseModel()
	require.NoError(t, err)
	files, err := filepath.Glob("../testdata/contracts/*.txt")
	require.NoError(t, err)
	stems := []string{"confidential", "terminat"}
	var pool, unseen []nlp.Example
	for i, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s := nlp.Segment(strings.Split(string(text), "\f"))
		e := nlp.Example{Passages: nlp.Passages(s, nlp.Extract(s))}
		for _, p := range e.Passages {
			e.Labels = append(e.Labels, slices.DeleteFunc(slices.Clone(stems), func(stem string) bool { return !strings.Contains(strings.ToLower(p.Text), stem) }))
		}
		if i%2 == 0 {
			pool = append(pool, e)
		} else {
			unseen = append(unseen, e)
		}
	}
	var all [][]taughtTally
	for _, stem := range stems {
		tallies, err := teach(t.Context(), base, stem, pool, unseen)
		require.NoError(t, err)
		all = append(all, tallies)
	}
	gain := 0.0
	for _, taught := range newTaught(all, len(unseen)) {
		require.InDelta(t, taught.F1.Value-taught.Peer.Value, taught.Gain.Value, 1e-9)
		require.Less(t, taught.F1.Low, taught.F1.Value)
		require.Less(t, taught.F1.Value, taught.F1.High)
		gain += taught.Gain.Value / float64(len(TaughtSizes))
	}
	require.Greater(t, gain, 0.02)
}

func TestDecide(t *testing.T) {
	t.Parallel()
	e := nlp.Example{Passages: make([]nlp.Passage, 8), Labels: [][]string{{"a"}, nil, {"b", "a"}, nil, {"b"}, {"a"}, nil, nil}}
	decisions := decide([]nlp.Example{e, {}, e}, "a", 6)
	var right, all int
	for _, e := range decisions {
		for i, decided := range e.Decided {
			all += learn.Bit(decided)
			right += learn.Bit(decided && slices.Contains(e.Labels[i], "a"))
		}
	}
	require.Equal(t, []int{3, 6}, []int{right, all})
	require.Nil(t, e.Decided, "the contracts stay as they are")
}

// TestRegression holds the peer to what the library gives that it stands for.
func TestRegression(t *testing.T) {
	t.Parallel()
	example := nlp.Example{
		Passages: []nlp.Passage{{Text: "The law governs it."}, {Text: "A law of Texas"}, {Text: "Pay the price."}, {Text: "pay it"}},
		Labels:   [][]string{{"law"}, {"law"}, nil, nil}, Decided: []bool{true, true, true, true},
	}
	r := newRegression([]nlp.Example{example}, "law")
	require.Greater(t, r.score(newTerms("Law of Ohio")), 0.0)
	require.Less(t, r.score(newTerms("Pay the sum")), 0.0)
	require.InDelta(t, r.bias, r.score(newTerms("Nothing known")), 1e-9)
	require.InDelta(t, 5, bestThreshold([]float64{1, 5, 7, 2}, []bool{false, true, true, false}), 1e-9)
}
