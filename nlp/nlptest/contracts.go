package nlptest

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Contract is one line of the annotated contracts.
type Contract struct {
	Type string `json:"type"`
	File string `json:"txt"`
	Text string
}

// Contracts reads the annotated contracts, which are too large to lie beside
// the code.
func Contracts(tb testing.TB) []Contract {
	tb.Helper()
	data := os.Getenv("CLAUSEMILL_DATA")
	if data == "" {
		tb.Skip("CLAUSEMILL_DATA names no directory with contracts")
	}
	file, err := os.Open(filepath.Join(data, "cuad", "contracts.jsonl"))
	require.NoError(tb, err)
	defer file.Close()
	var all []Contract
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c Contract
		require.NoError(tb, json.Unmarshal(lines.Bytes(), &c))
		text, err := os.ReadFile(filepath.Join(data, "cuad", c.File))
		require.NoError(tb, err)
		c.Text = string(text)
		all = append(all, c)
	}
	require.NoError(tb, lines.Err())
	require.NotEmpty(tb, all)
	return all
}
