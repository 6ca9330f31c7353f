package api_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/layout"
)

// requireAsked fails unless exactly one job of the kind of want was asked for,
// and it is want.
func requireAsked[A jobs.Args](t *testing.T, b *bundle, want A) {
	t.Helper()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		job := rivertest.RequireInsertedTx[*riverpgxv5.Driver](t.Context(), t, tx.Raw, want, nil)
		require.Equal(t, want, job.Args)
		return nil
	}))
}

// asked counts the unfinished jobs about a file.
func (b *bundle) asked(t *testing.T, who caller, id string) int {
	t.Helper()
	work, err := b.db.FileJobStates(t.Context(), who.scope, id)
	require.NoError(t, err)
	return len(work)
}

// process takes a file through the pipeline: two pages, one of them recognised,
// an agreement and an exhibit.
func (b *bundle) process(t testing.TB, who caller, id string) {
	t.Helper()
	in := db.System(who.scope.TeamID)
	f, err := b.db.File(t.Context(), in, id)
	require.NoError(t, err)
	attempt := db.Attempt{FileID: id, Number: f.Attempt}
	garbled := "g@rbl3d"
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.EnterStage(t.Context(), in, attempt, db.StageExtract)
		require.NoError(t, err)
		require.NoError(t, tx.SetKind(t.Context(), in, id, "pdf", "application/pdf", 2))
		require.NoError(t, tx.ReplacePages(t.Context(), in, id, 2, []db.Page{
			{Number: 1, Source: "text_layer", Reason: "good", Text: "Lease\n\nThe tenant pays.", Confidence: 100},
			{Number: 2, Source: "ocr", Reason: "garbled", Pending: true, LayerText: &garbled, Width: 612, Height: 792},
		}))
		require.NoError(t, tx.SaveRecognized(t.Context(), in, id, db.Page{
			Number: 2, Text: "Exhibit A", Confidence: 93, Words: words(t),
		}))
		main, exhibit, label, score, source := db.NewID(), db.NewID(), "payment", float32(0.9), "predicted"
		_, err = tx.SaveText(t.Context(), in, id, db.Text{
			Language: "en",
			Documents: []db.Document{
				{ID: main, Ordinal: 0, Kind: "agreement", Title: "Lease", Start: 0, End: 23, FirstPage: 1, LastPage: 1},
				{ID: exhibit, Ordinal: 1, Kind: "exhibit", Title: "Exhibit A", Start: 24, End: 33, FirstPage: 2, LastPage: 2},
			},
			Blocks: []db.Block{
				{Ordinal: 0, DocumentID: main, Kind: "heading", Level: 1, Text: "Lease", Start: 0, End: 5, Page: 1},
				{Ordinal: 1, DocumentID: main, Kind: "paragraph", Text: "The tenant pays.", Start: 7, End: 23, Page: 1, Fields: []db.Field{{Start: 11, End: 17, Name: "party", Box: layout.Box{X0: 1, Y0: 2, X1: 3, Y1: 4}}}},
				{Ordinal: 2, DocumentID: exhibit, Kind: "heading", Level: 1, Text: "Exhibit A", Start: 24, End: 33, Page: 2},
			},
			Sentences: []db.Sentence{
				{ID: db.NewID(), Ordinal: 0, Block: 1, Page: 1, Start: 7, End: 23, Text: "The tenant pays.", Labelling: db.Labelling{Label: &label, Score: &score, Source: &source}},
				{ID: db.NewID(), Ordinal: 1, Block: 2, Page: 2, Start: 24, End: 33, Text: "Exhibit A"},
			},
			Tokens:     []db.Token{{Token: "tenant", Stem: "tenant", Count: 3}, {Token: "pays", Stem: "pay", Count: 2}, {Token: "lease", Stem: "leas", Count: 1}},
			TokenTotal: 6, Words: []string{"tenant", "pays", "lease"},
		})
		require.NoError(t, err)
		return tx.CompleteAttempt(t.Context(), in, attempt)
	}))
}

func TestUploadForm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.upload(t, b.aliceKey,
		[][2]string{{"metadata", `{"n": 12345678901234567890, "tags": ["a"]}`}, {"parties", `[{"name":"Acme","role":"Landlord"}]`}},
		[2]string{"Zürich lease.pdf", "%PDF-1.7 bytes"})
	f := get[api.File](t, w, http.StatusAccepted)
	require.Equal(t, "Zürich lease.pdf", f.Name)
	require.Equal(t, db.FileQueued, f.Status)
	require.Equal(t, "api", f.Source)
	require.JSONEq(t, `{"n": 12345678901234567890, "tags": ["a"]}`, string(f.Metadata))
	require.Contains(t, string(f.Metadata), "12345678901234567890", "to the last digit")
	require.Equal(t, []db.Party{{Name: "Acme", Role: "Landlord"}}, f.Parties)
	require.Equal(t, "/api/files/"+f.ID, w.Header().Get("Location"))
	require.Equal(t, "/api/files/"+f.ID+"/status", f.StatusURL)
	require.Equal(t, b.alice.scope.ActorID, *f.CreatedBy)

	stored, err := b.blobs.Open(t.Context(), blob.Original(f.ID))
	require.NoError(t, err)
	defer stored.Close()
	bytes, err := io.ReadAll(stored)
	require.NoError(t, err)
	require.Equal(t, "%PDF-1.7 bytes", string(bytes))
	require.Equal(t, int64(len(bytes)), f.Size)
	requireAsked(t, b, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: b.alice.scope.TeamID, Attempt: 1}})
}

