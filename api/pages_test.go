package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/layout"
)

// printed is a file of two pages with places: three lines of text, one of them in a
// form field, and a scan turned by a quarter.
func (b *bundle) printed(t *testing.T, who caller, kind string) api.File {
	t.Helper()
	f := b.file(t, who)
	in := db.System(who.scope.TeamID)
	b.process(t, who, f.ID)
	word := func(start, end int, x0, y0, x1, y1 float32, origin layout.Origin) layout.Word {
		return layout.Word{Start: start, End: end, Box: layout.Box{X0: x0, Y0: y0, X1: x1, Y1: y1}, Confidence: 97, Origin: origin}
	}
	pages := []db.Page{
		{Number: 1, Width: 600, Height: 800, Source: "text_layer", Reason: "good", Confidence: 100, Text: "Müller & Söhne\npay 12 €\n", Words: layout.EncodeWords([]layout.Word{
			word(0, 6, 60, 80, 120, 96, layout.Content), word(7, 8, 126, 80, 132, 96, layout.Content), word(9, 14, 138, 80, 180, 96, layout.Content),
			word(15, 18, 60, 160, 90, 176, layout.Content), word(19, 21, 96, 160, 110, 176, layout.Field), word(22, 23, 120, 160, 126, 176, layout.Annotation),
		})},
		{Number: 2, Width: 800, Height: 600, Source: "ocr", Reason: "image", Confidence: 91, Text: "on time\n", Words: layout.EncodeWords([]layout.Word{
			word(0, 2, 700, 60, 716, 90, layout.Content), word(3, 7, 700, 96, 716, 150, layout.Content),
		})},
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		require.NoError(t, tx.ReplacePages(t.Context(), in, f.ID, 2, pages))
		require.NoError(t, tx.SetKind(t.Context(), in, f.ID, kind, "application/pdf", 2))
		_, err := tx.SaveText(t.Context(), in, f.ID, db.Text{Language: "en"})
		return err
	}))
	return f
}

// unless asks for what has another ETag.
func (b *bundle) unless(t *testing.T, line, etag string) *httptest.ResponseRecorder {
	t.Helper()
	r := request(t, b.alice, line, "")
	r.Header.Set("If-None-Match", etag)
	return b.send(t, r)
}

