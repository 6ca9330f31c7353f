package e2e_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scrape is what processes tell of themselves.
type scrape struct {
	types  map[string]string // by metric
	series map[string]float64
}

// scraped asks the processes whose metrics are at addresses.
func scraped(t require.TestingT, addresses ...string) scrape {
	s := scrape{map[string]string{}, map[string]float64{}}
	for _, address := range addresses {
		response, err := http.Get("http://" + address + "/metrics")
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			fields := strings.Fields(lines.Text())
			switch {
			case !strings.Contains(lines.Text(), "clausemill_"):
			case fields[0] == "#" && fields[1] == "TYPE":
				s.types[fields[2]] = fields[3]
			case fields[0] != "#":
				last := len(fields) - 1
				value, err := strconv.ParseFloat(fields[last], 64)
				require.NoError(t, err, lines.Text())
				s.series[strings.Join(fields[:last], " ")] += value
			}
		}
		require.NoError(t, lines.Err())
	}
	return s
}

// value is the sum of a metric's series that have all of labels, as name="value".
func (s scrape) value(metric string, labels ...string) (sum float64) {
	for series, value := range s.series {
		name, rest, _ := strings.Cut(series, "{")
		missing := slices.ContainsFunc(labels, func(label string) bool { return !strings.Contains("{"+rest, label) })
		if name == metric && !missing {
			sum += value
		}
	}
	return sum
}

var labelName = regexp.MustCompile(`[{,](\w+)="`)

// rows are the metrics as a document lists them: name, type, labels.
func (s scrape) rows() map[string]string {
	rows := map[string]string{}
	for metric, kind := range s.types {
		rows[metric] = kind + ":"
		for series := range s.series {
			name, rest, _ := strings.Cut(series, "{")
			if name != metric && (kind != "histogram" || name != metric+"_count") {
				continue
			}
			var labels []string
			for _, found := range labelName.FindAllStringSubmatch("{"+rest, -1) {
				labels = append(labels, found[1])
			}
			slices.Sort(labels)
			rows[metric] = kind + ":" + strings.Join(labels, ", ")
		}
	}
	return rows
}

// documented reads the table of metrics.
func documented(t require.TestingT) map[string]string {
	text, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| (.*?) \\|").FindAllStringSubmatch(string(text), -1) {
		rows[row[1]] = row[2] + ":" + strings.TrimSpace(row[3])
	}
	return rows
}

// TestMetrics does what each metric counts, and holds the list of them to what
// is there.
func TestMetrics(t *testing.T) {
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address, serving, working := freeAddress(t), freeAddress(t), freeAddress(t)
	s.api(address, "CLAUSEMILL_METRICS_ADDR="+serving, "CLAUSEMILL_RATE_LIMIT=3")
	w := s.worker("CLAUSEMILL_METRICS_ADDR=" + working)
	key, c := ada.byKey(t, address), ada.bySession(t, address)
	for _, u := range []upload{
		{"lease.pdf", textPDF(1, 2)},
		{"scan.png", encodePNG(t, scan(t, clauses(2, linesAPage)))},
		{"cut.pdf", textPDF(3, 3)[:700]},
	} {
		c.wait(c.upload(u).ID, time.Minute)
	}
	for _, child := range w.children() {
		if strings.Contains(child.arguments, "clausemill-ocr") {
			require.NoError(t, syscall.Kill(child.pid, syscall.SIGKILL))
		}
	}
	refused := 0
	for range 5 {
		if key.get("/api/files").status == http.StatusTooManyRequests {
			refused++
		}
	}
	require.GreaterOrEqual(t, refused, 1)

	// A process counts what it did a moment after others can see it.
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		all := scraped(t, serving, working)
		assert.Equal(t, documented(t), all.rows())
		for _, stage := range []string{"receive_file", "recognize_pages", "segment_text"} {
			assert.Positive(t, all.value("clausemill_job_seconds_count", `kind="`+stage+`"`, `outcome="done"`), stage)
			assert.Positive(t, all.value("clausemill_job_seconds_sum", `kind="`+stage+`"`), stage)
		}
		assert.InDelta(t, 2, all.value("clausemill_pages_total", `source="text_layer"`), 0)
		assert.InDelta(t, 1, all.value("clausemill_pages_total", `source="ocr"`), 0)
		assert.InDelta(t, 1, all.value("clausemill_ocr_page_seconds_count"), 0)
		assert.Positive(t, all.value("clausemill_ocr_page_seconds_sum"))
		assert.Positive(t, all.value("clausemill_children_ended_total", `program="recogniser"`, `cause="crash"`))
		assert.InDelta(t, 1, all.value("clausemill_file_failures_total", `cause="corrupt_file"`), 0)
		assert.InDelta(t, refused, all.value("clausemill_rate_limit_refusals_total"), 0)
		assert.InDelta(t, 3, all.value("clausemill_http_requests_total", `operation="uploadFile"`, `status="202"`), 0)
		assert.Zero(t, all.value("clausemill_index_waiting_files"))
	}, time.Minute, 20*time.Millisecond)
	w.kill()

	// Without an engine the index falls behind, and the file fails that was about
	// nothing else.
	w = s.worker("CLAUSEMILL_METRICS_ADDR="+working, "MEILI_URL=http://127.0.0.1:1", "MEILI_KEY=x")
	note := c.upload(upload{"note.txt", []byte("The Tenant shall pay the rent.")})
	require.Equal(t, "completed_with_warnings", c.wait(note.ID, time.Minute).Status)
	behind := scraped(t, serving)
	require.InDelta(t, 1, behind.value("clausemill_index_waiting_files"), 0)
	require.Positive(t, behind.value("clausemill_index_lag_seconds"))
	indexed := func() float64 {
		return scraped(t, working).value("clausemill_job_seconds_count", `kind="index_file"`, `outcome="done"`)
	}
	// One that still runs would be cancelled by the next.
	require.Eventually(t, func() bool { return indexed() == 1 }, time.Minute, 20*time.Millisecond)
	a := c.call(t.Context(), http.MethodPost, "/api/files/"+note.ID+"/search-index", nil)
	require.Equal(t, http.StatusAccepted, a.status, string(a.body))
	require.Equal(t, "index_unavailable", c.wait(note.ID, time.Minute).code())
	require.Eventually(t, func() bool {
		return scraped(t, working).value("clausemill_file_failures_total", `cause="index_unavailable"`) == 1 && indexed() == 2
	}, time.Minute, 20*time.Millisecond)
	w.kill()

	// And without a worker the queue grows.
	c.upload(upload{"later.txt", []byte("The Landlord shall repair the roof.")})
	waiting := scraped(t, serving)
	require.InDelta(t, 1, waiting.value("clausemill_queue_jobs", `queue="text_now"`, `state="available"`), 0)
	require.Positive(t, waiting.value("clausemill_queue_oldest_seconds", `queue="text_now"`))
	require.Zero(t, waiting.value("clausemill_queue_jobs", `queue="ocr"`))

	public, err := http.Get("http://" + address + "/metrics")
	require.NoError(t, err)
	defer public.Body.Close()
	_, err = io.Copy(io.Discard, public.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, public.StatusCode, "it is for operators only")
}
