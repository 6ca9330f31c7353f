package db

import (
	"context"
	"encoding/json"
	"time"
)

// FieldModelStatus is what a model of a field is used for.
type FieldModelStatus string

// The statuses.
const (
	FieldModelActive  FieldModelStatus = "active"  // proposes values
	FieldModelRefused FieldModelStatus = "refused" // too few of its values were right
	FieldModelRetired FieldModelStatus = "retired" // was active once
)

// FieldModelStatuses are all of them.
func FieldModelStatuses() []FieldModelStatus {
	return []FieldModelStatus{FieldModelActive, FieldModelRefused, FieldModelRetired}
}

// FieldModel is what was learned of a field.
type FieldModel struct {
	ID        string           `db:"id"`
	FieldID   string           `db:"field_id"`
	Version   int              `db:"version"`
	Status    FieldModelStatus `db:"status"`
	Metrics   json.RawMessage  `db:"metrics"` // on files that were held back
	TrainedAt time.Time        `db:"trained_at"`
}

const fieldModelColumns = `id, field_id, version, status, metrics, trained_at`

// FieldModels lists the models of a field, the newest first, at most limit.
func (q Queries) FieldModels(ctx context.Context, in Scope, fieldID string, limit int) ([]FieldModel, error) {
	return many[FieldModel](ctx, q, `SELECT `+fieldModelColumns+` FROM field_models WHERE field_id = @field AND team_id = @team ORDER BY version DESC LIMIT @limit`,
		args{"field": fieldID, "team": in.TeamID, "limit": limit})
}

// ActiveField is a field with its active model.
type ActiveField struct {
	OwnField

	ModelID string `db:"model_id"`
}

// ActiveFields lists the fields of a team whose values are proposed.
func (q Queries) ActiveFields(ctx context.Context, in Scope) ([]ActiveField, error) {
	return many[ActiveField](ctx, q, `
		SELECT f.id, f.key, f.name, f.type, f.question, f.examples, f.choices, f.decisions, f.version, f.created_by, f.created_at, f.updated_at, m.id AS model_id
		FROM field_models m JOIN fields f ON f.id = m.field_id AND f.team_id = m.team_id
		WHERE m.team_id = @team AND m.status = 'active' ORDER BY f.key`, args{"team": in.TeamID})
}

// FieldModelData is an active model as it was trained.
func (q Queries) FieldModelData(ctx context.Context, in Scope, id string) ([]byte, error) {
	return value[[]byte](ctx, q, `SELECT data FROM field_models WHERE id = @id AND team_id = @team AND data IS NOT NULL`, args{"id": id, "team": in.TeamID})
}

// FieldTraining is a field that is due for a new model, and the version that this will be.
type FieldTraining struct {
	TeamID  string `db:"team_id"`
	Key     string `db:"key"`
	Version int    `db:"version"`
}

// DueFields lists fields of which people have said enough since the latest model: a tenth of
// all, in files enough for a first model.
func (q Queries) DueFields(ctx context.Context, least int) ([]FieldTraining, error) {
	return many[FieldTraining](ctx, q, `
		SELECT f.team_id, f.key, f.version + 1 AS version FROM fields f CROSS JOIN LATERAL (
			SELECT count(DISTINCT file_id) AS files FROM (
				SELECT file_id FROM field_marks WHERE field_id = f.id AND team_id = f.team_id
				UNION ALL SELECT file_id FROM attribute_decisions WHERE team_id = f.team_id AND key = f.key AND decision = 'confirmed'
			) said
		) s
		WHERE f.decisions >= greatest(1, s.files / 10) AND NOT `+inTrash("f")+`
			AND (s.files >= @least OR EXISTS (SELECT FROM field_models WHERE field_id = f.id AND status = 'active'))
		ORDER BY f.team_id, f.key`, args{"least": least})
}

// SaveFieldModel adds what came of a training, which had read the field as f. An active model
// takes the place of the one that was; without data none proposes any more.
func (t *Tx) SaveFieldModel(ctx context.Context, in Scope, f OwnField, m FieldModel, data []byte) error {
	a := args{
		"id": m.ID, "field": f.ID, "team": in.TeamID, "version": m.Version, "status": string(m.Status), "metrics": m.Metrics, "data": data, "decisions": f.Decisions,
	}
	for _, sql := range []string{
		`UPDATE field_models SET status = 'retired', data = NULL WHERE field_id = @field AND team_id = @team AND status = 'active'`,
		`INSERT INTO field_models (id, field_id, team_id, version, status, metrics, data) VALUES (@id, @field, @team, @version, @status, @metrics, @data)`,
		`UPDATE fields SET version = @version, decisions = greatest(0, decisions - @decisions) WHERE id = @field AND team_id = @team`,
	} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	return t.Audit(ctx, in, "field_model.trained", "field", f.ID, map[string]any{"key": f.Key, "version": m.Version, "status": m.Status})
}

// AllFiles lists the files of a team, the newest first and after one ("" for the start), at
// most limit.
func (q Queries) AllFiles(ctx context.Context, in Scope, after string, limit int) ([]string, error) {
	return values[string](ctx, q, `SELECT id::text FROM files WHERE team_id = @team AND (@after::uuid IS NULL OR id < @after::uuid) ORDER BY id DESC LIMIT @limit`,
		args{"team": in.TeamID, "after": nullable(after), "limit": limit})
}

// CountAllFiles counts what AllFiles would list.
func (q Queries) CountAllFiles(ctx context.Context, in Scope) (int, error) {
	return value[int](ctx, q, `SELECT count(*) FROM files WHERE team_id = @team`, args{"team": in.TeamID})
}

// FilesWithoutField lists the newest files with a text of which people said nothing for a
// field, at most limit.
func (q Queries) FilesWithoutField(ctx context.Context, in Scope, f OwnField, limit int) ([]string, error) {
	return values[string](ctx, q, `
		SELECT id::text FROM files x WHERE team_id = @team AND text_ready
			AND NOT EXISTS (SELECT FROM field_marks WHERE field_id = @id AND file_id = x.id)
			AND NOT EXISTS (SELECT FROM attribute_decisions WHERE file_id = x.id AND key = @key)
		ORDER BY id DESC LIMIT @limit`, args{"id": f.ID, "key": f.Key, "team": in.TeamID, "limit": limit})
}
