package blob_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/fault"
)

// bucket is a store in S3 that counts how often bytes are fetched.
func bucket(t *testing.T) (store *blob.Store, fetches *atomic.Int64) {
	t.Helper()
	fetches = new(atomic.Int64)
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("contracts"))
	answer := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fetches.Add(1)
		}
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	store, err := blob.Open(t.Context(), "s3://contracts?region=us-east-1&use_path_style=true&endpoint="+server.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() }) // one test has closed it
	return store, fetches
}

// hold reads key as a local file, which has to be whole.
func hold(t *testing.T, store *blob.Store, key string, size int) (path string, release func()) {
	t.Helper()
	path, release, err := store.Local(t.Context(), key)
	require.NoError(t, err)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, content, size)
	return path, release
}

func TestCopiesAreFetchedOnce(t *testing.T) { //nolint:paralleltest // it sets the environment
	const size = 600 << 10
	first, second := blob.Original("01990000-0000-7000-8000-0000000000a1"), blob.Original("01990000-0000-7000-8000-0000000000a2")
	store, fetches := bucket(t)
	dir := t.TempDir()
	require.NoError(t, store.Keep(dir, 1<<20))
	for _, key := range []string{first, second} {
		_, err := store.Put(t.Context(), key, bytes.NewReader(make([]byte, size)), size)
		require.NoError(t, err)
	}

	var readers sync.WaitGroup
	for range 20 {
		readers.Go(func() {
			path, release, err := store.Local(t.Context(), first)
			if err == nil {
				_, err = os.Stat(path)
				release()
				release() // twice is once
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	readers.Wait()
	_, release := hold(t, store, first, size)
	require.EqualValues(t, 1, fetches.Load(), "many at once, and one later")

	_, releaseSecond := hold(t, store, second, size)
	releaseSecond()
	_, releaseSecond = hold(t, store, second, size)
	require.EqualValues(t, 2, fetches.Load(), "what is being read takes no room from the others")
	release()
	releaseSecond()
	hold(t, store, second, size)
	require.EqualValues(t, 2, fetches.Load(), "the latest stays")
	path, release := hold(t, store, first, size)
	require.EqualValues(t, 3, fetches.Load(), "there was no room for both")

	release()
	require.NoError(t, store.Delete(t.Context(), first))
	require.NoFileExists(t, path, "what is deleted leaves no copy")
	_, _, err := store.Local(t.Context(), first)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

// TestCopiesThatFail asks at once for what is not there: each gets its answer, and
// nothing is left.
func TestCopiesThatFail(t *testing.T) { //nolint:paralleltest // it sets the environment
	store, _ := bucket(t)
	dir := t.TempDir()
	require.NoError(t, store.Keep(dir, 1<<20))
	key := blob.Original("01990000-0000-7000-8000-0000000000a3")
	var readers sync.WaitGroup
	for range 10 {
		readers.Go(func() {
			if _, _, err := store.Local(t.Context(), key); fault.KindOf(err) != fault.NotFound {
				t.Error(err)
			}
		})
	}
	readers.Wait()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := store.Local(cancelled, key)
	require.Error(t, err)
	left, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	require.Empty(t, left)

	_, err = store.Put(t.Context(), key, bytes.NewReader([]byte("clause")), 10)
	require.NoError(t, err)
	hold(t, store, key, 6)
}

// TestCopiesOfDeadProcesses starts beside a process that lives, and finds what one
// that was killed has left.
func TestCopiesOfDeadProcesses(t *testing.T) { //nolint:paralleltest // it sets the environment
	dir := t.TempDir()
	dead := filepath.Join(dir, "copies-1")
	require.NoError(t, os.Mkdir(dead, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dead, "clausemill-1"), []byte("clause"), 0o600))

	living, _ := bucket(t)
	require.NoError(t, living.Keep(dir, 1<<20))
	require.NoDirExists(t, dead)
	key := blob.Original("01990000-0000-7000-8000-0000000000a4")
	_, err := living.Put(t.Context(), key, bytes.NewReader([]byte("clause")), 10)
	require.NoError(t, err)
	path, release := hold(t, living, key, 6)
	release()

	beside, _ := bucket(t)
	require.NoError(t, beside.Keep(dir, 1<<20))
	require.FileExists(t, path)
	require.NoError(t, living.Close())
	require.NoFileExists(t, path, "a process that stops leaves nothing")
}
