package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

// TestOrigins has pages of other origins ask, of which one is named by the operator.
func TestOrigins(t *testing.T) {
	t.Parallel()
	const friend, stranger = "https://app.example.com", "https://app.example.com.evil.example"
	named := func(c *api.Config) { c.Origins = []string{friend} }
	from := func(b *bundle, who caller, origin, line, body string, headers ...string) *httptest.ResponseRecorder {
		r := request(t, who, line, body)
		r.Header = r.Header.Clone()
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		return b.send(t, r)
	}

	b := setup(t, named)
	asks := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type"}
	w := from(b, b.nobody, friend, "OPTIONS /api/files", "", asks...)
	require.Equal(t, http.StatusNoContent, w.Code)
	require.Equal(t, friend, w.Header().Get("Access-Control-Allow-Origin"))
	require.Contains(t, w.Header().Get("Access-Control-Allow-Methods"), "POST")
	require.Contains(t, w.Header().Get("Access-Control-Allow-Headers"), "Authorization")
	require.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"), "never cookies")
	require.Contains(t, w.Header().Values("Vary"), "Origin")

	w = from(b, b.aliceKey, friend, "GET /api/files", "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, friend, w.Header().Get("Access-Control-Allow-Origin"))
	require.Contains(t, w.Header().Get("Access-Control-Expose-Headers"), "Retry-After")
	require.Equal(t, http.StatusAccepted, from(b, b.aliceKey, friend, "POST /api/files", `{"name":"a.txt","contentBase64":"dGV4dA=="}`).Code)
	w = from(b, b.nobody, friend, "GET /api/files", "")
	require.Equal(t, []any{http.StatusUnauthorized, friend}, []any{w.Code, w.Header().Get("Access-Control-Allow-Origin")}, "the page reads why")
	require.Equal(t, http.StatusUnauthorized, from(b, b.alice, friend, "GET /api/files", "").Code, "a cookie does not count")
	require.Equal(t, http.StatusForbidden, from(b, b.alice, friend, "POST /api/categories", `{"name":"x"}`).Code)

	for _, origin := range []string{stranger, "null", "http://app.example.com", "https://app.example.com/"} {
		w := from(b, b.nobody, origin, "OPTIONS /api/files", "", asks...)
		require.Equal(t, http.StatusMethodNotAllowed, w.Code, origin)
		require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), origin)
		require.Contains(t, w.Header().Values("Vary"), "Origin")
		require.Empty(t, from(b, b.aliceKey, origin, "GET /api/files", "").Header().Get("Access-Control-Allow-Origin"), origin)
	}
	require.Equal(t, http.StatusOK, b.call(t, b.alice, "GET /api/files", "").Code, "our own pages go on with cookies")

	none := setup(t)
	w = from(none, none.nobody, friend, "OPTIONS /api/files", "", asks...)
	require.Equal(t, http.StatusMethodNotAllowed, w.Code)
	require.Empty(t, w.Header().Get("Vary"))
}
