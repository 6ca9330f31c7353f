-- +goose NO TRANSACTION
-- +goose Up

-- Lists of files by size and by number of pages. One that was cut off while it was
-- made is made anew.
DROP INDEX CONCURRENTLY IF EXISTS files_by_size;
CREATE INDEX CONCURRENTLY files_by_size ON files (team_id, size, id);
DROP INDEX CONCURRENTLY IF EXISTS files_by_pages;
CREATE INDEX CONCURRENTLY files_by_pages ON files (team_id, page_count, id);
