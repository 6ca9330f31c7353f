package api_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

// TestConditions asks the lists and searches of the API by the same condition.
func TestConditions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, other := b.file(t, b.alice), b.file(t, b.alice)
	b.read(t, b.alice, f.ID, supply)
	b.read(t, b.mallory, b.file(t, b.mallory).ID, supply)

	const condition = `{"all":[{"field":"attribute.governing_law","op":"in","values":["delaware"]},{"not":{"field":"name","op":"contains","values":["draft"]}}]}`
	filter := "filter=" + url.QueryEscape(condition)
	files := get[api.List[api.File]](t, b.call(t, b.aliceKey, "GET /api/files?"+filter, ""), http.StatusOK)
	require.Equal(t, 1, *files.Total)
	require.Equal(t, f.ID, files.Items[0].ID)
	found := get[api.FileHits](t, b.call(t, b.aliceKey, "GET /api/search?"+filter, ""), http.StatusOK)
	require.Len(t, found.Items, 1)
	require.Equal(t, f.ID, found.Items[0].FileID)
	bulk := get[api.List[struct {
		ID string `json:"fileId"`
	}]](t, b.call(t, b.alice, "POST /api/files/bulk/status", `{"filter":{"filter":`+condition+`}}`), http.StatusOK)
	require.Len(t, bulk.Items, 1)
	require.Equal(t, f.ID, bulk.Items[0].ID)
	rest := get[api.List[api.File]](t, b.call(t, b.alice, "GET /api/files?filter="+url.QueryEscape(`{"field":"attribute.governing_law","op":"missing"}`), ""), http.StatusOK)
	require.Len(t, rest.Items, 1)
	require.Equal(t, other.ID, rest.Items[0].ID)

	for bad, says := range map[string]string{
		`{`:                    "is not a condition",
		`{"field":"status"}{}`: "is not a condition",
		`{"colour":1}`:         "is not a condition",
		`{"field":"colour"}`:   "is no field",
		`{"field":"action"}`:   "takes in",
		`{"field":"status","op":"in","values":["a\u0000"]}`: "NUL",
	} {
		for _, line := range []string{"GET /api/files", "GET /api/search", "GET /api/files/search-index", "GET /api/sentences"} {
			e := get[api.Error](t, b.call(t, b.alice, line+"?filter="+url.QueryEscape(bad), ""), http.StatusUnprocessableEntity)
			require.Equal(t, "query.filter", e.Details[0].Location, bad)
			require.Contains(t, e.Message, says)
		}
	}
	e := get[api.Error](t, b.call(t, b.alice, "POST /api/files/bulk/status", `{"filter":{"filter":{"field":"action","op":"in","values":["x"]}}}`), http.StatusUnprocessableEntity)
	require.Equal(t, "body.filter", e.Details[0].Location)
}
