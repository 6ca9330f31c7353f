-- +goose Up

-- What people do around documents: matters and who works on them, chats,
-- categories, what they are told, and what other systems are told.

-- Ids made in the database sort by time like those made outside: UUIDv7.
CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN encode(set_bit(set_bit(
        overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid;

ALTER TABLE matters
    ADD COLUMN description    text NOT NULL DEFAULT '',
    ADD COLUMN stage          text NOT NULL DEFAULT 'intake' CHECK (stage IN
                              ('intake', 'drafting', 'review', 'negotiation', 'approval', 'signature', 'closed')),
    ADD COLUMN status         text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'on_hold', 'closed', 'cancelled')),
    ADD COLUMN source         text NOT NULL DEFAULT '',
    ADD COLUMN parties        jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN counterparties text[] NOT NULL DEFAULT '{}',
    ADD COLUMN owner_id       uuid REFERENCES users ON DELETE SET NULL,
    ADD COLUMN due_at         timestamptz,
    ADD COLUMN version        int NOT NULL DEFAULT 1,
    ADD COLUMN created_by     uuid REFERENCES users ON DELETE SET NULL,
    ADD COLUMN updated_at     timestamptz NOT NULL DEFAULT now();

DROP INDEX matters_team;
CREATE INDEX matters_list ON matters (team_id, id DESC);
CREATE INDEX matters_name ON matters (team_id, lower(name), id);
CREATE INDEX matters_due ON matters (team_id, coalesce(due_at, 'infinity'), id) WHERE status IN ('open', 'on_hold');

DROP INDEX files_matter;
CREATE INDEX files_matter ON files (matter_id, id DESC) WHERE matter_id IS NOT NULL;
CREATE INDEX files_in_matters ON files (team_id, matter_id) INCLUDE (source, document_type_id) WHERE matter_id IS NOT NULL;

-- The types of documents that a matter is about.
CREATE TABLE matter_document_types (
    matter_id        uuid NOT NULL REFERENCES matters ON DELETE CASCADE,
    document_type_id uuid NOT NULL REFERENCES document_types ON DELETE CASCADE,
    PRIMARY KEY (matter_id, document_type_id)
);

CREATE INDEX matter_document_types_type ON matter_document_types (document_type_id);

-- Who has to do what, with a file or with a matter. It ends with the
-- membership: nobody has work in a team that they left.
CREATE TABLE assignments (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL,
    file_id    uuid REFERENCES files ON DELETE CASCADE,
    matter_id  uuid REFERENCES matters ON DELETE CASCADE,
    user_id    uuid NOT NULL,
    role       text NOT NULL CHECK (role IN ('reviewer', 'approver', 'editor', 'owner')),
    note       text NOT NULL DEFAULT '',
    due_at     timestamptz,
    done_at    timestamptz,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (num_nonnulls(file_id, matter_id) = 1),
    UNIQUE (file_id, user_id),
    UNIQUE (matter_id, user_id),
    FOREIGN KEY (team_id, user_id) REFERENCES members ON DELETE CASCADE
);

CREATE INDEX assignments_open ON assignments (team_id, user_id, coalesce(due_at, 'infinity'), id) WHERE done_at IS NULL;
CREATE INDEX assignments_due ON assignments (team_id, coalesce(due_at, 'infinity'), id) WHERE done_at IS NULL;

-- An event of a file is one of the matter that the file is in at the time, and
-- stays in its timeline when the file leaves.
ALTER TABLE audit_events ADD COLUMN matter_id uuid;
CREATE INDEX audit_events_matter ON audit_events (team_id, matter_id, id) WHERE matter_id IS NOT NULL;
DROP INDEX audit_events_resource;
CREATE INDEX audit_events_resource ON audit_events (team_id, resource_id, id);

-- An event for one person is seen by nobody else of the team.
ALTER TABLE events ADD COLUMN user_id uuid;

CREATE TABLE notifications (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL,
    user_id    uuid NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('file.completed', 'file.failed', 'assignment.created', 'operation.finished',
                                             'matter.updated', 'mention', 'custom')),
    title      text NOT NULL CHECK (title <> ''),
    body       text NOT NULL DEFAULT '',
    link       text NOT NULL DEFAULT '',
    created_by uuid REFERENCES users ON DELETE SET NULL, -- none where the service says it by itself
    created_at timestamptz NOT NULL DEFAULT now(),
    read_at    timestamptz,
    FOREIGN KEY (team_id, user_id) REFERENCES members ON DELETE CASCADE
);

CREATE INDEX notifications_list ON notifications (team_id, user_id, id DESC);
CREATE INDEX notifications_unread ON notifications (team_id, user_id, id DESC) WHERE read_at IS NULL;
CREATE INDEX notifications_age ON notifications (created_at);

