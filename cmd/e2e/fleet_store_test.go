package e2e_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob/blobtest"
)

// TestClusterRefusesWrongCredentials starts programs whose credentials are not those of the
// bucket: they say so and end.
func TestClusterRefusesWrongCredentials(t *testing.T) {
	f := newFleet(t, "AWS_SECRET_ACCESS_KEY=another")
	for _, command := range []string{"serve", "work"} {
		m := f.join(command, []string{"CLAUSEMILL_ADDR=" + freeAddress(t)}, command)
		m.ends(time.Minute)
		require.Equal(t, 1, m.cmd.ProcessState.ExitCode())
		lines := strings.Split(strings.TrimSpace(m.said(4<<10)), "\n")
		last := lines[len(lines)-1]
		t.Log(last)
		require.Contains(t, last, "BLOB_URL")
		require.Contains(t, last, "SignatureDoesNotMatch")
	}
}

// TestClusterWithoutStore has everything happen to the S3 server that can, while files are
// uploaded and read. What cannot be stored is refused so that it can be sent again, and what was
// accepted is read in the end.
func TestClusterWithoutStore(t *testing.T) {
	long(t)
	const each, few = 12, 6
	f := newFleet(t)
	one := freeAddress(t)
	api := f.serve("api", one)
	f.ready()
	workers := []*member{f.work("one", "")}
	f.ready()
	workers = append(workers, f.work("two", ""))
	f.ready()
	c := f.account("ada@example.com").byKey(t, one)
	took, sent := newTaken(), 0
	troubles := []trouble{failing, forbidden, absent}
	if *clustered > smallShare {
		troubles = append(troubles, slow, silent) // which take minutes
	}
	for _, trouble := range troubles {
		t.Logf("the S3 server is %s", trouble)
		before, refusals := f.s3.requests.Load(), took.statuses[http.StatusServiceUnavailable]
		// These are taken, and what is to be done with them meets the trouble.
		f.sendAll(t.Context(), c, sent, sent+each, each, 0, took)
		f.sendAll(t.Context(), c, -1-sent, -sent, 1, 0, took)
		sent += each
		f.s3.set(trouble)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var sending sync.WaitGroup
		from := sent
		sending.Go(func() { f.sendAll(ctx, c, from, from+few, few, 0, took) })
		sent += few
		if trouble != slow && trouble != failing { // it lasts, and who looks is told
			for _, m := range workers {
				require.Eventually(t, func() bool {
					files := m.checks()["files"]
					return files != "" && files != "ok"
				}, time.Minute, 50*time.Millisecond, "it takes itself for ready")
				t.Logf("%s: %s", m.name, m.checks()["files"])
			}
			require.Eventually(t, func() bool {
				took.mu.Lock()
				defer took.mu.Unlock()
				return took.statuses[http.StatusServiceUnavailable] > refusals
			}, time.Minute, 50*time.Millisecond, "an upload is not refused")
		} else {
			time.Sleep(5 * time.Second)
		}
		f.s3.set(none)
		sending.Wait()
		cancel()
		for _, m := range workers {
			require.Eventually(t, func() bool { return ready(m.address) }, time.Minute, 50*time.Millisecond, m.name)
		}
		t.Logf("%d requests, answers to uploads %v", f.s3.requests.Load()-before, took.statuses)
	}
	for status := range took.statuses {
		require.Contains(t, []int{http.StatusAccepted, http.StatusServiceUnavailable}, status, "%v", took.refusals)
	}
	t.Logf("refusals: %v", took.refusals)
	require.Len(t, took.ids, sent+len(troubles))
	f.settled(c, took, 3*time.Minute)
	require.Positive(t, f.s3.failed.Load())
	for _, m := range append(workers, api) {
		require.True(t, m.running(), m.said(4<<10))
		require.NotContains(t, m.said(1<<20), blobtest.SecretKey)
	}
}
