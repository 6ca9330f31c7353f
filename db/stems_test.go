package db_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestStemsOfTheReleaseBefore has a program of release 0.1.0 save German texts, whose
// sentences have no language then.
func TestStemsOfTheReleaseBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	save := func(language string) string {
		id := b.file(t, b.ours).ID
		text := textOf()
		text.Language = language
		require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
			_, err := tx.SaveText(ctx, b.ours, id, text)
			return err
		}))
		return id
	}
	german, right, english := save("de"), save("de"), save("en")
	_, err := b.db.Conn().Exec(ctx, `UPDATE sentences SET language = '' WHERE file_id = ANY($1)`, []string{german, english})
	require.NoError(t, err)
	_, err = b.db.Conn().Exec(ctx, `UPDATE files SET indexed_generation = generation`)
	require.NoError(t, err)
	n, err := b.db.StemTexts(ctx, 20)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	for id, want := range map[string]bool{german: true, right: false, english: false} {
		f, err := b.db.File(ctx, b.ours, id)
		require.NoError(t, err)
		require.Equal(t, want, f.IndexedGeneration < f.Generation)
	}
	var language string
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		return tx.Raw.QueryRow(ctx, `SELECT language FROM sentences WHERE file_id = $1`, german).Scan(&language)
	}))
	require.Equal(t, "de", language)
	n, err = b.db.StemTexts(ctx, 20)
	require.NoError(t, err)
	require.Zero(t, n)
}

// TestStemsOfAnInterruptedMigration goes on with migration 0016 where somebody stopped it. While it
// waits for a row, everybody else reads and writes sentences.
func TestStemsOfAnInterruptedMigration(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := &bundle{db: d}
	b.ours = scopeOf(t, d, "ours@example.com")
	ctx := t.Context()
	german, english := b.file(t, b.ours).ID, b.file(t, b.ours).ID
	for id, language := range map[string]string{german: "de", english: "en"} {
		text := textOf()
		text.Language, text.Sentences = language, predicted("Die Verträge der Parteien", "The contracts of the parties")
		require.NoError(t, d.InTx(ctx, func(tx *db.Tx) error {
			_, err := tx.SaveText(ctx, b.ours, id, text)
			return err
		}))
	}
	vectors := func() (list []string) {
		rows, err := d.Pool().Query(ctx, `SELECT vector::text FROM sentences ORDER BY id`)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var v string
			require.NoError(t, rows.Scan(&v))
			list = append(list, v)
		}
		require.NoError(t, rows.Err())
		return list
	}
	want := vectors()
	require.Len(t, want, 4)
	require.Contains(t, want[0]+want[2], "'vertrag'")
	alter(t, d,
		`ALTER TABLE sentences ALTER COLUMN language DROP NOT NULL, DISABLE TRIGGER sentences_stemmed`,
		`UPDATE sentences SET language = NULL, vector = to_tsvector('english', searchable(text)) WHERE ordinal = 1 OR file_id = '`+english+`'`,
		`ALTER TABLE sentences ENABLE ALWAYS TRIGGER sentences_stemmed`,
		`DELETE FROM clausemill_migrations WHERE version IN (16, 56)`, // 56 changes what 16 leaves
	)
	require.NotEqual(t, want, vectors())

	held, err := d.Pool().Begin(ctx)
	require.NoError(t, err)
	defer func() { _ = held.Rollback(context.WithoutCancel(ctx)) }()
	_, err = held.Exec(ctx, `SELECT FROM sentences WHERE file_id = $1 AND ordinal = 1 FOR UPDATE`, german)
	require.NoError(t, err)
	migrated := make(chan error, 1)
	go func() {
		_, err := d.Migrate(ctx, slog.New(slog.DiscardHandler))
		migrated <- err
	}()
	require.Eventually(t, func() (waits bool) {
		require.NoError(t, d.Pool().QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
		return waits
	}, time.Minute, 10*time.Millisecond)
	others, err := d.Pool().Begin(ctx)
	require.NoError(t, err)
	defer func() { _ = others.Rollback(context.WithoutCancel(ctx)) }()
	for _, sql := range []string{
		`SET LOCAL lock_timeout = '10s'`,
		`SELECT count(*) FROM sentences`,
		`UPDATE sentences SET score = 0.4 WHERE file_id = '` + german + `' AND ordinal = 0`,
	} {
		_, err := others.Exec(ctx, sql)
		require.NoError(t, err, sql)
	}
	require.NoError(t, others.Commit(ctx))
	require.NoError(t, held.Rollback(ctx))
	require.NoError(t, <-migrated)
	require.Equal(t, want, vectors())
	_, err = d.Schema(ctx)
	require.NoError(t, err)
	lines, err := d.Catalogue(ctx)
	require.NoError(t, err)
	require.Contains(t, lines, "column\tsentences.language text\tdefault ''::text not null\n")
}
