package db

import "strings"

// clauses is a condition of a query, as it grows by what is asked for.
type clauses struct {
	sql  strings.Builder
	args args
}

// startClauses begins with a condition that always holds.
func startClauses(condition string, a args) *clauses {
	c := &clauses{args: a}
	c.sql.WriteString(condition)
	return c
}

// and adds a condition.
func (c *clauses) and(condition string) { c.sql.WriteString(" AND " + condition) }

// when adds a condition on an argument, if it is asked for.
func (c *clauses) when(asked bool, condition, name string, v any) {
	if asked {
		c.and(condition)
		c.args[name] = v
	}
}

func (c *clauses) String() string { return c.sql.String() }
