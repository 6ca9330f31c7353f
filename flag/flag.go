package flag

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// Operator is how a condition compares an attribute of the subject with its
// values. Text is compared in any case.
type Operator string

// The operators. An attribute that the subject does not have meets Any and
// NotEquals alone.
const (
	Any         Operator = "any"          // any value, or none
	Equals      Operator = "equals"       // one of the values
	NotEquals   Operator = "not_equals"   // none of the values
	StartsWith  Operator = "starts_with"  // with one of the values
	EndsWith    Operator = "ends_with"    // with one of the values
	Contains    Operator = "contains"     // one of the values
	GreaterThan Operator = "greater_than" // every value, as numbers
	LessThan    Operator = "less_than"    // every value, as numbers
)

// Operators lists all of them.
var Operators = []Operator{Any, Equals, NotEquals, StartsWith, EndsWith, Contains, GreaterThan, LessThan}

// Flag is a feature that is on for some.
type Flag struct {
	ID         string
	Enabled    bool
	Conditions []Condition // any one of them is enough; none at all is for everybody
}

// Condition turns a flag on for a share of those whose attribute fits.
type Condition struct {
	ID        string
	Attribute string
	Operator  Operator
	Values    []string
	Rollout   float32 // percent of those who fit
}

// Subject is somebody, or something, that a feature may be on for.
type Subject struct {
	ID         string // decides which share of a rollout it belongs to
	Attributes map[string]string
}

// Evaluate reports whether f is on for s, and by which condition; "" where it
// has none.
func (f Flag) Evaluate(s Subject) (on bool, conditionID string) {
	if !f.Enabled {
		return false, ""
	}
	if len(f.Conditions) == 0 {
		return true, ""
	}
	at := place(f.ID, s.ID)
	for _, c := range f.Conditions {
		if c.fits(s) && at < float64(c.Rollout) {
			return true, c.ID
		}
	}
	return false, ""
}

// place is the position of a subject in the rollouts of a flag: from 0 to below
// 100, uniformly distributed, and independent of other flags.
func place(flagID, subjectID string) float64 {
	sum := sha256.Sum256([]byte(flagID + "\x00" + subjectID))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53) * 100
}

func (c Condition) fits(s Subject) bool {
	value, known := s.Attributes[c.Attribute]
	value = strings.ToLower(value)
	some := func(holds func(value, of string) bool) bool {
		return known && slices.ContainsFunc(c.Values, func(v string) bool { return holds(value, strings.ToLower(v)) })
	}
	switch c.Operator {
	case Any:
		return true
	case Equals:
		return some(func(value, of string) bool { return value == of })
	case NotEquals:
		return !some(func(value, of string) bool { return value == of })
	case StartsWith:
		return some(strings.HasPrefix)
	case EndsWith:
		return some(strings.HasSuffix)
	case Contains:
		return some(strings.Contains)
	case GreaterThan:
		return known && c.compares(value, func(x, y float64) bool { return x > y })
	case LessThan:
		return known && c.compares(value, func(x, y float64) bool { return x < y })
	}
	return false
}

// compares reports whether holds is true of value and every one of the values,
// which is never so of what is no number.
func (c Condition) compares(value string, holds func(x, y float64) bool) bool {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || len(c.Values) == 0 {
		return false
	}
	for _, v := range c.Values {
		y, err := strconv.ParseFloat(v, 64)
		if err != nil || !holds(x, y) {
			return false
		}
	}
	return true
}
