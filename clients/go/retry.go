package clausemill

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	firstPause = 500 * time.Millisecond
	maxPause   = 30 * time.Second

	// maxCrashes is how often "internal error" is worth another try.
	maxCrashes = 3

	// maxAsked bounds what a server may ask for: an hour is a mistake.
	maxAsked = 5 * time.Minute
)

// trouble counts the failures of one request.
type trouble struct {
	since   time.Time // the first failure, and later by as long as bytes moved since
	tries   int
	crashes int
	moving  *atomic.Int64 // for how long the files of the present attempt have moved
}

// watch notes for how long the request's files move.
func (t *trouble) watch(request prepare) prepare {
	return func(ctx context.Context, alive func()) (*http.Request, error) {
		began, moving := time.Now(), new(atomic.Int64)
		t.moving = moving // of this attempt: an earlier one may not have noticed its end
		return request(ctx, func() {
			moving.Store(int64(time.Since(began)))
			alive()
		})
	}
}

// permanent marks an error that another attempt would meet again.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// next says how long to wait before the next attempt, and whether to make one. What
// is not repeatable is tried again only where it was surely not carried out.
func (t *trouble) next(err error, repeatable bool, patience time.Duration) (pause time.Duration, again bool) {
	now := time.Now()
	switch {
	case t.since.IsZero():
		t.since = now
	case t.moving != nil:
		// A large upload may take longer than patience each time, so that time is not
		// counted. Nor does it begin patience anew, or what is dropped at its end each
		// time would be sent for ever.
		t.since = t.since.Add(time.Duration(t.moving.Load()))
	}
	t.tries++
	if asked := retryAfter(err); asked > 0 {
		pause = asked
	} else {
		pause = backOff(t.tries)
	}
	var answer *Error
	switch {
	case errors.As(err, &permanent{}):
		return 0, false
	case !errors.As(err, &answer): // the network
		if !repeatable && !unsent(err) {
			return 0, false
		}
	case answer.Status == http.StatusTooManyRequests:
		t.since = now // the service is well and says when: only ctx ends that
		return pause, true
	case answer.Status == http.StatusServiceUnavailable, answer.Status == http.StatusInsufficientStorage:
	case !repeatable:
		return 0, false
	case answer.Status == http.StatusInternalServerError:
		t.crashes++
		if t.crashes >= maxCrashes {
			return 0, false
		}
	case !answer.passing():
		return 0, false
	}
	return pause, now.Add(pause).Sub(t.since) < patience
}

// unsent reports whether there was no connection to send anything over.
func unsent(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial"
}

// backOff doubles from half a second, and spreads clients that failed together.
func backOff(tries int) time.Duration {
	pause := min(firstPause<<min(tries-1, 16), maxPause)
	return pause/2 + rand.N(pause/2)
}

// retryAfter is what the server asked for, or 0.
func retryAfter(err error) time.Duration {
	var answer *Error
	if errors.As(err, &answer) {
		return answer.RetryAfter
	}
	return 0
}

// parseRetryAfter reads either form of the header: seconds, or a date.
func parseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	asked := time.Duration(0)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		asked = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		asked = at.Sub(now)
	}
	return min(max(asked, 0), maxAsked)
}

// gate holds all requests of a client back while the server wants none.
type gate struct {
	mu   sync.Mutex
	open time.Time
}

func (g *gate) close(pause time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(pause); until.After(g.open) {
		g.open = until
	}
}

func (g *gate) wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		pause := time.Until(g.open)
		g.mu.Unlock()
		if pause <= 0 {
			return nil
		}
		// Not all at the same moment.
		if err := sleep(ctx, pause+rand.N(100*time.Millisecond)); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
}
