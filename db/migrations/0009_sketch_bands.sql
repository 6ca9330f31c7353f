-- +goose NO TRANSACTION
-- +goose Up

-- The parts of sketches by which files that are almost the same are found, one a
-- row: of each part a few files are read, however many have it.
CREATE TABLE IF NOT EXISTS sketch_bands (
    file_id uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id uuid NOT NULL,
    band    bigint NOT NULL, -- a part of the sketch with its place
    PRIMARY KEY (file_id, band)
);
CREATE INDEX IF NOT EXISTS sketch_bands_files ON sketch_bands (team_id, band, file_id);

-- Programs of the release before write and read them in the column, which this one
-- leaves empty. It goes, with its index and the trigger, one release later.
ALTER TABLE file_sketches ALTER COLUMN bands SET DEFAULT '{}';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION spread_bands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM sketch_bands WHERE file_id = NEW.file_id AND band <> ALL(NEW.bands);
    INSERT INTO sketch_bands (file_id, team_id, band) SELECT DISTINCT NEW.file_id, NEW.team_id, band FROM unnest(NEW.bands) band
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER file_sketches_bands AFTER INSERT OR UPDATE OF bands ON file_sketches
    FOR EACH ROW WHEN (NEW.bands <> '{}') EXECUTE FUNCTION spread_bands();

INSERT INTO sketch_bands (file_id, team_id, band) SELECT DISTINCT file_id, team_id, unnest(bands) FROM file_sketches
ON CONFLICT DO NOTHING;
