-- +goose Up

-- The document types whose files have changed since somebody looked which analyses of
-- them are due: only those are looked at. A type may be named many times.
CREATE TABLE corpus_changes (
    document_type_id uuid NOT NULL
);
CREATE INDEX corpus_changes_type ON corpus_changes (document_type_id);

-- +goose StatementBegin
CREATE FUNCTION file_changes_corpus() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO corpus_changes SELECT id FROM (
        SELECT NEW.document_type_id AS id WHERE NEW.text_ready
        UNION SELECT OLD.document_type_id WHERE OLD.text_ready
    ) types WHERE id IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE FUNCTION type_changes_corpus() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO corpus_changes VALUES (NEW.id);
    RETURN NULL;
END
$$;

CREATE FUNCTION matter_changes_corpora() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO corpus_changes SELECT DISTINCT document_type_id FROM files WHERE matter_id = NEW.id AND text_ready AND document_type_id IS NOT NULL;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- What a corpus is made of: see corpusState. The release before makes changes too.
CREATE TRIGGER files_corpus_updated AFTER UPDATE ON files FOR EACH ROW
    WHEN ((OLD.text_ready OR NEW.text_ready)
        AND (OLD.team_id, OLD.document_type_id, OLD.text_ready, OLD.generation, OLD.label_generation, OLD.matter_id)
            IS DISTINCT FROM (NEW.team_id, NEW.document_type_id, NEW.text_ready, NEW.generation, NEW.label_generation, NEW.matter_id))
    EXECUTE FUNCTION file_changes_corpus();
CREATE TRIGGER files_corpus_inserted AFTER INSERT ON files FOR EACH ROW WHEN (NEW.text_ready) EXECUTE FUNCTION file_changes_corpus();
CREATE TRIGGER files_corpus_deleted AFTER DELETE ON files FOR EACH ROW WHEN (OLD.text_ready) EXECUTE FUNCTION file_changes_corpus();
CREATE TRIGGER matters_corpora AFTER UPDATE ON matters FOR EACH ROW WHEN (OLD.access <> NEW.access) EXECUTE FUNCTION matter_changes_corpora();

CREATE TRIGGER document_types_corpus AFTER UPDATE ON document_types FOR EACH ROW WHEN (OLD.team_id <> NEW.team_id) EXECUTE FUNCTION type_changes_corpus();

-- Those whose analyses are not of what they are, which are looked at until they are.
CREATE INDEX document_types_stale ON document_types (id) WHERE stale_since IS NOT NULL;

-- All that there are, the first time.
INSERT INTO corpus_changes SELECT id FROM document_types;
