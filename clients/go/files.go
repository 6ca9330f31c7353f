package clausemill

import (
	"context"
	"fmt"
	"time"
)

// longPoll is how long a question waits for a change.
const longPoll = 30 * time.Second

// pollEvery is the pause between two questions about the same thing: a long scan
// moves with every page.
const pollEvery = 2 * time.Second

// Ended reports whether the service is done with a file of this status.
func (s ProcessingStatus) Ended() bool {
	switch s {
	case ProcessingStatusCompleted, ProcessingStatusCompletedWithWarnings, ProcessingStatusFailed, ProcessingStatusCancelled:
		return true
	case ProcessingStatusQueued, ProcessingStatusProcessing:
	}
	return false
}

func (e *FileError) Error() string {
	text := string(e.Code)
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Page != nil {
		text += fmt.Sprintf(" (page %d)", *e.Page)
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Err is why a file that has ended is of no use, or nil.
func (f *File) Err() error { return errOf(f.Status, f.Error) }

// Err is why a file that has ended is of no use, or nil.
func (s *FileStatus) Err() error { return errOf(s.Status, s.Error) }

func errOf(status ProcessingStatus, reason *FileError) error {
	switch {
	case status == ProcessingStatusCancelled:
		return &FileError{Code: "cancelled", Message: "somebody cancelled it"}
	case status != ProcessingStatusFailed:
		return nil
	case reason == nil:
		return &FileError{Code: FileErrorCodeInternal, Message: "the server did not say why"}
	default:
		return reason
	}
}

// WaitForFile returns once the service is done with a file, by long polls. The error
// is a *FileError where the file failed or was cancelled.
func (c *Client) WaitForFile(ctx context.Context, fileID string) (*FileStatus, error) {
	for {
		status, err := c.GetFileStatus(ctx, fileID, GetFileStatusParams{Wait: new(int64(longPoll.Seconds()))})
		if err != nil {
			return nil, err
		}
		if status.Status.Ended() {
			return status, status.Err()
		}
		if err := sleep(ctx, pollEvery); err != nil {
			return nil, err
		}
	}
}
