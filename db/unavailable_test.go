package db_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// TestUnavailableIsSaidOnce asks a database that is not there.
func TestUnavailableIsSaidOnce(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), "postgres://nobody@127.0.0.1:1/none?connect_timeout=2", 1)
	require.NoError(t, err)
	err = d.Fits(t.Context())
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Equal(t, "the database is not available; try again", fault.Message(err))
	require.Equal(t, 1, strings.Count(err.Error(), "not available"), err.Error())
}
