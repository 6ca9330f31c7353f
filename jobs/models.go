package jobs

import (
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// PlanTraining asks for teams to be found that have decided enough for a new
// model.
type PlanTraining struct{}

// Kind is written in the database and never changes.
func (PlanTraining) Kind() string { return "plan_training" }

// InsertOpts uses the queue of chores.
func (PlanTraining) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }

// TrainModel asks for a model of what a team has decided.
type TrainModel struct {
	TeamID    string `json:"team_id"`
	Version   int    `json:"version"`             // that the model gets
	Withdrawn bool   `json:"withdrawn,omitempty"` // no decision stands: the base model takes over
}

// Kind is written in the database and never changes.
func (TrainModel) Kind() string { return "train_model" }

// InsertOpts lets files go first. A training that came to nothing counts as
// made for as long as it is remembered, or every plan would ask for it again.
func (TrainModel) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		Queue: QueueText, Priority: beginLater,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: rivertype.JobStates()},
	}
}

// RelabelFiles asks for what another model has labelled to be labelled by the
// active one, or for certain files to be: some files, and then the next.
type RelabelFiles struct {
	OperationID string   `json:"operation_id"`
	TeamID      string   `json:"team_id"`
	ModelID     string   `json:"model_id"`
	After       string   `json:"after,omitempty"`    // the last file that was done
	FileIDs     []string `json:"file_ids,omitempty"` // only these, whatever has labelled them
}

// Kind is written in the database and never changes.
func (RelabelFiles) Kind() string { return "relabel_files" }

// InsertOpts lets files go first.
func (RelabelFiles) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueText, Priority: beginLater, UniqueOpts: once}
}

// TrainTypes asks for a model of the types that a team has assigned.
type TrainTypes struct {
	TeamID  string `json:"team_id"`
	Version int    `json:"version"` // that the model gets
}

// Kind is written in the database and never changes.
func (TrainTypes) Kind() string { return "train_types" }

// InsertOpts lets files go first.
func (TrainTypes) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueText, Priority: beginLater, UniqueOpts: once}
}
