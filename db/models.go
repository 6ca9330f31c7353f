package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// ModelStatus is what a model is used for.
type ModelStatus string

// The statuses.
const (
	ModelActive    ModelStatus = "active"    // labels what comes in; one of a team, or the base model
	ModelCandidate ModelStatus = "candidate" // was no better than the active one
	ModelRetired   ModelStatus = "retired"   // was active once
)

// Model is a model that a team trained.
type Model struct {
	ID        string          `db:"id"`
	Version   int             `db:"version"`
	Status    ModelStatus     `db:"status"`
	BaseID    string          `db:"base_id"`
	Sentences int             `db:"sentences"` // decisions that it learned from
	Metrics   json.RawMessage `db:"metrics"`   // on decisions that were held back
	TrainedAt time.Time       `db:"trained_at"`
}

const modelColumns = `id, version, status, base_id, sentences, metrics, trained_at`

// Models lists the models of a team, the newest first.
func (q Queries) Models(ctx context.Context, in Scope) ([]Model, error) {
	return many[Model](ctx, q, `SELECT `+modelColumns+` FROM models WHERE team_id = @team ORDER BY version DESC`, args{"team": in.TeamID})
}

// Model is one model of a team.
func (q Queries) Model(ctx context.Context, in Scope, id string) (Model, error) {
	return one[Model](ctx, q, `SELECT `+modelColumns+` FROM models WHERE id = @id AND team_id = @team`, args{"id": id, "team": in.TeamID})
}

// ActiveModel is the model that labels a team's sentences; NotFound where that
// is the base model.
func (q Queries) ActiveModel(ctx context.Context, in Scope) (Model, error) {
	return one[Model](ctx, q, `SELECT `+modelColumns+` FROM models WHERE team_id = @team AND status = 'active'`, args{"team": in.TeamID})
}

// ModelData is a model as it was trained.
func (q Queries) ModelData(ctx context.Context, in Scope, id string) ([]byte, error) {
	return value[[]byte](ctx, q, `SELECT data FROM models WHERE id = @id AND team_id = @team`, args{"id": id, "team": in.TeamID})
}

