-- +goose Up

-- A file that an operation was seen to wait for. Whether all files have ended is not asked
-- anew at each of them: only when this one has.
ALTER TABLE operations ADD COLUMN waiting_for uuid;
