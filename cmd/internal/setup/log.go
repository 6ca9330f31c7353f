package setup

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/clausemill/clausemill/trace"
)

// NewLog writes log lines to w as l wants them.
func (l Logging) NewLog(w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if l.LogFormat == "json" {
		return slog.New(calm{trace.Log(slog.NewJSONHandler(w, options)), &echoes{}})
	}
	return slog.New(calm{trace.Log(slog.NewTextHandler(w, options)), &echoes{}})
}

// calmAfter is the interval at which a repeated complaint is logged.
const calmAfter = 10 * time.Second

// maxEchoes bounds the complaints that are remembered at a time.
const maxEchoes = 1000

// calm is a handler that writes a complaint once and then counts it: where the
// database is away everything says so, many times a second, and nobody can see
// what else is wrong. Lines about files are written all.
type calm struct {
	slog.Handler
	echoes *echoes
}

// echoes are the complaints of the last calmAfter, by what they have in common:
// the error, or else the message.
type echoes struct {
	mu  sync.Mutex
	all map[string]*echo
}

// echo is a complaint that was written, and how often it came again.
type echo struct {
	handler slog.Handler
	last    slog.Record
	count   int
}

// WithAttrs shares what is remembered.
func (c calm) WithAttrs(attrs []slog.Attr) slog.Handler {
	return calm{c.Handler.WithAttrs(attrs), c.echoes}
}

// WithGroup shares what is remembered.
func (c calm) WithGroup(name string) slog.Handler {
	return calm{c.Handler.WithGroup(name), c.echoes}
}

// Handle writes r, or counts it.
func (c calm) Handle(ctx context.Context, r slog.Record) error {
	cause, ofFile := r.Message, false
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "error", "err": // the latter is River's
			cause = a.Value.String()
		case "file":
			ofFile = true
		}
		return true
	})
	if r.Level >= slog.LevelWarn && !ofFile && c.echoes.heard(ctx, cause, c.Handler, r) {
		return nil
	}
	return c.Handler.Handle(ctx, r)
}

// heard reports whether a complaint was written already, and counts it.
func (e *echoes) heard(ctx context.Context, cause string, handler slog.Handler, r slog.Record) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if one := e.all[cause]; one != nil {
		one.handler, one.last = handler, r.Clone()
		one.count++
		return true
	}
	if len(e.all) < maxEchoes {
		if e.all == nil {
			e.all = map[string]*echo{}
		}
		e.all[cause] = &echo{}
		later := context.WithoutCancel(ctx)
		time.AfterFunc(calmAfter, func() { e.tell(later, cause) })
	}
	return false
}

// tell writes the last of what was only counted, with the count, and forgets a
// complaint that did not come again.
func (e *echoes) tell(ctx context.Context, cause string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := e.all[cause]
	if one.count == 0 {
		delete(e.all, cause)
		return
	}
	one.last.AddAttrs(slog.Int("repeated", one.count))
	_ = one.handler.Handle(ctx, one.last) // as any line that cannot be written
	*one = echo{}
	time.AfterFunc(calmAfter, func() { e.tell(ctx, cause) })
}
