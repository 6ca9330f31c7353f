package tesseract

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// BenchmarkPrepare and BenchmarkRead are the parts and the whole of a page: what
// is done before recognition is to stay below a tenth of it.
func BenchmarkPrepare(b *testing.B) {
	engine, scans := benchmark(b)
	for i := 0; b.Loop(); i++ {
		page, err := prepare(scans[i%len(scans)].Encoded, 300, &engine.osd)
		require.NoError(b, err)
		page.pix.close()
	}
}

func BenchmarkRead(b *testing.B) {
	engine, scans := benchmark(b)
	for i := 0; b.Loop(); i++ {
		_, err := engine.Read(ocr.Request{DPI: 300, Languages: "eng"}, scans[i%len(scans)].Encoded)
		require.NoError(b, err)
	}
}

func benchmark(b *testing.B) (*Engine, []ocrtest.Scan) {
	b.Helper()
	data := os.Getenv("CLAUSEMILL_DATA")
	if data == "" {
		b.Skip("CLAUSEMILL_DATA names no directory of contracts")
	}
	pages, err := ocrtest.Pages(b.Context(), filepath.Join(data, "cuad", "pdf"), 4, 300)
	require.NoError(b, err)
	engine := New()
	b.Cleanup(func() { require.NoError(b, engine.Close()) })
	return engine, ocrtest.Worn(pages)
}
