package jobs

import "github.com/riverqueue/river"

// AnalyzeCorpus asks for what the files of a document type say together.
type AnalyzeCorpus struct {
	OperationID    string `json:"operation_id"`
	TeamID         string `json:"team_id"`
	DocumentTypeID string `json:"document_type_id"`
}

// Kind is written in the database and never changes.
func (AnalyzeCorpus) Kind() string { return "analyze_corpus" }

// InsertOpts lets what has begun go first.
func (AnalyzeCorpus) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueTextNow, Priority: beginLater, UniqueOpts: once}
}
