package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// launcherDir names the environment variable that turns the test binary into a
// launcher, so that a test has one to kill.
const launcherDir = "CLAUSEMILL_TEST_LAUNCHER_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(launcherDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Start(context.Background(), Config{Dir: dir, Disposable: true})
	if err != nil {
		fmt.Println("error", strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(1)
	}
	fmt.Println(s.URL(Database), s.pid)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends it
	if err := s.Stop(); err != nil {
		os.Exit(1)
	}
}

// launcher is another process that ran Start.
type launcher struct {
	cmd   *exec.Cmd
	stdin io.Closer
	url   string
	pid   int // of the server
}

// launchElsewhere runs Start(dir) in another process, as uid.
func launchElsewhere(t *testing.T, dir string, uid uint32) launcher {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), testBinary(t))
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), launcherDir+"="+dir)
	if uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	l := launcher{cmd: cmd, stdin: stdin}
	_, err = fmt.Sscan(line, &l.url, &l.pid)
	require.NoError(t, err, line)
	return l
}

// kill ends the launcher as a crash does, and returns when nothing is left of
// it: its lock goes with its last breath, not with the signal.
func (l launcher) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, l.cmd.Process.Kill())
	_ = l.cmd.Wait() // says that it was killed
}

// testBinary copies the running test to where any user may execute it.
func testBinary(t *testing.T) string {
	t.Helper()

	path := filepath.Join(openDir(t), "launcher")
	text, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	// A process that another test forks meanwhile would hold the file open for
	// writing, and such a file cannot be executed.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, text, 0o755)) //nolint:gosec // a program
	return path
}

// openDir returns a directory that every user can reach, for as long as the
// test runs. t.TempDir is closed to others.
func openDir(t *testing.T) string {
	t.Helper()

	dir, err := os.MkdirTemp("/tmp", "clausemill-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o711)) //nolint:gosec // as said
	return dir
}

// run starts the server of dir and stops it with the test.
func run(t *testing.T, dir string) *Server {
	t.Helper()

	s, err := Start(t.Context(), Config{Dir: dir, Disposable: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return s
}

func query(t *testing.T, url, sql string) string {
	t.Helper()

	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	var answer string
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&answer))
	return answer
}

func execute(t *testing.T, url, sql string) {
	t.Helper()

	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// A disposable server may lose what it last committed, so write insists.
const (
	write = "SET synchronous_commit = on; CREATE TABLE kept AS SELECT 'a lease'::text AS what"
	read  = "SELECT what FROM kept"
)

func requireRunning(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, 0))
}

func TestStartAgain(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	s := run(t, dir)
	require.Equal(t, "UTF8", query(t, s.URL(Database), "SHOW server_encoding"))
	require.Equal(t, "C.UTF-8", query(t, s.URL(Database), "SELECT datcollate FROM pg_database WHERE datname = current_database()"))
	require.Empty(t, query(t, s.URL(Database), "SHOW listen_addresses"))
	execute(t, s.URL(Database), write)

	group, err := syscall.Getpgid(s.pid)
	require.NoError(t, err)
	require.Equal(t, s.pid, group, "Ctrl-C would reach the server")

	require.NoError(t, s.Stop())
	require.NoError(t, s.Stop(), "a second stop is nothing")
	require.ErrorIs(t, syscall.Kill(s.pid, 0), syscall.ESRCH)
	require.NoDirExists(t, s.socket)

	again := run(t, dir)
	require.Equal(t, "a lease", query(t, again.URL(Database), read))
}

