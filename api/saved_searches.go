package api

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// savedSearches serves the saved searches of users, and the synonyms of the team.
func (a *API) savedSearches() {
	session := a.area("Search", withSession)
	get(session, "/api/saved-searches", "listSavedSearches", "List saved searches", a.listSavedSearches, describe("Lists the caller's saved searches and those that other users share with the team, by name."))
	create(a, session, "/api/saved-searches", "createSavedSearch", "Save a search", a.saveSearch, describe(
		"Saves the words and the condition of a search under a name. 409 where the caller has a saved search of that name. Relative dates stay relative."))
	get(session, "/api/saved-searches/{id}", "getSavedSearch", "Get a saved search", a.getSavedSearch, describe("Returns a saved search of the caller, or one that is shared with the team."))
	patch(session, "/api/saved-searches/{id}", "updateSavedSearch", "Update a saved search", a.updateSavedSearch, describe(
		"Changes a saved search of the caller. An absent field is left unchanged; a `filter` of `{}` removes the condition. With `If-Match` a stale version is 409."))
	del(session, "/api/saved-searches/{id}", "deleteSavedSearch", "Delete a saved search", a.deleteSavedSearch, describe("Deletes a saved search of the caller. "+purging))
	get(session, "/api/search/synonyms", "getSynonyms", "Get the synonyms of the team", a.listSynonyms, describe("Returns the groups of words that searches of the team treat as synonyms."))
	put(session, "/api/search/synonyms", "setSynonyms", "Set the synonyms of the team", a.setSynonyms, describe(
		"Replaces all groups of synonyms. A word or phrase of a group also finds the other members of the group, unless it is quoted."))
}

// SavedSearch is a search that a user saved.
type SavedSearch struct {
	ID        string       `json:"id"`
	UserID    string       `json:"userId" doc:"Id of the user who saved it"`
	Name      string       `json:"name"`
	Shared    bool         `json:"shared" doc:"Whether the whole team sees it"`
	Q         string       `json:"q" doc:"The words, as the parameter q of searches"`
	Filter    query.Filter `json:"filter" doc:"The condition, as the parameter filter of searches"`
	Version   int          `json:"version"`
	CreatedAt time.Time    `json:"createdAt"`
	UpdatedAt time.Time    `json:"updatedAt"`
}

func newSavedSearch(s db.SavedSearch) SavedSearch {
	return SavedSearch{s.ID, s.UserID, s.Name, s.Shared, s.Text, s.Filter, s.Version, s.CreatedAt.UTC(), s.UpdatedAt.UTC()}
}

func (s SavedSearch) address() string { return "/api/saved-searches/" + s.ID }

func (s SavedSearch) etag() string { return versionTag(s.Version) }

func (a *API) listSavedSearches(ctx context.Context, in *Page) (List[SavedSearch], error) {
	after, err := in.namePlace("saved-searches")
	if err != nil {
		return List[SavedSearch]{}, err
	}
	rows, err := a.DB.SavedSearches(ctx, auth.Scope(ctx), after, in.Limit+1)
	return newPage(rows, in.Limit, "saved-searches", newSavedSearch, func(s db.SavedSearch) string { return s.ID + " " + s.Name }), err
}

type saveSearchRequest struct {
	OnceKey
	Body struct {
		Name   string       `json:"name" minLength:"1" maxLength:"200"`
		Shared bool         `json:"shared,omitempty" doc:"true: the whole team sees it"`
		Q      string       `json:"q,omitempty" maxLength:"4000"`
		Filter query.Filter `json:"filter,omitzero"`
	}
}

func (a *API) saveSearch(ctx context.Context, tx *db.Tx, in *saveSearchRequest) (SavedSearch, error) {
	in.Body.Name = cleanTitle(in.Body.Name)
	if err := checkSavedSearch(ctx, tx.Queries, &in.Body.Name, &in.Body.Q, &in.Body.Filter); err != nil {
		return SavedSearch{}, err
	}
	if in.Body.Shared && auth.From(ctx).Role == db.Viewer {
		return SavedSearch{}, errMembers
	}
	row, err := tx.SaveSearch(ctx, auth.Scope(ctx), db.SavedSearch{Name: in.Body.Name, Shared: in.Body.Shared, Text: in.Body.Q, Filter: in.Body.Filter})
	return newSavedSearch(row), err
}

