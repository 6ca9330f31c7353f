package db

import (
	"fmt"
	"reflect"
	"time"
)

// The data of events, as subscribers read it.

// FileStatusData is how far a file has come.
type FileStatusData struct {
	ID             string         `json:"id" format:"uuid"`
	Status         FileStatus     `json:"status"`
	Stage          FileStage      `json:"stage"`
	Progress       float64        `json:"progress" doc:"From 0 to 1"`
	LifecycleStage LifecycleStage `json:"lifecycleStage"`
	Pages          PagesData      `json:"pages"`
	Entries        *EntriesData   `json:"entries,omitempty" doc:"Files in an archive"`
}

// PagesData counts the pages of a file.
type PagesData struct {
	Total int `json:"total"`
	Done  int `json:"done"`
	OCR   int `json:"ocr" doc:"Number of pages that need OCR"`
}

// EntriesData counts the files in an archive.
type EntriesData struct {
	Total int `json:"total"`
	Done  int `json:"done"`
}

// FileEndData is how the processing of a file ended.
type FileEndData struct {
	ID        string     `json:"id" format:"uuid"`
	Name      string     `json:"name"`
	Status    FileStatus `json:"status"`
	Attempt   int        `json:"attempt" doc:"1 at first; each reprocessing adds one"`
	MatterID  *string    `json:"matterId" format:"uuid"`
	ErrorCode *string    `json:"errorCode" doc:"Error code; null if it did not fail"`
}

// FileData names a file.
type FileData struct {
	ID string `json:"id" format:"uuid"`
}

// FileVersionData is a new version of a file.
type FileVersionData struct {
	ID       string        `json:"id" format:"uuid" doc:"Id of the file"`
	Name     string        `json:"name"`
	Version  int           `json:"version" doc:"Number of the version"`
	Source   VersionSource `json:"source"`
	MatterID *string       `json:"matterId" format:"uuid"`
}

// FileChangesData counts the proposed changes of a file that something was done to.
type FileChangesData struct {
	ID        string `json:"id" format:"uuid" doc:"Id of the file"`
	Proposed  int    `json:"proposed,omitempty"`
	Withdrawn int    `json:"withdrawn,omitempty"`
	Carried   int    `json:"carried,omitempty" doc:"Number of changes that were carried over to a new version"`
	Lost      int    `json:"lost,omitempty" doc:"Number of changes whose text the new version does not contain"`
}

// FilesQueuedData counts files that are processed again.
type FilesQueuedData struct {
	Count int `json:"count"`
}

// FilesUpdatedData counts files that a bulk request changed.
type FilesUpdatedData struct {
	Count   int    `json:"count"`
	Changed string `json:"changed" doc:"What was changed: parties, metadata, …"`
}

// SentencesData counts sentences that people decided on.
type SentencesData struct {
	Count int `json:"count"`
	Files int `json:"files" doc:"Number of files that contain these sentences"`
}

// MatterData is a matter as it is now.
type MatterData struct {
	ID      string       `json:"id" format:"uuid"`
	Name    string       `json:"name"`
	Stage   MatterStage  `json:"stage"`
	Status  MatterStatus `json:"status"`
	Version int          `json:"version"`
}

// DeletedMatterData is a matter as it was.
type DeletedMatterData struct {
	ID      string       `json:"id" format:"uuid"`
	Name    string       `json:"name,omitempty" doc:"This and the following fields are absent if the matter was purged"`
	Stage   MatterStage  `json:"stage,omitempty"`
	Status  MatterStatus `json:"status,omitempty"`
	Version int          `json:"version,omitempty"`
}

// MatterFileData is a file that came into a matter or left it.
type MatterFileData struct {
	ID     string `json:"id" format:"uuid" doc:"Id of the matter"`
	FileID string `json:"fileId" format:"uuid"`
}

// AssignmentData is work that somebody has on a file or a matter.
type AssignmentData struct {
	ID       string           `json:"id" format:"uuid"`
	FileID   *string          `json:"fileId" format:"uuid" doc:"null for an assignment to a matter"`
	MatterID *string          `json:"matterId" format:"uuid" doc:"null for an assignment to a file"`
	UserID   string           `json:"userId" format:"uuid"`
	Role     AssignmentRole   `json:"role"`
	DueAt    *time.Time       `json:"dueAt"`
	Status   AssignmentStatus `json:"status"`
	Done     bool             `json:"done"`
}

