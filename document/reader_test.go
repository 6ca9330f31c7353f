package document

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

// ends collects why children ended.
type ends struct {
	mu     sync.Mutex
	causes []child.Cause
}

func (e *ends) observe(event child.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.causes = append(e.causes, event.Cause)
}

func (e *ends) seen() []child.Cause {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]child.Cause(nil), e.causes...)
}

func testReader(tb testing.TB, change func(*Config)) *Reader {
	tb.Helper()
	cfg := Config{Command: []string{os.Args[0], "reader"}, Size: 1, CacheDir: formattest.Cache(), Log: slog.New(slog.NewTextHandler(tb.Output(), nil))}
	if change != nil {
		change(&cfg)
	}
	r := NewReader(cfg)
	tb.Cleanup(func() { require.NoError(tb, r.Close()) })
	return r
}

func TestReaderReadsInChildren(t *testing.T) {
	t.Parallel()
	pages := make([]formattest.PDFPage, 70) // three batches
	for i := range pages {
		pages[i].Content = formattest.Line(72, 700, fmt.Sprintf("Page number %d", i+1))
	}
	path := formattest.TempFile(t, "a.pdf", formattest.PDF(pages...))
	var e ends
	r := testReader(t, func(c *Config) { c.Observe = e.observe })
	info, err := r.Inspect(t.Context(), path, "upload.bin")
	require.NoError(t, err)
	require.Equal(t, Info{Kind: PDF, Pages: 70}, info)

	for _, span := range []struct{ from, to, first, last int }{{1, 0, 1, 70}, {31, 34, 31, 34}, {70, 90, 70, 70}, {71, 0, 71, 70}} {
		next := span.first
		require.NoError(t, r.Extract(t.Context(), path, PDF, span.from, span.to, func(p Page) error {
			formattest.CheckPage(t, p)
			require.Equal(t, next, p.Number)
			require.Equal(t, fmt.Sprintf("Page number %d\n", next), p.Text)
			require.Equal(t, format.ReasonGood, p.Reason)
			require.Len(t, p.Words, 3)
			next++
			return nil
		}))
		require.Equal(t, span.last, next-1)
	}

	img, err := r.Render(t.Context(), path, PDF, 3, 100)
	require.NoError(t, err)
	require.Equal(t, []int{850, 1100}, []int{img.Width, img.Height})
	require.True(t, bytes.HasPrefix(img.Bytes, []byte("P5\n850 1100\n255\n")))
	require.Equal(t, float32(612), img.PageWidth)

	stop := errors.New("enough")
	require.ErrorIs(t, r.Extract(t.Context(), path, PDF, 1, 0, func(Page) error { return stop }), stop)
	require.Equal(t, []child.Cause{child.Cancelled}, e.seen(), "one child did the rest")
}

func TestReaderFaults(t *testing.T) {
	t.Parallel()
	r := testReader(t, nil)
	whole := formattest.PDF(formattest.PDFPage{Content: formattest.Line(72, 700, "Text")})
	_, err := r.Inspect(t.Context(), formattest.TempFile(t, "a.pdf", formattest.Encrypt(t, whole, "secret")), "a.pdf")
	require.Equal(t, fault.PasswordProtected, fault.CodeOf(err))
	_, err = r.Inspect(t.Context(), formattest.TempFile(t, "a.pdf", whole[:60]), "a.pdf")
	require.Equal(t, fault.CorruptFile, fault.CodeOf(err))
	_, err = r.Inspect(t.Context(), formattest.TempFile(t, "a.pdf", nil), "a.pdf")
	require.Equal(t, fault.EmptyFile, fault.CodeOf(err))
	_, err = r.Render(t.Context(), formattest.TempFile(t, "a.pdf", whole), PDF, 2, 0)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	_, err = r.Inspect(t.Context(), t.TempDir()+"/absent.pdf", "a.pdf")
	require.False(t, fault.Permanent(err), "a file that is not there is nobody's fault")
}

// bomb is a page that takes minutes to draw and to read: a form that draws a form
// twice, 40 levels deep.
func bomb() []byte {
	var b bytes.Buffer
	const levels = 40
	form := func(level int) string {
		inner := fmt.Sprintf("/F%d Do /F%d Do", level+1, level+1)
		resources := fmt.Sprintf("/XObject <</F%d %d 0 R>>", level+1, 5+level+1)
		if level == levels {
			inner, resources = "BT /F0 12 Tf 72 700 Td (x) Tj ET", "/Font <</F0 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>"
		}
		return fmt.Sprintf("%d 0 obj\n<</Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources <<%s>> /Length %d>>\nstream\n%s\nendstream\nendobj\n", 5+level, resources, len(inner), inner)
	}
	b.WriteString("%PDF-1.7\n1 0 obj\n<</Type /Catalog /Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type /Pages /Kids [3 0 R 50 0 R] /Count 2>>\nendobj\n" +
		"3 0 obj\n<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources <</XObject <</F0 5 0 R>>>> /Contents 4 0 R>>\nendobj\n" +
		"4 0 obj\n<</Length 6>>\nstream\n/F0 Do\nendstream\nendobj\n")
	for level := range levels + 1 {
		b.WriteString(form(level))
	}
	b.WriteString("50 0 obj\n<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources <</Font <</F0 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>> /Contents 51 0 R>>\nendobj\n")
	content := formattest.Line(72, 700, "After the bomb")
	fmt.Fprintf(&b, "51 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n", len(content), content)
	return b.Bytes()
}

