package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// releases is what each release left behind: the database in VERSION.sql.gz, and
// the bytes of its files in VERSION.files.tar.gz.
const releases = "../../db/testdata/releases"

var dump = flag.Bool("dump", false, "keep what the release in VERSION leaves behind")

// leaseWords are in a file of every dump.
const leaseWords = "The tenant keeps no ostrich on the premises."

// TestUpgrade migrates the database of every release, and goes on with it where
// the release stopped.
func TestUpgrade(t *testing.T) {
	dumps, err := filepath.Glob(releases + "/*.sql.gz")
	require.NoError(t, err)
	require.NotEmpty(t, dumps)
	for _, path := range dumps {
		release := strings.TrimSuffix(filepath.Base(path), ".sql.gz")
		t.Run(release, func(t *testing.T) { upgrade(t, release) })
	}
}

func upgrade(t *testing.T, release string) {
	t.Helper()
	database := dbtest.Empty(t)
	key, robot := restore(t, database, release)
	d, err := db.Open(t.Context(), database, 4)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	s := newSystemAt(t, d, database)
	unpack(t, filepath.Join(releases, release+".files.tar.gz"), s.blobs())
	counts := map[string]int{}
	for _, table := range []string{"users", "files", "matters", "sentences", "audit_events", "api_keys", "changes", "chats", "webhooks", "assignments"} {
		counts[table] = s.count(`SELECT count(*) FROM ` + table)
		require.NotZero(t, counts[table], table)
	}
	require.NotZero(t, s.count(`SELECT count(*) FROM river_job WHERE state IN ('available', 'scheduled', 'retryable')`), "nothing is left to do")
	decided := s.count(`SELECT count(*) FROM sentences WHERE source = 'validated'`)
	written := s.count(`SELECT pg_relation_filenode('sentences')::int`)

	migrate := start(t, s.dir, s.env, program, "migrate")
	migrate.ends(time.Minute)
	require.Zero(t, migrate.cmd.ProcessState.ExitCode(), migrate.said(4<<10))
	require.Regexp(t, `the schema is at \d+, as this program wants it\n$`, migrate.said(4<<10))
	for table, n := range counts {
		require.Equal(t, n, s.count(`SELECT count(*) FROM `+table), table)
	}
	require.Equal(t, written, s.count(`SELECT pg_relation_filenode('sentences')::int`), "nobody waits for the largest table to be written anew")
	require.Zero(t, s.count(`
		SELECT count(*) FROM sentences s JOIN files f ON f.id = s.file_id
		WHERE s.language <> CASE WHEN f.language IN ('de', 'es', 'fr', 'it', 'nl') THEN f.language ELSE '' END
			OR NOT tsvector_to_array(s.vector) @> tsvector_to_array(to_tsvector(stemming(s.language), searchable(s.text)))`), "all sentences are stemmed")
	address := freeAddress(t)
	s.api(address)
	s.worker()

	// The key that the release gave out is good, and what it left undone is done.
	byKey := newCaller(t, address, http.Header{"Authorization": {"Bearer " + key}})
	files := map[string]file{}
	for _, f := range byKey.allEnd(3 * time.Minute) {
		files[f.Name] = f
	}
	for name, status := range map[string]string{
		"lease.txt": "completed", "supply.docx": "completed", "scan.pdf": "completed", "waiting.pdf": "completed", "broken.pdf": "failed", "bundle.zip": "completed", "rent.html": "completed",
	} {
		require.Equal(t, status, files[name].Status, name)
	}
	s.lawful()

	// Everything that was there is found, and can be read.
	p := s.member(address)
	find := func(query string) (names []string) {
		var found struct{ Items []struct{ FileID string } }
		p.get("/api/files/search-index?q="+url.QueryEscape(query)).into(t, http.StatusOK, &found)
		for _, hit := range found.Items {
			for name, f := range files {
				if f.ID == hit.FileID {
					names = append(names, name)
				}
			}
		}
		return names
	}
	require.Contains(t, find("ostrich"), "lease.txt")
	require.Contains(t, find("agreement number 1007"), "scan.pdf")
	require.Contains(t, string(p.get("/api/files/"+files["lease.txt"].ID+"/documents").body), leaseWords)
	original := p.get("/api/files/" + files["lease.txt"].ID + "/download")
	require.True(t, original.ok(), "%d %s", original.status, original.body)
	require.Contains(t, string(original.body), leaseWords)
	require.Equal(t, decided, s.count(`SELECT count(*) FROM sentences WHERE source = 'validated'`))
	for path, says := range map[string]string{
		"/api/sentences?label=governing_law&source=validated":                        `"labels":[{"node":"governing_law"`,
		"/api/sentences?fileId=" + files["supply.docx"].ID:                           "Delaware",
		"/api/files?status=failed":                                                   "broken.pdf",
		"/api/files?lifecycleStage=review":                                           "lease.txt",
		`/api/files?filter={"field":"attribute.color","op":"in","values":["green"]}`: "lease.txt",
		"/api/matters":                        "Bolt",
		"/api/chats":                          "About the lease",
		"/api/categories":                     "Suppliers",
		"/api/dashboard-widgets":              "Files by status",
		"/api/saved-searches":                 "Ostriches",
		"/api/search/synonyms":                "ostrich",
		"/api/flags":                          "new-editor",
		"/api/webhooks":                       "127.0.0.1",
		"/api/api-keys":                       "nightly import",
		"/api/teams/users":                    provider.Colleague,
		"/api/document-types":                 "Ostrich Lease",
		"/api/attributes/file-level/keys":     "color",
		"/api/audit/aggregate?groupBy=action": "file.created",
		"/api/files/" + files["supply.docx"].ID + "/changes": "ninety",
		"/api/search?q=ostrich":                              "lease.txt",
	} {
		path, query, _ := strings.Cut(path, "?")
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		a := p.get(path + "?" + values.Encode())
		require.True(t, a.ok(), "%s: %d %s", path, a.status, a.body)
		require.Contains(t, string(a.body), says, path)
	}

	// Programs sign in with what the release gave out, and others with what is new.
	if robot == (serviceAccount{}) { // none could be made before 0.2.0
		p.asks("POST", "/api/service-accounts", makeRobot, http.StatusCreated, &robot)
	}
	var robots struct{ Items []struct{ ID, Name string } }
	p.asks("GET", "/api/service-accounts", "", http.StatusOK, &robots)
	require.Equal(t, []struct{ ID, Name string }{{robot.ID, "nightly export"}}, robots.Items)
	byRobot := newCaller(t, address, http.Header{"Authorization": {"Bearer " + robot.token(t, address)}})
	require.Contains(t, string(byRobot.get("/api/export/files?format=csv").body), "lease.txt")
	require.Equal(t, http.StatusForbidden, byRobot.get("/api/webhooks").status, "its scopes stay as they were")

	// What a file was is its first version. Of one whose upload the release has
	// written over it is told.
	require.Zero(t, s.count(`SELECT count(*) FROM files f WHERE (SELECT count(*) FROM file_versions v WHERE v.file_id = f.id AND v.sha256 = f.sha256 AND v.kind = f.kind) <> 1`))
	require.Equal(t, s.count(`SELECT count(DISTINCT resource_id) FROM audit_events WHERE action = 'file.replaced'`),
		s.count(`SELECT count(*) FROM file_versions WHERE note = 'as it was at the upgrade'`))
	require.Contains(t, string(p.get("/api/files/"+files["lease.txt"].ID+"/versions").body), `"source":"upload"`)

	// And new work is done as ever.
	fresh := byKey.upload(upload{"fresh.txt", []byte("A lease of a giraffe ends after two years.")})
	require.Equal(t, "completed", p.wait(fresh.ID, time.Minute).Status)
	files["fresh.txt"] = fresh
	require.Contains(t, find("giraffe"), "fresh.txt")
	p.asks("POST", "/api/files/"+files["lease.txt"].ID+"/reprocess", `{}`, http.StatusAccepted, &fresh)
	require.Equal(t, "completed", p.wait(files["lease.txt"].ID, time.Minute).Status)
	require.Equal(t, decided, s.count(`SELECT count(*) FROM sentences WHERE source = 'validated'`), "decisions are lost")
	s.lawful()
}

