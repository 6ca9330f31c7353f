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

// TestSketchesOfTheReleaseBefore has a program of release 0.1.0, which keeps parts
// of sketches in a column, save a sketch and another one in its place.
func TestSketchesOfTheReleaseBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old, other := b.file(t, b.ours).ID, b.file(t, b.ours).ID
	found := func(bands ...int64) int {
		list, _, err := b.db.SimilarSketches(t.Context(), b.ours, other, bands, 10)
		require.NoError(t, err)
		return len(list)
	}
	for _, bands := range [][]int64{{1, 2, 2}, {2, 3}} {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Raw.Exec(t.Context(), `
				INSERT INTO file_sketches (file_id, team_id, generation, sketch, bands) VALUES ($1, $2, 1, '', $3)
				ON CONFLICT (file_id) DO UPDATE SET generation = excluded.generation, sketch = excluded.sketch, bands = excluded.bands`,
				old, b.ours.TeamID, bands)
			return err
		}))
		require.Equal(t, 1, found(bands...))
	}
	require.Zero(t, found(1), "it has this one no more")
}

// TestSimilarAmongCopies looks for the text that is most like another among
// thousands that have nearly as much in common with it.
func TestSimilarAmongCopies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	const bands, each = 32, 16
	var own []int64
	for band := range int64(bands) {
		own = append(own, band)
	}
	var twin string
	var oldest []string
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		for _, sql := range []string{
			`SET LOCAL session_replication_role = replica`, // no foreign keys
			`CREATE TEMPORARY TABLE copies ON COMMIT DROP AS SELECT gen_random_uuid() AS id, n, n < 5 AS other_team FROM generate_series(1, 5000) n`,
			`INSERT INTO file_sketches (file_id, team_id, generation, sketch) SELECT id, CASE WHEN other_team THEN id ELSE '` + b.ours.TeamID + `' END, 1, '' FROM copies`,
			`INSERT INTO sketch_bands (file_id, team_id, band) SELECT id, CASE WHEN other_team THEN id ELSE '` + b.ours.TeamID + `' END, band
				FROM copies, generate_series(0, 31) band WHERE band < 31 OR n = 4000`,
		} {
			_, err := tx.Raw.Exec(ctx, sql)
			require.NoError(t, err)
		}
		require.NoError(t, tx.Raw.QueryRow(ctx, `SELECT id FROM copies WHERE n = 4000`).Scan(&twin))
		return tx.Raw.QueryRow(ctx, `SELECT array_agg(id::text) FROM (SELECT id FROM copies WHERE NOT other_team AND n <> 4000 ORDER BY id LIMIT 15) o`).Scan(&oldest)
	}))
	var found []string
	var open []int64
	var read int
	rowsRead := func(tx *db.Tx) (rows int) {
		require.NoError(t, tx.Raw.QueryRow(ctx, `
			SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0) FROM pg_stat_xact_user_tables
			WHERE relname IN ('file_sketches', 'sketch_bands')`).Scan(&rows))
		return rows
	}
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(ctx, `ANALYZE file_sketches, sketch_bands`)
		require.NoError(t, err)
		before := rowsRead(tx) // by what the connection did last, too
		list, others, err := tx.SimilarSketches(ctx, b.ours, db.NewID(), own, 100)
		for _, s := range list {
			found = append(found, s.ID)
		}
		open = others
		read = rowsRead(tx) - before
		return err
	}))
	require.Equal(t, twin, found[0])
	require.Subset(t, found, oldest)
	require.LessOrEqual(t, len(found), each+1)
	require.Equal(t, []int64{31}, open, "the twin's band")
	require.LessOrEqual(t, read, bands*each+len(found), "rows")
	require.Positive(t, read)
}

// TestSimilarAmongStrangers looks for a text among more older files than are listed, each of which
// has one band in common with it that many have.
func TestSimilarAmongStrangers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	const twin = "ffffffff-ffff-4fff-bfff-ffffffffffff"
	var found []string
	require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
		for _, sql := range []string{
			`SET LOCAL session_replication_role = replica`, // no foreign keys
			`CREATE TEMPORARY TABLE strangers ON COMMIT DROP AS
				SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid AS id, n % 31 AS band FROM generate_series(1, 31 * 20) n`,
			`INSERT INTO strangers SELECT '` + twin + `', band FROM generate_series(0, 31) band`,
			`INSERT INTO file_sketches (file_id, team_id, generation, sketch) SELECT DISTINCT id, '` + b.ours.TeamID + `'::uuid, 1, ''::bytea FROM strangers`,
			`INSERT INTO sketch_bands (file_id, team_id, band) SELECT id, '` + b.ours.TeamID + `', band FROM strangers`,
		} {
			_, err := tx.Raw.Exec(ctx, sql)
			require.NoError(t, err)
		}
		var own []int64
		for band := range int64(32) {
			own = append(own, band)
		}
		list, _, err := tx.SimilarSketches(ctx, b.ours, db.NewID(), own, 100)
		for _, s := range list {
			found = append(found, s.ID)
		}
		return err
	}))
	require.Len(t, found, 100)
	require.Equal(t, twin, found[0])
}
