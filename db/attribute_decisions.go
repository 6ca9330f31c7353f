package db

import (
	"context"
	"encoding/json"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// AttributeDecision is what a person says of one value that was read of a file.
type AttributeDecision string

// The decisions.
const (
	ConfirmedValue AttributeDecision = "confirmed" // it holds, also where another reading does not find it
	RefusedValue   AttributeDecision = "refused"   // it holds nowhere
	WithdrawnValue AttributeDecision = "withdrawn" // what was read holds again; it is not stored
)

// AttributeDecisions are all of them.
func AttributeDecisions() []AttributeDecision {
	return []AttributeDecision{ConfirmedValue, RefusedValue, WithdrawnValue}
}

// sameValue identifies equal values of a key.
type sameValue struct{ key, normal string }

func (a Attribute) sameValue() sameValue { return sameValue{a.Key, a.normal()} }

// verdicts are the decisions on single values of a file, of one key if that is given. What people confirmed and list
// does not have is returned to be added to it, without a place.
func (t *Tx) verdicts(ctx context.Context, in Scope, fileID, key string, list []Attribute) (map[sameValue]AttributeDecision, []Attribute, error) {
	type row struct {
		Key        string            `db:"key"`
		Normal     string            `db:"normal"`
		Decision   AttributeDecision `db:"decision"`
		Value      string            `db:"value"`
		Normalized json.RawMessage   `db:"normalized"`
		Confidence float32           `db:"confidence"`
	}
	rows, err := many[row](ctx, t.Queries, `
		SELECT key, normal, decision, value, normalized, confidence FROM attribute_decisions
		WHERE file_id = @id AND team_id = @team AND (@key = '' OR key = @key) ORDER BY key, normal`,
		args{"id": fileID, "team": in.TeamID, "key": key})
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	read := map[sameValue]bool{}
	for _, a := range list {
		if a.Level == FileLevel {
			read[a.sameValue()] = true
		}
	}
	decisions, again := map[sameValue]AttributeDecision{}, []Attribute{}
	for _, r := range rows {
		value := sameValue{r.Key, r.Normal}
		decisions[value] = r.Decision
		if r.Decision == ConfirmedValue && !read[value] {
			again = append(again, Attribute{
				Level: FileLevel, Ordinal: len(list) + len(again), Key: r.Key, Value: r.Value, Normalized: r.Normalized, Confidence: r.Confidence, Canonical: r.Normal,
			})
		}
	}
	return decisions, again, nil
}

// DecideAttribute records what a person says of one value of a key of a file, which is
// named by its words, ignoring case and accents; all values that are equal to it are
// decided with it. It is NotFound where the file has no such value, and Conflict where
// people set the values of the key.
func (t *Tx) DecideAttribute(ctx context.Context, in Scope, fileID, key, words string, d AttributeDecision) (Attribute, error) {
	if _, err := t.FileForUpdate(ctx, in, fileID); err != nil {
		return Attribute{}, err
	}
	a := args{
		"id": fileID, "team": in.TeamID, "key": key, "text": query.Fold(words), "decision": d, "user": nullable(in.UserID()),
	}
	const which = `WHERE file_id = @id AND team_id = @team AND level = 'file' AND key = @key`
	set, err := value[bool](ctx, t.Queries, `SELECT EXISTS (SELECT FROM attributes `+which+` AND source = 'human')`, a)
	if err != nil {
		return Attribute{}, err
	}
	if set {
		return Attribute{}, fault.Newf(fault.Conflict, "people set the values of %s; change them with the file", key)
	}
	// A normal form comes with the words that it was decided with.
	normals, err := values[string](ctx, t.Queries, `
		SELECT normal FROM attributes `+which+` AND (folded = @text OR normal = @text)
		UNION SELECT normal FROM overruled_attributes `+which+` AND (folded = @text OR normal = @text)`, a)
	if err != nil {
		return Attribute{}, err
	}
	if len(normals) == 0 {
		return Attribute{}, fault.Newf(fault.NotFound, "the file has no such value of %s", key)
	}
	a["normals"] = normals
	before, err := values[AttributeDecision](ctx, t.Queries, `
		DELETE FROM attribute_decisions WHERE file_id = @id AND team_id = @team AND key = @key AND normal = ANY(@normals) RETURNING decision`, a)
	if err != nil {
		return Attribute{}, err
	}
	if d != WithdrawnValue {
		if _, err := exec(ctx, t.Queries, `
			INSERT INTO attribute_decisions (file_id, team_id, key, normal, decision, value, normalized, confidence, decided_by)
			SELECT DISTINCT ON (normal) file_id, team_id, key, normal, @decision, value, normalized, confidence, @user
			FROM (SELECT `+attributeRow+` FROM attributes UNION ALL SELECT `+attributeRow+` FROM overruled_attributes) read
			`+which+` AND normal = ANY(@normals) ORDER BY normal, ordinal`, a); err != nil {
			return Attribute{}, err
		}
	}
	from, to := "overruled_attributes", "attributes"
	if d == RefusedValue {
		from, to = to, from
	}
	if err := t.moveAttributes(ctx, from, to, which+` AND normal = ANY(@normals)`, a); err != nil {
		return Attribute{}, err
	}
	decided, err := one[Attribute](ctx, t.Queries, `
		SELECT `+attributeColumns+` FROM `+to+decided+` WHERE a.file_id = @id AND a.team_id = @team AND a.level = 'file' AND a.key = @key AND a.normal = ANY(@normals)
		ORDER BY a.ordinal LIMIT 1`, a)
	if err != nil {
		return Attribute{}, err
	}
	// What only the decision held goes with it.
	if d == WithdrawnValue {
		if _, err := exec(ctx, t.Queries, `DELETE FROM attributes `+which+` AND normal = ANY(@normals) AND spans = '[]'`, a); err != nil {
			return Attribute{}, err
		}
	}
	if err := t.readParties(ctx, in, fileID); err != nil {
		return Attribute{}, err
	}
	if err := t.LabelsChanged(ctx, in, []string{fileID}); err != nil {
		return Attribute{}, err
	}
	if err := t.decidedOnField(ctx, in, key); err != nil {
		return Attribute{}, err
	}
	was := WithdrawnValue
	if len(before) > 0 {
		was = before[0]
	}
	if err := t.emit(ctx, in.TeamID, "files.updated", fileID, FilesUpdatedData{1, "attributes"}); err != nil {
		return Attribute{}, err
	}
	return decided, t.Audit(ctx, in, "file.attribute_decided", "file", fileID, map[string]any{"key": key, "from": was, "to": d})
}

// RefusedAttributes lists the values of a file as a whole that people refused and that
// its text has.
func (q Queries) RefusedAttributes(ctx context.Context, in Scope, fileID string, limit int) ([]Attribute, error) {
	return many[Attribute](ctx, q, `
		SELECT `+attributeColumns+` FROM overruled_attributes`+decided+`
		WHERE a.file_id = @id AND a.team_id = @team AND d.decision = 'refused' ORDER BY a.ordinal, a.key LIMIT @limit`,
		args{"id": fileID, "team": in.TeamID, "limit": limit})
}
