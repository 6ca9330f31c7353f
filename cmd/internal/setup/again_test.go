package setup_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/setup"
)

// loading says to this test, loaded as a program of its own, how often it was loaded.
const loading = "CLAUSEMILL_TEST_LOADED"

// TestAgain loads a program anew that has a child, which is not left in the table of
// processes.
func TestAgain(t *testing.T) { //nolint:paralleltest // the program that is loaded has this process to itself
	switch os.Getenv(loading) {
	case "":
		program := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAgain$")
		program.Env = append(os.Environ(), loading+"=once")
		said, err := program.CombinedOutput()
		require.NoError(t, err, "%s", said)
	case "once":
		require.NoError(t, exec.Command("sleep", "0.1").Start()) // it outlives the program
		require.NoError(t, os.Setenv(loading, "twice"))          //nolint:usetesting // read after this test has gone
		require.NoError(t, setup.Again())
	case "twice":
		require.NotEmpty(t, unwaited(t))
		setup.Reap()
		require.Eventually(t, func() bool { return unwaited(t) == "" }, 10*time.Second, 10*time.Millisecond)
	}
}

// TestReap leaves children to who started them.
func TestReap(t *testing.T) {
	t.Parallel()
	child := exec.CommandContext(t.Context(), "sleep", "0.1")
	require.NoError(t, child.Start())
	setup.Reap()
	time.Sleep(200 * time.Millisecond) // it has ended: who asks for its status first gets it
	require.NoError(t, child.Wait())
}

// unwaited are the ids of the processes that this one started and has not waited for.
func unwaited(t *testing.T) string {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	ids := ""
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread that has ended has none
		ids += string(text)
	}
	return ids
}
