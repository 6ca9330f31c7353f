package worker_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/layout"
	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/search"
	"github.com/clausemill/clausemill/worker"
)

// TestMain lets the test binary be the child that reads documents.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "reader" {
		if err := document.Serve(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	dbtest.Drop()
	os.Exit(code)
}

// mill is a worker with everything it needs, all of it real.
type mill struct {
	t      *testing.T
	db     *db.DB
	blobs  *blob.Store
	client *jobs.Client
	in     db.Scope
	config worker.Config
}

func newMill(t *testing.T) *mill {
	t.Helper()
	program := os.Getenv("CLAUSEMILL_OCR")
	if program == "" {
		t.Skip("needs the program clausemill-ocr: run the tests with `make test`, or set CLAUSEMILL_OCR")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(outputOf(t), &slog.HandlerOptions{Level: slog.LevelWarn}))
	d, _ := dbtest.Database(t)
	d.Rehearse()
	d = d.Prepared()
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	require.NoError(t, err)
	converter, _ := exec.LookPath("soffice") // "" where there is none
	lane := func() worker.Lane {
		l := worker.Lane{
			Documents: document.NewReader(document.Config{Command: []string{self, "reader"}, Size: 2, CacheDir: os.TempDir(), Converter: converter, Log: log}),
			OCR:       ocr.New(ocr.Config{Command: []string{program}, Slots: 2, Log: log}),
		}
		t.Cleanup(func() {
			_ = l.Documents.Close()
			_ = l.OCR.Close()
		})
		return l
	}
	m := &mill{t: t, db: d, blobs: blobs}
	m.client, err = river.NewClient(riverpgxv5.New(d.Pool()), &river.Config{Logger: log})
	require.NoError(t, err)
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		user, err := tx.EnsureUser(t.Context(), "ada@example.com", "")
		m.in = db.Scope{TeamID: user.PersonalTeamID, ActorKind: "user", ActorID: user.ID}
		return err
	}))
	m.config = worker.Config{
		DB: d, Blobs: blobs, Search: search.NewPostgres(d), Bulk: lane(), Now: lane(),
		Slots: map[string]int{jobs.QueueOCR: 2, jobs.QueueText: 2}, Trash: 30 * 24 * time.Hour, Log: log, Metrics: prometheus.NewRegistry(),
		Fenced: func() { t.Error("this worker lost its jobs") },
		Failed: func(err error) { t.Error("this worker can do no job:", err) },
	}
	return m
}

// output is the output of a test until it ends. What a worker that lost its
// database, or was cut off, says later than that would be a panic.
type output struct {
	mu sync.Mutex
	to io.Writer
}

func outputOf(t *testing.T) *output {
	o := &output{to: t.Output()}
	t.Cleanup(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.to = io.Discard
	})
	return o
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.Write(p)
}

// start runs a worker until the test ends.
func (m *mill) start() *worker.Worker {
	m.t.Helper()
	m.config.Metrics = prometheus.NewRegistry()
	w, err := worker.New(m.config)
	require.NoError(m.t, err)
	require.NoError(m.t, w.Start(context.Background()))
	m.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = w.Stop(ctx)
	})
	return w
}

// upload does what the API does: bytes first, then the row and its job.
func (m *mill) upload(name string, content []byte) db.File {
	m.t.Helper()
	return m.uploadAs(db.NewFile{Name: name}, content)
}

// uploadAs is upload of what f says.
func (m *mill) uploadAs(f db.NewFile, content []byte) (file db.File) {
	m.t.Helper()
	ctx := m.t.Context()
	f.ID, f.Source = db.NewID(), "upload"
	written, err := m.blobs.Put(ctx, blob.Original(f.ID), bytes.NewReader(content), 1<<30)
	require.NoError(m.t, err)
	f.Size, f.SHA256 = written.Size, written.SHA256[:]
	require.NoError(m.t, m.db.InTx(ctx, func(tx *db.Tx) error {
		file, err = tx.CreateFile(ctx, m.in, f)
		if err != nil {
			return err
		}
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: m.in.TeamID, Attempt: 1}})
	}))
	return file
}

// file is what is known of a file now.
func (m *mill) file(id string) db.File {
	m.t.Helper()
	file, err := m.db.File(m.t.Context(), m.in, id)
	require.NoError(m.t, err)
	return file
}

