package oracles_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/redline"
)

// lossy are what LibreOffice does not save as it was: fields that it counts anew,
// formulas, controls, and the forms and pictures of other programs.
var lossy = []string{
	"m:oMath", "m:oMathPara", "object", "control", "sdt", "pict", "drawing", "ins", "del", "moveFrom", "moveTo", "fldSimple", "fldChar",
}

// TestResaved holds that a document which LibreOffice has only saved again has no other
// words, paragraphs, rows or cells, headers, footers and notes included.
func TestResaved(t *testing.T) {
	t.Parallel()
	need(t, "LibreOffice", "soffice", "--version")
	dir := t.TempDir()
	var paths []string
	all := documents(t, *share)
	for name, data := range all {
		if src, err := docx.Open(data); err != nil || !strings.HasPrefix(name, "contract__") && loses(src) {
			delete(all, name)
			continue
		}
		path := filepath.Join(dir, name+".docx")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		paths = append(paths, path)
	}
	for some := range slices.Chunk(paths, 40) { // it may stop at one
		args := append([]string{"--headless", "-env:UserInstallation=file://" + filepath.Join(dir, "profile"), "--convert-to", "docx", "--outdir", filepath.Join(dir, "saved")}, some...)
		output, err := exec.CommandContext(t.Context(), "soffice", args...).CombinedOutput()
		require.NoError(t, err, string(output))
	}
	compared := 0
	for name, data := range all {
		saved, err := os.ReadFile(filepath.Join(dir, "saved", name+".docx"))
		if err != nil {
			continue // it reads no such file
		}
		for _, p := range [][2][]byte{{data, saved}, {saved, data}} {
			found, err := redline.Compare(p[0], p[1])
			require.NoError(t, err, "%s %v", name, fault.Message(err))
			found.Changes = slices.DeleteFunc(found.Changes, func(c redline.Change) bool { return c.Type == redline.FormatText || c.Type == redline.SetProperties })
			for _, c := range found.Changes {
				t.Errorf("%s, %s %d: %s of %q to %q", name, c.Anchor.Part, *c.Anchor.Block, c.Type, brief(c.Anchor.Text), brief(c.Text))
			}
			compared++
		}
	}
	t.Logf("%d comparisons find no other words", compared)
	require.Positive(t, compared)
}

// loses reports whether a document has something that LibreOffice may save as something
// else, or has no words in its body: empty paragraphs at the ends of sections it joins.
func loses(src *docx.Document) bool {
	words := 0
	for _, s := range src.Stories() {
		for e := range s.Root.Descendants() {
			if e.Is(lossy...) || e.Is("tbl") && strings.Contains(s.Key, "note:") {
				return true
			}
			if s.Key == "body" {
				words += len(strings.Fields(e.Chars()))
			}
		}
	}
	return words == 0
}
