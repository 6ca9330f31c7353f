package db

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
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
	Others    int `db:"others"`    // of them, by users other than the caller
}

// NodeUse counts what hangs on a label.
func (q Queries) NodeUse(ctx context.Context, in Scope, key string) (NodeUse, error) {
	return one[NodeUse](ctx, q, `
		SELECT count(*) AS sentences, count(*) FILTER (WHERE l.source = 'validated') AS validated,
			count(*) FILTER (WHERE l.source = 'validated' AND l.validated_by IS DISTINCT FROM @user::uuid) AS others
		FROM sentences s CROSS JOIN `+eachLabel+` WHERE s.team_id = @team AND `+hasLabel("s", "ARRAY[@key]")+` AND l.node = @key`, args{"team": in.TeamID, "key": key, "user": nullable(in.UserID())})
}

// MergeNode replaces the label of a node that is held by another one, whether users
// or models set it, and removes the node. From now on a prediction of the removed
// label counts as one of the other. The audit has each decision that was changed.
func (t *Tx) MergeNode(ctx context.Context, in Scope, n Node, into string) (NodeUse, error) {
	files, err := t.holdFilesWith(ctx, in, n.Key)
	if err != nil {
		return NodeUse{}, err
	}
	use, err := t.NodeUse(ctx, in, n.Key)
	if err != nil {
		return NodeUse{}, err
	}
	if err := t.mergeLabel(ctx, in, n.Key, into, files); err != nil {
		return NodeUse{}, err
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

// mergeLabel gives what has a label in files, which are held, another one.
func (t *Tx) mergeLabel(ctx context.Context, in Scope, key, into string, files []string) error {
	rows, err := t.labelledSentences(ctx, in, `s.file_id = ANY(@files) AND `+mentions, args{"files": list(files), "key": key})
	if err != nil {
		return err
	}
	var events []sentenceEvent
	for i := range rows {
		row := &rows[i]
		if l := indexLabel(row.entries(), key); l >= 0 && row.entries()[l].Source == sourceValidated {
			events = append(events, sentenceEvent{row.ID, row.FileID, map[string]any{"from": key, "to": into}})
		}
		row.merge(key, into)
	}
	if err := t.auditSentences(ctx, in, "sentence.merged", events); err != nil {
		return err
	}
	if err := t.saveLabellings(ctx, rows); err != nil {
		return err
	}
	_, err = exec(ctx, t.Queries, `UPDATE orphaned_decisions SET label = @into WHERE team_id = @team AND label = @key`, args{"team": in.TeamID, "key": key, "into": into})
	return err
}

// DeleteNode moves a node that is held into the trash, and removes its label from all
// sentences until it is restored: labels set by users are withdrawn, and predictions
// become no clause. It returns the files to analyse again because the model's
// prediction was not stored.
func (t *Tx) DeleteNode(ctx context.Context, in Scope, n Node) (TrashEntry, Withdrawn, error) {
	files, err := t.holdFilesWith(ctx, in, n.Key)
	if err != nil {
		return TrashEntry{}, Withdrawn{}, err
	}
	use, err := t.NodeUse(ctx, in, n.Key)
	if err != nil {
		return TrashEntry{}, Withdrawn{}, err
	}
	what := held{}
	if what.Sentences, err = t.saidWith(ctx, in, n.Key, files); err != nil {
		return TrashEntry{}, Withdrawn{}, err
	}
	if what.Merged, err = values[string](ctx, t.Queries, `SELECT key FROM retired_nodes WHERE team_id = @team AND merged_into = @key ORDER BY key`,
		args{"team": in.TeamID, "key": n.Key}); err != nil {
		return TrashEntry{}, Withdrawn{}, err
	}
	done, predicted, err := t.takeLabel(ctx, in, n.Key, files)
	if err != nil {
		return TrashEntry{}, Withdrawn{}, err
	}
	entry, err := t.discard(ctx, in, discarded{
		Kind: TrashedTag, ResourceID: n.Key, Name: n.Name, Held: what, Counts: map[string]int{"sentences": use.Sentences, "decisions": use.Validated},
	})
	if err != nil {
		return TrashEntry{}, Withdrawn{}, err
	}
	if err := t.retireNode(ctx, in, n, nil); err != nil {
		return TrashEntry{}, Withdrawn{}, err
	}
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return TrashEntry{}, Withdrawn{}, err
	}
	return entry, done, t.Audit(ctx, in, "node.deleted", "node", n.ID, map[string]any{
		"key": n.Key, "name": n.Name, "withdrawn": len(done.Sentences), "predicted": predicted, "trashId": entry.ID,
	})
}

// saidWith is what is said of the sentences of files that have a label, by people
// or by a model.
func (t *Tx) saidWith(ctx context.Context, in Scope, label string, files []string) (json.RawMessage, error) {
	rows, err := t.labelledSentences(ctx, in, `s.file_id = ANY(@files) AND `+mentions, args{"files": list(files), "key": label})
	if err != nil {
		return nil, err
	}
	return json.Marshal(rows)
}

// takeLabel takes a label from what has it in files, which are held.
func (t *Tx) takeLabel(ctx context.Context, in Scope, key string, files []string) (done Withdrawn, predicted int64, err error) {
	rows, err := t.labelledSentences(ctx, in, `s.file_id = ANY(@files) AND `+mentions, args{"files": list(files), "key": key})
	if err != nil || len(rows) == 0 {
		return Withdrawn{}, 0, err
	}
	var events []sentenceEvent
	for i := range rows {
		row := &rows[i]
		before := row.Labelling
		at := indexLabel(row.entries(), key)
		switch {
		case row.take(key):
			events = append(events, sentenceEvent{row.ID, row.FileID, map[string]any{
				"from": key, "to": row.Label, "score": row.Score, "modelId": row.ModelID, "validatedBy": before.ValidatedBy, "validatedAt": before.ValidatedAt,
				"decidedSince": before.entries()[at].ValidatedAt,
			}})
			done.Sentences = append(done.Sentences, row.ID)
		case at >= 0:
			predicted++
		}
	}
	if err := t.saveLabellings(ctx, rows); err != nil || len(events) == 0 {
		return Withdrawn{}, predicted, err
	}
	if err := t.auditSentences(ctx, in, "sentence.withdrawn", events); err != nil {
		return Withdrawn{}, 0, err
	}
	if done.Unread, err = t.Unkept(ctx, in, files); err != nil {
		return Withdrawn{}, 0, err
	}
	return done, predicted, t.emit(ctx, in.TeamID, "sentences.withdrawn", in.TeamID, SentencesData{len(events), len(files)})
}

// restoreNode restores a node, and its label on the sentences that had it, those of
// files in the trash included. A sentence that users have labelled since, or that
// another model has labelled, keeps its label, except where users had set the old one.
//
// If other users had used the label, only an admin may restore it: Forbidden.
func (t *Tx) restoreNode(ctx context.Context, in Scope, e binned, name string) error {
	a := args{"team": in.TeamID, "key": e.ResourceID, "merged": list(e.Held.Merged)}
	var held []labelled
	if err := json.Unmarshal([]byte(cmp.Or(string(e.Held.Sentences), "[]")), &held); err != nil {
		return err
	}
	others := slices.ContainsFunc(held, func(h labelled) bool {
		return slices.ContainsFunc(h.entries(), func(l Label) bool {
			return l.Node == e.ResourceID && l.decided() && (l.ValidatedBy == nil || *l.ValidatedBy != in.UserID())
		})
	})
	if others && !in.Admin {
		return fault.New(fault.Forbidden, "others have used this tag in decisions; only admins of the team may change it")
	}
	if err := t.comeBack(ctx, in, name, e); err != nil {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM retired_nodes WHERE team_id = @team AND key = @key`,
		`UPDATE retired_nodes SET merged_into = @key WHERE team_id = @team AND key = ANY(@merged) AND merged_into IS NULL`,
	} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	n, err := t.NodeForUpdate(ctx, in, e.ResourceID)
	if err != nil {
		return err
	}
	a["ids"] = idsOf(held)
	const there = `s.id = ANY(@ids) AND (s.team_id = @team OR s.team_id IN (SELECT id FROM trash WHERE team_id = @team AND kind = 'file'))`
	if _, err := exec(ctx, t.Queries, `
		SELECT FROM files WHERE id IN (SELECT s.file_id FROM sentences s WHERE `+there+`) ORDER BY id FOR NO KEY UPDATE`, a); err != nil {
		return err
	}
	now, err := many[labelled](ctx, t.Queries, `SELECT `+labelledColumns+` FROM sentences s WHERE `+there, a)
	if err != nil {
		return err
	}
	was := make(map[string]Labelling, len(held))
	for _, h := range held {
		was[h.ID] = h.Labelling
	}
	var again []labelled
	var files []string
	for _, row := range now {
		if row.giveBack(e.ResourceID, was[row.ID]) {
			again, files = append(again, row), append(files, row.FileID)
		}
	}
	if err := t.saveLabellings(ctx, again); err != nil {
		return err
	}
	files = slices.Compact(slices.Sorted(slices.Values(files)))
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return err
	}
	return t.Audit(ctx, in, "node.restored", "node", n.ID, map[string]any{"key": n.Key, "name": n.Name, "files": len(files), "trashId": e.ID})
}

// catchUp gives files that come out of the trash the labels that their team uses
// by now: tags may have been merged and deleted meanwhile. Those that are in the
// trash give their label back when they come.
func (t *Tx) catchUp(ctx context.Context, in Scope, files []string) error {
	a := args{"team": in.TeamID, "files": files}
	used, err := values[string](ctx, t.Queries, `
		SELECT DISTINCT used FROM sentences s CROSS JOIN LATERAL (
			SELECT unnest(ARRAY[s.label, s.prediction ->> 'label']) AS used
			UNION ALL SELECT l ->> 'node' FROM jsonb_array_elements(s.labels) l
			UNION ALL SELECT l ->> 'node' FROM jsonb_array_elements(s.prediction -> 'labels') l
		) l
		WHERE s.team_id = @team AND s.file_id = ANY(@files) AND used IS NOT NULL ORDER BY 1`, a)
	if err != nil {
		return err
	}
	// As they are now these tags stay until the transaction ends.
	a["keys"] = list(used)
	for _, sql := range []string{
		`SELECT FROM nodes WHERE team_id = @team AND key = ANY(@keys) ORDER BY key FOR KEY SHARE`,
		`SELECT FROM trash WHERE team_id = @team AND kind = 'tag' AND resource_id = ANY(@keys) AND purged_at IS NULL ORDER BY id FOR UPDATE`,
	} {
		if _, err := exec(ctx, t.Queries, sql, a); err != nil {
			return err
		}
	}
	retired, err := t.RetiredNodes(ctx, in)
	if err != nil {
		return err
	}
	for _, key := range used {
		into, gone := retired[key]
		switch {
		case !gone:
			continue
		case into != "":
			err = t.mergeLabel(ctx, in, key, into, files)
		default:
			err = t.leaveTag(ctx, in, key, files)
		}
		if err != nil {
			return err
		}
	}
	return t.LabelsChanged(ctx, in, files) // by tags that came back, if by nothing else
}

// leaveTag takes the label of a deleted tag from files, to be given back with it.
func (t *Tx) leaveTag(ctx context.Context, in Scope, key string, files []string) error {
	said, err := t.saidWith(ctx, in, key, files)
	if err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `
		UPDATE trash SET held = jsonb_set(held, '{sentences}', coalesce(held -> 'sentences', '[]') || @said::jsonb)
		WHERE team_id = @team AND kind = 'tag' AND resource_id = @key AND purged_at IS NULL`, args{"team": in.TeamID, "key": key, "said": said}); err != nil {
		return err
	}
	_, _, err = t.takeLabel(ctx, in, key, files)
	return err
}

// holdFilesWith holds the files that have a label, or in which a model would say
// it of a sentence on which people decided.
func (t *Tx) holdFilesWith(ctx context.Context, in Scope, label string) ([]string, error) {
	return values[string](ctx, t.Queries, `
		SELECT id::text FROM files WHERE team_id = @team AND id IN (
			SELECT file_id FROM sentences WHERE team_id = @team AND label = @key
			UNION ALL SELECT file_id FROM sentences WHERE team_id = @team AND labels IS NOT NULL AND label_nodes(labels) && ARRAY[@key]
			UNION ALL SELECT file_id FROM sentences WHERE team_id = @team AND prediction IS NOT NULL AND mentioned_nodes(label, labels, prediction) && ARRAY[@key]
		) ORDER BY id FOR UPDATE`, args{"team": in.TeamID, "key": label})
}

// retireNode removes a node from the taxonomy. Models may still predict its key; that
// counts as into, or as no clause where into is nil.
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
