package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// unsaved are the tables that backups leave out; all others they have to have.
var unsaved = []string{
	"base_document_types", "clausemill_migrations", "installation", "workers", "admissions", "rate_limits", "sessions", "service_tokens", "model_tokens", "idempotency_keys", "review_claims", "events",
	"renditions", "words", // those of the vocabulary
	"label_counts", "label_changes", "file_counts", "file_count_changes", "name_counts", "name_changes", "attribute_values", "attribute_values_lost", "corpus_changes", "nearest_indexes", // of what is restored
}

// savedTables are all tables that a backup has.
func savedTables(t *testing.T, d *db.DB) []string {
	t.Helper()
	rows, err := d.Pool().Query(t.Context(), `
		SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace
			AND relname NOT LIKE 'river\_%' AND relname <> ALL($1) ORDER BY 1`, unsaved)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return tables
}

// filled is released with a row at least in each table that a backup has. Some of it
// lies in the trash. What a restoration settles is settled already.
func filled(t *testing.T) (d *db.DB, settings []string, store, team string) {
	t.Helper()
	d, database, store, team := released(t)
	for _, sql := range []string{
		`UPDATE operations SET state = 'cancelled', finished_at = now() WHERE state = 'running'`,
		`UPDATE files SET indexed_generation = 0, indexed_label_generation = 0`,
		`UPDATE webhook_deliveries SET asked = state = 'pending'`,
		`UPDATE users SET current_team_id = (SELECT team_id FROM members m WHERE m.user_id = users.id LIMIT 1)`,
		`INSERT INTO service_accounts (id, team_id, name, role, scopes, hash, hint) VALUES (new_id(), $1, 'robot', 'viewer', '{export}', 'x', 'abcd')`,
		`INSERT INTO metadata_keys (team_id, key, type, description) VALUES ($1, 'shelf', 'text', 'Where it stands')`,
		`INSERT INTO fields (id, team_id, key, name, type, question, examples) VALUES (new_id(), $1, 'shelf_number', 'Shelf', 'number', 'On which shelf?', '{7}')`,
		`INSERT INTO field_models (id, field_id, team_id, version, status, metrics, data) SELECT new_id(), id, $1, 1, 'active', '{"f1": 0.5}', '\x00' FROM fields WHERE team_id = $1`,
		`INSERT INTO field_marks (id, field_id, file_id, team_id, value, quote) SELECT new_id(), d.id, f.id, $1, '7', 'shelf 7' FROM fields d, files f WHERE d.team_id = $1 AND f.team_id = $1`,
		`INSERT INTO retired_nodes (team_id, key) VALUES ($1, 'gone')`,
		`INSERT INTO chat_messages (id, team_id, chat_id, number, text) SELECT new_id(), $1, id, 1, 'When does it end?' FROM chats WHERE team_id = $1`,
		`INSERT INTO team_icons (team_id, png) VALUES ($1, '\x00ff5c0a')`,
		`INSERT INTO models (id, team_id, version, status, base_id, sentences, metrics, data) VALUES (new_id(), $1, 1, 'active', new_id(), 5, '{"f1": 0.5}', '\x00')`,
		`INSERT INTO type_models (team_id, id, version, files, base_id, data) VALUES ($1, new_id(), 1, 5, new_id(), '\x00')`,
		`INSERT INTO matter_people (matter_id, team_id, user_id) SELECT m.id, $1, p.user_id FROM matters m, members p WHERE m.team_id = $1 AND p.team_id = $1`,
		`INSERT INTO matter_categories SELECT m.id, c.id FROM matters m, categories c WHERE m.team_id = $1 AND c.team_id = $1`,
		`INSERT INTO file_categories SELECT f.id, c.id FROM files f, categories c WHERE f.team_id = $1 AND c.team_id = $1`,
		`INSERT INTO document_type_categories SELECT d.id, c.id FROM document_types d, categories c WHERE d.team_id = $1 AND c.team_id = $1`,
		`INSERT INTO operation_files (operation_id, file_id, attempt) SELECT o.id, f.id, 1 FROM operations o, files f WHERE o.team_id = $1 AND f.team_id = $1`,
		`INSERT INTO orphaned_decisions (id, file_id, team_id, text, label) SELECT new_id(), id, $1, E'two\nlines and a "quote" \\', 'rent' FROM files WHERE team_id = $1`,
		`INSERT INTO overruled_attributes (id, file_id, team_id, level, ordinal, key, value, normalized, confidence, source, spans, start_at, end_at, folded, normal)
		 SELECT new_id(), file_id, team_id, level, ordinal, key, value, normalized, confidence, source, spans, start_at, end_at, folded, normal FROM attributes WHERE team_id = $1`,
		`INSERT INTO attribute_decisions (file_id, team_id, key, normal, decision, value, normalized, confidence)
		 SELECT DISTINCT ON (file_id, key, normal) file_id, team_id, key, normal, 'confirmed', value, normalized, confidence FROM attributes WHERE team_id = $1 AND level = 'file'`,
	} {
		var values []any
		if strings.Contains(sql, "$1") {
			values = append(values, team)
		}
		_, err := d.Pool().Exec(t.Context(), sql, values...)
		require.NoError(t, err, sql)
	}
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		var id string
		if err := tx.Raw.QueryRow(t.Context(), `SELECT id::text FROM files WHERE team_id = $1 AND name = 'rent.html'`, team).Scan(&id); err != nil {
			return err
		}
		_, err := tx.DeleteFile(t.Context(), db.System(team), id)
		return err
	}))
	return d, []string{"--database-url", database, "--blob-url", "file://" + store, "--data-dir", t.TempDir()}, store, team
}

