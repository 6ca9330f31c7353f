package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

// TestConsole holds which addresses are the console's: all that is no operation and not
// below one of the paths that only programs ask for.
func TestConsole(t *testing.T) {
	t.Parallel()
	const policy = "default-src 'none'; script-src 'self'"
	b := setup(t, func(c *api.Config) {
		c.Console = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", policy)
			_, _ = w.Write([]byte("page of " + r.URL.Path))
		})
	})
	for _, path := range []string{"/", "/files/x", "/review", "/assets/app-1a.js", "/api", "/nothing"} {
		for _, method := range []string{"GET ", "HEAD "} {
			w := b.call(t, b.nobody, method+path+"?a=b", "")
			require.Equal(t, http.StatusOK, w.Code, path)
			require.Equal(t, policy, w.Header().Get("Content-Security-Policy"), path)
			require.Equal(t, "page of "+path, w.Body.String(), path)
		}
	}
	for _, line := range []string{"GET /api/nothing", "GET /auth/nothing", "POST /nothing", "PUT /files/x", "DELETE /"} {
		w := b.call(t, b.alice, line, "")
		require.GreaterOrEqual(t, w.Code, http.StatusNotFound, line)
		require.Equal(t, "application/json", w.Header().Get("Content-Type"), line)
		require.NotContains(t, w.Body.String(), "page of", line)
	}
	require.Contains(t, b.call(t, b.nobody, "GET /docs", "").Body.String(), "swagger-ui", "an address of the API stays one")
}

// TestHomeSaysHowToBuildTheConsole holds that it does so only where one is wanted.
func TestHomeSaysHowToBuildTheConsole(t *testing.T) {
	t.Parallel()
	for _, missing := range []bool{true, false} {
		b := setup(t, func(c *api.Config) { c.NotBuilt = missing })
		page := b.call(t, b.nobody, "GET /", "")
		require.Equal(t, http.StatusOK, page.Code)
		said := require.NotContains
		if missing {
			said = require.Contains
		}
		said(t, page.Body.String(), "<code>make build</code>")
		said(t, page.Body.String(), "CLAUSEMILL_CONSOLE=false")
		require.Contains(t, page.Body.String(), `href="/docs"`)
	}
}
