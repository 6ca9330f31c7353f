package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// live is an API that runs, over a real database and a real connection.
func live(t *testing.T, change ...func(*api.Config)) (b *bundle, server *httptest.Server, shutDown func()) {
	t.Helper()
	d, _ := dbtest.Database(t)
	b = newBundle(t, d, change...)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.api.Run(ctx) }()
	var once sync.Once
	shutDown = func() {
		once.Do(func() {
			cancel()
			require.ErrorIs(t, <-ended, context.Canceled)
		})
	}
	t.Cleanup(shutDown)
	server = httptest.NewServer(b.api)
	t.Cleanup(server.Close)
	return b, server, shutDown
}

// do sends a request of who to a server.
func do(t *testing.T, server *httptest.Server, who caller, line, body string) *http.Response {
	t.Helper()
	response, err := server.Client().Do(liveRequest(t, server, who, line, body))
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func liveRequest(t *testing.T, server *httptest.Server, who caller, line, body string) *http.Request {
	t.Helper()
	method, path, _ := strings.Cut(line, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	for name, values := range who.header {
		r.Header[name] = values
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// TestHangUpsAreNoFaults has callers go before they are answered, some before it is
// known who they are.
func TestHangUpsAreNoFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, line := range []string{"GET /api/files", "GET /api/files/" + f.ID + "/status?wait=30"} {
		w := httptest.NewRecorder()
		b.api.ServeHTTP(w, request(t, b.alice, line, "").WithContext(gone))
		require.Equal(t, 499, w.Code, line)
		require.Empty(t, w.Header().Get("Retry-After"), line)
	}
	require.NotContains(t, b.log.String(), "level=ERROR")
}

func TestWaitForStatus(t *testing.T) {
	t.Parallel()
	b, server, shutDown := live(t)
	f := b.file(t, b.alice)
	path := "GET /api/files/" + f.ID + "/status"

	waits := func(etag string) chan api.FileStatus {
		answer := make(chan api.FileStatus, 1)
		who := caller{header: b.aliceKey.header.Clone()}
		who.header.Set("If-None-Match", etag)
		r := liveRequest(t, server, who, path+"?wait=60", "")
		go func() {
			var s api.FileStatus
			defer func() { answer <- s }()
			response, err := server.Client().Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = response.Body.Close() }()
			if response.StatusCode != http.StatusOK {
				return
			}
			if err := json.NewDecoder(response.Body).Decode(&s); err != nil {
				t.Error(err)
			}
		}()
		return answer
	}
	first := do(t, server, b.aliceKey, path, "")
	etag := first.Header.Get("ETag")
	one, other := waits(etag), waits("")
	// Whether they wait already or come later: they see the change.
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.EnterStage(t.Context(), b.alice.scope, db.Attempt{FileID: f.ID, Number: 1}, db.StageExtract)
		return err
	}))
	require.Equal(t, db.FileProcessing, (<-one).Status)

	cancelled := waits(do(t, server, b.aliceKey, path, "").Header.Get("ETag"))
	require.Equal(t, http.StatusOK, do(t, server, b.alice, "PUT /api/files/"+f.ID+"/status?status=cancelled", "").StatusCode)
	require.Equal(t, db.FileCancelled, (<-cancelled).Status)
	<-other

	last := waits(do(t, server, b.aliceKey, path, "").Header.Get("ETag"))
	shutDown()
	require.Empty(t, (<-last).Status, "304: the server goes away, and holds nobody back")
}

func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Limits.Waiting = api.Share{Caller: 1, Team: 1} })
	f := b.file(t, b.alice)
	get[api.Error](t, b.call(t, b.aliceKey, "GET /api/files/"+f.ID+"/status?wait=1", ""), http.StatusServiceUnavailable)
	get[api.Error](t, b.call(t, b.alice, "GET /api/events", ""), http.StatusServiceUnavailable)
	get[api.FileStatus](t, b.call(t, b.aliceKey, "GET /api/files/"+f.ID+"/status", ""), http.StatusOK)
}

// event is one server-sent event.
type event struct{ id, kind, data string }

