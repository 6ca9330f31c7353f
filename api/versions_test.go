package api_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
)

// addVersion gives a file another version without asking for it.
func (b *bundle) addVersion(t *testing.T, who caller, fileID, name, content string) (file db.File) {
	t.Helper()
	v := db.NewVersion{BytesID: db.NewID(), Name: name, ContentType: "application/octet-stream", Source: db.VersionImported}
	written, err := b.blobs.Put(t.Context(), blob.Version(v.BytesID), strings.NewReader(content), 1<<20)
	require.NoError(t, err)
	v.Size, v.SHA256 = written.Size, written.SHA256[:]
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		held, err := tx.FileForUpdate(t.Context(), who.scope, fileID)
		if err != nil {
			return err
		}
		file, err = tx.AddVersion(t.Context(), who.scope, held, v, false)
		return err
	}))
	return file
}
