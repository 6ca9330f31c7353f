package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// cancelled is an operation of who once it was cancelled.
func (b *bundle) cancelled(t *testing.T, who caller, id string) api.Operation {
	t.Helper()
	return get[api.Operation](t, b.call(t, who, "POST /api/operations/"+id+"/cancel", ""), http.StatusOK)
}

// openJobs counts the jobs of an operation that have not ended.
func (b *bundle) openJobs(t *testing.T, id string) (n int) {
	t.Helper()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `
			SELECT count(*) FROM river_job
			WHERE args ->> 'operation_id' = $1 AND state IN ('pending', 'available', 'scheduled', 'retryable', 'running')`, id).Scan(&n)
	}))
	return n
}

// TestCancelReprocessing cancels an operation of which one file is done, one has
// begun and one waits.
func TestCancelReprocessing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	done, begun, waiting, theirs := b.file(t, b.acme), b.file(t, b.acme), b.file(t, b.acme), b.file(t, b.mallory)
	all := get[api.BulkAccepted](t, b.call(t, b.acme, "POST /api/files/bulk/reprocess", `{"all":true}`), http.StatusAccepted)
	b.process(t, b.acme, done.ID)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.EnterStage(t.Context(), b.acme.scope, db.Attempt{FileID: begun.ID, Number: 2}, db.StageExtract)
		return err
	}))
	before, err := b.db.Events(t.Context(), b.acme.scope, 0, 1000)
	require.NoError(t, err)

	get[api.Error](t, b.call(t, b.mallory, "POST /api/operations/"+all.OperationID+"/cancel", ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.acmeKey, "POST /api/operations/"+all.OperationID+"/cancel", ""), http.StatusForbidden)
	op := b.cancelled(t, b.acme, all.OperationID)
	require.Equal(t, []any{"cancelled", 3, 1, 0}, []any{op.State, op.Total, op.Done, op.Failed})
	require.NotNil(t, op.FinishedAt)
	require.Equal(t, op, b.cancelled(t, b.acme, all.OperationID), "twice is once")
	require.Equal(t, op, get[api.Operation](t, b.call(t, b.acme, "GET "+all.StatusURL, ""), http.StatusOK))

	for id, want := range map[string]db.FileStatus{done.ID: db.FileCompleted, begun.ID: db.FileCancelled, waiting.ID: db.FileCancelled} {
		f := get[api.File](t, b.call(t, b.acme, "GET /api/files/"+id, ""), http.StatusOK)
		require.Equal(t, want, f.Status)
		require.Equal(t, want, f.Attempts[0].Status)
		require.Equal(t, 2, f.Attempts[0].Attempt)
		if want == db.FileCancelled {
			require.Zero(t, b.asked(t, b.acme, id))
		}
	}
	row, err := b.db.File(t.Context(), b.mallory.scope, theirs.ID)
	require.NoError(t, err)
	require.Equal(t, db.FileQueued, row.Status)

	after, err := b.db.Events(t.Context(), b.acme.scope, before[len(before)-1].ID, 1000)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		"file.status", "file.cancelled", "file.status", "file.cancelled", "operation.progress", "operation.finished", "notification.created",
	}, kinds(after))
	for _, e := range after {
		if e.SubjectID == op.ID {
			require.Contains(t, string(e.Data), `"cancelled"`)
		}
	}
	require.Equal(t, "operation.cancelled", b.audited(t, b.acme, op.ID))
	require.Contains(t, b.notifications(t, b.acme, "?limit=1").Items[0].Title, "was cancelled")
}

// TestCancelOtherKinds cancels operations that belong to jobs of their own.
func TestCancelOtherKinds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, other := b.file(t, b.alice), b.file(t, b.alice)
	for _, id := range []string{f.ID, other.ID} {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.SetKind(t.Context(), b.alice.scope, id, "pdf", "application/pdf", 1)
		}))
	}
	merged := get[api.Accepted](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/merge", `{"fileIds":["`+other.ID+`"]}`), http.StatusAccepted)
	types := get[api.Accepted](t, b.call(t, b.alice, "POST /api/document-types/analyze", ""), http.StatusAccepted)
	gone := get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/delete", `{"all":true}`), http.StatusAccepted)
	for _, id := range []string{merged.OperationID, types.OperationID, gone.OperationID} {
		require.NotZero(t, b.openJobs(t, id))
		op := b.cancelled(t, b.alice, id)
		require.Equal(t, []any{"cancelled", 0}, []any{op.State, op.Done})
		require.Zero(t, b.openJobs(t, id))

		// Whoever works on it all the same finds out before anything is kept.
		for _, step := range []func(tx *db.Tx) error{
			func(tx *db.Tx) error { return tx.HoldOperation(t.Context(), b.alice.scope, id) },
			func(tx *db.Tx) error { return tx.StepOperation(t.Context(), b.alice.scope, id, 1, nil) },
			func(tx *db.Tx) error { return tx.FinishOperation(t.Context(), b.alice.scope, id, nil, "") },
			func(tx *db.Tx) error { return tx.FinishOperation(t.Context(), b.alice.scope, id, nil, "it failed") },
		} {
			require.ErrorIs(t, b.db.InTx(t.Context(), step), db.ErrCancelled)
		}
	}
	changed := get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/update-metadata", `{"all":true,"set":{"a":1}}`), http.StatusAccepted)
	e := get[api.Error](t, b.call(t, b.alice, "POST "+changed.StatusURL+"/cancel", ""), http.StatusConflict)
	require.Contains(t, e.Message, "completed")
	get[api.Error](t, b.call(t, b.alice, "POST /api/operations/"+db.NewID()+"/cancel", ""), http.StatusNotFound)
}

// TestCancelFollowing cancels an operation that waits for what somebody else has
// asked for.
func TestCancelFollowing(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t) // whose time goes on
	b := newBundle(t, d)
	f := b.file(t, b.alice)
	follows := get[api.FileAnalysis](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/analysis", ""), http.StatusAccepted)
	require.Equal(t, "cancelled", b.cancelled(t, b.alice, follows.OperationID).State)
	row, err := d.File(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	require.Equal(t, db.FileQueued, row.Status, "the upload asked for it")
	require.Equal(t, 1, b.asked(t, b.alice, f.ID))

	again := get[api.Accepted](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/reprocess", ""), http.StatusAccepted)
	require.Equal(t, "cancelled", b.cancelled(t, b.alice, again.OperationID).State)
	row, err = d.File(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	require.Equal(t, db.FileCancelled, row.Status)
	require.Zero(t, b.asked(t, b.alice, f.ID))
}
