package e2e_test

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/trace"
)

// collector receives traces as OpenTelemetry's does, with OTLP over HTTP.
type collector struct {
	*httptest.Server

	mu    sync.Mutex
	spans []span
}

// span is one that was received, with the ids in hexadecimal.
type span struct {
	service, trace, id, parent, name string
	kind                             tracepb.Span_SpanKind
	attributes                       map[string]string
	status                           *tracepb.Status
	raw                              *tracepb.Span
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(r *http.Request) error {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" {
		return fmt.Errorf("%s %s is not where traces go", r.Method, r.URL.Path)
	}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = unpacked
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var request collectorpb.ExportTraceServiceRequest
	if err := proto.Unmarshal(text, &request); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range request.ResourceSpans {
		resource := attributesOf(of.Resource.Attributes)
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, span{
					resource["service.name"], hex.EncodeToString(s.TraceId), hex.EncodeToString(s.SpanId), hex.EncodeToString(s.ParentSpanId),
					s.Name, s.Kind, attributesOf(s.Attributes), s.Status, s,
				})
			}
		}
	}
	return nil
}

func attributesOf(list []*commonpb.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			all[a.Key] = v.StringValue
		default:
			all[a.Key] = strings.TrimSpace(fmt.Sprint(a.Value))
		}
	}
	return all
}

// all are the spans that have come.
func (c *collector) all() []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// of are the spans of a trace, by name.
func (c *collector) of(trace string) map[string][]span {
	all := map[string][]span{}
	for _, s := range c.all() {
		if s.trace == trace {
			all[s.name] = append(all[s.name], s)
		}
	}
	return all
}

// traced are the settings of processes that send traces to address, soon.
func traced(address string) []string {
	return []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + address, "OTEL_BSP_SCHEDULE_DELAY=50", "CLAUSEMILL_PRIVATE_WEBHOOKS=true", "CLAUSEMILL_LOG_LEVEL=info"}
}

// hook receives webhooks.
func hook(t *testing.T, by *caller, types string) (came chan delivery, id string) {
	t.Helper()
	came = make(chan delivery, 99)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		came <- delivery{r.Header, string(body)}
	}))
	t.Cleanup(receiver.Close)
	var made struct{ ID string }
	by.post("/api/webhooks", `{"url":"`+receiver.URL+`/secret-of-receiver","types":`+types+`}`).into(t, http.StatusCreated, &made)
	return came, made.ID
}

// The trace of a caller, as W3C Trace Context has it.
const (
	callersTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan   = "00f067aa0ba902b7"
	callersParent = "00-" + callersTrace + "-" + callersSpan + "-01"
)

