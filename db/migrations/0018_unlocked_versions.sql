-- +goose Up

-- A version may be the one before it without the password that it needed.
ALTER TABLE file_versions
    DROP CONSTRAINT file_versions_source_check,
    ADD CONSTRAINT file_versions_source_check CHECK (source IN ('upload', 'execute', 'editor', 'import', 'unlock'));
