package main

import (
	"context"
	"math"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/jobs"
)

// work runs a worker.
type work struct {
	setup.Config `embed:"" group:"Settings:"`

	Queues map[string]int `placeholder:"QUEUE=SLOTS" help:"Work only these queues, with so many jobs at once: --queues ocr=4 on a machine for scans, --queues text=8 on one for everything else."`
}

// Run works until ctx ends, and then finishes what has begun.
func (w *work) Run(ctx context.Context, c console) error {
	rooms, err := setup.Open(ctx, w.Config, w.NewLog(c.err))
	if err != nil {
		return err
	}
	defer rooms.Close()
	slots, err := w.Slots(w.Queues)
	if err != nil {
		return exit{err, exitUsage}
	}
	boundMemory(slots[jobs.QueueText])
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return rooms.Work(ctx, slots) })
	all.Go(func() error { return rooms.ServeMetrics(ctx) })
	return all.Wait()
}

// The memory that a worker needs for itself, and for each text at once: a text
// of thousands of pages takes much of it for a second.
const (
	ownMemory  = 180 << 20
	textMemory = 30 << 20
)

// boundMemory has the collector work harder rather than let a worker grow
// beyond what its jobs need. GOMEMLIMIT in the environment says otherwise.
func boundMemory(texts int) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(ownMemory + int64(texts)*textMemory)
	}
}
