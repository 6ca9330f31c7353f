package api_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/search"
)

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, line := range []string{"POST /nothing/", "GET /api", "GET /api/", "POST /nothing", "GET /api/files/", "GET //api/files", "GET /metrics"} {
		w := b.call(t, b.alice, line, "")
		require.JSONEq(t, `{"error":"not found","code":"not_found"}`, w.Body.String(), line)
		require.Equal(t, http.StatusNotFound, w.Code)
		require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	}
	w := b.call(t, b.alice, "PATCH /api/files", "")
	require.Equal(t, "method_not_allowed", get[api.Error](t, w, http.StatusMethodNotAllowed).Code)
	require.Equal(t, []string{"GET", "POST"}, w.Header().Values("Allow"))
}

// broken is a search engine with a bug.
type broken struct{ search.Engine }

func TestPanicIsAnAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Search = broken{} })
	w := b.call(t, b.alice, "GET /api/search?q=secretly", "")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.JSONEq(t, `{"error":"internal error","code":"internal"}`, w.Body.String())
	require.Contains(t, b.log.String(), "surface_test.go", "the stack is in the log")
	require.NotContains(t, b.log.String(), "secretly", "what is searched for may be the words of a contract")
}

// TestDocs holds that the page for people has all that it needs here, and runs
// nothing that is written into it.
func TestDocs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.call(t, b.nobody, "GET /docs", "")
	require.Equal(t, http.StatusOK, page.Code)
	policy := page.Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "script-src 'self';")
	require.Contains(t, policy, "connect-src 'self';")
	require.NotContains(t, policy, "http")
	require.NotRegexp(t, `(?i)<script>|\son\w+=|https?:`, page.Body.String())
	parts := regexp.MustCompile(`(?:src|href)="(/[^"?]*)`).FindAllStringSubmatch(page.Body.String(), -1)
	require.Len(t, parts, 8)
	for _, part := range parts {
		if part[1] == "/auth/login" {
			continue
		}
		w := b.call(t, b.nobody, "GET "+part[1], "")
		require.Equal(t, http.StatusOK, w.Code, part[1])
		require.Empty(t, w.Header().Get("Content-Encoding"), part[1])
		r := request(t, b.nobody, "GET "+part[1], "")
		r.Header.Set("Accept-Encoding", "gzip, br")
		small := b.send(t, r)
		if small.Header().Get("Content-Encoding") == "" {
			continue // it is not kept compressed
		}
		text, err := gzip.NewReader(small.Body)
		require.NoError(t, err)
		whole, err := io.ReadAll(text)
		require.NoError(t, err)
		require.Equal(t, w.Body.Bytes(), whole, part[1])
		again := request(t, b.nobody, "GET "+part[1], "")
		again.Header.Set("If-None-Match", w.Header().Get("ETag"))
		require.Equal(t, http.StatusNotModified, b.send(t, again).Code, part[1])
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, line := range []string{"GET /api/files", "GET /docs", "GET /nothing", "POST /auth/logout"} {
		r := request(t, b.nobody, line, "")
		r.Header.Set("X-Request-Id", "mine-1")
		header := b.send(t, r).Header()
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
		require.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'")
		require.Equal(t, "no-referrer", header.Get("Referrer-Policy"))
		require.Equal(t, "mine-1", header.Get("X-Request-Id"))
	}
	for _, forged := range []string{"", "a b", "a\nlevel=ERROR", strings.Repeat("x", 65)} {
		r := request(t, b.nobody, "GET /api/files", "")
		r.Header.Set("X-Request-Id", forged)
		require.Regexp(t, `^[A-Z0-9]{26}$`, b.send(t, r).Header().Get("X-Request-Id"))
	}
	require.Equal(t, "private, no-cache", b.call(t, b.alice, "GET /api/files", "").Header().Get("Cache-Control"))
	require.Empty(t, b.call(t, b.nobody, "GET /docs", "").Header().Get("Strict-Transport-Security"), "it is not known to be behind TLS")
}