// TestUploadKeepsBytes sends a part that says that it is encoded: a file is what
// was sent.
func TestUploadKeepsBytes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const content = "a=3Db=\r\n=zz"
	r := request(t, b.alice, "POST /api/files", "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"+
		"Content-Transfer-Encoding: quoted-printable\r\n\r\n"+content+"\r\n--b--\r\n")
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	f := get[api.File](t, b.send(t, r), http.StatusAccepted)
	require.Equal(t, content, b.call(t, b.alice, "GET /api/files/"+f.ID+"/download", "").Body.String())
}

// TestNamesOfFiles has names with a slash in them, which is no folder's.
func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	named := func(name string, folders ...string) api.File {
		t.Helper()
		var fields [][2]string
		for _, folder := range folders {
			fields = append(fields, [2]string{"path", folder})
		}
		return get[api.File](t, b.upload(t, b.alice, fields, [2]string{name, "%PDF"}), http.StatusAccepted)
	}
	f := named("Master Agreement A/S Norge.pdf")
	require.Equal(t, "Master Agreement A/S Norge.pdf", f.Name)
	require.Empty(t, f.Path)
	download := b.call(t, b.alice, "GET /api/files/"+f.ID+"/download", "").Header().Get("Content-Disposition")
	require.Contains(t, download, `filename="Master Agreement A_S Norge.pdf"`)
	f = get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+f.ID, `{"name":"Lease 2019/2020"}`), http.StatusOK)
	require.Equal(t, "Lease 2019/2020", f.Name)
	f = get[api.File](t, b.call(t, b.alice, "POST /api/files", `{"name":"Garman/Sparkling.txt","path":"/2020/../a","contentBase64":"dGV4dA=="}`), http.StatusAccepted)
	require.Equal(t, "Garman/Sparkling.txt", f.Name)
	require.Equal(t, "2020/a", f.Path)

	for _, c := range []struct{ name, path, wantName, wantPath string }{
		{"lease.pdf", "2020/leases", "lease.pdf", "2020/leases"},
		{"lease.pdf", "2020/leases/lease.pdf", "lease.pdf", "2020/leases"},
		{"2020/leases/lease.pdf", "2020/leases/lease.pdf", "lease.pdf", "2020/leases"},
		{"A/S Norge.pdf", "2020/A/S Norge.pdf", "A/S Norge.pdf", "2020"},
		{"A/S Norge.pdf", `C:\2020\leases\`, "A/S Norge.pdf", "2020/leases"},
		{"../../lease.pdf", "", "lease.pdf", ""},
		{`C:\lease.pdf`, "", "lease.pdf", ""},
	} {
		f := named(c.name, c.path)
		require.Equal(t, []string{c.wantName, c.wantPath}, []string{f.Name, f.Path}, "%s in %s", c.name, c.path)
	}

	both := get[api.Uploaded](t, b.upload(t, b.alice, [][2]string{{"path", "2020"}, {"path", "2021"}}, [2]string{"a.txt", "one"}, [2]string{"a.txt", "two"}), http.StatusAccepted)
	require.Equal(t, []string{"2020", "2021"}, []string{both.Items[0].Path, both.Items[1].Path})
	for _, paths := range [][][2]string{{{"path", "a"}, {"path", "b"}}, {{"path", strings.Repeat("a/", 4000)}}} {
		e := get[api.Error](t, b.upload(t, b.alice, paths, [2]string{"a.txt", "one"}), http.StatusUnprocessableEntity)
		require.Contains(t, e.Message, "body.path")
	}

	for filter, want := range map[string]int{
		`{"field":"path","op":"startsWith","values":["2020"]}`: 7, `{"field":"path","op":"contains","values":["LEASES"]}`: 4,
		`{"field":"path","op":"missing"}`: 3, `{"field":"path","op":"startsWith","values":["%"]}`: 0,
	} {
		list := get[api.List[api.File]](t, b.call(t, b.alice, "GET /api/files?filter="+url.QueryEscape(filter), ""), http.StatusOK)
		require.Equal(t, want, *list.Total, filter)
	}
}

func TestUploadManyInOneForm(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Limits.MaxFile = 10 })
	files := [][2]string{{"a.txt", "one"}, {"b.txt", "much too large"}, {"../../c\u200b.txt", "three"}, {"", "four"}, {"e", "5"}, {"f", "6"}, {"g.txt", ""}}
	out := get[api.Uploaded](t, b.upload(t, b.alice, nil, files...), http.StatusAccepted)
	var names []string
	for _, f := range out.Items {
		names = append(names, f.Name)
	}
	require.Equal(t, []string{"a.txt", "c.txt", "untitled", "e", "f"}, names, "in the order of the request")
	require.Equal(t, []api.UploadError{{Index: 1, Name: "b.txt", Error: "the file is larger than the limit of 10 bytes", Code: "too_large"}, {Index: 6, Name: "g.txt", Error: "the file is empty", Code: "invalid"}}, out.Errors)

	var bulk []bool
	for _, f := range out.Items {
		row, err := b.db.File(t.Context(), b.alice.scope, f.ID)
		require.NoError(t, err)
		bulk = append(bulk, row.Bulk)
		require.Equal(t, "upload", row.Source)
	}
	require.Equal(t, []bool{false, false, false, false, true}, bulk, "four start at once, the rest takes turns")
}

// What nothing reads is told by its first bytes, whatever it is called, and costs
// its neighbours nothing. What only the rest can tell is taken.
func TestUploadUnsupported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const program, picture = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00", "GIF89a\x01\x00\x01\x00\x80\x00\x00"

	e := get[api.Error](t, b.upload(t, b.aliceKey, nil, [2]string{"lease.pdf", program}), http.StatusUnsupportedMediaType)
	require.Equal(t, "unsupported_type", e.Code)
	require.Contains(t, e.Message, "which is not supported; upload PDF, DOCX")
	e = get[api.Error](t, b.upload(t, b.aliceKey, nil, [2]string{"a.gif", picture}, [2]string{"b", program}), http.StatusUnsupportedMediaType)
	require.Equal(t, "the file is a GIF image, which is not supported; save it as PNG", e.Message)
	body := `{"name":"lease.docx","contentBase64":"` + base64.StdEncoding.EncodeToString([]byte(picture)) + `"}`
	get[api.Error](t, b.call(t, b.aliceKey, "POST /api/files", body), http.StatusUnsupportedMediaType)
	e = get[api.Error](t, b.upload(t, b.aliceKey, nil, [2]string{"Offer.MSG", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 504)}), http.StatusUnsupportedMediaType)
	require.Equal(t, "the file is an Outlook message, which is not supported; save it as EML", e.Message)
	require.Zero(t, b.storedBytes(t), "nothing is left behind")

	out := get[api.Uploaded](t, b.upload(t, b.alice, nil, [2]string{"a.txt", "one"}, [2]string{"b.gif", picture}, [2]string{"c", "PK\x03\x04"},
		[2]string{"d.txt", "caf\xe9"}, [2]string{"e.txt", ""}), http.StatusAccepted)
	require.Len(t, out.Items, 3)
	require.Equal(t, []api.UploadError{
		{Index: 1, Name: "b.gif", Error: "the file is a GIF image, which is not supported; save it as PNG", Code: "unsupported_type"},
		{Index: 4, Name: "e.txt", Error: "the file is empty", Code: "invalid"},
	}, out.Errors)
	require.Equal(t, 3, b.storedBytes(t))
}

// TestUploadFieldsInAnyOrder sends fields before, between and after the files:
// they are of all of them.
func TestUploadFieldsInAnyOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	part := func(disposition, value string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + value + "\r\n"
	}
	r := request(t, b.alice, "POST /api/files", part(`name="metadata"`, `{"a":1}`)+part(`name="file"; filename="a.txt"`, "one")+
		part(`name="parties"`, `[{"name":"Acme"}]`)+part(`name="file"; filename="b.txt"`, "two")+part(`name="matterId"`, "")+"--b--\r\n")
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	out := get[api.Uploaded](t, b.send(t, r), http.StatusAccepted)
	require.Len(t, out.Items, 2)
	for _, f := range out.Items {
		require.JSONEq(t, `{"a":1}`, string(f.Metadata))
		require.Equal(t, []db.Party{{Name: "Acme"}}, f.Parties)
	}
}

func TestUploadJSON(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := `{"name":"lease.txt","contentBase64":"` + base64.StdEncoding.EncodeToString([]byte("The tenant pays.")) + `","metadata":{"a":1}}`
	f := get[api.File](t, b.call(t, b.acmeKey, "POST /api/files", body), http.StatusAccepted)
	require.EqualValues(t, 16, f.Size)
	require.Nil(t, f.CreatedBy, "no person sent it")
	again := get[api.File](t, b.call(t, b.acmeKey, "POST /api/files", body), http.StatusAccepted)
	require.Equal(t, f.ID, *again.DuplicateOf)
	require.NotEqual(t, f.ID, again.ID)
}

func TestUploadRefused(t *testing.T) {
	t.Parallel()
	const form = "multipart/form-data; boundary=b"
	part := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	file := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF\r\n"
	for _, tt := range []struct {
		name, contentType, body string
		status                  int
		message                 string
	}{
		{"NoType", "", "x", 415, "send multipart/form-data or application/json"},
		{"OtherType", "application/pdf", "%PDF", 415, "send multipart/form-data or application/json"},
		{"NoBoundary", "multipart/form-data", "x", 400, "the form cannot be read"},
		{"NoForm", form, "x", 400, "the request has no file; send a part named file"},
		{"NothingAtAll", form, "", 400, "the request has no file; send a part named file"},
		{"NoFile", form, "--b--\r\n", 400, "the request has no file; send a part named file"},
		{"CutInFile", form, file[:len(file)-4], 400, "the form ends early or cannot be read"},
		{"CutAfterFile", form, file, 400, "the form ends early or cannot be read"},
		{"UnknownField", form, part("colour", "red") + file + "--b--\r\n", 422, "body.colour: unexpected property"},
		{"UnknownFieldLast", form, file + part("colour", "red") + "--b--\r\n", 422, "body.colour: unexpected property"},
		{"NobodysMatterLast", form, file + part("matterId", db.NewID()) + "--b--\r\n", 422, "matterId does not exist in this team"},
		{"FieldTwice", form, part("metadata", `{"a":1}`) + file + part("metadata", `{"a":2}`) + "--b--\r\n", 422, "body.metadata: is given twice"},
		{"MetadataNoJSON", form, part("metadata", "{") + file + "--b--\r\n", 422, "body.metadata: expected object"},
		{"MetadataNoObject", form, part("metadata", "[1]") + file + "--b--\r\n", 422, "body.metadata: expected object"},
		{"MetadataNUL", form, part("metadata", `{"a":"\u0000"}`) + file + "--b--\r\n", 422, "has a NUL character"},
		{"MetadataLarge", form, part("metadata", `{"a":"`+strings.Repeat("x", 65<<10)+`"}`) + file + "--b--\r\n", 422, "is larger than 64 KiB"},
		{"FieldsLarge", form, part("metadata", strings.Repeat("x", 2<<20)) + file + "--b--\r\n", 413, "the fields of a form may have at most 1048576 bytes"},
		{"NamelessParty", form, part("parties", `[{"name":""}]`) + file + "--b--\r\n", 422, "body.parties[0].name: expected length"},
		{"NoID", form, part("matterId", "7") + file + "--b--\r\n", 422, "body.matterId: is not an id"},
		{"NobodysType", form, part("documentTypeId", db.NewID()) + file + "--b--\r\n", 422, "documentTypeId does not exist in this team"},
		{"TooLarge", form, strings.Replace(file, "%PDF", strings.Repeat("x", 300), 1) + "--b--\r\n", 413, "the file is larger than the limit of 200 bytes"},
		{"FarTooLarge", form, strings.Replace(file, "%PDF", strings.Repeat("x", 3000), 1) + "--b--\r\n", 413, "the file is larger than the limit of 200 bytes"},
		{"NoJSON", "application/json", "{", 400, "the body is not a JSON object"},
		{"JSONList", "application/json", "[]", 400, "the body is not a JSON object"},
		{"JSONNoName", "application/json", `{"contentBase64":""}`, 422, "body.name: must be the name of the file"},
		{"JSONNoContent", "application/json", `{"name":"a"}`, 422, "body.contentBase64: is missing"},
		{"JSONNoBase64", "application/json", `{"name":"a","contentBase64":"§"}`, 400, "contentBase64 is not base64"},
		{"JSONUnknown", "application/json", `{"name":"a","contentBase64":"","colour":1}`, 422, "unexpected property"},
		{"Unsupported", form, strings.Replace(file, "%PDF", "GIF89a\x00", 1) + "--b--\r\n", 415, "the file is a GIF image"},
		{"UnsupportedAndFarTooLarge", form, strings.Replace(file, "%PDF", "GIF89a"+strings.Repeat("\x00", 3000), 1) + "--b--\r\n", 415, "the file is a GIF image"},
		{"CutInStart", form, file[:len(file)-6] + "GIF8", 400, "the form ends early or cannot be read"},
		{"Empty", form, strings.Replace(file, "%PDF", "", 1) + "--b--\r\n", 422, "the file is empty"},
		{"JSONEmpty", "application/json", `{"name":"a.pdf","contentBase64":""}`, 422, "the file is empty"},
		{"JSONTooLarge", "application/json", `{"name":"a","contentBase64":"` + strings.Repeat("AAAA", 50) + `"}`, 413, "a file in JSON may have at most 100 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(c *api.Config) { c.Limits.MaxFile, c.Limits.MaxJSONFile = 200, 100 })
			r := request(t, b.aliceKey, "POST /api/files", tt.body)
			r.Header.Set("Content-Type", tt.contentType)
			e := get[api.Error](t, b.send(t, r), tt.status)
			require.Contains(t, e.Message, tt.message)

			n, err := b.db.CountFiles(t.Context(), b.alice.scope, db.FileFilter{})
			require.NoError(t, err)
			require.Zero(t, n)
			require.Zero(t, b.storedBytes(t), "nothing is left behind")
		})
	}
}

// storedBytes counts what is stored as uploads.
func (b *bundle) storedBytes(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, b.blobs.Objects(t.Context(), func(blob.Object) error { n++; return nil }))
	return n
}

func TestIdempotentUpload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	send := func(who caller, content string) *http.Request {
		body, contentType := form(t, nil, [2]string{"a.pdf", content})
		r := request(t, who, "POST /api/files", "")
		r.Body, r.ContentLength = io.NopCloser(body), int64(body.Len())
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Idempotency-Key", "once")
		return r
	}
	first := b.send(t, send(b.aliceKey, "%PDF"))
	f := get[api.File](t, first, http.StatusAccepted)
	again := b.send(t, send(b.aliceKey, "%PDF"))
	require.Equal(t, f, get[api.File](t, again, http.StatusAccepted))
	require.Equal(t, first.Header().Get("Location"), again.Header().Get("Location"))
	require.Equal(t, 1, b.storedBytes(t))
	require.Equal(t, 1, b.asked(t, b.alice, f.ID))

	e := get[api.Error](t, b.send(t, send(b.aliceKey, "%PDF other")), http.StatusUnprocessableEntity)
	require.Contains(t, e.Message, "Idempotency-Key")
	require.Equal(t, 1, b.storedBytes(t))
	get[api.File](t, b.send(t, send(b.acmeKey, "%PDF other")), http.StatusAccepted)
}

func TestTooManyUploads(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *api.Config) { c.Limits.Uploads = api.Share{Caller: 1, Team: 1} })
	w := b.upload(t, b.alice, nil, [2]string{"a", "b"})
	get[api.Error](t, w, http.StatusServiceUnavailable)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
}

func TestListFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ids []string // newest first
	for range 5 {
		ids = append([]string{b.file(t, b.alice).ID}, ids...)
	}
	b.file(t, b.mallory)
	b.process(t, b.alice, ids[1])

	var seen []string
	for next := ""; ; {
		page := get[api.List[api.File]](t, b.call(t, b.aliceKey, "GET /api/files?limit=2&cursor="+next, ""), http.StatusOK)
		require.Equal(t, 5, *page.Total)
		for _, f := range page.Items {
			seen = append(seen, f.ID)
			require.Equal(t, f.ID == ids[1], f.HasOCRText)
		}
		if next = page.NextCursor; next == "" {
			break
		}
	}
	require.Equal(t, ids, seen)

	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"status=completed", ids[1:2]},
		{"status=completed,failed", ids[1:2]},
		{"status=queued&limit=1", ids[:1]},
		{"ids=" + ids[0] + "," + ids[3], []string{ids[0], ids[3]}},
		{"ids=" + ids[0] + "&status=queued&ids=" + ids[3], []string{ids[0], ids[3]}},
		{"ids=" + ids[0] + "," + db.NewID(), ids[:1]},
		{"ids=" + db.NewID(), nil},
		{"q=LEA", ids},
		{"q=%25", nil},
		{"documentTypeId=" + db.NewID(), nil},
		{"matterId=" + db.NewID(), nil},
		{"lifecycleStage=draft", ids},
		{"lifecycleStage=active", nil},
		{"errorCode=internal", nil},
		{"updatedSince=2020-01-01T00:00:00Z", ids},
		{"updatedSince=2999-01-01T00:00:00Z", nil},
	} {
		page := get[api.List[api.File]](t, b.call(t, b.alice, "GET /api/files?"+tt.query, ""), http.StatusOK)
		var got []string
		for _, f := range page.Items {
			got = append(got, f.ID)
		}
		require.Equal(t, tt.want, got, tt.query)
	}
	for _, query := range []string{"limit=0", "limit=501", "limit=x", "limit=1&limit=2", "cursor=x", "cursor=" + base64.RawURLEncoding.EncodeToString([]byte("blocks:1:2")), "status=done", "updatedSince=today", "lifecycleStage=x"} {
		get[api.Error](t, b.call(t, b.alice, "GET /api/files?"+query, ""), http.StatusUnprocessableEntity)
	}
}

func TestReadAndUpdateFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/api/files/" + b.file(t, b.alice).ID
	w := b.call(t, b.aliceKey, "GET "+path, "")
	require.JSONEq(t, `[]`, string(get[map[string]json.RawMessage](t, w, http.StatusOK)["parties"]))
	etag := w.Header().Get("ETag")

	conditional := func(line, header, value, body string) (int, string) {
		r := request(t, b.aliceKey, line, body)
		r.Header.Set(header, value)
		w := b.send(t, r)
		return w.Code, w.Body.String()
	}
	code, body := conditional("GET "+path, "If-None-Match", `"x", W/`+etag, "")
	require.Equal(t, http.StatusNotModified, code)
	require.Empty(t, body)

	code, body = conditional("PUT "+path, "If-Match", etag, `{"name":"new/na\u0007me.pdf","metadata":{"a":[1.50]},"counterparties":["Acme"]}`)
	require.Equal(t, http.StatusOK, code, body)
	require.Contains(t, body, `"name":"new/name.pdf"`)
	require.Contains(t, body, `"version":2`)
	require.Contains(t, body, `{"a":[1.50]}`)
	code, body = conditional("PUT "+path, "If-Match", etag, `{"name":"newer.pdf"}`)
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, body, "read it again")
	for _, never := range []string{`"x"`, `"-1"`, "7"} {
		code, _ = conditional("PUT "+path, "If-Match", never, `{"name":"newer.pdf"}`)
		require.Equal(t, http.StatusConflict, code)
	}
	b.process(t, b.alice, path[len("/api/files/"):])
	code, body = conditional("GET "+path, "If-None-Match", `"2.`, "")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, `"attempts":[{"attempt":1,"status":"completed"`)
	code, _ = conditional("PUT "+path, "If-Match", `"2.x"`, `{"parties":[{"name":"Acme"}],"documentTypeId":"","matterId":""}`)
	require.Equal(t, http.StatusOK, code, "processing is nobody's edit")

	for _, wrong := range []string{
		`{"name":""}`, `{"name":"\u0000"}`, `{"name":"` + strings.Repeat("x", 256) + `"}`, `{"documentTypeId":"x"}`, `{"matterId":"` + db.NewID() + `"}`,
		`{"metadata":[]}`, `{"metadata":{"a":"\u0000"}}`, `{"size":1}`, `{"parties":[{"name":"a\u0000"}]}`,
	} {
		get[api.Error](t, b.call(t, b.alice, "PUT "+path, wrong), http.StatusUnprocessableEntity)
	}
	get[api.Error](t, b.call(t, b.alice, "PUT "+path, `{`), http.StatusBadRequest)
	get[api.Error](t, b.call(t, b.alice, "PUT "+path, ""), http.StatusBadRequest)
}

func TestDeleteFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	b.process(t, b.alice, f.ID)
	get[api.Message](t, b.call(t, b.aliceKey, "DELETE /api/files/"+f.ID, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.aliceKey, "GET /api/files/"+f.ID, ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.aliceKey, "DELETE /api/files/"+f.ID, ""), http.StatusNotFound)
	requireAsked(t, b, jobs.SettleFiles{FileIDs: []string{f.ID}, TeamID: b.alice.scope.TeamID})
	require.Zero(t, b.asked(t, b.alice, f.ID), "nothing is left to be read")
}

