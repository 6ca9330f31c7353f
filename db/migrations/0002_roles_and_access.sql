-- +goose Up

-- Who in a team may do what, and who sees which matters.

-- A viewer reads and comments.
ALTER TABLE members DROP CONSTRAINT members_role_check,
    ADD CONSTRAINT members_role_check CHECK (role IN ('admin', 'member', 'viewer'));
ALTER TABLE invitations DROP CONSTRAINT invitations_role_check,
    ADD CONSTRAINT invitations_role_check CHECK (role IN ('admin', 'member', 'viewer'));

-- A restricted matter, with whatever is in it, exists for those listed on it
-- and for nobody else.
ALTER TABLE matters ADD COLUMN access text NOT NULL DEFAULT 'open' CHECK (access IN ('open', 'restricted'));
CREATE INDEX matters_restricted ON matters (team_id) WHERE access = 'restricted';

-- Those listed: users, and API keys of organizations.
CREATE TABLE matter_people (
    matter_id uuid NOT NULL REFERENCES matters ON DELETE CASCADE,
    team_id   uuid NOT NULL,
    user_id   uuid REFERENCES users ON DELETE CASCADE,
    key_id    uuid REFERENCES api_keys ON DELETE CASCADE,
    added_by  uuid REFERENCES users ON DELETE SET NULL,
    added_at  timestamptz NOT NULL DEFAULT now(),
    CHECK ((user_id IS NULL) <> (key_id IS NULL)),
    UNIQUE (matter_id, user_id),
    UNIQUE (matter_id, key_id)
);

CREATE INDEX matter_people_user ON matter_people (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX matter_people_key ON matter_people (key_id) WHERE key_id IS NOT NULL;

-- Whether the words of a file are in its team's vocabulary: those of files in
-- restricted matters are not, since the vocabulary answers everybody.
ALTER TABLE file_tokens ADD COLUMN counted boolean NOT NULL DEFAULT true;

-- What is told of a file in a matter is told to those who see the matter.
ALTER TABLE events ADD COLUMN matter_id uuid;
