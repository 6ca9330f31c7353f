package db

import (
	"context"
	"encoding/json"
	"time"
)

// FieldMark is a value of a field that a person marked in a file.
type FieldMark struct {
	ID         string          `db:"id"`
	FieldID    string          `db:"field_id"`
	Key        string          `db:"key"` // of the field
	FileID     string          `db:"file_id"`
	Value      string          `db:"value"`
	Normalized json.RawMessage `db:"normalized"`
	Canonical  string          `db:"canonical"`
	Start      *int            `db:"start_at"` // nil where the text does not have its words any more, or nobody said where
	End        *int            `db:"end_at"`
	Page       *int            `db:"page"`
	Quote      string          `db:"quote"`
	CreatedBy  *string         `db:"created_by"`
	CreatedAt  time.Time       `db:"created_at"`
}

const markColumns = `m.id, m.field_id, f.key, m.file_id, m.value, m.normalized, m.canonical, m.start_at, m.end_at, m.page, m.quote, m.created_by, m.created_at`

// markRows are the marks of the fields of a team.
const markRows = ` FROM field_marks m JOIN fields f ON f.id = m.field_id AND f.team_id = m.team_id `

// attribute is the mark as an attribute of its file.
func (m FieldMark) attribute() Attribute {
	a := Attribute{Key: m.Key, Value: m.Value, Normalized: m.Normalized, Canonical: m.Canonical}
	if m.Start != nil && m.End != nil && m.Page != nil {
		a.Spans = []AttributeSpan{{Start: *m.Start, End: *m.End, Page: *m.Page, Quote: m.Quote}}
	}
	return a
}

// FieldMarks lists the marks of a field in files that are visible, or in one of them, after
// one ("" for the start), at most limit.
func (q Queries) FieldMarks(ctx context.Context, in Scope, f OwnField, fileID, after string, limit int) ([]FieldMark, error) {
	return many[FieldMark](ctx, q, `
		SELECT `+markColumns+markRows+`
		WHERE m.field_id = @field AND m.team_id = @team AND (@file::uuid IS NULL OR m.file_id = @file::uuid)
			AND (@after::uuid IS NULL OR m.id > @after::uuid)`+in.seesFile("m.file_id")+`
		ORDER BY m.id LIMIT @limit`,
		in.args(args{"field": f.ID, "file": nullable(fileID), "after": nullable(after), "limit": limit}))
}

// MarksOfFile lists the marks of all fields in a file.
func (q Queries) MarksOfFile(ctx context.Context, in Scope, fileID string) ([]FieldMark, error) {
	return many[FieldMark](ctx, q, `SELECT `+markColumns+markRows+`WHERE m.file_id = @file AND m.team_id = @team ORDER BY m.field_id, m.id`,
		args{"file": fileID, "team": in.TeamID})
}

// MarkField adds a value that a person marked in a file. With the others that people marked
// there it stands in place of what is proposed.
func (t *Tx) MarkField(ctx context.Context, in Scope, f OwnField, m FieldMark) (FieldMark, error) {
	if _, err := t.FileForUpdate(ctx, in, m.FileID); err != nil {
		return m, err
	}
	m.ID, m.FieldID, m.Key = NewID(), f.ID, f.Key
	if err := t.addMarks(ctx, in, []FieldMark{m}); err != nil {
		return m, err
	}
	if err := t.renewMarked(ctx, in, f, m.FileID); err != nil {
		return m, err
	}
	row, err := one[FieldMark](ctx, t.Queries, `SELECT `+markColumns+markRows+`WHERE m.id = @id AND m.team_id = @team`, args{"id": m.ID, "team": in.TeamID})
	if err != nil {
		return m, err
	}
	return row, t.Audit(ctx, in, "field.marked", "file", m.FileID, map[string]any{"key": f.Key})
}

