package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

// contracts makes files of one document type.
type contracts struct {
	*bundle

	typeID string
}

func newContracts(t *testing.T) contracts {
	t.Helper()
	c := contracts{bundle: setup(t)}
	c.in(t, func(ctx context.Context, tx *db.Tx) error {
		kind, err := tx.CreateDocumentType(ctx, c.ours, "Mine", "")
		c.typeID = kind.ID
		return err
	})
	return c
}

func (c contracts) in(t *testing.T, fn func(ctx context.Context, tx *db.Tx) error) {
	t.Helper()
	require.NoError(t, c.db.InTx(t.Context(), func(tx *db.Tx) error { return fn(t.Context(), tx) }))
}

// add makes a file with bytes of a name, so many pages where it is read, and none where
// it is not.
func (c contracts) add(t *testing.T, bytes string, pages int) string {
	t.Helper()
	id := c.file(t, c.ours, func(f *db.NewFile) { f.SHA256 = []byte(bytes) }).ID
	c.in(t, func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.Raw.Exec(ctx, `UPDATE files SET document_type_id = $1, document_type_source = 'assigned', page_count = $2 WHERE id = $3`, c.typeID, pages, id); err != nil {
			return err
		}
		if pages == 0 {
			return nil
		}
		if _, err := tx.SaveText(ctx, c.ours, id, db.Text{Language: "en"}); err != nil {
			return err
		}
		if err := tx.SaveSketch(ctx, c.ours, id, db.Sketch{Generation: 1}); err != nil {
			return err
		}
		return tx.SaveAnalysis(ctx, c.ours, id, db.Meaning{Analysis: db.Analysis{Generation: 1}})
	})
	return id
}

func (c contracts) compared(t *testing.T, id string, list ...db.Compared) {
	t.Helper()
	c.in(t, func(ctx context.Context, tx *db.Tx) error { return tx.SaveCompared(ctx, c.ours, id, 1, list) })
}

func (c contracts) corpus(t *testing.T, fileID string, where query.Filter) int {
	t.Helper()
	where, err := where.Checked(query.Files, time.Now())
	require.NoError(t, err)
	n, err := c.db.CountCorpus(t.Context(), c.ours, db.Corpus{FileID: fileID, DocumentTypeID: &c.typeID, Where: where, Most: 100})
	require.NoError(t, err)
	return n
}

// TestContractsWithoutTheirOldestFile has the oldest file of a contract be none that
// counts: the next one counts for it.
func TestContractsWithoutTheirOldestFile(t *testing.T) {
	t.Parallel()
	c := newContracts(t)
	own := c.add(t, "own", 9)
	c.add(t, "failed", 0)
	c.add(t, "failed", 7)
	c.add(t, "failed", 8)
	state, err := c.db.CorpusState(t.Context(), c.ours, c.typeID)
	require.NoError(t, err)
	require.Equal(t, []int{2, 3}, []int{state.Files, state.AllFiles})
	stats, err := c.db.TypeStats(t.Context(), c.ours, c.typeID, false)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2, 9 + 7}, []int{stats[0].Files, stats[0].Analyzed, stats[0].Pages})
	require.Equal(t, 2, c.corpus(t, own, query.Filter{}))

	short, long := c.add(t, "short", 3), c.add(t, "long", 6)
	c.compared(t, long, db.Compared{FileID: short, Generation: 1, Kind: "version", Share: 0.9})
	require.Equal(t, 3, c.corpus(t, own, query.Filter{}))
	for pages, want := range map[string]int{"3": 3, "5": 3, "7": 2, "8": 2, "9": 1} {
		require.Equal(t, want, c.corpus(t, own, query.Compare(query.PageCount, query.AtLeast, pages)), "%s pages", pages)
	}
}

