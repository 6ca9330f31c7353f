package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

// TestOrdersOfFilesHaveAnIndex looks at how lists are read: in a large team nobody
// waits until all of its files are sorted.
func TestOrdersOfFilesHaveAnIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, by := range append(db.SortKeys(query.Files), "") {
		for _, descending := range []bool{false, true} {
			require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
				plan, err := tx.FilesPlan(t.Context(), b.ours, db.Order{By: by, Descending: descending})
				require.NoError(t, err)
				require.NotContains(t, plan, "Sort", by)
				require.NotContains(t, plan, "Seq Scan", by)
				require.Contains(t, plan, "Index", by)
				return nil
			}))
		}
	}
}
