package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/blob/blobtest"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/search"
	"github.com/clausemill/clausemill/worker"
)

// exec changes what no step does.
func (m *mill) exec(sql string, args ...any) {
	m.t.Helper()
	_, err := m.db.Pool().Exec(m.t.Context(), sql, args...)
	require.NoError(m.t, err)
}

// restart begins a file's next attempt as the API does.
func (m *mill) restart(id string, options db.FileOptions) {
	m.t.Helper()
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) error {
		f, err := tx.RestartFile(m.t.Context(), m.in, id, options, false)
		if err != nil {
			return err
		}
		return jobs.Insert(m.t.Context(), m.client, tx.Raw, jobs.ReceiveFile{File: jobs.File{FileID: id, TeamID: m.in.TeamID, Attempt: f.Attempt}})
	}))
}

// cancel ends a file's attempt as the API does.
func (m *mill) cancel(id string) {
	m.t.Helper()
	ctx := m.t.Context()
	require.NoError(m.t, m.db.InTx(ctx, func(tx *db.Tx) error {
		if _, err := tx.CancelFile(ctx, m.in, id); err != nil {
			return err
		}
		running, err := tx.FileJobs(ctx, m.in, []string{id})
		if err != nil {
			return err
		}
		return jobs.Cancel(ctx, m.client, tx.Raw, running)
	}))
}

// TestPagesStayRead does the last stages of a file again: what was read before
// counts.
func TestPagesStayRead(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	f := m.upload("contract.pdf", fixture(t, "two-pages.pdf"))
	read := m.wait(f.ID)
	require.Equal(t, 2, read.PagesDone)
	for _, from := range []db.FileStage{db.StageSegment, db.StageClassify, db.StageIndex, ""} {
		m.restart(f.ID, db.FileOptions{From: string(from)})
		if again := m.file(f.ID); from == "" && !again.Status.Terminal() {
			require.Zero(t, again.PagesDone)
		}
		again := m.wait(f.ID)
		require.Equal(t, db.FileCompleted, again.Status, from)
		require.Equal(t, 2, again.PageCount)
		require.Equal(t, 2, again.PagesDone, from)
	}
}

