package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

func TestStats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, other := b.file(t, b.alice), b.file(t, b.alice)
	line := "POST /api/files/" + f.ID + "/stats"
	get[api.Error](t, b.call(t, b.alice, line, ""), http.StatusConflict)
	for _, id := range []string{f.ID, other.ID} {
		b.process(t, b.alice, id)
		b.analyze(t, b.alice, id)
	}
	sentences, err := b.db.Sentences(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	renewal := "renewal_term"
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, _, err := tx.DecideSentences(t.Context(), b.alice.scope, []string{sentences[1].ID}, db.Decision{Set: true, Labels: []string{renewal}})
		return err
	}))

	stats := get[api.Stats](t, b.call(t, b.alice, line, ""), http.StatusOK)
	require.Equal(t, api.Comparison{Scope: "team", Files: 2}, stats.Compared, "the file has no type")
	require.InDelta(t, 6, stats.Measures["words"].Value, 0)
	require.InDelta(t, 6, *stats.Measures["words"].CorpusMean, 0)
	require.InDelta(t, 0.5, *stats.Measures["words"].Percentile, 0, "both have as much")
	require.InDelta(t, 93, stats.Measures["ocrConfidence"].Value, 0.01)
	require.NotContains(t, stats.Measures, "readability")
	require.Len(t, stats.Labels, 2)
	require.Equal(t, "payment", stats.Labels[0].Label)
	require.Equal(t, renewal, stats.Labels[1].Label)
	require.InDelta(t, 1, stats.Labels[1].Value, 0)
	require.InDelta(t, 0.5, *stats.Labels[1].CorpusMean, 0)
	require.InDelta(t, 0.75, *stats.Labels[1].Percentile, 0, "one has less, one as much")

	theirs := get[api.Stats](t, b.call(t, b.alice, "POST /api/files/"+other.ID+"/stats", ""), http.StatusOK)
	require.InDelta(t, 0, theirs.Labels[1].Value, 0, "what only others have is told, too")
	require.InDelta(t, 0.25, *theirs.Labels[1].Percentile, 0)

	alone := get[api.Stats](t, b.call(t, b.alice, line, `{"compareTo":"none","include":["pages"]}`), http.StatusOK)
	require.Equal(t, map[string]api.Measure{"pages": {Value: 2}}, alone.Measures)
	require.Empty(t, alone.Labels)
	get[api.Error](t, b.call(t, b.alice, line, `{"include":["secrets"]}`), http.StatusUnprocessableEntity)
}

func TestAnalysis(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	line := "POST /api/files/" + f.ID + "/analysis"
	state := func(w api.FileAnalysis) string {
		return get[api.Operation](t, b.call(t, b.alice, "GET "+w.StatusURL, ""), http.StatusOK).State
	}
	answer := b.call(t, b.alice, line, "")
	first := get[api.FileAnalysis](t, answer, http.StatusAccepted)
	require.Equal(t, first.StatusURL, answer.Header().Get("Location"))
	require.Equal(t, "running", state(first))
	require.Equal(t, 1, b.asked(t, b.alice, f.ID), "it is not begun again")
	b.process(t, b.alice, f.ID)
	require.Equal(t, "completed", state(first))

	again := get[api.FileAnalysis](t, b.call(t, b.alice, line, ""), http.StatusAccepted)
	require.Equal(t, "running", state(again), "there is text, but no analysis")
	b.process(t, b.alice, f.ID)
	b.analyze(t, b.alice, f.ID)
	done := get[api.FileAnalysis](t, b.call(t, b.alice, line, ""), http.StatusOK)
	require.Len(t, done.Sections, 2)
	require.Len(t, done.Sentences, 1)
	require.Equal(t, "payment", *done.Sentences[0].Label)
	require.NotNil(t, done.AnalyzedAt)

	some := get[api.FileAnalysis](t, b.call(t, b.alice, line, `{"kinds":["sentences"]}`), http.StatusOK)
	require.Empty(t, some.Sections)
	require.Len(t, some.Sentences, 1)
	get[api.Error](t, b.call(t, b.alice, line, `{"kinds":["horoscope"]}`), http.StatusUnprocessableEntity)

	forced := get[api.FileAnalysis](t, b.call(t, b.alice, line, `{"force":true}`), http.StatusAccepted)
	require.Equal(t, "running", state(forced))
	row, err := b.db.File(t.Context(), b.alice.scope, f.ID)
	require.NoError(t, err)
	require.Equal(t, db.FileOptions{From: "segment"}, row.Options)
}
