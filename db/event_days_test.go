package db_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// eventDays has events in tables of the days from first to last, counted from today, and
// in no others but the default one.
func eventDays(t *testing.T, d *db.DB, first, last int) {
	t.Helper()
	alter(t, d, fmt.Sprintf(`
		DO $$
		DECLARE
			day  date;
			part text;
		BEGIN
			FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'events'::regclass AND inhrelid <> 'events_default'::regclass LOOP
				EXECUTE 'DROP TABLE ' || part;
			END LOOP;
			FOR n IN %d .. %d LOOP
				day := (now() AT TIME ZONE 'UTC')::date + n;
				EXECUTE format('CREATE TABLE %%I PARTITION OF events FOR VALUES FROM (%%L) TO (%%L)',
					to_char(day, '"events_"YYYYMMDD'), to_char(day, 'YYYY-MM-DD "00:00+00"'), to_char(day + 1, 'YYYY-MM-DD "00:00+00"'));
			END LOOP;
		END $$`, first, last))
}

// list is the column that sql selects.
func list[T any](t *testing.T, d *db.DB, sql string, args ...any) []T {
	t.Helper()
	rows, err := d.Pool().Query(t.Context(), sql, args...)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[T])
	require.NoError(t, err)
	return found
}

// days are those that events have tables of, counted from today.
func days(t *testing.T, d *db.DB) []int {
	t.Helper()
	return list[int](t, d, `
		SELECT to_date(right(relname, 8), 'YYYYMMDD') - (now() AT TIME ZONE 'UTC')::date FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
		WHERE inhparent = 'events'::regclass AND relname <> 'events_default' ORDER BY 1`)
}

// tell emits n events, each of a file that is made.
func tell(t *testing.T, d *db.DB, in db.Scope, n int) {
	t.Helper()
	for range n {
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.CreateFile(t.Context(), in, db.NewFile{ID: db.NewID(), Name: "x", SHA256: []byte("x"), Source: "upload"})
			return err
		}))
	}
}

// told reads the ids of all events after one as a subscriber does, who is never given one
// twice or out of order.
func told(t *testing.T, d *db.DB, in db.Scope, after int64) (ids []int64) {
	t.Helper()
	for {
		events, err := d.Events(t.Context(), in, after, 3)
		require.NoError(t, err)
		if len(events) == 0 {
			return ids
		}
		for _, e := range events {
			require.Greater(t, e.ID, after)
			after, ids = e.ID, append(ids, e.ID)
		}
	}
}

// TestEventsLeaveByDays has events of three days: they are read in their order, and the
// oldest ones go when all of their day is older than a day.
func TestEventsLeaveByDays(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "a@example.com")
	eventDays(t, d, -3, 0)
	tell(t, d, in, 15)
	ids := told(t, d, in, 0)
	require.Len(t, ids, 15)
	for i, id := range ids {
		alter(t, d, fmt.Sprintf(`UPDATE events SET created_at = created_at - interval '%d days' WHERE id = %d`, 2-i/5, id))
	}
	require.Len(t, list[uint32](t, d, `SELECT DISTINCT tableoid FROM events WHERE team_id = $1`, in.TeamID), 3)
	require.Equal(t, ids, told(t, d, in, 0))
	require.Equal(t, ids[7:], told(t, d, in, ids[6]), "a subscriber resumes within a day")

	for range 2 {
		require.NoError(t, d.Prune(t.Context()))
		require.Equal(t, []int{-1, 0, 1, 2}, days(t, d))
		require.Equal(t, ids[5:], told(t, d, in, 0))
	}
	last, err := d.LastEvent(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, ids[14], last)
	tell(t, d, in, 1)
	require.Greater(t, told(t, d, in, last)[0], last)
	require.Empty(t, list[int64](t, d, `SELECT id FROM events_default`))
}

// TestEventsOfDaysWithoutTable has nobody make tables of days: what is told then is kept as
// long all the same, and a table of today is not made among its rows.
func TestEventsOfDaysWithoutTable(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "a@example.com")
	eventDays(t, d, -3, -3)
	tell(t, d, in, 4)
	ids := told(t, d, in, 0)
	require.Equal(t, ids, list[int64](t, d, `SELECT id FROM events_default ORDER BY id`))
	alter(t, d, fmt.Sprintf(`UPDATE events SET created_at = now() - interval '47 hours' WHERE id = %d`, ids[1]),
		fmt.Sprintf(`UPDATE events SET created_at = now() - interval '49 hours' WHERE id = %d`, ids[0]))
	require.NoError(t, d.Prune(t.Context()))
	require.Equal(t, []int{1, 2}, days(t, d))
	tell(t, d, in, 1)
	after := told(t, d, in, 0)
	require.Len(t, after, 4)
	require.Equal(t, ids[1:], after[:3])
	alter(t, d, fmt.Sprintf(`UPDATE events SET created_at = now() + interval '1 day' WHERE id = %d`, after[3]))
	require.Equal(t, after, told(t, d, in, 0), "over the default table and that of tomorrow")
}

