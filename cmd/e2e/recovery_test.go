package e2e_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/webhook"
)

// takeover is how long the work of a dead worker may lie idle.
const takeover = 30 * time.Second

// longScan is a scan that keeps a worker busy for a while.
func longScan(t *testing.T) upload {
	t.Helper()
	return upload{"long.pdf", scannedPDF(t, 77, 12)}
}

// recognising waits until a page of the file is being read and returns who reads
// it and the job.
func (s *system) recognising(id string) (worker string, job int64) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		err := s.db.Pool().QueryRow(s.t.Context(), `
			SELECT attempted_by[array_upper(attempted_by, 1)], id FROM river_job
			WHERE kind = 'recognize_pages' AND state = 'running' AND args ->> 'file_id' = $1 LIMIT 1`, id).Scan(&worker, &job)
		return err == nil
	}, time.Minute, 5*time.Millisecond, "no page is being read")
	return worker, job
}

func TestKilledWorkersPagesGoOn(t *testing.T) {
	s := newSystem(t)
	ada, bob := s.account("ada@example.com"), s.account("bob@example.com")
	address := freeAddress(t)
	s.api(address)
	first := s.worker()
	c := ada.byKey(t, address)
	f := c.upload(longScan(t))
	_, job := s.recognising(f.ID)
	first.kill()
	killed := time.Now()
	s.worker()
	require.Eventually(t, func() bool {
		return s.count(`SELECT count(*) FROM river_job WHERE id = $1 AND (attempt > 1 OR state = 'completed')`, job) == 1
	}, takeover, 20*time.Millisecond, "nobody goes on with the page")
	t.Logf("the page went on %s after the worker was killed", time.Since(killed).Round(100*time.Millisecond))
	require.Equal(t, "completed", c.wait(f.ID, 3*time.Minute).Status)
	s.lawful()

	// The same file in another team is read afresh.
	again := bob.byKey(t, address)
	require.Equal(t, "completed", again.wait(again.upload(longScan(t)).ID, 3*time.Minute).Status)
	s.requireSame(s.readings(bob.in), s.readings(ada.in))
}

// pauseReading pauses a worker while one of its recognisers reads a page, so that the worker
// has the answer before it when it goes on. A job that it was only about to begin would find
// nothing left to do.
func (p *process) pauseReading() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		p.signal(syscall.SIGSTOP)
		for self, ok := p.stat(); ok && self.state != 'T'; self, ok = p.stat() {
			time.Sleep(time.Millisecond)
		}
		if slices.ContainsFunc(p.children(), func(child stat) bool {
			return child.state == 'R' && strings.Contains(child.arguments, "clausemill-ocr")
		}) {
			return true
		}
		p.signal(syscall.SIGCONT)
		return false
	}, time.Minute, 5*time.Millisecond, "it reads no page")
}

// TestPausedWorkerWritesNothing has a worker come back to its work long after
// others have done it, as after a pause of its machine.
func TestPausedWorkerWritesNothing(t *testing.T) {
	s := newSystem(t)
	ada, bob := s.account("ada@example.com"), s.account("bob@example.com")
	address := freeAddress(t)
	s.api(address)
	probes := freeAddress(t)
	stale := s.worker("CLAUSEMILL_METRICS_ADDR=" + probes)
	c := ada.byKey(t, address)
	f := c.upload(longScan(t))
	s.recognising(f.ID)
	stale.pauseReading()
	s.worker()
	require.Equal(t, "completed", c.wait(f.ID, 3*time.Minute).Status)
	before := s.readings(ada.in)
	stale.signal(syscall.SIGCONT)
	require.Eventually(t, func() bool { return strings.Contains(stale.said(32<<10), "other workers have the jobs of this one") },
		time.Minute, 20*time.Millisecond, "it does not notice")
	require.Eventually(t, func() bool { return ready(probes) }, time.Minute, 20*time.Millisecond, "it does not begin anew")
	require.True(t, stale.running(), "it is the same process")
	// A child that has ended stays in the table of processes until it is waited for, if only for a moment.
	require.Eventually(t, func() bool {
		return !slices.ContainsFunc(stale.children(), func(child stat) bool { return child.state == 'Z' })
	}, 20*time.Second, 20*time.Millisecond, "nobody waits for its children: %v", stale.children())
	require.Equal(t, before, s.readings(ada.in), "late results were written")
	s.lawful()

	again := bob.byKey(t, address)
	require.Equal(t, "completed", again.wait(again.upload(longScan(t)).ID, 3*time.Minute).Status)
	s.requireSame(s.readings(bob.in), before)
}

// TestKilledWorkersDeliveryIsSentAgain kills a worker while a receiver of a webhook
// has not answered: another one sends the same event under the same id, which is
// how the receiver knows that it has it already.
func TestKilledWorkersDeliveryIsSentAgain(t *testing.T) {
	s := newSystem(t, "CLAUSEMILL_PRIVATE_WEBHOOKS=true")
	came, answer := make(chan delivery, 9), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		came <- delivery{r.Header, string(body)}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(receiver.Close)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	first := s.worker()
	c := ada.bySession(t, address)
	var hook, matter struct{ ID, Secret string }
	c.post("/api/webhooks", `{"url":"`+receiver.URL+`","types":["matter.created"]}`).into(t, http.StatusCreated, &hook)
	c.post("/api/matters", `{"name":"Merger"}`).into(t, http.StatusCreated, &matter)
	sent := receive(t, came, time.Minute)
	require.Equal(t, "matter.created", sent.verified(t, hook.Secret))
	first.kill()
	killed := time.Now()
	close(answer)
	s.worker()
	again := receive(t, came, takeover)
	t.Logf("the event came again %s after the worker was killed", time.Since(killed).Round(100*time.Millisecond))
	require.Equal(t, "matter.created", again.verified(t, hook.Secret))
	require.Equal(t, sent.header.Get(webhook.IDHeader), again.header.Get(webhook.IDHeader))
	require.Equal(t, sent.body, again.body)
	require.Eventually(t, func() bool {
		return s.count(`SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'delivered'`, hook.ID) == 1
	}, time.Minute, 20*time.Millisecond, "the delivery did not end")
	require.Empty(t, came, "it came once more")
}

// receive waits for what a receiver is sent next.
func receive(t *testing.T, from <-chan delivery, within time.Duration) delivery {
	t.Helper()
	select {
	case d := <-from:
		return d
	case <-time.After(within):
		t.Fatal("nothing came")
		return delivery{}
	}
}
