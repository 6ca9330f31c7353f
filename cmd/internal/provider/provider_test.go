package provider_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// running is a provider on a server of its own, and who signs in there.
func running(t *testing.T) (p *provider.Provider, signIn *auth.Provider) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	p, err := provider.New("http://" + server.Listener.Addr().String())
	require.NoError(t, err)
	server.Config.Handler = p
	server.Start()
	t.Cleanup(server.Close)
	return p, auth.NewProvider(p.Config())
}

// browser follows redirects as far as the callback, which it does not open.
func browser() *http.Client {
	return &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/auth/callback" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

var requestID = regexp.MustCompile(`name="id" value="([^"]+)"`)

func TestSignIn(t *testing.T) {
	t.Parallel()
	_, signIn := running(t)
	for _, hint := range []string{"", provider.Colleague} {
		secret := auth.NewToken().Text
		there, err := signIn.Begin(t.Context(), secret, hint)
		require.NoError(t, err)
		answer, err := browser().Get(there)
		require.NoError(t, err)
		if hint == "" { // somebody has to choose
			page, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.Contains(t, string(page), provider.User)
			chosen := url.Values{"id": {requestID.FindStringSubmatch(string(page))[1]}, "user": {provider.Colleague}}
			answer, err = browser().PostForm(answer.Request.URL.String(), chosen)
			require.NoError(t, err)
		}
		require.NoError(t, answer.Body.Close())
		back, err := answer.Location()
		require.NoError(t, err)
		account, err := signIn.Finish(t.Context(), secret, back.Query())
		require.NoError(t, err)
		require.Equal(t, provider.Colleague, account.Email)
		require.Equal(t, []string{provider.Organization}, account.Organizations)
	}
}

func TestSignInRefuses(t *testing.T) {
	t.Parallel()
	p, signIn := running(t)
	there, err := signIn.Begin(t.Context(), "secret", "somebody@else.example")
	require.NoError(t, err)
	answer, err := browser().Get(there)
	require.NoError(t, err)
	page, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	id := requestID.FindStringSubmatch(string(page))[1]

	post := func(form url.Values, header ...string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Origin()+provider.Path+"/login", strings.NewReader(form.Encode()))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		answer, err := browser().Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	require.Equal(t, http.StatusBadRequest, post(url.Values{"id": {id}, "user": {"somebody@else.example"}}))
	require.Equal(t, http.StatusBadRequest, post(url.Values{"id": {"other"}, "user": {provider.User}}))
	require.Equal(t, http.StatusForbidden, post(url.Values{"id": {id}, "user": {provider.User}}, "Sec-Fetch-Site", "cross-site"))
	require.Equal(t, http.StatusForbidden, post(url.Values{"id": {id}, "user": {provider.User}}, "X-Forwarded-For", "192.0.2.1"))

	elsewhere := strings.Replace(there, url.QueryEscape("/auth/callback"), url.QueryEscape("/elsewhere"), 1)
	require.NotEqual(t, there, elsewhere)
	answer, err = browser().Get(elsewhere)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusBadRequest, answer.StatusCode, "it sends nobody anywhere else")
}

// TestLocalOnly holds that the provider answers this machine under its own names
// alone.
func TestLocalOnly(t *testing.T) {
	t.Parallel()
	p, err := provider.New("http://127.0.0.1:8080")
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		remote, host, forwarded string
		code                    int
	}{
		"Loopback":       {"127.0.0.1:4711", "127.0.0.1:8080", "", http.StatusOK},
		"Loopback6":      {"[::1]:4711", "[::1]:8080", "", http.StatusOK},
		"Localhost":      {"127.0.0.1:4711", "localhost:8080", "", http.StatusOK},
		"ForeignAddress": {"192.0.2.1:4711", "localhost:8080", "", http.StatusForbidden},
		"ForeignHost":    {"127.0.0.1:4711", "evil.example", "", http.StatusForbidden},
		"LookalikeHost":  {"127.0.0.1:4711", "localhost.evil.example:8080", "", http.StatusForbidden},
		"Forwarded":      {"127.0.0.1:4711", "localhost:8080", "192.0.2.1", http.StatusForbidden},
		"NoAddress":      {"@", "localhost:8080", "", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, provider.Path+"/.well-known/openid-configuration", nil)
			r.RemoteAddr, r.Host = tt.remote, tt.host
			if tt.forwarded != "" {
				r.Header.Set("X-Forwarded-For", tt.forwarded)
			}
			w := httptest.NewRecorder()
			p.ServeHTTP(w, r)
			require.Equal(t, tt.code, w.Code)
		})
	}
}
