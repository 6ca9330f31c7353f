package fact_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// TestCalibrate fits levels to facts of three strengths, of which the middle one is right
// less often than the weakest.
func TestCalibrate(t *testing.T) {
	t.Parallel()
	var judged []fact.Judged
	add := func(v value.Value, strength float64, right, all int) {
		for i := range all {
			judged = append(judged, fact.Judged{Attribute: fact.Attribute{Key: value.ExpirationDate, Value: v, Strength: strength}, Right: i < right})
		}
	}
	day, counted, open := value.Value{Date: "2024-05-01"}, value.Value{Date: "2024-05-01", Duration: "P1Y"}, value.Value{Perpetual: true}
	add(day, 0.45, 20, 40)
	add(day, 0.6, 10, 40)
	add(day, 0.9, 54, 60)
	add(counted, 0.8, 7, 10)
	levels := fact.Calibrate(judged)
	require.Equal(t, []fact.Level{
		{Key: value.ExpirationDate, How: "counted", To: 1, Right: 7, All: 10, Confidence: 0.7},
		{Key: value.ExpirationDate, How: "date", To: 0.6, Right: 30, All: 80, Confidence: 0.39},
		{Key: value.ExpirationDate, How: "date", To: 1, Right: 54, All: 60, Confidence: 0.88},
	}, levels)
	slices.Reverse(judged)
	require.Equal(t, levels, fact.Calibrate(judged), "in whatever order they come")
	for _, c := range []struct {
		key            value.Key
		v              value.Value
		strength, want float64
	}{
		{value.ExpirationDate, day, 0.1, 0.39},
		{value.ExpirationDate, day, 0.6, 0.39},
		{value.ExpirationDate, day, 0.61, 0.88},
		{value.ExpirationDate, counted, 0.3, 0.7},
		{value.ExpirationDate, open, 0.3, 0.3},
		{value.Rent, value.Value{Amount: "5"}, 0.8, 0.8},
		{value.ExpirationDate, value.Value{Readings: []string{"2024-05-01", "2024-01-05"}}, 0.9, 0.5},
	} {
		require.InDelta(t, c.want, fact.Confidence(levels, c.key, c.v, c.strength), 0, "%v", c)
	}
}

// TestConfidence has facts claim what such facts are right, whatever their rules claim, and
// the parties of a file and of places the same.
func TestConfidence(t *testing.T) {
	t.Parallel()
	found := fact.Extract(structure.SegmentIn("en", []string{"SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 1 May 2020 by and between Acme Inc. (\"Acme\") and Bolt LLC. This Agreement shall be effective upon its execution."}))
	sure := map[string]float64{}
	for _, a := range found.File {
		sure[string(a.Key)+" "+a.Value.String()] = a.Confidence
	}
	require.Greater(t, sure["agreement_date 2020-05-01"], fact.Doubt)
	require.Greater(t, sure["party Acme Inc."], sure["party Bolt LLC"])
	require.Less(t, sure["effective_date 2020-05-01"], fact.Doubt, "the date is that of the agreement, and guessed")
	for _, f := range found.Findings {
		if f.Key == value.Party {
			require.InDelta(t, sure["party "+f.Value.Name], f.Confidence, 0)
		}
	}
}
