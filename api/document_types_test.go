package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

const documentTypes = "/api/document-types"

// typeOf is the id of a type that every team has from the start.
func (b *bundle) typeOf(t testing.TB, who caller, key string) string {
	t.Helper()
	types, err := b.db.TypeKeys(t.Context(), who.scope)
	require.NoError(t, err)
	for _, row := range types {
		if row.ModelKey() == key {
			return row.ID
		}
	}
	require.Fail(t, "no type "+key)
	return ""
}

// audited is the latest thing that was done to a resource.
func (b *bundle) audited(t testing.TB, who caller, id string) string {
	t.Helper()
	events, err := b.db.AuditEvents(t.Context(), who.scope, id, 1)
	require.NoError(t, err)
	require.Len(t, events, 1)
	return events[0].Action
}

func TestBaseDocumentTypes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	all := get[api.List[api.DocumentType]](t, b.call(t, b.alice, "GET "+documentTypes, ""), http.StatusOK)
	require.Equal(t, 25, *all.Total)
	for i, want := range nlp.DocumentTypes() {
		got := all.Items[i]
		require.Equal(t, want, nlp.DocumentType{ID: *got.Key, Name: got.Name, Description: got.Description})
		require.True(t, got.Stale)
		require.Nil(t, got.AnalyzedAt)
	}

	var names []string
	for cursor := ""; ; {
		page := get[api.List[api.DocumentType]](t, b.call(t, b.alice, "GET "+documentTypes+"?limit=10&cursor="+cursor, ""), http.StatusOK)
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	require.Len(t, names, 25)
}

func TestDocumentTypes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.call(t, b.alice, "POST "+documentTypes, `{"name":" NDA ","description":"Secrets are kept"}`)
	made := get[api.DocumentType](t, w, http.StatusCreated)
	path := documentTypes + "/" + made.ID
	require.Equal(t, path, w.Header().Get("Location"))
	require.Equal(t, "NDA", made.Name)
	require.Nil(t, made.Key)
	require.Equal(t, "document_type.created", b.audited(t, b.alice, made.ID))

	for _, address := range []string{path, path + "/crud"} {
		require.Equal(t, made, get[api.DocumentType](t, b.call(t, b.alice, "GET "+address, ""), http.StatusOK))
	}
	require.Equal(t, api.TypeName{ID: made.ID, Name: "NDA"}, get[api.TypeName](t, b.call(t, b.alice, "GET "+path+"/name", ""), http.StatusOK))

	for _, bad := range []struct {
		line, body string
		status     int
	}{
		{"POST " + documentTypes, `{"name":"nda"}`, http.StatusConflict},
		{"POST " + documentTypes, `{"name":"License"}`, http.StatusConflict},
		{"POST " + documentTypes, `{"name":" "}`, http.StatusUnprocessableEntity},
		{"POST " + documentTypes, `{}`, http.StatusUnprocessableEntity},
		{"PUT " + path + "/crud", `{"name":"license"}`, http.StatusConflict},
		{"PUT " + path + "/crud", `{"name":"\u0007"}`, http.StatusUnprocessableEntity},
		{"PUT " + documentTypes, `{"id":"` + db.NewID() + `","name":"x"}`, http.StatusNotFound},
		{"PUT " + documentTypes, `{"name":"x"}`, http.StatusUnprocessableEntity},
	} {
		require.Equal(t, bad.status, b.call(t, b.alice, bad.line, bad.body).Code, "%s %s", bad.line, bad.body)
	}
	require.Equal(t, http.StatusNotFound, b.call(t, b.mallory, "PUT "+documentTypes, `{"id":"`+made.ID+`","name":"x"}`).Code)

	changed := get[api.DocumentType](t, b.call(t, b.alice, "PUT "+path+"/crud", `{"name":"Confidentiality"}`), http.StatusOK)
	require.Equal(t, "Confidentiality", changed.Name)
	require.Equal(t, "Secrets are kept", changed.Description)
	changed = get[api.DocumentType](t, b.call(t, b.alice, "PUT "+documentTypes, `{"id":"`+made.ID+`","description":""}`), http.StatusOK)
	require.Equal(t, "Confidentiality", changed.Name)
	require.Empty(t, changed.Description)
	require.Equal(t, "document_type.updated", b.audited(t, b.alice, made.ID))

	f := b.file(t, b.alice)
	get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+f.ID, `{"documentTypeId":"`+made.ID+`"}`), http.StatusOK)
	b.file(t, b.alice)
	listed := get[api.DocumentType](t, b.call(t, b.alice, "GET "+path, ""), http.StatusOK)
	require.Equal(t, []int{1, 1}, []int{listed.FileCount, listed.Assigned})
	files := get[api.List[api.File]](t, b.call(t, b.alice, "GET "+path+"/documents", ""), http.StatusOK)
	require.Equal(t, 1, *files.Total)
	require.Equal(t, f.ID, files.Items[0].ID)

	get[api.Message](t, b.call(t, b.alice, "DELETE "+path+"/crud", ""), http.StatusOK)
	require.Equal(t, "document_type.deleted", b.audited(t, b.alice, made.ID))
	require.Equal(t, http.StatusNotFound, b.call(t, b.alice, "DELETE "+path, "").Code)
	kept := get[api.File](t, b.call(t, b.alice, "GET /api/files/"+f.ID, ""), http.StatusOK)
	require.Nil(t, kept.DocumentTypeID)
	require.Nil(t, kept.DocumentTypeSource)
}
