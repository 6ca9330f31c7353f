package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// idleCopy is how long a copy outlives its last reader. The jobs about one file
// follow one another within seconds; what was deleted for good is gone after it.
const idleCopy = 10 * time.Minute

// copies are the bytes of a bucket that this process reads as local files. Each key
// is fetched once, however many jobs read it at the same time or shortly after one
// another: a scan has a job for every few pages.
type copies struct {
	dir    string // "" is the system's for temporary files
	limit  int64  // of the bytes of copies that nobody reads
	unlock func() // of dir, where it is our own

	mu    sync.Mutex
	byKey map[string]*localCopy
	idle  int64 // bytes of copies that nobody reads
}

// localCopy is one of them. All but fetched is guarded by copies.mu.
type localCopy struct {
	key     string
	path    string
	size    int64
	readers int
	since   time.Time     // when the last reader left
	expiry  *time.Timer   // of a copy that nobody reads
	fetched chan struct{} // closed when path is there, or the fetch failed
	failed  bool
}

// Keep has copies of a bucket's bytes stay in a directory of their own below dir,
// up to limit bytes beyond those that are being read. What processes left there that
// are dead is removed. It is called before the first Local.
func (s *Store) Keep(dir string, limit int64) error {
	if s.dir != "" {
		return nil // the store is local
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	// Nobody else takes the new directory for a dead one before it is locked.
	unlock, err := lock(dir, unix.LOCK_EX)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range old {
		path := filepath.Join(dir, e.Name())
		release, err := lock(path, unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			continue // its process lives
		}
		if err == nil {
			err = os.RemoveAll(path)
			release()
		}
		if err != nil {
			return err
		}
	}
	own, err := os.MkdirTemp(dir, "copies-")
	if err != nil {
		return err
	}
	if s.copies.unlock, err = lock(own, unix.LOCK_EX); err != nil {
		return err
	}
	s.copies.dir, s.copies.limit = own, limit
	return nil
}

// lock locks a directory until the function it returns is called, or the process ends.
func lock(dir string, how int) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), f.Close())
		}
	}
}

// open gives a copy of what fetch writes. Of those who ask for one key at a time one
// fetches it; where that fails, the next tries.
func (c *copies) open(ctx context.Context, key string, fetch func(io.Writer) error) (path string, release func(), err error) {
	for {
		c.mu.Lock()
		held := c.byKey[key]
		if held == nil {
			break
		}
		c.take(held)
		c.mu.Unlock()
		select {
		case <-held.fetched:
		case <-ctx.Done():
			c.leave(held)
			return "", nil, ctx.Err()
		}
		if !held.failed {
			return held.path, sync.OnceFunc(func() { c.leave(held) }), nil
		}
	}
	held := &localCopy{key: key, readers: 1, fetched: make(chan struct{})}
	if c.byKey == nil {
		c.byKey = map[string]*localCopy{}
	}
	c.byKey[key] = held
	c.mu.Unlock()

	path, size, err := c.write(fetch)
	c.mu.Lock()
	held.path, held.size, held.failed = path, size, err != nil
	if err != nil {
		delete(c.byKey, key)
	}
	c.mu.Unlock()
	close(held.fetched)
	if err != nil {
		return "", nil, err
	}
	return path, sync.OnceFunc(func() { c.leave(held) }), nil
}

// write puts what fetch writes into a new file.
func (c *copies) write(fetch func(io.Writer) error) (path string, size int64, err error) {
	f, err := os.CreateTemp(c.dir, "clausemill-*")
	if err != nil {
		return "", 0, err
	}
	err = fetch(f)
	if err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", 0, errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), size, nil
}

// take counts one more reader of a copy. c.mu is held.
func (c *copies) take(held *localCopy) {
	if held.readers++; held.expiry != nil {
		held.expiry.Stop()
		held.expiry = nil
		c.idle -= held.size
	}
}

// leave counts one reader less, and makes room.
func (c *copies) leave(held *localCopy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held.readers--; held.readers > 0 || held.failed {
		return
	}
	held.since = time.Now()
	held.expiry = time.AfterFunc(idleCopy, func() { c.expire(held) })
	c.idle += held.size
	for c.idle > c.limit {
		c.remove(c.oldest())
	}
}

// oldest is the copy that nobody has read for the longest time. There are few: a
// copy is at least a file that took a while to fetch.
func (c *copies) oldest() *localCopy {
	var first *localCopy
	for _, held := range c.byKey {
		if held.expiry != nil && (first == nil || held.since.Before(first.since)) {
			first = held
		}
	}
	return first
}

// expire removes a copy whose time is over, unless it has a reader again.
func (c *copies) expire(held *localCopy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held.expiry != nil && time.Since(held.since) >= idleCopy {
		c.remove(held)
	}
}

// drop removes the copy of what was deleted from the store, if nobody reads it.
func (c *copies) drop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held := c.byKey[key]; held != nil && held.expiry != nil {
		c.remove(held)
	}
}

// remove removes a copy that nobody reads. c.mu is held.
func (c *copies) remove(held *localCopy) {
	held.expiry.Stop()
	held.expiry = nil
	c.idle -= held.size
	delete(c.byKey, held.key)
	_ = os.Remove(held.path)
}

// close removes what Keep made. What is read meanwhile stays readable where it is open.
func (c *copies) close() error {
	if c.unlock == nil {
		return nil
	}
	c.unlock()
	return os.RemoveAll(c.dir)
}
