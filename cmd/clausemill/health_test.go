package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealth(t *testing.T) {
	t.Parallel()

	asked := ""
	code, body := http.StatusOK, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)

	body = `{"status":"ok","checks":{"files":"ok","database":"ok"}}`
	for _, host := range []string{"127.0.0.1", "", "0.0.0.0", "[::]"} {
		status, stdout, stderr := command(t, "health", "--metrics-addr", host+":"+port)
		require.Zero(t, status, stderr)
		require.Equal(t, "ok\ndatabase: ok\nfiles: ok\n", stdout)
		require.Equal(t, "/readyz", asked)
	}
	body = `{"status":"ok"}`
	status, stdout, _ := command(t, "health", "--live", "--metrics-addr", ":"+port)
	require.Zero(t, status)
	require.Equal(t, "ok\n", stdout)
	require.Equal(t, "/livez", asked)

	code, body = http.StatusServiceUnavailable, `{"status":"unavailable","checks":{"database":"the database is not available"}}`
	status, stdout, stderr := command(t, "health", "--metrics-addr", ":"+port)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stdout, "database: the database is not available")
	require.Contains(t, stderr, "not ready")

	status, stdout, _ = command(t, "health", "--json", "--metrics-addr", ":"+port)
	require.Equal(t, exitFailed, status)
	require.JSONEq(t, body, stdout)

	code, body = http.StatusOK, `<html>`
	status, _, stderr = command(t, "health", "--metrics-addr", ":"+port)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "not as Clausemill does", "another program may have the port")

	server.Close()
	status, _, stderr = command(t, "health", "--metrics-addr", ":"+port)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "nobody answers")
	status, _, _ = command(t, "health", "--metrics-addr", "nowhere")
	require.Equal(t, exitUsage, status)
}
