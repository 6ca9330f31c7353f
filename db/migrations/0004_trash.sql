-- +goose Up

-- What is in the trash belongs to nobody's team. Each entry is a team of its own
-- without members, and the rows of what was deleted belong to that one until they
-- go back or are purged. So no query of a team finds them, and none has to know.
ALTER TABLE teams DROP CONSTRAINT teams_kind_check;
ALTER TABLE teams ADD CONSTRAINT teams_kind_check CHECK (kind IN ('personal', 'organization', 'trash'));

DROP TRIGGER teams_document_types ON teams;
CREATE TRIGGER teams_document_types AFTER INSERT ON teams FOR EACH ROW WHEN (NEW.kind <> 'trash') EXECUTE FUNCTION equip_team();

-- An entry that was purged stays, so that whoever follows the files of the team
-- can be told; it has nothing but ids and times.
CREATE TABLE trash (
    id           uuid PRIMARY KEY,  -- that of the team which the rows belong to
    team_id      uuid NOT NULL REFERENCES teams ON DELETE CASCADE, -- whose it was
    kind         text NOT NULL CHECK (kind IN
                 ('file', 'matter', 'document_type', 'chat', 'widget', 'saved_search', 'tag', 'category')),
    resource_id  text NOT NULL,     -- the id of what was deleted, or the key of a tag
    name         text NOT NULL,
    user_ids     uuid[],            -- who alone knows of it; null for the whole team
    restricted   boolean NOT NULL,  -- a matter that only those listed on it know of, with what was in it
    counts       jsonb NOT NULL DEFAULT '{}', -- of what it held, to be shown
    held         jsonb NOT NULL DEFAULT '{}', -- what did not go along, and joins again
    matter_id    uuid GENERATED ALWAYS AS ((held ->> 'matterId')::uuid) STORED, -- who does not see the matter does not see this
    searchable   boolean NOT NULL,  -- a search engine beside Postgres may not have heard of it yet
    operation_id uuid,              -- that deleted it
    actor_kind   text NOT NULL,
    deleted_by   uuid,              -- a person
    deleted_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    purged_at    timestamptz
);

CREATE INDEX trash_list ON trash (team_id, id DESC) WHERE purged_at IS NULL;
CREATE INDEX trash_resource ON trash (team_id, kind, resource_id);
CREATE INDEX trash_files ON trash (team_id, deleted_at) WHERE kind = 'file';
CREATE INDEX trash_matter ON trash (team_id, matter_id) WHERE matter_id IS NOT NULL;
CREATE INDEX trash_restricted ON trash (team_id) WHERE restricted AND purged_at IS NULL;
CREATE INDEX trash_searchable ON trash (team_id) WHERE searchable;
CREATE INDEX trash_due ON trash (deleted_at) WHERE purged_at IS NULL;
CREATE INDEX trash_operation ON trash (operation_id) WHERE operation_id IS NOT NULL;

-- What tells of a thing that is purged goes with it.
CREATE INDEX notifications_link ON notifications (team_id, link);

-- A team that goes, as that of an entry does, looks for its rows in all of these.
CREATE INDEX changes_team ON changes (team_id);
CREATE INDEX renditions_team ON renditions (team_id);
CREATE INDEX file_likeness_team ON file_likeness (team_id);
