package db

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArgs(t *testing.T) {
	t.Parallel()
	const statement = `SELECT @b, @a, @b, '@c', $$@d$$ -- @e`
	for range 2 { // found, then remembered
		sql, values, err := args{"a": 1, "b": []string{"two"}, "unused": 3}.RewriteQuery(t.Context(), nil, statement, nil)
		require.NoError(t, err)
		require.Equal(t, `SELECT $1, $2, $1, '@c', $$@d$$ -- @e`, sql)
		require.Equal(t, []any{[]string{"two"}, 1}, values)
	}
	sql, values, err := args(nil).RewriteQuery(t.Context(), nil, `SELECT 1`, nil)
	require.NoError(t, err)
	require.Equal(t, `SELECT 1`, sql)
	require.Empty(t, values)

	_, _, err = args{"a": 1}.RewriteQuery(t.Context(), nil, statement, nil)
	require.ErrorContains(t, err, "@b", "where the statement is known")
	_, _, err = args{"a": 1}.RewriteQuery(t.Context(), nil, `SELECT @a, @z`, nil)
	require.Error(t, err, "where it is new")
}

// TestArgsForget is about conditions that callers compose, which never end.
func TestArgsForget(t *testing.T) {
	t.Parallel()
	for i := range 3 * maxStatements {
		_, _, err := args{"a": i}.RewriteQuery(t.Context(), nil, fmt.Sprintf(`SELECT @a + %d`, i), nil)
		require.NoError(t, err)
	}
	statements.RLock()
	defer statements.RUnlock()
	require.LessOrEqual(t, len(statements.known), maxStatements)
}
