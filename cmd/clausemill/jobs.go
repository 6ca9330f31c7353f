package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	queue "github.com/clausemill/clausemill/jobs"
)

// jobCommands is the job queue for whoever runs the installation.
type jobCommands struct {
	List   listJobs   `cmd:"" help:"List jobs of all teams, newest first."`
	Retry  retryJobs  `cmd:"" help:"Run jobs again that were discarded or cancelled, or wait for their next attempt."`
	Cancel cancelJobs `cmd:"" help:"Cancel jobs that have not ended, and with them the file or operation that they are for."`
}

// jobFilter selects jobs.
type jobFilter struct {
	State []string `placeholder:"STATE" enum:"pending,available,scheduled,running,retryable,discarded,cancelled,completed" help:"Only jobs in these states: ${enum}."`
	Kind  []string `placeholder:"KIND" help:"Only these kinds of job: extract_text, recognize_pages, …"`
	Queue []string `placeholder:"QUEUE" help:"Only jobs of these queues: ocr, text, index, upkeep, webhook, …"`
	Team  string   `placeholder:"ID" help:"Only jobs of this team."`
	File  string   `placeholder:"ID" help:"Only jobs of this file."`
	Limit int      `default:"100" help:"Jobs at most, up to 10000."`
}

// Validate bounds what River is asked for.
func (f *jobFilter) Validate() error {
	if f.Limit < 1 || f.Limit > 10_000 {
		return errors.New("--limit must be from 1 to 10000")
	}
	return nil
}

// narrow reports whether f selects anything but all jobs.
func (f *jobFilter) narrow() bool {
	return len(f.State)+len(f.Kind)+len(f.Queue) > 0 || f.Team != "" || f.File != ""
}

// params is f for River, with states where f names none.
func (f *jobFilter) params(states ...rivertype.JobState) *river.JobListParams {
	if len(f.State) > 0 {
		states = nil
		for _, s := range f.State {
			states = append(states, rivertype.JobState(s))
		}
	}
	p := river.NewJobListParams().OrderBy(river.JobListOrderByID, river.SortOrderDesc).First(f.Limit)
	if len(states) > 0 {
		p = p.States(states...)
	}
	if len(f.Kind) > 0 {
		p = p.Kinds(f.Kind...)
	}
	if len(f.Queue) > 0 {
		p = p.Queues(f.Queue...)
	}
	if f.Team != "" {
		p = p.Where("args ->> 'team_id' = @team", river.NamedArgs{"team": f.Team})
	}
	if f.File != "" {
		p = p.Where("args ->> 'file_id' = @file", river.NamedArgs{"file": f.File})
	}
	return p
}

// jobRow is a job as it is printed.
type jobRow struct {
	ID          int64           `json:"id"`
	Kind        string          `json:"kind"`
	Queue       string          `json:"queue"`
	State       string          `json:"state"`
	Attempt     int             `json:"attempt"`
	MaxAttempts int             `json:"maxAttempts"`
	CreatedAt   time.Time       `json:"createdAt"`
	ScheduledAt time.Time       `json:"scheduledAt"`
	FinalizedAt *time.Time      `json:"finalizedAt,omitempty"`
	LastError   string          `json:"lastError,omitempty"`
	Args        json.RawMessage `json:"args"`
}

func newJobRow(j *rivertype.JobRow) jobRow {
	row := jobRow{
		ID: j.ID, Kind: j.Kind, Queue: j.Queue, State: string(j.State), Attempt: j.Attempt, MaxAttempts: j.MaxAttempts,
		CreatedAt: j.CreatedAt.UTC(), ScheduledAt: j.ScheduledAt.UTC(), FinalizedAt: j.FinalizedAt, Args: j.EncodedArgs,
	}
	if n := len(j.Errors); n > 0 {
		row.LastError = j.Errors[n-1].Error
	}
	return row
}

// listJobs shows jobs.
type listJobs struct {
	setup.Database `embed:"" group:"Settings:"`
	jobFilter      `embed:""`
	output         `embed:""`
}

// Run prints a table, or all there is of each job as JSON.
func (l *listJobs) Run(ctx context.Context, c console) error {
	database, client, err := l.OpenQueue(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	found, err := client.JobList(ctx, l.params())
	if err != nil {
		return err
	}
	rows := make([]jobRow, len(found.Jobs))
	for i, j := range found.Jobs {
		rows[i] = newJobRow(j)
	}
	return table(c, l.output, "ID|KIND|QUEUE|STATE|ATTEMPT|CREATED|LAST ERROR", rows, func(j jobRow) []string {
		const short = 100 // characters of an error that fit a line
		said := []rune(j.LastError)
		return []string{
			strconv.FormatInt(j.ID, 10), j.Kind, j.Queue, j.State, fmt.Sprintf("%d/%d", j.Attempt, j.MaxAttempts), j.CreatedAt.Format(time.DateTime),
			string(said[:min(len(said), short)]),
		}
	})
}

// chosen is which jobs a command changes: by id, or by what they are.
type chosen struct {
	jobFilter `embed:""`

	IDs []int64 `arg:"" optional:"" name:"id" help:"Ids of jobs, from 'clausemill jobs list'."`
}

// Validate refuses to change all jobs because of a forgotten word.
func (s *chosen) Validate() error {
	if len(s.IDs) == 0 && !s.narrow() {
		return errors.New("name jobs by their ids, or by --state, --kind, --queue, --team or --file")
	}
	if len(s.IDs) > 0 && s.narrow() {
		return errors.New("name jobs either by ids or by what they are")
	}
	return s.jobFilter.Validate()
}

// find lists the jobs, those in states where no others were asked for.
func (s *chosen) find(ctx context.Context, client *queue.Client, states ...rivertype.JobState) ([]*rivertype.JobRow, error) {
	if len(s.IDs) == 0 {
		found, err := client.JobList(ctx, s.params(states...))
		if err != nil {
			return nil, err
		}
		return found.Jobs, nil
	}
	var all []*rivertype.JobRow
	for _, id := range s.IDs {
		j, err := client.JobGet(ctx, id)
		if errors.Is(err, rivertype.ErrNotFound) {
			return nil, fmt.Errorf("there is no job %d", id)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, j)
	}
	return all, nil
}

// changed is a job that was changed, as it is printed.
type changed struct {
	ID    int64  `json:"id"`
	Kind  string `json:"kind"`
	State string `json:"state"`
}

// change does something to each of the jobs, and prints what became of them.
func (s *chosen) change(ctx context.Context, c console, d setup.Database, o output, states []rivertype.JobState, do func(client *queue.Client, database *db.DB, j *rivertype.JobRow) error) error {
	database, client, err := d.OpenQueue(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	found, err := s.find(ctx, client, states...)
	if err != nil {
		return err
	}
	var rows []changed
	for _, j := range found {
		var after *rivertype.JobRow
		if err = do(client, database, j); err == nil {
			after, err = client.JobGet(ctx, j.ID)
		}
		if errors.Is(err, rivertype.ErrNotFound) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return fmt.Errorf("job %d: %w", j.ID, err)
		}
		rows = append(rows, changed{after.ID, after.Kind, string(after.State)})
	}
	return table(c, o, "ID|KIND|STATE", rows, func(r changed) []string { return []string{strconv.FormatInt(r.ID, 10), r.Kind, r.State} })
}

// retryJobs runs jobs again.
type retryJobs struct {
	setup.Database `embed:"" group:"Settings:"`
	chosen         `embed:""`
	output         `embed:""`
}

// Run leaves out jobs that run. The steps of a file do nothing where the file has
// ended or has another attempt: reprocess that one by the API.
func (r *retryJobs) Run(ctx context.Context, c console) error {
	ended := []rivertype.JobState{rivertype.JobStateDiscarded, rivertype.JobStateCancelled, rivertype.JobStateRetryable}
	return r.change(ctx, c, r.Database, r.output, ended, func(client *queue.Client, _ *db.DB, j *rivertype.JobRow) error {
		_, err := client.JobRetry(ctx, j.ID)
		return err
	})
}

// cancelJobs ends jobs.
type cancelJobs struct {
	setup.Database `embed:"" group:"Settings:"`
	chosen         `embed:""`
	output         `embed:""`
}

// Run cancels the attempt of a file or the operation that a job belongs to, as the
// API does, so that nothing waits for a job that never comes.
func (r *cancelJobs) Run(ctx context.Context, c console) error {
	open := []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}
	return r.change(ctx, c, r.Database, r.output, open, func(client *queue.Client, database *db.DB, j *rivertype.JobRow) error {
		return database.InTx(ctx, func(tx *db.Tx) error { return cancelJob(ctx, client, tx, j) })
	})
}

func cancelJob(ctx context.Context, client *queue.Client, tx *db.Tx, j *rivertype.JobRow) error {
	var of struct {
		TeamID      string `json:"team_id"`
		FileID      string `json:"file_id"`
		Attempt     int    `json:"attempt"`
		OperationID string `json:"operation_id"`
	}
	if err := json.Unmarshal(j.EncodedArgs, &of); err != nil {
		return err
	}
	in, running := db.System(of.TeamID), []int64{j.ID}
	ended := func(err error) bool { k := fault.KindOf(err); return k == fault.NotFound || k == fault.Conflict }
	switch {
	case of.OperationID != "":
		more, err := tx.CancelOperation(ctx, in, of.OperationID)
		if err != nil && !ended(err) {
			return err
		}
		running = append(running, more...)
	case of.FileID != "" && of.Attempt > 0:
		if err := tx.LockFiles(ctx, in, []string{of.FileID}); err != nil {
			return err
		}
		f, err := tx.FileForUpdate(ctx, in, of.FileID)
		switch {
		case err != nil && !ended(err):
			return err
		case err == nil && f.Attempt == of.Attempt && !f.Status.Terminal():
			if _, err := tx.CancelFile(ctx, in, of.FileID); err != nil {
				return err
			}
			more, err := tx.CancelWaitingJobs(ctx, in, []string{of.FileID})
			if err != nil {
				return err
			}
			running = append(running, more...)
		}
	}
	return queue.Cancel(ctx, client, tx.Raw, running)
}
