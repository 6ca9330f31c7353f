package db_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestLater sends statements that nobody waits for along with what comes after them, in their
// order.
func TestLater(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	const prepared = pgx.QueryExecModeCacheStatement
	require.NoError(t, d.Prepared().InTx(t.Context(), func(tx *db.Tx) error {
		ctx := t.Context()
		add := func(n int) { require.NoError(t, db.Later(ctx, tx, `INSERT INTO numbers VALUES ($1)`, n)) }
		ask := func(sql string, arguments ...any) int {
			rows, _ := tx.Raw.Query(ctx, sql, arguments...)
			n, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
			require.NoError(t, err)
			return n
		}
		change := func(sql string, arguments ...any) int {
			tag, err := tx.Raw.Exec(ctx, sql, arguments...)
			require.NoError(t, err)
			return int(tag.RowsAffected())
		}
		require.NoError(t, db.Later(ctx, tx, `CREATE TEMPORARY TABLE numbers (n int PRIMARY KEY) ON COMMIT DROP`))
		require.Zero(t, change(`SET LOCAL jit = off`))
		add(1)
		add(2)
		require.Equal(t, 3, ask(`SELECT sum(n)::int FROM numbers WHERE n <> @not`, prepared, pgx.NamedArgs{"not": 7}))
		add(3)
		require.Equal(t, 3, change(`UPDATE numbers SET n = n + 10`, prepared))
		add(4)
		require.Equal(t, 4, ask(`SELECT count(*)::int FROM numbers`))
		add(5)
		require.Zero(t, change(`SET LOCAL jit = on; SET LOCAL jit = off`), "several statements")
		var n int
		require.NoError(t, tx.Raw.QueryRow(ctx, `SELECT count(*) FROM numbers`).Scan(&n))
		require.Equal(t, 5, n)
		add(6)
		copied, err := tx.Raw.CopyFrom(ctx, pgx.Identifier{"numbers"}, []string{"n"}, pgx.CopyFromRows([][]any{{7}}))
		require.NoError(t, err)
		require.EqualValues(t, 1, copied)
		add(8)
		inner, err := tx.Raw.Begin(ctx)
		require.NoError(t, err)
		require.NoError(t, inner.Rollback(ctx))
		require.Equal(t, 8, change(`DELETE FROM numbers`, prepared))
		return nil
	}))
}

// TestLaterFails has what comes after a statement that fails, the end of the transaction
// included, fail with it.
func TestLaterFails(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	for name, ask := range map[string]func(ctx context.Context, tx pgx.Tx) error{
		"Nothing": func(context.Context, pgx.Tx) error { return nil },
		"Query": func(ctx context.Context, tx pgx.Tx) error {
			rows, _ := tx.Query(ctx, `SELECT 1`, pgx.QueryExecModeCacheStatement)
			_, err := pgx.CollectRows(rows, pgx.RowTo[int])
			return err
		},
		"QueryAlone": func(ctx context.Context, tx pgx.Tx) error {
			rows, _ := tx.Query(ctx, `SELECT 1`)
			_, err := pgx.CollectRows(rows, pgx.RowTo[int])
			return err
		},
		"Exec":      func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, `SELECT 1`); return err },
		"QueryRow":  func(ctx context.Context, tx pgx.Tx) error { return tx.QueryRow(ctx, `SELECT 1`).Scan(new(int)) },
		"Savepoint": func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Begin(ctx); return err },
		"Copy": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.CopyFrom(ctx, pgx.Identifier{"words"}, []string{"word"}, pgx.CopyFromRows([][]any{{"a"}}))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := d.Prepared().InTx(t.Context(), func(tx *db.Tx) error {
				if err := db.Later(t.Context(), tx, `INSERT INTO words VALUES (NULL)`); err != nil {
					return err
				}
				return ask(t.Context(), tx.Raw)
			})
			require.ErrorContains(t, err, "null value")
			var words int
			require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT count(*) FROM words`).Scan(&words))
			require.Zero(t, words)
		})
	}
}