// TestTraceOfUpload uploads a text and a scan, each in a trace of its caller, and finds
// that one trace has all that came of each: the request, the jobs, the children and the
// webhooks. Nothing of the files is in any of it.
func TestTraceOfUpload(t *testing.T) {
	t.Parallel()

	to := newCollector(t)
	s := newSystem(t, traced(to.URL)...)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	api, worker := s.api(address), s.worker()
	c := ada.byKey(t, address)
	bySession := ada.bySession(t, address)
	came, id := hook(t, bySession, `["file.completed"]`)

	text := upload{"Sealed merger of Quillfeather.txt", []byte(strings.Join(clauses(71, 20), "\n\n"))}
	f := c.sendIn(t, text, callersParent)
	sent := receive(t, came, time.Minute)
	require.Contains(t, sent.body, f.ID)
	var spans map[string][]span
	// Spans come in batches, not in the order in which they end.
	there := func(trace string, names ...string) {
		t.Helper()
		require.Eventually(t, func() bool {
			spans = to.of(trace)
			return !slices.ContainsFunc(names, func(name string) bool { return len(spans[name]) == 0 })
		}, time.Minute, 20*time.Millisecond)
	}
	there(callersTrace, "uploadFile", "insert receive_file", "work receive_file", "reader inspect", "reader extract", "insert deliver_webhook", "work deliver_webhook", "send webhook")
	one := func(name string) span {
		t.Helper()
		require.Len(t, spans[name], 1, "%v", slices.Sorted(maps.Keys(spans)))
		return spans[name][0]
	}
	request, insert, work := one("uploadFile"), one("insert receive_file"), one("work receive_file")
	asked, deliver, send := one("insert deliver_webhook"), one("work deliver_webhook"), one("send webhook")
	require.Equal(t, callersSpan, request.parent)
	ofPostgres := 0 // statements that took a millisecond: some of a hundred do
	for name, list := range spans {
		if verb, _, _ := strings.Cut(name, " "); slices.Contains(db.Verbs(), verb) {
			ofPostgres += len(list)
			require.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, list[0].kind)
		}
	}
	t.Logf("an upload has %d statements of Postgres of a millisecond", ofPostgres)
	require.NotZero(t, ofPostgres)
	require.Equal(t, request.id, insert.parent)
	require.Equal(t, insert.id, work.parent)
	require.Equal(t, work.id, one("reader inspect").parent)
	require.Equal(t, work.id, one("reader extract").parent)
	require.Equal(t, work.id, asked.parent)
	require.Equal(t, asked.id, deliver.parent)
	require.Equal(t, deliver.id, send.parent)
	require.Equal(t, "00-"+callersTrace+"-"+send.id+"-01", sent.header.Get("traceparent"))
	require.Equal(t, tracepb.Span_SPAN_KIND_SERVER, request.kind)
	require.Equal(t, tracepb.Span_SPAN_KIND_PRODUCER, insert.kind)
	require.Equal(t, tracepb.Span_SPAN_KIND_CONSUMER, work.kind)
	require.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, send.kind)
	require.Equal(t, []string{"clausemill-api", "clausemill-api", "clausemill-worker", "clausemill-worker"}, []string{request.service, insert.service, work.service, send.service})
	require.Equal(t, "POST", request.attributes["http.request.method"])
	require.Contains(t, request.attributes["http.response.status_code"], "202")
	require.Equal(t, "receive_file", work.attributes["clausemill.job.kind"])
	require.Equal(t, "text_now", work.attributes["clausemill.job.queue"])
	require.Equal(t, "done", work.attributes["clausemill.job.outcome"])
	require.Contains(t, work.attributes, "clausemill.job.wait_seconds")

	const scansTrace = "0af7651916cd43dd8448eb211c80319c"
	scanned := c.sendIn(t, upload{"Quillfeather scan.pdf", scannedPDF(t, 72, 2)}, "00-"+scansTrace+"-"+callersSpan+"-01")
	require.Equal(t, "completed", c.wait(scanned.ID, 2*time.Minute).Status)
	receive(t, came, time.Minute)
	require.Equal(t, http.StatusOK, c.get("/api/search?q=Quillfeather+landlord", "traceparent", "00-"+scansTrace+"-"+callersSpan+"-01").status)
	require.Equal(t, http.StatusNotFound, c.get("/api/files/"+s.account("eve@example.com").in.TeamID).status)
	inWork := func(read span) bool {
		return slices.ContainsFunc(spans["work recognize_pages"], func(p span) bool { return p.id == read.parent })
	}
	require.Eventually(t, func() bool {
		spans = to.of(scansTrace)
		reads := spans["recogniser read"]
		return len(reads) == 2 && inWork(reads[0]) && inWork(reads[1])
	}, time.Minute, 20*time.Millisecond)
	there(scansTrace, "send webhook", "search files")
	t.Logf("a scan has %v", slices.Sorted(maps.Keys(spans)))
	require.Len(t, spans["recogniser read"], 2)
	pages := []string{}
	for _, read := range spans["recogniser read"] {
		pages = append(pages, read.attributes["clausemill.page"])
	}
	slices.Sort(pages)
	require.Equal(t, []string{"int_value:1", "int_value:2"}, pages)

	// A ping has a delivery without an event.
	const pingsTrace = "5bd66ef5095369c7b0d1f8f4bd33716a"
	require.Equal(t, http.StatusAccepted, bySession.call(t.Context(), http.MethodPost, "/api/webhooks/"+id+"/ping", nil, "traceparent", "00-"+pingsTrace+"-"+callersSpan+"-01").status)
	require.Contains(t, receive(t, came, time.Minute).header.Get("traceparent"), pingsTrace)

	// What its caller does not record is not recorded in pieces either.
	const quietTrace = "6d0f0a1b2c3d4e5f60718293a4b5c6d7"
	quiet := c.sendIn(t, upload{"unsampled.txt", []byte(strings.Join(clauses(76, 12), "\n\n"))}, "00-"+quietTrace+"-"+callersSpan+"-00")
	require.Equal(t, "completed", c.wait(quiet.ID, time.Minute).Status)
	require.Regexp(t, "^00-"+quietTrace+"-[0-9a-f]{16}-00$", receive(t, came, time.Minute).header.Get("traceparent"))

	logs := api.said(1<<20) + worker.said(1<<20)
	require.Contains(t, api.said(1<<20), "trace_id="+callersTrace)
	api.signal(syscall.SIGTERM)
	worker.signal(syscall.SIGTERM)
	api.ends(time.Minute)
	worker.ends(time.Minute)
	require.NotContains(t, logs, "traces are lost")
	require.Empty(t, to.of(quietTrace))
	requireNothingOfContracts(t, to.all(), "Quillfeather", "Sealed", "merger", ".txt", ".pdf", "landlord", "Landlord", "rent", "/api", "secret-of-receiver", ada.in.TeamID, f.ID, ada.key, ada.session, "127.0.0.1")
}

