package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pair is two replicas of the API on one database.
func (s *system) pair() (one, other string) {
	s.t.Helper()
	one, other = freeAddress(s.t), freeAddress(s.t)
	s.api(one)
	s.api(other)
	return one, other
}

// TestChangeReachesOtherReplica has long polls at one replica answered by what
// is done through the other.
func TestChangeReachesOtherReplica(t *testing.T) {
	s := newSystem(t)
	ada := s.account("ada@example.com")
	one, other := s.pair()
	c, browser := ada.byKey(t, one), ada.bySession(t, other)
	var took []time.Duration
	for i := range 15 {
		f := c.upload(upload{"note.txt", fmt.Appendf(nil, "The Tenant of house number %d shall pay the rent.", i)})
		answered := make(chan time.Time, 1)
		polling := c.get("/api/files/" + f.ID + "/status")
		go func() {
			c.call(t.Context(), http.MethodGet, "/api/files/"+f.ID+"/status?wait=30", nil, "If-None-Match", polling.header.Get("ETag"))
			answered <- time.Now()
		}()
		time.Sleep(50 * time.Millisecond) // so that most polls wait already; the others are answered sooner
		a := browser.call(t.Context(), http.MethodPut, "/api/files/"+f.ID+"/status?status=cancelled", nil)
		changed := time.Now()
		require.Equal(t, http.StatusOK, a.status, string(a.body))
		took = append(took, (<-answered).Sub(changed))
	}
	slices.Sort(took)
	t.Logf("from the answer to the change to the answer to the poll: median %s, longest %s", took[len(took)/2], took[len(took)-1])
	require.Less(t, took[len(took)/2], 500*time.Millisecond)
}

// TestDrainingReplicaAnswers ends a replica while load balancers still send requests to it.
func TestDrainingReplicaAnswers(t *testing.T) {
	s := newSystem(t)
	address := freeAddress(t)
	p := s.api(address, "CLAUSEMILL_DRAIN_DELAY=15s")
	c := s.account("ada@example.com").byKey(t, address)
	kept := c.get("/api/files?limit=1")
	require.True(t, kept.ok(), "%d %v", kept.status, kept.err)

	p.signal(syscall.SIGTERM)
	require.Eventually(t, func() bool { return !ready(address) }, time.Minute, 10*time.Millisecond)
	for range 3 { // the first on a connection from before
		last := c.get("/api/files?limit=1")
		require.True(t, last.ok(), "%d %v", last.status, last.err)
	}
	response, err := http.Get("http://" + address + "/readyz")
	require.NoError(t, err)
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Contains(t, string(said), "about to end")
	require.True(t, response.Close, "the connection is kept")
	p.ends(time.Minute)
	require.Zero(t, p.cmd.ProcessState.ExitCode(), p.said(4<<10))
}

// TestEventsAreNotMissed breaks a stream of events again and again, and goes on
// at the other replica where it stopped.
func TestEventsAreNotMissed(t *testing.T) {
	s := newSystem(t)
	ada := s.account("ada@example.com")
	one, other := s.pair()
	s.worker()
	c := ada.byKey(t, one)
	streams := []*caller{ada.bySession(t, one), ada.bySession(t, other)}

	var got []int64
	states := map[string][]string{} // statuses by file, as they came
	told := map[string]bool{}       // files whose end came, once or more
	var last string
	read := func(from *caller, most, left int) (ended int) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+from.address+"/api/events", nil)
		require.NoError(t, err)
		r.Header = from.header.Clone()
		r.Header.Set("Last-Event-ID", last)
		response, err := from.http.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		lines := bufio.NewScanner(response.Body)
		for n := 0; n < most && ended < left && lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				last = value
				var id int64
				_, err := fmt.Sscan(value, &id)
				require.NoError(t, err)
				got = append(got, id)
			case "data":
				n++
				var f file
				require.NoError(t, json.Unmarshal([]byte(value), &f))
				if f.Status == "" {
					continue // of something else than a file
				}
				states[f.ID] = append(states[f.ID], f.Status)
				if f.ended() && !told[f.ID] {
					told[f.ID] = true
					ended++
				}
			}
		}
		return ended
	}
	last = "0"
	const files = 20
	for i := range files {
		c.upload(upload{"note.txt", fmt.Appendf(nil, "The Tenant of flat number %d shall pay the rent.", i)})
	}
	for ended, turn := 0, 0; ended < files; turn++ {
		ended += read(streams[turn%2], 1+turn%7, files-ended)
		require.Less(t, turn, 1000)
	}
	c.allEnd(time.Minute)
	require.True(t, slices.IsSorted(got))
	require.Len(t, slices.Compact(slices.Clone(got)), len(got), "an event came twice")
	require.Equal(t, len(got), s.count(`SELECT count(*) FROM events WHERE id <= $1`, got[len(got)-1]), "an event was missed")
	for id, all := range states {
		require.Equal(t, "completed", all[len(all)-1], id)
	}
}

// TestLimitHoldsOverReplicas counts requests by key that reach two replicas at
// the same time.
func TestLimitHoldsOverReplicas(t *testing.T) {
	s := newSystem(t, "CLAUSEMILL_RATE_LIMIT=100")
	ada := s.account("ada@example.com")
	one, other := s.pair()
	callers := []*caller{ada.byKey(t, one), ada.byKey(t, other)}
	var passed, refused atomic.Int64
	var all sync.WaitGroup
	for i := range 400 {
		all.Go(func() {
			a := callers[i%2].get("/api/files?limit=1")
			switch {
			case a.ok():
				passed.Add(1)
			case a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "":
				refused.Add(1)
			default:
				t.Errorf("%d %s %v", a.status, a.body, a.err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 100, passed.Load())
	require.EqualValues(t, 300, refused.Load())
}
