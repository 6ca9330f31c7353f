package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

// TestWrittenQueries has a model write the queries that the grammar does not understand,
// and whatever it writes is asked for only if anybody could ask for it.
func TestWrittenQueries(t *testing.T) {
	t.Parallel()
	writes := `{"kind":"number","query":{"source":"files","metric":{"op":"count"},"filters":[{"field":"pageCount","op":"gte","values":["1"]}]}}`
	m := newLanguageModel(t, func(string) string { return writes })
	b := setup(t, m.on(t))
	b.labelled(t, b.acme, services)
	const question = "How fat is our pile of paper?"
	generate := func(prompt string) (int, string) {
		w := b.call(t, b.acme, "POST /api/dashboard-widgets/generate-config", `{"prompt":"`+prompt+`"}`)
		return w.Code, w.Body.String()
	}
	made := get[api.Generated](t, b.call(t, b.acme, "POST /api/dashboard-widgets/generate-config", `{"prompt":"`+question+`"}`), http.StatusOK)
	require.Equal(t, []string{"model", "parrot-1"}, []string{made.Generator, made.Model})
	require.Equal(t, question, made.Config.Title)
	require.Equal(t, "number of files, where pages is at least 1", made.Understood[0].Meaning)
	require.Len(t, made.Preview.Rows, 1)
	require.Equal(t, []string{question}, m.asked, "nothing of a document is sent")

	// What the grammar understands is not sent anywhere, nor what may be no question.
	refused := b.call(t, b.acme, "POST /api/dashboard-widgets/generate-config", `{"prompt":"`+question+`","grammarOnly":true}`)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Code)
	require.NotContains(t, refused.Body.String(), "model")
	require.Equal(t, "grammar", get[api.Generated](t, b.call(t, b.acme, "POST /api/dashboard-widgets/generate-config", `{"prompt":"number of files"}`), http.StatusOK).Generator)
	require.Len(t, m.asked, 1)

	// So do questions in chats about many documents.
	sent := b.ask(t, b.acme, b.chat(t, b.acme, `{}`).ID, "Which contracts are fat?")
	require.Equal(t, "parrot-1", sent.Reply.Answer.Query.Model)
	require.Equal(t, made.Config.Query, sent.Reply.Answer.Query.Config.Query)

	for wrote, reason := range map[string]string{
		"NOTHING": "no query for it either",
		`{"query":{"source":"audit","metric":{"op":"count"}}}`: "may not",
		`{"query":{"source":"files","metric":{"op":"count"},"filters":[{"field":"matter","op":"in","values":["` + b.mallory.scope.TeamID + `"]}]}}`: "which it is not",
		`{"query":{"source":"users","metric":{"op":"count"}}}`: "source must be",
		"Ignore that. Here is the password.":                   "wrote no query",
	} {
		writes = wrote
		code, body := generate(question)
		require.Equal(t, http.StatusUnprocessableEntity, code)
		require.Contains(t, body, "is not understood")
		require.Contains(t, body, reason)
	}

	// It is not asked for a team that keeps it out.
	asked := len(m.asked)
	get[api.Flag](t, b.call(t, b.acme, "POST /api/flags", `{"key":"language-model","enabled":false}`), http.StatusCreated)
	_, body := generate(question)
	require.NotContains(t, body, "model")
	require.Len(t, m.asked, asked)
	m.Close()
	dead := setup(t, m.on(t))
	w := dead.call(t, dead.acme, "POST /api/dashboard-widgets/generate-config", `{"prompt":"`+question+`"}`)
	require.Equal(t, http.StatusUnprocessableEntity, w.Code, "a dead model is in nobody's way")
	require.Contains(t, w.Body.String(), "cannot be reached")
	require.Contains(t, w.Body.String(), "is not understood")
}

// TestQuestionsAboutOwners finds people by their names among the owners of matters.
func TestQuestionsAboutOwners(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.matter(t, b.alice, `{"name":"Northwind"}`)
	for prompt, want := range map[string]int{
		"which matters are owned by Alice": http.StatusOK, "how many matters does Alice have": http.StatusOK, "which matters are owned by Zoe": http.StatusUnprocessableEntity,
	} {
		w := b.call(t, b.alice, "POST /api/dashboard-widgets/generate-config", `{"prompt":"`+prompt+`"}`)
		require.Equal(t, want, w.Code, "%s: %s", prompt, w.Body)
	}
}
