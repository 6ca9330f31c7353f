package api_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
)

// addVersion gives a file another version without asking for it.
func (b *bundle) addVersion(t *testing.T, who caller, fileID, name, content string) (file db.File) {
	t.Helper()
	v := db.NewVersion{BytesID: db.NewID(), Name: name, ContentType: "application/octet-stream", Source: db.VersionImported}
	written, err := b.blobs.Put(t.Context(), blob.Version(v.BytesID), strings.NewReader(content), 1<<20)
	require.NoError(t, err)
	v.Size, v.SHA256 = written.Size, written.SHA256[:]
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		held, err := tx.FileForUpdate(t.Context(), who.scope, fileID)
		if err != nil {
			return err
		}
		file, err = tx.AddVersion(t.Context(), who.scope, held, v, false)
		return err
	}))
	return file
}

// sendVersion sends a version as a form.
func (b *bundle) sendVersion(t *testing.T, who caller, fileID string, fields [][2]string, files ...[2]string) *httptest.ResponseRecorder {
	t.Helper()
	body, contentType := form(t, fields, files...)
	r := request(t, who, "POST /api/files/"+fileID+"/versions", body.String())
	r.Header.Set("Content-Type", contentType)
	return b.send(t, r)
}

func TestAddVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := get[api.File](t, b.upload(t, b.alice, nil, [2]string{"lease.txt", "The term is one year."}), http.StatusAccepted)
	require.Equal(t, 1, f.CurrentVersion)
	require.Nil(t, f.TextVersion)
	path := "/api/files/" + f.ID + "/versions"

	w := b.sendVersion(t, b.alice, f.ID, [][2]string{{"note", "from the other side"}, {"expectVersion", "1"}}, [2]string{"Lease (2).docx", "PK\x03\x04 second"})
	added := get[api.VersionAdded](t, w, http.StatusAccepted)
	require.Equal(t, added.StatusURL, w.Header().Get("Location"))
	v := added.Version
	require.Equal(t, 2, v.N)
	require.True(t, v.Current)
	require.Equal(t, db.VersionImported, v.Source)
	require.Equal(t, "from the other side", v.Note)
	require.Equal(t, "Lease (2).docx", v.Name)
	require.Equal(t, &api.Actor{Kind: "user", ID: b.alice.scope.ActorID, Name: "Alice"}, v.Author)
	require.False(t, v.TextReady)
	require.Equal(t, 1, b.asked(t, b.alice, f.ID), "the work on the first has ended")
	now := get[api.File](t, b.call(t, b.alice, "GET /api/files/"+f.ID, ""), http.StatusOK)
	require.Equal(t, 2, now.CurrentVersion)
	require.Equal(t, "lease.docx", now.Name)
	require.Equal(t, db.FileQueued, now.Status)
	require.Equal(t, v.SHA256, now.SHA256)
	operation := get[struct{ Kind, State string }](t, b.call(t, b.alice, "GET "+added.StatusURL, ""), http.StatusOK)
	require.Equal(t, "version", operation.Kind)
	require.Equal(t, "running", operation.State)

	// As JSON, of what the caller has downloaded.
	download := b.call(t, b.alice, "GET /api/files/"+f.ID+"/download", "")
	etag := download.Header().Get("ETag")
	body := func(fields string) string {
		return `{"name":"third.txt","contentBase64":"` + base64.StdEncoding.EncodeToString([]byte("The third.")) + `"` + fields + `}`
	}
	send := func(match, body string, key ...string) *httptest.ResponseRecorder {
		r := request(t, b.alice, "POST "+path, body)
		r.Header.Set("If-Match", match)
		if len(key) > 0 {
			r.Header.Set("Idempotency-Key", key[0])
		}
		return b.send(t, r)
	}
	before := b.storedBytes(t)
	for _, stale := range []string{`"1-` + f.SHA256 + `"`, `"1.x"`, `"nothing"`} {
		get[api.Error](t, send(stale, body("")), http.StatusConflict)
	}
	for _, number := range []string{"1", "3"} {
		e := get[api.Error](t, send("", body(`,"expectVersion":`+number)), http.StatusConflict)
		require.Contains(t, e.Message, "version 2")
	}
	large := get[api.Error](t, send("", body(`,"expectVersion":1e300`)), http.StatusUnprocessableEntity)
	require.Contains(t, large.Message, "body.expectVersion: is out of range")
	require.Equal(t, before, b.storedBytes(t), "of what is refused no bytes are left")
	third := get[api.VersionAdded](t, send(etag, body(`,"expectVersion":2`), "once"), http.StatusAccepted)
	require.Equal(t, 3, third.Version.N)
	again := get[api.VersionAdded](t, send(etag, body(`,"expectVersion":2`), "once"), http.StatusAccepted)
	require.Equal(t, third, again, "the first answer, although the file has that version by now")
	get[api.Error](t, send(etag, body(`,"note":"other"`), "once"), http.StatusUnprocessableEntity)
	require.Equal(t, before+1, b.storedBytes(t))
	fileTag := b.call(t, b.alice, "GET /api/files/"+f.ID, "").Header().Get("ETag")

	// The same bytes are no version.
	same := get[api.VersionAdded](t, send(fileTag, body("")), http.StatusOK)
	require.Equal(t, 3, same.Version.N)
	require.Empty(t, same.OperationID)
	require.Equal(t, before+1, b.storedBytes(t))

	list := get[api.List[api.FileVersion]](t, b.call(t, b.alice, "GET "+path+"?limit=2", ""), http.StatusOK)
	require.Equal(t, 3, *list.Total)
	require.Equal(t, []int{3, 2}, []int{list.Items[0].N, list.Items[1].N})
	require.Equal(t, []bool{true, false}, []bool{list.Items[0].Current, list.Items[1].Current})
	list = get[api.List[api.FileVersion]](t, b.call(t, b.alice, "GET "+path+"?limit=2&cursor="+list.NextCursor, ""), http.StatusOK)
	require.Len(t, list.Items, 1)
	require.Equal(t, db.VersionUploaded, list.Items[0].Source)
	require.Equal(t, f.SHA256, list.Items[0].SHA256)

	// Back to the first.
	restore := func(line, body string) *httptest.ResponseRecorder { return b.call(t, b.alice, "POST "+path+line, body) }
	get[api.Error](t, restore("/1/restore", `{"expectVersion":2}`), http.StatusConflict)
	get[api.Error](t, restore("/9/restore", ""), http.StatusNotFound)
	restored := get[api.VersionAdded](t, restore("/1/restore?note=as+agreed", ""), http.StatusAccepted)
	require.Equal(t, 4, restored.Version.N)
	require.Equal(t, 1, *restored.Version.RestoredFrom)
	require.Equal(t, "as agreed", restored.Version.Note)
	require.Equal(t, f.SHA256, restored.Version.SHA256)
	require.Equal(t, "The term is one year.", b.call(t, b.alice, "GET /api/files/"+f.ID+"/download", "").Body.String())
	require.Equal(t, "The third.", b.call(t, b.alice, "GET /api/files/"+f.ID+"/download?version=3", "").Body.String())
	require.Equal(t, before+1, b.storedBytes(t), "a version that is brought back has the bytes that it had")
	unchanged := get[api.VersionAdded](t, restore("/1/restore", ""), http.StatusOK)
	require.Equal(t, 4, unchanged.Version.N)
	get[api.VersionAdded](t, restore("/2/restore", `{"expectVersion":4}`), http.StatusAccepted)
	require.Equal(t, "restored from 2", get[api.FileVersion](t, b.call(t, b.alice, "GET "+path+"/5", ""), http.StatusOK).Note)

	// What no version can be made of.
	for name, tt := range map[string]struct {
		fields [][2]string
		files  [][2]string
		status int
	}{
		"None":       {nil, nil, http.StatusBadRequest},
		"Two":        {nil, [][2]string{{"a.txt", "One."}, {"b.txt", "Two."}}, http.StatusUnprocessableEntity},
		"Program":    {nil, [][2]string{{"a.exe", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"}}, http.StatusUnsupportedMediaType},
		"Unknown":    {[][2]string{{"metadata", "{}"}}, [][2]string{{"a.txt", "One."}}, http.StatusUnprocessableEntity},
		"NoNumber":   {[][2]string{{"expectVersion", "x"}}, [][2]string{{"a.txt", "One."}}, http.StatusUnprocessableEntity},
		"AfterFiles": {[][2]string{{"expectVersion", "0"}}, [][2]string{{"a.txt", "One."}}, http.StatusUnprocessableEntity},
	} {
		get[api.Error](t, b.sendVersion(t, b.alice, f.ID, tt.fields, tt.files...), tt.status)
		require.Equal(t, before+1, b.storedBytes(t), name)
	}
	for _, who := range []caller{b.mallory, b.acme} {
		get[api.Error](t, b.sendVersion(t, who, f.ID, nil, [2]string{"a.txt", "One."}), http.StatusNotFound)
		get[api.Error](t, b.call(t, who, "GET "+path, ""), http.StatusNotFound)
		get[api.Error](t, b.call(t, who, "GET "+path+"/1", ""), http.StatusNotFound)
		get[api.Error](t, b.call(t, who, "POST "+path+"/1/restore", ""), http.StatusNotFound)
	}
	get[api.Error](t, b.sendVersion(t, b.aliceKey, f.ID, nil, [2]string{"a.txt", "One."}), http.StatusForbidden)
	require.Equal(t, before+1, b.storedBytes(t))

	events, err := b.db.AuditEvents(t.Context(), b.alice.scope, f.ID, 50)
	require.NoError(t, err)
	versions := 0
	for _, e := range events {
		if e.Action == "file.version_added" {
			versions++
		}
	}
	require.Equal(t, 4, versions)
}

// TestVersionsOfDocument asks what each version of a Word document says.
func TestVersionsOfDocument(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.", "The end.")
	path := "/api/files/" + f.ID
	proposed := get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path+"/changes", `{"type":"replace","anchor":{"text":"thirty"},"text":"sixty"}`), http.StatusCreated)
	require.Equal(t, 1, proposed.Items[0].Version)

	document, err := docx.Build([]docx.Passage{{Kind: docx.BodyPassage, Text: "The term is ninety days."}, {Kind: docx.BodyPassage, Text: "The end."}})
	require.NoError(t, err)
	marked, err := redline.Execute(document, []redline.Change{{
		ID: "1", Type: redline.Insert, Anchor: redline.Anchor{Text: "end"}, Side: redline.After, Text: " of it", Author: redline.Author{Name: "Bob of Them"},
	}}, redline.Options{})
	require.NoError(t, err)
	b.addVersion(t, b.alice, f.ID, "back.docx", string(marked.Document))
	list := func(query string, status int) api.Changes {
		return get[api.Changes](t, b.call(t, b.alice, "GET "+path+"/changes"+query, ""), status)
	}
	get[api.Error](t, b.call(t, b.alice, "GET "+path+"/changes", ""), http.StatusConflict) // nobody has looked at it yet
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SetKind(t.Context(), b.alice.scope, f.ID, "docx", docx.ContentType, 1)
	}))

	now := list("", http.StatusOK)
	require.Equal(t, 2, now.Document.Version)
	require.Equal(t, 2, now.Total, "the open change, and what they changed")
	require.Equal(t, "Bob of Them", now.Items[1].Author.Name)
	first := list("?version=1", http.StatusOK)
	require.Equal(t, f.SHA256, first.Document.SHA256)
	require.Equal(t, 1, first.Document.Version)
	require.Equal(t, proposed.Items[0].ID, first.Items[0].ID)
	require.Equal(t, 1, first.Total)
	second := list("?version=2", http.StatusOK)
	require.Equal(t, 1, second.Total)
	require.Equal(t, "Bob of Them", second.Items[0].Author.Name)
	for _, op := range []string{"changes", "sfdt", "documents", "download", "execute-redline", "execute-revision"} {
		get[api.Error](t, b.call(t, b.alice, "GET "+path+"/"+op+"?version=3", ""), http.StatusNotFound)
		get[api.Error](t, b.call(t, b.mallory, "GET "+path+"/"+op+"?version=1", ""), http.StatusNotFound)
	}

	sfdt := func(query string) (string, string) {
		w := b.call(t, b.alice, "GET "+path+"/sfdt"+query, "")
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		return w.Body.String(), w.Header().Get("ETag")
	}
	of1, tag1 := sfdt("?version=1")
	of2, tag2 := sfdt("")
	require.Contains(t, of1, "thirty")
	require.Contains(t, of2, "ninety")
	require.Contains(t, of2, `"version":2`)
	require.NotEqual(t, tag1, tag2)

	// The redline of each is made of that.
	w := b.call(t, b.alice, "GET "+path+"/execute-redline?version=1&wait=0", "")
	require.Equal(t, http.StatusAccepted, w.Code)
	job := b.executionAsked(t)
	require.Equal(t, 1, job.Version)
	require.Equal(t, f.SHA256, job.BaseSHA256)
	require.Equal(t, "stale_document", get[api.Error](t, b.call(t, b.alice, "GET "+path+"/execute-redline?base="+f.SHA256, ""), http.StatusConflict).Code)
}

