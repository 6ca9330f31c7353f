package db

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// Node is a clause that a team added to the taxonomy.
type Node struct {
	ID          string    `db:"id"`  // what the audit knows it by
	Key         string    `db:"key"` // what labels hold; it stays when the name changes
	Name        string    `db:"name"`
	Family      string    `db:"family"` // of the taxonomy, or ""
	Description string    `db:"description"`
	CreatedBy   *string   `db:"created_by"`
	CreatedAt   time.Time `db:"created_at"`
	UpdatedAt   time.Time `db:"updated_at"`
}

const nodeColumns = `id, key, name, family, description, created_by, created_at, updated_at`

// Nodes lists the clauses that a team added, by name.
func (q Queries) Nodes(ctx context.Context, in Scope) ([]Node, error) {
	return many[Node](ctx, q, `SELECT `+nodeColumns+` FROM nodes WHERE team_id = @team ORDER BY name, key`, args{"team": in.TeamID})
}

// errNodeName is the answer to a name that is taken.
var errNodeName = fault.New(fault.Conflict, "a tag of that name exists already")

// AddNode adds a clause to the team's taxonomy. A name that is taken, in any case,
// is Conflict, and so is a key.
func (t *Tx) AddNode(ctx context.Context, in Scope, n Node) (Node, error) {
	row, err := one[Node](ctx, t.Queries, `
		INSERT INTO nodes (team_id, key, name, family, description, created_by) VALUES (@team, @key, @name, @family, @description, @user)
		ON CONFLICT DO NOTHING RETURNING `+nodeColumns, args{
		"team": in.TeamID, "key": n.Key, "name": n.Name, "family": n.Family, "description": n.Description, "user": nullable(in.UserID()),
	})
	if fault.KindOf(err) == fault.NotFound {
		return row, errNodeName
	}
	if err != nil {
		return row, err
	}
	return row, t.Audit(ctx, in, "node.created", "node", row.ID, map[string]any{"key": row.Key, "name": row.Name})
}

// NodeForUpdate is a clause that the team added, held until the transaction ends.
func (t *Tx) NodeForUpdate(ctx context.Context, in Scope, key string) (Node, error) {
	return one[Node](ctx, t.Queries, `SELECT `+nodeColumns+` FROM nodes WHERE key = @key AND team_id = @team FOR UPDATE`,
		args{"key": key, "team": in.TeamID})
}

// NodeChange is what is said of a clause; a nil field stays as it is.
type NodeChange struct {
	Name, Family, Description *string
}

// UpdateNode applies c to a node that is held. A name that is taken is Conflict.
func (t *Tx) UpdateNode(ctx context.Context, in Scope, before Node, c NodeChange) (Node, error) {
	row, err := one[Node](ctx, t.Queries, `
		UPDATE nodes SET name = coalesce(@name, name), family = coalesce(@family, family), description = coalesce(@description, description), updated_at = now()
		WHERE key = @key AND team_id = @team RETURNING `+nodeColumns,
		args{"key": before.Key, "team": in.TeamID, "name": c.Name, "family": c.Family, "description": c.Description})
	if fault.KindOf(err) == fault.Conflict {
		return row, errNodeName
	}
	if err != nil {
		return row, err
	}
	return row, t.Audit(ctx, in, "node.updated", "node", row.ID, map[string]any{
		"key": row.Key, "name": [2]string{before.Name, row.Name}, "family": [2]string{before.Family, row.Family},
		"described": before.Description != row.Description,
	})
}

// NodeUse is what hangs on a label.
type NodeUse struct {
	Sentences int `db:"sentences"` // that have it
	Validated int `db:"validated"` // of them, by people
	Others    int `db:"others"`    // of them, by other people than who asks
}

// NodeUse counts what hangs on a label.
func (q Queries) NodeUse(ctx context.Context, in Scope, key string) (NodeUse, error) {
	return one[NodeUse](ctx, q, `
		SELECT count(*) AS sentences, count(*) FILTER (WHERE source = 'validated') AS validated,
			count(*) FILTER (WHERE source = 'validated' AND validated_by IS DISTINCT FROM @user::uuid) AS others
		FROM sentences WHERE team_id = @team AND label = @key`, args{"team": in.TeamID, "key": key, "user": nullable(in.UserID())})
}

