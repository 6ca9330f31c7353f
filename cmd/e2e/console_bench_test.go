package e2e_test

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

var inList = flag.Int("listed", 10_000, "how many files BenchmarkConsole has in its list")

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
// for: a list of ten thousand files, a scan of 700 pages. `make bench-console` runs it.
func BenchmarkConsole(b *testing.B) {
	h, _, page := consoleBrowser(b)
	c := h.caller()
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
	var entries []entry
	for i := range *inList {
		entries = append(entries, entry{fmt.Sprintf("note %05d.txt", i), fmt.Appendf(nil, "Tenant %d shall pay the rent.", i)})
	}
	for part := range slices.Chunk(entries, 1000) {
		c.upload(upload{part[0].name + ".zip", encodeZIP(b, part...)})
	}
	require.Eventually(b, func() bool {
		var rest struct{ Total int }
		c.get("/api/files?status=queued&status=processing&limit=1").into(b, http.StatusOK, &rest)
		return rest.Total == 0
	}, 30*time.Minute, time.Second)

	number := func(expression string) float64 {
		value, err := strconv.ParseFloat(page.value(expression), 64)
		require.NoError(b, err)
		return value
	}
	tell := func(what string, value float64, unit, bound string) {
		b.Logf("%-58s %8.0f %-4s %s", what, value, unit, bound)
	}
	page.opens(h, provider.User, "/?sort=name")
	page.until(`document.querySelector(".row")`)
	page.call("Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": notesShown}, nil)

	for range b.N {
		var first []float64
		for range looks {
			page.call("Network.clearBrowserCache", nil, nil)
			page.call("Page.navigate", map[string]string{"url": "http://" + h.address + "/?sort=name"}, nil)
			page.until(`window.shown?.list`)
			first = append(first, number(`shown.list`))
		}
		tell(fmt.Sprintf("first list of %d files, nothing cached", *inList), median(first), "ms", "≤ 1000")
		tell("JavaScript of the first page, gzip",
			number(`performance.getEntriesByType("resource").filter((r) => r.name.endsWith(".js")).reduce((sum, r) => sum + r.encodedBodySize, 0) / 1024`), "KB", "≤ 150")
		tell("JavaScript of the whole, gzip", weight(b, h.address), "KB", "≤ 400")

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
			tell("first page after the click, "+kind.name+", never drawn", median(cold), "ms", "≤ 500")
			tell("first page after the click, "+kind.name+", drawn before", median(warm), "ms", "≤ 500")
		}

		for _, long := range []struct{ name, path, area, there string }{
			{"list", "/?sort=name", ".rows", ".row"},
			{"scan of 700 pages", "/files/" + long.ID, ".pages", ".page img"},
		} {
			page.opens(h, provider.User, long.path)
			page.until(`document.querySelector("` + long.there + `")`)
			var gaps []float64
			page.value(fmt.Sprintf(scroll, long.area))
			page.until(`window.gaps`)
			for _, text := range strings.Fields(page.value(`gaps`)) {
				gap, err := strconv.ParseFloat(text, 64)
				require.NoError(b, err)
				gaps = append(gaps, gap)
			}
			slices.Sort(gaps)
			total := 0.0
			for _, gap := range gaps {
				total += gap
			}
			tell("scrolling the "+long.name, float64(len(gaps))/total*1000, "fps", "60")
			tell("scrolling the "+long.name+", 95th percentile of a frame", gaps[len(gaps)*95/100], "ms", "≤ 17")
		}
	}
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
