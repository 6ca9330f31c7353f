package worker_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/search"
)

// discard deletes a file as the API does, and returns its entry.
func (m *mill) discard(id string) string {
	m.t.Helper()
	var entry db.TrashEntry
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) (err error) {
		if entry, err = tx.DeleteFile(m.t.Context(), m.in, id); err != nil {
			return err
		}
		running, err := tx.CancelWaitingJobs(m.t.Context(), m.in, []string{id})
		if err != nil {
			return err
		}
		if err := jobs.Cancel(m.t.Context(), m.client, tx.Raw, running); err != nil {
			return err
		}
		return jobs.Insert(m.t.Context(), m.client, tx.Raw, jobs.SettleFiles{TeamID: m.in.TeamID, FileIDs: []string{id}})
	}))
	return entry.ID
}

// restore brings entries back as the API does.
func (m *mill) restore(ids ...string) {
	m.t.Helper()
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) error {
		back, err := tx.RestoreTrash(m.t.Context(), m.in, ids, "", m.config.Search.Immediate())
		if err != nil {
			return err
		}
		next := []jobs.Args{jobs.SettleFiles{TeamID: m.in.TeamID, FileIDs: back.Files}}
		for _, f := range back.Reading {
			next = append(next, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: m.in.TeamID, Attempt: f.Attempt, Bulk: f.Bulk}})
		}
		return jobs.Insert(m.t.Context(), m.client, tx.Raw, next...)
	}))
}

// TestRestoredFilesAreSettled has a file in the trash while a copy of it comes:
// when it is back each knows of the other, and its words are found again.
func TestRestoredFilesAreSettled(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	data := []byte(form("Alpha Systems, Inc.", "Beta Foods LLC"))
	first := m.upload("first.txt", data)
	m.wait(first.ID)
	entry := m.discard(first.ID)
	second := m.upload("second.txt", append(data, "\n\nExecuted in counterparts.\n"...))
	m.wait(second.ID)
	likenesses := func(id string) int {
		list, err := m.db.Likenesses(t.Context(), m.in, id)
		require.NoError(t, err)
		return len(list)
	}
	require.Zero(t, likenesses(second.ID))
	m.restore(entry)
	require.Eventually(t, func() bool { return likenesses(first.ID) == 1 && likenesses(second.ID) == 1 }, time.Minute, 20*time.Millisecond)
	file, err := m.db.File(t.Context(), m.in, first.ID)
	require.NoError(t, err)
	require.True(t, file.Searchable())
	m.lawful(first.ID)
}

// TestBulkTrash deletes many files as one operation and restores all of it.
func TestBulkTrash(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	var ids []string
	for i := range 25 {
		ids = append(ids, m.upload("a.txt", fmt.Appendf(nil, "The Licensor owns the work number %d.", i)).ID)
	}
	for _, id := range ids[:5] {
		m.wait(id)
	}
	ask := func(kind string, total int, args func(op string) jobs.Args) db.Operation {
		var op db.Operation
		require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
			if op, err = tx.CreateOperation(t.Context(), m.in, kind, total, nil); err != nil {
				return err
			}
			return jobs.Insert(t.Context(), m.client, tx.Raw, args(op.ID))
		}))
		require.Eventually(t, func() bool {
			var err error
			op, err = m.db.Operation(t.Context(), m.in, op.ID)
			return err == nil && op.State == "completed"
		}, time.Minute, 20*time.Millisecond)
		return op
	}
	op := ask("delete", len(ids), func(op string) jobs.Args {
		return jobs.DeleteFiles{OperationID: op, TeamID: m.in.TeamID, ActorKind: m.in.ActorKind, ActorID: m.in.ActorID, FileIDs: append(ids, db.NewID())}
	})
	require.Equal(t, len(ids), op.Done)
	n, err := m.db.CountFiles(t.Context(), m.in, db.FileFilter{})
	require.NoError(t, err)
	require.Zero(t, n)
	entries, err := m.db.TrashIDs(t.Context(), m.in, db.TrashFilter{Operation: op.ID}, 100)
	require.NoError(t, err)
	require.Len(t, entries, len(ids))

	// One more that cannot come back.
	taken := m.savedSearch("taken")
	m.savedSearch("taken")
	op = ask("restore", len(entries)+1, func(op string) jobs.Args {
		return jobs.RestoreTrash{
			OperationID: op, TeamID: m.in.TeamID, ActorKind: m.in.ActorKind, ActorID: m.in.ActorID, EntryIDs: append(entries[:3:3], append([]string{taken, db.NewID()}, entries[3:]...)...),
		}
	})
	require.Equal(t, 1, op.Failed)
	require.Equal(t, taken, op.Errors[0].TrashID)
	require.Contains(t, op.Errors[0].Error, "of that name")
	for _, id := range ids {
		require.Equal(t, db.FileCompleted, m.wait(id).Status, "what was not read when it went is read now")
	}
	found, err := m.config.Search.Files(t.Context(), m.in, search.Query{Text: "licensor", Limit: 100})
	require.NoError(t, err)
	require.Len(t, found.Hits, len(ids))
}

