package setup

import (
	"context"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/layout"
)

// documents is a pool of size children that read documents: this program again,
// as `clausemill reader`.
func (r *Rooms) documents(size, nice int, rest child.Rest, log *slog.Logger) (*document.Reader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cache, err := r.cacheDir()
	if err != nil {
		return nil, err
	}
	converter, err := r.converter()
	if err != nil {
		return nil, err
	}
	limits := document.DefaultLimits()
	limits.MaxPages = r.MaxPages
	return document.NewReader(document.Config{
		Command:   []string{self, "reader"},
		Size:      max(1, size),
		Nice:      nice,
		Rest:      rest,
		Limits:    limits,
		CacheDir:  cache,
		Converter: converter,
		Log:       log,
		Observe:   r.observe("reader"),
	}), nil
}

// observe counts how the children that run program end.
func (r *Rooms) observe(program string) func(child.Event) {
	return func(e child.Event) { r.children.WithLabelValues(program, string(e.Cause)).Inc() }
}

// unlocker opens files with their passwords.
type unlocker struct {
	blobs     *blob.Store
	documents *document.Reader
}

// Unlock has a child write what the password opens, and stores that under key.
func (u unlocker) Unlock(ctx context.Context, file db.File, password, key string, limit int64) (blob.Written, error) {
	original, release, err := u.blobs.Local(ctx, blob.Of(file.ID, file.BytesID))
	if err != nil {
		return blob.Written{}, err
	}
	defer release()
	dir, err := os.MkdirTemp("", "clausemill-unlock-")
	if err != nil {
		return blob.Written{}, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "unlocked")
	if err := u.documents.Unlock(ctx, original, file.Name, password, path); err != nil {
		return blob.Written{}, err
	}
	made, err := os.Open(path)
	if err != nil {
		return blob.Written{}, err
	}
	defer made.Close()
	return u.blobs.Put(ctx, key, made, limit)
}

// searchable makes PDFs in which recognised words can be found.
type searchable struct {
	db        *db.DB
	blobs     *blob.Store
	documents *document.Reader
}

// SearchablePDF writes file as a PDF whose recognised pages carry invisibly what
// of their text it does not have itself.
func (s searchable) SearchablePDF(ctx context.Context, file db.File, w io.Writer) error {
	rows, err := s.db.PagesWithWords(ctx, db.System(file.TeamID), file.ID, 1, math.MaxInt32)
	if err != nil {
		return err
	}
	var pages []layout.Page
	for _, p := range rows {
		if p.Pending || p.Source != string(document.Recognised) {
			continue
		}
		page, err := p.Layout()
		if err != nil {
			return err
		}
		pages = append(pages, layout.Unwritten(page))
	}
	original, release, err := s.blobs.Local(ctx, blob.Of(file.ID, file.BytesID))
	if err != nil {
		return err
	}
	defer release()
	dir, err := os.MkdirTemp("", "clausemill-pdf-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "searchable.pdf")
	if err := s.documents.Searchable(ctx, original, document.Kind(file.Kind), pages, path); err != nil {
		return err
	}
	made, err := os.Open(path)
	if err != nil {
		return err
	}
	defer made.Close()
	_, err = io.Copy(w, made)
	return err
}