// TestDaysOfEventsWaitForNobody prunes while somebody reads for long: others read and write
// meanwhile, and the day goes when the reader has.
func TestDaysOfEventsWaitForNobody(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "a@example.com")
	eventDays(t, d, -3, 0)
	reader, err := d.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = reader.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = reader.Exec(t.Context(), `SELECT count(*) FROM events`)
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	pruned := make(chan error, 1)
	go func() {
		for range 4 {
			if err := d.Prune(ctx); err != nil {
				pruned <- err
				return
			}
		}
		pruned <- nil
	}()
	var longest time.Duration
	for over := false; !over; {
		select {
		case err := <-pruned:
			require.NoError(t, err)
			over = true
		default:
		}
		began := time.Now()
		require.NoError(t, d.InTx(ctx, func(tx *db.Tx) error {
			_, err := tx.CreateFile(ctx, in, db.NewFile{ID: db.NewID(), Name: "x", SHA256: []byte("x"), Source: "upload"})
			return err
		}))
		longest = max(longest, time.Since(began))
	}
	t.Logf("a writer waited for %v at most", longest)
	require.Equal(t, []int{-3, -2, -1, 0}, days(t, d), "the reader still reads")
	require.NoError(t, reader.Rollback(ctx))

	// Several prune at once while others read and write.
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 5 {
				if err := d.Prune(ctx); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 20 {
				if _, err := d.Events(ctx, in, 0, 100); err != nil {
					t.Error(err)
				}
				if err := d.InTx(ctx, func(tx *db.Tx) error {
					_, err := tx.CreateFile(ctx, in, db.NewFile{ID: db.NewID(), Name: "x", SHA256: []byte("x"), Source: "upload"})
					return err
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.Eventually(t, func() bool {
		require.NoError(t, d.Prune(ctx))
		return slices.Equal(days(t, d), []int{-1, 0, 1, 2})
	}, time.Minute, 10*time.Millisecond)
}

// TestEventsMoveToDays migrates a database with the table of events as it was, while
// somebody reads it and others write: ids go on from where they were, and who may do what
// with the table may still.
func TestEventsMoveToDays(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "a@example.com")
	alter(t, d, `DROP TABLE events`, `DROP FUNCTION turn_event_days, grant_alike`, `DELETE FROM clausemill_migrations WHERE version IN (50, 51)`, `
		CREATE TABLE events (
			id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			team_id    uuid NOT NULL,
			user_id    uuid,
			kind       text NOT NULL,
			subject_id uuid NOT NULL,
			data       jsonb NOT NULL DEFAULT '{}',
			created_at timestamptz NOT NULL DEFAULT now(),
			matter_id  uuid
		)`, `CREATE INDEX events_team ON events (team_id, id)`, `CREATE INDEX events_age ON events (created_at)`, `GRANT SELECT ON events TO PUBLIC`)
	before := d.Prepared() // as workers of the release before
	tell(t, before, in, 8)
	ids := told(t, d, in, 0)
	require.Len(t, ids, 8)
	alter(t, d, fmt.Sprintf(`UPDATE events SET created_at = now() - interval '25 hours' WHERE id = %d`, ids[0]))

	reader, err := d.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = reader.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = reader.Exec(t.Context(), `SELECT count(*) FROM events`)
	require.NoError(t, err)
	migrated := make(chan error, 1)
	go func() {
		_, err := d.Migrate(t.Context(), slog.New(slog.DiscardHandler))
		migrated <- err
	}()
	require.Eventually(t, func() bool {
		tell(t, before, in, 1)
		return len(list[int](t, d, `SELECT 1 FROM clausemill_migrations WHERE version = 50`)) == 1
	}, time.Minute, time.Millisecond)
	tell(t, before, in, 8)
	require.Empty(t, list[int](t, d, `SELECT 1 FROM clausemill_migrations WHERE version = 51`), "the reader still reads")
	require.NoError(t, reader.Rollback(t.Context()))
	for over := false; !over; {
		select {
		case err := <-migrated:
			require.NoError(t, err)
			over = true
		default:
			tell(t, before, in, 1)
		}
	}
	tell(t, before, in, 8)
	_, err = d.Schema(t.Context())
	require.NoError(t, err)

	now := told(t, d, in, 0)
	require.Equal(t, ids, now[:8])
	require.Len(t, now, list[int](t, d, `SELECT count(*) FROM files`)[0], "one event each")
	require.Equal(t, []int{2}, days(t, d))
	require.Empty(t, list[int64](t, d, `SELECT id FROM events_default`))

	// What the release before says, and who prunes without owning the table.
	alter(t, d, `DELETE FROM events WHERE created_at < now() - interval '24 hours'`)
	require.Equal(t, now[1:], told(t, d, in, 0))
	eventDays(t, d, -3, 0)
	asAnother(t, d, `SELECT turn_event_days('-1 week')`) // as if nothing was kept
	require.Equal(t, []int{-1, 0, 1, 2}, days(t, d))
	require.Equal(t, []bool{true}, list[bool](t, d, `
		SELECT bool_and(has_table_privilege('pg_monitor', c.oid, 'SELECT') AND NOT has_table_privilege('pg_monitor', c.oid, 'INSERT'))
		FROM pg_class c WHERE c.oid IN ('events'::regclass, 'events_default'::regclass) OR c.relname = (SELECT to_char((now() AT TIME ZONE 'UTC')::date + 2, '"events_"YYYYMMDD'))`))
}

// asAnother runs sql as a role that owns nothing.
func asAnother(t *testing.T, d *db.DB, sql string) {
	t.Helper()
	require.NoError(t, pgx.BeginFunc(t.Context(), d.Pool(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SET LOCAL ROLE pg_monitor`); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), sql)
		return err
	}))
}
