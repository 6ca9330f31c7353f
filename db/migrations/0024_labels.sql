-- +goose NO TRANSACTION
-- +goose Up

-- A sentence may have several labels. They are here, the best first, where there are
-- several or people refused some: [{node, score, source, validatedBy, validatedAt}].
-- One alone is in the columns, as before, so that no row is written anew; label, score,
-- source, validated_by and validated_at always are those of the first.
ALTER TABLE sentences ADD COLUMN IF NOT EXISTS labels jsonb;

-- The nodes of labels, without those that were refused.
CREATE OR REPLACE FUNCTION label_nodes(labels jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT l ->> 'node' FROM jsonb_array_elements(labels) WITH ORDINALITY x (l, n) WHERE l ->> 'source' <> 'refused' ORDER BY n);

-- The least score of labels on which nobody decided.
CREATE OR REPLACE FUNCTION least_score(labels jsonb) RETURNS real LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT min((l ->> 'score')::real) FROM jsonb_array_elements(labels) l WHERE l ->> 'source' = 'predicted');

-- A program of the release before knows one label only. What it says takes the place
-- of all that there were. It goes one release later.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION only_label() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.labels := NULL;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER sentences_only_label BEFORE UPDATE OF label ON sentences
    FOR EACH ROW WHEN (NEW.labels = OLD.labels
        AND (NEW.label, NEW.score, NEW.source, NEW.validated_at) IS DISTINCT FROM (OLD.label, OLD.score, OLD.source, OLD.validated_at))
    EXECUTE FUNCTION only_label();

-- The nodes of labels, refused ones among them, and of what a model says beneath.
CREATE OR REPLACE FUNCTION mentioned_nodes(label text, labels jsonb, prediction jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY(
        SELECT label UNION SELECT prediction ->> 'label'
        UNION SELECT l ->> 'node' FROM jsonb_array_elements(labels) l UNION SELECT l ->> 'node' FROM jsonb_array_elements(prediction -> 'labels') l);

-- Decisions that found no place in a new text are listed label by label.
ALTER TABLE orphaned_decisions ADD COLUMN IF NOT EXISTS refused boolean NOT NULL DEFAULT false;

-- Sentences with other labels, those to review among them, and files by their labels.
DROP INDEX CONCURRENTLY IF EXISTS sentences_several_file;
CREATE INDEX CONCURRENTLY sentences_several_file ON sentences (team_id, file_id) WHERE labels IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS sentences_doubtful_several;
CREATE INDEX CONCURRENTLY sentences_doubtful_several ON sentences (team_id, least_score(labels), id) WHERE labels IS NOT NULL AND source = 'predicted';
DROP INDEX CONCURRENTLY IF EXISTS sentences_overruled;
DROP INDEX CONCURRENTLY IF EXISTS file_nodes_label;
CREATE INDEX CONCURRENTLY file_nodes_label ON file_nodes (team_id, label, file_id) INCLUDE (sentences, validated);
