package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db/dbtest"
)

func TestKeys(t *testing.T) {
	t.Parallel()

	database, url := dbtest.Database(t)
	known := auth.New(database)

	status, stdout, stderr := command(t, "keys", "create", "--database-url", url, "--user", "ann@example.com", "--name", "her laptop", "--days", "30")
	require.Zero(t, status, stderr)
	ann := strings.TrimSpace(stdout)
	who, err := known.Key(t.Context(), ann)
	require.NoError(t, err)
	require.Equal(t, auth.UserKey, who.Kind)

	status, stdout, _ = command(t, "keys", "create", "--database-url", url, "--organization", "Acme")
	require.Zero(t, status)
	acme := strings.TrimSpace(stdout)
	who, err = known.Key(t.Context(), acme)
	require.NoError(t, err)
	require.Equal(t, auth.OrganizationKey, who.Kind)

	status, stdout, _ = command(t, "keys", "list", "--database-url", url)
	require.Zero(t, status)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, 3)
	require.Regexp(t, `organization +Acme`, lines[1])
	require.Regexp(t, `user +ann@example.com`, lines[2])
	require.Contains(t, lines[2], "her laptop")
	require.Contains(t, lines[2], "valid until ")
	require.NotContains(t, stdout, ann)
	require.Contains(t, lines[2], "…"+ann[len(ann)-4:])

	id := strings.Fields(lines[2])[0]
	status, _, stderr = command(t, "keys", "revoke", "--database-url", url, id)
	require.Zero(t, status, stderr)
	_, err = known.Key(t.Context(), ann)
	require.Error(t, err)
	_, err = known.Key(t.Context(), acme)
	require.NoError(t, err)

	status, _, stderr = command(t, "keys", "revoke", "--database-url", url, id)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "no valid key has that id")
}
