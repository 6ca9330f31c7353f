package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/query"
)

func TestSavedSearches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const line = "/api/saved-searches"
	w := b.call(t, b.acme, "POST "+line, `{"name":"Expiring","q":"lease -draft","filter":{"field":"attribute.expiration_date","op":"lte","values":["today+90d"]}}`)
	mine := get[api.SavedSearch](t, w, http.StatusCreated)
	require.Equal(t, line+"/"+mine.ID, w.Header().Get("Location"))
	require.Equal(t, query.Values{"today+90d"}, mine.Filter.Values, "a date stays relative")
	require.Equal(t, "saved_search.created", b.audited(t, b.acme, mine.ID))
	get[api.Error](t, b.call(t, b.acme, "POST "+line, `{"name":"EXPIRING"}`), http.StatusConflict)
	require.Equal(t, mine, get[api.SavedSearch](t, b.call(t, b.acme, "GET "+line+"/"+mine.ID, ""), http.StatusOK))
	shared := get[api.SavedSearch](t, b.call(t, b.acme, "POST "+line, `{"name":"All","shared":true}`), http.StatusCreated)

	colleague := b.colleague(t, b.acme, "bob")
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

// TestSavedSearchesChange has a search changed field by field, by its owner only.
func TestSavedSearchesChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const line = "/api/saved-searches"
	w := b.call(t, b.acme, "POST "+line, `{"name":"Expiring","q":"lease","filter":{"field":"attribute.expiration_date","op":"lte","values":["today+90d"]}}`)
	want := get[api.SavedSearch](t, w, http.StatusCreated)
	path := line + "/" + want.ID
	require.Equal(t, http.StatusCreated, b.call(t, b.acme, "POST "+line, `{"name":"Taken"}`).Code)
	colleague := b.colleague(t, b.acme, "bob")

	for _, step := range []struct {
		body   string
		change func()
	}{
		{`{"name":" Ending\u0007 "}`, func() { want.Name = "Ending" }},
		{`{"name":"ENDING"}`, func() { want.Name = "ENDING" }},
		{`{"q":"lease -draft"}`, func() { want.Q = "lease -draft" }},
		{`{"shared":true}`, func() { want.Shared = true }},
		{`{"filter":{"field":"status","op":"in","values":["failed"]},"q":""}`, func() {
			want.Q, want.Filter = "", query.Filter{Field: "status", Op: "in", Values: []string{"failed"}}
		}},
		{`{}`, func() {}},
		{`{"filter":{},"shared":false}`, func() { want.Filter, want.Shared = query.Filter{}, false }},
	} {
		step.change()
		want.Version++
		got := get[api.SavedSearch](t, b.call(t, b.acme, "PATCH "+path, step.body), http.StatusOK)
		want.UpdatedAt = got.UpdatedAt
		require.Equal(t, want, got, step.body)
		require.Equal(t, want, get[api.SavedSearch](t, b.call(t, b.acme, "GET "+path, ""), http.StatusOK), step.body)
		require.Equal(t, "saved_search.updated", b.audited(t, b.acme, want.ID))
		seen := b.call(t, colleague, "GET "+path, "").Code
		require.Equal(t, want.Shared, seen == http.StatusOK, step.body)
		require.Equal(t, http.StatusNotFound, b.call(t, colleague, "PATCH "+path, `{"name":"Mine"}`).Code, "what is shared is still its owner's")
	}
	require.Equal(t, http.StatusNotFound, b.call(t, b.mallory, "PATCH "+path, `{"name":"Mine"}`).Code)
	get[api.Error](t, b.call(t, b.acme, "PATCH "+path, `{"name":"taken"}`), http.StatusConflict)
	for body, location := range map[string]string{
		`{"name":"\u200b"}`:             "body.name",
		`{"filter":{"field":"colour"}}`: "body.filter",
		`{"q":"a\u0000"}`:               "body.q",
	} {
		e := get[api.Error](t, b.call(t, b.acme, "PATCH "+path, body), http.StatusUnprocessableEntity)
		require.Equal(t, location, e.Details[0].Location)
	}

	read := b.call(t, b.acme, "GET "+path, "").Header().Get("ETag")
	for _, status := range []int{http.StatusOK, http.StatusConflict} {
		r := request(t, b.acme, "PATCH "+path, `{"q":"rent"}`)
		r.Header.Set("If-Match", read)
		require.Equal(t, status, b.send(t, r).Code)
	}
}