// TestLikenessMakesAnalysesStale has a file turn out to be a version of another when
// both are long there.
func TestLikenessMakesAnalysesStale(t *testing.T) {
	t.Parallel()
	c := newContracts(t)
	first, second := c.add(t, "first", 1), c.add(t, "second", 1)
	state := func() db.CorpusState {
		s, err := c.db.CorpusState(t.Context(), c.ours, c.typeID)
		require.NoError(t, err)
		return s
	}
	before := state()
	require.Equal(t, 2, before.Files)
	version := db.Compared{FileID: first, Generation: 1, Kind: "version", Share: 0.9}
	c.compared(t, second, version)
	after := state()
	require.Equal(t, 1, after.Files)
	require.NotEqual(t, before.State, after.State)
	c.compared(t, second, version)
	require.Equal(t, after, state(), "nothing new")
	c.compared(t, second, db.Compared{FileID: first, Generation: 1})
	require.Equal(t, 2, state().Files)
	require.NotEqual(t, after.State, state().State)
}

// TestUnreadCopyGoes deletes the copy of a file that could not be read: the figures stay
// what they are.
func TestUnreadCopyGoes(t *testing.T) {
	t.Parallel()
	c := newContracts(t)
	unread := c.add(t, "same", 0)
	c.add(t, "same", 1)
	before, err := c.db.CorpusState(t.Context(), c.ours, c.typeID)
	require.NoError(t, err)
	c.in(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.DeleteFile(ctx, c.ours, unread)
		return err
	})
	after, err := c.db.CorpusState(t.Context(), c.ours, c.typeID)
	require.NoError(t, err)
	require.Equal(t, 1, before.Files)
	require.Equal(t, 1, after.Files)
}

// TestRelativesOfManyCopies counts the rows that are read where one form was uploaded
// two thousand times, and each was found to be like the oldest.
func TestRelativesOfManyCopies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const copies = 2000
	first := b.file(t, b.ours, func(f *db.NewFile) { f.SHA256 = []byte("same") }).ID
	scan := b.file(t, b.ours, func(f *db.NewFile) { f.SHA256 = []byte("scan") }).ID
	b.file(t, b.ours, func(f *db.NewFile) { f.SHA256 = []byte("other") })
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for _, sql := range []string{
			`SET LOCAL session_replication_role = replica`,
			`CREATE TEMPORARY TABLE copies ON COMMIT DROP AS SELECT (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid()))).*
				FROM files f, generate_series(1, 1999) WHERE f.id = '` + first + `'`,
			`ALTER TABLE copies DROP COLUMN vector`,
		} {
			if _, err := tx.Raw.Exec(t.Context(), sql); err != nil {
				return err
			}
		}
		var columns string
		if err := tx.Raw.QueryRow(t.Context(), `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'copies'::regclass AND attnum > 0 AND NOT attisdropped`).Scan(&columns); err != nil {
			return err
		}
		for _, sql := range []string{
			`INSERT INTO files (` + columns + `) SELECT ` + columns + ` FROM copies`,
			`INSERT INTO file_likeness (file_id, other_id, team_id, kind, share)
				SELECT greatest(id, '` + scan + `'), least(id, '` + scan + `'), team_id, 'duplicate', 1 FROM files WHERE id <> '` + scan + `' AND sha256 = 'same'`,
		} {
			if _, err := tx.Raw.Exec(t.Context(), sql); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err := b.db.Conn().Exec(t.Context(), `ANALYZE files, file_likeness`)
	require.NoError(t, err)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		read := func() (rows int) { // what the connection did before it is among them, for a second
			require.NoError(t, tx.Raw.QueryRow(t.Context(), `
				SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0) FROM pg_stat_xact_user_tables
				WHERE relname IN ('files', 'file_likeness')`).Scan(&rows))
			return rows
		}
		before := read()
		ids, err := tx.Relatives(t.Context(), b.ours, first)
		require.NoError(t, err)
		require.Len(t, ids, copies)
		bytes, err := tx.RelativeBytes(t.Context(), b.ours, first)
		require.NoError(t, err)
		require.Equal(t, [][]byte{[]byte("same"), []byte("scan")}, bytes)
		require.Positive(t, read()-before)
		require.LessOrEqual(t, read()-before, 2*10*copies)
		return nil
	}))
}
