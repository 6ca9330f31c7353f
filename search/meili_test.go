package search_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/meilisearch/meilisearch-go"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
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
				d := dbtest.New(t)
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
