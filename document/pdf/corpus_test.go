package pdf

import (
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/documenttest"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
)

// contracts lists the dataset, or skips the test where it is not installed.
func contracts(tb testing.TB) []documenttest.Contract {
	tb.Helper()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		tb.Skip("CLAUSEMILL_DATA is not set")
	}
	all, err := documenttest.Contracts(dir)
	require.NoError(tb, err)
	return all
}

// quality is the agreement of extracted with reference texts over a corpus.
type quality struct{ words, order []float64 }

func (q *quality) add(got, want string) {
	q.words = append(q.words, documenttest.Agreement(got, want, 1))
	q.order = append(q.order, documenttest.Agreement(got, want, 4))
}

func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }

func extractAll(tb testing.TB, engine *Engine, path string, each func(format.Page)) {
	tb.Helper()
	f, err := engine.Open(tb.Context(), path, format.DefaultLimits())
	require.NoError(tb, err, path)
	defer f.Close()
	require.NoError(tb, f.Extract(tb.Context(), 1, f.Pages(), func(p format.Page) error {
		each(p)
		return nil
	}))
}

// TestContracts holds the text of real contracts to the reference. Below 0.98
// the references are at fault: one lost lines and letters.
func TestContracts(t *testing.T) {
	t.Parallel()
	var q quality
	engine := testEngine(t)
	needOCR := 0
	for _, c := range contracts(t) {
		var text strings.Builder
		extractAll(t, engine, c.PDF, func(p format.Page) {
			formattest.CheckPage(t, p)
			text.WriteString(p.Text)
			if p.NeedsOCR {
				needOCR++
				t.Logf("%s page %d: %s, %d words", c.ID, p.Number, p.Reason, len(p.Words))
			}
		})
		want, err := os.ReadFile(c.Text)
		require.NoError(t, err)
		q.add(text.String(), string(want))
	}
	t.Logf("words: median %.4f worst %.4f; order: median %.4f worst %.4f", median(q.words), slices.Min(q.words), median(q.order), slices.Min(q.order))
	require.GreaterOrEqual(t, median(q.words), 0.999)
	require.GreaterOrEqual(t, slices.Min(q.words), 0.965)
	require.GreaterOrEqual(t, median(q.order), 0.995)
	require.GreaterOrEqual(t, slices.Min(q.order), 0.93)
}

// BenchmarkContracts reads the whole corpus per iteration and compares pages per
// CPU second with pdftotext on the same files in the same run.
func BenchmarkContracts(b *testing.B) {
	all := contracts(b)
	engine := &Engine{CacheDir: b.TempDir()}
	extractAll(b, engine, all[0].PDF, func(format.Page) {}) // compiles
	pages := 0
	before := cpuTime(syscall.RUSAGE_SELF)
	for b.Loop() {
		for _, c := range all {
			extractAll(b, engine, c.PDF, func(format.Page) { pages++ })
		}
	}
	ours := float64(pages) / (cpuTime(syscall.RUSAGE_SELF) - before).Seconds()
	b.ReportMetric(ours, "pages/cpu-s")

	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		b.Log("pdftotext is not installed")
		return
	}
	before = cpuTime(syscall.RUSAGE_CHILDREN)
	for _, c := range all {
		require.NoError(b, exec.CommandContext(b.Context(), tool, "-bbox", c.PDF, os.DevNull).Run())
	}
	theirs := float64(pages/b.N) / (cpuTime(syscall.RUSAGE_CHILDREN) - before).Seconds()
	b.ReportMetric(theirs, "pdftotext-pages/cpu-s")
	b.ReportMetric(ours/theirs, "ratio")
	b.ReportMetric(float64(engine.instance.memory.Size())/math.Pow(2, 20), "sandbox-MiB")
}

func cpuTime(who int) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