// savedSearch makes a search, moves the one of that name into the trash where
// there is one, and returns the entry.
func (m *mill) savedSearch(name string) (entry string) {
	m.t.Helper()
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) error {
		s, err := tx.SaveSearch(m.t.Context(), m.in, db.SavedSearch{Name: name})
		if err != nil {
			return err
		}
		entries, err := tx.TrashIDs(m.t.Context(), m.in, db.TrashFilter{Kinds: []string{string(db.TrashedSavedSearch)}}, 1)
		if err != nil || len(entries) > 0 {
			return err
		}
		e, err := tx.DeleteSavedSearch(m.t.Context(), m.in, s.ID)
		entry = e.ID
		return err
	}))
	return entry
}

// TestTrashIsEmptied purges what has expired, and nothing before: of a file
// nothing is left in any table, nor bytes.
func TestTrashIsEmptied(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	w := m.start()
	f := m.upload("quisquilian.txt", []byte("The quisquilian law governs."))
	m.wait(f.ID)
	search := m.savedSearch("quisquilian") // seen by one person, and by the service
	entry := m.discard(f.ID)
	n, err := w.EmptyTrash(t.Context(), 100)
	require.NoError(t, err)
	require.Zero(t, n)
	m.age(entry, 29*24*time.Hour)
	n, err = w.EmptyTrash(t.Context(), 100)
	require.NoError(t, err)
	require.Zero(t, n)
	m.age(entry, 48*time.Hour)
	m.age(search, 31*24*time.Hour)
	n, err = w.EmptyTrash(t.Context(), 100)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		back, err := tx.RestoreTrash(t.Context(), m.in, []string{entry}, "", true)
		require.Empty(t, back.Entries)
		return err
	}))
	require.Eventually(t, func() bool {
		stored := 0
		require.NoError(t, m.blobs.Objects(t.Context(), func(blob.Object) error { stored++; return nil }))
		return stored == 0
	}, time.Minute, 20*time.Millisecond)
	var left []string
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		var tables []string
		if err := tx.Raw.QueryRow(t.Context(), `
			SELECT array_agg(relname::text) FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace AND relname !~ '^(vocabulary|words|stems)'`).Scan(&tables); err != nil {
			return err
		}
		for _, table := range tables {
			var rows []string
			if err := tx.Raw.QueryRow(t.Context(), `SELECT array_agg('`+table+` ' || to_jsonb(r)::text) FROM "`+table+`" r WHERE to_jsonb(r)::text ~ 'quisquilian'`).Scan(&rows); err != nil {
				return err
			}
			left = append(left, rows...)
		}
		return nil
	}))
	require.Empty(t, left)
	require.NoError(t, m.db.FoldVocabulary(t.Context(), m.in.TeamID))
	require.NoError(t, m.db.Prune(t.Context()))
	deleted, err := m.db.DeletedFiles(t.Context(), m.in, time.Time{}, "", 10)
	require.NoError(t, err)
	require.Equal(t, f.ID, deleted[0].FileID)
	require.NotNil(t, deleted[0].PurgedAt)
}

