package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/search"
)

// operated has alice be an operator of the installation.
func (b *bundle) operated(t *testing.T, change ...func(*api.Config)) {
	t.Helper()
	session := get[api.SignedIn](t, b.call(t, b.alice, "GET /api/session", ""), http.StatusOK)
	require.False(t, session.Operator)
	b.registry = prometheus.NewRegistry()
	b.api = b.newAPI(t, append(change, func(c *api.Config) { c.Operators = []string{strings.ToUpper(session.User.Email)} })...)
}

// TestInstallation has jobs of two teams in every state, workers that live and one
// that is gone, and files that ended well and badly.
func TestInstallation(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := newBundle(t, d)
	b.operated(t)
	measured := func() api.Installation {
		t.Helper()
		return get[api.Installation](t, b.call(t, b.alice, "GET /api/installation", ""), http.StatusOK)
	}

	// Nothing is there: every queue is, and every bucket, with zeros.
	empty := measured()
	require.Len(t, empty.Queues, 7)
	for _, q := range empty.Queues {
		require.Len(t, q.OverTime, 12)
		require.Zero(t, q.Waiting+q.Running+q.Scheduled+q.Retryable+q.Finished+q.Failed+q.Slots, q.Name)
		require.Nil(t, q.OldestWaitingAt)
	}
	require.Empty(t, empty.Workers)
	require.Empty(t, empty.Failures)
	require.Empty(t, empty.Steps)
	require.Empty(t, empty.FilesByStatus)
	require.Len(t, empty.FilesOverTime, 12)
	require.Equal(t, api.IndexState{Engine: "postgres", Answering: "postgres", Reachable: true}, empty.Index)
	require.Positive(t, empty.Database.Size)
	require.True(t, empty.Storage.Reachable)
	require.Positive(t, empty.Database.Connections)
	require.NotEmpty(t, empty.Database.Version)

	done, theirs := b.file(t, b.alice), b.file(t, b.mallory)
	b.process(t, b.alice, done.ID)
	b.failed(t, b.alice, fault.CorruptFile)
	b.failed(t, b.mallory, fault.CorruptFile)
	b.failed(t, b.mallory, fault.EmptyFile)
	binned := b.file(t, b.alice)
	b.discard(t, b.alice, "/api/files/"+binned.ID)
	b.exec(t, `UPDATE file_attempts SET finished_at = now() - interval '2 days' WHERE error_code = 'empty_file'`)

	// What the queue has is set, for it to be known.
	b.exec(t, `DELETE FROM river_job`)
	job := func(state, kind, more string) {
		t.Helper()
		b.exec(t, `INSERT INTO river_job (state, kind, queue, args, max_attempts) VALUES ('pending', $1, 'text', '{"team_id": "t"}', 20)`, kind)
		b.exec(t, `UPDATE river_job SET state = '`+state+`', `+more+` WHERE id = (SELECT max(id) FROM river_job)`)
	}
	require.NoError(t, d.Heartbeat(t.Context(), "mill-a-0a1b2c3d", "0.2.0", map[string]int{"text": 2, "text_now": 2, "index": 2}, nil))
	require.NoError(t, d.Heartbeat(t.Context(), "mill-b-4e5f6a7b", "0.2.0", map[string]int{"ocr": 3, "text": 1}, []string{"deu", "eng"}))
	require.NoError(t, d.Heartbeat(t.Context(), "gone-8c9d0e1f", "0.1.0", map[string]int{"text": 9}, nil))
	b.exec(t, `UPDATE workers SET seen_at = now() - interval '2 minutes' WHERE id LIKE 'gone-%'`)
	job("pending", "analyze_text", `created_at = now() - interval '3 minutes'`)
	job("available", "analyze_text", `created_at = now() - interval '1 minute'`)
	job("running", "analyze_text", `attempted_at = now() - interval '40 seconds', attempted_by = '{gone-8c9d0e1f,mill-a-0a1b2c3d}'`)
	job("scheduled", "analyze_text", `scheduled_at = now() + interval '1 hour'`)
	job("retryable", "extract_text", `scheduled_at = now() + interval '1 hour', created_at = now() - interval '1 day'`)
	for _, took := range []string{"1", "2", "9"} {
		job("completed", "extract_text", `attempted_at = now() - interval '`+took+` seconds', finalized_at = now()`)
	}
	job("completed", "segment_text", `attempted_at = now() - interval '7 seconds', finalized_at = now()`)
	job("completed", "extract_text", `attempted_at = now() - interval '2 hours', finalized_at = now() - interval '2 hours'`)
	job("discarded", "extract_text", `finalized_at = now() - interval '10 minutes', errors = ARRAY['{}'::jsonb]`)
	job("cancelled", "extract_text", `finalized_at = now() - interval '10 minutes', errors = ARRAY['{}'::jsonb]`)
	job("cancelled", "extract_text", `finalized_at = now() - interval '10 minutes', errors = ARRAY['{}'::jsonb], metadata = '{"cancel_attempted_at": "2026-01-01T00:00:00Z"}'`)

	now := measured()
	require.WithinDuration(t, time.Now(), now.MeasuredAt, time.Minute)
	require.Zero(t, now.From.Unix()%300)
	require.InDelta(t, 57.5, now.MeasuredAt.Sub(now.From).Minutes(), 2.5)
	require.Len(t, now.Workers, 3)
	require.Equal(t, []any{"mill-a", "0.2.0", true, []api.SlotState{{Queue: "text", Total: 2, Used: 1}, {Queue: "text_now", Total: 2}, {Queue: "index", Total: 2}}, []string{}},
		[]any{now.Workers[0].Host, now.Workers[0].Version, now.Workers[0].Alive, now.Workers[0].Slots, now.Workers[0].Languages})
	require.Equal(t, []any{"mill-b", true, []string{"deu", "eng"}}, []any{now.Workers[1].Host, now.Workers[1].Alive, now.Workers[1].Languages})
	require.Equal(t, []any{"gone", false}, []any{now.Workers[2].Host, now.Workers[2].Alive})

	var text api.QueueState
	for _, q := range now.Queues {
		if q.Name == "text" {
			text = q
		}
	}
	require.Equal(t, []int{2, 1, 1, 1, 3, 4, 2}, []int{text.Waiting, text.Running, text.Scheduled, text.Retryable, text.Slots, text.Finished, text.Failed},
		"a worker that is gone has no slots; what somebody cancelled, and what was before the hour, is not counted")
	require.WithinDuration(t, time.Now().Add(-3*time.Minute), *text.OldestWaitingAt, time.Minute)
	finished, failed := 0, 0
	for i, bucket := range text.OverTime {
		require.Equal(t, now.From.Add(time.Duration(i)*db.Bucket), bucket.From)
		finished, failed = finished+bucket.Finished, failed+bucket.Failed
	}
	require.Equal(t, []int{4, 2}, []int{finished, failed})

	require.Len(t, now.Steps, 3)
	extract, analyze := now.Steps[0], now.Steps[2]
	require.Equal(t, "segment_text", now.Steps[1].Kind, "12 seconds in all come before 7")
	require.Equal(t, []any{"extract_text", 3, 2, 0}, []any{extract.Kind, extract.Finished, extract.Failed, extract.Running})
	require.InDelta(t, 2, *extract.MedianSeconds, 0.1)
	require.InDelta(t, 8.3, *extract.P95Seconds, 0.1)
	require.Equal(t, []any{"analyze_text", 0, 1}, []any{analyze.Kind, analyze.Finished, analyze.Running})
	require.Nil(t, analyze.MedianSeconds)
	require.WithinDuration(t, time.Now().Add(-40*time.Second), *analyze.RunningSince, 30*time.Second)

	require.Equal(t, map[string]int{"completed": 1, "queued": 1, "failed": 3}, now.FilesByStatus, "of both teams; what is in the trash is not counted")
	completed, broken := 0, 0
	for _, bucket := range now.FilesOverTime {
		completed, broken = completed+bucket.Completed, broken+bucket.Failed
	}
	require.Equal(t, []int{1, 2}, []int{completed, broken})
	require.Len(t, now.Failures, 1)
	require.Equal(t, []any{fault.CorruptFile, 2}, []any{now.Failures[0].Code, now.Failures[0].Files})
	require.NotEmpty(t, now.Failures[0].Hint)

	// Nothing in it is of a team.
	answer, err := json.Marshal(now)
	require.NoError(t, err)
	for _, of := range []string{theirs.ID, theirs.Name, done.ID, b.mallory.scope.TeamID, b.alice.scope.TeamID} {
		require.NotContains(t, string(answer), of)
	}
}

