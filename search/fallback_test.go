package search_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// brokenServer counts the requests that it does not answer well.
func brokenServer(t *testing.T, handle http.HandlerFunc) (string, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, &asked
}

func TestFallbackAnswersWhileTheFirstEngineIsDown(t *testing.T) {
	t.Parallel()

	for name, handle := range map[string]http.HandlerFunc{
		"Error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"Slow": func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		},
		"Nonsense": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"Refusal": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"message": "no", "code": "invalid_api_key", "type": "auth"}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := dbtest.Database(t) // of many connections: one that a time limit cuts off is closed
			url, asked := brokenServer(t, handle)
			meili := search.NewMeili(d, search.MeiliConfig{URL: url, Key: "key", Timeout: 250 * time.Millisecond, IndexTimeout: 250 * time.Millisecond})
			both := search.NewFallback(meili, search.NewPostgres(d))
			clock := time.Now()
			both.SetClock(func() time.Time { return clock })
			h := newHouse(t, d, search.NewPostgres(d))
			h.file(t, h.ours, "one.pdf", notice)
			before := asked.Load()

			require.NoError(t, both.Healthy(t.Context()))
			_, err := both.Index(t.Context(), refs(h.ours, db.NewID()))
			require.Error(t, err)
			require.False(t, fault.Permanent(err), "worth another try: %v", err)

			find := func() {
				found, err := both.Sentences(t.Context(), h.ours, search.Query{Text: "written notice"})
				require.NoError(t, err)
				require.Equal(t, "postgres", found.Engine)
				require.Len(t, found.Hits, 1)
			}
			for range search.TripAfter {
				find()
			}
			require.Greater(t, asked.Load(), before)

			resting := asked.Load()
			find()
			require.Equal(t, resting, asked.Load(), "an engine that failed is left alone")

			clock = clock.Add(search.RestFor + 1)
			find()
			require.Greater(t, asked.Load(), resting, "and tried again")
			tried := asked.Load()
			find()
			require.Equal(t, tried, asked.Load(), "by one")
		})
	}
}

func TestFallbackPassesTheCallersFaultsOn(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	url, asked := brokenServer(t, func(http.ResponseWriter, *http.Request) {})
	both := search.NewFallback(search.NewMeili(d, search.MeiliConfig{URL: url}), search.NewPostgres(d))

	_, err := both.Files(t.Context(), db.Scope{TeamID: db.NewID()}, search.Query{Limit: search.Window + 1})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Zero(t, asked.Load())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = both.Files(ctx, db.Scope{TeamID: db.NewID()}, search.Query{Text: "notice"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestMeiliErrorsDoNotQuoteContracts(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	url, _ := brokenServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/documents/complete") {
			_, _ = w.Write([]byte(`{"id": "complete"}`))
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"message": "the secret clause is too long", "code": "bad_request", "type": "invalid_request"}`))
	})
	meili := search.NewMeili(d, search.MeiliConfig{URL: url, Key: "key"})
	_, err := meili.Sentences(t.Context(), db.Scope{TeamID: db.NewID()}, search.Query{Text: "secret clause"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
	require.Contains(t, err.Error(), "bad_request")
}

// Meilisearch first, with Postgres for what it does not know: this is how a
// service runs.
func TestFallback(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	meili, postgres := newMeili(t, d), search.NewPostgres(d)
	both := search.NewFallback(meili, postgres)
	h := newHouse(t, d, both)
	id := h.file(t, h.ours, "one.pdf", notice, law)

	ask := func(q search.Query) search.Sentences {
		found, err := both.Sentences(t.Context(), h.ours, q)
		require.NoError(t, err)
		return found
	}
	require.Equal(t, "meilisearch", ask(search.Query{Text: "california"}).Engine)
	forms := ask(search.Query{Text: "termination notice"})
	require.Equal(t, "meilisearch", forms.Engine, "it has the stems of Postgres")
	require.Equal(t, []string{notice}, texts(forms))
	near := ask(search.Query{Text: "terminate NEAR/3 agreement"})
	require.Equal(t, "postgres", near.Engine, "it knows how far words are from each other")
	require.Equal(t, []string{notice}, texts(near))
	require.Empty(t, texts(ask(search.Query{Text: "terminate NEAR/2 california"})))
	require.Equal(t, "meilisearch", ask(search.Query{Text: "california hippopotamus"}).Engine, "where neither has all words")

	sentences, err := d.Sentences(t.Context(), h.ours, id)
	require.NoError(t, err)
	named, err := query.Is(query.Sentence, sentences[1].ID).Checked(query.Sentences, time.Now())
	require.NoError(t, err)
	for range search.TripAfter {
		require.Equal(t, "postgres", ask(search.Query{Text: "california", Filter: search.Filter{Where: named}}).Engine, "the index does not have it")
	}
	require.Equal(t, "meilisearch", ask(search.Query{Text: "california"}).Engine, "which is no failure")

	h.text(t, h.ours, id, "en", licence)
	require.Equal(t, []string{licence}, texts(ask(search.Query{Text: "territory"})), "committed and not indexed yet")
	require.Empty(t, texts(ask(search.Query{Text: "california"})), "indexed and gone")
	queued := search.Filter{Statuses: []string{string(db.FileQueued)}}
	require.Len(t, ask(search.Query{Text: "territory", Filter: queued}).Hits, 1)
}
