package e2e_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/docx"
)

// changed is what the tests read of the changes of a document.
type changed struct {
	Items    []struct{ ID, Origin, Status string }
	Total    int
	Document struct {
		SHA256  string
		Version int
	}
}

// redlined is what they read of a redline.
type redlined struct {
	Applied  []struct{ ID string }
	Failed   []struct{ ID, Error string }
	Checks   map[string]bool
	Document struct {
		SHA256 string
		Base64 []byte
	}
}

// post sends JSON.
func (c *caller) post(path, body string) answer {
	return c.call(c.t.Context(), http.MethodPost, path, strings.NewReader(body), "Content-Type", "application/json")
}

// into reads an answer of one status.
func (a answer) into(t testing.TB, status int, value any) {
	t.Helper()
	require.NoError(t, a.err)
	require.Equal(t, status, a.status, string(a.body))
	require.NoError(t, json.Unmarshal(a.body, value), string(a.body))
}

// documentXML is the main part of a DOCX.
func documentXML(t testing.TB, data []byte) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	part, err := z.Open("word/document.xml")
	require.NoError(t, err)
	defer part.Close()
	text, err := io.ReadAll(part)
	require.NoError(t, err)
	return string(text)
}

// TestRedlinesAtOnce has many people change and execute one document at once:
// every answer fits one state of the changes, and what becomes the file is
// carried out once.
func TestRedlinesAtOnce(t *testing.T) {
	const clauses = 10
	_, c, browser := newService(t)
	var lines []string
	for i := range clauses {
		lines = append(lines, fmt.Sprintf("Clause %c lasts thirty days.", 'A'+i))
	}
	f := c.wait(c.upload(upload{"contract.docx", encodeDOCX(t, "", lines)}).ID, 3*time.Minute)
	require.Equal(t, "completed", f.Status)
	base := "/api/files/" + f.ID

	// Two people want the same of every clause; one of them gets it.
	var all sync.WaitGroup
	answers := make(chan answer, 2*clauses)
	for i := range 2 * clauses {
		all.Go(func() {
			letter := 'A' + i/2
			answers <- browser.post(base+"/changes", fmt.Sprintf(`{"type":"replace","anchor":{"text":"Clause %c lasts thirty"},"text":"Clause %c lasts sixty"}`, letter, letter))
		})
	}
	all.Wait()
	close(answers)
	made := map[int]int{}
	for a := range answers {
		require.NoError(t, a.err)
		made[a.status]++
	}
	require.Equal(t, map[int]int{http.StatusCreated: clauses, http.StatusConflict: clauses}, made)
	var list changed
	browser.get(base+"/changes").into(t, http.StatusOK, &list)
	require.Equal(t, clauses, list.Total)

	// Redlines are asked for while changes are withdrawn.
	withdraw := func(id string) { browser.post(base+"/changes", `{"type":"withdraw","target":"`+id+`"}`) }
	answers = make(chan answer, 6)
	for range cap(answers) {
		all.Go(func() {
			a := browser.get(base + "/execute-redline?wait=30")
			for a.status == http.StatusAccepted {
				a = browser.get(base + "/execute-redline?wait=30")
			}
			answers <- a
		})
	}
	for _, change := range list.Items[:3] {
		all.Go(func() { withdraw(change.ID) })
	}
	all.Wait()
	close(answers)
	documents := map[string]string{}
	for a := range answers {
		var r redlined
		a.into(t, http.StatusOK, &r)
		require.Empty(t, r.Failed)
		require.GreaterOrEqual(t, len(r.Applied), clauses-3)
		require.Len(t, r.Checks, 4)
		require.NotContains(t, r.Checks, false)
		for name, holds := range r.Checks {
			require.True(t, holds, name)
		}
		ids := map[string]bool{}
		for _, done := range r.Applied {
			ids[done.ID] = true
		}
		require.Len(t, ids, len(r.Applied), "no change is made twice")
		require.Equal(t, len(ids), strings.Count(documentXML(t, r.Document.Base64), "sixty"))
		key := fmt.Sprint(r.Applied)
		if before, known := documents[key]; known {
			require.Equal(t, before, r.Document.SHA256, "the same changes give the same bytes")
		}
		documents[key] = r.Document.SHA256
	}

	// Of several executions one becomes the next version.
	answers = make(chan answer, 4)
	for range cap(answers) {
		all.Go(func() { answers <- browser.post(base+"/execute-all", "") })
	}
	all.Go(func() { withdraw(list.Items[3].ID) })
	all.Wait()
	close(answers)
	carriedOut := 0
	for a := range answers {
		if a.status == http.StatusConflict {
			continue
		}
		var accepted struct{ StatusURL string }
		a.into(t, http.StatusAccepted, &accepted)
		var op struct {
			State  string
			Result struct {
				Version int
				Applied []struct{ ID string }
			}
		}
		require.Eventually(t, func() bool {
			now := browser.get(accepted.StatusURL)
			return now.ok() && json.Unmarshal(now.body, &op) == nil && op.State != "running"
		}, 2*time.Minute, 50*time.Millisecond)
		if op.State == "completed" && len(op.Result.Applied) > 0 {
			carriedOut++
			require.Equal(t, 2, op.Result.Version)
		}
	}
	require.LessOrEqual(t, carriedOut, 1)
	if carriedOut == 0 { // every one of them met the withdrawal
		require.Eventually(t, func() bool { return browser.post(base+"/execute-all", "").status == http.StatusAccepted }, time.Minute, 50*time.Millisecond)
	}
	require.Eventually(t, func() bool {
		list = changed{}
		a := browser.get(base + "/changes?origin=proposed")
		return a.ok() && json.Unmarshal(a.body, &list) == nil && list.Document.Version == 2
	}, 2*time.Minute, 50*time.Millisecond)
	require.Equal(t, "completed", c.wait(f.ID, 3*time.Minute).Status)
	statuses := map[string]int{}
	for _, change := range list.Items {
		statuses[change.Status]++
	}
	require.Zero(t, statuses["proposed"])
	stored := browser.get(base + "/download")
	require.True(t, stored.ok(), string(stored.body))
	sum := sha256.Sum256(stored.body)
	require.Equal(t, list.Document.SHA256, hex.EncodeToString(sum[:]), "the bytes are those of the version")
	require.Equal(t, statuses["executed"], strings.Count(documentXML(t, stored.body), "sixty"))
}

