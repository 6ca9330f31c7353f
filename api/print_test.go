package api_test

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/layout"
	"github.com/clausemill/clausemill/redline"
)

// print keeps what came of the printing that was asked for, as a worker would.
func (b *bundle) print(t *testing.T, who caller, report any, pdf string) {
	t.Helper()
	encoded, err := json.Marshal(report)
	require.NoError(t, err)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		job := rivertest.RequireInsertedTx[*riverpgxv5.Driver](t.Context(), t, tx.Raw, jobs.PrintFile{}, nil).Args
		key, err := hex.DecodeString(job.Key)
		require.NoError(t, err)
		return tx.SaveRendition(t.Context(), who.scope, job.DocumentID, key, db.Rendition{Report: encoded, Document: []byte(pdf)}, db.KeepRendition)
	}))
}

// TestPrint lays a Word document out as two pages: from then on it has pages as a PDF has.
func TestPrint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.printed(t, b.alice, "docx") // "Müller & Söhne\npay 12 €\n\fon time\n"
	pages := "/api/files/" + f.ID + "/pages"
	e := get[api.Error](t, b.call(t, b.alice, "GET "+pages+"/1/image", ""), http.StatusNotFound)
	require.Equal(t, "no_pages", e.Code)
	require.Contains(t, e.Message, "POST /api/files/{fileId}/pages")
	get[api.Error](t, b.call(t, b.mallory, "POST "+pages+"?wait=0", ""), http.StatusNotFound)

	w := b.call(t, b.aliceKey, "POST "+pages+"?wait=0", "")
	require.Equal(t, api.Printed{FileID: f.ID}, get[api.Printed](t, w, http.StatusAccepted))
	require.Equal(t, pages, w.Header().Get("Location"))
	word := func(start, end int, x0 float32) layout.Word {
		return layout.Word{Start: start, End: end, Box: layout.Box{X0: x0, Y0: 80, X1: x0 + 60, Y1: 96}, Confidence: 100}
	}
	b.print(t, b.alice, draft.NewPrint([]layout.Page{
		{Number: 1, Width: 600, Height: 800, Text: "Müller & Söhne 1", Words: []layout.Word{word(0, 6, 60), word(7, 8, 126), word(9, 14, 190), word(15, 16, 500)}},
		{Number: 2, Width: 600, Height: 800, Text: "pay 12 € on time 2", Words: []layout.Word{word(0, 3, 60), word(4, 6, 126), word(7, 8, 190), word(9, 11, 260), word(12, 16, 330), word(17, 18, 500)}},
	}, "Müller & Söhne\npay 12 €\n\fon time\n"), "%PDF ")
	require.Equal(t, api.Printed{FileID: f.ID, Ready: true, Total: 2}, get[api.Printed](t, b.call(t, b.alice, "POST "+pages+"?wait=0", ""), http.StatusOK))

	all := get[api.PageList](t, b.call(t, b.alice, "GET "+pages, ""), http.StatusOK)
	require.Equal(t, []api.PageInfo{
		{Number: 1, Width: 600, Height: 800, Source: "print", Reason: "printed", Confidence: 100, Span: &api.Span{Start: 0, End: 15}},
		{Number: 2, Width: 600, Height: 800, Source: "print", Reason: "printed", Confidence: 100, Span: &api.Span{Start: 15, End: 33}},
	}, all.Items)
	require.Equal(t, 2, all.Total)
	first := get[api.PageList](t, b.call(t, b.alice, "GET "+pages+"?limit=1", ""), http.StatusOK)
	require.Equal(t, all.Items[1:], get[api.PageList](t, b.call(t, b.alice, "GET "+pages+"?limit=1&cursor="+first.NextCursor, ""), http.StatusOK).Items)

	words := get[api.PageWords](t, b.call(t, b.alice, "GET "+pages+"/2/words", ""), http.StatusOK)
	require.Equal(t, 5, words.Total, "all but the number of the page")
	require.Equal(t, api.PageWord{
		Text: "on", Span: api.Span{Start: 25, End: 27}, Box: api.PageBox{X0: 260. / 600, Y0: 0.1, X1: 320. / 600, Y1: 0.12}, Confidence: 100, Origin: "content",
	}, roughly(words.Items[3]))
	get[api.Error](t, b.call(t, b.alice, "GET "+pages+"/3/words", ""), http.StatusNotFound)
	boxes := get[api.TextBoxes](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/boxes?start=9&end=18", ""), http.StatusOK)
	require.Len(t, boxes.Items, 2)
	require.Equal(t, api.Span{Start: 9, End: 14}, boxes.Items[0].Span)
	require.Equal(t, 2, boxes.Items[1].Page)
	require.Equal(t, "%PDF drawn jpeg 1 1000", b.call(t, b.alice, "GET "+pages+"/1/image", "").Body.String())
	pdf := b.call(t, b.aliceKey, "GET /api/files/"+f.ID+"/print", "")
	require.Equal(t, "%PDF ", pdf.Body.String())
	require.Equal(t, "application/pdf", pdf.Header().Get("Content-Type"))
	require.Contains(t, pdf.Header().Get("Content-Disposition"), ".pdf")
	get[api.Error](t, b.call(t, b.mallory, "GET /api/files/"+f.ID+"/print", ""), http.StatusNotFound)
	require.Equal(t, "kept jpeg 1 1000", b.call(t, b.alice, "GET "+pages+"/1/image?version=1", "").Body.String())

	// The pages are those of one text.
	b.call(t, b.alice, "POST /api/files/"+f.ID+"/reprocess", "")
	b.process(t, b.alice, f.ID)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SetKind(t.Context(), db.System(b.alice.scope.TeamID), f.ID, "docx", "application/msword", 2)
	}))
	require.Empty(t, get[api.PageList](t, b.call(t, b.alice, "GET "+pages, ""), http.StatusOK).Items)
	get[api.Error](t, b.call(t, b.alice, "GET "+pages+"/1/words", ""), http.StatusNotFound)
}