// events reads a stream until it ends.
func events(t *testing.T, body io.Reader) <-chan event {
	t.Helper()
	out := make(chan event, 100)
	go func() {
		defer close(out)
		var e event
		for lines := bufio.NewScanner(body); lines.Scan(); {
			field, value, _ := strings.Cut(lines.Text(), ": ")
			switch field {
			case "id":
				e.id = value
			case "event":
				e.kind = value
			case "data":
				e.data = value
			case "":
				if e.kind != "" {
					out <- e
				}
				e = event{}
			}
		}
	}()
	return out
}

func TestEvents(t *testing.T) {
	t.Parallel()
	b, server, shutDown := live(t)
	before := b.file(t, b.alice)
	response := do(t, server, b.alice, "GET /api/events", "")
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	stream := events(t, response.Body)

	b.file(t, b.mallory)
	f := b.file(t, b.aliceKey)
	created := <-stream
	require.Equal(t, "file.status", created.kind, "nothing of before, nothing of others")
	require.Contains(t, created.data, f.ID)
	b.process(t, b.alice, f.ID)
	var last event
	for last = range stream {
		require.Contains(t, last.data, f.ID)
		if last.kind == "notification.created" { // after the end of the file, which it tells of
			break
		}
	}
	require.Contains(t, last.data, `"file.completed"`)

	who := caller{header: b.alice.header.Clone()}
	who.header.Set("Last-Event-ID", created.id)
	again := events(t, do(t, server, who, "GET /api/events", "").Body)
	var e event
	for e = range again {
		require.NotEqual(t, created.id, e.id, "it was seen before")
		if e.id == last.id {
			break
		}
	}
	require.Equal(t, last, e)
	require.Equal(t, http.StatusOK, do(t, server, b.alice, "DELETE /api/files/"+before.ID, "").StatusCode)
	for _, kind := range []string{"file.status", "file.cancelled", "file.deleted"} { // it was still to be read
		e = <-again
		require.Equal(t, kind, e.kind)
		require.Contains(t, e.data, before.ID)
	}
	shutDown()
	for range again { // until it ends
	}
}

// TestRateLimit asks two replicas at once for more than there is.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	quiet := func(c *api.Config) {
		c.Log, c.Registry = slog.New(slog.DiscardHandler), prometheus.NewRegistry()
	}
	b := newBundle(t, d, quiet)
	replicas := []*api.API{b.api, b.newAPI(t, quiet)}
	second := caller{}
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		id := b.alice.scope.ActorID
		second = b.key(t, tx, db.APIKey{Kind: db.UserKey, TeamID: b.alice.scope.TeamID, UserID: &id, Name: "another"})
		return nil
	}))

	const requests = 400
	var passed, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range requests {
		r := request(t, []caller{b.aliceKey, second}[i%2], "GET /api/files", "")
		wg.Go(func() {
			w := httptest.NewRecorder()
			replicas[i/2%2].ServeHTTP(w, r)
			switch w.Code {
			case http.StatusOK:
				passed.Add(1)
			case http.StatusTooManyRequests:
				refused.Add(1)
			default:
				t.Errorf("%d: %s", w.Code, w.Body)
			}
			for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
				if w.Header().Get(name) == "" {
					t.Errorf("%d without %s", w.Code, name)
				}
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 100, passed.Load(), "all keys of a user together, over all replicas")
	require.EqualValues(t, requests-100, refused.Load())

	w := b.call(t, b.aliceKey, "GET /api/files/x/nothing", "")
	e := get[api.Error](t, w, http.StatusTooManyRequests)
	require.Equal(t, "rate_limited", e.Code)
	seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, seconds)
	require.LessOrEqual(t, seconds, 60)
	require.Equal(t, "0", w.Header().Get("X-RateLimit-Remaining"))

	_, err = d.Pool().Exec(t.Context(), "DELETE FROM rate_limits")
	require.NoError(t, err)
	require.Equal(t, http.StatusTooManyRequests, b.call(t, b.aliceKey, "GET /api/files", "").Code, "it is remembered, and costs no query")
	get[api.List[api.File]](t, b.call(t, b.acmeKey, "GET /api/files", ""), http.StatusOK)
	get[api.List[api.File]](t, b.call(t, b.alice, "GET /api/files", ""), http.StatusOK)
}

func TestRateLimitHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Limits.KeyRequests = 6 })
	begin := time.Now().Add(-time.Second)
	for i, tt := range []struct {
		line, body string
		status     int
	}{
		{"GET /api/files", "", http.StatusOK},
		{"GET /api/files/" + db.NewID(), "", http.StatusNotFound},
		{"GET /api/nothing", "", http.StatusNotFound},
		{"GET /api/operations", "", http.StatusForbidden},
		{"GET /api/files?limit=0", "", http.StatusUnprocessableEntity},
		{"PATCH /api/files", "", http.StatusMethodNotAllowed},
		{"GET /api/files", "", http.StatusTooManyRequests},
	} {
		w := b.call(t, b.acmeKey, tt.line, tt.body)
		require.Equal(t, tt.status, w.Code, tt.line)
		require.Equal(t, "6", w.Header().Get("X-RateLimit-Limit"))
		require.Equal(t, strconv.Itoa(max(0, 5-i)), w.Header().Get("X-RateLimit-Remaining"))
		reset, err := strconv.ParseInt(w.Header().Get("X-RateLimit-Reset"), 10, 64)
		require.NoError(t, err)
		require.WithinRange(t, time.Unix(reset, 0), begin.Add(time.Minute), time.Now().Add(2*time.Minute))
		require.Equal(t, tt.status == http.StatusTooManyRequests, w.Header().Get("Retry-After") != "")
	}
	require.Empty(t, b.call(t, b.acme, "GET /api/files", "").Header().Get("X-RateLimit-Limit"), "sessions are not counted")
}