// SaveModel adds a trained model. One that is active takes the place of the one
// that was.
func (t *Tx) SaveModel(ctx context.Context, in Scope, m Model, data []byte) error {
	a := args{
		"id": m.ID, "team": in.TeamID, "version": m.Version, "status": string(m.Status), "base": m.BaseID,
		"sentences": m.Sentences, "metrics": m.Metrics, "data": data,
	}
	if m.Status == ModelActive {
		if _, err := exec(ctx, t.Queries, `UPDATE models SET status = 'retired' WHERE team_id = @team AND status = 'active'`, a); err != nil {
			return err
		}
	}
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO models (id, team_id, version, status, base_id, sentences, metrics, data)
		VALUES (@id, @team, @version, @status, @base, @sentences, @metrics, @data)`, a); err != nil {
		return err
	}
	return t.Audit(ctx, in, "model.trained", "model", m.ID, map[string]any{"version": m.Version, "status": m.Status, "sentences": m.Sentences})
}

// Refusal is a training whose model was rejected, or that made none.
type Refusal struct {
	At      time.Time `db:"created_at"`
	Version int       `db:"version"` // that the model would have got
	Reason  string    `db:"reason"`
}

// RefuseModel writes down why decisions make no model, once for each version.
func (t *Tx) RefuseModel(ctx context.Context, in Scope, version int, reason string) error {
	last, err := t.LastRefusal(ctx, in)
	if err == nil && last != nil && last.Version == version && last.Reason == reason {
		return nil
	}
	if err != nil {
		return err
	}
	return t.Audit(ctx, in, "model.refused", "team", in.TeamID, map[string]any{"version": version, "reason": reason})
}

// LastRefusal is why the last training since a team's newest model was refused; nil
// if none was.
func (q Queries) LastRefusal(ctx context.Context, in Scope) (*Refusal, error) {
	row, err := one[Refusal](ctx, q, `
		SELECT created_at, (data ->> 'version')::int AS version, data ->> 'reason' AS reason FROM audit_events
		WHERE team_id = @team AND resource_id = @team AND action = 'model.refused'
			AND created_at > coalesce((SELECT max(trained_at) FROM models WHERE team_id = @team), '-infinity')
		ORDER BY id DESC LIMIT 1`, args{"team": in.TeamID})
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint:nilnil // there was none
	}
	return &row, err
}

// ActivateModel has a model of a team label what comes in from now on, or the
// base model. It is Conflict where that is so already.
func (t *Tx) ActivateModel(ctx context.Context, in Scope, id, baseID string) error {
	a := args{"id": id, "team": in.TeamID}
	if id != baseID {
		m, err := t.Model(ctx, in, id)
		if err != nil {
			return err
		}
		if m.Status == ModelActive {
			return errActive
		}
	}
	retired, err := exec(ctx, t.Queries, `UPDATE models SET status = 'retired' WHERE team_id = @team AND status = 'active'`, a)
	if err != nil {
		return err
	}
	if id == baseID && retired == 0 {
		return errActive
	}
	if _, err := exec(ctx, t.Queries, `UPDATE models SET status = 'active' WHERE id = @id AND team_id = @team`, a); err != nil {
		return err
	}
	return t.Audit(ctx, in, "model.activated", "model", id, nil)
}

var errActive = fault.New(fault.Conflict, "the model is active already")

// CreateRelabelling is the operation in which a model labels what another one
// has labelled.
func (t *Tx) CreateRelabelling(ctx context.Context, in Scope, modelID string) (Operation, error) {
	files, err := t.CountLabelledOtherwise(ctx, in, modelID)
	if err != nil {
		return Operation{}, err
	}
	return t.CreateOperation(ctx, in, "relabel", files, nil)
}

// Training is a team that has decided enough for a new model, and the version
// that this will be.
type Training struct {
	TeamID   string `db:"team_id"`
	Version  int    `db:"version"`
	Standing bool   `db:"standing"` // there are decisions that were not withdrawn, to learn from
}

// withdrawnSince is the condition on audit events e that a decision was withdrawn
// from which a model m could have learned.
const withdrawnSince = `e.action = 'sentence.withdrawn' AND e.created_at > m.trained_at
	AND coalesce(e.data ->> 'decidedSince', e.data ->> 'validatedAt')::timestamptz <= m.trained_at`

// DueTraining says which teams are due for a new model.
type DueTraining struct {
	New      int // decisions since the latest model, made or withdrawn, or a tenth of what that learned from
	First    int // decisions that a first model takes,
	Examples int // or this many of one label of the team's own

	Base string // the id of the present base model
}

// DueTrainings lists teams that have made enough decisions since their latest model was
// trained, or withdrawn some that it learned from, or whose decisions were learned on
// another base than the present one more than an hour ago: of two releases that run side
// by side neither undoes at once what the other learns.
func (q Queries) DueTrainings(ctx context.Context, d DueTraining) ([]Training, error) {
	return many[Training](ctx, q, `
		WITH latest AS (
			SELECT DISTINCT ON (team_id) team_id, version, trained_at, sentences, base_id FROM models ORDER BY team_id, version DESC
		)
		SELECT c.team_id, coalesce(max(c.version), 0) + 1 AS version, bool_or(c.made)
			OR EXISTS (SELECT FROM sentences s WHERE s.team_id = c.team_id AND `+decidedOn+`) AS standing
		FROM (
			SELECT s.team_id, m.version, m.sentences, true AS made, false AS outdated FROM sentences s LEFT JOIN latest m ON m.team_id = s.team_id
			WHERE `+decidedOn+` AND NOT `+inTrash("s")+` AND (m.trained_at IS NULL OR s.validated_at > m.trained_at)
			UNION ALL
			SELECT e.team_id, m.version, m.sentences, false, false FROM latest m JOIN audit_events e ON e.team_id = m.team_id AND `+withdrawnSince+`
			UNION ALL
			SELECT m.team_id, m.version, m.sentences, true, true FROM latest m
			WHERE m.base_id <> @base AND m.trained_at < now() - interval '1 hour'
				AND EXISTS (SELECT FROM sentences s WHERE s.team_id = m.team_id AND `+decidedOn+`)
		) c
		GROUP BY c.team_id HAVING bool_or(c.outdated) OR count(*) >= greatest(@new, max(c.sentences) / 10) AND (max(c.version) IS NOT NULL OR count(*) >= @first OR EXISTS (
			SELECT FROM sentences s JOIN nodes n ON n.team_id = s.team_id AND `+givenIn("n.key")+`
			WHERE s.team_id = c.team_id AND `+decidedOn+` GROUP BY n.key HAVING count(*) >= @examples))
		ORDER BY c.team_id`, args{"new": d.New, "first": d.First, "examples": d.Examples, "base": nullable(d.Base)})
}

// ModelStands reports whether the active model of a team learned from no decision
// that was withdrawn since; the base model always does.
func (q Queries) ModelStands(ctx context.Context, in Scope) (bool, error) {
	return value[bool](ctx, q, `
		SELECT NOT EXISTS (
			SELECT FROM models m JOIN audit_events e ON e.team_id = m.team_id AND `+withdrawnSince+`
			WHERE m.team_id = @team AND m.status = 'active')`, args{"team": in.TeamID})
}

// DecidedFiles lists files with sentences on which people decided, those with
// the latest decisions first, at most limit.
func (q Queries) DecidedFiles(ctx context.Context, in Scope, limit int) ([]string, error) {
	return values[string](ctx, q, `
		SELECT file_id::text FROM sentences s WHERE team_id = @team AND `+decidedOn+`
		GROUP BY file_id ORDER BY max(validated_at) DESC NULLS LAST, file_id LIMIT @limit`, args{"team": in.TeamID, "limit": limit})
}

// OtherFiles lists the newest files without decisions whose sentences a model has
// labelled, at most limit.
func (q Queries) OtherFiles(ctx context.Context, in Scope, limit int) ([]string, error) {
	return values[string](ctx, q, `
		SELECT file_id::text FROM analyses a WHERE team_id = @team AND model_id IS NOT NULL
			AND NOT EXISTS (SELECT FROM sentences s WHERE s.file_id = a.file_id AND s.team_id = @team AND `+decidedOn+`)
		ORDER BY file_id DESC LIMIT @limit`, args{"team": in.TeamID, "limit": limit})
}

// Deciders are the users whose decisions a team's models learn from.
func (q Queries) Deciders(ctx context.Context, in Scope) ([]string, error) {
	return values[string](ctx, q, `
		SELECT DISTINCT validated_by::text FROM sentences s WHERE team_id = @team AND `+decidedOn+` AND validated_by IS NOT NULL ORDER BY 1`,
		args{"team": in.TeamID})
}

// LabelledOtherwise lists files whose sentences another model has labelled, by
// id and after one ("" for the start), at most limit.
func (q Queries) LabelledOtherwise(ctx context.Context, in Scope, modelID, after string, limit int) ([]string, error) {
	return values[string](ctx, q, `
		SELECT file_id::text FROM analyses
		WHERE team_id = @team AND model_id <> @model AND (@after::uuid IS NULL OR file_id > @after::uuid) ORDER BY file_id LIMIT @limit`,
		args{"team": in.TeamID, "model": modelID, "after": nullable(after), "limit": limit})
}

// CountLabelledOtherwise counts what LabelledOtherwise would list.
func (q Queries) CountLabelledOtherwise(ctx context.Context, in Scope, modelID string) (int, error) {
	return value[int](ctx, q, `SELECT count(*) FROM analyses WHERE team_id = @team AND model_id <> @model`,
		args{"team": in.TeamID, "model": modelID})
}
