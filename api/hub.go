package api

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/clausemill/clausemill/auth"
)

// hub wakes the requests that wait for something to change. One connection to
// the database serves all of them.
type hub struct {
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
	waiting int
	by      map[string]map[*waiter]struct{} // by team and by subject
}

// waiter is one request that waits. Wakes that arrive while it is busy are coalesced.
type waiter struct {
	C     chan struct{}
	hub   *hub
	key   string
	leave func() // of the caller's quota
}

func newHub() *hub {
	return &hub{closed: make(chan struct{}), by: map[string]map[*waiter]struct{}{}}
}

// wait begins to wait for changes to key: a team or one of its files or
// operations. Earlier changes are not reported, so read the state after calling it.
// End it with done.
func (a *API) wait(ctx context.Context, key string) (*waiter, error) {
	leave, err := a.quotas.waiting.take(auth.From(ctx))
	if err != nil {
		return nil, err
	}
	h := a.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting++
	w := &waiter{C: make(chan struct{}, 1), hub: h, key: key, leave: leave}
	if h.by[key] == nil {
		h.by[key] = map[*waiter]struct{}{}
	}
	h.by[key][w] = struct{}{}
	return w, nil
}

// wait waits for a wake. It reports false once the time is over or the service shuts
// down.
func (w *waiter) wait(ctx context.Context, over *time.Timer) (more bool, err error) {
	select {
	case <-w.C:
		return true, nil
	case <-over.C:
		return false, nil
	case <-w.hub.closed:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (w *waiter) done() {
	w.leave()
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	w.hub.waiting--
	delete(w.hub.by[w.key], w)
	if len(w.hub.by[w.key]) == 0 {
		delete(w.hub.by, w.key)
	}
}

// count is how many requests wait.
func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.waiting
}

// wake wakes the requests that wait for the team or the subject of a notification.
func (h *hub) wake(payload string) {
	team, subject, _ := strings.Cut(payload, " ")
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range []string{team, subject} {
		for w := range h.by[key] {
			w.wake()
		}
	}
}

// wakeAll wakes all requests, because notifications may have been missed.
func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, waiters := range h.by {
		for w := range waiters {
			w.wake()
		}
	}
}

func (w *waiter) wake() {
	select {
	case w.C <- struct{}{}:
	default: // it has not handled the last wake yet
	}
}

// close ends every wait, now and later.
func (h *hub) close() { h.once.Do(func() { close(h.closed) }) }
