package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/blob/blobtest"
	"github.com/clausemill/clausemill/fault"
)

// TestStore holds every engine to the same behaviour.
func TestStore(t *testing.T) {
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("contracts"))
	s3 := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(s3.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")

	for name, address := range map[string]string{
		"File":   "file://" + t.TempDir(),
		"S3":     "s3://contracts?region=us-east-1&use_path_style=true&endpoint=" + s3.URL,
		"Memory": "mem://",
	} {
		t.Run(name, func(t *testing.T) { conform(t, address) })
	}
}

// TestStoreInS3 is TestStore on a server that others use, whose rules are those of
// S3 where the one in memory is lenient.
func TestStoreInS3(t *testing.T) { // sets the environment: not parallel
	address, _ := blobtest.S3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", blobtest.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", blobtest.SecretKey)
	conform(t, blobtest.BlobURL(address))
}

func conform(t *testing.T, address string) {
	ctx := t.Context()
	store, err := blob.Open(ctx, address)
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, store.Ready(ctx))
	const id = "01990000-0000-7000-8000-0000000000ab"
	key := blob.Original(id)

	content := bytes.Repeat([]byte("clause "), 100_000)
	written, err := store.Put(ctx, key, bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	require.Equal(t, blob.Written{Size: int64(len(content)), SHA256: sha256.Sum256(content)}, written)

	r, err := store.Open(ctx, key)
	require.NoError(t, err)
	_, err = r.Seek(7, io.SeekStart)
	require.NoError(t, err)
	part := make([]byte, 6)
	_, err = io.ReadFull(r, part)
	require.NoError(t, err)
	require.Equal(t, "clause", string(part))
	require.NoError(t, r.Close())

	path, release, err := store.Local(ctx, key)
	require.NoError(t, err)
	local, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, local)
	release()

	var found []string
	require.NoError(t, store.Objects(ctx, func(o blob.Object) error {
		found = append(found, o.ID)
		require.WithinDuration(t, time.Now(), o.Written, time.Hour)
		return nil
	}))
	require.Equal(t, []string{id}, found)
	for part := range blob.Parts {
		require.NoError(t, store.ObjectsOf(ctx, part, func(o blob.Object) error {
			found = append(found, o.ID)
			require.Equal(t, id[len(id)-2:], fmt.Sprintf("%02x", part))
			return nil
		}))
	}
	require.Equal(t, []string{id, id}, found, "it is in one of the parts")

	const other = "01990000-0000-7000-8000-0000000000cd"
	_, err = store.Put(ctx, blob.Original(other), bytes.NewReader(content), 10)
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	broken := errors.New("the client went away")
	_, err = store.Put(ctx, blob.Original(other), io.MultiReader(bytes.NewReader(content), iotest.ErrReader(broken)), 1<<30)
	require.ErrorIs(t, err, broken)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = store.Put(cancelled, blob.Original(other), bytes.NewReader(content), 1<<30)
	require.Error(t, err)
	_, err = store.Open(ctx, blob.Original(other))
	require.Equal(t, fault.NotFound, fault.KindOf(err), "nothing is left of an upload that failed")

	// An index is listed as what is of files is.
	const index = "01990000-0000-7000-8000-0000000000fa"
	_, err = store.Put(ctx, blob.Nearest(index), strings.NewReader("index"), 10)
	require.NoError(t, err)
	found = nil
	require.NoError(t, store.ObjectsOf(ctx, 0xfa, func(o blob.Object) error {
		found = append(found, o.ID, o.Key)
		return nil
	}))
	require.Equal(t, []string{index, blob.Nearest(index)}, found)
	require.NoError(t, store.Delete(ctx, blob.Nearest(index)))

	require.NoError(t, store.Delete(ctx, key))
	require.NoError(t, store.Delete(ctx, key), "twice is fine")
	_, _, err = store.Local(ctx, key)
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	// What is deleted meanwhile is no error of the listing.
	for i := range 200 {
		_, err = store.Put(ctx, blob.Original(fmt.Sprintf("01990000-0000-7000-8000-%010dab", i)), strings.NewReader("clause"), 10)
		require.NoError(t, err)
	}
	deleted := make(chan error, 1)
	go func() {
		for i := range 200 {
			if err := store.Delete(ctx, blob.Original(fmt.Sprintf("01990000-0000-7000-8000-%010dab", i))); err != nil {
				deleted <- err
				return
			}
		}
		close(deleted)
	}()
	for left := 1; left > 0; {
		left = 0
		require.NoError(t, store.Objects(ctx, func(blob.Object) error { left++; return nil }))
	}
	require.NoError(t, <-deleted)

	marked(t, store)
}

