package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
)

// TestLikenessesFoundByOthers stores what was found out about a file after
// another, which was read later, has found it.
func TestLikenessesFoundByOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	first, second, late := b.file(t, b.ours).ID, b.file(t, b.ours).ID, b.file(t, b.ours).ID
	in := func(fn func(tx *db.Tx) error) { require.NoError(t, b.db.InTx(ctx, fn)) }
	read := func(id string) int {
		var generation int
		in(func(tx *db.Tx) error {
			file, err := tx.SaveText(ctx, b.ours, id, db.Text{Language: "en"})
			if err != nil {
				return err
			}
			generation = file.Generation
			return tx.SaveSketch(ctx, b.ours, id, db.Sketch{Generation: file.Generation})
		})
		return generation
	}
	compared := func(id string, generation int, list ...db.Compared) {
		in(func(tx *db.Tx) error {
			return tx.SaveAnalysis(ctx, b.ours, id, db.Meaning{Analysis: db.Analysis{Generation: generation}, Compared: list})
		})
	}
	alike := func(id string) []string {
		list, err := b.db.Likenesses(ctx, b.ours, id)
		require.NoError(t, err)
		ids := []string{}
		for _, l := range list {
			ids = append(ids, l.FileID)
		}
		return ids
	}
	for _, id := range []string{first, second, late} {
		require.Equal(t, 1, read(id))
	}
	compared(late, 1, db.Compared{FileID: first, Generation: 1, Kind: "duplicate", Share: 1})
	compared(first, 1, db.Compared{FileID: second, Generation: 1, Kind: "version", Share: 0.9})
	require.Equal(t, []string{late, second}, alike(first), "what was not compared stays")

	compared(second, 1, db.Compared{FileID: first, Generation: 1})
	require.Equal(t, []string{late}, alike(first), "what was compared and is not alike goes")

	require.Equal(t, 2, read(late))
	require.Empty(t, alike(first), "a new text is like none yet")
	compared(first, 1, db.Compared{FileID: late, Generation: 1, Kind: "duplicate", Share: 1})
	require.Empty(t, alike(first), "what was found out about the old text is not said of the new one")
	compared(late, 2, db.Compared{FileID: first, Generation: 1, Kind: "template", Share: 0.9})
	compared(first, 1, db.Compared{FileID: late, Generation: 1})
	require.Equal(t, []string{late}, alike(first))
}
