-- +goose Up

-- The one row that tells this installation from others. The store of the files
-- has the same id as a mark, from when marked is set.
CREATE TABLE installation (
    id     uuid NOT NULL DEFAULT gen_random_uuid(),
    marked boolean NOT NULL DEFAULT false
);

CREATE UNIQUE INDEX installation_one ON installation ((true));

INSERT INTO installation DEFAULT VALUES;
