package worker_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
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
	kept, err := m.db.ValidatedSentences(t.Context(), m.in, f.ID)
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