// count is the number that a statement selects.
func (m *mill) count(sql string, args ...any) (n int) {
	m.t.Helper()
	require.NoError(m.t, m.db.Pool().QueryRow(m.t.Context(), sql, args...).Scan(&n))
	return n
}

// addVersion does what the API does with what somebody sends back.
func (m *mill) addVersion(id, name string, content []byte) (file db.File) {
	m.t.Helper()
	ctx := m.t.Context()
	v := db.NewVersion{BytesID: db.NewID(), Name: name, ContentType: "application/octet-stream", Source: db.VersionImported}
	written, err := m.blobs.Put(ctx, blob.Version(v.BytesID), bytes.NewReader(content), 1<<30)
	require.NoError(m.t, err)
	v.Size, v.SHA256 = written.Size, written.SHA256[:]
	require.NoError(m.t, m.db.InTx(ctx, func(tx *db.Tx) error {
		held, err := tx.FileForUpdate(ctx, m.in, id)
		if err != nil {
			return err
		}
		running, err := tx.CancelWaitingJobs(ctx, m.in, []string{id})
		if err != nil {
			return err
		}
		if err := jobs.Cancel(ctx, m.client, tx.Raw, running); err != nil {
			return err
		}
		if file, err = tx.AddVersion(ctx, m.in, held, v, false); err != nil {
			return err
		}
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.ReceiveFile{File: jobs.File{FileID: id, TeamID: m.in.TeamID, Attempt: file.Attempt}})
	}))
	return file
}

// wait follows a file to the end of its attempt.
func (m *mill) wait(id string) (file db.File) {
	m.t.Helper()
	require.Eventually(m.t, func() bool {
		var err error
		file, err = m.db.File(m.t.Context(), m.in, id)
		return err == nil && file.Status.Terminal()
	}, 2*time.Minute, 20*time.Millisecond, "the file came to no end")
	return file
}

// text is the canonical text of a file.
func (m *mill) text(id string) string {
	m.t.Helper()
	pages, err := m.db.Pages(m.t.Context(), m.in, id)
	require.NoError(m.t, err)
	texts := make([]string, len(pages))
	for i, p := range pages {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\f")
}

// lawful checks what must hold of every file with text: spans are where they
// say, words too.
func (m *mill) lawful(id string) {
	m.t.Helper()
	ctx, text := m.t.Context(), []rune(m.text(id))
	sentences, err := m.db.Sentences(ctx, m.in, id)
	require.NoError(m.t, err)
	for i, s := range sentences {
		require.Equal(m.t, s.Text, string(text[s.Start:s.End]))
		require.Equal(m.t, i, s.Ordinal)
	}
	blocks, err := m.db.Blocks(ctx, m.in, id, -1, 10_000)
	require.NoError(m.t, err)
	for _, b := range blocks {
		require.Equal(m.t, b.Text, string(text[b.Start:b.End]))
	}
	sections, err := m.db.Sections(ctx, m.in, id, db.SectionFilter{}, -1, 10_000)
	require.NoError(m.t, err)
	for i, s := range sections {
		require.Equal(m.t, i, s.Ordinal)
		heading := string(text[s.Start:s.End])
		beside := slices.ContainsFunc(blocks, func(b db.Block) bool { return b.Start == s.Start && b.Number == s.Number })
		require.True(m.t, beside || strings.HasPrefix(heading, s.Number), "%q does not begin with %q", heading, s.Number)
		for _, t := range sentences[s.FirstSentence:s.EndSentence] {
			require.True(m.t, t.Start < s.End && s.Start < t.End, "%q is not in section %q", t.Text, s.Number)
		}
		if s.Parent != nil {
			around := sections[*s.Parent]
			require.True(m.t, around.Start <= s.Start && s.End <= around.End && around.Level == s.Level-1)
		}
	}
	for _, level := range []db.AttributeLevel{db.FileLevel, db.SpanLevel} {
		attributes, err := m.db.Attributes(ctx, m.in, id, db.AttributePlace{Level: level, After: -1, Limit: 10_000})
		require.NoError(m.t, err)
		for i, a := range attributes {
			require.Equal(m.t, i, a.Ordinal)
			for _, s := range a.Spans {
				require.Equal(m.t, s.Quote, string(text[s.Start:s.End]))
				require.Equal(m.t, strings.Count(string(text[:s.Start]), "\f")+1, s.Page)
			}
		}
	}
	pages, err := m.db.PagesWithWords(ctx, m.in, id, 1, 10_000)
	require.NoError(m.t, err)
	for _, p := range pages {
		words, err := layout.DecodeWords(p.Words)
		require.NoError(m.t, err)
		runes := []rune(p.Text)
		for _, w := range words {
			require.NotEmpty(m.t, strings.TrimSpace(string(runes[w.Start:w.End])))
		}
	}
}

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return b
}

