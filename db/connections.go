package db

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// crowded is how long a query waits for a connection that Postgres has none of,
// and pause how long at most until it asks again. What is refused has not begun, so
// to wait is as safe as to wait for one of the pool.
const (
	crowded = 20 * time.Second
	pause   = 250 * time.Millisecond
)

// patient is a pool that waits where other processes have all connections that
// Postgres has.
type patient struct{ *pgxpool.Pool }

// Begin, Exec, Query and CopyFrom are those of the pool.
func (p patient) Begin(ctx context.Context) (pgx.Tx, error) {
	return waiting(ctx, func() (pgx.Tx, error) { return p.Pool.Begin(ctx) })
}

func (p patient) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error) {
	return waiting(ctx, func() (pgconn.CommandTag, error) { return p.Pool.Exec(ctx, sql, arguments...) })
}

func (p patient) Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error) {
	return waiting(ctx, func() (pgx.Rows, error) { return p.Pool.Query(ctx, sql, arguments...) })
}

func (p patient) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	return waiting(ctx, func() (int64, error) { return p.Pool.CopyFrom(ctx, table, columns, rows) })
}

func waiting[T any](ctx context.Context, do func() (T, error)) (T, error) {
	for begun := time.Now(); ; {
		out, err := do()
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.Code != "53300" || time.Since(begun) > crowded { // too_many_connections
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, err
		case <-time.After(rand.N(pause)):
		}
	}
}

// applicationName carries the maximum number of connections of this process, for the
// other processes to read.
func applicationName(most int) string {
	return fmt.Sprintf("clausemill %08x %d", rand.Uint32(), most)
}

// Connections is how many connections Postgres has for us, and how many the
// processes that are connected may ask for together.
type Connections struct {
	Processes int `db:"processes"`
	Asked     int `db:"asked"`
	There     int `db:"there"`
}

// Connections counts those of all databases of the server: they share its limit.
func (q Queries) Connections(ctx context.Context) (Connections, error) {
	return one[Connections](ctx, q, `
		WITH processes AS (
			SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE application_name ~ '^clausemill [0-9a-f]{8} [0-9]{1,6}$'
		)
		SELECT count(*)::int AS processes, coalesce(sum(split_part(name, ' ', 3)::int), 0)::int AS asked,
			(SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END)::int FROM pg_settings
				WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')) AS there
		FROM processes`, nil)
}