// MergeNode gives what has the label of a node that is held another one, whoever
// said so, and removes the node. What models learned of it they say of the other
// one from now on. The audit has each decision that was changed.
func (t *Tx) MergeNode(ctx context.Context, in Scope, n Node, into string) (NodeUse, error) {
	files, err := t.holdFilesWith(ctx, in, n.Key)
	if err != nil {
		return NodeUse{}, err
	}
	use, err := t.NodeUse(ctx, in, n.Key)
	if err != nil {
		return NodeUse{}, err
	}
	a := args{"team": in.TeamID, "key": n.Key, "into": into, "actor_kind": in.ActorKind, "actor": nullable(in.ActorID)}
	for _, sql := range []string{
		`WITH decided AS (
			UPDATE sentences SET label = @into WHERE team_id = @team AND label = @key AND source = 'validated' RETURNING id, file_id
		)
		INSERT INTO audit_events (team_id, actor_kind, actor_id, action, resource_kind, resource_id, file_id, data)
		SELECT @team, @actor_kind, @actor, 'sentence.merged', 'sentence', id, file_id, jsonb_build_object('from', @key::text, 'to', @into::text)
		FROM decided ORDER BY id`,
		`UPDATE sentences SET label = @into WHERE team_id = @team AND label = @key`,
		`UPDATE sentences SET prediction = jsonb_set(prediction, '{label}', to_jsonb(@into::text))
			WHERE team_id = @team AND source = 'validated' AND prediction ->> 'label' = @key`,
		`UPDATE orphaned_decisions SET label = @into WHERE team_id = @team AND label = @key`,
	} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return NodeUse{}, err
		}
	}
	if err := t.retireNode(ctx, in, n, &into); err != nil {
		return NodeUse{}, err
	}
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return NodeUse{}, err
	}
	return use, t.Audit(ctx, in, "node.merged", "node", n.ID, map[string]any{
		"key": n.Key, "into": into, "sentences": use.Sentences, "validated": use.Validated,
	})
}

// DeleteNode removes a node that is held, and its label from whatever has it: what
// people decided is withdrawn, and what models say is no clause. What is to be
// analysed again since the model's word was not kept is in what it returns.
func (t *Tx) DeleteNode(ctx context.Context, in Scope, n Node) (Withdrawn, error) {
	files, err := t.holdFilesWith(ctx, in, n.Key)
	if err != nil {
		return Withdrawn{}, err
	}
	a := args{"team": in.TeamID, "key": n.Key}
	if _, err := exec(ctx, t.Queries, `
		UPDATE sentences SET prediction = prediction || '{"label": null, "score": null}'
		WHERE team_id = @team AND source = 'validated' AND prediction ->> 'label' = @key`, a); err != nil {
		return Withdrawn{}, err
	}
	decided, err := values[string](ctx, t.Queries, `SELECT id::text FROM sentences WHERE team_id = @team AND label = @key AND source = 'validated' ORDER BY id`, a)
	if err != nil {
		return Withdrawn{}, err
	}
	done, _, err := t.WithdrawSentences(ctx, in, decided)
	if err != nil {
		return Withdrawn{}, err
	}
	predicted, err := exec(ctx, t.Queries, `UPDATE sentences SET label = NULL, score = NULL WHERE team_id = @team AND label = @key`, a)
	if err != nil {
		return Withdrawn{}, err
	}
	if err := t.retireNode(ctx, in, n, nil); err != nil {
		return Withdrawn{}, err
	}
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return Withdrawn{}, err
	}
	return done, t.Audit(ctx, in, "node.deleted", "node", n.ID, map[string]any{
		"key": n.Key, "name": n.Name, "withdrawn": done.Sentences, "predicted": predicted,
	})
}

// holdFilesWith holds the files that have a label, or in which a model would say
// it of a sentence on which people decided.
func (t *Tx) holdFilesWith(ctx context.Context, in Scope, label string) ([]string, error) {
	return values[string](ctx, t.Queries, `
		SELECT id::text FROM files WHERE team_id = @team AND id IN (
			SELECT file_id FROM sentences WHERE team_id = @team AND (label = @key OR source = 'validated' AND prediction ->> 'label' = @key)
		) ORDER BY id FOR UPDATE`, args{"team": in.TeamID, "key": label})
}

// retireNode takes a node out of the taxonomy. Models may go on knowing its key;
// what they mean by it is into, or nothing where that is nil.
func (t *Tx) retireNode(ctx context.Context, in Scope, n Node, into *string) error {
	a := args{"team": in.TeamID, "key": n.Key, "into": into}
	for _, sql := range []string{
		`DELETE FROM nodes WHERE team_id = @team AND key = @key`,
		`UPDATE retired_nodes SET merged_into = @into WHERE team_id = @team AND merged_into = @key`,
		`INSERT INTO retired_nodes (team_id, key, merged_into) VALUES (@team, @key, @into)
			ON CONFLICT (team_id, key) DO UPDATE SET merged_into = excluded.merged_into`,
	} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	return nil
}

// RetiredNodes are the keys of nodes that a team had, with that of the one which
// each was merged into, or "".
func (q Queries) RetiredNodes(ctx context.Context, in Scope) (map[string]string, error) {
	type row struct {
		Key  string `db:"key"`
		Into string `db:"becomes"`
	}
	rows, err := many[row](ctx, q, `
		SELECT key, coalesce(merged_into, '') AS becomes FROM retired_nodes r
		WHERE team_id = @team AND NOT EXISTS (SELECT FROM nodes n WHERE n.team_id = @team AND n.key = r.key)`, args{"team": in.TeamID})
	retired := make(map[string]string, len(rows))
	for _, r := range rows {
		retired[r.Key] = r.Into
	}
	return retired, err
}
