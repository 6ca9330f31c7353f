package db_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// TestRenditionsAreKeptForATime finds a rendition until its time is over, and
// makes room for it then.
func TestRenditionsAreKeptForATime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.ours)
	save := func(key string, keep time.Duration) {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.SaveRendition(t.Context(), b.ours, f.ID, []byte(key), db.Rendition{Report: json.RawMessage(`{}`), Document: []byte(key)}, keep)
		}))
	}
	rows := func() (n int) {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Raw.QueryRow(t.Context(), `SELECT count(*) FROM renditions`).Scan(&n)
		}))
		return n
	}
	save("kept", db.KeepRendition)
	save("over", -time.Second)
	require.NoError(t, b.db.Prune(t.Context()))
	require.Equal(t, 1, rows())
	r, err := b.db.Rendition(t.Context(), b.ours, f.ID, []byte("kept"))
	require.NoError(t, err)
	require.Equal(t, []byte("kept"), r.Document)
	_, err = b.db.Rendition(t.Context(), b.theirs, f.ID, []byte("kept"))
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	save("kept", -time.Second)
	_, err = b.db.Rendition(t.Context(), b.ours, f.ID, []byte("kept"))
	require.Equal(t, fault.NotFound, fault.KindOf(err), "it is no longer given out, whether or not it was forgotten yet")
	save("kept", db.KeepAttempt)
	require.NoError(t, b.db.Prune(t.Context()))
	_, err = b.db.Rendition(t.Context(), b.ours, f.ID, []byte("kept"))
	require.NoError(t, err)
}
