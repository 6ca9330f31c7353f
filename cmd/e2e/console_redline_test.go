package e2e_test

import (
	"net/http"
	"os/exec"
	"strconv"
	"strings"
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
	marked, err := redline.Execute(base, []redline.Change{{ID: "a", Type: redline.Replace, Anchor: redline.Anchor{Text: "thirty"}, Text: "sixty", Comment: "Too <u>short</u>", Author: by, Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}, redline.Options{})
	require.NoError(t, err)
	file := h.caller().upload(upload{"lease.docx", marked.Document})
	other := h.caller().upload(upload{"other.docx", build("The term is thirty days.", "The Tenant "+hostile+" pay.", "Fees are never payable.")})

	b.opens(h, provider.User, "/files/"+file.ID+"/redline")
	b.until(`document.querySelector("ins[data-change]")?.innerText === "sixty" && document.querySelector("del[data-change]")?.innerText === "thirty"`)
	require.Equal(t, "true", b.value(`document.querySelector(".redline-sheet").textContent.includes(`+quoted(hostile)+`)`))
	require.Equal(t, "0", b.value(`document.querySelectorAll(".redline-sheet b, .margin u, .authors i").length`))
	require.Equal(t, "true", b.value(`document.querySelector(".margin").innerText.includes("Too <u>short</u>")`))
	b.accessible("redline")

	// All are accepted, and that is taken back.
	b.button("Accept 2")
	b.until(`document.querySelectorAll("[data-change].accepted").length === 2`)
	b.button("Undo")
	b.until(`document.querySelectorAll("[data-change].open").length === 2`)

	// Each batch is taken back by its own toast, and the last one by key; two keys in a row
	// lead elsewhere, whatever the second one does on this page.
	state := `[...document.querySelectorAll(".redline-sheet [data-change]")].map((e) => e.tagName + ["accepted", "rejected", "open"].find((s) => e.classList.contains(s))).sort().join()`
	b.value(`document.querySelectorAll(".toast .bare").forEach((e) => e.click())`)
	b.presses("n")
	b.until(`document.querySelector(".change.here")`)
	b.presses("a")
	b.until(`document.querySelectorAll("[data-change].accepted").length === 1`)
	b.presses("n")
	b.until(`document.querySelectorAll(".change.here .value[aria-current]").length === 1 && document.querySelector(".change.here button[aria-label=Reject]")`)
	b.presses("g")
	b.presses("r")
	b.until(`location.pathname === "/review"`)
	b.value(`history.back()`)
	b.until(`document.querySelectorAll("[data-change].accepted").length === 1 && document.querySelectorAll("[data-change].rejected").length === 0`)
	b.opens(h, provider.User, "/files/"+file.ID+"/redline")
	b.until(`document.querySelectorAll("[data-change].accepted").length === 1`)
	b.button("Take back")
	b.until(`document.querySelectorAll("[data-change].open").length === 2`)
	b.clicks(`.change:nth-child(1) button[aria-label=Accept]`)
	b.until(`document.querySelectorAll("[data-change].accepted").length === 1`)
	first := b.value(state)
	b.clicks(`.change button[aria-label=Reject]`)
	b.until(`document.querySelectorAll("[data-change].rejected").length === 1`)
	b.value(`[...document.querySelectorAll(".toast")].find((e) => e.innerText.includes("accepted")).querySelector(".link").click()`)
	b.until(`document.querySelectorAll("[data-change].rejected").length === 1 && document.querySelectorAll("[data-change].open").length === 1`)
	require.NotEqual(t, first, b.value(state))
	b.presses("z")
	b.until(`document.querySelectorAll("[data-change].open").length === 2`)

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
	b.quiet(h.address)

	// A file that nobody could read says so.
	broken := h.caller().upload(upload{"broken.pdf", []byte("%PDF-1.4 and no more")})
	b.opens(h, provider.User, "/files/"+broken.ID+"/redline")
	b.until(`document.querySelector(".empty h2")?.innerText === "This file could not be read"`)
	b.accessible("redline-unread")

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

	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true}, nil)
	b.opens(h, provider.User, "/files/"+file.ID+"/redline")
	b.until(`document.querySelector("ins[data-change]")`)
	b.shows("console-narrow-redline")
	require.Equal(t, "true", b.value(`document.documentElement.scrollWidth <= 360`))
}
