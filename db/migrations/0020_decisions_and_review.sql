-- +goose NO TRANSACTION
-- +goose Up

-- What people decided on single values that were read of a file. A refused value is
-- among those that were overruled; a confirmed one stays, also where another reading
-- does not find it again.
CREATE TABLE IF NOT EXISTS attribute_decisions (
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    key        text COLLATE "C" NOT NULL,
    normal     text COLLATE "C" NOT NULL, -- of attributes: equal values are decided together
    decision   text NOT NULL CHECK (decision IN ('confirmed', 'refused')),
    value      text NOT NULL,
    normalized jsonb NOT NULL,
    confidence real NOT NULL,
    decided_by uuid,
    decided_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (file_id, key, normal)
);

-- What people review now: nobody else is given it until it expires. Sentences with the
-- same words are decided together.
CREATE TABLE IF NOT EXISTS review_claims (
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    wording     uuid NOT NULL,
    sentence_id uuid NOT NULL, -- one that has them; it may be gone already
    user_id     uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    worth       real NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (team_id, wording)
);
CREATE INDEX IF NOT EXISTS review_claims_user ON review_claims (user_id);

-- Predicted clauses, the least certain first, and those with the same words; and what
-- was decided lately.
DROP INDEX CONCURRENTLY IF EXISTS sentences_doubtful;
CREATE INDEX CONCURRENTLY sentences_doubtful ON sentences (team_id, score, id) WHERE label IS NOT NULL AND source = 'predicted';
DROP INDEX CONCURRENTLY IF EXISTS sentences_doubtful_wording;
CREATE INDEX CONCURRENTLY sentences_doubtful_wording ON sentences (team_id, wording(text)) WHERE label IS NOT NULL AND source = 'predicted';
DROP INDEX CONCURRENTLY IF EXISTS sentences_decided;
CREATE INDEX CONCURRENTLY sentences_decided ON sentences (team_id, validated_at) WHERE source = 'validated';
