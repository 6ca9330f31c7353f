package clausemill

import (
	"context"
	"fmt"
	"io"
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

// TestClientCredentialsWaiting has the service say nothing about a token: each caller
// waits for as long as its own context lasts, and the next one asks then.
func TestClientCredentialsWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := times(1, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
		s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
			switch {
			case r.URL.Path != "/auth/token":
				answer(w, http.StatusOK, map[string]any{"items": []any{}})
			case !hang(w, r):
				answer(w, http.StatusOK, map[string]any{"access_token": "t", "expires_in": 3600})
			}
			return true
		}}
		c, err := New(Config{
			URL: "http://server.test", Tokens: ClientCredentials("http://server.test", "a", "b"), Transport: start(t, &s).config.Transport,
		})
		require.NoError(t, err)
		began := time.Now()
		var all sync.WaitGroup
		ask := func(patience, want time.Duration, fails bool) {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_, err := c.ListFiles(ctx, ListFilesParams{})
				require.Equal(t, want, time.Since(began))
				if fails {
					require.ErrorIs(t, err, context.DeadlineExceeded)
				} else {
					require.NoError(t, err)
				}
			})
			synctest.Wait()
		}
		ask(10*time.Second, 10*time.Second, true)
		ask(time.Second, time.Second, true)
		ask(time.Minute, 10*time.Second, false)
		ask(time.Minute, 10*time.Second, false)
		all.Wait()
		require.Equal(t, 2, s.count("POST /auth/token"))
	})
}

// TestClientCredentialsPatience has a token asked for as the Client is configured, once
// for all who wait.
func TestClientCredentialsPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: func(w http.ResponseWriter, _ *http.Request) bool {
			answer(w, http.StatusServiceUnavailable, map[string]string{"error": "the database is away"})
			return true
		}}
		paused := 0
		c, err := New(Config{
			URL: "http://server.test", Tokens: ClientCredentials("http://server.test", "a", "b"), Transport: start(t, &s).config.Transport,
			Patience: 20 * time.Second, Paused: func(error, time.Duration) { paused++ },
		})
		require.NoError(t, err)
		began := time.Now()
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				_, err := c.ListFiles(t.Context(), ListFilesParams{})
				require.EqualError(t, err, "the database is away")
			})
		}
		all.Wait()
		require.LessOrEqual(t, time.Since(began), 20*time.Second)
		require.Positive(t, paused)
		require.Len(t, s.requests, paused+1)
	})
}