// member is the first user of `clausemill dev`, signed in to the organization.
func (s *system) member(address string) person {
	s.t.Helper()
	ctx, token := s.t.Context(), auth.NewToken()
	require.NoError(s.t, s.db.InTx(ctx, func(tx *db.Tx) error {
		user, err := tx.EnsureUser(ctx, provider.User, "")
		if err != nil {
			return err
		}
		team, err := tx.EnsureOrganization(ctx, provider.Organization)
		if err != nil {
			return err
		}
		return tx.CreateSession(ctx, token.Hash, user.ID, team.ID, auth.SessionLifetime)
	}))
	return person{caller: account{session: token.Text}.bySession(s.t, address)}
}

// keyLine and robotLine tell the API key and the service account of a throwaway
// installation, which no other knows.
const (
	keyLine   = "-- its API key: "
	robotLine = "-- its service account: "
)

// makeRobot is the body that makes the service account of a dump.
const makeRobot = `{"name":"nightly export","role":"member","scopes":["files:read","export"]}`

// serviceAccount is one of an installation.
type serviceAccount struct{ ID, Secret string }

// token signs in as the account.
func (s serviceAccount) token(t *testing.T, address string) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {s.ID}, "client_secret": {s.Secret}}
	var token struct {
		Text string `json:"access_token"`
	}
	nobody := newCaller(t, address, http.Header{})
	nobody.call(t.Context(), http.MethodPost, "/auth/token", strings.NewReader(form.Encode()), "Content-Type", "application/x-www-form-urlencoded").into(t, http.StatusOK, &token)
	return token.Text
}

