package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// released is an installation that a release left behind in the middle of the work of
// a team, migrated; with its store of files and the id of the team.
func released(t *testing.T) (d *db.DB, database, store, team string) {
	t.Helper()
	const release = "../../db/testdata/releases/0.1.0"
	unpack := func(path string) io.Reader {
		packed, err := os.ReadFile(path)
		require.NoError(t, err)
		unpacked, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		return unpacked
	}
	database = dbtest.Empty(t)
	sql, err := io.ReadAll(unpack(release + ".sql.gz"))
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	_, err = conn.PgConn().Exec(t.Context(), string(sql)).ReadAll()
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	store = t.TempDir()
	for entries := tar.NewReader(unpack(release + ".files.tar.gz")); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if entry.Typeflag == tar.TypeReg {
			path := filepath.Join(store, filepath.FromSlash(entry.Name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			content, err := io.ReadAll(entries)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, content, 0o600))
		}
	}
	status, _, stderr := command(t, "migrate", "--database-url", database)
	require.Zero(t, status, stderr)
	d, err = db.Open(t.Context(), database, 4)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		found, err := tx.EnsureOrganization(t.Context(), provider.Organization)
		team = found.ID
		return err
	}))
	return d, database, store, team
}

// rowsOf is all rows of a team and its trash by table, without what is numbered anew
// whether the search engine has them and whether there is a job, in an order that does not depend on that.
func rowsOf(t *testing.T, d *db.DB, team string) map[string][]string {
	t.Helper()
	query := func(sql string, args ...any) []string {
		rows, err := d.Pool().Query(t.Context(), sql, args...)
		require.NoError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return found
	}
	all := map[string][]string{}
	for _, table := range query(`
		SELECT c.relname::text FROM pg_class c WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
			AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'team_id')
			AND c.relname NOT IN ('sessions', 'events', 'idempotency_keys', 'renditions', 'label_counts', 'label_changes', 'file_counts', 'file_count_changes', 'name_counts', 'name_changes', 'attribute_values', 'attribute_values_lost', 'nearest_indexes')`) {
		numbered := query(`SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> ''`, table)
		all[table] = query(`
			SELECT (to_jsonb(arow.*) - $2::text[] - '{indexed_generation,indexed_label_generation,asked}'::text[])::text FROM `+table+` arow
			WHERE team_id = $1 OR team_id IN (SELECT id FROM trash WHERE team_id = $1) ORDER BY 1`, team, numbered)
	}
	// What is counted is not moved, and comes to the same figures.
	require.NoError(t, d.FoldCounts(t.Context(), team))
	for table, some := range map[string]string{"label_counts": "sentences <> 0 OR firsts <> 0", "file_counts": "files <> 0", "name_counts": "files <> 0", "attribute_values": "true"} {
		all[table] = query(`SELECT to_jsonb(arow.*)::text FROM `+table+` arow WHERE team_id = $1 AND (`+some+`) ORDER BY 1`, team)
	}
	for table, of := range map[string]string{
		"file_categories": "file_id IN (SELECT id FROM files WHERE team_id = $1)", "matter_document_types": "matter_id IN (SELECT id FROM matters WHERE team_id = $1)",
		"flag_conditions": "flag_id IN (SELECT id FROM feature_flags WHERE team_id = $1)", "operation_files": "operation_id IN (SELECT id FROM operations WHERE team_id = $1)",
	} {
		all[table] = query(`SELECT to_jsonb(arow.*)::text FROM `+table+` arow WHERE `+of+` ORDER BY 1`, team)
	}
	return all
}

// blobsOf is the contents of a store by path, without its mark.
func blobsOf(t *testing.T, store string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(store), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "/") {
			return err
		}
		content, err := os.ReadFile(filepath.Join(store, path))
		all[path] = string(content)
		return err
	}))
	return all
}

