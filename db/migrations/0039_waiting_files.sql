-- +goose NO TRANSACTION
-- +goose Up

-- Files on their way, those that wait in their order: who asks for the place of one reads
-- the first of them only. It takes the place of files_active. One that was cut off while
-- it was made is made anew.
DROP INDEX CONCURRENTLY IF EXISTS files_under_way;
CREATE INDEX CONCURRENTLY files_under_way ON files (team_id, status, queued_at, id) WHERE status IN ('queued', 'processing');
DROP INDEX CONCURRENTLY IF EXISTS files_active;
