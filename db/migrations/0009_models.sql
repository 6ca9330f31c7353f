-- +goose Up

-- The models that teams trained. The base model comes with the program and has
-- no row. Earlier ones are kept, so that one can go back to them.
CREATE TABLE models (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    version    int NOT NULL, -- counted from 1
    status     text NOT NULL CHECK (status IN ('active', 'candidate', 'retired')),
    base_id    uuid NOT NULL, -- the base model that it builds on
    sentences  int NOT NULL,  -- decisions that it learned from
    metrics    jsonb NOT NULL, -- on decisions that were held back
    data       bytea NOT NULL,
    trained_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team_id, version)
);

CREATE UNIQUE INDEX models_active ON models (team_id) WHERE status = 'active';
