package worker

import "github.com/prometheus/client_golang/prometheus"

// metrics is what operators see of the work.
type metrics struct {
	jobSeconds *prometheus.HistogramVec
	pages      *prometheus.CounterVec
	ocrSeconds prometheus.Histogram
	failures   *prometheus.CounterVec
	rescued    prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		jobSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "clausemill_job_seconds", Help: "How long jobs took, by kind and outcome (done, failed, retried, interrupted).",
			Buckets: []float64{.005, .02, .1, .5, 1, 2, 5, 10, 30, 60, 300, 1800},
		}, []string{"kind", "outcome"}),
		pages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "clausemill_pages_total", Help: "Pages read, by where their text comes from and why.",
		}, []string{"source", "reason"}),
		ocrSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "clausemill_ocr_page_seconds", Help: "How long a page took to be rendered and recognised.",
			Buckets: []float64{.25, .5, 1, 2, 3, 5, 8, 15, 30, 60, 120},
		}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "clausemill_file_failures_total", Help: "Files that failed, by cause.",
		}, []string{"cause"}),
		rescued: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "clausemill_jobs_rescued_total", Help: "Jobs taken over from workers that died.",
		}),
	}
	registry.MustRegister(m.jobSeconds, m.pages, m.ocrSeconds, m.failures, m.rescued)
	return m
}
