package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

func TestSavedSearches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const line = "/api/saved-searches"
	w := b.call(t, b.acme, "POST "+line, `{"name":"Expiring","q":"lease -draft","filter":{"field":"attribute.expiration_date","op":"lte","values":["today+90d"]}}`)
	mine := get[api.SavedSearch](t, w, http.StatusCreated)
	require.Equal(t, line+"/"+mine.ID, w.Header().Get("Location"))
	require.Equal(t, []string{"today+90d"}, mine.Filter.Values, "a date stays relative")
	require.Equal(t, "saved_search.created", b.audited(t, b.acme, mine.ID))
	get[api.Error](t, b.call(t, b.acme, "POST "+line, `{"name":"EXPIRING"}`), http.StatusConflict)
	require.Equal(t, mine, get[api.SavedSearch](t, b.call(t, b.acme, "GET "+line+"/"+mine.ID, ""), http.StatusOK))
	shared := get[api.SavedSearch](t, b.call(t, b.acme, "POST "+line, `{"name":"All","shared":true}`), http.StatusCreated)

	var colleague caller
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		user, err := tx.EnsureUser(t.Context(), "bob-"+db.NewID()+"@example.com", "Bob")
		require.NoError(t, err)
		require.NoError(t, tx.AddMember(t.Context(), b.acme.scope.TeamID, user.ID, db.Member))
		colleague = b.signIn(t, tx, user.ID, b.acme.scope.TeamID)
		return nil
	}))
	for who, want := range map[*caller][]api.SavedSearch{&b.acme: {shared, mine}, &colleague: {shared}, &b.alice: {}, &b.mallory: {}} {
		require.Equal(t, want, get[api.List[api.SavedSearch]](t, b.call(t, *who, "GET "+line, ""), http.StatusOK).Items)
	}
	require.Equal(t, http.StatusNotFound, b.call(t, colleague, "GET "+line+"/"+mine.ID, "").Code)
	require.Equal(t, http.StatusNotFound, b.call(t, colleague, "DELETE "+line+"/"+shared.ID, "").Code, "what is shared is still its owner's")
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "DELETE "+line+"/"+mine.ID, "").Code)
	require.Equal(t, http.StatusNotFound, b.call(t, b.acme, "GET "+line+"/"+mine.ID, "").Code)

	for body, location := range map[string]string{
		`{"name":"\u200b"}`:                        "body.name",
		`{"name":"x","filter":{"field":"colour"}}`: "body.filter",
		`{"name":"x","q":"a\u0000"}`:               "body.q",
	} {
		e := get[api.Error](t, b.call(t, b.acme, "POST "+line, body), http.StatusUnprocessableEntity)
		require.Equal(t, location, e.Details[0].Location)
	}
}