// saved is every row that a backup has, by table.
func saved(t *testing.T, d *db.DB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range savedTables(t, d) {
		require.NoError(t, pgx.BeginFunc(t.Context(), d.Pool(), func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SET LOCAL timezone = 'UTC'`); err != nil {
				return err
			}
			rows, err := tx.Query(t.Context(), `SELECT to_jsonb(r.*)::text FROM `+table+` r ORDER BY 1`)
			if err != nil {
				return err
			}
			all[table], err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}), table)
	}
	return all
}

// elsewhere is an empty installation, with its settings.
func elsewhere(t *testing.T) (d *db.DB, settings []string, store string) {
	t.Helper()
	d, database := dbtest.Database(t)
	store = t.TempDir()
	return d, []string{"--database-url", database, "--blob-url", "file://" + store, "--data-dir", t.TempDir()}, store
}

// TestBackup backs up an installation with rows in every table, restores it elsewhere,
// and compares every row and every byte.
func TestBackup(t *testing.T) {
	t.Parallel()

	d, settings, store, team := filled(t)
	before := saved(t, d)
	for table, rows := range before {
		require.NotEmpty(t, rows, "%s: give it rows in filled, to see them restored", table)
	}
	dir := t.TempDir()
	status, stdout, stderr := command(t, append([]string{"backup", dir, "--json"}, settings...)...)
	require.Zero(t, status, stderr)
	var done archived
	require.NoError(t, json.Unmarshal([]byte(stdout), &done))
	require.Equal(t, dir, filepath.Dir(done.File))
	require.Greater(t, done.Files, 5)
	require.Len(t, done.Rows, len(before))
	status, _, stderr = command(t, append([]string{"backup", done.File}, settings...)...)
	require.Equal(t, exitUsage, status)
	require.Contains(t, stderr, "file exists")
	status, streamed, stderr := command(t, append([]string{"backup", "-"}, settings...)...)
	require.Zero(t, status, stderr)
	require.Contains(t, stderr, "backed up ")
	archive := filepath.Join(dir, "streamed.tar")
	require.NoError(t, os.WriteFile(archive, []byte(streamed), 0o600))

	other, into, otherStore := elsewhere(t)
	load := func(path string, more ...string) (int, string, string) {
		return command(t, append(append([]string{"restore", path}, more...), into...)...)
	}
	empty := saved(t, other)
	for _, more := range [][]string{{"--dry-run"}, {"--dry-run", "--verify"}} {
		status, stdout, stderr = load(archive, more...)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, "would restore ")
		require.Equal(t, empty, saved(t, other))
		require.Empty(t, blobsOf(t, otherStore))
		require.NoFileExists(t, filepath.Join(otherStore, "installation"), "nobody has it yet")
	}
	damaged := filepath.Join(dir, "damaged.tar")
	_, headless, _ := strings.Cut(streamed, archiveTables)
	headless = archiveTables + headless
	for says, content := range map[string]string{
		"is missing or damaged": strings.Replace(streamed, "governing_law", "governing_lav", 1),
		"damaged or not whole":  streamed[:len(streamed)/2],
		"this is no archive":    headless,
	} {
		require.NoError(t, os.WriteFile(damaged, []byte(content), 0o600))
		status, _, stderr = load(damaged, "--verify")
		require.Equal(t, exitFailed, status, says)
		require.Contains(t, stderr, "nothing was restored")
		require.Contains(t, stderr, says)
		require.Equal(t, empty, saved(t, other), says)
	}
	status, _, stderr = command(t, append([]string{"team", "import", archive}, into...)...)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "read it with 'clausemill restore'")
	ofTeam := filepath.Join(dir, "team.tar")
	status, _, stderr = command(t, append([]string{"team", "export", team, "-o", ofTeam}, settings...)...)
	require.Zero(t, status, stderr)
	status, _, stderr = load(ofTeam)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "read it with 'clausemill team import'")

	require.Empty(t, blobsOf(t, otherStore), "what was stored before a failure is taken back")

	// Whatever time zone the server has.
	_, err := other.Pool().Exec(t.Context(), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'Asia/Kathmandu'); END $$`)
	require.NoError(t, err)
	status, stdout, stderr = load(archive, "--verify", "--json")
	require.Zero(t, status, stderr)
	var restored archived
	require.NoError(t, json.Unmarshal([]byte(stdout), &restored))
	require.True(t, restored.Verified)
	require.Equal(t, done.Rows, restored.Rows)
	var teams int
	require.NoError(t, other.Pool().QueryRow(t.Context(), `SELECT count(*) FROM teams WHERE id NOT IN (SELECT id FROM trash)`).Scan(&teams))
	require.Equal(t, []int{teams, teams}, []int{done.Teams, restored.Teams}, "what is in the trash is no team")
	after := saved(t, other)
	// Jobs are not in the backup, so those of deliveries are asked for anew.
	waits := 0
	for i, row := range before["webhook_deliveries"] {
		before["webhook_deliveries"][i] = strings.Replace(row, `"asked": true`, `"asked": false`, 1)
		if strings.Contains(row, `"state": "pending"`) && strings.Contains(row, `"asked": true`) {
			waits++
		}
	}
	slices.Sort(before["webhook_deliveries"])
	require.Positive(t, waits)
	require.NoError(t, other.InTx(t.Context(), func(tx *db.Tx) error {
		refs, err := tx.AskDeliveries(t.Context(), 1000)
		require.GreaterOrEqual(t, len(refs), waits)
		return err
	}))
	require.Greater(t, len(after["audit_events"]), len(before["audit_events"]))
	for _, row := range after["audit_events"] {
		if !slices.Contains(before["audit_events"], row) {
			require.Contains(t, row, `"team.restored"`)
			before["audit_events"] = append(before["audit_events"], row)
		}
	}
	slices.Sort(before["audit_events"])
	slices.Sort(after["audit_events"])
	for table, rows := range before {
		require.Equal(t, rows, after[table], table)
	}
	require.Equal(t, blobsOf(t, store), blobsOf(t, otherStore))
	var waiting, reading int
	require.NoError(t, other.Pool().QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE kind = 'reconcile_index'), count(*) FILTER (WHERE kind = 'receive_file') FROM river_job`).Scan(&waiting, &reading))
	require.Equal(t, 1, waiting)
	require.Positive(t, reading)

	status, _, stderr = load(archive)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "the installation is not empty")
}

// TestBackupIsNamedWhenItIsWhole has a backup wait for the bytes of a file, where it
// could be killed.
func TestBackupIsNamedWhenItIsWhole(t *testing.T) {
	t.Parallel()

	_, settings, store, _ := filled(t)
	path := filepath.Join(store, slices.Sorted(maps.Keys(blobsOf(t, store)))[0])
	require.NoError(t, os.Remove(path))
	require.NoError(t, unix.Mkfifo(path, 0o600))
	dir := t.TempDir()
	meanwhile := make(chan []string, 1)
	go func() {
		var names []string
		for began := time.Now(); len(names) == 0 && time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
			names, _ = filepath.Glob(filepath.Join(dir, "*"))
		}
		meanwhile <- names
		if pipe, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil { // who reads it has waited for this
			_ = pipe.Close()
		}
	}()
	status, _, stderr := command(t, append([]string{"backup", filepath.Join(dir, "backup.tar")}, settings...)...)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "there is no backup")
	names := <-meanwhile
	require.Len(t, names, 1)
	require.Regexp(t, `/backup\.tar\.\d+\.partial$`, names[0])
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	// Whoever had the name first keeps it, and a file system without links is one too.
	partial, whole := filepath.Join(dir, "partial"), filepath.Join(dir, "whole")
	require.NoError(t, os.WriteFile(partial, []byte("new"), 0o600))
	require.NoError(t, os.WriteFile(whole, []byte("old"), 0o600))
	require.ErrorIs(t, giveName(partial, whole), fs.ErrExist)
	content, err := os.ReadFile(whole)
	require.NoError(t, err)
	require.Equal(t, "old", string(content))
}

// TestBackupNamesWhatIsLost damages a store in several ways.
func TestBackupNamesWhatIsLost(t *testing.T) {
	t.Parallel()

	_, settings, store, _ := filled(t)
	lost := slices.Sorted(maps.Keys(blobsOf(t, store)))[:3]
	require.NoError(t, os.Remove(filepath.Join(store, lost[0])))
	for i, path := range lost[1:] {
		path = filepath.Join(store, path)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		content[0]++
		require.NoError(t, os.WriteFile(path, content[:len(content)-i], 0o600))
	}
	file := filepath.Join(t.TempDir(), "backup.tar")
	for _, to := range []string{file, "-"} {
		status, _, stderr := command(t, append([]string{"backup", to}, settings...)...)
		require.Equal(t, exitFailed, status)
		require.Contains(t, stderr, "there is no backup")
		for _, says := range []string{"are missing in the store", "are not those that were uploaded", " and not "} {
			require.Contains(t, stderr, says)
		}
	}
	require.NoFileExists(t, file)
}

// TestVerify damages a store in several ways, and brings it back.
func TestVerify(t *testing.T) {
	t.Parallel()

	d, settings, store, _ := filled(t)
	verify := func(more ...string) (status int, lost map[string]loss, done verified) {
		status, stdout, stderr := command(t, slices.Concat([]string{"verify", "--json"}, more, settings)...)
		require.Equal(t, status == exitFailed, strings.Contains(stderr, "does not have all that the rows name"), stderr)
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &done), stdout)
		lost = map[string]loss{}
		for _, line := range lines[:len(lines)-1] {
			var l loss
			require.NoError(t, json.Unmarshal([]byte(line), &l))
			lost[l.Key] = l
		}
		require.Len(t, lost, done.Lost)
		return status, lost, done
	}
	var named, size int
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT count(*), sum(size) FROM (SELECT DISTINCT bytes_id, size FROM file_versions) b`).Scan(&named, &size))
	blobs, err := blob.Open(t.Context(), "file://"+store)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	_, before, whole := verify()
	require.Equal(t, verified{Files: named, Bytes: int64(size), Lost: len(before), Unnamed: whole.Unnamed}, whole)
	require.Empty(t, before)
	_, err = blobs.Put(t.Context(), blob.Original(db.NewID()), strings.NewReader("of nobody"), 10)
	require.NoError(t, err)
	status, _, done := verify()
	require.Zero(t, status)
	require.Equal(t, whole.Unnamed+1, done.Unnamed)

	all, err := d.StoredVersions(t.Context(), db.StoredVersion{}, 3)
	require.NoError(t, err)
	require.Len(t, all, 3)
	want, wantSizes := map[string]string{}, map[string]string{}
	for i, b := range all {
		key := blob.Of(b.FileID, b.BytesID)
		path := filepath.Join(store, key)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		switch i {
		case 0:
			require.NoError(t, os.Remove(path))
			want[key], wantSizes[key] = "are missing in the store", "are missing in the store"
		case 1:
			content[0]++
			require.NoError(t, os.WriteFile(path, content, 0o600))
			want[key] = "are not those that were uploaded"
		case 2:
			require.NoError(t, os.WriteFile(path, append(content, 'x'), 0o600))
			want[key] = fmt.Sprintf("are %d and not %d", b.Size+1, b.Size)
			wantSizes[key] = want[key]
		}
	}
	for _, c := range []struct {
		want map[string]string
		more []string
	}{{want, nil}, {wantSizes, []string{"--sizes"}}} {
		status, lost, done := verify(c.more...)
		require.Equal(t, exitFailed, status)
		require.Equal(t, named, done.Files)
		require.Len(t, lost, len(c.want))
		for key, says := range c.want {
			require.Equal(t, says, lost[key].Fault, key)
		}
	}
	status, stdout, stderr := command(t, append([]string{"verify"}, settings...)...)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stdout, blob.Of(all[0].FileID, all[0].BytesID)+": the bytes of file "+all[0].FileID+" are missing in the store")
	require.Contains(t, stderr, fmt.Sprintf("3 of %d", named))
}

