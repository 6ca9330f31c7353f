-- +goose Up

-- The index of a team's sentences that is in the file store, by which the nearest ones
-- are found. It can be made again at any time: what has changed since is read beside it.
CREATE TABLE nearest_indexes (
    team_id   uuid PRIMARY KEY REFERENCES teams ON DELETE CASCADE,
    bytes_id  uuid NOT NULL UNIQUE,
    format    int NOT NULL,
    sentences bigint NOT NULL,
    files     bigint NOT NULL,
    size      bigint NOT NULL,      -- in bytes
    seen      timestamptz NOT NULL, -- the newest change of a file that is in it
    built_at  timestamptz NOT NULL DEFAULT now()
);
