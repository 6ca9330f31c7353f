package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/webhook"
)

// pauses are between the attempts of a delivery: about a day in all. A webhook
// that has failed more often than the delivery rests for as long as that is worth.
var pauses = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
	2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 10 * time.Hour,
}

// deliverWebhook sends one event to one webhook.
type deliverWebhook struct {
	river.WorkerDefaults[jobs.DeliverWebhook]
	*Worker
}

// Work makes one attempt, and comes back for the next one. While a webhook rests
// after a failure, its other deliveries wait with it.
func (w *deliverWebhook) Work(ctx context.Context, job *river.Job[jobs.DeliverWebhook]) error {
	ref := db.DeliveryRef{ID: job.Args.DeliveryID, TeamID: job.Args.TeamID, Round: job.Args.Round}
	due, err := w.DB.DueDelivery(ctx, ref)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return w.DB.InTx(ctx, func(tx *db.Tx) error { return tx.DropDelivery(ctx, ref) })
	}
	if err != nil {
		return err
	}
	if due.ResumeAt != nil {
		if rest := time.Until(*due.ResumeAt); rest > 0 {
			return river.JobSnooze(rest)
		}
	}
	attempt, pause := db.DeliveryAttempt{State: db.DeliveryDelivered}, time.Duration(0)
	secrets := []string{due.Secret}
	if due.Previous != nil {
		secrets = append(secrets, *due.Previous)
	}
	status, err := w.hooks.Send(ctx, webhook.Request{URL: due.URL, Secrets: secrets, ID: due.ID, Body: []byte(due.Payload)})
	if ctx.Err() != nil {
		return ctx.Err() // the worker stops: that says nothing of the receiver
	}
	if status != 0 {
		attempt.StatusCode = &status
	}
	if err != nil {
		attempt.State, attempt.Error = db.DeliveryFailed, err.Error()
		if due.Attempts < len(pauses) {
			pause = pauses[min(max(due.Attempts, due.Failures), len(pauses)-1)]
			next := time.Now().Add(pause)
			attempt.State, attempt.NextAt = db.DeliveryPending, &next
		}
	}
	err = w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.Fence(ctx, job.ID, job.Attempt); err != nil {
			return err
		}
		return tx.SaveDelivery(ctx, ref, attempt)
	})
	if err == nil && attempt.State == db.DeliveryPending {
		return river.JobSnooze(pause)
	}
	return err
}

// askEvery is how often events are looked for that webhooks are to be sent.
const (
	askEvery = 500 * time.Millisecond
	askBatch = 200
)

// keepAsking asks for a job for each delivery that an event has brought. Both are
// one transaction: a delivery has a job, or is found again.
func (w *Worker) keepAsking(ctx context.Context) {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		for more := true; more; {
			asked, err := w.askDeliveries(ctx)
			if err != nil && ctx.Err() == nil {
				w.Log.WarnContext(ctx, "deliveries could not be asked for", slog.Any("error", err))
			}
			more = err == nil && asked == askBatch
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (w *Worker) askDeliveries(ctx context.Context) (asked int, err error) {
	err = w.DB.InTx(ctx, func(tx *db.Tx) error {
		refs, err := tx.AskDeliveries(ctx, askBatch)
		if err != nil || len(refs) == 0 {
			return err
		}
		asked = len(refs)
		return jobs.Insert(ctx, w.river, tx.Raw, deliveries(refs)...)
	})
	return asked, err
}

func deliveries(refs []db.DeliveryRef) []jobs.Args {
	list := make([]jobs.Args, len(refs))
	for i, ref := range refs {
		list[i] = jobs.DeliverWebhook{DeliveryID: ref.ID, TeamID: ref.TeamID, Round: ref.Round}
	}
	return list
}

// Deliver is the db.Deliver whose jobs a worker works.
func Deliver(client *jobs.Client) db.Deliver {
	return func(ctx context.Context, tx pgx.Tx, refs []db.DeliveryRef) error {
		return jobs.Insert(ctx, client, tx, deliveries(refs)...)
	}
}