func TestFileStatus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, second := b.file(t, b.alice), b.file(t, b.alice)
	w := b.call(t, b.aliceKey, "GET /api/files/"+f.ID+"/status?wait=0", "")
	s := get[api.FileStatus](t, w, http.StatusOK)
	require.Equal(t, db.FileQueued, s.Status)
	require.NotNil(t, s.QueuePosition)
	require.Nil(t, s.Error)
	require.Empty(t, s.Warnings)
	r := request(t, b.aliceKey, "GET /api/files/"+f.ID+"/status", "")
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, b.send(t, r).Code)

	b.process(t, b.alice, f.ID)
	s = get[api.FileStatus](t, b.call(t, b.aliceKey, "GET /api/files/"+f.ID+"/status?wait=30", ""), http.StatusOK)
	require.Equal(t, db.FileCompleted, s.Status, "nothing more will happen: it does not wait")
	require.Equal(t, api.PageCounts{Total: 2, Done: 2, OCR: 1}, s.Pages)
	require.InDelta(t, 1, s.Progress, 0)
	require.True(t, s.TextReady)
	require.Nil(t, s.QueuePosition)
	require.Equal(t, http.StatusOK, b.send(t, r).Code, "it is another status")

	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.DeriveStatus(t.Context(), b.alice.scope, second.ID)
	}))
	s = get[api.FileStatus](t, b.call(t, b.aliceKey, "GET /api/files/"+second.ID+"/status", ""), http.StatusOK)
	require.Equal(t, db.FileQueued, s.Status, "its job waits")
	for _, wait := range []string{"-1", "61", "x"} {
		get[api.Error](t, b.call(t, b.aliceKey, "GET /api/files/"+f.ID+"/status?wait="+wait, ""), http.StatusUnprocessableEntity)
	}
}

