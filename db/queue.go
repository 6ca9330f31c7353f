package db

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// River stores the jobs. This file adds three things: heartbeats, to detect within
// seconds that a worker died; fencing tokens, so that a stale worker cannot write
// results; and a scheduler that is fair between teams. It knows four columns of
// river_job: state, attempt, attempted_by and args.

// Heartbeat records that worker id is alive, which program it runs, how many slots it
// has for each queue, and which languages its OCR has: none if it does no OCR.
func (q Queries) Heartbeat(ctx context.Context, id, version string, slots map[string]int, languages []string) error {
	_, err := exec(ctx, q, `
		INSERT INTO workers (id, version, slots, languages) VALUES (@id, @version, @slots, coalesce(@languages::text[], '{}'))
		ON CONFLICT (id) DO UPDATE SET slots = excluded.slots, languages = excluded.languages, seen_at = now()`,
		args{"id": id, "version": version, "slots": slots, "languages": languages})
	return err
}

// RecognitionLanguages lists, in order, the languages that every live worker
// which recognises can read: a page may come to any of them. There are none
// where there is no such worker.
func (q Queries) RecognitionLanguages(ctx context.Context) ([]string, error) {
	return values[string](ctx, q, `
		WITH live AS (SELECT languages FROM workers WHERE seen_at > now() - interval '15 seconds' AND languages <> '{}')
		SELECT language FROM live, unnest(languages) language
		GROUP BY language HAVING count(*) = (SELECT count(*) FROM live) ORDER BY language`, nil)
}

// SignOff removes a worker that has stopped, so that nobody waits for it.
func (q Queries) SignOff(ctx context.Context, id string) error {
	_, err := exec(ctx, q, `DELETE FROM workers WHERE id = @id`, args{"id": id})
	return err
}

// RescueJobs puts jobs that nobody works on back into their queues and returns
// how many there were: the running jobs of workers that were not seen for grace,
// and those that the caller, worker self, was given and does not hold because
// the answer was lost on its way. They keep their places in the queues, before what came
// later. Each job counts its rescues in its metadata,
// so that one which kills every worker is given up in the end.
func (q Queries) RescueJobs(ctx context.Context, self string, held []int64, grace time.Duration) (int, error) {
	n, err := exec(ctx, q, `
		WITH lost AS (
			SELECT j.id, j.queue FROM river_job j
			WHERE j.state = 'running'
				AND j.attempted_at < now() - @grace::interval
				AND CASE j.attempted_by[array_upper(j.attempted_by, 1)]
					WHEN @self THEN j.id <> ALL(@held::bigint[])
					ELSE NOT EXISTS (
						SELECT FROM workers w
						WHERE w.id = j.attempted_by[array_upper(j.attempted_by, 1)] AND w.seen_at > now() - @grace::interval
					)
				END
			FOR UPDATE SKIP LOCKED
		), rescued AS (
			UPDATE river_job j SET
				state        = CASE WHEN j.metadata ? 'cancel_attempted_at' THEN 'cancelled'::river_job_state ELSE 'available' END,
				finalized_at = CASE WHEN j.metadata ? 'cancel_attempted_at' THEN now() END,
				max_attempts = greatest(j.max_attempts, j.attempt + 1),
				metadata     = j.metadata || jsonb_build_object('rescued', coalesce((j.metadata ->> 'rescued')::int, 0) + 1)
			FROM lost WHERE j.id = lost.id
			RETURNING j.queue
		), woken AS (
			SELECT pg_notify(current_schema() || '.river_insert', json_build_object('queue', queue)::text)
			FROM (SELECT DISTINCT queue FROM rescued) queues
		)
		SELECT queue FROM rescued, (SELECT count(*) FROM woken) w`, args{"self": self, "held": held, "grace": grace})
	return int(n), err
}

// Fence checks a fencing token: the number of the job's attempt. It is ErrFenced if
// the job was given to another worker, so that a stale worker, whose heartbeat had
// stopped, cannot write a result. The row stays locked until the transaction ends.
func (t *Tx) Fence(ctx context.Context, jobID int64, attempt int) error {
	_, err := value[int64](ctx, t.Queries, `
		SELECT id FROM river_job WHERE id = @id AND state = 'running' AND attempt = @attempt FOR UPDATE`,
		args{"id": jobID, "attempt": attempt})
	if fault.KindOf(err) == fault.NotFound {
		return ErrFenced
	}
	return err
}

// ErrFenced means that a job was given to another worker because the heartbeat of
// this one had stopped.
var ErrFenced = fault.New(fault.Conflict, "this job was given to another worker")

