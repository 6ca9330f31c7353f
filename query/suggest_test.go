package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/query"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	days, day, later := 30.0, "2026-03-31", "2027-03-31"
	suggested := query.Suggest([]query.Fact{
		{Key: "governing_law", Normal: "us-ny"}, {Key: "notice_period", Number: &days}, {Key: "governing_law", Normal: "us-ny"},
		{Key: "effective_date", Day: &day}, {Key: "governing_law", Normal: "de"}, {Key: "effective_date", Day: &later},
		{Key: "no key", Normal: "x"}, {Key: "expiration_date"},
	})
	require.Equal(t, []query.Suggestion{
		{query.Is(query.AttributeField("governing_law"), "us-ny", "de"), []int{0, 4}},
		{query.Is(query.AttributeField("notice_period"), "30"), []int{1}},
		{query.And(
			query.Compare(query.AttributeField("effective_date"), query.AtLeast, day),
			query.Compare(query.AttributeField("effective_date"), query.AtMost, day)), []int{3}},
	}, suggested, "each value once, of days the first; what is no field, or has no value, suggests nothing")
	require.Empty(t, query.Suggest(nil))
}
