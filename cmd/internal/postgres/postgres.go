package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clausemill/clausemill/cmd/internal/machine"
)

const (
	port          = 5432 // names the socket file; nothing listens on TCP
	socketFile    = "/.s.PGSQL.5432"
	maxSocketPath = 107 // sun_path of unix(7), without its final zero
	socketPrefix  = "clausemill-"
	logFile       = "postgres.log"
	socketLink    = "socket" // leads from Config.Dir to the socket: psql -U clausemill -h data/postgres/socket

	superuser   = "clausemill"
	maintenance = "postgres" // the database that every cluster has

	lockTimeout  = 2 * time.Second
	lockPoll     = 20 * time.Millisecond
	startTimeout = 2 * time.Minute // recovery after a crash replays the log
	adoptTimeout = 10 * time.Second
	stopTimeout  = time.Minute // then the server is stopped without a checkpoint
	maxLogBytes  = 16 << 20
)

// Config says where a server keeps its data and how careful it is.
type Config struct {
	// Dir holds the cluster, its log and its lock. It is made if it is missing.
	Dir string
	// Disposable trades every safety against power loss for speed. For tests.
	Disposable bool
	// Settings are further ones of the server: archive_mode=on.
	Settings []string
}

// Server is a running Postgres.
type Server struct {
	pid    int
	socket string // directory of its socket
	dir    string // what Config named
	lock   *os.File

	ended chan struct{} // closed when the server that we started is gone
	err   error         // why it ended; read after ended

	stop    sync.Once
	stopErr error
}

// Start brings up the server of config.Dir and waits until it answers. A server
// that survived its launcher is taken over; one whose launcher is alive is left
// alone, with an error.
//
// The server stops when this process dies, and does not see the terminal's
// Ctrl-C, so that its clients can finish first.
func Start(ctx context.Context, config Config) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()

	dir, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, err
	}
	// Others may pass through to reach what is theirs, but not look around.
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, dir, config)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s.dir, s.lock = dir, lock
	return s, nil
}

