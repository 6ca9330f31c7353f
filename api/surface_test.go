package api_test

import (
	"net/http"
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
	for _, line := range []string{"GET /", "GET /api", "GET /api/", "POST /nothing", "GET /api/files/", "GET //api/files", "GET /metrics"} {
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
	require.Contains(t, line, "operation=put-files-by-file-id")
	require.Contains(t, line, "status=200")
	require.Contains(t, line, "team_id="+b.alice.scope.TeamID)
	for _, secret := range []string{"secretly", b.aliceKey.secret.Text, "lease"} {
		require.NotContains(t, line, secret)
	}
	require.Equal(t, 2, strings.Count(line, "\n"))

	b.call(t, b.nobody, "GET /api/files/"+f.ID, "")
	b.call(t, b.nobody, "GET /nothing", "")
	families, err := b.registry.Gather()
	require.NoError(t, err)
	var series []string
	for _, family := range families {
		if family.GetName() != "clausemill_http_request_seconds" {
			continue
		}
		for _, m := range family.GetMetric() {
			series = append(series, m.GetLabel()[0].GetValue()+" "+m.GetLabel()[1].GetValue())
		}
	}
	require.ElementsMatch(t, []string{
		"post-files 202", "get-files-by-file-id 200", "put-files-by-file-id 200", "get-files 422", "get-files-by-file-id 401", "unmatched 404",
	}, series)
	problems, err := testutil.GatherAndLint(b.registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestDocumentation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.call(t, b.nobody, "GET /docs", "")
	require.Equal(t, http.StatusOK, w.Code)
	page := w.Body.String()
	for _, foreign := range []string{`="http`, `='http`, "url(", "src=", "<script", "@import", "<no value>"} {
		require.NotContains(t, page, foreign, "it must work without a network")
	}
	for line, op := range served() {
		_, path, _ := strings.Cut(line, " ")
		require.Contains(t, page, path)
		require.Contains(t, page, `id="`+op.OperationID+`"`)
	}
	w = b.call(t, b.nobody, "GET /openapi.json", "")
	description := get[struct{ OpenAPI string }](t, w, http.StatusOK)
	require.Equal(t, "3.1.0", description.OpenAPI)
	require.Equal(t, "application/openapi+json", w.Header().Get("Content-Type"))
}
