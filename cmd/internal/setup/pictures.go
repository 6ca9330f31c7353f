package setup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
)

// pictures cuts the pictures out of PDFs that Word documents are built of, and keeps them
// below the data directory: a document is built anew for each request about it.
type pictures struct{ kept *pages }

// pictures is a gallery whose children are those of documents.
func (r *Rooms) pictures(documents *document.Reader) (pictures, error) {
	cache, err := r.cacheDir()
	if err != nil {
		return pictures{}, err
	}
	kept, err := r.kept(cache, "pictures", documents)
	return pictures{kept}, err
}

// path is where the pictures of a version of a file are kept.
func (p pictures) path(file db.File) string {
	name := sha256.Sum256(fmt.Appendf(nil, "1 %x %s", file.SHA256, file.Kind))
	return filepath.Join(p.kept.dir, hex.EncodeToString(name[:]))
}

// Pictures is draft.Gallery. A file whose pictures cannot be read has none, and the same
// everywhere: its document is built of its text.
func (p pictures) Pictures(ctx context.Context, file db.File) ([]document.Picture, error) {
	path := p.path(file)
	var all []document.Picture
	if data, err := os.ReadFile(path); err == nil && gob.NewDecoder(bytes.NewReader(data)).Decode(&all) == nil {
		return all, nil
	}
	local, release, err := p.kept.blobs.Local(ctx, blob.Of(file.ID, file.BytesID))
	if err != nil {
		return nil, err
	}
	defer release()
	all, err = p.kept.documents.Pictures(ctx, local, document.Kind(file.Kind))
	if err != nil {
		if !fault.Permanent(err) {
			return nil, fault.Wrap(fault.Unavailable, "the pictures of the file could not be read; try again", err)
		}
		p.kept.log.LogAttrs(ctx, slog.LevelWarn, "the pictures of a file could not be read", slog.String("file_id", file.ID), slog.Any("error", err))
		all = nil
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(all); err != nil {
		return nil, err
	}
	if err := p.kept.keep(path, out.Bytes()); err != nil {
		p.kept.log.LogAttrs(ctx, slog.LevelWarn, "pictures of a file could not be kept", slog.Any("error", err))
	}
	return all, nil
}
