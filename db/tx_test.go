package db_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

// TestTransactionsRunAgain has Postgres end transactions for reasons that lie in
// others, and for reasons of their own.
func TestTransactionsRunAgain(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	mine := errors.New("mine")
	for name, c := range map[string]struct {
		condition string
		times     int // that it happens
		runs      int
	}{
		"Deadlock":      {"deadlock_detected", 2, 3},
		"Serialization": {"serialization_failure", 3, 4},
		"ItWentAway":    {"foreign_key_violation", 1, 2},
		"ItIsNotThere":  {"foreign_key_violation", 9, 2},
		"Always":        {"deadlock_detected", 99, 10},
		"Check":         {"check_violation", 1, 1},
		"OwnError":      {"", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := 0
			err := d.InTx(t.Context(), func(tx *db.Tx) error {
				runs++
				if runs > c.times {
					return nil
				}
				if c.condition == "" {
					return mine
				}
				_, err := tx.Raw.Exec(t.Context(), `DO $$ BEGIN RAISE `+c.condition+`; END $$`)
				return err
			})
			require.Equal(t, c.runs, runs)
			require.Equal(t, c.times >= c.runs, err != nil, err)
		})
	}
	t.Run("NobodyWaits", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		err := d.InTx(ctx, func(tx *db.Tx) error {
			runs++
			_, err := tx.Raw.Exec(ctx, `DO $$ BEGIN RAISE deadlock_detected; END $$`)
			cancel()
			return err
		})
		require.Error(t, err)
		require.Equal(t, 1, runs)
	})
}

// TestOtherReadersEnd has what a transaction reads end too early while its connection
// works, and its connection end: only that is for the database.
func TestOtherReadersEnd(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	for _, cause := range []error{io.EOF, io.ErrUnexpectedEOF, &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}} {
		runs := 0
		err := d.InTx(t.Context(), func(*db.Tx) error {
			runs++
			return fmt.Errorf("the archive: %w", cause)
		})
		require.EqualError(t, err, "the archive: "+cause.Error())
		require.ErrorIs(t, err, cause)
		require.Equal(t, fault.Internal, fault.KindOf(err))
		require.Equal(t, 1, runs)
	}
	err := d.InTx(t.Context(), func(tx *db.Tx) error {
		require.NoError(t, tx.Raw.Conn().PgConn().Conn().Close())
		_, err := tx.Raw.Exec(t.Context(), "SELECT 1")
		return err
	})
	require.Equal(t, fault.Unavailable, fault.KindOf(err), err)
}

// TestRealDeadlock has two transactions take the same rows in opposite orders.
func TestRealDeadlock(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "a@example.com")
	var ids []string
	for range 2 {
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			f, err := tx.CreateFile(t.Context(), in, db.NewFile{ID: db.NewID(), Name: "x", SHA256: []byte("x"), Source: "upload"})
			ids = append(ids, f.ID)
			return err
		}))
	}
	both := make(chan struct{})
	var hold sync.WaitGroup
	hold.Add(2)
	go func() { hold.Wait(); close(both) }()
	runs := make([]int, 2)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			err := d.InTx(t.Context(), func(tx *db.Tx) error {
				if _, err := tx.Raw.Exec(t.Context(), `SET LOCAL application_name = '`+dbtest.Deadlocks+`'`); err != nil {
					return err
				}
				if err := tx.LockFiles(t.Context(), in, ids[i:i+1]); err != nil {
					return err
				}
				if runs[i]++; runs[i] == 1 {
					hold.Done()
					<-both
				}
				return tx.LockFiles(t.Context(), in, ids[1-i:2-i])
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.GreaterOrEqual(t, runs[0]+runs[1], 3, "one of them ran again, and may have met the other once more")
}

// TestOpenTransactionsHoldUpNobody has one transaction tell of something and go
// on for a while: others of its team tell of theirs meanwhile, even of the same
// parent, and the ids of events are still in the order of the commits.
func TestOpenTransactionsHoldUpNobody(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "a@example.com")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	create := func(tx *db.Tx, f db.NewFile) db.File {
		f.Source, f.ID = "upload", db.NewID()
		row, err := tx.CreateFile(ctx, in, f)
		require.NoError(t, err)
		return row
	}
	var archive, copied, early, late db.File
	require.NoError(t, d.InTx(ctx, func(tx *db.Tx) error {
		archive = create(tx, db.NewFile{Name: "archive.zip", SHA256: []byte("zip")})
		copied = create(tx, db.NewFile{Name: "a.txt", SHA256: []byte("a"), ParentID: archive.ID, Entry: 1})
		return nil
	}))
	before, err := d.LastEvent(ctx, in)
	require.NoError(t, err)
	require.NoError(t, d.InTx(ctx, func(first *db.Tx) error {
		a := db.Attempt{FileID: archive.ID, Number: 1}
		if _, err := first.OpenAttempt(ctx, in, a); err != nil {
			return err
		}
		late = create(first, db.NewFile{Name: "b.txt", SHA256: []byte("b"), ParentID: archive.ID, Entry: 2})
		// A second change of a row in one transaction checks its foreign keys anew:
		// here that to the archive which is held.
		require.NoError(t, d.InTx(ctx, func(second *db.Tx) error {
			child := db.Attempt{FileID: copied.ID, Number: 1}
			if _, err := second.EnterStage(ctx, in, child, db.StageSegment); err != nil {
				return err
			}
			return second.CompleteAttempt(ctx, in, child)
		}))
		require.NoError(t, d.InTx(ctx, func(second *db.Tx) error {
			early = create(second, db.NewFile{Name: "c.txt", SHA256: []byte("a")})
			return nil
		}))
		_, err := first.EnterStage(ctx, in, a, db.StageReceived)
		return err
	}))
	require.Equal(t, copied.ID, *early.DuplicateOf)
	events, err := d.Events(ctx, in, before, 100)
	require.NoError(t, err)
	var subjects []string
	for _, e := range events {
		if e.Kind == "file.status" {
			subjects = append(subjects, e.SubjectID)
		}
	}
	require.Equal(t, []string{copied.ID, copied.ID, early.ID, late.ID, archive.ID}, subjects)
}

// TestFilesThatEndTogether follows two files by one operation, and ends both at
// once: the operation ends with the one that commits last.
func TestFilesThatEndTogether(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "a@example.com")
	for range 20 {
		var op db.Operation
		var attempts []db.Attempt
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
			attempts = nil
			for range 2 {
				f, err := tx.CreateFile(t.Context(), in, db.NewFile{ID: db.NewID(), Name: "x", SHA256: []byte("x"), Source: "upload"})
				require.NoError(t, err)
				attempts = append(attempts, db.Attempt{FileID: f.ID, Number: 1})
			}
			if op, err = tx.CreateOperation(t.Context(), in, "reprocess", 2, nil); err != nil {
				return err
			}
			return tx.FollowFiles(t.Context(), op.ID, attempts)
		}))
		var ending sync.WaitGroup
		for _, a := range attempts {
			ending.Go(func() {
				err := d.InTx(t.Context(), func(tx *db.Tx) error { return tx.FailAttempt(t.Context(), in, a, "", fault.New(fault.Internal, "")) })
				if err != nil {
					t.Error(err)
				}
			})
		}
		ending.Wait()
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			var state string
			err := tx.Raw.QueryRow(t.Context(), `SELECT state FROM operations WHERE id = $1`, op.ID).Scan(&state)
			require.Equal(t, "completed", state)
			return err
		}))
	}
}
