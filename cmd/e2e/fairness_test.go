package e2e_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// crowd queues n files of an account as an import does, all with the same bytes
// on disk but each taken for another file.
func (s *system) crowd(in db.Scope, n int, content []byte) {
	s.t.Helper()
	ctx := s.t.Context()
	client, err := river.NewClient(riverpgxv5.New(s.db.Pool()), &river.Config{})
	require.NoError(s.t, err)
	original := filepath.Join(s.dir, "original")
	require.NoError(s.t, os.WriteFile(original, content, 0o600))
	const atATime = 500
	for first := 0; first < n; first += atATime {
		require.NoError(s.t, s.db.InTx(ctx, func(tx *db.Tx) error {
			var work []jobs.Args
			for i := first; i < min(first+atATime, n); i++ {
				f := db.NewFile{ID: db.NewID(), Name: fmt.Sprintf("%d.png", i), Size: int64(len(content)), Source: "upload", Bulk: true}
				sum := sha256.Sum256([]byte(f.ID)) // or it would be a duplicate
				f.SHA256 = sum[:]
				if _, err := tx.CreateFile(ctx, in, f); err != nil {
					return err
				}
				path := filepath.Join(s.blobs(), filepath.FromSlash(blob.Original(f.ID)))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					return err
				}
				if err := os.Link(original, path); err != nil {
					return err
				}
				work = append(work, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: in.TeamID, Attempt: 1, Bulk: true}})
			}
			return jobs.Insert(ctx, client, tx.Raw, work...)
		}))
	}
}

// onePage is a scan that is like no other.
func onePage(t testing.TB, seed uint64) upload {
	t.Helper()
	return upload{"page.png", encodePNG(t, scan(t, clauses(seed, linesAPage)))}
}

// finished counts an account's files that have come to their end.
func (s *system) finished(in db.Scope) int {
	s.t.Helper()
	return s.count(`SELECT count(*) FROM files WHERE team_id = $1 AND status NOT IN ('queued', 'processing')`, in.TeamID)
}

// resting reports whether a child of a worker pauses.
func resting(w *process) bool {
	return slices.ContainsFunc(w.children(), func(s stat) bool { return s.state == 'T' })
}

// TestImportHoldsUpNobody uploads a page while another team's import waits, and
// counts how many files of that came first. The import pauses for it.
func TestImportHoldsUpNobody(t *testing.T) {
	long(t)
	const queued, handful = 1000, 12
	s := newSystem(t)
	ada, bob := s.account("ada@example.com"), s.account("bob@example.com")
	address := freeAddress(t)
	s.api(address)
	s.crowd(ada.in, queued, onePage(t, 1).content)
	w := s.worker()
	require.Eventually(t, func() bool { return s.finished(ada.in) > 2 }, 2*time.Minute, 50*time.Millisecond)
	c := bob.byKey(t, address)
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	paused := make(chan bool, 1)
	go func() {
		seen, look := false, time.NewTicker(5*time.Millisecond)
		defer look.Stop()
		for watching.Err() == nil && !seen {
			<-look.C
			seen = resting(w)
		}
		paused <- seen
	}()
	for i := range uint64(3) {
		before := s.finished(ada.in)
		require.Equal(t, "completed", c.wait(c.upload(onePage(t, 100+i)).ID, 2*time.Minute).Status)
		first := s.finished(ada.in) - before
		t.Logf("%d files of the import came before the page", first)
		require.LessOrEqual(t, first, handful)
	}
	stop()
	require.True(t, <-paused)
}

// BenchmarkFairness measures how much longer one team's page takes behind
// another team's import than on an idle system.
func BenchmarkFairness(b *testing.B) {
	const queued, pages = 20_000, 9
	s := newSystem(b)
	ada, bob := s.account("ada@example.com"), s.account("bob@example.com")
	address := freeAddress(b)
	s.api(address)
	s.worker()
	c := bob.byKey(b, address)
	seed := uint64(1000)
	median := func() time.Duration {
		var all []time.Duration
		for range pages {
			seed++
			page := onePage(b, seed)
			started := time.Now()
			require.Equal(b, "completed", c.wait(c.upload(page).ID, 2*time.Minute).Status)
			all = append(all, time.Since(started))
		}
		slices.Sort(all)
		return all[pages/2]
	}
	median() // children start and models are loaded
	for b.Loop() {
		idle := median()
		s.crowd(ada.in, queued, onePage(b, 1).content)
		require.Eventually(b, func() bool { return s.finished(ada.in) > 2 }, 2*time.Minute, 50*time.Millisecond)
		loaded := median()
		b.ReportMetric(idle.Seconds(), "idle-s/page")
		b.ReportMetric(loaded.Seconds(), "loaded-s/page")
		b.ReportMetric(loaded.Seconds()/idle.Seconds(), "ratio")
	}
}