func TestDurableUnlessDisposable(t *testing.T) {
	t.Parallel()

	s, err := Start(t.Context(), Config{Dir: openDir(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		require.Equal(t, "on", query(t, s.URL(Database), "SHOW "+setting), setting)
	}
}

func TestSecondLauncherIsRefused(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	first := run(t, dir)
	_, err := Start(t.Context(), Config{Dir: dir, Disposable: true})
	require.ErrorContains(t, err, "another process runs the database in "+dir)
	requireRunning(t, first.pid)
}

func TestStopsWithItsLauncher(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	l := launchElsewhere(t, dir, 0)
	execute(t, l.url, write)
	l.kill(t)
	require.NoError(t, ended(l.pid, 30_000))

	left, err := os.Readlink(filepath.Join(dir, socketLink))
	require.NoError(t, err)
	require.Equal(t, "a lease", query(t, run(t, dir).URL(Database), read))
	require.NoDirExists(t, left, "temporary directories pile up")
}

func TestStartsWhileItsPredecessorStops(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	l := launchElsewhere(t, dir, 0)
	execute(t, l.url, write)
	l.kill(t)

	require.Equal(t, "a lease", query(t, run(t, dir).URL(Database), read))
}

func TestRecoversWhenAllIsKilled(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	l := launchElsewhere(t, dir, 0)
	execute(t, l.url, write)

	// A connection in the middle of a long query outlives its server.
	busy, err := pgx.Connect(t.Context(), l.url)
	require.NoError(t, err)
	backend := int(busy.PgConn().PID())
	broken := make(chan error, 1)
	go func() {
		_, err := busy.Exec(context.WithoutCancel(t.Context()), "SELECT count(*) FROM generate_series(1, 100000000000)")
		broken <- err
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(backend, syscall.SIGKILL) // where the test failed
		require.Error(t, <-broken)
	})

	require.NoError(t, syscall.Kill(l.pid, syscall.SIGKILL))
	l.kill(t)
	require.NoError(t, ended(l.pid, 30_000))

	s := run(t, dir)
	require.Equal(t, "a lease", query(t, s.URL(Database), read))
	require.NoError(t, ended(backend, 0), "an orphan shares the data with the new server")
}

func TestAdoptsASurvivor(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	s := run(t, dir)
	execute(t, s.URL(Database), write)
	require.NoError(t, s.Stop())

	// The same server, without a launcher that it would follow.
	data := filepath.Join(dir, "data")
	p, err := findPrograms(data)
	require.NoError(t, err)
	a, err := chooseAccount(p, dir)
	require.NoError(t, err)
	socket := openDir(t)
	require.NoError(t, a.own(socket))
	cmd := a.command(p, data, "postgres", arguments(data, socket, Config{Disposable: true})...)
	require.NoError(t, cmd.Start())
	waited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(waited)
	}()
	survivor := &Server{socket: socket, ended: waited}
	require.NoError(t, survivor.waitReady(t.Context()))

	adopted := run(t, dir)
	require.Equal(t, cmd.Process.Pid, adopted.pid)
	require.Equal(t, "a lease", query(t, adopted.URL(Database), read))

	require.NoError(t, adopted.Stop())
	<-waited
	<-adopted.Ended()
	require.NoFileExists(t, socket+socketFile)
}

func TestNumberOfADeadServerWasReused(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	s := run(t, dir)
	execute(t, s.URL(Database), write)
	pidfile, err := os.ReadFile(pidfilePath(filepath.Join(dir, "data")))
	require.NoError(t, err)
	require.NoError(t, s.Stop())

	_, rest, _ := strings.Cut(string(pidfile), "\n")
	text := fmt.Sprintf("%d\n%s", os.Getpid(), rest)
	require.NoError(t, os.WriteFile(pidfilePath(filepath.Join(dir, "data")), []byte(text), 0o600))

	require.Equal(t, "a lease", query(t, run(t, dir).URL(Database), read))
}

func TestInterruptedInitdbIsBegunAgain(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "data.new", "base"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data.new", "PG_VERSION"), []byte("15\n"), 0o600))
	require.Equal(t, "on", query(t, run(t, dir).URL(Database), "SHOW standard_conforming_strings"))
	require.NoDirExists(t, filepath.Join(dir, "data.new"))
}

func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become somebody else; every other test runs as an ordinary user here")
	}

	const nobody = 65534
	dir := openDir(t)
	require.NoError(t, os.Chown(dir, nobody, nobody))
	l := launchElsewhere(t, dir, nobody)
	execute(t, l.url, write)
	info, err := os.Stat(filepath.Join(dir, "data"))
	require.NoError(t, err)
	require.EqualValues(t, nobody, info.Sys().(*syscall.Stat_t).Uid)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.NoError(t, l.stdin.Close())
	require.NoError(t, l.cmd.Wait())

	// Root may go on with what the user began.
	require.Equal(t, "a lease", query(t, run(t, dir).URL(Database), read))
}

func TestBelowAClosedDirectory(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("an ordinary user can always enter its own directories")
	}

	closed := openDir(t)
	require.NoError(t, os.Chmod(closed, 0o700)) //nolint:gosec // a home of root
	dir := filepath.Join(closed, "postgres")
	p, err := findPrograms(filepath.Join(dir, "data"))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(dir, 0o711)) //nolint:gosec // as Start makes it
	a, err := chooseAccount(p, dir)
	if err != nil {
		require.ErrorContains(t, err, "user.max_user_namespaces")
		t.Skip("user namespaces are forbidden here")
	}
	require.True(t, a.namespace)

	s := run(t, dir)
	execute(t, s.URL(Database), write)
	info, err := os.Stat(filepath.Join(dir, "data"))
	require.NoError(t, err)
	require.Zero(t, info.Sys().(*syscall.Stat_t).Uid, "the files stay root's")
	require.NoError(t, s.Stop())

	// Opened later, the same cluster goes over to the server's own user.
	require.NoError(t, os.Chmod(closed, 0o711)) //nolint:gosec // as said
	require.Equal(t, "a lease", query(t, run(t, dir).URL(Database), read))
}

