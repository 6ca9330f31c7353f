package db_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestSynonymsAtOnce has several people set the synonyms of a team at the same
// time: what one of them says is all that is left.
func TestSynonymsAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "a@example.com")
	var begun, done sync.WaitGroup
	errs := make([]error, 3)
	begun.Add(len(errs))
	for i := range errs {
		done.Go(func() {
			errs[i] = d.InTx(t.Context(), func(tx *db.Tx) error {
				begun.Done()
				begun.Wait()
				word := string(rune('a' + i))
				return tx.SetSynonyms(t.Context(), in, [][]string{{word, word + word}})
			})
		})
	}
	done.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	groups, err := d.SynonymGroups(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, groups, 1)
}
