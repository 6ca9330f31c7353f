package db_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

// TestEventsAreNeverSkipped: whoever has seen an event has seen every one with a
// lower id, however long their transactions took.
func TestEventsAreNeverSkipped(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "a@example.com")
	const writers, each = 8, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				err := d.InTx(t.Context(), func(tx *db.Tx) error {
					_, err := tx.CreateFile(t.Context(), in, db.NewFile{ID: db.NewID(), Name: "x", SHA256: []byte{byte(w), byte(i)}, Source: "upload"})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	seen := map[int64]bool{}
	last, finished := int64(0), make(chan struct{})
	go func() { wg.Wait(); close(finished) }()
	for done := false; !done; {
		select {
		case <-finished:
			done = true // and look once more
		default:
		}
		events, err := d.Events(t.Context(), in, last, 7)
		require.NoError(t, err)
		for _, e := range events {
			require.Greater(t, e.ID, last)
			last, seen[e.ID] = e.ID, true
		}
		done = done && len(events) == 0
	}
	require.Len(t, seen, writers*each)
	end, err := d.LastEvent(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, last, end)
}

func TestOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, g := b.file(t, b.ours), b.file(t, b.ours)
	var followed, stepped db.Operation
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		files, err := tx.RestartFiles(t.Context(), b.ours, []string{f.ID, g.ID, db.NewID()}, db.FileOptions{OCR: "force"})
		require.NoError(t, err)
		require.Len(t, files, 2)
		require.Equal(t, 2, files[0].Number)
		again, err := tx.File(t.Context(), b.ours, f.ID)
		require.NoError(t, err)
		require.Equal(t, "force", again.Options.OCR)
		followed, err = tx.CreateOperation(t.Context(), b.ours, "reprocess", 2, []db.ItemError{{FileID: "x", Error: "not found"}})
		require.NoError(t, err)
		require.NoError(t, tx.FollowFiles(t.Context(), followed.ID, files))
		stepped, err = tx.CreateOperation(t.Context(), b.ours, "delete", 2, nil)
		return err
	}))

	op, err := b.db.Operation(t.Context(), b.ours, followed.ID)
	require.NoError(t, err)
	require.Equal(t, "running", op.State)
	require.Zero(t, op.Done)
	attempts, err := b.db.FileAttempts(t.Context(), b.ours, f.ID)
	require.NoError(t, err)
	require.Len(t, attempts, 1)
	require.Equal(t, db.FileCancelled, attempts[0].Status, "it was queued")
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.CancelFile(t.Context(), b.ours, f.ID)
		require.NoError(t, err)
		_, err = tx.DeleteFile(t.Context(), b.ours, g.ID)
		return err
	}))
	op, err = b.db.Operation(t.Context(), b.ours, followed.ID)
	require.NoError(t, err)
	require.Equal(t, "completed", op.State)
	require.Equal(t, 2, op.Done)
	_, err = b.db.Operation(t.Context(), b.theirs, followed.ID)
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		require.NoError(t, tx.StepOperation(t.Context(), b.ours, stepped.ID, 1, []db.ItemError{{FileID: f.ID, Error: "no"}}))
		return tx.StepOperation(t.Context(), b.ours, stepped.ID, 1, nil)
	}))
	op, err = b.db.Operation(t.Context(), b.ours, stepped.ID)
	require.NoError(t, err)
	require.Equal(t, "completed", op.State)
	require.Equal(t, 1, op.Failed)
	require.Len(t, op.Errors, 1)
	require.NotNil(t, op.FinishedAt)

	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		o, err := tx.CreateOperation(t.Context(), b.ours, "merge", 1, nil)
		require.NoError(t, err)
		require.NoError(t, tx.FinishOperation(t.Context(), b.ours, o.ID, map[string]string{"fileId": f.ID}, ""))
		op, err = tx.Operation(t.Context(), b.ours, o.ID)
		return err
	}))
	require.JSONEq(t, `{"fileId":"`+f.ID+`"}`, string(op.Result))

	list, err := b.db.Operations(t.Context(), b.ours, "", 10)
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Equal(t, op, list[0])
	list, err = b.db.Operations(t.Context(), b.ours, stepped.ID, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "completed", list[0].State, "as it reads by itself")
	list, err = b.db.Operations(t.Context(), b.theirs, "", 10)
	require.NoError(t, err)
	require.Empty(t, list)

	audit, err := b.db.AuditEvents(t.Context(), b.ours, f.ID, 10)
	require.NoError(t, err)
	require.Equal(t, "file.cancelled", audit[0].Action)
	require.Equal(t, b.ours.ActorID, *audit[0].ActorID)
}

