package api_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

// written is a DOCX of alice's that was read.
func (b *bundle) written(t *testing.T, who caller, lines ...string) api.File {
	t.Helper()
	var passages []docx.Passage
	for _, line := range lines {
		passages = append(passages, docx.Passage{Kind: docx.BodyPassage, Text: line})
	}
	data, err := docx.Build(passages)
	require.NoError(t, err)
	f := get[api.File](t, b.upload(t, who, nil, [2]string{"contract.docx", string(data)}), http.StatusAccepted)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SetKind(t.Context(), who.scope, f.ID, "docx", docx.ContentType, 1)
	}))
	return f
}

func TestChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.", "The end. The end.")
	path := "/api/files/" + f.ID + "/changes"

	made := get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path, `{"type":"replace","anchor":{"text":"thirty"},"text":"sixty","comment":"Why?"}`), http.StatusCreated)
	require.Len(t, made.Items, 1)
	c := made.Items[0]
	require.Equal(t, &redline.Resolved{Part: "body", Start: 12, End: 18, How: redline.Context}, c.Resolved)
	require.Equal(t, "proposed", c.Status)
	require.Equal(t, redline.Author{Name: "Alice", Initials: "A"}, c.Author)

	for body, want := range map[string]string{
		`{"type":"delete","anchor":{"text":"thirty days"}}`: "conflict",
		`{"type":"delete","anchor":{"text":"The end."}}`:    "anchor_ambiguous",
	} {
		e := get[api.Error](t, b.call(t, b.alice, "POST "+path, body), http.StatusConflict)
		require.Equal(t, want, e.Code)
		require.NotEmpty(t, e.Details)
	}
	for body, want := range map[string]string{
		`{"type":"delete","anchor":{"text":"nothing of it"}}`:                                              "anchor_not_found",
		`{"type":"insert","anchor":{"text":"term"},"side":"after","text":"\u0001"}`:                        "invalid_change",
		`{"type":"replace","anchor":{"text":"term"},"text":"term"}`:                                        "no_change",
		`{"changes":[{"type":"delete","anchor":{"text":"is"}},{"type":"deleteRow","anchor":{"block":0}}]}`: "anchor_mismatch",
		`{}`:                                 "invalid",
		`{"compareTo":"` + db.NewID() + `"}`: "invalid",
	} {
		require.Equal(t, want, get[api.Error](t, b.call(t, b.alice, "POST "+path, body), http.StatusUnprocessableEntity).Code, body)
	}
	get[api.Error](t, b.call(t, b.mallory, "POST "+path, `{"type":"delete","anchor":{"text":"is"}}`), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.mallory, "GET "+path, ""), http.StatusNotFound)

	list := get[api.Changes](t, b.call(t, b.alice, "GET "+path, ""), http.StatusOK)
	require.Equal(t, 1, list.Total, "what was refused left nothing")
	require.Equal(t, c.ID, list.Items[0].ID)
	require.Equal(t, f.SHA256, list.Document.SHA256)
	require.Zero(t, get[api.Changes](t, b.call(t, b.alice, "GET "+path+"?origin=document", ""), http.StatusOK).Total)

	withdrawn := get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path, `{"type":"withdraw","target":"`+c.ID+`"}`), http.StatusCreated)
	require.Equal(t, "withdrawn", withdrawn.Items[0].Status)
	require.Equal(t, "conflict", get[api.Error](t, b.call(t, b.alice, "POST "+path, `{"type":"withdraw","target":"`+c.ID+`"}`), http.StatusConflict).Code)
	get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path, `{"type":"delete","anchor":{"text":"thirty days"}}`), http.StatusCreated)

	events, err := b.db.AuditEvents(t.Context(), b.alice.scope, f.ID, 10)
	require.NoError(t, err)
	var actions []string
	for _, e := range events {
		actions = append(actions, e.Action)
	}
	require.Subset(t, actions, []string{"change.proposed", "change.withdrawn"})
}

