package db

import "context"

// PagesBetween is Pages from one number to another.
func (q Queries) PagesBetween(ctx context.Context, in Scope, fileID string, from, to int) ([]Page, error) {
	return many[Page](ctx, q, `
		SELECT number, width, height, source, reason, pending, confidence, text, NULL::bytea AS words, layer_text, error_code, paragraphs, fields, emphasis
		FROM pages WHERE file_id = @id AND team_id = @team AND number BETWEEN @from AND @to ORDER BY number`,
		args{"id": fileID, "team": in.TeamID, "from": from, "to": to})
}

// PageSpan is where the text of a page lies in the text of its file.
type PageSpan struct {
	Number int `db:"number"`
	Start  int `db:"start_at"` // code points; pages are one apart, for the form feed between them
	End    int `db:"end_at"`
}

// PageSpans lists the spans of the pages of a file, in order.
func (q Queries) PageSpans(ctx context.Context, in Scope, fileID string) ([]PageSpan, error) {
	return many[PageSpan](ctx, q, `
		SELECT number, start_at, start_at + length AS end_at
		FROM (
			SELECT number, char_length(text) AS length, sum(char_length(text) + 1) OVER (ORDER BY number) - char_length(text) - 1 AS start_at
			FROM pages WHERE file_id = @id AND team_id = @team
		) p ORDER BY number`, args{"id": fileID, "team": in.TeamID})
}
