package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// bulkBodies are what each bulk operation takes beside a selection.
var bulkBodies = map[string]string{
	"files/bulk/delete":          ``,
	"files/bulk/ocr":             ``,
	"files/bulk/reprocess":       ``,
	"files/bulk/status":          ``,
	"files/bulk/update-metadata": `,"set":{"a":1}`,
	"files/bulk/update-parties":  `,"add":[{"name":"Acme"}]`,

	"sentences/bulk-assign-label": `,"label":"governing_law"`,
	"sentences/bulk-validate":     ``,
	"sentences/bulk-withdraw":     ``,
}

// TestSelectionsMeanWhatTheySay sends every bulk operation what a program sends
// whose condition got lost on the way.
func TestSelectionsMeanWhatTheySay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.contract(t, b.alice, said{"A.", "term", 0.9, "predicted"})
	for operation, rest := range bulkBodies {
		list := "fileIds"
		if strings.HasPrefix(operation, "sentences") {
			list = "sentenceIds"
		}
		wrong := []string{
			`"filter":{}`,
			`"filter":{"filter":{}}`,
			`"filter":{"filter":{"field":"name","op":"notIn","values":[]}}`,
			`"filter":{"filter":{"not":{"field":"documentType","op":"in","values":[]}}}`,
			`"filter":{"filter":{"all":[]}}`,
			`"filter":null`,
			`"all":false`,
			`"all":true,"filter":{"documentTypeId":"x"}`,
			`"all":true,"filter":{}`,
			`"all":true,"` + list + `":[]`,
		}
		if list == "fileIds" {
			wrong = append(wrong, `"filter":{"status":[]}`, `"filter":{"errorCode":[]}`, `"filter":{"q":""}`, `"filter":{"matterId":"","status":[]}`, `"filter":{"status":["failed"],"errorCode":[]}`)
		} else {
			wrong = append(wrong, `"filter":{"label":[]}`, `"filter":{"fileId":[]}`, `"filter":{"source":"validated","label":[]}`)
		}
		for _, selection := range wrong {
			w := b.call(t, b.alice, "POST /api/"+operation, "{"+selection+rest+"}")
			require.Equal(t, http.StatusUnprocessableEntity, w.Code, "%s: %s: %s", operation, selection, w.Body)
		}
		e := get[api.Error](t, b.call(t, b.alice, "POST /api/"+operation, `{"filter":{}`+rest+"}"), http.StatusUnprocessableEntity)
		require.Contains(t, e.Message, `"all": true`)
		require.Less(t, b.call(t, b.alice, "POST /api/"+operation, `{"all":true`+rest+"}").Code, 300, operation)
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var files []api.File
	for range 12 {
		files = append(files, b.file(t, b.alice))
	}
	b.file(t, b.mallory)
	for _, kind := range []string{"delete", "reprocess", "update-metadata", "update-parties"} {
		path, rest := "POST /api/files/bulk/"+kind, bulkBodies["files/bulk/"+kind]
		w := b.call(t, b.alice, path, `{"all":true,"dryRun":true`+rest+"}")
		plan := get[api.BulkAccepted](t, w, http.StatusOK)
		require.Empty(t, w.Header().Get("Location"))
		require.True(t, plan.DryRun)
		require.Equal(t, 12, plan.Accepted)
		require.Len(t, plan.First, 10)
		for _, f := range plan.First {
			require.Equal(t, "lease.pdf", f.Name)
		}
		plan = get[api.BulkAccepted](t, b.call(t, b.alice, path, `{"fileIds":["`+files[0].ID+`","x"],"dryRun":true`+rest+"}"), http.StatusOK)
		require.Equal(t, []api.NamedFile{{FileID: files[0].ID, Name: "lease.pdf"}}, plan.First)
		require.Equal(t, []api.ItemError{{FileID: "x", Error: "not found"}}, plan.Rejected)

		for _, dry := range []string{"", `,"dryRun":true`} {
			e := get[api.Error](t, b.call(t, b.alice, path, `{"all":true,"expect":11`+dry+rest+"}"), http.StatusConflict)
			require.Contains(t, e.Message, "11 files were expected, but 12 would be affected")
		}
	}
	plan := get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/reprocess", `{"all":true,"dryRun":true,"from":"segment"}`), http.StatusOK)
	require.Zero(t, plan.Accepted, "none of them has text")
	require.Len(t, plan.Rejected, 12)

	require.Empty(t, get[api.List[api.Operation]](t, b.call(t, b.alice, "GET /api/operations", ""), http.StatusOK).Items)
	for _, f := range files {
		require.Equal(t, f, get[api.File](t, b.call(t, b.alice, "GET /api/files/"+f.ID, ""), http.StatusOK))
	}
	done := get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/delete", `{"all":true,"expect":12}`), http.StatusAccepted)
	require.Equal(t, 12, done.Accepted)
	requireAsked(t, b, jobs.DeleteFiles{
		OperationID: done.OperationID, TeamID: b.alice.scope.TeamID, ActorKind: "user", ActorID: b.alice.scope.ActorID, FileIDs: idsOf(files),
	})
}

func idsOf(files []api.File) []string {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	return ids
}

