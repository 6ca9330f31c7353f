package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleAnswers asks a document in its conversation. The answer has quotes, and a
// quote leads to its words on the page; what the document does not say is said.
func TestConsoleAnswers(t *testing.T) {
	h, _, here := consoleBrowser(t)
	h.signIn(provider.User)
	hostile := `<img src=x onerror=alert(1)>`
	file := h.caller().upload(upload{"services.txt", []byte("This Agreement shall be governed by and construed in accordance with the laws of the State of Delaware.\n\n" +
		"The Customer may park " + hostile + " vehicles in the northern courtyard.\n")}).ID
	h.caller().allEnd(time.Minute)
	answers := `document.querySelectorAll(".answered")`
	asks := func(text string) {
		t.Helper()
		here.until(`document.querySelector(".thread > .write textarea")`)
		here.value(`document.querySelector(".thread > .write textarea").focus()`)
		here.types(text)
		here.button("Ask the document")
		here.until(`document.querySelector(".thread > .write textarea").value === ""`)
	}
	here.opens(h, provider.User, "/files/"+file+"?tab=conversation")
	here.until(`document.querySelector(".begin .primary")`)
	here.clicks(`.begin .primary`)
	asks("What is the governing law?")
	here.until(answers + `[0]?.innerText.includes("State of Delaware")`)
	require.Equal(t, "Clausemill", here.value(`[...document.querySelectorAll(".message-head strong")].at(-1).innerText`))
	here.accessible("conversation-answer")

	here.clicks(`.answered .cited a`)
	here.until(`new URLSearchParams(location.search).get("at")`)
	here.until(`document.querySelector(".document-body mark")?.innerText.includes("laws of the State of Delaware") && ` + answers + `.length === 1`)

	asks("Where may vehicles be parked?")
	here.until(answers + `[1]?.innerText.includes(` + quoted(hostile) + `)`)
	require.Equal(t, "0", here.value(`document.querySelectorAll(".conversation img").length`))
	asks("Is there a source code escrow?")
	here.until(answers + `[2]?.innerText.includes("Nothing in this document says so.")`)
	here.quiet(h.address)
}
