package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/web"
)

// axe is the program that looks for what keeps people out; npm brings it.
const axe = "../../web/node_modules/axe-core/axe.min.js"

// consoleBrowser is a browser at the console of a service of its own, with settings as
// NAME=value.
func consoleBrowser(t testing.TB, settings ...string) (*home, *process, *browser) {
	t.Helper()
	if os.Getenv(browserVariable) == "" {
		t.Skip("is run by `make browser`")
	}
	if web.Handler() == nil {
		t.Skip("the console is not built: make console")
	}
	h := newHome(t, nil)
	p := h.dev(settings...)
	return h, p, newBrowser(t, h.dir)
}

// opens shows a page of the console to a user, by signing in.
func (b *browser) opens(h *home, who, path string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]string{"url": "http://" + h.address + "/auth/login?returnTo=" + url.QueryEscape(path) + "&loginHint=" + url.QueryEscape(who)}, nil)
	b.until(`location.pathname + location.search === ` + quoted(path) + ` && document.querySelector("#content")`)
}

// mayLeave waits until the page may be left: what was decided on it has arrived.
func (b *browser) mayLeave() {
	b.t.Helper()
	b.until(`window.dispatchEvent(new Event("beforeunload", { cancelable: true }))`)
}

func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string has JSON
	}
	return string(out)
}

// clicks waits for what a selector names, and clicks on it.
func (b *browser) clicks(selector string) {
	b.t.Helper()
	b.until(`document.querySelector(` + quoted(selector) + `)`)
	b.value(`document.querySelector(` + quoted(selector) + `).click()`)
}

// button is clicked by its words or its label.
func (b *browser) button(name string) {
	b.t.Helper()
	find := `[...document.querySelectorAll("button, [role^=menuitem], a")].find((e) => (e.ariaLabel ?? e.innerText ?? "").trim() === ` + quoted(name) + `)`
	b.until(find)
	b.value(find + `.click()`)
}

// refuses has the page's next request to an operation refused.
func (b *browser) refuses(method, part string) {
	b.t.Helper()
	b.value(`(() => {
		const real = window.fetch;
		window.fetch = (url, init) => {
			if (init?.method !== ` + quoted(method) + ` || !String(url).includes(` + quoted(part) + `)) return real(url, init);
			window.fetch = real;
			return Promise.resolve(new Response(JSON.stringify({ error: "that is refused", code: "conflict" }), { status: 409, headers: { "Content-Type": "application/json" } }));
		};
	})()`)
}

// presses a key where the focus is.
func (b *browser) presses(key string) {
	b.t.Helper()
	event := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		event["text"] = key
	}
	if key == "Enter" {
		event["text"], event["windowsVirtualKeyCode"] = "\r", 13
	}
	b.call("Input.dispatchKeyEvent", event, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// types text where the focus is.
func (b *browser) types(text string) {
	b.t.Helper()
	b.call("Input.insertText", map[string]string{"text": text}, nil)
}

// chooses files in the input that a selector names.
func (b *browser) chooses(selector string, files ...string) {
	b.t.Helper()
	var document struct{ Root struct{ NodeID int } }
	b.call("DOM.getDocument", nil, &document)
	var input struct{ NodeID int }
	b.call("DOM.querySelector", map[string]any{"nodeId": document.Root.NodeID, "selector": selector}, &input)
	b.call("DOM.setFileInputFiles", map[string]any{"nodeId": input.NodeID, "files": files}, nil)
}

// accessible has axe look at the page, in the light and in the dark, and on a phone, where
// nothing has to be scrolled sideways. The phone's colours are the same: one look is enough.
func (b *browser) accessible(page string) {
	b.t.Helper()
	program, err := os.ReadFile(axe)
	require.NoError(b.t, err)
	look := func(name, scheme string, axe bool) {
		b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		found := "[]"
		if axe {
			b.call("Runtime.evaluate", map[string]any{"expression": string(program)}, nil)
			b.value(`(window.found = undefined, axe.run().then(({ violations }) => { window.found = JSON.stringify(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])) }))`)
			b.until(`window.found`)
			found = b.value(`window.found`)
		}
		b.shows("console-" + name + "-" + scheme)
		require.Equal(b.t, "[]", found, "%s, %s", name, scheme)
	}
	look(page, "dark", true)
	look(page, "light", true)
	b.phone()
	look("narrow-"+page, "dark", false)
	look("narrow-"+page, "light", true)
	require.Equal(b.t, "true", b.value(`document.documentElement.scrollWidth <= 360`), page)
	b.call("Emulation.clearDeviceMetricsOverride", nil, nil)
}

// phone has the page shown on a small screen.
func (b *browser) phone() {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true}, nil)
}

