-- +goose Up

-- Waiting jobs by team, for handing out turns; and jobs by the file they are
-- about, for cancelling.
CREATE INDEX river_job_waiting ON river_job (queue, (args ->> 'team_id'), priority, id) WHERE state = 'pending';
CREATE INDEX river_job_file ON river_job ((args ->> 'file_id'))
    WHERE state IN ('pending', 'available', 'scheduled', 'retryable', 'running');
