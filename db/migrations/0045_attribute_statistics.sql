-- +goose Up

-- Planning a search for words in attributes compared each word with all that is known of
-- how values are distributed: some milliseconds, more than the search takes. The plan is
-- the index of trigrams whatever the estimate.
ALTER INDEX attributes_trigrams ALTER COLUMN 2 SET STATISTICS 1;
ANALYZE attributes;