func TestFileText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	path := "GET /api/files/" + f.ID + "/text"
	e := get[api.Error](t, b.call(t, b.aliceKey, path, ""), http.StatusConflict)
	require.Equal(t, "not_ready", e.Code)

	f = b.printed(t, b.alice, "pdf")
	path = "GET /api/files/" + f.ID + "/text"
	const whole = "Müller & Söhne\npay 12 €\n\fon time\n"
	runes := []rune(whole)
	w := b.call(t, b.aliceKey, path, "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, whole, w.Body.String())
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
	require.Equal(t, "1", w.Header().Get("X-Version"))
	for start := range len(runes) + 1 {
		for end := start; end <= len(runes)+1; end++ {
			w := b.call(t, b.alice, fmt.Sprintf("%s?start=%d&end=%d", path, start, end), "")
			require.Equal(t, http.StatusOK, w.Code)
			require.Equal(t, string(runes[start:min(end, len(runes))]), w.Body.String(), "%d to %d", start, end)
		}
	}
	require.Equal(t, "on time\n", b.call(t, b.alice, path+"?start=25", "").Body.String())
	require.Contains(t, get[api.Error](t, b.call(t, b.alice, path+"?start=34", ""), http.StatusUnprocessableEntity).Message, "33 code points")
	get[api.Error](t, b.call(t, b.alice, path+"?start=3&end=2", ""), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.alice, path+"?start=-1", ""), http.StatusUnprocessableEntity)

	etag := w.Header().Get("ETag")
	w = b.unless(t, path, etag)
	require.Equal(t, http.StatusNotModified, w.Code)
	require.Empty(t, w.Body.String())
	get[api.Error](t, b.call(t, b.mallory, path, ""), http.StatusNotFound)

	// Pages that were read anew are not those that the spans count in.
	in := db.System(b.alice.scope.TeamID)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.ReplacePages(t.Context(), in, f.ID, 0, nil) }))
	for _, path := range []string{"/text", "/pages/1/words", "/boxes?start=0&end=5"} {
		require.Equal(t, http.StatusConflict, b.call(t, b.alice, "GET /api/files/"+f.ID+path, "").Code, path)
	}
	require.False(t, get[api.PageList](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/pages", ""), http.StatusOK).TextReady)
	b.call(t, b.alice, "POST /api/files/"+f.ID+"/reprocess", "")
	b.process(t, b.alice, f.ID)
	w = b.unless(t, path, etag)
	require.Equal(t, http.StatusOK, w.Code, "it is another text")
	require.Equal(t, "Lease\n\nThe tenant pays.\fExhibit A", w.Body.String())
}

func TestPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.printed(t, b.alice, "pdf")
	path := "GET /api/files/" + f.ID + "/pages"
	w := b.call(t, b.aliceKey, path, "")
	all := get[api.PageList](t, w, http.StatusOK)
	require.Equal(t, 2, all.Total)
	require.Equal(t, 1, *all.Version)
	require.Equal(t, []api.PageInfo{
		{Number: 1, Width: 600, Height: 800, Source: "text_layer", Reason: "good", Confidence: 100, Span: &api.Span{Start: 0, End: 24}},
		{Number: 2, Width: 800, Height: 600, Rotation: 90, Source: "ocr", Reason: "image", Confidence: 91, Span: &api.Span{Start: 25, End: 33}},
	}, all.Items)
	require.Equal(t, http.StatusNotModified, b.unless(t, path, w.Header().Get("ETag")).Code)

	first := get[api.PageList](t, b.call(t, b.alice, path+"?limit=1", ""), http.StatusOK)
	require.Equal(t, all.Items[:1], first.Items)
	second := get[api.PageList](t, b.call(t, b.alice, path+"?limit=1&cursor="+first.NextCursor, ""), http.StatusOK)
	require.Equal(t, all.Items[1:], second.Items)
	require.Empty(t, second.NextCursor)

	flowing := b.printed(t, b.alice, "docx")
	require.Empty(t, get[api.PageList](t, b.call(t, b.alice, "GET /api/files/"+flowing.ID+"/pages", ""), http.StatusOK).Items)
	require.Contains(t, b.call(t, b.alice, "GET /api/files/"+flowing.ID+"/text", "").Body.String(), "Müller")
	for _, path := range []string{"/pages/1/words", "/boxes?start=0&end=5"} {
		e := get[api.Error](t, b.call(t, b.alice, "GET /api/files/"+flowing.ID+path, ""), http.StatusNotFound)
		require.Equal(t, "no_pages", e.Code)
	}
}

func TestPageWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.printed(t, b.alice, "pdf")
	path := "GET /api/files/" + f.ID + "/pages/1/words"
	all := get[api.PageWords](t, b.call(t, b.aliceKey, path, ""), http.StatusOK)
	require.Equal(t, 6, all.Total)
	require.Equal(t, api.PageWord{
		Text: "Müller", Span: api.Span{Start: 0, End: 6}, Box: api.PageBox{X0: 0.1, Y0: 0.1, X1: 0.2, Y1: 0.12}, Confidence: 97, Origin: "content",
	}, all.Items[0])
	require.Equal(t, []string{"field", "annotation"}, []string{all.Items[4].Origin, all.Items[5].Origin})
	words, cursor := []api.PageWord{}, ""
	for range 3 {
		page := get[api.PageWords](t, b.call(t, b.alice, path+"?limit=2&cursor="+cursor, ""), http.StatusOK)
		words, cursor = append(words, page.Items...), page.NextCursor
	}
	require.Empty(t, cursor)
	require.Equal(t, all.Items, words)

	second := get[api.PageWords](t, b.call(t, b.alice, strings.Replace(path, "/1/", "/2/", 1), ""), http.StatusOK)
	require.Equal(t, api.Span{Start: 28, End: 32}, second.Items[1].Span, "spans count in the text of the file")
	for n, status := range map[string]int{"3": http.StatusNotFound, "0": http.StatusUnprocessableEntity, "-1": http.StatusUnprocessableEntity, "99999999999": http.StatusUnprocessableEntity} {
		get[api.Error](t, b.call(t, b.alice, strings.Replace(path, "/1/", "/"+n+"/", 1), ""), status)
	}
}

