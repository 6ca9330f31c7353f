-- +goose NO TRANSACTION
-- +goose Up

-- Lists of files in other orders than that of their ids. One that was cut off
-- while it was made is made anew.
DROP INDEX CONCURRENTLY IF EXISTS files_by_name;
CREATE INDEX CONCURRENTLY files_by_name ON files (team_id, lower(name), id);
DROP INDEX CONCURRENTLY IF EXISTS files_by_age;
CREATE INDEX CONCURRENTLY files_by_age ON files (team_id, created_at, id);
