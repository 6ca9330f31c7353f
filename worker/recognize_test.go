package worker_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
)

const germanLease = "Mietvertrag über Gewerberäume|Der Vermieter überlässt dem Mieter die Räume im Erdgeschoß.|Die Miete beträgt fünftausend Euro und ist monatlich fällig.|" +
	"Größere Änderungen bedürfen der schriftlichen Zustimmung des Vermieters.|Die Kündigungsfrist beträgt für beide Parteien sechs Monate."

// written is a page with lines of text, as a scanner sends it.
func written(t *testing.T, lines []string) []byte {
	t.Helper()
	const dpi = 300
	regular, err := opentype.Parse(goregular.TTF)
	require.NoError(t, err)
	face, err := opentype.NewFace(regular, &opentype.FaceOptions{Size: 11, DPI: dpi})
	require.NoError(t, err)
	defer face.Close()
	page := image.NewGray(image.Rect(0, 0, 8*dpi, 4*dpi))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: page, Src: image.NewUniform(color.Gray{20}), Face: face}
	for i, line := range lines {
		pen.Dot = fixed.P(dpi/2, dpi/2+i*dpi/3)
		pen.DrawString(line)
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, page))
	return out.Bytes()
}

// TestScansInTheirLanguage reads a German scan with the letters of German where that model
// is installed, unless somebody named the languages.
func TestScansInTheirLanguage(t *testing.T) {
	t.Parallel()

	installed, err := exec.CommandContext(t.Context(), "tesseract", "--list-langs").Output()
	require.NoError(t, err)
	if !slices.Contains(strings.Fields(string(installed)), "deu") {
		t.Skip("needs tesseract-ocr-deu")
	}
	m := newMill(t)
	m.config.Languages, m.config.Installed = "eng", []string{"deu", "eng"}
	m.start()
	lines := strings.Split(germanLease, "|")
	read := m.upload("lease.png", written(t, lines))
	english := m.upload("deed.png", written(t, []string{
		"This Lease is made between the landlord and the tenant.", "The tenant shall pay the rent of the premises each month in advance,", "and the landlord shall repair the roof and the walls at its own cost.",
	}))

	m.wait(read.ID)
	require.Equal(t, lines, strings.FieldsFunc(m.text(read.ID), func(r rune) bool { return r == '\n' }))
	m.wait(english.ID)
	require.Contains(t, m.text(english.ID), "the landlord shall repair the roof")
	// Who names a language gets it.
	m.restart(read.ID, db.FileOptions{OCR: "force", Languages: "eng"})
	m.wait(read.ID)
	require.NotContains(t, m.text(read.ID), "ß")
}

const russianLease = "Договор аренды нежилого помещения|Арендодатель передает помещение Арендатору во временное пользование.|" +
	"Арендная плата вносится ежемесячно не позднее пятого числа.|Срок действия договора составляет одиннадцать месяцев.|Споры разрешаются в арбитражном суде города Москвы."

// TestScansInTheirScript reads a Russian scan with a model of its script where one is
// installed, and says which one is missing elsewhere.
func TestScansInTheirScript(t *testing.T) {
	t.Parallel()

	out, err := exec.CommandContext(t.Context(), "tesseract", "--list-langs").Output()
	require.NoError(t, err)
	installed := strings.Fields(string(out))
	if !slices.Contains(installed, "osd") {
		t.Skip("needs tesseract-ocr-osd")
	}
	lines := strings.Split(russianLease, "|")
	t.Run("Missing", func(t *testing.T) {
		t.Parallel()
		m := newMill(t)
		m.config.Languages, m.config.Installed = "eng", []string{"eng"}
		m.start()
		f := m.wait(m.upload("lease.png", written(t, lines)).ID)
		require.Equal(t, db.FileWithWarnings, f.Status)
		require.Empty(t, strings.TrimSpace(m.text(f.ID)))
		require.Equal(t, "script_not_installed", f.Warnings[0].Code)
		require.Equal(t, []int{1}, f.Warnings[0].Pages)
		require.Contains(t, f.Warnings[0].Message, "Cyrillic")
		require.Contains(t, f.Warnings[0].Message, "tesseract-ocr-rus")
	})
	for _, model := range []string{"rus", "script/Cyrillic"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(installed, model) {
				t.Skip("needs Tesseract's " + model)
			}
			m := newMill(t)
			m.config.Languages, m.config.Installed = "eng", []string{"eng", model}
			m.start()
			f := m.wait(m.upload("lease.png", written(t, lines)).ID)
			require.Equal(t, lines, strings.FieldsFunc(m.text(f.ID), func(r rune) bool { return r == '\n' }))
		})
	}
}

// TestScanIsFetchedOnce reads a scan of many jobs from a bucket, and counts what is
// fetched of it.
func TestScanIsFetchedOnce(t *testing.T) { // sets the environment: not parallel
	var sent atomic.Int64
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("contracts"))
	answer := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w = counted{w, &sent}
		}
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	store, err := blob.Open(t.Context(), "s3://contracts?region=us-east-1&use_path_style=true&endpoint="+server.URL)
	require.NoError(t, err)
	require.NoError(t, store.Keep(t.TempDir(), 1<<20))
	m := newMill(t)
	m.blobs, m.config.Blobs = store, store

	const pages = 8
	dir, parts := t.TempDir(), make([]document.Part, pages)
	for i := range parts {
		path := filepath.Join(dir, strconv.Itoa(i)+".png")
		require.NoError(t, os.WriteFile(path, written(t, []string{"Page " + strconv.Itoa(i+1), "The Tenant shall pay the rent each month."}), 0o600))
		parts[i] = document.Part{Path: path, Kind: document.PNG}
	}
	scan := filepath.Join(dir, "scan.pdf")
	_, err = m.config.Now.Documents.Merge(t.Context(), parts, scan)
	require.NoError(t, err)
	content, err := os.ReadFile(scan)
	require.NoError(t, err)

	m.start()
	file := m.wait(m.upload("scan.pdf", content).ID)
	require.Equal(t, pages, file.PagesOCR)
	require.Equal(t, pages, strings.Count(m.text(file.ID), "The Tenant shall pay the rent"))
	require.Less(t, float64(sent.Load()), 1.2*float64(len(content)))
}

// counted counts the bytes of answers.
type counted struct {
	http.ResponseWriter

	n *atomic.Int64
}

func (c counted) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}