// TestConsole does what people do: sign in, upload, see each file go through, open one,
// follow a fact to its words, decide on clauses, correct, delete and bring back; then
// the service goes away and comes back. It is tried wherever there is a browser and a
// console; the other tests of the console are left to `make browser`.
func TestConsole(t *testing.T) {
	if os.Getenv(browserVariable) == "" {
		path, err := exec.LookPath("chromium")
		if err != nil {
			t.Skip("Chromium is not installed: `make browser` installs it")
		}
		t.Setenv(browserVariable, path)
	}
	h, p, b := consoleBrowser(t)

	// Nobody is signed in.
	b.call("Page.navigate", map[string]string{"url": "http://" + h.address + "/?status=failed"}, nil)
	b.until(`document.querySelector(".sign-in a.primary")`)
	b.accessible("sign-in")
	require.Equal(t, "/auth/login?returnTo=%2F%3Fstatus%3Dfailed", b.value(`document.querySelector(".sign-in a.primary").getAttribute("href")`))
	b.quiet(h.address, "401")
	// Signing in leaves the console and comes back to where one was.
	b.clicks(".sign-in a.primary")
	b.until(`!location.pathname.startsWith("/auth/login") && !document.querySelector(".sign-in a.primary")`)

	// Nothing is there yet; then some files are, one of them broken, one with a hostile name.
	b.opens(h, provider.User, "/")
	b.until(`document.querySelector(".empty button")`)
	b.accessible("empty")
	hostile := `<img src=x onerror=alert(1)> שלום.txt`
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	sample := func(name string) string {
		content, err := os.ReadFile(filepath.Join("../clausemill/samples", name))
		require.NoError(t, err)
		return write(name, content)
	}
	b.chooses(`input[type=file][multiple]`, sample("services-agreement.pdf"), sample("lease-scan.png"), sample("nda.txt"),
		write(hostile, []byte("The Tenant <b>shall</b> pay the rent.\n<script>alert(2)</script>\n")), write("broken.docx", []byte("PK\x03\x04 and no more")))
	b.until(`document.querySelectorAll(".row").length === 5`)
	b.until(`document.querySelectorAll(".row .status.completed, .row .status.completed_with_warnings").length === 4 && document.querySelectorAll(".row .status.failed").length === 1`)
	require.Equal(t, "true", b.value(`[...document.querySelectorAll(".row .name a")].some((a) => a.innerText === `+quoted(hostile)+`)`))
	b.clicks(`.uploads button`)
	b.until(`document.querySelector(".top .figures .bad")?.innerText === "1 failed"`)
	b.accessible("inbox")

	// The filter is in the address, and goes back and forth.
	b.button("Failed")
	b.until(`document.querySelectorAll(".row").length === 1 && location.search === "?status=failed"`)
	require.Contains(t, b.value(`document.querySelector(".row").innerText`), "broken.docx")
	b.button("All")
	b.until(`document.querySelectorAll(".row").length === 5`)

	// A column is chosen, and the browser remembers it.
	b.button("Columns")
	b.until(`document.querySelectorAll("[role=menuitemcheckbox][aria-checked=true]").length === 4`)
	b.accessible("columns")
	b.button("Law")
	b.button("Expires")
	b.until(`[...document.querySelectorAll(".row")].some((e) => e.innerText.includes("services-agreement.pdf") && e.innerText.includes("Delaware"))`)
	b.accessible("inbox-facts")
	b.button("Law")
	b.button("Expires")
	b.button("Size")
	b.until(`[...document.querySelectorAll(".head-row .sorted")].some((e) => e.innerText === "Size") && document.querySelector(".row").innerText.includes("byte")`)
	b.button("Parties")
	b.presses("Escape")
	b.opens(h, provider.User, "/?sort=size")
	b.until(`document.querySelectorAll(".row").length === 5 && [...document.querySelectorAll(".head-row > *")].map((e) => e.innerText.trim()).filter(Boolean).join() === "Name,Status,Type,Pages,Size,Added"`)
	require.Contains(t, b.value(`document.querySelector(".row").innerText`), "broken.docx")
	b.accessible("inbox-columns")
	b.button("Columns")
	b.button("Parties")
	b.button("Size")
	b.presses("Escape")
	b.opens(h, provider.User, "/")
	b.until(`document.querySelectorAll(".row").length === 5`)

	// All rows share one menu: a button opens it for its file, and has the focus again after it.
	more := `document.querySelectorAll(".row")[1].querySelector("button")`
	b.value(more + `.focus()`)
	b.presses("Enter")
	b.until(`document.activeElement.matches("[role=menu]") && document.querySelectorAll("[role=menuitem]").length === 4 && ` + more + `.ariaExpanded === "true"`)
	b.accessible("inbox-menu")
	b.presses("Escape")
	b.until(`!document.querySelector("[role=menu]") && document.activeElement === ` + more)
	b.value(`document.activeElement.blur()`)

	// Delete with the keyboard's selection, and undo.
	b.presses("x")
	b.until(`document.querySelector(".bulk strong")?.innerText === "1 selected"`)
	// A button that has the focus takes Enter, which opens a file otherwise.
	b.value(`[...document.querySelectorAll(".bulk button")].find((e) => e.innerText.trim() === "Delete").focus()`)
	b.presses("Enter")
	b.until(`document.querySelectorAll(".row").length === 4 && location.pathname === "/"`)
	b.button("Undo")
	b.until(`document.querySelectorAll(".row").length === 5`)

	// The contract: a fact leads to its words.
	b.value(`[...document.querySelectorAll(".row .name a")].find((a) => a.innerText === "services-agreement.pdf").click()`)
	b.until(`document.querySelectorAll(".words span").length > 300 && document.querySelector(".fact")`)
	// Each mark lies where its words do, and is no taller than they are.
	b.until(`document.querySelector(".mark.fact") && document.querySelector(".mark.clause")`)
	require.Equal(t, "0", b.value(`[...document.querySelectorAll(".mark")].filter((e) => [[e.offsetTop, e.style.top], [e.offsetHeight, e.style.height]].some(([is, said]) => Math.abs((is / e.parentElement.clientHeight) * 100 - Number.parseFloat(said)) > 0.3)).length`))
	b.accessible("facts")
	b.value(`[...document.querySelectorAll(".fact .value")].find((e) => e.innerText.startsWith("Bolt GmbH")).click()`)
	b.until(`document.querySelectorAll(".mark.picked").length === 1 && location.search.startsWith("?at=")`)
	over := b.value(`(() => {
		const mark = document.querySelector(".mark.picked").getBoundingClientRect();
		return [...document.querySelectorAll(".words span")].filter((word) => {
			const { left, right, top, bottom } = word.getBoundingClientRect();
			const [x, y] = [left + (right - left) * 0.4, (top + bottom) / 2];
			return mark.left < x && x < mark.right && mark.top < y && y < mark.bottom;
		}).map((word) => word.innerText.trim()).join(" ");
	})()`)
	require.Equal(t, "Bolt GmbH,", over)
	// The address alone leads there, too.
	place := b.value(`location.pathname + location.search`)
	b.opens(h, provider.User, place)
	b.until(`document.querySelectorAll(".mark.picked").length === 1`)

	// A wrong party is corrected, and found in the list.
	b.button("Correct: Parties")
	b.until(`document.activeElement.matches(".correction textarea")`)
	b.value(`document.activeElement.select()`)
	b.types("Acme Corporation\nBolt Maschinen GmbH")
	b.presses("Enter")
	b.until(`[...document.querySelectorAll(".fact .value")].some((e) => e.innerText.startsWith("Bolt Maschinen GmbH"))`)
	b.clicks(`.page-head a`)
	b.until(`[...document.querySelectorAll(".row")].some((e) => e.textContent.includes("Bolt Maschinen GmbH"))`)
	b.value(`history.back()`)

	// Facts by keyboard: confirm one, refuse the next, and take both back.
	person := h.signIn(provider.User)
	contract, _, _ := strings.Cut(strings.TrimPrefix(place, "/files/"), "?")
	decided := func(confirmed, refused int) {
		t.Helper()
		require.Eventually(t, func() bool {
			type value struct{ Decision string }
			var facts struct{ Attributes, RefusedAttributes []value }
			person.get("/api/files/"+contract+"/documents?limit=1").into(t, http.StatusOK, &facts)
			held := 0
			for _, a := range facts.Attributes {
				if a.Decision == "confirmed" {
					held++
				}
			}
			return held == confirmed && len(facts.RefusedAttributes) == refused
		}, 10*time.Second, 50*time.Millisecond)
	}
	b.until(`document.querySelectorAll(".fact dd").length > 3`)
	open := b.value(`parseInt(document.querySelector(".panel-head").innerText)`)
	b.presses("j")
	b.until(`document.querySelectorAll(".fact .here").length > 0`)
	b.presses("c")
	b.until(`document.querySelectorAll(".fact .decided").length === 1`)
	decided(1, 0)
	for b.value(`document.querySelector(".fact [aria-current=true]").closest("dd").innerText.includes("set by a person")`) == "true" {
		b.presses("j")
	}
	b.presses("n")
	b.until(`document.querySelector(".refused summary")?.innerText === "1 refused value"`)
	decided(1, 1)
	b.value(`(document.querySelector(".refused").open = true)`)
	b.accessible("facts-decided")
	b.presses("z")
	b.until(`!document.querySelector(".refused")`)
	b.presses("z")
	b.until(`document.querySelectorAll(".fact .decided").length === 0`)
	decided(0, 0)
	require.Equal(t, open, b.value(`parseInt(document.querySelector(".panel-head").innerText)`))

	// Clauses by keyboard: confirm, and take it back.
	validated := func() int {
		var page struct{ Total int }
		person.get("/api/sentences?source=validated&limit=1").into(t, http.StatusOK, &page)
		return page.Total
	}
	b.button("Clauses")
	b.until(`document.querySelectorAll(".clause").length > 5`)
	b.accessible("clauses")
	b.clicks(`.clause .value`)
	b.until(`document.querySelectorAll(".mark.picked").length > 0`)
	b.presses("c")
	b.until(`document.querySelectorAll(".clause .decided").length === 1`)
	require.Eventually(t, func() bool { return validated() == 1 }, 10*time.Second, 50*time.Millisecond)
	b.presses("z")
	b.until(`document.querySelectorAll(".clause .decided").length === 0`)
	require.Eventually(t, func() bool { return validated() == 0 }, 10*time.Second, 50*time.Millisecond)
	// By a button that goes away: the focus stays with the clause.
	b.value(`(document.querySelector(".clause .decide button").focus(), document.activeElement.click())`)
	b.until(`document.querySelectorAll(".clause .decided").length === 1 && document.activeElement === document.querySelector(".clause .value")`)
	b.presses("z")
	b.until(`document.querySelectorAll(".clause .decided").length === 0`)

	b.presses("e")
	b.until(`document.querySelectorAll("[role=dialog] [role=option]").length > 20 && document.querySelector("[role=dialog]").innerText.includes("No clause")`)
	b.accessible("choose")
	b.presses("Escape")
	b.until(`!document.querySelector("[role=dialog]")`)
	for _, tab := range []string{"Outline", "Compare", "History"} {
		b.button(tab)
		b.until(`document.querySelector(".tab-panel") && !document.querySelector(".tab-panel .skeleton")`)
		b.accessible(strings.ToLower(tab))
	}

	// What the contract is and how far it has come are set in its head, and taken back. A step
	// that the service refuses is not offered.
	chip := func(label string) {
		b.until(`[...document.querySelectorAll(".page-head button.chip")].some((e) => e.ariaLabel === ` + quoted(label) + `)`)
	}
	b.value(`document.querySelectorAll(".toast .bare").forEach((e) => e.click())`)
	b.button("Stage: Draft")
	b.until(`document.querySelectorAll("[role=menuitemcheckbox]").length === 9`)
	b.accessible("stage")
	b.button("Negotiation")
	chip("Stage: Negotiation")
	b.button("Stage: Negotiation")
	b.until(`[...document.querySelectorAll("[role=menuitemcheckbox][aria-disabled=true]")].map((e) => e.innerText.trim()).join() === "Draft"`)
	b.presses("Escape")
	b.button("Undo")
	chip("Stage: Draft")
	b.button("Type: Service")
	b.until(`document.activeElement.matches(".choose-input")`)
	b.types("agency")
	b.until(`document.querySelector(".choose-list [data-highlighted]")?.innerText === "Agency"`)
	b.presses("Enter")
	chip("Type: Agency")
	b.value(`[...document.querySelectorAll(".toast")].find((e) => e.innerText.includes("Agency")).querySelector(".link").click()`)
	chip("Type: Service")
	// A name is changed, and taken back.
	title := func(name string) {
		t.Helper()
		b.until(`document.querySelector("h1")?.innerText === ` + quoted(name))
	}
	b.button("More actions")
	b.button("Rename")
	b.until(`document.activeElement.matches("[role=dialog] input")`)
	b.accessible("rename")
	b.value(`document.activeElement.select()`)
	b.types(`Services <b>2026</b>`)
	b.refuses("PUT", "/api/files/")
	b.presses("Enter")
	b.until(`document.querySelector(".toast.failed") && document.querySelector("[role=dialog] input")?.value === "Services <b>2026</b>"`)
	b.presses("Enter")
	title(`Services <b>2026</b>`)
	b.value(`[...document.querySelectorAll(".toast")].find((e) => e.innerText.startsWith("Now named")).querySelector(".link").click()`)
	title("services-agreement.pdf")
	b.button("More actions")
	b.button("Add to matter")
	b.until(`document.activeElement.matches(".choose-input")`)
	b.types("Northwind")
	b.until(`document.querySelector(".choose-list [data-highlighted]")?.innerText.includes("Northwind")`)
	b.presses("Enter")
	b.until(`document.querySelector(".page-head a.chip")?.innerText.trim() === "Northwind"`)

	// A page that fails of a fault of its own says so in its place; the rest stays, and another page is as ever.
	b.value(`(window.whole = Intl.RelativeTimeFormat.prototype.format, Intl.RelativeTimeFormat.prototype.format = () => { throw new Error("broken") })`)
	b.clicks(`.side a[href="/"]`)
	b.until(`document.querySelector("#content [role=alert]")?.innerText.includes("broken") && document.querySelector(".side")`)
	b.clicks(`.side a[href="/types"]`)
	b.until(`document.querySelector("#content h1")?.innerText === "Types" && !document.querySelector("#content [role=alert]")`)
	b.value(`Intl.RelativeTimeFormat.prototype.format = whole`)

	// Text without pages shows as text, markup in it too.
	b.opens(h, provider.User, "/?q=onerror")
	b.until(`document.querySelectorAll(".row").length === 1`)
	b.value(`document.querySelector(".row .name a").click()`)
	b.until(`document.querySelector(".block")?.innerText.includes("<b>shall</b>")`)
	require.Equal(t, "0", b.value(`document.querySelectorAll(".block b, .block script, .row img, h1 img").length`))
	b.accessible("text")
	b.quiet(h.address)

	// A file that needs a password is opened with it; a wrong one is told, and costs nothing.
	locked := h.caller().upload(upload{"locked.pdf", lockedPDF(t)})
	b.opens(h, provider.User, "/files/"+locked.ID)
	b.until(`document.querySelector(".unlock input")`)
	for _, password := range []string{"guess", "secret"} {
		b.value(`(document.querySelector(".unlock input").focus(), document.activeElement.select())`)
		b.types(password)
		b.presses("Enter")
		if password == "guess" {
			b.until(`document.querySelector(".toast.failed")?.innerText.includes("password")`)
		}
	}
	b.until(`document.querySelectorAll(".words span").length > 0`)
	b.quiet(h.address, "422", "404")

	// Somebody else's file, and an address that is nothing.
	for _, path := range []string{"/files/01a20708-0000-73b8-91f9-1a7450e983bf", "/files/nothing", "/nowhere/at/all"} {
		b.opens(h, provider.User, path)
		b.until(`document.querySelector(".empty h2")?.innerText === "Not found" || document.querySelector(".empty h2")?.innerText === "That did not work"`)
	}
	b.quiet(h.address, "404", "422")

	// A small screen: nothing has to be scrolled sideways.
	b.phone()
	for name, path := range map[string]string{"inbox": "/", "document": place} {
		b.opens(h, provider.User, path)
		b.until(`document.querySelector(".row, .words span")`)
		b.shows("console-narrow-" + name)
		require.Equal(t, "true", b.value(`document.documentElement.scrollWidth <= 360`), name)
	}
	// What a phone's bar has no room for is in its menu, and a long name is not cut.
	b.opens(h, provider.User, "/?q=onerror")
	b.until(`document.querySelector(".row .name a")?.innerText === ` + quoted(hostile))
	require.Equal(t, "true", b.value(`document.querySelector(".row .name a").scrollHeight <= document.querySelector(".row .name a").clientHeight`))
	require.Equal(t, "true", b.value(`[...document.querySelectorAll(".side > *")].every((e) => e.getBoundingClientRect().right <= 360)`))
	b.button("More")
	b.button("Settings")
	b.until(`location.pathname === "/settings" && document.querySelector(".others.here")`)
	b.call("Emulation.clearDeviceMetricsOverride", nil, nil)

	// The service goes away in the middle, and comes back: nobody has to load the page again.
	b.opens(h, provider.User, "/")
	b.until(`document.querySelectorAll(".row").length === 6`)
	p.signal(syscall.SIGINT)
	p.ends(time.Minute)
	b.until(`document.querySelector(".lost")?.innerText.includes("No connection")`)
	h.dev()
	b.until(`!document.querySelector(".lost")?.innerText`)
	h.caller().upload(upload{"late.txt", []byte("The Tenant shall pay the rent late.")})
	b.until(`[...document.querySelectorAll(".row")].some((e) => e.innerText.includes("late.txt") && e.querySelector(".status.completed"))`)

	// What is printed of a document is all that was found in it, whichever tab is open.
	b.opens(h, provider.User, "/files/"+contract+"?tab=compare")
	b.until(`document.querySelectorAll(".compare .bars tbody tr").length > 0 || document.querySelector(".compare h2")`)
	b.button("More actions")
	b.value(`(window.print = () => (window.told = true))`) // once all of it is there
	b.button("Print a report")
	b.until(`window.told`)
	b.until(`[...document.querySelectorAll(".menu")].length === 0`)
	var report struct{ Data string }
	b.call("Page.printToPDF", nil, &report)
	content, err := base64.StdEncoding.DecodeString(report.Data)
	require.NoError(t, err)
	if dir := os.Getenv("CLAUSEMILL_PICTURES"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "console-report.pdf"), content, 0o600))
	}
	printed := h.caller().upload(upload{"report.pdf", content})
	h.caller().allEnd(time.Minute)
	text := string(person.get("/api/files/" + printed.ID + "/documents?limit=500").body)
	for _, part := range []string{"services-agreement.pdf", "Bolt Maschinen GmbH", "Governing law", "p. 1", "Clauses", "Files like this one"} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "Search everything")
	b.quiet(h.address, "Failed to load resource", "ERR_")
}

