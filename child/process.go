package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is one child. One goroutine at a time exchanges requests with it; any
// goroutine may kill it.
type process struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	frames *bufio.Reader
	buf    []byte
	stderr tail
	calls  atomic.Uint32 // requests sent so far
	exited chan struct{} // closed when the process has been reaped

	mu     sync.Mutex
	cause  Cause // why it was killed; empty when it ended by itself
	reaped bool
}

// start runs on the pool's own thread: the kernel sends Pdeathsig when the
// thread that forked ends, and not when the process does.
func start(cfg *Config) (*process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer childIn.Close()
	out, childOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer childOut.Close()

	p := &process{in: in, out: out, frames: bufio.NewReader(out), exited: make(chan struct{})}
	p.cmd = exec.Command(cfg.Command[0], cfg.Command[1:]...) //nolint:noctx // it serves many requests, and is ended by its pool
	p.cmd.Env = append([]string{}, cfg.Env...)               // not nil: nothing is inherited
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = childIn, childOut, &p.stderr
	p.cmd.WaitDelay = time.Second // for a descendant that left the group with our standard error
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		p.closePipes()
		return nil, err
	}
	if err := p.limit(cfg.MemoryLimit); err != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		p.closePipes()
		return nil, err
	}
	return p, nil
}

// limit sets what the kernel enforces by itself. The memory limit proper is
// watched from outside (see supervise), because address space says little about
// programs that reserve more than they use; RLIMIT_DATA counts only writable
// memory and stops an allocation too large for the watch to see in time.
func (p *process) limit(memory int64) error {
	pid := p.cmd.Process.Pid
	if err := unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil); err != nil {
		return fmt.Errorf("limit core size: %w", err)
	}
	if memory <= 0 {
		return nil
	}
	data := uint64(4*memory + 1<<30)
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: data, Max: data}, nil); err != nil {
		return fmt.Errorf("limit memory: %w", err)
	}
	return nil
}

// reap waits for the process to end, kills the rest of its group and calls ended.
// Until it is reaped, the zombie process keeps the id of the group from being
// reused.
func (p *process) reap(ended func(*process)) {
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.kill("")
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	_ = p.cmd.Wait() // how it ended is in ProcessState
	p.closePipes()
	ended(p)
	close(p.exited)
}

func (p *process) closePipes() {
	p.in.Close()
	p.out.Close()
}

// kill ends the process group at once. The first cause given is the one kept.
func (p *process) kill(cause Cause) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return
	}
	if p.cause == "" {
		p.cause = cause
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // ESRCH: nobody is left
}

// end kills the process and waits until nothing of it is left.
func (p *process) end(cause Cause) {
	p.kill(cause)
	<-p.exited
}

// alive asks the kernel, so that a child that died a moment ago is not given a
// request.
func (p *process) alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return false
	}
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo == 0
}

// memory is the resident size of the process in bytes, 0 when it has ended.
func (p *process) memory() int64 {
	statm, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(statm))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// processorTime is what all threads of the process have used, 0 when it has ended.
func (p *process) processorTime() time.Duration {
	const ofProcess = 2 // CPUCLOCK_SCHED of clock_getcpuclockid(3)
	var spent unix.Timespec
	if err := unix.ClockGettime(int32(^p.cmd.Process.Pid<<3|ofProcess), &spent); err != nil {
		return 0
	}
	return time.Duration(spent.Nano())
}

// remoteError is an error that the child's handler returned: the child is well.
type remoteError struct{ wireFault }

func (e remoteError) Error() string { return e.Message }

// abandoned is an error of Call.Each: the rest of the answer is not wanted.
type abandoned struct{ error }

// exchange sends a request and hands on the replies. After any error but a
// remoteError the child is dead or dying.
func (p *process) exchange(call Call) error {
	header, err := json.Marshal(call.Header)
	if err != nil {
		p.kill(Cancelled)
		return abandoned{fmt.Errorf("request header: %w", err)}
	}
	request := frame{kind: frameRequest, call: p.calls.Add(1), header: header, payload: call.Payload}
	sent := make(chan error, 1)
	go func() { // beside the reading: a child that answers nonsense need not read
		sent <- writeFrame(p.in, request)
	}()
	err = p.receive(request.call, call.Each)
	var remote remoteError
	var unwanted abandoned
	switch {
	case err == nil, errors.As(err, &remote):
	case errors.As(err, &unwanted):
		p.kill(Cancelled)
	default:
		p.kill(Crashed)
	}
	if sendErr := <-sent; sendErr != nil && (err == nil || errors.As(err, &remote)) {
		p.kill(Crashed)
		return sendErr
	}
	return err
}

