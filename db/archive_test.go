package db_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

// TestEveryTableIsArchivedOrNot fails where a migration adds a table that the export
// of a team forgets.
func TestEveryTableIsArchivedOrNot(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	rows, err := d.Conn().Query(t.Context(), `SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	archived, left := db.ArchivedTables()
	for _, table := range tables {
		require.NotEqual(t, left[table] != "", slices.Contains(archived, table), "is %s of a team? Say so in db/archive.go", table)
		require.False(t, slices.Contains(archived, table) && strings.HasPrefix(table, "river_"))
	}
	require.Len(t, tables, len(archived)+len(left))
}

// TestImportOfAnotherSchema has archives come from an older and a newer database.
func TestImportOfAnotherSchema(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	here, err := d.Schema(t.Context())
	require.NoError(t, err)
	for _, version := range []int64{here.Version - 1, here.Version + 1} {
		team := db.Archive{Team: &db.TeamSummary{ID: db.NewID()}, Schema: version, Release: "9.9.9"}
		team.Teams = []string{team.Team.ID}
		err := d.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.BeginImport(t.Context(), team, false)
			return err
		})
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		require.ErrorContains(t, err, "of release 9.9.9")
		require.ErrorContains(t, err, "bring both to the same release")
	}
}

// TestImportOfOtherMigrations has an archive come from a database that has the same
// schema last, and not all before it.
func TestImportOfOtherMigrations(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	rows, err := d.Conn().Query(t.Context(), `SELECT version FROM clausemill_migrations ORDER BY version`)
	require.NoError(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	require.NoError(t, err)
	begin := func(applied []int64) error {
		team := db.Archive{Team: &db.TeamSummary{ID: db.NewID()}, Schema: all[len(all)-1], Release: "9.9.9", Applied: applied}
		team.Teams = []string{team.Team.ID}
		return d.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.BeginImport(t.Context(), team, false)
			return err
		})
	}
	require.NoError(t, begin(all))
	for _, other := range [][]int64{nil, all[1:], slices.Delete(slices.Clone(all), 3, 4)} {
		err := begin(other)
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		require.ErrorContains(t, err, "by other migrations")
	}
}
