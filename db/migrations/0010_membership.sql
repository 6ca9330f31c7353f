-- +goose Up

-- How people come into teams, and what a team decides for itself.

-- The name by which the identity provider or the operator knows an
-- organization. Those that users make have none, so naming one like another
-- leads nobody into it.
ALTER TABLE teams ADD COLUMN external_name text;
UPDATE teams SET external_name = lower(name) WHERE kind = 'organization';
CREATE UNIQUE INDEX teams_external_name ON teams (external_name);
DROP INDEX teams_organization_name;

-- A membership that a claim brought ends when the claim does.
ALTER TABLE members ADD COLUMN by_claim boolean NOT NULL DEFAULT false;

-- The team that the user chose last.
ALTER TABLE users ADD COLUMN current_team_id uuid REFERENCES teams ON DELETE SET NULL;

-- What an address is worth differs between providers and over time: a user is
-- known by the provider's own name for the account.
CREATE TABLE identities (
    issuer     text NOT NULL,
    subject    text NOT NULL,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
);

ALTER TABLE sessions ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE;
CREATE INDEX sessions_team ON sessions (team_id, user_id);

CREATE TABLE invitations (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    email      text NOT NULL,
    role       text NOT NULL CHECK (role IN ('admin', 'member')),
    hash       bytea NOT NULL UNIQUE, -- of the token, which is shown once
    invited_by uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX invitations_team ON invitations (team_id, lower(email));

CREATE TABLE team_icons (
    team_id    uuid PRIMARY KEY REFERENCES teams ON DELETE CASCADE,
    png        bytea NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE feature_flags (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    key         text NOT NULL,
    description text NOT NULL DEFAULT '',
    enabled     boolean NOT NULL DEFAULT false,
    version     int NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team_id, key)
);

CREATE TABLE flag_conditions (
    id        uuid PRIMARY KEY,
    flag_id   uuid NOT NULL REFERENCES feature_flags ON DELETE CASCADE,
    attribute text NOT NULL,
    operator  text NOT NULL,
    values    text[] NOT NULL,
    rollout   real NOT NULL CHECK (rollout BETWEEN 0 AND 100) -- percent of the subjects that match
);

CREATE INDEX flag_conditions_flag ON flag_conditions (flag_id, id);
