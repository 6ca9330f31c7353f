package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is a running program of ours.
type process struct {
	t     testing.TB
	cmd   *exec.Cmd
	log   string        // the file with what it said
	ended chan struct{} // closed when it is gone
}

// start runs a program until the test ends at the latest. It and whatever it
// started die with the test.
func start(t testing.TB, dir string, env []string, name string, args ...string) *process {
	t.Helper()
	return startAs(t, nil, dir, env, name, args...)
}

// startAs is start as another user.
func startAs(t testing.TB, as *syscall.Credential, dir string, env []string, name string, args ...string) *process {
	t.Helper()

	log, err := os.CreateTemp(dir, filepath.Base(name)+"-*.log")
	require.NoError(t, err)
	defer log.Close()
	p := &process{t: t, cmd: exec.Command(name, args...), log: log.Name(), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Dir = env, dir
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: as}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // Pdeathsig comes at the end of the thread that forked
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // how it ended is in ProcessState
			close(p.ended)
		}
	}()
	require.NoError(t, <-started)
	t.Cleanup(func() {
		if t.Failed() && p.running() {
			p.signal(syscall.SIGQUIT) // it says where its goroutines are
			select {
			case <-p.ended:
			case <-time.After(5 * time.Second):
			}
		}
		p.kill()
		if t.Failed() {
			t.Logf("%s: %s; the end of what it said:\n%s", strings.Join(append([]string{filepath.Base(name)}, args...), " "), p.cmd.ProcessState, p.said(32<<10))
		}
	})
	return p
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// signal sends s if the process still runs.
func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// kill ends the process without a chance to tidy up, and waits for it.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// running reports whether the process has not ended.
func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// ends waits for the process to end by itself.
func (p *process) ends(within time.Duration) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(within):
		require.FailNow(p.t, "the process goes on", p.said(4<<10))
	}
}

// said is the last bytes of its log.
func (p *process) said(last int) string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-last):])
}

// stat is what the kernel tells of a process.
type stat struct {
	pid, parent int
	state       byte
	arguments   string
	cpu         time.Duration
	resident    int64 // bytes, the most it ever was
}

// processes lists all processes that can be read.
func processes() []stat {
	paths, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well formed
	var all []stat
	for _, path := range paths {
		if s, ok := readStat(path); ok {
			all = append(all, s)
		}
	}
	return all
}

// ticks is the unit of CPU time in /proc: USER_HZ, the same on every Linux.
const ticks = 100

func readStat(path string) (stat, bool) {
	text, err := os.ReadFile(filepath.Join(path, "stat"))
	if err != nil {
		return stat{}, false // it has ended
	}
	s := stat{}
	s.pid, _ = strconv.Atoi(filepath.Base(path))
	// The name in brackets may hold anything, so the fields begin after it.
	_, rest, _ := strings.Cut(string(text[bytes.LastIndexByte(text, ')'):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return stat{}, false
	}
	s.state = fields[0][0]
	s.parent, _ = strconv.Atoi(fields[1])
	for _, field := range fields[11:13] { // user and system time
		n, _ := strconv.Atoi(field)
		s.cpu += time.Duration(n) * time.Second / ticks
	}
	arguments, _ := os.ReadFile(filepath.Join(path, "cmdline"))
	s.arguments = strings.TrimSpace(strings.ReplaceAll(string(arguments), "\x00", " "))
	status, _ := os.ReadFile(filepath.Join(path, "status"))
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	if fields := strings.Fields(peak); len(fields) > 0 {
		kib, _ := strconv.ParseInt(fields[0], 10, 64)
		s.resident = kib << 10
	}
	return s, true
}

// stat is what the kernel tells of the process; false where it has ended.
func (p *process) stat() (stat, bool) { return readStat(fmt.Sprintf("/proc/%d", p.pid())) }

// children lists what a process has started, and what that has started.
func (p *process) children() []stat {
	all := processes()
	ours := map[int]bool{p.pid(): true}
	var found []stat
	for grown := true; grown; {
		grown = false
		for _, s := range all {
			if ours[s.parent] && !ours[s.pid] {
				ours[s.pid], grown = true, true
				found = append(found, s)
			}
		}
	}
	return found
}

// String is for messages.
func (s stat) String() string {
	return fmt.Sprintf("%d (%s) %c cpu %s resident %d MiB", s.pid, s.arguments, s.state, s.cpu, s.resident>>20)
}

// throughout holds that a condition is true for a second. A look of require.Never may still
// be under way when the test ends.
func throughout(t testing.TB, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		require.True(t, condition())
	}
}
