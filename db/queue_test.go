package db_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
)

// queue is a database whose River tables are written by hand, so that every
// state can be set up.
type queue struct {
	*testing.T
	db *db.DB
}

func newQueue(t *testing.T) queue {
	t.Helper()
	d, _ := dbtest.Database(t)
	return queue{t, d}
}

func (q queue) exec(sql string, args ...any) {
	q.Helper()
	_, err := q.db.Pool().Exec(q.Context(), sql, args...)
	require.NoError(q, err)
}

func (q queue) count(sql string, args ...any) (n int) {
	q.Helper()
	require.NoError(q, q.db.Pool().QueryRow(q.Context(), sql, args...).Scan(&n))
	return n
}

func (q queue) waiting(team string, n int) {
	q.Helper()
	q.exec(`INSERT INTO river_job (kind, queue, state, args)
		SELECT 'k', 'ocr', 'pending', jsonb_build_object('team_id', $1::text) FROM generate_series(1, $2)`, team, n)
}

func TestAdmitTakesTurns(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	q.waiting("big", 20_000)
	q.waiting("small", 1)
	q.waiting("medium", 5)

	n, err := q.db.Admit(t.Context(), "ocr", 0)
	require.NoError(t, err)
	require.Zero(t, n, "nobody is there to do the work")

	require.NoError(t, q.db.Heartbeat(t.Context(), "w1", "1", map[string]int{"ocr": 2}, nil))
	require.NoError(t, q.db.Heartbeat(t.Context(), "w2", "1", map[string]int{"ocr": 1, "text": 5}, nil))
	n, err = q.db.Admit(t.Context(), "ocr", 0)
	require.NoError(t, err)
	require.Equal(t, 6, n, "twice the three slots")
	admitted := func(team string) int {
		return q.count(`SELECT count(*) FROM river_job WHERE state = 'available' AND args ->> 'team_id' = $1`, team)
	}
	require.Equal(t, 1, admitted("small"))
	require.Equal(t, 3, admitted("big"), "the small team has no second job")
	require.Equal(t, 2, admitted("medium"))

	n, err = q.db.Admit(t.Context(), "ocr", 0)
	require.NoError(t, err)
	require.Zero(t, n, "every slot has its next job")

	// One of the big team's jobs ends; the next turn is the medium team's, who
	// has fewer admitted.
	q.exec(`UPDATE river_job SET state = 'completed', finalized_at = now()
		WHERE id = (SELECT id FROM river_job WHERE state = 'available' AND args ->> 'team_id' = 'small')`)
	n, err = q.db.Admit(t.Context(), "ocr", 0)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, 3, admitted("medium"))

	n, err = q.db.Admit(t.Context(), "ocr", 4)
	require.NoError(t, err)
	require.Equal(t, 4, n, "as many ahead")
	require.Equal(t, 5, admitted("medium"), "all that it has")
	require.Equal(t, 5, admitted("big"))
}

// TestAdmitGoesAround has more teams wait than one admission looks at. Each has its turn, the one
// that came last and sorts last, too.
func TestAdmitGoesAround(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	const teams, slots = 1300, 100
	q.exec(`INSERT INTO river_job (kind, queue, state, args)
		SELECT 'k', 'ocr', 'pending', jsonb_build_object('team_id', 'team ' || lpad(team::text, 4, '0'))
		FROM generate_series(1, $1) team, generate_series(1, 5)`, teams-1)
	q.waiting("the last", 1)
	require.NoError(t, q.db.Heartbeat(t.Context(), "w1", "1", map[string]int{"ocr": slots}, nil))
	for i := range (teams + 2*slots - 1) / (2 * slots) {
		n, err := q.db.Admit(t.Context(), "ocr", 0)
		require.NoError(t, err)
		require.Equal(t, 2*slots, n, "admission %d", i)
		require.Equal(t, n, q.count(`SELECT count(DISTINCT args ->> 'team_id') FROM river_job WHERE state = 'available'`))
		idle, err := q.db.Admit(t.Context(), "ocr", 0)
		require.NoError(t, err)
		require.Zero(t, idle)
		q.exec(`UPDATE river_job SET state = 'completed', finalized_at = now() WHERE state = 'available'`)
	}
	require.Equal(t, teams, q.count(`SELECT count(DISTINCT args ->> 'team_id') FROM river_job WHERE state = 'completed'`))
}

