-- +goose Up

-- The team that the last admission of a queue came to, where more teams waited than one
-- admission looks at: the next one goes on behind it.
CREATE TABLE admissions (
    queue text PRIMARY KEY,
    after text NOT NULL -- the team's id, as in the jobs
);