// TestEarlierDocuments reads what was read in a version that is no more the
// current one.
func TestEarlierDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	b.read(t, b.alice, f.ID, supply)
	path := "GET /api/files/" + f.ID + "/documents"
	whole := get[api.Documents](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Equal(t, 1, *whole.Version)
	require.NotZero(t, whole.Total)

	b.addVersion(t, b.alice, f.ID, "second.txt", "x")
	unread := get[api.Documents](t, b.call(t, b.alice, path+"?version=2", ""), http.StatusOK)
	require.False(t, unread.TextReady)
	require.Nil(t, unread.Version)
	require.Empty(t, unread.Items)
	still := get[api.Documents](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Equal(t, 1, *still.Version)
	require.Equal(t, whole.Items, still.Items)
	require.Equal(t, whole.Items, get[api.Documents](t, b.call(t, b.alice, path+"?version=1", ""), http.StatusOK).Items)

	b.read(t, b.alice, f.ID, "Nothing of it is left.")
	require.Equal(t, 2, *get[api.Documents](t, b.call(t, b.alice, path, ""), http.StatusOK).Version)
	kept := get[api.Documents](t, b.call(t, b.alice, path+"?version=1", ""), http.StatusOK)
	require.Equal(t, 1, *kept.Version)
	require.True(t, kept.TextReady)
	require.Equal(t, whole.Items, kept.Items)
	require.Equal(t, whole.Attributes, kept.Attributes)
	require.Equal(t, whole.Total, kept.Total)

	// Page by page it is the same.
	var texts []string
	for cursor := ""; ; {
		page := get[api.Documents](t, b.call(t, b.alice, path+"?version=1&limit=1&cursor="+cursor, ""), http.StatusOK)
		for _, d := range page.Items {
			for _, block := range d.Blocks {
				texts = append(texts, block.Text)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
		get[api.Error](t, b.call(t, b.alice, path+"?cursor="+cursor, ""), http.StatusUnprocessableEntity)
	}
	require.Len(t, texts, whole.Total)

	b.addVersion(t, b.alice, f.ID, "third.txt", "y")
	b.addVersion(t, b.alice, f.ID, "fourth.txt", "z")
	b.read(t, b.alice, f.ID, "The fourth.")
	require.Contains(t, get[api.Error](t, b.call(t, b.alice, path+"?version=3", ""), http.StatusConflict).Message, "before it was read")
}

// TestSaveEdits makes a version of what the editor saved.
func TestSaveEdits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.", "The end.")
	path := "/api/files/" + f.ID
	opened := get[struct{ SFDT json.RawMessage }](t, b.call(t, b.alice, "GET "+path+"/sfdt", ""), http.StatusOK)
	edited := strings.Replace(string(opened.SFDT), "thirty", "sixty", 1)
	require.NotEqual(t, string(opened.SFDT), edited)

	get[api.Error](t, b.call(t, b.alice, "POST "+path+"/versions", `{"sfdt":`+edited+`}`), http.StatusConflict) // it is being read
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.CompleteAttempt(t.Context(), b.alice.scope, db.Attempt{FileID: f.ID, Number: 1})
	}))
	get[api.Error](t, b.call(t, b.alice, "POST "+path+"/versions", `{"sfdt":`+edited+`,"expectVersion":2}`), http.StatusConflict)
	require.Zero(t, get[api.Changes](t, b.call(t, b.alice, "GET "+path+"/changes", ""), http.StatusOK).Total, "of what is refused nothing is left")
	same := get[api.VersionAdded](t, b.call(t, b.alice, "POST "+path+"/versions", `{"sfdt":`+string(opened.SFDT)+`}`), http.StatusOK)
	require.Equal(t, 1, same.Version.N)

	w := b.call(t, b.alice, "POST "+path+"/versions", `{"sfdt":`+edited+`,"expectVersion":1,"note":"after the call"}`)
	added := get[api.VersionAdded](t, w, http.StatusAccepted)
	require.Nil(t, added.Version)
	require.NotEmpty(t, added.OperationID)
	var job jobs.ExecuteChanges
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		job = rivertest.RequireInsertedTx[*riverpgxv5.Driver](t.Context(), t, tx.Raw, jobs.ExecuteChanges{}, nil).Args
		return nil
	}))
	require.Equal(t, "edit", job.Mode)
	require.Equal(t, "after the call", job.Note)
	require.Equal(t, added.OperationID, job.OperationID)
	require.Len(t, job.ChangeIDs, 1)
	get[api.Error](t, b.call(t, b.alice, "POST "+path+"/versions", `{"sfdt":"no document"}`), http.StatusBadRequest)
	text := b.file(t, b.alice)
	b.read(t, b.alice, text.ID, "Some text.")
	opened = get[struct{ SFDT json.RawMessage }](t, b.call(t, b.alice, "GET /api/files/"+text.ID+"/sfdt", ""), http.StatusOK)
	require.Equal(t, "not_docx", get[api.Error](t, b.call(t, b.alice, "POST /api/files/"+text.ID+"/versions", `{"sfdt":`+string(opened.SFDT)+`}`), http.StatusUnprocessableEntity).Code)
}

