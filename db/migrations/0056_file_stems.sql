-- +goose Up

-- Of a table with a trigger before updates Postgres computes generated columns anew in each
-- update, whatever it changes: half of an update of files were the stems of a name that stayed as
-- it was, and a file is updated some six times until it is read. So a trigger fills them in, as it
-- does for sentences, also of rows that are copied (session_replication_role). Only the catalogue
-- changes.
ALTER TABLE files ALTER COLUMN vector DROP EXPRESSION IF EXISTS;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION stem_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.vector := to_tsvector('stems_en'::regconfig, searchable(NEW.name)) || array_to_tsvector(ARRAY['team=' || NEW.team_id::text]);
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER files_stemmed BEFORE INSERT OR UPDATE OF name, team_id ON files
    FOR EACH ROW EXECUTE FUNCTION stem_file();
ALTER TABLE files ENABLE ALWAYS TRIGGER files_stemmed;

-- Each of these conditions was compiled for each update. Most set none of the columns that they
-- compare: those of how far a file has come.
CREATE OR REPLACE TRIGGER files_facts BEFORE UPDATE OF
        name, document_type_id, document_type_source, matter_id, lifecycle_stage, parties, counterparties, duplicate_of ON files
    FOR EACH ROW WHEN (
        OLD.name IS DISTINCT FROM NEW.name OR OLD.document_type_id IS DISTINCT FROM NEW.document_type_id
        OR OLD.document_type_source IS DISTINCT FROM NEW.document_type_source OR OLD.matter_id IS DISTINCT FROM NEW.matter_id
        OR OLD.lifecycle_stage IS DISTINCT FROM NEW.lifecycle_stage OR OLD.parties IS DISTINCT FROM NEW.parties
        OR OLD.counterparties IS DISTINCT FROM NEW.counterparties OR (OLD.duplicate_of IS NULL) IS DISTINCT FROM (NEW.duplicate_of IS NULL))
    EXECUTE FUNCTION files_facts_changed();
-- files_facts sets the generation of labels: so its columns are among these.
CREATE OR REPLACE TRIGGER files_corpus_updated AFTER UPDATE OF
        team_id, document_type_id, text_ready, generation, label_generation, matter_id,
        name, document_type_source, lifecycle_stage, parties, counterparties, duplicate_of ON files
    FOR EACH ROW WHEN ((OLD.text_ready OR NEW.text_ready) AND (
        OLD.team_id IS DISTINCT FROM NEW.team_id OR OLD.document_type_id IS DISTINCT FROM NEW.document_type_id
        OR OLD.text_ready IS DISTINCT FROM NEW.text_ready OR OLD.generation IS DISTINCT FROM NEW.generation
        OR OLD.label_generation IS DISTINCT FROM NEW.label_generation OR OLD.matter_id IS DISTINCT FROM NEW.matter_id))
    EXECUTE FUNCTION file_changes_corpus();
CREATE OR REPLACE TRIGGER files_recounted AFTER UPDATE OF team_id, matter_id, document_type_id, document_type_source, source ON files
    FOR EACH ROW WHEN (
        OLD.team_id IS DISTINCT FROM NEW.team_id OR OLD.matter_id IS DISTINCT FROM NEW.matter_id
        OR OLD.document_type_id IS DISTINCT FROM NEW.document_type_id OR OLD.document_type_source IS DISTINCT FROM NEW.document_type_source
        OR OLD.source IS DISTINCT FROM NEW.source)
    EXECUTE FUNCTION count_file();
CREATE OR REPLACE TRIGGER files_renamed AFTER UPDATE OF team_id, matter_id, parties, counterparties ON files
    FOR EACH ROW WHEN (
        OLD.team_id IS DISTINCT FROM NEW.team_id OR OLD.matter_id IS DISTINCT FROM NEW.matter_id
        OR OLD.parties IS DISTINCT FROM NEW.parties OR OLD.counterparties IS DISTINCT FROM NEW.counterparties)
    EXECUTE FUNCTION count_names();
