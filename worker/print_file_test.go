package worker_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
)

// print has a file laid out, and is what came of it.
func (m *mill) print(file db.File, key byte) (made db.Rendition) {
	m.t.Helper()
	ctx := m.t.Context()
	require.NoError(m.t, m.db.InTx(ctx, func(tx *db.Tx) error {
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.PrintFile{
			DocumentID: file.ID, TeamID: m.in.TeamID, Key: fmt.Sprintf("%02x", key), Version: file.CurrentVersion, Generation: file.Generation,
		})
	}))
	require.Eventually(m.t, func() bool {
		var err error
		made, err = m.db.Rendition(ctx, m.in, file.ID, []byte{key})
		return err == nil
	}, 2*time.Minute, 20*time.Millisecond)
	return made
}

// TestPrintFile lays out a contract of several pages. What stands in the box of a word on
// the PDF is that word.
func TestPrintFile(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("soffice"); err != nil {
		t.Skip("LibreOffice is not installed")
	}
	m := newMill(t)
	m.start()
	passages := []docx.Passage{{Kind: docx.Heading, Level: 1, Text: "Lease"}}
	for i := range 120 {
		passages = append(passages, docx.Passage{Kind: docx.BodyPassage, Text: fmt.Sprintf("The tenant of “house” %d pays %d € for each month, and the landlord keeps the house. The tenant doesn't pay for the garden.", i, i%7)})
	}
	data, err := docx.Build(passages)
	require.NoError(t, err)
	file := m.wait(m.upload("lease.docx", data).ID)
	made := m.print(file, 1)
	var print draft.Print
	require.NoError(t, json.Unmarshal(made.Report, &print))
	require.Greater(t, len(print.Pages), 3)

	path := filepath.Join(t.TempDir(), "lease.pdf")
	require.NoError(t, os.WriteFile(path, made.Document, 0o600))
	var printed []document.Page
	require.NoError(t, m.config.Now.Documents.Extract(t.Context(), path, document.PDF, 1, 0, func(p document.Page) error {
		printed = append(printed, p)
		return nil
	}))
	require.Len(t, printed, len(print.Pages))
	text, placed := []rune(m.text(file.ID)), 0
	for i, page := range printed {
		under := map[[2]float32]string{}
		runes := []rune(page.Text)
		for _, w := range page.Words {
			under[[2]float32{float32(int(w.Box.X0)), float32(int(w.Box.Y0))}] = string(runes[w.Start:w.End])
		}
		layout, err := print.Layout(i + 1)
		require.NoError(t, err)
		for _, w := range layout.Words {
			at := print.Pages[i].Start
			require.Equal(t, under[[2]float32{float32(int(w.Box.X0)), float32(int(w.Box.Y0))}], string(text[at+w.Start:at+w.End]))
			placed++
		}
	}
	require.Equal(t, len(strings.Fields(string(text))), placed, "every word has a place")

	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.RestartFile(t.Context(), m.in, file.ID, db.FileOptions{}, false)
		return err
	}))
	file.Generation--
	var outcome redline.Outcome
	require.NoError(t, json.Unmarshal(m.print(file, 2).Report, &outcome))
	require.Equal(t, redline.StaleDocument, outcome.Error.Code, "it is another text")
}

// TestPrintWithoutLibreOffice tells who waits.
func TestPrintWithoutLibreOffice(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	self, err := os.Executable()
	require.NoError(t, err)
	m.config.Now.Documents = document.NewReader(document.Config{Command: []string{self, "reader"}, Size: 1, CacheDir: os.TempDir(), Log: m.config.Log})
	t.Cleanup(func() { _ = m.config.Now.Documents.Close() })
	m.start()
	file := m.wait(m.upload("lease.docx", wordOf(t, "The tenant pays.")).ID)
	var outcome redline.Outcome
	require.NoError(t, json.Unmarshal(m.print(file, 1).Report, &outcome))
	require.Equal(t, fault.ConversionFailed, outcome.Error.Code)
	require.Contains(t, outcome.Error.Message, "LibreOffice")
}
