package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/trace"
)

// call is one request on its way through the API.
type call struct {
	id        string // X-Request-Id
	operation string // the operation's id, once it is known
	principal auth.Principal
	log       *slog.Logger
	r         *http.Request
	body      *paced // nil where there is none
	w         response
	broken    bool // the handler panicked
	probe     bool // it only asked how the process does: no request that was served or failed
}

type callKey struct{}

// callOf is the call that ctx belongs to.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// response counts what is written. http.ResponseController reaches through it.
type response struct {
	http.ResponseWriter
	status int
	bytes  int64
	lost   bool   // the connection to the caller failed
	ended  bool   // the answer is complete: what follows is dropped
	body   *paced // of the request
}

func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) WriteHeader(status int) {
	if w.ended {
		return
	}
	if w.status == 0 {
		w.status = status
		if w.body.left() && slices.Contains(hangsUp, status) {
			w.Header().Set("Connection", "close")
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// hangsUp are the statuses of answers that close the connection instead of reading
// the rest of the body. Otherwise the caller would learn only after sending all of it
// that the request is refused.
var hangsUp = []int{http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusInsufficientStorage}

func (w *response) Write(p []byte) (int, error) {
	if w.ended {
		return len(p), nil
	}
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	w.lost = w.lost || err != nil
	return n, err
}

// observe is the outermost layer: it names, times, counts and logs every
// request, and turns a panic into an answer.
func (a *API) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		c := &call{id: requestID(r), operation: "unmatched", log: a.Log}
		c.w.ResponseWriter = w
		ctx, span := a.trace(r.Context(), r)
		c.r = r.WithContext(context.WithValue(auth.With(ctx, &c.principal), callKey{}, c))
		if r.Body != nil && r.Body != http.NoBody {
			c.body = newPaced(r.Body, http.NewResponseController(w), &a.Limits, func() *grant { return a.quotas.memory.of(c.principal) })
			defer c.body.free()
			c.r.Body, c.w.body = c.body, c.body
		}
		w.Header().Set("X-Request-Id", c.id)
		defer func() { //nolint:contextcheck // the call has it
			cut := a.recovered(c, recover())
			took := time.Since(begin)
			status := c.outcome(cut)
			if !c.probe {
				a.metrics.observe(c.operation, status, took)
				a.logCall(c, status, took)
			}
			c.traced(span, status)
			if cut {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(&c.w, c.r)
	})
}

// trace begins the span of a request. Those that only ask whether the process lives
// have none: they come every few seconds.
func (a *API) trace(ctx context.Context, r *http.Request) (context.Context, trace.Span) {
	switch r.URL.Path {
	case "/livez", "/healthz", "/readyz":
		return ctx, trace.Span{}
	}
	return a.Tracer.Receive(ctx, r.Header, trace.Method(r.Method))
}

// traced ends the span of a request. It is named by the operation: the path has ids in
// it, and the query words.
func (c *call) traced(span trace.Span, status int) {
	span.Name(c.operation)
	span.Set(trace.Status(status))
	if status >= http.StatusInternalServerError {
		span.Fail(cmp.Or(codes[status], "internal"))
	}
	span.End(nil)
}

// recovered answers for a handler that panicked with reason, and reports whether the
// connection has to be closed because part of the answer was sent. Handlers also
// abort on purpose for that reason.
func (a *API) recovered(c *call, reason any) (cut bool) {
	switch reason {
	case nil:
		return false
	case http.ErrAbortHandler:
		return true
	}
	c.broken = true
	a.Log.LogAttrs(c.r.Context(), slog.LevelError, "panic", slog.String("request_id", c.id),
		slog.Any("reason", reason), slog.String("stack", string(debug.Stack())))
	if c.w.status != 0 {
		return true
	}
	writeError(&c.w, internal())
	return false
}

// statusHungUp is the status, for metrics and logs, of a request whose caller closed
// the connection before the answer. It is not an error of the service. Proxies use
// the same number.
const statusHungUp = 499

// hungUp reports whether the caller has closed the connection.
func (c *call) hungUp() bool {
	return c.w.lost || errors.Is(c.r.Context().Err(), context.Canceled)
}

// outcome is the status of a request for metrics and logs: the one that was sent,
// unless the caller had gone, or the answer was cut off.
func (c *call) outcome(cut bool) int {
	switch {
	case !c.broken && c.hungUp() && (cut || c.w.status >= http.StatusInternalServerError):
		return statusHungUp
	case cut:
		return http.StatusInternalServerError
	case c.w.status == 0:
		return http.StatusOK // as the server sends where nothing was written
	}
	return c.w.status
}

// logCall logs the request: at level debug if it only read something, because polls
// would drown the rest. The query is left out: it may contain words of a contract.
func (a *API) logCall(c *call, status int, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case status >= http.StatusInternalServerError:
		level = slog.LevelError
	case (status < http.StatusBadRequest || status == statusHungUp) && (c.r.Method == http.MethodGet || c.r.Method == http.MethodHead):
		level = slog.LevelDebug
	}
	if !a.Log.Enabled(c.r.Context(), level) {
		return
	}
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs,
		slog.String("request_id", c.id),
		slog.String("method", c.r.Method),
		slog.String("path", c.r.URL.Path),
		slog.String("operation", c.operation),
		slog.Int("status", status),
		slog.Int64("bytes", c.w.bytes),
		slog.Duration("took", took),
	)
	if c.principal.Kind != auth.Nobody {
		attrs = append(attrs,
			slog.String("team_id", c.principal.TeamID),
			slog.String("user_id", c.principal.UserID),
			slog.String("key_id", c.principal.KeyID))
	}
	a.Log.LogAttrs(c.r.Context(), level, "request", attrs...)
}

// requestID is the caller's own id if it is safe to log, or a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id == "" || len(id) > 64 {
		return rand.Text()
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' && c != '_' && c != '.' {
			return rand.Text()
		}
	}
	return id
}
