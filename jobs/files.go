package jobs

import "github.com/riverqueue/river"

// File names the attempt that a step of the pipeline belongs to.
type File struct {
	FileID  string `json:"file_id"`
	TeamID  string `json:"team_id"`
	Attempt int    `json:"attempt"`
	Bulk    bool   `json:"bulk,omitempty"` // waits for its team's turn
}

// FileArgs is any job about one attempt of one file.
type FileArgs interface {
	river.JobArgs
	About() File
}

// About returns the attempt that a job is about.
func (f File) About() File { return f }

// begin is where a step that starts work goes: its team's turn, or at once.
func (f File) begin(bulk, now string) river.InsertOpts {
	if f.Bulk {
		return river.InsertOpts{Queue: bulk, Priority: beginLater, Pending: true, UniqueOpts: once}
	}
	return river.InsertOpts{Queue: now, Priority: beginLater, UniqueOpts: once}
}

// proceed is where a step goes that carries on with work begun.
func (f File) proceed(bulk, now string) river.InsertOpts {
	queue := now
	if f.Bulk {
		queue = bulk
	}
	return river.InsertOpts{Queue: queue, Priority: finishFirst, UniqueOpts: once}
}

// ReceiveFile asks what a file is, whether its bytes were read before, and what
// is packed in it.
type ReceiveFile struct{ File }

// Kind is written in the database and never changes.
func (ReceiveFile) Kind() string { return "receive_file" }

// InsertOpts begins a file.
func (j ReceiveFile) InsertOpts() river.InsertOpts { return j.begin(QueueText, QueueTextNow) }

// ExtractText asks for the text that a file carries in itself, and for its
// meaning where that is all of the text.
type ExtractText struct{ File }

// Kind is written in the database and never changes.
func (ExtractText) Kind() string { return "extract_text" }

// InsertOpts proceeds with a file.
func (j ExtractText) InsertOpts() river.InsertOpts { return j.proceed(QueueText, QueueTextNow) }

// RecognizePages asks for some pages of a file to be recognised. A long scan is
// many of these, worked on by every worker at once.
type RecognizePages struct {
	File
	Pages []int `json:"pages"`
}

// Kind is written in the database and never changes.
func (RecognizePages) Kind() string { return "recognize_pages" }

// InsertOpts begins pages: recognition takes so long that it waits for its own
// turn.
func (j RecognizePages) InsertOpts() river.InsertOpts { return j.begin(QueueOCR, QueueOCRNow) }

// SegmentText asks for the pages of a file that are stored to become a text with
// its meaning.
type SegmentText struct{ File }

// Kind is written in the database and never changes.
func (SegmentText) Kind() string { return "segment_text" }

// InsertOpts proceeds with a file.
func (j SegmentText) InsertOpts() river.InsertOpts { return j.proceed(QueueText, QueueTextNow) }

// AnalyzeText asks for what a text means that is stored: its sections and the
// labels of its sentences. The file becomes searchable meanwhile.
type AnalyzeText struct{ File }

// Kind is written in the database and never changes.
func (AnalyzeText) Kind() string { return "analyze_text" }

// InsertOpts proceeds with a file.
func (j AnalyzeText) InsertOpts() river.InsertOpts { return j.proceed(QueueText, QueueTextNow) }

// IndexFile asks for a file's text to become searchable. The worker takes what
// else is waiting along, so that an engine gets few large batches.
type IndexFile struct{ File }

// Kind is written in the database and never changes.
func (IndexFile) Kind() string { return "index_file" }

// InsertOpts uses the queue of the search engine.
func (IndexFile) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueIndex, UniqueOpts: once}
}

// SettleFiles asks for what follows from files having gone into the trash or come
// back out of it: their place in the search index, the words of their team, and
// which files each is almost the same as. It goes by where the files are when it
// is done, so any number of these may be on their way.
type SettleFiles struct {
	TeamID  string   `json:"team_id"`
	FileIDs []string `json:"file_ids"`
}

// Kind is written in the database and never changes.
func (SettleFiles) Kind() string { return "settle_files" }

// InsertOpts uses the queue of the search engine.
func (SettleFiles) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueIndex} }

// PurgeFile asks for the bytes and the index entries of a purged file to be
// removed.
type PurgeFile struct {
	FileID string   `json:"file_id"`
	TeamID string   `json:"team_id"`
	Bytes  []string `json:"bytes,omitempty"` // the ids of the bytes of its versions
}

// Kind is written in the database and never changes.
func (PurgeFile) Kind() string { return "purge_file" }

// InsertOpts lets whatever somebody waits for go first.
func (PurgeFile) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueUpkeep, Priority: beginLater, UniqueOpts: once}
}

// DeleteFiles asks for many files to be moved into the trash as one operation.
type DeleteFiles struct {
	OperationID string   `json:"operation_id"`
	TeamID      string   `json:"team_id"`
	ActorKind   string   `json:"actor_kind"`
	ActorID     string   `json:"actor_id"`
	FileIDs     []string `json:"file_ids"`
}

// Kind is written in the database and never changes.
func (DeleteFiles) Kind() string { return "delete_files" }

// InsertOpts keeps deletes out of everybody's way.
func (DeleteFiles) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueUpkeep, UniqueOpts: once}
}

// RestoreTrash asks for many things to come back out of the trash as one
// operation.
type RestoreTrash struct {
	OperationID string   `json:"operation_id"`
	TeamID      string   `json:"team_id"`
	ActorKind   string   `json:"actor_kind"`
	ActorID     string   `json:"actor_id"`
	Admin       bool     `json:"admin,omitempty"` // of the team
	EntryIDs    []string `json:"entry_ids"`
}

// Kind is written in the database and never changes.
func (RestoreTrash) Kind() string { return "restore_trash" }

// InsertOpts keeps them in line with deletes.
func (RestoreTrash) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueUpkeep, UniqueOpts: once}
}

// MergeFiles asks for images and PDFs to become one PDF, a new file.
type MergeFiles struct {
	OperationID string   `json:"operation_id"`
	TeamID      string   `json:"team_id"`
	ActorKind   string   `json:"actor_kind"`
	ActorID     string   `json:"actor_id"`
	FileID      string   `json:"merged_file_id"` // the id that the new file gets
	Name        string   `json:"name"`
	Sources     []string `json:"sources"` // file ids, in page order
}

// Kind is written in the database and never changes.
func (MergeFiles) Kind() string { return "merge_files" }

// InsertOpts starts a merge at once: somebody waits for it.
func (MergeFiles) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueTextNow, UniqueOpts: once}
}
