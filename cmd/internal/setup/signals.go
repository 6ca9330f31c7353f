package setup

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// ErrInterrupted is why a context of Interruptible ended.
var ErrInterrupted = errors.New("interrupted")

// Interruptible returns a context that ends at the first SIGINT or SIGTERM, for
// an orderly end. A second one ends the process on the spot; whatever it
// started ends with it.
func Interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	// Before it starts the first program, or finds the first process, Go tries
	// pidfds with a child that shares its memory and still has its signal
	// handlers (os.checkPidfd). A Ctrl-C that reaches that child too counts
	// twice, or ends this process with "morestack on gsignal". Done here, it
	// happens while a signal still means to end at once.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Release()
	}
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