// checkSavedSearch checks the fields of a saved search; nil fields are not changed. The
// condition is stored unchanged, so that its dates stay relative.
func checkSavedSearch(ctx context.Context, d db.Queries, name, q *string, filter *query.Filter) error {
	if name != nil && *name == "" {
		return invalid("body.name", "has no printable characters")
	}
	if q != nil && strings.ContainsRune(*q, 0) {
		return invalid("body.q", "has a NUL character")
	}
	if filter == nil {
		return nil
	}
	_, err := checked(ctx, d, *filter, query.Sentences, "body.filter")
	return err
}

// SavedSearchRef is the request of every operation on one saved search.
type SavedSearchRef struct {
	ID string `path:"id" format:"uuid" doc:"Saved search id"`
}

func (a *API) getSavedSearch(ctx context.Context, in *SavedSearchRef) (SavedSearch, error) {
	row, err := a.DB.SavedSearch(ctx, auth.Scope(ctx), in.ID)
	return newSavedSearch(row), err
}

func (a *API) updateSavedSearch(ctx context.Context, in *struct {
	SavedSearchRef
	OfVersion
	Body struct {
		Name   *string       `json:"name,omitempty" minLength:"1" maxLength:"200"`
		Shared *bool         `json:"shared,omitempty" doc:"true: the whole team sees it"`
		Q      *string       `json:"q,omitempty" maxLength:"4000"`
		Filter *query.Filter `json:"filter,omitempty"`
	}
}) (SavedSearch, error) {
	change := db.SavedSearchChange{Name: in.Body.Name, Shared: in.Body.Shared, Text: in.Body.Q, Filter: in.Body.Filter}
	if change.Name != nil {
		*change.Name = cleanTitle(*change.Name)
	}
	if err := checkSavedSearch(ctx, a.DB.Queries, change.Name, change.Text, change.Filter); err != nil {
		return SavedSearch{}, err
	}
	if change.Shared != nil && *change.Shared && auth.From(ctx).Role == db.Viewer {
		return SavedSearch{}, errMembers
	}
	var err error
	if change.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return SavedSearch{}, err
	}
	return inTx(ctx, a, newSavedSearch, func(tx *db.Tx, scope db.Scope) (db.SavedSearch, error) {
		return tx.UpdateSavedSearch(ctx, scope, in.ID, change)
	})
}

func (a *API) deleteSavedSearch(ctx context.Context, in *struct {
	SavedSearchRef
	Purging
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the saved search", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		return tx.DeleteSavedSearch(ctx, scope, in.ID)
	})
}

// Synonyms are groups of words that mean the same to a team.
type Synonyms struct {
	Groups [][]string `json:"groups" maxItems:"500" nullable:"false" doc:"Groups of words or phrases that are synonyms"`
}

func (a *API) listSynonyms(ctx context.Context, _ *struct{}) (Synonyms, error) {
	groups, err := a.synonyms(ctx)
	return Synonyms{groups}, err
}

// The bounds of a group of synonyms: each member is another query.
const (
	mostSynonyms   = 10
	longestSynonym = 100 // bytes
)

func (a *API) setSynonyms(ctx context.Context, in *struct{ Body Synonyms }) (Synonyms, error) {
	groups := make([][]string, len(in.Body.Groups))
	for i, group := range in.Body.Groups {
		var err error
		if groups[i], err = synonymGroup(group); err != nil {
			return Synonyms{}, err
		}
	}
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.SetSynonyms(ctx, auth.Scope(ctx), groups) })
	if err != nil {
		return Synonyms{}, err
	}
	return a.listSynonyms(ctx, nil)
}

// synonymGroup is a group in the form that searches compare: lower case, without
// duplicates.
func synonymGroup(group []string) ([]string, error) {
	var words []string
	for _, w := range group {
		w = strings.Join(search.Words(w), " ")
		if w == "" || len(w) > longestSynonym {
			return nil, invalid("body.groups", "has an entry without a word, or longer than 100 bytes")
		}
		words = append(words, w)
	}
	slices.Sort(words)
	if words = slices.Compact(words); len(words) < 2 || len(words) > mostSynonyms {
		return nil, invalid("body.groups", "has a group of less than two or more than ten different entries")
	}
	return words, nil
}
