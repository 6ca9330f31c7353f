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

// DeclareField adds a field; a key that is declared, or in the trash, is Conflict.
func (t *Tx) DeclareField(ctx context.Context, in Scope, f OwnField) (OwnField, error) {
	declared, err := t.Fields(ctx, in)
	if err != nil {
		return f, err
	}
	if len(declared) >= maxFields {
		return f, fault.Newf(fault.Conflict, "a team declares %d fields at most", maxFields)
	}
	deleted, err := value[bool](ctx, t.Queries, `
		SELECT EXISTS (SELECT FROM trash WHERE team_id = @team AND kind = 'field' AND resource_id = @key AND purged_at IS NULL)`, args{"team": in.TeamID, "key": f.Key})
	if err != nil {
		return f, err
	}
	if deleted {
		return f, fault.New(fault.Conflict, "a field with that key is in the trash; restore it, purge it, or declare this one with another key")
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
	return row, t.Audit(ctx, in, "field.created", "field", row.ID, map[string]any{"key": row.Key, "name": row.Name, "type": row.Type})
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
	return row, t.Audit(ctx, in, "field.updated", "field", row.ID, map[string]any{"key": row.Key, "name": row.Name})
}

// DeleteField moves a field that is held into the trash, with its marks, its models and all
// values that files have for it, those in the trash included.
func (t *Tx) DeleteField(ctx context.Context, in Scope, f OwnField) (TrashEntry, error) {
	use, err := t.FieldUse(ctx, in, f)
	if err != nil {
		return TrashEntry{}, err
	}
	a := args{"id": f.ID, "team": in.TeamID, "key": f.Key}
	files, err := values[string](ctx, t.Queries, `
		SELECT id::text FROM files WHERE team_id = @team AND id IN (SELECT file_id FROM attributes WHERE team_id = @team AND level = 'file' AND key = @key)
		ORDER BY id FOR NO KEY UPDATE`, a)
	if err != nil {
		return TrashEntry{}, err
	}
	entry, err := t.discard(ctx, in, discarded{Kind: TrashedField, ResourceID: f.Key, Name: f.Name, Counts: map[string]int{"values": len(files), "decisions": use.Files}})
	if err != nil {
		return TrashEntry{}, err
	}
	a["entry"] = entry.ID
	statements := []string{`UPDATE field_models SET team_id = @entry WHERE field_id = @id`, `UPDATE field_marks SET team_id = @entry WHERE field_id = @id`}
	for _, table := range valuesOfFields {
		statements = append(statements, `UPDATE `+table+` SET team_id = @entry WHERE key = @key`+ofTheFile[table]+`
			AND (team_id = @team OR team_id IN (SELECT id FROM trash WHERE team_id = @team AND kind = 'file'))`)
	}
	for _, sql := range statements {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return TrashEntry{}, err
		}
	}
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return TrashEntry{}, err
	}
	return entry, t.Audit(ctx, in, "field.deleted", "field", f.ID, map[string]any{"key": f.Key, "name": f.Name, "files": len(files), "trashId": entry.ID})
}

// valuesOfFields are the tables with what files have of a field, by its key. In the trash these
// rows are of the team of its entry.
var valuesOfFields = []string{"attributes", "overruled_attributes", "attribute_decisions"}

// ofTheFile leaves out of these tables what is read of single clauses.
var ofTheFile = map[string]string{"attributes": ` AND level = 'file'`, "overruled_attributes": ` AND level = 'file'`}

