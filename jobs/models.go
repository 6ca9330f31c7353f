package jobs

import (
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// PlanTraining finds teams with enough new labels to train a new model.
type PlanTraining struct{}

// Kind is written in the database and never changes.
func (PlanTraining) Kind() string { return "plan_training" }

// InsertOpts uses the queue of chores.
func (PlanTraining) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }

// TrainModel trains a model on the labels that a team has set.
type TrainModel struct {
	TeamID    string `json:"team_id"`
	Version   int    `json:"version"`             // that the model gets
	Withdrawn bool   `json:"withdrawn,omitempty"` // all labels were withdrawn: the base model takes over
}

// Kind is written in the database and never changes.
func (TrainModel) Kind() string { return "train_model" }

// InsertOpts ranks behind files. A training that made no model blocks an identical
// one for as long as River keeps it; otherwise every plan would repeat it.
func (TrainModel) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		Queue: QueueText, Priority: beginLater,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: rivertype.JobStates()},
	}
}

// RelabelFiles labels files again that another model has labelled, with the
// active one, or certain files: one batch, then it enqueues the next.
type RelabelFiles struct {
	OperationID string   `json:"operation_id"`
	TeamID      string   `json:"team_id"`
	ModelID     string   `json:"model_id"`
	After       string   `json:"after,omitempty"`    // the last file that was done
	FileIDs     []string `json:"file_ids,omitempty"` // only these, regardless of the model that labelled them
}

// Kind is written in the database and never changes.
func (RelabelFiles) Kind() string { return "relabel_files" }

// InsertOpts lets files go first.
func (RelabelFiles) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueText, Priority: beginLater, UniqueOpts: once}
}

// TrainTypes trains a model on the document types that a team has assigned.
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

// TrainField learns a field that a team declared from the decisions of users on it.
type TrainField struct {
	TeamID  string `json:"team_id"`
	Key     string `json:"key"`
	Version int    `json:"version"` // that the model gets
}

// Kind is written in the database and never changes.
func (TrainField) Kind() string { return "train_field" }

// InsertOpts lets files go first.
func (TrainField) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueText, Priority: beginLater, UniqueOpts: once}
}

// ProposeField reads the files of a team for a field anew, with the model that is active:
// one batch, then it enqueues the next.
type ProposeField struct {
	OperationID string `json:"operation_id"`
	TeamID      string `json:"team_id"`
	Key         string `json:"key"`
	Version     int    `json:"version"`         // of the model
	After       string `json:"after,omitempty"` // the last file that was done
}

// Kind is written in the database and never changes.
func (ProposeField) Kind() string { return "propose_field" }

// InsertOpts lets files go first.
func (ProposeField) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueText, Priority: beginLater, UniqueOpts: once}
}

// LearnNames finds teams whose own name their contracts say.
type LearnNames struct{}

// Kind is written in the database and never changes.
func (LearnNames) Kind() string { return "learn_names" }

// InsertOpts uses the queue of chores.
func (LearnNames) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueUpkeep} }

// ReadParties tells the parties of a team's files from its counterparties anew, after its own names
// have changed: one batch, then it enqueues the next.
type ReadParties struct {
	OperationID string `json:"operation_id"`
	TeamID      string `json:"team_id"`
	After       string `json:"after,omitempty"` // the last file that was done
}

// Kind is written in the database and never changes.
func (ReadParties) Kind() string { return "read_parties" }

// InsertOpts does not wait for files: somebody looks at the list.
func (ReadParties) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueTextNow, Priority: beginLater, UniqueOpts: once}
}