// TestRestoreReadsBack has a database, and a store, that change what is written.
func TestRestoreReadsBack(t *testing.T) {
	t.Parallel()

	_, settings, _, _ := filled(t)
	archive := filepath.Join(t.TempDir(), "backup.tar")
	status, _, stderr := command(t, append([]string{"backup", archive}, settings...)...)
	require.Zero(t, status, stderr)
	other, into, _ := elsewhere(t)
	_, err := other.Pool().Exec(t.Context(), `
		CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.description := ''; RETURN NEW; END $$;
		CREATE TRIGGER forget BEFORE INSERT ON metadata_keys FOR EACH ROW EXECUTE FUNCTION forget()`)
	require.NoError(t, err)
	status, _, stderr = command(t, append([]string{"restore", archive, "--verify"}, into...)...)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "table metadata_keys has ")

	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	b := db.ArchivedBytes{FileBytes: db.FileBytes{FileID: db.NewID(), BytesID: db.NewID()}, Size: 5, SHA256: make([]byte, sha256.Size)}
	require.ErrorContains(t, readBack(t.Context(), blobs, b), "read back the bytes of file "+b.FileID)
	_, err = blobs.Put(t.Context(), blob.Of(b.FileID, b.BytesID), strings.NewReader("bytes"), 10)
	require.NoError(t, err)
	require.ErrorContains(t, readBack(t.Context(), blobs, b), "the store has other bytes of file "+b.FileID)
}
