package db

import (
	"context"
	"encoding/json"
	"time"
)

// This file has what operators ask of all teams, at the command line and of the API.

// Unindex marks the texts of one file, of a team or, where both are "", of all teams
// as not indexed, and returns how many there are. A reconciliation of the index
// indexes them again.
func (t *Tx) Unindex(ctx context.Context, teamID, fileID string) (int, error) {
	n, err := exec(ctx, t.Queries, `
		UPDATE files f SET indexed_generation = 0, indexed_label_generation = 0
		WHERE text_ready AND NOT `+inTrash("f")+`
			AND (@team::uuid IS NULL OR team_id = @team) AND (@file::uuid IS NULL OR id = @file)`,
		args{"team": nullable(teamID), "file": nullable(fileID)})
	return int(n), err
}

// FilePlace says whose a file is.
type FilePlace struct {
	TeamID  string  `db:"team_id"`
	Name    string  `db:"name"`
	TrashID *string `db:"trash_id"` // of a file in the trash
}

// WhereFileIs finds a file of any team, in the trash or not.
func (q Queries) WhereFileIs(ctx context.Context, id string) (FilePlace, error) {
	return one[FilePlace](ctx, q, `
		SELECT coalesce(x.team_id, f.team_id)::text AS team_id, f.name, x.id::text AS trash_id
		FROM files f LEFT JOIN trash x ON x.id = f.team_id WHERE f.id = @id`, args{"id": id})
}

// TeamSummary is a team as its operator sees it.
type TeamSummary struct {
	ID        string    `db:"id" json:"id"`
	Kind      string    `db:"kind" json:"kind"`
	Name      string    `db:"name" json:"name"`
	Members   int       `db:"members" json:"members"`
	Files     int       `db:"files" json:"files"`
	CreatedAt time.Time `db:"created_at" json:"createdAt"`
}

// AllTeams lists every team of the installation by name.
func (q Queries) AllTeams(ctx context.Context) ([]TeamSummary, error) {
	return many[TeamSummary](ctx, q, `
		SELECT id::text, kind, name, created_at,
			(SELECT count(*) FROM members m WHERE m.team_id = t.id) AS members,
			(SELECT count(*) FROM files f WHERE f.team_id = t.id) AS files
		FROM teams t WHERE kind <> 'trash' ORDER BY name, id`, nil)
}

// ServerVersion is the version of Postgres, such as 17.2.
func (q Queries) ServerVersion(ctx context.Context) (string, error) {
	return value[string](ctx, q, `SHOW server_version`, nil)
}

// FleetWorker is a worker process that runs, or whose heartbeat stopped within the last
// hour.
type FleetWorker struct {
	ID        string          `db:"id"`
	Version   string          `db:"version"`
	Slots     json.RawMessage `db:"slots"` // by queue
	Languages []string        `db:"languages"`
	StartedAt time.Time       `db:"started_at"`
	SeenAt    time.Time       `db:"seen_at"`
	Alive     bool            `db:"alive"`
}

// FleetOfWorkers lists the workers of the installation, those that are alive first.
func (q Queries) FleetOfWorkers(ctx context.Context) ([]FleetWorker, error) {
	return many[FleetWorker](ctx, q, `
		SELECT id, version, slots, languages, started_at, seen_at, seen_at > now() - interval '15 seconds' AS alive
		FROM workers ORDER BY alive DESC, id`, nil)
}

// UsedSlots is how many jobs of a queue a worker runs.
type UsedSlots struct {
	WorkerID string `db:"worker_id"`
	Queue    string `db:"queue"`
	Jobs     int    `db:"jobs"`
}

// SlotsInUse counts the running jobs of each worker.
func (q Queries) SlotsInUse(ctx context.Context) ([]UsedSlots, error) {
	return many[UsedSlots](ctx, q, `
		SELECT coalesce(attempted_by[array_upper(attempted_by, 1)], '') AS worker_id, queue, count(*)::int AS jobs
		FROM river_job WHERE state = 'running' GROUP BY 1, 2`, nil)
}

// jobFailed is the condition of a job that was given up, and not cancelled by somebody.
const jobFailed = `(state = 'discarded' OR state = 'cancelled' AND errors IS NOT NULL AND NOT metadata ? 'cancel_attempted_at')`

