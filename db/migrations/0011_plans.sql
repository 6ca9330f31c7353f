-- +goose NO TRANSACTION
-- +goose Up

-- What lists and figures of a large installation are read by. One that was cut off
-- while it was made is made anew.

-- How many files of a team there are words of, without reading the words.
DROP INDEX CONCURRENTLY IF EXISTS file_tokens_counted;
CREATE INDEX CONCURRENTLY file_tokens_counted ON file_tokens (team_id) WHERE counted;

-- The files of a team that have a label.
DROP INDEX CONCURRENTLY IF EXISTS file_nodes_label;
CREATE INDEX CONCURRENTLY file_nodes_label ON file_nodes (team_id, label, file_id);

-- Headings of one team, and not those of all with the same words.
DROP INDEX CONCURRENTLY IF EXISTS sections_headings;
CREATE INDEX CONCURRENTLY sections_headings ON sections USING gin (team_id, to_tsvector('english'::regconfig, searchable(title))) WHERE title <> '';
DROP INDEX CONCURRENTLY IF EXISTS sections_title;

-- What somebody did in a team, and what was done of a sort.
DROP INDEX CONCURRENTLY IF EXISTS audit_events_actor;
CREATE INDEX CONCURRENTLY audit_events_actor ON audit_events (team_id, actor_id, created_at, id) WHERE actor_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS audit_events_action;
CREATE INDEX CONCURRENTLY audit_events_action ON audit_events (team_id, action, created_at, id);

-- Lists of matters.
DROP INDEX CONCURRENTLY IF EXISTS matters_by_age;
CREATE INDEX CONCURRENTLY matters_by_age ON matters (team_id, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS matters_by_change;
CREATE INDEX CONCURRENTLY matters_by_change ON matters (team_id, updated_at, id);
DROP INDEX CONCURRENTLY IF EXISTS matters_by_due;
CREATE INDEX CONCURRENTLY matters_by_due ON matters (team_id, due_at, id);
DROP INDEX CONCURRENTLY IF EXISTS matters_owner;
CREATE INDEX CONCURRENTLY matters_owner ON matters (team_id, owner_id, id DESC) WHERE owner_id IS NOT NULL;

-- Who refers to a team: each entry of the trash is one, and goes one day.
DROP INDEX CONCURRENTLY IF EXISTS users_personal_team;
CREATE INDEX CONCURRENTLY users_personal_team ON users (personal_team_id);
DROP INDEX CONCURRENTLY IF EXISTS users_current_team;
CREATE INDEX CONCURRENTLY users_current_team ON users (current_team_id) WHERE current_team_id IS NOT NULL;
