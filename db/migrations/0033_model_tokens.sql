-- +goose Up

-- Tokens of the language model that a team has used in a day, in UTC, with those that are
-- reserved for answers under way.
CREATE TABLE model_tokens (
    team_id uuid PRIMARY KEY REFERENCES teams ON DELETE CASCADE,
    day     date NOT NULL,
    tokens  bigint NOT NULL CHECK (tokens >= 0)
);
