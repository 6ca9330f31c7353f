package main

import (
	"context"

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
	setup.Reap()
	log := w.NewLog(c.err)
	operators, err := w.ListenMetrics(ctx, log)
	if err != nil {
		return err
	}
	defer operators.Close() // again, where the server has closed it
	rooms, err := setup.Open(ctx, w.Config, log)
	if err != nil {
		return err
	}
	defer rooms.Close()
	if err := rooms.Trace(ctx, "clausemill-worker"); err != nil {
		return exit{err, exitUsage}
	}
	slots, err := w.Slots(w.Queues, log)
	if err != nil {
		return exit{err, exitUsage}
	}
	boundMemory(workerMemory + int64(slots[jobs.QueueText])*textMemory)
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return rooms.Work(ctx, slots, setup.Again) })
	all.Go(func() error { return rooms.ServeMetrics(ctx, operators) })
	return all.Wait()
}
