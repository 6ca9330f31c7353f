package score

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
)

// TestQueue decides about wordings in the order of what they are worth.
func TestQueue(t *testing.T) {
	t.Parallel()
	base, err := nlp.BaseModel()
	require.NoError(t, err)
	law := "This Agreement shall be governed by the laws of the State of New York."
	contract := func(labels []string, sentences ...string) (e nlp.Example) {
		for _, s := range sentences {
			e.Passages, e.Labels = append(e.Passages, nlp.Passage{Text: s}), append(e.Labels, labels)
		}
		return e
	}
	q := newQueue(base, []nlp.Example{contract(nil, law, "It rained."), contract([]string{"insurance"}, strings.ToUpper(law)+" ")})
	require.Len(t, q.wordings, 2)
	require.Equal(t, []place{{0, 0}, {1, 0}}, q.wordings[0].places, "letters and signs make no other wording")
	require.True(t, q.wordings[0].labels)
	worth := 0.0
	for _, e := range q.contracts {
		p := base.Predict(e.Passages)[0]
		require.Len(t, p.Labels, 1)
		worth += 1 - p.Labels[0].Probability
		for _, a := range p.Alternatives {
			worth += a.Probability
		}
	}
	require.InDelta(t, worth, q.wordings[0].worth, 1e-9, "what is given may be wrong, and what came close missing")
	require.Equal(t, []learn.Tally{{Wrong: 1}, {Wrong: 1, Missed: 1}}, q.tallies())
	fresh := q.clone()
	fresh.decide(0)
	require.Equal(t, []learn.Tally{{}, {Missed: 1}}, fresh.tallies(), "all are decided like the first")
	require.Equal(t, []learn.Tally{{Wrong: 1}, {Wrong: 1, Missed: 1}}, q.tallies())

	q.wordings = []wording{
		{score: 0.4, worth: 0.6, labels: true}, {score: 0.75, worth: 0.75, labels: true}, {score: 0.9, worth: 0.9, labels: true},
		{score: 0.3, worth: 0.3}, {score: 0.1, worth: 0.9},
	}
	decided := make([]bool, len(q.wordings))
	require.Equal(t, []int{1, 0}, q.claim(decided, 2))
	require.Equal(t, []int{3}, q.claim(decided, 2), "what is not doubted is not asked")
	require.Empty(t, q.claim(decided, 2))
}

// TestReviews compares the gains of two orders, one of which decides about all that is wrong,
// and one about half of it.
func TestReviews(t *testing.T) {
	t.Parallel()
	r := NewReviews()
	for at := range ReviewSizes {
		r.before, r.worth[at], r.random[at] = []learn.Tally{{Hits: 1, Wrong: 1}}, []learn.Tally{{Hits: 1}}, []learn.Tally{{Hits: shuffles, Wrong: shuffles / 2}}
	}
	for at, g := range r.Gains() {
		require.Equal(t, ReviewSizes[at], g.Decisions)
		require.InDelta(t, 1-2.0/3, g.ByWorth.Value, 1e-9)
		require.InDelta(t, 0.8-2.0/3, g.Random.Value, 1e-9)
		require.InDelta(t, 2.5, g.Ratio.Value, 1e-9)
	}
	var svg strings.Builder
	require.NoError(t, ReviewChart(r.Gains()).SVG(&svg))
	require.Contains(t, svg.String(), "random order</text>")
	require.Contains(t, svg.String(), ">0.06</text>")
}
