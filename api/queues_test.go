package api

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
)

// TestQueues asks for the queues of teams again and again.
func TestQueues(t *testing.T) {
	t.Parallel()
	reads, failure := 0, error(nil)
	q := newQueues(func(context.Context, db.Scope) (db.TeamQueue, error) {
		reads++
		return db.TeamQueue{At: time.Now(), FilesPerSecond: float64(reads)}, failure
	})
	before := db.FileState{QueuedAt: time.Now()}
	ask := func(team string, f db.FileState, want int) {
		t.Helper()
		queue, err := q.around(t.Context(), team, f)
		require.NoError(t, err)
		require.Equal(t, want, reads)
		require.Positive(t, queue.FilesPerSecond)
	}
	ask("ours", before, 1)
	ask("ours", before, 1)
	ask("theirs", before, 2)
	ask("ours", db.FileState{QueuedAt: time.Now()}, 3) // it was not in the queue that is known
	ask("ours", before, 3)
	expire := func() {
		for team, known := range q.known {
			q.known[team] = knownQueue{queue: known.queue}
		}
	}
	expire()
	ask("ours", before, 4)

	failure = errors.New("no database")
	_, err := q.around(t.Context(), "ours", db.FileState{QueuedAt: time.Now()})
	require.ErrorIs(t, err, failure)
	failure = nil
	ask("ours", db.FileState{QueuedAt: time.Now()}, 6)

	expire()
	q.pruned = time.Time{}
	ask("new", before, 7)
	require.Len(t, q.known, 1, "those that nobody asks for are forgotten")
}
