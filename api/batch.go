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

// A batcher answers questions that come at the same time with one query. The
// first is asked at once; those that come until it is answered are asked
// together. So nobody waits for company, an answer is never older than its
// question, and many who poll cost the database little more than one.
type batcher[K comparable, Q, A any] struct {
	// ask answers what was asked for one key, in the order of the questions.
	ask func(ctx context.Context, key K, questions []Q) ([]A, error)

	mu   sync.Mutex
	next map[K]*batch[Q, A] // by key that is being asked; nil while nobody waits
}

// view is what of a team callers see, in a form that can be compared: those with
// the same view may be answered together.
type view struct{ team, hidden string }

func viewOf(in db.Scope) view { return view{in.TeamID, strings.Join(in.Hidden, " ")} }

func (v view) scope() db.Scope {
	return db.Scope{TeamID: v.team, Hidden: strings.Fields(v.hidden)}
}

// A batch is questions that are asked together.
type batch[Q, A any] struct {
	questions []Q
	answers   []A
	err       error
	answered  chan struct{}
}

// batchPatience bounds one query of a batcher, which no single caller can end.
const batchPatience = 30 * time.Second

func newBatcher[K comparable, Q, A any](ask func(context.Context, K, []Q) ([]A, error)) *batcher[K, Q, A] {
	return &batcher[K, Q, A]{ask: ask, next: map[K]*batch[Q, A]{}}
}

// do asks one question. A caller who gives up leaves the others their answer.
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

// join adds a question to the batch that is asked next.
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

// run asks for one key until nobody waits.
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

// answers asks once. A panic becomes the error of those who asked: here it would
// end the process, and not their requests alone.
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