// TestPrintedAgain asks for a PDF where the program that makes it is killed, and
// again when it is not.
func TestPrintedAgain(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o711)) //nolint:gosec // the converter runs in it
	mended, converter := filepath.Join(dir, "mended"), filepath.Join(dir, "soffice")
	require.NoError(t, os.WriteFile(converter, []byte("#!/bin/sh\n[ -e "+mended+" ] || kill -9 $$\nprintf %%PDF-1.4 > source.pdf\n"), 0o700)) //nolint:gosec // it is to be run
	s, c, browser := newService(t, "CLAUSEMILL_CONVERTER="+converter)
	f := c.wait(c.upload(upload{"contract.docx", encodeDOCX(t, "", []string{"The term is thirty days."})}).ID, 3*time.Minute)
	path := "/api/files/" + f.ID + "/execute-redline?format=pdf&wait=30"
	ask := func() answer {
		a := browser.get(path)
		for a.status == http.StatusAccepted {
			a = browser.get(path)
		}
		require.NoError(t, a.err)
		return a
	}
	a := ask()
	require.Equal(t, http.StatusServiceUnavailable, a.status, string(a.body))
	require.Contains(t, string(a.body), "conversion_failed")
	require.NotEmpty(t, a.header.Get("Retry-After"))

	require.NoError(t, os.WriteFile(mended, nil, 0o600))
	s.exec(`UPDATE renditions SET expires_at = now()`) // a moment later
	a = ask()
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	require.Equal(t, "%PDF-1.4", string(a.body))

	s.exec(`DELETE FROM renditions`) // as pruned
	require.Equal(t, "%PDF-1.4", string(ask().body), "what is gone is made anew")
}

