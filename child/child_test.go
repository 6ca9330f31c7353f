package child_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/fault"
)

// The test binary is its own child: with this variable set it serves requests
// instead of running tests.
const childMark = "CLAUSEMILL_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childMark) {
	case "":
		os.Exit(m.Run())
	case "serve":
		if err := child.ServeStdio(context.Background(), obey); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "parent": // a program with a pool of its own, killed by TestOrphan
		pool := child.NewPool(config("serve"))
		err := pool.Do(context.Background(), child.Call{Header: order{Do: "spawn"}, Each: func(r child.Reply) error {
			fmt.Println(string(r.Payload))
			return nil
		}})
		fmt.Println(err)
	case "garbage":
		fmt.Println("Welcome to a program that prints a banner before anything else.")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "oversized":
		// A reply to the first call that announces four gigabytes.
		prefix := binary.BigEndian.AppendUint32([]byte{2}, 1)
		prefix = binary.BigEndian.AppendUint32(prefix, 2)
		prefix = binary.BigEndian.AppendUint32(prefix, 1<<32-1)
		_, _ = os.Stdout.Write(append(prefix, "{}"...))
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "deaf": // answers without reading
		_, _ = os.Stdout.Write([]byte{3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
		select {}
	}
}

// order is what a test asks of its child.
type order struct {
	Do string
	N  int
}

func obey(header json.RawMessage, payload []byte, reply func(any, []byte) error) error {
	var o order
	if err := json.Unmarshal(header, &o); err != nil {
		return err
	}
	switch o.Do {
	case "echo":
		return reply(o, payload)
	case "count":
		for i := range o.N {
			if err := reply(order{N: i}, []byte(strconv.Itoa(i))); err != nil {
				return err
			}
		}
		return nil
	case "pid":
		return reply(nil, []byte(strconv.Itoa(os.Getpid())))
	case "nice":
		n, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
		if err != nil {
			return err
		}
		return reply(nil, []byte(strconv.Itoa(20-n))) // the system call answers 20 - nice
	case "env":
		return reply(os.Environ(), nil)
	case "print":
		fmt.Println("a stray line on standard output")
		return reply(nil, nil)
	case "fault":
		return fmt.Errorf("page: %w", &fault.Error{
			Kind: fault.Invalid, Code: fault.CorruptFile, Page: 7, Message: "page 7 is damaged", Cause: errors.New("bad xref"),
		})
	case "error":
		return errors.New("secret detail")
	case "panic":
		panicBelow(o.N)
	case "exit":
		os.Exit(3)
	case "hang":
		if err := reply(nil, []byte(strconv.Itoa(os.Getpid()))); err != nil {
			return err
		}
		select {}
	case "spin":
		for { //nolint:staticcheck // that is what it is for
		}
	case "wait":
		time.Sleep(time.Duration(o.N) * time.Millisecond)
		return reply(nil, nil)
	case "spawn": // hang with a descendant in the same group
		sleep := exec.Command("sleep", "1000")
		if err := sleep.Start(); err != nil {
			return err
		}
		if err := reply(nil, fmt.Appendf(nil, "%d %d", os.Getpid(), sleep.Process.Pid)); err != nil {
			return err
		}
		select {}
	case "bloat":
		var hold [][]byte
		for range o.N {
			hold = append(hold, bytes.Repeat([]byte{1}, 1<<20))
		}
		if err := reply(nil, nil); err != nil {
			return err
		}
		for {
			for _, b := range hold {
				b[0]++
			}
		}
	}
	return fmt.Errorf("unknown order %q", o.Do)
}

// panicBelow panics so many calls deeper.
func panicBelow(calls int) {
	if calls > 0 {
		panicBelow(calls - 1)
	}
	panic("on demand")
}

func config(mode string) child.Config {
	return child.Config{
		Command: []string{os.Args[0]},
		Env:     []string{childMark + "=" + mode, "PATH=" + os.Getenv("PATH")},
	}
}

// events collects what a pool observes.
type events chan child.Event

func newPool(t *testing.T, cfg child.Config) (*child.Pool, events) {
	t.Helper()
	seen := make(events, 1000)
	cfg.Observe = func(e child.Event) { seen <- e }
	pool := child.NewPool(cfg)
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	return pool, seen
}

