package worker_test

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
)

// TestVersionIsRead reads a version in another format than the one before, with
// the decisions on the sentences that both have, and what was read before stays
// with the version that it was read in.
func TestVersionIsRead(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	const stays, goes = "Either party may terminate this Agreement upon thirty days notice.", "The Licensee shall pay ten dollars every month without delay."
	f := m.wait(m.upload("agreement.txt", []byte("AGREEMENT\n\n"+stays+"\n\n"+goes)).ID)
	label := "termination_for_convenience"
	decide := func(text string) {
		t.Helper()
		tag, err := m.db.Pool().Exec(t.Context(), `UPDATE sentences SET label = $3, source = 'validated', validated_by = $4, validated_at = now()
			WHERE file_id = $1 AND text = $2`, f.ID, text, label, m.in.ActorID)
		require.NoError(t, err)
		require.EqualValues(t, 1, tag.RowsAffected())
	}
	decide(stays)
	decide(goes)

	m.addVersion(f.ID, "returned.html", []byte("<html><body><h1>AGREEMENT</h1><p>"+stays+"</p><p>There are no fees at all.</p></body></html>"))
	f = m.wait(f.ID)
	require.Equal(t, "html", f.Kind)
	require.Equal(t, "agreement.html", f.Name)
	require.True(t, f.Current())
	m.lawful(f.ID)
	require.NotContains(t, m.text(f.ID), "ten dollars")
	kept, err := m.db.DecidedSentences(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.Equal(t, stays, kept[0].Text)
	require.Equal(t, label, *kept[0].Label)
	lost, err := m.db.OrphanedDecisions(t.Context(), m.in, f.ID, 2, 10)
	require.NoError(t, err)
	require.Len(t, lost, 1)
	require.Equal(t, goes, lost[0].Text)
	reading, err := m.db.Reading(t.Context(), m.in, f.ID, 1)
	require.NoError(t, err)
	var all strings.Builder
	labelled := 0
	for _, b := range reading.Blocks {
		all.WriteString(b.Text)
		for _, l := range b.Labels {
			if l.Validated {
				labelled++
			}
		}
	}
	require.Contains(t, all.String(), "ten dollars")
	require.Equal(t, 2, labelled, "as they were decided on")

	// One that nothing can be read in leaves the text before it, and says so.
	m.addVersion(f.ID, "broken.pdf", []byte("%PDF-1.7 that is all"))
	f = m.wait(f.ID)
	require.Equal(t, db.FileFailed, f.Status)
	require.Equal(t, 2, f.TextVersion)
	require.True(t, f.TextReady)
	for _, from := range []string{"segment", "classify", "index"} {
		m.restart(f.ID, db.FileOptions{From: from})
		require.Equal(t, db.FileFailed, m.wait(f.ID).Status, "the text of another version is not taken for its own")
	}
	require.Equal(t, fault.Conflict, fault.KindOf(m.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.AcceptFile(t.Context(), m.in, f.ID)
		return err
	})))

	// Nor is an archive a version of a document.
	m.addVersion(f.ID, "many.zip", archive(t, map[string][]byte{"a.txt": []byte("One."), "b.txt": []byte("Two.")}))
	f = m.wait(f.ID)
	require.Equal(t, string(fault.UnsupportedType), *f.ErrorCode)
	n, err := m.db.CountFiles(t.Context(), m.in, db.FileFilter{})
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