-- Which operations wait for a file.
CREATE INDEX operation_files_file ON operation_files (file_id);

-- The id of a chat may be its client's choice, so that it is one within the
-- team only.
CREATE TABLE chats (
    team_id           uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    id                uuid NOT NULL,
    name              text NOT NULL DEFAULT '',
    file_id           uuid REFERENCES files ON DELETE SET NULL,
    reference_file_id uuid REFERENCES files ON DELETE SET NULL,
    version           int NOT NULL DEFAULT 1,
    created_by        uuid REFERENCES users ON DELETE SET NULL,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, id)
);

CREATE INDEX chats_file ON chats (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX chats_reference_file ON chats (reference_file_id) WHERE reference_file_id IS NOT NULL;

CREATE TABLE chat_participants (
    team_id  uuid NOT NULL,
    chat_id  uuid NOT NULL,
    user_id  uuid NOT NULL,
    added_by uuid REFERENCES users ON DELETE SET NULL,
    added_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, user_id, chat_id),
    FOREIGN KEY (team_id, chat_id) REFERENCES chats ON DELETE CASCADE,
    FOREIGN KEY (team_id, user_id) REFERENCES members ON DELETE CASCADE
);

CREATE INDEX chat_participants_chat ON chat_participants (team_id, chat_id);

CREATE TABLE categories (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    parent_id   uuid,
    name        text NOT NULL CHECK (name <> ''),
    color       text NOT NULL DEFAULT '',
    description text NOT NULL DEFAULT '',
    version     int NOT NULL DEFAULT 1,
    created_by  uuid REFERENCES users ON DELETE SET NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team_id, id),
    FOREIGN KEY (team_id, parent_id) REFERENCES categories (team_id, id)
);

CREATE UNIQUE INDEX categories_name ON categories (team_id, parent_id, lower(name)) NULLS NOT DISTINCT;

-- The secret is kept as it is: every delivery is signed with it.
CREATE TABLE webhooks (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    url         text NOT NULL,
    kinds       text[] NOT NULL DEFAULT '{}', -- of events; none for all
    description text NOT NULL DEFAULT '',
    active      boolean NOT NULL DEFAULT true,
    secret      text NOT NULL,
    failures    int NOT NULL DEFAULT 0, -- since the last success
    resume_at   timestamptz,            -- nothing is sent before
    version     int NOT NULL DEFAULT 1,
    created_by  uuid REFERENCES users ON DELETE SET NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX webhooks_team ON webhooks (team_id, id DESC);

-- What a webhook is sent, written in the transaction of the event and kept as a
-- log.
CREATE TABLE webhook_deliveries (
    id           uuid PRIMARY KEY,
    webhook_id   uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    team_id      uuid NOT NULL,
    kind         text NOT NULL,
    payload      text NOT NULL, -- the very bytes that are signed and sent
    state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    round        int NOT NULL DEFAULT 1, -- grows with each replay
    asked        boolean NOT NULL DEFAULT false, -- there is a job for this round
    attempts     int NOT NULL DEFAULT 0, -- in this round
    status_code  int,      -- of the last answer
    error        text,     -- of the last attempt
    attempted_at timestamptz,
    next_at      timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook_id, id DESC);
CREATE INDEX webhook_deliveries_unasked ON webhook_deliveries (id) WHERE state = 'pending' AND NOT asked;
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);

-- The parties of a file after a change: those that replace them, or they
-- themselves; without those to be removed; and those to be added that are not
-- there yet.
CREATE FUNCTION changed_parties(parties jsonb, replace jsonb, remove jsonb, add jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    WITH kept AS (
        SELECT party, place FROM jsonb_array_elements(coalesce(replace, parties)) WITH ORDINALITY AS p(party, place)
        WHERE NOT EXISTS (
            SELECT FROM jsonb_array_elements(remove) r
            WHERE lower(r ->> 'name') = lower(party ->> 'name')
                AND lower(coalesce(r ->> 'role', '')) IN ('', lower(coalesce(party ->> 'role', ''))))
    ), added AS (
        SELECT DISTINCT ON (lower(party ->> 'name'), lower(party ->> 'role')) party, place
        FROM jsonb_array_elements(add) WITH ORDINALITY AS p(party, place)
        WHERE NOT EXISTS (
            SELECT FROM kept
            WHERE lower(kept.party ->> 'name') = lower(p.party ->> 'name')
                AND lower(coalesce(kept.party ->> 'role', '')) = lower(coalesce(p.party ->> 'role', '')))
        ORDER BY lower(party ->> 'name'), lower(party ->> 'role'), place
    )
    SELECT coalesce(jsonb_agg(party ORDER BY origin, place), '[]')
    FROM (SELECT 1 AS origin, party, place FROM kept UNION ALL SELECT 2, party, place FROM added) all_of_them
$$;
