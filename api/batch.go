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

// hidden is the ids of the matters that a caller does not see, in a comparable form.
// Requests of those who see all of their teams are answered together.
type hidden string

func hiddenFrom(in db.Scope) hidden { return hidden(strings.Join(in.Hidden, " ")) }

func (h hidden) ids() []string { return strings.Fields(string(h)) }

// A batch is requests that are sent as one query.
type batch[Q, A any] struct {
	questions []Q
	answers   []A
	err       error
	answered  chan struct{}
}

// batchPatience limits one query of a batcher.
const batchPatience = 30 * time.Second

func newBatcher[K comparable, Q, A any](ask func(context.Context, K, []Q) ([]A, error)) *batcher[K, Q, A] {
	return &batcher[K, Q, A]{ask: ask, next: map[K]*batch[Q, A]{}}
}

// do sends one request. If its caller gives up, the others still get their answers.
func (b *batcher[K, Q, A]) do(ctx context.Context, key K, question Q) (answer A, err error) {
	joined, place := b.join(key, question)
	if joined == nil { // nobody else asks: to hand it to another goroutine takes as long as to ask
		// A query that is cancelled costs its connection, and it is short.
		answers, err := b.answers(context.WithoutCancel(ctx), key, []Q{question})
		b.release(key)
		if err != nil {
			return answer, err
		}
		return answers[0], nil
	}
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

// join adds a request to the next batch. There is none where no query runs: the request is
// one by itself then.
func (b *batcher[K, Q, A]) join(key K, question Q) (*batch[Q, A], int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next, asking := b.next[key]
	if !asking {
		b.next[key] = nil
		return nil, 0
	}
	if next == nil {
		next = &batch[Q, A]{answered: make(chan struct{})}
		b.next[key] = next
	}
	next.questions = append(next.questions, question)
	return next, len(next.questions) - 1
}

// release sends what has come meanwhile.
func (b *batcher[K, Q, A]) release(key K) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next[key] == nil {
		delete(b.next, key)
		return
	}
	go b.run(key)
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

		now.answers, now.err = b.answers(context.Background(), key, now.questions)
		close(now.answered)
	}
}

// answers sends one batch. A panic becomes the error of its requests; otherwise it
// would end the process.
func (b *batcher[K, Q, A]) answers(ctx context.Context, key K, questions []Q) (answers []A, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, batchPatience)
	defer cancel()
	return b.ask(ctx, key, questions)
}
