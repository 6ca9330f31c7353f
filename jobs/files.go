package jobs

import "github.com/riverqueue/river"

// File names the attempt that a step of the pipeline belongs to.
type File struct {
	FileID  string `json:"file_id"`
	TeamID  string `json:"team_id"`
	Attempt int    `json:"attempt"`
	Bulk    bool   `json:"bulk,omitempty"` // goes through the fair scheduler
}

// FileArgs is any job about one attempt of one file.
type FileArgs interface {
	river.JobArgs
	About() File
}

// About returns the attempt that a job is about.
func (f File) About() File { return f }

// begin is the queue of a step that starts work: bulk through the fair scheduler,
// or now.
func (f File) begin(bulk, now string) river.InsertOpts {
	if f.Bulk {
		return river.InsertOpts{Queue: bulk, Priority: beginLater, Pending: true, UniqueOpts: once}
	}
	return river.InsertOpts{Queue: now, Priority: beginLater, UniqueOpts: once}
}

// proceed is the queue of a step that continues work which was admitted before.
func (f File) proceed(bulk, now string) river.InsertOpts {
	queue := now
	if f.Bulk {
		queue = bulk
	}
	return river.InsertOpts{Queue: queue, Priority: finishFirst, UniqueOpts: once}
}

// ReceiveFile detects the type of a file, copies the text of a file with the same
// bytes if there is one, and unpacks archives.
type ReceiveFile struct{ File }

// Kind is written in the database and never changes.
func (ReceiveFile) Kind() string { return "receive_file" }

// InsertOpts begins a file.
func (j ReceiveFile) InsertOpts() river.InsertOpts { return j.begin(QueueText, QueueTextNow) }

// ExtractText reads the text layer of a file. If no page needs OCR, it also
// segments and analyses the text.
type ExtractText struct{ File }

// Kind is written in the database and never changes.
func (ExtractText) Kind() string { return "extract_text" }

// InsertOpts proceeds with a file.
func (j ExtractText) InsertOpts() river.InsertOpts { return j.proceed(QueueText, QueueTextNow) }

// RecognizePages runs OCR on some pages of a file. A long scan has many of these,
// spread over all workers.
type RecognizePages struct {
	File
	Pages []int `json:"pages"`
}

// Kind is written in the database and never changes.
func (RecognizePages) Kind() string { return "recognize_pages" }

// InsertOpts begins pages: OCR takes so long that each job goes through the
// scheduler again.
func (j RecognizePages) InsertOpts() river.InsertOpts { return j.begin(QueueOCR, QueueOCRNow) }

// SegmentText segments and analyses the stored pages of a file.
type SegmentText struct{ File }

// Kind is written in the database and never changes.
func (SegmentText) Kind() string { return "segment_text" }

// InsertOpts proceeds with a file.
func (j SegmentText) InsertOpts() river.InsertOpts { return j.proceed(QueueText, QueueTextNow) }

// AnalyzeText analyses a stored text: its sections and the labels of its
// sentences. The file is indexed at the same time.
type AnalyzeText struct{ File }

// Kind is written in the database and never changes.
func (AnalyzeText) Kind() string { return "analyze_text" }

// InsertOpts proceeds with a file.
func (j AnalyzeText) InsertOpts() river.InsertOpts { return j.proceed(QueueText, QueueTextNow) }

// IndexFile indexes the text of a file. The worker adds other waiting files to
// the batch, so that an engine gets few large batches.
type IndexFile struct{ File }

// Kind is written in the database and never changes.
func (IndexFile) Kind() string { return "index_file" }

// InsertOpts uses the queue of the search engine.
func (IndexFile) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueIndex, UniqueOpts: once}
}

// SettleFiles updates what depends on files that were moved into the trash or
// restored: the search index, the vocabulary of the team, and near duplicates. It
// acts on the state in which the files are when it runs, so any number of these
// jobs may wait.
type SettleFiles struct {
	TeamID  string   `json:"team_id"`
	FileIDs []string `json:"file_ids"`
}

// Kind is written in the database and never changes.
func (SettleFiles) Kind() string { return "settle_files" }

// InsertOpts uses the queue of the search engine.
func (SettleFiles) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueIndex} }

// PurgeFile removes the bytes and the index entries of a purged file.
type PurgeFile struct {
	FileID string   `json:"file_id"`
	TeamID string   `json:"team_id"`
	Bytes  []string `json:"bytes,omitempty"` // the ids of the bytes of its versions
}

// Kind is written in the database and never changes.
func (PurgeFile) Kind() string { return "purge_file" }

// InsertOpts ranks it behind jobs that users wait for.
func (PurgeFile) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueUpkeep, Priority: beginLater, UniqueOpts: once}
}

// DeleteFiles moves many files into the trash, as one operation.
type DeleteFiles struct {
	OperationID string   `json:"operation_id"`
	TeamID      string   `json:"team_id"`
	ActorKind   string   `json:"actor_kind"`
	ActorID     string   `json:"actor_id"`
	FileIDs     []string `json:"file_ids"`
}

// Kind is written in the database and never changes.
func (DeleteFiles) Kind() string { return "delete_files" }

// InsertOpts uses the queue of chores, so that deletes delay nothing else.
func (DeleteFiles) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueUpkeep, UniqueOpts: once}
}

// RestoreTrash restores many entries of the trash, as one operation.
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

// MergeFiles merges images and PDFs into one PDF, a new file.
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
