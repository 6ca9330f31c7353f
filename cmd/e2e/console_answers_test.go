package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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

// TestConsoleAnswersArrive follows an answer while a language model writes it: the quotes
// come first, then each sentence, and in the end the answer.
func TestConsoleAnswersArrive(t *testing.T) {
	begun, go1, go2 := make(chan struct{}, 10), make(chan struct{}), make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		piece := func(text string) {
			data, _ := json.Marshal(map[string]any{"model": "parrot-1", "choices": []any{map[string]any{"delta": map[string]any{"content": text}}}})
			_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
			_ = http.NewResponseController(w).Flush()
		}
		wait := func(until chan struct{}) {
			select {
			case <-until:
			case <-r.Context().Done():
			}
		}
		begun <- struct{}{}
		wait(go1)
		piece("It is governed by the laws of the State of Delaware. [1: \"the laws of the State of Delaware\"]\n")
		wait(go2)
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	h, _, b := consoleBrowser(t, "LLM_URL="+model.URL+"/v1", "LLM_MODEL=parrot")
	h.signIn(provider.User)
	file := h.caller().upload(upload{"services.txt", []byte("This Agreement shall be governed by and construed in accordance with the laws of the State of Delaware.\n")}).ID
	h.caller().allEnd(time.Minute)
	b.opens(h, provider.User, "/files/"+file+"?tab=conversation")
	b.clicks(`.begin .primary`)
	b.until(`document.querySelector(".thread > .write textarea")`)
	b.value(`document.querySelector(".thread > .write textarea").focus()`)
	b.types("What is the governing law?")
	b.button("Ask the document")
	<-begun
	b.until(`document.querySelector(".arriving .cited")?.innerText.includes("State of Delaware")`)
	b.accessible("conversation-arriving")
	close(go1)
	b.until(`document.querySelector(".arriving .said")?.innerText.startsWith("It is governed by")`)
	close(go2)
	b.until(`!document.querySelector(".arriving") && document.querySelector(".answered .said")?.innerText.startsWith("It is governed by") && document.querySelectorAll(".outgoing").length === 0`)
	b.quiet(h.address)
}
