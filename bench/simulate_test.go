package bench

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db/dbtest"
)

// TestSimulation plays few workers and teams against the queue in Postgres.
func TestSimulation(t *testing.T) {
	t.Parallel()

	const workers, teams = 3, 60
	arrivals := plan(7, workers, teams)
	require.Equal(t, arrivals, plan(7, workers, teams), "a seed makes the same arrivals")
	require.NotEqual(t, arrivals, plan(8, workers, teams))
	// At the same moment, one team's import and another's only file, which goes through
	// the fair queue as well.
	largest := slices.MaxFunc(arrivals, func(a, b arrival) int { return len(a.files) - len(b.files) })
	only := slices.IndexFunc(arrivals, func(a arrival) bool { return a.class == entry })
	arrivals[only].at = largest.at + time.Second
	slices.SortStableFunc(arrivals, func(a, b arrival) int { return int(a.at - b.at) })

	play := func() *simulation {
		d, _ := dbtest.Database(t)
		s, err := play(t.Context(), d, 7, workers, arrivals)
		require.NoError(t, err)

		var open, completed, twice int
		require.NoError(t, d.Pool().QueryRow(t.Context(), `
			SELECT count(*) FILTER (WHERE state <> 'completed'), count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE attempt <> 1) FROM river_job`).
			Scan(&open, &completed, &twice))
		require.Zero(t, open)
		require.Zero(t, twice)
		require.Len(t, s.done, completed)
		return s
	}
	s := play()
	files := 0
	for _, a := range arrivals {
		files += len(a.files)
		for _, f := range a.files {
			require.Equal(t, 1, s.done[f.id], "every file is done once")
		}
	}
	require.Len(t, s.done, files)

	line := inLine(arrivals, 2*simulatedSlots*workers)
	for _, c := range []class{lone, entry} {
		require.NotEmpty(t, s.waits[c])
		require.Less(t, slices.Max(s.waits[c]), 12*time.Second, "%s does not wait for an import", classNames[c])
	}
	require.Greater(t, slices.Max(line[entry]), 2*slices.Max(s.waits[entry]), "it would where all stand in one line")
	mean, _, windows := s.fair.result()
	require.Positive(t, windows)
	require.Greater(t, mean, 0.8)
	require.Greater(t, s.busy, s.could*9/10, "no slot idles while work waits")

	again := play()
	require.Equal(t, s.waits, again.waits, "a seed plays the same")
	require.Equal(t, s.now, again.now)
}

func TestFairness(t *testing.T) {
	t.Parallel()

	f := newFairness()
	for range 5 {
		f.wait("a")
		f.wait("b")
	}
	f.compare(0)
	for range 3 {
		f.begin("a", 0)
	}
	f.begin("b", 0)
	f.compare(10 * time.Second)
	mean, worst, windows := f.result()
	require.Equal(t, 1, windows)
	require.InDelta(t, 16.0/(2*10), mean, 1e-9, "30 seconds and 10")
	require.Equal(t, mean, worst)
}
