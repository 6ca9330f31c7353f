-- +goose NO TRANSACTION
-- +goose Up

-- Nothing looks jobs up by all of their arguments or metadata, but each insert and each change
-- of a job's state wrote to River's indexes of them, one of which was larger than all others.
DROP INDEX CONCURRENTLY IF EXISTS river_job_args_index;
DROP INDEX CONCURRENTLY IF EXISTS river_job_metadata_index;
