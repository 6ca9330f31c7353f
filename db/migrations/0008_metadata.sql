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
