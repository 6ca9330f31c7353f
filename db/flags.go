package db

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// Flag is a feature that a team turns on for some.
type Flag struct {
	ID          string    `db:"id"`
	Key         string    `db:"key"`
	Description string    `db:"description"`
	Enabled     bool      `db:"enabled"`
	Version     int       `db:"version"`
	CreatedAt   time.Time `db:"created_at"`
	UpdatedAt   time.Time `db:"updated_at"`
}

const flagColumns = `id, key, description, enabled, version, created_at, updated_at`

// FlagCondition is one condition of a flag.
type FlagCondition struct {
	ID        string   `db:"id"`
	FlagID    string   `db:"flag_id"`
	Attribute string   `db:"attribute"`
	Operator  string   `db:"operator"`
	Values    []string `db:"values"`
	Rollout   float32  `db:"rollout"`
}

const conditionColumns = `c.id, c.flag_id, c.attribute, c.operator, c.values, c.rollout`

// Flags lists the team's flags by key, starting after the key `after` ("" for
// the start).
func (q Queries) Flags(ctx context.Context, in Scope, after string, limit int) ([]Flag, error) {
	return many[Flag](ctx, q, `
		SELECT `+flagColumns+` FROM feature_flags WHERE team_id = @team AND key > @after ORDER BY key LIMIT @limit`,
		args{"team": in.TeamID, "after": after, "limit": limit})
}

// Flag is one flag.
func (q Queries) Flag(ctx context.Context, in Scope, id string) (Flag, error) {
	return one[Flag](ctx, q, `SELECT `+flagColumns+` FROM feature_flags WHERE id = @id AND team_id = @team`,
		args{"id": id, "team": in.TeamID})
}

// FlagWithKey is the flag of the team that programs know by a key; NotFound where it has none.
func (q Queries) FlagWithKey(ctx context.Context, in Scope, key string) (Flag, error) {
	return one[Flag](ctx, q, `SELECT `+flagColumns+` FROM feature_flags WHERE team_id = @team AND key = @key`, args{"team": in.TeamID, "key": key})
}

// FlagConditions lists the conditions of flags, the oldest first.
func (q Queries) FlagConditions(ctx context.Context, in Scope, flagIDs []string) ([]FlagCondition, error) {
	return many[FlagCondition](ctx, q, `
		SELECT `+conditionColumns+` FROM flag_conditions c JOIN feature_flags f ON f.id = c.flag_id
		WHERE f.team_id = @team AND c.flag_id = ANY(@flags) ORDER BY c.id`, args{"team": in.TeamID, "flags": flagIDs})
}

// CreateFlag makes a flag. It is a Conflict where the team has one of that key.
func (t *Tx) CreateFlag(ctx context.Context, in Scope, f Flag) (Flag, error) {
	made, err := one[Flag](ctx, t.Queries, `
		INSERT INTO feature_flags (id, team_id, key, description, enabled) VALUES (@id, @team, @key, @description, @enabled)
		RETURNING `+flagColumns, args{"id": NewID(), "team": in.TeamID, "key": f.Key, "description": f.Description, "enabled": f.Enabled})
	if err != nil {
		return Flag{}, keyTaken(err)
	}
	return made, t.Audit(ctx, in, "flag.created", "flag", made.ID, map[string]any{"key": made.Key})
}

func keyTaken(err error) error {
	if fault.KindOf(err) == fault.Conflict {
		return fault.Wrap(fault.Conflict, "the team has a flag with that key", err)
	}
	return err
}

// FlagUpdate is a change of a flag; nil leaves a field unchanged.
type FlagUpdate struct {
	Key, Description *string
	Enabled          *bool
	IfVersion        int // 0 for any
}

