package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// OwnField is a field that a team declared for its files. Its values are attributes of
// files with its key.
type OwnField struct {
	ID        string       `db:"id"`
	Key       string       `db:"key"`
	Name      string       `db:"name"`
	Type      MetadataType `db:"type"`
	Question  string       `db:"question"`
	Examples  []string     `db:"examples"`  // of values
	Choices   []string     `db:"choices"`   // of a choice
	Decisions int          `db:"decisions"` // of people that no model has learned from yet
	Version   int          `db:"version"`   // of the latest model; 0 before the first
	CreatedBy *string      `db:"created_by"`
	CreatedAt time.Time    `db:"created_at"`
	UpdatedAt time.Time    `db:"updated_at"`
}

const fieldColumns = `id, key, name, type, question, examples, choices, decisions, version, created_by, created_at, updated_at`

// maxFields is how many a team may declare: each model reads every file.
const maxFields = 100

// Fields lists what a team has declared, by key.
func (q Queries) Fields(ctx context.Context, in Scope) ([]OwnField, error) {
	return many[OwnField](ctx, q, `SELECT `+fieldColumns+` FROM fields WHERE team_id = @team ORDER BY key`, args{"team": in.TeamID})
}

// Field is one of them, by its key.
func (q Queries) Field(ctx context.Context, in Scope, key string) (OwnField, error) {
	return one[OwnField](ctx, q, `SELECT `+fieldColumns+` FROM fields WHERE team_id = @team AND key = @key`, args{"team": in.TeamID, "key": key})
}

// FieldForUpdate is a field that is held until the transaction ends.
func (t *Tx) FieldForUpdate(ctx context.Context, in Scope, key string) (OwnField, error) {
	return one[OwnField](ctx, t.Queries, `SELECT `+fieldColumns+` FROM fields WHERE team_id = @team AND key = @key FOR UPDATE`, args{"team": in.TeamID, "key": key})
}

// DeclareField adds a field; a key that is declared is Conflict.
func (t *Tx) DeclareField(ctx context.Context, in Scope, f OwnField) (OwnField, error) {
	declared, err := t.Fields(ctx, in)
	if err != nil {
		return f, err
	}
	if len(declared) >= maxFields {
		return f, fault.Newf(fault.Conflict, "a team declares %d fields at most", maxFields)
	}
	row, err := one[OwnField](ctx, t.Queries, `
		INSERT INTO fields (id, team_id, key, name, type, question, examples, choices, created_by)
		VALUES (@id, @team, @key, @name, @type, @question, @examples, @choices, @user)
		ON CONFLICT DO NOTHING RETURNING `+fieldColumns, args{
		"id": NewID(), "team": in.TeamID, "key": f.Key, "name": f.Name, "type": string(f.Type), "question": f.Question,
		"examples": list(f.Examples), "choices": list(f.Choices), "user": nullable(in.UserID()),
	})
	if fault.KindOf(err) == fault.NotFound {
		return row, fault.New(fault.Conflict, "that key is declared already")
	}
	if err != nil {
		return row, err
	}
	return row, t.Audit(ctx, in, "field.created", "field", row.ID, map[string]any{"key": row.Key, "type": row.Type})
}

// FieldChange is what is said of a field; a nil value stays as it is.
type FieldChange struct {
	Name, Question    *string
	Examples, Choices *[]string
}

// ChangeField applies c to a field that is held. What it is asked by has changed then, so
// that it is learned anew.
func (t *Tx) ChangeField(ctx context.Context, in Scope, f OwnField, c FieldChange) (OwnField, error) {
	row, err := one[OwnField](ctx, t.Queries, `
		UPDATE fields SET name = coalesce(@name, name), question = coalesce(@question, question), examples = coalesce(@examples, examples),
			choices = coalesce(@choices, choices), updated_at = now(), decisions = decisions + greatest(1, version)
		WHERE id = @id AND team_id = @team RETURNING `+fieldColumns,
		args{"id": f.ID, "team": in.TeamID, "name": c.Name, "question": c.Question, "examples": c.Examples, "choices": c.Choices})
	if err != nil {
		return row, err
	}
	return row, t.Audit(ctx, in, "field.updated", "field", row.ID, map[string]any{"key": row.Key})
}

