package blob

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/memblob" // mem:// in tests
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
	"golang.org/x/sys/unix"

	"github.com/clausemill/clausemill/fault"
)

// Store keeps bytes under keys.
type Store struct {
	bucket *blob.Bucket
	dir    string // of a file store, else ""
	owner  string // see Own
	copies copies // of a bucket
}

// Open opens file:///absolute/dir, s3://bucket?region=…&endpoint=…, or mem://.
// A directory is made where it is missing.
func Open(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the blob URL cannot be read: %w", err)
	}
	if u.Scheme != "file" {
		open := blob.OpenBucket
		if u.Scheme == s3blob.Scheme {
			open = func(ctx context.Context, _ string) (*blob.Bucket, error) { return openS3(ctx, u, patience) }
		}
		bucket, err := open(ctx, address)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", u.Scheme, err)
		}
		return &Store{bucket: bucket}, nil
	}
	dir := filepath.FromSlash(u.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{
		Metadata: fileblob.MetadataDontWrite, // the database knows the content type
		// Temporary files are in the directory of the final ones, so that a rename
		// never crosses file systems.
		NoTempDir: true,
	})
	if err != nil {
		return nil, err
	}
	return &Store{bucket: bucket, dir: dir}, nil
}

// Close releases the store, and removes the copies of it.
func (s *Store) Close() error {
	return errors.Join(s.copies.close(), s.bucket.Close())
}

// Ready reports whether the store answers and is the right one, and can be
// written to where it is a directory.
func (s *Store) Ready(ctx context.Context) error {
	there, err := s.bucket.IsAccessible(ctx)
	if err == nil && !there {
		err = errors.New("there is no such bucket or directory")
	}
	if err == nil && s.dir != "" {
		err = unix.Access(s.dir, unix.R_OK|unix.W_OK|unix.X_OK)
	}
	if err == nil {
		return s.Check(ctx)
	}
	return unavailable(err)
}

// Room reports how many bytes the disk of a directory holds, and how many of them
// are free for this process. A bucket has no such bound: ok is false.
func (s *Store) Room() (size, free int64, ok bool) {
	var disk unix.Statfs_t
	if s.dir == "" || unix.Statfs(s.dir, &disk) != nil {
		return 0, 0, false
	}
	block := uint64(disk.Bsize)
	return int64(disk.Blocks * block), int64(disk.Bavail * block), true
}

// originals is the prefix of the uploaded bytes of files, versions that of the
// bytes of later versions, and indexes that of the indexes of nearest sentences.
const (
	originals = "original/"
	versions  = "version/"
	indexes   = "nearest/"
)

// Original is the key of a file's uploaded bytes. The last characters of the id
// spread the files over directories: the first ones are a clock.
func Original(fileID string) string { return originals + spread(fileID) }

// Version is the key of the bytes of a later version, which have an id of their
// own.
func Version(bytesID string) string { return versions + spread(bytesID) }

// Nearest is the key of a team's index of nearest sentences, which has an id of its own.
func Nearest(bytesID string) string { return indexes + spread(bytesID) }

// Of is the key of bytes of a file: those of its upload go by the file's id.
func Of(fileID, bytesID string) string {
	if bytesID == fileID {
		return Original(fileID)
	}
	return Version(bytesID)
}

func spread(id string) string { return id[len(id)-2:] + "/" + id }

// Written is what Put has stored.
type Written struct {
	Size   int64
	SHA256 [sha256.Size]byte
}

// Put stores what r yields and returns once it is durable. Beyond limit bytes it
// is TooLarge; after any error nothing is left under key.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, limit int64) (Written, error) {
	if s.dir != "" { // a file system that is gone leaves a directory in which everything could be written
		if err := s.Check(ctx); err != nil {
			return Written{}, err
		}
	}
	// Closing a writer publishes what it has; cancelling its context does not.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{ContentType: "application/octet-stream", DisableContentTypeDetection: true})
	if err != nil {
		return Written{}, unavailable(err)
	}
	hash := sha256.New()
	from := &source{Reader: r}
	to := bufio.NewWriterSize(w, 64<<10) // of a form comes little at a time
	n, err := io.Copy(io.MultiWriter(to, hash), io.LimitReader(from, limit+1))
	if err == nil {
		err = to.Flush()
	}
	if from.err != nil {
		err = from.err // it is about the caller's bytes, and says so in its own words
	} else {
		err = unavailable(err)
	}
	if err == nil && n > limit {
		err = fault.Newf(fault.TooLarge, "the file is larger than the limit of %d bytes", limit)
	}
	if err != nil {
		cancel()
		_ = w.Close() // reports the cancellation that was just asked for
		return Written{}, err
	}
	if err := w.Close(); err != nil {
		return Written{}, unavailable(err)
	}
	if s.dir != "" {
		if err := s.sync(key); err != nil {
			_ = s.bucket.Delete(context.WithoutCancel(ctx), key) // what is left is swept
			return Written{}, unavailable(err)
		}
	}
	out := Written{Size: n}
	hash.Sum(out.SHA256[:0])
	return out, nil
}