// TestVersionOfTheSameBytes reads nothing again that another file of the team was
// read of, and takes the pages of the version before for nobody's.
func TestVersionOfTheSameBytes(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	const first, second = "The term of this lease is one year.", "The term of this lease is two years, and then one more."
	f := m.wait(m.upload("lease.txt", []byte(first)).ID)
	other := m.wait(m.upload("other.txt", []byte(second)).ID)
	// Whether pages are copied shows in what nobody could have read.
	_, err := m.db.Pool().Exec(t.Context(), `UPDATE pages SET reason = 'copied' WHERE file_id = $1`, other.ID)
	require.NoError(t, err)
	m.addVersion(f.ID, "lease.txt", []byte(second))
	f = m.wait(f.ID)
	require.Equal(t, other.ID, *f.DuplicateOf)
	require.Equal(t, second, m.text(f.ID))
	pages, err := m.db.Pages(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	require.Equal(t, "copied", pages[0].Reason)
	m.lawful(f.ID)
}

// wordOf is a Word document of lines.
func wordOf(t *testing.T, lines ...string) []byte {
	t.Helper()
	var passages []docx.Passage
	for _, line := range lines {
		passages = append(passages, docx.Passage{Kind: docx.BodyPassage, Text: line})
	}
	data, err := docx.Build(passages)
	require.NoError(t, err)
	return data
}

// propose adds an open change to a file as it is now.
func (m *mill) propose(fileID string, c redline.Change) string {
	m.t.Helper()
	c.ID, c.Author, c.Date = db.NewID(), redline.Author{Name: "Ann"}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	body, err := json.Marshal(c)
	require.NoError(m.t, err)
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) error {
		file, err := tx.FileForUpdate(m.t.Context(), m.in, fileID)
		if err != nil {
			return err
		}
		_, err = tx.ProposeChanges(m.t.Context(), m.in, file, []db.Change{{ID: c.ID, Body: body}})
		return err
	}))
	return c.ID
}

// changes are those of a file by id, once none is open in an earlier version.
func (m *mill) changes(fileID string) map[string]db.Change {
	m.t.Helper()
	byID := map[string]db.Change{}
	require.Eventually(m.t, func() bool {
		file, err := m.db.File(m.t.Context(), m.in, fileID)
		require.NoError(m.t, err)
		rows, err := m.db.Changes(m.t.Context(), m.in, fileID)
		require.NoError(m.t, err)
		for _, row := range rows {
			byID[row.ID] = row
			if row.Status == db.ChangeProposed && row.Version < file.CurrentVersion {
				return false
			}
		}
		return true
	}, 2*time.Minute, 20*time.Millisecond)
	return byID
}

// TestOpenChangesComeAlong has changes of a document follow their words through
// its versions, one of which is no Word document.
func TestOpenChangesComeAlong(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	place := func(i int) *int { return &i }
	f := m.wait(m.upload("contract.docx", wordOf(t, "The term is thirty days.", "Notice is thirty days, too.", "The end.")).ID)
	second := m.propose(f.ID, redline.Change{Type: redline.Replace, Anchor: redline.Anchor{Text: "thirty", Occurrence: 2}, Text: "sixty"})
	end := m.propose(f.ID, redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Block: place(2), Start: place(4), End: place(7), DocSHA256: hex.EncodeToString(f.SHA256)}})
	gone := m.propose(f.ID, redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Text: "term"}})

	m.addVersion(f.ID, "back.docx", wordOf(t, "A new clause of thirty words.", "There is no limit.", "Notice is thirty days, too.", "The end."))
	f = m.wait(f.ID)
	now := m.changes(f.ID)
	var c redline.Change
	require.NoError(t, json.Unmarshal(now[second].Body, &c))
	require.Equal(t, db.ChangeProposed, now[second].Status)
	require.Equal(t, 2, *c.Anchor.Block)
	require.Equal(t, hex.EncodeToString(f.SHA256), c.Anchor.DocSHA256)
	require.Equal(t, f.SHA256, now[second].BaseSHA256)
	require.NoError(t, json.Unmarshal(now[end].Body, &c))
	require.Equal(t, 3, *c.Anchor.Block)
	require.Equal(t, "end", c.Anchor.Text)
	require.Equal(t, db.ChangeStale, now[gone].Status)
	require.Contains(t, string(now[gone].Error), "anchor_not_found")
	require.Equal(t, []int{1, 2}, []int{now[gone].Version, *now[gone].Ended})

	// Of a text the document is built, and its places are others.
	m.addVersion(f.ID, "back.txt", []byte("The preamble of it all.\n\nNotice is thirty days, too.\n\nThe end."))
	f = m.wait(f.ID)
	now = m.changes(f.ID)
	require.NoError(t, json.Unmarshal(now[second].Body, &c))
	require.Equal(t, db.ChangeProposed, now[second].Status)
	require.Equal(t, 3, now[second].Version)
	require.Equal(t, 1, *c.Anchor.Block)
	m.addVersion(f.ID, "back.docx", wordOf(t, "Notice is thirty days, too.", "Something else."))
	m.wait(f.ID)
	now = m.changes(f.ID)
	require.NoError(t, json.Unmarshal(now[second].Body, &c))
	require.Zero(t, *c.Anchor.Block)
	require.Equal(t, db.ChangeStale, now[end].Status)
	require.Equal(t, 4, *now[end].Ended)
	events, err := m.db.AuditEvents(t.Context(), m.in, f.ID, 100)
	require.NoError(t, err)
	carried := 0
	for _, e := range events {
		if e.Action == "change.carried" {
			carried++
		}
	}
	require.Equal(t, 3, carried)
}

