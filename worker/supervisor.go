package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/trace"
)

// supervisor is the middleware of every job: it decides between a retry and giving
// up, records why a file failed, and ends a stale worker, one whose jobs were given
// to others.
type supervisor struct {
	river.MiddlewareDefaults
	worker *Worker
}

// After so many tries an error that might be anything counts as final, the end
// of a child included: it may have been the victim of something else. Outages of
// a dependency are waited for as long as River allows, and a file's for a day.
const (
	internalTries = 4
	rescueLimit   = 10 // a job that took ten workers down with it
)

// Work runs one job, in the trace of whatever asked for it.
func (s *supervisor) Work(ctx context.Context, job *rivertype.JobRow, do func(context.Context) error) error {
	ctx, span := s.worker.Tracer.Resume(ctx, job.Metadata, "work "+job.Kind, trace.Job(job.Kind, job.Queue, job.Attempt)...)
	if job.AttemptedAt != nil {
		span.Set(trace.Waited(job.AttemptedAt.Sub(job.ScheduledAt)))
	}
	err := s.work(ctx, job, do)
	var snoozed *rivertype.JobSnoozeError
	if errors.As(err, &snoozed) {
		span.Set(trace.Outcome("snoozed"))
		span.End(nil)
		return err
	}
	span.Set(trace.Outcome(outcome(ctx, err)))
	span.End(err)
	return err
}

func (s *supervisor) work(ctx context.Context, job *rivertype.JobRow, do func(context.Context) error) error {
	w := s.worker
	defer w.held.take(job.ID)()
	if job.Queue == jobs.QueueTextNow || job.Queue == jobs.QueueOCRNow {
		defer w.Urgency.begin()()
	}
	started := time.Now()
	var err error
	if rescues(job) > rescueLimit {
		err = fault.File(fault.InternalCode, "the file stopped every worker that tried to read it", nil)
	} else {
		err = caught(ctx, do)
	}
	w.metrics.jobSeconds.WithLabelValues(job.Kind, outcome(ctx, err)).Observe(time.Since(started).Seconds())
	if a := w.admissions[job.Queue]; a != nil {
		a.end()
	}
	if err == nil {
		return nil
	}

	// River writes to the job's row after this, and another worker may own it by
	// now. The context may be the reason for the error.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if gone, fenceErr := w.DB.Fenced(after, job.ID, job.Attempt); fenceErr == nil && gone {
		w.Log.ErrorContext(ctx, "the jobs of this worker were given to others, because its heartbeat had stopped: stopping", slog.Int64("job", job.ID))
		w.Fenced()
		<-ctx.Done() // until the process ends: returning would let River write
		return ctx.Err()
	}

	var snoozed *rivertype.JobSnoozeError
	switch {
	case errors.As(err, &snoozed):
		return err // it comes back by itself
	case errors.Is(err, blob.ErrForeign):
		w.fail(ctx, err)
		return river.JobSnooze(time.Second) // for another worker; the try does not count
	case errors.Is(context.Cause(ctx), rivertype.ErrJobCancelledRemotely):
		return river.JobCancel(err)
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return river.JobSnooze(0) // this worker stops; another one runs the job
	case waits(err), outlasts(job, err):
		w.Log.WarnContext(ctx, "job waits", slog.String("kind", job.Kind), slog.Int64("job", job.ID), slog.Any("error", err))
		return river.JobSnooze(waitFor + rand.N(waitFor))
	case !s.final(job, err):
		w.Log.WarnContext(ctx, "job will be tried again", slog.String("kind", job.Kind), slog.Int64("job", job.ID),
			slog.Int("attempt", job.Attempt), slog.Any("error", err))
		return err
	}
	if err := s.giveUp(after, job, err); err != nil {
		w.Log.ErrorContext(ctx, "failure could not be recorded", slog.Int64("job", job.ID), slog.Any("error", err))
		return err
	}
	return river.JobCancel(err)
}

// waitFor is how long a job waits at least for what its file can do nothing about.
const waitFor = 15 * time.Second

// waits reports whether err is of the place and not of the job: somebody has to
// make room. No try is counted, so no file fails of it, however long it lasts.
func waits(err error) bool {
	return fault.KindOf(err) == fault.NoSpace || fault.KindOf(err) == fault.Internal && blob.Full(err)
}

