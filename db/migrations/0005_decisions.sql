-- +goose Up

-- What people decide can be taken back. So what the service says by itself is
-- kept beside it, and brought up to date with it.

-- What the model says of a sentence on which people have decided, as
-- {label, suggested, score, modelId}; of any other it is the sentence itself.
ALTER TABLE sentences ADD COLUMN prediction jsonb;

-- Decisions of a team, by what the model says: where a tag is merged or deleted.
CREATE INDEX sentences_overruled ON sentences (team_id, (prediction ->> 'label')) WHERE source = 'validated';

-- Whether that was kept with the analysis. What was decided on before goes back
-- to nothing, and the file is analysed once more.
ALTER TABLE analyses ADD COLUMN keeps_overruled boolean NOT NULL DEFAULT false;

-- What was read of a file as a whole where people said otherwise: rows of
-- attributes that count again when that is withdrawn.
CREATE TABLE overruled_attributes (
    LIKE attributes INCLUDING CONSTRAINTS,
    PRIMARY KEY (id),
    FOREIGN KEY (file_id) REFERENCES files ON DELETE CASCADE
);

CREATE INDEX overruled_attributes_file ON overruled_attributes (file_id, key);

-- The stage that a contract had before its last change, if that can still be
-- taken back.
ALTER TABLE files ADD COLUMN lifecycle_before text;
UPDATE files f SET lifecycle_before = (
    SELECT e.data ->> 'from' FROM audit_events e
    WHERE e.team_id = f.team_id AND e.resource_id = f.id AND e.action = 'file.lifecycle_changed' AND e.data ->> 'to' = f.lifecycle_stage
    ORDER BY e.id DESC LIMIT 1
) WHERE lifecycle_stage <> 'draft';

-- Which models learned from decisions that were withdrawn since.
CREATE INDEX audit_events_withdrawn ON audit_events (team_id, created_at) WHERE action = 'sentence.withdrawn';

-- What is done to a part of a file belongs to the history of the file: to a
-- sentence, or to somebody's work on it.
ALTER TABLE audit_events ADD COLUMN file_id uuid;
UPDATE audit_events e SET file_id = s.file_id FROM sentences s
WHERE e.resource_kind = 'sentence' AND s.id = e.resource_id AND s.team_id = e.team_id;
CREATE INDEX audit_events_file ON audit_events (team_id, file_id, id) WHERE file_id IS NOT NULL;

-- Events are listed in the order of time, the newest first.
DROP INDEX audit_events_team;
CREATE INDEX audit_events_team ON audit_events (team_id, created_at, id);

-- Work can be declined as well as done. Which of them it is follows from the
-- times, so that they cannot disagree.
ALTER TABLE assignments
    ADD COLUMN declined_at timestamptz,
    ADD COLUMN ended_by    uuid REFERENCES users ON DELETE SET NULL, -- who did it, or declined it
    ADD COLUMN status      text NOT NULL GENERATED ALWAYS AS
                           (CASE WHEN done_at IS NOT NULL THEN 'done' WHEN declined_at IS NOT NULL THEN 'declined' ELSE 'open' END) STORED,
    ADD CHECK (num_nonnulls(done_at, declined_at) <= 1);

DROP INDEX assignments_open, assignments_due;
CREATE INDEX assignments_open ON assignments (team_id, user_id, coalesce(due_at, 'infinity'), id) WHERE status = 'open';
CREATE INDEX assignments_due ON assignments (team_id, coalesce(due_at, 'infinity'), id) WHERE status = 'open';

ALTER TABLE notifications DROP CONSTRAINT notifications_kind_check;
ALTER TABLE notifications ADD CONSTRAINT notifications_kind_check CHECK (kind IN
    ('file.completed', 'file.failed', 'assignment.created', 'assignment.updated', 'operation.finished', 'matter.updated', 'mention', 'custom'));

-- Tags get other names, in any script, and are merged and deleted. Their keys stay
-- as they are, and are not used again: models know them.
ALTER TABLE nodes
    ADD COLUMN id          uuid NOT NULL DEFAULT new_id(), -- what the audit knows it by
    ADD COLUMN description text NOT NULL DEFAULT '',
    ADD COLUMN updated_at  timestamptz NOT NULL DEFAULT now();
CREATE UNIQUE INDEX nodes_id ON nodes (id);
CREATE UNIQUE INDEX nodes_name ON nodes (team_id, lower(name));

CREATE TABLE retired_nodes (
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    key         text NOT NULL,
    merged_into text, -- the key of another node; null where it was deleted
    PRIMARY KEY (team_id, key)
);
