package setup

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTracesAreOffWithoutEndpoint(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "of_another_program")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "endpoint=http://elsewhere")

	c, err := parse(t)
	require.NoError(t, err)
	endpoint, err := c.checked()
	require.NoError(t, err)
	require.Empty(t, endpoint)
	none, err := c.Tracing.open(t.Context(), "clausemill-api", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.Nil(t, none)
	require.Nil(t, none.tracer())
	none.close()
}

func TestTracesFromTheEnvironment(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/")
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0.25")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=production,team=contracts%20and%20law")

	c, err := parse(t)
	require.NoError(t, err)
	endpoint, err := c.checked()
	require.NoError(t, err)
	require.Equal(t, "http://collector:4318/v1/traces", endpoint)
	sampler, err := c.sampler()
	require.NoError(t, err)
	require.Contains(t, sampler.Description(), "TraceIDRatioBased{0.25}")
	described, err := c.resource("clausemill-api")
	require.NoError(t, err)
	for _, says := range []string{"service.name=clausemill-api", "deployment.environment.name=production", "team=contracts and law", "service.version="} {
		require.Contains(t, described.String(), says)
	}
	c.ServiceName, c.OTLPTracesEndpoint = "legal", "https://traces.example.com/otlp"
	described, err = c.resource("clausemill-api")
	require.NoError(t, err)
	require.Contains(t, described.String(), "service.name=legal")
	endpoint, err = c.endpoint()
	require.NoError(t, err)
	require.Equal(t, "https://traces.example.com/otlp", endpoint)
}

func TestTracesRefuse(t *testing.T) {
	t.Parallel()

	good := Tracing{OTLPEndpoint: "http://127.0.0.1:4318"}
	_, err := good.checked()
	require.NoError(t, err)
	for says, change := range map[string]func(*Tracing){
		"OTEL_EXPORTER_OTLP_ENDPOINT must be":        func(c *Tracing) { c.OTLPEndpoint = "collector:4318" },
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be": func(c *Tracing) { c.OTLPTracesEndpoint = "grpc://collector:4317" },
		"OTEL_TRACES_SAMPLER has to be":              func(c *Tracing) { c.Sampler = "sometimes" },
		"OTEL_TRACES_SAMPLER_ARG has to be":          func(c *Tracing) { c.Sampler, c.SamplerArg = "traceidratio", "NaN" },
		"OTEL_RESOURCE_ATTRIBUTES must be":           func(c *Tracing) { c.Resource = "production" },
		"OTEL_EXPORTER_OTLP_HEADERS must be":         func(c *Tracing) { c.OTLPHeaders = "hunter2" },
	} {
		c := good
		change(&c)
		_, err := c.checked()
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "hunter2")
		_, opening := c.open(t.Context(), "clausemill-api", slog.New(slog.DiscardHandler))
		require.Equal(t, err, opening)
	}
}

func TestLostTracesAreLoggedOnceInAWhile(t *testing.T) {
	t.Parallel()

	var lines bytes.Buffer
	c := &complaints{log: slog.New(slog.NewTextHandler(&lines, nil)), every: time.Hour}
	for range 1000 {
		c.Handle(errors.New("nobody is there"))
	}
	require.Equal(t, 1, strings.Count(lines.String(), "\n"))
	c.last = c.last.Add(-time.Hour)
	c.Handle(errors.New("nobody is there"))
	require.Contains(t, lines.String(), "unlogged=999")
}
