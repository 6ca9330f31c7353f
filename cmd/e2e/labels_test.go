package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

// TestTextsAndFiles analyses texts, and uploads them as files: sentence by sentence both
// have the same words and the same labels.
func TestTextsAndFiles(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	names, err := filepath.Glob("../../nlp/testdata/contracts/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		texts[filepath.Base(name)] = string(text)
	}
	whole := texts[filepath.Base(names[0])]
	texts["windows"] = "\ufeff" + strings.ReplaceAll(whole, "\n", "  \r\n\r\n\r\n")
	texts["control"] = "\f\f" + strings.ReplaceAll(whole, ". ", ".\u00ad\x01 ")
	texts["markdown"] = "# Lease\n\n## 1. Law\n\n**This Lease** is governed by the laws of Delaware.\n\nInsurance\n=========\n\nThe tenant shall maintain insurance of not less than $1,000,000.\n"
	var pages strings.Builder
	for i, line := range strings.Split(whole, "\n") {
		if pages.WriteString(line + "\n"); i%40 == 39 {
			pages.WriteString("Confidential\n\n\fSupply Agreement\n\n")
		}
	}
	texts["pages"] = pages.String()
	_, c, browser := newService(t)
	labels := 0
	for name, text := range texts {
		labels += requireSameLabels(t, c, browser, name, text)
	}
	require.Greater(t, labels, 30, "there is something to compare")
}

// TestContractsAndFiles is TestTextsAndFiles of real contracts.
func TestContractsAndFiles(t *testing.T) {
	if *share == 0 || os.Getenv("CLAUSEMILL_DATA") == "" {
		t.Skip("takes minutes: `make corpus` runs it")
	}
	_, c, browser := newService(t)
	for _, one := range contracts(t) {
		text, err := os.ReadFile(one.Text)
		require.NoError(t, err)
		requireSameLabels(t, c, browser, one.ID, string(text))
	}
}

// requireSameLabels compares a text with a file of it, and counts its labels.
func requireSameLabels(t *testing.T, c, browser *caller, name, text string) (labels int) {
	t.Helper()
	type sentence struct {
		Words  string
		Label  *string
		Score  *float32
		Labels []api.SentenceLabel
	}
	f := c.wait(c.upload(upload{name + ".txt", []byte(text)}).ID, 3*time.Minute)
	var stored []sentence
	for cursor := ""; ; {
		var page api.List[api.Sentence]
		browser.get("/api/sentences?limit=500&fileId="+f.ID+"&cursor="+cursor).into(t, http.StatusOK, &page)
		for _, s := range page.Items {
			for i := range s.Labels {
				s.Labels[i].ClauseID = ""
			}
			labels += len(s.Labels)
			stored = append(stored, sentence{seen(s.Text), s.Label, s.Score, s.Labels})
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	body, err := json.Marshal(map[string]string{"text": text})
	require.NoError(t, err)
	var analysis api.TextAnalysis
	browser.call(t.Context(), http.MethodPost, "/api/text/nlp/analyze-text", bytes.NewReader(body), "Content-Type", "application/json").into(t, http.StatusOK, &analysis)
	var said []sentence
	given := []rune(text)
	for _, s := range analysis.Sentences {
		require.Equal(t, s.Text, string(given[s.Span.Start:s.Span.End]), name)
		said = append(said, sentence{seen(s.Text), s.Label, s.Score, s.Labels})
	}
	require.Equal(t, stored, said, name)
	return labels
}

// seen is what is visible of a text, in words.
func seen(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("\u00ad", "", "\x01", "", "\ufeff", "", "#", "", "**", "").Replace(text)), " ")
}
