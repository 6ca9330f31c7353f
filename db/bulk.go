package db

import (
	"context"
	"encoding/json"
)

// The most that users can set on one file.
const (
	maxMetadata = 64 << 10 // bytes of JSON
	maxParties  = 1000
)

// ChangeMetadata sets and unsets members of the metadata of files, in one
// statement, and returns those that were changed. What would become larger than
// 64 KiB stays as it is. Hold the files first.
func (t *Tx) ChangeMetadata(ctx context.Context, in Scope, ids []string, set json.RawMessage, unset []string) ([]string, error) {
	if set == nil {
		set = json.RawMessage("{}")
	}
	if err := t.checkMetadata(ctx, in, nil, set); err != nil {
		return nil, err
	}
	return t.changeFiles(ctx, in, ids, "file.metadata_changed", "metadata", `metadata = (metadata || @set::jsonb) - @unset::text[],`,
		`octet_length(((metadata || @set::jsonb) - @unset::text[])::text) <= @most`,
		args{"set": set, "unset": list(unset), "most": maxMetadata})
}

// PartyMatch names parties: those of a name, in any case, and of a role where one
// is given.
type PartyMatch struct {
	Name string `json:"name" minLength:"1" maxLength:"500"`
	Role string `json:"role,omitempty" maxLength:"200" doc:"Only parties in this role"`
}

// PartyChange is applied in the order of its fields.
type PartyChange struct {
	Replace *[]Party
	Remove  []PartyMatch
	Add     []Party // those that are not there yet
}

// ChangeParties changes the parties of files, in one statement, and returns those
// that were changed. What would have more than 1,000 parties stays as it is. Hold
// the files first.
func (t *Tx) ChangeParties(ctx context.Context, in Scope, ids []string, c PartyChange) ([]string, error) {
	return t.changeFiles(ctx, in, ids, "file.parties_changed", "parties", `parties = changed_parties(parties, @replace, @remove, @add), parties_source = 'given',`,
		`jsonb_array_length(changed_parties(parties, @replace, @remove, @add)) <= @most`,
		args{"replace": c.Replace, "remove": list(c.Remove), "add": list(c.Add), "most": maxParties})
}

// changeFiles assigns to columns of files where a condition holds, with an audit
// event for each. Both are ours, never a caller's words.
func (t *Tx) changeFiles(ctx context.Context, in Scope, ids []string, action, what, assignments, condition string, a args) ([]string, error) {
	a["ids"], a["team"], a["actor_kind"], a["actor"], a["action"] = ids, in.TeamID, in.ActorKind, nullable(in.ActorID), action
	changed, err := values[string](ctx, t.Queries, `
		WITH changed AS (
			UPDATE files SET `+assignments+` version = version + 1, updated_at = now(), progress_at = now()
			WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team AND `+condition+`
			RETURNING id, matter_id
		), audited AS (
			INSERT INTO audit_events (team_id, actor_kind, actor_id, action, resource_kind, resource_id, matter_id)
			SELECT @team, @actor_kind, @actor, @action, 'file', id, matter_id FROM changed ORDER BY id
		)
		SELECT id::text FROM changed`, a)
	if err != nil {
		return nil, err
	}
	return changed, t.emit(ctx, in.TeamID, "files.updated", in.TeamID, FilesUpdatedData{len(changed), what})
}

// list is never nil, which to the database would be no list at all.
func list[T any](rows []T) []T {
	if rows == nil {
		return []T{}
	}
	return rows
}
