-- +goose Up

-- Documents and what was read in them. Every table that holds a team's rows
-- carries team_id, so that every query can be scoped without a join.

-- A text without the accents on its letters, whether they are of one character
-- with them or not. What has nothing beyond Latin-1 signs and punctuation can have
-- none, and is not taken apart.
CREATE FUNCTION unaccented(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN $1 !~ U&'[^\0001-\00bf\2002-\206f]' THEN $1
        ELSE normalize(regexp_replace(normalize($1, NFD), U&'[\0300-\036f\1ab0-\1aff\1dc0-\1dff\20d0-\20ff\fe20-\fe2f]', '', 'g')) END;

-- What full text search reads of a text. Postgres would take Exhibit/Schedule
-- for a path, agreement.The for a host and <b> for markup, and nobody would find
-- the words in them; so whatever can glue words together becomes a space.
CREATE FUNCTION searchable(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(unaccented($1), '[./\\_@:&?=~+<>%#-]', ' ', 'g');

CREATE TABLE document_types (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    name       text NOT NULL CHECK (name <> ''),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX document_types_name ON document_types (team_id, lower(name));

CREATE TABLE matters (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    name       text NOT NULL CHECK (name <> ''),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX matters_team ON matters (team_id);

CREATE TABLE files (
    id                  uuid PRIMARY KEY,
    team_id             uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    name                text NOT NULL CHECK (name <> ''),
    kind                text NOT NULL DEFAULT '',  -- document.Kind, once sniffed
    content_type        text NOT NULL DEFAULT 'application/octet-stream',
    size                bigint NOT NULL,
    sha256              bytea NOT NULL,
    source              text NOT NULL DEFAULT 'upload',
    document_type_id    uuid REFERENCES document_types ON DELETE SET NULL,
    document_type_source text CHECK (document_type_source IN ('predicted', 'assigned')),
    document_type_score real,
    matter_id           uuid REFERENCES matters ON DELETE SET NULL,
    parties             jsonb NOT NULL DEFAULT '[]',
    counterparties      text[] NOT NULL DEFAULT '{}',
    metadata            jsonb NOT NULL DEFAULT '{}',
    lifecycle_stage     text NOT NULL DEFAULT 'draft',
    duplicate_of        uuid REFERENCES files ON DELETE SET NULL,
    parent_id           uuid REFERENCES files ON DELETE SET NULL, -- the archive or message it came out of
    entry               int,                                      -- its place in the parent
    version             int NOT NULL DEFAULT 1,                   -- of what people edit; the ETag
    created_by          uuid REFERENCES users ON DELETE SET NULL,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),

    -- The pipeline's own columns.
    status              text NOT NULL DEFAULT 'queued' CHECK (status IN
                        ('queued', 'processing', 'completed', 'completed_with_warnings', 'failed', 'cancelled')),
    stage               text NOT NULL DEFAULT 'received' CHECK (stage IN
                        ('received', 'extract', 'recognize', 'segment', 'classify', 'index', 'done')),
    attempt             int NOT NULL DEFAULT 1,
    bulk                boolean NOT NULL DEFAULT false, -- waits for its team's turn
    options             jsonb NOT NULL DEFAULT '{}',    -- of this attempt: from, ocr, languages
    language            text NOT NULL DEFAULT '',
    page_count          int NOT NULL DEFAULT 0,
    pages_done          int NOT NULL DEFAULT 0,
    pages_ocr           int NOT NULL DEFAULT 0,
    warnings            jsonb NOT NULL DEFAULT '[]',
    error_code          text,
    error_stage         text,
    error_message       text,
    error_page          int,
    text_ready          boolean NOT NULL DEFAULT false,
    generation          int NOT NULL DEFAULT 0,  -- of the text; grows with each segmentation
    indexed_generation  int NOT NULL DEFAULT 0,  -- of the text that the search engine has confirmed
    segmenter_version   int NOT NULL DEFAULT 0,
    queued_at           timestamptz NOT NULL DEFAULT now(),
    started_at          timestamptz,
    finished_at         timestamptz,
    progress_at         timestamptz NOT NULL DEFAULT now(), -- the last change of status or progress

    -- The words of the name, with the team as one of them.
    vector              tsvector GENERATED ALWAYS AS (
                            to_tsvector('english'::regconfig, searchable(name))
                            || array_to_tsvector(ARRAY['team=' || team_id::text])
                        ) STORED,
    UNIQUE (parent_id, entry)
);

CREATE INDEX files_list ON files (team_id, id DESC);
CREATE INDEX files_progress ON files (team_id, progress_at, id);
CREATE INDEX files_active ON files (team_id) WHERE status IN ('queued', 'processing');
CREATE INDEX files_status ON files (team_id, status, id DESC);
CREATE INDEX files_sha256 ON files (team_id, sha256);
CREATE INDEX files_copies ON files (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX files_document_type ON files (document_type_id) WHERE document_type_id IS NOT NULL;
CREATE INDEX files_matter ON files (matter_id) WHERE matter_id IS NOT NULL;
CREATE INDEX files_stale_index ON files (progress_at)
    WHERE status = 'processing' AND stage = 'index' OR status = 'completed_with_warnings' AND warnings @> '[{"code": "index_pending"}]';
CREATE INDEX files_unindexed ON files (progress_at) WHERE text_ready AND indexed_generation < generation;
CREATE INDEX files_name ON files USING gin (name gin_trgm_ops);
CREATE INDEX files_vector ON files USING gin (vector);

-- Rows change status and progress several times in a short life; room on the
-- page keeps those updates off the indexes.
ALTER TABLE files SET (fillfactor = 70);

-- What became of each attempt: a retry never erases a diagnosis.
CREATE TABLE file_attempts (
    file_id       uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id       uuid NOT NULL,
    attempt       int NOT NULL,
    status        text NOT NULL,
    error_code    text,
    error_stage   text,
    error_message text,
    started_at    timestamptz,
    finished_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (file_id, attempt)
);

-- A page carries two readings where both exist: text is the chosen one.
CREATE TABLE pages (
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    number     int NOT NULL,
    width      real NOT NULL DEFAULT 0, -- points, as displayed
    height     real NOT NULL DEFAULT 0,
    source     text NOT NULL CHECK (source IN ('text_layer', 'ocr')),
    reason     text NOT NULL DEFAULT '', -- why that source
    pending    boolean NOT NULL DEFAULT false, -- waits to be recognised
    confidence real NOT NULL DEFAULT 0,
    text       text NOT NULL DEFAULT '',
    words      bytea,                   -- layout.EncodeWords; none where the format has no geometry
    layer_text text,                        -- the text layer that was passed over
    error_code text,                        -- why the page could not be recognised
    PRIMARY KEY (file_id, number)
);

CREATE INDEX pages_pending ON pages (file_id) WHERE pending;

-- The logical documents of a file with their blocks.
CREATE TABLE documents (
    id         uuid PRIMARY KEY,
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    ordinal    int NOT NULL,
    kind       text NOT NULL,
    title      text NOT NULL DEFAULT '',
    start_at   int NOT NULL, -- code points of the canonical text, half open
    end_at     int NOT NULL,
    first_page int NOT NULL,
    last_page  int NOT NULL,
    UNIQUE (file_id, ordinal)
);

CREATE TABLE blocks (
    file_id     uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id     uuid NOT NULL,
    ordinal     int NOT NULL,
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    kind        text NOT NULL CHECK (kind IN ('heading', 'paragraph', 'list_item', 'table', 'signature_block')),
    number      text NOT NULL DEFAULT '',
    level       int NOT NULL DEFAULT 0,
    text        text NOT NULL,
    start_at    int NOT NULL,
    end_at      int NOT NULL,
    page        int NOT NULL,
    label       text,
    score       real,
    model_id    uuid,
    PRIMARY KEY (file_id, ordinal)
);

CREATE INDEX blocks_document ON blocks (document_id);

-- Sentences are what is labelled, searched and compared. The search vector
-- holds the team as a word beside the text's own, so that one index answers a
-- scoped query. It also holds when the file was made, coarsely to finely: the
-- hexadecimal digits that its id begins with are milliseconds, eight of them
-- 65 seconds. Common words are looked up among the newest files first, and the
-- index has to be read in those places only.
CREATE TABLE sentences (
    id           uuid PRIMARY KEY,
    file_id      uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id      uuid NOT NULL,
    ordinal      int NOT NULL,
    block        int NOT NULL,
    page         int NOT NULL,
    start_at     int NOT NULL,
    end_at       int NOT NULL,
    text         text NOT NULL,
    label        text,
    score        real,
    source       text CHECK (source IN ('predicted', 'validated')),
    model_id     uuid,
    validated_by uuid,
    validated_at timestamptz,
    vector       tsvector GENERATED ALWAYS AS (
                     to_tsvector('english'::regconfig, searchable(text))
                     || array_to_tsvector(ARRAY['team=' || team_id::text,
                         'at=' || left(file_id::text, 4), 'at=' || left(file_id::text, 5), 'at=' || left(file_id::text, 6),
                         'at=' || left(file_id::text, 7), 'at=' || left(file_id::text, 8)])
                 ) STORED,
    UNIQUE (file_id, ordinal) DEFERRABLE INITIALLY IMMEDIATE
);

CREATE INDEX sentences_vector ON sentences USING gin (vector);
CREATE INDEX sentences_validated ON sentences (file_id) WHERE source = 'validated';

-- Human decisions whose sentence could not be found again after a file was
-- reprocessed.
CREATE TABLE orphaned_decisions (
    id           uuid PRIMARY KEY,
    file_id      uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id      uuid NOT NULL,
    text         text NOT NULL,
    label        text,
    validated_by uuid,
    validated_at timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX orphaned_decisions_file ON orphaned_decisions (file_id);

-- Word counts of a file, most frequent first: [{token, stem, count}].
CREATE TABLE file_tokens (
    file_id uuid PRIMARY KEY REFERENCES files ON DELETE CASCADE,
    team_id uuid NOT NULL,
    total   int NOT NULL,
    tokens  jsonb NOT NULL,
    words   text[] NOT NULL -- what the file adds to the vocabulary, without accents, to be taken back with it
);

CREATE INDEX file_tokens_team ON file_tokens (team_id);

-- The words of a team's files, without accents: for correcting typing errors,
-- and for the number of files that use each stem. Changes are appended and folded
-- in by one job at a time, so that files finishing together never wait for one
-- another's popular words.
CREATE TABLE vocabulary (
    team_id uuid NOT NULL,
    word    text COLLATE "C" NOT NULL, -- so that a prefix is a range of the key
    files   int NOT NULL,
    PRIMARY KEY (team_id, word)
);

-- Every word of any team, once: the trigrams of each team's own words would be
-- mostly the same words again. What is found here counts for a team only where
-- its vocabulary has the word too. Once means as a rule: a unique index would
-- make the teams wait for one another's new words, and a word that came twice
-- does no harm.
CREATE TABLE words (
    word text COLLATE "C" NOT NULL
);

CREATE INDEX words_word ON words (word);
CREATE INDEX words_trigrams ON words USING gin (word gin_trgm_ops);

CREATE TABLE stems (
    team_id uuid NOT NULL,
    stem    text NOT NULL,
    files   int NOT NULL,
    PRIMARY KEY (team_id, stem)
);

CREATE TABLE vocabulary_changes (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team_id uuid NOT NULL,
    words   text[] NOT NULL,
    stems   text[] NOT NULL,
    files   int NOT NULL CHECK (files IN (-1, 1))
);

CREATE INDEX vocabulary_changes_team ON vocabulary_changes (team_id);
