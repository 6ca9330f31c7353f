package e2e_test

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

// wornOut is a recogniser that is well once, when a worker asks what it can read,
// and does what line says whenever it is started again.
func wornOut(t *testing.T, line string) (setting string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recogniser")
	text := "#!/bin/sh\nif mkdir $0.asked 2>/dev/null; then exec " + ocrProgram + "; fi\n" + line + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700)) //nolint:gosec // it is run
	return "CLAUSEMILL_OCR=" + path
}

// wornWorker is a worker whose recogniser was asked and has ended since.
func (s *system) wornWorker(settings ...string) *process {
	s.t.Helper()
	const workers = `SELECT count(*) FROM workers`
	before := s.count(workers)
	w := s.worker(settings...)
	require.Eventually(s.t, func() bool { return s.count(workers) > before }, time.Minute, 20*time.Millisecond)
	for _, child := range w.children() {
		require.NoError(s.t, syscall.Kill(child.pid, syscall.SIGKILL))
	}
	return w
}

// lockedPDF needs a password.
func lockedPDF(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, api.Encrypt(bytes.NewReader(textPDF(5, 1)), &out, model.NewAESConfiguration("secret", "owner", 256)))
	return out.Bytes()
}

// TestEveryCause meets every cause that a file can fail for.
func TestEveryCause(t *testing.T) {
	long(t)
	t.Parallel()
	oldDOC, err := os.ReadFile("testdata/old.doc")
	require.NoError(t, err)
	page := encodePNG(t, scan(t, clauses(9, linesAPage)))
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	c := ada.byKey(t, address)

	locked := ""
	for _, group := range []struct {
		settings []string // of the worker
		files    map[string]upload
	}{
		{[]string{"CLAUSEMILL_MAX_PAGES=3", "CLAUSEMILL_CONVERTER=false"}, map[string]upload{
			"password_protected": {"locked.pdf", lockedPDF(t)},
			"unsupported_type":   {"prices.xlsx", encodeZIP(t, entry{"[Content_Types].xml", []byte("spreadsheetml.sheet")})},
			"corrupt_file":       {"cut.pdf", textPDF(6, 3)[:700]},
			"empty_file":         {"empty.pdf", textPDF(8, 0)},
			"too_large":          {"huge.png", bigPNG(t, 60_000, 60_000)},
			"too_many_pages":     {"long.pdf", textPDF(7, 4)},
			"conversion_failed":  {"old.doc", oldDOC},
		}},
		{[]string{wornOut(t, "exec sleep 1000"), "CLAUSEMILL_OCR_TIMEOUT=5s"}, map[string]upload{"ocr_timeout": {"hangs.png", page}}},
		{[]string{wornOut(t, "kill -SEGV $$")}, map[string]upload{"ocr_crash": {"crashes.png", append(page, 0)}}},
		{[]string{wornOut(t, "exec tail /dev/zero")}, map[string]upload{"ocr_memory": {"bloats.png", append(page, 0, 0)}}},
	} {
		w := s.wornWorker(group.settings...)
		sent := map[string]string{}
		for cause, u := range group.files {
			sent[cause] = c.upload(u).ID
		}
		locked = cmp.Or(locked, sent["password_protected"])
		for cause, id := range sent {
			f := c.wait(id, 2*time.Minute)
			require.Equal(t, "failed", f.Status, "%s: %+v", cause, f)
			require.Equal(t, cause, f.code(), f.Error.Message)
			require.NotEmpty(t, f.Error.Message)
			require.NotEmpty(t, f.Error.Hint)
		}
		require.True(t, w.running())
		w.kill()
	}

	browser := ada.bySession(t, address)
	// With its password, a file is read like any other.
	unlock := func(password string, status int) {
		a := browser.call(t.Context(), http.MethodPost, "/api/files/"+locked+"/unlock", strings.NewReader(`{"password":"`+password+`"}`))
		require.Equal(t, status, a.status, string(a.body))
	}
	unlock("Secret", http.StatusUnprocessableEntity)
	unlock("secret", http.StatusAccepted)
	reader := s.worker()
	require.Equal(t, "completed", c.wait(locked, time.Minute).Status)
	unlock("secret", http.StatusConflict)
	reader.kill()

	// A search engine that does not answer costs a warning, and fails what was
	// about nothing else.
	note := c.upload(upload{"note.txt", []byte("The Tenant shall pay the rent.")})
	w := s.worker("MEILI_URL=http://127.0.0.1:1", "MEILI_KEY=x")
	f := c.wait(note.ID, time.Minute)
	require.Equal(t, "completed_with_warnings", f.Status)
	require.Equal(t, "index_pending", f.Warnings[0].Code)
	a := browser.call(t.Context(), http.MethodPost, "/api/files/"+note.ID+"/search-index", nil)
	require.Equal(t, http.StatusAccepted, a.status, string(a.body))
	f = c.wait(note.ID, time.Minute)
	require.Equal(t, "index_unavailable", f.code())
	require.True(t, f.Retryable)
	w.kill()

	// Bytes that are gone are nobody's fault but ours.
	lost := c.upload(upload{"lost.txt", []byte("The Landlord shall repair the roof.")})
	for _, path := range s.stored() {
		if strings.HasSuffix(path, lost.ID) {
			require.NoError(t, os.Remove(path))
		}
	}
	s.worker()
	f = c.wait(lost.ID, time.Minute)
	require.Equal(t, "bytes_lost", f.code())

	// Nor is a file given to a recogniser that cannot read its language.
	a = browser.call(t.Context(), http.MethodPost, "/api/files/"+note.ID+"/reprocess?languages=tlh", nil)
	require.Equal(t, http.StatusUnprocessableEntity, a.status, string(a.body))
	require.Contains(t, string(a.body), "tlh is not installed; available are ")
	require.Contains(t, string(a.body), "eng")

	// And with the engine back, what could not be indexed can.
	a = browser.call(t.Context(), http.MethodPost, "/api/files/"+note.ID+"/search-index", nil)
	require.Equal(t, http.StatusAccepted, a.status, string(a.body))
	require.Equal(t, "completed", c.wait(note.ID, time.Minute).Status)
}

