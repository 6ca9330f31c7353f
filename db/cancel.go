package db

import (
	"context"
	"errors"

	"github.com/clausemill/clausemill/fault"
)

// LockFiles holds the rows of files until the transaction ends, in an order that
// all callers share.
func (t *Tx) LockFiles(ctx context.Context, in Scope, ids []string) error {
	_, err := exec(ctx, t.Queries, `SELECT FROM files WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team ORDER BY id FOR NO KEY UPDATE`,
		args{"ids": ids, "team": in.TeamID})
	return err
}

// CancelWaitingJobs ends the jobs about files that wait, and returns the running
// ones: only their workers can stop those. Hold the rows of the files first, as
// the workers do.
func (t *Tx) CancelWaitingJobs(ctx context.Context, in Scope, fileIDs []string) (running []int64, err error) {
	return t.cancelJobs(ctx, in, `args ->> 'file_id' = ANY(@ids)`, args{"ids": fileIDs})
}

// cancelJobs is CancelWaitingJobs for the jobs of which a condition, ours and
// never a caller's words, holds.
func (t *Tx) cancelJobs(ctx context.Context, in Scope, condition string, a args) (running []int64, err error) {
	a["team"] = in.TeamID
	return values[int64](ctx, t.Queries, `
		WITH open AS (
			SELECT id, state FROM river_job
			WHERE `+condition+` AND args ->> 'team_id' = @team
				AND state IN ('pending', 'available', 'scheduled', 'retryable', 'running')
			ORDER BY id FOR UPDATE
		), cancelled AS (
			UPDATE river_job SET state = 'cancelled', finalized_at = now()
			FROM open WHERE river_job.id = open.id AND open.state <> 'running'
		)
		SELECT id FROM open WHERE state = 'running' ORDER BY id`, a)
}

// ErrCancelled is the Conflict of work for an operation that was cancelled:
// nothing of its transaction may be kept.
var ErrCancelled = fault.New(fault.Conflict, "the operation was cancelled")

// HoldOperation locks a running operation until the transaction ends. The order of
// locks is operation, then job, for the step of an operation as for cancelling it.
func (t *Tx) HoldOperation(ctx context.Context, in Scope, id string) error {
	_, err := value[string](ctx, t.Queries, `SELECT id::text FROM operations WHERE id = @id AND team_id = @team AND state = 'running' FOR NO KEY UPDATE`,
		args{"id": id, "team": in.TeamID})
	if fault.KindOf(err) == fault.NotFound {
		return t.notRunning(ctx, in, id)
	}
	return err
}

// notRunning is the reason why no operation with an id runs: it was cancelled, or it
// is NotFound because it has ended otherwise or never existed.
func (t *Tx) notRunning(ctx context.Context, in Scope, id string) error {
	state, err := value[string](ctx, t.Queries, `SELECT state FROM operations WHERE id = @id AND team_id = @team`, args{"id": id, "team": in.TeamID})
	switch {
	case err != nil:
		return err
	case state == "cancelled":
		return ErrCancelled
	}
	return errNotFound
}

