package redline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestComparePairs compares the pairs of the dataset, one document with another edition
// of it, both ways.
func TestComparePairs(t *testing.T) {
	t.Parallel()
	data := os.Getenv("CLAUSEMILL_DATA")
	if data == "" {
		t.Skip("CLAUSEMILL_DATA is not set")
	}
	list, err := os.ReadFile(filepath.Join(data, "docx", "pairs.jsonl"))
	require.NoError(t, err)
	all, whole := 0, 0
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		var pair struct{ ID, Before, After string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &pair))
		before, err := os.ReadFile(filepath.Join(data, "docx", pair.Before))
		require.NoError(t, err)
		after, err := os.ReadFile(filepath.Join(data, "docx", pair.After))
		require.NoError(t, err)
		for _, p := range [][2][]byte{{before, after}, {after, before}} {
			if all++; holdCompared(t, p[0], p[1], pair.ID) {
				whole++
			} else {
				t.Log(pair.ID, "is not reached in all words")
			}
		}
	}
	t.Log(whole, "of", all)
	require.Equal(t, all, whole)
}
