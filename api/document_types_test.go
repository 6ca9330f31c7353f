package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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

func TestDocumentTypesAreCreatedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(body string) *httptest.ResponseRecorder {
		r := request(t, b.alice, "POST "+documentTypes, body)
		r.Header.Set("Idempotency-Key", "once")
		return b.send(t, r)
	}
	first := create(`{"name":"NDA"}`)
	made := get[api.DocumentType](t, first, http.StatusCreated)
	again := create(`{"name":"NDA"}`)
	require.Equal(t, made, get[api.DocumentType](t, again, http.StatusCreated))
	require.Equal(t, first.Header().Get("Location"), again.Header().Get("Location"))
	get[api.Error](t, create(`{"name":"Lease"}`), http.StatusUnprocessableEntity)
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
		{"POST " + documentTypes, `{"name":"x","description":"a\u0000"}`, http.StatusUnprocessableEntity},
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

	with := func(header, value, line, body string) int {
		r := request(t, b.alice, line, body)
		r.Header.Set(header, value)
		return b.send(t, r).Code
	}
	tag := func() string { return b.call(t, b.alice, "GET "+path, "").Header().Get("ETag") }
	require.Equal(t, http.StatusNotModified, with("If-None-Match", tag(), "GET "+path+"/crud", ""))
	for line, body := range map[string]string{"PUT " + path + "/crud": `{"description":"%d"}`, "PUT " + documentTypes: `{"id":"` + made.ID + `","description":"%d"}`} {
		read := tag()
		for try, status := range []int{http.StatusOK, http.StatusConflict} {
			require.Equal(t, status, with("If-Match", read, line, fmt.Sprintf(body, try)), line)
		}
		require.Equal(t, http.StatusConflict, with("If-Match", `"x"`, line, fmt.Sprintf(body, 2)), line)
	}
	before := get[api.DocumentType](t, b.call(t, b.alice, "GET "+path, ""), http.StatusOK)
	require.Equal(t, before, get[api.DocumentType](t, b.call(t, b.alice, "PUT "+path+"/crud", `{}`), http.StatusOK), "nothing changes")

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

