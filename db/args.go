package db

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
)

// args is the named parameters of one query. A statement is searched for their
// names once; pgx.NamedArgs alone would do so each time, which costs as much as
// a twentieth of a read by key.
type args map[string]any

// positional is a statement with $1, $2, … and the names that these stand for.
type positional struct {
	sql   string
	names []string
}

// maxStatements bounds what is remembered: conditions that callers compose make
// ever new statements.
const maxStatements = 1024

var statements = struct {
	sync.RWMutex
	known map[string]positional
}{known: map[string]positional{}}

// RewriteQuery is pgx.QueryRewriter.
func (a args) RewriteQuery(ctx context.Context, conn *pgx.Conn, sql string, _ []any) (string, []any, error) {
	statements.RLock()
	s, ok := statements.known[sql]
	statements.RUnlock()
	if !ok {
		var err error
		if s, err = a.parse(ctx, conn, sql); err != nil {
			return "", nil, err
		}
		statements.Lock()
		if len(statements.known) >= maxStatements {
			clear(statements.known)
		}
		statements.known[sql] = s
		statements.Unlock()
	}
	values := make([]any, len(s.names))
	for i, name := range s.names {
		if values[i], ok = a[name]; !ok {
			return "", nil, fmt.Errorf("nothing is given for @%s", name)
		}
	}
	return s.sql, values, nil
}

// parse finds the names of sql by giving each its own name for a value.
func (a args) parse(ctx context.Context, conn *pgx.Conn, sql string) (positional, error) {
	named := make(pgx.NamedArgs, len(a))
	for name := range a {
		named[name] = name
	}
	sql, found, err := named.RewriteQuery(ctx, conn, sql, nil)
	if err != nil {
		return positional{}, err
	}
	s := positional{sql, make([]string, len(found))}
	for i, name := range found {
		var ok bool
		if s.names[i], ok = name.(string); !ok {
			return positional{}, errors.New("a name in the statement has no value")
		}
	}
	return s, nil
}
