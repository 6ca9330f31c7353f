-- +goose Up

-- An index that has the trigrams of a value beside its team answers for one team
-- without reading what the others have.
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- The facts of files: what holds for a file as a whole, and what stands in a
-- place of it. What people say of a file stands by itself, without spans, so
-- that it outlives every reading of the text.
CREATE TABLE attributes (
    id         uuid PRIMARY KEY,
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    level      text NOT NULL CHECK (level IN ('file', 'span')),
    ordinal    int NOT NULL, -- within the level
    key        text COLLATE "C" NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]{0,99}$'),
    value      text NOT NULL, -- its words on one line
    normalized jsonb NOT NULL DEFAULT '{}',
    confidence real NOT NULL DEFAULT 1,
    source     text NOT NULL CHECK (source IN ('rule', 'human')),
    spans      jsonb NOT NULL DEFAULT '[]', -- [{start, end, page, quote}], the telling one first
    start_at   int, -- of the first span
    end_at     int,

    -- What is looked up, in small letters and cut to a length that an index
    -- takes: the words, and the value whatever its words. Equal values of a key
    -- have the same normal, which is the words where nothing is normalised.
    folded     text COLLATE "C" NOT NULL,
    normal     text COLLATE "C" NOT NULL,
    CHECK (source = 'rule' OR level = 'file')
);

CREATE INDEX attributes_file ON attributes (file_id, level, ordinal);
CREATE INDEX attributes_key ON attributes (team_id, level, key, normal, file_id);
CREATE INDEX attributes_normal ON attributes (team_id, normal);
CREATE INDEX attributes_folded ON attributes (team_id, folded);
CREATE INDEX attributes_trigrams ON attributes USING gin (team_id, (folded || ' ' || normal) gin_trgm_ops);