func ask(ctx context.Context, p *child.Pool, call child.Call) (string, error) {
	var answer []byte
	each := call.Each
	call.Each = func(r child.Reply) error {
		answer = append(answer[:0], r.Payload...)
		if each != nil {
			return each(r)
		}
		return nil
	}
	err := p.Do(ctx, call)
	return string(answer), err
}

func pidOf(t *testing.T, p *child.Pool) int {
	t.Helper()
	answer, err := ask(t.Context(), p, child.Call{Header: order{Do: "pid"}})
	require.NoError(t, err)
	pid, err := strconv.Atoi(answer)
	require.NoError(t, err)
	return pid
}

func gone(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func requireGone(t *testing.T, pids string) {
	t.Helper()
	for field := range strings.FieldsSeq(pids) {
		pid, err := strconv.Atoi(field)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return gone(pid) }, 2*time.Second, 5*time.Millisecond, "process %d lives", pid)
	}
}

func TestReuse(t *testing.T) {
	t.Parallel()
	pool, _ := newPool(t, config("serve"))
	first := pidOf(t, pool)
	for range 20 {
		require.Equal(t, first, pidOf(t, pool))
	}
}

func TestPayloadSurvives(t *testing.T) {
	t.Parallel()
	pool, _ := newPool(t, config("serve"))
	for _, size := range []int{0, 1, 1 << 12, 1<<16 + 1, 40 << 20, 3} {
		payload := bytes.Repeat([]byte{0, 1, 2, 253, 254, 255, 10}, size/7+1)[:size]
		var header order
		answer, err := ask(t.Context(), pool, child.Call{Header: order{Do: "echo", N: size}, Payload: payload,
			Each: func(r child.Reply) error { return json.Unmarshal(r.Header, &header) }})
		require.NoError(t, err)
		require.Equal(t, size, header.N)
		require.Equal(t, sha256.Sum256([]byte(answer)), sha256.Sum256(payload), "payload of %d bytes changed", size)
	}
}

func TestManyReplies(t *testing.T) {
	t.Parallel()
	pool, _ := newPool(t, config("serve"))
	var got []string
	err := pool.Do(t.Context(), child.Call{Header: order{Do: "count", N: 500}, Each: func(r child.Reply) error {
		got = append(got, string(r.Payload))
		return nil
	}})
	require.NoError(t, err)
	require.Len(t, got, 500)
	for i, s := range got {
		require.Equal(t, strconv.Itoa(i), s)
	}
}

func TestHandlerErrors(t *testing.T) {
	t.Parallel()
	pool, _ := newPool(t, config("serve"))
	pid := pidOf(t, pool)

	err := pool.Do(t.Context(), child.Call{Header: order{Do: "fault"}})
	var e *fault.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, fault.Invalid, e.Kind)
	require.Equal(t, fault.CorruptFile, e.Code)
	require.Equal(t, 7, e.Page)
	require.Equal(t, "page 7 is damaged", e.Message)
	require.EqualError(t, e.Cause, "bad xref")

	err = pool.Do(t.Context(), child.Call{Header: order{Do: "error"}})
	require.Equal(t, fault.Internal, fault.KindOf(err))
	require.Equal(t, "internal error", fault.Message(err))
	require.ErrorContains(t, err, "secret detail")

	require.Equal(t, pid, pidOf(t, pool), "an error is not a crash")
}

func TestEndOfChild(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		mode  string
		call  child.Call
		limit int64
		want  error
		cause child.Cause
	}{
		"timeout":   {"serve", child.Call{Header: order{Do: "hang"}, Timeout: 50 * time.Millisecond}, 0, child.ErrTimeout, child.TimedOut},
		"busy":      {"serve", child.Call{Header: order{Do: "spin"}, Timeout: 50 * time.Millisecond}, 0, child.ErrTimeout, child.TimedOut},
		"memory":    {"serve", child.Call{Header: order{Do: "bloat", N: 200}}, 100 << 20, child.ErrMemory, child.OutOfMemory},
		"exit":      {"serve", child.Call{Header: order{Do: "exit"}}, 0, child.ErrCrash, child.Crashed},
		"panic":     {"serve", child.Call{Header: order{Do: "panic"}}, 0, child.ErrCrash, child.Crashed},
		"garbage":   {"garbage", child.Call{}, 0, child.ErrCrash, child.Crashed},
		"oversized": {"oversized", child.Call{}, 0, child.ErrCrash, child.Crashed},
		"deaf": {"deaf", child.Call{Payload: make([]byte, 1<<20), Timeout: 50 * time.Millisecond}, 0,
			child.ErrTimeout, child.TimedOut},
		"unread garbage": {"garbage", child.Call{Payload: make([]byte, 1<<20)}, 0, child.ErrCrash, child.Crashed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(tc.mode)
			cfg.MemoryLimit = tc.limit
			pool, seen := newPool(t, cfg)
			require.ErrorIs(t, pool.Do(t.Context(), tc.call), tc.want)
			require.Equal(t, child.Event{Cause: tc.cause, Calls: 1}, <-seen)
			if tc.mode == "serve" {
				pidOf(t, pool) // the next request has a child again
			}
		})
	}
}

