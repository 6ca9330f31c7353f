package flag_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/flag"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	ann := flag.Subject{ID: "ann", Attributes: map[string]string{"email": "Ann@Acme.example", "seats": "12"}}
	for _, tt := range []struct {
		name      string
		condition flag.Condition
		on        bool
	}{
		{"Any", flag.Condition{Operator: flag.Any}, true},
		{"Equals", flag.Condition{Attribute: "email", Operator: flag.Equals, Values: []string{"x", "ann@acme.EXAMPLE"}}, true},
		{"EqualsNone", flag.Condition{Attribute: "email", Operator: flag.Equals, Values: []string{"x"}}, false},
		{"EqualsUnknown", flag.Condition{Attribute: "plan", Operator: flag.Equals, Values: []string{""}}, false},
		{"NotEquals", flag.Condition{Attribute: "email", Operator: flag.NotEquals, Values: []string{"x"}}, true},
		{"NotEqualsOne", flag.Condition{Attribute: "email", Operator: flag.NotEquals, Values: []string{"x", "ann@acme.example"}}, false},
		{"NotEqualsUnknown", flag.Condition{Attribute: "plan", Operator: flag.NotEquals, Values: []string{"pro"}}, true},
		{"StartsWith", flag.Condition{Attribute: "email", Operator: flag.StartsWith, Values: []string{"ANN"}}, true},
		{"EndsWith", flag.Condition{Attribute: "email", Operator: flag.EndsWith, Values: []string{"@acme.example"}}, true},
		{"EndsWithOther", flag.Condition{Attribute: "email", Operator: flag.EndsWith, Values: []string{"@other.example"}}, false},
		{"Contains", flag.Condition{Attribute: "email", Operator: flag.Contains, Values: []string{"acme"}}, true},
		{"GreaterThan", flag.Condition{Attribute: "seats", Operator: flag.GreaterThan, Values: []string{"9"}}, true},
		{"GreaterThanAll", flag.Condition{Attribute: "seats", Operator: flag.GreaterThan, Values: []string{"9", "12"}}, false},
		{"LessThan", flag.Condition{Attribute: "seats", Operator: flag.LessThan, Values: []string{"100"}}, true},
		{"LessThanNothing", flag.Condition{Attribute: "seats", Operator: flag.LessThan}, false},
		{"NoNumber", flag.Condition{Attribute: "email", Operator: flag.LessThan, Values: []string{"100"}}, false},
		{"UnknownOperator", flag.Condition{Attribute: "email", Operator: "sounds_like", Values: []string{"ann"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.condition.ID, tt.condition.Rollout = "c", 100
			on, by := flag.Flag{ID: "f", Enabled: true, Conditions: []flag.Condition{tt.condition}}.Evaluate(ann)
			require.Equal(t, tt.on, on)
			require.Equal(t, tt.on, by == "c")

			off, _ := flag.Flag{ID: "f", Conditions: []flag.Condition{tt.condition}}.Evaluate(ann)
			require.False(t, off, "a flag that is not enabled is off")
		})
	}
	on, by := flag.Flag{ID: "f", Enabled: true}.Evaluate(ann)
	require.True(t, on, "without conditions it is for everybody")
	require.Empty(t, by)
}

// TestRolloutIsEven counts how many of many subjects a rollout reaches.
func TestRolloutIsEven(t *testing.T) {
	t.Parallel()
	for _, rollout := range []float32{0, 1, 25, 50, 99.5, 100} {
		f := flag.Flag{ID: "f", Enabled: true, Conditions: []flag.Condition{{Operator: flag.Any, Rollout: rollout}}}
		const subjects = 20_000
		reached := 0
		for i := range subjects {
			if on, _ := f.Evaluate(flag.Subject{ID: strconv.Itoa(i)}); on {
				reached++
			}
		}
		require.InDelta(t, rollout, float64(reached)/subjects*100, 1, "percent")
	}
}

// TestRolloutOnlyGrows holds that widening a rollout turns nothing off, and that
// asking twice gives the same answer.
func TestRolloutOnlyGrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		subject := flag.Subject{ID: rapid.String().Draw(t, "subject")}
		narrow := rapid.Float32Range(0, 100).Draw(t, "narrow")
		wide := rapid.Float32Range(narrow, 100).Draw(t, "wide")
		on := func(rollout float32) bool {
			on, _ := flag.Flag{ID: "f", Enabled: true, Conditions: []flag.Condition{{Operator: flag.Any, Rollout: rollout}}}.Evaluate(subject)
			return on
		}
		first, again := on(narrow), on(narrow)
		if first != again || first && !on(wide) || !on(100) || on(0) {
			t.Fatalf("%v and %v for %q", narrow, wide, subject.ID)
		}
	})
}