// requireNothingOfContracts holds that spans have no words, and no attributes but those
// that the notes for operators list.
func requireNothingOfContracts(t *testing.T, spans []span, words ...string) {
	t.Helper()
	notes, err := os.ReadFile("../../docs/operating.md")
	require.NoError(t, err)
	require.NotEmpty(t, spans)
	for _, key := range trace.Keys() {
		require.Contains(t, string(notes), "`"+key+"`", "docs/operating.md does not list an attribute")
	}
	for _, s := range spans {
		text := fmt.Sprint(s.service, s.name, s.attributes, s.status.GetMessage(), s.raw.TraceState, s.raw.Links)
		for _, word := range words {
			require.NotContains(t, text, word)
		}
		for key := range s.attributes {
			require.Contains(t, trace.Keys(), key)
		}
		require.Empty(t, s.raw.Events, s.name)
		documented := strings.Contains(string(notes), "`"+s.name+"`") || s.kind == tracepb.Span_SPAN_KIND_SERVER
		for _, family := range []string{"insert", "work", "reader", "recogniser"} {
			if what, found := strings.CutPrefix(s.name, family+" "); found {
				documented = !strings.ContainsAny(what, " ./") && strings.Contains(string(notes), "`"+family+" ")
			}
		}
		if verb, table, _ := strings.Cut(s.name, " "); slices.Contains(db.Verbs(), verb) {
			require.Equal(t, "postgresql", s.attributes["db.system.name"], s.name)
			documented = !strings.ContainsAny(table, " ./") && strings.Contains(string(notes), "`"+verb+"`")
		}
		require.True(t, documented, "docs/operating.md does not list %q", s.name)
	}
}

// sendIn uploads a file in the trace of its caller.
func (c *caller) sendIn(t *testing.T, f upload, traceparent string) file {
	t.Helper()
	in := *c
	in.header = c.header.Clone()
	in.header.Set("traceparent", traceparent)
	return in.upload(f)
}

// traceOf is what the job of a kind about a file has in its metadata of a trace.
func (s *system) traceOf(kind, fileID string) string {
	s.t.Helper()
	var metadata []byte
	require.NoError(s.t, s.db.Pool().QueryRow(s.t.Context(),
		`SELECT metadata FROM river_job WHERE kind = $1 AND args ->> 'file_id' = $2`, kind, fileID).Scan(&metadata))
	var of struct {
		Parent string `json:"traceparent"`
		State  string `json:"tracestate"`
	}
	require.NoError(s.t, json.Unmarshal(metadata, &of))
	return of.Parent + of.State
}

