// Command testenv runs a command with everything the tests need beside them,
// and stops it all afterwards:
//
//	go run ./cmd/internal/testenv -- go test ./...
//
// It starts one Postgres for the whole run (unless CLAUSEMILL_TEST_DATABASE_URL
// names one), and Meilisearch and the OCR child where `make test` has put them,
// and tells the command by environment variables, which also name the S3 server
// that tests start for themselves. What is absent is left unset:
// the tests that need it then say so and skip. A deadlock in the log of Postgres
// fails the run.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/clausemill/clausemill/cmd/internal/postgres"
	"github.com/clausemill/clausemill/db/dbtest"
)

// The variables that tests read.
const (
	databaseURL  = "CLAUSEMILL_TEST_DATABASE_URL"
	meiliURL     = "MEILI_TEST_URL"
	meiliKey     = "MEILI_TEST_KEY"
	meiliProgram = "MEILI_TEST_PROGRAM" // for tests that stop and start one of their own
	ocrProgram   = "CLAUSEMILL_OCR"
	s3Program    = "S3_TEST_PROGRAM" // versitygw
)

// Where `make test` puts what it builds and fetches.
const (
	ocrPath   = "bin/clausemill-ocr"
	meiliPath = ".cache/meilisearch/meilisearch"
	s3Path    = ".cache/versitygw/versitygw"
)

const startTimeout = time.Minute

func main() {
	// The servers are told to die with the thread that started them.
	runtime.LockOSThread()
	// Ctrl-C reaches the command too: wait for it to end, then tidy up.
	signal.Ignore(syscall.SIGINT)

	command := os.Args[1:]
	if at := slices.Index(command, "--"); at >= 0 {
		command = command[at+1:]
	}
	if len(command) == 0 {
		fmt.Fprintln(os.Stderr, "usage: testenv -- COMMAND [ARGUMENT…]")
		os.Exit(2)
	}
	code, err := run(context.Background(), command)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// run returns the command's exit status.
func run(ctx context.Context, command []string) (code int, err error) {
	dir, err := os.MkdirTemp("", "clausemill-test-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // under root the server runs as somebody else
		return 0, err
	}

	env := os.Environ()
	if os.Getenv(databaseURL) == "" {
		server, startErr := postgres.Start(ctx, postgres.Config{Dir: filepath.Join(dir, "postgres"), Disposable: true})
		if startErr != nil {
			return 0, startErr
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		defer func() { err = errors.Join(err, server.NoDeadlock(dbtest.Deadlocks)) }()
		env = append(env, databaseURL+"="+server.URL(postgres.Database))
	}
	if path, ok := found(ocrPath); ok && os.Getenv(ocrProgram) == "" {
		env = append(env, ocrProgram+"="+path)
	}
	if path, ok := found(s3Path); ok && os.Getenv(s3Program) == "" {
		env = append(env, s3Program+"="+path)
	}
	if path, ok := found(meiliPath); ok && os.Getenv(meiliURL) == "" {
		url, key, stop, startErr := startMeilisearch(ctx, path, filepath.Join(dir, "meilisearch"))
		if startErr != nil {
			return 0, startErr
		}
		defer func() { err = errors.Join(err, stop()) }()
		env = append(env, meiliURL+"="+url, meiliKey+"="+key, meiliProgram+"="+path)
	}
	return execute(command, env)
}

// found returns the absolute path of a file, since tests run elsewhere.
func found(path string) (string, bool) {
	if _, err := os.Stat(path); err != nil {
		return "", false
	}
	abs, err := filepath.Abs(path)
	return abs, err == nil
}

// execute runs command to its end. SIGTERM is passed on.
func execute(command, env []string) (int, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec // that is what it is for
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() {
		for s := range terminated {
			_ = cmd.Process.Signal(s)
		}
	}()
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// startMeilisearch runs the search engine on a port that is free now.
func startMeilisearch(ctx context.Context, program, dir string) (url, key string, stop func() error, err error) {
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", nil, err
	}
	address := port.Addr().String()
	if err := errors.Join(port.Close(), os.Mkdir(dir, 0o700)); err != nil {
		return "", "", nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return "", "", nil, err
	}
	defer log.Close()
	key = rand.Text()
	cmd := exec.Command(program, "--http-addr", address, "--env", "production", "--no-analytics", "--log-level", "WARN")
	cmd.Env = append(os.Environ(), "MEILI_MASTER_KEY="+key)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return "", "", nil, err
	}
	stop = func() error {
		// Nobody will look at its data again.
		err := cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}
	url = "http://" + address
	if err := answers(ctx, url+"/health"); err != nil {
		text, _ := os.ReadFile(log.Name())
		return "", "", nil, errors.Join(fmt.Errorf("start Meilisearch: %w\n%s", err, text), stop())
	}
	return url, key, stop, nil
}

// answers waits for a server to come up.
func answers(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-retry.C:
		}
	}
}
