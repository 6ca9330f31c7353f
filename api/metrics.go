package api

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/clausemill/clausemill/llm"
)

// metrics are the metrics of the API. Requests are labelled by operation, never by
// path: paths contain ids.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  prometheus.Counter
	quotas   *prometheus.CounterVec // refusals

	modelAnswers   *prometheus.CounterVec // by outcome
	modelTokens    *prometheus.CounterVec
	modelCost      prometheus.Counter
	modelSeconds   prometheus.Histogram
	modelSentences *prometheus.CounterVec
}

// durations are few, and not divided by status, because each bucket is a line for every
// operation. With fifteen buckets for each status a scrape had 1.3 MB.
var durations = []float64{.01, .05, .25, 1, 5}

func newMetrics(registry prometheus.Registerer, h *hub) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "clausemill_http_requests_total",
			Help: "HTTP requests, by operation and status; 499 where the caller hung up first.",
		}, []string{"operation", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "clausemill_http_request_seconds",
			Help:    "Duration of HTTP requests, long polls and streams included.",
			Buckets: durations,
		}, []string{"operation"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "clausemill_rate_limit_refusals_total",
			Help: "Requests by API key that were beyond the rate limit.",
		}),
		quotas: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "clausemill_quota_refusals_total",
			Help: "Requests that were refused because their caller, their team or all together had their share under way.",
		}, []string{"quota", "share"}),
	}
	m.modelAnswers = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "clausemill_llm_answers_total",
		Help: "Answers and queries that the language model was to write, by outcome.",
	}, []string{"outcome"})
	m.modelTokens = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "clausemill_llm_tokens_total",
		Help: "Tokens that the language model read and wrote.",
	}, []string{"kind"})
	m.modelCost = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "clausemill_llm_cost_total",
		Help: "Cost of these tokens by the prices of the settings.",
	})
	m.modelSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "clausemill_llm_seconds",
		Help:    "Duration of answers of the language model, repetitions included.",
		Buckets: []float64{.25, .5, 1, 2.5, 5, 10, 30, 60},
	})
	m.modelSentences = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "clausemill_llm_sentences_total",
		Help: "Sentences that the language model wrote, by whether their citations hold.",
	}, []string{"checked"})
	// A series that is absent cannot be compared.
	for _, outcome := range slices.Concat([]string{"written", "unproved", "budget"}, slices.Collect(maps.Keys(llm.Reasons()))) {
		m.modelAnswers.WithLabelValues(outcome)
	}
	for _, kind := range []string{"prompt", "completion"} {
		m.modelTokens.WithLabelValues(kind)
	}
	for _, checked := range []string{"holds", "dropped"} {
		m.modelSentences.WithLabelValues(checked)
	}
	registry.MustRegister(m.modelAnswers, m.modelTokens, m.modelCost, m.modelSeconds, m.modelSentences, m.requests, m.seconds, m.refused, m.quotas, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "clausemill_http_waiting_requests",
		Help: "Long polls and event streams that are open.",
	}, func() float64 { return float64(h.count()) }))
	return m
}

func (m *metrics) observe(operation string, status int, took time.Duration) {
	m.requests.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(operation).Observe(took.Seconds())
}