// requireSameRows compares all rows of a team with those that it had.
func requireSameRows(t *testing.T, before, after map[string][]string) {
	t.Helper()
	for table, rows := range before {
		if table == "audit_events" { // it says that the team was imported
			require.Len(t, after[table], len(rows)+1)
			continue
		}
		require.Len(t, after[table], len(rows), table)
		for i := range rows {
			require.Equal(t, rows[i], after[table][i], table)
		}
	}
	imported := map[string]bool{}
	for _, row := range after["audit_events"] {
		imported[row] = true
	}
	for _, row := range before["audit_events"] {
		require.True(t, imported[row], row)
	}
}

// requireSameBytes compares what a store has of n files with another one.
func requireSameBytes(t *testing.T, from, to string, n int) {
	t.Helper()
	had, has := blobsOf(t, from), blobsOf(t, to)
	require.Len(t, has, n)
	for path, content := range has {
		require.True(t, had[path] == content, path) //nolint:testifylint // contents are long
	}
}

var movedFiles = flag.Int("files", 0, "how many files the team has that moves")

// TestLargeTeamMoves takes a team with many files, which the service has read, to
// another installation, and compares every row and every byte. `make moving` runs it.
func TestLargeTeamMoves(t *testing.T) {
	if *movedFiles == 0 {
		t.Skip("is run by `make moving`")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, err := os.MkdirTemp("", "clausemill-moving-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o711)) //nolint:gosec // the database runs as somebody else, who has to get there
	contracts := filepath.Join(dir, "contracts")
	require.NoError(t, os.Mkdir(contracts, 0o700))
	for n := range *movedFiles {
		var text strings.Builder
		fmt.Fprintf(&text, "SERVICES AGREEMENT NUMBER %d\n\nThis agreement is made on %d March 2024 between Acme %d Inc. and Bolt GmbH.\n", n, 1+n%28, n)
		for clause := range 10 + n%30 {
			fmt.Fprintf(&text, "\n%d. Clause %d. Either party may end part %d of this agreement by notice of %d days. The fees for it are %d EUR.\n", clause+1, clause+1, clause*n, 10+n%90, 100*(clause+1)+n)
		}
		require.NoError(t, os.WriteFile(filepath.Join(contracts, fmt.Sprintf("agreement %04d.txt", n)), []byte(text.String()), 0o600))
	}
	data, database := filepath.Join(dir, "data"), dbtest.Empty(t)
	took := func(what string, bytes int64, since time.Time) {
		t.Logf("%s: %.1f s, %d bytes", what, time.Since(since).Seconds(), bytes)
	}

	r := startDev(t, data, "DATABASE_URL="+database, "CLAUSEMILL_RATE_LIMIT=100000")
	t.Setenv("CLAUSEMILL_API_KEY", r.key)
	began := time.Now()
	status, _, stderr := command(t, "upload", "--url", r.url, "--wait", "--jobs", "8", contracts)
	require.Zero(t, status, stderr)
	state, said := r.end(t, syscall.SIGINT)
	require.Zero(t, state.ExitCode(), said)
	took(fmt.Sprintf("%d files uploaded and read", *movedFiles), 0, began)

	d, err := db.Open(t.Context(), database, 4)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	var team string
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT team_id::text FROM files GROUP BY team_id HAVING count(*) = $1`, *movedFiles).Scan(&team))
	store := filepath.Join(data, "blobs")
	archive := filepath.Join(dir, "team.tar")
	began = time.Now()
	status, stdout, stderr := command(t, "team", "export", team, "-o", archive, "--json", "--database-url", database, "--blob-url", "file://"+store, "--data-dir", data)
	require.Zero(t, status, stderr)
	var done archived
	require.NoError(t, json.Unmarshal([]byte(stdout), &done))
	info, err := os.Stat(archive)
	require.NoError(t, err)
	took("exported", info.Size(), began)
	before := rowsOf(t, d, team)

	other, otherURL := dbtest.Database(t)
	otherStore := t.TempDir()
	began = time.Now()
	status, _, stderr = command(t, "team", "import", archive, "--database-url", otherURL, "--blob-url", "file://"+otherStore, "--data-dir", t.TempDir())
	require.Zero(t, status, stderr)
	took("imported", info.Size(), began)

	after := rowsOf(t, other, team)
	requireSameRows(t, before, after)
	require.Len(t, after["files"], *movedFiles)
	requireSameBytes(t, store, otherStore, done.Files)
	rows := 0
	for _, of := range before {
		rows += len(of)
	}
	t.Logf("%d rows and %d stored files are the same", rows, done.Files)
}

// forged is an archive that was changed, with hashes that are right.
func forged(t *testing.T, archive string, change func(name *string, content []byte) []byte, more map[string]string) string {
	t.Helper()
	from, err := os.Open(archive)
	require.NoError(t, err)
	defer from.Close()
	path := filepath.Join(t.TempDir(), "forged.tar")
	to, err := os.Create(path)
	require.NoError(t, err)
	w := archiveWriter{tar: tar.NewWriter(to)}
	add := func(name string, content []byte) {
		_, err := w.add(name, int64(len(content)), bytes.NewReader(content))
		require.NoError(t, err)
	}
	for entries := tar.NewReader(from); ; {
		entry, err := entries.Next()
		require.NoError(t, err)
		if entry.Name == archiveSums {
			break
		}
		content, err := io.ReadAll(entries)
		require.NoError(t, err)
		name := entry.Name
		content = change(&name, content)
		add(name, content)
	}
	for name, content := range more {
		add(name, []byte(content))
	}
	add(archiveSums, bytes.Clone(w.sums.Bytes()))
	require.NoError(t, w.tar.Close())
	require.NoError(t, to.Close())
	return path
}

// TestForgedArchives have what would change what others have: bytes of their files, and
// who signs in to their accounts.
func TestForgedArchives(t *testing.T) {
	t.Parallel()

	_, database, store, team := released(t)
	archive := filepath.Join(t.TempDir(), "team.tar")
	status, _, stderr := command(t, "team", "export", team, "-o", archive, "--database-url", database, "--blob-url", "file://"+store, "--data-dir", t.TempDir())
	require.Zero(t, status, stderr)
	same := func(_ *string, content []byte) []byte { return content }
	var user, email, personal, bytesID string
	forged(t, archive, func(name *string, content []byte) []byte {
		var row struct {
			ID       string `json:"id"`
			Email    string `json:"email"`
			Personal string `json:"personal_team_id"`
			BytesID  string `json:"bytes_id"`
		}
		line, _, _ := bytes.Cut(content, []byte{'\n'})
		_ = json.Unmarshal(line, &row) // others are no rows
		switch {
		case strings.HasSuffix(*name, "-users.ndjson"):
			user, email, personal = row.ID, row.Email, row.Personal
		case strings.HasSuffix(*name, "-file_versions.ndjson"):
			bytesID = row.BytesID
		}
		return content
	}, nil)

	other, into, otherStore := elsewhere(t)
	victim := db.NewID()
	blobs, err := blob.Open(t.Context(), "file://"+otherStore)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	require.NoError(t, other.InTx(t.Context(), func(tx *db.Tx) error {
		mine, err := tx.EnsureUser(t.Context(), "ada@example.com", "")
		if err != nil {
			return err
		}
		in := db.Scope{TeamID: mine.PersonalTeamID, ActorKind: "user", ActorID: mine.ID}
		if _, err := tx.CreateFile(t.Context(), in, db.NewFile{ID: victim, Name: "mine", SHA256: []byte("mine"), Source: "upload"}); err != nil {
			return err
		}
		_, err = tx.Raw.Exec(t.Context(), `
			WITH own AS (INSERT INTO teams (id, kind, name) VALUES ($3, 'personal', $2) RETURNING id)
			INSERT INTO users (id, email, name, personal_team_id) SELECT $1, $2, '', id FROM own`, user, email, personal)
		return err
	}))
	_, err = blobs.Put(t.Context(), blob.Original(victim), strings.NewReader("mine"), 10)
	require.NoError(t, err)
	before := blobsOf(t, otherStore)
	refused := func(path, says string) {
		t.Helper()
		for _, more := range [][]string{{"--dry-run"}, nil} {
			status, _, stderr := command(t, slices.Concat([]string{"team", "import", path}, into, more)...)
			require.Equal(t, exitFailed, status)
			require.Contains(t, stderr, says)
			require.Equal(t, before, blobsOf(t, otherStore))
		}
	}
	refused(forged(t, archive, same, map[string]string{archiveBytes + victim + "/" + victim: "theirs"}), "these are the bytes of no version in it")
	refused(forged(t, archive, same, map[string]string{archiveBytes + "x/" + strings.ToUpper(bytesID): "theirs"}), "these are the bytes of no version in it")
	refused(forged(t, archive, same, map[string]string{archiveBytes + "../../" + victim: "theirs"}), "which archives do not have")
	renamed := func(name *string, content []byte) []byte {
		if theirs, ok := strings.CutSuffix(*name, "/"+bytesID); ok {
			*name = theirs + "/" + victim
		}
		if strings.HasSuffix(*name, "-file_versions.ndjson") {
			return bytes.ReplaceAll(content, []byte(`"bytes_id":"`+bytesID), []byte(`"bytes_id":"`+victim))
		}
		return content
	}
	refused(forged(t, archive, renamed, nil), "another team has these bytes")
	refused(forged(t, archive, func(name *string, content []byte) []byte {
		if strings.HasSuffix(*name, "-files.ndjson") {
			return bytes.Replace(content, []byte(`"duplicate_of":null`), []byte(`"duplicate_of":"`+victim+`"`), 1)
		}
		return content
	}, nil), "rows of files that refer to files of another team")

	refused(forged(t, archive, func(name *string, content []byte) []byte {
		if strings.HasPrefix(*name, archiveBytes) && strings.HasSuffix(*name, "/"+bytesID) {
			return append(content, '!')
		}
		return content
	}, nil), "bytes, and its version ")
	refused(withHoles(t, archive, bytesID), " has holes")

	// It brings nobody and no team but its own.
	row := func(table, line string) func(name *string, content []byte) []byte {
		return func(name *string, content []byte) []byte {
			if strings.HasSuffix(*name, "-"+table+".ndjson") {
				return append(content, line+"\n"...)
			}
			return content
		}
	}
	like := func(table string, change map[string]any) string { // a row of the archive, as another
		var of map[string]any
		forged(t, archive, func(name *string, content []byte) []byte {
			if strings.HasSuffix(*name, "-"+table+".ndjson") {
				line, _, _ := bytes.Cut(content, []byte{'\n'})
				require.NoError(t, json.Unmarshal(line, &of))
			}
			return content
		}, nil)
		maps.Copy(of, change)
		line, err := json.Marshal(of)
		require.NoError(t, err)
		return string(line)
	}
	more := db.NewID()
	refused(forged(t, archive, row("teams", like("teams", map[string]any{"id": more, "kind": "organization", "name": "Mallory", "external_name": nil})), nil), "has teams that are not of its team")
	refused(forged(t, archive, row("users", like("users", map[string]any{"id": more, "email": "operator@example.com"})), nil), "has people that are not of its team")

	// Whoever is here already signs in as before, and nobody else as them.
	signIn := `{"issuer":"https://example.com","subject":"mallory","user_id":"` + user + `","created_at":"2026-01-01 00:00:00+00"}` + "\n"
	path := forged(t, archive, func(name *string, content []byte) []byte {
		if strings.HasSuffix(*name, "-identities.ndjson") {
			return append(content, signIn...)
		}
		return content
	}, nil)
	status, _, stderr = command(t, slices.Concat([]string{"team", "import", path}, into)...)
	require.Zero(t, status, stderr)
	var theirs int
	require.NoError(t, other.Pool().QueryRow(t.Context(), `SELECT count(*) FROM identities WHERE user_id = $1`, user).Scan(&theirs))
	require.Zero(t, theirs)
}

// withHoles is an archive in which bytes are said and not there.
func withHoles(t *testing.T, archive, bytesID string) string {
	t.Helper()
	from, err := os.Open(archive)
	require.NoError(t, err)
	defer from.Close()
	var to bytes.Buffer
	w := tar.NewWriter(&to)
	for entries := tar.NewReader(from); ; {
		entry, err := entries.Next()
		require.NoError(t, err)
		content, err := io.ReadAll(entries)
		require.NoError(t, err)
		if strings.HasSuffix(entry.Name, "/"+bytesID) { // with letters that the writer does not know
			holes := append([]byte("0\n"), make([]byte, 510)...)
			require.NoError(t, w.WriteHeader(&tar.Header{
				Typeflag: tar.TypeReg, Name: entry.Name, Size: int64(len(holes)), Mode: 0o600, Format: tar.FormatPAX,
				PAXRecords: map[string]string{"XNU.sparse.major": "1", "XNU.sparse.minor": "0", "XNU.sparse.name": entry.Name, "XNU.sparse.realsize": strconv.Itoa(len(content))},
			}))
			_, err = w.Write(holes)
			require.NoError(t, err)
			break
		}
		require.NoError(t, w.WriteHeader(entry))
		_, err = w.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "holes.tar")
	require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(to.Bytes(), []byte("XNU.sparse."), []byte("GNU.sparse.")), 0o600))
	return path
}

// TestTeamMoves takes a team to another installation, and compares every row and every
// byte.
func TestTeamMoves(t *testing.T) {
	t.Parallel()

	d, database, store, team := released(t)
	one := func(sql string) (text string) {
		require.NoError(t, d.Pool().QueryRow(t.Context(), sql, team).Scan(&text))
		return text
	}
	// Some of it lies in the trash, and somebody has said something.
	in := db.System(team)
	chatter := db.Scope{TeamID: team, ActorKind: "user", ActorID: one(`SELECT min(user_id::text) FROM chat_participants WHERE team_id = $1`)}
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.AddChatMessage(t.Context(), chatter, one(`SELECT min(id::text) FROM chats WHERE team_id = $1`), db.NewChatMessage{Text: "Is this usual?"}); err != nil {
			return err
		}
		_, err := tx.DeleteFile(t.Context(), in, one(`SELECT id::text FROM files WHERE team_id = $1 AND name = 'lease.txt'`))
		return err
	}))
	// What the other installation settles is settled here before it is compared.
	one(`WITH done AS (UPDATE operations SET state = 'cancelled', finished_at = now() WHERE team_id = $1 AND state = 'running') SELECT 'done'`)

	settings := []string{"--database-url", database, "--blob-url", "file://" + store, "--data-dir", t.TempDir()}
	archive := filepath.Join(t.TempDir(), "team.tar")
	status, stdout, stderr := command(t, append([]string{"team", "list", "--json"}, settings[:2]...)...)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, team)
	status, stdout, stderr = command(t, append([]string{"team", "export", team, "-o", archive, "--json"}, settings...)...)
	require.Zero(t, status, stderr)
	var done archived
	require.NoError(t, json.Unmarshal([]byte(stdout), &done))
	require.Greater(t, done.Files, 5)
	before := rowsOf(t, d, team)
	status, _, stderr = command(t, append([]string{"team", "export", team, "-o", archive}, settings...)...)
	require.Equal(t, exitUsage, status)
	require.Contains(t, stderr, "file exists")
	missing := filepath.Join(t.TempDir(), "no.tar")
	status, _, stderr = command(t, append([]string{"team", "export", "", "-o", missing}, settings...)...)
	require.Equal(t, exitUsage, status)
	require.Contains(t, stderr, "use 'clausemill backup'")
	status, _, _ = command(t, append([]string{"team", "export", db.NewID(), "-o", missing}, settings...)...)
	require.Equal(t, exitFailed, status)
	require.NoFileExists(t, missing)

	other, otherURL := dbtest.Database(t)
	otherStore := t.TempDir()
	into := []string{"--database-url", otherURL, "--blob-url", "file://" + otherStore, "--data-dir", t.TempDir()}
	load := func(path string, more ...string) (int, string, string) {
		return command(t, append(append([]string{"team", "import", path}, more...), into...)...)
	}
	status, stdout, stderr = load(archive, "--dry-run")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "would import team "+team)
	require.Empty(t, rowsOf(t, other, team)["files"])
	require.Empty(t, blobsOf(t, otherStore))

	// One that was changed on the way is refused, wherever it was.
	whole, err := os.ReadFile(archive)
	require.NoError(t, err)
	damaged := filepath.Join(t.TempDir(), "damaged.tar")
	for says, change := range map[string]func([]byte) []byte{
		"is missing or damaged":                               func(b []byte) []byte { return bytes.Replace(b, []byte("governing_law"), []byte("governing_lav"), 1) },
		"the archive is damaged or not whole: unexpected EOF": func(b []byte) []byte { return append(b[:len(b)/2/512*512:len(b)/2/512*512], make([]byte, 1024)...) },
		"damaged or not whole":                                func(b []byte) []byte { return b[:len(b)/2] },
		"this is no archive":                                  func([]byte) []byte { return whole[len(whole)/2/512*512:] },
		"other columns of files": func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte(`"lifecycle_stage"`), []byte(`"lifecycle_stagf"`))
		},
	} {
		changed := change(bytes.Clone(whole))
		require.NoError(t, os.WriteFile(damaged, changed, 0o600))
		status, _, stderr = load(damaged)
		require.Equal(t, exitFailed, status, says)
		require.Contains(t, stderr, "nothing was imported")
		if says != "this is no archive" {
			require.Contains(t, stderr, says)
		}
		require.Empty(t, rowsOf(t, other, team)["files"], says)
		require.Empty(t, blobsOf(t, otherStore), says)
	}
	require.NoError(t, os.WriteFile(damaged, bytes.Replace(bytes.Clone(whole), []byte(`"format": 1`), []byte(`"format": 9`), 1), 0o600))
	status, _, stderr = load(damaged)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "the archive has format 9, and this program reads 1")

	status, stdout, stderr = load(archive)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "imported team "+team)
	after := rowsOf(t, other, team)
	requireSameRows(t, before, after)
	for _, table := range []string{"files", "file_versions", "sentences", "changes", "matters", "trash", "members", "chats", "chat_messages", "pages", "attributes"} {
		require.NotEmpty(t, after[table], table)
	}
	requireSameBytes(t, store, otherStore, done.Files)
	// It is indexed there, what was being read is read there, and what waits to be sent
	// is sent from there too.
	require.NoError(t, other.InTx(t.Context(), func(tx *db.Tx) error {
		var waiting int
		if err := tx.Raw.QueryRow(t.Context(), `SELECT count(*) FROM webhook_deliveries WHERE state = 'pending' AND team_id = $1`, team).Scan(&waiting); err != nil {
			return err
		}
		require.Positive(t, waiting)
		refs, err := tx.AskDeliveries(t.Context(), 1000)
		require.Len(t, refs, waiting)
		return err
	}))
	var waiting, reading int
	require.NoError(t, other.Pool().QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE kind = 'reconcile_index'), count(*) FILTER (WHERE kind = 'receive_file') FROM river_job`).Scan(&waiting, &reading))
	require.Equal(t, 1, waiting)
	require.Positive(t, reading)

	status, _, stderr = load(archive)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "there is a team "+team+" already")

	// Somebody else has the address of a member.
	third, thirdURL := dbtest.Database(t)
	require.NoError(t, third.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.EnsureUser(t.Context(), provider.User, "")
		return err
	}))
	into[1], into[3] = thirdURL, "file://"+t.TempDir()
	status, _, stderr = load(archive)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "another address: "+provider.User)
	_, err = third.Pool().Exec(t.Context(), `DELETE FROM clausemill_migrations WHERE version = (SELECT max(version) FROM clausemill_migrations)`)
	require.NoError(t, err)
	status, _, _ = load(archive)
	require.Equal(t, exitFailed, status)
}
