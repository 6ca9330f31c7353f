package pdf

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/layout"
)

// underlinedWords are the stretches of a PDF that are underlined.
func underlinedWords(tb testing.TB, path string) []string {
	tb.Helper()
	f, err := testEngine(tb).Open(tb.Context(), path, format.DefaultLimits())
	require.NoError(tb, err)
	defer f.Close()
	var found []string
	require.NoError(tb, f.Extract(tb.Context(), 1, f.Pages(), func(p format.Page) error {
		for _, e := range p.Emphasis {
			if e.Underline {
				found = append(found, string([]rune(p.Text)[e.Start:e.End]))
			}
		}
		return nil
	}))
	return found
}

// TestUnderline finds the words that thin lines underline, and takes neither the lines of
// tables for such, nor those to write on, nor what strikes words out.
func TestUnderline(t *testing.T) {
	t.Parallel()
	const word = `BT /F0 12 Tf 72 700 Td (The Monthly Rent is due) Tj ET ` // Rent: 141 to 168
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"filled":            {word + "95.3 698 72.7 0.6 re f", []string{"Monthly Rent"}},
		"stroked":           {word + "0.6 w 141.5 698 m 168 698 l S", []string{"Rent"}},
		"piece by piece":    {word + "0.6 w 95.3 698 m 120 698 l S 120 698 m 168 698 l S", []string{"Monthly Rent"}},
		"struck out":        {word + "0.6 w 141.5 703.5 m 168 703.5 l S", nil},
		"not drawn":         {word + "141.5 698 26.5 0.6 re n", nil},
		"white":             {word + "1 g 141.5 698 26.5 0.6 re f", nil},
		"beyond the words":  {word + "0.6 w 72 698 m 400 698 l S", nil},
		"far beneath":       {word + "0.6 w 141.5 692 m 168 692 l S", nil},
		"a bar":             {word + "141.5 696 26.5 3 re f", nil},
		"of a table":        {word + "0.6 w 72 698 m 202 698 l S 72 698 m 72 720 l S 202 698 m 202 720 l S", nil},
		"to write on":       {word + "0.6 w 72 650 m 200 650 l S", nil},
		"beside a label":    {`BT /F0 12 Tf 72 700 Td (By:) Tj ET 0.6 w 95 698 m 200 698 l S`, nil},
		"under underscores": {`BT /F0 12 Tf 72 700 Td (____) Tj ET 0.6 w 72 698 m 98 698 l S`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := formattest.PDF(formattest.PDFPage{Font: "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>", Content: c.content})
			require.Equal(t, c.want, underlinedWords(t, formattest.TempFile(t, "a.pdf", data)))
		})
	}
}

// TestUnderlineOfLibreOffice holds what is found against what was underlined before a page
// was printed.
func TestUnderlineOfLibreOffice(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("soffice"); err != nil {
		t.Skip("LibreOffice is not installed")
	}
	dir := t.TempDir()
	const border = `\clbrdrt\brdrs\brdrw10\clbrdrl\brdrs\brdrw10\clbrdrb\brdrs\brdrw10\clbrdrr\brdrs\brdrw10`
	page := `{\rtf1\ansi{\fonttbl{\f0\froman Liberation Serif;}{\f1\fswiss Liberation Sans;}}\f0\fs22 {\f1\fs32\b\ul Lease Agreement}\par
1. {\ul Term}. The {\b Monthly {\ul Rent}} is due, and {\ul all of these words, which go over the end of a line of the page because they are so many, are underlined} too.\par
{\strike struck out}\par\trowd\trgaph108` + border + `\cellx1500` + border + `\cellx3200\intbl Fee\cell One hundred dollars\cell\row\trowd\trgaph108` + border + `\cellx1500` + border + `\cellx3200\intbl Due\cell{\ul at once}\cell\row
\pard{\pard\brdrb\brdrs\brdrw10 A paragraph with a line below that is about as wide as the page is between its margins, as they are here, is\par}
By: {\ul\tab\tab\tab}\par{\i\ul Name}: {\uldb twice}\par}`
	source := formattest.TempFile(t, "a.rtf", []byte(page))
	out, err := exec.CommandContext(t.Context(), "soffice", "--headless", "-env:UserInstallation=file://"+filepath.Join(dir, "profile"),
		"--convert-to", "pdf:writer_pdf_Export", "--outdir", dir, source).CombinedOutput()
	require.NoError(t, err, string(out))
	found := strings.Join(strings.Fields(strings.Join(underlinedWords(t, filepath.Join(dir, "a.pdf")), " | ")), " ")
	require.Equal(t, "Lease Agreement | Term. | Rent | all of these words, which go over the end of a line of the page because they are so many, are underlined | at once | Name: | twice", found)
}

// FuzzUnderline puts lines anywhere beneath words.
func FuzzUnderline(f *testing.F) {
	f.Add(uint64(1), []byte("the rent"))
	f.Fuzz(func(_ *testing.T, seed uint64, text []byte) {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // repeatable
		box := func() layout.Box {
			at := func() float32 { return random.Float32() * 100 }
			return layout.Box{X0: at(), Y0: at(), X1: at(), Y1: at()}
		}
		var lines [][]run
		for _, words := range bytes.Split(text, []byte("\n")) {
			var line []run
			for _, word := range bytes.Fields(words) {
				line = append(line, run{text: string(word), box: box()})
			}
			if len(line) > 0 {
				lines = append(lines, line)
			}
		}
		var rules []layout.Box
		for range random.IntN(50) {
			rules = append(rules, box())
		}
		underline(lines, rules)
	})
}