// age has an entry have been in the trash for longer, and everything else that was
// told have been told earlier.
func (m *mill) age(entry string, by time.Duration) {
	m.t.Helper()
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) error {
		for _, table := range []string{"events", "webhook_deliveries"} {
			if _, err := tx.Raw.Exec(m.t.Context(), `UPDATE `+table+` SET created_at = created_at - $1::interval`, by); err != nil {
				return err
			}
		}
		_, err := tx.Raw.Exec(m.t.Context(), `UPDATE trash SET deleted_at = deleted_at - $2::interval WHERE id = $1`, entry, by)
		return err
	}))
	require.NoError(m.t, m.db.Prune(m.t.Context()))
}

// TestTrashWhileFilesAreRead deletes and restores files at random while they are
// read: each comes to its end, and every row of a file is its team's.
func TestTrashWhileFilesAreRead(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	data := []byte(form("Alpha Systems, Inc.", "Beta Foods LLC"))
	var ids []string
	for i := range 8 {
		ids = append(ids, m.upload("a.txt", fmt.Appendf(data[:len(data):len(data)], "\n\nNumber %d.\n", i)).ID)
	}
	var people sync.WaitGroup
	for range 3 {
		people.Go(func() {
			for range 30 {
				id := ids[rand.IntN(len(ids))]
				err := m.db.InTx(t.Context(), func(tx *db.Tx) error { return m.turnOver(t.Context(), tx, id) })
				if err != nil && fault.KindOf(err) != fault.NotFound {
					t.Error(err)
				}
			}
		})
	}
	people.Wait()
	entries, err := m.db.TrashIDs(t.Context(), m.in, db.TrashFilter{}, 100)
	require.NoError(t, err)
	m.restore(entries...)
	for _, id := range ids {
		require.Equal(t, db.FileCompleted, m.wait(id).Status)
		m.lawful(id)
	}
	var strays int
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		var tables []string
		if err := tx.Raw.QueryRow(t.Context(), `
			SELECT array_agg(c.relname::text) FROM pg_class c JOIN pg_attribute f ON f.attrelid = c.oid AND f.attname = 'file_id' JOIN pg_attribute o ON o.attrelid = c.oid AND o.attname = 'team_id'
			WHERE c.relkind = 'r'`).Scan(&tables); err != nil {
			return err
		}
		require.Greater(t, len(tables), 15)
		for _, table := range tables {
			n := 0
			if err := tx.Raw.QueryRow(t.Context(), `SELECT count(*) FROM "`+table+`" x JOIN files f ON f.id = x.file_id WHERE x.team_id <> f.team_id`).Scan(&n); err != nil {
				return err
			}
			strays += n
		}
		return nil
	}))
	require.Zero(t, strays)
}

// turnOver deletes a file, or restores it where it is in the trash.
func (m *mill) turnOver(ctx context.Context, tx *db.Tx, id string) error {
	_, err := tx.File(ctx, m.in, id)
	if fault.KindOf(err) == fault.NotFound {
		entries, err := tx.Trash(ctx, m.in, db.TrashFilter{}, "", 100)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.ResourceID != id {
				continue
			}
			back, err := tx.RestoreTrash(ctx, m.in, []string{e.ID}, "", true)
			if err != nil {
				return err
			}
			for _, f := range back.Reading {
				args := jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: m.in.TeamID, Attempt: f.Attempt, Bulk: f.Bulk}}
				if err := jobs.Insert(ctx, m.client, tx.Raw, args); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := tx.DeleteFile(ctx, m.in, id); err != nil {
		return err
	}
	running, err := tx.CancelWaitingJobs(ctx, m.in, []string{id})
	if err != nil {
		return err
	}
	return jobs.Cancel(ctx, m.client, tx.Raw, running)
}
