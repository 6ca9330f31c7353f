package e2e_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/postgres"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// cluster is a Postgres that a test may kill. It is as careful with its data as
// in production.
type cluster struct {
	t      *testing.T
	dir    string
	server *postgres.Server

	settings []string
}

func newCluster(t *testing.T, settings ...string) *cluster {
	t.Helper()
	dir, err := openDir("clausemill-e2e-postgres-")
	require.NoError(t, err)
	c := &cluster{t: t, dir: dir, settings: settings}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c.start()
	t.Cleanup(func() {
		require.NoError(t, c.server.NoDeadlock(dbtest.Deadlocks))
		_ = c.server.Stop()
	})
	return c
}

func (c *cluster) start() {
	c.t.Helper()
	server, err := postgres.Start(context.Background(), postgres.Config{Dir: c.dir, Settings: c.settings})
	require.NoError(c.t, err)
	c.server = server
}

// crash kills the server without a chance to write anything.
func (c *cluster) crash() {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "data", "postmaster.pid"))
	require.NoError(c.t, err)
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	require.NoError(c.t, err)
	require.NoError(c.t, syscall.Kill(pid, syscall.SIGKILL))
	<-c.server.Ended()
	_ = c.server.Stop() // it has ended, and not well
}

// url stays the same when the server is started again.
func (c *cluster) url() string {
	return (&url.URL{
		Scheme: "postgres", User: url.User("clausemill"), Path: "/" + postgres.Database,
		RawQuery: url.Values{"host": {filepath.Join(c.dir, "socket")}, "port": {"5432"}}.Encode(),
	}).String()
}

// open connects to the server.
func (c *cluster) open() *db.DB {
	c.t.Helper()
	d, err := db.Open(c.t.Context(), c.url(), 4)
	require.NoError(c.t, err)
	c.t.Cleanup(d.Close)
	return d
}
