package api

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
)

// queues remembers the queues of teams for a moment. To read one takes longer than to read
// the state of a file, and whoever waits asks again and again.
type queues struct {
	reads *batcher[string, struct{}, db.TeamQueue] // by team

	mu     sync.Mutex
	known  map[string]knownQueue // by team
	pruned time.Time             // when those out of date were dropped
}

// knownQueue is the queue of a team as it was read last.
type knownQueue struct {
	queue db.TeamQueue
	until time.Time
}

// queueLifetime is how long a queue is remembered.
const queueLifetime = time.Second

func newQueues(read func(context.Context, db.Scope) (db.TeamQueue, error)) *queues {
	q := &queues{known: map[string]knownQueue{}}
	q.reads = newBatcher(func(ctx context.Context, team string, asked []struct{}) ([]db.TeamQueue, error) {
		queue, err := read(ctx, db.System(team))
		if err != nil {
			return nil, err
		}
		q.remember(team, queue)
		return slices.Repeat([]db.TeamQueue{queue}, len(asked)), nil
	})
	return q
}

// around is the queue in which a file of a team stands, as of this moment or of a moment ago.
func (q *queues) around(ctx context.Context, team string, f db.FileState) (db.TeamQueue, error) {
	q.mu.Lock()
	last := q.known[team]
	q.mu.Unlock()
	if time.Now().Before(last.until) && f.QueuedAt.Before(last.queue.At) {
		return last.queue, nil
	}
	return q.reads.do(ctx, team, struct{}{})
}

func (q *queues) remember(team string, queue db.TeamQueue) {
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	if now.Sub(q.pruned) > queueLifetime {
		maps.DeleteFunc(q.known, func(_ string, k knownQueue) bool { return now.After(k.until) })
		q.pruned = now
	}
	q.known[team] = knownQueue{queue, now.Add(queueLifetime)}
}
