-- +goose NO TRANSACTION
-- +goose Up

-- Lists of files in other orders than that of their ids. One that was cut off
-- while it was made is made anew.
DROP INDEX CONCURRENTLY IF EXISTS files_by_name;
CREATE INDEX CONCURRENTLY files_by_name ON files (team_id, lower(name), id);
DROP INDEX CONCURRENTLY IF EXISTS files_by_age;
CREATE INDEX CONCURRENTLY files_by_age ON files (team_id, created_at, id);

-- What stands in a category, of each kind. What is in the trash keeps its place.
CREATE TABLE IF NOT EXISTS file_categories (
    file_id     uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    category_id uuid NOT NULL REFERENCES categories ON DELETE CASCADE,
    PRIMARY KEY (file_id, category_id)
);
CREATE INDEX IF NOT EXISTS file_categories_category ON file_categories (category_id);

CREATE TABLE IF NOT EXISTS matter_categories (
    matter_id   uuid NOT NULL REFERENCES matters ON DELETE CASCADE,
    category_id uuid NOT NULL REFERENCES categories ON DELETE CASCADE,
    PRIMARY KEY (matter_id, category_id)
);
CREATE INDEX IF NOT EXISTS matter_categories_category ON matter_categories (category_id);

CREATE TABLE IF NOT EXISTS document_type_categories (
    document_type_id uuid NOT NULL REFERENCES document_types ON DELETE CASCADE,
    category_id      uuid NOT NULL REFERENCES categories ON DELETE CASCADE,
    PRIMARY KEY (document_type_id, category_id)
);
CREATE INDEX IF NOT EXISTS document_type_categories_category ON document_type_categories (category_id);

-- Who made a type may change it while nobody else uses it.
ALTER TABLE document_types
    ADD COLUMN IF NOT EXISTS created_by uuid REFERENCES users ON DELETE SET NULL,
    ADD COLUMN IF NOT EXISTS hidden     boolean NOT NULL DEFAULT false; -- is neither offered nor predicted

-- What a team has declared of the metadata of its files.
CREATE TABLE IF NOT EXISTS metadata_keys (
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    key         text NOT NULL,
    id          uuid NOT NULL DEFAULT new_id(), -- what the audit knows it by
    type        text NOT NULL CHECK (type IN ('text', 'number', 'date', 'money', 'choice')),
    choices     text[] NOT NULL DEFAULT '{}',
    description text NOT NULL DEFAULT '',
    created_by  uuid REFERENCES users ON DELETE SET NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, key)
);

-- The values of a member of metadata: those of a list, or the one that it is.
CREATE OR REPLACE FUNCTION metadata_values(jsonb) RETURNS SETOF jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT e FROM jsonb_array_elements(CASE jsonb_typeof($1) WHEN 'array' THEN $1 ELSE jsonb_build_array($1) END) e WHERE jsonb_typeof(e) <> 'null'
$$;

-- The number that a value is, of money its amount.
CREATE OR REPLACE FUNCTION metadata_number(jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN coalesce($1 ->> 'amount', $1 #>> '{}') ~ '^-?\d{1,30}(\.\d{1,30})?$' THEN coalesce($1 ->> 'amount', $1 #>> '{}')::numeric END;

-- Whether all values of a member are of a type.
CREATE OR REPLACE FUNCTION metadata_fits(value jsonb, type text, choices text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(bool_and(coalesce(CASE type
        WHEN 'text' THEN jsonb_typeof(e) = 'string'
        WHEN 'number' THEN jsonb_typeof(e) IN ('number', 'string') AND metadata_number(e) IS NOT NULL
        WHEN 'date' THEN jsonb_typeof(e) = 'string' AND to_char(day(e #>> '{}'), 'YYYY-MM-DD') = e #>> '{}'
        WHEN 'money' THEN jsonb_typeof(e) = 'object' AND metadata_number(e) IS NOT NULL AND e ->> 'currency' ~ '^[A-Z]{3}$'
        WHEN 'choice' THEN jsonb_typeof(e) = 'string' AND e #>> '{}' = ANY(choices)
    END, false)), true) FROM metadata_values(value) e
$$;

-- What files are found by: the words of the values, and each value whole with its
-- key, with the team as one of them.
CREATE OR REPLACE FUNCTION metadata_vector(team uuid, metadata jsonb) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
    RETURN (SELECT array_to_tsvector(array_agg('is=' || md5(m.key || ' ' || fold(v #>> '{}'))) || ('team=' || team::text))
            || to_tsvector('english'::regconfig, searchable(string_agg(v #>> '{}', ' ')))
        FROM jsonb_each(metadata) m, metadata_values(m.value) v);
DROP INDEX CONCURRENTLY IF EXISTS files_metadata;
CREATE INDEX CONCURRENTLY files_metadata ON files USING gin (metadata_vector(team_id, metadata)) WHERE metadata <> '{}';