// TestConsoleOfMany scrolls a list of hundreds of files and a document of hundreds of
// pages: what is out of sight is not in the page.
func TestConsoleOfMany(t *testing.T) {
	h, _, b := consoleBrowser(t)
	c := h.caller()
	for i := range 300 {
		c.upload(upload{fmt.Sprintf("note %03d.txt", i), []byte(fmt.Sprintf("Tenant %d shall pay the rent.", i))})
	}
	b.opens(h, provider.User, "/?sort=name")
	b.until(`document.querySelector(".row .name a")?.innerText === "note 000.txt"`)
	require.Equal(t, "300 files", b.value(`document.querySelector(".page-head .quiet").innerText`))
	b.until(`(document.querySelector(".rows").scrollTop += 2000, [...document.querySelectorAll(".row .name a")].at(-1)?.innerText === "note 299.txt")`)
	require.Equal(t, "true", b.value(`document.querySelectorAll(".row").length < 80`))

	// All that match are deleted, what the list has not loaded as well, and brought back.
	b.opens(h, provider.User, "/?q=note+1")
	b.until(`document.querySelector(".page-head .quiet").innerText === "100 files"`)
	b.opens(h, provider.User, "/?q=note&sort=name")
	b.until(`document.querySelector(".page-head .quiet").innerText === "300 files"`)
	b.clicks(`.head-row input`)
	b.until(`document.querySelector(".bulk strong")?.innerText === "300 selected"`)
	b.button("Delete")
	b.until(`document.querySelector(".page-head .quiet").innerText === "0 files"`)
	b.button("Undo")
	b.until(`document.querySelector(".page-head .quiet").innerText === "300 files"`)

	// The box that leads anywhere: to a page of the settings, and to what menus do.
	goes := func(words string) {
		t.Helper()
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "k", "modifiers": 2}, nil)
		b.until(`document.activeElement.matches(".choose-input")`)
		b.types(words)
		b.until(`document.querySelector(".choose-list [data-highlighted]")?.innerText.toLowerCase().startsWith(` + quoted(words) + `)`)
		b.presses("Enter")
	}
	goes("note 123.txt")
	b.until(`document.querySelector("h1")?.innerText === "note 123.txt"`)
	goes("settings: webhooks")
	b.until(`location.pathname === "/settings/webhooks"`)
	goes("theme: dark")
	b.until(`document.documentElement.style.colorScheme === "dark"`)
	b.quiet(h.address, "404") // of a preview whose file was deleted
}
