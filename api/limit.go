package api

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
)

// limiter counts requests by key. The database has the count, so that it holds for all
// replicas. Subjects over their limit are also kept in memory until their window ends,
// so that further requests cost no query.
type limiter struct {
	counts *batcher[struct{}, string, db.RateWindow] // of subjects
	limit  int
	window time.Duration

	mu      sync.Mutex
	blocked map[string]blocked
}

type blocked struct {
	until  time.Time // on our clock
	resets time.Time // on the database's
}

// maxBlocked bounds the memory of callers that are over their limit.
const maxBlocked = 10_000

func newLimiter(d *db.DB, limit int, window time.Duration) *limiter {
	count := func(ctx context.Context, _ struct{}, subjects []string) ([]db.RateWindow, error) {
		requests := map[string]int{}
		for _, subject := range subjects {
			requests[subject]++
		}
		after, err := d.CountRequests(ctx, requests, window)
		states := make([]db.RateWindow, len(subjects))
		for i, subject := range subjects { // as if each had been counted separately
			requests[subject]--
			states[i] = after[subject]
			states[i].Used -= requests[subject]
		}
		return states, err
	}
	return &limiter{counts: newBatcher(count), limit: limit, window: window, blocked: map[string]blocked{}}
}

// count counts one request of a subject and writes the rate limit headers. Over the
// limit it is 429.
func (l *limiter) count(ctx context.Context, subject string, header http.Header) error {
	now := time.Now()
	if b, ok := l.isBlocked(subject, now); ok {
		return l.refuse(header, b.resets, b.until.Sub(now))
	}
	state, err := l.counts.do(ctx, struct{}{}, subject)
	if err != nil {
		return err
	}
	if state.Used > l.limit {
		left := time.Duration(state.SecondsLeft * float64(time.Second))
		l.block(subject, blocked{until: now.Add(left), resets: state.ResetsAt}, now)
		return l.refuse(header, state.ResetsAt, left)
	}
	l.write(header, l.limit-state.Used, state.ResetsAt)
	return nil
}

func (l *limiter) write(header http.Header, remaining int, resets time.Time) {
	header.Set("X-RateLimit-Limit", strconv.Itoa(l.limit))
	header.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	// Rounded up, so that the window is over at that second.
	header.Set("X-RateLimit-Reset", strconv.FormatInt(resets.Add(time.Second-1).Unix(), 10))
}

func (l *limiter) refuse(header http.Header, resets time.Time, left time.Duration) error {
	l.write(header, 0, resets)
	e := newError(http.StatusTooManyRequests, "too many requests: "+strconv.Itoa(l.limit)+" are allowed in "+l.window.String())
	e.retryAfter = max(1, int(math.Ceil(left.Seconds())))
	return e
}

func (l *limiter) isBlocked(subject string, now time.Time) (blocked, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.blocked[subject]
	if ok && !now.Before(b.until) {
		delete(l.blocked, subject)
		return blocked{}, false
	}
	return b, ok
}

func (l *limiter) block(subject string, b blocked, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.blocked) >= maxBlocked {
		for other, o := range l.blocked {
			if !now.Before(o.until) {
				delete(l.blocked, other)
			}
		}
	}
	if len(l.blocked) < maxBlocked {
		l.blocked[subject] = b
	}
}