func TestSetFileStatus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	path := "PUT /api/files/" + f.ID + "/status"
	require.Equal(t, db.FileQueued, get[api.FileStatus](t, b.call(t, b.alice, path, ""), http.StatusOK).Status)
	get[api.Error](t, b.call(t, b.alice, path+"?status=completed", ""), http.StatusConflict)
	require.Equal(t, 1, b.asked(t, b.alice, f.ID), "a step that is refused stops nothing")
	get[api.Error](t, b.call(t, b.alice, path+"?status=done", ""), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.alice, path, `{"status":"processing"}`), http.StatusUnprocessableEntity)

	require.Equal(t, db.FileCancelled, get[api.FileStatus](t, b.call(t, b.alice, path+"?status=cancelled", ""), http.StatusOK).Status)
	require.Zero(t, b.asked(t, b.alice, f.ID))
	get[api.Error](t, b.call(t, b.alice, path, `{"status":"cancelled"}`), http.StatusConflict)

	s := get[api.FileStatus](t, b.call(t, b.alice, path, `{"status":"queued"}`), http.StatusOK)
	require.Equal(t, db.FileQueued, s.Status)
	require.Equal(t, 2, s.Attempt)
	require.Equal(t, 1, b.asked(t, b.alice, f.ID))
	b.process(t, b.alice, f.ID)
	get[api.FileStatus](t, b.call(t, b.alice, path+"?status=queued", ""), http.StatusOK)
	s = get[api.FileStatus](t, b.call(t, b.alice, path+"?status=completed", ""), http.StatusOK)
	require.Equal(t, db.FileCompleted, s.Status, "with the text of the attempt before")
	require.Zero(t, b.asked(t, b.alice, f.ID))
}

