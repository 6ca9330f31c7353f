package setup

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReadiness(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		h := newHealth(slog.New(slog.DiscardHandler))
		asked := func() (int, string) {
			w := httptest.NewRecorder()
			h.readyz(w, nil)
			return w.Code, w.Body.String()
		}
		code, _ := asked()
		require.Equal(t, http.StatusServiceUnavailable, code, "nothing has been looked at")

		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var lost error
		stuck := false
		go h.keep(ctx, "database", checkEvery, func(context.Context) error { return nil })
		go h.keep(ctx, "files", checkEvery, func(ctx context.Context) error {
			if stuck {
				<-ctx.Done()
				return ctx.Err()
			}
			return lost
		})
		synctest.Wait()
		code, body := asked()
		require.Equal(t, http.StatusOK, code)
		require.JSONEq(t, `{"status":"ok","checks":{"database":"ok","files":"ok"}}`, body)

		lost = errors.New("the disk is gone")
		pass(checkEvery)
		code, body = asked()
		require.Equal(t, http.StatusServiceUnavailable, code)
		require.JSONEq(t, `{"status":"unavailable","checks":{"database":"ok","files":"the disk is gone"}}`, body)

		lost, stuck = nil, true
		pass(checkEvery + checkTimeout)
		code, body = asked()
		require.Equal(t, http.StatusServiceUnavailable, code)
		require.Contains(t, body, "no answer in time")

		stuck = false
		pass(checkEvery + checkTimeout)
		code, _ = asked()
		require.Equal(t, http.StatusOK, code)
	})
}

// pass lets time go by, and what is due then happen.
func pass(d time.Duration) {
	time.Sleep(d) // inside a bubble
	synctest.Wait()
}

func TestListen(t *testing.T) {
	t.Parallel()

	log := slog.New(slog.DiscardHandler)
	taken, err := Listen(t.Context(), "CLAUSEMILL_ADDR", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	address := taken.Addr().String()
	_, err = Listen(t.Context(), "CLAUSEMILL_ADDR", address)
	require.ErrorContains(t, err, "another program listens on "+address+": end it, or set CLAUSEMILL_ADDR to another address")
	_, err = Listen(t.Context(), "CLAUSEMILL_ADDR", "192.0.2.1:1")
	require.ErrorContains(t, err, "CLAUSEMILL_ADDR")

	// What was asked for is taken or refused; the default gives way.
	_, err = Config{MetricsAddr: address}.ListenMetrics(t.Context(), log)
	require.ErrorContains(t, err, "CLAUSEMILL_METRICS_ADDR")
	for range 2 {
		l, err := Config{}.ListenMetrics(t.Context(), log)
		require.NoError(t, err)
		defer l.Close()
		require.True(t, l.Addr().(*net.TCPAddr).IP.IsLoopback())
	}
}
