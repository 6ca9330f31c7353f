package db

import "strings"

// where is a condition of a query, as it grows by what a filter asks for.
type where struct {
	sql  strings.Builder
	args args
}

// startWhere begins with a condition that always holds.
func startWhere(condition string, a args) *where {
	w := &where{args: a}
	w.sql.WriteString(condition)
	return w
}

// and adds a condition.
func (w *where) and(condition string) { w.sql.WriteString(" AND " + condition) }

// when adds a condition on an argument, if it is asked for.
func (w *where) when(asked bool, condition, name string, v any) {
	if asked {
		w.and(condition)
		w.args[name] = v
	}
}

func (w *where) String() string { return w.sql.String() }
