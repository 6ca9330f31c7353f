package oracles_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
)

// TestNumbers compares the numbers that lists count with those that LibreOffice shows.
func TestNumbers(t *testing.T) {
	t.Parallel()
	need(t, "LibreOffice", "soffice", "--version")
	dir := t.TempDir()
	args := []string{"--headless", "-env:UserInstallation=file://" + filepath.Join(dir, "profile"), "--convert-to", "txt:Text (encoded):UTF8", "--outdir", dir}
	all := map[string]*docx.Document{}
	for name, data := range documents(t, (*share+9)/10) { // they are all converted at once, and few have numbers
		src, err := docx.Open(data)
		require.NoError(t, err)
		accepted, err := src.Resolve(docx.AcceptAll)
		require.NoError(t, err, name)
		path := filepath.Join(dir, name+".docx")
		require.NoError(t, os.WriteFile(path, accepted, 0o600))
		args = append(args, path)
		all[name], err = docx.Open(accepted)
		require.NoError(t, err)
	}
	output, err := exec.CommandContext(t.Context(), "soffice", args...).CombinedOutput()
	require.NoError(t, err, string(output))

	same, other := 0, 0
	for name, doc := range all {
		shown, err := os.ReadFile(filepath.Join(dir, name+".txt"))
		if err != nil {
			continue // it reads no such file
		}
		lines := strings.Split(folded(strings.TrimPrefix(string(shown), "\ufeff")), "\n")
		for i, p := range doc.Story("body").Paragraphs() {
			text, _, _ := strings.Cut(folded(p.Text()), "\n")
			number := doc.Numbers()[i]
			if len(text) < 6 || p.Closest("txbxContent").Exists() {
				continue // it says too little to be found
			}
			at := 0
			for at < len(lines) && !strings.HasSuffix(lines[at], text) {
				at++
			}
			if at == len(lines) {
				continue // it is shown in another way
			}
			theirs := strings.TrimSpace(strings.TrimSuffix(lines[at], text))
			lines = lines[at+1:]
			switch {
			case number == "" && theirs == "" || number == "•" && !strings.ContainsAny(theirs, "0123456789"):
			case strings.Join(strings.Fields(number), "") == strings.Join(strings.Fields(theirs), ""):
				same++
			default:
				other++
				t.Logf("%s: %q, LibreOffice has %q before %q", name, number, theirs, brief(text))
			}
		}
	}
	t.Logf("%d numbers are the same, %d are not", same, other)
	require.Positive(t, same)
	require.GreaterOrEqual(t, float64(same)/float64(same+other), 0.98)
}
