package api_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/layout"
)

// words are those of the recognised page.
func words(t testing.TB) []byte {
	t.Helper()
	return layout.EncodeWords([]layout.Word{
		{Start: 0, End: 7, Box: layout.Box{X0: 10, Y0: 20, X1: 60, Y1: 32}, Confidence: 92},
		{Start: 8, End: 9, Box: layout.Box{X0: 64, Y0: 20, X1: 70, Y1: 32}, Confidence: 95},
	})
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	path := "GET /api/files/" + f.ID + "/documents"
	empty := get[api.Documents](t, b.call(t, b.aliceKey, path, ""), http.StatusOK)
	require.False(t, empty.TextReady)
	require.Empty(t, empty.Items)

	b.process(t, b.alice, f.ID)
	whole := get[api.Documents](t, b.call(t, b.aliceKey, path, ""), http.StatusOK)
	require.Equal(t, 3, whole.Total)
	require.Empty(t, whole.NextCursor)
	require.Equal(t, []string{"Lease", "Exhibit A"}, []string{whole.Items[0].Title, whole.Items[1].Title})
	clause := whole.Items[0].Blocks[1]
	require.Equal(t, api.Span{Start: 7, End: 23}, clause.Span)
	require.Equal(t, "payment", clause.Labels[0].Label)
	require.Empty(t, clause.Attributes)
	require.Equal(t, []api.FormField{{Name: "party", Kind: "text", Value: "tenant", Span: api.Span{Start: 11, End: 17}, Page: 1, Box: &layout.Box{X0: 1, Y0: 2, X1: 3, Y1: 4}}}, clause.Fields)

	first := get[api.Documents](t, b.call(t, b.aliceKey, path+"?limit=1", ""), http.StatusOK)
	require.Len(t, first.Items, 1)
	second := get[api.Documents](t, b.call(t, b.aliceKey, path+"?limit=2&cursor="+first.NextCursor, ""), http.StatusOK)
	require.Len(t, second.Items, 2, "the first document goes on")
	require.Equal(t, 1, second.Items[0].Blocks[0].Index)
	require.Equal(t, whole.Items[0].ID, second.Items[0].ID)

	get[api.Error](t, b.call(t, b.aliceKey, path+"?cursor=YmxvY2tzOng", ""), http.StatusUnprocessableEntity)
	b.call(t, b.alice, "POST /api/files/"+f.ID+"/reprocess", "")
	b.process(t, b.alice, f.ID)
	e := get[api.Error](t, b.call(t, b.aliceKey, path+"?cursor="+first.NextCursor, ""), http.StatusConflict)
	require.Contains(t, e.Message, "start from the first page")
}