// TestTraceSurvivesRetry hides the bytes of a file from the first try of its job: the
// second one is in the same trace, beside the failed one.
func TestTraceSurvivesRetry(t *testing.T) {
	t.Parallel()

	to := newCollector(t)
	s := newSystem(t, traced(to.URL)...)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	c := ada.byKey(t, address)
	c.header.Set("tracestate", "vendor=opaque")
	f := c.sendIn(t, upload{"retried.txt", []byte(strings.Join(clauses(73, 12), "\n\n"))}, callersParent)
	kept := s.traceOf("receive_file", f.ID)
	require.Regexp(t, "^00-"+callersTrace+"-[0-9a-f]{16}-01vendor=opaque$", kept)

	stored, err := s.db.File(t.Context(), ada.in, f.ID)
	require.NoError(t, err)
	place := filepath.Join(s.blobs(), filepath.FromSlash(blob.Of(f.ID, stored.BytesID)))
	hidden := filepath.Join(s.dir, "hidden")
	require.NoError(t, os.Rename(place, hidden))
	worker := s.worker()
	require.Eventually(t, func() bool { return len(to.of(callersTrace)["work receive_file"]) > 0 }, time.Minute, 20*time.Millisecond)
	require.NoError(t, os.Rename(hidden, place))
	require.Equal(t, "completed", c.wait(f.ID, time.Minute).Status)
	require.Equal(t, kept, s.traceOf("receive_file", f.ID))
	var tries []span
	require.Eventually(t, func() bool {
		tries = to.of(callersTrace)["work receive_file"]
		return len(tries) > 1 && tries[len(tries)-1].attributes["clausemill.job.outcome"] == "done"
	}, time.Minute, 20*time.Millisecond)
	for _, try := range tries {
		require.Equal(t, tries[0].parent, try.parent)
	}
	failed := tries[0]
	require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, failed.status.Code)
	require.Equal(t, "bytes_lost", failed.status.Message)
	require.Equal(t, "retried", failed.attributes["clausemill.job.outcome"])
	require.Contains(t, worker.said(1<<20), "trace_id="+callersTrace)
}

// TestWithoutCollector has nothing written and nothing sent of a trace, even where a
// caller names one.
func TestWithoutCollector(t *testing.T) {
	t.Parallel()

	s := newSystem(t, "CLAUSEMILL_PRIVATE_WEBHOOKS=true", "CLAUSEMILL_LOG_LEVEL=info")
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	api, _ := s.api(address), s.worker()
	came, _ := hook(t, ada.bySession(t, address), `["file.completed"]`)
	f := ada.byKey(t, address).sendIn(t, upload{"untraced.txt", []byte(strings.Join(clauses(74, 12), "\n\n"))}, callersParent)
	require.Empty(t, receive(t, came, time.Minute).header.Values("traceparent"))
	require.Empty(t, s.traceOf("receive_file", f.ID))
	require.Zero(t, s.count(`SELECT count(*) FROM river_job WHERE metadata ? 'traceparent'`))
	require.NotContains(t, api.said(1<<20), "trace_id")
}

// TestDeadCollector sends requests while nobody takes their traces: none is lost or waits,
// that is logged once, and the processes end in time.
func TestDeadCollector(t *testing.T) {
	t.Parallel()

	held := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { // takes requests, and never answers
		select {
		case <-held:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(held) })
	for _, address := range []string{"http://" + freeAddress(t), hanging.URL} {
		s := newSystem(t, append(traced(address), "OTEL_BSP_MAX_QUEUE_SIZE=16", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE=4", "OTEL_EXPORTER_OTLP_TIMEOUT=300", "OTEL_BSP_EXPORT_TIMEOUT=400")...)
		ada := s.account("ada@example.com")
		at := freeAddress(t)
		api, worker := s.api(at), s.worker()
		c := ada.byKey(t, at)
		for range 400 {
			require.Equal(t, http.StatusOK, c.get("/api/files").status)
		}
		f := c.upload(upload{"kept.txt", []byte(strings.Join(clauses(75, 12), "\n\n"))})
		require.Equal(t, "completed", c.wait(f.ID, time.Minute).Status)
		require.Eventually(t, func() bool { return strings.Contains(api.said(1<<20), "traces are lost") }, time.Minute, 20*time.Millisecond)
		for _, p := range []*process{api, worker} {
			p.signal(syscall.SIGTERM)
			p.ends(time.Minute)
			require.Zero(t, p.cmd.ProcessState.ExitCode(), p.said(4<<10))
			require.LessOrEqual(t, strings.Count(p.said(1<<20), "traces are lost"), 2)
		}
	}
}