// TestRequestsCountedAhead has a limit of which some requests are counted ahead: to a single
// replica that makes no difference, and several never let more pass.
func TestRequestsCountedAhead(t *testing.T) {
	t.Parallel()
	const limit = 2000 // two ahead
	d, _ := dbtest.Database(t)
	high := func(c *api.Config) {
		c.Log, c.Registry = slog.New(slog.DiscardHandler), prometheus.NewRegistry()
		c.Limits.KeyRequests, c.Limits.KeyWindow = limit, time.Hour // however slow this is
	}
	b := newBundle(t, d, high)
	ask := func(a *api.API, who caller) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		a.ServeHTTP(w, request(t, who, "GET /api/nothing", ""))
		return w
	}
	for i := range limit {
		w := ask(b.api, b.aliceKey)
		require.Equal(t, http.StatusNotFound, w.Code)
		require.Equal(t, strconv.Itoa(limit-1-i), w.Header().Get("X-RateLimit-Remaining"))
	}
	require.Equal(t, http.StatusTooManyRequests, ask(b.api, b.aliceKey).Code)
	var counted int
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT used FROM rate_limits`).Scan(&counted))
	require.InDelta(t, limit+1, counted, 4)

	replicas := []*api.API{b.api, b.newAPI(t, high)}
	var passed atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range limit / 7 {
				if ask(replicas[i%2], b.acmeKey).Code == http.StatusNotFound {
					passed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, passed.Load(), int64(limit))
	require.InDelta(t, limit, passed.Load(), 16)
}

func TestKeyWinsOverCookie(t *testing.T) {
	t.Parallel()
	b := setup(t)
	both := caller{header: b.alice.header.Clone()}
	both.header["Authorization"] = b.acmeKey.header["Authorization"]
	get[api.Error](t, b.call(t, both, "GET /api/operations", ""), http.StatusForbidden)
	f := b.file(t, both)
	get[api.File](t, b.call(t, b.acme, "GET /api/files/"+f.ID, ""), http.StatusOK)
	both.header.Set("Authorization", "Bearer nonsense")
	w := b.call(t, both, "GET /api/files", "")
	get[api.Error](t, w, http.StatusUnauthorized)
	require.Contains(t, w.Header().Get("WWW-Authenticate"), "Bearer")
	both.header.Set("Authorization", "Basic "+b.aliceKey.secret.Text)
	get[api.Error](t, b.call(t, both, "GET /api/files", ""), http.StatusUnauthorized)
	both.header.Set("Authorization", "bearer  "+b.aliceKey.secret.Text)
	get[api.List[api.File]](t, b.call(t, both, "GET /api/files", ""), http.StatusOK)
	stale := caller{header: http.Header{"Cookie": {auth.CookieName + "=stale"}}}
	get[api.Error](t, b.call(t, stale, "GET /api/files", ""), http.StatusUnauthorized)
}

// TestRevocationIsHeard ends a key and a session in another process.
func TestRevocationIsHeard(t *testing.T) {
	t.Parallel()
	b, _, _ := live(t)
	for _, who := range []caller{b.aliceKey, b.acme} {
		get[api.List[api.File]](t, b.call(t, who, "GET /api/files", ""), http.StatusOK)
	}
	keys, err := b.db.APIKeys(t.Context(), b.alice.scope.TeamID)
	require.NoError(t, err)
	require.NoError(t, b.db.RevokeAPIKey(t.Context(), keys[0].ID))
	require.NoError(t, b.db.RevokeSession(t.Context(), b.acme.secret.Hash))
	for _, who := range []caller{b.aliceKey, b.acme} {
		require.Eventually(t, func() bool {
			return b.call(t, who, "GET /api/files", "").Code == http.StatusUnauthorized
		}, time.Minute, 10*time.Millisecond)
	}
}

func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	foreign := func(who caller, line string) int {
		r := request(t, who, line, "")
		r.Header.Set("Origin", "https://evil.example")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		return b.send(t, r).Code
	}
	require.Equal(t, http.StatusForbidden, foreign(b.alice, "DELETE /api/files/"+f.ID))
	require.Equal(t, http.StatusForbidden, foreign(b.alice, "POST /auth/logout"))
	require.Equal(t, http.StatusOK, foreign(b.alice, "GET /api/files/"+f.ID), "the browser keeps the answer from the other site")
	require.Equal(t, http.StatusOK, foreign(b.aliceKey, "DELETE /api/files/"+f.ID), "no browser adds a key by itself")
}

func TestQueuePages(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	var email string
	b := newBundle(t, d)
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), "SELECT email FROM users WHERE id = $1", b.alice.scope.ActorID).Scan(&email)
	}))
	ask := func(who caller, a *api.API, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		a.ServeHTTP(w, request(t, who, "GET "+path, ""))
		return w
	}
	again := func(change func(*api.Config)) *api.API {
		return b.newAPI(t, func(c *api.Config) { c.Registry = prometheus.NewRegistry() }, change)
	}
	nobodys := again(func(*api.Config) {})
	operated := again(func(c *api.Config) { c.Operators = []string{strings.ToUpper(email)} })

	for _, path := range []string{"/admin/river", "/admin/river/"} {
		require.Equal(t, http.StatusUnauthorized, ask(b.nobody, operated, path).Code)
		require.Equal(t, http.StatusNotFound, ask(b.acmeKey, operated, path).Code)
		require.Equal(t, http.StatusNotFound, ask(b.mallory, operated, path).Code)
		require.Equal(t, http.StatusNotFound, ask(b.acme, nobodys, path).Code, "the queue is everybody's: an organization's admin has no business there")
	}
	page := ask(b.alice, operated, "/admin/river/")
	require.Equal(t, http.StatusOK, page.Code)
	require.Contains(t, page.Body.String(), "/admin/river")
	require.Equal(t, http.StatusOK, ask(b.alice, operated, "/admin/river/api/queues").Code)
	bare := ask(b.alice, operated, "/admin/river")
	require.Equal(t, http.StatusPermanentRedirect, bare.Code)
	require.Equal(t, "/admin/river/", bare.Header().Get("Location"))

	// A browser is led to where people sign in, and from there to where it was
	// going; a program is told.
	signing := again(func(c *api.Config) {
		c.Operators = []string{email}
		c.SignIn = auth.NewProvider(auth.ProviderConfig{Issuer: "https://id.example.com", ClientID: "c", CallbackURL: "https://a.example/auth/callback"})
	})
	browser := caller{header: http.Header{"Accept": {"text/html,application/xhtml+xml"}}}
	program := caller{header: http.Header{"Accept": {"application/json"}}}
	led := ask(browser, signing, "/admin/river/jobs?state=running")
	require.Equal(t, http.StatusSeeOther, led.Code)
	require.Equal(t, "/auth/login?returnTo=%2Fadmin%2Friver%2Fjobs%3Fstate%3Drunning", led.Header().Get("Location"))
	require.Equal(t, http.StatusUnauthorized, ask(program, signing, "/admin/river/").Code)
	require.Equal(t, http.StatusUnauthorized, ask(browser, operated, "/admin/river/").Code, "nobody can sign in there")
}

// TestHangingUp goes away before the answer comes: in a long poll, before it is
// known who asks, and in the middle of a body. Nothing is wrong with the service.
func TestHangingUp(t *testing.T) {
	t.Parallel()
	b, server, _ := live(t)
	f := b.file(t, b.alice)
	hangUp := func(who caller, line string, when func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		asked := liveRequest(t, server, who, line, "").WithContext(ctx)
		go func() {
			defer close(ended)
			response, err := server.Client().Do(asked)
			if err == nil {
				_ = response.Body.Close()
			}
		}()
		when()
		cancel()
		<-ended
	}
	counted := func(operation string) {
		t.Helper()
		require.Eventually(t, func() bool { return b.measured(t, "clausemill_http_requests_total", operation, "499") == 1 }, time.Minute, 10*time.Millisecond, operation)
	}

	hangUp(b.alice, "GET /api/files/"+f.ID+"/status?wait=60", func() {
		require.Eventually(t, func() bool { return b.measured(t, "clausemill_http_waiting_requests") == 1 }, time.Minute, 10*time.Millisecond)
	})
	counted("getFileStatus")

	tx, err := b.db.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context()) //nolint:errcheck // it is over
	_, err = tx.Exec(t.Context(), "LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)
	hangUp(b.mallory, "GET /api/files", func() {
		require.Eventually(t, func() bool {
			var waiting int
			err := b.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'sessions'::regclass").Scan(&waiting)
			return err == nil && waiting == 1
		}, time.Minute, 10*time.Millisecond)
	})
	counted("unmatched")
	require.NoError(t, tx.Rollback(t.Context()))

	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	_, err = io.WriteString(conn, "POST /api/matters HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\nCookie: "+
		b.alice.header.Get("Cookie")+"\r\n\r\n{\"name\":")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	counted("createMatter")

	server.Close() // whoever writes the log is done
	require.NotContains(t, b.log.String(), "level=ERROR")
	require.NotContains(t, b.log.String(), "level=WARN")
	require.Contains(t, b.log.String(), "operation=createMatter status=499")
}

// TestStalledUpload stops sending in the middle.
func TestStalledUpload(t *testing.T) {
	t.Parallel()
	b, server, _ := live(t, func(c *api.Config) { c.Limits.BodyPatience = 50 * time.Millisecond })
	reader, writer := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/files", reader)
	require.NoError(t, err)
	r.Header = b.aliceKey.header.Clone()
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	go func() {
		_, _ = io.WriteString(writer, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF")
	}()
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusRequestTimeout, response.StatusCode)
	require.NoError(t, writer.Close())
	require.Zero(t, b.storedBytes(t))
}

// TestSlowUpload takes longer than the pause altogether, and arrives.
func TestSlowUpload(t *testing.T) {
	t.Parallel()
	const pause = 500 * time.Millisecond
	b, server, _ := live(t, func(c *api.Config) { c.Limits.BodyPatience, c.Limits.BodyPace = pause, 4 })
	reader, writer := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/files", reader)
	require.NoError(t, err)
	r.Header = b.aliceKey.header.Clone()
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	go func() {
		_, _ = io.WriteString(writer, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n")
		for range 10 {
			time.Sleep(pause / 5) // the slowness is what is tested
			_, _ = io.WriteString(writer, "%PDF")
		}
		_, _ = io.WriteString(writer, "\r\n--b--\r\n")
		_ = writer.Close()
	}()
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusAccepted, response.StatusCode)
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	for sql, says := range map[string]string{
		"UPDATE clausemill_migrations SET sha256 = ''": "is not what was applied to this database",
		"DROP FUNCTION magnitude(text)":                "the function magnitude(text) numeric is missing",
	} {
		b, server, _ := live(t)
		require.Equal(t, http.StatusOK, do(t, server, b.nobody, "GET /healthz", "").StatusCode)
		_, err := b.db.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
		response := do(t, server, b.nobody, "GET /readyz", "")
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		require.Equal(t, "1", response.Header.Get("Retry-After"))
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Contains(t, string(body), says)
		require.Equal(t, http.StatusOK, do(t, server, b.nobody, "GET /livez", "").StatusCode)
	}
	b, server, _ := live(t)
	require.Equal(t, http.StatusOK, do(t, server, b.nobody, "GET /readyz", "").StatusCode)
}
