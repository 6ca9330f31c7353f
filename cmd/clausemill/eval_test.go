package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEval(t *testing.T) {
	t.Parallel()

	corpus := smallCorpus(t)
	report := filepath.Join(t.TempDir(), "report.json")
	status, table, stderr := command(t, "eval", "--data", corpus, "--json", report)
	require.Zero(t, status, stderr)
	require.Contains(t, table, "15 contracts")
	require.Regexp(t, `contract type +accuracy +\d\.\d{3} +0\.903 +0\.920`, table)
	require.Regexp(t, `governing law, F1 +\d\.\d{3} +0\.958 +0\.970`, table)
	require.Regexp(t, `headings +against tables of contents, F1 +0\.000 +0\.730 +0\.900 +missed`, table)

	read := func(data []byte) map[string]float64 {
		var e evaluation
		require.NoError(t, json.Unmarshal(data, &e))
		scores := map[string]float64{}
		for _, r := range e.Rows {
			scores[r.Topic+" "+r.What] = r.Score
		}
		require.Positive(t, scores["speed whole analysis, MB a CPU second"])
		delete(scores, "speed whole analysis, MB a CPU second")
		return scores
	}
	data, err := os.ReadFile(report)
	require.NoError(t, err)
	first := read(data)
	require.Contains(t, first, "clause labels micro F1")

	require.Regexp(t, `average precision +\d\.\d{3} +0\.658 +0\.740 .*\d\.\d{3} to \d\.\d{3} +-\n`, table)

	curve := filepath.Join(t.TempDir(), "curve.svg")
	status, out, stderr := command(t, "eval", "--data", corpus, "--json", "-", "--no-labels", "--curve", curve, "--before", report)
	require.Zero(t, status, stderr)
	second := read([]byte(out))
	require.NotContains(t, second, "clause labels micro F1")
	for what, score := range second {
		require.InDelta(t, first[what], score, 0, what)
	}

	require.Contains(t, out, `"before": `, "a report knows an earlier one")

	require.Regexp(t, `insurance: \d\.\d{3}`, stderr)
	drawn, err := os.ReadFile(curve)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(drawn, new(struct{})))
	require.Contains(t, string(drawn), "Clausemill</text>")

	status, table, stderr = command(t, "eval", "--data", corpus, "--only", "answers")
	require.Zero(t, status, stderr)
	require.Regexp(t, `answers +of 300: right passage first +\d\.\d{3} +- +0\.750 .*\d\.\d{3} to \d\.\d{3}`, table)
	require.Regexp(t, `quotes at their offsets +1\.000 +- +1\.000`, table)
	require.NotContains(t, table, "clause labels")

	status, _, stderr = command(t, "eval", "--data", t.TempDir())
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "contracts.jsonl")

	status, _, stderr = command(t, "eval", "--data", corpus, "--no-labels", "--before", curve)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "the figures before")
}
