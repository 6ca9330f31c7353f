package main

import (
	"context"

	"github.com/clausemill/clausemill/document"
)

// reader is the child process that opens foreign files, so that a file which
// breaks its reader breaks nothing else.
type reader struct{}

// Run answers a worker on standard input and output.
func (reader) Run(ctx context.Context) error { return document.Serve(ctx) }
