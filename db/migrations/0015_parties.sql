-- +goose Up

-- Whose word the parties and counterparties of a file are. What was read gives
-- way to what people give, and not the other way round.
ALTER TABLE files ADD COLUMN parties_source text CHECK (parties_source IN ('read', 'given'));
