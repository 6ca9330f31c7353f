package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// conforms holds an event, in JSON, to the description of its kind.
func conforms(t *testing.T, event []byte) (kind string) {
	t.Helper()
	var value map[string]any
	require.NoError(t, json.Unmarshal(event, &value))
	kind, _ = value["type"].(string)
	described := api.OpenAPI().Webhooks[kind]
	require.NotNil(t, described, "%s", event)
	schema := described.Post.RequestBody.Content["application/json"].Schema
	result := &huma.ValidateResult{}
	huma.Validate(schemas, schemas.SchemaFromRef(schema.Ref), huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, value, result)
	require.Empty(t, result.Errors, "%s", event)
	require.Equal(t, kind, schemas.SchemaFromRef(schema.Ref).Properties["type"].Const)
	return kind
}

// TestEveryEvent has an event of each kind happen: what a webhook is sent is what
// the description says, and so are its examples.
func TestEveryEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	who, in, ctx := b.acme, b.acme.scope, t.Context()
	hook := get[api.Webhook](t, b.call(t, who, "POST /api/webhooks", `{"url":"https://example.com/in","types":["*"]}`), http.StatusCreated)
	does := func(do func(tx *db.Tx) error) {
		t.Helper()
		require.NoError(t, b.db.InTx(ctx, do))
	}
	asks := func(line, body string) (answer struct{ ID, TrashID string }) {
		t.Helper()
		w := b.call(t, who, line, body)
		require.Less(t, w.Code, http.StatusMultipleChoices, "%s %s", line, w.Body)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
		return answer
	}
	attempt := func(id string) db.Attempt {
		f, err := b.db.File(ctx, in, id)
		require.NoError(t, err)
		return db.Attempt{FileID: id, Number: f.Attempt}
	}

	// Files come, are read or not, and go.
	m := b.matter(t, who, `{"name":"Merger"}`)
	read, failed, cancelled := b.file(t, who).ID, b.file(t, who).ID, b.file(t, who).ID
	b.process(t, who, read)
	does(func(tx *db.Tx) error {
		return tx.FailAttempt(ctx, in, attempt(failed), db.StageExtract, fault.New(fault.Internal, ""))
	})
	does(func(tx *db.Tx) error { _, err := tx.CancelFile(ctx, in, cancelled); return err })
	does(func(tx *db.Tx) error {
		_, err := tx.RestartFiles(ctx, in, []string{failed}, db.FileOptions{})
		return err
	})
	does(func(tx *db.Tx) error {
		_, err := tx.ChangeParties(ctx, in, []string{read}, db.PartyChange{Add: []db.Party{{Name: "Acme"}}})
		return err
	})
	does(func(tx *db.Tx) error {
		return tx.SaveRendition(ctx, in, read, []byte("key"), db.Rendition{Report: []byte(`{}`)}, time.Hour)
	})
	b.addVersion(t, who, cancelled, "again.txt", "again")
	asks("POST /api/trash/"+b.discard(t, who, "/api/files/"+failed)+"/restore", "")
	word := b.written(t, who, "The term is thirty days.")
	asks("POST /api/files/"+word.ID+"/changes", `{"type":"comment","anchor":{"text":"thirty"},"text":"Sixty?"}`)

	// Matters, and work on them.
	path := "/api/matters/" + m.ID
	asks("PUT "+path, `{"description":"Of equals"}`)
	asks("PATCH "+path+"/files", `{"fileId":"`+read+`"}`)
	asks("PATCH "+path+"/files", `{"fileId":"`+read+`","remove":true}`)
	work := path + "/assignments"
	assigned := asks("POST "+work, `{"userId":"`+in.ActorID+`","dueAt":"2030-01-02T03:04:05Z"}`).ID
	asks("PATCH "+work+"/"+assigned, `{"status":"done"}`)
	asks("DELETE "+work+"/"+assigned, "")
	asks("POST /api/trash/"+b.discard(t, who, path)+"/restore", "")

	// Labels, and what takes longer.
	contract, sentences := b.contract(t, who, said{text: "Delaware law applies.", label: "governing_law", score: 0.9, source: "predicted"})
	asks("PATCH /api/sentences/"+sentences[0]+"/validate", `{"label":"governing_law"}`)
	asks("POST /api/sentences/bulk-withdraw", `{"sentenceIds":["`+sentences[0]+`"]}`)
	does(func(tx *db.Tx) error {
		op, err := tx.CreateOperation(ctx, in, "reprocess", 1, nil)
		require.NoError(t, err)
		return tx.StepOperation(ctx, in, op.ID, 1, []db.ItemError{{FileID: contract.ID, Error: "no"}})
	})
	asks("POST /api/webhooks/"+hook.ID+"/ping", "")

	seen := map[string]bool{}
	log, err := b.db.Deliveries(ctx, in, hook.ID, db.DeliveryFilter{}, "", 500)
	require.NoError(t, err)
	for _, d := range log {
		require.Equal(t, d.Kind, conforms(t, []byte(d.Payload)))
		seen[d.Kind] = true
	}
	for kind, item := range api.OpenAPI().Webhooks {
		example, err := json.Marshal(item.Post.RequestBody.Content["application/json"].Example)
		require.NoError(t, err)
		require.Equal(t, kind, conforms(t, example))
		require.True(t, seen[kind], "nothing made a %s", kind)
	}
	require.Len(t, seen, len(db.EventTypes())+1)
	require.True(t, slices.IsSortedFunc(db.EventTypes(), func(x, y db.EventType) int {
		if x.Kind < y.Kind {
			return -1
		}
		return 1
	}))
}
