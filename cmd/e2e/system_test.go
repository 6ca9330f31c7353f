package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// system is an installation: a database, a directory and settings that all its
// processes share.
type system struct {
	t   testing.TB
	dir string
	env []string
	db  *db.DB // to look into, and to set up what HTTP cannot
}

// newSystem prepares an installation with a database of its own. Settings are
// added as NAME=value.
func newSystem(t testing.TB, settings ...string) *system {
	t.Helper()
	d, url := dbtest.Database(t)
	return newSystemAt(t, d, url, settings...)
}

// newService is a system with an API and a worker, and somebody who asks it by
// key and by session.
func newService(t testing.TB, settings ...string) (s *system, byKey, bySession *caller) {
	t.Helper()
	s = newSystem(t, settings...)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	s.worker()
	return s, ada.byKey(t, address), ada.bySession(t, address)
}

func newSystemAt(t testing.TB, d *db.DB, url string, settings ...string) *system {
	t.Helper()
	s := &system{t: t, dir: t.TempDir(), db: d}
	data := filepath.Join(s.dir, "data")
	linkCache(t, data)
	s.env = append([]string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + s.dir,
		"DATABASE_URL=" + url,
		"CLAUSEMILL_DATABASE_CONNS=8",
		"CLAUSEMILL_DATA_DIR=" + data,
		"CLAUSEMILL_OCR=" + ocrProgram,
		"CLAUSEMILL_OCR_SLOTS=2",
		"CLAUSEMILL_TEXT_SLOTS=2",
		"CLAUSEMILL_RATE_LIMIT=10000000",
		"CLAUSEMILL_DRAIN_DELAY=0s",
		"CLAUSEMILL_LOG_LEVEL=warn",
	}, settings...)
	return s
}

// linkCache makes a directory for data that has the compiled code of all tests in it.
func linkCache(t testing.TB, data string) {
	t.Helper()
	require.NoError(t, os.Mkdir(data, 0o700))
	require.NoError(t, os.Symlink(cacheDir, filepath.Join(data, "cache")))
}

// blobs is the directory of the stored files.
func (s *system) blobs() string { return filepath.Join(s.dir, "data", "blobs") }

// worker starts `clausemill work`.
func (s *system) worker(settings ...string) *process {
	s.t.Helper()
	return start(s.t, s.dir, slices.Concat(s.env, settings), program, "work")
}

// api starts `clausemill serve` at an address and returns once it is ready.
func (s *system) api(address string, settings ...string) *process {
	s.t.Helper()
	env := slices.Concat(s.env, []string{"CLAUSEMILL_ADDR=" + address}, settings)
	p := start(s.t, s.dir, env, program, "serve")
	require.Eventually(s.t, func() bool { return !p.running() || ready(address) }, time.Minute, 20*time.Millisecond)
	require.True(s.t, p.running(), p.said(4<<10))
	return p
}

// freeAddress is an address that nobody listens on now.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

func ready(address string) bool {
	response, err := http.Get("http://" + address + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// account is a user with a team.
type account struct {
	in      db.Scope
	key     string // an API key
	session string // the token of a session
}

// account makes a user.
func (s *system) account(email string) account {
	s.t.Helper()
	key, session := auth.NewKey(db.UserKey), auth.NewToken()
	var a account
	ctx := s.t.Context()
	require.NoError(s.t, s.db.InTx(ctx, func(tx *db.Tx) error {
		user, err := tx.EnsureUser(ctx, email, email)
		if err != nil {
			return err
		}
		a = account{
			in:  db.Scope{TeamID: user.PersonalTeamID, ActorKind: "user", ActorID: user.ID},
			key: key.Text, session: session.Text,
		}
		if _, err := tx.CreateAPIKey(ctx, db.APIKey{Kind: db.UserKey, TeamID: a.in.TeamID, UserID: &user.ID, Name: "e2e", Hint: key.Hint}, key.Hash); err != nil {
			return err
		}
		return tx.CreateSession(ctx, session.Hash, user.ID, a.in.TeamID, auth.SessionLifetime)
	}))
	return a
}

// caller sends requests to one address.
type caller struct {
	t       testing.TB
	address string
	header  http.Header
	http    *http.Client
}

func newCaller(t testing.TB, address string, header http.Header) *caller {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 200}
	t.Cleanup(transport.CloseIdleConnections)
	return &caller{t: t, address: address, header: header, http: &http.Client{Transport: transport}}
}

// byKey calls with the account's API key.
func (a account) byKey(t testing.TB, address string) *caller {
	t.Helper()
	return newCaller(t, address, http.Header{"Authorization": {"Bearer " + a.key}})
}

// bySession calls as the account's browser.
func (a account) bySession(t testing.TB, address string) *caller {
	t.Helper()
	return newCaller(t, address, http.Header{"Cookie": {auth.CookieName + "=" + a.session}})
}

// answer is what came back: a status, or an error where nothing did.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
}

