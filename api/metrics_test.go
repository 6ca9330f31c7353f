package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"
)

// TestScrapeStaysSmall counts every operation that there is, with more statuses
// than most have.
func TestScrapeStaysSmall(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	m := newMetrics(registry, newHub())
	operations := 0
	for _, item := range OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Head, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			operations++
			for _, status := range []int{http.StatusOK, http.StatusUnauthorized, http.StatusNotFound} {
				m.observe(op.OperationID, status, time.Second)
			}
		}
	}
	require.Greater(t, operations, 168)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true}).
		ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	require.Less(t, w.Body.Len(), 1_150*operations)
}
