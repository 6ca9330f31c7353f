package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db/dbtest"
)

// TestAnalyzeGrown has a statement that was prepared for an empty table find its rows by
// their key once the table has grown and was looked at.
func TestAnalyzeGrown(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	ctx := t.Context()
	conn, err := d.Pool().Acquire(ctx)
	require.NoError(t, err)
	defer conn.Release()
	// By itself Postgres would look at the table in the middle of this.
	for _, sql := range []string{`SET plan_cache_mode = force_generic_plan`, `CREATE TABLE grown (id int PRIMARY KEY, words text) WITH (autovacuum_enabled = off)`,
		`INSERT INTO grown VALUES (1, 'lease')`, `ANALYZE grown`, `PREPARE lookup (int) AS SELECT words FROM grown WHERE id = $1`} {
		_, err := conn.Exec(ctx, sql)
		require.NoError(t, err)
	}
	plan := func() string {
		var first string
		require.NoError(t, conn.QueryRow(ctx, `EXPLAIN (COSTS off) EXECUTE lookup (1)`).Scan(&first))
		return first
	}
	require.Contains(t, plan(), "Seq Scan")
	_, err = conn.Exec(ctx, `INSERT INTO grown SELECT n, 'clause' FROM generate_series(2, 5000) n`)
	require.NoError(t, err)
	require.Contains(t, plan(), "Seq Scan", "it was prepared for one row")
	require.Eventually(t, func() bool { // Postgres counts what it did a moment later
		n, err := d.AnalyzeGrown(ctx)
		require.NoError(t, err)
		return n > 0
	}, time.Minute, 100*time.Millisecond)
	require.Contains(t, plan(), "Index Scan")
	require.Eventually(t, func() bool {
		n, err := d.AnalyzeGrown(ctx)
		require.NoError(t, err)
		return n == 0
	}, time.Minute, 100*time.Millisecond, "it is looked at once")
}
