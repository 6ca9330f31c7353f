package db

import (
	"time"

	"github.com/clausemill/clausemill/query"
)

// What a filter's fields say as conditions. A field that is zero says nothing.

// among is that a field has any of values, if they are not nil.
func among(f query.Field, values []string) query.Filter {
	if values == nil {
		return query.Filter{}
	}
	return query.Is(f, values...)
}

// same is that a field has a value.
func same(f query.Field, value string) query.Filter {
	if value == "" {
		return query.Filter{}
	}
	return query.Is(f, value)
}

// part is that a text has another as a part.
func part(f query.Field, value string) query.Filter {
	if value == "" {
		return query.Filter{}
	}
	return query.Compare(f, query.Contains, value)
}

// when compares a field with an instant.
func when(f query.Field, op query.Op, at time.Time) query.Filter {
	if at.IsZero() {
		return query.Filter{}
	}
	return query.Compare(f, op, at.UTC().Format(time.RFC3339Nano))
}
