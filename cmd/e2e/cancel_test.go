package e2e_test

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCancelStopsTheCPU cancels a scan that is being read, and finds nobody who
// goes on reading it.
func TestCancelStopsTheCPU(t *testing.T) {
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	w := s.worker()
	c, browser := ada.byKey(t, address), ada.bySession(t, address)
	f := c.upload(longScan(t))
	s.recognising(f.ID)

	a := browser.call(t.Context(), http.MethodPut, "/api/files/"+f.ID+"/status?status=cancelled", nil)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	require.Equal(t, "cancelled", a.file(t).Status)
	require.Eventually(t, func() bool { return s.running() == 0 }, 2*time.Second, 10*time.Millisecond, "a page is still read")
	before := cpuOf(w.children())
	time.Sleep(2 * time.Second) // what is measured is that nothing happens
	for pid, cpu := range cpuOf(w.children()) {
		require.Less(t, cpu-before[pid], 200*time.Millisecond, "process %d goes on", pid)
	}

	// What was cancelled can be taken up again.
	a = browser.call(t.Context(), http.MethodPut, "/api/files/"+f.ID+"/status?status=queued", nil)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	f = c.wait(f.ID, 3*time.Minute)
	require.Equal(t, "completed", f.Status)
	require.Equal(t, 2, f.Attempt)
	s.lawful()
}

// running counts the jobs about files that are being worked on.
func (s *system) running() int {
	s.t.Helper()
	return s.count(`SELECT count(*) FROM river_job WHERE state = 'running' AND args ? 'file_id'`)
}

func cpuOf(all []stat) map[int]time.Duration {
	cpu := map[int]time.Duration{}
	for _, s := range all {
		cpu[s.pid] = s.cpu
	}
	return cpu
}

// TestEndLeavesNoChild asks a busy worker to end.
func TestEndLeavesNoChild(t *testing.T) {
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	w := s.worker()
	c := ada.byKey(t, address)
	f := c.upload(longScan(t))
	s.recognising(f.ID)
	children := w.children()
	require.NotEmpty(t, children)
	w.signal(syscall.SIGTERM)
	w.ends(40 * time.Second)
	require.Zero(t, w.cmd.ProcessState.ExitCode(), w.said(4<<10))
	requireGone(t, children)
	require.Zero(t, s.running(), "a worker that ended in order holds a job")

	s.worker()
	require.Equal(t, "completed", c.wait(f.ID, 3*time.Minute).Status)
	s.lawful()
}

// requireGone waits for processes to be gone; the kernel ends those of a dead
// parent a moment later.
func requireGone(t *testing.T, all []stat) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, s := range all {
			if now, ok := readStat(fmt.Sprintf("/proc/%d", s.pid)); ok && now.arguments == s.arguments && now.state != 'Z' {
				return false
			}
		}
		return true
	}, 10*time.Second, 20*time.Millisecond, "left behind: %v", all)
}
