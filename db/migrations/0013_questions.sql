-- +goose Up

-- What teams ask of their files, and what questions need.

-- The first day that a date cut to what is known may mean: 2020 is 2020-01-01.
-- A day that its month does not have runs on into the next one.
CREATE FUNCTION day(text) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN $1 ~ '^(?!0000)\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$' THEN
        make_date(left($1, 4)::int, coalesce(nullif(substr($1, 6, 2), ''), '1')::int, 1) + (coalesce(nullif(substr($1, 9, 2), ''), '1')::int - 1)
    END;

-- The number in a normalised value: of money its amount, of a duration its days.
-- A month is a twelfth of a year, so that twelve months are as long as one year.
CREATE FUNCTION magnitude(text) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE
        WHEN $1 ~ '^\d{1,30}(\.\d{1,10})?( [a-z]{3})?$' THEN split_part($1, ' ', 1)::numeric
        WHEN $1 ~ '^p\d{1,9}[dwmy]$' THEN trim_scale(round(substr($1, 2, length($1) - 2)::numeric * CASE right($1, 1) WHEN 'd' THEN 12 WHEN 'w' THEN 84 WHEN 'm' THEN 365 ELSE 4380 END / 12, 2))
    END;

-- One of the ways in which a value can be written: small letters without
-- accents, single spaces.
CREATE FUNCTION fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(normalize(lower(btrim(regexp_replace(unaccented(normalize($1, NFKC)), '\s+', ' ', 'g')))), 200);

-- A search engine beside Postgres has to hear of whatever it filters by.
-- +goose StatementBegin
CREATE FUNCTION files_facts_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.label_generation := NEW.label_generation + 1;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER files_facts BEFORE UPDATE ON files FOR EACH ROW
    WHEN ((OLD.name, OLD.document_type_id, OLD.document_type_source, OLD.matter_id, OLD.lifecycle_stage,
            OLD.parties, OLD.counterparties, OLD.duplicate_of IS NULL)
        IS DISTINCT FROM (NEW.name, NEW.document_type_id, NEW.document_type_source, NEW.matter_id, NEW.lifecycle_stage,
            NEW.parties, NEW.counterparties, NEW.duplicate_of IS NULL))
    EXECUTE FUNCTION files_facts_changed();

-- The dashboard of a team: questions with a place. Positions are in a grid
-- that is twelve columns wide.
CREATE TABLE widgets (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    title      text NOT NULL CHECK (title <> ''),
    kind       text NOT NULL CHECK (kind IN ('number', 'bar', 'line', 'pie', 'table')),
    query      jsonb NOT NULL,
    x          int NOT NULL CHECK (x >= 0),
    y          int NOT NULL CHECK (y >= 0),
    w          int NOT NULL CHECK (w > 0),
    h          int NOT NULL CHECK (h > 0),
    version    int NOT NULL DEFAULT 1,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (x + w <= 12)
);

CREATE INDEX widgets_team ON widgets (team_id, y, x);

-- Searches that people keep. Those that are shared the whole team sees.
CREATE TABLE saved_searches (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name       text NOT NULL CHECK (name <> ''),
    shared     boolean NOT NULL DEFAULT false,
    text       text NOT NULL DEFAULT '',
    filter     jsonb NOT NULL DEFAULT '{}',
    version    int NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX saved_searches_name ON saved_searches (team_id, user_id, lower(name));

-- Words that a team takes for one another, each group as a set.
CREATE TABLE synonyms (
    id      uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    words   text[] NOT NULL CHECK (cardinality(words) >= 2)
);

CREATE INDEX synonyms_team ON synonyms (team_id);

-- Headings are searched beside texts.
CREATE INDEX sections_title ON sections USING gin (to_tsvector('english'::regconfig, searchable(title))) WHERE title <> '';

-- What files have of an attribute, and which files have a clause.
CREATE INDEX attributes_values ON attributes (team_id, key, file_id) INCLUDE (normal) WHERE level = 'file';
CREATE INDEX files_lifecycle ON files (team_id, lifecycle_stage);
