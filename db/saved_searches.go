package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// SavedSearch is a search that somebody keeps.
type SavedSearch struct {
	ID        string       `db:"id"`
	UserID    string       `db:"user_id"`
	Name      string       `db:"name"`
	Shared    bool         `db:"shared"` // the whole team sees it
	Text      string       `db:"text"`
	Filter    query.Filter `db:"filter"` // as it was given, its dates relative
	Version   int          `db:"version"`
	CreatedAt time.Time    `db:"created_at"`
	UpdatedAt time.Time    `db:"updated_at"`
}

const savedSearchColumns = `id, user_id, name, shared, text, filter, version, created_at, updated_at`

// visibleSearches is which a person sees.
const visibleSearches = `team_id = @team AND (user_id = @user OR shared)`

// mostSavedSearches is how many a person keeps at most in a team.
const mostSavedSearches = 500

// SavedSearches lists those that the person behind the scope keeps, and those
// that others share, by name, starting after a place.
func (q Queries) SavedSearches(ctx context.Context, in Scope, after NamePlace, limit int) ([]SavedSearch, error) {
	a := args{"team": in.TeamID, "user": nullable(in.UserID()), "limit": limit, "after_name": after.Name}
	w := startClauses(visibleSearches, a)
	w.when(after.ID != "", "(lower(name), id) > (lower(@after_name), @after::uuid)", "after", nullable(after.ID))
	return many[SavedSearch](ctx, q, `SELECT `+savedSearchColumns+` FROM saved_searches WHERE `+w.String()+` ORDER BY lower(name), id LIMIT @limit`, a)
}

// SavedSearch is one of them.
func (q Queries) SavedSearch(ctx context.Context, in Scope, id string) (SavedSearch, error) {
	return one[SavedSearch](ctx, q, `SELECT `+savedSearchColumns+` FROM saved_searches WHERE id = @id AND `+visibleSearches,
		args{"id": id, "team": in.TeamID, "user": nullable(in.UserID())})
}

// SaveSearch keeps a search of the person behind the scope. A name that the
// person has used is Conflict.
func (t *Tx) SaveSearch(ctx context.Context, in Scope, s SavedSearch) (SavedSearch, error) {
	if err := t.mayKeepSearch(ctx, in); err != nil {
		return SavedSearch{}, err
	}
	row, err := one[SavedSearch](ctx, t.Queries, `
		INSERT INTO saved_searches (id, team_id, user_id, name, shared, text, filter) VALUES (@id, @team, @user, @name, @shared, @text, @filter)
		RETURNING `+savedSearchColumns, args{
		"id": NewID(), "team": in.TeamID, "user": nullable(in.UserID()), "name": s.Name, "shared": s.Shared, "text": s.Text, "filter": s.Filter,
	})
	if err != nil {
		return row, searchNameTaken(err)
	}
	return row, t.Audit(ctx, in, "saved_search.created", "saved_search", row.ID, map[string]any{"shared": s.Shared})
}

// SavedSearchChange changes a saved search; what is nil stays as it is.
type SavedSearchChange struct {
	Name      *string
	Shared    *bool
	Text      *string
	Filter    *query.Filter
	IfVersion int // 0 for any; otherwise another version is Conflict
}

// UpdateSavedSearch applies c to a search of the person behind the scope. A name
// of another search of theirs is Conflict.
func (t *Tx) UpdateSavedSearch(ctx context.Context, in Scope, id string, c SavedSearchChange) (SavedSearch, error) {
	a := args{
		"id": id, "team": in.TeamID, "user": nullable(in.UserID()), "name": c.Name, "shared": c.Shared, "text": c.Text, "filter": c.Filter,
	}
	version, err := value[int](ctx, t.Queries, `SELECT version FROM saved_searches WHERE id = @id AND team_id = @team AND user_id = @user FOR NO KEY UPDATE`, a)
	if err != nil {
		return SavedSearch{}, err
	}
	if c.IfVersion != 0 && c.IfVersion != version {
		return SavedSearch{}, errStale
	}
	row, err := one[SavedSearch](ctx, t.Queries, `
		UPDATE saved_searches SET
			name = coalesce(@name, name), shared = coalesce(@shared, shared), text = coalesce(@text, text),
			filter = coalesce(@filter::jsonb, filter), version = version + 1, updated_at = now()
		WHERE id = @id AND team_id = @team AND user_id = @user
		RETURNING `+savedSearchColumns, a)
	if err != nil {
		return row, searchNameTaken(err)
	}
	return row, t.Audit(ctx, in, "saved_search.updated", "saved_search", id, map[string]any{"shared": row.Shared})
}