// Bucket is the width of the buckets of figures over time. There are as many as make an
// hour, the last one not over.
const Bucket = 5 * time.Minute

// QueueLoad is how much waits in a queue of jobs, and how its jobs ended in an hour.
type QueueLoad struct {
	Queue         string       `db:"queue"`
	Waiting       int          `db:"waiting"` // for the fair scheduler or a worker
	Running       int          `db:"running"`
	Scheduled     int          `db:"scheduled"`
	Retryable     int          `db:"retryable"`
	OldestWaiting *time.Time   `db:"oldest_waiting"` // when it was created
	Slots         int          `db:"slots"`          // of the live workers
	Finished      int          `db:"finished"`
	Failed        int          `db:"failed"`
	OverTime      []JobsBucket `db:"over_time"`
}

// JobsBucket is how many jobs ended in a bucket.
type JobsBucket struct {
	From     time.Time `json:"from"`
	Finished int       `json:"finished"`
	Failed   int       `json:"failed"`
}

// QueueLoads measures queues, in their order, since a time that is a multiple of Bucket
// and at most an hour ago.
func (q Queries) QueueLoads(ctx context.Context, queues []string, since time.Time) ([]QueueLoad, error) {
	return many[QueueLoad](ctx, q, `
		WITH depths AS (
			SELECT queue, count(*) FILTER (WHERE state IN ('pending', 'available')) AS waiting, count(*) FILTER (WHERE state = 'running') AS running,
				count(*) FILTER (WHERE state = 'scheduled') AS scheduled, count(*) FILTER (WHERE state = 'retryable') AS retryable,
				min(created_at) FILTER (WHERE state IN ('pending', 'available')) AS oldest_waiting
			FROM river_job WHERE state IN ('pending', 'available', 'scheduled', 'retryable', 'running') GROUP BY 1
		), ended AS (
			SELECT queue, date_bin(@width::interval, finalized_at, @since) AS bucket,
				count(*) FILTER (WHERE state = 'completed') AS finished, count(*) FILTER (WHERE `+jobFailed+`) AS failed
			FROM river_job WHERE state IN ('completed', 'cancelled', 'discarded') AND finalized_at >= @since GROUP BY 1, 2
		), capacity AS (
			SELECT key AS queue, sum(value::int) AS slots FROM workers, jsonb_each_text(slots)
			WHERE seen_at > now() - interval '15 seconds' GROUP BY 1
		)
		SELECT name AS queue, coalesce(waiting, 0)::int AS waiting, coalesce(running, 0)::int AS running, coalesce(scheduled, 0)::int AS scheduled,
			coalesce(retryable, 0)::int AS retryable, oldest_waiting, coalesce(slots, 0)::int AS slots, finished, failed, over_time
		FROM unnest(@queues::text[]) WITH ORDINALITY names (name, nth)
		LEFT JOIN depths ON depths.queue = name
		LEFT JOIN capacity ON capacity.queue = name
		CROSS JOIN LATERAL (
			SELECT coalesce(sum(finished), 0)::int AS finished, coalesce(sum(failed), 0)::int AS failed,
				jsonb_agg(jsonb_build_object('from', b, 'finished', coalesce(finished, 0), 'failed', coalesce(failed, 0)) ORDER BY b) AS over_time
			FROM generate_series(@since::timestamptz, @last, @width) b LEFT JOIN ended ON ended.queue = name AND bucket = b
		) hour
		ORDER BY nth`, args{"queues": queues, "since": since, "last": since.Add(time.Hour - Bucket), "width": Bucket})
}

// Step is what the jobs of a kind took.
type Step struct {
	Kind         string     `db:"kind"`
	Finished     int        `db:"finished"`
	Failed       int        `db:"failed"`
	Median       *float64   `db:"median"` // seconds; nil where none finished
	P95          *float64   `db:"p95"`
	Running      int        `db:"running"`
	RunningSince *time.Time `db:"running_since"` // since when the oldest of those runs
}

