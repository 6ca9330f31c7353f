package api

import (
	"context"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
)

// queues remembers the queues of teams for a moment. To read one takes longer than to read
// the state of a file, and whoever waits asks again and again.
type queues struct {
	read func(ctx context.Context, in db.Scope) (db.TeamQueue, error)

	mu     sync.Mutex
	byTeam map[string]*readQueue
}

// readQueue is the queue of a team as it was read last. Its lock is held while it is read, so
// that of all who ask at once one does.
type readQueue struct {
	sync.Mutex

	queue db.TeamQueue
	until time.Time
}

const (
	queueLifetime = time.Second
	manyQueues    = 100 // from so many on those that nobody asks for are forgotten
)

func newQueues(read func(context.Context, db.Scope) (db.TeamQueue, error)) *queues {
	return &queues{read: read, byTeam: map[string]*readQueue{}}
}

// around is the queue of a team in which f stands, as of this moment or of a moment ago.
func (q *queues) around(ctx context.Context, in db.Scope, f db.FileState) (db.TeamQueue, error) {
	known := q.of(in.TeamID)
	known.Lock()
	defer known.Unlock()
	if time.Now().Before(known.until) && f.QueuedAt.Before(known.queue.At) {
		return known.queue, nil
	}
	queue, err := q.read(ctx, in)
	if err == nil {
		known.queue, known.until = queue, time.Now().Add(queueLifetime)
	}
	return queue, err
}

// of is what is known of a team.
func (q *queues) of(team string) *readQueue {
	q.mu.Lock()
	defer q.mu.Unlock()
	known := q.byTeam[team]
	if known == nil {
		if len(q.byTeam) >= manyQueues {
			q.forget()
		}
		known = &readQueue{}
		q.byTeam[team] = known
	}
	return known
}

// forget drops what is out of date. One that is being read is left.
func (q *queues) forget() {
	now := time.Now()
	for team, known := range q.byTeam {
		if known.TryLock() {
			if now.After(known.until) {
				delete(q.byTeam, team)
			}
			known.Unlock()
		}
	}
}
