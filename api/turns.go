package api

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/clausemill/clausemill/auth"
)

// turns hands out places for work that takes the processor, the database or a
// child process for long. Who finds none waits, and of those who wait the team
// with the fewest places comes next. No team has all of them: another one never
// waits for what the first has asked for, however much that is.
type turns struct {
	asked        *quota // those who have a place or wait for one
	team, places int

	mu   sync.Mutex
	busy map[string]int // by team and by caller
	all  int
	line []*turn // in the order in which they came
}

// turn is somebody who waits.
type turn struct {
	*grant
	come chan struct{}
}

// newTurns hands out places of which a team has half at most.
func newTurns(places int, asked *quota) *turns {
	places = max(2, places)
	return &turns{asked: asked, team: places / 2, places: places, busy: map[string]int{}}
}

// take waits for a place until ctx ends; call the function to give it back. Who
// waits for many already is refused.
func (t *turns) take(ctx context.Context) (release func(), err error) {
	mine := &turn{grant: t.asked.of(auth.From(ctx)), come: make(chan struct{})}
	if err := mine.more(1); err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.line = append(t.line, mine)
	t.next()
	t.mu.Unlock()
	select {
	case <-mine.come:
		return func() { t.leave(mine) }, nil
	case <-ctx.Done():
		t.leave(mine)
		return nil, ctx.Err()
	}
}

// next gives away what is free.
func (t *turns) next() {
	for t.all < t.places {
		var first *turn
		for _, w := range t.line {
			if t.busy[w.team] < t.team && (first == nil || cmp.Or(
				cmp.Compare(t.busy[w.team], t.busy[first.team]), cmp.Compare(t.busy[w.caller], t.busy[first.caller])) < 0) {
				first = w
			}
		}
		if first == nil {
			return
		}
		t.drop(first)
		t.count(first, 1)
		close(first.come)
	}
}

// leave ends a turn, or the waiting for it.
func (t *turns) leave(w *turn) {
	w.release()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.drop(w) {
		return
	}
	t.count(w, -1)
	t.next()
}

// drop takes a turn out of the line, and reports whether it was there.
func (t *turns) drop(w *turn) bool {
	at := slices.Index(t.line, w)
	if at < 0 {
		return false
	}
	t.line = slices.Delete(t.line, at, at+1)
	return true
}

func (t *turns) count(w *turn, n int) {
	t.all += n
	for _, holder := range []string{w.team, w.caller} {
		if t.busy[holder] += n; t.busy[holder] == 0 {
			delete(t.busy, holder)
		}
	}
}

// inTurn is h for callers who wait for their turn first.
func inTurn[I, O any](a *API, h handler[I, O]) handler[I, O] {
	return func(ctx context.Context, in *I) (out O, err error) {
		release, err := a.quotas.questions.take(ctx)
		if err != nil {
			return out, err
		}
		defer release()
		return h(ctx, in)
	}
}