// outage is how long a file waits for what it needs, such as the file store, before it fails:
// somebody may have to be woken. The tries that River counts are used up within a quarter of an hour.
const outage = 24 * time.Hour

// outlasts reports whether a file's job has used up its tries on something that is down, and goes
// on waiting for it.
func outlasts(job *rivertype.JobRow, err error) bool {
	var about jobs.File
	return fault.KindOf(err) == fault.Unavailable && job.Attempt >= job.MaxAttempts && time.Since(job.CreatedAt) < outage &&
		json.Unmarshal(job.EncodedArgs, &about) == nil && about.Attempt > 0
}

// caught runs a job and turns a panic into an error. Otherwise it would be retried
// for as long as an outage, and reported nowhere.
func caught(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do(ctx)
}

// final reports whether another try is pointless.
func (s *supervisor) final(job *rivertype.JobRow, err error) bool {
	switch {
	case fault.Permanent(err), job.Attempt >= job.MaxAttempts:
		return true
	case fault.KindOf(err) == fault.Internal:
		return tries(job) >= internalTries
	}
	return false
}

// giveUp records the end of what the job was about.
func (s *supervisor) giveUp(ctx context.Context, job *rivertype.JobRow, cause error) error {
	var about struct {
		jobs.File
		OperationID string `json:"operation_id"`
	}
	if err := json.Unmarshal(job.EncodedArgs, &about); err != nil {
		return err
	}
	w := s.worker
	attrs := []any{slog.String("kind", job.Kind), slog.Int64("job", job.ID), slog.String("file", about.FileID), slog.Any("error", cause)}
	if fault.KindOf(cause) == fault.Internal {
		w.Log.ErrorContext(ctx, "job failed", attrs...)
	} else {
		w.Log.InfoContext(ctx, "job ended without result", attrs...)
	}
	in, attempt := db.System(about.TeamID), db.Attempt{FileID: about.FileID, Number: about.Attempt}
	failed := false
	err := w.DB.InTx(ctx, func(tx *db.Tx) error {
		switch {
		case job.Kind == jobs.ExecuteChanges{}.Kind():
			var args jobs.ExecuteChanges
			if err := json.Unmarshal(job.EncodedArgs, &args); err != nil {
				return err
			}
			return endUnexecuted(ctx, tx, args, cause)
		case job.Kind == jobs.PrintFile{}.Kind():
			var args jobs.PrintFile
			if err := json.Unmarshal(job.EncodedArgs, &args); err != nil {
				return err
			}
			return endUnmade(ctx, tx, in, args.DocumentID, args.Key, cause)
		case about.OperationID != "":
			return tx.FinishOperation(ctx, in, about.OperationID, nil, fault.Message(cause))
		case job.Kind == jobs.AnalyzeText{}.Kind():
			return endUnanalyzed(ctx, tx, in, attempt)
		case about.Attempt > 0:
			failed = true
			return tx.FailAttempt(ctx, in, attempt, "", cause)
		}
		return nil
	})
	if failed && err == nil {
		w.metrics.failures.WithLabelValues(string(fault.CodeOf(cause))).Inc()
	}
	if fault.Permanent(err) {
		return nil // it is over anyway, or gone
	}
	return err
}

// tries is how often the job was run to an end, this time included.
func tries(job *rivertype.JobRow) int { return job.Attempt - rescues(job) }

// rescues is how often the job was taken over from a dead worker.
func rescues(job *rivertype.JobRow) int {
	var metadata struct {
		Rescued int `json:"rescued"`
	}
	_ = json.Unmarshal(job.Metadata, &metadata) // River's own; zero is the right answer to nonsense
	return metadata.Rescued
}

func outcome(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return "done"
	case ctx.Err() != nil:
		return "interrupted"
	case fault.Permanent(err):
		return "failed"
	default:
		return "retried"
	}
}

// retryPolicy waits 1, 2, 4 … seconds, at most a minute.
type retryPolicy struct{}

// NextRetry says when a job is tried again.
func (retryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	wait := min(time.Second<<min(job.Attempt-1, 6), time.Minute)
	return time.Now().Add(wait)
}
