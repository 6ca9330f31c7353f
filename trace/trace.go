package trace

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	otel "go.opentelemetry.io/otel/trace"

	"github.com/clausemill/clausemill/fault"
)

// scope names what records the spans.
const scope = "github.com/clausemill/clausemill"

// maxState bounds the tracestate that is kept: the length that the W3C has everybody
// pass on. It is the caller's, and is written beside each job.
const maxState = 512

// Tracer begins traces. A nil Tracer begins none.
type Tracer struct{ tracer otel.Tracer }

// New is a Tracer whose spans provider records; nil where that is nil.
func New(provider otel.TracerProvider) *Tracer {
	if provider == nil {
		return nil
	}
	return &Tracer{provider.Tracer(scope)}
}

// Receive begins the span of a request, in the trace that its headers name, or in a
// new one.
func (t *Tracer) Receive(ctx context.Context, header http.Header, attrs ...Attr) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.begin(ctx, propagation.HeaderCarrier(header), otel.SpanKindServer, "request", attrs)
}

// Resume begins the span of a job, in the trace that its metadata names, or in a new
// one.
func (t *Tracer) Resume(ctx context.Context, metadata []byte, name string, attrs ...Attr) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	var from carrier
	_ = json.Unmarshal(metadata, &from) // a job without a trace begins one
	return t.begin(ctx, &from, otel.SpanKindConsumer, name, attrs)
}

func (t *Tracer) begin(ctx context.Context, from propagation.TextMapCarrier, kind otel.SpanKind, name string, attrs []Attr) (context.Context, Span) {
	if len(from.Get(stateField)) > maxState {
		from = &carrier{Parent: from.Get(parentField)}
	}
	ctx = propagation.TraceContext{}.Extract(ctx, from)
	ctx, span := t.tracer.Start(ctx, name, otel.WithSpanKind(kind), otel.WithAttributes(attrs...))
	return ctx, Span{span}
}

// The ways in which a span is related to others.
const (
	Internal = otel.SpanKindInternal // work of this process, and its children
	Producer = otel.SpanKindProducer // brings what others work later
	Client   = otel.SpanKindClient   // asks another service
)

// Start begins a span in the trace of ctx. Without a trace it does nothing.
func Start(ctx context.Context, kind otel.SpanKind, name string, attrs ...Attr) (context.Context, Span) {
	parent := otel.SpanFromContext(ctx)
	if !parent.SpanContext().IsValid() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name, otel.WithSpanKind(kind), otel.WithAttributes(attrs...))
	return ctx, Span{span}
}

// Past records what has happened in the trace of ctx since began, and how it ended. It is
// for what is worth a span only if it took long. Name is not made where there is no trace.
func Past(ctx context.Context, kind otel.SpanKind, began time.Time, err error, name func() string, attrs ...Attr) {
	if !Recorded(ctx) {
		return
	}
	_, span := otel.SpanFromContext(ctx).TracerProvider().Tracer(scope).Start(ctx, name(),
		otel.WithSpanKind(kind), otel.WithTimestamp(began), otel.WithAttributes(attrs...))
	Span{span}.End(err)
}

// Recorded reports whether ctx is part of a trace whose spans are recorded.
func Recorded(ctx context.Context) bool { return otel.SpanFromContext(ctx).IsRecording() }

// On reports whether ctx is part of a trace.
func On(ctx context.Context) bool { return otel.SpanContextFromContext(ctx).IsValid() }

// The names of what a trace is passed on by, in headers and in metadata of jobs.
const (
	parentField = "traceparent"
	stateField  = "tracestate"
)

// carrier is the metadata of a job, as far as it is of a trace.
type carrier struct {
	Parent string `json:"traceparent"`
	State  string `json:"tracestate,omitempty"`
}

func (c *carrier) Get(key string) string {
	switch key {
	case parentField:
		return c.Parent
	case stateField:
		return c.State
	}
	return ""
}

func (c *carrier) Set(key, value string) {
	switch key {
	case parentField:
		c.Parent = value
	case stateField:
		c.State = value
	}
}

// Keys is what the interface of carriers wants.
func (c *carrier) Keys() []string { return []string{parentField, stateField} }

// Metadata is what a job keeps for Resume, as JSON; nil where ctx has no trace.
func Metadata(ctx context.Context) []byte {
	if !On(ctx) {
		return nil
	}
	var c carrier
	propagation.TraceContext{}.Inject(ctx, &c)
	text, _ := json.Marshal(c) // two strings
	return text
}

// Send puts the trace of ctx into the headers of a request to somebody else. The
// tracestate stays here: it is for those who record this trace.
func Send(ctx context.Context, header http.Header) {
	var c carrier
	propagation.TraceContext{}.Inject(ctx, &c)
	if c.Parent != "" {
		header.Set(parentField, c.Parent)
	}
}

// Span is one step of a trace. The zero Span records nothing.
type Span struct{ span otel.Span }

// Set adds attributes.
func (s Span) Set(attrs ...Attr) {
	if s.span != nil {
		s.span.SetAttributes(attrs...)
	}
}

// Name replaces the name, once it is known.
func (s Span) Name(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// Fail marks the span as failed, with a code from a closed set.
func (s Span) Fail(code string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, code)
		s.span.SetAttributes(errorKey.String(code))
	}
}

// End ends the span. With an error it has failed, by the code of that error.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	if err != nil {
		s.Fail(Cause(err))
	}
	s.span.End()
}

// Cause is the code of an error: that of a failed file where it has one, or else
// that of its kind. The text of an error may quote a contract.
func Cause(err error) string {
	if code := fault.CodeOf(err); code != fault.InternalCode {
		return string(code)
	}
	if errors.Is(err, context.Canceled) {
		return "cancelled"
	}
	return kinds[fault.KindOf(err)]
}

// kinds are the codes that the API answers with, by kind.
var kinds = map[fault.Kind]string{
	fault.Internal:    "internal",
	fault.Malformed:   "malformed",
	fault.Invalid:     "invalid",
	fault.Anonymous:   "unauthenticated",
	fault.Forbidden:   "forbidden",
	fault.NotFound:    "not_found",
	fault.Conflict:    "conflict",
	fault.TooLarge:    "too_large",
	fault.Unsupported: "unsupported_type",
	fault.RateLimited: "rate_limited",
	fault.Unavailable: "unavailable",
	fault.NoSpace:     "insufficient_storage",
}