// TestBlockOfChanges binds words to the paragraph that is named, among many that have them.
func TestBlockOfChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var lines []string
	for i := range 250 {
		lines = append(lines, "Section "+strconv.Itoa(i)+" of the Agreement binds the parties.")
	}
	lines[200] = "Nothing to see."
	f := b.written(t, b.alice, lines...)
	path := "POST /api/files/" + f.ID + "/changes"
	for body, want := range map[string]string{
		`{"type":"delete","anchor":{"block":200,"text":"the","occurrence":1}}`: "anchor_mismatch",
		`{"type":"delete","anchor":{"block":200,"text":"Agreement"}}`:          "anchor_mismatch",
		`{"type":"delete","anchor":{"block":250,"text":"Agreement"}}`:          "anchor_mismatch",
		`{"type":"delete","anchor":{"block":199,"text":"the","occurrence":3}}`: "anchor_mismatch",
	} {
		e := get[api.Error](t, b.call(t, b.alice, path, body), http.StatusUnprocessableEntity)
		require.Equal(t, want, e.Code, body)
	}
	e := get[api.Error](t, b.call(t, b.alice, path, `{"type":"delete","anchor":{"block":200,"text":"the","occurrence":1}}`), http.StatusUnprocessableEntity)
	require.Contains(t, e.Message, "paragraph 200 does not have the words")
	require.Equal(t, "anchor_ambiguous", get[api.Error](t, b.call(t, b.alice, path, `{"type":"delete","anchor":{"block":199,"text":"the"}}`), http.StatusConflict).Code)
	e = get[api.Error](t, b.call(t, b.alice, path, `{"type":"delete","anchor":{"text":"Custmer will pay"}}`), http.StatusUnprocessableEntity)
	require.Equal(t, "anchor_not_found", e.Code)
	require.Len(t, e.Details, 1, "no place is likely")
	for block := 198; block < 200; block++ {
		body := `{"type":"replace","anchor":{"block":` + strconv.Itoa(block) + `,"text":"the","occurrence":2},"text":"all"}`
		made := get[api.CreatedChanges](t, b.call(t, b.alice, path, body), http.StatusCreated)
		require.Equal(t, block, made.Items[0].Resolved.Block)
		require.Equal(t, strings.LastIndex(lines[block], "the"), made.Items[0].Resolved.Start)
	}
}

func TestCompareIntoChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.", "Fees are payable at once and in full.", "The end.")
	other := b.written(t, b.alice, "The term is sixty days.", "The end.", "Fees are payable at once and in full.")
	made := get[api.CreatedChanges](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"compareTo":"`+other.ID+`"}`), http.StatusCreated)
	require.NotEmpty(t, made.Items)
	require.Equal(t, "rewrite", made.Items[0].Type)
	require.Equal(t, "The term is sixty days.", made.Items[0].Text)

	page := get[api.CreatedChanges](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"compareTo":"`+other.ID+`","preview":true,"html":true}`), http.StatusCreated)
	require.Contains(t, page.HTML, ">sixty</ins>")
	get[api.Error](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"compareTo":"`+other.ID+`","html":true}`), http.StatusUnprocessableEntity)
}

func TestPreviewChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.", "Fees are payable at once and in full.", "The end.")
	other := b.written(t, b.alice, "The term is sixty days.", "The end.", "Fees are payable at once and in full.")
	path := "/api/files/" + f.ID + "/changes"
	made := get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path, `{"compareTo":"`+other.ID+`","compareToVersion":1,"version":1,"preview":true}`), http.StatusCreated)
	require.NotEmpty(t, made.Items)
	require.Len(t, made.Moves, 1)
	require.Equal(t, &redline.Resolved{Part: "body", End: 24, How: redline.Exact}, made.Items[0].Resolved)
	require.Zero(t, get[api.Changes](t, b.call(t, b.alice, "GET "+path, ""), http.StatusOK).Total, "nothing is stored")
	get[api.Error](t, b.call(t, b.alice, "POST "+path, `{"compareTo":"`+other.ID+`","compareToVersion":2,"preview":true}`), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.alice, "POST "+path, `{"type":"delete","anchor":{"text":"thirty "},"version":2,"preview":true}`), http.StatusNotFound)
	for _, body := range []string{`{"type":"delete","anchor":{"text":"thirty "},"version":1}`, `{"type":"delete","anchor":{"text":"thirty "},"compareToVersion":1}`} {
		get[api.Error](t, b.call(t, b.alice, "POST "+path, body), http.StatusUnprocessableEntity)
	}

	list := get[api.Changes](t, b.call(t, b.alice, "GET "+path+"?passages=true", ""), http.StatusOK)
	require.Len(t, list.Passages, 3)
	require.Equal(t, []redline.PassageRun{{Text: "The term is thirty days.", End: 24}}, list.Passages[0].Runs)
	require.Empty(t, get[api.Changes](t, b.call(t, b.alice, "GET "+path, ""), http.StatusOK).Passages)
}

// executionAsked is the job that was asked for.
func (b *bundle) executionAsked(t *testing.T) (job jobs.ExecuteChanges) {
	t.Helper()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		job = rivertest.RequireInsertedTx[*riverpgxv5.Driver](t.Context(), t, tx.Raw, jobs.ExecuteChanges{}, nil).Args
		return nil
	}))
	return job
}

// end keeps what came of a job, as a worker would.
func (b *bundle) end(t *testing.T, who caller, job jobs.ExecuteChanges, outcome redline.Outcome, document []byte) {
	t.Helper()
	encoded, err := json.Marshal(outcome)
	require.NoError(t, err)
	key, err := hex.DecodeString(job.Key)
	require.NoError(t, err)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SaveRendition(t.Context(), who.scope, job.DocumentID, key, db.Rendition{Report: encoded, Document: document}, db.KeepRendition)
	}))
}

// finish does what a worker would with the job that was asked for.
func (b *bundle) finish(t *testing.T, who caller, data []byte, changes []redline.Change, options redline.Options) *redline.Result {
	t.Helper()
	job := b.executionAsked(t)
	r, err := redline.Execute(data, changes, options)
	require.NoError(t, err)
	report := r.Report("docx", redline.Base{SHA256: job.BaseSHA256, Version: 1})
	b.end(t, who, job, redline.Outcome{Report: &report}, r.Document)
	return r
}

func TestExecuteRedline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.")
	made := get[api.CreatedChanges](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"type":"replace","anchor":{"text":"thirty"},"text":"sixty"}`), http.StatusCreated)
	path := "GET /api/files/" + f.ID + "/execute-redline?wait=0"

	w := b.call(t, b.alice, path, "")
	require.Equal(t, http.StatusAccepted, w.Code)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
	b.end(t, b.alice, b.executionAsked(t), redline.Outcome{Error: redline.NewFailure(errors.New("no such thing"))}, nil)
	w = b.call(t, b.alice, path, "")
	require.NotEmpty(t, w.Header().Get("Retry-After"))
	require.Contains(t, get[api.Error](t, w, http.StatusInternalServerError).Message, "could not be made")
	rows, err := b.db.Changes(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	var change redline.Change
	require.NoError(t, json.Unmarshal(rows[0].Body, &change))
	data, err := docx.Build([]docx.Passage{{Kind: docx.BodyPassage, Text: "The term is thirty days."}})
	require.NoError(t, err)
	result := b.finish(t, b.alice, data, []redline.Change{change}, redline.Options{})

	out := get[struct {
		Kind     string
		Applied  []redline.Done
		Checks   redline.Checks
		Document api.RenditionDocument
	}](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Equal(t, "redline", out.Kind)
	require.Equal(t, made.Items[0].ID, out.Applied[0].ID)
	require.True(t, out.Checks.OK())
	require.Equal(t, base64.StdEncoding.EncodeToString(result.Document), base64.StdEncoding.EncodeToString(out.Document.Base64))

	w = b.call(t, b.alice, path+"&format=docx", "")
	require.Equal(t, docx.ContentType, w.Header().Get("Content-Type"))
	require.Equal(t, `"`+redline.SHA256(result.Document)+`"`, w.Header().Get("ETag"))
	require.Equal(t, result.Document, w.Body.Bytes())
	w = b.call(t, b.alice, path+"&format=sfdt", "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, sfdt.ContentType, w.Header().Get("Content-Type"))
	require.Contains(t, w.Body.String(), `"revisions"`)

	w = b.call(t, b.alice, path+"&format=html", "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
	require.Contains(t, w.Header().Get("Content-Disposition"), "attachment")
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "sandbox")
	require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	require.Contains(t, w.Body.String(), ">sixty</ins>")

	require.Equal(t, "stale_document", get[api.Error](t, b.call(t, b.alice, path+"&base=00", ""), http.StatusConflict).Code)
	get[api.Error](t, b.call(t, b.alice, path+"&changes="+db.NewID(), ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.mallory, path, ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.aliceKey, path, ""), http.StatusForbidden)
}

// TestFailedFilesAreNotAskedForAgain has files of which there will be no text:
// nobody is told to wait for it.
func TestFailedFilesAreNotAskedForAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := db.System(b.alice.scope.TeamID)
	f := b.file(t, b.alice)
	lines := []string{
		"GET /api/files/" + f.ID + "/sfdt", "GET /api/files/" + f.ID + "/changes", "GET /api/files/" + f.ID + "/execute-redline",
		"GET /api/files/" + f.ID + "/execute-revision", "GET /api/files/" + f.ID + "/tokens", "GET /api/files/" + f.ID + "/radar",
		"POST /api/files/" + f.ID + "/stats", "POST /api/files/" + f.ID + "/execute-all",
	}
	asked := func(line string) (*httptest.ResponseRecorder, api.Error) {
		w := b.call(t, b.alice, line, "")
		return w, get[api.Error](t, w, http.StatusConflict)
	}
	for _, line := range lines[:2] {
		w, e := asked(line)
		require.Equal(t, "not_ready", e.Code, line)
		require.NotEmpty(t, w.Header().Get("Retry-After"), line)
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		cause := fault.File(fault.PasswordProtected, "the file is protected by a password", nil)
		return tx.FailAttempt(t.Context(), in, db.Attempt{FileID: f.ID, Number: 1}, db.StageReceived, cause)
	}))
	for _, line := range lines {
		w, e := asked(line)
		require.Equal(t, "no_text", e.Code, line)
		require.Equal(t, "there is no text of this file: the file is protected by a password", e.Message, line)
		require.Empty(t, w.Header().Get("Retry-After"), line)
	}

	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE files SET status = 'completed', stage = 'done', kind = 'zip' WHERE id = $1`, f.ID)
		return err
	}))
	_, e := asked(lines[5])
	require.Equal(t, "there is no text of this file: it is an archive: ask for the files that came out of it", e.Message)
}

func TestExecuteRevision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.")
	get[api.CreatedChanges](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"type":"replace","anchor":{"text":"thirty"},"text":"sixty"}`), http.StatusCreated)
	path := "GET /api/files/" + f.ID + "/execute-revision?wait=0"
	get[api.Message](t, b.call(t, b.alice, path, ""), http.StatusAccepted)
	rows, err := b.db.Changes(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	var change redline.Change
	require.NoError(t, json.Unmarshal(rows[0].Body, &change))
	data, err := docx.Build([]docx.Passage{{Kind: docx.BodyPassage, Text: "The term is thirty days."}})
	require.NoError(t, err)
	result := b.finish(t, b.alice, data, []redline.Change{change}, redline.Options{Clean: true})

	out := get[api.Rendition](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Equal(t, "revision", out.Kind)
	require.Zero(t, out.Revisions.After)
	require.Equal(t, result.Document, out.Document.Base64)
}

// TestExecuteAll has the job of a processed Word document asked for, with the version
// that the caller has seen.
func TestExecuteAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.")
	change := get[api.CreatedChanges](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"type":"replace","anchor":{"text":"thirty"},"text":"sixty"}`), http.StatusCreated)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE files SET status = 'completed', stage = 'done' WHERE id = $1`, f.ID)
		return err
	}))
	path := "POST /api/files/" + f.ID + "/execute-all"
	require.Equal(t, "stale_document", get[api.Error](t, b.call(t, b.alice, path, `{"base":"00"}`), http.StatusConflict).Code)
	asked := get[api.Accepted](t, b.call(t, b.alice, path, `{"base":"`+f.SHA256+`"}`), http.StatusAccepted)
	job := b.executionAsked(t)
	require.Equal(t, "all", job.Mode)
	require.Equal(t, []string{change.Items[0].ID}, job.ChangeIDs)
	require.Equal(t, asked.OperationID, job.OperationID)
}

func TestExecuteDecisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.")
	path := "POST /api/files/" + f.ID + "/execute-redline-revisions"
	out := get[api.Executed](t, b.call(t, b.alice, path, ""), http.StatusOK)
	nothing := api.Executed{Accepted: []string{}, Rejected: []string{}, Version: 1}
	require.Equal(t, nothing, out, "nothing decided, nothing done")
	require.Equal(t, nothing, get[api.Executed](t, b.call(t, b.alice, path, `{"base":""}`), http.StatusOK))
	require.Equal(t, "not_ready", get[api.Error](t, b.call(t, b.alice, path+"?decision=accept", ""), http.StatusConflict).Code)
	require.Equal(t, "not_ready", get[api.Error](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/execute-all", ""), http.StatusConflict).Code)
	get[api.Error](t, b.call(t, b.mallory, path, ""), http.StatusNotFound)
}