// scan is page n of a PDF as a PNG, as a scanner would send it.
func (m *mill) scan(name string, page int) []byte {
	m.t.Helper()
	img, err := m.config.Now.Documents.Render(m.t.Context(), filepath.Join("testdata", name), document.PDF, page, 300)
	require.NoError(m.t, err)
	header := len(img.Bytes) - img.Width*img.Height
	var out bytes.Buffer
	require.NoError(m.t, png.Encode(&out, &image.Gray{Pix: img.Bytes[header:], Stride: img.Width, Rect: image.Rect(0, 0, img.Width, img.Height)}))
	return out.Bytes()
}

func archive(t *testing.T, entries map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range entries {
		e, err := w.Create(name)
		require.NoError(t, err)
		_, err = e.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// shared is the share of a's words that b has too.
func shared(a, b string) float64 {
	count := map[string]int{}
	for _, w := range strings.Fields(b) {
		count[w]++
	}
	words := strings.Fields(a)
	found := 0
	for _, w := range words {
		if count[w] > 0 {
			count[w]--
			found++
		}
	}
	return float64(found) / float64(max(len(words), 1))
}

func TestPipeline(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	born := m.upload("contract.pdf", fixture(t, "two-pages.pdf"))
	scanned := m.upload("scan.png", m.scan("two-pages.pdf", 1))
	note := m.upload("note.txt", []byte("The Tenant shall pay the rent. The Landlord shall repair the roof.\n"))

	file := m.wait(born.ID)
	require.Equal(t, db.FileCompleted, file.Status, "%+v", file)
	require.Equal(t, db.StageDone, file.Stage)
	require.Equal(t, "pdf", file.Kind)
	require.Equal(t, 2, file.PageCount)
	require.Equal(t, 2, file.PagesDone)
	require.Zero(t, file.PagesOCR)
	require.True(t, file.Searchable())
	require.Equal(t, "en", file.Language)
	m.lawful(born.ID)

	file = m.wait(scanned.ID)
	require.Equal(t, db.FileCompleted, file.Status, "%+v", file.Warnings)
	require.Equal(t, 1, file.PagesOCR)
	m.lawful(scanned.ID)
	firstPage, _, _ := strings.Cut(m.text(born.ID), "\f")
	require.Greater(t, shared(firstPage, m.text(scanned.ID)), 0.95)

	require.Equal(t, db.FileCompleted, m.wait(note.ID).Status)
	m.lawful(note.ID)
	found, err := m.config.Search.Sentences(t.Context(), m.in, search.Query{Text: "landlord repair roof"})
	require.NoError(t, err)
	require.Len(t, found.Hits, 1)
	require.Equal(t, note.ID, found.Hits[0].FileID)

	again := m.upload("copy.pdf", fixture(t, "two-pages.pdf"))
	require.Equal(t, born.ID, *again.DuplicateOf)
	require.Equal(t, db.FileCompleted, m.wait(again.ID).Status)
	require.Equal(t, m.text(born.ID), m.text(again.ID))
}

// TestSmallFilesAreReadWhenReceived spares them the job of their own that large
// files get, and says of both in which stage they failed.
func TestSmallFilesAreReadWhenReceived(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	died := m.upload("died.html", []byte("<p>The Tenant pays.</p>"))
	_, err := m.db.Pool().Exec(t.Context(), `UPDATE river_job SET attempt = 1 WHERE args ->> 'file_id' = $1`, died.ID)
	require.NoError(t, err)
	m.start()
	extractions := func(file db.File) (jobs int) {
		require.NoError(t, m.db.Pool().QueryRow(t.Context(),
			`SELECT count(*) FROM river_job WHERE kind = 'extract_text' AND args ->> 'file_id' = $1`, file.ID).Scan(&jobs))
		return jobs
	}
	broken := func(padding int) []byte {
		noise := make([]byte, padding)
		_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // it cannot fail
		return archive(t, map[string][]byte{
			"[Content_Types].xml": []byte(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`),
			"word/document.xml":   []byte(`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p>`),
			"word/noise.bin":      noise,
		})
	}
	page := func(padding int) []byte {
		return []byte("<p>The Tenant shall pay the rent.</p><!--" + strings.Repeat("x", padding) + "-->")
	}
	for name, test := range map[string]struct {
		content []byte
		status  db.FileStatus
		jobs    int
	}{
		"small.html": {page(0), db.FileCompleted, 0},
		"large.html": {page(1 << 20), db.FileCompleted, 1},
		"small.docx": {broken(0), db.FileFailed, 0},
		"large.docx": {broken(1 << 20), db.FileFailed, 1},
	} {
		file := m.wait(m.upload(name, test.content).ID)
		require.Equal(t, test.status, file.Status, name)
		require.Equal(t, strings.TrimPrefix(filepath.Ext(name), "."), file.Kind)
		if test.status == db.FileFailed {
			require.Equal(t, string(db.StageExtract), *file.ErrorStage, name)
		}
		require.Equal(t, test.jobs, extractions(file), name)
	}
	require.Equal(t, 1, extractions(m.wait(died.ID)), "what ended a worker is tried a step at a time")
}

// TestScanOfOnePicture reads a page that is a JPEG from its bytes, with the words
// and the boxes that the drawn page has. Where the bytes are damaged, what is
// drawn of them counts.
func TestScanOfOnePicture(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	ctx, lane, dir := t.Context(), m.config.Now, t.TempDir()
	drawing, err := lane.Documents.Render(ctx, filepath.Join("testdata", "one-page.pdf"), document.PDF, 1, 300)
	require.NoError(t, err)
	pixels := drawing.Bytes[len(drawing.Bytes)-drawing.Width*drawing.Height:]
	var picture bytes.Buffer
	require.NoError(t, jpeg.Encode(&picture, &image.Gray{Pix: pixels, Stride: drawing.Width, Rect: image.Rect(0, 0, drawing.Width, drawing.Height)}, nil))
	const density = "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x01\x01\x2c\x01\x2c\x00\x00" // 300 dpi, so that nothing is scaled
	scanned := func(name string, picture []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path+".jpg", append([]byte(density), picture[2:]...), 0o600))
		_, err := lane.Documents.Merge(ctx, []document.Part{{Path: path + ".jpg", Kind: document.JPEG}}, path+".pdf")
		require.NoError(t, err)
		return path + ".pdf"
	}

	sound := scanned("sound", picture.Bytes())
	var read [2]layout.Page
	for i, look := range []func(context.Context, string, document.Kind, int, float64) (document.Image, error){lane.Documents.Scan, lane.Documents.Render} {
		img, err := look(ctx, sound, document.PDF, 1, 300)
		require.NoError(t, err)
		require.Equal(t, i == 0, img.JPEG)
		read[i], err = lane.OCR.Read(ctx, ocr.Image{Bytes: img.Bytes, DPI: img.DPI, Width: img.PageWidth, Height: img.PageHeight, Number: 1})
		require.NoError(t, err)
	}
	require.NotEmpty(t, read[0].Words)
	require.Equal(t, read[1], read[0])

	// Without its scales the engine shows a blank page.
	damaged, err := os.ReadFile(scanned("damaged", bytes.Replace(picture.Bytes(), []byte{0xff, 0xdb}, []byte{0xff, 0xfe}, 1)))
	require.NoError(t, err)
	m.start()
	file := m.wait(m.upload("damaged.pdf", damaged).ID)
	require.Equal(t, db.FileWithWarnings, file.Status)
	pages, err := m.db.Pages(ctx, m.in, file.ID)
	require.NoError(t, err)
	require.Equal(t, "ocr", pages[0].Source)
	require.Nil(t, pages[0].ErrorCode)
}

func TestArchive(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	parent := m.upload("import.zip", archive(t, map[string][]byte{
		"a/lease.txt": []byte("The Tenant shall pay the rent."),
		"b/nda.pdf":   fixture(t, "one-page.pdf"),
		"d/inner.zip": archive(t, map[string][]byte{"x.txt": []byte("x")}),
		"c/noise.bin": {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	}))
	require.Equal(t, db.FileCompleted, m.wait(parent.ID).Status)
	var files []db.File
	require.Eventually(t, func() bool {
		var err error
		files, err = m.db.Files(t.Context(), m.in, db.FileFilter{}, "", 10)
		require.NoError(t, err)
		for _, f := range files {
			if !f.Status.Terminal() {
				return false
			}
		}
		return true
	}, time.Minute, 20*time.Millisecond)
	ends := map[string]db.FileStatus{}
	for _, f := range files {
		ends[f.Name] = f.Status
	}
	require.Equal(t, map[string]db.FileStatus{
		"import.zip": db.FileCompleted, "lease.txt": db.FileCompleted, "nda.pdf": db.FileCompleted, "noise.bin": db.FileFailed,
		"inner.zip": db.FileFailed,
	}, ends)
}

// TestForeignStore has a worker lose the store of the files: it says so and does
// nothing more, and another one goes on with its jobs.
func TestForeignStore(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	_, err := m.blobs.SetMark(t.Context(), "ours")
	require.NoError(t, err)
	empty, err := blob.Open(t.Context(), "file://"+t.TempDir())
	require.NoError(t, err)
	empty.Own("ours")
	healthy, failed := m.config, make(chan error, 1)
	m.config.Blobs, m.config.Failed = empty, func(err error) { failed <- err }
	lost := m.start()
	f := m.upload("lease.txt", []byte("The Tenant shall pay the rent."))
	require.ErrorIs(t, <-failed, blob.ErrForeign)
	require.False(t, m.file(f.ID).Status.Terminal())
	require.NoError(t, lost.Stop(t.Context()))

	m.config = healthy
	m.start()
	require.Equal(t, db.FileCompleted, m.wait(f.ID).Status)
	require.Equal(t, 1, m.file(f.ID).Attempt)
}

// TestLostBytes fails a file whose bytes are not in the store that it is sure of.
func TestLostBytes(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	f := m.upload("lease.txt", []byte("The Tenant shall pay the rent."))
	require.NoError(t, m.blobs.Delete(t.Context(), blob.Original(f.ID)))
	m.start()
	file := m.wait(f.ID)
	require.Equal(t, db.FileFailed, file.Status)
	require.Equal(t, string(fault.BytesLost), *file.ErrorCode)
	require.True(t, file.Retryable(), "a backup may bring them")
}

// hanging is a recogniser whose child never answers, until its time is up.
func hanging(t *testing.T, timeout time.Duration) *ocr.Reader {
	t.Helper()
	r := ocr.New(ocr.Config{
		Command: []string{"sh", "-c", "exec sleep 1000"}, Slots: 2, PageTimeout: timeout,
		Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func TestMailWithAttachment(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	mail := m.upload("signed.eml", []byte("From: ada@example.com\r\nTo: bob@example.com\r\nSubject: The lease\r\nMIME-Version: 1.0\r\n"+
		"Content-Type: multipart/mixed; boundary=part\r\n\r\n"+
		"--part\r\nContent-Type: text/plain\r\n\r\nThe lease is attached.\r\n"+
		"--part\r\nContent-Disposition: attachment; filename=lease.txt\r\n\r\nThe Tenant shall pay the rent.\r\n--part--\r\n"))
	require.Equal(t, db.FileCompleted, m.wait(mail.ID).Status)
	require.Contains(t, m.text(mail.ID), "The lease is attached.")
	files, err := m.db.Files(t.Context(), m.in, db.FileFilter{Name: "lease.txt"}, "", 10)
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.Equal(t, mail.ID, *files[0].ParentID)
	require.Equal(t, db.FileCompleted, m.wait(files[0].ID).Status)
	require.Equal(t, "The Tenant shall pay the rent.", strings.TrimSpace(m.text(files[0].ID)))
}

func TestImportWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	id := db.NewID()
	content := []byte("The Tenant shall pay the rent.")
	written, err := m.blobs.Put(t.Context(), blob.Original(id), bytes.NewReader(content), 1<<20)
	require.NoError(t, err)
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.CreateFile(t.Context(), m.in, db.NewFile{ID: id, Name: "a.txt", Size: written.Size, SHA256: written.SHA256[:], Source: "upload", Bulk: true})
		if err != nil {
			return err
		}
		return jobs.Insert(t.Context(), m.client, tx.Raw, jobs.ReceiveFile{File: jobs.File{FileID: id, TeamID: m.in.TeamID, Attempt: 1, Bulk: true}})
	}))
	waiting, err := m.db.FileJobStates(t.Context(), m.in, id)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, "pending", waiting[0].State)
	m.start()
	require.Equal(t, db.FileCompleted, m.wait(id).Status)
}
