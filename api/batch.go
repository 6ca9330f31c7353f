package api

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
)

// A batcher coalesces concurrent requests for the same key into one query. The first
// request is sent at once. Requests that arrive before its answer are sent together
// as the next query. So no request is delayed in order to be batched, an answer is
// never older than its request, and many polling clients cost the database little
// more than one.
type batcher[K comparable, Q, A any] struct {
	// ask answers the requests for one key, in their order.
	ask func(ctx context.Context, key K, questions []Q) ([]A, error)

	mu   sync.Mutex
	next map[K]*batch[Q, A] // by key with a running query; nil without waiting requests
}

// view is the part of a team that a caller sees, in a comparable form. Requests with
// equal views may be answered together.
type view struct{ team, hidden string }

func viewOf(in db.Scope) view { return view{in.TeamID, strings.Join(in.Hidden, " ")} }

func (v view) scope() db.Scope {
	return db.Scope{TeamID: v.team, Hidden: strings.Fields(v.hidden)}
}

// A batch is requests that are sent as one query.
type batch[Q, A any] struct {
	questions []Q
	answers   []A
	err       error
	answered  chan struct{}
}

// batchPatience limits one query of a batcher, since no single caller can cancel it.
const batchPatience = 30 * time.Second

func newBatcher[K comparable, Q, A any](ask func(context.Context, K, []Q) ([]A, error)) *batcher[K, Q, A] {
	return &batcher[K, Q, A]{ask: ask, next: map[K]*batch[Q, A]{}}
}

// do sends one request. If its caller gives up, the others still get their answers.
func (b *batcher[K, Q, A]) do(ctx context.Context, key K, question Q) (answer A, err error) {
	joined, place := b.join(key, question)
	select {
	case <-joined.answered:
		if joined.err != nil {
			return answer, joined.err
		}
		return joined.answers[place], nil
	case <-ctx.Done():
		return answer, ctx.Err()
	}
}

// join adds a request to the next batch.
func (b *batcher[K, Q, A]) join(key K, question Q) (*batch[Q, A], int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next, asking := b.next[key]
	if next == nil {
		next = &batch[Q, A]{answered: make(chan struct{})}
		b.next[key] = next
	}
	next.questions = append(next.questions, question)
	if !asking {
		go b.run(key)
	}
	return next, len(next.questions) - 1
}

// run sends batches for one key until no request waits.
func (b *batcher[K, Q, A]) run(key K) {
	for {
		b.mu.Lock()
		now := b.next[key]
		if now == nil {
			delete(b.next, key)
			b.mu.Unlock()
			return
		}
		b.next[key] = nil
		b.mu.Unlock()

		now.answers, now.err = b.answers(key, now.questions)
		close(now.answered)
	}
}

// answers sends one batch. A panic becomes the error of its requests; otherwise it
// would end the process.
func (b *batcher[K, Q, A]) answers(key K, questions []Q) (answers []A, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), batchPatience)
	defer cancel()
	return b.ask(ctx, key, questions)
}
