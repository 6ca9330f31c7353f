package jobs

import "github.com/riverqueue/river"

// PlanAnalyses asks for document types to be found whose corpora have changed
// and settled.
type PlanAnalyses struct{}

// Kind is written in the database and never changes.
func (PlanAnalyses) Kind() string { return "plan_analyses" }

// InsertOpts uses the queue of chores.
func (PlanAnalyses) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }

// AnalyzeCorpus asks for what the files of a document type say together: for an
// operation, or else for the version of the analysis that a plan found due.
type AnalyzeCorpus struct {
	OperationID    string `json:"operation_id,omitempty"`
	TeamID         string `json:"team_id"`
	DocumentTypeID string `json:"document_type_id"`
	Version        int    `json:"version,omitempty"`
}

// Planned reports whether nobody has asked for the analysis.
func (j AnalyzeCorpus) Planned() bool { return j.OperationID == "" }

// Kind is written in the database and never changes.
func (AnalyzeCorpus) Kind() string { return "analyze_corpus" }

// InsertOpts lets what has begun go first. What was planned waits for its team's
// turn.
func (j AnalyzeCorpus) InsertOpts() river.InsertOpts {
	if j.Planned() {
		return river.InsertOpts{Queue: QueueText, Priority: beginLater, Pending: true, UniqueOpts: once}
	}
	return river.InsertOpts{Queue: QueueTextNow, Priority: beginLater, UniqueOpts: once}
}
