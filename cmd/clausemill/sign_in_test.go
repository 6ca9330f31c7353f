package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestSignIn signs two people in to `clausemill dev` through the real protocol,
// as browsers do it, and lets them work in one organization.
func TestSignIn(t *testing.T) {
	if os.Getenv("CLAUSEMILL_OCR") == "" {
		t.Skip("needs the OCR child: run the tests with `make test`")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, err := os.MkdirTemp("", "clausemill-sign-in-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o711)) //nolint:gosec // the database runs as somebody else, who has to get there
	r := startDev(t, filepath.Join(dir, "data"))

	signIn := func(who string) func(method, path, body string, status int, out any) {
		browser := r.browser(t)
		call := func(method, path, body string, status int, out any) {
			t.Helper()
			request, err := http.NewRequestWithContext(t.Context(), method, r.url+path, strings.NewReader(body))
			require.NoError(t, err)
			request.Header.Set("Content-Type", "application/json")
			answer, err := browser.Do(request)
			require.NoError(t, err)
			defer answer.Body.Close()
			require.Equal(t, status, answer.StatusCode, path)
			if out != nil {
				require.NoError(t, json.NewDecoder(answer.Body).Decode(out))
			}
		}
		call(http.MethodGet, "/api/session", "", http.StatusUnauthorized, nil)
		call(http.MethodGet, "/auth/login?loginHint="+who+"&returnTo=/api/session", "", http.StatusOK, nil)
		return call
	}
	colleague, dev := signIn(provider.Colleague), signIn(provider.User)
	var me, them api.SignedIn
	dev(http.MethodGet, "/api/session", "", http.StatusOK, &me)
	colleague(http.MethodGet, "/api/session", "", http.StatusOK, &them)
	require.Equal(t, provider.User, me.User.Email)
	require.Equal(t, provider.Organization, me.Team.Name)
	require.Equal(t, me.Team.ID, them.Team.ID)
	require.Equal(t, "admin", me.Team.Role, "whoever came first")
	require.Equal(t, "member", them.Team.Role)

	var key api.NewAPIKey
	colleague(http.MethodPost, "/api/api-keys", `{"name":"k","kind":"organization"}`, http.StatusForbidden, nil)
	dev(http.MethodPost, "/api/api-keys", `{"name":"k","kind":"organization"}`, http.StatusCreated, &key)
	byKey := func() int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/api/files", nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+key.Secret)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	require.Equal(t, http.StatusOK, byKey())
	dev(http.MethodDelete, "/api/api-keys/"+key.ID, "", http.StatusOK, nil)
	require.Eventually(t, func() bool { return byKey() == http.StatusUnauthorized }, time.Minute, 10*time.Millisecond)

	dev(http.MethodDelete, "/api/teams/users/"+them.User.ID, "", http.StatusOK, nil)
	colleague(http.MethodPost, "/auth/logout", "", http.StatusUnauthorized, nil)
	dev(http.MethodPost, "/auth/logout", "", http.StatusOK, nil)
	dev(http.MethodGet, "/api/session", "", http.StatusUnauthorized, nil)

	_, said := r.end(t, syscall.SIGINT)
	require.NotContains(t, said, key.Secret)
}
