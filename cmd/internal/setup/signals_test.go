package setup

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db/dbtest"
)

// role names the environment variable that turns the test binary into another
// program.
const (
	role     = "CLAUSEMILL_TEST_ROLE"
	stubborn = "stubborn" // goes on after the first signal
	counting = "counting" // counts the children before it can be interrupted, and after
)

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case stubborn:
		ctx, stop := Interruptible(context.Background())
		defer stop()
		fmt.Println("runs")
		<-ctx.Done()
		fmt.Println(context.Cause(ctx))
		select {}
	case counting:
		before := children()
		_, stop := Interruptible(context.Background())
		defer stop()
		fmt.Printf("%d before, %d after\n", before, children())
	default:
		code := m.Run()
		dbtest.Drop()
		os.Exit(code)
	}
}

// children is 1 where this process has had any that ended.
func children() int {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		panic(err)
	}
	return int(min(used.Maxrss, 1))
}

func TestSecondSignalIsTheLast(t *testing.T) {
	t.Parallel()

	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
		cmd.Env = append(os.Environ(), role+"="+stubborn)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan())
		require.Equal(t, "runs", lines.Text())

		require.NoError(t, cmd.Process.Signal(signal))
		require.True(t, lines.Scan())
		require.Equal(t, ErrInterrupted.Error(), lines.Text())

		require.NoError(t, cmd.Process.Signal(signal))
		require.Error(t, cmd.Wait())
		require.Equal(t, signal, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
	}
}

// TestNoChildHandlesSignals looks that the child which shares the handlers has
// come and gone before a signal means an orderly end: that it was there shows in
// what this process's children have used.
func TestNoChildHandlesSignals(t *testing.T) {
	t.Parallel()

	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), role+"="+counting)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "0 before, 1 after\n", string(out))
}
