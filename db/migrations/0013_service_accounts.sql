-- +goose Up

-- Programs that work by themselves. One proves who it is by a secret, and gets
-- tokens for an hour. What it may do is bounded by its role and its scopes, and
-- restricted matters do not exist for it unless they are listed.
CREATE TABLE service_accounts (
    id                    uuid PRIMARY KEY,
    team_id               uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    name                  text NOT NULL CHECK (name <> ''),
    description           text NOT NULL DEFAULT '',
    role                  text NOT NULL CHECK (role IN ('admin', 'member', 'viewer')),
    scopes                text[] NOT NULL,
    matter_ids            uuid[] NOT NULL DEFAULT '{}', -- restricted ones that it sees
    hash                  bytea NOT NULL, -- of the secret
    hint                  text NOT NULL,  -- its last characters
    previous_hash         bytea,          -- of the secret before
    previous_secret_until timestamptz,    -- which is good as well until then
    version               int NOT NULL DEFAULT 1,
    created_by            uuid REFERENCES users ON DELETE SET NULL,
    created_at            timestamptz NOT NULL DEFAULT now(),
    updated_at            timestamptz NOT NULL DEFAULT now(),
    last_used_at          timestamptz,
    revoked_at            timestamptz
);

CREATE INDEX service_accounts_team ON service_accounts (team_id, id DESC);

CREATE TABLE service_tokens (
    hash       bytea PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES service_accounts ON DELETE CASCADE,
    scopes     text[] NOT NULL, -- that were asked for; the account's bound them at all times
    expires_at timestamptz NOT NULL
);

CREATE INDEX service_tokens_account ON service_tokens (account_id);
CREATE INDEX service_tokens_age ON service_tokens (expires_at);
