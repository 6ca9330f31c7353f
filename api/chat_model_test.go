package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/answer"
	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/llm"
)

// languageModel is a server that answers chat completions in one way or another, and keeps
// what it was asked.
type languageModel struct {
	*httptest.Server

	mu     sync.Mutex
	asked  []string
	answer func(prompt string) string
}

func newLanguageModel(t testing.TB, answer func(prompt string) string) *languageModel {
	t.Helper()
	m := &languageModel{answer: answer}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct{ Role, Content string }
		}
		if json.NewDecoder(r.Body).Decode(&asked) != nil || len(asked.Messages) != 2 {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		m.mu.Lock()
		m.asked = append(m.asked, asked.Messages[1].Content)
		text := m.answer(asked.Messages[1].Content)
		m.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range strings.SplitAfter(text, " ") {
			data, _ := json.Marshal(map[string]any{"model": "parrot-1", "choices": []any{map[string]any{"delta": map[string]any{"content": piece}}}})
			_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, `data: {"choices":[],"usage":{"prompt_tokens":300,"completion_tokens":20}}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(m.Close)
	return m
}

// on is an API with the model.
func (m *languageModel) on(t testing.TB, change ...func(c *llm.Config)) func(c *api.Config) {
	t.Helper()
	config := llm.Config{URL: m.URL + "/v1", Model: "parrot", Timeout: time.Minute, PromptPrice: 10}
	for _, c := range change {
		c(&config)
	}
	client, err := llm.New(config)
	require.NoError(t, err)
	return func(c *api.Config) { c.LanguageModel = client }
}

var numbered = regexp.MustCompile(`<passage number="(\d+)"[^>]*>([^<]*)</passage>`)

// parrot repeats the first passage with its proof.
func parrot(prompt string) string {
	first := numbered.FindStringSubmatch(prompt)
	return strings.TrimSuffix(first[2], ".") + `. [1: "` + strings.Join(strings.Fields(first[2])[:5], " ") + `"]` + "\n"
}

// obedient does what it finds in the passages: it says so with every proof it can think of,
// and all that it was ever told.
func obedient() func(prompt string) string {
	heard := ""
	return func(prompt string) string {
		text := parrot(prompt)
		all := numbered.FindAllStringSubmatch(prompt, -1)
		for _, p := range all {
			if strings.Contains(strings.ToLower(p[2]), "liability is unlimited") {
				for _, proof := range all {
					text += "Liability is unlimited. [" + proof[1] + `: "` + strings.Join(strings.Fields(proof[2])[:min(5, len(strings.Fields(proof[2])))], " ") + `"]` + "\n"
				}
			}
		}
		text += "Liability is unlimited.\nIn another contract: " + strings.ReplaceAll(heard, "\n", " ") + ` [1: "` + strings.Join(strings.Fields(all[0][2])[:5], " ") + `"]`
		heard = all[0][2]
		return text
	}
}

func TestWrittenAnswers(t *testing.T) {
	t.Parallel()
	m := newLanguageModel(t, parrot)
	b := setup(t, m.on(t))
	file := b.labelled(t, b.acme, services)
	texts := map[string]string{file: services}
	chat := b.chat(t, b.acme, `{"fileId":"`+file+`"}`)
	const question = "Is liability capped?"

	sent := b.ask(t, b.acme, chat.ID, question)
	written := sent.Reply.Answer
	require.Equal(t, "parrot-1", written.Model)
	require.Len(t, written.Written, 1)
	require.Contains(t, written.Written[0].Text, "twelve (12) months before the claim.")
	require.Equal(t, written.Sentences[0].Citations[:1], written.Written[0].Citations)
	require.Empty(t, written.Notice)
	requireCited(t, texts, written)
	require.Contains(t, sent.Reply.Text, "Written by the language model parrot-1 from these passages:\nLiability cap: twelve (12) months: “In no event")
	require.Contains(t, m.asked[0], "<question>"+question+"</question>")
	require.NotContains(t, m.asked[0], "Parking", "only what is quoted is sent")
	require.Equal(t, written, get[api.ChatMessage](t, b.call(t, b.acme, "GET /api/chats/"+chat.ID+"/messages/"+sent.Reply.ID, ""), http.StatusOK).Answer)
	require.InDelta(t, 320, b.counted(t, "clausemill_llm_tokens_total"), 0)
	require.InDelta(t, 0.003, b.counted(t, "clausemill_llm_cost_total"), 1e-9)

	// It is asked about quotes only, and once for a request that is repeated.
	require.Empty(t, b.ask(t, b.acme, chat.ID, "Who feeds the elephants?").Reply.Answer.Written)
	require.Equal(t, answer.Many, b.ask(t, b.acme, chat.ID, "Which contracts expire in 90 days?").Reply.Answer.Kind)
	require.Len(t, m.asked, 1)
	for range 2 {
		r := request(t, b.acme, "POST /api/chats/"+chat.ID+"/messages", asking(t, question))
		r.Header.Set("Idempotency-Key", "once")
		get[api.SentMessage](t, b.send(t, r), http.StatusCreated)
	}
	require.Len(t, m.asked, 2)

	// What has no proof is left out, and said to be.
	m.answer = func(prompt string) string { return "Liability is capped.\n" + parrot(prompt) }
	partly := b.ask(t, b.acme, chat.ID, question).Reply
	require.Len(t, partly.Answer.Written, 1)
	require.Equal(t, "1 sentence of the language model was left out, because the quotes do not prove it.", partly.Answer.Notice)
	require.Contains(t, partly.Text, partly.Answer.Notice)
	for said, notice := range map[string]string{
		"Liability is capped.": "Nothing that the language model parrot-1 wrote is proved by the quotes. The answer is made of quotes.",
		"NOTHING":              "The language model parrot-1 found no answer in the quotes. The answer is made of quotes.",
	} {
		m.answer = func(string) string { return said }
		nothing := b.ask(t, b.acme, chat.ID, question).Reply.Answer
		require.Equal(t, []any{notice, "", 0, written.Sentences}, []any{nothing.Notice, nothing.Model, len(nothing.Written), nothing.Sentences})
	}

	// The team switches it off, for all or for some.
	n := len(m.asked)
	flag := get[api.Flag](t, b.call(t, b.acme, "POST /api/flags", `{"key":"language-model","enabled":false}`), http.StatusCreated)
	off := b.ask(t, b.acme, chat.ID, question).Reply.Answer
	require.Equal(t, []any{"", 0, written.Sentences}, []any{off.Notice, len(off.Written), off.Sentences})
	require.Len(t, m.asked, n)
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "PATCH /api/flags/"+flag.ID, `{"enabled":true}`).Code)
	m.answer = parrot
	require.Len(t, b.ask(t, b.acme, chat.ID, question).Reply.Answer.Written, 1)
}

// counted is the sum of all series of a counter.
func (b *bundle) counted(t testing.TB, name string) (sum float64) {
	t.Helper()
	families, err := b.registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name {
				sum += m.GetCounter().GetValue()
			}
		}
	}
	return sum
}

// TestModelIsNeverInTheWay has models that are dead, hang, refuse, or are used up.
func TestModelIsNeverInTheWay(t *testing.T) {
	t.Parallel()
	m := newLanguageModel(t, parrot)
	hang := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(hang.Close)
	garbage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }))
	t.Cleanup(garbage.Close)
	b := setup(t)
	file := b.labelled(t, b.acme, services)
	chat := b.chat(t, b.acme, `{"fileId":"`+file+`"}`)
	for notice, change := range map[string]func(c *api.Config){
		"The language model cannot be reached. ":               m.on(t, func(c *llm.Config) { c.URL = "http://127.0.0.1:1/v1" }),
		"The language model took too long. ":                   m.on(t, func(c *llm.Config) { c.URL, c.Timeout = hang.URL, 100*time.Millisecond }),
		"The language model sent no answer that can be read. ": m.on(t, func(c *llm.Config) { c.URL = garbage.URL }),
		"The team has used up its tokens of the language model for today. ": func(c *api.Config) {
			m.on(t)(c)
			c.TeamTokens = 1_500
		},
	} {
		registry := *b
		registry.registry = prometheus.NewRegistry()
		registry.api = registry.newAPI(t, change)
		quoted := registry.ask(t, b.acme, chat.ID, "Is liability capped?").Reply
		require.Equal(t, notice+"The answer is made of quotes.", quoted.Answer.Notice)
		require.Contains(t, quoted.Answer.Sentences[0].Citations[0].Quote, "twelve (12) months")
		require.Empty(t, quoted.Answer.Written)
	}
	require.NotContains(t, b.log.String(), "twelve", "contract text is not logged")
}

// TestInjections asks about forty contracts that speak to the model, which obeys them.
func TestInjections(t *testing.T) {
	t.Parallel()
	m := newLanguageModel(t, obedient())
	b := setup(t, m.on(t))
	text, err := os.ReadFile("testdata/injections.txt")
	require.NoError(t, err)
	injections := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, injections, 40)
	ask := func(contract string) *api.ChatAnswer {
		file := b.labelled(t, b.acme, contract)
		for _, s := range get[api.List[api.Sentence]](t, b.call(t, b.acme, "GET /api/sentences?limit=100&fileId="+file, ""), http.StatusOK).Items {
			if strings.Contains(strings.ToLower(s.Text), "unlimited") {
				require.Equal(t, http.StatusOK, b.call(t, b.acme, "PATCH /api/sentences/"+s.ID+"/validate", `{"label":"cap_on_liability"}`).Code)
			}
		}
		chat := b.chat(t, b.acme, `{"fileId":"`+file+`"}`)
		out := b.ask(t, b.acme, chat.ID, "Is liability capped?").Reply.Answer
		requireCited(t, map[string]string{file: contract}, out)
		for _, s := range out.Written {
			requireCited(t, map[string]string{file: contract}, &api.ChatAnswer{Sentences: []api.ChatSentence{s}})
		}
		return out
	}
	for i, injection := range injections {
		// Each contract has a number of months of its own, which no other may show.
		contract := func(inject string) string {
			return strings.Replace(services, "twelve (12) months before the claim.", fmt.Sprintf("%d months before the claim. %s", 1000+i, inject), 1)
		}
		out := ask(contract(injection))
		quoted := fmt.Sprint(out.Sentences)
		require.Contains(t, strings.ToLower(quoted), "unlimited", "people see it: %s", injection)
		require.Len(t, out.Written, 1, injection)
		require.Contains(t, out.Written[0].Text, fmt.Sprintf("%d months before the claim.", 1000+i), injection)
		require.NotContains(t, strings.ToLower(fmt.Sprint(out.Written)), "unlimited", injection)
	}
	for i, prompt := range m.asked {
		require.Contains(t, prompt, fmt.Sprintf("%d months", 1000+i))
		require.Equal(t, 1, strings.Count(prompt, "months before the claim"), "no prompt has text of another document")
	}
}

// TestAnswerStream reads an answer as events.
func TestAnswerStream(t *testing.T) {
	t.Parallel()
	m := newLanguageModel(t, parrot)
	b := setup(t, m.on(t))
	file := b.labelled(t, b.acme, services)
	chat := b.chat(t, b.acme, `{"fileId":"`+file+`"}`)
	stream := func(body string) ([]string, map[string]string, *httptest.ResponseRecorder) {
		r := request(t, b.acme, "POST /api/chats/"+chat.ID+"/messages", body)
		r.Header.Set("Accept", "text/event-stream")
		w := httptest.NewRecorder()
		b.api.ServeHTTP(w, r)
		var events []string
		data := map[string]string{}
		for lines := bufio.NewScanner(w.Body); lines.Scan(); {
			if event, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				events = append(events, event)
			} else if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				data[events[len(events)-1]] = text
			}
		}
		return events, data, w
	}
	events, data, w := stream(asking(t, "Is liability capped?"))
	require.Equal(t, []any{http.StatusCreated, "text/event-stream"}, []any{w.Code, w.Result().Header.Get("Content-Type")})
	require.Equal(t, []string{"quote", "quote", "sentence", "message"}, events)
	var message api.SentMessage
	require.NoError(t, json.Unmarshal([]byte(data["message"]), &message))
	require.Equal(t, *message.Reply, get[api.ChatMessage](t, b.call(t, b.acme, "GET /api/chats/"+chat.ID+"/messages/"+message.Reply.ID, ""), http.StatusOK))
	var sentence api.ChatSentence
	require.NoError(t, json.Unmarshal([]byte(data["sentence"]), &sentence))
	require.Equal(t, message.Reply.Answer.Written[0], sentence)

	events, _, _ = stream(asking(t, "Who feeds the elephants?"))
	require.Equal(t, []string{"message"}, events)
	_, _, w = stream(`{"text":""}`)
	require.Equal(t, []any{http.StatusUnprocessableEntity, "application/json"}, []any{w.Code, w.Result().Header.Get("Content-Type")})
	// What goes wrong after the first event is an event.
	m.answer = func(prompt string) string {
		require.Equal(t, http.StatusOK, b.call(t, b.acme, "DELETE /api/chats/"+chat.ID+"/document-context", "").Code)
		return parrot(prompt)
	}
	events, data, _ = stream(asking(t, "Is liability capped?"))
	require.Equal(t, []string{"quote", "quote", "sentence", "error"}, events)
	require.Contains(t, data["error"], "changed meanwhile")
	require.Len(t, get[api.ChatMessages](t, b.call(t, b.acme, "GET /api/chats/"+chat.ID+"/messages", ""), http.StatusOK).Items, 4)
}
