package setup

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestClaim opens stores as a service does that is new, is one of several
// processes, comes from a release that did not mark them, or was given the wrong
// one.
func TestClaim(t *testing.T) {
	t.Parallel()

	installation := func() *db.DB {
		t.Helper()
		d, _ := dbtest.Database(t)
		_, err := d.Pool().Exec(t.Context(), `UPDATE installation SET id = gen_random_uuid()`) // all are copies of one
		require.NoError(t, err)
		return d
	}
	d, other := installation(), installation()
	open := func(dir string) *blob.Store {
		t.Helper()
		s, err := blob.Open(t.Context(), "file://"+dir)
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	dir := t.TempDir()
	require.NoError(t, claim(t.Context(), d, open(dir), false))
	require.NoFileExists(t, filepath.Join(dir, "installation"), "it was only looked at")
	require.NoError(t, claim(t.Context(), d, open(dir), true), "both are new")
	store := open(dir)
	require.NoError(t, claim(t.Context(), d, store, true))
	require.NoError(t, store.Check(t.Context()))
	require.ErrorIs(t, claim(t.Context(), other, open(dir), true), errForeignStore)
	require.ErrorIs(t, claim(t.Context(), d, open(t.TempDir()), true), errEmptyStore, "another one was marked")

	require.NoError(t, other.InTx(t.Context(), func(tx *db.Tx) error {
		user, err := tx.EnsureUser(t.Context(), "ada@example.com", "")
		if err != nil {
			return err
		}
		in := db.Scope{TeamID: user.PersonalTeamID, ActorKind: "user", ActorID: user.ID}
		for _, id := range []string{"0199-a", "0199-b", "0199-c"} {
			f := db.NewFile{ID: db.NewID(), Name: id, SHA256: []byte(id), Source: "upload"}
			if _, err := tx.CreateFile(t.Context(), in, f); err != nil {
				return err
			}
		}
		return nil
	}))
	require.ErrorIs(t, claim(t.Context(), other, open(t.TempDir()), true), errEmptyStore, "the files are elsewhere")
	old := t.TempDir()
	files, err := other.NewestBytes(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, f := range files[1:] { // one was lost
		_, err := open(old).Put(t.Context(), blob.Of(f.FileID, f.BytesID), bytes.NewReader([]byte("x")), 10)
		require.NoError(t, err)
	}
	require.ErrorIs(t, claim(t.Context(), installation(), open(old), true), errUnknownStore, "the database is another's")
	require.NoError(t, claim(t.Context(), other, open(old), true), "it was not marked yet")
	mark, err := open(old).Mark(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, mark)
}
