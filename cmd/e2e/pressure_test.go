package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
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

// TestEqualFilesAtOnce sends forms of several files, of which every second one is
// the same, while others of them are read: nobody is turned away for the work of
// another.
func TestEqualFilesAtOnce(t *testing.T) {
	long(t)
	const clients, forms, each = 32, 100, 5
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	c := ada.byKey(t, address)
	s.worker()
	s.worker()

	send := func(number int) answer {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for i := range each {
			text, name := "The Tenant of every house shall pay the rent.", fmt.Sprintf("%d-%d.txt", number, i)
			if (number+i)%2 == 0 {
				text = "The Tenant of house number " + name + " shall pay the rent."
			}
			part, err := form.CreateFormFile("file", name)
			require.NoError(t, err)
			_, err = part.Write([]byte(text))
			require.NoError(t, err)
		}
		require.NoError(t, form.Close())
		return c.call(t.Context(), http.MethodPost, "/api/files", &body, "Content-Type", form.FormDataContentType())
	}
	numbers := make(chan int)
	var senders sync.WaitGroup
	for range clients {
		senders.Go(func() {
			for number := range numbers {
				a := send(number)
				for a.status == http.StatusTooManyRequests {
					time.Sleep(time.Second)
					a = send(number)
				}
				if a.status != http.StatusAccepted {
					t.Errorf("%d %s %v", a.status, a.body, a.err)
				}
			}
		})
	}
	for number := range forms {
		numbers <- number
	}
	close(numbers)
	senders.Wait()
	files := c.allEnd(5 * time.Minute)
	require.Len(t, files, forms*each)
	for _, f := range files {
		require.Equal(t, "completed", f.Status, f.Name)
		require.Equal(t, 1, f.Attempt)
	}
	require.Positive(t, s.count(`SELECT count(*) FROM files WHERE duplicate_of IS NOT NULL`))
	require.Zero(t, s.count(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`))
	require.Zero(t, s.count(`SELECT count(*) FROM river_job WHERE kind = 'receive_file' AND attempt > 1`))
	s.lawful()
}

// TestTooManyUploadsAtOnce has one person hold uploads open until the next one is
// refused, and another upload meanwhile.
func TestTooManyUploadsAtOnce(t *testing.T) {
	s := newSystem(t)
	ada, bob := s.account("ada@example.com"), s.account("bob@example.com")
	address := freeAddress(t)
	s.api(address)
	c, neighbour := ada.byKey(t, address), bob.byKey(t, address)
	ctx, cancel := context.WithCancel(t.Context())
	var held sync.WaitGroup
	refused := make(chan answer, 80)
	for range cap(refused) { // more than the places there are for all
		held.Go(func() {
			a := c.call(ctx, http.MethodPost, "/api/files", endless{ctx}, "Content-Type", "multipart/form-data; boundary=x")
			if ctx.Err() == nil { // answered, though the body has not come
				refused <- a
			}
		})
	}
	select {
	case a := <-refused:
		require.Equal(t, http.StatusTooManyRequests, a.status, "%s", a.body)
		require.Contains(t, string(a.body), "too_many_uploads")
		require.NotEmpty(t, a.header.Get("Retry-After"))
	case <-time.After(30 * time.Second):
		t.Fatal("nobody is turned away")
	}
	small := upload{"small.txt", []byte("The Tenant shall pay the rent.")}
	require.Equal(t, http.StatusTooManyRequests, c.send(ctx, small, "small").status)
	theirs := neighbour.send(ctx, small, "small")
	require.True(t, theirs.ok(), "%d %s", theirs.status, theirs.body)
	cancel()
	held.Wait()
	require.Eventually(t, func() bool { return c.send(t.Context(), small, "small").ok() }, 30*time.Second, time.Second,
		"the places are not given back") // seldom: each try counts towards the limit of the key
	require.Equal(t, 2, s.count(`SELECT count(*) FROM files`), "one key, one file")
	require.Eventually(t, func() bool { return len(s.stored()) == 2 }, 30*time.Second, 20*time.Millisecond, "uploads that were broken off left bytes")
}

// endless is a body of which nothing comes until ctx ends.
type endless struct{ ctx context.Context }

func (e endless) Read([]byte) (int, error) {
	<-e.ctx.Done()
	return 0, e.ctx.Err()
}
