package clausemill

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClientCredentials(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		made, taken := 0, ""
		s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if r.URL.Path == "/auth/token" {
				id, secret, _ := r.BasicAuth()
				if id != "a%2Fb" || secret != "s+cret%3A" || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "files:read export" {
					answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client", "error_description": "there is no such client"})
					return true
				}
				made++
				taken = fmt.Sprint("token-", made)
				answer(w, http.StatusOK, map[string]any{"access_token": taken, "token_type": "Bearer", "expires_in": 3600})
				return true
			}
			if r.Header.Get("Authorization") != "Bearer "+taken {
				answer(w, http.StatusUnauthorized, map[string]string{"error": "the token has expired"})
				return true
			}
			answer(w, http.StatusOK, map[string]any{"items": []any{}})
			return true
		}}
		c := start(t, &s)
		as := func(secret string) *Client {
			account := ClientCredentials("http://server.test", "a/b", secret, "files:read", "export")
			account.(*serviceAccount).http = c.config.Transport
			c, err := New(Config{URL: "http://server.test", Tokens: account, Transport: c.config.Transport})
			require.NoError(t, err)
			return c
		}
		ours := as("s cret:")
		list := func() {
			t.Helper()
			_, err := ours.ListFiles(t.Context(), ListFilesParams{})
			require.NoError(t, err)
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(list)
		}
		all.Wait()
		require.Equal(t, 1, made, "one token for all")
		time.Sleep(58 * time.Minute)
		list()
		require.Equal(t, 1, made)
		time.Sleep(90 * time.Second)
		list()
		require.Equal(t, 2, made, "renewed before it expires")
		mu.Lock()
		taken = "revoked"
		mu.Unlock()
		list()
		require.Equal(t, 3, made, "renewed when it is refused")

		_, err := as("guessed").ListFiles(t.Context(), ListFilesParams{})
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "invalid_client", e.Code)
		require.EqualError(t, err, "there is no such client")
	})
}
