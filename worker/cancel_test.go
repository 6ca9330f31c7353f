package worker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// ask begins an operation over so many things with a job of its own.
func (m *mill) ask(kind string, total int, job func(operationID string) jobs.Args) (op db.Operation) {
	m.t.Helper()
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(m.t.Context(), m.in, kind, total, nil); err != nil {
			return err
		}
		return jobs.Insert(m.t.Context(), m.client, tx.Raw, job(op.ID))
	}))
	return op
}

// cancelOperation ends an operation as the API does.
func (m *mill) cancelOperation(id string) db.Operation {
	m.t.Helper()
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) error {
		running, err := tx.CancelOperation(m.t.Context(), m.in, id)
		if err != nil {
			return err
		}
		return jobs.Cancel(m.t.Context(), m.client, tx.Raw, running)
	}))
	op, err := m.db.Operation(m.t.Context(), m.in, id)
	require.NoError(m.t, err)
	return op
}

// ended waits until no job of an operation is left.
func (m *mill) ended(id string) {
	m.t.Helper()
	require.Eventually(m.t, func() bool {
		var n int
		err := m.db.Pool().QueryRow(m.t.Context(), `
			SELECT count(*) FROM river_job
			WHERE args ->> 'operation_id' = $1 AND state IN ('pending', 'available', 'scheduled', 'retryable', 'running')`, id).Scan(&n)
		return err == nil && n == 0
	}, time.Minute, 10*time.Millisecond)
}

// TestCancelDeletion stops a deletion in the middle.
func TestCancelDeletion(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	var ids []string
	for range 300 {
		f := db.NewFile{ID: db.NewID(), Name: "note.txt", Size: 1, SHA256: []byte("x"), Source: "upload"}
		require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.CreateFile(t.Context(), m.in, f)
			return err
		}))
		ids = append(ids, f.ID)
	}
	m.start()
	op := m.ask("delete", len(ids), func(id string) jobs.Args {
		return jobs.DeleteFiles{OperationID: id, TeamID: m.in.TeamID, ActorKind: m.in.ActorKind, ActorID: m.in.ActorID, FileIDs: ids}
	})
	require.Eventually(t, func() bool {
		now, err := m.db.Operation(t.Context(), m.in, op.ID)
		return err == nil && now.Done > 0
	}, time.Minute, time.Millisecond)
	cancelled := m.cancelOperation(op.ID)
	require.Equal(t, "cancelled", cancelled.State)
	m.ended(op.ID)
	left, err := m.db.CountFiles(t.Context(), m.in, db.FileFilter{})
	require.NoError(t, err)
	require.Positive(t, left)
	require.Equal(t, len(ids)-cancelled.Done, left, "what is counted is gone, and no more")
	after, err := m.db.Operation(t.Context(), m.in, op.ID)
	require.NoError(t, err)
	require.Equal(t, cancelled, after)
}

// TestCancelRecognition stops the reading of a long scan, and the child that is
// at it.
func TestCancelRecognition(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	f := m.upload("contract.pdf", fixture(t, "two-pages.pdf"))
	m.start()
	m.wait(f.ID)
	var op db.Operation
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(t.Context(), m.in, "reprocess", 1, nil); err != nil {
			return err
		}
		attempts, err := tx.RestartFiles(t.Context(), m.in, []string{f.ID}, db.FileOptions{OCR: "force"})
		if err != nil {
			return err
		}
		if err := tx.FollowFiles(t.Context(), op.ID, attempts); err != nil {
			return err
		}
		return jobs.Insert(t.Context(), m.client, tx.Raw, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: m.in.TeamID, Attempt: attempts[0].Number}})
	}))
	require.Eventually(t, func() bool {
		now, err := m.db.File(t.Context(), m.in, f.ID)
		return err == nil && now.Status == db.FileProcessing
	}, time.Minute, time.Millisecond)
	require.Equal(t, "cancelled", m.cancelOperation(op.ID).State)
	file, err := m.db.File(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	require.Equal(t, db.FileCancelled, file.Status)
	require.Eventually(t, func() bool {
		open, err := m.db.FileJobs(t.Context(), m.in, []string{f.ID})
		return err == nil && len(open) == 0
	}, time.Minute, 10*time.Millisecond)
	require.NotEmpty(t, m.text(f.ID), "what was read before stays")
}

// TestCancelledMerge works on a merge whose cancelling it did not hear of.
func TestCancelledMerge(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	first := m.upload("a.pdf", fixture(t, "two-pages.pdf"))
	w := m.start()
	m.wait(first.ID)
	require.NoError(t, w.Stop(t.Context()))
	merged := db.NewID()
	op := m.ask("merge", 1, func(id string) jobs.Args {
		return jobs.MergeFiles{
			OperationID: id, TeamID: m.in.TeamID, ActorKind: m.in.ActorKind, ActorID: m.in.ActorID,
			FileID: merged, Name: "both.pdf", Sources: []string{first.ID, first.ID},
		}
	})
	m.cancelOperation(op.ID)
	_, err := m.db.Pool().Exec(t.Context(), `UPDATE river_job SET state = 'available', finalized_at = NULL WHERE args ->> 'operation_id' = $1`, op.ID)
	require.NoError(t, err)
	m.start()
	m.ended(op.ID)
	files, err := m.db.CountFiles(t.Context(), m.in, db.FileFilter{})
	require.NoError(t, err)
	require.Equal(t, 1, files, "nothing of it was kept")
}
