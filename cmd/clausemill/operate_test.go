package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestJobs lists, cancels and retries what a release left to do.
func TestJobs(t *testing.T) {
	t.Parallel()

	d, database, _, team := released(t)
	list := func(args ...string) (rows []jobRow) {
		status, stdout, stderr := command(t, append([]string{"jobs", "list", "--json", "--database-url", database}, args...)...)
		require.Zero(t, status, stderr)
		for lines := json.NewDecoder(strings.NewReader(stdout)); lines.More(); {
			var row jobRow
			require.NoError(t, lines.Decode(&row))
			rows = append(rows, row)
		}
		return rows
	}
	require.NotEmpty(t, list())
	require.Len(t, list("--limit=1"), 1)
	require.Empty(t, list("--team", db.NewID()))
	var file string
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT id::text FROM files WHERE team_id = $1 AND name = 'waiting.pdf'`, team).Scan(&file))
	waiting := list("--file", file, "--team", team, "--state=available,pending,scheduled,retryable")
	require.NotEmpty(t, waiting)
	for _, j := range waiting {
		require.Contains(t, string(j.Args), file)
		require.NotEmpty(t, list("--kind", j.Kind, "--queue", j.Queue, "--state", j.State))
	}
	status, stdout, _ := command(t, "jobs", "list", "--database-url", database, "--file", file)
	require.Zero(t, status)
	require.Regexp(t, `(?m)^ID +KIND +QUEUE +STATE`, stdout)

	// Cancelling a step of a file cancels the file, as the API does.
	id := strconv.FormatInt(waiting[0].ID, 10)
	status, stdout, stderr := command(t, "jobs", "cancel", "--database-url", database, id)
	require.Zero(t, status, stderr)
	require.Regexp(t, id+` +`+waiting[0].Kind+` +cancelled`, stdout)
	f, err := d.File(t.Context(), db.System(team), file)
	require.NoError(t, err)
	require.Equal(t, db.FileCancelled, f.Status)
	require.Empty(t, list("--file", file, "--state=available,pending,scheduled,retryable,running"))

	status, stdout, stderr = command(t, "jobs", "retry", "--database-url", database, "--json", id)
	require.Zero(t, status, stderr)
	require.JSONEq(t, `{"id":`+id+`,"kind":"`+waiting[0].Kind+`","state":"available"}`, stdout)
	status, _, stderr = command(t, "jobs", "cancel", "--database-url", database, "--file", file)
	require.Zero(t, status, stderr)
	require.Empty(t, list("--file", file, "--state=available,pending,scheduled,retryable,running"))

	status, _, stderr = command(t, "jobs", "retry", "--database-url", database, "999999999")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "there is no job 999999999")
	for args, says := range map[string]string{
		"retry": "name jobs by their ids", "cancel 1 --kind=x": "either by ids or by what they are", "list --state=lost": "--state must be one of", "list --limit=0": "--limit must be from 1",
	} {
		status, _, stderr = command(t, append([]string{"jobs"}, strings.Fields(args)...)...)
		require.Equal(t, exitUsage, status, args)
		require.Contains(t, stderr, says)
	}
}

func TestReindex(t *testing.T) {
	t.Parallel()

	d, database, _, team := released(t)
	indexed := func() (n int) {
		require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT count(*) FROM files WHERE text_ready AND indexed_generation > 0`).Scan(&n))
		return n
	}
	_, err := d.Pool().Exec(t.Context(), `UPDATE files SET indexed_generation = generation WHERE text_ready`)
	require.NoError(t, err)
	all := indexed()
	var file string
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT id::text FROM files WHERE team_id = $1 AND text_ready LIMIT 1`, team).Scan(&file))

	status, stdout, stderr := command(t, "reindex", "--database-url", database, "--file", file)
	require.Zero(t, status, stderr)
	require.Equal(t, "1 files wait to be indexed\n", stdout)
	require.Equal(t, all-1, indexed())
	status, _, stderr = command(t, "reindex", "--database-url", database, "--team", team)
	require.Zero(t, status, stderr)
	require.Less(t, indexed(), all-1)
	status, stdout, stderr = command(t, "reindex", "--database-url", database, "--all", "--json")
	require.Zero(t, status, stderr)
	require.JSONEq(t, `{"files":`+strconv.Itoa(all)+`}`, stdout)
	require.Zero(t, indexed())
	var asked, full int
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE args ->> 'full' = 'true') FROM river_job WHERE kind = 'reconcile_index'`).Scan(&asked, &full))
	require.GreaterOrEqual(t, asked, 3)
	require.Positive(t, full)
	status, _, _ = command(t, "reindex", "--database-url", database)
	require.Equal(t, exitUsage, status)
}