// CancelOperation ends an operation that runs. What it has done stays done, and
// counts; what it has not begun is not begun, and what runs for it is for the
// workers of the jobs that are returned to stop. The attempts of files that it
// asked for are cancelled. An operation that was cancelled stays so, and one that
// has ended otherwise is Conflict.
func (t *Tx) CancelOperation(ctx context.Context, in Scope, id string) (running []int64, err error) {
	op, err := t.Operation(ctx, in, id)
	if err != nil || op.State != "running" {
		return nil, uncancelled(op, err)
	}
	// Files before operations, as where an attempt ends. An attempt that began
	// before the operation was requested otherwise, so it continues.
	files, err := values[string](ctx, t.Queries, `
		SELECT f.id::text FROM operations o
		JOIN operation_files x ON x.operation_id = o.id
		JOIN files f ON f.id = x.file_id AND f.attempt = x.attempt AND f.team_id = o.team_id
		WHERE o.id = @id AND o.team_id = @team AND f.status IN ('queued', 'processing') AND f.queued_at >= o.created_at
		ORDER BY f.id FOR NO KEY UPDATE OF f`, args{"id": id, "team": in.TeamID})
	if err != nil {
		return nil, err
	}
	if err := t.HoldOperation(ctx, in, id); err != nil && !errors.Is(err, ErrCancelled) && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	if op, err = t.Operation(ctx, in, id); err != nil || op.State != "running" { // it may have ended meanwhile
		return nil, uncancelled(op, err)
	}
	running, err = t.cancelJobs(ctx, in, `(args ->> 'operation_id' = @id OR args ->> 'file_id' = ANY(@files))`, args{"id": id, "files": files})
	if err != nil {
		return nil, err
	}
	op, err = one[Operation](ctx, t.Queries, `
		UPDATE operations SET state = 'cancelled', done = @done, failed = @failed, finished_at = now()
		WHERE id = @id AND team_id = @team
		RETURNING `+operationColumns, args{"id": id, "team": in.TeamID, "done": op.Done, "failed": op.Failed})
	if err != nil {
		return nil, err
	}
	if err := t.cancelFiles(ctx, in, files); err != nil {
		return nil, err
	}
	if err := t.Audit(ctx, in, "operation.cancelled", "operation", id, map[string]any{"kind": op.Kind, "total": op.Total, "done": op.Done}); err != nil {
		return nil, err
	}
	if err := t.progressEvent(ctx, in.TeamID, op); err != nil {
		return nil, err
	}
	return running, t.tellOfOperation(ctx, in.TeamID, op)
}

// uncancelled is nil of an operation that was cancelled already.
func uncancelled(op Operation, err error) error {
	if err == nil && op.State != "cancelled" {
		return fault.Newf(fault.Conflict, "the operation has ended: it is %s", op.State)
	}
	return err
}

// cancelFiles is CancelFile over many that are held and run.
func (t *Tx) cancelFiles(ctx context.Context, in Scope, ids []string) error {
	ended, err := many[File](ctx, t.Queries, `
		UPDATE files SET status = 'cancelled', error_code = NULL, error_stage = NULL, error_message = NULL, error_page = NULL,
			finished_at = now(), progress_at = now()
		WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team
		RETURNING `+fileColumns, args{"ids": ids, "team": in.TeamID})
	if err != nil || len(ended) == 0 {
		return err
	}
	if err := t.keepAttempts(ctx, ids); err != nil {
		return err
	}
	for _, f := range ended {
		if err := t.fileEvent(ctx, f); err != nil {
			return err
		}
		if err := t.attemptEvent(ctx, f); err != nil {
			return err
		}
	}
	t.finishFollowed(in.TeamID, ids...)
	return t.Audit(ctx, in, "file.cancelled", "files", "", map[string]any{"count": len(ended)})
}

// errLost is why a file failed that nothing works on.
var errLost = fault.File(fault.InternalCode, "the work on this file was lost", nil)

// DeriveStatus brings a file's status in line with its pages and jobs. A file that is
// in processing without a job ends: completed with the text it has, or else failed.
// Any other is left unchanged.
func (t *Tx) DeriveStatus(ctx context.Context, in Scope, id string) error {
	f, err := t.FileForUpdate(ctx, in, id)
	if err != nil || f.Status.Terminal() {
		return err
	}
	if err := t.Audit(ctx, in, "file.status_derived", "file", id, nil); err != nil {
		return err
	}
	if err := t.countPages(ctx, in, id, f.PageCount, false); err != nil {
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
func (q TeamQueue) Remaining(f FileState) (seconds float64, ok bool) {
	work, pace := float64(f.PageCount-f.PagesDone), q.PagesPerSecond
	switch {
	case f.Status == FileQueued:
		work, pace = float64(q.Ahead(f)+1), q.FilesPerSecond
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