// TestAdmitInParts has more slots free than one admission fills.
func TestAdmitInParts(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	q.waiting("team", 3000)
	require.NoError(t, q.db.Heartbeat(t.Context(), "w1", "1", map[string]int{"ocr": 1200}, nil))
	for _, want := range []int{1024, 1024, 2*1200 - 2*1024, 0} {
		n, err := q.db.Admit(t.Context(), "ocr", 0)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
}

// TestAdmitBesideCancel has a job cancelled that is admitted at the same time: the others are
// admitted nevertheless, and it stays cancelled.
func TestAdmitBesideCancel(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	q.waiting("team", 3)
	require.NoError(t, q.db.Heartbeat(t.Context(), "w1", "1", map[string]int{"ocr": 2}, nil))
	var admitted int
	done := make(chan error, 1)
	require.NoError(t, q.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE river_job SET state = 'cancelled', finalized_at = now() WHERE id = (SELECT min(id) FROM river_job)`)
		require.NoError(t, err)
		go func() {
			var err error
			admitted, err = q.db.Admit(t.Context(), "ocr", 0)
			done <- err
		}()
		require.Eventually(t, func() bool {
			return q.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%river_job%'`) == 1
		}, 20*time.Second, 10*time.Millisecond, "it waits for the end of the cancellation")
		return nil
	}))
	require.NoError(t, <-done)
	require.Equal(t, 2, admitted)
	require.Equal(t, 1, q.count(`SELECT count(*) FROM river_job WHERE state = 'cancelled'`))
}

func TestRescueTakesOverFromTheDead(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	require.NoError(t, q.db.Heartbeat(t.Context(), "alive", "1", map[string]int{}, nil))
	require.NoError(t, q.db.Heartbeat(t.Context(), "silent", "1", map[string]int{}, nil))
	q.exec(`UPDATE workers SET seen_at = now() - interval '20 seconds' WHERE id = 'silent'`)
	running := func(worker string, age time.Duration) (id int64) {
		require.NoError(t, q.db.Pool().QueryRow(t.Context(), `
			INSERT INTO river_job (args, kind, queue, state, attempt, attempted_at, attempted_by)
			VALUES ('{}', 'k', 'ocr', 'running', 1, now() - $2::interval, ARRAY['earlier', $1]) RETURNING id`, worker, age).Scan(&id))
		return id
	}
	kept := running("alive", time.Hour)
	fresh := running("unknown", time.Second)
	held, unheld := running("self", time.Minute), running("self", time.Minute)
	lost := []int64{running("silent", time.Minute), running("gone", time.Minute)}
	cancelled := running("gone", time.Minute)
	q.exec(`UPDATE river_job SET metadata = '{"cancel_attempted_at": "2026-01-01T00:00:00Z"}' WHERE id = $1`, cancelled)

	n, err := q.db.RescueJobs(t.Context(), "self", []int64{held}, 12*time.Second)
	require.NoError(t, err)
	require.Equal(t, 4, n)
	state := func(id int64) (s string) {
		require.NoError(t, q.db.Pool().QueryRow(t.Context(), `SELECT state::text FROM river_job WHERE id = $1`, id).Scan(&s))
		return s
	}
	require.Equal(t, "running", state(kept))
	require.Equal(t, "running", state(held))
	require.Equal(t, "available", state(unheld), "the answer that gave it to this worker was lost")
	require.Equal(t, "running", state(fresh), "a worker that has just started may not have been heard of")
	require.Equal(t, "available", state(lost[0]))
	require.Equal(t, "available", state(lost[1]))
	require.Equal(t, "cancelled", state(cancelled))
	require.Zero(t, q.count(`SELECT count(*) FROM river_job WHERE id = ANY($1) AND scheduled_at > created_at`, lost), "it is behind those that came later")

	gone, err := q.db.Fenced(t.Context(), lost[0], 1)
	require.NoError(t, err)
	require.True(t, gone)
	gone, err = q.db.Fenced(t.Context(), kept, 1)
	require.NoError(t, err)
	require.False(t, gone)

	// Somebody else takes the job; what the first worker still writes is refused.
	q.exec(`UPDATE river_job SET state = 'running', attempt = 2 WHERE id = $1`, lost[0])
	fence := func(attempt int) error {
		return q.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.Fence(t.Context(), lost[0], attempt) })
	}
	require.ErrorIs(t, fence(1), db.ErrFenced)
	require.NoError(t, fence(2))
	require.True(t, fault.Permanent(fence(1)))

	q.exec(`UPDATE river_job SET attempted_by = ARRAY['gone'], attempted_at = now() - interval '1 minute' WHERE id = $1`, lost[0])
	_, err = q.db.RescueJobs(t.Context(), "self", []int64{held}, 12*time.Second)
	require.NoError(t, err)
	require.Equal(t, 2, q.count(`SELECT (metadata ->> 'rescued')::int FROM river_job WHERE id = $1`, lost[0]))
}

