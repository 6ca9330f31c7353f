-- +goose NO TRANSACTION
-- +goose Up

-- What the service says in a chat: the message that asked, and the answer with its quotes.
ALTER TABLE chat_messages ADD COLUMN IF NOT EXISTS answers uuid, ADD COLUMN IF NOT EXISTS answer jsonb;
DROP INDEX CONCURRENTLY IF EXISTS chat_messages_answers;
CREATE INDEX CONCURRENTLY chat_messages_answers ON chat_messages (answers) WHERE answers IS NOT NULL;
