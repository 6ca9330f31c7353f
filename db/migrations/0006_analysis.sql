-- +goose Up

-- What the text of a file means.

-- What was made of which text by which rules and which model. The counts are
-- kept so that files can be compared with one another.
CREATE TABLE analyses (
    file_id     uuid PRIMARY KEY REFERENCES files ON DELETE CASCADE,
    team_id     uuid NOT NULL,
    generation  int NOT NULL,   -- of the text
    version     text NOT NULL,  -- of the rules
    model_id    uuid,           -- that labelled the sentences; none where no model knows the language
    counts      jsonb NOT NULL, -- how much of each sort there is
    analyzed_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX analyses_team ON analyses (team_id);

-- The parts of documents that numbers and headings open, those inside another
-- behind it. What a section holds is a run of sentences, so none has to say where
-- it belongs.
CREATE TABLE sections (
    id             uuid PRIMARY KEY,
    file_id        uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id        uuid NOT NULL,
    ordinal        int NOT NULL,
    document       int NOT NULL, -- ordinal
    parent         int,          -- ordinal; none at the top
    level          int NOT NULL, -- from 1
    number         text NOT NULL DEFAULT '', -- as printed
    path           text NOT NULL DEFAULT '', -- the whole number, in one notation
    title          text NOT NULL DEFAULT '',
    start_at       int NOT NULL, -- code points of the canonical text, half open
    end_at         int NOT NULL,
    first_page     int NOT NULL,
    last_page      int NOT NULL,
    first_sentence int NOT NULL, -- ordinals, half open; those of its subsections included
    end_sentence   int NOT NULL,
    UNIQUE (file_id, ordinal)
);

-- What a block is labelled follows from its sentences.
ALTER TABLE blocks DROP COLUMN label, DROP COLUMN score, DROP COLUMN model_id;

-- Labels change without the text. A search engine beside Postgres has to hear of
-- it, but the text can be found all the while.
ALTER TABLE files
    ADD COLUMN label_generation int NOT NULL DEFAULT 0,        -- grows with each change of labels
    ADD COLUMN indexed_label_generation int NOT NULL DEFAULT 0; -- that the search engine has confirmed

DROP INDEX files_unindexed;
CREATE INDEX files_unindexed ON files (progress_at)
    WHERE text_ready AND (indexed_generation < generation OR indexed_label_generation < label_generation);

-- The label that came closest to a sentence which was given none, with its score.
ALTER TABLE sentences ADD COLUMN suggested text;

CREATE INDEX sentences_labelled ON sentences (file_id, label) WHERE label IS NOT NULL;
