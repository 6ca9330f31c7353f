package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// quoted is text as JSON.
func quoted(t testing.TB, text string) string {
	t.Helper()
	out, err := json.Marshal(text)
	require.NoError(t, err)
	return string(out)
}

func TestAnalyzeText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const line = "POST /api/text/nlp/analyze-text"
	analyze := func(text, more string) api.TextAnalysis {
		t.Helper()
		out := get[api.TextAnalysis](t, b.call(t, b.alice, line, `{"text":`+quoted(t, text)+more+`}`), http.StatusOK)
		points := []rune(text)
		for _, s := range out.Sentences {
			require.Equal(t, s.Text, string(points[s.Span.Start:s.Span.End]))
		}
		for _, a := range append(out.Attributes, out.Entities...) {
			for _, s := range a.Spans {
				require.Equal(t, s.Text, string(points[s.Start:s.End]))
				require.Equal(t, strings.Count(string(points[:s.Start]), "\f")+1, s.Page)
			}
		}
		return out
	}
	out := analyze(strings.Replace(supply, "1. Price", "\f1. Price", 1), "")
	require.Equal(t, "en", out.Language)
	require.Equal(t, nlp.BaseModelID(), out.ModelID)
	last := out.Sentences[len(out.Sentences)-1]
	require.Equal(t, "This Agreement is governed by the laws of the State of Delaware.", last.Text)
	require.Equal(t, 2, last.Page)
	require.Equal(t, "governing_law", *last.Label)
	require.Greater(t, *last.Score, float32(0.5))
	require.Nil(t, last.NoClause)
	price := out.Sentences[slices.IndexFunc(out.Sentences, func(s api.TextSentence) bool { return s.Label == nil && len(s.Alternatives) > 0 })]
	require.Equal(t, price.Alternatives[0].Score, *price.Score, "of no clause, that of the label that came closest, as of stored sentences")
	require.Greater(t, *price.NoClause, float32(0.5))
	var law api.TextLabel
	for i, l := range out.Labels {
		if l.Label == "governing_law" {
			law = l
		}
		require.NotEmpty(t, l.Name)
		require.True(t, i == 0 || l.Score <= out.Labels[i-1].Score)
	}
	require.Equal(t, "Governing law", law.Name)
	require.Contains(t, law.Spans, last.Span)
	require.Equal(t, *last.Score, law.Score)
	keys := map[string]string{}
	for _, a := range append(out.Entities, out.Attributes...) {
		keys[a.Key] = a.Value
		require.Equal(t, "rule", a.Source)
	}
	require.Equal(t, "$1,250.00", keys["money"])
	require.Contains(t, keys["governing_law"], "Delaware")
	require.NotEmpty(t, out.Tokens)
	require.GreaterOrEqual(t, out.Tokens[0].Count, out.Tokens[1].Count)

	german := analyze("Dieser Vertrag unterliegt deutschem Recht. Der Preis beträgt 1.250,00 EUR.", `,"language":"de"`)
	require.Equal(t, "de", german.Language)
	require.Empty(t, german.ModelID)
	require.Equal(t, db.LanguageUnlabelled, german.Warnings[0].Code)
	require.Empty(t, out.Warnings)
	read := map[string]string{}
	for _, a := range append(german.Attributes, german.Entities...) {
		read[a.Key] = a.Value
	}
	require.Equal(t, "deutschem Recht", read["governing_law"])
	require.Equal(t, "1.250,00 EUR", read["money"])
	require.Empty(t, german.Labels)
	require.Nil(t, german.Sentences[0].Score)
	require.NotEmpty(t, german.Sentences)
	for _, nothing := range []string{"", " \n\f\n ", "\x00", "\u202e"} {
		require.Empty(t, analyze(nothing, "").Entities)
	}

	whole := strings.Repeat("The Buyer shall pay. ", maxText/21) + strings.Repeat("x", maxText%21)
	require.Len(t, whole, maxText)
	require.Equal(t, maxText/21, len(analyze(whole, "").Sentences)) //nolint:testifylint // a failure would print them all
	for _, large := range []string{whole + "x", strings.Repeat("x", 20<<20)} {
		require.Equal(t, "too_large", get[api.Error](t, b.call(t, b.alice, line, `{"text":"`+large+`"}`), http.StatusRequestEntityTooLarge).Code)
	}
	for _, wrong := range []string{`{}`, `{"text":1}`, `{"text":"x","language":"English"}`, `{"text":"x","colour":1}`} {
		get[api.Error](t, b.call(t, b.alice, line, wrong), http.StatusUnprocessableEntity)
	}
}

const maxText = 1 << 20

func TestLanguages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := func() map[string]api.LanguageCapabilities {
		all := map[string]api.LanguageCapabilities{}
		for _, l := range get[api.List[api.Language]](t, b.call(t, b.alice, "GET /api/languages", ""), http.StatusOK).Items {
			require.NotEmpty(t, l.Name)
			all[l.Code] = l.Capabilities
		}
		return all
	}
	read := api.LanguageCapabilities{Sentences: true, Values: true, Facts: true, Stems: true}
	labelled := read
	labelled.Labels, labelled.Types = true, true
	want := map[string]api.LanguageCapabilities{}
	for _, l := range nlp.Languages() {
		want[l.Code] = read
	}
	want["en"] = labelled
	require.Equal(t, want, list())
	require.NoError(t, b.db.Heartbeat(t.Context(), "worker", "1", map[string]int{"ocr": 1}, []string{"deu", "eng"}))
	read.OCR, labelled.OCR = true, true
	require.Equal(t, read, list()["de"])
	require.Equal(t, labelled, list()["en"])
	require.False(t, list()["fr"].OCR)
}