// TestTimeIsThatOfTheProcessor holds that a child which got no time of a busy
// machine is not taken for one that is stuck. It sleeps, which is the same to the
// clock and to the processor.
func TestTimeIsThatOfTheProcessor(t *testing.T) {
	t.Parallel()
	pool, _ := newPool(t, config("serve"))
	require.NoError(t, pool.Do(t.Context(), child.Call{Header: order{Do: "wait", N: 2500}, Timeout: 2 * time.Second}))
}

// A trace is all there is to find a crash by. It is written last, while the child
// is about to be killed.
func TestPanicIsLogged(t *testing.T) {
	t.Parallel()
	for _, calls := range []int{0, 1000} {
		for range 20 {
			var log bytes.Buffer
			cfg := config("serve")
			cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
			pool := child.NewPool(cfg)
			require.ErrorIs(t, pool.Do(t.Context(), child.Call{Header: order{Do: "panic", N: calls}}), child.ErrCrash)
			require.NoError(t, pool.Close())
			for _, part := range []string{"panic: on demand", "goroutine 1 ", "child_test.panicBelow", "child.ServeStdio"} {
				require.Contains(t, log.String(), part)
			}
		}
	}
}

func TestMemoryWithinLimit(t *testing.T) {
	t.Parallel()
	cfg := config("serve")
	cfg.MemoryLimit = 400 << 20
	pool, _ := newPool(t, cfg)
	err := pool.Do(t.Context(), child.Call{Header: order{Do: "bloat", N: 100}, Timeout: 300 * time.Millisecond})
	require.ErrorIs(t, err, child.ErrTimeout)
}

func TestHugeAllocation(t *testing.T) {
	t.Parallel()
	cfg := config("serve")
	cfg.MemoryLimit = 64 << 20
	pool, _ := newPool(t, cfg)
	err := pool.Do(t.Context(), child.Call{Header: order{Do: "bloat", N: 100 << 10}})
	require.Error(t, err)
	require.True(t, errors.Is(err, child.ErrMemory) || errors.Is(err, child.ErrCrash), err)
}