func TestForeignSettingsDoNotReachTheServer(t *testing.T) {
	long := filepath.Join(openDir(t), strings.Repeat("long", 30))
	require.NoError(t, os.Mkdir(long, 0o711)) //nolint:gosec // a temporary directory
	t.Setenv("TMPDIR", long)
	t.Setenv("PGPORT", "1")
	t.Setenv("PGDATA", "/nowhere")
	t.Setenv("LC_ALL", "tr_TR.UTF-8")

	s := run(t, openDir(t))
	require.LessOrEqual(t, len(s.socket+socketFile), maxSocketPath)
	require.Equal(t, "1", query(t, s.URL(Database), "SELECT 1::text"))
}

func TestVersionThatIsNotInstalled(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("8\n"), 0o600))
	_, err := Start(t.Context(), Config{Dir: dir, Disposable: true})
	require.ErrorContains(t, err, "was made by Postgres 8")
}

func TestStartSaysWhyItFailed(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	s := run(t, dir)
	require.NoError(t, s.Stop())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data", "postgresql.conf"), []byte("work_mem = plenty\n"), 0o600))
	_, err := Start(t.Context(), Config{Dir: dir, Disposable: true})
	require.ErrorContains(t, err, `invalid value for parameter "work_mem": "plenty"`)
}

func TestMajorVersion(t *testing.T) {
	t.Parallel()

	for line, want := range map[string]int{
		"postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18\n":                             18,
		"postgres (PostgreSQL) 19beta1":                          19,
		"mysqld 8.0":                                             0,
	} {
		got, ok := majorVersion(line)
		require.Equal(t, want, got, line)
		require.Equal(t, want != 0, ok, line)
	}
}

func TestDeadlocksAreTold(t *testing.T) {
	t.Parallel()

	s := run(t, openDir(t))
	execute(t, s.URL(Database), "CREATE TABLE leases AS SELECT generate_series(1, 2) AS id")
	require.NoError(t, s.NoDeadlock("meant"))

	for _, application := range []string{"meant", "A test/of mine"} {
		deadlock(t, s.URL(Database), application)
	}
	err := s.NoDeadlock("meant")
	require.Error(t, err)
	told := err.Error()
	require.Regexp(t, `its log says:\n\S+ \S+ UTC \[\d+\] A test/of mine ERROR:  deadlock detected\n(.+\n)+$`, told)
	require.Contains(t, told, "STATEMENT:  UPDATE leases SET id = id WHERE id = ")
	require.NotContains(t, told, "meant")
}

// deadlock has two connections wait for one another.
func deadlock(t *testing.T, url, application string) {
	t.Helper()
	conns := make([]*pgx.Conn, 2)
	for i := range conns {
		conn, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		defer conn.Close(t.Context())
		conns[i] = conn
		for _, sql := range []string{"SET application_name = '" + application + "'", "BEGIN", fmt.Sprintf("UPDATE leases SET id = id WHERE id = %d", i+1)} {
			_, err := conn.Exec(t.Context(), sql)
			require.NoError(t, err)
		}
	}
	first := make(chan error)
	go func() {
		_, err := conns[0].Exec(t.Context(), "UPDATE leases SET id = id WHERE id = 2")
		first <- errors.Join(err, conns[0].Close(t.Context()))
	}()
	_, err := conns[1].Exec(t.Context(), "UPDATE leases SET id = id WHERE id = 1")
	require.NoError(t, conns[1].Close(t.Context()))
	require.ErrorContains(t, errors.Join(err, <-first), "deadlock detected")
}

// TestBaseBackup takes a cluster back to a moment, with a base backup and the log.
func TestBaseBackup(t *testing.T) {
	t.Parallel()

	archive, dir, back := openDir(t), openDir(t), openDir(t)
	require.NoError(t, os.Chmod(archive, 0o777)) //nolint:gosec // the server may be another user
	s, err := Start(t.Context(), Config{Dir: dir, Settings: []string{"archive_mode=on", "archive_command=cp %p " + archive + "/%f"}})
	require.NoError(t, err)
	execute(t, s.URL(Database), `CREATE TABLE word (text text)`)
	require.NoError(t, s.BaseBackup(t.Context(), back))
	execute(t, s.URL(Database), `INSERT INTO word VALUES ('kept')`)
	moment := query(t, s.URL(Database), `SELECT clock_timestamp()::text`)
	execute(t, s.URL(Database), `UPDATE word SET text = 'spoilt'`)
	segment := query(t, s.URL(Database), `SELECT pg_walfile_name(pg_switch_wal())`)
	require.Eventually(t, func() bool {
		return query(t, s.URL(Database), `SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver`) >= segment
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, s.Stop())

	require.NoError(t, os.WriteFile(filepath.Join(back, "data", "recovery.signal"), nil, 0o600))
	s, err = Start(t.Context(), Config{Dir: back, Settings: []string{
		"restore_command=cp " + archive + "/%f %p", "recovery_target_time=" + moment, "recovery_target_action=promote",
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	require.Equal(t, "kept", query(t, s.URL(Database), `SELECT text FROM word`))
	require.Equal(t, "false", query(t, s.URL(Database), `SELECT pg_is_in_recovery()::text`))
}