func TestTypeAnalysis(t *testing.T) {
	t.Parallel()
	b := setup(t)
	typeID, files := b.smallCorpus(t)
	path := documentTypes + "/" + typeID
	for _, stored := range []string{"/analytics", "/graph"} {
		get[api.Error](t, b.call(t, b.alice, "GET "+path+stored, ""), http.StatusConflict)
	}

	accepted := get[api.Accepted](t, b.call(t, b.alice, "POST "+path+"/analyze", ""), http.StatusAccepted)
	op := get[api.Operation](t, b.call(t, b.alice, "GET "+accepted.StatusURL, ""), http.StatusOK)
	require.Equal(t, []any{"analyze", "running", 1}, []any{op.Kind, op.State, op.Total})
	require.Equal(t, "document_type.analyze", b.audited(t, b.alice, typeID))
	accepted = get[api.Accepted](t, b.call(t, b.alice, "POST "+documentTypes+"/analyze", ""), http.StatusAccepted)
	op = get[api.Operation](t, b.call(t, b.alice, "GET "+accepted.StatusURL, ""), http.StatusOK)
	require.Equal(t, 26, op.Total)

	state, err := b.db.CorpusState(t.Context(), b.alice.scope, typeID)
	require.NoError(t, err)
	require.Equal(t, 5, state.Files)
	nodes, err := b.db.CorpusNodes(t.Context(), b.alice.scope, typeID, false)
	require.NoError(t, err)
	edges, err := b.db.CorpusEdges(t.Context(), b.alice.scope, typeID, false, []db.FamilyNode{
		{Family: "Liability and risk", Label: capped}, {Family: "Liability and risk", Label: insured}, {Family: "Law and enforcement", Label: law},
	})
	require.NoError(t, err)
	for i := range 2 {
		nodes[0].Wording = &db.CorpusWording{SentenceID: db.NewID(), Text: "The cap.", Spread: float64(i) / 10, Sentences: 4}
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.SaveTypeAnalysis(t.Context(), b.alice.scope, typeID, state, db.CorpusResult{Nodes: nodes, Edges: edges})
		}))
	}

	analytics := get[api.TypeAnalytics](t, b.call(t, b.alice, "GET "+path+"/analytics", ""), http.StatusOK)
	require.Equal(t, []any{2, 5, false}, []any{analytics.Version, analytics.Files, analytics.Stale})
	require.Equal(t, nodes, analytics.Nodes)
	earlier := get[api.TypeAnalytics](t, b.call(t, b.alice, "GET "+path+"/analytics?version=1", ""), http.StatusOK)
	require.True(t, earlier.Stale, "there is a later one")
	require.Zero(t, earlier.Nodes[0].Wording.Spread)
	get[api.Error](t, b.call(t, b.alice, "GET "+path+"/analytics?version=9", ""), http.StatusNotFound)

	graph := get[api.TypeGraph](t, b.call(t, b.alice, "GET "+path+"/graph", ""), http.StatusOK)
	kinds, ids := map[string]int{}, map[string]bool{}
	for _, n := range graph.Nodes {
		ids[n.ID] = true
	}
	for _, e := range graph.Edges {
		kinds[e.Kind]++
		require.True(t, ids[e.From] && ids[e.To], "%s to %s", e.From, e.To)
		require.Greater(t, e.Weight, 0.0)
		require.LessOrEqual(t, e.Weight, 1.0)
	}
	require.Equal(t, map[string]int{"follows": 2, "cooccurs": 3, "parent": 3}, kinds)
	narrow := get[api.TypeGraph](t, b.call(t, b.alice, "GET "+path+"/graph?kind=parent&minWeight=0.6", ""), http.StatusOK)
	require.Equal(t, []db.CorpusEdge{
		{From: "family:Liability and risk", To: capped, Kind: "parent", Weight: 1, Files: 4},
		{From: "family:Law and enforcement", To: law, Kind: "parent", Weight: 1, Files: 1},
	}, narrow.Edges, "of the files with any of the family")

	tags := get[api.TypeNodes](t, b.call(t, b.alice, "GET "+path+"/tags", ""), http.StatusOK)
	require.Equal(t, []string{capped, insured, law}, []string{tags.Items[0].Label, tags.Items[1].Label, tags.Items[2].Label})
	require.Equal(t, "Cap on liability", tags.Items[0].Name)
	require.Equal(t, "The cap.", tags.Items[0].Wording.Text)
	tree := get[api.TypeTree](t, b.call(t, b.alice, "GET "+path+"/tree", ""), http.StatusOK)
	require.Equal(t, []string{"Liability and risk", "Law and enforcement"}, []string{tree.Children[0].Name, tree.Children[1].Name})
	require.Len(t, tree.Children[0].Children, 2)

	stats := get[api.TypeStats](t, b.call(t, b.alice, "GET "+path+"/stats", ""), http.StatusOK)
	require.Equal(t, []int{5, 5, 0, 5, 80, 13, 8}, []int{stats.Files, stats.Assigned, stats.Predicted, stats.Analyzed, stats.Words, stats.Sentences, stats.Labelled})
	all := get[api.AllTypeStats](t, b.call(t, b.alice, "GET "+documentTypes+"/stats", ""), http.StatusOK)
	require.Len(t, all.Items, 26)
	require.Contains(t, all.Items, stats)
	require.Zero(t, all.Untyped)

	get[api.Message](t, b.call(t, b.alice, "DELETE /api/files/"+files[0], ""), http.StatusOK)
	require.True(t, get[api.TypeGraph](t, b.call(t, b.alice, "GET "+path+"/graph", ""), http.StatusOK).Stale)
	require.Len(t, get[api.TypeNodes](t, b.call(t, b.alice, "GET "+path+"/tags", ""), http.StatusOK).Items, 2, "as of now")
}
