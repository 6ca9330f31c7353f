-- +goose NO TRANSACTION
-- +goose Up

-- Which program a worker runs, and since when. Those of the release before say neither.
ALTER TABLE workers ADD COLUMN IF NOT EXISTS version text NOT NULL DEFAULT '';
ALTER TABLE workers ADD COLUMN IF NOT EXISTS started_at timestamptz NOT NULL DEFAULT now();

-- How the attempts of all teams ended lately.
DROP INDEX CONCURRENTLY IF EXISTS file_attempts_ended;
CREATE INDEX CONCURRENTLY file_attempts_ended ON file_attempts (status, finished_at) INCLUDE (error_code);
