package db

import "context"

// renewNodes brings what corpora are compared by in line with the labels of
// files.
func (t *Tx) renewNodes(ctx context.Context, in Scope, fileIDs []string) error {
	a := args{"ids": fileIDs, "team": in.TeamID}
	if _, err := exec(ctx, t.Queries, `DELETE FROM file_nodes WHERE file_id = ANY(@ids) AND team_id = @team`, a); err != nil {
		return err
	}
	_, err := exec(ctx, t.Queries, `
		INSERT INTO file_nodes (file_id, team_id, label, sentences, validated, first_at, place, sentence_id)
		SELECT s.file_id, @team, s.label, count(*), count(*) FILTER (WHERE s.source = 'validated'), min(s.ordinal),
			(min(s.ordinal) + 0.5) / (1 + (SELECT max(ordinal) FROM sentences WHERE file_id = s.file_id)),
			(array_agg(s.id ORDER BY s.source = 'validated' DESC, s.score DESC NULLS LAST, s.ordinal))[1]
		FROM sentences s WHERE s.file_id = ANY(@ids) AND s.team_id = @team AND s.label IS NOT NULL
		GROUP BY s.file_id, s.label`, a)
	return err
}
