package db

import "context"

// Installation is the identity of this installation.
type Installation struct {
	ID     string `db:"id"`
	Marked bool   `db:"marked"` // a store of files has been marked as its own
}

// Installation is held until the transaction ends, so that only one process marks
// a store.
func (t *Tx) Installation(ctx context.Context) (Installation, error) {
	return one[Installation](ctx, t.Queries, `SELECT id::text, marked FROM installation FOR NO KEY UPDATE`, nil)
}

// SetMarked records that a store of files is marked as this installation's.
func (t *Tx) SetMarked(ctx context.Context) error {
	return change(ctx, t.Queries, `UPDATE installation SET marked = true`, nil)
}

// FileBytes names bytes of a file: see blob.Of.
type FileBytes struct {
	FileID  string `db:"file_id"`
	BytesID string `db:"bytes_id"`
}

// NewestBytes lists what must be in the store of the files, of any team: the
// bytes of the newest files.
func (q Queries) NewestBytes(ctx context.Context, limit int) ([]FileBytes, error) {
	return many[FileBytes](ctx, q, `
		SELECT file_id::text, bytes_id::text FROM file_versions ORDER BY file_id DESC, number DESC LIMIT @limit`, args{"limit": limit})
}

// EverHadFiles reports whether there are files of any team, or ever were.
func (q Queries) EverHadFiles(ctx context.Context) (bool, error) {
	return value[bool](ctx, q, `
		SELECT EXISTS (SELECT FROM files) OR EXISTS (SELECT FROM audit_events WHERE resource_kind = 'file')`, nil)
}
