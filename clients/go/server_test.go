package clausemill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// server keeps the wire's promises in memory: idempotency keys, rate limits,
// answers before the body. Tests run it inside a synctest bubble, where an hour
// of waiting takes no time.
type server struct {
	mu       sync.Mutex
	files    map[string]*File    // by id
	byKey    map[string][]string // idempotency key to ids
	bodies   map[string]string   // hash of each whole upload request, by idempotency key
	requests []string            // "METHOD path" of each
	received int64               // bytes of files that were read
	made     int                 // files, deleted ones included
	paths    []string            // fields of that name

	// before may answer a request itself, and then returns true.
	before func(w http.ResponseWriter, r *http.Request) bool
	// after may spoil the answer to an upload that was taken.
	after func(w http.ResponseWriter) bool
	// work is called for each file that is asked for.
	work func(f *File)
}

// spreadsheet is a file that the server does not take.
const spreadsheet = "a spreadsheet, which nothing here reads"

// key is the one that the server accepts.
const key = "cm_user_test"

// patience is what a client of these tests has.
const patience = 10 * time.Minute

// start runs a server on an in-memory network and returns a client of it.
func start(t *testing.T, s *server) *Client {
	t.Helper()

	s.files, s.byKey, s.bodies = map[string]*File{}, map[string][]string{}, map[string]string{}
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	srv := &http.Server{Handler: s, ReadHeaderTimeout: time.Hour}
	go func() { _ = srv.Serve(l) }()

	c, err := New(Config{URL: "http://server.test", Key: key, Patience: patience})
	require.NoError(t, err)
	transport := c.http.Transport.(*http.Transport)
	transport.Proxy = nil
	transport.DialContext = l.dial
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = srv.Close()
		synctest.Wait()
	})
	return c
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	switch {
	case s.before != nil && s.before(w, r):
	case r.Header.Get("Authorization") != "Bearer "+key:
		answer(w, http.StatusUnauthorized, map[string]string{"error": "sign in or send an API key"})
	case r.Method == http.MethodPost:
		s.upload(w, r)
	case strings.HasSuffix(r.URL.Path, "/status"):
		s.status(w, r)
	default:
		s.list(w, r)
	}
}

func (s *server) upload(w http.ResponseWriter, r *http.Request) {
	sum := sha256.New()
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, sum), r.Body}
	form, err := r.MultipartReader()
	if err != nil {
		answer(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	var files []File
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return // the client went away
		}
		content := sha256.New()
		var text strings.Builder
		n, err := io.Copy(io.MultiWriter(content, &text), part)
		if err != nil {
			return
		}
		if part.FormName() == "path" {
			s.mu.Lock()
			s.paths = append(s.paths, text.String())
			s.mu.Unlock()
		}
		if part.FormName() == "file" {
			files = append(files, File{
				Status: "queued", Name: part.FileName(), Size: n, SHA256: hex.EncodeToString(content.Sum(nil)),
			})
			s.mu.Lock()
			s.received += n
			s.mu.Unlock()
		}
	}
	_, _ = io.Copy(io.Discard, r.Body)

	s.mu.Lock()
	defer s.mu.Unlock()
	idempotency := r.Header.Get("Idempotency-Key")
	whole := hex.EncodeToString(sum.Sum(nil))
	if _, ok := s.byKey[idempotency]; ok {
		if s.bodies[idempotency] != whole {
			answer(w, http.StatusUnprocessableEntity, map[string]string{"error": "another body came with this idempotency key"})
			return
		}
		s.uploaded(w, idempotency)
		return
	}
	s.byKey[idempotency], s.bodies[idempotency] = []string{}, whole
	for _, file := range files {
		if file.Size == int64(len(spreadsheet)) {
			s.byKey[idempotency] = append(s.byKey[idempotency], "refused "+file.Name)
			continue
		}
		s.made++
		file.ID = fmt.Sprintf("file-%04d", s.made)
		s.files[file.ID] = &file
		s.byKey[idempotency] = append(s.byKey[idempotency], file.ID)
	}
	if s.after != nil && s.after(w) {
		return
	}
	s.uploaded(w, idempotency)
}

// uploaded answers with the files of an idempotency key.
func (s *server) uploaded(w http.ResponseWriter, idempotency string) {
	items, errs := []*File{}, []UploadError{}
	for i, id := range s.byKey[idempotency] {
		if refused, ok := strings.CutPrefix(id, "refused "); ok {
			errs = append(errs, UploadError{Index: int64(i), Name: refused, Error: "a spreadsheet is no contract"})
		} else {
			items = append(items, s.files[id])
		}
	}
	switch {
	case len(items) == 0:
		answer(w, http.StatusUnsupportedMediaType, map[string]string{"error": "a spreadsheet is no contract"})
	case len(items)+len(errs) == 1:
		answer(w, http.StatusAccepted, items[0])
	default:
		answer(w, http.StatusAccepted, map[string]any{"items": items, "errors": errs})
	}
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []File{}
	for _, id := range r.URL.Query()["ids"] {
		if f := s.files[id]; f != nil {
			if s.work != nil {
				s.work(f)
			}
			found = append(found, *f)
		}
	}
	answer(w, http.StatusOK, map[string]any{"items": found})
}

func (s *server) status(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.files[strings.Split(r.URL.Path, "/")[3]]
	s.mu.Unlock()
	if f == nil {
		answer(w, http.StatusNotFound, map[string]string{"error": "not found"})
		return
	}
	if s.work != nil {
		s.work(f)
	}
	answer(w, http.StatusOK, map[string]any{"id": f.ID, "status": f.Status, "error": f.Error})
}

// count returns how many requests began with prefix.
func (s *server) count(prefix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if strings.HasPrefix(r, prefix) {
			n++
		}
	}
	return n
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// drop cuts the connection without a word.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// times returns a hook that does something to the first n requests.
func times(n int, what http.HandlerFunc) func(http.ResponseWriter, *http.Request) bool {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		n--
		now := n >= 0
		mu.Unlock()
		if now {
			what(w, r)
		}
		return now
	}
}

// listener is a network in memory, which synctest can follow.
type listener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// write puts files with these contents into a directory of their own.
func write(t *testing.T, contents ...string) (paths []string) {
	t.Helper()

	dir := t.TempDir()
	for i, content := range contents {
		path := filepath.Join(dir, fmt.Sprintf("contract-%04d.txt", i))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		paths = append(paths, path)
	}
	return paths
}
