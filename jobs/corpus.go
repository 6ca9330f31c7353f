package jobs

import "github.com/riverqueue/river"

// PlanAnalyses finds document types whose corpus has changed, and is stable
// since.
type PlanAnalyses struct{}

// Kind is written in the database and never changes.
func (PlanAnalyses) Kind() string { return "plan_analyses" }

// InsertOpts uses the queue of chores.
func (PlanAnalyses) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }

// AnalyzeCorpus computes the analysis of a document type over all its files:
// requested by an operation, or found due by PlanAnalyses.
type AnalyzeCorpus struct {
	OperationID    string `json:"operation_id,omitempty"`
	TeamID         string `json:"team_id"`
	DocumentTypeID string `json:"document_type_id"`
	Version        int    `json:"version,omitempty"`
}

// Planned reports whether PlanAnalyses created the job, and no user.
func (j AnalyzeCorpus) Planned() bool { return j.OperationID == "" }

// Kind is written in the database and never changes.
func (AnalyzeCorpus) Kind() string { return "analyze_corpus" }

// InsertOpts ranks behind files in work. A planned analysis goes through the fair
// scheduler.
func (j AnalyzeCorpus) InsertOpts() river.InsertOpts {
	if j.Planned() {
		return river.InsertOpts{Queue: QueueText, Priority: beginLater, Pending: true, UniqueOpts: once}
	}
	return river.InsertOpts{Queue: QueueTextNow, Priority: beginLater, UniqueOpts: once}
}
