package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/clausemill/clausemill/trace"
)

// Client inserts and works jobs. It is an alias, so that rooms which hold one
// need not know pgx.
type Client = river.Client[pgx.Tx]

// Args is the arguments of any job, an alias for the same reason.
type Args = river.JobArgs

// The queues; each is scaled on its own. The two ending in Now are fast lanes, for
// work that should not wait behind an import.
const (
	QueueOCR     = "ocr"      // minutes of CPU
	QueueOCRNow  = "ocr_now"  //
	QueueText    = "text"     // seconds of CPU
	QueueTextNow = "text_now" //
	QueueIndex   = "index"    // waits for the search engine
	QueueUpkeep  = "upkeep"   // periodic chores, deletes
	QueueWebhook = "webhook"  // waits for addresses elsewhere
)

// Queues lists all of them.
var Queues = []string{QueueOCR, QueueOCRNow, QueueText, QueueTextNow, QueueIndex, QueueUpkeep, QueueWebhook}

// Fair lists the queues whose jobs go through the fair scheduler.
var Fair = []string{QueueOCR, QueueText}

// The priorities within a queue. What is begun is finished before something
// new is begun, so that an import yields its first documents early.
const (
	finishFirst = 1
	beginLater  = 2
	afterAll    = 4 // lower than anything a user asked for
)

// Completer checks the fencing token of a job: Follow needs it from a transaction
// to prove that the job still belongs to this worker.
type Completer interface {
	Fence(ctx context.Context, jobID int64, attempt int) error
}

// Follow completes job and enqueues next in tx, so that the chain of steps cannot
// break between the two. It fails if the job was given to another worker in the
// meantime; then tx must be rolled back.
func Follow[A river.JobArgs](ctx context.Context, tx pgx.Tx, fence Completer, job *river.Job[A], next ...river.JobArgs) error {
	if err := fence.Fence(ctx, job.ID, job.Attempt); err != nil {
		return err
	}
	if len(next) > 0 {
		if err := Insert(ctx, river.ClientFromContext[pgx.Tx](ctx), tx, next...); err != nil {
			return err
		}
	}
	if _, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job); err != nil {
		return fmt.Errorf("complete the job: %w", err)
	}
	return nil
}

// Insert enqueues jobs in tx. Jobs of a trace keep it in their metadata, for the
// workers to continue it however often they are tried. River takes all options from the arguments except
// the state pending, which has to be passed when the job is inserted.
//
// A job that is there already is not inserted once more.
func Insert(ctx context.Context, client *Client, tx pgx.Tx, list ...river.JobArgs) error {
	return insert(ctx, list, func(ctx context.Context, params []river.InsertManyParams) error {
		_, err := client.InsertManyTx(ctx, tx, params)
		return err
	})
}

// InsertNew is Insert for many jobs of which none can be there, such as those of new attempts:
// Postgres takes them as a COPY, which fails where one is.
func InsertNew(ctx context.Context, client *Client, tx pgx.Tx, list ...river.JobArgs) error {
	return insert(ctx, list, func(ctx context.Context, params []river.InsertManyParams) error {
		_, err := client.InsertManyFastTx(ctx, tx, params)
		return err
	})
}

func insert(ctx context.Context, list []river.JobArgs, do func(context.Context, []river.InsertManyParams) error) error {
	ctx, span := trace.Start(ctx, trace.Producer, "insert "+kindOf(list), trace.Jobs(len(list)))
	metadata := trace.Metadata(ctx)
	params := make([]river.InsertManyParams, len(list))
	for i, next := range list {
		params[i] = river.InsertManyParams{Args: next, InsertOpts: &river.InsertOpts{Metadata: metadata}}
		if own, ok := next.(river.JobArgsWithInsertOpts); ok {
			params[i].InsertOpts.Pending = own.InsertOpts().Pending
		}
	}
	err := do(ctx, params)
	if err != nil {
		err = fmt.Errorf("enqueue: %w", err)
	}
	span.End(err)
	return err
}

// kindOf is the kind of jobs, or "jobs" where they are of several.
func kindOf(list []river.JobArgs) string {
	for _, next := range list {
		if next.Kind() != list[0].Kind() {
			return "jobs"
		}
	}
	if len(list) == 0 {
		return "jobs"
	}
	return list[0].Kind()
}

// once makes a second identical job a no-op for as long as River keeps the first
// one.
var once = river.UniqueOpts{ByArgs: true}

// Cancel cancels jobs in tx: waiting ones at once, running ones through their
// worker, which stops them shortly after the commit. Lock the rows that the jobs
// are about first, as the workers do.
func Cancel(ctx context.Context, client *Client, tx pgx.Tx, ids []int64) error {
	for _, id := range ids {
		if _, err := client.JobCancelTx(ctx, tx, id); err != nil && !errors.Is(err, river.ErrNotFound) {
			return fmt.Errorf("cancel a job: %w", err)
		}
	}
	return nil
}
