package api

import (
	"context"
	"maps"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
)

// limiter counts requests by key. The database has the count, so that it holds for all
// replicas. What is known of a window is also kept in memory until it ends: that its
// subject is over the limit, so that further requests cost no query, or how many of its
// requests have been counted ahead.
type limiter struct {
	counts *batcher[struct{}, string, db.RateWindow] // of subjects
	limit  int
	ahead  int // requests that are counted along with the one that asks
	window time.Duration

	mu    sync.Mutex
	known map[string]known // by subject
}

// known is a window of which requests were counted.
type known struct {
	used   int       // of all that were counted, but for those in left
	left   int       // counted ahead, and not made yet
	until  time.Time // on our clock
	resets time.Time // on the database's
}

// aheadOf is the share of a limit that is counted at once. So a caller who may send
// thousands of requests does not wait for the database at each of them. Where each of n
// replicas answers him, he may be refused n thousandths before the limit, and never gets
// beyond it; small limits are exact.
const aheadOf = 1000

// maxKnown bounds the memory of windows.
const maxKnown = 10_000

func newLimiter(d *db.DB, limit int, window time.Duration) *limiter {
	l := &limiter{limit: limit, ahead: limit / aheadOf, window: window, known: map[string]known{}}
	l.counts = newBatcher(func(ctx context.Context, _ struct{}, subjects []string) ([]db.RateWindow, error) {
		requests := map[string]int{}
		for _, subject := range subjects {
			requests[subject]++
		}
		ahead := l.mayCountAhead(time.Now())
		for subject := range requests {
			requests[subject] += ahead
		}
		after, err := d.CountRequests(ctx, requests, window)
		if err != nil {
			return nil, err
		}
		now := time.Now()
		for _, w := range after {
			l.learn(w, ahead, now)
		}
		states := make([]db.RateWindow, len(subjects))
		for i, subject := range subjects { // as if each had been counted separately
			requests[subject]--
			states[i] = after[subject]
			states[i].Used -= requests[subject]
		}
		return states, nil
	})
	return l
}

// count counts one request of a subject and writes the rate limit headers. Over the
// limit it is 429.
func (l *limiter) count(ctx context.Context, subject string, header http.Header) error {
	now := time.Now()
	if k, ok := l.take(subject, now); ok {
		if k.used > l.limit {
			return l.refuse(header, k.resets, k.until.Sub(now))
		}
		l.write(header, l.limit-k.used, k.resets)
		return nil
	}
	state, err := l.counts.do(ctx, struct{}{}, subject)
	if err != nil {
		return err
	}
	if state.Used > l.limit {
		return l.refuse(header, state.ResetsAt, time.Duration(state.SecondsLeft*float64(time.Second)))
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

// take makes a request of those that were counted ahead, or finds that there may be
// no more: then used is over the limit.
func (l *limiter) take(subject string, now time.Time) (known, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.known[subject]
	switch {
	case !ok:
		return known{}, false
	case !now.Before(k.until):
		delete(l.known, subject)
		return known{}, false
	case k.used > l.limit:
		return k, true
	case k.left == 0:
		return known{}, false
	}
	k.used, k.left = k.used+1, k.left-1
	l.known[subject] = k
	return k, true
}

// mayCountAhead is how many requests may be counted ahead: none where no more windows are kept,
// as they would be lost at once.
func (l *limiter) mayCountAhead(now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxKnown {
		maps.DeleteFunc(l.known, func(_ string, k known) bool { return !now.Before(k.until) })
	}
	if len(l.known) >= maxKnown {
		return 0
	}
	return l.ahead
}

// learn keeps what a window is like after requests of it were counted, those ahead
// among them. Another count of the same window may have been faster, and its
// requests ahead be there still.
func (l *limiter) learn(w db.RateWindow, ahead int, now time.Time) {
	k := known{used: w.Used - ahead, resets: w.ResetsAt, until: now.Add(time.Duration(w.SecondsLeft * float64(time.Second)))}
	k.left = min(ahead, max(0, l.limit-k.used))
	if k.left == 0 && k.used <= l.limit {
		return // the next one is counted by itself
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, ok := l.known[w.Subject]; ok && before.left > 0 && before.resets.Equal(w.ResetsAt) {
		k.used, k.left = k.used-before.left, k.left+before.left
	}
	if ahead > 0 || len(l.known) < maxKnown {
		l.known[w.Subject] = k
	}
}
