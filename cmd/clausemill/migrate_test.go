package main

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/db/dbtest"
)

func TestMigrate(t *testing.T) {
	t.Parallel()

	database := dbtest.Empty(t)
	status, stdout, stderr := command(t, "keys", "list", "--database-url", database)
	require.Equal(t, exitFailed, status)
	require.Empty(t, stdout)
	require.Equal(t, "clausemill: the database has no schema of Clausemill yet: run 'clausemill migrate'\n", stderr)
	status, _, stderr = command(t, "serve", "--no-migrate", "--addr=127.0.0.1:0", "--database-url", database, "--data-dir", t.TempDir())
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "run 'clausemill migrate'")

	status, stdout, stderr = command(t, "migrate", "--database-url", database)
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	require.Regexp(t, `(?s)^applied river 1: .*\napplied 0001_baseline\.sql\n(applied \S+\n)*the schema is at \d+, as this program wants it\n$`, stdout)
	status, stdout, _ = command(t, "migrate", "--database-url", database)
	require.Zero(t, status)
	require.Regexp(t, `^the schema is at \d+, as this program wants it\n$`, stdout)
	status, stdout, _ = command(t, "migrate", "--database-url", database, "--json")
	require.Zero(t, status)
	var done migrated
	require.NoError(t, json.Unmarshal([]byte(stdout), &done))
	require.Equal(t, done.Wanted, done.Schema)
	require.NotNil(t, done.Applied)
	require.Empty(t, done.Applied)
}

// TestNobodyWorksWithAnotherSchema starts each command on a database that was
// changed by hand, and on one that migrations have not made.
func TestNobodyWorksWithAnotherSchema(t *testing.T) {
	t.Parallel()

	for sql, says := range map[string]string{
		`DROP FUNCTION magnitude(text)`:                                "the function magnitude(text) numeric is missing",
		`UPDATE clausemill_migrations SET sha256 = '\x00'`:             "is not what was applied to this database",
		`ALTER TABLE clausemill_migrations RENAME TO goose_db_version`: "before release 0.1.0",
	} {
		d, database := dbtest.Database(t)
		_, err := d.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
		data := "--data-dir=" + t.TempDir()
		for _, args := range [][]string{
			{"migrate"}, {"keys", "list"}, {"work", data}, {"dev", "--addr=127.0.0.1:0", data},
			{"serve", "--addr=127.0.0.1:0", data}, {"serve", "--addr=127.0.0.1:0", "--no-migrate", data},
		} {
			status, stdout, stderr := command(t, append(args, "--database-url", database)...)
			require.Equal(t, exitFailed, status, "%v", args)
			require.Empty(t, stdout)
			require.Contains(t, stderr, says)
		}
	}
}

// TestOlderProgram finds a database that a later release has migrated.
func TestOlderProgram(t *testing.T) {
	t.Parallel()

	d, database := dbtest.Database(t)
	later := func(sql string) {
		_, err := d.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	later(`INSERT INTO clausemill_migrations (version, name, sha256, release) VALUES (9000, '9000_later.sql', '\x00', '9.0.0')`)
	status, stdout, stderr := command(t, "migrate", "--database-url", database)
	require.Zero(t, status, stderr)
	require.Regexp(t, `^release 9\.0\.0 has brought the schema to 9000 .* this program, `+regexp.QuoteMeta(clausemill.Build())+`, knows them up to .*; what this program needs is there\n$`, stdout)

	later(`ALTER TABLE files RENAME name TO title`)
	status, _, stderr = command(t, "migrate", "--database-url", database)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "cannot work with that: the column files.name text is missing")
}

func TestDatabaseThatDoesNotAnswer(t *testing.T) {
	t.Parallel()

	_, database := dbtest.Database(t)
	wrong, err := url.Parse(database)
	require.NoError(t, err)
	wrong.Path = "/nowhere"
	for address, says := range map[string]string{
		wrong.String():               `database "nowhere" does not exist`,
		"postgres://127.0.0.1:1/any": "dial tcp 127.0.0.1:1: connect: connection refused",
	} {
		status, _, stderr := command(t, "migrate", "--database-url", address)
		require.Equal(t, exitFailed, status)
		require.Equal(t, "clausemill: the database does not answer: "+says+"\n", stderr)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()

	status, stdout, _ := command(t, "openapi")
	require.Zero(t, status)
	require.Contains(t, stdout, `"version": "`+clausemill.Version+`"`)
	require.True(t, strings.HasPrefix(clausemill.Build(), clausemill.Version))
}