// UpdateFlag changes a flag. It is a Conflict where the flag is not of the
// version that was asked for, or another has its key.
func (t *Tx) UpdateFlag(ctx context.Context, in Scope, id string, u FlagUpdate) (Flag, error) {
	before, err := one[Flag](ctx, t.Queries, `SELECT `+flagColumns+` FROM feature_flags WHERE id = @id AND team_id = @team FOR NO KEY UPDATE`,
		args{"id": id, "team": in.TeamID})
	if err != nil {
		return Flag{}, err
	}
	if u.IfVersion != 0 && u.IfVersion != before.Version {
		return Flag{}, fault.New(fault.Conflict, "the flag was changed in between; read it again")
	}
	after, err := one[Flag](ctx, t.Queries, `
		UPDATE feature_flags SET key = coalesce(@key, key), description = coalesce(@description, description),
			enabled = coalesce(@enabled, enabled), version = version + 1, updated_at = now()
		WHERE id = @id
		RETURNING `+flagColumns, args{"id": id, "key": u.Key, "description": u.Description, "enabled": u.Enabled})
	if err != nil {
		return Flag{}, keyTaken(err)
	}
	return after, t.Audit(ctx, in, "flag.updated", "flag", id, map[string]any{"key": after.Key, "enabled": after.Enabled, "wasEnabled": before.Enabled})
}

// DeleteFlag removes a flag with its conditions.
func (t *Tx) DeleteFlag(ctx context.Context, in Scope, id string) error {
	if err := change(ctx, t.Queries, `DELETE FROM feature_flags WHERE id = @id AND team_id = @team`, args{"id": id, "team": in.TeamID}); err != nil {
		return err
	}
	return t.Audit(ctx, in, "flag.deleted", "flag", id, nil)
}

// PutFlagCondition makes a condition of a flag, or changes the one that c names.
// Conditions are part of their flag, so its version changes too.
func (t *Tx) PutFlagCondition(ctx context.Context, in Scope, c FlagCondition) (FlagCondition, error) {
	action := "flag.condition_updated"
	sql := `UPDATE flag_conditions c SET attribute = @attribute, operator = @operator, values = @values, rollout = @rollout
		WHERE c.id = @id AND c.flag_id = @flag RETURNING ` + conditionColumns
	if c.ID == "" {
		action, c.ID = "flag.condition_created", NewID()
		sql = `INSERT INTO flag_conditions AS c (id, flag_id, attribute, operator, values, rollout)
			VALUES (@id, @flag, @attribute, @operator, @values, @rollout) RETURNING ` + conditionColumns
	}
	if err := t.touchFlag(ctx, in, c.FlagID); err != nil {
		return FlagCondition{}, err
	}
	kept, err := one[FlagCondition](ctx, t.Queries, sql, args{
		"id": c.ID, "flag": c.FlagID, "attribute": c.Attribute, "operator": c.Operator, "values": c.Values, "rollout": c.Rollout,
	})
	if err != nil {
		return FlagCondition{}, err
	}
	return kept, t.Audit(ctx, in, action, "flag", c.FlagID, map[string]any{"condition": c.ID, "rollout": c.Rollout})
}

// FlagCondition is one condition of a flag.
func (q Queries) FlagCondition(ctx context.Context, in Scope, flagID, id string) (FlagCondition, error) {
	return one[FlagCondition](ctx, q, `
		SELECT `+conditionColumns+` FROM flag_conditions c JOIN feature_flags f ON f.id = c.flag_id
		WHERE f.team_id = @team AND c.flag_id = @flag AND c.id = @id`, args{"team": in.TeamID, "flag": flagID, "id": id})
}

// DeleteFlagCondition removes a condition of a flag.
func (t *Tx) DeleteFlagCondition(ctx context.Context, in Scope, flagID, id string) error {
	if err := t.touchFlag(ctx, in, flagID); err != nil {
		return err
	}
	if err := change(ctx, t.Queries, `DELETE FROM flag_conditions WHERE id = @id AND flag_id = @flag`, args{"id": id, "flag": flagID}); err != nil {
		return err
	}
	return t.Audit(ctx, in, "flag.condition_deleted", "flag", flagID, map[string]any{"condition": id})
}

// touchFlag locks a flag of the team and counts its version up.
func (t *Tx) touchFlag(ctx context.Context, in Scope, id string) error {
	return change(ctx, t.Queries, `
		UPDATE feature_flags SET version = version + 1, updated_at = now() WHERE id = @id AND team_id = @team`,
		args{"id": id, "team": in.TeamID})
}
