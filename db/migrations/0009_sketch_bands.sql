-- +goose Up

-- The parts of sketches by which files that are almost the same are found, one a
-- row: of each part a few files are read, however many have it.
CREATE TABLE sketch_bands (
    file_id uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id uuid NOT NULL,
    band    bigint NOT NULL, -- a part of the sketch with its place
    PRIMARY KEY (file_id, band)
);
INSERT INTO sketch_bands (file_id, team_id, band) SELECT DISTINCT file_id, team_id, unnest(bands) FROM file_sketches;
CREATE INDEX sketch_bands_files ON sketch_bands (team_id, band, file_id);
ALTER TABLE file_sketches DROP COLUMN bands; -- and its index
