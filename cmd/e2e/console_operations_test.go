package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestConsoleOperations looks at the work as who runs the installation: files end well
// and badly, a worker comes and is killed, another team's files count, and in the end
// there is no worker. Others find nothing there.
func TestConsoleOperations(t *testing.T) {
	d, url := dbtest.Database(t)
	metrics := freeAddress(t)
	h, _, b := consoleBrowser(t, "DATABASE_URL="+url, "CLAUSEMILL_METRICS_ADDR="+metrics)
	operator, colleague := h.signIn(provider.User), h.signIn(provider.Colleague)

	// It is in the list of pages, and a key leads to it. Nothing has failed yet.
	b.opens(h, provider.User, "/")
	b.until(`[...document.querySelectorAll(".side a")].some((e) => e.innerText.trim() === "Operations")`)
	b.presses("g")
	b.presses("o")
	b.until(`location.pathname === "/operations" && document.querySelectorAll(".operations .tile").length === 4`)
	tile := func(n int) string {
		return fmt.Sprintf(`document.querySelector(".operations .tile:nth-child(%d) .figure").innerText`, n)
	}
	b.until(tile(4) + ` === "1"`)
	require.Contains(t, b.value(`document.querySelector(".operations").innerText`), "No file failed.")
	b.accessible("operations-new")

	// What is uploaded shows without loading the page again, of every team.
	c := h.caller()
	for i := range 12 {
		c.upload(upload{fmt.Sprintf("lease %d.txt", i), []byte(fmt.Sprintf("LEASE\n\n1. Rent. Tenant %d shall pay the rent.\n\n2. Term. The term is %d years.\n", i, i+2))})
	}
	scanned, err := os.ReadFile("../clausemill/samples/lease-scan.png")
	require.NoError(t, err)
	c.upload(upload{"scan.png", scanned})
	for i := range 3 {
		c.upload(upload{fmt.Sprintf("broken %d.docx", i), []byte(fmt.Sprintf("PK\x03\x04 and no more than %d", i))})
	}
	colleague.send(t.Context(), upload{"<b>theirs</b>.txt", []byte("The Tenant of another team shall pay the rent.")}, "")
	c.allEnd(2 * time.Minute)
	b.until(tile(1) + ` === "14" && ` + tile(2) + ` === "0" && ` + tile(3) + ` === "3"`)
	b.until(`document.querySelectorAll(".operations .chart-bar").length > 2 && document.querySelector(".spark .chart-fill[height]:not([height='0'])")`)
	require.Contains(t, b.value(`document.querySelector(".causes").innerText`), "Broken file")

	// The figures are those of the metrics.
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		var now api.Installation
		operator.get("/api/installation").into(h.t, http.StatusOK, &now)
		told := scraped(t, metrics)
		for _, q := range now.Queues {
			queue := `queue="` + q.Name + `"`
			require.InDelta(t, told.value("clausemill_queue_jobs", queue, `state="pending"`)+told.value("clausemill_queue_jobs", queue, `state="available"`), q.Waiting, 0, q.Name)
			require.InDelta(t, told.value("clausemill_queue_jobs", queue, `state="running"`), q.Running, 0, q.Name)
			require.InDelta(t, told.value("clausemill_queue_jobs", queue, `state="scheduled"`), q.Scheduled, 0, q.Name)
			require.InDelta(t, told.value("clausemill_queue_jobs", queue, `state="retryable"`), q.Retryable, 0, q.Name)
		}
		failed := 0
		for _, cause := range now.Failures {
			require.InDelta(t, told.value("clausemill_file_failures_total", `cause="`+string(cause.Code)+`"`), cause.Files, 0)
			failed += cause.Files
		}
		require.Equal(t, 3, failed)
		for _, step := range now.Steps {
			require.InDelta(t, told.value("clausemill_job_seconds_count", `kind="`+step.Kind+`"`, `outcome="done"`), step.Finished, 0, step.Kind)
			require.InDelta(t, told.value("clausemill_job_seconds_count", `kind="`+step.Kind+`"`, `outcome="failed"`), step.Failed, 0, step.Kind)
		}
		require.InDelta(t, told.value("clausemill_index_waiting_files"), now.Index.WaitingFiles, 0)
	}, time.Minute, 100*time.Millisecond)

	// A queue leads to its last hour, by the address too; a cause to the files.
	b.button("Text, urgent")
	b.until(`location.search === "?queue=text_now" && document.querySelector(".operations .chart-line")`)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 2200, "deviceScaleFactor": 1, "mobile": false}, nil) // all of it on one picture
	b.accessible("operations")
	b.call("Emulation.clearDeviceMetricsOverride", nil, nil)
	b.value(`(window.saved = "", URL.createObjectURL = (blob) => (blob.text().then((text) => (saved += text + "\n")), "data:,"))`)
	for _, table := range []string{"Queues", "Workers", "Slow steps", "Why files failed, 24 hours", "Index, database and storage"} {
		b.button(table + ": CSV")
	}
	b.until(`/^"Text, urgent",0,/m.test(saved) && saved.includes("; Text, urgent: ") && /^"Receive and read",\d+,\d+,[\d.]+,/m.test(saved) && /^"Broken file",\d+,/m.test(saved) && /^"Searches","Postgres"/m.test(saved) && /^"Storage: Free space",\d+/m.test(saved)`)
	b.opens(h, provider.User, "/operations?queue=text_now")
	b.until(`document.querySelectorAll(".operations .chart-line").length === 2`)
	b.clicks(`.causes a`)
	b.until(`location.pathname === "/" && document.querySelectorAll(".row").length === 3`)
	b.quiet(h.address)

	// A second worker is there, and is killed: the page says so by itself. A hostile name
	// is text.
	second := start(t, h.dir, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "DATABASE_URL=" + url, "CLAUSEMILL_DATA_DIR=" + filepath.Join(h.dir, "data"),
		"CLAUSEMILL_OCR=" + ocrProgram, "CLAUSEMILL_TEXT_SLOTS=2", "CLAUSEMILL_OCR_SLOTS=1", "CLAUSEMILL_LOG_LEVEL=warn",
	}, program, "work")
	b.opens(h, provider.User, "/operations")
	b.until(tile(4) + ` === "2"`)
	require.NoError(t, d.Heartbeat(t.Context(), `<img src=x onerror=alert(1)>-0a1b2c3d`, `<script>alert(2)</script>`, map[string]int{"text": 1}, []string{"<b>eng</b>"}))
	b.until(`[...document.querySelectorAll(".operations th")].some((e) => e.innerText.includes("<img src=x onerror=alert(1)>"))`)
	require.Equal(t, "0", b.value(`document.querySelectorAll(".operations img, .operations script, .operations td b").length`))
	second.kill()
	b.until(tile(4) + ` === "1" && document.querySelectorAll(".operations .troubles .note").length === 2`)
	b.until(`[...document.querySelectorAll(".operations td")].some((e) => e.innerText.includes("Last seen"))`)
	b.accessible("operations-lost")
	b.narrow(h, "operations", "/operations?queue=text_now", `document.querySelector(".operations .chart-line")`)
	b.quiet(h.address)

	// No worker at all: the page says how to start one.
	for _, sql := range []string{
		`CREATE FUNCTION silence() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
		`CREATE TRIGGER silence BEFORE INSERT OR UPDATE ON workers FOR EACH ROW EXECUTE FUNCTION silence()`,
		`DELETE FROM workers`,
	} {
		_, err := d.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	b.opens(h, provider.User, "/operations")
	b.until(`document.querySelector(".operations .note.bad")?.innerText.includes("clausemill work") && ` + tile(4) + ` === "0"`)
	b.accessible("operations-none")

	// While the database does not let it be measured, the figures stay, and it says that
	// they are old.
	for _, sql := range []string{`ALTER TABLE file_attempts RENAME TO file_attempts_away`, `ALTER TABLE file_attempts_away RENAME TO file_attempts`} {
		_, err = d.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
		b.until(`document.querySelector(".operations .troubles").innerText.includes("These figures are old") === ` + strconv.FormatBool(strings.HasSuffix(sql, "away")))
	}
	b.quiet(h.address, "500")

	// For others there is no such page, nor what it shows.
	b.opens(h, provider.Colleague, "/operations")
	b.until(`document.querySelector(".empty h2")?.innerText === "Not found"`)
	require.NotContains(t, b.value(`document.querySelector(".side").innerText`), "Operations")
	b.quiet(h.address)
	require.Equal(t, http.StatusNotFound, colleague.get("/api/installation").status)
}