func TestDryDecision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice, said{"A.", "term", 0.9, "predicted"}, said{"B.", "term", 0.8, "predicted"}, said{text: "C."})
	decide := func(path, body string, status int) string {
		t.Helper()
		w := b.call(t, b.alice, "POST /api/sentences/"+path, body)
		require.Equal(t, status, w.Code, w.Body.String())
		return w.Body.String()
	}
	require.JSONEq(t, fmt.Sprintf(`{"message":"nothing was changed: 2 sentences would be affected","dryRun":true,"updated":2,
		"first":[{"sentenceId":%q,"fileId":%q,"text":"A."},{"sentenceId":%q,"fileId":%q,"text":"B."}]}`, ids[0], f.ID, ids[1], f.ID),
		decide("bulk-validate", `{"filter":{"label":"term"},"dryRun":true}`, http.StatusOK))
	require.Contains(t, decide("bulk-validate", `{"all":true,"dryRun":true}`, http.StatusUnprocessableEntity), "has no prediction to confirm")
	decide("bulk-assign-label", `{"all":true,"newNode":{"name":"Void"},"dryRun":true}`, http.StatusOK)
	decide("bulk-assign-label", `{"all":true,"newNode":{"name":"Void"},"expect":1}`, http.StatusConflict)
	require.Contains(t, decide("bulk-validate", `{"filter":{"label":["term"]},"expect":3}`, http.StatusConflict), "3 sentences were expected, but 2 would be affected")
	require.Empty(t, changes(t, b, ids[0]))
	nodes, err := b.db.Nodes(t.Context(), b.alice.scope)
	require.NoError(t, err)
	require.Empty(t, nodes)

	decide("bulk-validate", `{"filter":{"label":"term"},"expect":2}`, http.StatusOK)
	decide("bulk-withdraw", `{"all":true,"expect":3}`, http.StatusConflict)
	require.Contains(t, decide("bulk-withdraw", `{"all":true,"dryRun":true}`, http.StatusOK), `"updated":2`)
	decide("bulk-withdraw", `{"all":true,"expect":2}`, http.StatusOK)
}

// TestTooManySelected is about more than is done at once.
func TestTooManySelected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `
			INSERT INTO files (id, team_id, name, size, sha256, status, stage)
			SELECT gen_random_uuid(), $1, 'f', 1, sha256(n::text::bytea), 'completed', 'done' FROM generate_series(1, 10001) n`, b.alice.scope.TeamID)
		return err
	}))
	for _, body := range []string{`{"all":true}`, `{"filter":{"status":"completed"},"dryRun":true}`} {
		e := get[api.Error](t, b.call(t, b.alice, "POST /api/files/bulk/delete", body), http.StatusUnprocessableEntity)
		require.Contains(t, e.Message, "more than 10000 files")
	}
}

func TestBulkStatusInNumbers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read, waiting := b.file(t, b.alice), b.file(t, b.alice)
	b.process(t, b.alice, read.ID)
	w := b.call(t, b.alice, "POST /api/files/bulk/status", `{"all":true}`)
	status := get[api.BulkStatus](t, w, http.StatusOK)
	require.Equal(t, []string{waiting.ID, read.ID}, []string{status.Items[0].FileID, status.Items[1].FileID})
	require.NotContains(t, w.Body.String(), `"id":`)
	require.Equal(t, map[db.FileStatus]int{
		db.FileQueued: 1, db.FileProcessing: 0, db.FileCompleted: 1, db.FileWithWarnings: 0, db.FileFailed: 0, db.FileCancelled: 0,
	}, status.Summary)
	for _, filter := range []string{
		`{"status":"completed"}`,
		`{"status":["completed"]}`,
		`{"filter":{"field":"pageCount","op":"gte","values":[1]}}`,
		`{"filter":{"field":"pageCount","op":"gte","values":["1"]}}`,
		`{"filter":{"field":"hasOcr","op":"in","values":[true]}}`,
	} {
		status = get[api.BulkStatus](t, b.call(t, b.alice, "POST /api/files/bulk/status", `{"filter":`+filter+`}`), http.StatusOK)
		require.Len(t, status.Items, 1, filter)
		require.Equal(t, read.ID, status.Items[0].FileID)
	}
	e := get[api.Error](t, b.call(t, b.alice, "POST /api/files/bulk/status", `{"filter":{"status":"complete"}}`), http.StatusUnprocessableEntity)
	require.Contains(t, e.Message, "completed_with_warnings", "it names what there is")
	for _, filter := range []string{`{"status":1}`, `{"filter":{"field":"name","op":"in","values":[null]}}`, `{"filter":{"field":"name","op":"in","values":[{}]}}`, `{"filter":{"field":"name","op":"in","values":"x"}}`} {
		get[api.Error](t, b.call(t, b.alice, "POST /api/files/bulk/status", `{"filter":`+filter+`}`), http.StatusUnprocessableEntity)
	}
	list := get[api.List[api.File]](t, b.call(t, b.alice, `GET /api/files?filter={"field":"pageCount","op":"gte","values":[1]}`, ""), http.StatusOK)
	require.Len(t, list.Items, 1)
	get[api.Error](t, b.call(t, b.alice, `GET /api/files?filter={"field":"pageCount","op":"gte","values":[[1]]}`, ""), http.StatusUnprocessableEntity)
}
