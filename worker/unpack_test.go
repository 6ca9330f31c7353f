package worker_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// packed is a file in an archive of which some bytes may be wrong.
type packed struct {
	name    string
	content string
	damaged bool
}

// pack makes an archive with its entries in order.
func pack(t *testing.T, entries ...packed) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		to, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store})
		require.NoError(t, err)
		_, err = to.Write([]byte(e.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	content := out.Bytes()
	for _, e := range entries {
		if at := bytes.Index(content, []byte(e.content)); e.damaged {
			content[at] ^= 1
		}
	}
	return content
}

// houses is an archive of short texts, each in a folder.
func houses(n int) []packed {
	entries := make([]packed, n)
	for i := range entries {
		entries[i] = packed{name: fmt.Sprintf("street %d/%d/lease.txt", i%7, i), content: fmt.Sprintf("The Tenant of house number %d shall pay the rent.", i)}
	}
	return entries
}

// children waits until all files that came out of another have ended.
func (m *mill) children(id string, n int) (files []db.File) {
	m.t.Helper()
	require.Eventually(m.t, func() bool {
		var err error
		files, err = m.db.Files(m.t.Context(), m.in, db.FileFilter{}, "", 2*n+10)
		require.NoError(m.t, err)
		kept := files[:0]
		for _, f := range files {
			if f.ParentID != nil && *f.ParentID == id {
				kept = append(kept, f)
			}
		}
		files = kept
		for _, f := range files {
			if !f.Status.Terminal() {
				return false
			}
		}
		return len(files) >= n
	}, 3*time.Minute, 50*time.Millisecond, "not all entries came to their end")
	require.Len(m.t, files, n)
	return files
}

// TestLargeArchive has an archive unpacked while its first entries are read, by
// two workers.
func TestLargeArchive(t *testing.T) {
	t.Parallel()
	const n = 350
	m := newMill(t)
	var matter db.Matter
	var documentType string
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		name := "Leases"
		if matter, err = tx.CreateMatter(t.Context(), m.in, db.MatterChange{Name: &name}); err != nil {
			return err
		}
		lease, err := tx.CreateDocumentType(t.Context(), m.in, "Tenancies", "")
		documentType = lease.ID
		return err
	}))
	parent := m.uploadAs(db.NewFile{
		Name: "leases.zip", MatterID: matter.ID, DocumentTypeID: documentType, Metadata: json.RawMessage(`{"externalId": "7"}`),
		Parties: []db.Party{{Name: "Acme"}},
	}, pack(t, houses(n)...))
	m.start()
	m.start()
	parent = m.wait(parent.ID)
	require.Equal(t, db.FileCompleted, parent.Status, "%+v", parent)
	require.Equal(t, n, parent.Entries)
	require.Equal(t, n, parent.EntriesDone)
	for _, f := range m.children(parent.ID, n) {
		require.Equal(t, db.FileCompleted, f.Status, f.Path)
		require.Equal(t, "lease.txt", f.Name)
		require.Regexp(t, `^street \d/\d+$`, f.Path)
		require.Equal(t, matter.ID, *f.MatterID)
		require.Equal(t, documentType, *f.DocumentTypeID)
		require.Equal(t, parent.Parties, f.Parties)
		require.JSONEq(t, `{"externalId": "7"}`, string(f.Metadata))
		require.Equal(t, m.in.ActorID, *f.CreatedBy)
	}
	require.Zero(t, m.count(`SELECT count(*) FROM river_job WHERE attempt > 1`), "no step was tried again")
	require.Zero(t, m.count(`SELECT count(*) FROM notifications WHERE title LIKE 'lease.txt%'`), "who is told of the archive is not told of each entry")
	require.Equal(t, n, m.count(`SELECT count(*) FROM audit_events WHERE action = 'file.created' AND matter_id = $1 AND resource_id <> $2`, matter.ID, parent.ID))
	require.GreaterOrEqual(t, m.count(`SELECT count(DISTINCT data -> 'entries' ->> 'done') FROM events WHERE kind = 'file.status' AND subject_id = $1`, parent.ID),
		n/100, "it shows how far it has come")
}

// TestArchiveGoesOn begins where an earlier run ended, and leaves alone what is
// there.
func TestArchiveGoesOn(t *testing.T) {
	t.Parallel()
	const n = 40
	m := newMill(t)
	parent := m.upload("leases.zip", pack(t, houses(n)...))
	_, err := m.db.Pool().Exec(t.Context(), `UPDATE files SET entries = $2, entries_done = 25 WHERE id = $1`, parent.ID, n)
	require.NoError(t, err)
	w := m.start()
	require.Equal(t, db.FileCompleted, m.wait(parent.ID).Status)
	first := m.children(parent.ID, n-25)
	require.NoError(t, w.Stop(t.Context()))

	// From the start again, but for the files that are there.
	m.restart(parent.ID, db.FileOptions{})
	require.Zero(t, m.file(parent.ID).EntriesDone)
	m.start()
	require.Equal(t, db.FileCompleted, m.wait(parent.ID).Status)
	all := m.children(parent.ID, n)
	for _, f := range first {
		require.Contains(t, all, f, "it was not touched")
	}
}

func TestArchiveWithoutFiles(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	for name, entries := range map[string][]packed{"nothing.zip": nil, "litter.zip": {{name: "a/Thumbs.db", content: "x"}, {name: "a/"}}} {
		file := m.wait(m.upload(name, pack(t, entries...)).ID)
		require.Equal(t, db.FileFailed, file.Status, name)
		require.Equal(t, string(fault.EmptyFile), *file.ErrorCode)
		require.Equal(t, "the archive has no files", *file.ErrorMessage)
	}
}

func TestArchiveWithDamagedEntries(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	few := m.upload("few.zip", pack(t,
		packed{name: "a/one.txt", content: "The first sentence."},
		packed{name: "a/two.txt", content: "The second sentence.", damaged: true},
		packed{name: "../b/three.txt", content: "The third sentence."}))
	few = m.wait(few.ID)
	require.Equal(t, db.FileWithWarnings, few.Status)
	require.Equal(t, []db.Warning{{Code: db.EntryUnreadable, Message: "a/two.txt was passed over: the archive's entry is damaged"}}, few.Warnings)
	folders := map[string]string{}
	for _, f := range m.children(few.ID, 2) {
		folders[f.Name] = f.Path
	}
	require.Equal(t, map[string]string{"one.txt": "a", "three.txt": "b"}, folders)

	entries := houses(120)
	for i := range entries {
		entries[i].damaged = i > 0
	}
	many := m.upload("many.zip", pack(t, entries...))
	many = m.wait(many.ID)
	require.Equal(t, db.FileWithWarnings, many.Status)
	require.Len(t, many.Warnings, 101)
	require.Equal(t, "street 1/1/lease.txt was passed over: the archive's entry is damaged", many.Warnings[0].Message)
	require.Equal(t, "more were passed over than are named here", many.Warnings[100].Message)
	m.children(many.ID, 1)
}
