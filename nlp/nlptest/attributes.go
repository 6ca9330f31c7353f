package nlptest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// RequireAttributes holds attributes to what Extract promises.
func RequireAttributes(t *testing.T, s *structure.Segmentation, found fact.Attributes) {
	t.Helper()
	points := []rune(s.Text)
	quote := func(span lex.Span) string {
		require.True(t, 0 <= span.Start && span.Start < span.End && span.End <= len(points), "%v", span)
		return string(points[span.Start:span.End])
	}
	last := 0
	for _, f := range found.Findings {
		require.Equal(t, quote(f.Span), f.Text)
		require.GreaterOrEqual(t, f.Start, last, "in order")
		requireValue(t, f.Value, f.Confidence)
		last = f.Start
	}
	seen := map[value.Key]bool{}
	for _, a := range found.File {
		require.NotEmpty(t, a.Spans, a.Key)
		for _, span := range a.Spans {
			require.NotEmpty(t, quote(span))
		}
		require.False(t, seen[a.Key] && a.Key != value.Party && a.Key != value.Signatory && a.Key != value.Address, a.Key)
		seen[a.Key] = true
		requireValue(t, a.Value, a.Confidence)
	}
}

func requireValue(t *testing.T, v value.Value, confidence float64) {
	t.Helper()
	require.NotEqual(t, value.Value{}, v)
	require.Greater(t, confidence, 0.0)
	require.LessOrEqual(t, confidence, 1.0)
	if v.Readings != nil {
		require.Greater(t, len(v.Readings), 1)
		require.Empty(t, v.Date+v.Amount, "what is ambiguous is not decided")
	}
}
