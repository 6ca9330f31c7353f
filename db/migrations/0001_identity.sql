-- +goose Up

-- Who may ask: people, teams, keys and sessions. Secrets are stored as SHA-256
-- only; 256 random bits need no slow hash.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE teams (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('personal', 'organization')),
    name       text NOT NULL CHECK (name <> ''),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX teams_organization_name ON teams (lower(name)) WHERE kind = 'organization';

CREATE TABLE users (
    id               uuid PRIMARY KEY,
    email            text NOT NULL,
    name             text NOT NULL DEFAULT '',
    personal_team_id uuid NOT NULL REFERENCES teams,
    created_at       timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE members (
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role       text NOT NULL CHECK (role IN ('admin', 'member')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, user_id)
);

CREATE INDEX members_user ON members (user_id);

-- A user key acts as its user in the personal team; an organization key acts
-- for the organization and has no user.
CREATE TABLE api_keys (
    id           uuid PRIMARY KEY,
    kind         text NOT NULL CHECK (kind IN ('user', 'organization')),
    team_id      uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    user_id      uuid REFERENCES users ON DELETE CASCADE,
    name         text NOT NULL CHECK (name <> ''),
    hash         bytea NOT NULL UNIQUE,
    hint         text NOT NULL, -- the last characters, to tell keys apart in a list
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    CHECK ((kind = 'user') = (user_id IS NOT NULL))
);

CREATE INDEX api_keys_team ON api_keys (team_id);
CREATE INDEX api_keys_user ON api_keys (user_id);

CREATE TABLE sessions (
    hash       bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_id);

-- Counts of key requests. Losing it in a crash costs nobody more than a fresh
-- window, so it is not logged.
CREATE UNLOGGED TABLE rate_limits (
    subject      text PRIMARY KEY,
    window_start timestamptz NOT NULL,
    used         int NOT NULL
);

-- The first answer to a creating request of somebody, kept for a day.
CREATE TABLE idempotency_keys (
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    actor_id   uuid NOT NULL,
    key        text NOT NULL,
    operation  text NOT NULL,
    body_hash  bytea NOT NULL,
    response   jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, actor_id, operation, key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
