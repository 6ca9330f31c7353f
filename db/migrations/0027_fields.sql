-- +goose Up

-- Fields that a team declares for its files. Their values are attributes of files with
-- the key of the field.
CREATE TABLE fields (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    key        text COLLATE "C" NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]{0,99}$'),
    name       text NOT NULL,
    type       text NOT NULL CHECK (type IN ('text', 'number', 'date', 'money', 'choice')),
    question   text NOT NULL DEFAULT '',
    examples   text[] NOT NULL DEFAULT '{}', -- of values
    choices    text[] NOT NULL DEFAULT '{}',
    decisions  int NOT NULL DEFAULT 0, -- of people that no model has learned from yet
    version    int NOT NULL DEFAULT 0, -- of the latest model
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team_id, key)
);
CREATE INDEX fields_due ON fields (team_id) WHERE decisions > 0;

-- What was learned of a field. Only an active model has data: it proposes values.
CREATE TABLE field_models (
    id         uuid PRIMARY KEY,
    field_id   uuid NOT NULL REFERENCES fields ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    version    int NOT NULL, -- counted from 1, refused ones included
    status     text NOT NULL CHECK (status IN ('active', 'refused', 'retired')),
    metrics    jsonb NOT NULL,
    data       bytea,
    trained_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (field_id, version),
    CHECK ((status = 'active') = (data IS NOT NULL))
);
CREATE UNIQUE INDEX field_models_active ON field_models (field_id) WHERE status = 'active';
CREATE INDEX field_models_team ON field_models (team_id) WHERE status = 'active';

-- Values of fields that people marked in files. Those that a new text does not have any
-- more lose their place and keep their words.
CREATE TABLE field_marks (
    id         uuid PRIMARY KEY,
    field_id   uuid NOT NULL REFERENCES fields ON DELETE CASCADE,
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    value      text NOT NULL, -- its words on one line
    normalized jsonb NOT NULL DEFAULT '{}',
    canonical  text NOT NULL DEFAULT '',
    start_at   int, -- code points of the canonical text, half open
    end_at     int,
    page       int,
    quote      text NOT NULL DEFAULT '',
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX field_marks_field ON field_marks (field_id, id);
CREATE INDEX field_marks_file ON field_marks (file_id, field_id, id);