// Fenced reports whether the job has been given to another worker.
func (q Queries) Fenced(ctx context.Context, jobID int64, attempt int) (bool, error) {
	return value[bool](ctx, q, `
		SELECT EXISTS (SELECT FROM river_job WHERE id = @id AND (attempt <> @attempt OR state IN ('available', 'pending', 'retryable', 'scheduled')))`,
		args{"id": jobID, "attempt": attempt})
}

// admitWindow is how many teams with waiting jobs one admission looks at, at least: some ten
// milliseconds. All of them are looked at where there are no more.
const admitWindow = 512

// admitMost is how many jobs one admission admits, at most: a tenth of a second. While it runs
// nobody else admits.
const admitMost = 1024

// Admit is the fair scheduler: it admits pending jobs of queue, as many as the live
// workers have free slots, and one batch more so that no slot idles until the next
// call, and ahead more; of thousands of free slots the next calls fill the rest. The team
// with the fewest admitted jobs comes first; within a team the oldest job does. Among teams
// with as many it is the oldest job, too, or, where more teams wait than the window has, the
// team's turn: each call goes on where the one before ended.
// It returns how many were admitted. One caller at a time admits.
func (d *DB) Admit(ctx context.Context, queue string, ahead int) (int, error) {
	// For most of the time nothing waits: that shows at a glance. The order has the index
	// looked at, whatever statistics say.
	waiting, err := value[bool](ctx, d.Queries, `
		SELECT (SELECT id FROM river_job WHERE state = 'pending' AND queue = @queue ORDER BY args ->> 'team_id', priority, id LIMIT 1) IS NOT NULL`,
		args{"queue": queue})
	if err != nil || !waiting {
		return 0, err
	}
	var admitted int
	err = d.InTx(ctx, func(t *Tx) error {
		mine, err := value[bool](ctx, t.Queries, `SELECT pg_try_advisory_xact_lock(hashtextextended('admit:' || @queue, 0))`, args{"queue": queue})
		if err != nil || !mine {
			return err
		}
		// The index has the waiting jobs in order. After an import has filled the
		// table, its statistics are outdated, and the planner would read and sort all
		// jobs in every call. With sorting off, the few sorts that remain look so
		// expensive that the plan would be JIT-compiled, which takes half a second.
		// An admission that is lost with the database is only made again, so nobody
		// waits for the disk.
		if _, err := exec(ctx, t.Queries, `SELECT set_config('enable_sort', 'off', true), set_config('jit', 'off', true), set_config('synchronous_commit', 'off', true)`, nil); err != nil {
			return err
		}
		n, err := exec(ctx, t.Queries, `
			WITH RECURSIVE admitted AS (
				SELECT args ->> 'team_id' AS team, count(*) AS jobs
				FROM river_job WHERE queue = @queue AND state IN ('available', 'running') GROUP BY 1
			), capacity AS (
				SELECT free, greatest(@window::int, 2 * free) AS teams
				FROM (SELECT least(@most, greatest(0, @ahead::int + 2 * coalesce((
					SELECT sum((slots ->> @queue)::int) FROM workers WHERE seen_at > now() - interval '15 seconds'
				), 0) - coalesce((SELECT sum(jobs) FROM admitted), 0)))::int AS free) c
			), last AS (
				SELECT coalesce((SELECT after FROM admissions WHERE queue = @queue), '') AS team
			), ahead AS (
				(SELECT args ->> 'team_id' AS id, 1 AS nth FROM river_job
				WHERE state = 'pending' AND queue = @queue AND args ->> 'team_id' > (SELECT team FROM last)
					AND (SELECT free FROM capacity) > 0 ORDER BY 1 LIMIT 1)
				UNION ALL
				SELECT (SELECT args ->> 'team_id' FROM river_job
					WHERE state = 'pending' AND queue = @queue AND args ->> 'team_id' > ahead.id ORDER BY 1 LIMIT 1), nth + 1
				FROM ahead WHERE ahead.id IS NOT NULL AND nth < (SELECT teams FROM capacity)
			), behind AS (
				(SELECT args ->> 'team_id' AS id, 1 + (SELECT count(id) FROM ahead)::int AS nth FROM river_job
				WHERE state = 'pending' AND queue = @queue AND args ->> 'team_id' <= (SELECT team FROM last)
					AND (SELECT free FROM capacity) > 0 AND (SELECT count(id) FROM ahead) < (SELECT teams FROM capacity) ORDER BY 1 LIMIT 1)
				UNION ALL
				SELECT (SELECT args ->> 'team_id' FROM river_job
					WHERE state = 'pending' AND queue = @queue AND args ->> 'team_id' > behind.id AND args ->> 'team_id' <= (SELECT team FROM last)
					ORDER BY 1 LIMIT 1), nth + 1
				FROM behind WHERE behind.id IS NOT NULL AND nth < (SELECT teams FROM capacity)
			), team AS (
				SELECT t.id, t.nth, coalesce(admitted.jobs, 0) AS jobs
				FROM (SELECT * FROM ahead UNION ALL SELECT * FROM behind) t
				LEFT JOIN admitted ON admitted.team = t.id
				WHERE t.id IS NOT NULL
			), found AS (
				SELECT count(*) >= (SELECT teams FROM capacity) AS more, -- of them wait, perhaps
					CASE WHEN count(*) FILTER (WHERE jobs = 0) >= (SELECT free FROM capacity) THEN 1 ELSE (SELECT free FROM capacity) END AS each -- of them may have
				FROM team
			), moved AS (
				INSERT INTO admissions (queue, after)
				SELECT @queue, team.id FROM team WHERE team.nth = (SELECT free FROM capacity) AND (SELECT more FROM found)
				ON CONFLICT (queue) DO UPDATE SET after = excluded.after
			), turn AS (
				SELECT j.id
				FROM team
				CROSS JOIN LATERAL (
					SELECT w.id, row_number() OVER (ORDER BY w.priority, w.id) AS nth
					FROM (
						SELECT id, priority FROM river_job
						WHERE state = 'pending' AND queue = @queue AND args ->> 'team_id' = team.id
						ORDER BY priority, id LIMIT (SELECT each FROM found)
					) w
				) j
				ORDER BY team.jobs + j.nth, CASE WHEN (SELECT more FROM found) THEN team.nth END, j.id
				LIMIT (SELECT free FROM capacity)
			)
			UPDATE river_job SET state = 'available', scheduled_at = now() FROM turn
			WHERE river_job.id = turn.id AND river_job.state IS NOT DISTINCT FROM 'pending' -- still, where somebody cancels it`,
			args{"queue": queue, "window": admitWindow, "most": admitMost, "ahead": ahead})
		if err != nil || n == 0 {
			return err
		}
		admitted = int(n)
		_, err = exec(ctx, t.Queries, `SELECT pg_notify(current_schema() || '.river_insert', json_build_object('queue', @queue::text)::text)`, args{"queue": queue})
		return err
	})
	return admitted, err
}

