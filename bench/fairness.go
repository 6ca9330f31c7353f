package bench

import (
	"slices"
	"time"
)

// fairness compares what teams get of the slots of the fair queue.
type fairness struct {
	teams   map[string]*share
	waiting int // jobs that have not begun
	since   time.Duration
	indices []float64
}

// share is what one team has of them.
type share struct {
	waiting, running int
	settled          time.Duration // until when got is counted
	got              time.Duration // in this window
	throughout       bool          // it had work waiting since the window began
}

func newFairness() fairness { return fairness{teams: map[string]*share{}} }

// wait counts a job that begins to wait.
func (f *fairness) wait(team string) {
	if f.teams[team] == nil {
		f.teams[team] = &share{}
	}
	f.teams[team].waiting++
	f.waiting++
}

// begin counts a job that no longer waits, but runs.
func (f *fairness) begin(team string, at time.Duration) {
	s := f.teams[team]
	s.settle(f.since, at)
	s.waiting--
	s.running++
	f.waiting--
	if s.waiting == 0 {
		s.throughout = false
	}
}

// end counts a job that no longer runs.
func (f *fairness) end(team string, at time.Duration) {
	s := f.teams[team]
	s.settle(f.since, at)
	if s.running--; s.running == 0 && s.waiting == 0 {
		delete(f.teams, team)
	}
}

func (s *share) settle(since, at time.Duration) {
	s.got += time.Duration(s.running) * (at - max(s.settled, since))
	s.settled = at
}

// compare ends a window: Jain's index of what those teams got that had work waiting
// in all of it. It is 1 where all got the same, and 1/n where one of n got all.
func (f *fairness) compare(at time.Duration) {
	var n, sum, squares float64
	for _, s := range f.teams {
		s.settle(f.since, at)
		if s.throughout {
			got := s.got.Seconds()
			n, sum, squares = n+1, sum+got, squares+got*got
		}
		s.got, s.throughout = 0, s.waiting > 0
	}
	f.since = at
	if n >= fewestServed && squares > 0 {
		f.indices = append(f.indices, sum*sum/(n*squares))
	}
}

// result is the mean and the least of the windows' indices, and how many there are.
func (f *fairness) result() (mean, worst float64, windows int) {
	if len(f.indices) == 0 {
		return 1, 1, 0
	}
	for _, index := range f.indices {
		mean += index / float64(len(f.indices))
	}
	return mean, slices.Min(f.indices), len(f.indices)
}
