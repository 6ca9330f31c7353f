package db_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db/dbtest"
)

// TestTokens has answers of several replicas take from one budget at once.
func TestTokens(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "tokens@example.com")
	var taken atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			day, err := d.ReserveTokens(t.Context(), in, 100, 1_050)
			if err == nil && day != "" {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	require.Equal(t, int32(10), taken.Load())
	used := func() int {
		n, err := d.TokensToday(t.Context(), in)
		require.NoError(t, err)
		return n
	}
	require.Equal(t, 1_000, used())

	day, err := d.ReserveTokens(t.Context(), in, 50, 1_050)
	require.NoError(t, err)
	require.NoError(t, d.SettleTokens(t.Context(), in, day, 50, 10))
	require.Equal(t, 1_010, used())
	day, err = d.ReserveTokens(t.Context(), in, 1_000_000, 0)
	require.NoError(t, err)
	require.NotEmpty(t, day, "0 is no limit")

	// Another day begins with the whole budget, and what is settled late is of its own day.
	_, err = d.Pool().Exec(t.Context(), `UPDATE model_tokens SET day = day - 1 WHERE team_id = $1`, in.TeamID)
	require.NoError(t, err)
	require.Zero(t, used())
	yesterday := day
	day, err = d.ReserveTokens(t.Context(), in, 1_050, 1_050)
	require.NoError(t, err)
	require.Equal(t, yesterday, day)
	require.NoError(t, d.SettleTokens(t.Context(), in, "2000-01-01", 1_050, 0))
	require.Equal(t, 1_050, used())
	none, err := d.ReserveTokens(t.Context(), in, 1, 1_050)
	require.NoError(t, err)
	require.Empty(t, none)
}
