package db_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestIDs writes ids that are strings, in rows that are copied and in lists.
func TestIDs(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	pool, ctx := d.Pool(), t.Context()
	_, err := pool.Exec(ctx, `CREATE TABLE ids (id uuid NOT NULL, other uuid, said text)`)
	require.NoError(t, err)
	id, other := db.NewID(), db.NewID()
	write := func(rows ...[]any) error {
		_, err := pool.CopyFrom(ctx, pgx.Identifier{"ids"}, []string{"id", "other", "said"}, pgx.CopyFromRows(rows))
		return err
	}
	require.NoError(t, write([]any{id, nil, other}, []any{other, &id, "x"}, []any{other, (*string)(nil), "y"}))
	require.ErrorContains(t, write([]any{"no id", nil, ""}), "no id")

	count := func(list []string) (n int, err error) {
		err = pool.QueryRow(ctx, `SELECT count(*) FROM ids WHERE id = ANY($1) OR other = ANY($1) AND said = 'x'`, list).Scan(&n)
		return n, err
	}
	n, err := count([]string{id})
	require.NoError(t, err)
	require.Equal(t, 2, n)
	_, err = count([]string{id, "no id"})
	require.ErrorContains(t, err, "22P02", "Postgres says it, as of any other value")
}
