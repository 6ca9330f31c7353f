package search

import (
	"context"
	"errors"

	"github.com/clausemill/clausemill/trace"
)

// traced begins the span of a question to an engine. The function that it returns
// ends it: with how much was found, and nothing of what was asked for.
func traced(ctx context.Context, e Engine, name string) (context.Context, func(Summary, error)) {
	ctx, span := trace.Start(ctx, trace.Client, name, trace.Engine(e.Name()))
	return ctx, func(s Summary, err error) {
		switch {
		case errors.Is(err, errFilter), errors.Is(err, errBeyond):
			err = nil // it is no fault of an engine that another one has to answer
		case err == nil:
			span.Set(trace.Found(s.Total, s.Relaxed)...)
		}
		span.End(err)
	}
}
