package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// overlapped are the words of a page that the mark of what was picked lies over.
const overlapped = `(() => {
	const marks = [...document.querySelectorAll(".mark.picked")].map((mark) => mark.getBoundingClientRect());
	return [...document.querySelectorAll(".words span")].filter((word) => {
		const { left, right, top, bottom } = word.getBoundingClientRect();
		const [x, y] = [left + (right - left) * 0.4, (top + bottom) / 2];
		return marks.some((mark) => mark.left < x && x < mark.right && mark.top < y && y < mark.bottom);
	}).map((word) => word.innerText.trim()).join(" ");
})()`

// TestConsoleSearch finds a phrase and sees it marked on the page, narrows the search,
// and saves, renames, deletes and brings back one.
func TestConsoleSearch(t *testing.T) {
	h, _, b := consoleBrowser(t)
	c := h.caller()
	agreement, err := os.ReadFile(filepath.Join("../clausemill/samples", "services-agreement.pdf"))
	require.NoError(t, err)
	c.upload(upload{"services agreement", agreement}) // what it is, its name does not say
	c.upload(upload{"<b>Lease</b> שלום.txt", []byte("The Tenant <img src=x onerror=alert(1)> shall pay the rent.\nThe Landlord & its heirs repair the roof.\n")})

	// An empty search says what can be written.
	b.opens(h, provider.User, "/search")
	b.until(`document.querySelectorAll(".operators dt").length > 5 && document.activeElement.matches(".search-form input")`)
	b.accessible("search-empty")

	// A phrase, while typing: the count follows, and a key leads to the hit's words.
	b.types(`"terminate"`)
	b.until(`document.querySelectorAll(".hit mark").length > 0 && location.search.startsWith("?q=")`)
	require.NotEmpty(t, b.value(`document.querySelector(".hit-page").innerText`))
	require.Equal(t, "1 file", b.value(`document.querySelector(".search-state [role=status]").innerText`))
	b.accessible("search")
	b.presses("Enter")
	b.until(`document.querySelector(".hit.current")`)
	hit := b.value(`document.querySelector(".hit.current mark").innerText`)
	b.presses("Enter")
	b.until(`document.querySelectorAll(".mark.picked").length > 0 && document.querySelectorAll(".words span").length > 100`)
	require.Contains(t, b.value(overlapped), hit)

	// Markup in names and in text is text.
	b.opens(h, provider.User, "/search?q=tenant+rent")
	b.until(`document.querySelector(".hit")?.innerText.includes("<img src=x")`)
	require.Equal(t, "<b>Lease</b> שלום.txt", b.value(`document.querySelector(".found h2 a").innerText`))
	require.Equal(t, "0", b.value(`document.querySelectorAll(".hits img, .hits b").length`))
	// A text has no pages to tell.
	require.Empty(t, b.value(`document.querySelector(".hit-page").innerText`))

	// A misspelt word is corrected, and that is said; nothing found says what to do. The
	// words of a new file are known a few seconds after it.
	require.Eventually(t, func() bool { return bytes.Contains(c.get("/api/search?q=tennant").body, []byte(`"corrected"`)) }, time.Minute, 100*time.Millisecond)
	b.opens(h, provider.User, "/search?q=tennant")
	b.until(`document.querySelector(".hits .note")?.innerText.includes("tenant")`)
	b.opens(h, provider.User, "/search?q=-rent+xylophone+zebra")
	b.until(`document.querySelector(".hits .empty h2")`)
	// An expression that is not finished is told, and is no failure.
	b.opens(h, provider.User, "/search?q=rent+AND+(")
	b.until(`document.querySelector(".hits .note") && !document.querySelector(".hits [role=alert]")`)
	b.quiet(h.address, "422")

	// A question is answered above what has its words: what was understood, in words and as the
	// query, and the list. Words alone are no question; one that is not understood says why.
	c.allEnd(time.Minute)
	b.opens(h, provider.User, "/search")
	b.until(`document.activeElement.matches(".search-form input")`)
	b.types("which contracts do we have")
	b.presses("Enter")
	b.until(`document.querySelectorAll(".hits .answer .understood dt").length > 0 && document.querySelectorAll(".hits .answer .table a[href^='/files/']").length === 2`)
	require.Contains(t, b.value(`document.querySelector(".hits .answer .query pre").textContent`), `"groupBy"`)
	require.Equal(t, "0", b.value(`document.querySelectorAll(".hits .answer b").length`))
	b.accessible("search-question")
	b.opens(h, provider.User, "/search?q=tenant+rent")
	b.until(`document.querySelector(".hit")`)
	require.Equal(t, "0", b.value(`document.querySelectorAll(".hits .answer").length`))
	b.opens(h, provider.User, "/search?q=which+moods+by+goverming+law%3F")
	b.until(`document.querySelector(".hits .answer [role=alert]")?.innerText.includes("governing")`)
	b.quiet(h.address, "422")
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "k", "modifiers": 2}, nil)
	b.until(`document.activeElement.matches(".choose-input")`)
	b.types("how many contracts")
	b.until(`[...document.querySelectorAll(".choose-list .menu-item")].some((e) => e.innerText === "Ask “how many contracts”")`)
	b.presses("Escape")

	// Words that name a kind of clause lead to those clauses, in whatever words they are.
	b.opens(h, provider.User, "/search?q=Governing+LAW")
	b.clicks(`.beside-hits a[href="/search?label=governing_law"]`)
	b.until(`location.search === "?label=governing_law" && document.querySelector(".hit") && document.querySelector(".search-state .chip")?.innerText.trim() === "Governing law" &&
		[...document.querySelectorAll(".hit")].every((e) => e.innerText.includes("Governing law"))`)

	// What is typed as soon as the page is there is kept: it is put on the screen once.
	b.opens(h, provider.User, "/")
	b.clicks(`.side a[href="/search"]`)
	b.until(`document.querySelector(".search-form input")`)
	b.value(`(window.first = document.querySelector(".search-form input")).focus()`)
	b.types("rent")
	b.until(`location.search === "?q=rent" && document.querySelector(".hit")`)
	require.Equal(t, "true", b.value(`first.isConnected`))

	// A value of a facet narrows the search, in the address, and its chip takes it away.
	b.opens(h, provider.User, "/search?q=shall")
	b.until(`document.querySelectorAll(".found").length === 2`)
	b.clicks(`.facet input`)
	b.until(`document.querySelector(".search-state .chip")`)
	narrowed := b.value(`location.search`)
	require.NotEqual(t, "?q=shall", narrowed)

	// Save it, run it from elsewhere, rename it, delete it, bring it back.
	b.button("Save")
	b.until(`document.activeElement.matches("[role=dialog] input")`)
	b.value(`document.activeElement.select()`)
	b.types("Duties")
	b.presses("Enter")
	b.until(`document.querySelector(".saved a")?.innerText === "Duties"`)
	b.clicks(`.search-state .chip`)
	b.until(`location.search === "?q=shall"`)
	b.clicks(`.saved a`)
	b.until(`location.search === ` + quoted(narrowed))
	b.button("More actions: Duties")
	b.button("Rename")
	b.until(`document.activeElement.matches("[role=dialog] input")`)
	b.value(`document.activeElement.select()`)
	b.types("<i>Duties</i>")
	b.presses("Enter")
	b.until(`document.querySelector(".saved a")?.innerText === "<i>Duties</i>"`)
	b.button("More actions: <i>Duties</i>")
	b.button("Delete")
	b.until(`!document.querySelector(".saved a")`)
	b.button("Undo")
	b.until(`document.querySelector(".saved a")`)

	b.button("About: Search")
	b.until(`document.querySelector(".curl")?.innerText.includes("/api/search?q=shall")`)
	b.presses("Escape")
	b.until(`!document.querySelector("[role=dialog]")`)

	b.phone()
	b.until(`document.querySelectorAll(".hit").length > 0`)
	b.shows("console-narrow-search")
	require.Equal(t, "true", b.value(`document.documentElement.scrollWidth <= 360`))
	b.quiet(h.address)
}
