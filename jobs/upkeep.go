package jobs

import "github.com/riverqueue/river"

// SweepBlobs asks for stored bytes that no file refers to to be removed: what
// an upload leaves behind that was cut off before its row was written.
type SweepBlobs struct{}

// Kind is written in the database and never changes.
func (SweepBlobs) Kind() string { return "sweep_blobs" }

// InsertOpts uses the queue of chores.
func (SweepBlobs) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }

// EmptyTrash asks for what has been in the trash for long enough to be purged.
type EmptyTrash struct{}

// Kind is written in the database and never changes.
func (EmptyTrash) Kind() string { return "empty_trash" }

// InsertOpts lets whatever somebody asked for go first.
func (EmptyTrash) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueUpkeep, Priority: afterAll}
}

// ReconcileIndex asks for differences between the database and the search
// engine to be found and healed.
type ReconcileIndex struct {
	Full bool `json:"full,omitempty"` // compare everything, not only what is known to wait
}

// Kind is written in the database and never changes.
func (ReconcileIndex) Kind() string { return "reconcile_index" }

// InsertOpts uses the queue of the search engine.
func (ReconcileIndex) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueIndex} }

// ResumeFiles asks for files that no job goes on with to be begun anew.
type ResumeFiles struct{}

// Kind is written in the database and never changes.
func (ResumeFiles) Kind() string { return "resume_files" }

// InsertOpts uses the queue of chores.
func (ResumeFiles) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }

// FoldChanges asks for changes of vocabularies and counts to be folded that a worker left
// when it was killed.
type FoldChanges struct{}

// Kind is written in the database and never changes.
func (FoldChanges) Kind() string { return "fold_changes" }

// InsertOpts uses the queue of chores.
func (FoldChanges) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }

// PlanNearest finds teams whose index of nearest sentences is due.
type PlanNearest struct{}

// Kind is written in the database and never changes.
func (PlanNearest) Kind() string { return "plan_nearest" }

// InsertOpts uses the queue of chores.
func (PlanNearest) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }

// BuildNearest builds the index by which the nearest sentences of a team are found.
type BuildNearest struct {
	TeamID string `json:"team_id"`
}

// Kind is written in the database and never changes.
func (BuildNearest) Kind() string { return "build_nearest" }

// InsertOpts lets other chores go first. A team has one at a time.
func (BuildNearest) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueUpkeep, Priority: afterAll, UniqueOpts: Meanwhile}
}

// Prune asks for what has outlived its use to be forgotten.
type Prune struct{}

// Kind is written in the database and never changes.
func (Prune) Kind() string { return "prune" }

// InsertOpts uses the queue of chores.
func (Prune) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }
