package db

import "context"

// PagesBetween is Pages from one number to another.
func (q Queries) PagesBetween(ctx context.Context, in Scope, fileID string, from, to int) ([]Page, error) {
	return many[Page](ctx, q, `
		SELECT number, width, height, source, reason, pending, confidence, text, NULL::bytea AS words, layer_text, error_code
		FROM pages WHERE file_id = @id AND team_id = @team AND number BETWEEN @from AND @to ORDER BY number`,
		args{"id": fileID, "team": in.TeamID, "from": from, "to": to})
}