func TestLifecycleStage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "PUT /api/files/" + b.file(t, b.alice).ID + "/lifecycle-stage"
	step := get[api.LifecycleChange](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.EqualValues(t, "review", step.LifecycleStage)
	require.EqualValues(t, "draft", step.Previous)
	require.EqualValues(t, "active", get[api.LifecycleChange](t, b.call(t, b.alice, path+"?stage=active", ""), http.StatusOK).LifecycleStage)
	get[api.Error](t, b.call(t, b.alice, path, `{"stage":"draft"}`), http.StatusConflict)
	get[api.Error](t, b.call(t, b.alice, path, `{"stage":"signed"}`), http.StatusUnprocessableEntity)
	require.EqualValues(t, "archived", get[api.LifecycleChange](t, b.call(t, b.alice, path, `{"stage":"archived"}`), http.StatusOK).LifecycleStage)
	get[api.Error](t, b.call(t, b.alice, path, ""), http.StatusConflict)
}

// TestUpdateWithLifecycleStage sets the stage along with the rest of a file, by key
// too: by the same rules, all or nothing.
func TestUpdateWithLifecycleStage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.acme)
	path := "PUT /api/files/" + f.ID
	update := func(who caller, body string) api.File {
		t.Helper()
		return get[api.File](t, b.call(t, who, path, body), http.StatusOK)
	}
	done := update(b.acmeKey, `{"name":"Signed.pdf","lifecycleStage":"signature"}`)
	require.Equal(t, "Signed.pdf", done.Name)
	require.EqualValues(t, "signature", done.LifecycleStage)
	require.EqualValues(t, "signature", update(b.acmeKey, `{"lifecycleStage":"signature"}`).LifecycleStage)
	require.Equal(t, done.Name, update(b.acme, `{"lifecycleStage":"active"}`).Name)

	get[api.Error](t, b.call(t, b.acme, path, `{"name":"Other.pdf","lifecycleStage":"draft"}`), http.StatusConflict)
	get[api.Error](t, b.call(t, b.acme, path, `{"lifecycleStage":"signed"}`), http.StatusUnprocessableEntity)
	require.EqualValues(t, "archived", update(b.acmeKey, `{"lifecycleStage":"archived"}`).LifecycleStage)
	member := b.colleague(t, b.acme, "Mia")
	matter := b.matter(t, b.acme, `{"name":"Lease"}`).ID
	get[api.File](t, b.call(t, b.acme, path, `{"matterId":"`+matter+`"}`), http.StatusOK)
	get[api.Error](t, b.call(t, member, path, `{"name":"Other.pdf","lifecycleStage":"active"}`), http.StatusForbidden)
	get[api.Error](t, b.call(t, member, "PATCH /api/matters/"+matter+"/files", `{"fileId":"`+f.ID+`","stage":"active"}`), http.StatusForbidden)
	get[api.Error](t, b.call(t, b.acmeKey, path, `{"lifecycleStage":"active"}`), http.StatusForbidden)
	require.Equal(t, done.Name, update(b.acme, `{"lifecycleStage":"active"}`).Name)
}