// lockDir keeps a second launcher away for as long as this process lives.
func lockDir(dir string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	// A launcher that was just killed holds it until the system has cleared up.
	for patience := time.Now().Add(lockTimeout); ; time.Sleep(lockPoll) {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		if time.Now().After(patience) {
			err = errors.New("another process runs the database in " + dir)
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

func start(ctx context.Context, dir string, config Config) (*Server, error) {
	data := filepath.Join(dir, "data")
	if s, err := adopt(ctx, data); s != nil || err != nil {
		return s, err
	}
	p, err := findPrograms(data)
	if err != nil {
		return nil, err
	}
	a, err := chooseAccount(p, dir)
	if err != nil {
		return nil, err
	}
	if err := makeCluster(p, a, data, config.Disposable); err != nil {
		return nil, err
	}
	if err := a.own(data); err != nil {
		return nil, err
	}
	removeSocketDir(dir)
	socket, err := socketDir(p, a)
	if err != nil {
		return nil, err
	}
	if err := os.Symlink(socket, filepath.Join(dir, socketLink)); err != nil {
		return nil, errors.Join(err, os.Remove(socket))
	}
	log, err := openLog(filepath.Join(dir, logFile))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := a.command(p, data, "postgres", arguments(data, socket, config)...)
	cmd.Stdout, cmd.Stderr = log, log
	s, err := launch(cmd, socket)
	if err != nil {
		return nil, err
	}
	s.dir = dir
	if err := s.waitReady(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start Postgres (its log is %s): %w%s", log.Name(), err, tail(log.Name())), s.Stop())
	}
	return s, nil
}

// adopt returns the server that already runs in data, or nil when there is none
// and the way is clear to start one.
func adopt(ctx context.Context, data string) (*Server, error) {
	p, ok := readPidfile(data)
	if !ok {
		return nil, nil //nolint:nilnil // nothing to adopt is no error
	}
	alive, err := p.runs(data)
	if err != nil {
		return nil, err
	}
	if alive && p.ready {
		if s := p.server(ctx); s != nil {
			return s, nil
		}
	}
	if alive {
		// Told to stop when its launcher died and not done yet, or beyond reach
		// because its socket was swept from the temporary directory.
		_ = syscall.Kill(p.pid, syscall.SIGINT)
		if err := ended(p.pid, int(stopTimeout.Milliseconds())); err != nil {
			return nil, err
		}
	}
	if err := killOrphans(data); err != nil {
		return nil, err
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", p.pid)); err == nil && !alive {
		// The number belongs to somebody else by now, and Postgres would take
		// that for a running server.
		return nil, os.Remove(pidfilePath(data))
	}
	return nil, nil //nolint:nilnil // as above
}

// server connects to the process that p names. It returns nil if that does not
// answer.
func (p pidfile) server(ctx context.Context) *Server {
	ctx, cancel := context.WithTimeout(ctx, adoptTimeout)
	defer cancel()

	s := &Server{pid: p.pid, socket: p.socket, ended: make(chan struct{})}
	go func() {
		s.err = ended(p.pid, -1)
		close(s.ended)
	}()
	if err := s.waitReady(ctx); err != nil {
		return nil
	}
	return s
}

// killOrphans ends what a killed server left behind: a connection's process in
// the middle of a long query does not notice, and no new server may start
// beside it.
func killOrphans(data string) error {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return err
	}
	for _, link := range links {
		dir, err := os.Readlink(link)
		if err != nil || dir != data {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err != nil {
			continue
		}
		name, err := os.ReadFile(filepath.Join(filepath.Dir(link), "comm"))
		if err != nil || strings.TrimSpace(string(name)) != "postgres" {
			continue // somebody's shell
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		if err := ended(pid, int(stopTimeout.Milliseconds())); err != nil {
			return err
		}
	}
	return nil
}

// makeCluster runs initdb unless data holds a cluster. It works beside data and
// renames, so that an interrupted run is simply begun again.
func makeCluster(p programs, a account, data string, disposable bool) error {
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err == nil {
		return nil
	}
	fresh := data + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return err
	}
	if err := a.own(fresh); err != nil {
		return err
	}
	args := append([]string{"-D", fresh, "--username=" + superuser, "--encoding=UTF8", "--auth-local=trust", "--auth-host=reject"}, p.locale()...)
	if disposable {
		args = append(args, "--no-sync")
	}
	if out, err := a.command(p, fresh, "initdb", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return os.Rename(fresh, data)
}

// socketDir makes a directory for the socket that a can search and nobody else
// but root: entering it is all the authentication there is.
func socketDir(p programs, a account) (string, error) {
	var failures []error
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(parent, socketPrefix)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if len(dir)+len(socketFile) > maxSocketPath {
			err = fmt.Errorf("%s: too long a path for a socket", dir)
		} else if err = a.own(dir); err == nil {
			err = a.try(p, dir)
		}
		if err == nil {
			return dir, nil
		}
		failures = append(failures, err, os.Remove(dir))
	}
	return "", fmt.Errorf("no directory for the socket of Postgres: %w", errors.Join(failures...))
}

// removeSocketDir clears what the last server of dir left. The name comes from
// a file, so it only takes what socketDir makes.
func removeSocketDir(dir string) {
	link := filepath.Join(dir, socketLink)
	socket, err := os.Readlink(link)
	if err != nil || !strings.HasPrefix(filepath.Base(socket), socketPrefix) {
		return
	}
	_ = os.Remove(socket + socketFile)
	_ = os.Remove(socket + socketFile + ".lock")
	_ = os.Remove(socket)
	_ = os.Remove(link)
}

// openLog appends to the server's log, and keeps one older part.
func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLogBytes {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// logEntry begins what one process has to say, which may take several lines and
// goes on in entries for the details.
var logEntry = regexp.MustCompile(`(?m)^\S+ \S+ \S+ \[(\d+)\] (.*?) ?([A-Z]+):  `)

// NoDeadlock fails with what the server logged of deadlocks that it found, but for
// those of connections whose application_name is meant. Whoever ran into one may
// well have tried again and told nobody.
func (s *Server) NoDeadlock(meant string) error {
	log, err := os.ReadFile(filepath.Join(s.dir, logFile))
	if err != nil {
		return err
	}
	var found strings.Builder
	victim := ""
	entries := logEntry.FindAllSubmatchIndex(log, -1)
	for i, at := range entries {
		end := len(log)
		if i+1 < len(entries) {
			end = entries[i+1][0]
		}
		process, application, level := string(log[at[2]:at[3]]), string(log[at[4]:at[5]]), string(log[at[6]:at[7]])
		switch {
		case level == "ERROR" && bytes.HasPrefix(log[at[1]:end], []byte("deadlock detected")) && application != meant:
			victim = process
		case process == victim && level != "DETAIL" && level != "HINT" && level != "CONTEXT" && level != "STATEMENT":
			victim = ""
		}
		if process == victim {
			found.Write(log[at[0]:end])
		}
	}
	if found.Len() == 0 {
		return nil
	}
	return errors.New("Postgres found a deadlock; its log says:\n" + found.String())
}

// tail returns the last lines of a log for an error message.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return "\n\t" + strings.Join(lines[max(0, len(lines)-5):], "\n\t")
}

// arguments are the server's settings: its defaults, but for what a small
// machine shared with OCR wants. They are given here and not written to
// postgresql.conf, so that an old cluster follows the program.
func arguments(data, socket string, config Config) []string {
	settings := []string{
		"listen_addresses=",
		"unix_socket_directories=" + socket,
		"unix_socket_permissions=0700",
		fmt.Sprintf("port=%d", port),
		"max_connections=100",
		fmt.Sprintf("shared_buffers=%dMB", sharedBuffers(config.Disposable)>>20),
		"jit=off", // compiling costs more than these queries take
		"timezone=UTC",
		"log_timezone=UTC",
		"log_checkpoints=off",
		"log_line_prefix=%m [%p] %q%a ", // ends with application_name
	}
	if config.Disposable {
		settings = append(settings, "fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=300")
	}
	args := []string{"-D", data}
	for _, setting := range append(settings, config.Settings...) {
		args = append(args, "-c", setting)
	}
	return args
}

// sharedBuffers is how much memory the server keeps pages in: a quarter of what
// there is, which leaves OCR the rest. A search reads a thousand sentences here
// and there, so what matters is that all of them fit: 750 bytes each with their
// index. Memory that is not needed is never touched.
func sharedBuffers(disposable bool) uint64 {
	const least = 128 << 20
	if disposable {
		return least
	}
	return max(machine.Own().Memory/4, least)
}

// launch starts the server in a process group of its own.
func launch(cmd *exec.Cmd, socket string) (*Server, error) {
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Pdeathsig = syscall.SIGINT // a fast, orderly shutdown
	s := &Server{socket: socket, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The signal comes at the death of the thread that forked, so that
		// thread stays with the server.
		runtime.LockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		s.pid = cmd.Process.Pid
		started <- nil
		s.err = cmd.Wait()
		close(s.ended)
	}()
	return s, <-started
}

// waitReady returns once the server answers and holds our database.
func (s *Server) waitReady(ctx context.Context) error {
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		err := s.createDatabase(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return errors.Join(errors.New("it ended at once"), s.err)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-retry.C:
		}
	}
}

func (s *Server) createDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.URL(maintenance))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE DATABASE "+Database)
	const duplicate = "42P04"
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) && pg.Code == duplicate {
		return nil
	}
	return err
}

