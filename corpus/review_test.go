package corpus_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/corpus"
)

// TestReview recomputes by hand what a few verdicts come to.
func TestReview(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	m := corpus.NewReview(nil, []corpus.Verdict{
		{"1", "ann", "cap", "cap", true, monday},
		{"2", "ann", "cap", "audit", true, monday},
		{"3", "ann", "cap", "", true, monday.AddDate(0, 0, 6)},
		{"4", "bob", "", "cap", true, monday.AddDate(0, 0, 7)},
		{"5", "bob", "", "", true, monday.AddDate(0, 0, 7)},
		{"1", "bob", "cap", "cap", false, monday.AddDate(0, 0, 8)},
		{"2", "bob", "audit", "cap", false, monday.AddDate(0, 0, 8)}, // takes back what Ann said
		{"6", "bob", "cap", "audit", false, monday.AddDate(0, 0, 8)}, // of what no model had said
	})
	require.Equal(t, []int{2, 1, 0, 1, 1}, []int{m.Confirmed, m.ConfirmedNone, m.Corrected, m.Rejected, m.Added})
	require.Len(t, m.Nodes, 1)
	capped := m.Nodes[0]
	require.Equal(t, []int{3, 2, 1}, []int{capped.Judged, capped.Confirmed, capped.Added})
	require.InDelta(t, 2.0/3, capped.Precision, 1e-9)
	require.InDelta(t, 2.0/3, capped.Recall, 1e-9)
	require.InDelta(t, 0.208, capped.Low, 0.001)
	require.InDelta(t, 0.939, capped.High, 0.001)
	require.Equal(t, []corpus.Confusion{{"", "cap", 1}, {"cap", "", 1}}, m.Confusion)
	require.Equal(t, "bob", m.Reviewers[0].Name)
	require.Equal(t, 5, m.Reviewers[0].Verdicts)
	require.InDelta(t, 0.5, m.Reviewers[0].Agreement, 1e-9, "of two verdicts on predictions, one confirms")
	require.InDelta(t, 1.0/3, m.Reviewers[1].Agreement, 1e-9)
	require.Equal(t, []int{2, 1}, []int{m.Pairs, m.Agreed})
	require.InDelta(t, 0, m.Kappa, 1e-9, "half of them agree, as chance would have it")
	require.Len(t, m.Weeks, 2)
	require.Equal(t, monday.Truncate(24*time.Hour), m.Weeks[0].Start)
	require.Equal(t, []int{3, 5}, []int{m.Weeks[0].Verdicts, m.Weeks[1].Verdicts})
	require.InDelta(t, 1.0/3, m.Weeks[0].Precision, 1e-9)

	score := 0.7
	counted := corpus.NewReview([]corpus.Labelled{{"", 5, 2, nil}, {"cap", 3, 1, &score}}, []corpus.Verdict{{"1", "ann", "audit", "cap", true, monday}})
	require.Equal(t, []int{11, 3, 5, 3}, []int{counted.Sentences, counted.Predicted, counted.None, counted.Validated})
	require.Equal(t, []string{"audit", "cap"}, []string{counted.Nodes[0].Node, counted.Nodes[1].Node}, "a label that no sentence has now, too")
	require.Equal(t, []int{0, 1, 3, 0, 1}, []int{counted.Nodes[0].Predicted, counted.Nodes[0].Judged, counted.Nodes[1].Predicted, counted.Nodes[1].Judged, counted.Nodes[1].Added})

	empty := corpus.NewReview(nil, nil)
	require.Zero(t, empty.Kappa)
	require.Empty(t, empty.Nodes)
	one := corpus.NewReview(nil, []corpus.Verdict{{"1", "ann", "", "cap", true, monday}, {"1", "bob", "cap", "cap", false, monday}})
	require.InDelta(t, 1, one.Kappa, 1e-9)
}
