-- +goose NO TRANSACTION
-- +goose Up

-- A version may be the one before it without the password that it needed. The rows that
-- are there met the narrower condition, and are checked while others read and write.
ALTER TABLE file_versions
    DROP CONSTRAINT IF EXISTS file_versions_source_check,
    ADD CONSTRAINT file_versions_source_check CHECK (source IN ('upload', 'execute', 'editor', 'import', 'unlock')) NOT VALID;
ALTER TABLE file_versions VALIDATE CONSTRAINT file_versions_source_check;
