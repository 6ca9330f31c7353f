package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/trace"
	"github.com/clausemill/clausemill/worker"
)

const (
	// flushTimeout is how long the end of a process may wait for a collector.
	flushTimeout = 5 * time.Second

	// exportComplaints is the interval at which it is logged that traces are lost.
	exportComplaints = time.Minute
)

// traces records spans and sends them. Spans are sent in batches, beside the work: where
// the collector does not take them, a bounded queue fills, and further ones are dropped.
type traces struct {
	begin *trace.Tracer
	flush func() // sends what was recorded, for flushTimeout at most
}

// Trace begins to record traces, if the settings name a collector. Service is the name of
// the process where the settings have none. It is called before Serve and Work.
func (r *Rooms) Trace(ctx context.Context, service string) error {
	t, err := r.Tracing.open(ctx, service, r.Log)
	if err != nil || t == nil {
		return err
	}
	client, err := r.inserter()
	if err != nil {
		return err
	}
	r.DB.DeliverInTraces(worker.Deliver(client))
	r.traces = t
	return nil
}

// open is nil where there are no traces.
func (t Tracing) open(ctx context.Context, service string, log *slog.Logger) (*traces, error) {
	endpoint, err := t.endpoint()
	if err != nil || endpoint == "" {
		return nil, err
	}
	sampler, err := t.sampler()
	if err != nil {
		return nil, err
	}
	described, err := t.resource(service)
	if err != nil {
		return nil, err
	}
	headers, err := pairs("OTEL_EXPORTER_OTLP_HEADERS", t.OTLPHeaders)
	if err != nil {
		return nil, err
	}
	options := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(endpoint)}
	if len(headers) > 0 {
		options = append(options, otlptracehttp.WithHeaders(headers))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("traces cannot be sent: %w", err)
	}
	// The exporter has nobody else to tell.
	otel.SetErrorHandler(&complaints{log: log, every: exportComplaints})
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithSampler(sampler), sdk.WithResource(described))
	log.InfoContext(ctx, "sending traces", slog.String("collector", endpoint))
	return &traces{begin: trace.New(provider), flush: func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.WarnContext(ctx, "the last traces were not sent", slog.Any("error", err))
		}
	}}, nil
}

// endpoint is where traces are sent; empty where they are not.
func (t Tracing) endpoint() (string, error) {
	variable, address := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", t.OTLPTracesEndpoint
	if address == "" {
		variable, address = "OTEL_EXPORTER_OTLP_ENDPOINT", t.OTLPEndpoint
	}
	if address == "" {
		return "", nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%s must be an address of OTLP over HTTP: http://127.0.0.1:4318", variable)
	}
	if t.OTLPTracesEndpoint == "" {
		u = u.JoinPath("v1", "traces")
	}
	return u.String(), nil
}

// pairs reads name=value,name=value, with values as in URLs. A mistake in it is not
// repeated, since it may be secret.
func pairs(variable, text string) (map[string]string, error) {
	all := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !found || err != nil || name == "" {
			return nil, fmt.Errorf("%s must be name=value,name=value", variable)
		}
		all[name] = value
	}
	return all, nil
}

// sampler decides which traces are recorded.
func (t Tracing) sampler() (sdk.Sampler, error) {
	name, byParent := strings.CutPrefix(cmp.Or(t.Sampler, "parentbased_always_on"), "parentbased_")
	var sampler sdk.Sampler
	switch name {
	case "always_on":
		sampler = sdk.AlwaysSample()
	case "always_off":
		sampler = sdk.NeverSample()
	case "traceidratio":
		part, err := strconv.ParseFloat(cmp.Or(t.SamplerArg, "1"), 64)
		if err != nil || !(part >= 0 && part <= 1) {
			return nil, errors.New("OTEL_TRACES_SAMPLER_ARG has to be a number from 0 to 1")
		}
		sampler = sdk.TraceIDRatioBased(part)
	default:
		return nil, errors.New("OTEL_TRACES_SAMPLER has to be always_on, always_off or traceidratio, or one of them with parentbased_ before it")
	}
	if byParent {
		sampler = sdk.ParentBased(sampler)
	}
	return sampler, nil
}

// resource is what traces say of this process.
func (t Tracing) resource(service string) (*resource.Resource, error) {
	all := map[string]string{"service.name": service, "service.version": clausemill.Build()}
	more, err := pairs("OTEL_RESOURCE_ATTRIBUTES", t.Resource)
	if err != nil {
		return nil, err
	}
	maps.Copy(all, more)
	if t.ServiceName != "" {
		all["service.name"] = t.ServiceName
	}
	var attrs []attribute.KeyValue
	for name, value := range all {
		attrs = append(attrs, attribute.String(name, value))
	}
	return resource.NewSchemaless(attrs...), nil
}

// checked is where traces are sent; empty where they are not.
func (t Tracing) checked() (endpoint string, err error) {
	if endpoint, err = t.endpoint(); err != nil || endpoint == "" {
		return "", err
	}
	_, wrongSampler := t.sampler()
	_, wrongResource := t.resource("")
	_, wrongHeaders := pairs("OTEL_EXPORTER_OTLP_HEADERS", t.OTLPHeaders)
	return endpoint, cmp.Or(wrongSampler, wrongResource, wrongHeaders)
}

// tracer begins the traces of this process; nil where it has none.
func (t *traces) tracer() *trace.Tracer {
	if t == nil {
		return nil
	}
	return t.begin
}

// close sends what is left.
func (t *traces) close() {
	if t != nil {
		t.flush()
	}
}

// complaints logs that traces are lost: once, and then once in a while with how often.
type complaints struct {
	log   *slog.Logger
	every time.Duration

	mu    sync.Mutex
	last  time.Time
	quiet int // since the last line
}

// Handle is called with each batch that could not be sent.
func (c *complaints) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.last.IsZero() && time.Since(c.last) < c.every {
		c.quiet++
		return
	}
	c.log.Warn("traces are lost", slog.Any("error", err), slog.Int("unlogged", c.quiet))
	c.last, c.quiet = time.Now(), 0
}
