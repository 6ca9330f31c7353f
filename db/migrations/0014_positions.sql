-- +goose Up

-- Whether pages are those of a later reading than the text: they were read again, and
-- no text was made of them yet. Spans do not count in them then.
ALTER TABLE files ADD COLUMN pages_ahead boolean NOT NULL DEFAULT false;
