package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestManyUploads sends more at once than is let in.
func TestManyUploads(t *testing.T) {
	const atOnce = 100
	uploads := 300
	if os.Getenv(chaosVariable) != "" {
		uploads = 2000
	}
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	c := ada.byKey(t, address)

	var turnedAway atomic.Int64
	var mu sync.Mutex
	accepted := map[string]bool{}
	numbers := make(chan int)
	var senders sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for range atOnce {
		senders.Go(func() {
			for i := range numbers {
				u := upload{fmt.Sprintf("%d.txt", i), fmt.Appendf(nil, "The Tenant of house number %d shall pay the rent.", i)}
				for {
					a := c.send(ctx, u, "")
					if a.ok() {
						mu.Lock()
						accepted[a.file(t).ID] = true
						mu.Unlock()
						break
					}
					seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
					if a.err != nil || err != nil || a.status != http.StatusServiceUnavailable && a.status != http.StatusTooManyRequests {
						t.Errorf("%d %s %v: no way to go on", a.status, a.body, a.err)
						return
					}
					turnedAway.Add(1)
					time.Sleep(time.Duration(seconds) * time.Second)
				}
			}
		})
	}
	started := time.Now()
	for i := range uploads {
		numbers <- i
	}
	close(numbers)
	senders.Wait()
	t.Logf("%d uploads in %s, %d turned away", uploads, time.Since(started).Round(time.Second), turnedAway.Load())
	require.Len(t, accepted, uploads)
	require.Equal(t, uploads, s.count(`SELECT count(*) FROM files`))

	s.worker()
	s.worker()
	for _, f := range c.allEnd(5 * time.Minute) {
		require.True(t, accepted[f.ID])
		require.Equal(t, "completed", f.Status, f.Name)
	}
	t.Logf("all read after %s", time.Since(started).Round(time.Second))
	s.lawful()
	require.Len(t, s.stored(), uploads)
}

// TestTooManyUploadsAtOnce holds uploads open until the next one is refused.
func TestTooManyUploadsAtOnce(t *testing.T) {
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	c := ada.byKey(t, address)
	ctx, cancel := context.WithCancel(t.Context())
	var held sync.WaitGroup
	refused := make(chan answer, 80)
	for range cap(refused) { // more than the places there are
		held.Go(func() {
			a := c.call(ctx, http.MethodPost, "/api/files", endless{ctx}, "Content-Type", "multipart/form-data; boundary=x")
			if ctx.Err() == nil { // answered, though the body has not come
				refused <- a
			}
		})
	}
	select {
	case a := <-refused:
		require.Equal(t, http.StatusServiceUnavailable, a.status, "%s", a.body)
		require.NotEmpty(t, a.header.Get("Retry-After"))
	case <-time.After(30 * time.Second):
		t.Fatal("nobody is turned away")
	}
	small := upload{"small.txt", []byte("The Tenant shall pay the rent.")}
	require.Equal(t, http.StatusServiceUnavailable, c.send(ctx, small, "small").status)
	cancel()
	held.Wait()
	require.Eventually(t, func() bool { return c.send(t.Context(), small, "small").ok() }, 30*time.Second, time.Second,
		"the places are not given back") // seldom: each try counts towards the limit of the key
	require.Equal(t, 1, s.count(`SELECT count(*) FROM files`), "one key, one file")
	require.Eventually(t, func() bool { return len(s.stored()) == 1 }, 30*time.Second, 20*time.Millisecond, "uploads that were broken off left bytes")
}

// endless is a body of which nothing comes until ctx ends.
type endless struct{ ctx context.Context }

func (e endless) Read([]byte) (int, error) {
	<-e.ctx.Done()
	return 0, e.ctx.Err()
}