// Steps measures the kinds of jobs that ended since a time or run now, those first whose
// finished jobs took most time in all. How long a job took is its last attempt.
func (q Queries) Steps(ctx context.Context, since time.Time) ([]Step, error) {
	return many[Step](ctx, q, `
		WITH ended AS (
			SELECT kind, count(*) FILTER (WHERE state = 'completed')::int AS finished, count(*) FILTER (WHERE `+jobFailed+`)::int AS failed,
				percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM finalized_at - attempted_at)::float8)
					FILTER (WHERE state = 'completed') AS seconds,
				sum(finalized_at - attempted_at) FILTER (WHERE state = 'completed') AS in_all
			FROM river_job WHERE state IN ('completed', 'cancelled', 'discarded') AND finalized_at >= @since GROUP BY kind
		), going AS (
			SELECT kind, count(*)::int AS running, min(attempted_at) AS running_since FROM river_job WHERE state = 'running' GROUP BY kind
		)
		SELECT kind, coalesce(finished, 0) AS finished, coalesce(failed, 0) AS failed, seconds[1] AS median, seconds[2] AS p95,
			coalesce(running, 0) AS running, running_since
		FROM ended FULL JOIN going USING (kind) ORDER BY in_all DESC NULLS LAST, kind`, args{"since": since})
}

// FilesInBucket is how many attempts at files ended in a bucket.
type FilesInBucket struct {
	From      time.Time `db:"bucket"`
	Completed int       `db:"completed"`
	Failed    int       `db:"failed"`
}

// FilesOverTime counts the attempts at files that ended in the hour that begins at a
// multiple of Bucket.
func (q Queries) FilesOverTime(ctx context.Context, since time.Time) ([]FilesInBucket, error) {
	return many[FilesInBucket](ctx, q, `
		SELECT bucket, completed, failed FROM generate_series(@since::timestamptz, @last, @width::interval) bucket
		CROSS JOIN LATERAL (
			SELECT count(*) FILTER (WHERE status IN ('completed', 'completed_with_warnings'))::int AS completed,
				count(*) FILTER (WHERE status = 'failed')::int AS failed
			FROM file_attempts
			WHERE status IN ('completed', 'completed_with_warnings', 'failed') AND finished_at >= bucket AND finished_at < bucket + @width
		) ended
		ORDER BY bucket`, args{"since": since, "last": since.Add(time.Hour - Bucket), "width": Bucket})
}

// FailureCause is how many attempts at files failed of one cause.
type FailureCause struct {
	Code  string    `db:"error_code"`
	Files int       `db:"files"`
	Last  time.Time `db:"last"`
}

// FailureCauses counts the attempts at files that failed since a time, the most frequent
// cause first.
func (q Queries) FailureCauses(ctx context.Context, since time.Time) ([]FailureCause, error) {
	return many[FailureCause](ctx, q, `
		SELECT coalesce(error_code, 'internal') AS error_code, count(*)::int AS files, max(finished_at) AS last
		FROM file_attempts WHERE finished_at >= @since AND status = 'failed' GROUP BY 1 ORDER BY 2 DESC, 1`, args{"since": since})
}

// FilesWithStatus is how many files have a status.
type FilesWithStatus struct {
	Status FileStatus `db:"status"`
	Files  int        `db:"files"`
}

// AllFilesByStatus counts the files of all teams, but for those in the trash.
func (q Queries) AllFilesByStatus(ctx context.Context) ([]FilesWithStatus, error) {
	return many[FilesWithStatus](ctx, q, `
		SELECT status, count(*)::int AS files FROM files
		WHERE NOT EXISTS (SELECT FROM trash WHERE trash.id = files.team_id) GROUP BY status`, nil)
}

// ServerLoad is what the database takes and holds.
type ServerLoad struct {
	Version           string     `db:"version"`
	Size              int64      `db:"size"` // bytes on disk
	Connections       int        `db:"connections"`
	MaxConnections    int        `db:"max_connections"`
	OldestTransaction *time.Time `db:"oldest_transaction"` // when it began; the caller's own is left out
}

// ServerLoad measures the database. Connections are those of all databases of the
// server, which share its limit.
func (q Queries) ServerLoad(ctx context.Context) (ServerLoad, error) {
	return one[ServerLoad](ctx, q, `
		SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS size,
			count(*) FILTER (WHERE backend_type = 'client backend')::int AS connections, current_setting('max_connections')::int AS max_connections,
			min(xact_start) FILTER (WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()) AS oldest_transaction
		FROM pg_stat_activity`, nil)
}
