-- +goose Up

-- The versions of files. The bytes of each are written once and never changed.
-- Those of an upload lie under the id of the file, those of later versions under
-- an id of their own; one that brings an older version back shares its bytes.
CREATE TABLE file_versions (
    file_id       uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    number        int NOT NULL CHECK (number > 0),
    team_id       uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    bytes_id      uuid NOT NULL,
    name          text NOT NULL,             -- as it came
    kind          text NOT NULL DEFAULT '',  -- document.Kind, once sniffed
    content_type  text NOT NULL DEFAULT 'application/octet-stream',
    size          bigint NOT NULL,
    sha256        bytea NOT NULL,
    source        text NOT NULL CHECK (source IN ('upload', 'execute', 'editor', 'import')),
    author_kind   text,                      -- user, key, system; null where nobody knows
    author_id     uuid,
    note          text NOT NULL DEFAULT '',
    restored_from int,                       -- the number of the version that it brings back
    reading       jsonb,                     -- db.Reading: what was read in it, from when another one has taken its place
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (file_id, number)
);

CREATE INDEX file_versions_bytes ON file_versions (bytes_id);
CREATE INDEX file_versions_team ON file_versions (team_id);

ALTER TABLE files
    ADD COLUMN bytes_id        uuid,                   -- of the current version, where they are not those of the upload
    ADD COLUMN current_version int NOT NULL DEFAULT 1, -- the newest; all from 1 to it are kept
    ADD COLUMN text_version    int NOT NULL DEFAULT 1; -- whose text is there, if text_ready

-- Executing changes used to write over the uploaded bytes. What was there before
-- is gone, and what is there now is the first version that can be had.
INSERT INTO file_versions (file_id, number, team_id, bytes_id, name, kind, content_type, size, sha256, source, author_kind, author_id, note, created_at)
SELECT id, 1, team_id, id, name, kind, content_type, size, sha256, 'upload', CASE WHEN created_by IS NOT NULL THEN 'user' END, created_by,
    CASE WHEN id IN (SELECT resource_id FROM audit_events WHERE action = 'file.replaced') THEN 'as it was at the upgrade' ELSE '' END, created_at
FROM files;

-- Whatever adds a file adds its first version; so does the release before this
-- one, while both run.
-- +goose StatementBegin
CREATE FUNCTION add_first_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO file_versions (file_id, number, team_id, bytes_id, name, kind, content_type, size, sha256, source, author_kind, author_id)
    VALUES (NEW.id, 1, NEW.team_id, NEW.id, NEW.name, NEW.kind, NEW.content_type, NEW.size, NEW.sha256, 'upload',
        CASE WHEN NEW.created_by IS NOT NULL THEN 'user' END, NEW.created_by);
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER files_first_version AFTER INSERT ON files FOR EACH ROW EXECUTE FUNCTION add_first_version();

-- Changes are anchored in a version. Those that are open move along with the file.
ALTER TABLE changes
    ADD COLUMN version       int NOT NULL DEFAULT 1, -- that the anchor is of
    ADD COLUMN ended_version int;                    -- that it was carried out in, or could not come along to

-- An anchor without words means a place in one document and in no other.
UPDATE changes c SET body = jsonb_set(c.body, '{anchor,docSha256}', to_jsonb(encode(c.base_sha256, 'hex')))
FROM files f
WHERE f.id = c.file_id AND f.kind = 'docx' AND c.status = 'proposed'
    AND c.body ? 'anchor' AND NOT (c.body -> 'anchor') ?| ARRAY['text', 'docSha256'];

ALTER TABLE orphaned_decisions ADD COLUMN version int NOT NULL DEFAULT 1; -- whose text had no place for it
