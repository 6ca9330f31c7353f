package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clausemill/clausemill/trace"
)

// What Do returns, wrapped, when a child did not survive a request. They say
// what happened to the child; the caller knows what that means for its input.
var (
	ErrTimeout = errors.New("child exceeded its time limit")
	ErrMemory  = errors.New("child exceeded its memory limit")
	ErrCrash   = errors.New("child crashed")
	ErrClosed  = errors.New("child pool is closed")
)

// Cause is why a child ended.
type Cause string

// The causes, as they appear in metrics.
const (
	Crashed     Cause = "crash"     // ended by itself, busy or idle, or broke the protocol
	TimedOut    Cause = "timeout"   // Call.Timeout
	OutOfMemory Cause = "memory"    // Config.MemoryLimit
	Cancelled   Cause = "cancelled" // the caller's context, or an error of Call.Each
	Recycled    Cause = "recycled"  // Config.MaxUses
	Closed      Cause = "closed"    // Pool.Close
)

// Event reports that a child ended.
type Event struct {
	Cause Cause
	Calls int // requests it had been given
}

// Rest reports whether a busy child should pause for more urgent work. It is
// called repeatedly; others is how many children of the pool pause already.
type Rest func(others int) bool

// Config describes a pool of like children.
type Config struct {
	Command     []string // program and arguments
	Env         []string // the whole environment of a child, KEY=value
	Size        int      // children at most, at least 1
	Nice        int      // added to the scheduling priority of this program: 0 to 19
	Rest        Rest     // nil for never
	MemoryLimit int64    // resident bytes of a child while it works; 0 is no limit
	MaxUses     int      // requests after which a child is replaced; 0 is no limit
	Log         *slog.Logger
	Observe     func(Event) // called once for every child that ended; must not block
}

// Call is one request. The time limit is one of processor time of the child,
// without its own children: a busy machine is not the fault of an input. By the
// clock, from the moment the child has it and with the time spent in Each, a
// request may take ten times as long.
type Call struct {
	Header  any // marshalled as JSON
	Payload []byte
	Timeout time.Duration // 0 is no limit
	Begun   func()        // called when the wait for a slot is over; may be nil

	// Name and Attrs are what a trace has of the request. One without a name is in none.
	Name  string
	Attrs []trace.Attr

	// Each is given the replies in order, while the child works on the next
	// one. An error ends the child, and Do returns it.
	Each func(Reply) error
}

// Reply is one answer of a child. Header and payload are valid only during the
// call of Each.
type Reply struct {
	Header  json.RawMessage
	Payload []byte
}

// Pool is a set of supervised children. Its methods are safe for concurrent use.
type Pool struct {
	cfg     Config
	slots   chan struct{} // one element for every request in work
	closing chan struct{}
	closed  sync.Once
	starts  chan func() // run on the thread that children are started from

	resting atomic.Int32 // children that pause

	mu   sync.Mutex
	idle []*process // the one used last comes last and is used next
}

// NewPool makes a pool. No child starts before the first request needs it.
func NewPool(cfg Config) *Pool {
	cfg.Size = max(cfg.Size, 1)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Event) {}
	}
	p := &Pool{
		cfg:     cfg,
		slots:   make(chan struct{}, cfg.Size),
		closing: make(chan struct{}),
		starts:  make(chan func()),
	}
	go p.startThread()
	return p
}

// startThread runs what is sent to starts on one thread that lives as long as
// the pool: children die with the thread that started them (see start) and
// inherit its priority. Returning without unlocking ends the thread.
func (p *Pool) startThread() {
	runtime.LockOSThread()
	if p.cfg.Nice > 0 {
		if err := addNice(p.cfg.Nice); err != nil {
			p.cfg.Log.Warn("children keep the priority of their parent", slog.Any("error", err))
		}
	}
	for f := range p.starts {
		f()
	}
}

// addNice lowers the priority of the calling thread.
func addNice(n int) error {
	answer, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	if err != nil {
		return err
	}
	return unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 20-answer+n) // it answers 20 - nice; the system cuts at 19
}

// Do gives call to a free child, waiting for one as long as ctx allows, and
// returns when the child has answered or is dead. The error is nil, the
// *fault.Error that the child's handler returned, the error of Each, ctx.Err(),
// or one that wraps ErrTimeout, ErrMemory, ErrCrash or ErrClosed.
func (p *Pool) Do(ctx context.Context, call Call) error {
	if call.Name == "" {
		return p.do(ctx, call, trace.Span{})
	}
	ctx, span := trace.Start(ctx, trace.Internal, call.Name, call.Attrs...)
	err := p.do(ctx, call, span)
	if end := endOf(err); end != "" {
		span.Fail(string(end))
		span.End(nil)
	} else {
		span.End(err)
	}
	return err
}