func TestPurge(t *testing.T) {
	t.Parallel()

	d, database, _, team := released(t)
	in := db.System(team)
	files, err := d.Files(t.Context(), in, db.FileFilter{}, "", 100)
	require.NoError(t, err)
	require.Greater(t, len(files), 3)
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.DeleteFile(t.Context(), in, files[0].ID)
		return err
	}))
	left := func(id string) (rows, purges int) {
		require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM files WHERE id = $1), (SELECT count(*) FROM river_job WHERE kind = 'purge_file' AND args ->> 'file_id' = $1::text)`, id).Scan(&rows, &purges))
		return rows, purges
	}
	purge := func(args ...string) (stdout, stderr string) {
		status, stdout, stderr := command(t, append([]string{"purge", "--database-url", database}, args...)...)
		require.Zero(t, status, stderr)
		return stdout, stderr
	}
	stdout, stderr := purge("--trash", team)
	require.Contains(t, stdout, files[0].ID)
	require.Contains(t, stderr, "repeat it with --yes")
	rows, purges := left(files[0].ID)
	require.Equal(t, []int{1, 0}, []int{rows, purges})

	stdout, _ = purge("--trash", team, "--yes", "--json")
	require.Contains(t, stdout, `"purged":true`)
	rows, purges = left(files[0].ID)
	require.Equal(t, []int{0, 1}, []int{rows, purges})
	stdout, _ = purge("--trash", team, "--yes", "--json")
	require.Empty(t, stdout)

	// A file is erased wherever it is.
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.DeleteFile(t.Context(), in, files[1].ID)
		return err
	}))
	for _, f := range files[1:3] {
		stdout, stderr = purge("--file", f.ID)
		require.Contains(t, stdout, f.Name)
		require.NotEmpty(t, stderr)
		purge("--file", f.ID, "--yes")
		rows, purges = left(f.ID)
		require.Equal(t, []int{0, 1}, []int{rows, purges})
		status, _, stderr := command(t, "purge", "--database-url", database, "--file", f.ID, "--yes")
		require.Equal(t, exitFailed, status)
		require.Contains(t, stderr, "not found")
	}
	status, _, _ := command(t, "purge", "--database-url", database, "--yes")
	require.Equal(t, exitUsage, status)
}

func TestConfigCheck(t *testing.T) {
	t.Parallel()

	_, database := dbtest.Database(t)
	check := func(args ...string) (int, map[string][2]string) {
		status, stdout, _ := command(t, append([]string{"config", "check", "--json", "--data-dir", t.TempDir(), "--meili-url="}, args...)...)
		found := map[string][2]string{}
		for lines := json.NewDecoder(strings.NewReader(stdout)); lines.More(); {
			var f struct{ Check, Status, Detail string }
			require.NoError(t, lines.Decode(&f))
			found[f.Check] = [2]string{f.Status, f.Detail}
		}
		return status, found
	}
	_, found := check("--database-url", database, "--blob-url=file://"+t.TempDir())
	require.Equal(t, "ok", found["database"][0])
	require.Regexp(t, `^Postgres \d`, found["database"][1])
	require.Equal(t, "ok", found["schema"][0])
	require.Equal(t, "ok", found["file store"][0], found["file store"][1])
	require.Equal(t, [2]string{"ok", "Postgres"}, found["search"])
	require.Equal(t, "unused", found["identity provider"][0])

	status, found := check("--database-url=postgres://127.0.0.1:1/none", "--blob-url=file://"+filepath.Join(t.TempDir(), "none"),
		"--meili-url=http://127.0.0.1:1", "--ocr-languages=xxx", "--oidc-issuer=http://id.example.com", "--oidc-client-id=c", "--public-url=https://a.example")
	require.Equal(t, exitFailed, status)
	for _, name := range []string{"database", "schema", "search", "sign-in settings", "recognition"} {
		require.Equal(t, "failed", found[name][0], name)
		require.NotEmpty(t, found[name][1])
	}
	require.Contains(t, found["sign-in settings"][1], "OIDC_ISSUER must be")

	status, found = check("--database-url", database, "--oidc-issuer=http://127.0.0.1:1", "--oidc-client-id=c", "--public-url=http://localhost:1", "--blob-url=file://"+t.TempDir())
	require.Equal(t, exitFailed, status)
	require.Equal(t, "ok", found["sign-in settings"][0])
	require.Equal(t, "failed", found["identity provider"][0])
}
