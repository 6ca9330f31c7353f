package search

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// Fallback asks one engine and, if it cannot answer or finds nothing with all words,
// another. All pages of an answer come from the same engine, because the two rank
// differently. It is a circuit breaker: after repeated failures the first engine is
// skipped for a while.
type Fallback struct {
	first, second Engine

	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // the first engine is not asked before this
	now      func() time.Time
}

// The circuit breaker. After tripAfter failures in a row the first engine is skipped
// for restFor, so that a server which is down or slow does not cost each search its
// time limit. Then one search tries it again.
const (
	tripAfter = 3
	restFor   = 5 * time.Second
)

// NewFallback asks first, which keeps an index, and else second, which needs
// none to be kept.
func NewFallback(first, second Engine) *Fallback {
	return &Fallback{first: first, second: second, now: time.Now}
}

var _ Engine = (*Fallback)(nil)

// Name is that of the engine that is asked first. An answer names the one that
// gave it.
func (f *Fallback) Name() string { return f.first.Name() }

// Healthy reports whether searches are answered, by whichever engine.
func (f *Fallback) Healthy(ctx context.Context) error {
	if f.first.Healthy(ctx) == nil {
		return nil
	}
	return f.second.Healthy(ctx)
}

// Immediate is that of the first engine.
func (f *Fallback) Immediate() bool { return f.first.Immediate() }

// Index makes files findable in the first engine.
func (f *Fallback) Index(ctx context.Context, files []db.FileRef) ([]db.Indexed, error) {
	return f.first.Index(ctx, files)
}

// Remove forgets files in the first engine.
func (f *Fallback) Remove(ctx context.Context, files []db.FileRef) error {
	return f.first.Remove(ctx, files)
}

// Reconcile heals the index of the first engine.
func (f *Fallback) Reconcile(ctx context.Context, full bool) (Drift, error) {
	return f.first.Reconcile(ctx, full)
}

// Sentences answers q in sentences.
func (f *Fallback) Sentences(ctx context.Context, in db.Scope, q Query) (Sentences, error) {
	return askEither(f, ctx, in, q, Engine.Sentences, func(a Sentences) Summary { return a.Summary })
}

// Files answers q in files.
func (f *Fallback) Files(ctx context.Context, in db.Scope, q Query) (Files, error) {
	return askEither(f, ctx, in, q, Engine.Files, func(a Files) Summary { return a.Summary })
}

// askEither asks the first engine and, if need be, the second. The second is also
// asked where the first found nothing with all the words: what was just committed may
// not be indexed yet.
func askEither[A any](f *Fallback, ctx context.Context, in db.Scope, q Query, ask func(Engine, context.Context, db.Scope, Query) (A, error), summary func(A) Summary) (A, error) {
	going := q.Engine == f.first.Name()
	if !going && (q.Engine == f.second.Name() || changing(q.Filter)) {
		return ask(f.second, ctx, in, q)
	}
	if !f.ready() {
		if going {
			var none A
			return none, errBegun
		}
		return ask(f.second, ctx, in, q)
	}
	answer, err := ask(f.first, ctx, in, q)
	if err != nil && (fault.Permanent(err) || ctx.Err() != nil) {
		return answer, err // the caller's doing
	}
	if !errors.Is(err, errFilter) && !errors.Is(err, errBeyond) {
		f.report(err == nil)
	}
	switch {
	case err != nil && going:
		return answer, errBegun
	case err != nil:
		return ask(f.second, ctx, in, q)
	}
	if s := summary(answer); s.Total > 0 && !s.Relaxed || q.Text == "" || going {
		return answer, nil
	}
	q.strict = true
	other, err := ask(f.second, ctx, in, q)
	if s := summary(other); err == nil && s.Total > 0 && !s.Relaxed {
		return other, nil
	}
	return answer, nil
}

var errBegun = fault.New(fault.Unavailable, "the search engine that gave the page before is not available; search anew, or try again")

// changing reports whether a filter selects files in processing: the index already has
// the status that they will have.
func changing(filter Filter) bool {
	return slices.Contains(filter.Statuses, string(db.FileQueued)) || slices.Contains(filter.Statuses, string(db.FileProcessing))
}

// ready reports whether the first engine should be asked. After restFor it lets one
// caller through, until that one has reported (half open).
func (f *Fallback) ready() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failures < tripAfter {
		return true
	}
	if f.now().Before(f.until) {
		return false
	}
	f.until = f.now().Add(restFor)
	return true
}

// report records whether the first engine answered.
func (f *Fallback) report(ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ok {
		f.failures = 0
		return
	}
	if f.failures++; f.failures == tripAfter {
		f.until = f.now().Add(restFor)
	}
}

// Condition is what an engine can do now, as operators see it.
type Condition struct {
	Engine      string // that searches are meant for
	Answering   string // that answers them now
	Reachable   bool   // whether Engine answers
	CircuitOpen bool   // whether this process skips Engine, because it failed repeatedly
}

// ConditionOf looks whether an engine answers. It does not use up the one search by
// which an open circuit is tried.
func ConditionOf(ctx context.Context, e Engine) Condition {
	c := Condition{Engine: e.Name(), Answering: e.Name()}
	f, ok := e.(*Fallback)
	if !ok {
		c.Reachable = e.Healthy(ctx) == nil
		return c
	}
	f.mu.Lock()
	c.CircuitOpen = f.failures >= tripAfter
	f.mu.Unlock()
	c.Reachable = f.first.Healthy(ctx) == nil
	if !c.Reachable || c.CircuitOpen {
		c.Answering = f.second.Name()
	}
	return c
}
