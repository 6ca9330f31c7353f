package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/docx"
)

// TestConsoleLost loses the service in the middle of an upload, of decisions on facts, of
// a search, of a question and of a proposal. Nothing that was typed or decided is lost,
// nothing is done twice, and nobody loads a page anew.
func TestConsoleLost(t *testing.T) {
	h, p, b := consoleBrowser(t)
	person := h.signIn(provider.User)
	away := func() {
		t.Helper()
		p.signal(syscall.SIGINT)
		p.ends(time.Minute)
		b.until(`document.querySelector(".lost")?.innerText.includes("No connection")`)
	}
	back := func() {
		t.Helper()
		p = h.dev()
		b.until(`!document.querySelector(".lost")?.innerText`)
	}

	// Thirty files of all kinds, of which two cannot be read.
	dir := t.TempDir()
	var paths []string
	write := func(name string, content []byte) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		paths = append(paths, path)
	}
	for _, name := range []string{"services-agreement.pdf", "lease-scan.png", "nda.txt"} {
		content, err := os.ReadFile(filepath.Join("../clausemill/samples", name))
		require.NoError(t, err)
		write(name, content)
	}
	for i := range 12 {
		word, err := docx.Build([]docx.Passage{{Text: fmt.Sprintf("Order form %d", i)}, {Text: fmt.Sprintf("The fee is USD %d and is payable at once.", 100+i)}})
		require.NoError(t, err)
		write(fmt.Sprintf("order %02d.docx", i), word)
		write(fmt.Sprintf("note %02d.txt", i), []byte(fmt.Sprintf("Tenant %d shall pay the rent.", i)))
	}
	write("mail.eml", []byte("From: a@example.com\r\nSubject: Rent\r\nContent-Type: text/plain\r\n\r\nThe rent is due.\r\n"))
	write("broken.docx", []byte("PK\x03\x04 and no more"))
	write("broken.pdf", []byte("%PDF-1.7 and no more"))
	require.Len(t, paths, 30)
	b.opens(h, provider.User, "/")
	b.until(`document.querySelector(".empty button")`)
	b.chooses(`input[type=file][multiple]`, paths...)
	b.until(`document.querySelectorAll(".row").length > 3`)
	away()
	back()
	b.until(`document.querySelector(".uploads strong")?.innerText === "30 files uploaded"`)
	read := func() {
		t.Helper()
		b.until(`document.querySelector(".top .figures").innerText.trim() === "2 failed" && document.querySelectorAll(".row").length > 12 && !document.querySelector(".row .status.queued, .row .status.processing")`)
		require.Len(t, h.caller().list(), 30)
	}
	read()
	b.clicks(`.uploads button`)

	// All of them are chosen, and read again.
	b.clicks(`.head-row input`)
	b.until(`document.querySelector(".bulk strong")?.innerText === "30 selected"`)
	b.button("Read again")
	b.until(`!document.querySelector(".bulk")`)
	read()

	// A decision that is made meanwhile waits.
	b.value(`(document.querySelector(".rows").scrollTop = 10000)`)
	b.until(`[...document.querySelectorAll(".row .name a")].some((a) => a.innerText === "services-agreement.pdf")`)
	b.value(`[...document.querySelectorAll(".row .name a")].find((a) => a.innerText === "services-agreement.pdf").click()`)
	b.until(`document.querySelectorAll(".words span").length > 300 && document.querySelectorAll(".fact dd").length > 3`)
	contract := strings.TrimPrefix(b.value(`location.pathname`), "/files/")
	away()
	b.presses("j")
	b.until(`document.querySelectorAll(".fact .here").length > 0`)
	b.presses("c")
	b.until(`document.querySelectorAll(".fact .decided").length === 1`)
	b.until(`document.querySelector(".lost").innerText.includes("1 decision or message is sent when the connection is back")`)
	b.accessible("lost")
	back()
	require.Eventually(t, func() bool {
		var facts struct{ Attributes []struct{ Decision string } }
		person.get("/api/files/"+contract+"/documents?limit=1").into(t, http.StatusOK, &facts)
		for _, a := range facts.Attributes {
			if a.Decision == "confirmed" {
				return true
			}
		}
		return false
	}, 30*time.Second, 50*time.Millisecond)
	require.Equal(t, "1", b.value(`document.querySelectorAll(".fact .decided").length`))

	// A search, and a question.
	for path, field := range map[string]string{"/search": ".search-form input", "/questions": ".ask input"} {
		b.opens(h, provider.User, path)
		b.until(`document.querySelector(` + quoted(field) + `)`)
		away()
		b.value(`document.querySelector(` + quoted(field) + `).focus()`)
		if path == "/search" {
			b.types("rent")
		} else {
			b.types("contracts by document type")
		}
		b.presses("Enter")
		b.until(`location.search !== ""`)
		back()
		b.until(`document.querySelector(".hit mark, .answer .chart-bar")`)
	}

	// A page whose program was not fetched before says so in its place, and comes with the service.
	b.opens(h, provider.User, "/questions")
	b.until(`document.querySelector(".ask input")`)
	away()
	b.button("Types")
	b.until(`document.querySelector("#content [role=alert]")?.innerText.includes("could not be loaded") && document.querySelector(".side")`)
	back()
	b.button("Try again")
	b.until(`location.pathname === "/types" && document.querySelector("#content h1")?.innerText === "Types"`)

	// Other words for a clause: they stay in the form until they are sent.
	b.opens(h, provider.User, "/?q=order+07")
	b.until(`document.querySelectorAll(".row").length === 1`)
	b.opens(h, provider.User, b.value(`new URL(document.querySelector(".row .name a").href).pathname`)+"/redline")
	b.until(`document.querySelectorAll("[data-start]").length > 1`)
	b.value(`(() => {
		const piece = [...document.querySelectorAll("[data-start]")].find((e) => e.textContent.includes("at once")).firstChild;
		const at = piece.data.indexOf("at once");
		getSelection().setBaseAndExtent(piece, at, piece, at + 7);
	})()`)
	b.button("Edit selected words")
	b.until(`document.activeElement.matches(".propose textarea")`)
	b.value(`document.activeElement.select()`)
	b.types("within a week")
	away()
	b.button("Propose")
	b.until(`document.querySelector(".propose [role=alert]")`)
	require.Equal(t, "within a week", b.value(`document.querySelector(".propose textarea").value`))
	back()
	b.button("Propose")
	b.until(`[...document.querySelectorAll("ins[data-change].proposed")].map((e) => e.innerText.trim()).join(" ") === "within a week"`)
}