// Only the workers know what is installed: while none is there, any language may
// be asked for.
func TestReprocessLanguages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.file(t, b.alice).ID
	path := "POST /api/files/" + id + "/reprocess?languages="
	get[api.Accepted](t, b.call(t, b.alice, path+"fra", ""), http.StatusAccepted)

	require.NoError(t, b.db.Heartbeat(t.Context(), "worker", "1", map[string]int{"ocr": 1}, []string{"deu", "eng"}))
	get[api.Accepted](t, b.call(t, b.alice, path+"deu%2Beng", ""), http.StatusAccepted)
	get[api.Accepted](t, b.call(t, b.alice, path, ""), http.StatusAccepted)
	for _, w := range []*httptest.ResponseRecorder{
		b.call(t, b.alice, path+"eng%2Bfra", ""),
		b.call(t, b.alice, path, `{"languages":"fra"}`),
		b.call(t, b.alice, "POST /api/files/bulk/reprocess", `{"fileIds":["`+id+`"],"languages":"fra"}`),
	} {
		e := get[api.Error](t, w, http.StatusUnprocessableEntity)
		require.Equal(t, "validation failed: languages: fra is not installed; available are deu, eng", e.Message)
	}
}

func TestReprocessFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	path := "POST /api/files/" + f.ID
	get[api.Error](t, b.call(t, b.alice, path+"/reprocess?from=index", ""), http.StatusConflict)
	get[api.Error](t, b.call(t, b.alice, path+"/search-index", ""), http.StatusConflict)
	for _, wrong := range []string{"from=done", "ocr=maybe", "languages=..%2Feng", "languages=eng%2B"} {
		get[api.Error](t, b.call(t, b.alice, path+"/reprocess?"+wrong, ""), http.StatusUnprocessableEntity)
	}

	get[api.Error](t, b.call(t, b.alice, path+"/reprocess?ocr=force", `{"ocr":"never"}`), http.StatusUnprocessableEntity)
	w := b.call(t, b.alice, path+"/reprocess?ocr=force", `{"ocr":"force","languages":"eng+deu"}`)
	accepted := get[api.Accepted](t, w, http.StatusAccepted)
	require.Equal(t, accepted.StatusURL, w.Header().Get("Location"))
	row, err := b.db.File(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	require.Equal(t, db.FileOptions{OCR: "force", Languages: "eng+deu"}, row.Options)
	require.Equal(t, 2, row.Attempt)
	require.Equal(t, 1, b.asked(t, b.alice, f.ID), "the first attempt's job is cancelled")
	op := get[api.Operation](t, b.call(t, b.alice, "GET "+accepted.StatusURL, ""), http.StatusOK)
	require.Equal(t, "running", op.State)

	b.process(t, b.alice, f.ID)
	op = get[api.Operation](t, b.call(t, b.alice, "GET "+accepted.StatusURL, ""), http.StatusOK)
	require.Equal(t, "completed", op.State)
	require.Equal(t, 1, op.Done)
	accepted = get[api.Accepted](t, b.call(t, b.alice, path+"/search-index", ""), http.StatusAccepted)
	require.Equal(t, "index", get[api.Operation](t, b.call(t, b.alice, "GET "+accepted.StatusURL, ""), http.StatusOK).Kind)
	row, err = b.db.File(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	require.Equal(t, "index", row.Options.From)
	list := get[api.List[api.Operation]](t, b.call(t, b.alice, "GET /api/operations?limit=1", ""), http.StatusOK)
	require.Equal(t, accepted.OperationID, list.Items[0].ID)
	list = get[api.List[api.Operation]](t, b.call(t, b.alice, "GET /api/operations?cursor="+list.NextCursor, ""), http.StatusOK)
	require.Len(t, list.Items, 1)
	require.Empty(t, list.NextCursor)
}

func TestNameAndType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	require.Equal(t, api.FileName{ID: f.ID, Name: f.Name}, get[api.FileName](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/name", ""), http.StatusOK))
	require.Equal(t, api.FileType{ID: f.ID}, get[api.FileType](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/file-type-id", ""), http.StatusOK))
}

func TestDownload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := get[api.File](t, b.upload(t, b.alice, nil, [2]string{`Zürich "lease" 100%.pdf`, "0123456789"}), http.StatusAccepted)
	path := "/api/files/" + f.ID + "/download"
	w := b.call(t, b.aliceKey, "GET "+path, "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "0123456789", w.Body.String())
	require.Equal(t, `attachment; filename="Z_rich _lease_ 100_.pdf"; filename*=UTF-8''Z%C3%BCrich%20%22lease%22%20100%25.pdf`, w.Header().Get("Content-Disposition"))
	require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	require.Equal(t, "application/octet-stream", w.Header().Get("Content-Type"), "before anybody has looked at it")
	etag := w.Header().Get("ETag")
	require.Equal(t, `"1-`+f.SHA256+`"`, etag)
	require.Equal(t, "1", w.Header().Get("X-Version"))

	w = b.call(t, b.aliceKey, "HEAD "+path, "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "10", w.Header().Get("Content-Length"))

	for _, tt := range []struct {
		headers map[string]string
		status  int
		body    string
	}{
		{map[string]string{"Range": "bytes=2-4"}, http.StatusPartialContent, "234"},
		{map[string]string{"Range": "bytes=-3"}, http.StatusPartialContent, "789"},
		{map[string]string{"Range": "bytes=2-4", "If-Range": etag}, http.StatusPartialContent, "234"},
		{map[string]string{"Range": "bytes=2-4", "If-Range": `"other"`}, http.StatusOK, "0123456789"},
		{map[string]string{"If-None-Match": etag}, http.StatusNotModified, ""},
		{map[string]string{"Range": "bytes=99-"}, http.StatusRequestedRangeNotSatisfiable, ""},
	} {
		r := request(t, b.aliceKey, "GET "+path, "")
		for name, value := range tt.headers {
			r.Header.Set(name, value)
		}
		w := b.send(t, r)
		require.Equal(t, tt.status, w.Code, tt.headers)
		if tt.status == http.StatusRequestedRangeNotSatisfiable {
			require.Equal(t, "range_not_satisfiable", get[api.Error](t, w, tt.status).Code)
			require.Equal(t, "bytes */10", w.Header().Get("Content-Range"))
			require.Empty(t, w.Header().Get("Content-Disposition"))
		}
		if tt.body != "" {
			require.Equal(t, tt.body, w.Body.String())
			require.Equal(t, strconv.Itoa(len(tt.body)), w.Header().Get("Content-Length"))
		}
	}

	// Of another version it is another ETag, and what begins with one does not go
	// on with the other.
	b.addVersion(t, b.alice, f.ID, "signed.docx", "abcdefghij")
	for line, want := range map[string][]string{
		path:                {"2", "abcdefghij", `filename*=UTF-8''Z%C3%BCrich%20%22lease%22%20100%25.docx`},
		path + "?version=2": {"2", "abcdefghij", `filename*=UTF-8''Z%C3%BCrich%20%22lease%22%20100%25.docx`},
		path + "?version=1": {"1", "0123456789", `filename*=UTF-8''Z%C3%BCrich%20%22lease%22%20100%25.pdf`},
	} {
		w = b.call(t, b.aliceKey, "GET "+line, "")
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, want[0], w.Header().Get("X-Version"), line)
		require.Equal(t, want[1], w.Body.String(), line)
		require.Contains(t, w.Header().Get("Content-Disposition"), want[2])
		require.Equal(t, want[0] == "1", w.Header().Get("ETag") == etag)
		r := request(t, b.aliceKey, "GET "+line, "")
		r.Header.Set("Range", "bytes=5-")
		r.Header.Set("If-Range", etag)
		w = b.send(t, r)
		require.Equal(t, map[string]int{"1": http.StatusPartialContent, "2": http.StatusOK}[want[0]], w.Code)
	}
	for _, none := range []string{"3", "9999999999"} {
		get[api.Error](t, b.call(t, b.aliceKey, "GET "+path+"?version="+none, ""), http.StatusNotFound)
	}
	for _, bad := range []string{"0", "-1", "x", "1.5", "99999999999999999999"} {
		get[api.Error](t, b.call(t, b.aliceKey, "GET "+path+"?version="+bad, ""), http.StatusUnprocessableEntity)
	}

	require.NoError(t, b.blobs.Delete(t.Context(), blob.Original(f.ID)))
	get[api.Error](t, b.call(t, b.aliceKey, "GET "+path+"?version=1", ""), http.StatusNotFound)
}