func TestOCR(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	path := "/api/files/" + f.ID + "/ocr"
	require.Equal(t, http.StatusNotFound, b.call(t, b.alice, "HEAD "+path, "").Code)
	get[api.Error](t, b.call(t, b.alice, "GET "+path, ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.alice, "GET "+path+"-download", ""), http.StatusNotFound)

	b.process(t, b.alice, f.ID)
	require.Equal(t, http.StatusOK, b.call(t, b.alice, "HEAD "+path, "").Code)
	out := get[api.OCR](t, b.call(t, b.alice, "GET "+path, ""), http.StatusOK)
	require.Len(t, out.Pages, 1, "the other page's own text was good")
	require.Equal(t, "Exhibit A", out.Pages[0].Text)
	require.Equal(t, "garbled", out.Pages[0].Reason)
	require.Equal(t, "g@rbl3d", *out.Pages[0].LayerText)
	require.InDelta(t, 93, out.Confidence, 0.01)
	require.Empty(t, out.Pages[0].Words)
	out = get[api.OCR](t, b.call(t, b.alice, "GET "+path+"?words=true&from=2&to=2", ""), http.StatusOK)
	require.Equal(t, []string{"Exhibit", "A"}, []string{out.Pages[0].Words[0].Text, out.Pages[0].Words[1].Text})
	require.InDelta(t, 64, out.Pages[0].Words[1].Box.X0, 0.1)
	require.Empty(t, get[api.OCR](t, b.call(t, b.alice, "GET "+path+"?to=1", ""), http.StatusOK).Pages)
	require.Equal(t, out, get[api.OCR](t, b.call(t, b.alice, "GET "+path+"?words=true", ""), http.StatusOK), "it has two pages")
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE files SET page_count = 101`)
		return err
	}))
	get[api.Error](t, b.call(t, b.alice, "GET "+path+"?words=true", ""), http.StatusUnprocessableEntity)
	get[api.OCR](t, b.call(t, b.alice, "GET "+path+"?words=true&from=2", ""), http.StatusOK)
}

// pdfWriter stands in for the reader of documents, a program of its own.
type pdfWriter func(w io.Writer) error

func (p pdfWriter) SearchablePDF(_ context.Context, _ db.File, w io.Writer) error { return p(w) }

func TestDownloadOCR(t *testing.T) {
	t.Parallel()
	setPDF := func(p api.PDFWriter) func(*api.Config) { return func(c *api.Config) { c.PDF = p } }
	ask := func(t *testing.T, format string, change ...func(*api.Config)) (*bundle, *httptest.ResponseRecorder) {
		t.Helper()
		b := setup(t, change...)
		f := b.file(t, b.alice)
		b.process(t, b.alice, f.ID)
		return b, b.call(t, b.alice, "GET /api/files/"+f.ID+"/ocr-download?format="+format, "")
	}

	_, w := ask(t, "text")
	require.Equal(t, "Lease\n\nThe tenant pays.\fExhibit A", w.Body.String())
	require.Equal(t, `attachment; filename="lease.txt"`, w.Header().Get("Content-Disposition"))
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))

	_, w = ask(t, "hocr")
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), `<span class="ocrx_word"`)
	require.Contains(t, w.Body.String(), `>Exhibit</span>`)

	_, w = ask(t, "pdf")
	get[api.Error](t, w, http.StatusServiceUnavailable)
	_, w = ask(t, "pdf", setPDF(pdfWriter(func(w io.Writer) error {
		_, err := io.WriteString(w, "%PDF")
		return err
	})))
	require.Equal(t, "%PDF", w.Body.String())
	require.Equal(t, "application/pdf", w.Header().Get("Content-Type"))

	secret := errors.New("the secret cause")
	b, w := ask(t, "pdf", setPDF(pdfWriter(func(io.Writer) error { return secret })))
	require.JSONEq(t, `{"error":"internal error","code":"internal"}`, w.Body.String())
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, b.log.String(), secret.Error())
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		ask(t, "pdf", setPDF(pdfWriter(func(w io.Writer) error {
			_, _ = io.WriteString(w, "%PD")
			return secret
		})))
	}, "half a file is never sent as a whole one")

	_, w = ask(t, "docx")
	get[api.Error](t, w, http.StatusUnprocessableEntity)
}

// reading is an answer that calls first when it begins to be sent.
type reading struct {
	*httptest.ResponseRecorder
	first func()
}

func (r *reading) Write(p []byte) (int, error) {
	if r.first != nil {
		r.first()
		r.first = nil
	}
	return r.ResponseRecorder.Write(p)
}

// TestDownloadHOCRAsItIsRead sends a long scan whole, and not at all where
// another attempt begins halfway.
func TestDownloadHOCRAsItIsRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	long := make([]db.Page, 50)
	for i := range long {
		long[i] = db.Page{Number: i + 1, Source: "ocr", Text: "Exhibit A\n" + strings.Repeat("x", 500), Words: words(t)}
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.AddPages(t.Context(), b.alice.scope, f.ID, len(long), long)
	}))
	path := "GET /api/files/" + f.ID + "/ocr-download?format=hocr"
	w := b.call(t, b.alice, path, "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, 50, strings.Count(w.Body.String(), `class="ocr_page"`))
	require.Contains(t, w.Body.String(), `id="page_50"`)
	require.True(t, strings.HasSuffix(w.Body.String(), "</html>\n"))

	half := &reading{httptest.NewRecorder(), func() {
		get[api.Accepted](t, b.call(t, b.alice, "POST /api/files/"+f.ID+"/reprocess", ""), http.StatusAccepted)
	}}
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { b.api.ServeHTTP(half, request(t, b.alice, path, "")) })
	require.NotContains(t, half.Body.String(), `id="page_50"`)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	path := "GET /api/files/" + f.ID + "/tokens"
	get[api.Error](t, b.call(t, b.alice, path, ""), http.StatusConflict)
	b.process(t, b.alice, f.ID)
	other := b.file(t, b.alice)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.SaveText(t.Context(), b.alice.scope, other.ID, db.Text{
			Tokens: []db.Token{{Token: "tenant", Stem: "tenant", Count: 1}}, TokenTotal: 1, Words: []string{"tenant"},
		})
		return err
	}))
	require.NoError(t, b.db.FoldVocabulary(t.Context(), b.alice.scope.TeamID))

	tokens := func(query string) (api.Tokens, []string) {
		out := get[api.Tokens](t, b.call(t, b.alice, path+query, ""), http.StatusOK)
		var names []string
		for _, token := range out.Items {
			names = append(names, token.Token)
		}
		return out, names
	}
	out, names := tokens("")
	require.Equal(t, []string{"tenant", "pays", "lease"}, names)
	require.Equal(t, 6, out.Total)
	require.Equal(t, 3, out.Distinct)
	require.Equal(t, 2, out.Files)
	require.Equal(t, 2, out.Items[0].DocumentFrequency)
	require.InDelta(t, 0, out.Items[0].TFIDF, 1e-9, "a word of every file tells nothing")
	require.InDelta(t, 2./6*0.4054651, out.Items[1].TFIDF, 1e-6)

	_, names = tokens("?exclude=TENANT,leas")
	require.Equal(t, []string{"pays"}, names)
	_, names = tokens("?minLength=5")
	require.Equal(t, []string{"tenant", "lease"}, names)
	out, names = tokens("?limit=2")
	require.Equal(t, []string{"tenant", "pays"}, names)
	out, names = tokens("?limit=2&cursor=" + out.NextCursor)
	require.Equal(t, []string{"lease"}, names)
	require.Empty(t, out.NextCursor)
}

func TestMerge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second, theirs := b.file(t, b.alice), b.file(t, b.alice), b.file(t, b.mallory)
	path := "POST /api/files/" + first.ID + "/merge"
	alone := get[api.Accepted](t, b.call(t, b.alice, path, ""), http.StatusAccepted)
	scope := b.alice.scope
	want := jobs.MergeFiles{
		OperationID: alone.OperationID, TeamID: scope.TeamID, ActorKind: "user", ActorID: scope.ActorID,
		FileID: alone.FileID, Name: "lease.pdf", Sources: []string{first.ID},
	}
	requireAsked(t, b, want)
	require.Equal(t, "merge", get[api.Operation](t, b.call(t, b.alice, "GET "+alone.StatusURL, ""), http.StatusOK).Kind)

	get[api.Error](t, b.call(t, b.alice, path, `{"fileIds":["`+theirs.ID+`"]}`), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.alice, path, `{"fileIds":["x"]}`), http.StatusUnprocessableEntity)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SetKind(t.Context(), scope, second.ID, "docx", "application/msword", 1)
	}))
	e := get[api.Error](t, b.call(t, b.alice, path, `{"fileIds":["`+second.ID+`"]}`), http.StatusUnprocessableEntity)
	require.Contains(t, e.Message, "neither an image nor a PDF")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	b.process(t, b.alice, f.ID)
	b.process(t, b.mallory, b.file(t, b.mallory).ID)

	found := get[api.SentenceHits](t, b.call(t, b.aliceKey, "GET /api/files/search-index?q=tenant&facets=status", ""), http.StatusOK)
	require.Len(t, found.Items, 1)
	require.Equal(t, f.ID, found.Items[0].FileID)
	require.Equal(t, api.Span{Start: 7, End: 23}, found.Items[0].Span)
	require.Contains(t, found.Items[0].Snippet, "<em>tenant</em>")
	require.Equal(t, []api.Facet{{Value: "completed", Label: "completed", Count: 1}}, found.Facets["status"])

	files := get[api.FileHits](t, b.call(t, b.aliceKey, "GET /api/search?q=tenant", ""), http.StatusOK)
	require.Len(t, files.Items, 1)
	require.Equal(t, []int{1}, files.Items[0].Pages)
	require.Len(t, files.Items[0].Hits, 1)

	first := get[api.SentenceHits](t, b.call(t, b.aliceKey, "GET /api/files/search-index?limit=1", ""), http.StatusOK)
	second := get[api.SentenceHits](t, b.call(t, b.aliceKey, "GET /api/files/search-index?limit=1&cursor="+first.NextCursor, ""), http.StatusOK)
	require.NotEqual(t, first.Items[0].SentenceID, second.Items[0].SentenceID)
	require.Empty(t, second.NextCursor)
	require.Empty(t, get[api.FileHits](t, b.call(t, b.aliceKey, "GET /api/search?q=tenant&status=failed", ""), http.StatusOK).Items)
	for _, wrong := range []string{"fileId=x", "matterId=x", "documentTypeId=x", "facets=colour", "limit=0", "cursor=x", "createdFrom=x", "q=" + strings.Repeat("x", 4001)} {
		get[api.Error](t, b.call(t, b.aliceKey, "GET /api/search?"+wrong, ""), http.StatusUnprocessableEntity)
	}
}

func TestBulk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, waiting, theirs := b.file(t, b.alice), b.file(t, b.alice), b.file(t, b.mallory)
	b.process(t, b.alice, f.ID)
	some := `"fileIds":["` + f.ID + `","` + waiting.ID + `","` + theirs.ID + `","x","x"]`
	notFound := []string{theirs.ID, "x"}
	rejected := []api.ItemError{{FileID: theirs.ID, Error: "not found"}, {FileID: "x", Error: "not found"}}

	status := get[api.BulkStatus](t, b.call(t, b.alice, "POST /api/files/bulk/status", "{"+some+"}"), http.StatusOK)
	require.Len(t, status.Items, 2)
	require.Equal(t, notFound, status.NotFound)
	status = get[api.BulkStatus](t, b.call(t, b.alice, "POST /api/files/bulk/status", `{"filter":{"status":["completed"]}}`), http.StatusOK)
	require.Equal(t, f.ID, status.Items[0].FileID)
	require.Len(t, status.Items, 1)

	ocr := get[api.BulkOCR](t, b.call(t, b.alice, "POST /api/files/bulk/ocr", "{"+some+"}"), http.StatusOK)
	require.ElementsMatch(t, []api.FileOCR{{FileID: f.ID, HasOCRText: true}, {FileID: waiting.ID}}, ocr.Items)
	require.Equal(t, notFound, ocr.NotFound)

	again := get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/reprocess?from=segment", "{"+some+"}"), http.StatusAccepted)
	require.Equal(t, 1, again.Accepted)
	require.Equal(t, append(rejected[:2:2], api.ItemError{FileID: waiting.ID, Error: "the file has no text yet; reprocess it from the start"}), again.Rejected)
	again = get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/reprocess", "{"+some+`,"ocr":"force"}`), http.StatusAccepted)
	require.Equal(t, 2, again.Accepted)
	require.Equal(t, rejected, again.Rejected)
	for _, id := range []string{f.ID, waiting.ID} {
		row, err := b.db.File(t.Context(), b.alice.scope, id)
		require.NoError(t, err)
		require.Equal(t, "force", row.Options.OCR)
		require.True(t, row.Bulk)
		require.Equal(t, 1, b.asked(t, b.alice, id))
	}
	op := get[api.Operation](t, b.call(t, b.alice, "GET "+again.StatusURL, ""), http.StatusOK)
	require.Equal(t, 2, op.Total)
	require.Equal(t, "running", op.State)
	require.Equal(t, rejected, op.Errors)

	gone := get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/delete", "{"+some+"}"), http.StatusAccepted)
	require.Equal(t, 2, gone.Accepted)
	requireAsked(t, b, jobs.DeleteFiles{
		OperationID: gone.OperationID, TeamID: b.alice.scope.TeamID, ActorKind: "user", ActorID: b.alice.scope.ActorID,
		FileIDs: []string{f.ID, waiting.ID},
	})

	for _, kind := range []string{"delete", "reprocess"} {
		none := get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/"+kind, `{"fileIds":["x"]}`), http.StatusAccepted)
		require.Zero(t, none.Accepted)
		require.Equal(t, "completed", get[api.Operation](t, b.call(t, b.alice, "GET "+none.StatusURL, ""), http.StatusOK).State)
	}
	for _, kind := range []string{"delete", "reprocess", "status", "ocr"} {
		for _, wrong := range []string{"{}", `{"fileIds":["x"],"filter":{}}`, `{"filter":{"colour":"red"}}`, `{"fileIds":[` + strings.Repeat(`"x",`, 10_000) + `"x"]}`} {
			get[api.Error](t, b.call(t, b.alice, "POST /api/files/bulk/"+kind, wrong), http.StatusUnprocessableEntity)
		}
	}
}
