-- +goose Up

-- What people propose to change in documents.
CREATE TABLE changes (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    file_id     uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    ordinal     bigint GENERATED ALWAYS AS IDENTITY, -- the order in which they were proposed
    body        jsonb NOT NULL,                      -- redline.Change
    status      text NOT NULL DEFAULT 'proposed' CHECK (status IN ('proposed', 'executed', 'withdrawn', 'stale')),
    resolved    jsonb,                               -- where the anchor stood when the change was proposed
    error       jsonb,                               -- why it could not be carried out
    base_sha256 bytea NOT NULL,                      -- the bytes it was proposed for
    created_by  uuid REFERENCES users ON DELETE SET NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX changes_file ON changes (file_id, ordinal);

-- Documents made of files and changes, so that nothing is made twice. The key is
-- a hash of everything that went into one.
CREATE TABLE renditions (
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    key        bytea NOT NULL,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    report     jsonb NOT NULL, -- what was done, and the proof
    document   bytea,          -- null where nothing could be made
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL, -- from then on it is as if it was never made
    PRIMARY KEY (file_id, key)
);
