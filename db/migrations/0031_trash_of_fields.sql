-- +goose NO TRANSACTION
-- +goose Up

-- Fields that a team declared go into the trash.
ALTER TABLE trash DROP CONSTRAINT IF EXISTS trash_kind_check;
ALTER TABLE trash ADD CONSTRAINT trash_kind_check CHECK (kind IN
    ('file', 'matter', 'document_type', 'chat', 'widget', 'saved_search', 'tag', 'category', 'field')) NOT VALID;
ALTER TABLE trash VALIDATE CONSTRAINT trash_kind_check;

-- What people overruled of a key in all files of a team: it goes with a field.
DROP INDEX CONCURRENTLY IF EXISTS overruled_attributes_key;
CREATE INDEX CONCURRENTLY overruled_attributes_key ON overruled_attributes (team_id, key);