// source keeps the error of reading apart from those of writing.
type source struct {
	io.Reader

	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// sync makes a file and its name survive a power cut.
func (s *Store) sync(key string) error {
	path := s.path(key)
	return errors.Join(syncPath(path), syncPath(filepath.Dir(path)))
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (s *Store) path(key string) string { return filepath.Join(s.dir, filepath.FromSlash(key)) }

// Reader reads one key; it can seek, so that ranges need not be read from the
// start.
type Reader = blob.Reader

// Open reads the bytes under key; NotFound where there are none.
func (s *Store) Open(ctx context.Context, key string) (*Reader, error) {
	r, err := s.bucket.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, s.missing(ctx, err)
	}
	if err != nil {
		return nil, unavailable(err)
	}
	return r, nil
}

// Local gives the bytes under key as a file on this machine: the stored file
// itself, or a copy, which stays at least until release. The file must not be changed.
func (s *Store) Local(ctx context.Context, key string) (path string, release func(), err error) {
	if s.dir != "" {
		path = s.path(key)
		_, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil, s.missing(ctx, err)
		}
		return path, func() {}, unavailable(err)
	}
	return s.copies.open(ctx, key, func(to io.Writer) error {
		r, err := s.Open(ctx, key)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(to, r)
		return unavailable(err)
	})
}

// Delete removes the bytes under key; none is fine.
func (s *Store) Delete(ctx context.Context, key string) error {
	s.copies.drop(key)
	err := s.bucket.Delete(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	return unavailable(err)
}

// Object is something that is stored.
type Object struct {
	Key     string
	ID      string // of the bytes; those of an upload have the id of their file
	Written time.Time
}

// Parts is in how many parts of about the same size ObjectsOf has what is stored.
const Parts = 256

// Objects calls each with everything that is stored under an id.
func (s *Store) Objects(ctx context.Context, each func(Object) error) error {
	return s.objects(ctx, "", each)
}

// ObjectsOf calls each with one part of everything, from 0 to Parts-1, without reading
// of the others: what has an id that ends with it.
func (s *Store) ObjectsOf(ctx context.Context, part int, each func(Object) error) error {
	return s.objects(ctx, fmt.Sprintf("%02x/", part), each)
}

func (s *Store) objects(ctx context.Context, part string, each func(Object) error) error {
	if err := s.Check(ctx); err != nil { // who does not know them must not take them for left behind
		return err
	}
	for _, prefix := range []string{originals, versions, indexes} {
		list := s.list
		if s.dir != "" {
			list = s.walk
		}
		if err := list(ctx, prefix+part, func(key string, written time.Time) error {
			return each(Object{key, key[strings.LastIndexByte(key, '/')+1:], written})
		}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) list(ctx context.Context, prefix string, each func(key string, written time.Time) error) error {
	list := s.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		object, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unavailable(err)
		}
		if err := each(object.Key, object.ModTime); err != nil {
			return err
		}
	}
}

// walk is list of a directory. What goes away meanwhile is passed over, where the
// listing of the bucket would end with an error.
func (s *Store) walk(ctx context.Context, prefix string, each func(key string, written time.Time) error) error {
	return filepath.WalkDir(s.path(prefix), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return unavailable(err)
		}
		if err := ctx.Err(); err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return unavailable(err)
		}
		key, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		return each(filepath.ToSlash(key), info.ModTime())
	})
}

// Full reports whether err means that a disk, a quota or a bucket has no room
// left, for those who write files of their own as well.
func Full(err error) bool {
	var answer interface{ HTTPStatusCode() int } // of a bucket
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) ||
		errors.As(err, &answer) && answer.HTTPStatusCode() == http.StatusInsufficientStorage
}

// unavailable makes a fault of what a store says.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if gcerrors.Code(err) == gcerrors.NotFound {
		return fault.Wrap(fault.NotFound, "not found", err)
	}
	if Full(err) {
		return fault.Wrap(fault.NoSpace, "the file store has no space left; try again later", err)
	}
	return fault.Wrap(fault.Unavailable, "the file store is not available; try again", err)
}
