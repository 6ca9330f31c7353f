package api

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBatcher lets questions come while one is being answered.
func TestBatcher(t *testing.T) {
	t.Parallel()
	type ask struct {
		key       string
		questions []int
		answer    chan error
	}
	asked := make(chan ask)
	b := newBatcher(func(_ context.Context, key string, questions []int) ([]int, error) {
		a := ask{key, questions, make(chan error)}
		asked <- a
		squares := make([]int, len(questions))
		for i, q := range questions {
			squares[i] = q * q
		}
		return squares, <-a.answer
	})
	var callers sync.WaitGroup
	do := func(key string, question int, want error) {
		callers.Go(func() {
			answer, err := b.do(t.Context(), key, question)
			if !errors.Is(err, want) || want == nil && answer != question*question {
				t.Errorf("%d: %d, %v", question, answer, err)
			}
		})
	}
	eventually := func(holds func() bool) {
		require.Eventually(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return holds()
		}, time.Minute, time.Millisecond)
	}
	waiting := func(key string, n int) {
		eventually(func() bool { return b.next[key] != nil && len(b.next[key].questions) == n })
	}

	do("a", 1, nil)
	first := <-asked
	require.Equal(t, []int{1}, first.questions, "the first is asked at once")
	do("b", 9, nil)
	other := <-asked
	require.Equal(t, "b", other.key, "another key waits for none")
	for i := range 20 {
		do("a", 2+i, nil)
	}
	waiting("a", 20)
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	_, err := b.do(given, "a", 100)
	require.ErrorIs(t, err, context.Canceled)

	first.answer <- nil
	second := <-asked
	require.Len(t, second.questions, 21)
	require.Contains(t, second.questions, 100)
	failure := errors.New("no")
	do("a", 7, failure)
	do("a", 8, failure)
	waiting("a", 2)
	second.answer <- nil
	(<-asked).answer <- failure
	other.answer <- nil
	callers.Wait()
	eventually(func() bool { return len(b.next) == 0 }) // nothing is kept of a key that nobody asks for
}

// TestBatcherPanics has a query panic, which its callers hear of and nobody else.
func TestBatcherPanics(t *testing.T) {
	t.Parallel()
	b := newBatcher(func(_ context.Context, _ string, questions []int) ([]int, error) {
		if questions[0] == 0 {
			panic("nothing to ask")
		}
		return questions, nil
	})
	_, err := b.do(t.Context(), "a", 0)
	require.ErrorContains(t, err, "nothing to ask")
	answer, err := b.do(t.Context(), "a", 1)
	require.NoError(t, err)
	require.Equal(t, 1, answer)
}