// roughly makes floats of a box those that fractions are.
func roughly(w api.PageWord) api.PageWord {
	for _, v := range []*float32{&w.Box.X0, &w.Box.X1} {
		*v = float32(int(*v*600+0.5)) / 600
	}
	return w
}

func TestPrintNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pdf := b.printed(t, b.alice, "pdf")
	require.Equal(t, api.Printed{FileID: pdf.ID, Ready: true, Total: 2}, get[api.Printed](t, b.call(t, b.alice, "POST /api/files/"+pdf.ID+"/pages", ""), http.StatusOK))
	require.Equal(t, "no_pages", get[api.Error](t, b.call(t, b.alice, "GET /api/files/"+pdf.ID+"/print", ""), http.StatusNotFound).Code)
	mail := b.printed(t, b.alice, "eml")
	require.Equal(t, "no_pages", get[api.Error](t, b.call(t, b.alice, "POST /api/files/"+mail.ID+"/pages", ""), http.StatusNotFound).Code)
	unread := b.file(t, b.alice)
	require.Equal(t, "not_ready", get[api.Error](t, b.call(t, b.alice, "POST /api/files/"+unread.ID+"/pages", ""), http.StatusConflict).Code)

	failing := b.printed(t, b.alice, "docx")
	path := "POST /api/files/" + failing.ID + "/pages?wait=0"
	get[api.Printed](t, b.call(t, b.alice, path, ""), http.StatusAccepted)
	b.print(t, b.alice, redline.Outcome{Error: redline.NewFailure(&fault.Error{Kind: fault.Unavailable, Code: fault.ConversionFailed, Message: "LibreOffice is not installed"})}, "")
	e := get[api.Error](t, b.call(t, b.alice, path, ""), http.StatusServiceUnavailable)
	require.Equal(t, "conversion_failed", e.Code)
	require.Equal(t, "LibreOffice is not installed", e.Message)
	require.Equal(t, "no_pages", get[api.Error](t, b.call(t, b.alice, "GET /api/files/"+failing.ID+"/boxes?start=0&end=5", ""), http.StatusNotFound).Code)
	require.Empty(t, get[api.PageList](t, b.call(t, b.alice, "GET /api/files/"+failing.ID+"/pages", ""), http.StatusOK).Items)
}