// restoreField brings a field back with its marks, its models and the values of files. What
// people set for its key meanwhile stays. In files that were read meanwhile what was marked
// loses its place, and the field is learned again, which proposes values there.
func (t *Tx) restoreField(ctx context.Context, in Scope, e binned, name string) error {
	a := args{"team": in.TeamID, "entry": e.ID, "key": e.ResourceID, "deleted": e.DeletedAt}
	files, err := values[string](ctx, t.Queries, `
		SELECT id::text FROM files WHERE team_id = @team AND id IN (SELECT file_id FROM attributes WHERE team_id IN (@entry, @team) AND level = 'file' AND key = @key)
		ORDER BY id FOR NO KEY UPDATE`, a)
	if err != nil {
		return err
	}
	type valueSet struct {
		FileID     string          `db:"file_id"`
		Value      string          `db:"value"`
		Normalized json.RawMessage `db:"normalized"`
		Canonical  string          `db:"normal"`
	}
	set, err := many[valueSet](ctx, t.Queries, `
		SELECT file_id, value, normalized, normal FROM attributes WHERE team_id = @team AND level = 'file' AND key = @key ORDER BY file_id, ordinal`, a)
	if err != nil {
		return err
	}
	given, order := map[string][]Attribute{}, []string{}
	for _, row := range set {
		if given[row.FileID] == nil {
			order = append(order, row.FileID)
		}
		given[row.FileID] = append(given[row.FileID], Attribute{Value: row.Value, Normalized: row.Normalized, Canonical: row.Canonical})
	}
	a["set"] = list(order)
	if err := t.comeBack(ctx, in, name, e); err != nil {
		return err
	}
	f, err := t.FieldForUpdate(ctx, in, e.ResourceID)
	if err != nil {
		return err
	}
	a["id"] = f.ID
	const readAgain = `file_id IN (SELECT file_id FROM file_attempts WHERE team_id = @team AND finished_at >= @deleted)`
	statements := []string{
		`UPDATE field_models SET team_id = @team WHERE field_id = @id`,
		`DELETE FROM field_marks WHERE field_id = @id AND file_id = ANY(@set::uuid[])`,
		`DELETE FROM attributes WHERE team_id = @entry AND file_id = ANY(@set::uuid[])`,
		`DELETE FROM overruled_attributes WHERE team_id = @entry AND ` + readAgain,
		`DELETE FROM attributes WHERE team_id = @entry AND source <> 'human' AND ` + readAgain,
		`UPDATE attributes SET spans = '[]', start_at = NULL, end_at = NULL WHERE team_id = @entry AND ` + readAgain,
		`UPDATE field_marks SET start_at = NULL, end_at = NULL, page = NULL WHERE field_id = @id AND ` + readAgain,
		`UPDATE fields SET decisions = decisions + greatest(1, version) WHERE id = @id AND EXISTS (SELECT FROM file_attempts WHERE team_id = @team AND finished_at >= @deleted)`,
		// Files that went into the trash themselves have theirs there.
		`UPDATE field_marks x SET team_id = f.team_id FROM files f WHERE x.field_id = @id AND f.id = x.file_id`,
	}
	for _, table := range valuesOfFields {
		statements = append(statements, `UPDATE `+table+` x SET team_id = f.team_id FROM files f WHERE x.team_id = @entry AND f.id = x.file_id`)
	}
	for _, sql := range statements {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	for _, fileID := range order {
		if err := t.markGiven(ctx, in, fileID, f.Key, given[fileID]); err != nil {
			return err
		}
	}
	use, err := t.FieldUse(ctx, in, f)
	if err != nil {
		return err
	}
	if use.Others && !in.Admin {
		return fault.New(fault.Forbidden, "others have marked or decided on values of this field; only admins of the team may restore it")
	}
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return err
	}
	return t.Audit(ctx, in, "field.restored", "field", f.ID, map[string]any{"key": f.Key, "name": f.Name, "files": len(files), "trashId": e.ID})
}

// forgetField deletes the values of a field whose entry is purged; its marks and models go
// with its row.
func (t *Tx) forgetField(ctx context.Context, entry string) error {
	for _, table := range valuesOfFields {
		if _, err := exec(ctx, t.Queries, `DELETE FROM `+table+` WHERE team_id = @entry`, args{"entry": entry}); err != nil {
			return err
		}
	}
	return nil
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
