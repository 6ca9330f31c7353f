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

// stubborn names the environment variable that turns the test binary into a
// program that goes on after the first signal.
const stubborn = "CLAUSEMILL_TEST_STUBBORN"

func TestMain(m *testing.M) {
	if os.Getenv(stubborn) == "" {
		code := m.Run()
		dbtest.Drop()
		os.Exit(code)
	}
	ctx, stop := Interruptible(context.Background())
	defer stop()
	fmt.Println("runs")
	<-ctx.Done()
	fmt.Println(context.Cause(ctx))
	select {}
}

func TestSecondSignalIsTheLast(t *testing.T) {
	t.Parallel()

	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
		cmd.Env = append(os.Environ(), stubborn+"=1")
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
