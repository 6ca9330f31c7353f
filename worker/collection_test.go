package worker_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/document/documenttest"
)

// collected is how much of a PDF's words another reader has too.
type collected struct {
	name         string
	ours, theirs string // as they can be compared
	likeness     float64
	how          string // what was made of the pages, or why there is nothing
}

// leastCollected is the fewest words of a file that counts: one word more or less is no
// tenth of it.
const leastCollected = 20

// TestCollection measures what is read of PDFs that nobody here wrote against what
// pdftotext reads, to the end of recognition where a page needs it. Those below 0.9 are
// listed with both texts, for people to say whose fault it is: often one of the two has
// no letters at all.
func TestCollection(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("CLAUSEMILL_PDFS")
	if dir == "" {
		t.Skip("CLAUSEMILL_PDFS, a directory of PDFs, is not set")
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("needs pdftotext, of poppler-utils")
	}
	paths, err := documenttest.PDFs(dir)
	require.NoError(t, err)
	m := newMill(t)
	out, err := exec.CommandContext(t.Context(), "tesseract", "--list-langs").Output()
	require.NoError(t, err)
	m.config.Languages, m.config.Installed = "eng", strings.Fields(string(out))
	m.start()
	var all []collected
	for _, path := range paths {
		if c := m.collect(path); documenttest.Words(c.theirs) > 0 {
			c.name, err = filepath.Rel(dir, path)
			require.NoError(t, err)
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b collected) int { return cmp.Compare(a.likeness, b.likeness) })
	var of []float64
	for _, c := range all {
		if words := documenttest.Words(c.theirs); words >= leastCollected {
			of = append(of, c.likeness)
		}
		if c.likeness < 0.9 {
			t.Logf("%.4f %s %s\n  ours:   %.160q\n  theirs: %.160q", c.likeness, c.name, c.how, strings.Join(strings.Fields(c.ours), " "), strings.Join(strings.Fields(c.theirs), " "))
		}
	}
	require.NotEmpty(t, of, "no file has %d words", leastCollected)
	below, _ := slices.BinarySearch(of, 0.9)
	t.Logf("%d files with words; of these %d with %d words or more: median %.4f, %d below 0.9", len(all), len(of), leastCollected, of[len(of)/2], below)
	require.GreaterOrEqual(t, of[len(of)/2], 0.997)
}

// collect reads a PDF in both ways.
func (m *mill) collect(path string) (c collected) {
	ctx, cancel := context.WithTimeout(m.t.Context(), 10*time.Minute)
	defer cancel()
	c.theirs = documenttest.Plain(strings.Join(documenttest.Peer(ctx, path), "\n"))
	if documenttest.Words(c.theirs) == 0 {
		return c
	}
	documents := m.config.Now.Documents
	info, err := documents.Inspect(ctx, path, filepath.Base(path))
	if err != nil || info.Kind != document.PDF {
		c.how = fmt.Sprint(info.Kind, err)
		return c
	}
	var ours strings.Builder
	reasons, recognise := map[string]int{}, false
	err = documents.Extract(ctx, path, info.Kind, 1, info.Pages, func(p document.Page) error {
		reasons[string(p.Reason)]++
		recognise = recognise || p.NeedsOCR
		ours.WriteString(p.Text + "\n")
		return nil
	})
	c.how = fmt.Sprint(reasons, err)
	if recognise {
		content, err := os.ReadFile(path)
		require.NoError(m.t, err)
		f := m.upload(filepath.Base(path), content)
		require.Eventually(m.t, func() bool {
			f = m.file(f.ID)
			return f.Status.Terminal()
		}, 10*time.Minute, 50*time.Millisecond, "%s came to no end", path)
		c.how += fmt.Sprintf(" %s, %d recognised", f.Status, f.PagesOCR)
		ours.Reset()
		ours.WriteString(m.text(f.ID))
	}
	c.ours = documenttest.Plain(ours.String())
	c.likeness = documenttest.Agreement(c.ours, c.theirs, 1)
	return c
}