func (t *Tx) addMarks(ctx context.Context, in Scope, marks []FieldMark) error {
	return copyRows(ctx, t.Queries, "field_marks", "id, field_id, file_id, team_id, value, normalized, canonical, start_at, end_at, page, quote, created_by", marks, func(_ int, m FieldMark) []any {
		normalized := m.Normalized
		if normalized == nil {
			normalized = json.RawMessage("{}")
		}
		return []any{m.ID, m.FieldID, m.FileID, in.TeamID, m.Value, normalized, m.Canonical, m.Start, m.End, m.Page, m.Quote, nullable(in.UserID())}
	})
}

// UnmarkField removes a mark. Where it was the last in its file, what is proposed holds
// again.
func (t *Tx) UnmarkField(ctx context.Context, in Scope, f OwnField, id string) error {
	fileID, err := value[string](ctx, t.Queries, `
		SELECT file_id::text FROM field_marks m WHERE id = @id AND field_id = @field AND team_id = @team`+in.seesFile("m.file_id"),
		in.args(args{"id": id, "field": f.ID}))
	if err != nil {
		return err
	}
	if _, err := t.FileForUpdate(ctx, in, fileID); err != nil {
		return err
	}
	if err := change(ctx, t.Queries, `DELETE FROM field_marks WHERE id = @id AND team_id = @team`, args{"id": id, "team": in.TeamID}); err != nil {
		return err
	}
	if err := t.renewMarked(ctx, in, f, fileID); err != nil {
		return err
	}
	return t.Audit(ctx, in, "field.unmarked", "file", fileID, map[string]any{"key": f.Key})
}

// renewMarked makes the marks of a field in a file, which is held, its values there.
func (t *Tx) renewMarked(ctx context.Context, in Scope, f OwnField, fileID string) error {
	marks, err := t.FieldMarks(ctx, in, f, fileID, "", everything)
	if err != nil {
		return err
	}
	rows := make([]Attribute, len(marks))
	for i, m := range marks {
		rows[i] = m.attribute()
	}
	_, err = t.writeAttribute(ctx, in, fileID, f.Key, rows)
	return err
}

// markGiven makes of values that a person set for a key, without a place, marks of the
// field with that key, if there is one.
func (t *Tx) markGiven(ctx context.Context, in Scope, fileID, key string, given []Attribute) error {
	ids, err := values[string](ctx, t.Queries, `SELECT id::text FROM fields WHERE team_id = @team AND key = @key`, args{"team": in.TeamID, "key": key})
	if err != nil || len(ids) == 0 {
		return err
	}
	if _, err := exec(ctx, t.Queries, `DELETE FROM field_marks WHERE field_id = @field AND file_id = @file AND team_id = @team`,
		args{"field": ids[0], "file": fileID, "team": in.TeamID}); err != nil {
		return err
	}
	marks := make([]FieldMark, len(given))
	for i, a := range given {
		marks[i] = FieldMark{ID: NewID(), FieldID: ids[0], FileID: fileID, Value: a.Value, Normalized: a.Normalized, Canonical: a.Canonical}
	}
	return t.addMarks(ctx, in, marks)
}

// PlaceMarks writes where the marks of a file are in its new text.
func (t *Tx) PlaceMarks(ctx context.Context, in Scope, fileID string, marks []FieldMark) error {
	for i, m := range marks {
		if err := change(ctx, t.Queries, `UPDATE field_marks SET start_at = @start, end_at = @end, page = @page, quote = @quote WHERE id = @id AND team_id = @team`,
			args{"id": m.ID, "team": in.TeamID, "start": m.Start, "end": m.End, "page": m.Page, "quote": m.Quote}); err != nil {
			return err
		}
		if i+1 < len(marks) && marks[i+1].FieldID == m.FieldID {
			continue
		}
		var rows []Attribute
		for _, other := range marks {
			if other.FieldID == m.FieldID {
				rows = append(rows, other.attribute())
			}
		}
		if err := t.replaceGiven(ctx, in, fileID, m.Key, rows); err != nil {
			return err
		}
	}
	return nil
}
