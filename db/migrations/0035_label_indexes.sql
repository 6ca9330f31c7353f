-- +goose NO TRANSACTION
-- +goose Up

-- Sentences by their other labels, and by all that was ever said of them, within a team.
DROP INDEX CONCURRENTLY IF EXISTS sentences_several_team;
CREATE INDEX CONCURRENTLY sentences_several_team ON sentences USING gin (team_id, label_nodes(labels)) WHERE labels IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS sentences_mentioned_team;
CREATE INDEX CONCURRENTLY sentences_mentioned_team ON sentences USING gin (team_id, mentioned_nodes(label, labels, prediction)) WHERE prediction IS NOT NULL;

-- Sentences on some of whose labels people decided.
DROP INDEX CONCURRENTLY IF EXISTS sentences_partly;
CREATE INDEX CONCURRENTLY sentences_partly ON sentences (team_id, validated_at)
    WHERE source = 'predicted' AND labels IS NOT NULL AND validated_at IS NOT NULL;
