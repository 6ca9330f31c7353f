package e2e_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// selects words of a document.
func selects(b *browser, words string) {
	b.t.Helper()
	b.value(`(() => {
		const piece = [...document.querySelectorAll("[data-start]")].find((e) => e.textContent.includes(` + quoted(words) + `)).firstChild;
		const at = piece.data.indexOf(` + quoted(words) + `);
		getSelection().setBaseAndExtent(piece, at, piece, at + ` + strconv.Itoa(len(words)) + `);
	})()`)
}

// TestConsoleRedline reads a contract with somebody's tracked changes, takes a decision
// and takes it back, proposes other words, and compares with another file.
func TestConsoleRedline(t *testing.T) {
	h, _, b := consoleBrowser(t)
	yes := true
	hostile := "<b onclick=alert(1)>\u202Eshall"
	build := func(lines ...string) []byte {
		var passages []docx.Passage
		for _, line := range lines {
			passages = append(passages, docx.Passage{Text: line})
		}
		data, err := docx.Build(passages)
		require.NoError(t, err)
		return data
	}
	base := build("The term is thirty days.", "The Tenant "+hostile+" pay.", "Fees are payable at once.")
	by := redline.NewAuthor("<i>Bob</i>")
	marked, err := redline.Execute(base, []redline.Change{
		{ID: "a", Type: redline.Replace, Anchor: redline.Anchor{Text: "thirty"}, Text: "sixty", Comment: "Too <u>short</u>", Author: by, Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		{ID: "b", Type: redline.Insert, Anchor: redline.Anchor{Text: "payable"}, Side: redline.After, Text: " net", Author: by, Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}, redline.Options{})
	require.NoError(t, err)
	file := h.caller().upload(upload{"lease.docx", marked.Document})
	other := h.caller().upload(upload{"other.docx", build("The term is thirty days.", "The Tenant "+hostile+" pay.", "Fees are never payable.")})

	b.opens(h, provider.User, "/files/"+file.ID+"/redline")
	b.until(`document.querySelector("ins[data-change]")?.innerText === "sixty" && document.querySelector("del[data-change]")?.innerText === "thirty"`)
	require.Equal(t, "true", b.value(`document.querySelector(".redline-sheet").textContent.includes(`+quoted(hostile)+`)`))
	require.Equal(t, "0", b.value(`document.querySelectorAll(".redline-sheet b, .margin u, .authors i").length`))
	require.Equal(t, "true", b.value(`document.querySelector(".margin").innerText.includes("Too <u>short</u>")`))
	b.accessible("redline")

	// All are accepted, and that is taken back. Words in place of others are one decision.
	require.Equal(t, "thirtysixty", b.value(`[...document.querySelectorAll(".change")].find((e) => e.innerText.startsWith("Replaced")).querySelector(".cut:last-child").textContent`))
	b.button("Accept 2")
	b.until(`document.querySelectorAll("[data-change].accepted").length === 3`)
	b.button("Undo")
	b.until(`document.querySelectorAll("[data-change].open").length === 3`)

	// Each batch is taken back by its own toast, and the last one by key; two keys in a row
	// lead elsewhere, whatever the second one does on this page.
	state := `[...document.querySelectorAll(".redline-sheet [data-change]")].map((e) => e.tagName + ["accepted", "rejected", "open"].find((s) => e.classList.contains(s))).sort().join()`
	b.value(`document.querySelectorAll(".toast .bare").forEach((e) => e.click())`)
	b.presses("n")
	b.until(`document.querySelector(".change.here")`)
	b.presses("a")
	b.until(`document.querySelectorAll("[data-change].accepted").length === 2`)
	b.presses("n")
	b.until(`document.querySelector(".change.here")?.innerText.startsWith("Comment")`)
	b.presses("n")
	b.until(`document.querySelectorAll(".change.here .value[aria-current]").length === 1 && document.querySelector(".change.here button[aria-label=Reject]")`)
	b.presses("g")
	b.presses("r")
	b.until(`location.pathname === "/review"`)
	b.value(`history.back()`)
	b.until(`document.querySelectorAll("[data-change].accepted").length === 2 && document.querySelectorAll("[data-change].rejected").length === 0`)
	b.opens(h, provider.User, "/files/"+file.ID+"/redline")
	b.until(`document.querySelectorAll("[data-change].accepted").length === 2`)
	b.button("Take back")
	b.until(`document.querySelectorAll("[data-change].open").length === 3`)
	b.clicks(`.change:nth-child(1) button[aria-label=Accept]`)
	b.until(`document.querySelectorAll("[data-change].accepted").length === 2`)
	first := b.value(state)
	b.clicks(`.change button[aria-label=Reject]`)
	b.until(`document.querySelectorAll("[data-change].rejected").length === 1`)
	b.value(`[...document.querySelectorAll(".toast")].find((e) => e.innerText.includes("accepted")).querySelector(".link").click()`)
	b.until(`document.querySelectorAll("[data-change].rejected").length === 1 && document.querySelectorAll("[data-change].open").length === 2`)
	require.NotEqual(t, first, b.value(state))
	b.presses("z")
	b.until(`document.querySelectorAll("[data-change].open").length === 3`)

	// Other words are proposed, and are in the file that is downloaded.
	selects(b, "at once")
	b.button("Edit selected words")
	b.until(`document.activeElement.matches(".propose textarea")`)
	b.value(`document.activeElement.select()`)
	b.types("within a week")
	b.accessible("propose")
	b.button("Propose")
	// Only the words that change are marked.
	b.until(`[...document.querySelectorAll("ins[data-change].proposed")].map((e) => e.innerText.trim()).join(" ") === "within a week"`)
	answer := h.signIn(provider.User).get("/api/files/" + file.ID + "/execute-redline?format=docx&wait=60")
	require.Equal(t, http.StatusOK, answer.status, string(answer.body))
	doc, err := docx.Open(answer.body)
	require.NoError(t, err)
	var inserted []string
	for _, r := range doc.Revisions() {
		if r.Kind == "ins" && r.On == "text" {
			inserted = append(inserted, r.Text)
		}
	}
	require.Contains(t, strings.Join(inserted, " "), "within a week")

	// Word's form and the PDF are saved; a PDF takes LibreOffice, and its absence is told.
	b.value(`(window.saved = [], window.make = URL.createObjectURL, URL.createObjectURL = (blob) => (saved.push(blob.type), make(blob)))`)
	b.button("Download")
	b.button("Word, changes carried out")
	b.until(`saved.join().includes("wordprocessingml")`)
	b.button("Download")
	b.button("HTML, with tracked changes")
	b.until(`saved.join().includes("text/html")`)
	b.button("Download")
	b.button("PDF, with tracked changes")
	if _, err := exec.LookPath("soffice"); err == nil {
		b.until(`saved.includes("application/pdf")`)
	} else {
		b.until(`document.querySelector(".toast.failed")?.innerText.includes("LibreOffice")`)
		b.quiet(h.address, "409", "422", "501", "503")
	}

	// Beside another file, nothing is stored.
	b.opens(h, provider.User, "/files/"+file.ID+"/redline?with="+other.ID)
	b.until(`[...document.querySelectorAll("ins[data-change]")].some((e) => e.innerText.includes("never"))`)
	b.accessible("redline-compared")
	b.value(`(window.pages = [], window.make = URL.createObjectURL, URL.createObjectURL = (blob) => (void blob.text().then((text) => pages.push(text)), make(blob)))`)
	b.button("Download")
	b.button("HTML of this comparison")
	b.until(`pages.some((page) => page.includes("never") && page.includes("&lt;b onclick"))`)
	b.quiet(h.address)

	// A file that nobody could read says so.
	broken := h.caller().upload(upload{"broken.pdf", []byte("%PDF-1.4 and no more")})
	b.opens(h, provider.User, "/files/"+broken.ID+"/redline")
	b.until(`document.querySelector(".empty h2")?.innerText === "This file could not be read"`)
	b.accessible("redline-unread")

	// A contract that nobody changed, and one without a word, say so, and what to do.
	b.opens(h, provider.User, "/files/"+other.ID+"/redline")
	b.until(`document.querySelector(".panel .empty h2")?.innerText === "No changes yet" && document.querySelector(".redline-sheet").innerText.includes("never")`)
	b.accessible("redline-unchanged")
	blank := h.caller().upload(upload{"blank.docx", build("")})
	photo := h.caller().upload(upload{"photo.pdf", encodePDF(pdfPage{})})
	h.caller().allEnd(time.Minute)
	for _, file := range []string{blank.ID, photo.ID} {
		b.opens(h, provider.User, "/files/"+file+"/redline")
		b.until(`document.querySelector(".redline > .empty h2")?.innerText === "There is no text."`)
	}
	b.accessible("redline-no-text")

	// A paragraph mark, a row and a format have no words: they are told by what they are on.
	gone, err := redline.Execute(base, []redline.Change{
		{ID: "a", Type: redline.DeleteParagraph, Anchor: redline.Anchor{Text: "The term is thirty days."}, Author: by, Date: time.Now()},
		{ID: "b", Type: redline.FormatText, Anchor: redline.Anchor{Text: "payable"}, Format: docx.Format{Bold: &yes}, Author: by, Date: time.Now()},
	}, redline.Options{})
	require.NoError(t, err)
	without := h.caller().upload(upload{"without.docx", gone.Document})
	b.opens(h, provider.User, "/files/"+without.ID+"/redline")
	b.until(`document.querySelectorAll(".change").length === 3`)
	told := b.value(`[...document.querySelectorAll(".change .cut:last-child")].map((e) => e.innerText.trim()).join("|")`)
	require.Contains(t, told, "end of the paragraph: The term is thirty days.")
	require.Contains(t, told, "|payable")
	require.NotContains(t, told, "Deleted")
	require.NotContains(t, told, "Format")
	b.accessible("redline-without-words")

	// A viewer reads, and may comment.
	viewer := h.signIn(provider.Colleague)
	h.signIn(provider.User).does(http.MethodPatch, "/api/teams/users/"+viewer.id, `{"role":"viewer"}`)
	b.opens(h, provider.Colleague, "/files/"+file.ID+"/redline")
	b.until(`document.querySelectorAll(".change").length > 1`)
	require.Equal(t, "0", b.value(`document.querySelectorAll(".change-acts button, .redline-tools .primary, [aria-label=Versions]").length`))
	selects(b, "payable")
	b.button("Edit selected words")
	b.until(`document.activeElement.matches(".propose textarea")`)
	require.Equal(t, "1", b.value(`document.querySelectorAll(".propose textarea").length`))
	b.types("By <b>when</b>?")
	b.button("Comment only")
	b.until(`[...document.querySelectorAll(".margin li")].some((e) => e.innerText.includes("By <b>when</b>?"))`)
	b.quiet(h.address)

	b.phone()
	b.opens(h, provider.User, "/files/"+file.ID+"/redline")
	b.until(`document.querySelector("ins[data-change]")`)
	b.shows("console-narrow-redline")
	require.Equal(t, "true", b.value(`document.documentElement.scrollWidth <= 360`))
	// A phone shows the text or the changes; a change leads to its words.
	seen := `[...document.querySelectorAll(".redline-body > *")].filter((e) => e.offsetParent).map((e) => e.tagName).join()`
	require.Equal(t, "SECTION", b.value(seen))
	b.clicks(`.redline-views button:nth-child(2)`)
	b.until(seen + ` === "ASIDE" && document.querySelectorAll(".change").length > 1`)
	b.clicks(`.change .value`)
	b.until(seen + ` === "SECTION" && document.querySelector(".redline-sheet .here")`)
}

// TestConsoleReviewsVersion uploads what the other side sent back, sees what they hid and
// did not mark, and decides where both sides changed the same words.
func TestConsoleReviewsVersion(t *testing.T) {
	h, p, b := consoleBrowser(t)
	base, err := docx.Build([]docx.Passage{
		{Text: "The term is one year from signing."}, {Text: "The fee is ten euros a month."}, {Text: "Notices are given by letter to the office."},
		{Text: "Either party may end it by notice of <b>three</b> months."}, {Text: "The supplier insures all goods in transit."}, {Text: "The law of Delaware applies to it."},
	})
	require.NoError(t, err)
	file := h.caller().upload(upload{"supply.docx", base})
	on := true
	theirs, err := redline.Execute(base, []redline.Change{
		{ID: "1", Type: redline.Replace, Anchor: redline.Anchor{Text: "ten"}, Text: "ninety", Author: redline.NewAuthor("x"), Date: time.Now()},
		{ID: "2", Type: redline.FormatText, Anchor: redline.Anchor{Text: "The law of Delaware applies to it."}, Format: docx.Format{Hidden: &on}, Author: redline.NewAuthor("x"), Date: time.Now()},
		{ID: "3", Type: redline.DeleteParagraph, Anchor: redline.Anchor{Text: "The supplier insures all goods in transit."}, Author: redline.NewAuthor("x"), Date: time.Now()},
	}, redline.Options{Clean: true})
	require.NoError(t, err)
	bob := redline.NewAuthor("<i>Bob</i>")
	marked, err := redline.Execute(theirs.Document, []redline.Change{
		{ID: "1", Type: redline.Replace, Anchor: redline.Anchor{Text: "one year"}, Text: "three years", Author: bob, Date: time.Now()},
		{ID: "2", Type: redline.FormatText, Anchor: redline.Anchor{Text: "may end it"}, Format: docx.Format{Bold: &on}, Author: bob, Date: time.Now()},
	}, redline.Options{})
	require.NoError(t, err)
	back := filepath.Join(t.TempDir(), "supply back.docx")
	require.NoError(t, os.WriteFile(back, marked.Document, 0o600))

	me := h.signIn(provider.User)
	propose := func(was, now string) {
		me.does(http.MethodPost, "/api/files/"+file.ID+"/changes", `{"type":"replace","anchor":{"text":%q},"text":%q}`, was, now)
	}
	b.opens(h, provider.User, "/files/"+file.ID+"/redline")
	b.until(`document.querySelector(".redline-sheet")?.innerText.includes("ten euros")`)
	propose("one year", "two years")
	propose("ten euros", "five euros")
	propose("letter", "mail")
	propose("all goods", "no goods")

	b.opens(h, provider.User, "/files/"+file.ID+"/redline")
	b.until(`document.querySelectorAll(".redline-sheet .proposed").length > 0 && document.querySelector("input.next-version")`)
	// While the version waits to be read nobody asks for its changes, which are not known yet.
	readers := func(s syscall.Signal) {
		for _, child := range p.children() {
			if strings.Contains(child.arguments, "reader") {
				require.NoError(t, syscall.Kill(child.pid, s))
			}
		}
	}
	readers(syscall.SIGSTOP)
	b.value(`performance.clearResourceTimings()`)
	b.chooses("input.next-version", back)
	b.until(`performance.getEntriesByType("resource").some((e) => e.name.endsWith("/api/files/` + file.ID + `"))`)
	b.until(`document.querySelector(".redline-sheet .proposed")`)
	b.quiet(h.address)
	readers(syscall.SIGCONT)
	b.until(`new URLSearchParams(location.search).get("review") === "2" && document.querySelectorAll(".conflict").length === 3`)

	// Alarms are on top: what is hidden, and what no tracked change shows.
	alarms := b.value(`document.querySelector(".alarms [role=alert]").innerText`)
	require.Contains(t, alarms, "hides text")
	require.Contains(t, alarms, "no tracked change shows")
	require.Contains(t, alarms, "1 passage with text that is hidden")
	b.button("Show the next")
	b.until(`document.querySelector(".block.spot .unread")?.innerText === "The law of Delaware applies to it."`)
	require.Contains(t, b.value(`document.querySelector(".against").innerText`), "1 proposal carried over")

	// Formatting is named, their words are one decision under their name.
	b.until(`[...document.querySelectorAll(".change")].some((e) => e.innerText.includes("Format: bold") && e.innerText.includes("<i>Bob</i>"))`)
	b.until(`[...document.querySelectorAll(".change .cut:last-child")].some((e) => e.innerHTML.includes("<del>one year</del><ins>three years</ins>"))`)
	require.Equal(t, "true", b.value(`[...document.querySelectorAll(".untracked li")].some((e) => e.querySelector("del")?.innerText === "ten" && e.querySelector("ins")?.innerText === "ninety")`))
	require.Equal(t, "0", b.value(`document.querySelectorAll(".redline-sheet b, .authors i, .conflict b").length`))
	b.accessible("redline-review")

	// Each conflict shows all three texts, and is decided either way.
	conflict := func(words string) string {
		return `[...document.querySelectorAll(".conflict")].find((e) => e.innerText.includes(` + quoted(words) + `))`
	}
	fee := b.value(conflict("five") + `.innerText`)
	for _, part := range []string{"The fee is ten euros a month.", "five", "ninety", "changed without tracking"} {
		require.Contains(t, fee, part)
	}
	require.Contains(t, b.value(conflict("two")+`.innerText`), "tracked, by <i>Bob</i>")
	require.Contains(t, b.value(conflict("no goods")+`.innerText`), "The paragraph is gone.")
	b.value(`[...` + conflict("five") + `.querySelectorAll("button")].find((e) => e.innerText === "Show in the text").focus()`)
	b.presses("Enter")
	b.until(`document.querySelector(".block.spot")?.innerText.includes("ninety euros")`)
	b.value(`[...` + conflict("five") + `.querySelectorAll("button")].find((e) => e.innerText === "Keep ours").click()`)
	b.until(`document.querySelectorAll(".conflict").length === 2 && [...document.querySelectorAll(".redline-sheet ins.proposed")].some((e) => e.innerText.trim() === "five")`)
	b.value(`[...` + conflict("two") + `.querySelectorAll("button")].find((e) => e.innerText === "Take theirs").click()`)
	b.until(`document.querySelectorAll(".conflict").length === 1`)
	b.value(`[...` + conflict("no goods") + `.querySelectorAll("button")].find((e) => e.innerText === "Keep ours").click()`)
	b.until(`!document.querySelector(".conflict") && [...document.querySelectorAll(".redline-sheet ins.proposed")].some((e) => e.innerText.includes("insures no goods"))`)

	// The old words of an untracked difference are proposed again, and their tracked change accepted.
	b.value(`document.querySelectorAll(".toast .bare").forEach((e) => e.click())`)
	answer := me.get("/api/files/" + file.ID + "/versions/2/review")
	require.Equal(t, http.StatusOK, answer.status)
	require.Contains(t, string(answer.body), `"conflicts":[]`)
	b.button("Both versions compared")
	b.until(`new URLSearchParams(location.search).get("base") === "1" && document.querySelector(".alarms [role=alert]")?.innerText.includes("hidden, struck out")`)
	b.accessible("redline-review-compared")

	b.phone()
	b.opens(h, provider.User, "/files/"+file.ID+"/redline?review=2")
	b.until(`document.querySelector(".alarms [role=alert]")?.offsetParent && document.querySelector(".untracked")?.offsetParent`)
	b.shows("console-narrow-redline-reviewed")
	require.Equal(t, "true", b.value(`document.documentElement.scrollWidth <= 360`))
	require.Equal(t, "1", b.value(`[...document.querySelectorAll("#content *")].filter((e) => e.offsetParent && e.scrollHeight > e.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(e).overflowY)).length`))
	b.quiet(h.address)
}
