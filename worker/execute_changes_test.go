package worker_test

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
)

// TestExecuteChanges makes a redline, and then a new version of the file that is
// read again.
func TestExecuteChanges(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	base, err := docx.Build([]docx.Passage{{Kind: docx.BodyPassage, Text: "The term is thirty days."}, {Kind: docx.BodyPassage, Text: "The end."}})
	require.NoError(t, err)
	file := m.wait(m.upload("contract.docx", base).ID)
	require.Equal(t, string(document.DOCX), file.Kind)

	propose := func(text, with string) string {
		c := redline.Change{
			ID: db.NewID(), Type: redline.Replace, Anchor: redline.Anchor{Text: text}, Text: with,
			Author: redline.Author{Name: "Ann"}, Date: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		}
		body, err := json.Marshal(c)
		require.NoError(t, err)
		require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.ProposeChanges(t.Context(), m.in, file, []db.Change{{ID: c.ID, Body: body}})
			return err
		}))
		return c.ID
	}
	good, bad := propose("thirty", "sixty"), propose("no such words", "x")
	asked := []string{good, bad}

	// execute gives the result under a key of its own.
	execute := func(key, mode, base string) redline.Outcome {
		var op db.Operation
		require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
			if op, err = tx.CreateOperation(t.Context(), m.in, "execute", 1, nil); err != nil {
				return err
			}
			return jobs.Insert(t.Context(), m.client, tx.Raw, jobs.ExecuteChanges{
				DocumentID: file.ID, TeamID: m.in.TeamID, ActorKind: m.in.ActorKind, ActorID: m.in.ActorID, OperationID: op.ID,
				Key: key, BaseSHA256: base, Mode: mode, Existing: "accept", ChangeIDs: asked,
			})
		}))
		if mode == "all" {
			require.Eventually(t, func() bool {
				op, err = m.db.Operation(t.Context(), m.in, op.ID)
				return err == nil && op.State != "running"
			}, 2*time.Minute, 20*time.Millisecond)
			require.Equal(t, "completed", op.State)
			require.Equal(t, 1, op.Failed, "the change that could not be carried out")
			return redline.Outcome{}
		}
		raw, err := hex.DecodeString(key)
		require.NoError(t, err)
		var made db.Rendition
		require.Eventually(t, func() bool {
			made, err = m.db.Rendition(t.Context(), m.in, file.ID, raw)
			return err == nil
		}, 2*time.Minute, 20*time.Millisecond)
		var outcome redline.Outcome
		require.NoError(t, json.Unmarshal(made.Report, &outcome))
		return outcome
	}
	sha := hex.EncodeToString(file.SHA256)
	outcome := execute("01", "redline", sha)
	require.Nil(t, outcome.Error)
	require.True(t, outcome.Report.Checks.OK())
	require.Equal(t, []redline.Done{{ID: good, How: redline.Context}}, outcome.Report.Applied)
	require.EqualValues(t, redline.AnchorNotFound, outcome.Report.Failed[0].Code)
	require.Equal(t, 2, outcome.Report.Revisions.Ours, "one out, one in")

	if _, err := exec.LookPath("soffice"); err == nil {
		m.printed(file, good)
	}

	outcome = execute("02", "redline", hex.EncodeToString([]byte("another")))
	require.Equal(t, redline.StaleDocument, outcome.Error.Code)

	// What fails for a reason of our own ends, too, and who waits is told.
	var broken string
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		rows, err := tx.ProposeChanges(t.Context(), m.in, file, []db.Change{{ID: db.NewID(), Body: []byte(`"no change at all"`)}})
		broken = rows[0].ID
		return err
	}))
	wanted := asked
	asked = []string{broken}
	outcome = execute("04", "redline", sha)
	require.Nil(t, outcome.Report)
	require.Equal(t, fault.Internal, outcome.Error.Kind)
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.WithdrawChange(t.Context(), m.in, file.ID, broken)
		return err
	}))
	asked = wanted

	// One that was asked for and withdrawn before its turn is not carried out.
	withdrawn := propose("The end.", "It goes on.")
	asked = append(asked, withdrawn)
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.WithdrawChange(t.Context(), m.in, file.ID, withdrawn)
		return err
	}))
	execute("03", "all", sha)
	after := m.wait(file.ID)
	require.Equal(t, file.Version+1, after.Version)
	require.Equal(t, file.Attempt+1, after.Attempt)
	require.Contains(t, m.text(file.ID), "The term is sixty days.")
	require.Contains(t, m.text(file.ID), "The end.")
	stored := func(f db.File) []byte {
		r, err := m.blobs.Open(t.Context(), blob.Of(f.ID, f.BytesID))
		require.NoError(t, err)
		defer r.Close()
		bytes, err := io.ReadAll(r)
		require.NoError(t, err)
		return bytes
	}
	require.Equal(t, 2, after.CurrentVersion)
	require.Equal(t, hex.EncodeToString(after.SHA256), redline.SHA256(stored(after)))
	require.Equal(t, base, stored(file), "what was uploaded stays what it was")
	versions, err := m.db.Versions(t.Context(), m.in, file.ID, 0, 9)
	require.NoError(t, err)
	require.Equal(t, db.VersionExecuted, versions[0].Source)
	require.Equal(t, file.SHA256, versions[1].SHA256)
	reading, err := m.db.Reading(t.Context(), m.in, file.ID, 1)
	require.NoError(t, err)
	require.Equal(t, "The term is thirty days.", reading.Blocks[0].Text)
	rows, err := m.db.Changes(t.Context(), m.in, file.ID)
	require.NoError(t, err)
	require.Equal(t, db.ChangeExecuted, rows[0].Status)
	require.Equal(t, db.ChangeStale, rows[1].Status)
	require.Equal(t, db.ChangeWithdrawn, rows[2].Status)
	require.Equal(t, []int{1, 2}, []int{rows[0].Version, *rows[0].Ended})
	require.Equal(t, 2, *rows[1].Ended)
	require.Nil(t, rows[2].Ended)
}

