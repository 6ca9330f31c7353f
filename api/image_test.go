package api_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
)

// pageDrawer stands in for the reader of documents, a program of its own.
type pageDrawer struct{ kept map[string]bool }

func pictureOf(p api.DrawnPage) string { return fmt.Sprintf("%s %d %d", p.Format, p.Number, p.Width) }

func keptAs(p api.DrawnPage) string { return p.File.ID + p.Print + pictureOf(p) }

func (d pageDrawer) Drawn(p api.DrawnPage) []byte {
	if d.kept[keptAs(p)] {
		return []byte("kept " + pictureOf(p))
	}
	return nil
}

func (d pageDrawer) Draw(_ context.Context, p api.DrawnPage) ([]byte, error) {
	switch p.Number {
	case 1:
		d.kept[keptAs(p)] = true
		return append(p.PDF, "drawn "+pictureOf(p)...), nil
	case 2:
		return nil, fault.File(fault.CorruptFile, "page 2 cannot be read", nil)
	default:
		return nil, fault.New(fault.NotFound, "the PDF has no such page")
	}
}

func TestPageImage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.printed(t, b.alice, "pdf")
	path := "GET /api/files/" + f.ID + "/pages/1/image"
	w := b.call(t, b.aliceKey, path, "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "drawn jpeg 1 1000", w.Body.String())
	require.Equal(t, "image/jpeg", w.Header().Get("Content-Type"))
	require.Equal(t, "private, no-cache", w.Header().Get("Cache-Control"))
	require.Equal(t, "1", w.Header().Get("X-Version"))
	etag := w.Header().Get("ETag")
	require.Equal(t, "kept jpeg 1 1000", b.call(t, b.alice, path, "").Body.String())
	require.Equal(t, http.StatusNotModified, b.unless(t, path, etag).Code)
	require.Equal(t, http.StatusOK, b.unless(t, path+"?width=200", etag).Code)

	for accept, format := range map[string]document.Format{
		"": document.AsJPEG, "*/*": document.AsJPEG, "image/webp": document.AsJPEG, "image/png": document.AsPNG, "image/jpeg, image/png;q=0.5": document.AsJPEG,
		"image/avif,image/png;q=0.9,*/*;q=0.5": document.AsPNG, "image/png;q=0": document.AsJPEG, "IMAGE/PNG": document.AsPNG, "image/png;q=x, ;": document.AsPNG,
	} {
		r := request(t, b.alice, path+"?width=300", "")
		r.Header.Set("Accept", accept)
		require.Equal(t, "image/"+string(format), b.send(t, r).Header().Get("Content-Type"), accept)
	}
	for query, status := range map[string]int{"?width=15": 422, "?width=4001": 422, "?width=x": 422, "?version=2": 404, "?version=1": 200} {
		require.Equal(t, status, b.call(t, b.alice, path+query, "").Code, query)
	}
	page := func(n string) string { return "GET /api/files/" + f.ID + "/pages/" + n + "/image" }
	require.Contains(t, get[api.Error](t, b.call(t, b.alice, page("2"), ""), http.StatusUnprocessableEntity).Message, "page 2 cannot be read")
	get[api.Error](t, b.call(t, b.alice, page("3"), ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.mallory, path, ""), http.StatusNotFound)
	flowing := b.printed(t, b.alice, "docx")
	require.Equal(t, "no_pages", get[api.Error](t, b.call(t, b.alice, "GET /api/files/"+flowing.ID+"/pages/1/image", ""), http.StatusNotFound).Code)
	unseen := b.file(t, b.alice)
	require.Equal(t, "not_ready", get[api.Error](t, b.call(t, b.alice, "GET /api/files/"+unseen.ID+"/pages/1/image", ""), http.StatusConflict).Code)

	b = setup(t, func(c *api.Config) { c.Pages = nil })
	path = "GET /api/files/" + b.printed(t, b.alice, "pdf").ID + "/pages/1/image"
	get[api.Error](t, b.call(t, b.alice, path, ""), http.StatusServiceUnavailable)
	get[api.Error](t, b.call(t, b.mallory, path, ""), http.StatusNotFound)
}
