package api

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics is what the API tells of itself. Requests are named by operation,
// never by path: paths hold ids.
type metrics struct {
	seconds *prometheus.HistogramVec
	refused prometheus.Counter
	quotas  *prometheus.CounterVec // refusals
}

func newMetrics(registry prometheus.Registerer, h *hub) *metrics {
	m := &metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "clausemill_http_request_seconds",
			Help:    "Duration of HTTP requests, long polls and streams included.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120},
		}, []string{"operation", "status"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "clausemill_rate_limit_refusals_total",
			Help: "Requests by API key that were beyond the rate limit.",
		}),
		quotas: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "clausemill_quota_refusals_total",
			Help: "Requests that were refused because their caller, their team or all together had their share under way.",
		}, []string{"quota", "share"}),
	}
	registry.MustRegister(m.seconds, m.refused, m.quotas, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "clausemill_http_waiting_requests",
		Help: "Long polls and event streams that are open.",
	}, func() float64 { return float64(h.count()) }))
	return m
}

func (m *metrics) observe(operation string, status int, took time.Duration) {
	m.seconds.WithLabelValues(operation, strconv.Itoa(status)).Observe(took.Seconds())
}
