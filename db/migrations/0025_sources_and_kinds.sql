-- +goose NO TRANSACTION
-- +goose Up

-- These tables may be large: rows are checked after the lock that a new constraint needs.

-- People are told what became of what they taught.
ALTER TABLE notifications DROP CONSTRAINT IF EXISTS notifications_kind_check, ADD CONSTRAINT notifications_kind_check CHECK (kind IN
    ('file.completed', 'file.failed', 'assignment.created', 'assignment.updated', 'operation.finished', 'matter.updated', 'mention', 'model.trained', 'custom')) NOT VALID;
ALTER TABLE notifications VALIDATE CONSTRAINT notifications_kind_check;

-- What a model of a field proposes is told from what rules read.
ALTER TABLE attributes DROP CONSTRAINT IF EXISTS attributes_source_check,
    ADD CONSTRAINT attributes_source_check CHECK (source IN ('rule', 'human', 'model')) NOT VALID;
ALTER TABLE attributes VALIDATE CONSTRAINT attributes_source_check;
ALTER TABLE overruled_attributes DROP CONSTRAINT IF EXISTS attributes_source_check,
    ADD CONSTRAINT attributes_source_check CHECK (source IN ('rule', 'human', 'model')) NOT VALID;
ALTER TABLE overruled_attributes VALIDATE CONSTRAINT attributes_source_check;

-- What people decided on a key, of all files.
DROP INDEX CONCURRENTLY IF EXISTS attribute_decisions_key;
CREATE INDEX CONCURRENTLY attribute_decisions_key ON attribute_decisions (team_id, key);