func TestStrictTransportSecurity(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{"https://contracts.example.com": "max-age=31536000", "http://127.0.0.1:8080": ""} {
		b := setup(t, func(c *api.Config) { c.PublicURL = url })
		for _, line := range []string{"GET /docs", "GET /nothing", "GET /api/files"} {
			require.Equal(t, want, b.call(t, b.nobody, line, "").Header().Get("Strict-Transport-Security"), url)
		}
	}
}

func TestRequestsAreLoggedAndCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.aliceKey)
	b.log.Reset()
	b.call(t, b.aliceKey, "GET /api/files/"+f.ID, "")
	require.Empty(t, b.log.String(), "who polls buries no other line")
	b.call(t, b.aliceKey, "PUT /api/files/"+f.ID, `{"name":"lease.pdf"}`)
	b.call(t, b.aliceKey, "GET /api/files?q=secretly&limit=none", "")
	line := b.log.String()
	require.Contains(t, line, "operation=updateFile")
	require.Contains(t, line, "status=200")
	require.Contains(t, line, "team_id="+b.alice.scope.TeamID)
	for _, secret := range []string{"secretly", b.aliceKey.secret.Text, "lease"} {
		require.NotContains(t, line, secret)
	}
	require.Equal(t, 2, strings.Count(line, "\n"))

	b.call(t, b.nobody, "GET /api/files/"+f.ID, "")
	b.call(t, b.nobody, "GET /nothing", "")
	for _, series := range []string{
		"uploadFile 202", "getFile 200", "updateFile 200", "listFiles 422", "getFile 401", "unmatched 404",
	} {
		require.InDelta(t, 1, b.measured(t, "clausemill_http_requests_total", strings.Fields(series)...), 0, series)
	}
	require.InDelta(t, 6, b.measured(t, "clausemill_http_requests_total"), 0)
	require.InDelta(t, 2, b.measured(t, "clausemill_http_request_seconds", "getFile"), 0)
	problems, err := testutil.GatherAndLint(b.registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}

// measured is the sum of a metric over the series whose labels begin with values;
// of a histogram it is the count.
func (b *bundle) measured(t *testing.T, name string, values ...string) float64 {
	t.Helper()
	families, err := b.registry.Gather()
	require.NoError(t, err)
	sum := 0.0
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			var labels []string
			for _, label := range m.GetLabel() {
				labels = append(labels, label.GetValue())
			}
			if len(labels) >= len(values) && slices.Equal(labels[:len(values)], values) {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return sum
}

// firstByte remembers where the first bytes that are written are in memory.
type firstByte struct {
	*httptest.ResponseRecorder

	at *byte
}

func (w *firstByte) Write(p []byte) (int, error) {
	if w.at == nil {
		w.at = &p[0]
	}
	return w.ResponseRecorder.Write(p)
}

// TestDocumentationIsMadeOnce asks twice for what is long to make.
func TestDocumentationIsMadeOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.PublicURL = "http://localhost:8080" })
	for _, path := range []string{"/docs/page.css", "/docs/page.js", "/docs/swagger-ui.js", "/openapi.json", "/openapi-3.0.json"} {
		ask := func() *byte {
			r := request(t, b.nobody, "GET "+path, "")
			r.Header.Set("Accept-Encoding", "gzip")
			w := &firstByte{ResponseRecorder: httptest.NewRecorder()}
			b.api.ServeHTTP(w, r)
			require.Equal(t, http.StatusOK, w.Code, path)
			return w.at
		}
		first := ask()
		require.Same(t, first, ask(), path)
	}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.call(t, b.nobody, "GET /openapi.json", "")
	description := get[struct{ OpenAPI string }](t, w, http.StatusOK)
	require.Equal(t, "3.1.0", description.OpenAPI)
	require.Equal(t, "application/openapi+json", w.Header().Get("Content-Type"))
}
