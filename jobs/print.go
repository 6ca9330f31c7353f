package jobs

import "github.com/riverqueue/river"

// PrintFile lays out the pages of a file whose text flows, such as a Word document.
type PrintFile struct {
	// The field has another name than in the steps of the pipeline, so that a new
	// attempt to read the file does not cancel this job.
	DocumentID string `json:"document_id" river:"unique"`
	TeamID     string `json:"team_id"`
	Key        string `json:"key" river:"unique"` // of the rendition, in hexadecimal
	Version    int    `json:"version"`            // that is printed
	Generation int    `json:"generation"`         // of the text that is found on the pages
}

// Kind is written in the database and never changes.
func (PrintFile) Kind() string { return "print_file" }

// InsertOpts starts at once: a user waits for it, and shares a run that has not ended.
func (PrintFile) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueTextNow, UniqueOpts: Meanwhile}
}