func TestReprocessKeepsDecisions(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	f := m.upload("contract.pdf", fixture(t, "two-pages.pdf"))
	m.wait(f.ID)
	before, err := m.db.Sentences(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	for i := range before {
		if i%3 == 0 {
			_, err := m.db.Pool().Exec(t.Context(), `UPDATE sentences SET label = $2, source = 'validated', validated_at = now() WHERE id = $1`,
				before[i].ID, fmt.Sprint("label ", i))
			require.NoError(t, err)
		}
	}
	decided, err := m.db.DecidedSentences(t.Context(), m.in, f.ID)
	require.NoError(t, err)

	for attempt, options := range []db.FileOptions{{From: "segment"}, {}, {OCR: "force"}} {
		m.restart(f.ID, options)
		after := m.wait(f.ID)
		require.Contains(t, []db.FileStatus{db.FileCompleted, db.FileWithWarnings}, after.Status)
		require.Equal(t, attempt+2, after.Attempt)
		require.Equal(t, attempt+2, after.Generation)
		carried, err := m.db.DecidedSentences(t.Context(), m.in, f.ID)
		require.NoError(t, err)
		var orphaned int
		require.NoError(t, m.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM orphaned_decisions WHERE file_id = $1`, f.ID).Scan(&orphaned))
		require.Equal(t, len(decided), len(carried)+orphaned, "every decision stands or is listed")
		if options.OCR == "" {
			require.Len(t, carried, len(decided))
			require.Equal(t, decided[0].ID, carried[0].ID, "the same sentence keeps its id")
		}
		m.lawful(f.ID)
	}
	forced, err := m.db.File(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	require.Equal(t, 2, forced.PagesOCR)
	pages, err := m.db.Pages(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	require.NotNil(t, pages[0].LayerText, "both readings are kept")
	require.Equal(t, "forced", pages[0].Reason)
}

// TestDecisionsSurviveOtherRules decides on a hundred sentences that other rules
// had cut: each decision then stands on the sentence that has most of its words,
// or is listed.
func TestDecisionsSurviveOtherRules(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	var text strings.Builder
	text.WriteString("SUPPLY AGREEMENT\n\n")
	for i := range 120 {
		fmt.Fprintf(&text, "%d. The Supplier shall deliver lot %d to the warehouse in sealed crates. The Customer shall inspect lot %[2]d within %d days of its arrival.\n\n", i+1, 1000+i, i+2)
	}
	f := m.upload("supply.txt", []byte(text.String()))
	m.wait(f.ID)
	ctx := t.Context()
	// The rules of then knew no full stop: both sentences of a clause were one.
	_, err := m.db.Pool().Exec(ctx, `
		WITH merged AS (
			SELECT a.id, b.id AS gone, b.end_at, a.text || ' ' || b.text AS text FROM sentences a
			JOIN sentences b ON b.file_id = a.file_id AND b.block = a.block AND b.ordinal = a.ordinal + 1
			WHERE a.file_id = $1 AND b.text LIKE 'The Customer%' AND a.ordinal % 3 = 0
		), gone AS (DELETE FROM sentences WHERE id IN (SELECT gone FROM merged))
		UPDATE sentences s SET text = m.text, end_at = m.end_at FROM merged m WHERE s.id = m.id`, f.ID)
	require.NoError(t, err)
	before, err := m.db.Sentences(ctx, m.in, f.ID)
	require.NoError(t, err)
	var ids []string
	merged := 0
	for _, s := range before {
		if len(ids) < 100 && strings.Contains(s.Text, "lot 1") {
			ids = append(ids, s.ID)
			if strings.Contains(s.Text, ". The Customer") {
				merged++
			}
		}
	}
	require.Len(t, ids, 100)
	require.Greater(t, merged, 10, "rules that differ")
	label := "warranty"
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		_, wrong, err := tx.DecideSentences(ctx, m.in, ids, db.Decision{Set: true, Labels: []string{label}})
		require.Empty(t, wrong)
		return err
	}))

	m.restart(f.ID, db.FileOptions{From: "segment"})
	m.wait(f.ID)
	stand, err := m.db.DecidedSentences(ctx, m.in, f.ID)
	require.NoError(t, err)
	var listed int
	require.NoError(t, m.db.Pool().QueryRow(ctx, `SELECT count(*) FROM orphaned_decisions WHERE file_id = $1`, f.ID).Scan(&listed))
	require.Equal(t, 100, len(stand)+listed, "every decision stands or is listed")
	require.GreaterOrEqual(t, len(stand), 100-merged, "those that were cut alike stand")
	for _, s := range stand {
		require.Equal(t, label, *s.Label)
		require.NotNil(t, s.ValidatedBy)
	}
	m.lawful(f.ID)
}

func TestCancelStopsTheWork(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.config.Now.OCR = hanging(t, time.Hour)
	m.start()
	f := m.upload("scan.png", m.scan("one-page.pdf", 1))
	require.Eventually(t, func() bool {
		jobs, err := m.db.FileJobStates(t.Context(), m.in, f.ID)
		return err == nil && len(jobs) == 1 && jobs[0].Kind == "recognize_pages" && jobs[0].State == "running"
	}, time.Minute, 10*time.Millisecond)
	m.cancel(f.ID)
	require.Eventually(t, func() bool {
		jobs, err := m.db.FileJobStates(t.Context(), m.in, f.ID)
		return err == nil && len(jobs) == 0
	}, 2*time.Second, 10*time.Millisecond, "running work stops within two seconds")
	file, err := m.db.File(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	require.Equal(t, db.FileCancelled, file.Status)
}

func TestPageThatHangsCostsThePage(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.config.Now.OCR = hanging(t, time.Second)
	m.start()
	file := m.wait(m.upload("scan.png", m.scan("one-page.pdf", 1)).ID)
	require.Equal(t, db.FileFailed, file.Status)
	require.Equal(t, string(fault.OCRTimeout), *file.ErrorCode)
	require.Equal(t, 1, *file.ErrorPage)
	require.True(t, file.Retryable())
}

// confirmsLate is an engine that confirms nothing until it is let.
type confirmsLate struct {
	*search.Postgres

	let chan struct{}
}

func (confirmsLate) Immediate() bool { return false }

func (c confirmsLate) Index(ctx context.Context, files []db.FileRef) ([]db.Indexed, error) {
	select {
	case <-c.let:
		return c.Postgres.Index(ctx, files)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (confirmsLate) Reconcile(context.Context, bool) (search.Drift, error) {
	return search.Drift{}, nil
}

// TestLateBatchSendsNothingBack has a batch of pages end when the text of the file is made already
// and waits for the index. Another batch saw all pages read before, and sent the file on.
func TestLateBatchSendsNothingBack(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	let := make(chan struct{})
	m.config.Search = confirmsLate{search.NewPostgres(m.db), let}
	m.start()
	f := m.upload("scan.png", m.scan("one-page.pdf", 1))
	require.Eventually(t, func() bool { return m.file(f.ID).Stage == db.StageIndex }, time.Minute, 10*time.Millisecond)
	late := jobs.RecognizePages{File: jobs.File{FileID: f.ID, TeamID: m.in.TeamID, Attempt: 1}, Pages: []int{1, 2}}
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error { return jobs.Insert(t.Context(), m.client, tx.Raw, late) }))
	require.Eventually(t, func() bool {
		return m.count(`SELECT count(*) FROM river_job WHERE kind = 'recognize_pages' AND state = 'completed'`) == 2
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, db.StageIndex, m.file(f.ID).Stage)
	close(let)
	require.Equal(t, db.FileCompleted, m.wait(f.ID).Status)
}

func TestDeadWorkersJobsGoOn(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	healthy := m.config.Now
	m.config.Now.OCR = hanging(t, time.Hour)
	m.config.Fenced = func() {} // the first worker is meant to lose its jobs
	stale, err := worker.New(m.config)
	require.NoError(t, err)
	require.NoError(t, stale.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = stale.Stop(ctx) // which cannot end a job that hangs
	})
	f := m.upload("scan.png", m.scan("one-page.pdf", 1))
	require.Eventually(t, func() bool {
		jobs, err := m.db.FileJobStates(t.Context(), m.in, f.ID)
		return err == nil && len(jobs) == 1 && jobs[0].Kind == "recognize_pages" && jobs[0].State == "running"
	}, time.Minute, 10*time.Millisecond)

	// The first worker sends no more heartbeats; its last one is long ago.
	stale.Mute()
	_, err = m.db.Pool().Exec(t.Context(), `UPDATE workers SET seen_at = now() - interval '1 minute'`)
	require.NoError(t, err)
	_, err = m.db.Pool().Exec(t.Context(), `UPDATE river_job SET attempted_at = now() - interval '1 minute' WHERE state = 'running'`)
	require.NoError(t, err)
	m.config.Now = healthy
	m.start()
	file := m.wait(f.ID)
	require.Equal(t, db.FileCompleted, file.Status)
	require.Equal(t, 1, file.PagesDone)
	m.lawful(f.ID)
}

// TestWorkerWaitsToBegin has what River asks first fail for one of the queues, when others are
// worked already.
func TestWorkerWaitsToBegin(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	waits := &awaited{line: "the worker cannot begin yet", said: make(chan struct{})}
	m.config.Log = slog.New(slog.NewTextHandler(waits, nil))
	f := m.upload("note.txt", []byte("The Tenant shall pay the rent."))
	m.exec(`ALTER TABLE river_queue ADD CONSTRAINT away CHECK (name <> '` + jobs.QueueUpkeep + `')`)
	go func() {
		select {
		case <-waits.said:
			m.exec(`ALTER TABLE river_queue DROP CONSTRAINT away`)
		case <-t.Context().Done():
		}
	}()
	m.start()
	require.Equal(t, db.FileCompleted, m.wait(f.ID).Status)
	m.lawful(f.ID)
}

// awaited is a log of which a line is waited for.
type awaited struct {
	line string
	said chan struct{} // closed when the line was written
	once sync.Once
}

func (a *awaited) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(a.line)) {
		a.once.Do(func() { close(a.said) })
	}
	return len(p), nil
}

// TestWorkerIsStoppedBeforeItBegins has a worker wait for its database until it is told to stop.
func TestWorkerIsStoppedBeforeItBegins(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.exec(`ALTER TABLE workers RENAME TO away`)
	w, err := worker.New(m.config)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, w.Start(ctx), context.DeadlineExceeded)
}

// TestIndexFileKind holds the name that the database knows to that of the job.
func TestIndexFileKind(t *testing.T) {
	t.Parallel()
	require.Equal(t, db.IndexFileKind, jobs.IndexFile{}.Kind())
}

// TestChoresDoNotPileUp has chores become due while the ones before have not ended.
func TestChoresDoNotPileUp(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	count := func(of string) (n int) {
		require.NoError(t, m.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE `+of).Scan(&n))
		return n
	}
	first := m.start()
	ended := func(n int) func() bool {
		return func() bool { return count(`kind = 'prune' AND state = 'completed'`) == n }
	}
	require.Eventually(t, ended(1), time.Minute, 10*time.Millisecond)
	require.NoError(t, first.Stop(t.Context()))
	_, err := m.db.Pool().Exec(t.Context(), `UPDATE river_job SET state = 'scheduled', finalized_at = NULL, scheduled_at = now() + interval '1 day' WHERE kind <> 'prune'`)
	require.NoError(t, err)
	before := count(`kind <> 'prune'`)
	require.Equal(t, 2, count(`kind = 'reconcile_index'`), "what waits, and everything")
	m.start() // all chores are due at once when a worker begins to lead
	require.Eventually(t, ended(2), time.Minute, 10*time.Millisecond)
	require.Equal(t, before, count(`kind <> 'prune'`))
}

