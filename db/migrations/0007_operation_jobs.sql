-- +goose NO TRANSACTION
-- +goose Up

-- Unfinished jobs by the operation that they belong to, for cancelling it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS river_job_operation ON river_job ((args ->> 'operation_id'))
    WHERE args ->> 'operation_id' IS NOT NULL AND state IN ('pending', 'available', 'scheduled', 'retryable', 'running');
