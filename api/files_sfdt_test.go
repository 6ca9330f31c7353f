package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

// sfdtAnswer is what getSFDT writes.
type sfdtAnswer struct {
	FileID  string          `json:"fileId"`
	Version int             `json:"version"`
	Source  string          `json:"source"`
	SFDT    json.RawMessage `json:"sfdt"`
}

// word is an uploaded Word document of who, after somebody has looked at it.
func (b *bundle) word(t testing.TB, who caller, passages ...docx.Passage) api.File {
	t.Helper()
	data, err := docx.Build(passages)
	require.NoError(t, err)
	f := get[api.File](t, b.upload(t, who, nil, [2]string{"lease.docx", string(data)}), http.StatusAccepted)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SetKind(t.Context(), db.System(who.scope.TeamID), f.ID, "docx", docx.ContentType, 1)
	}))
	return f
}

// lines are the paragraphs of an answer.
func lines(t testing.TB, document []byte) []string {
	t.Helper()
	saved, err := sfdt.Read(document)
	require.NoError(t, err)
	all := make([]string, len(saved.Text))
	for i, line := range saved.Text {
		all[i] = line.String()
	}
	return all
}

func TestSFDT(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.word(t, b.alice, docx.Passage{Kind: docx.Heading, Text: "Lease"}, docx.Passage{Text: "The tenant pays."})
	path := "GET /api/files/" + f.ID + "/sfdt"
	w := b.call(t, b.alice, path, "")
	out := get[sfdtAnswer](t, w, http.StatusOK)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.Equal(t, f.ID, out.FileID)
	require.Equal(t, "docx", out.Source)
	require.Equal(t, f.Version, out.Version)
	require.Equal(t, []string{"Lease", "The tenant pays."}, lines(t, out.SFDT))

	short := b.call(t, b.alice, path+"?optimized=true", "")
	require.Equal(t, lines(t, out.SFDT), lines(t, short.Body.Bytes()), "the whole answer is what the editor opens")
	require.True(t, strings.HasPrefix(string(get[sfdtAnswer](t, short, http.StatusOK).SFDT), `"UEsD`))

	require.NotEqual(t, w.Header().Get("ETag"), short.Header().Get("ETag"))
	r := request(t, b.alice, path, "")
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, b.send(t, r).Code)

	get[api.Error](t, b.call(t, b.mallory, path, ""), http.StatusNotFound)
}

// TestSFDTViews shows the open changes.
func TestSFDTViews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.")
	get[api.CreatedChanges](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"type":"replace","anchor":{"text":"thirty"},"text":"sixty"}`), http.StatusCreated)
	path := "GET /api/files/" + f.ID + "/sfdt?wait=0&view="
	require.Equal(t, []string{"The term is thirty days."}, lines(t, get[sfdtAnswer](t, b.call(t, b.alice, path+"original", ""), http.StatusOK).SFDT))

	w := b.call(t, b.alice, path+"redline", "")
	require.Equal(t, http.StatusAccepted, w.Code)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
	rows, err := b.db.Changes(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	var change redline.Change
	require.NoError(t, json.Unmarshal(rows[0].Body, &change))
	data, err := docx.Build([]docx.Passage{{Kind: docx.BodyPassage, Text: "The term is thirty days."}})
	require.NoError(t, err)
	b.finish(t, b.alice, data, []redline.Change{change}, redline.Options{})

	w = b.call(t, b.alice, path+"redline", "")
	out := get[sfdtAnswer](t, w, http.StatusOK)
	require.Equal(t, "docx", out.Source)
	require.Equal(t, []string{"The term is thirtysixty days."}, lines(t, out.SFDT))
	saved, err := sfdt.Read(out.SFDT)
	require.NoError(t, err)
	require.Len(t, saved.Revisions, 2)
	e := get[api.Error](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"sfdt":`+string(out.SFDT)+`}`), http.StatusConflict)
	require.Equal(t, "stale_document", e.Code)
	require.Contains(t, e.Message, "open the view original")
	require.Equal(t, lines(t, out.SFDT), lines(t, b.call(t, b.alice, path+"redline&optimized=true", "").Body.Bytes()))

	// The view revision has no marks to know it by.
	result, err := redline.Execute(data, []redline.Change{change}, redline.Options{Clean: true})
	require.NoError(t, err)
	clean, err := docx.Open(result.Document)
	require.NoError(t, err)
	shown, err := sfdt.Convert(clean)
	require.NoError(t, err)
	for _, encode := range []func(io.Writer) error{shown.Encode, shown.EncodeShort} {
		var saved bytes.Buffer
		require.NoError(t, encode(&saved))
		require.Equal(t, []string{"The term is sixty days."}, lines(t, saved.Bytes()))
		e = get[api.Error](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"sfdt":`+saved.String()+`}`), http.StatusConflict)
		require.Equal(t, "stale_document", e.Code)
		require.Contains(t, e.Message, "open the view original")
	}
	r := request(t, b.alice, path+"redline", "")
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, b.send(t, r).Code)

	get[api.Error](t, b.call(t, b.mallory, path+"revision", ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.alice, path+"draft", ""), http.StatusUnprocessableEntity)
}

func TestSFDTOfText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	path := "GET /api/files/" + f.ID + "/sfdt"
	e := get[api.Error](t, b.call(t, b.alice, path, ""), http.StatusConflict)
	require.Contains(t, e.Message, "not read yet")

	b.process(t, b.alice, f.ID)
	out := get[sfdtAnswer](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Equal(t, "text", out.Source)
	require.Equal(t, []string{"Lease", "The tenant pays.", "Exhibit A"}, lines(t, out.SFDT))
}

// TestSFDTBack proposes what somebody did in the editor.
func TestSFDTBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.word(t, b.alice, docx.Passage{Text: "The tenant pays ten."}, docx.Passage{Text: "The landlord repairs."})
	path := "/api/files/" + f.ID
	out := get[sfdtAnswer](t, b.call(t, b.alice, "GET "+path+"/sfdt", ""), http.StatusOK)
	edited := strings.Replace(string(out.SFDT), "pays ten", "pays twelve", 1)
	require.NotEqual(t, string(out.SFDT), edited)
	made := get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path+"/changes", `{"sfdt":`+edited+`}`), http.StatusCreated)
	require.Len(t, made.Items, 1)
	require.Equal(t, "The tenant pays twelve.", made.Items[0].Text)
	require.Empty(t, made.Left)
	get[api.Error](t, b.call(t, b.alice, "POST "+path+"/changes", `{"sfdt":{"no":"sections"}}`), http.StatusBadRequest)

	// Sent again, the first edit is about words that have a change by now; the
	// second one is made.
	again := strings.Replace(edited, "repairs", "mends", 1)
	made = get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path+"/changes", `{"sfdt":`+again+`}`), http.StatusCreated)
	require.Len(t, made.Items, 1)
	require.Equal(t, "The landlord mends.", made.Items[0].Text)
	require.Len(t, made.Left, 1)
	require.Contains(t, made.Left[0], "body, paragraph 0")
}

// TestSFDTOfBrokenWord says what is wrong.
func TestSFDTOfBrokenWord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := get[api.File](t, b.upload(t, b.alice, nil, [2]string{"lease.docx", "PK\x03\x04 and no more"}), http.StatusAccepted)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SetKind(t.Context(), db.System(b.alice.scope.TeamID), f.ID, "docx", docx.ContentType, 1)
	}))
	e := get[api.Error](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/sfdt", ""), http.StatusUnprocessableEntity)
	require.Equal(t, "invalid_document", e.Code)
}
