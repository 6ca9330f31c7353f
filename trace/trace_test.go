package trace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/trace"
)

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent       = "00-" + callersTrace + "-00f067aa0ba902b7-01"
)

func recording(t *testing.T, sampler sdk.Sampler) (*trace.Tracer, *tracetest.SpanRecorder) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	return trace.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder), sdk.WithSampler(sampler))), recorder
}

// TestWithoutTracerNothingHappens holds what every request pays where there are no
// traces: nothing is allocated, and the context stays the same.
func TestWithoutTracerNothingHappens(t *testing.T) { //nolint:paralleltest // allocations are counted over all goroutines
	var off *trace.Tracer
	require.Nil(t, trace.New(nil))
	ctx, header := t.Context(), http.Header{"Traceparent": {parent}}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		got, span := off.Receive(ctx, header)
		span.Name("uploadFile")
		span.Fail("internal")
		span.End(nil)
		child, step := trace.Start(got, trace.Internal, "reader extract")
		step.End(context.Canceled)
		if child != ctx || trace.On(child) || trace.Metadata(child) != nil {
			t.Error("a trace began")
		}
	}))
	worked, span := off.Resume(ctx, []byte(`{"traceparent":"`+parent+`"}`), "work receive_file")
	span.Set(trace.Outcome("done"))
	span.End(nil)
	require.Equal(t, ctx, worked)
	sent := http.Header{}
	trace.Send(worked, sent)
	require.Empty(t, sent)
}

func TestTraceGoesOnInJobs(t *testing.T) {
	t.Parallel()

	tracer, recorder := recording(t, sdk.ParentBased(sdk.AlwaysSample()))
	ctx, request := tracer.Receive(t.Context(), http.Header{"Traceparent": {parent}, "Tracestate": {"vendor=opaque"}}, trace.Method("BREW"))
	inserting, insert := trace.Start(ctx, trace.Producer, "insert receive_file", trace.Jobs(1))
	metadata := trace.Metadata(inserting)
	require.Contains(t, string(metadata), "vendor=opaque")
	working, work := tracer.Resume(t.Context(), metadata, "work receive_file", trace.Waited(-time.Second))
	sent := http.Header{}
	trace.Send(working, sent)
	require.Regexp(t, "^00-"+callersTrace+"-[0-9a-f]{16}-01$", sent.Get("traceparent"))
	require.Empty(t, sent.Get("tracestate"), "it is of those who record this trace")
	work.End(fault.File(fault.OCRTimeout, "Acme took too long", errors.New("Acme")))
	insert.End(nil)
	request.Name("uploadFile")
	request.End(nil)

	ended := recorder.Ended()
	require.Len(t, ended, 3)
	require.Equal(t, ended[1].SpanContext().SpanID(), ended[0].Parent().SpanID())
	require.Equal(t, ended[2].SpanContext().SpanID(), ended[1].Parent().SpanID())
	require.Equal(t, "00f067aa0ba902b7", ended[2].Parent().SpanID().String())
	require.Equal(t, sdk.Status{Code: codes.Error, Description: "ocr_timeout"}, ended[0].Status())
	require.Equal(t, "_OTHER", ended[2].Attributes()[0].Value.AsString())
	for _, span := range ended {
		require.Equal(t, callersTrace, span.SpanContext().TraceID().String())
		require.NotContains(t, fmt.Sprint(span.Attributes(), span.Events(), span.Status()), "Acme")
	}
}

// TestForeignTraceContext takes whatever callers and the database may have for a trace.
func TestForeignTraceContext(t *testing.T) {
	t.Parallel()

	tracer, _ := recording(t, sdk.ParentBased(sdk.AlwaysSample()))
	for _, name := range []string{"", "x", "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", strings.Repeat("9", 1<<16)} {
		ctx, _ := tracer.Receive(t.Context(), http.Header{"Traceparent": {name}, "Tracestate": {"vendor=opaque"}})
		require.True(t, trace.On(ctx))
		require.NotContains(t, string(trace.Metadata(ctx)), "opaque", "of another trace")
	}
	for _, metadata := range []string{"", "{}", "null", "[]", `{"traceparent":7}`, `{"traceparent":"x"}`} {
		ctx, span := tracer.Resume(t.Context(), []byte(metadata), "work prune")
		require.True(t, trace.On(ctx), metadata)
		span.End(nil)
	}
	ctx, _ := tracer.Receive(t.Context(), http.Header{"Traceparent": {parent}, "Tracestate": {"a=" + strings.Repeat("x", 255) + ",b=" + strings.Repeat("y", 255)}})
	require.Contains(t, string(trace.Metadata(ctx)), callersTrace)
	require.NotContains(t, string(trace.Metadata(ctx)), "tracestate", "too long to be kept beside each job")
}

// TestUnsampledTraceStaysSo holds that what a caller does not record is not recorded in
// pieces either.
func TestUnsampledTraceStaysSo(t *testing.T) {
	t.Parallel()

	tracer, recorder := recording(t, sdk.ParentBased(sdk.AlwaysSample()))
	ctx, span := tracer.Receive(t.Context(), http.Header{"Traceparent": {strings.TrimSuffix(parent, "01") + "00"}})
	metadata := trace.Metadata(ctx)
	_, work := tracer.Resume(t.Context(), metadata, "work receive_file")
	work.End(nil)
	span.End(nil)
	require.Contains(t, string(metadata), callersTrace)
	require.Empty(t, recorder.Ended())
}

func TestCauses(t *testing.T) {
	t.Parallel()

	for kind := fault.Internal; kind <= fault.NoSpace; kind++ {
		require.NotEmpty(t, trace.Cause(fault.New(kind, "x")), "kind %d", kind)
	}
	require.Equal(t, "internal", trace.Cause(errors.New("x")))
	require.Equal(t, "cancelled", trace.Cause(fmt.Errorf("read: %w", context.Canceled)))
	require.Equal(t, "unavailable", trace.Cause(context.DeadlineExceeded))
	require.Equal(t, "bytes_lost", trace.Cause(fault.File(fault.BytesLost, "x", nil)))
}

func TestLogLinesNameTheirTrace(t *testing.T) {
	t.Parallel()

	tracer, _ := recording(t, sdk.AlwaysSample())
	var lines bytes.Buffer
	log := slog.New(trace.Log(slog.NewTextHandler(&lines, nil))).With(slog.String("worker", "w"))
	ctx, _ := tracer.Receive(t.Context(), http.Header{"Traceparent": {parent}})
	log.InfoContext(ctx, "in")
	log.InfoContext(t.Context(), "out")
	in, out, _ := strings.Cut(lines.String(), "\n")
	require.Contains(t, in, "worker=w trace_id="+callersTrace)
	require.NotContains(t, out, "trace_id")
}

func BenchmarkOff(b *testing.B) {
	ctx := b.Context()
	for b.Loop() {
		_, span := trace.Start(ctx, trace.Internal, "reader extract", trace.Page(1), trace.Pages(32))
		span.End(nil)
	}
}

func BenchmarkOn(b *testing.B) {
	tracer := trace.New(sdk.NewTracerProvider())
	ctx, _ := tracer.Receive(b.Context(), http.Header{})
	for b.Loop() {
		_, span := trace.Start(ctx, trace.Internal, "reader extract", trace.Page(1), trace.Pages(32))
		span.End(nil)
	}
}