func (a answer) ok() bool { return a.err == nil && a.status >= 200 && a.status < 300 }

// file is the body as a file or a file's status.
func (a answer) file(t testing.TB) file {
	t.Helper()
	require.NoError(t, a.err)
	require.True(t, a.ok(), "%d %s", a.status, a.body)
	var f file
	require.NoError(t, json.Unmarshal(a.body, &f), string(a.body))
	return f
}

// file is what the tests read of files and their statuses.
type file struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	Stage     string `json:"stage"`
	PageCount int    `json:"pageCount"`
	Attempt   int    `json:"attempt"`
	Retryable bool   `json:"retryable"`
	Pages     struct {
		Total, Done, OCR int
	} `json:"pages"`
	Error *struct {
		Code, Stage, Message, Hint string
		Page                       int
	} `json:"error"`
	Warnings []struct {
		Code    string
		Pages   []int
		Message string
	} `json:"warnings"`
}

func (f file) ended() bool { return f.Status != "queued" && f.Status != "processing" }

func (f file) code() string {
	if f.Error == nil {
		return ""
	}
	return f.Error.Code
}

// call sends one request. More is header names and values in turn.
func (c *caller) call(ctx context.Context, method, path string, body io.Reader, more ...string) answer {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.address+path, body)
	if err != nil {
		return answer{err: err}
	}
	r.Header = c.header.Clone()
	for i := 0; i < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	response, err := c.http.Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, text, err}
}

func (c *caller) get(path string, more ...string) answer {
	return c.call(c.t.Context(), http.MethodGet, path, nil, more...)
}

// send uploads a file once.
func (c *caller) send(ctx context.Context, f upload, key string) answer {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", f.name)
	if err != nil {
		return answer{err: err}
	}
	if _, err := part.Write(f.content); err != nil {
		return answer{err: err}
	}
	if err := form.Close(); err != nil {
		return answer{err: err}
	}
	more := []string{"Content-Type", form.FormDataContentType()}
	if key != "" {
		more = append(more, "Idempotency-Key", key)
	}
	return c.call(ctx, http.MethodPost, "/api/files", &body, more...)
}

// upload is a file to send.
type upload struct {
	name    string
	content []byte
}

// upload sends a file that is expected to be taken at once.
func (c *caller) upload(f upload) file {
	c.t.Helper()
	return c.send(c.t.Context(), f, "").file(c.t)
}

// wait follows a file to the end of its attempt, by long polls.
func (c *caller) wait(id string, within time.Duration) file {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), within)
	defer cancel()
	for {
		a := c.call(ctx, http.MethodGet, "/api/files/"+id+"/status?wait=30", nil)
		require.NoError(c.t, a.err, "the file came to no end within %s", within)
		if f := a.file(c.t); f.ended() {
			return f
		}
	}
}

// follow asks for a file until it is as wanted.
func (c *caller) follow(id string, wanted func(file) bool) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		a := c.get("/api/files/" + id)
		var f file
		return a.ok() && json.Unmarshal(a.body, &f) == nil && wanted(f)
	}, time.Minute, 20*time.Millisecond, "the file does not get so far")
}

// list reads all files of the account.
func (c *caller) list() []file {
	c.t.Helper()
	var all []file
	for cursor := ""; ; {
		a := c.get("/api/files?limit=500&cursor=" + cursor)
		require.True(c.t, a.ok(), "%d %s %v", a.status, a.body, a.err)
		var page struct {
			Items      []file `json:"items"`
			NextCursor string `json:"nextCursor"`
		}
		require.NoError(c.t, json.Unmarshal(a.body, &page))
		all = append(all, page.Items...)
		if cursor = page.NextCursor; cursor == "" {
			return all
		}
	}
}

// allEnd waits until every file of the account has come to its end.
func (c *caller) allEnd(within time.Duration) []file {
	c.t.Helper()
	end := time.Now().Add(within)
	for {
		files := c.list()
		var open []string
		for _, f := range files {
			if !f.ended() {
				open = append(open, fmt.Sprintf("%s %s %s/%s %d of %d", f.ID, f.Name, f.Status, f.Stage, f.Pages.Done, f.Pages.Total))
			}
		}
		if len(open) == 0 {
			return files
		}
		require.True(c.t, time.Now().Before(end), "these come to no end:\n%s", strings.Join(open, "\n"))
		time.Sleep(200 * time.Millisecond)
	}
}