// TestVersionOfTheEditor has edits stay tracked, while decisions that were made in
// the editor are carried out.
func TestVersionOfTheEditor(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	marked, err := redline.Execute(wordOf(t, "The term is thirty days.", "The end."), []redline.Change{
		{ID: "1", Type: redline.Replace, Anchor: redline.Anchor{Text: "thirty"}, Text: "ninety", Author: redline.Author{Name: "Bob"}},
	}, redline.Options{})
	require.NoError(t, err)
	f := m.wait(m.upload("contract.docx", marked.Document).ID)
	doc, err := docx.Open(marked.Document)
	require.NoError(t, err)
	var ids []string
	for _, r := range doc.Revisions() {
		ids = append(ids, m.propose(f.ID, redline.Change{Type: redline.Accept, Target: r.ID}))
	}
	ids = append(ids, m.propose(f.ID, redline.Change{Type: redline.Replace, Anchor: redline.Anchor{Text: "The end"}, Text: "The finish"}))
	open := m.propose(f.ID, redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Text: "days"}})
	var op db.Operation
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(t.Context(), m.in, "execute", 1, nil); err != nil {
			return err
		}
		return jobs.Insert(t.Context(), m.client, tx.Raw, jobs.ExecuteChanges{
			DocumentID: f.ID, TeamID: m.in.TeamID, ActorKind: m.in.ActorKind, ActorID: m.in.ActorID, OperationID: op.ID,
			Key: "0a", BaseSHA256: hex.EncodeToString(f.SHA256), Mode: "edit", Note: "after the call", ChangeIDs: ids,
		})
	}))
	require.Eventually(t, func() bool {
		op, err = m.db.Operation(t.Context(), m.in, op.ID)
		return err == nil && op.State != "running"
	}, 2*time.Minute, 20*time.Millisecond)
	require.Equal(t, "completed", op.State, op.Errors)
	var result struct{ Version int }
	require.NoError(t, json.Unmarshal(op.Result, &result))
	require.Equal(t, 2, result.Version)
	f = m.wait(f.ID)
	v, err := m.db.Version(t.Context(), m.in, f.ID, 2)
	require.NoError(t, err)
	require.Equal(t, db.VersionEdited, v.Source)
	require.Equal(t, "after the call", v.Note)
	require.Equal(t, m.in.ActorID, *v.AuthorID)
	r, err := m.blobs.Open(t.Context(), blob.Of(f.ID, f.BytesID))
	require.NoError(t, err)
	defer r.Close()
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	doc, err = docx.Open(data)
	require.NoError(t, err)
	var authors []string
	for _, revision := range doc.Revisions() {
		authors = append(authors, revision.Author+" "+revision.Kind+" "+revision.Text)
	}
	require.Equal(t, []string{"Ann del end", "Ann ins finish"}, authors, "what Bob changed was accepted")
	now := m.changes(f.ID)
	for _, id := range ids {
		require.Equal(t, db.ChangeExecuted, now[id].Status)
	}
	require.Equal(t, []any{db.ChangeProposed, 2}, []any{now[open].Status, now[open].Version})
}
