package llm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/clausemill/clausemill/trace"
)

// TestQuestionsAreSpans asks in a trace: a span has counts, times and a code, and no word
// of the question, of the answer or of the server.
func TestQuestionsAreSpans(t *testing.T) {
	t.Parallel()

	const answered = `{"model":"Quillfeather-7B","choices":[{"message":{"content":"Quillfeather of Ohio"}}],"usage":{"prompt_tokens":41,"completion_tokens":11}}`
	for code, answers := range map[string][]func(w http.ResponseWriter){
		"": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
			func(w http.ResponseWriter) { time.Sleep(5 * time.Millisecond); _, _ = io.WriteString(w, answered) },
		},
		"refused": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "Quillfeather may not")
		}},
		"garbled":   {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "Quillfeather") }},
		"cancelled": {},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			recorder := tracetest.NewSpanRecorder()
			ctx, request := trace.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder))).Receive(t.Context(), http.Header{})
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			asked := 0
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Traceparent") != "" {
					t.Error("the trace is told to the model")
				}
				if code == "cancelled" {
					_, _ = io.Copy(io.Discard, r.Body) // only then a server sees that its client left
					cancel()
					<-r.Context().Done()
					return
				}
				answers[min(asked, len(answers)-1)](w)
				asked++
			})
			_, err := c.Ask(ctx, Request{System: "Answer.", User: "What owes Quillfeather?", MaxTokens: 50}, func(string) error { return nil })
			require.Equal(t, code == "", err == nil, "%v", err)
			request.End(nil)

			ended := recorder.Ended()
			require.Len(t, ended, 2)
			span, has := ended[0], map[string]any{}
			require.NotContains(t, fmt.Sprint(span.Attributes(), span.Events(), span.Status(), span.Links()), "Quillfeather")
			for _, a := range span.Attributes() {
				require.Contains(t, trace.Keys(), string(a.Key))
				has[string(a.Key)] = a.Value.AsInterface()
			}
			require.Equal(t, "ask model", span.Name())
			require.Equal(t, ended[1].SpanContext().SpanID(), span.Parent().SpanID())
			if code != "" {
				require.Equal(t, sdk.Status{Code: codes.Error, Description: code}, span.Status())
				require.Equal(t, code, has["error.type"])
				require.NotContains(t, has, "clausemill.model.first_token_seconds")
				return
			}
			require.Equal(t, codes.Unset, span.Status().Code)
			require.EqualValues(t, 41, has["gen_ai.usage.input_tokens"])
			require.EqualValues(t, 11, has["gen_ai.usage.output_tokens"])
			require.EqualValues(t, 1, has["http.request.resend_count"])
			require.GreaterOrEqual(t, has["clausemill.model.first_token_seconds"], 0.005)
		})
	}
}
