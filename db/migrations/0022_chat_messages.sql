-- +goose NO TRANSACTION
-- +goose Up

-- A chat may belong to a matter. It is hidden while the matter is in the trash, and goes
-- with it for good.
ALTER TABLE chats ADD COLUMN IF NOT EXISTS matter_id uuid REFERENCES matters ON DELETE CASCADE;
DROP INDEX CONCURRENTLY IF EXISTS chats_matter;
CREATE INDEX CONCURRENTLY chats_matter ON chats (matter_id) WHERE matter_id IS NOT NULL;

-- The number of the last message that somebody has read. Not of all: the trash holds
-- participants of before.
ALTER TABLE chat_participants ADD COLUMN IF NOT EXISTS read_number int;

-- What was said in chats. Numbers have no gaps and are in the order of the commits, so
-- that who goes by them skips no message: a deleted one keeps its place without its text.
CREATE TABLE IF NOT EXISTS chat_messages (
    id                uuid PRIMARY KEY,
    team_id           uuid NOT NULL,
    chat_id           uuid NOT NULL,
    number            int NOT NULL,
    author_id         uuid REFERENCES users ON DELETE SET NULL,
    text              text NOT NULL,
    mentions          uuid[] NOT NULL DEFAULT '{}', -- users
    file_id           uuid REFERENCES files ON DELETE SET NULL, -- what the chat was about at the time
    reference_file_id uuid REFERENCES files ON DELETE SET NULL,
    version           int NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL DEFAULT now(),
    edited_at         timestamptz,
    deleted_at        timestamptz,
    UNIQUE (team_id, chat_id, number),
    FOREIGN KEY (team_id, chat_id) REFERENCES chats ON UPDATE CASCADE ON DELETE CASCADE -- they go into the trash with it
);
CREATE INDEX IF NOT EXISTS chat_messages_file ON chat_messages (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS chat_messages_reference_file ON chat_messages (reference_file_id) WHERE reference_file_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS chat_messages_text ON chat_messages USING gin (team_id, to_tsvector('stems_en'::regconfig, searchable(text)));
