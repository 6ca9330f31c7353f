package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"
)

// TestDeprecated has an operation that will go, since none of the API is one.
func TestDeprecated(t *testing.T) {
	t.Parallel()
	router := chi.NewMux()
	routes := humachi.New(router, config())
	since, sunset := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	type answer struct {
		Old bool `json:"old"`
	}
	handler := func(context.Context, *struct{}) (answer, error) { return answer{true}, nil }
	get(routes, "/api/old", "oldThing", "List what was", handler, status(http.StatusAccepted), deprecated(since, sunset, "/api/new"))
	get(routes, "/api/new", "newThing", "List what is", handler)

	w := httptest.NewRecorder()
	router.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/old", nil))
	require.Equal(t, http.StatusAccepted, w.Code)
	require.JSONEq(t, `{"old":true}`, w.Body.String())
	require.Equal(t, "@1798761600", w.Header().Get("Deprecation"))
	require.Equal(t, "Thu, 01 Jul 2027 12:00:00 GMT", w.Header().Get("Sunset"))
	require.Equal(t, `</api/new>; rel="successor-version"`, w.Header().Get("Link"))
	w = httptest.NewRecorder()
	router.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/new", nil))
	require.Empty(t, w.Header().Values("Deprecation"))

	text, err := json.Marshal(routes.OpenAPI().Paths)
	require.NoError(t, err)
	var paths map[string]struct{ Get huma.Operation }
	require.NoError(t, json.Unmarshal(text, &paths))
	old := paths["/api/old"].Get
	require.True(t, old.Deprecated)
	require.NotEmpty(t, old.Responses["202"].Content)
	require.Equal(t, "@1798761600", old.Responses["202"].Headers["Deprecation"].Example)
	require.Equal(t, "Thu, 01 Jul 2027 12:00:00 GMT", old.Responses["202"].Headers["Sunset"].Example)
	require.NotContains(t, old.Responses, "200")
	require.False(t, paths["/api/new"].Get.Deprecated)
	require.Empty(t, paths["/api/new"].Get.Responses["200"].Headers)
}
