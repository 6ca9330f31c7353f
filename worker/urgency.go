package worker

import (
	"sync/atomic"
	"time"
)

// Urgency counts the jobs in work that somebody waits for.
type Urgency struct {
	jobs  atomic.Int32
	ended atomic.Int64 // when the last one did, in nanoseconds since 1970
}

// betweenSteps is how long the next step of a file may be under way to a worker,
// while it counts as being in work.
const betweenSteps = 50 * time.Millisecond

// Jobs is how many there are.
func (u *Urgency) Jobs() int {
	n := int(u.jobs.Load())
	if n == 0 && time.Since(time.Unix(0, u.ended.Load())) < betweenSteps {
		return 1
	}
	return n
}

// begin counts a job until the function that it returns is called.
func (u *Urgency) begin() (end func()) {
	u.jobs.Add(1)
	return func() {
		u.ended.Store(time.Now().UnixNano())
		u.jobs.Add(-1)
	}
}
