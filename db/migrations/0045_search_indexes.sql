-- +goose Up

-- Planning a search for words in attributes compared each word with all that is known of
-- how values are distributed: some milliseconds, more than the search takes. The plan is
-- the index of trigrams whatever the estimate.
ALTER INDEX attributes_trigrams ALTER COLUMN 2 SET STATISTICS 1;
ANALYZE attributes;

-- What is new in an index waits in a list that each search reads from end to end, up to
-- 4 MB, until it is full or the table is vacuumed. With 512 kB of it an import takes as
-- long, and a search after it two thirds of the time; with less an import takes longer.
ALTER INDEX attributes_trigrams SET (gin_pending_list_limit = 512);
ALTER INDEX sentences_vector SET (gin_pending_list_limit = 512);
ALTER INDEX sections_headings SET (gin_pending_list_limit = 512);