// TestConsoleResumes closes the page in the middle of an upload, and chooses the same
// files again: those that were sent are not sent again, and each is there once.
func TestConsoleResumes(t *testing.T) {
	h, _, b := consoleBrowser(t)
	const all = 400
	dir := t.TempDir()
	paths := make([]string, all)
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprintf("note %03d.txt", i))
		require.NoError(t, os.WriteFile(paths[i], fmt.Appendf(nil, "Tenant %d shall pay the rent.", i), 0o600))
	}
	person := h.signIn(provider.User)
	count := func() int {
		var team struct{ Files int }
		person.get("/api/teams/status").into(t, http.StatusOK, &team)
		return team.Files
	}
	b.opens(h, provider.User, "/")
	b.until(`document.querySelector(".empty button")`)
	b.chooses(`input[type=file][multiple]`, paths...)
	b.until(`parseInt(document.querySelector(".uploads strong")?.innerText.match(/\d+/)) >= 20`)
	// It goes on while somebody looks at another page.
	b.clicks(`a[href="/search"]`)
	b.until(`location.pathname === "/search" && parseInt(document.querySelector(".uploads strong")?.innerText.match(/\d+/)) >= 40`)
	b.closes()
	sent := count()
	require.Less(t, sent, all)
	require.Eventually(t, func() bool { before := sent; sent = count(); return sent == before }, time.Minute, time.Second, "nothing is sent any more")

	b.opens(h, provider.User, "/")
	b.until(`document.querySelector(".note")?.innerText.includes("not sent")`)
	b.chooses(`input[type=file][multiple]`, paths...)
	b.until(`document.querySelector(".uploads strong")?.innerText === "400 files uploaded"`)
	require.Equal(t, all, count())
	b.quiet(h.address)
}