func TestDeletedFilesLeaveNothing(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	w := m.start()
	keep := m.upload("keep.txt", []byte("The Licensee may sublicense the software."))
	var ids []string
	for i := range 3 {
		f := m.upload("gone.txt", fmt.Appendf(nil, "The Licensor owns the work number %d.", i))
		m.wait(f.ID)
		m.addVersion(f.ID, "gone.txt", fmt.Appendf(nil, "The Licensor owns the work number %d, and this.", i))
		m.wait(f.ID)
		ids = append(ids, f.ID)
	}
	m.addVersion(keep.ID, "keep.txt", []byte("The Licensee may not sublicense the software."))
	m.wait(keep.ID)
	var op db.Operation
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		op, err = tx.CreateOperation(t.Context(), m.in, "delete", len(ids), nil)
		if err != nil {
			return err
		}
		return jobs.Insert(t.Context(), m.client, tx.Raw, jobs.DeleteFiles{
			OperationID: op.ID, TeamID: m.in.TeamID, ActorKind: m.in.ActorKind, ActorID: m.in.ActorID, FileIDs: append(ids, db.NewID()),
		})
	}))
	require.Eventually(t, func() bool {
		var err error
		op, err = m.db.Operation(t.Context(), m.in, op.ID)
		return err == nil && op.State == "completed"
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, 3, op.Done)
	stored := func() (n int) {
		require.NoError(t, m.blobs.Objects(t.Context(), func(blob.Object) error { n++; return nil }))
		return n
	}
	n, err := w.Sweep(t.Context(), 0)
	require.NoError(t, err)
	require.Zero(t, n, "what is in the trash has its bytes")
	require.Equal(t, 8, stored())
	entries, err := m.db.TrashIDs(t.Context(), m.in, db.TrashFilter{}, 10)
	require.NoError(t, err)
	for _, id := range entries {
		m.age(id, m.config.Trash)
	}
	n, err = w.EmptyTrash(t.Context(), 100)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Eventually(t, func() bool { return stored() == 2 }, time.Minute, 20*time.Millisecond)
	found, err := m.config.Search.Sentences(t.Context(), m.in, search.Query{Text: `"owns the work"`})
	require.NoError(t, err)
	require.Empty(t, found.Hits)

	// Of bytes that a run stored which then died, the sweep takes care. While an archive
	// is imported they may be those of files that are not here yet.
	lost := db.NewID()
	for _, key := range []string{blob.Version(lost), blob.Original(lost) + ".18b2f3.tmp"} { // and of one that died while it stored them
		_, err = m.blobs.Put(t.Context(), key, strings.NewReader("lost"), 10)
		require.NoError(t, err)
	}
	schema, err := m.db.Schema(t.Context())
	require.NoError(t, err)
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		archive := db.Archive{Team: &db.TeamSummary{ID: db.NewID()}, Schema: schema.Version}
		archive.Teams = []string{archive.Team.ID}
		if err := tx.Raw.QueryRow(t.Context(), `SELECT array_agg(version ORDER BY version) FROM clausemill_migrations`).Scan(&archive.Applied); err != nil {
			return err
		}
		if _, err := tx.BeginImport(t.Context(), archive, false); err != nil {
			return err
		}
		n, err := w.Sweep(t.Context(), 0)
		require.Zero(t, n)
		return err
	}))
	n, err = w.Sweep(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	for _, number := range []int{1, 2} {
		v, err := m.db.Version(t.Context(), m.in, keep.ID, number)
		require.NoError(t, err)
		_, release, err := m.blobs.Local(t.Context(), blob.Of(keep.ID, v.BytesID))
		require.NoError(t, err)
		release()
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	scan := m.upload("scan.png", m.scan("one-page.pdf", 1))
	born := m.upload("contract.pdf", fixture(t, "two-pages.pdf"))
	m.wait(scan.ID)
	m.wait(born.ID)
	merged := db.NewID()
	var op db.Operation
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		op, err = tx.CreateOperation(t.Context(), m.in, "merge", 1, nil)
		if err != nil {
			return err
		}
		return jobs.Insert(t.Context(), m.client, tx.Raw, jobs.MergeFiles{
			OperationID: op.ID, TeamID: m.in.TeamID, ActorKind: m.in.ActorKind, ActorID: m.in.ActorID,
			FileID: merged, Name: "both.pdf", Sources: []string{scan.ID, born.ID},
		})
	}))
	file := m.wait(merged)
	require.Equal(t, db.FileCompleted, file.Status, "%+v", file)
	require.Equal(t, 3, file.PageCount)
	require.Equal(t, 1, file.PagesOCR)
	op, err := m.db.Operation(t.Context(), m.in, op.ID)
	require.NoError(t, err)
	require.JSONEq(t, `{"fileId":"`+merged+`"}`, string(op.Result))
	require.Greater(t, shared(m.text(scan.ID)+m.text(born.ID), m.text(merged)), 0.95)
}

