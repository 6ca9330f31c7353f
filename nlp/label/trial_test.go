package label

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/structure"
)

// TestTry tries the correction of a habit, of one that every other file contradicts,
// and of one that nobody can judge.
func TestTry(t *testing.T) {
	t.Parallel()
	base, err := Base()
	require.NoError(t, err)
	var same, mixed []Example
	for i := range 10 {
		e := Example{
			Passages: []Passage{
				{Text: clauses["insurance"], Heading: "Insurance", Kind: structure.Paragraph},
				{Text: clauses["governing_law"], Heading: "Law", Kind: structure.Paragraph},
			},
			Labels: [][]string{nil, nil}, Decided: []bool{true, false},
		}
		same = append(same, e)
		if i%2 == 1 {
			e.Labels = [][]string{{"insurance"}, nil}
		}
		mixed = append(mixed, e)
	}
	trial, err := base.Try(t.Context(), same)
	require.NoError(t, err)
	require.True(t, trial.Accepted, trial.Reason)
	require.Equal(t, []int{0, 10}, []int{trial.AgreedBefore, trial.Agreed})
	require.Greater(t, trial.Gain.Low, 0.0)

	trial, err = base.Try(t.Context(), mixed)
	require.NoError(t, err)
	require.False(t, trial.Accepted)
	require.Contains(t, trial.Reason, "may be chance")

	trial, err = base.Try(t.Context(), same[:leastTrialFiles-1])
	require.NoError(t, err)
	require.False(t, trial.Accepted)
	require.Contains(t, trial.Reason, "it takes 5")
}

// TestChanged counts what a correction says where nobody decided.
func TestChanged(t *testing.T) {
	t.Parallel()
	base, err := Base()
	require.NoError(t, err)
	e := Example{
		Passages: []Passage{{Text: clauses["insurance"]}, {Text: clauses["governing_law"]}, {Text: clauses["audit_rights"]}},
		Labels:   make([][]string, 3), Decided: []bool{false, false, true},
	}
	said := base.probabilities(e.Passages)
	says := slices.Clone(said)
	insurance, parties, audit := slices.Index(base.nodes, "insurance"), slices.Index(base.nodes, "parties"), slices.Index(base.nodes, "audit_rights")
	says[insurance], says[parties] = said[parties], said[insurance]
	says[2*base.known+audit] = 0 // somebody decided there
	before, after := base.changed(e, said, says)
	require.Equal(t, 2, before.Hits)
	require.Equal(t, []int{1, 1, 1}, []int{after.Hits, after.Wrong, after.Missed})
}
