package db_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

// step is a job about a file.
type step struct {
	FileID string `json:"file_id"`
	TeamID string `json:"team_id"`
	Step   string `json:"step"`
}

func (step) Kind() string { return "step" }

// ask inserts a job about f.
func ask(t *testing.T, tx *db.Tx, f db.File, name string) {
	t.Helper()
	queue, err := river.NewClient(riverpgxv5.New(nil), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	_, err = queue.InsertTx(t.Context(), tx.Raw, step{f.ID, f.TeamID, name}, nil)
	require.NoError(t, err)
}

func TestCancelWaitingJobs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, other, theirs := b.file(t, b.ours), b.file(t, b.ours), b.file(t, b.theirs)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for _, row := range []db.File{f, other, theirs} {
			ask(t, tx, row, "waits")
			ask(t, tx, row, "runs")
		}
		_, err := tx.Raw.Exec(t.Context(), `UPDATE river_job SET state = 'running' WHERE args ->> 'step' = 'runs'`)
		require.NoError(t, err)

		require.NoError(t, tx.LockFiles(t.Context(), b.ours, []string{f.ID, theirs.ID}))
		running, err := tx.CancelWaitingJobs(t.Context(), b.ours, []string{f.ID, theirs.ID})
		require.NoError(t, err)
		require.Len(t, running, 1)
		left := map[string]int{}
		for _, row := range []db.File{f, other, theirs} {
			scope := b.ours
			if row.TeamID != scope.TeamID {
				scope = b.theirs
			}
			work, err := tx.FileJobStates(t.Context(), scope, row.ID)
			require.NoError(t, err)
			left[row.ID] = len(work)
		}
		require.Equal(t, map[string]int{f.ID: 1, other.ID: 2, theirs.ID: 2}, left)
		again, err := tx.CancelWaitingJobs(t.Context(), b.ours, []string{f.ID})
		require.NoError(t, err)
		require.Equal(t, running, again, "what runs is for its worker to stop")
		return nil
	}))
}

func TestDeriveStatus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	derive := func(id string) db.File {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.DeriveStatus(t.Context(), b.ours, id) }))
		f, err := b.db.File(t.Context(), b.ours, id)
		require.NoError(t, err)
		return f
	}

	worked := b.file(t, b.ours)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		ask(t, tx, worked, "waits")
		return nil
	}))
	require.Equal(t, db.FileQueued, derive(worked.ID).Status)

	lost := derive(b.file(t, b.ours).ID)
	require.Equal(t, db.FileFailed, lost.Status)
	require.True(t, lost.Retryable())
	require.Equal(t, "internal", *lost.ErrorCode)
	require.Equal(t, lost, derive(lost.ID), "an end stays")

	read := b.file(t, b.ours)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.SaveText(t.Context(), b.ours, read.ID, db.Text{Language: "en"})
		return err
	}))
	require.Equal(t, db.FileCompleted, derive(read.ID).Status)

	err := b.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.DeriveStatus(t.Context(), b.theirs, read.ID) })
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestRemaining(t *testing.T) {
	t.Parallel()
	threeAhead := db.TeamQueue{Queued: make([]time.Time, 3), IDs: []string{"a", "b", "c"}}
	for _, tt := range []struct {
		name  string
		queue db.TeamQueue
		file  db.FileState
		want  float64
		known bool
	}{
		{"NothingToGoBy", threeAhead, db.FileState{ID: "d", Status: db.FileQueued}, 0, false},
		{"Queued", db.TeamQueue{Queued: threeAhead.Queued, IDs: threeAhead.IDs, FilesPerSecond: 2}, db.FileState{ID: "d", Status: db.FileQueued}, 2, true},
		{"Started", db.TeamQueue{FilesPerSecond: 0.5}, db.FileState{Status: db.FileProcessing}, 2, true},
		{"HalfRead", db.TeamQueue{PagesPerSecond: 5}, db.FileState{Status: db.FileProcessing, PageCount: 20, PagesDone: 10}, 2, true},
		{"AlmostRead", db.TeamQueue{PagesPerSecond: 500}, db.FileState{Status: db.FileProcessing, PageCount: 20, PagesDone: 10}, 1, true},
		{"Recognised", db.TeamQueue{PagesPerSecond: 500, RecognizedPerSecond: 0.5}, db.FileState{Status: db.FileProcessing, Stage: db.StageRecognize, PageCount: 20, PagesDone: 18}, 4, true},
		{"NothingRecognisedYet", db.TeamQueue{PagesPerSecond: 500}, db.FileState{Status: db.FileProcessing, Stage: db.StageRecognize, PageCount: 20, PagesDone: 18}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			seconds, known := tt.queue.Remaining(tt.file)
			require.Equal(t, tt.known, known)
			if known {
				require.InDelta(t, tt.want, seconds, 1e-9)
			}
		})
	}
}

func TestPagesBetween(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.ours)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.AddPages(t.Context(), b.ours, f.ID, 3, []db.Page{
			{Number: 1, Source: "text_layer"}, {Number: 2, Source: "ocr"}, {Number: 3, Source: "ocr"},
		})
	}))
	pages, err := b.db.PagesBetween(t.Context(), b.ours, f.ID, 2, 9)
	require.NoError(t, err)
	require.Len(t, pages, 2)
	require.Equal(t, 2, pages[0].Number)
	pages, err = b.db.PagesBetween(t.Context(), b.theirs, f.ID, 1, 9)
	require.NoError(t, err)
	require.Empty(t, pages)
}

func TestMemberRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	role, err := b.db.MemberRole(t.Context(), b.ours.TeamID, b.ours.ActorID)
	require.NoError(t, err)
	require.Equal(t, db.Admin, role)
	_, err = b.db.MemberRole(t.Context(), b.ours.TeamID, b.theirs.ActorID)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

// TestListen loses its connection on the way, and goes on.
func TestListen(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	heard, connected, lost := make(chan string, 10), make(chan bool, 10), make(chan error, 10)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- d.Listen(ctx, db.Listener{
			Channels:  []string{"first", "second"},
			Heard:     func(channel, payload string) { heard <- channel + " " + payload },
			Connected: func() { connected <- true },
			Lost:      func(err error) { lost <- err },
		})
	}()
	for range 2 {
		await(t, connected)
		_, err := d.Pool().Exec(t.Context(), `SELECT pg_notify('first', 'a'), pg_notify('third', 'b'), pg_notify('second', 'c')`)
		require.NoError(t, err)
		require.Equal(t, "first a", await(t, heard))
		require.Equal(t, "second c", await(t, heard))
		_, err = d.Pool().Exec(t.Context(), `
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
		require.NoError(t, err)
		require.Error(t, await(t, lost))
	}
	cancel()
	require.ErrorIs(t, await(t, ended), context.Canceled)
}

// await receives from c, and fails where nothing ever comes.
func await[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(time.Minute):
		require.NoError(t, errors.New("nothing came"))
		panic("unreachable")
	}
}
