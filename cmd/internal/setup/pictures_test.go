package setup

import (
	"bytes"
	"encoding/gob"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
)

// TestPicturesAreKept takes the pictures of a file from where they are kept, also none, and
// those of another version not from there.
func TestPicturesAreKept(t *testing.T) {
	t.Parallel()
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	p := pictures{&pages{blobs: blobs, dir: t.TempDir(), log: slog.New(slog.DiscardHandler), most: 5000, every: 1000}}
	file := db.File{SHA256: []byte{1}, Kind: "pdf"}
	file.ID, file.BytesID = "f1", "f1"
	for _, want := range [][]document.Picture{{{Page: 1, Width: 72, Height: 36, Bytes: []byte{1, 2}, Above: "The lease"}}, nil} {
		var out bytes.Buffer
		require.NoError(t, gob.NewEncoder(&out).Encode(want))
		require.NoError(t, p.kept.keep(p.path(file), out.Bytes()))
		got, err := p.Pictures(t.Context(), file)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	file.SHA256 = []byte{2}
	_, err = p.Pictures(t.Context(), file)
	require.Error(t, err)
}
