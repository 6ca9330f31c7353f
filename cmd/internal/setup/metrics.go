package setup

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// metricsHandler answers scrapes.
func (r *Rooms) metricsHandler() http.Handler {
	return promhttp.HandlerFor(r.Metrics, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, // without a database the rest is wanted most
		ErrorLog:      slog.NewLogLogger(r.Log.Handler(), slog.LevelWarn),
	})
}

// ServeMetrics answers operators on l until ctx ends.
func (r *Rooms) ServeMetrics(ctx context.Context, l net.Listener) error {
	go r.health.keep(ctx, "database", checkEvery, r.DB.Fits)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", r.metricsHandler())
	mux.HandleFunc("GET /livez", livez)
	mux.HandleFunc("GET /healthz", livez) // as it is called in other places
	mux.HandleFunc("GET /readyz", r.health.readyz)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return serveHTTP(ctx, l, mux, r.Log)
}

// measureTimeout bounds what a scrape waits for the database.
const measureTimeout = 5 * time.Second

// backlog collects the metrics of what waits in the database, measured at each scrape.
// All processes report the same values.
type backlog struct {
	db *db.DB

	jobs, jobsOldest, files, filesOldest *prometheus.Desc
}

func newBacklog(d *db.DB) *backlog {
	return &backlog{
		db:          d,
		jobs:        prometheus.NewDesc("clausemill_queue_jobs", "Jobs that have not ended, by queue and River's state.", []string{"queue", "state"}, nil),
		jobsOldest:  prometheus.NewDesc("clausemill_queue_oldest_seconds", "How long the oldest job of a queue has waited for its turn or for a worker.", []string{"queue"}, nil),
		files:       prometheus.NewDesc("clausemill_index_waiting_files", "Files whose text search does not find yet.", nil, nil),
		filesOldest: prometheus.NewDesc("clausemill_index_lag_seconds", "How long the oldest text has waited to be found by search.", nil, nil),
	}
}

// Describe names the gauges.
func (b *backlog) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{b.jobs, b.jobsOldest, b.files, b.filesOldest} {
		to <- d
	}
}

// Collect measures.
func (b *backlog) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), measureTimeout)
	defer cancel()
	b.collectJobs(ctx, to)
	b.collectFiles(ctx, to)
}

// collectJobs collects every queue in every state, empty ones too: an absent series
// cannot be compared.
func (b *backlog) collectJobs(ctx context.Context, to chan<- prometheus.Metric) {
	depths, err := b.db.QueueDepths(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(b.jobs, err)
		return
	}
	type place struct{ queue, state string }
	count, oldest := map[place]int{}, map[string]float64{}
	for _, d := range depths {
		count[place{d.Queue, d.State}] = d.Jobs
		if d.State == "pending" || d.State == "available" {
			oldest[d.Queue] = max(oldest[d.Queue], d.Oldest)
		}
	}
	for _, queue := range jobs.Queues {
		for _, state := range []string{"pending", "available", "running", "retryable", "scheduled"} {
			to <- prometheus.MustNewConstMetric(b.jobs, prometheus.GaugeValue, float64(count[place{queue, state}]), queue, state)
		}
		to <- prometheus.MustNewConstMetric(b.jobsOldest, prometheus.GaugeValue, oldest[queue], queue)
	}
}

func (b *backlog) collectFiles(ctx context.Context, to chan<- prometheus.Metric) {
	waiting, err := b.db.IndexBacklog(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(b.files, err)
		return
	}
	to <- prometheus.MustNewConstMetric(b.files, prometheus.GaugeValue, float64(waiting.Files))
	to <- prometheus.MustNewConstMetric(b.filesOldest, prometheus.GaugeValue, waiting.Oldest)
}
