package db

import (
	"context"

	"github.com/clausemill/clausemill/fault"
)

// TypeModel is what a team's assignments made of the base model of types.
type TypeModel struct {
	ID      string `db:"id"`
	Version int    `db:"version"`
	Files   int    `db:"files"` // whose types people had assigned
	BaseID  string `db:"base_id"`
	Data    []byte `db:"data"` // nil where the base model was better
}

// TypeModelID is the id of the model that predicts document types in a team, built on
// a base model; "" where that is the base model itself.
func (q Queries) TypeModelID(ctx context.Context, in Scope, baseID string) (string, error) {
	id, err := value[string](ctx, q, `SELECT id::text FROM type_models WHERE team_id = @team AND base_id = @base AND data IS NOT NULL`,
		args{"team": in.TeamID, "base": baseID})
	if fault.KindOf(err) == fault.NotFound {
		return "", nil
	}
	return id, err
}

// TypeModelData is that model as it was trained.
func (q Queries) TypeModelData(ctx context.Context, in Scope, id string) ([]byte, error) {
	return value[[]byte](ctx, q, `SELECT data FROM type_models WHERE team_id = @team AND id = @id AND data IS NOT NULL`, args{"team": in.TeamID, "id": id})
}

// SaveTypeModel replaces the model of types of a team.
func (t *Tx) SaveTypeModel(ctx context.Context, in Scope, m TypeModel) error {
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO type_models (team_id, id, version, files, base_id, data) VALUES (@team, @id, @version, @files, @base, @data)
		ON CONFLICT (team_id) DO UPDATE SET id = excluded.id, version = excluded.version, files = excluded.files, base_id = excluded.base_id,
			data = excluded.data, trained_at = now()`,
		args{"team": in.TeamID, "id": m.ID, "version": m.Version, "files": m.Files, "base": m.BaseID, "data": m.Data}); err != nil {
		return err
	}
	return t.Audit(ctx, in, "type_model.trained", "type_model", m.ID, map[string]any{"version": m.Version, "files": m.Files, "used": m.Data != nil})
}

// DueTypeTrainings lists teams with least more files of assigned types, or least
// fewer, than when their model was trained, or with a model built on another base
// than the present one.
func (q Queries) DueTypeTrainings(ctx context.Context, baseID string, least int) ([]Training, error) {
	return many[Training](ctx, q, `
		SELECT team_id, coalesce(m.version, 0) + 1 AS version, coalesce(a.files, 0) > 0 AS standing
		FROM (
			SELECT f.team_id, count(*) AS files FROM files f JOIN file_types t ON t.file_id = f.id
			WHERE f.document_type_source = 'assigned' AND NOT `+inTrash("f")+` GROUP BY f.team_id
		) a FULL JOIN type_models m USING (team_id)
		WHERE abs(coalesce(a.files, 0) - CASE WHEN m.base_id = @base THEN m.files ELSE 0 END) >= @least ORDER BY team_id`,
		args{"base": baseID, "least": least})
}

// AssignedFile is a file whose type people have said.
type AssignedFile struct {
	ID    string `db:"id"`
	Type  string `db:"type"`  // what models know it by
	Title string `db:"title"` // that the model of types read
}

// AssignedFiles lists the files of assigned types that a model of types has
// read, the newest first, at most limit; and counts them. Those whose pages are being
// read again are left out.
func (q Queries) AssignedFiles(ctx context.Context, in Scope, limit int) (files []AssignedFile, all int, err error) {
	const assigned = `FROM files f JOIN file_types g ON g.file_id = f.id JOIN document_types t ON t.id = f.document_type_id
		WHERE f.team_id = @team AND f.document_type_source = 'assigned' AND NOT f.pages_ahead`
	a := args{"team": in.TeamID, "limit": limit}
	if all, err = value[int](ctx, q, `SELECT count(*) `+assigned, a); err != nil {
		return nil, 0, err
	}
	files, err = many[AssignedFile](ctx, q, `SELECT f.id, coalesce(t.key, t.id::text) AS type, g.title `+assigned+` ORDER BY f.id DESC LIMIT @limit`, a)
	return files, all, err
}