// TestExecutedAgain carries changes out on a file whose bytes are damaged, and
// again when they are mended: the failure is told, and does not stand in the way.
func TestExecutedAgain(t *testing.T) {
	t.Parallel()
	s, c, browser := newService(t)
	f := c.wait(c.upload(upload{"contract.docx", encodeDOCX(t, "", []string{"The term is thirty days."})}).ID, 3*time.Minute)
	base := "/api/files/" + f.ID
	browser.post(base+"/changes", `{"type":"replace","anchor":{"text":"thirty"},"text":"sixty"}`).into(t, http.StatusCreated, &changed{})
	ended := func() (op struct {
		State  string
		Errors []struct{ Error string }
	}) {
		var accepted struct{ StatusURL string }
		browser.post(base+"/execute-all", "").into(t, http.StatusAccepted, &accepted)
		require.Eventually(t, func() bool {
			now := browser.get(accepted.StatusURL)
			return now.ok() && json.Unmarshal(now.body, &op) == nil && op.State != "running"
		}, 2*time.Minute, 50*time.Millisecond)
		return op
	}
	stored := filepath.Join(s.blobs(), filepath.FromSlash(blob.Original(f.ID)))
	whole, err := os.ReadFile(stored)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(stored, whole[:len(whole)/2], 0o600))
	failed := ended()
	require.Equal(t, "failed", failed.State)
	require.NotEmpty(t, failed.Errors)

	require.NoError(t, os.WriteFile(stored, whole, 0o600))
	require.Equal(t, "completed", ended().State)
	require.Equal(t, "completed", c.wait(f.ID, 3*time.Minute).Status)
	require.Contains(t, documentXML(t, browser.get(base+"/download").body), "sixty")
}

// TestPDFRedlined makes a redline of a PDF with a picture and a table, whose rows are lines
// since the PDF does not say more: the Word document that is built of it has both in their
// places.
func TestPDFRedlined(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	require.NoError(t, jpeg.Encode(&photo, formattest.Flag(), nil))
	content := formattest.Line(72, 720, "Lease of the premises at the harbour, between the landlord and the tenant.") +
		"q 150 0 0 100 72 590 cm /I0 Do Q\n" + formattest.Line(72, 560, "The rent of the rooms is due in advance, as follows.")
	for i, row := range [][2]string{{"Room", "Rent"}, {"Office", "900 EUR"}, {"Cellar", "120 EUR"}, {"Garage", "80 EUR"}} {
		y := 520 - 20*float64(i)
		content += formattest.Line(72, y, row[0]) + formattest.Line(300, y, row[1])
	}
	content += formattest.Line(72, 400, "The landlord repairs the roof and the walls within thirty days.")
	_, c, browser := newService(t)
	f := c.wait(c.upload(upload{"lease.pdf", formattest.PDF(formattest.PDFPage{Content: content, Image: photo.Bytes()})}).ID, 3*time.Minute)
	base := "/api/files/" + f.ID
	browser.post(base+"/changes", `{"type":"replace","anchor":{"text":"thirty"},"text":"sixty"}`).into(t, http.StatusCreated, &changed{})
	var done struct {
		redlined
		Source string
	}
	browser.get(base+"/execute-redline?wait=30").into(t, http.StatusOK, &done)
	require.Equal(t, "text", done.Source)
	require.Len(t, done.Applied, 1)
	for name, holds := range done.Checks {
		require.True(t, holds, name)
	}
	d, err := docx.Open(done.Document.Base64)
	require.NoError(t, err)
	require.Empty(t, d.Faults())
	var said []string
	for _, p := range d.Story("body").Paragraphs() {
		said = append(said, p.Text())
	}
	require.Equal(t, []string{
		"Lease of the premises at the harbour, between the landlord and the tenant.", "\uFFFC", "The rent of the rooms is due in advance, as follows.",
		"Room Rent", "Office 900 EUR", "Cellar 120 EUR", "Garage 80 EUR", "The landlord repairs the roof and the walls within sixty days.",
	}, slices.DeleteFunc(said, func(s string) bool { return s == "" }))
	media := 0
	z, err := zip.NewReader(bytes.NewReader(done.Document.Base64), int64(len(done.Document.Base64)))
	require.NoError(t, err)
	for _, part := range z.File {
		if strings.HasPrefix(part.Name, "word/media/") && part.UncompressedSize64 > 0 {
			media++
		}
	}
	require.Equal(t, 1, media)
}

// exec changes the database.
func (s *system) exec(sql string) {
	s.t.Helper()
	_, err := s.db.Pool().Exec(s.t.Context(), sql)
	require.NoError(s.t, err)
}
