package db_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// TestNearestIndexes has the index of a team come due, and be replaced by whom it is
// that knows the one before.
func TestNearestIndexes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	text := func(fileID string, sentences int) {
		t.Helper()
		rows := make([]db.Sentence, sentences)
		predicted := "predicted"
		for i := range rows {
			rows[i] = db.Sentence{ID: db.NewID(), Ordinal: i, Page: 1, Text: "Pay.", Labelling: db.Labelling{Source: &predicted}}
		}
		require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
			_, err := tx.SaveText(ctx, b.ours, fileID, db.Text{Sentences: rows})
			return err
		}))
		require.NoError(t, b.db.FoldCounts(ctx, b.ours.TeamID))
	}
	due := db.DueNearest{Format: 2, Sentences: 10, Share: 3, Age: time.Hour}
	isDue := func(want bool, why string) {
		t.Helper()
		teams, err := b.db.DueNearestIndexes(ctx, due)
		require.NoError(t, err)
		if want {
			require.Equal(t, []string{b.ours.TeamID}, teams, why)
		} else {
			require.Empty(t, teams, why)
		}
	}
	save := func(x db.NearestIndex, before string) error {
		return b.db.InTx(ctx, func(tx *db.Tx) error { return tx.SaveNearestIndex(ctx, b.ours, x, before) })
	}

	files, seen, err := b.db.TextFiles(ctx, b.ours)
	require.NoError(t, err)
	require.Empty(t, files)
	require.Zero(t, seen)
	isDue(false, "nothing is there")
	_, err = b.db.NearestIndex(ctx, b.ours)
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	var ids []string
	for range 4 {
		f := b.file(t, b.ours)
		text(f.ID, 2)
		ids = append(ids, f.ID)
	}
	isDue(false, "it is small")
	text(ids[0], 4)
	isDue(true, "it is large enough")
	files, seen, err = b.db.TextFiles(ctx, b.ours)
	require.NoError(t, err)
	require.Len(t, files, 4)
	generations := map[string]int{}
	for _, f := range files {
		generations[uuid.UUID(f.ID).String()] = f.Generation
	}
	for _, id := range ids {
		f, err := b.db.File(ctx, b.ours, id)
		require.NoError(t, err)
		require.Equal(t, f.Generation, generations[id])
		require.False(t, f.ProgressAt.After(seen))
	}
	theirs, _, err := b.db.TextFiles(ctx, b.theirs)
	require.NoError(t, err)
	require.Empty(t, theirs)

	first := db.NearestIndex{BytesID: db.NewID(), Format: 2, Sentences: 10, Files: 4, Size: 1000, Seen: seen}
	require.NoError(t, save(first, ""))
	require.Equal(t, fault.Conflict, fault.KindOf(save(db.NearestIndex{BytesID: db.NewID(), Seen: seen}, "")), "it has one")
	require.Equal(t, fault.Conflict, fault.KindOf(save(db.NearestIndex{BytesID: db.NewID(), Seen: seen}, db.NewID())), "it has another")
	got, err := b.db.NearestIndex(ctx, b.ours)
	require.NoError(t, err)
	require.True(t, got.Seen.Equal(seen))
	first.Seen, first.BuiltAt = got.Seen, got.BuiltAt
	require.Equal(t, first, got)
	_, err = b.db.NearestIndex(ctx, b.theirs)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	known, err := b.db.KnownBytes(ctx, []string{first.BytesID, db.NewID()})
	require.NoError(t, err)
	require.Equal(t, map[string]bool{first.BytesID: true}, known, "it is not swept")
	isDue(false, "it is new")
	due.Format = 3
	isDue(true, "it is of another format")
	due.Format = 2

	// All happens at one time within the test, which is the newest that the index has seen.
	before := seen.Add(-time.Minute)
	_, err = b.db.Conn().Exec(ctx, `UPDATE files SET progress_at = $1`, before)
	require.NoError(t, err)
	_, err = b.db.Conn().Exec(ctx, `UPDATE nearest_indexes SET seen = $1`, before)
	require.NoError(t, err)
	isDue(false, "nothing has changed")
	_, err = b.db.Conn().Exec(ctx, `UPDATE nearest_indexes SET built_at = now() - interval '2 hours'`)
	require.NoError(t, err)
	isDue(false, "nothing has changed, however old it is")
	text(ids[1], 2)
	isDue(true, "something has changed, and it is old")
	require.NoError(t, save(db.NearestIndex{BytesID: first.BytesID, Format: 2, Files: 4, Seen: before}, first.BytesID), "it is the same, seen later")
	isDue(false, "one of four has changed")
	text(ids[2], 2)
	isDue(true, "two of four have")
	second := db.NearestIndex{BytesID: db.NewID(), Format: 2, Files: 4, Seen: seen}
	require.NoError(t, save(second, first.BytesID))
	isDue(false, "it is new")
	remove := func(id string) {
		t.Helper()
		require.NoError(t, b.db.InTx(ctx, func(tx *db.Tx) error {
			_, err := tx.DeleteFile(ctx, b.ours, id)
			return err
		}))
		require.NoError(t, b.db.FoldCounts(ctx, b.ours.TeamID))
	}
	remove(ids[0])
	isDue(false, "one of four is gone")
	_, err = b.db.Conn().Exec(ctx, `UPDATE nearest_indexes SET built_at = now() - interval '2 hours'`)
	require.NoError(t, err)
	isDue(true, "something is gone, and it is old")
	require.NoError(t, save(db.NearestIndex{BytesID: second.BytesID, Format: 2, Files: 4, Seen: seen}, second.BytesID))
	remove(ids[1])
	isDue(true, "two of four are gone")
	require.NoError(t, save(db.NearestIndex{BytesID: second.BytesID, Format: 2, Files: 2, Seen: seen}, second.BytesID))
	remove(ids[2])
	remove(ids[3])
	require.NoError(t, save(db.NearestIndex{BytesID: second.BytesID, Format: 2, Files: 0, Seen: seen}, second.BytesID))
	isDue(true, "all are gone, and so is to be the index")
	require.NoError(t, b.db.DropNearestIndex(ctx, b.ours, first.BytesID), "another is left alone")
	isDue(true, "it is still there")
	require.NoError(t, b.db.DropNearestIndex(ctx, b.ours, second.BytesID))
	isDue(false, "nothing is there")
}
