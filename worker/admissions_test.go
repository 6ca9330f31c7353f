package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAdmissionsAhead has jobs admitted ahead at the pace at which they end: none of long ones,
// and of short ones half of them end before others are admitted.
func TestAdmissionsAhead(t *testing.T) {
	t.Parallel()
	a := &admissions{due: make(chan struct{}, 1), since: time.Now()}
	due := func() bool {
		select {
		case <-a.due:
			return true
		default:
			return false
		}
	}
	pass := func(jobs int, d time.Duration) int {
		for range jobs {
			a.end()
		}
		a.since = time.Now().Add(-d)
		ahead := a.next()
		due()
		return ahead
	}
	require.Zero(t, pass(2, time.Second), "jobs of a second")
	a.end()
	require.True(t, due(), "each job has the next one admitted")
	require.Zero(t, pass(3, paceEvery/2), "the pace of a moment")

	ahead := pass(100, time.Second)
	require.InDelta(t, 20, ahead, 1)
	for range ahead/2 - 1 {
		a.end()
		require.False(t, due())
	}
	a.end()
	a.end()
	require.True(t, due())
	require.Equal(t, mostAhead, pass(10_000, time.Second))
	require.Zero(t, pass(0, time.Second), "nothing ends any more")
}