// Database is the one that Start creates.
const Database = "clausemill"

// URL is how to connect to a database of the server.
func (s *Server) URL(database string) string {
	u := url.URL{
		Scheme: "postgres",
		User:   url.User(superuser),
		Path:   "/" + database,
		RawQuery: url.Values{
			"host": {s.socket},
			"port": {strconv.Itoa(port)},
		}.Encode(),
	}
	return u.String()
}

// BaseBackup copies the cluster, while it runs, to where Start with dir finds it.
func (s *Server) BaseBackup(ctx context.Context, dir string) error {
	p, err := findPrograms(filepath.Join(s.dir, "data"))
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, "pg_basebackup"), //nolint:gosec // the installed one
		"--dbname="+s.URL(maintenance), "--pgdata="+filepath.Join(dir, "data"), "--checkpoint=fast", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	return nil
}

// Ended is closed when the server is gone, asked or not.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Stop ends every connection and the server, and returns when it is gone and
// its data is on disk.
func (s *Server) Stop() error {
	s.stop.Do(func() {
		s.stopErr = s.shutdown()
		removeSocketDir(s.dir)
		if s.lock != nil {
			s.stopErr = errors.Join(s.stopErr, s.lock.Close())
		}
	})
	return s.stopErr
}

// shutdown asks, then insists, then kills.
func (s *Server) shutdown() error {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		select {
		case <-s.ended: // its number may have a new owner
			return nil
		default:
		}
		if err := syscall.Kill(s.pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		select {
		case <-s.ended:
			return nil
		case <-time.After(stopTimeout):
		}
	}
	return fmt.Errorf("process %d, Postgres, does not end", s.pid)
}
