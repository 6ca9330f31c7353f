package e2e_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

var inList = flag.Int("listed", 10_000, "how many files BenchmarkConsole has in its list")

var inUpload = flag.Int("uploaded", 5_000, "how many files BenchmarkConsole uploads")

const (
	// pagesOfScan is how many pages the longest document of BenchmarkConsole has.
	pagesOfScan = 700
	// looks is how often each page is opened; the median counts.
	looks = 7
)

// notesShown notes when the first of a list and the first page of a document are on screen,
// in milliseconds since the page began to load, or since it was set back.
const notesShown = `
	window.shown = {};
	const look = () => {
		const image = document.querySelector(".page img");
		if (document.querySelector(".row .name a")) shown.list ??= performance.now();
		if (image?.complete && image.naturalWidth > 0) shown.page ??= performance.now();
		requestAnimationFrame(look);
	};
	requestAnimationFrame(look);`

// scroll moves what a selector names for three seconds, as far in each frame as a fast
// wheel does, and leaves the
// times between frames in milliseconds.
const scroll = `(() => {
	window.gaps = undefined;
	const area = document.querySelector(%q), between = [];
	let last, first;
	requestAnimationFrame(function frame(now) {
		first ??= now;
		if (last !== undefined) between.push(now - last);
		last = now;
		area.scrollTop += 120;
		now - first < 3000 ? requestAnimationFrame(frame) : (window.gaps = between.join(" "));
	});
})()`

// BenchmarkConsole measures the console in Chromium, beside the bounds that it is built
// for: a list of ten thousand files, or -listed, and a scan of 700 pages.
// `make bench-console` runs it; its part Upload sends -uploaded files.
func BenchmarkConsole(b *testing.B) {
	d, database := dbtest.Database(b)
	h, _, page := consoleBrowser(b, "DATABASE_URL="+database)
	c := h.caller()
	note := c.upload(upload{"note 000000.txt", []byte("The Tenant shall pay the rent.")})
	settled := func() {
		require.Eventually(b, func() bool {
			var rest struct{ Total int }
			c.get("/api/files?status=queued&status=processing&limit=1").into(b, http.StatusOK, &rest)
			return rest.Total == 0
		}, 30*time.Minute, 100*time.Millisecond)
	}
	settled()
	copyFile(b, d, note.ID, *inList-1)
	page.opens(h, provider.User, "/?sort=name")
	page.until(`document.querySelector(".row")`)
	page.call("Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": notesShown}, nil)

	number := func(expression string) float64 {
		value, err := strconv.ParseFloat(page.value(expression), 64)
		require.NoError(b, err)
		return value
	}
	b.Run("List", func(b *testing.B) {
		var first []float64
		for range looks {
			page.call("Network.clearBrowserCache", nil, nil)
			page.call("Page.navigate", map[string]string{"url": "http://" + h.address + "/?sort=name"}, nil)
			page.until(`window.shown?.list`)
			first = append(first, number(`shown.list`))
		}
		tell(b, fmt.Sprintf("first list of %d files, nothing cached", *inList), median(first), "ms", "≤ 1000")
		tell(b, "JavaScript of the first page, gzip",
			number(`performance.getEntriesByType("resource").filter((r) => r.name.endsWith(".js")).reduce((sum, r) => sum + r.encodedBodySize, 0) / 1024`), "KB", "≤ 150")
		tell(b, "JavaScript of the whole, gzip", weight(b, h.address), "KB", "≤ 400")
		page.scrolls(b, "list", ".rows")
	})
	b.Run("Document", func(b *testing.B) {
		scanned := encodeJPEG(b, scan(b, clauses(1, 1)))
		pages := make([]pdfPage, pagesOfScan)
		for i := range pages {
			pages[i].jpeg = scanned
		}
		// The names put them first in the list.
		long := c.upload(upload{"a long scan.pdf", encodePDF(pages...)})
		texts := make([]file, looks)
		scans := make([]file, looks)
		for i := range looks {
			texts[i] = c.upload(upload{fmt.Sprintf("b text %d.pdf", i), textPDF(uint64(i), 20)})
			scans[i] = c.upload(upload{fmt.Sprintf("b scan %d.pdf", i), scannedPDF(b, uint64(i), 2)})
		}
		settled()

		// Each document is opened twice: its page has to be drawn, and then is there.
		opened := func(of []file) (cold, warm []float64) {
			for _, f := range of {
				for _, times := range []*[]float64{&cold, &warm} {
					page.call("Page.navigate", map[string]string{"url": "http://" + h.address + "/?sort=name"}, nil)
					link := `document.querySelector(".row .name a[href^='/files/` + f.ID + `']")`
					page.until(link)
					page.value(`(shown.page = undefined, window.clicked = performance.now(), ` + link + `.click())`)
					page.until(`shown.page`)
					*times = append(*times, number(`shown.page - clicked`))
				}
			}
			return cold, warm
		}
		for _, kind := range []struct {
			name string
			of   []file
		}{{"text", texts}, {"scan", scans}, {"scan of 700 pages", []file{long}}} {
			cold, warm := opened(kind.of)
			tell(b, "first page after the click, "+kind.name+", never drawn", median(cold), "ms", "≤ 500")
			tell(b, "first page after the click, "+kind.name+", drawn before", median(warm), "ms", "≤ 500")
		}
		page.scrolls(b, "scan of 700 pages", ".pages")
	})
	b.Run("Upload", func(b *testing.B) { uploadsMany(b, h, page) })
}

