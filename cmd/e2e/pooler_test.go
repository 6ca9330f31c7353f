package e2e_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db/dbtest"
)

// TestPooler has a service whose processes share two connections for transactions by
// PgBouncer: files come to their end, listeners are woken, and all goes on after the pooler
// was away.
func TestPooler(t *testing.T) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // which is in no user's path
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("PgBouncer is not installed")
	}
	d, direct := dbtest.Database(t)
	address := freeAddress(t)
	pooler := poolerOf(t, direct, address)
	pooled := fmt.Sprintf("postgres://clausemill@%s/pooled?sslmode=disable", address)
	bouncer := func() *process {
		p := start(t, pooler, os.Environ(), program, "pgbouncer.ini")
		require.Eventually(t, func() bool {
			conn, err := pgx.Connect(t.Context(), pooled+"&default_query_exec_mode=exec")
			return err == nil && conn.Close(t.Context()) == nil
		}, time.Minute, 20*time.Millisecond, p.said(4<<10))
		return p
	}
	running := bouncer()

	s := newSystemAt(t, d, pooled, "DATABASE_DIRECT_URL="+direct, "CLAUSEMILL_DATABASE_CONNS=8")
	ada := s.account("ada@example.com")
	here := freeAddress(t)
	api := s.api(here)
	workers := []*process{s.worker(), s.worker()}
	c := ada.byKey(t, here)
	for i := range 20 {
		c.upload(upload{"note.txt", fmt.Appendf(nil, "The Tenant of flat number %d shall pay the rent.", i)})
	}
	for _, f := range c.allEnd(2 * time.Minute) {
		require.Equal(t, "completed", f.Status, f.code())
	}
	found := c.get("/api/search?q=rent")
	require.True(t, found.ok(), string(found.body))

	// Who listens does so at Postgres itself: the API, and each worker to its queue. All others
	// share the two connections of the pooler, which names nobody. A worker that has heard
	// nothing for seconds asks its connection whether it still answers.
	count := func(which string) (n int) {
		require.NoError(t, d.Pool().QueryRow(t.Context(), `
			SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND `+which).Scan(&n))
		return n
	}
	require.Eventually(t, func() bool { return count(`query ~ '^(LISTEN |-- ping$)' AND application_name <> ''`) == 3 }, time.Minute, 50*time.Millisecond)
	require.Zero(t, count(`query LIKE 'LISTEN %' AND application_name = ''`))
	require.Equal(t, 2, count(`application_name = ''`))

	running.kill()
	require.False(t, c.get("/api/files").ok())
	bouncer()
	require.Eventually(t, func() bool { return c.get("/api/files").ok() }, time.Minute, 50*time.Millisecond)
	f := c.wait(c.upload(upload{"note.txt", []byte("The Tenant shall pay after the outage.")}).ID, time.Minute)
	require.Equal(t, "completed", f.Status, f.code())
	for _, p := range append(workers, api) {
		require.True(t, p.running())
		require.NotContains(t, p.said(1<<20), "prepared statement")
	}
}

// poolerOf is a directory with settings by which PgBouncer takes two connections to a
// database for all who connect to address.
func poolerOf(t *testing.T, database, address string) (dir string) {
	t.Helper()
	to, err := pgx.ParseConfig(database)
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	dir = t.TempDir()
	as, password := "", ""
	if os.Getuid() == 0 { // as whom it does not run
		owner := "nobody"
		if at, err := os.Stat(to.Host); err == nil { // who has the socket
			of, err := user.LookupId(strconv.FormatUint(uint64(at.Sys().(*syscall.Stat_t).Uid), 10))
			require.NoError(t, err)
			owner = of.Username
		}
		as = "user = " + owner + "\n"
	}
	if to.Password != "" {
		password = " password=" + to.Password
	}
	settings := fmt.Sprintf("[databases]\npooled = host=%s port=%d dbname=%s user=%s%s\n"+
		"[pgbouncer]\nlisten_addr = %s\nlisten_port = %s\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 200\n%s",
		to.Host, to.Port, to.Database, to.User, password, host, port, as)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pgbouncer.ini"), []byte(settings), 0o600))
	return dir
}
