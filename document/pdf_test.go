package document

import (
	"os"
	"path/filepath"
	"testing"
)

// testEngine shares compiled code between tests and runs.
func testEngine(tb testing.TB) *pdfEngine {
	tb.Helper()
	return &pdfEngine{cacheDir: filepath.Join(os.TempDir(), "clausemill-test-wasm")}
}
