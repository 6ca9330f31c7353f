package llm

import (
	"context"
	"errors"
	"time"

	"github.com/clausemill/clausemill/trace"
)

// stopwatch measures what a trace has of an answer.
type stopwatch struct {
	began time.Time
	heard time.Duration // when the first piece came; 0 where none did
	tries int
}

// first notes when the first piece comes, and hands on all.
func (s *stopwatch) first(hear func(piece string) error) func(piece string) error {
	return func(piece string) error {
		if s.heard == 0 {
			s.heard = time.Since(s.began)
		}
		return hear(piece)
	}
}

// tell says what came of a question: counts and times, and the reason where there is no
// answer. What was asked and answered are words of contracts, and the name of the model
// that answered is text of its server.
func (s *stopwatch) tell(span trace.Span, reply Reply, err error) {
	if s.tries > 0 { // the model was not left alone
		span.Set(trace.Tokens(reply.PromptTokens, reply.CompletionTokens)...)
		span.Set(trace.Resent(s.tries - 1))
	}
	if s.heard > 0 {
		span.Set(trace.FirstToken(s.heard))
	}
	if err != nil {
		span.Fail(cause(err))
	}
}

// cause is the code of an error: of Reasons, or of whoever ended the answer.
func cause(err error) string {
	for code, reason := range Reasons() {
		if errors.Is(err, reason) {
			return code
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "slow" // for the caller
	}
	return trace.Cause(err)
}
