package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"syscall"
)

// Listen opens an address, which the setting called variable names.
func Listen(ctx context.Context, variable, address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("another program listens on %s: end it, or set %s to another address (%w)", address, variable, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be listened on: %w", variable, err)
	}
	return l, nil
}

// DefaultMetricsAddr is where a process answers its operators that was not told.
const DefaultMetricsAddr = "127.0.0.1:9090"

// ListenMetrics opens MetricsAddr. Where that is not set, several processes may
// share a machine: those that come later take any free port of it.
func (c Config) ListenMetrics(ctx context.Context, log *slog.Logger) (net.Listener, error) {
	address := c.MetricsAddr
	if address == "" {
		address = DefaultMetricsAddr
	}
	l, err := Listen(ctx, "CLAUSEMILL_METRICS_ADDR", address)
	if c.MetricsAddr == "" && errors.Is(err, syscall.EADDRINUSE) {
		l, err = Listen(ctx, "CLAUSEMILL_METRICS_ADDR", "127.0.0.1:0")
	}
	if err == nil {
		log.InfoContext(ctx, "metrics and health", slog.String("address", l.Addr().String()))
	}
	return l, err
}
