package main

import (
	"context"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/cmd/internal/setup"
)

// serve runs the API.
type serve struct {
	setup.Config `embed:"" group:"Settings:"`
}

// Run answers until ctx ends and load balancers have seen that it does, and then
// finishes what has begun.
func (s *serve) Run(ctx context.Context, c console) error {
	if _, err := s.SignIn(); err != nil {
		return exit{err, exitUsage}
	}
	boundMemory(apiMemory)
	log := s.NewLog(c.err)
	listener, err := setup.Listen(ctx, "CLAUSEMILL_ADDR", s.Addr)
	if err != nil {
		return err
	}
	defer listener.Close() // again, where the server has closed it
	operators, err := s.ListenMetrics(ctx, log)
	if err != nil {
		return err
	}
	defer operators.Close()
	rooms, err := setup.Open(ctx, s.Config, log)
	if err != nil {
		return err
	}
	defer rooms.Close()
	if err := rooms.Trace(ctx, "clausemill-api"); err != nil {
		return exit{err, exitUsage}
	}
	log.InfoContext(ctx, "listening", slog.String("address", listener.Addr().String()))
	ctx, cancel := rooms.Drain(ctx)
	defer cancel()
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return rooms.Serve(ctx, listener, nil) })
	all.Go(func() error { return rooms.ServeMetrics(ctx, operators) })
	return all.Wait()
}
