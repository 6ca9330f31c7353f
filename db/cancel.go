package db

import (
	"context"

	"github.com/clausemill/clausemill/fault"
)

// LockFiles holds the rows of files until the transaction ends, in an order that
// all callers share.
func (t *Tx) LockFiles(ctx context.Context, in Scope, ids []string) error {
	_, err := exec(ctx, t.Queries, `SELECT FROM files WHERE id = ANY(@ids) AND team_id = @team ORDER BY id FOR NO KEY UPDATE`,
		args{"ids": ids, "team": in.TeamID})
	return err
}

// CancelWaitingJobs ends the jobs about files that wait, and returns the running
// ones: only their workers can stop those. Hold the rows of the files first, as
// the workers do.
func (t *Tx) CancelWaitingJobs(ctx context.Context, in Scope, fileIDs []string) (running []int64, err error) {
	return values[int64](ctx, t.Queries, `
		WITH open AS (
			SELECT id, state FROM river_job
			WHERE args ->> 'file_id' = ANY(@ids) AND args ->> 'team_id' = @team
				AND state IN ('pending', 'available', 'scheduled', 'retryable', 'running')
			ORDER BY id FOR UPDATE
		), cancelled AS (
			UPDATE river_job SET state = 'cancelled', finalized_at = now()
			FROM open WHERE river_job.id = open.id AND open.state <> 'running'
		)
		SELECT id FROM open WHERE state = 'running' ORDER BY id`, args{"ids": fileIDs, "team": in.TeamID})
}

// errLost is why a file failed that nothing works on.
var errLost = fault.File(fault.InternalCode, "the work on this file was lost", nil)

// DeriveStatus brings a file's status in line with its pages and jobs. A file
// that is on its way although nothing works on it comes to its end: completed
// with the text it has, or else failed. Any other is as it should be.
func (t *Tx) DeriveStatus(ctx context.Context, in Scope, id string) error {
	f, err := t.FileForUpdate(ctx, in, id)
	if err != nil || f.Status.Terminal() {
		return err
	}
	if err := t.Audit(ctx, in, "file.status_derived", "file", id, nil); err != nil {
		return err
	}
	if err := t.countPages(ctx, in, id, f.PageCount); err != nil {
		return err
	}
	work, err := t.FileJobStates(ctx, in, id)
	if err != nil {
		return err
	}
	if len(work) > 0 {
		counted, err := t.File(ctx, in, id)
		if err != nil {
			return err
		}
		return t.fileEvent(ctx, counted)
	}
	attempt := Attempt{FileID: id, Number: f.Attempt}
	if f.Current() {
		return t.CompleteAttempt(ctx, in, attempt)
	}
	return t.FailAttempt(ctx, in, attempt, f.Stage, errLost)
}

// Remaining estimates the seconds until f is read, from how fast the team's
// latest files went, those with pages to recognise for themselves; false where
// there is nothing to go by.
func (q QueuePosition) Remaining(f FileState) (seconds float64, ok bool) {
	work, pace := float64(f.PageCount-f.PagesDone), q.PagesPerSecond
	switch {
	case f.Status == FileQueued:
		work, pace = float64(q.Ahead+1), q.FilesPerSecond
	case f.PageCount == 0:
		work, pace = 1, q.FilesPerSecond
	case f.Stage == StageRecognize:
		pace = q.RecognizedPerSecond
	}
	if pace == 0 {
		return 0, false
	}
	return max(1, work/pace), true // it is not done yet
}