// The most that processes may take, in bytes.
const (
	workerMemory = 300 << 20
	ocrMemory    = 350 << 20
	readerMemory = 650 << 20 // its limit of 600 MiB, and what it grows by until that is seen
)

// TestBombs sends files that are made to take all memory or all time.
func TestBombs(t *testing.T) {
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	w := s.worker()
	memory := watch(w)
	c := ada.byKey(t, address)

	nested := encodeZIP(t, entry{"core.txt", []byte("The Tenant shall pay the rent.")})
	for i := range 5 {
		nested = encodeZIP(t, entry{fmt.Sprintf("level-%d.zip", i), nested})
	}
	for _, bomb := range []upload{
		{"zeros.zip", encodeZIP(t, entry{"zeros.txt", make([]byte, 200<<20)})},
		{"nested.zip", nested},
		{"huge.png", bigPNG(t, 60_000, 60_000)},
		{"largest.pdf", encodePDF(pdfPage{jpeg: encodeJPEG(t, scan(t, clauses(1, linesAPage))), width: 14_400, height: 14_400})},
		{"entities.docx", encodeDOCX(t, entityBomb(), []string{"&e9;"})},
		{"deep.docx", encodeDOCX(t, "", []string{strings.Repeat("<w:t>", 500_000)})},
		{"deep.html", []byte("<html><body>" + strings.Repeat("<div>", 1_000_000) + "The end.")},
		{"deep.rtf", []byte(`{\rtf1 ` + strings.Repeat("{", 2_000_000) + "The end.")},
		{"wide.txt", bytes.Repeat([]byte("x"), 20<<20)},
		{"blank.tiff", encodeTIFF(scan(t, []string{""}), scan(t, []string{""}))},
	} {
		c.upload(bomb)
	}
	for _, f := range c.allEnd(5 * time.Minute) {
		t.Logf("%-14s %-24s %s", f.Name, f.Status, f.code())
		require.NotEqual(t, "internal", f.code(), f.Name)
	}
	require.True(t, w.running(), "the worker did not survive")
	after := c.upload(upload{"after.png", encodePNG(t, scan(t, clauses(2, linesAPage)))})
	require.Equal(t, "completed", c.wait(after.ID, time.Minute).Status)
	s.lawful()

	peak := memory()
	t.Logf("most memory: %v", peak)
	require.Less(t, peak["worker"]>>20, int64(workerMemory>>20))
	require.Less(t, peak["recogniser"]>>20, int64(ocrMemory>>20))
	require.Less(t, peak["reader"]>>20, int64(readerMemory>>20))
}

// peaks is the most memory that each kind of process ever took, in bytes.
type peaks map[string]int64

func (p peaks) String() string {
	var parts []string
	for _, kind := range []string{"worker", "reader", "recogniser"} {
		parts = append(parts, fmt.Sprintf("%s %d MiB", kind, p[kind]>>20))
	}
	return strings.Join(parts, ", ")
}

// watch looks at the memory of a worker and its children until the function it
// returns is called.
func watch(w *process) func() peaks {
	found, done := peaks{}, make(chan struct{})
	look := func() {
		all := w.children()
		if s, ok := readStat(fmt.Sprintf("/proc/%d", w.pid())); ok {
			found["worker"] = s.resident
		}
		for _, s := range all {
			kind := "reader"
			if strings.Contains(s.arguments, "clausemill-ocr") {
				kind = "recogniser"
			}
			found[kind] = max(found[kind], s.resident)
		}
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				look()
			}
		}
	})
	return func() peaks {
		close(done)
		watching.Wait()
		look()
		return found
	}
}
