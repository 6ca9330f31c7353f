-- +goose Up

-- What people decide can be taken back. So what the service says by itself is
-- kept beside it, and brought up to date with it.

-- What the model says of a sentence on which people have decided, as
-- {label, suggested, score, modelId}; of any other it is the sentence itself.
ALTER TABLE sentences ADD COLUMN prediction jsonb;

-- Whether that was kept with the analysis. What was decided on before goes back
-- to nothing, and the file is analysed once more.
ALTER TABLE analyses ADD COLUMN keeps_overruled boolean NOT NULL DEFAULT false;

-- Which models learned from decisions that were withdrawn since.
CREATE INDEX audit_events_withdrawn ON audit_events (team_id, created_at) WHERE action = 'sentence.withdrawn';
