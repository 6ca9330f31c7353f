-- +goose Up

-- What happened and what is under way.

-- The outbox: written in the transaction of the change it tells of, read by
-- event streams and by notifiers.
CREATE TABLE events (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team_id    uuid NOT NULL,
    kind       text NOT NULL,
    subject_id uuid NOT NULL,
    data       jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX events_team ON events (team_id, id);
CREATE INDEX events_age ON events (created_at);

CREATE TABLE audit_events (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team_id       uuid NOT NULL,
    actor_kind    text NOT NULL, -- user, key, system
    actor_id      uuid,
    action        text NOT NULL,
    resource_kind text NOT NULL,
    resource_id   uuid,
    data          jsonb NOT NULL DEFAULT '{}',
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX audit_events_team ON audit_events (team_id, created_at);
CREATE INDEX audit_events_resource ON audit_events (team_id, resource_id);

-- Work that a caller may follow. Progress over files is computed from the
-- files themselves.
CREATE TABLE operations (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    kind        text NOT NULL,
    state       text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'completed', 'failed', 'cancelled')),
    total       int NOT NULL DEFAULT 0,
    done        int NOT NULL DEFAULT 0,
    failed      int NOT NULL DEFAULT 0,
    errors      jsonb NOT NULL DEFAULT '[]',
    result      jsonb,
    created_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);

CREATE INDEX operations_team ON operations (team_id, id DESC);

CREATE TABLE operation_files (
    operation_id uuid NOT NULL REFERENCES operations ON DELETE CASCADE,
    file_id      uuid NOT NULL,
    attempt      int NOT NULL, -- the attempt that the operation asked for
    PRIMARY KEY (operation_id, file_id)
);

-- Worker processes that are alive, with the slots they bring to each queue. It
-- is logged: were it empty after a crash of the database, all would seem dead.
CREATE TABLE workers (
    id      text PRIMARY KEY, -- River's client id, new at every start
    slots   jsonb NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now()
);
