package setup

import (
	"context"
	"errors"
	"os/signal"
	"syscall"
)

// ErrInterrupted is why a context of Interruptible ended.
var ErrInterrupted = errors.New("interrupted")

// Interruptible returns a context that ends at the first SIGINT or SIGTERM, for
// an orderly end. A second one ends the process on the spot; whatever it
// started ends with it.
func Interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	signalled, stop := signal.NotifyContext(parent, syscall.SIGINT, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(parent)
	context.AfterFunc(signalled, func() {
		stop() // back to the default, which is to die
		cancel(ErrInterrupted)
	})
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
