package ocr_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// BenchmarkRead compares a Reader with the tesseract program on the same pages
// of real contracts: pages per second of CPU, and characters wrong in a hundred.
func BenchmarkRead(b *testing.B) {
	data := os.Getenv("CLAUSEMILL_DATA")
	if data == "" {
		b.Skip("CLAUSEMILL_DATA names no directory of contracts")
	}
	pages, err := ocrtest.Pages(b.Context(), filepath.Join(data, "cuad", "pdf"), 12, 300)
	require.NoError(b, err)
	for name, scans := range map[string][]ocrtest.Scan{"clean": ocrtest.Clean(pages), "worn": ocrtest.Worn(pages)} {
		b.Run(name+"/tesseract", func(b *testing.B) {
			measure(b, scans, func(s ocrtest.Scan) (string, error) {
				return ocrtest.Tesseract(b.Context(), b.TempDir(), s)
			}, func() error { return nil })
		})
		b.Run(name+"/reader", func(b *testing.B) {
			reader := ocr.New(ocr.Config{Command: []string{program}})
			measure(b, scans, func(s ocrtest.Scan) (string, error) {
				page, err := reader.Read(b.Context(), ocr.Image{Bytes: s.Encoded, DPI: s.DPI, Number: 1})
				return page.Text, err
			}, reader.Close)
		})
	}
}

// measure does the pages once, whatever b.N: they are many.
func measure(b *testing.B, scans []ocrtest.Scan, read func(ocrtest.Scan) (string, error), close func() error) {
	b.Helper()
	score, err := ocrtest.Measure(scans, read, close)
	require.NoError(b, err)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(score.PagesPerSecond(), "pages/cpu-s")
	b.ReportMetric(100*score.ErrorRate(), "%errors")
}
