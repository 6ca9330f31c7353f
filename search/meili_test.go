package search_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/meilisearch/meilisearch-go"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

func TestMeili(t *testing.T) {
	t.Parallel()
	// A new index costs the server a second, so most tests share one: their
	// teams keep them apart.
	d, _ := dbtest.Database(t)
	shared := newMeili(t, d)
	t.Run("Conformance", func(t *testing.T) {
		conform(t, func(t *testing.T, alone bool) *house {
			if alone {
				d, _ := dbtest.Database(t) // batches are on their way side by side
				return newHouse(t, d, newMeili(t, d))
			}
			return newHouse(t, d, shared)
		})
	})
	t.Run("FacetSearchIsOff", func(t *testing.T) {
		t.Parallel()
		config := meiliConfig(t)
		_, err := search.NewMeili(d, config).Reconcile(t.Context(), false)
		require.NoError(t, err)
		server := meiliServer(config)
		own := indexesOf(t, server, config)
		require.Len(t, own, 1)
		on, err := server.Index(own[0]).GetFacetSearch()
		require.NoError(t, err)
		require.False(t, on, "it would cost each batch the time to write down all values")
	})
}

func TestBySentences(t *testing.T) {
	t.Parallel()
	for want, sizes := range map[string][]int{
		"":                {},
		"[0]":             {0},
		"[9]":             {9},
		"[1 2][3 0 0][2]": {1, 2, 3, 0, 0, 2},
		"[9][1][9][9]":    {9, 1, 9, 9},
		"[3][3 0]":        {3, 3, 0},
	} {
		files := make([]db.IndexFile, len(sizes))
		for i, n := range sizes {
			files[i].Sentences = n
		}
		got := ""
		for some := range search.BySentences(files, 3) {
			list := make([]int, len(some))
			for i, f := range some {
				list[i] = f.Sentences
			}
			got += fmt.Sprint(list)
		}
		require.Equal(t, want, got)
	}
}

func TestMeiliRemovesOlderIndexes(t *testing.T) {
	t.Parallel()
	config := meiliConfig(t)
	server := meiliServer(config)
	ours, others := config.Prefix+"_v1", config.Prefix+"_vault_v1"
	for _, name := range []string{ours, others} {
		created, err := server.CreateIndex(&meilisearch.IndexConfig{Uid: name, PrimaryKey: "id"})
		require.NoError(t, err)
		_, err = server.WaitForTask(created.TaskUID, 10*time.Millisecond)
		require.NoError(t, err)
	}
	_, err := search.NewMeili(dbtest.New(t), config).Reconcile(t.Context(), false)
	require.NoError(t, err)
	left := indexesOf(t, server, config)
	require.NotContains(t, left, ours)
	require.Contains(t, left, others)
	require.Len(t, left, 2)
	_, err = search.NewMeili(dbtest.New(t), config).Reconcile(t.Context(), true)
	require.NoError(t, err)
	failed, err := server.GetTasks(&meilisearch.TasksQuery{IndexUIDS: append(left, ours), Statuses: []meilisearch.TaskStatus{meilisearch.TaskStatusFailed}})
	require.NoError(t, err)
	require.Zero(t, failed.Total, "nothing is tried in vain")
}

// What sentences do not tell of their files is answered as long as few files are
// meant, or few are not; else another engine has to.
func TestMeiliNamesFiles(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, newMeili(t, d))
	few := h.create(t, h.ours, "few.pdf", func(f *db.NewFile) { f.Source = "email" })
	h.text(t, h.ours, few, "en", notice)
	h.index(t, h.ours, few)
	h.file(t, h.ours, "many.pdf", notice)
	mailed, err := query.Is(query.FileSource, "email").Checked(query.Sentences, time.Now())
	require.NoError(t, err)

	for i, more := range []string{"upload", "email"} {
		answered := i == 0 // then as many are meant as are not
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			for range search.Window {
				_, err := tx.CreateFile(t.Context(), h.ours, db.NewFile{ID: db.NewID(), Name: "other.pdf", Size: 1, SHA256: []byte("other"), Source: more})
				require.NoError(t, err)
			}
			return nil
		}))
		for _, filter := range []query.Filter{mailed, {Not: &mailed}} {
			q := search.Query{Text: "notice", Filter: search.Filter{Where: filter}}
			if !answered {
				_, err := h.Sentences(t.Context(), h.ours, q)
				require.Equal(t, fault.Unavailable, fault.KindOf(err))
				continue
			}
			require.Len(t, h.sentences(t, h.ours, q).Hits, 1)
			require.Equal(t, 1, h.files(t, h.ours, q).Total)
		}
	}
	listed := h.files(t, h.ours, search.Query{Filter: search.Filter{Where: mailed}})
	require.Equal(t, few, listed.Hits[0].FileID, "files themselves tell")
}

// meiliConfig names the test server and an index of the test's own, which is
// deleted when it ends.
func meiliConfig(t testing.TB) search.MeiliConfig {
	t.Helper()
	config := search.MeiliConfig{
		URL: os.Getenv("MEILI_TEST_URL"), Key: os.Getenv("MEILI_TEST_KEY"), Prefix: "test-" + db.NewID(),
		Timeout: time.Minute, // these are no tests of speed
	}
	if config.URL == "" {
		t.Skip("needs Meilisearch: run the tests with `make test`, or set MEILI_TEST_URL and MEILI_TEST_KEY")
	}
	t.Cleanup(func() {
		server := meiliServer(config)
		for _, index := range indexesOf(t, server, config) {
			_, err := server.DeleteIndex(index)
			require.NoError(t, err)
		}
	})
	return config
}

// indexesOf lists the indexes of the server that are the test's own.
func indexesOf(t testing.TB, server meilisearch.ServiceManager, config search.MeiliConfig) []string {
	t.Helper()
	all, err := server.ListIndexes(&meilisearch.IndexesQuery{Limit: 1000})
	require.NoError(t, err)
	var own []string
	for _, index := range all.Results {
		if strings.HasPrefix(index.UID, config.Prefix) {
			own = append(own, index.UID)
		}
	}
	return own
}

func meiliServer(config search.MeiliConfig) meilisearch.ServiceManager {
	return meilisearch.New(config.URL, meilisearch.WithAPIKey(config.Key))
}

// newMeili is the engine with an index that is complete, because there is
// nothing yet.
func newMeili(t testing.TB, d *db.DB) *search.Meili {
	t.Helper()
	m := search.NewMeili(d, meiliConfig(t))
	_, err := m.Reconcile(context.Background(), false)
	require.NoError(t, err)
	return m
}