// marked gives the store a mark, under which it answers as before, and takes it
// for another's.
func marked(t *testing.T, store *blob.Store) {
	t.Helper()
	ctx := t.Context()
	key := blob.Original("01990000-0000-7000-8000-0000000000ef")
	mark, err := store.Mark(ctx)
	require.NoError(t, err)
	require.Empty(t, mark)
	for _, id := range []string{"ours", "theirs"} {
		mark, err = store.SetMark(ctx, id)
		require.NoError(t, err)
		require.Equal(t, "ours", mark, "the first one stays")
	}

	store.Own("ours")
	require.NoError(t, store.Check(ctx))
	_, err = store.Put(ctx, key, bytes.NewReader([]byte("clause")), 10)
	require.NoError(t, err)
	_, err = store.Open(ctx, key+"x")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	has, err := store.Has(ctx, key)
	require.NoError(t, err)
	require.True(t, has)
	n := 0
	require.NoError(t, store.Objects(ctx, func(blob.Object) error { n++; return nil }))
	require.Equal(t, 1, n, "the mark is no file's")

	store.Own("theirs")
	require.ErrorIs(t, store.Check(ctx), blob.ErrForeign)
	r, err := store.Open(ctx, key)
	require.NoError(t, err, "what is there is read")
	require.NoError(t, r.Close())
	_, err = store.Open(ctx, key+"x")
	require.ErrorIs(t, err, blob.ErrForeign)
	_, _, err = store.Local(ctx, key+"x")
	require.ErrorIs(t, err, blob.ErrForeign)
	require.ErrorIs(t, store.Objects(ctx, func(blob.Object) error { return nil }), blob.ErrForeign)
}

// TestGoneFileSystem has a directory that is empty all at once, as a mount point
// is without what was mounted: nothing is written to it.
func TestGoneFileSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := blob.Open(t.Context(), "file://"+dir)
	require.NoError(t, err)
	_, err = store.SetMark(t.Context(), "ours")
	require.NoError(t, err)
	store.Own("ours")
	require.NoError(t, os.Rename(dir, dir+"-elsewhere"))
	require.NoError(t, os.Mkdir(dir, 0o700))
	_, err = store.Put(t.Context(), blob.Original("01990000-0000-7000-8000-0000000000ef"), bytes.NewReader(nil), 10)
	require.ErrorIs(t, err, blob.ErrForeign)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestReady(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "blobs")
	store, err := blob.Open(t.Context(), "file://"+dir)
	require.NoError(t, err)
	require.NoError(t, store.Ready(t.Context()))
	require.NoError(t, os.Rename(dir, dir+".gone"))
	err = store.Ready(t.Context())
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.NoError(t, os.Rename(dir+".gone", dir))
	require.NoError(t, store.Ready(t.Context()))
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := blobtest.Disk(t, "1m")
	store, err := blob.Open(t.Context(), "file://"+filepath.Join(disk, "blobs"))
	require.NoError(t, err)
	_, err = store.Put(t.Context(), "original/ab/small", bytes.NewReader(make([]byte, 1000)), 1<<30)
	require.NoError(t, err)
	_, err = store.Put(t.Context(), "original/ab/large", bytes.NewReader(make([]byte, 2<<20)), 1<<30)
	require.Equal(t, fault.NoSpace, fault.KindOf(err))
	require.Equal(t, "the file store has no space left; try again later", fault.Message(err))
	_, err = store.Open(t.Context(), "original/ab/large")
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	release := blobtest.Fill(t, disk)
	_, err = store.Put(t.Context(), "original/cd/other", bytes.NewReader(make([]byte, 1000)), 1<<30)
	require.Equal(t, fault.NoSpace, fault.KindOf(err))
	r, err := store.Open(t.Context(), "original/ab/small")
	require.NoError(t, err, "what is there can be read")
	require.NoError(t, r.Close())
	release()
	_, err = store.Put(t.Context(), "original/cd/other", bytes.NewReader(make([]byte, 1000)), 1<<30)
	require.NoError(t, err)
}

// TestFullBucket asks a bucket that answers as MinIO does on a full disk.
func TestFullBucket(t *testing.T) {
	s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusInsufficientStorage)
		_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>XMinioStorageFull</Code><Message>full</Message></Error>`)
	}))
	t.Cleanup(s3.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	store, err := blob.Open(t.Context(), "s3://contracts?region=us-east-1&use_path_style=true&endpoint="+s3.URL)
	require.NoError(t, err)
	_, err = store.Put(t.Context(), "original/ab/x", bytes.NewReader(make([]byte, 1000)), 1<<30)
	require.Equal(t, fault.NoSpace, fault.KindOf(err), "%v", err)
}

func TestFileStoreLeavesNoTemporaryFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := blob.Open(t.Context(), "file://"+dir)
	require.NoError(t, err)
	_, err = store.Put(t.Context(), "original/ab/x", iotest.ErrReader(io.ErrUnexpectedEOF), 10)
	require.Error(t, err)
	var left []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			left = append(left, path)
		}
		return err
	}))
	require.Empty(t, left)
}

// TestRoom is told of the disk of a directory, and of no other store.
func TestRoom(t *testing.T) {
	t.Parallel()
	for address, bounded := range map[string]bool{"file://" + filepath.ToSlash(t.TempDir()): true, "mem://": false} {
		s, err := blob.Open(t.Context(), address)
		require.NoError(t, err)
		size, free, ok := s.Room()
		require.Equal(t, bounded, ok)
		require.Equal(t, bounded, size > 0)
		require.LessOrEqual(t, free, size)
		require.NoError(t, s.Close())
	}
}
