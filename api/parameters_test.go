package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
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
		if op.Path == "/auth/callback" || op.Path == "/auth/token" { // OAuth has them ignored
			continue
		}
		method, path, _ := strings.Cut(line, " ")
		path = pathParameter.ReplaceAllStringFunc(path, func(string) string { return db.NewID() })
		w := b.call(t, b.acme, method+" "+path+"?zzyzzx=1", "")
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, "%s: %s", line, w.Body)
	}
}

// TestUnreadableRequests sends each operation a query that is none, and a body that is no
// JSON: the description knows the answer.
func TestUnreadableRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for line, op := range served() {
		if op.Path == "/auth/callback" || op.Path == "/auth/token" { // OAuth has them ignored
			continue
		}
		method, path, _ := strings.Cut(line, " ")
		path = method + " " + pathParameter.ReplaceAllStringFunc(path, func(string) string { return db.NewID() })
		w := b.call(t, b.acme, path+"?limit=%zz", "")
		require.Equal(t, http.StatusBadRequest, w.Code, "%s: %s", line, w.Body)
		if (target{op, nil}).content() != nil {
			w := b.call(t, b.acme, path, "{")
			require.Contains(t, []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound}, w.Code, "%s: %s", line, w.Body)
		}
	}
}

// TestIdsAndTimesInQueries asks each operation by what is no id and no time, and by
// a day: a list of nothing would look like an answer.
func TestIdsAndTimesInQueries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := regexp.MustCompile(`(?:Id|^id|Ids|^ids)$`)
	ids, times := 0, 0
	for line, op := range served() {
		method, path, _ := strings.Cut(line, " ")
		path = pathParameter.ReplaceAllStringFunc(path, func(string) string { return db.NewID() })
		ask := func(name, value string) *httptest.ResponseRecorder {
			return b.call(t, b.acme, method+" "+path+"?"+url.Values{name: {value}}.Encode(), "")
		}
		for _, p := range op.Parameters {
			schema := p.Schema
			if p.In != "query" || inBody(op, p.Name) {
				continue
			}
			if schema.Type == huma.TypeArray {
				schema = schema.Items
			}
			switch {
			case schema.Format == "uuid":
				ids++
				for _, value := range []string{"abc", strings.ReplaceAll(db.NewID(), "-", ""), "urn:uuid:" + db.NewID(), db.NewID() + ",x"} {
					require.Contains(t, get[api.Error](t, ask(p.Name, value), http.StatusUnprocessableEntity).Details, api.Detail{Location: "query." + p.Name, Message: "is not an id"}, line)
				}
			case id.MatchString(p.Name) && p.Name != "parentId": // which may be a word too
				t.Errorf("%s: %s has no format", line, p.Name)
			case schema.Format == "date-time":
				times++
				want := api.Detail{Location: "query." + p.Name, Message: "must be a day, as 2026-03-31, or an instant, as 2026-03-31T12:00:00Z"}
				for _, value := range []string{"31.3.2026", "2026-02-30", "2026-03-31 12:00"} {
					require.Contains(t, get[api.Error](t, ask(p.Name, value), http.StatusUnprocessableEntity).Details, want, line)
				}
				for _, value := range []string{"2026-03-31", "2026-03-31T12:00:00Z"} {
					require.NotContains(t, ask(p.Name, value).Body.String(), want.Message, line)
				}
			}
		}
	}
	require.Greater(t, ids, 50)
	require.Greater(t, times, 8)
	for _, line := range []string{
		"GET /api/files?ids=" + db.NewID() + "&ids=abc", "GET /api/categories?parentId=top", "GET /api/sentences/nearest-non-null?text=",
	} {
		get[api.Error](t, b.call(t, b.acme, line, ""), http.StatusUnprocessableEntity)
	}
	for _, line := range []string{"GET /api/files?ids=&documentTypeId=", "GET /api/categories?parentId=root", "GET /api/audit?from=&to=2026-03-31"} {
		require.Equal(t, http.StatusOK, b.call(t, b.acme, line, "").Code, line)
	}
}

// inBody reports whether a parameter of op may come in the body as well.
func inBody(op *huma.Operation, name string) bool {
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return false
	}
	schema := op.RequestBody.Content["application/json"].Schema
	if schema.Ref != "" {
		schema = schemas.SchemaFromRef(schema.Ref)
	}
	return schema.Properties[name] != nil
}

// TestEitherWayOnlyOneWay says one thing in the query and another in the body, of
// each field that may come in both.
func TestEitherWayOnlyOneWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	n := 0
	for line, op := range served() {
		for _, p := range op.Parameters {
			if p.In != "query" || !inBody(op, p.Name) {
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
			require.Equal(t, []api.Detail{{Location: "query." + p.Name, Message: "differs from body." + p.Name}}, e.Details, line)
		}
	}
	require.Greater(t, n, 30)
}