func TestCancelKillsTheGroup(t *testing.T) {
	t.Parallel()
	pool, seen := newPool(t, config("serve"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pids, err := ask(ctx, pool, child.Call{Header: order{Do: "spawn"}, Each: func(child.Reply) error {
		cancel()
		return nil
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, strings.Fields(pids), 2)
	requireGone(t, pids)
	require.Equal(t, child.Cancelled, (<-seen).Cause)
}

func TestCrashTakesDescendantsAlong(t *testing.T) {
	t.Parallel()
	pool, _ := newPool(t, config("serve"))
	pids, err := ask(t.Context(), pool, child.Call{Header: order{Do: "spawn"}, Each: func(r child.Reply) error {
		pid, err := strconv.Atoi(strings.Fields(string(r.Payload))[0])
		if err != nil {
			return err
		}
		return syscall.Kill(pid, syscall.SIGSEGV)
	}})
	require.ErrorIs(t, err, child.ErrCrash)
	requireGone(t, pids)
}

func TestEachError(t *testing.T) {
	t.Parallel()
	pool, seen := newPool(t, config("serve"))
	enough := errors.New("enough")
	pid, err := ask(t.Context(), pool, child.Call{Header: order{Do: "hang"}, Each: func(child.Reply) error { return enough }})
	require.Equal(t, enough, err)
	requireGone(t, pid)
	require.Equal(t, child.Cancelled, (<-seen).Cause)
}

func TestIdleCrashCostsNobody(t *testing.T) {
	t.Parallel()
	pool, seen := newPool(t, config("serve"))
	for range 20 {
		pid := pidOf(t, pool)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		require.Equal(t, child.Event{Cause: child.Crashed, Calls: 1}, <-seen)
		require.NotEqual(t, pid, pidOf(t, pool))
		require.NoError(t, syscall.Kill(pidOf(t, pool), syscall.SIGKILL))
		<-seen
	}
}

func TestConcurrentCallers(t *testing.T) {
	t.Parallel()
	cfg := config("serve")
	cfg.Size = 3
	cfg.MaxUses = 50
	pool, _ := newPool(t, cfg)
	var mu sync.Mutex
	pids := map[string]int{}
	var g errgroup.Group
	for i := range 40 {
		g.Go(func() error {
			for j := range 20 {
				want := fmt.Sprintf("caller %d call %d", i, j)
				got, err := ask(t.Context(), pool, child.Call{Header: order{Do: "echo"}, Payload: []byte(want)})
				if err != nil {
					return err
				}
				if got != want {
					return fmt.Errorf("got %q, want %q", got, want)
				}
				pid, err := ask(t.Context(), pool, child.Call{Header: order{Do: "pid"}})
				if err != nil {
					return err
				}
				mu.Lock()
				pids[pid]++
				mu.Unlock()
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	require.GreaterOrEqual(t, len(pids), 1600/50)
}

// TestRest has a child pause for something more urgent, but not for ever.
func TestRest(t *testing.T) {
	t.Parallel()
	var urgent atomic.Bool
	cfg := config("serve")
	cfg.Rest = func(others int) bool { return others == 0 && urgent.Load() }
	pool, _ := newPool(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	pids := make(chan string, 1)
	var g errgroup.Group
	g.Go(func() error {
		return pool.Do(ctx, child.Call{Header: order{Do: "hang"}, Each: func(r child.Reply) error {
			pids <- string(r.Payload)
			return nil
		}})
	})
	pid := <-pids
	stopped := func(want bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			return err == nil && want == strings.Contains(string(stat), ") T ")
		}, time.Minute, time.Millisecond)
	}
	urgent.Store(true)
	stopped(true)
	urgent.Store(false)
	stopped(false)
	urgent.Store(true)
	stopped(true)
	stopped(false) // for a while
	stopped(true)
	cancel()
	require.ErrorIs(t, g.Wait(), context.Canceled)
	requireGone(t, pid)
}

func TestRecycling(t *testing.T) {
	t.Parallel()
	cfg := config("serve")
	cfg.MaxUses = 3
	pool, seen := newPool(t, cfg)
	var pids []int
	for range 7 {
		pids = append(pids, pidOf(t, pool))
	}
	require.Equal(t, pids[0], pids[2])
	require.NotEqual(t, pids[2], pids[3])
	require.Equal(t, pids[3], pids[5])
	require.NotEqual(t, pids[5], pids[6])
	require.Equal(t, child.Event{Cause: child.Recycled, Calls: 3}, <-seen)
	require.Equal(t, child.Event{Cause: child.Recycled, Calls: 3}, <-seen)
}

func TestWaitingObeysContext(t *testing.T) {
	t.Parallel()
	pool, _ := newPool(t, config("serve"))
	busy, release := context.WithCancel(t.Context())
	defer release()
	started := make(chan struct{})
	var begun atomic.Int32
	count := func() { begun.Add(1) }
	var g errgroup.Group
	g.Go(func() error {
		return pool.Do(busy, child.Call{Header: order{Do: "hang"}, Begun: count, Each: func(child.Reply) error {
			close(started)
			return nil
		}})
	})
	<-started
	waiting, giveUp := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer giveUp()
	require.ErrorIs(t, pool.Do(waiting, child.Call{Header: order{Do: "pid"}, Begun: count}), context.DeadlineExceeded)
	require.EqualValues(t, 1, begun.Load(), "a call that waits has not begun")
	release()
	require.ErrorIs(t, g.Wait(), context.Canceled)
	pidOf(t, pool)
}

func TestCloseWhileBusy(t *testing.T) {
	t.Parallel()
	cfg := config("serve")
	cfg.Size = 2
	pool, seen := newPool(t, cfg)
	idle := pidOf(t, pool)
	started := make(chan string, 2)
	var g errgroup.Group
	for range 5 { // two at work, three waiting
		g.Go(func() error {
			err := pool.Do(t.Context(), child.Call{Header: order{Do: "spawn"}, Each: func(r child.Reply) error {
				started <- string(r.Payload)
				return nil
			}})
			if !errors.Is(err, child.ErrClosed) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		})
	}
	pids := <-started + " " + <-started
	require.NoError(t, pool.Close())
	require.NoError(t, g.Wait())
	requireGone(t, pids)
	requireGone(t, strconv.Itoa(idle))
	require.Equal(t, child.Closed, (<-seen).Cause)
	require.Equal(t, child.Closed, (<-seen).Cause)
	require.ErrorIs(t, pool.Do(t.Context(), child.Call{Header: order{Do: "pid"}}), child.ErrClosed)
	require.NoError(t, pool.Close())
}

// A program that is killed cannot tidy up: its children must die with it.
func TestOrphan(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = config("parent").Env
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	var pid, descendant int
	_, err = fmt.Fscan(out, &pid, &descendant)
	require.NoError(t, err)
	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	requireGone(t, strconv.Itoa(pid))
	require.NoError(t, syscall.Kill(descendant, syscall.SIGKILL))
}

func TestEnvironmentIsNotInherited(t *testing.T) {
	t.Parallel()
	cfg := config("serve")
	cfg.Env = []string{childMark + "=serve"}
	pool, _ := newPool(t, cfg)
	var env []string
	require.NoError(t, pool.Do(t.Context(), child.Call{Header: order{Do: "env"}, Each: func(r child.Reply) error {
		return json.Unmarshal(r.Header, &env)
	}}))
	require.Equal(t, cfg.Env, env)
}

func TestNice(t *testing.T) {
	t.Parallel()
	answer, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	require.NoError(t, err)
	own := 20 - answer // as the system call answers
	cfg := config("serve")
	cfg.Nice = 7
	cfg.MaxUses = 1
	pool, _ := newPool(t, cfg)
	for range 3 {
		nice, err := ask(t.Context(), pool, child.Call{Header: order{Do: "nice"}})
		require.NoError(t, err)
		require.Equal(t, strconv.Itoa(min(own+7, 19)), nice)
	}
	plain, _ := newPool(t, config("serve"))
	nice, err := ask(t.Context(), plain, child.Call{Header: order{Do: "nice"}})
	require.NoError(t, err)
	require.Equal(t, strconv.Itoa(own), nice)
}

func TestStrayOutputIsHarmless(t *testing.T) {
	t.Parallel()
	pool, _ := newPool(t, config("serve"))
	pid := pidOf(t, pool)
	require.NoError(t, pool.Do(t.Context(), child.Call{Header: order{Do: "print"}}))
	require.Equal(t, pid, pidOf(t, pool))
}

func TestMissingProgram(t *testing.T) {
	t.Parallel()
	pool, _ := newPool(t, child.Config{Command: []string{"/nonexistent/program"}})
	err := pool.Do(t.Context(), child.Call{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.False(t, fault.Permanent(err))
}

func TestServeRefusesWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"text":      "GET / HTTP/1.1\r\n\r\n",
		"reply":     "\x02\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00",
		"cut short": "\x01\x00\x00\x00\x01\x00\x00\x00\x09\x00\x00\x00\x00{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Error(t, child.Serve(t.Context(), strings.NewReader(in), io.Discard, obey))
		})
	}
	require.NoError(t, child.Serve(t.Context(), strings.NewReader(""), io.Discard, obey))
}

// Whatever a child's input holds, Serve neither panics nor allocates what it
// was only promised.
func FuzzServe(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x01\x00\x00\x00\x0d\x00\x00\x00\x03{\"Do\":\"echo\"}abc"))
	f.Add([]byte("\x01\x00\x00\x00\x01\x00\xff\xff\xff\x3f\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		_ = child.Serve(t.Context(), bytes.NewReader(in), io.Discard, func(h json.RawMessage, p []byte, reply func(any, []byte) error) error {
			if len(h)+len(p) > len(in) {
				t.Fatal("more than was sent")
			}
			return reply(nil, p)
		})
	})
}
