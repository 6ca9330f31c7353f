package api_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// statement is what was asked of the database.
type statement struct {
	sql       string
	arguments []any
}

// recorder notes the statements of a pool while it is on.
type recorder struct {
	mu    sync.Mutex
	on    bool
	heard map[string]statement
}

func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.on {
		r.heard[data.SQL] = statement{data.SQL, data.Args}
	}
	return ctx
}

func (*recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// during returns the statements of f.
func (r *recorder) during(f func()) []statement {
	r.mu.Lock()
	r.on, r.heard = true, map[string]statement{}
	r.mu.Unlock()
	f()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on = false
	return slices.Collect(maps.Values(r.heard))
}

// plan is a node of what Postgres intends to do.
type plan struct {
	Kind  string `json:"Node Type"`
	Table string `json:"Relation Name"`
	Index string `json:"Index Name"`
	Cond  string `json:"Index Cond"`
	Place string `json:"TID Cond"`
	Plans []plan `json:"Plans"`
}

// readsWhole lists the tables of which p reads every row, or every row of an
// index.
func (p plan) readsWhole() (tables []string) {
	if p.Table != "" && p.Kind != "ModifyTable" && p.whole() {
		tables = append(tables, p.Table)
	}
	for _, part := range p.Plans {
		tables = append(tables, part.readsWhole()...)
	}
	return tables
}

// whole reports whether a scan goes by no condition. Of one by bitmap, those
// scans have the conditions that make the bitmap.
func (p plan) whole() bool {
	bitmap := false
	for _, part := range p.Plans {
		if strings.HasPrefix(part.Kind, "Bitmap") && part.Table == "" {
			if part.whole() {
				return true
			}
			bitmap = true
		}
	}
	return p.Cond+p.Place == "" && !bitmap
}

// crowd fills every table with the like of what is in it, of teams that do not
// exist, and returns the tables that became large.
func crowd(t *testing.T, pool *pgxpool.Pool) (large map[string]bool) {
	t.Helper()
	large = map[string]bool{}
	require.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica"); err != nil { // no foreign keys
			return err
		}
		rows, _ := tx.Query(t.Context(), `
			SELECT table_name, string_agg(quote_ident(column_name), ', '), string_agg(CASE
				WHEN data_type = 'uuid' AND is_nullable = 'NO' THEN 'gen_random_uuid()'
				WHEN data_type = 'bytea' THEN 'uuid_send(gen_random_uuid())'
				WHEN data_type = 'uuid' THEN 'CASE WHEN '||quote_ident(column_name)||' IS NOT NULL THEN gen_random_uuid() END'
				ELSE quote_ident(column_name) END, ', ')
			FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
			WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'river%'
				AND table_name NOT IN (SELECT relname FROM pg_class WHERE relispartition)
				AND is_generated = 'NEVER' AND is_identity = 'NO' GROUP BY 1`)
		tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Name, Columns, Values string }])
		if err != nil {
			return err
		}
		for _, table := range tables {
			err := pgx.BeginFunc(t.Context(), tx, func(tx pgx.Tx) error {
				made, err := tx.Exec(t.Context(), `INSERT INTO `+table.Name+` (`+table.Columns+`) SELECT `+table.Values+` FROM `+table.Name+`, generate_series(1, 200)`)
				large[table.Name] = made.RowsAffected() > 0
				return err
			})
			if fault := (*pgconn.PgError)(nil); err != nil && !(errors.As(err, &fault) && fault.Code == "23505") { // what is unique stays alone
				return fmt.Errorf("%s: %w", table.Name, err)
			}
		}
		var table, partition string
		parts, _ := tx.Query(t.Context(), `SELECT inhparent::regclass::text, inhrelid::regclass::text FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE c.relkind = 'r'`)
		_, err = pgx.ForEachRow(parts, []any{&table, &partition}, func() error {
			large[partition] = large[table]
			return nil
		})
		return err
	}))
	_, err := pool.Exec(t.Context(), "ANALYZE")
	require.NoError(t, err)
	return large
}

// planned are the statements that Postgres makes a plan of.
var planned = regexp.MustCompile(`^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)`)

// byHarm orders lines by what their methods leave of the things asked about.
func byHarm(x, y string) int {
	harm := func(line string) int {
		method, _, _ := strings.Cut(line, " ")
		return slices.Index([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete}, method)
	}
	return cmp.Or(harm(x)-harm(y), strings.Compare(x, y))
}

// TestIndexes has Postgres plan each statement behind each operation while most
// rows are of other teams: none of these may be gone over.
func TestIndexes(t *testing.T) {
	t.Parallel()
	_, url := dbtest.Database(t)
	config, err := pgxpool.ParseConfig(url)
	require.NoError(t, err)
	asked := &recorder{}
	config.ConnConfig.Tracer = asked
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	defer pool.Close()
	b := newBundle(t, db.New(pool))
	ids := b.furnish(t, b.acme, word)
	large := crowd(t, pool)

	explained := 0
	operations := served()
	for _, line := range slices.SortedFunc(maps.Keys(operations), byHarm) {
		g := target{operations[line], ids}
		if g.endless() || g.op.Path == "/auth/logout" {
			continue
		}
		line, body, _ := g.line(word)
		for _, s := range asked.during(func() { b.call(t, b.acme, line, body) }) {
			if !planned.MatchString(s.sql) {
				continue
			}
			explained++
			var text []byte
			require.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
				// Tables of some hundred rows are soon read, others are not.
				if _, err := tx.Exec(t.Context(), "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"); err != nil {
					return err
				}
				return tx.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+s.sql, s.arguments...).Scan(&text)
			}), "%s: %s", line, s.sql)
			var out []struct{ Plan plan }
			require.NoError(t, json.Unmarshal(text, &out))
			for _, table := range out[0].Plan.readsWhole() {
				if large[table] {
					t.Errorf("%s reads %s whole: %s\n%+v", line, table, s.sql, out[0].Plan)
				}
			}
		}
	}
	t.Logf("%d statements", explained)
	require.Greater(t, explained, 100)
}