func TestReaderSurvivesBomb(t *testing.T) {
	t.Parallel()
	require.NoError(t, testReader(t, nil).Warm(t.Context()), "compiling takes longer than the bomb may")
	path := formattest.TempFile(t, "bomb.pdf", bomb())
	var e ends
	r := testReader(t, func(c *Config) {
		c.Observe = e.observe
		c.Timeout = 3 * time.Second
	})
	var texts []string
	var reasons []format.Reason
	require.NoError(t, r.Extract(t.Context(), path, PDF, 1, 0, func(p Page) error {
		texts, reasons = append(texts, p.Text), append(reasons, p.Reason)
		return nil
	}))
	t.Logf("%q %v %v", texts, reasons, e.seen())
	require.Equal(t, []string{"", "After the bomb\n"}, texts)
	require.Equal(t, format.ReasonUnreadable, reasons[0])

	_, err := r.Render(t.Context(), path, PDF, 1, 0)
	require.Equal(t, fault.CorruptFile, fault.CodeOf(err))
	var page *fault.Error
	require.ErrorAs(t, err, &page)
	require.Equal(t, 1, page.Page)
	require.NotEmpty(t, e.seen())

	img, err := r.Render(t.Context(), path, PDF, 2, 50)
	require.NoError(t, err)
	require.Equal(t, 425, img.Width)
}

func TestReaderStopsWithItsContext(t *testing.T) {
	t.Parallel()
	var e ends
	r := testReader(t, func(c *Config) { c.Observe = e.observe })
	path := formattest.TempFile(t, "bomb.pdf", bomb())
	_, err := r.Inspect(t.Context(), path, "bomb.pdf")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err = r.Render(ctx, path, PDF, 1, 0)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []child.Cause{child.Cancelled}, e.seen())
}

func TestReaderKeepsWithinMemory(t *testing.T) {
	t.Parallel()
	var e ends
	r := testReader(t, func(c *Config) {
		c.Observe = e.observe
		c.MemoryLimit = 120 << 20
		c.Limits = DefaultLimits()
		c.Limits.MaxPixels = 1 << 30
	})
	data := formattest.PDF(formattest.PDFPage{Content: strings.Repeat(formattest.Line(72, 700, "Text"), 10), Attributes: "/MediaBox [0 0 5000 5000]"})
	_, err := r.Render(t.Context(), formattest.TempFile(t, "a.pdf", data), PDF, 1, 300)
	require.Equal(t, fault.CorruptFile, fault.CodeOf(err), "%v", err)
	require.ErrorIs(t, err, child.ErrMemory)
	require.Equal(t, []child.Cause{child.OutOfMemory}, e.seen())
}

func TestReaderUnpacks(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("0123456789abcdef", 100_000)
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, e := range []struct{ name, data string }{{"a/one.txt", "one"}, {"two.txt", large}, {"three.txt", ""}} {
		f, err := w.Create(e.name)
		require.NoError(t, err)
		_, err = io.WriteString(f, e.data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	path := formattest.TempFile(t, "a.zip", archive.Bytes())
	r := testReader(t, nil)

	got := map[string]string{}
	require.NoError(t, r.Unpack(t.Context(), path, ZIP, 1, func(e Entry, from io.Reader) error {
		require.NoError(t, e.Err)
		data, err := io.ReadAll(from)
		got[e.Path] = string(data)
		return err
	}))
	require.Equal(t, map[string]string{"a/one.txt": "one", "two.txt": large, "three.txt": ""}, got)

	var names []string
	require.NoError(t, r.Unpack(t.Context(), path, ZIP, 1, func(e Entry, _ io.Reader) error {
		names = append(names, e.Name)
		return nil
	}))
	require.Equal(t, []string{"one.txt", "two.txt", "three.txt"}, names, "what is not read is passed over")

	stop := errors.New("enough")
	require.ErrorIs(t, r.Unpack(t.Context(), path, ZIP, 1, func(Entry, io.Reader) error { return stop }), stop)

	r = testReader(t, func(c *Config) {
		c.Limits = DefaultLimits()
		c.Limits.MaxUnzipped = 1000
	})
	err := r.Unpack(t.Context(), path, ZIP, 1, func(_ Entry, from io.Reader) error {
		_, err := io.Copy(io.Discard, from)
		return err
	})
	require.Equal(t, fault.FileTooLarge, fault.CodeOf(err), "%v", err)
}

// A child that has nothing to do keeps little of what a large page took.
func TestReaderRests(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	pidFile := filepath.Join(t.TempDir(), "pid")
	r := testReader(t, func(c *Config) {
		c.Command = []string{"/bin/sh", "-c", `echo $$ >"$0"; exec "$1" reader`, pidFile, self}
	})
	_, err = r.Render(t.Context(), formattest.TempFile(t, "poster.pdf", formattest.PDF(formattest.PDFPage{Attributes: "/MediaBox [0 0 1500 1500]", Content: formattest.Line(72, 700, "Poster")})), PDF, 1, 300)
	require.NoError(t, err)
	pid, err := os.ReadFile(pidFile)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		status, _ := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/status")
		_, anonymous, _ := strings.Cut(string(status), "RssAnon:")
		var kib int
		n, _ := fmt.Sscan(anonymous, &kib)
		return n == 1 && kib < 48<<10
	}, time.Minute, 100*time.Millisecond)
}
