package nlptest

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// RequireLinear holds the work on a text of one pattern, again and again, in proportion to
// its length, which is bytes and an eighth of it. Work is the time that the processor
// spends on it, whatever else runs.
func RequireLinear(t *testing.T, pattern string, bytes int, work func(text string)) {
	t.Helper()
	const (
		times  = 8  // the long text of the short
		most   = 24 // as much work; 64 where it grows with the square
		little = 20 * time.Millisecond
		tries  = 4 // since other work disturbs caches
	)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	spent := func(bytes int) time.Duration {
		text := strings.Repeat(pattern, bytes/len(pattern))
		before := threadTime(t)
		work(text)
		return threadTime(t) - before
	}
	short, long := spent(bytes/times), spent(bytes)
	for try := 1; long > little && long > most*short && try < tries; try++ {
		short, long = max(short, spent(bytes/times)), min(long, spent(bytes))
	}
	require.False(t, long > little && long > most*short, "%q: %v for %d bytes, %v for %d", pattern, short, bytes/times, long, bytes)
}

// threadTime is the time that the processor spent on this thread. It is exact: that of
// getrusage(2) stands still between the ticks of the kernel's timer.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var spent unix.Timespec
	require.NoError(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent))
	return time.Duration(spent.Nano())
}