// OperationData is how far an operation has come.
type OperationData struct {
	ID     string `json:"id" format:"uuid"`
	Kind   string `json:"kind"`
	State  string `json:"state" doc:"State: running, completed, failed or cancelled"`
	Total  int    `json:"total"`
	Done   int    `json:"done"`
	Failed int    `json:"failed"`
}

// PingData is empty: a ping only tries a webhook out.
type PingData struct{}

// EventType is a kind of event.
type EventType struct {
	Kind    string
	Summary string // when it happens
	Example any    // its data, of the type that events of the kind have
	Default bool   // sent to webhooks that name no kinds
}

// EventTypes lists the kinds of events that a team's webhooks may ask for.
func EventTypes() []EventType { return eventTypes }

var (
	exampleID    = "0198c7a2-5b1e-7c3a-9d4f-2a6b8c0d1e2f"
	exampleOther = "0198c7a2-6c2f-7d4b-8e50-3b7c9d1e2f30"
	exampleCause = "corrupt_file"
	exampleDue   = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

	exampleMatter     = MatterData{exampleID, "Bolt supply", "review", "open", 3}
	exampleAssignment = AssignmentData{exampleID, &exampleOther, nil, exampleOther, "reviewer", &exampleDue, "open", false}
	exampleOperation  = OperationData{exampleID, "reprocess", "completed", 12, 12, 0}
)

var eventTypes = []EventType{
	{"assignment.created", "A file or matter was assigned to a user", exampleAssignment, false},
	{"assignment.deleted", "An assignment was deleted", exampleAssignment, false},
	{"assignment.updated", "An assignment was changed, completed, declined or reopened", exampleAssignment, false},
	{"file.cancelled", "The processing of a file was cancelled", FileEndData{exampleID, "nda.pdf", FileCancelled, 1, nil, nil}, true},
	{"file.changes", "Proposed changes of a file were added, withdrawn, or carried over to a new version", FileChangesData{ID: exampleID, Proposed: 2}, false},
	{"file.completed", "A file was processed, with or without warnings, and can be found by search", FileEndData{exampleID, "nda.pdf", FileCompleted, 1, &exampleOther, nil}, true},
	{"file.deleted", "A file was moved to the trash", FileData{exampleID}, false},
	{"file.failed", "A file could not be processed", FileEndData{exampleID, "nda.pdf", FileFailed, 1, nil, &exampleCause}, true},
	{"file.rendition", "A redline or revision of a file is ready", FileData{exampleID}, false},
	{"file.restored", "A file was restored from the trash", FileData{exampleID}, false},
	{"file.status", "The processing status or the lifecycle stage of a file changed", FileStatusData{exampleID, FileProcessing, StageExtract, 0.4, "review", PagesData{10, 4, 2}, nil}, false},
	{"file.version_added", "A version was added to a file", FileVersionData{exampleID, "nda.docx", 2, VersionImported, nil}, false},
	{"files.queued", "Files were queued to be processed again", FilesQueuedData{12}, false},
	{"files.updated", "Files were changed by a bulk request", FilesUpdatedData{12, "parties"}, false},
	{"matter.created", "A matter was created", exampleMatter, false},
	{"matter.deleted", "A matter was moved to the trash", DeletedMatterData(exampleMatter), false},
	{"matter.file_added", "A file was added to a matter", MatterFileData{exampleID, exampleOther}, false},
	{"matter.file_removed", "A file was removed from a matter", MatterFileData{exampleID, exampleOther}, false},
	{"matter.restored", "A matter was restored from the trash", exampleMatter, false},
	{"matter.updated", "A matter was changed", exampleMatter, false},
	{"operation.finished", "An operation finished", exampleOperation, true},
	{"operation.progress", "An operation made progress", exampleOperation, false},
	{"sentences.validated", "Labels of sentences were confirmed or corrected by users", SentencesData{3, 1}, false},
	{"sentences.withdrawn", "Decisions on labels of sentences were withdrawn by users", SentencesData{3, 1}, false},
}

// eventTypeOf is the type of the data of each kind.
var eventTypeOf = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, e := range eventTypes {
		types[e.Kind] = reflect.TypeOf(e.Example)
	}
	return types
}()

// typed is an error where data is not what subscribers are told that events of the
// kind have.
func typed(kind string, data any) error {
	if want := eventTypeOf[kind]; want != reflect.TypeOf(data) {
		return fmt.Errorf("the data of an event %s is %T, not %v", kind, data, want)
	}
	return nil
}
