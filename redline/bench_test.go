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

// longContract is one of 54 pages, with 100 changes of it.
func longContract(b *testing.B) ([]byte, []redline.Change) {
	b.Helper()
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
	return base, changes
}

// BenchmarkRedline carries out the changes, with the proof.
func BenchmarkRedline(b *testing.B) {
	base, changes := longContract(b)
	for b.Loop() {
		_, err := redline.Execute(base, changes, redline.Options{})
		require.NoError(b, err)
	}
}

// BenchmarkPropose checks the changes, as when they are proposed.
func BenchmarkPropose(b *testing.B) {
	base, changes := longContract(b)
	for b.Loop() {
		d, err := docx.Open(base)
		require.NoError(b, err)
		_, failed := redline.Propose(d, redline.SHA256(base), nil, changes)
		require.Empty(b, failed)
	}
}

// BenchmarkCompare finds the changes again.
func BenchmarkCompare(b *testing.B) {
	base, changes := longContract(b)
	other, err := redline.Execute(base, changes, redline.Options{Clean: true, Existing: docx.Accept})
	require.NoError(b, err)
	for b.Loop() {
		found, err := redline.Compare(base, other.Document)
		require.NoError(b, err)
		require.NotEmpty(b, found.Changes)
	}
}
