package api

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// paced is the body of a request, which is read as long as it arrives fast enough. Only
// the time in which the service waits for the caller counts, not that in which it is
// busy itself.
type paced struct {
	body     io.ReadCloser
	control  *http.ResponseController
	patience time.Duration // in which least has to arrive
	least    int64         // bytes

	come     int64         // bytes of least that have arrived
	waited   time.Duration // for them
	deadline time.Time     // that is set
	end      time.Time     // of the whole body; zero for none

	total  int64
	memory func() *grant // nil if the body is streamed
	held   *grant

	ended   bool
	failure error // of the body, for the answer
}

// freeBody is the size up to which the memory of a body is not counted.
const freeBody = 64 << 10

// bodyMemory is the memory of a body that is read completely, relative to its size: for
// its growing buffer, the parts of its object, and their decoded contents.
const bodyMemory = 4

func newPaced(body io.ReadCloser, control *http.ResponseController, l *Limits, memory func() *grant) *paced {
	b := &paced{
		body: body, control: control, patience: l.BodyPatience, least: int64(l.BodyPatience.Seconds() * float64(l.BodyPace)),
		memory: memory,
	}
	_ = control.SetReadDeadline(time.Now().Add(b.patience)) // for what the server reads of a body that nobody wanted
	return b
}

// Read reads available bytes. It fails if the body is too slow.
func (b *paced) Read(p []byte) (int, error) {
	began := time.Now()
	b.until(began.Add(b.patience - b.waited))
	n, err := b.body.Read(p)
	b.waited += time.Since(began)
	if b.come += int64(n); b.come >= b.least {
		b.come, b.waited = 0, 0
	}
	b.total += int64(n)
	switch {
	case err == nil:
		err = b.hold()
		b.failure = err
	case errors.Is(err, io.EOF):
		b.ended = true
		_ = b.control.SetReadDeadline(time.Time{}) // from now on the server listens for the caller to go
	default:
		b.failure = fault.Wrap(fault.Malformed, "the body ends early", err)
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			b.failure = newError(http.StatusRequestTimeout, "the body stopped or arrived too slowly; send at least 1 KiB a second")
		}
	}
	return n, err
}

// until sets a deadline, unless nearly the same is set already.
func (b *paced) until(deadline time.Time) {
	if !b.end.IsZero() && deadline.After(b.end) {
		deadline = b.end
	}
	if slack := b.patience / 30; deadline.Sub(b.deadline).Abs() > slack {
		b.deadline = deadline
		_ = b.control.SetReadDeadline(deadline) // where there is no connection there is no deadline
	}
}

// hold counts the memory that the body uses now.
func (b *paced) hold() error {
	if b.memory == nil || b.total <= freeBody {
		return nil
	}
	if b.held == nil {
		b.held = b.memory()
	}
	const step = 1 << 20 // so that not every read takes the lock
	if missing := bodyMemory*b.total - b.held.n; missing > 0 {
		return b.held.more(missing + step)
	}
	return nil
}

// streamed marks the body as one that is not kept in memory.
func (b *paced) streamed() {
	if b != nil {
		b.memory = nil
	}
}

// within limits the total time of the body.
func (b *paced) within(d time.Duration) {
	if b != nil {
		b.end = time.Now().Add(d)
	}
}

// broken is the reason why the body could not be read completely, or nil.
func (b *paced) broken() error {
	if b == nil {
		return nil
	}
	return b.failure
}

// left reports whether there is more to read.
func (b *paced) left() bool { return b != nil && !b.ended }

// Close closes the body.
func (b *paced) Close() error { return b.body.Close() }

// free releases the memory that was counted.
func (b *paced) free() {
	if b.held != nil {
		b.held.release()
	}
}
