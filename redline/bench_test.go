package redline_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// BenchmarkRedline carries out 100 changes of a contract of 54 pages, with the
// proof.
func BenchmarkRedline(b *testing.B) {
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		b.Skip("CLAUSEMILL_DATA is not set")
	}
	base, err := os.ReadFile(filepath.Join(dir, "docx", "timing", "synth50.docx"))
	require.NoError(b, err)
	d, err := docx.Open(base)
	require.NoError(b, err)
	var changes []redline.Change
	for _, p := range d.Story("body").Paragraphs() {
		if p.Len() > 40 && len(changes) < 100 {
			changes = append(changes, redline.Change{
				ID: strconv.Itoa(len(changes)), Type: redline.Replace, Author: ann, Date: noon, Text: "other words",
				Anchor: redline.Anchor{Block: at(p.Index), Start: at(10), End: at(20)},
			})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		_, err := redline.Execute(base, changes, redline.Options{})
		require.NoError(b, err)
	}
}
