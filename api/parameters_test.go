package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// TestParametersMeanWhatTheySay asks in ways that used to be answered as if they
// had been something else.
func TestParametersMeanWhatTheySay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := db.NewID()
	for _, tt := range []struct {
		line    string
		status  int
		message string
	}{
		{"GET /api/matters?stgae=closed", 422, "validation failed: query.stgae: there is no parameter stgae; did you mean stage?"},
		{"GET /api/files?document_type_id=" + id, 422, "did you mean documentTypeId?"},
		{"GET /api/files?LIMIT=3", 422, "did you mean limit?"},
		{"GET /api/teams/users?colour=red", 422, "there is no parameter colour; there are limit, cursor"},
		{"GET /api/session?x=1", 422, "there is no parameter x; this operation takes none"},
		{"GET /api/matters?" + strings.Repeat("x", 300), 422, "query." + strings.Repeat("x", 64) + "…: there is no parameter"},
		{"HEAD /api/matters?stgae=closed", 422, ""},
		{"DELETE /api/matters/" + id + "?force=true", 422, "there is no parameter force; there is purge"},
		{"GET /api/session?force=true", 422, "there is no parameter force; this operation takes none"},
		{"POST /api/files/" + id + "/assign?user=" + id, 422, "did you mean userId?"},
		{"GET /api/files/" + id + "/download?disposition=inline", 422, "there is no parameter disposition"},
		{"GET /api/events?since=1", 422, "there is no parameter since"},
		{"GET /auth/login?return=/", 422, "there is no parameter return"},
		{"GET /api/matters?q=100%", 400, `the query cannot be read: invalid URL escape "%"`},
		{"GET /api/matters?q=a;b", 400, "the query cannot be read: invalid semicolon separator in query"},
		{"GET /api/matters?q=a&q=b", 422, "query.q: is given more than once, and takes one value"},
		{"GET /api/matters?limit=1&limit=2", 422, "query.limit: is given more than once, and takes one value"},
		{"GET /api/matters?limit=0&stgae=closed", 422, "query.stgae: there is no parameter"},
	} {
		w := b.call(t, b.alice, tt.line, "")
		require.Equal(t, tt.status, w.Code, "%s: %s", tt.line, w.Body)
		if tt.message != "" {
			require.Contains(t, get[api.Error](t, w, tt.status).Message, tt.message, tt.line)
		}
	}
	both := get[api.Error](t, b.call(t, b.alice, "GET /api/matters?stgae=closed&Q=x", ""), http.StatusUnprocessableEntity)
	require.Equal(t, []api.Detail{
		{Location: "query.Q", Message: "there is no parameter Q; did you mean q?"},
		{Location: "query.stgae", Message: "there is no parameter stgae; did you mean stage?"},
	}, both.Details)

	// Who may not ask is not told what there is; and a list may be repeated.
	require.Equal(t, http.StatusUnauthorized, b.call(t, b.nobody, "GET /api/matters?stgae=closed", "").Code)
	require.Equal(t, http.StatusForbidden, b.call(t, b.aliceKey, "GET /api/matters?stgae=closed", "").Code)
	for _, line := range []string{"GET /api/files?status=queued&status=failed", "GET /api/files?status=queued,failed", "GET /api/files?q=&status=", "HEAD /api/files?limit=1"} {
		require.Equal(t, http.StatusOK, b.call(t, b.alice, line, "").Code, line)
	}
	// An identity provider adds what it likes.
	require.NotEqual(t, http.StatusUnprocessableEntity, b.call(t, b.nobody, "GET /auth/callback?session_state=x&code=y", "").Code)
}

// TestNoOperationIgnoresAParameter sends each operation one that none of them
// has.
func TestNoOperationIgnoresAParameter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for line, op := range served() {
		if op.Path == "/auth/callback" {
			continue
		}
		method, path, _ := strings.Cut(line, " ")
		path = pathParameter.ReplaceAllStringFunc(path, func(string) string { return db.NewID() })
		w := b.call(t, b.acme, method+" "+path+"?zzyzzx=1", "")
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, "%s: %s", line, w.Body)
	}
}

// TestEitherWayOnlyOneWay says one thing in the query and another in the body, of
// each field that may come in both.
func TestEitherWayOnlyOneWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	n := 0
	for line, op := range served() {
		if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
			continue
		}
		schema := op.RequestBody.Content["application/json"].Schema
		if schema.Ref != "" {
			schema = schemas.SchemaFromRef(schema.Ref)
		}
		for _, p := range op.Parameters {
			if p.In != "query" || schema.Properties[p.Name] == nil {
				continue
			}
			n++
			method, path, _ := strings.Cut(line, " ")
			path = pathParameter.ReplaceAllStringFunc(path, func(string) string { return db.NewID() })
			other := `"another"`
			switch p.Schema.Type {
			case huma.TypeBoolean:
				other = "false"
			case huma.TypeInteger, huma.TypeNumber:
				other = "7"
			}
			w := b.call(t, b.acme, method+" "+path+"?"+url.Values{p.Name: {"true"}}.Encode(), `{"`+p.Name+`":`+other+`}`)
			e := get[api.Error](t, w, http.StatusUnprocessableEntity)
			require.Equal(t, []api.Detail{{Location: "query." + p.Name, Message: "says otherwise than body." + p.Name}}, e.Details, line)
		}
	}
	require.Greater(t, n, 30)
}