// searchNameTaken says which Conflict it is.
func searchNameTaken(err error) error {
	if fault.KindOf(err) == fault.Conflict {
		return fault.Wrap(fault.Conflict, "you keep a search of that name already", err)
	}
	return err
}

// DeleteSavedSearch moves a search of the person behind the scope into the trash.
// Nobody else knows of it there.
func (t *Tx) DeleteSavedSearch(ctx context.Context, in Scope, id string) (TrashEntry, error) {
	if err := t.hold(ctx, in, TrashedSavedSearch, id); err != nil {
		return TrashEntry{}, err
	}
	s, err := one[SavedSearch](ctx, t.Queries, `SELECT `+savedSearchColumns+` FROM saved_searches WHERE id = @id AND team_id = @team AND user_id = @user`,
		args{"id": id, "team": in.TeamID, "user": nullable(in.UserID())})
	if err != nil {
		return TrashEntry{}, err
	}
	entry, err := t.discard(ctx, in, discarded{Kind: TrashedSavedSearch, ResourceID: id, Name: s.Name, UserIDs: []string{s.UserID}})
	if err != nil {
		return TrashEntry{}, err
	}
	return entry, t.Audit(ctx, in, "saved_search.deleted", "saved_search", id, map[string]any{"trashId": entry.ID})
}

// restoreSavedSearch brings a search back.
func (t *Tx) restoreSavedSearch(ctx context.Context, in Scope, e binned, name string) error {
	if err := t.mayKeepSearch(ctx, in); err != nil {
		return err
	}
	if err := t.comeBack(ctx, in, name, e); err != nil {
		return err
	}
	return t.Audit(ctx, in, "saved_search.restored", "saved_search", e.ResourceID, map[string]any{"trashId": e.ID})
}

// mayKeepSearch is Conflict where the person behind the scope keeps as many as
// one may.
func (t *Tx) mayKeepSearch(ctx context.Context, in Scope) error {
	n, err := value[int](ctx, t.Queries, `SELECT count(*) FROM saved_searches WHERE team_id = @team AND user_id = @user`,
		args{"team": in.TeamID, "user": nullable(in.UserID())})
	if err == nil && n >= mostSavedSearches {
		err = fault.Newf(fault.Conflict, "nobody keeps more than %d searches", mostSavedSearches)
	}
	return err
}

// FieldUses counts the searches that the team keeps, by the fields that they
// have conditions on.
func (q Queries) FieldUses(ctx context.Context, in Scope) (map[query.Field]int, error) {
	rows, err := values[json.RawMessage](ctx, q, `SELECT filter FROM saved_searches WHERE team_id = @team AND filter <> '{}' ORDER BY id DESC LIMIT 1000`,
		args{"team": in.TeamID})
	used := map[query.Field]int{}
	for _, row := range rows {
		var f query.Filter
		if err := json.Unmarshal(row, &f); err != nil {
			return nil, err
		}
		for _, field := range f.Uses() {
			used[field]++
		}
	}
	return used, err
}

// SynonymGroup are words that a team takes for one another.
type SynonymGroup struct {
	ID    string   `db:"id"`
	Words []string `db:"words"` // in lower case; several words in one entry are a phrase
}

// SynonymGroups lists the synonyms of a team.
func (q Queries) SynonymGroups(ctx context.Context, in Scope) ([]SynonymGroup, error) {
	return many[SynonymGroup](ctx, q.prepared(), `SELECT id, words FROM synonyms WHERE team_id = @team ORDER BY words, id`, args{"team": in.TeamID})
}

// SetSynonyms replaces the synonyms of a team. Of two that do so at the same time
// the second replaces what the first has set.
func (t *Tx) SetSynonyms(ctx context.Context, in Scope, groups [][]string) error {
	if _, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('synonyms:' || @team, 0))`, args{"team": in.TeamID}); err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `DELETE FROM synonyms WHERE team_id = @team`, args{"team": in.TeamID}); err != nil {
		return err
	}
	if err := copyRows(ctx, t.Queries, "synonyms", "id, team_id, words", groups, func(_ int, words []string) []any {
		return []any{NewID(), in.TeamID, words}
	}); err != nil {
		return err
	}
	return t.Audit(ctx, in, "synonyms.set", "team", in.TeamID, map[string]any{"groups": len(groups)})
}