func TestBoxes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.printed(t, b.alice, "pdf")
	path := "GET /api/files/" + f.ID + "/boxes"
	all := get[api.TextBoxes](t, b.call(t, b.aliceKey, path+"?start=7&end=33", ""), http.StatusOK)
	require.Equal(t, []api.TextBox{
		{Page: 1, Span: api.Span{Start: 7, End: 14}, Box: api.PageBox{X0: 0.21, Y0: 0.1, X1: 0.3, Y1: 0.12}},
		{Page: 1, Span: api.Span{Start: 15, End: 23}, Box: api.PageBox{X0: 0.1, Y0: 0.2, X1: 0.21, Y1: 0.22}},
		{Page: 2, Span: api.Span{Start: 25, End: 32}, Box: api.PageBox{X0: 0.875, Y0: 0.1, X1: 0.895, Y1: 0.25}},
	}, all.Items)
	boxes, cursor := []api.TextBox{}, ""
	for range 3 {
		page := get[api.TextBoxes](t, b.call(t, b.alice, path+"?start=7&end=33&limit=1&cursor="+cursor, ""), http.StatusOK)
		boxes, cursor = append(boxes, page.Items...), page.NextCursor
	}
	require.Empty(t, cursor)
	require.Equal(t, all.Items, boxes)

	require.Empty(t, get[api.TextBoxes](t, b.call(t, b.alice, path+"?start=14&end=15", ""), http.StatusOK).Items, "a line break")
	require.Empty(t, get[api.TextBoxes](t, b.call(t, b.alice, path+"?start=3&end=3", ""), http.StatusOK).Items)
	for _, query := range []string{"?start=2&end=1", "?start=-1", "?start=34&end=35", "?start=x&end=1", "?start=0&end=1&cursor=x"} {
		get[api.Error](t, b.call(t, b.alice, path+query, ""), http.StatusUnprocessableEntity)
	}
}

// TestLongTexts has more pages than are read at once.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.printed(t, b.alice, "pdf")
	in := db.System(b.alice.scope.TeamID)
	var pages []db.Page
	var text []string
	for n := 1; n <= 40; n++ {
		words := []layout.Word{{Start: 0, End: 4, Box: layout.Box{X0: 1, Y0: 1, X1: 9, Y1: 9}}}
		pages = append(pages, db.Page{Number: n, Width: 100, Height: 100, Source: "text_layer", Text: "wörd", Words: layout.EncodeWords(words)})
		text = append(text, "wörd")
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		require.NoError(t, tx.ReplacePages(t.Context(), in, f.ID, len(pages), pages))
		_, err := tx.SaveText(t.Context(), in, f.ID, db.Text{})
		return err
	}))
	whole := strings.Join(text, "\f")
	require.Equal(t, whole, b.call(t, b.alice, "GET /api/files/"+f.ID+"/text", "").Body.String())
	require.Equal(t, string([]rune(whole)[7:190]), b.call(t, b.alice, "GET /api/files/"+f.ID+"/text?start=7&end=190", "").Body.String())
	seen, cursor := []int{}, ""
	for asked := 0; asked == 0 || cursor != ""; asked++ {
		page := get[api.TextBoxes](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/boxes?start=0&end=1000&cursor="+cursor, ""), http.StatusOK)
		for _, box := range page.Items {
			seen = append(seen, box.Page)
		}
		cursor = page.NextCursor
	}
	require.Len(t, seen, 40)
	require.Equal(t, 40, seen[39])
}
