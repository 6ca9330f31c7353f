package main

import (
	"encoding/json"
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

	// The same for programs.
	status, stdout, stderr = command(t, "keys", "create", "--database-url", url, "--organization", "Acme", "--name", "nightly", "--json")
	require.Zero(t, status, stderr)
	var made createdKey
	require.NoError(t, json.Unmarshal([]byte(stdout), &made))
	_, err = known.Key(t.Context(), made.Secret)
	require.NoError(t, err)
	require.Equal(t, []string{"organization", "Acme", "nightly"}, []string{made.Kind, made.Owner, made.Name})
	status, stdout, stderr = command(t, "keys", "list", "--database-url", url, "--json")
	require.Zero(t, status, stderr)
	require.NotContains(t, stdout, "secret")
	var rows []keyRow
	for list := json.NewDecoder(strings.NewReader(stdout)); list.More(); {
		var row keyRow
		require.NoError(t, list.Decode(&row))
		rows = append(rows, row)
	}
	require.Len(t, rows, 3)
	require.Equal(t, made.ID, rows[0].ID)
	require.NotNil(t, rows[2].RevokedAt)
	status, stdout, stderr = command(t, "keys", "revoke", "--database-url", url, made.ID, "--json")
	require.Zero(t, status, stderr)
	require.JSONEq(t, `{"id":"`+made.ID+`","state":"revoked"}`, stdout)
}