func (p *process) receive(call uint32, each func(Reply) error) error {
	for {
		f, err := readFrame(p.frames, &p.buf, MaxReply)
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("ended without an answer")
		case err != nil:
			return err
		case f.call != call:
			return errFrame
		}
		switch f.kind { //nolint:exhaustive // a child sends no requests
		case frameReply:
			if each == nil {
				continue
			}
			if err := each(Reply{Header: f.header, Payload: f.payload}); err != nil {
				return abandoned{err}
			}
		case frameDone:
			return nil
		case frameFault:
			var w wireFault
			if err := json.Unmarshal(f.header, &w); err != nil {
				return err
			}
			return remoteError{w}
		default:
			return errFrame
		}
	}
}

// watchEvery is the interval at which a busy child is checked, which takes about
// 10 µs.
const watchEvery = 25 * time.Millisecond

// patience is the limit of wall-clock time of a request, as a multiple of its limit
// of processor time. It ends a request that waits for ever, and leaves enough time
// on a busy machine.
const patience = 10

// A child pauses for restFor at most. Then it works for at least a quarter of the
// time that it paused. So it finishes, however much urgent work there is.
const (
	restFor   = 2 * time.Second
	workShare = 4
)

// rest pauses and continues a process.
type rest struct {
	pool   *Pool
	paused bool
	since  time.Time // when it was paused
	next   time.Time // when it may be paused again
}

// look pauses or continues p.
func (r *rest) look(p *process) {
	if r.pool.cfg.Rest == nil {
		return
	}
	others := int(r.pool.resting.Load())
	if r.paused {
		others--
	}
	now, wanted := time.Now(), r.pool.cfg.Rest(others)
	switch rested := now.Sub(r.since); {
	case !r.paused && wanted && now.After(r.next):
		p.signal(syscall.SIGSTOP)
		r.pool.resting.Add(1)
		r.paused, r.since = true, now
	case r.paused && (!wanted || rested > restFor):
		r.end(p)
		r.next = now.Add(rested / workShare)
	}
}

// end continues p.
func (r *rest) end(p *process) {
	if r.paused {
		p.signal(syscall.SIGCONT)
		r.pool.resting.Add(-1)
		r.paused = false
	}
}

// signal sends a signal to the process group.
func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = syscall.Kill(-p.cmd.Process.Pid, s) // ESRCH: nobody is left
	}
}

// supervise kills the process when its request is no longer wanted or exceeds
// its limits, and lets it rest. The function it returns ends the supervision.
func (p *process) supervise(ctx context.Context, pool *Pool, timeout time.Duration) (stop func()) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		begin, before := time.Now(), p.processorTime()
		look := time.NewTicker(watchEvery)
		defer look.Stop()
		rest := rest{pool: pool}
		defer rest.end(p)
		for {
			select {
			case <-done:
				return
			case <-p.exited:
				return
			case <-ctx.Done():
				p.kill(Cancelled)
				return
			case <-pool.closing:
				p.kill(Closed)
				return
			case <-look.C:
				if limit := pool.cfg.MemoryLimit; limit > 0 && p.memory() > limit {
					p.kill(OutOfMemory)
					return
				}
				if timeout > 0 && (p.processorTime()-before > timeout || time.Since(begin) > patience*timeout) {
					p.kill(TimedOut)
					return
				}
				rest.look(p)
			}
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

// tail keeps the last bytes written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

// tailSize has room for the longest trace of a panic: a hundred frames.
const tailSize = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b[max(0, len(b)-tailSize):]...)
	if extra := len(t.b) - tailSize; extra > 0 {
		t.b = append(t.b[:0], t.b[extra:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.b), "�")
}