// uploadsMany chooses -uploaded small files, looks at other pages while they are sent, closes
// the tab halfway, and chooses them again: each is sent once.
func uploadsMany(b *testing.B, h *home, page *browser) {
	b.Helper()
	n := *inUpload
	dir := b.TempDir()
	paths := make([]string, n)
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprintf("letter %05d.txt", i))
		require.NoError(b, os.WriteFile(paths[i], fmt.Appendf(nil, "Letter %d. The Tenant shall pay the rent within %d days.", i, i), 0o600))
	}
	person := h.signIn(provider.User)
	count := func() int {
		var team struct{ Files int }
		person.get("/api/teams/status").into(b, http.StatusOK, &team)
		return team.Files
	}
	before := count()
	sent := func() int { return count() - before }
	heap := func() float64 {
		var use struct{ UsedSize float64 }
		page.call("HeapProfiler.collectGarbage", nil, nil)
		page.call("Runtime.getHeapUsage", nil, &use)
		return use.UsedSize / (1 << 20)
	}
	waits := func(what string, ready func() bool) float64 {
		from := time.Now()
		require.Eventually(b, ready, 30*time.Minute, 200*time.Millisecond, what)
		return time.Since(from).Seconds()
	}
	choose := func() float64 {
		from := time.Now()
		page.chooses(`input[type=file][multiple]`, paths...)
		page.until(`document.querySelector(".uploads strong")`)
		return float64(time.Since(from).Milliseconds())
	}
	page.opens(h, provider.User, "/")
	page.until(`document.querySelector(".row, .empty button")`)
	idle := heap()
	page.events = nil
	page.call("Performance.enable", nil, nil)
	busy := func() map[string]float64 {
		var told struct {
			Metrics []struct {
				Name  string
				Value float64
			}
		}
		page.call("Performance.getMetrics", nil, &told)
		by := map[string]float64{}
		for _, m := range told.Metrics {
			by[m.Name] = m.Value
		}
		return by
	}
	begun := busy()
	tell(b, fmt.Sprintf("upload of %d files: from choosing until it shows", n), choose(), "ms", "")
	first := waits("half is sent", func() bool {
		for _, path := range []string{"/search", "/matters", "/"} {
			page.clicks(`nav a[href="` + path + `"]`)
		}
		return sent() >= n/2
	})
	tell(b, "half of it, while other pages are looked at", first, "s", "")
	ended := busy()
	for _, part := range []string{"TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration"} {
		tell(b, "the tab's own work for each file: "+part, 1000*(ended[part]-begun[part])/float64(sent()), "ms", "")
	}
	tell(b, "heap of the tab before, and in the middle: more by", heap()-idle, "MiB", "")
	requests := page.requests(b)
	page.closes()
	half := sent()
	require.Less(b, half, n)
	page.opens(h, provider.User, "/")
	page.until(`document.querySelector(".note")?.innerText.includes("not sent")`)
	page.events = nil
	choose()
	second := waits("all is sent", func() bool { return page.value(`document.querySelector(".uploads progress") === null`) == "true" })
	tell(b, "the rest, after the tab was closed and they were chosen again", second, "s", "")
	tell(b, "heap of the tab at the end: more by", heap()-idle, "MiB", "")
	for line, times := range page.requests(b) {
		requests[line] += times
	}
	for _, line := range slices.SortedFunc(maps.Keys(requests), func(x, y string) int { return requests[y] - requests[x] })[:min(8, len(requests))] {
		tell(b, "requests: "+line, float64(requests[line]), "", "")
	}
	require.Equal(b, n, sent(), "each is there once")
	require.Equal(b, "0", page.value(`document.querySelectorAll(".uploads .bad, .uploads details").length`))
}

