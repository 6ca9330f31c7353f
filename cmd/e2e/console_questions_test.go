package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleQuestions makes a chart from a question, keeps it, and arranges, renames,
// deletes and brings back what is kept.
func TestConsoleQuestions(t *testing.T) {
	h, _, b := consoleBrowser(t)
	c := h.caller()
	for _, name := range []string{"services-agreement.pdf", "nda.txt"} {
		content, err := os.ReadFile(filepath.Join("../clausemill/samples", name))
		require.NoError(t, err)
		c.upload(upload{name, content})
	}
	c.allEnd(time.Minute) // what is counted stays
	b.opens(h, provider.User, "/questions")
	b.until(`document.querySelectorAll(".report .empty li button").length > 2`)
	b.accessible("questions-empty")
	b.narrow(h, "questions-empty", "/questions", `document.querySelectorAll(".report .empty li button").length > 2`)

	// Every example is understood.
	b.value(`(window.found = undefined, Promise.all([...document.querySelectorAll(".report .empty li button")].map((e) =>
		fetch("/api/dashboard-widgets/generate-config", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ prompt: e.innerText }) }).then((r) => r.status))).then((all) => { window.found = all.join() }))`)
	b.until(`window.found`)
	require.Equal(t, "200,200,200,200,200", b.value(`window.found`))

	// What is not understood says why, and keeps what was typed.
	ask := func(question string) {
		b.value(`(document.querySelector(".ask input").focus(), document.activeElement.select())`)
		b.types(question)
		b.presses("Enter")
	}
	ask("xyzzy plugh")
	b.until(`document.querySelector(".answer [role=alert]")`)
	require.Contains(t, b.value(`document.querySelector(".answer [role=alert] li").innerText`), "xyzzy")
	require.Equal(t, "xyzzy plugh", b.value(`document.querySelector(".ask input").value`))
	b.quiet(h.address, "422")

	// A list names the files and leads to them.
	ask("which contracts do we have")
	b.until(`document.querySelectorAll(".answer .table a[href^='/files/']").length === 2`)
	b.accessible("questions-list")

	// A percentage leads to the part that it is of.
	ask("what percentage of contracts have an insurance clause")
	b.until(`document.querySelector(".answer .figure")?.innerText === "50%" && decodeURIComponent(document.querySelector(".answer .figure a").search).includes("insurance")`)

	// Months are told as months, and days from today as people say them.
	ask("contracts per month")
	b.until(`/^[A-Z][a-z]{2} \d{4}$/.test(document.querySelector(".answer .chart-bar text")?.textContent)`)
	ask("which contracts expire in the next 90 days")
	b.until(`document.querySelector(".answer h2")?.innerText.startsWith("Which contracts expire")`)
	b.button("Keep it")
	b.until(`document.querySelector(".widgets .widget .asks")?.innerText.includes("in 90 days")`)
	b.button("More actions: Which contracts expire in the next 90 days")
	b.button("Delete")
	b.until(`document.querySelectorAll(".widgets .widget").length === 0`)
	ask("which contracts expire in H1 next year")
	b.until(`document.querySelector(".answer h2")?.innerText.startsWith("Which contracts expire in H1")`)
	b.button("Keep it")
	b.until(`(() => { const asks = document.querySelector(".widgets .widget .asks")?.innerText, year = new Date().getUTCFullYear() + 1;
		return asks?.includes("Jan 1, " + year) && asks.includes("Jul 1, " + year); })()`)
	b.button("More actions: Which contracts expire in H1 next year")
	b.button("Delete")
	b.until(`document.querySelectorAll(".widgets .widget").length === 0`)
	b.clicks(`.toast:last-child .bare`)

	// The answer: what was understood, a bar for each type that leads to its files, and the same in a table.
	ask("contracts by document type")
	b.until(`document.querySelectorAll(".answer .understood dt").length > 0 && document.querySelector(".answer .chart-bar")`)
	bars := b.value(`document.querySelectorAll(".answer .chart-bar").length`)
	require.Equal(t, bars, b.value(`document.querySelectorAll(".answer tbody tr").length`))
	b.accessible("questions")
	b.button("Keep it")
	b.until(`document.querySelectorAll(".widgets .widget .chart-bar").length === ` + bars)
	b.until(`document.querySelector(".widgets .widget .asks").innerText === "Count by document type"`) // what it asks, in words
	b.opens(h, provider.User, "/questions?ask=count+contracts")
	b.button("Keep it")
	b.until(`document.querySelector(".widgets .figure")?.innerText === "2"`)

	// Arrange, rename with markup as text, delete and undo.
	titles := `[...document.querySelectorAll(".widgets h2")].map((e) => e.innerText).join("|")`
	before := b.value(titles)
	b.value(`document.querySelector(".widgets .widget button[aria-label^='Move'][aria-label$='back']").click()`)
	b.until(titles + ` !== ` + quoted(before))
	b.value(`document.querySelector(".widgets .widget button[aria-label^='More']").click()`)
	b.button("Rename")
	b.until(`document.activeElement.matches("[role=dialog] input")`)
	b.value(`document.activeElement.select()`)
	b.types("<b>Ours</b>")
	b.presses("Enter")
	b.until(`document.querySelector(".widgets h2").innerText === "<b>Ours</b>"`)
	b.button("More actions: <b>Ours</b>")
	b.button("Delete")
	b.until(`document.querySelectorAll(".widgets .widget").length === 1`)
	b.clicks(`.toast:last-child .link`)
	b.until(`document.querySelectorAll(".widgets .widget").length === 2`)

	// A bar opens the files behind it.
	files := b.value(`document.querySelector(".widgets .chart .number + .number, .widgets .chart tbody .number").textContent`)
	b.value(`document.querySelector(".widgets .chart tbody a").click()`)
	b.until(`location.pathname === "/" && document.querySelectorAll(".row").length === ` + files)

	b.phone()
	b.opens(h, provider.User, "/questions")
	b.until(`document.querySelectorAll(".widgets .chart-bar").length > 0`)
	b.shows("console-narrow-questions")
	require.Equal(t, "true", b.value(`document.documentElement.scrollWidth <= 360`))
	require.Empty(t, b.value(sideways))
	b.quiet(h.address)
}