// printed makes the same redline as a PDF.
func (m *mill) printed(file db.File, change string) {
	m.t.Helper()
	ctx := m.t.Context()
	require.NoError(m.t, m.db.InTx(ctx, func(tx *db.Tx) error {
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.ExecuteChanges{
			DocumentID: file.ID, TeamID: m.in.TeamID, ActorKind: m.in.ActorKind, ActorID: m.in.ActorID,
			Key: "0f", BaseSHA256: hex.EncodeToString(file.SHA256), Mode: "redline", Format: "pdf", ChangeIDs: []string{change},
		})
	}))
	var made db.Rendition
	require.Eventually(m.t, func() bool {
		var err error
		made, err = m.db.Rendition(ctx, m.in, file.ID, []byte{0x0f})
		return err == nil
	}, 2*time.Minute, 20*time.Millisecond)
	path := filepath.Join(m.t.TempDir(), "redline.pdf")
	require.NoError(m.t, os.WriteFile(path, made.Document, 0o600))
	var text string
	require.NoError(m.t, m.config.Now.Documents.Extract(ctx, path, document.PDF, 1, 0, func(p document.Page) error {
		text += p.Text
		return nil
	}))
	require.Contains(m.t, text, "sixty", "what is put in")
	require.Contains(m.t, text, "thirty", "and what is taken out")
}

// TestProposalsKeepTheirPlace rejects a deletion, which brings the words of a proposal
// elsewhere back: the proposal stays where it was made, and is carried out there.
func TestProposalsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	data := wordOf(t, "In the past the annual fee was low.", "Each party pays the annual fee at once.", "The end.")
	marked, err := redline.Execute(data, []redline.Change{{
		ID: "a", Type: redline.Delete, Anchor: redline.Anchor{Text: "the annual fee", Occurrence: 1}, Author: redline.Author{Name: "Bob"}, Date: time.Unix(0, 0),
	}}, redline.Options{})
	require.NoError(t, err)
	f := m.wait(m.upload("contract.docx", marked.Document).ID)
	change := m.propose(f.ID, redline.Change{Type: redline.Replace, Anchor: redline.Anchor{Text: "the annual fee"}, Text: "the monthly fee"})
	execute := func(in jobs.ExecuteChanges) db.Operation {
		var op db.Operation
		require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
			if op, err = tx.CreateOperation(t.Context(), m.in, "execute", 1, nil); err != nil {
				return err
			}
			in.DocumentID, in.TeamID, in.ActorKind, in.ActorID, in.OperationID = f.ID, m.in.TeamID, m.in.ActorKind, m.in.ActorID, op.ID
			in.BaseSHA256 = hex.EncodeToString(f.SHA256)
			return jobs.Insert(t.Context(), m.client, tx.Raw, in)
		}))
		require.Eventually(t, func() bool {
			op, err = m.db.Operation(t.Context(), m.in, op.ID)
			return err == nil && op.State != "running"
		}, 2*time.Minute, 20*time.Millisecond)
		require.Equal(t, "completed", op.State)
		f = m.wait(f.ID)
		return op
	}
	execute(jobs.ExecuteChanges{Key: "01", Mode: "decide", Decision: "reject"})
	require.Contains(t, m.text(f.ID), "In the past the annual fee was low.")
	now := m.changes(f.ID)[change]
	require.Equal(t, db.ChangeProposed, now.Status)
	var c redline.Change
	require.NoError(t, json.Unmarshal(now.Body, &c))
	require.Equal(t, 1, *c.Anchor.Block)

	op := execute(jobs.ExecuteChanges{Key: "02", Mode: "all", Existing: "accept", ChangeIDs: []string{change}})
	require.Zero(t, op.Failed)
	require.Equal(t, db.ChangeExecuted, m.changes(f.ID)[change].Status)
	require.Contains(t, m.text(f.ID), "In the past the annual fee was low.")
	require.Contains(t, m.text(f.ID), "Each party pays the monthly fee at once.")
}