// restore fills an empty database with what a release left behind, and returns an
// API key and the service account of it, if there is one.
func restore(t *testing.T, database, release string) (key string, robot serviceAccount) {
	t.Helper()
	packed, err := os.Open(filepath.Join(releases, release+".sql.gz"))
	require.NoError(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	sql, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	_, key, _ = strings.Cut(string(sql), keyLine)
	key, _, _ = strings.Cut(key, "\n")
	if _, line, ok := strings.Cut(string(sql), robotLine); ok {
		line, _, _ = strings.Cut(line, "\n")
		robot.ID, robot.Secret, _ = strings.Cut(line, " ")
	}

	config, err := pgx.ParseConfig(database)
	require.NoError(t, err)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.PgConn().Exec(t.Context(), string(sql)).ReadAll()
	require.NoError(t, err)
	return key, robot
}

// unpack writes the files of an archive.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	packed, err := os.Open(archive)
	require.NoError(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	for entries := tar.NewReader(unpacked); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		if entry.Typeflag != tar.TypeReg {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(entry.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		content, err := io.ReadAll(entries)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
}

// TestDump makes an installation as a team leaves it in the middle of its work, and
// keeps its database and files for TestUpgrade. `make dump` runs it, once for each
// release. Whatever a release adds to the database belongs in here.
func TestDump(t *testing.T) {
	if !*dump {
		t.Skip("is run by `make dump`")
	}
	target := filepath.Join(releases, clausemill.Version)
	require.NoFileExists(t, target+".sql.gz", "what a release has left behind stays")
	h, database := newHome(t, nil), dbtest.Empty(t)
	p := h.dev("DATABASE_URL="+database, "CLAUSEMILL_PRIVATE_WEBHOOKS=true")
	ada, bob := h.signIn(provider.User), h.signIn(provider.Colleague)

	// Somebody's own files are nobody else's.
	ada.does("POST", "/api/files", `{"name":"private.txt","contentBase64":%q}`, encoded([]byte("Nobody reads this.")))
	var session struct{ Teams []struct{ ID, Kind string } }
	ada.asks("GET", "/api/session", "", http.StatusOK, &session)
	organization := slices.IndexFunc(session.Teams, func(t struct{ ID, Kind string }) bool { return t.Kind == "organization" })
	require.GreaterOrEqual(t, organization, 0)
	for _, who := range []person{ada, bob} {
		who.does("PUT", "/api/session", `{"teamId":%q}`, session.Teams[organization].ID)
	}

	// Files that are read in different ways, and one that nobody can read. A webhook
	// tells of them in vain.
	ada.does("POST", "/api/webhooks", `{"url":"http://127.0.0.1:1/nobody","types":["file.completed"]}`)
	add := func(name string, content []byte) string {
		id := ada.does("POST", "/api/files", `{"name":%q,"contentBase64":%q}`, name, encoded(content))
		ada.wait(id, 3*time.Minute)
		return id
	}
	lease := add("lease.txt", []byte(leaseText+"\n2. Animals. "+leaseWords+"\n"))
	supply := add("supply.docx", encodeDOCX(t, "", strings.Split(strings.TrimSpace(supplyText), "\n\n")))
	add("copy of lease.txt", []byte(leaseText+"\n2. Animals. "+leaseWords+"\n"))
	add("scan.pdf", encodePDF(pdfPage{jpeg: encodeJPEG(t, scan(t, clauses(7, linesAPage)))}))
	add("text.pdf", textPDF(8, 2))
	add("rent.html", []byte("<h1>Rent</h1><p>The Tenant shall pay the rent on the first day of each month.</p>"))
	add("bundle.zip", encodeZIP(t, entry{"inner/notice.txt", []byte("Either party may end this agreement by notice.")}))
	add("broken.pdf", []byte("%PDF-1.7\nand no more"))
	ada.allEnd(3 * time.Minute)

	// What users set on them.
	var sentences struct{ Items []struct{ ID, Text string } }
	ada.asks("GET", "/api/sentences?fileId="+supply, "", http.StatusOK, &sentences)
	for _, x := range sentences.Items {
		if strings.Contains(x.Text, "Delaware") {
			ada.does("PATCH", "/api/sentences/"+x.ID+"/validate", `{"label":"governing_law"}`)
		}
	}
	ada.asks("GET", "/api/sentences?fileId="+lease, "", http.StatusOK, &sentences)
	bob.does("POST", "/api/sentences/bulk-assign-label", `{"newNode":{"name":"Animals"},"sentenceIds":[%q]}`, sentences.Items[len(sentences.Items)-1].ID)
	ada.does("PUT", "/api/files/"+lease, `{"metadata":{"shelf":"7"},"attributes":{"color":[{"value":"green"}]},"parties":[{"name":"Casa Inc.","role":"landlord"}]}`)
	ada.does("PUT", "/api/files/"+lease+"/lifecycle-stage", `{"stage":"review"}`)
	kind := ada.does("POST", "/api/document-types", `{"name":"Ostrich Lease"}`)
	ada.does("PUT", "/api/files/"+lease, `{"documentTypeId":%q}`, kind)
	ada.does("POST", "/api/document-types/"+kind+"/analyze", "")
	ada.does("POST", "/api/files/bulk/update-metadata", `{"fileIds":[%q],"set":{"shelf":"8"}}`, supply)
	ada.does("POST", "/api/files/"+supply+"/changes", `{"type":"replace","anchor":{"text":"two years"},"text":"ninety days","comment":"As agreed."}`)
	require.True(t, ada.get("/api/files/"+supply+"/execute-redline?wait=60").ok())

	// What somebody deleted can be brought back.
	ada.does("DELETE", "/api/files/"+add("gone.txt", []byte("The Tenant returns the keys.")), "")

	// Work around them.
	matter := ada.does("POST", "/api/matters", `{"name":"Bolt","description":"Who reads this, @%s?","documentTypeIds":[%q]}`, provider.Colleague, kind)
	ada.does("PATCH", "/api/matters/"+matter+"/files", `{"fileId":%q,"add":true}`, lease)
	ada.does("POST", "/api/matters/"+matter+"/assignments", `{"userId":%q,"role":"owner"}`, bob.id)
	ada.does("POST", "/api/files/"+lease+"/assign", `{"userId":%q,"note":"by Friday"}`, bob.id)
	chat := ada.does("POST", "/api/chats", `{"name":"About the lease","participants":[%q],"fileId":%q,"referenceFileId":%q}`, bob.id, lease, supply)
	ada.does("POST", "/api/chats/"+chat+"/messages", `{"text":"Is this usual?","mentions":[%q]}`, bob.id)
	ada.does("POST", "/api/categories", `{"name":"Parrots","parentId":%q}`, ada.does("POST", "/api/categories", `{"name":"Suppliers"}`))
	ada.does("POST", "/api/dashboard-widgets", `{"title":"Files by status","kind":"bar","query":{"source":"files","metric":{"op":"count"},"groupBy":["status"]}}`)
	ada.does("POST", "/api/saved-searches", `{"name":"Ostriches","shared":true,"q":"ostrich"}`)
	ada.does("PUT", "/api/search/synonyms", `{"groups":[["ostrich","bird"]]}`)
	ada.does("POST", "/api/flags", `{"key":"new-editor","enabled":true,"conditions":[{"attribute":"email","operator":"contains","values":["@"],"rollout":50}]}`)
	ada.does("POST", "/api/notifications", `{"title":"Have a look","userIds":[%q]}`, bob.id)
	ada.does("POST", "/api/teams/invitations", `{"email":"carol@example.com"}`)
	var key struct{ Secret string }
	ada.asks("POST", "/api/api-keys", `{"name":"nightly import","kind":"organization"}`, http.StatusCreated, &key)
	var robot serviceAccount
	ada.asks("POST", "/api/service-accounts", makeRobot, http.StatusCreated, &robot)
	robot.token(t, ada.address)

	// The release stops while a scan waits to be read.
	ada.does("POST", "/api/files", `{"name":"waiting.pdf","contentBase64":%q}`, encoded(scannedPDF(t, 9, 2)))
	p.signal(syscall.SIGINT)
	p.ends(time.Minute)

	require.NoError(t, os.MkdirAll(releases, 0o755)) //nolint:gosec // part of the source
	keep(t, target+".sql.gz", func(w io.Writer) {
		fmt.Fprintf(w, "-- What release %s leaves behind.\n%s%s\n%s%s %s\n\n", clausemill.Version, keyLine, key.Secret, robotLine, robot.ID, robot.Secret)
		_, err := w.Write(statements(t, database))
		require.NoError(t, err)
	})
	keep(t, target+".files.tar.gz", func(w io.Writer) {
		files := tar.NewWriter(w)
		require.NoError(t, files.AddFS(os.DirFS(filepath.Join(h.dir, "data", "blobs"))))
		require.NoError(t, files.Close())
	})
}

// statements is a database as statements that pgx can execute.
func statements(t *testing.T, database string) []byte {
	t.Helper()
	address, err := url.Parse(database)
	require.NoError(t, err)
	settings := address.Query()
	settings.Del("timezone") // which pg_dump does not know
	address.RawQuery = settings.Encode()
	dump := exec.CommandContext(t.Context(), "pg_dump", "--no-owner", "--no-privileges", "--rows-per-insert=100", address.String()) //nolint:gosec // our own database
	dump.Stderr = os.Stderr
	sql, err := dump.Output()
	require.NoError(t, err)
	host, err := os.Hostname() // is in the names of workers
	require.NoError(t, err)
	sql = regexp.MustCompile(`(?m)^\\(un)?restrict .*\n`).ReplaceAll(sql, nil) // meant for psql
	return bytes.ReplaceAll(sql, []byte(host), []byte("worker"))
}

// keep writes a file, packed.
func keep(t *testing.T, path string, write func(io.Writer)) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	packed, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	require.NoError(t, err)
	write(packed)
	require.NoError(t, packed.Close())
	require.NoError(t, f.Close())
}

func encoded(content []byte) string { return base64.StdEncoding.EncodeToString(content) }

// does sends JSON that is expected to be taken, and returns the id of what came of
// it.
func (p person) does(method, path, body string, args ...any) (id string) {
	p.t.Helper()
	a := p.call(p.t.Context(), method, path, strings.NewReader(fmt.Sprintf(body, args...)), "Content-Type", "application/json")
	require.True(p.t, a.ok(), "%s %s: %d %s %v", method, path, a.status, a.body, a.err)
	var made struct{ ID string }
	_ = json.Unmarshal(a.body, &made) // not everything has one
	return made.ID
}