// TestNotCarried lists what found no place in a version.
func TestNotCarried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.")
	proposed := get[api.CreatedChanges](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/changes", `{"type":"replace","anchor":{"text":"thirty"},"text":"sixty"}`), http.StatusCreated)
	held := b.addVersion(t, b.alice, f.ID, "back.docx", "PK")
	label, source := "renewal_term", "validated"
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		if err := tx.CarryChanges(t.Context(), b.alice.scope, held, nil, map[string]json.RawMessage{
			proposed.Items[0].ID: json.RawMessage(`{"id":"` + proposed.Items[0].ID + `","code":"anchor_not_found","error":"the words are gone"}`),
		}); err != nil {
			return err
		}
		_, err := tx.SaveText(t.Context(), b.alice.scope, f.ID, db.Text{Orphaned: []db.Sentence{{Text: "The term is one year.", Labelling: db.Labelling{Label: &label, Source: &source, ValidatedBy: &b.alice.scope.ActorID}}}})
		return err
	}))
	v := get[api.FileVersion](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/versions/2", ""), http.StatusOK)
	require.Len(t, v.NotCarried, 2)
	require.Equal(t, api.NotCarried{Kind: "label", Text: "The term is one year.", Label: &label, DecidedBy: &b.alice.scope.ActorID}, v.NotCarried[0])
	require.Equal(t, "thirty", v.NotCarried[1].Text)
	require.Equal(t, "the words are gone", v.NotCarried[1].Error)
	require.Equal(t, proposed.Items[0].ID, v.NotCarried[1].ChangeID)
	require.Empty(t, get[api.FileVersion](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/versions/1", ""), http.StatusOK).NotCarried)
	changes := get[api.Changes](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/changes?version=1", ""), http.StatusOK)
	require.Equal(t, []any{"stale", 1, 2}, []any{changes.Items[0].Status, changes.Items[0].Version, changes.Items[0].Ended})
}

func TestReviewVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.written(t, b.alice, "The term is thirty days.", "The fee is ten euros a month.", "Notices are given by letter.")
	path := "/api/files/" + f.ID
	made := get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path+"/changes", `{"changes":[{"type":"replace","anchor":{"text":"ten"},"text":"five"},{"type":"replace","anchor":{"text":"letter"},"text":"mail"}]}`), http.StatusCreated)
	get[api.Error](t, b.call(t, b.alice, "GET "+path+"/versions/1/review", ""), http.StatusUnprocessableEntity)

	var passages []docx.Passage
	for _, line := range []string{"The term is thirty days.", "The fee is ninety euros a month.", "Notices are given by letter."} {
		passages = append(passages, docx.Passage{Kind: docx.BodyPassage, Text: line})
	}
	data, err := docx.Build(passages)
	require.NoError(t, err)
	b.addVersion(t, b.alice, f.ID, "contract.docx", string(data))
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SetKind(t.Context(), b.alice.scope, f.ID, "docx", docx.ContentType, 2)
	}))
	review := get[api.VersionReview](t, b.call(t, b.alice, "GET "+path+"/versions/2/review", ""), http.StatusOK)
	require.Equal(t, 1, review.Since.Version)
	require.Equal(t, []string{redline.Untracked}, review.Warnings)
	require.Len(t, review.Untracked, 1)
	require.Equal(t, "The fee is ninety euros a month.", review.Untracked[0].Text)
	require.Equal(t, []string{made.Items[1].ID}, review.Carried)
	require.Len(t, review.Conflicts, 1)
	require.Equal(t, made.Items[0].ID, review.Conflicts[0].Change.ID)
	require.Equal(t, "The fee is five euros a month.", review.Conflicts[0].Ours)
	require.Equal(t, "The fee is ninety euros a month.", review.Conflicts[0].Theirs)
	get[api.Error](t, b.call(t, b.mallory, "GET "+path+"/versions/2/review", ""), http.StatusNotFound)

	// What is to be sent to keep ours is in the review; theirs stays where the proposal is
	// withdrawn, also after it could not be carried over.
	body, err := json.Marshal(review.Conflicts[0].Keep)
	require.NoError(t, err)
	kept := get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path+"/changes", string(body)), http.StatusCreated)
	require.Equal(t, "The fee is five euros a month.", kept.Items[0].Text)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.EndChanges(t.Context(), b.alice.scope, f.ID, nil, map[string]json.RawMessage{made.Items[0].ID: json.RawMessage(`{"code":"conflict"}`)})
	}))
	require.Len(t, get[api.VersionReview](t, b.call(t, b.alice, "GET "+path+"/versions/2/review", ""), http.StatusOK).Conflicts, 1)
	withdraw := `{"type":"withdraw","target":"` + made.Items[0].ID + `"}`
	get[api.CreatedChanges](t, b.call(t, b.alice, "POST "+path+"/changes", withdraw), http.StatusCreated)
	require.Empty(t, get[api.VersionReview](t, b.call(t, b.alice, "GET "+path+"/versions/2/review", ""), http.StatusOK).Conflicts)
	get[api.Error](t, b.call(t, b.alice, "POST "+path+"/changes", withdraw), http.StatusConflict)
}