// TestInstallationIsForOperators has an admin, a member of another team, keys and
// service accounts look in vain.
func TestInstallationIsForOperators(t *testing.T) {
	t.Parallel()
	b := setup(t)
	get[api.Error](t, b.call(t, b.alice, "GET /api/installation", ""), http.StatusNotFound)
	b.operated(t)
	get[api.Installation](t, b.call(t, b.acme, "GET /api/installation", ""), http.StatusOK) // whichever team she is in
	require.True(t, get[api.SignedIn](t, b.call(t, b.alice, "GET /api/session", ""), http.StatusOK).Operator)
	get[api.Error](t, b.call(t, b.mallory, "GET /api/installation", ""), http.StatusNotFound)
	require.False(t, get[api.SignedIn](t, b.call(t, b.mallory, "GET /api/session", ""), http.StatusOK).Operator)
	get[api.Error](t, b.call(t, b.nobody, "GET /api/installation", ""), http.StatusUnauthorized)
	for _, key := range []caller{b.aliceKey, b.acmeKey} {
		get[api.Error](t, b.call(t, key, "GET /api/installation", ""), http.StatusForbidden)
	}
}

// silentEngine is a search engine that does not answer.
type silentEngine struct{ search.Engine }

func (silentEngine) Name() string                  { return "meilisearch" }
func (silentEngine) Healthy(context.Context) error { return errors.New("no answer") }

// TestInstallationWithoutIndex loses Meilisearch.
func TestInstallationWithoutIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.operated(t, func(c *api.Config) { c.Search = search.NewFallback(silentEngine{}, search.NewPostgres(c.DB)) })
	index := get[api.Installation](t, b.call(t, b.alice, "GET /api/installation", ""), http.StatusOK).Index
	require.Equal(t, api.IndexState{Engine: "meilisearch", Answering: "postgres", WaitingFiles: index.WaitingFiles, LagSeconds: index.LagSeconds}, index)
}
