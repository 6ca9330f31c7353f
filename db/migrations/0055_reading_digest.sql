-- +goose Up

-- What the last reading of a file stored, and how its labels were counted then: where the next
-- one reads the same, and nobody has decided in between, there is nothing to write.
ALTER TABLE analyses ADD COLUMN digest bytea, ADD COLUMN label_generation integer;
