package api

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/clausemill/clausemill/auth"
)

// scheduler is a semaphore with fair queueing, for requests that use the processor,
// the database or a child process for long. A request without a free slot waits. A
// free slot goes to the team with the fewest slots. No team has more than half of
// them, so it cannot block the others, however many requests it sends.
type scheduler struct {
	asked       *quota // requests that have a slot or wait for one
	team, slots int    // slots of a team at most, and in total

	mu   sync.Mutex
	busy map[string]int // by team and by caller
	all  int
	line []*request // waiting requests, in the order of arrival
}

// request is one that has a slot or waits for it.
type request struct {
	*grant
	come chan struct{}
}

// newScheduler has a number of slots, of which a team has half at most.
func newScheduler(slots int, asked *quota) *scheduler {
	slots = max(2, slots)
	return &scheduler{asked: asked, team: slots / 2, slots: slots, busy: map[string]int{}}
}

// take waits for a slot until ctx ends; release frees it. A caller with too many
// waiting requests is refused.
func (s *scheduler) take(ctx context.Context) (release func(), err error) {
	mine := &request{grant: s.asked.of(auth.From(ctx)), come: make(chan struct{})}
	if err := mine.more(1); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.line = append(s.line, mine)
	s.next()
	s.mu.Unlock()
	select {
	case <-mine.come:
		return func() { s.leave(mine) }, nil
	case <-ctx.Done():
		s.leave(mine)
		return nil, ctx.Err()
	}
}

// next gives free slots to waiting requests.
func (s *scheduler) next() {
	for s.all < s.slots {
		var first *request
		for _, w := range s.line {
			if s.busy[w.team] < s.team && (first == nil || cmp.Or(
				cmp.Compare(s.busy[w.team], s.busy[first.team]), cmp.Compare(s.busy[w.caller], s.busy[first.caller])) < 0) {
				first = w
			}
		}
		if first == nil {
			return
		}
		s.drop(first)
		s.count(first, 1)
		close(first.come)
	}
}

// leave frees the slot of a request, or ends its waiting.
func (s *scheduler) leave(w *request) {
	w.release()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drop(w) {
		return
	}
	s.count(w, -1)
	s.next()
}

// drop removes a request from the line, and reports whether it was waiting.
func (s *scheduler) drop(w *request) bool {
	at := slices.Index(s.line, w)
	if at < 0 {
		return false
	}
	s.line = slices.Delete(s.line, at, at+1)
	return true
}

func (s *scheduler) count(w *request, n int) {
	s.all += n
	for _, holder := range []string{w.team, w.caller} {
		if s.busy[holder] += n; s.busy[holder] == 0 {
			delete(s.busy, holder)
		}
	}
}

// scheduled is h, called when the request has a slot.
func scheduled[I, O any](a *API, h handler[I, O]) handler[I, O] {
	return func(ctx context.Context, in *I) (out O, err error) {
		release, err := a.quotas.questions.take(ctx)
		if err != nil {
			return out, err
		}
		defer release()
		return h(ctx, in)
	}
}