// TestFollowedFiles ends the files of an operation in any order: it ends with the last of
// them, also where some are read again meanwhile, or come to it later.
func TestFollowedFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var ids []string
		for range 6 {
			ids = append(ids, b.file(t, b.ours).ID)
		}
		var op db.Operation
		attempts := map[string]int{}
		follow := func(tx *db.Tx, ids []string) {
			files, err := tx.RestartFiles(t.Context(), b.ours, ids, db.FileOptions{})
			require.NoError(t, err)
			for _, a := range files {
				attempts[a.FileID] = a.Number
			}
			require.NoError(t, tx.FollowFiles(t.Context(), op.ID, files))
		}
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
			op, err = tx.CreateOperation(t.Context(), b.ours, "reprocess", len(ids), nil)
			follow(tx, ids[:4])
			return err
		}))
		left := slices.Clone(ids)
		random.Shuffle(4, func(i, j int) { left[i], left[j] = left[j], left[i] })
		for n, id := range left {
			state := "running"
			if n == len(left)-1 {
				state = "completed"
			}
			require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
				if n == 2 { // two more, one of them ends first
					follow(tx, ids[4:])
				}
				if random.IntN(3) == 0 { // who overtakes an attempt ends it as well
					_, err := tx.RestartFiles(t.Context(), b.ours, []string{id}, db.FileOptions{})
					return err
				}
				return tx.FailAttempt(t.Context(), b.ours, db.Attempt{FileID: id, Number: attempts[id]}, db.StageReceived, errors.New("no"))
			}))
			rows, _ := b.db.Conn().Query(t.Context(), `SELECT state FROM operations WHERE id = $1`, op.ID)
			stored, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
			require.NoError(t, err)
			require.Equal(t, state, stored, "%d of %d files have ended", n+1, len(left))
		}
	}
}

func TestIdempotentAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		first, err := tx.Idempotent(t.Context(), b.ours, "upload", "k", []byte("body"))
		require.NoError(t, err)
		require.Nil(t, first)
		require.NoError(t, tx.RememberAnswer(t.Context(), b.ours, "upload", "k", json.RawMessage(`{"id":"1"}`)))
		again, err := tx.Idempotent(t.Context(), b.ours, "upload", "k", []byte("body"))
		require.NoError(t, err)
		require.JSONEq(t, `{"id":"1"}`, string(again))
		_, err = tx.Idempotent(t.Context(), b.ours, "upload", "k", []byte("other"))
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		colleague := b.ours
		colleague.ActorID = db.NewID()
		own, err := tx.Idempotent(t.Context(), colleague, "upload", "k", []byte("body"))
		require.NoError(t, err)
		require.Nil(t, own, "what one member was answered is not another's")
		theirs, err := tx.Idempotent(t.Context(), b.theirs, "upload", "k", []byte("other"))
		require.NoError(t, err)
		require.Nil(t, theirs, "another team's key is another key")
		return nil
	}))
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.ours)
	move := func(stage db.LifecycleStage) (after db.File, err error) {
		err = b.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, after, err = tx.SetLifecycleStage(t.Context(), b.ours, f.ID, stage)
			return err
		})
		return after, err
	}
	for _, step := range []struct {
		to   db.LifecycleStage
		want db.LifecycleStage
		kind fault.Kind
	}{
		{"", "review", 0},
		{"active", "active", 0},
		{"draft", "", fault.Conflict},
		{"signature", "signature", 0},
		{"expired", "expired", 0},
		{"terminated", "", fault.Conflict},
		{"archived", "archived", 0},
		{"archived", "", fault.Conflict},
		{"", "", fault.Conflict},
		{"nonsense", "", fault.Invalid},
		{"negotiation", "negotiation", 0}, // who may is the API's to say
	} {
		after, err := move(step.to)
		if step.want != "" {
			require.NoError(t, err, step.to)
			require.Equal(t, step.want, after.LifecycleStage)
		} else {
			require.Equal(t, step.kind, fault.KindOf(err), step.to)
		}
	}
	require.Equal(t, db.LifecycleStage("expired"), db.LifecycleStage("active").Next())
	require.Len(t, db.LifecycleStages(), 9)
}

// TestPruneDeliveries keeps the log of a webhook for thirty days.
func TestPruneDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	url, secret := "https://example.com", "s"
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		hook, err := tx.CreateWebhook(t.Context(), b.ours, db.WebhookChange{URL: &url, Secret: &secret})
		require.NoError(t, err)
		age := func(days int) string {
			d, err := tx.Ping(t.Context(), b.ours, hook.ID)
			require.NoError(t, err)
			_, err = tx.Raw.Exec(t.Context(), `UPDATE webhook_deliveries SET created_at = now() - make_interval(days => $2, mins => 1) WHERE id = $1`, d.ID, days)
			require.NoError(t, err)
			return d.ID
		}
		young := age(29)
		age(30)
		require.NoError(t, tx.Prune(t.Context()))
		left, err := tx.Deliveries(t.Context(), b.ours, hook.ID, db.DeliveryFilter{}, "", 10)
		require.NoError(t, err)
		require.Len(t, left, 1)
		require.Equal(t, young, left[0].ID)
		return nil
	}))
}
