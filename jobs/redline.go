package jobs

import (
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// ExecuteChanges applies changes to a document.
type ExecuteChanges struct {
	// The field has another name than in the steps of the pipeline, so that a new
	// attempt to read the file does not cancel this job.
	DocumentID  string   `json:"document_id" river:"unique"`
	TeamID      string   `json:"team_id"`
	ActorKind   string   `json:"actor_kind"`
	ActorID     string   `json:"actor_id"`
	Key         string   `json:"key" river:"unique"` // of the rendition, in hexadecimal
	Version     int      `json:"version,omitempty"`  // of the file that is executed; 0 for the current one
	BaseSHA256  string   `json:"base_sha256"`        // of the document that the changes are for, in hexadecimal
	Mode        string   `json:"mode"`               // redline, revision, decide, all or edit
	ChangeIDs   []string `json:"change_ids"`
	Existing    string   `json:"existing,omitempty"` // of a revision: accept, reject or keep
	Comments    string   `json:"comments,omitempty"` // of a revision: keep or strip
	Format      string   `json:"format,omitempty"`   // pdf, or nothing for DOCX
	Decision    string   `json:"decision,omitempty"` // of decide: accept or reject what nobody decided on
	Author      string   `json:"author,omitempty"`   // of decide: of this author only
	Note        string   `json:"note,omitempty"`     // of edit: the author's comment on the version
	OperationID string   `json:"operation_id,omitempty"`
}

// Kind is written in the database and never changes.
func (ExecuteChanges) Kind() string { return "execute_changes" }

// InsertOpts starts at once: a user waits for it. An identical request shares a
// run that has not ended. One that has ended does not count, since its result may
// be gone.
func (ExecuteChanges) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueTextNow, UniqueOpts: Meanwhile}
}

// Meanwhile makes a second identical job a no-op until the first has ended.
var Meanwhile = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}}

// CarryChanges anchors the open changes of a file in its current version.
type CarryChanges struct {
	DocumentID string `json:"document_id" river:"unique"`
	TeamID     string `json:"team_id"`
	Version    int    `json:"version" river:"unique"` // that is the current one
}

// Kind is written in the database and never changes.
func (CarryChanges) Kind() string { return "carry_changes" }

// InsertOpts starts at once: until it is done, changes are located by their words
// alone.
func (CarryChanges) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueTextNow, UniqueOpts: Meanwhile}
}