// requests counts what the page asked for since its events were forgotten, ids left out.
func (page *browser) requests(b *testing.B) map[string]int {
	b.Helper()
	counted := map[string]int{}
	for _, e := range page.events {
		if e.Method != "Network.requestWillBeSent" {
			continue
		}
		var asked struct{ Request struct{ Method, URL string } }
		require.NoError(b, json.Unmarshal(e.Params, &asked))
		at, err := url.Parse(asked.Request.URL)
		require.NoError(b, err)
		if strings.HasPrefix(at.Path, "/api/") {
			counted[asked.Request.Method+" "+regexp.MustCompile(`[0-9a-f-]{36}`).ReplaceAllString(at.Path, "…")]++
		}
	}
	return counted
}

// tell logs a figure beside its bound.
func tell(b *testing.B, what string, value float64, unit, bound string) {
	b.Helper()
	b.Logf("%-58s %8.1f %-4s %s", what, value, unit, bound)
}

// copyFile adds rows that are n copies of that of a file, under names of their own.
func copyFile(b testing.TB, d *db.DB, id string, n int) {
	b.Helper()
	_, err := d.Pool().Exec(b.Context(), `
		INSERT INTO files (id, team_id, name, kind, content_type, size, sha256, status, stage, text_ready, page_count, pages_done, language, parties, created_by)
		SELECT gen_random_uuid(), team_id, 'note ' || lpad(n::text, 6, '0') || '.txt', kind, content_type, size, sha256 || int4send(n),
			status, stage, text_ready, page_count, pages_done, language, '[{"name": "Acme Ltd"}, {"name": "Bolt GmbH"}]', created_by
		FROM files, generate_series(1, $2::int) n WHERE id = $1`, id, n)
	require.NoError(b, err)
	_, err = d.Pool().Exec(b.Context(), `ANALYZE files`)
	require.NoError(b, err)
}

// scrolls tells how smoothly what a selector names is scrolled on the page that is open.
func (page *browser) scrolls(b *testing.B, name, area string) {
	b.Helper()
	page.value(fmt.Sprintf(scroll, area))
	page.until(`window.gaps`)
	var gaps []float64
	total := 0.0
	for _, text := range strings.Fields(page.value(`gaps`)) {
		gap, err := strconv.ParseFloat(text, 64)
		require.NoError(b, err)
		gaps = append(gaps, gap)
		total += gap
	}
	slices.Sort(gaps)
	tell(b, "scrolling the "+name, float64(len(gaps))/total*1000, "fps", "60")
	tell(b, "scrolling the "+name+", 95th percentile of a frame", gaps[len(gaps)*95/100], "ms", "≤ 17")
}

// weight is what all scripts of the console weigh as they are sent, in KB.
func weight(b *testing.B, address string) float64 {
	b.Helper()
	scripts, err := filepath.Glob("../../web/dist/assets/*.js")
	require.NoError(b, err)
	total := int64(0)
	for _, script := range scripts {
		asked, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+address+"/assets/"+filepath.Base(script), http.NoBody)
		require.NoError(b, err)
		asked.Header.Set("Accept-Encoding", "gzip")
		answer, err := http.DefaultClient.Do(asked)
		require.NoError(b, err)
		size, err := io.Copy(io.Discard, answer.Body)
		require.NoError(b, err)
		require.NoError(b, answer.Body.Close())
		total += size
	}
	return float64(total) / 1024
}

func median(of []float64) float64 {
	of = slices.Sorted(slices.Values(of))
	return of[len(of)/2]
}