func TestRecognitionLanguages(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	is := func(want ...string) {
		t.Helper()
		languages, err := q.db.RecognitionLanguages(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, append([]string(nil), languages...))
	}
	beat := func(id string, languages ...string) {
		t.Helper()
		require.NoError(t, q.db.Heartbeat(t.Context(), id, "1", map[string]int{}, languages))
	}
	is()
	beat("text")
	is()
	beat("first", "eng", "deu", "fra")
	is("deu", "eng", "fra")
	beat("second", "fra", "eng")
	is("eng", "fra")
	beat("first", "eng")
	is("eng")
	q.exec(`UPDATE workers SET seen_at = now() - interval '1 minute' WHERE id = 'first'`)
	is("eng", "fra")
	require.NoError(t, q.db.SignOff(t.Context(), "second"))
	is()
}

func TestSignOffFreesSlots(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	for i := range 3 {
		require.NoError(t, q.db.Heartbeat(t.Context(), fmt.Sprint("w", i), "1", map[string]int{"ocr": i}, nil))
	}
	require.NoError(t, q.db.SignOff(t.Context(), "w1"))
	for queue, workers := range map[string]int{"ocr": 1, "text": 0} { // w0 has no slot
		live, err := q.db.LiveWorkers(t.Context(), queue)
		require.NoError(t, err)
		require.Equal(t, workers, live)
	}
}

// TestUnindexedFilesAreThoseWithoutAJob has two files wait for the index, one of them with the job
// that is to bring it in.
func TestUnindexedFilesAreThoseWithoutAJob(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	in := scopeOf(t, q.db, "ada@example.com")
	ids := []string{db.NewID(), db.NewID()}
	require.NoError(t, q.db.InTx(t.Context(), func(tx *db.Tx) error {
		for i, id := range ids {
			if _, err := tx.CreateFile(t.Context(), in, db.NewFile{ID: id, Name: "x", SHA256: []byte{byte(i)}, Source: "upload"}); err != nil {
				return err
			}
		}
		return nil
	}))
	q.exec(`UPDATE files SET text_ready = true, generation = 1`)
	for _, state := range []string{"available", "running", "retryable"} {
		q.exec(`INSERT INTO river_job (kind, queue, state, args) VALUES ($1, 'index', $2::river_job_state, jsonb_build_object('file_id', $3::text))`,
			db.IndexFileKind, state, ids[0])
		alone, err := q.db.UnindexedFiles(t.Context(), 9)
		require.NoError(t, err)
		require.Equal(t, []db.FileRef{{TeamID: in.TeamID, FileID: ids[1]}}, alone, state)
		q.exec(`UPDATE river_job SET state = 'completed', finalized_at = now()`)
	}
	both, err := q.db.UnindexedFiles(t.Context(), 9)
	require.NoError(t, err)
	require.Len(t, both, 2)
}
