package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db/dbtest"
)

func TestRunTellsTheCommandWhereThingsAre(t *testing.T) {
	t.Setenv(databaseURL, "")
	t.Setenv(ocrProgram, "")
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("bin", 0o700))
	require.NoError(t, os.WriteFile(ocrPath, nil, 0o600))

	code, err := run(t.Context(), []string{"sh", "-c", "echo \"$" + databaseURL + "\" \"$" + ocrProgram + "\" > said; exit 7"})
	require.NoError(t, err)
	require.Equal(t, 7, code)

	said, err := os.ReadFile("said")
	require.NoError(t, err)
	here, err := filepath.Abs(ocrPath)
	require.NoError(t, err)
	require.Regexp(t, `^postgres://.*host=\S+ `+here+`\n$`, string(said))
}

func TestRunKeepsWhatIsSet(t *testing.T) {
	t.Setenv(databaseURL, "postgres://elsewhere/")
	t.Chdir(t.TempDir())

	code, err := run(t.Context(), []string{"sh", "-c", "test $" + databaseURL + " = postgres://elsewhere/"})
	require.NoError(t, err)
	require.Zero(t, code)
}

// TestRunFailsOnDeadlocks runs this very program as the command.
func TestRunFailsOnDeadlocks(t *testing.T) {
	if url := os.Getenv(databaseURL); os.Getenv("CLAUSEMILL_TEST_DEADLOCK") != "" {
		deadlock(t, url, os.Getenv("CLAUSEMILL_TEST_DEADLOCK"))
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(databaseURL, "")
	t.Chdir(t.TempDir())
	command := []string{self, "-test.run=^TestRunFailsOnDeadlocks$"}

	t.Setenv("CLAUSEMILL_TEST_DEADLOCK", "TestOfSomething")
	_, err = run(t.Context(), command)
	require.ErrorContains(t, err, "TestOfSomething ERROR:  deadlock detected")

	t.Setenv("CLAUSEMILL_TEST_DEADLOCK", dbtest.Deadlocks)
	code, err := run(t.Context(), command)
	require.NoError(t, err)
	require.Zero(t, code)
}

// deadlock has two connections wait for one another.
func deadlock(t *testing.T, url, application string) {
	t.Helper()
	begin := func(lock int) *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		for _, sql := range []string{"SET application_name = '" + application + "'", "BEGIN", fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", lock)} {
			_, err := conn.Exec(t.Context(), sql)
			require.NoError(t, err)
		}
		return conn
	}
	one, two := begin(1), begin(2)
	first := make(chan error)
	go func() {
		_, err := one.Exec(t.Context(), "SELECT pg_advisory_xact_lock(2)")
		first <- errors.Join(err, one.Close(t.Context()))
	}()
	_, err := two.Exec(t.Context(), "SELECT pg_advisory_xact_lock(1)")
	require.NoError(t, two.Close(t.Context()))
	require.ErrorContains(t, errors.Join(err, <-first), "deadlock detected")
}
