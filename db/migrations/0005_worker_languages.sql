-- +goose Up

-- What a worker recognises, so that others can tell which languages there are.
ALTER TABLE workers ADD COLUMN languages text[] NOT NULL DEFAULT '{}'; -- none where it recognises nothing