// DeleteField removes a field that is held, with its marks, its models and all values that
// files have for it.
func (t *Tx) DeleteField(ctx context.Context, in Scope, f OwnField) error {
	a := args{"id": f.ID, "team": in.TeamID, "key": f.Key}
	files, err := values[string](ctx, t.Queries, `SELECT DISTINCT file_id::text FROM attributes WHERE team_id = @team AND level = 'file' AND key = @key ORDER BY 1`, a)
	if err != nil {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM attributes WHERE team_id = @team AND level = 'file' AND key = @key`,
		`DELETE FROM overruled_attributes WHERE team_id = @team AND key = @key`,
		`DELETE FROM attribute_decisions WHERE team_id = @team AND key = @key`,
		`DELETE FROM fields WHERE id = @id AND team_id = @team`,
	} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return err
	}
	return t.Audit(ctx, in, "field.deleted", "field", f.ID, map[string]any{"key": f.Key, "files": len(files)})
}

// FieldUse counts the decisions of users on a field.
type FieldUse struct {
	Files  int  `db:"files"`  // with values that people marked or confirmed, hidden ones included
	Said   bool `db:"said"`   // somebody said something
	Others bool `db:"others"` // somebody other than the caller
}

// saidOfField are the decisions of people on a field, as rows of files.
const saidOfField = `
	SELECT m.file_id, 'marked' AS decision, m.value, m.normalized, m.start_at, m.end_at, m.created_by AS by, m.created_at AS at
	FROM field_marks m WHERE m.field_id = @id AND m.team_id = @team
	UNION ALL
	SELECT d.file_id, d.decision, d.value, d.normalized, a.start_at, a.end_at, d.decided_by, d.decided_at
	FROM attribute_decisions d LEFT JOIN LATERAL (
		SELECT start_at, end_at FROM attributes WHERE file_id = d.file_id AND level = 'file' AND key = d.key AND normal = d.normal LIMIT 1
	) a ON true WHERE d.team_id = @team AND d.key = @key`

// FieldUse counts the decisions of users on a field.
func (q Queries) FieldUse(ctx context.Context, in Scope, f OwnField) (FieldUse, error) {
	return one[FieldUse](ctx, q, `
		SELECT count(DISTINCT file_id) FILTER (WHERE decision <> 'refused') AS files, count(*) > 0 AS said, coalesce(bool_or(by IS DISTINCT FROM @user::uuid), false) AS others
		FROM (`+saidOfField+`) said`, args{"id": f.ID, "key": f.Key, "team": in.TeamID, "user": nullable(in.UserID())})
}

// SaidOfField is a decision of users on a field in a file.
type SaidOfField struct {
	FileID     string          `db:"file_id"`
	Decision   string          `db:"decision"` // marked, confirmed or refused
	Value      string          `db:"value"`
	Normalized json.RawMessage `db:"normalized"`
	Start      *int            `db:"start_at"` // nil where it has no place
	End        *int            `db:"end_at"`
}

// SaidOfField lists the decisions of users on a field, file by file, in at most limit files: those
// with the latest.
func (q Queries) SaidOfField(ctx context.Context, in Scope, f OwnField, limit int) ([]SaidOfField, error) {
	return many[SaidOfField](ctx, q, `
		WITH said AS (`+saidOfField+`), latest AS (
			SELECT file_id FROM said GROUP BY file_id ORDER BY max(at) DESC, file_id LIMIT @limit
		)
		SELECT file_id, decision, value, normalized, start_at, end_at FROM said WHERE file_id IN (SELECT file_id FROM latest)
		ORDER BY file_id, start_at, value`, args{"id": f.ID, "key": f.Key, "team": in.TeamID, "limit": limit})
}

// decidedOnField counts a decision on a key, if it is that of a field.
func (t *Tx) decidedOnField(ctx context.Context, in Scope, key string) error {
	_, err := exec(ctx, t.Queries, `UPDATE fields SET decisions = decisions + 1 WHERE team_id = @team AND key = @key`, args{"team": in.TeamID, "key": key})
	return err
}
