-- +goose NO TRANSACTION
-- +goose Up

-- Files that have values so unsure that somebody should check them.
DROP INDEX CONCURRENTLY IF EXISTS attributes_doubtful;
CREATE INDEX CONCURRENTLY attributes_doubtful ON attributes (team_id, file_id) WHERE level = 'file' AND source <> 'human' AND confidence < 0.75;
