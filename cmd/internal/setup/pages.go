package setup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/document"
)

// pageCache bounds the pictures of pages that are kept, in bytes, and pageSweep how many
// are added before it is looked whether there are too many.
const (
	pageCache = 512 << 20
	pageSweep = pageCache / 8
)

// pages draws pages, and keeps their pictures below the data directory. Who may see them
// is decided before: a picture is called by what it shows.
type pages struct {
	blobs     *blob.Store
	documents *document.Reader
	dir       string
	log       *slog.Logger
	most      int64 // bytes that are kept
	every     int64 // bytes that are added before it is swept

	mu    sync.Mutex
	added int64 // since it was swept
}

// pages is a drawer with children of its own: somebody waits for what they draw, and not
// for what the others write.
func (r *Rooms) pages() (*pages, error) {
	documents, err := r.documents(api.PagesAtOnce, 0, nil, r.Log)
	if err != nil {
		return nil, err
	}
	cache, err := r.cacheDir()
	if err != nil {
		return nil, err
	}
	return r.kept(cache, "pages", documents)
}

// kept are pictures in a directory of the cache. The first one shows whether those of an
// earlier run are too many.
func (r *Rooms) kept(cache, name string, documents *document.Reader) (*pages, error) {
	dir := filepath.Join(cache, name)
	return &pages{r.Blobs, documents, dir, r.Log, pageCache, pageSweep, sync.Mutex{}, pageSweep}, os.MkdirAll(dir, 0o700)
}

// path is where the picture of a page is kept.
func (p *pages) path(page api.DrawnPage) string {
	name := sha256.Sum256(fmt.Appendf(nil, "1 %x %s%s %d %d %s", page.File.SHA256, page.File.Kind, page.Print, page.Number, page.Width, page.Format))
	return filepath.Join(p.dir, hex.EncodeToString(name[:]))
}

// Drawn is a picture that is kept. It is kept longer for having been asked for.
func (p *pages) Drawn(page api.DrawnPage) []byte {
	path := p.path(page)
	picture, err := os.ReadFile(path)
	if err != nil || len(picture) == 0 {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // a picture that was removed meanwhile was read all the same
	return picture
}

// Draw draws a page and keeps its picture. A full disk costs time the next time and
// nothing else.
func (p *pages) Draw(ctx context.Context, page api.DrawnPage) ([]byte, error) {
	local, kind, release, err := p.local(ctx, page)
	if err != nil {
		return nil, err
	}
	defer release()
	picture, err := p.documents.Draw(ctx, local, kind, page.Number, page.Width, page.Format)
	if err != nil {
		return nil, err
	}
	if err := p.keep(p.path(page), picture); err != nil {
		p.log.LogAttrs(ctx, slog.LevelWarn, "a picture of a page could not be kept", slog.Any("error", err))
	}
	return picture, nil
}

// local is the file that a page is in, and its kind.
func (p *pages) local(ctx context.Context, page api.DrawnPage) (path string, kind document.Kind, release func(), err error) {
	if page.PDF == nil {
		path, release, err = p.blobs.Local(ctx, blob.Of(page.File.ID, page.File.BytesID))
		return path, document.Kind(page.File.Kind), release, err
	}
	f, err := os.CreateTemp("", "clausemill-print-*.pdf")
	if err != nil {
		return "", "", nil, err
	}
	_, err = f.Write(page.PDF)
	if err = cmp.Or(err, f.Close()); err != nil {
		return "", "", nil, errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), document.PDF, func() { _ = os.Remove(f.Name()) }, nil
}

// keep writes a picture, whole or not at all.
func (p *pages) keep(path string, picture []byte) error {
	f, err := os.CreateTemp(p.dir, "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(picture)
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.added += int64(len(picture)); p.added < p.every {
		return nil
	}
	p.added = 0
	return sweep(p.dir, p.most)
}

// sweep removes the files of a directory that were not used for longest, until those that
// are left have no more bytes than most. Several processes may do so at once.
func sweep(dir string, most int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var kept []fs.FileInfo
	var sum int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else somebody else has removed it
			kept, sum = append(kept, info), sum+info.Size()
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept {
		if sum <= most {
			break
		}
		if err := os.Remove(filepath.Join(dir, info.Name())); err != nil && !os.IsNotExist(err) {
			return err
		}
		sum -= info.Size()
	}
	return nil
}