// FileJobs lists the unfinished jobs about files, for cancelling them.
func (q Queries) FileJobs(ctx context.Context, in Scope, fileIDs []string) ([]int64, error) {
	return values[int64](ctx, q, `
		SELECT id FROM river_job
		WHERE args ->> 'file_id' = ANY(@ids) AND args ->> 'team_id' = @team
			AND state IN ('pending', 'available', 'scheduled', 'retryable', 'running')`, args{"ids": fileIDs, "team": in.TeamID})
}

// FileJob is an unfinished job about a file.
type FileJob struct {
	Kind    string `db:"kind"`
	State   string `db:"state"`
	Attempt int    `db:"attempt"`
}

// FileJobStates lists the unfinished jobs about one file.
func (q Queries) FileJobStates(ctx context.Context, in Scope, fileID string) ([]FileJob, error) {
	return many[FileJob](ctx, q, `
		SELECT kind, state::text AS state, attempt::int AS attempt FROM river_job
		WHERE args ->> 'file_id' = @id AND args ->> 'team_id' = @team
			AND state IN ('pending', 'available', 'scheduled', 'retryable', 'running') ORDER BY id`, args{"id": fileID, "team": in.TeamID})
}

// QueueDepth is how many jobs of a queue are in one state, and since when the
// oldest waits.
type QueueDepth struct {
	Queue  string  `db:"queue"`
	State  string  `db:"state"`
	Jobs   int     `db:"jobs"`
	Oldest float64 `db:"oldest"` // seconds
}

// QueueDepths measures every queue.
func (q Queries) QueueDepths(ctx context.Context) ([]QueueDepth, error) {
	return many[QueueDepth](ctx, q, `
		SELECT queue, state::text AS state, count(*) AS jobs,
			extract(epoch FROM now() - min(created_at))::float8 AS oldest
		FROM river_job WHERE state IN ('pending', 'available', 'scheduled', 'retryable', 'running')
		GROUP BY 1, 2`, nil)
}

// LiveWorkers counts the worker processes that are alive and have slots of a queue.
func (q Queries) LiveWorkers(ctx context.Context, queue string) (int, error) {
	return value[int](ctx, q, `SELECT count(*) FROM workers WHERE seen_at > now() - interval '15 seconds' AND (slots ->> @queue)::int > 0`, args{"queue": queue})
}
