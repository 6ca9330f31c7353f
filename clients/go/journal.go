package clausemill

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// Journal remembers which files a server has accepted, over interruptions and
// restarts. It is one line per file, so that a crash costs the last one.
type Journal struct {
	mu     sync.Mutex
	file   *os.File
	bySum  map[string]entry // path and hash
	byStat map[string]entry // path, size and time: spares reading the file again
}

// entry is one line: the file as it was, and what the server called it.
type entry struct {
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	SHA256   string    `json:"sha256"`
	ID       string    `json:"id"`
}

// OpenJournal opens the journal of one server and key below dir, which it makes
// if need be. Another key may belong to another team, with other files.
func OpenJournal(dir, server, key string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := sha256.Sum256([]byte(server + "\x00" + key))
	f, err := os.OpenFile(filepath.Join(dir, hex.EncodeToString(name[:12])+".jsonl"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: f, bySum: map[string]entry{}, byStat: map[string]entry{}}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil { // a torn line is forgotten
			j.remember(e)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// Close ends the use of the journal.
func (j *Journal) Close() error { return j.file.Close() }

func (j *Journal) remember(e entry) {
	j.bySum[e.Path+"\x00"+e.SHA256] = e
	j.byStat[statKey(e.Path, e.Size, e.Modified)] = e
}

func statKey(path string, size int64, modified time.Time) string {
	return path + "\x00" + modified.UTC().Format(time.RFC3339Nano) + "\x00" + strconv.FormatInt(size, 10)
}

// unchanged returns the id that the file at path was accepted under, if it is
// still the one that was sent.
func (j *Journal) unchanged(path string, info fs.FileInfo) (entry, bool) {
	if j == nil {
		return entry{}, false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.byStat[statKey(path, info.Size(), info.ModTime())]
	return e, ok
}

// sent is the same by what is in the file.
func (j *Journal) sent(s Source) (entry, bool) {
	if j == nil {
		return entry{}, false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.bySum[s.Path+"\x00"+s.SHA256]
	return e, ok
}

// ErrJournal is of a journal that cannot be written. What the server accepted would be
// sent again by the next run, so it ends a batch.
var ErrJournal = errors.New("the journal of what was sent cannot be written")

// accepted adds a line for each entry. It remembers all of them, whether or not they can
// be written.
func (j *Journal) accepted(entries []entry) error {
	if j == nil || len(entries) == 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := bytes.NewBufferString("\n") // a torn line must not swallow the next
	encoder := json.NewEncoder(lines)
	for _, e := range entries {
		j.remember(e)
		if err := encoder.Encode(e); err != nil {
			return err
		}
	}
	if _, err := j.file.Write(lines.Bytes()); err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return nil
}
