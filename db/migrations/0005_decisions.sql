-- +goose Up

-- What people decide can be taken back. So what the service says by itself is
-- kept beside it, and brought up to date with it.

-- What the model says of a sentence on which people have decided, as
-- {label, suggested, score, modelId}; of any other it is the sentence itself.
ALTER TABLE sentences ADD COLUMN prediction jsonb;

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
