package e2e_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestConsoleOfThousands scrolls through more files than the page keeps, to their end and
// back. Each stands at its place, and an event has few of them asked for anew.
func TestConsoleOfThousands(t *testing.T) {
	const all = 1500
	d, url := dbtest.Database(t)
	h, _, b := consoleBrowser(t, "DATABASE_URL="+url)
	c := h.caller()
	note := c.upload(upload{"note 000000.txt", []byte("The Tenant shall pay the rent.")})
	c.allEnd(time.Minute)
	copyFile(t, d, note.ID, all-1)
	b.opens(h, provider.User, "/?sort=name")
	b.until(`document.querySelector(".row .name a")?.innerText === "note 000000.txt"`)

	// What is in sight is there, and every row has the file of its place.
	const placed = `(() => {
		const box = document.querySelector(".rows"), from = Math.floor(box.scrollTop / 48), until = Math.min(from + Math.floor(box.clientHeight / 48), 1500);
		const names = new Map([...document.querySelectorAll(".row")].map((row) => [Number(row.getAttribute("aria-rowindex")) - 1, row.querySelector(".name a").innerText]));
		for (let i = from; i < until; i++) if (!names.has(i)) return false;
		return [...names].every(([i, name]) => name === "note " + String(i).padStart(6, "0") + ".txt");
	})()`
	shows := func(index int) {
		t.Helper()
		b.until(fmt.Sprintf(`(document.querySelector(".rows").scrollTop = %d, Math.abs(document.querySelector(".rows").scrollTop - %[1]d) < 1500)`, index*48))
		b.until(placed)
	}
	for at := 50; at <= all; at += 50 {
		shows(at)
	}
	b.until(`[...document.querySelectorAll(".row .name a")].at(-1).innerText === "note 001499.txt"`)

	// An event: a few pages are asked for, and not all that were looked at.
	b.value(`performance.clearResourceTimings()`)
	asked := `new Set(performance.getEntriesByType("resource").map(({ name }) => new URL(name)).filter(({ pathname }) => pathname === "/api/files").map(({ search }) => search)).size`
	c.upload(upload{"zzz.txt", []byte("The Landlord mends the roof.")})
	b.until(`document.querySelector(".page-head .quiet").innerText === "1,501 files"`)
	c.allEnd(time.Minute)
	b.until(asked + ` > 0`)
	require.Equal(t, "true", b.value(asked+` <= 6`), "four pages, and the new last one; not all fifteen")

	// Back at once, back by steps, and a file that came in first is there.
	shows(700)
	shows(20)
	shows(1300)
	for at := 1300; at >= 0; at -= 50 {
		shows(at)
	}
	shows(0)

	// All are chosen with one click, in sight or not.
	b.clicks(`.head-row input`)
	b.until(`document.querySelector(".bulk strong")?.innerText === "1,501 selected"`)
	b.quiet(h.address)

	// More that cannot be loaded is told, and asked for once, until somebody tries again.
	b.call("Network.setBlockedURLs", map[string]any{"urls": []string{"*/api/files?*cursor*"}}, nil)
	b.opens(h, provider.User, "/?sort=-name")
	b.until(`document.querySelector(".row .name a")?.innerText === "zzz.txt"`)
	b.value(`document.querySelector(".rows").scrollTop = 4000`)
	b.until(`document.querySelector(".list .note .button")`)
	b.accessible("inbox-failed")
	b.call("Network.setBlockedURLs", map[string]any{"urls": []string{}}, nil)
	b.value(`document.querySelector(".list .note .button")?.click()`) // an event may have tried before
	b.until(`!document.querySelector(".list .note") && (document.querySelector(".rows").scrollTop = 6000, document.querySelectorAll(".row").length > 10)`)
}

// TestConsolePictures opens a document at a place far in it, whose page is drawn first.
func TestConsolePictures(t *testing.T) {
	h, _, b := consoleBrowser(t)
	c := h.caller()
	file := c.upload(upload{"long.pdf", textPDF(1, 20)})
	c.allEnd(time.Minute)
	var pages struct {
		Items []struct{ Span struct{ Start int } }
	}
	h.signIn(provider.User).get("/api/files/"+file.ID+"/pages?limit=500").into(t, http.StatusOK, &pages)
	require.Len(t, pages.Items, 20)
	at := pages.Items[14].Span.Start
	b.opens(h, provider.User, fmt.Sprintf("/files/%s?at=%d-%d", file.ID, at, at+5))
	const first = `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).find((path) => path.endsWith("/image"))`
	b.until(`document.querySelector(".page img")?.naturalWidth > 0 && ` + first) // how wide it is is known before it is there
	require.Equal(t, "/api/files/"+file.ID+"/pages/15/image", b.value(first))
	require.Equal(t, "0", b.value(`document.querySelectorAll("img[src='']").length`))
	b.quiet(h.address)
}
