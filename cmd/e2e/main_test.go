package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clausemill/clausemill/cmd/internal/postgres"
	"github.com/clausemill/clausemill/db/dbtest"
)

// The variables that say what to test; without them the programs are built.
const (
	programVariable = "CLAUSEMILL_BIN"
	devVariable     = "CLAUSEMILL_DEV_BIN"
	ocrVariable     = "CLAUSEMILL_OCR"
	databaseURL     = "CLAUSEMILL_TEST_DATABASE_URL"
	browserVariable = "CLAUSEMILL_BROWSER" // which has no other: `make browser` names it
)

// What all tests share.
var (
	program    string // clausemill as it is built for servers
	devProgram string // with the commands for development
	ocrProgram string // clausemill-ocr
	cacheDir   string // of compiled code, which takes half a minute to make
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := openDir("clausemill-e2e-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cacheDir = filepath.Join(dir, "cache")
	if err := os.Mkdir(cacheDir, 0o700); err != nil {
		return 0, err
	}
	if program, err = build(dir, programVariable, "clausemill", "-tags", "production"); err != nil {
		return 0, err
	}
	if devProgram, err = build(dir, devVariable, "clausemill"); err != nil {
		return 0, err
	}
	if ocrProgram, err = build(dir, ocrVariable, "clausemill-ocr"); err != nil {
		return 0, err
	}
	if os.Getenv(databaseURL) == "" {
		server, startErr := postgres.Start(context.Background(), postgres.Config{Dir: filepath.Join(dir, "postgres"), Disposable: true})
		if startErr != nil {
			return 0, startErr
		}
		defer func() { err = errors.Join(err, server.NoDeadlock(dbtest.Deadlocks), server.Stop()) }()
		if err := os.Setenv(databaseURL, server.URL(postgres.Database)); err != nil {
			return 0, err
		}
	}
	defer dbtest.Drop()
	return m.Run(), nil
}

// long marks a test that takes half a minute and more of many processes: `make long` runs it, and
// `make test` does not.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("`make long` runs it")
	}
}

// openDir makes a directory that others may pass through, since under root the
// database runs as somebody else.
func openDir(prefix string) (string, error) {
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711) //nolint:gosec // see above
}

// build returns the path of one of our programs: the one that variable names, or
// else it is made in dir.
func build(dir, variable, name string, flags ...string) (string, error) {
	if path := os.Getenv(variable); path != "" {
		return filepath.Abs(path)
	}
	path := filepath.Join(dir, strings.Join(append([]string{name}, flags...), ""))
	arguments := append(append([]string{"build", "-o", path}, flags...), "../"+name)
	out, err := exec.Command("go", arguments...).CombinedOutput() //nolint:gosec // our own names
	if err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}
