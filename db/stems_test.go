package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
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