// endOf is why the child of a request ended that returned err; empty where it lives,
// or where nothing is wrong with it.
func endOf(err error) Cause {
	switch {
	case errors.Is(err, ErrTimeout):
		return TimedOut
	case errors.Is(err, ErrMemory):
		return OutOfMemory
	case errors.Is(err, ErrCrash):
		return Crashed
	case errors.Is(err, ErrClosed):
		return Closed
	}
	return ""
}

func (p *Pool) do(ctx context.Context, call Call, span trace.Span) error {
	if len(call.Payload) > MaxRequest {
		return fmt.Errorf("request of %d bytes exceeds %d", len(call.Payload), MaxRequest)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	begun := time.Now()
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return ctx.Err()
	case <-p.closing:
		return ErrClosed
	}
	span.Set(trace.Slot(time.Since(begun)))
	if call.Begun != nil {
		call.Begun()
	}
	proc, err := p.take()
	if err != nil {
		return err
	}
	stop := proc.supervise(ctx, p, call.Timeout)
	err = proc.exchange(call)
	stop()
	return p.settle(ctx, proc, err)
}

// take returns an idle child that lives, or a new one.
func (p *Pool) take() (*process, error) {
	for {
		proc := p.pop()
		if proc == nil {
			return p.start()
		}
		if proc.alive() {
			return proc, nil
		}
		<-proc.exited
	}
}

func (p *Pool) pop() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	proc := p.idle[last]
	p.idle = p.idle[:last]
	return proc
}

func (p *Pool) start() (proc *process, err error) {
	started := make(chan struct{})
	run := func() {
		defer close(started)
		proc, err = start(&p.cfg)
	}
	select {
	case p.starts <- run:
		<-started
	case <-p.closing:
		return nil, ErrClosed
	}
	if err != nil {
		return nil, fmt.Errorf("start child: %w", err)
	}
	go proc.reap(p.ended)
	return proc, nil
}

// settle decides whether a child is reused after a request, and which error its
// caller gets.
func (p *Pool) settle(ctx context.Context, proc *process, err error) error {
	var remote remoteError
	if err == nil || errors.As(err, &remote) {
		if p.cfg.MaxUses > 0 && int(proc.calls.Load()) >= p.cfg.MaxUses {
			proc.end(Recycled)
		} else {
			p.keep(proc)
		}
		if err != nil {
			return remote.fault()
		}
		return nil
	}
	<-proc.exited
	var unwanted abandoned
	if errors.As(err, &unwanted) {
		return unwanted.error
	}
	switch proc.cause { //nolint:exhaustive // what is left is a crash
	case Cancelled:
		return ctx.Err()
	case Closed:
		return ErrClosed
	case TimedOut:
		return ErrTimeout
	case OutOfMemory:
		return ErrMemory
	default:
		return fmt.Errorf("%w: %w (%s)", ErrCrash, err, proc.cmd.ProcessState)
	}
}

// keep makes a child available again. One that was killed meanwhile is found
// dead by take; one that comes back to a closed pool is ended by Close, which
// looks again once no request is in work.
func (p *Pool) keep(proc *process) {
	if cap(proc.buf) > keepBuffer {
		proc.buf = nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, proc)
}

// ended is called with every child that was reaped.
func (p *Pool) ended(proc *process) {
	cause := proc.cause
	if cause == "" {
		cause = Crashed
	}
	level := slog.LevelDebug
	switch cause {
	case Crashed, TimedOut, OutOfMemory:
		level = slog.LevelWarn
	case Cancelled, Recycled, Closed:
	}
	p.cfg.Log.LogAttrs(context.Background(), level, "child ended",
		slog.String("command", p.cfg.Command[0]), slog.String("cause", string(cause)),
		slog.Int("calls", int(proc.calls.Load())), slog.String("state", proc.cmd.ProcessState.String()),
		slog.String("stderr", proc.stderr.String()))
	p.cfg.Observe(Event{Cause: cause, Calls: int(proc.calls.Load())})
}

// Close kills every child, busy or idle, and waits for them. Requests in work
// or waiting return ErrClosed.
func (p *Pool) Close() error {
	p.closed.Do(func() {
		close(p.closing)
		for range p.cfg.Size { // with every slot taken, no request is in work
			p.slots <- struct{}{}
		}
		for proc := p.pop(); proc != nil; proc = p.pop() {
			proc.end(Closed)
		}
		close(p.starts)
	})
	return nil
}