// TestStrandedFileBeginsAnew takes the job of a file away, which no step does, and waits.
func TestStrandedFileBeginsAnew(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	stranded := m.upload("lease.txt", []byte("The Tenant shall pay the rent."))
	fresh := m.upload("note.txt", []byte("The Landlord shall repair the roof."))
	m.exec(`DELETE FROM river_job`)
	m.exec(`UPDATE files SET progress_at = now() - interval '11 minutes' WHERE id = $1`, stranded.ID)
	m.start()
	require.Equal(t, db.FileCompleted, m.wait(stranded.ID).Status)
	require.Equal(t, 2, m.file(stranded.ID).Attempt)
	require.Equal(t, db.FileQueued, m.file(fresh.ID).Status, "its job may be about to come")
}

// TestOutageIsWaitedFor has the file store be away for longer than River tries.
func TestOutageIsWaitedFor(t *testing.T) { // sets the environment: not parallel
	m := newMill(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	away, err := blob.Open(t.Context(), blobtest.BlobURL("127.0.0.1:1"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = away.Close() })
	require.NoError(t, away.Keep(t.TempDir(), 1<<20))
	healthy := m.config
	m.config.Blobs = away
	waits := m.upload("lease.txt", []byte("The Tenant shall pay the rent."))
	late := m.upload("note.txt", []byte("The Landlord shall repair the roof."))
	m.exec(`UPDATE river_job SET attempt = 19, max_attempts = 20`)
	m.exec(`UPDATE river_job SET created_at = now() - interval '25 hours' WHERE args ->> 'file_id' = $1`, late.ID)
	lost := m.start()
	failed := m.wait(late.ID)
	require.Equal(t, db.FileFailed, failed.Status)
	require.Contains(t, *failed.ErrorMessage, "the file store is not available")
	snoozed := func() bool {
		return m.count(`SELECT count(*) FROM river_job WHERE args ->> 'file_id' = $1 AND state = 'scheduled'`, waits.ID) == 1
	}
	require.Eventually(t, snoozed, time.Minute, 20*time.Millisecond)
	require.False(t, m.file(waits.ID).Status.Terminal())
	require.NoError(t, lost.Stop(t.Context()))

	m.exec(`UPDATE river_job SET scheduled_at = now() WHERE state = 'scheduled'`) // half a minute later
	m.config = healthy
	m.start()
	require.Equal(t, db.FileCompleted, m.wait(waits.ID).Status)
	require.Equal(t, 1, m.file(waits.ID).Attempt)
}
