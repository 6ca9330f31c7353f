package api

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// paced is the body of a request, which is read for as long as it keeps coming.
// What waits for the caller is counted and nothing else: that we are busy is not
// his fault.
type paced struct {
	body     io.ReadCloser
	control  *http.ResponseController
	patience time.Duration // in which least has to come
	least    int64         // bytes

	come     int64         // of least, since when
	waited   time.Duration // for it
	deadline time.Time     // as it is set
	end      time.Time     // of the whole body; zero for none

	total  int64
	memory func() *grant // nil where the body is not held
	held   *grant

	ended   bool
	failure error // of the body, to be answered with
}

// freeBody is what of each body costs no memory that is worth to be counted.
const freeBody = 64 << 10

// bodyMemory is how many times its size a body takes that is held whole: as it
// grows, as the parts of an object, and as what is in them.
const bodyMemory = 4

func newPaced(body io.ReadCloser, control *http.ResponseController, l *Limits, memory func() *grant) *paced {
	b := &paced{
		body: body, control: control, patience: l.BodyPatience, least: int64(l.BodyPatience.Seconds() * float64(l.BodyPace)),
		memory: memory,
	}
	_ = control.SetReadDeadline(time.Now().Add(b.patience)) // for what the server reads of a body that nobody wanted
	return b
}

// Read reads what has come. It fails where too little came for too long.
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

// until sets a deadline, unless about that is set.
func (b *paced) until(deadline time.Time) {
	if !b.end.IsZero() && deadline.After(b.end) {
		deadline = b.end
	}
	if slack := b.patience / 30; deadline.Sub(b.deadline).Abs() > slack {
		b.deadline = deadline
		_ = b.control.SetReadDeadline(deadline) // where there is no connection there is no deadline
	}
}

// hold counts the memory that the body takes by now.
func (b *paced) hold() error {
	if b.memory == nil || b.total <= freeBody {
		return nil
	}
	if b.held == nil {
		b.held = b.memory()
	}
	const step = 1 << 20 // so that not each read counts
	if missing := bodyMemory*b.total - b.held.n; missing > 0 {
		return b.held.more(missing + step)
	}
	return nil
}

// streamed says that the body is not held.
func (b *paced) streamed() {
	if b != nil {
		b.memory = nil
	}
}

// within bounds the time that the body takes altogether.
func (b *paced) within(d time.Duration) {
	if b != nil {
		b.end = time.Now().Add(d)
	}
}

// broken is why the body could not be read to its end, or nil.
func (b *paced) broken() error {
	if b == nil {
		return nil
	}
	return b.failure
}

// left reports whether there is more to be read.
func (b *paced) left() bool { return b != nil && !b.ended }

// Close closes the body.
func (b *paced) Close() error { return b.body.Close() }

// free gives back the memory that was counted.
func (b *paced) free() {
	if b.held != nil {
		b.held.release()
	}
}
