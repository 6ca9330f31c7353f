-- +goose Up

-- What people do with sentences: label them, and review those without a label.

-- The clauses that a team added to the taxonomy. The others are the program's.
CREATE TABLE nodes (
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    key        text NOT NULL CHECK (key ~ '^[a-z0-9]+(_[a-z0-9]+)*$'),
    name       text NOT NULL CHECK (name <> ''),
    family     text NOT NULL DEFAULT '',
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, key)
);

-- What two sentences have in common that differ in nothing but case, spaces and
-- punctuation.
CREATE FUNCTION wording(text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN md5(btrim(regexp_replace(lower($1), '[^[:alnum:]]+', ' ', 'g')))::uuid;

CREATE INDEX sentences_label ON sentences (team_id, label, source DESC, id DESC) WHERE label IS NOT NULL; -- validated before predicted
CREATE INDEX sentences_score ON sentences (team_id, score, id) WHERE score IS NOT NULL;
CREATE INDEX sentences_review ON sentences (team_id, score DESC, id DESC) WHERE label IS NULL AND source = 'predicted';
CREATE INDEX sentences_wording ON sentences (team_id, wording(text), score DESC, id DESC) WHERE label IS NULL AND source = 'predicted';

-- Which text each file has: asked with each question about what is nearest.
CREATE INDEX files_text ON files (team_id, progress_at) INCLUDE (id, generation) WHERE text_ready;
