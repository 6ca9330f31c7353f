package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/worker"
)

// TestPointInTime is the drill of docs/operating.md: an installation whose write-ahead log
// is archived goes back to a moment before things were destroyed. The database is that of
// the moment; bytes that are gone from the store since are named, and come from a copy of it.
func TestPointInTime(t *testing.T) {
	long(t)
	archive, err := openDir("clausemill-e2e-wal-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(archive) })
	require.NoError(t, os.Chmod(archive, 0o777)) //nolint:gosec // under root the server is somebody else
	before := newCluster(t, "archive_mode=on", "archive_command=test ! -f "+archive+"/%f && cp %p "+archive+"/%f")
	store, kept := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	settings := append(meilisearch(), "BLOB_URL=file://"+store) // the index is not recovered

	d := before.open()
	s := newSystemAt(t, d, before.url(), settings...)
	address := freeAddress(t)
	api := s.api(address)
	work := s.worker()
	ada := s.account("ada@example.com")
	c := ada.bySession(t, address)
	text := func(word string) []byte {
		return fmt.Appendf(nil, "The Tenant keeps one %s in the house.\n\nThe law of Delaware governs this agreement.", word)
	}
	early := upload{"early.txt", text("ostrich")}
	first := c.upload(early)
	require.Equal(t, "completed", c.wait(first.ID, time.Minute).Status)

	after := &cluster{t: t, settings: []string{"restore_command=cp " + archive + "/%f %p", "recovery_target_action=promote"}}
	after.dir, err = openDir("clausemill-e2e-postgres-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(after.dir) })
	require.NoError(t, before.server.BaseBackup(t.Context(), after.dir))

	// What the base backup does not have, and the log has.
	doomed := upload{"doomed.txt", text("penguin")}
	second := c.upload(doomed)
	require.Equal(t, "completed", c.wait(second.ID, time.Minute).Status)
	var matter struct{ ID, Name string }
	c.post("/api/matters", `{"name":"Merger"}`).into(t, http.StatusCreated, &matter)
	s.lawful()
	readings := s.readings(ada.in)
	work.kill()
	unread := c.upload(upload{"unread.txt", text("heron")}) // its job waits at the moment
	require.NoError(t, exec.Command("cp", "-a", store, kept).Run())
	var moment string
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT clock_timestamp()::text`).Scan(&moment))

	// What is to be undone.
	work = s.worker()
	require.Equal(t, "completed", c.wait(unread.ID, time.Minute).Status)
	var gone struct{ TrashID string }
	require.NoError(t, json.Unmarshal(c.call(t.Context(), http.MethodDelete, "/api/files/"+second.ID, nil).body, &gone))
	require.True(t, c.call(t.Context(), http.MethodDelete, "/api/trash/"+gone.TrashID, nil).ok())
	a := c.call(t.Context(), http.MethodPut, "/api/matters/"+matter.ID, strings.NewReader(`{"name":"Nothing"}`), "Content-Type", "application/json")
	require.True(t, a.ok(), "%d %s", a.status, a.body)
	late := c.upload(upload{"late.txt", text("walrus")})
	require.Equal(t, "completed", c.wait(late.ID, time.Minute).Status)
	finds := func(id, word string) {
		t.Helper()
		require.Eventually(t, func() bool { return slices.Equal([]string{id}, c.found(word)) }, time.Minute, 50*time.Millisecond, word)
	}
	finds(late.ID, "walrus")

	var segment string
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT pg_walfile_name(pg_switch_wal())`).Scan(&segment))
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(archive, segment))
		return err == nil && s.count(`SELECT count(*) FROM pg_stat_archiver WHERE last_archived_wal >= $1`, segment) == 1
	}, time.Minute, 20*time.Millisecond, "the log is not archived")
	api.kill()
	work.kill()
	before.crash()

	// The database, and the store.
	began := time.Now()
	after.settings = append(after.settings, "recovery_target_time="+moment)
	require.NoError(t, os.WriteFile(filepath.Join(after.dir, "data", "recovery.signal"), nil, 0o600))
	after.start()
	t.Cleanup(func() { _ = after.server.Stop() })
	t.Logf("the database was there after %s", time.Since(began).Round(time.Millisecond))
	back := newSystemAt(t, after.open(), after.url(), settings...)
	status, said := back.command("verify", "--json")
	require.Equal(t, 1, status, said)
	require.Contains(t, said, `{"fileId":"`+second.ID+`","key":"`+blob.Original(second.ID)+`","fault":"are missing in the store"}`)
	require.Contains(t, said, `"files":3,`)
	require.Contains(t, said, `"lost":1,"unnamed":1}`)
	path := filepath.FromSlash(blob.Original(second.ID))
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(store, path)), 0o700))
	require.NoError(t, os.Rename(filepath.Join(kept, path), filepath.Join(store, path)))
	status, said = back.command("verify", "--json")
	require.Zero(t, status, said)
	require.Contains(t, said, `"lost":0,"unnamed":1}`)

	// The search index, and the work that waited.
	status, said = back.command("reindex", "--all")
	require.Zero(t, status, said)
	back.api(address)
	back.worker()
	require.Equal(t, "completed", c.wait(unread.ID, time.Minute).Status)
	require.Eventually(t, func() bool {
		return back.count(`SELECT count(*) FROM files WHERE indexed_generation < generation`) == 0 &&
			back.count(`SELECT count(*) FROM river_job WHERE kind = 'reconcile_index' AND state NOT IN ('completed', 'cancelled', 'discarded')`) == 0
	}, time.Minute, 20*time.Millisecond, "search is not up to date")
	for id, word := range map[string]string{first.ID: "ostrich", second.ID: "penguin", unread.ID: "heron"} {
		finds(id, word)
		a := c.get("/api/files/" + id + "/download")
		require.Equal(t, http.StatusOK, a.status)
		require.Equal(t, string(text(word)), string(a.body))
	}
	require.Empty(t, c.found("walrus"))
	require.Equal(t, http.StatusNotFound, c.get("/api/files/"+late.ID).status)
	c.get("/api/matters/"+matter.ID).into(t, http.StatusOK, &matter)
	require.Equal(t, "Merger", matter.Name)
	readAgain := back.readings(ada.in)
	delete(readAgain, "unread.txt")
	back.requireSame(readings, readAgain)
	back.lawful()

	blobs, err := blob.Open(t.Context(), "file://"+store)
	require.NoError(t, err)
	swept, err := (&worker.Worker{Config: worker.Config{DB: back.db, Blobs: blobs}}).Sweep(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, 1, swept, "what came after the moment")
	status, said = back.command("verify", "--json")
	require.Zero(t, status, said)
	require.Contains(t, said, `"lost":0,"unnamed":0}`)
}

// found are the files that search finds.
func (c *caller) found(words string) (ids []string) {
	c.t.Helper()
	var answer struct{ Items []struct{ FileID string } }
	c.get("/api/search?q="+words).into(c.t, http.StatusOK, &answer)
	for _, item := range answer.Items {
		ids = append(ids, item.FileID)
	}
	return ids
}

// command runs a command of the program to its end.
func (s *system) command(args ...string) (status int, said string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir = s.env, s.dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		require.NoError(s.t, err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
