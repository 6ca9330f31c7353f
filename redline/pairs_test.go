package redline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
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
	all, whole, left, untouched := 0, 0, 0, 0
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		var pair struct{ ID, Before, After string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &pair))
		before, err := os.ReadFile(filepath.Join(data, "docx", pair.Before))
		require.NoError(t, err)
		after, err := os.ReadFile(filepath.Join(data, "docx", pair.After))
		require.NoError(t, err)
		for _, p := range [][2][]byte{{before, after}, {after, before}} {
			of, stay := paragraphsLeft(t, p[0], p[1])
			left, untouched = left+of, untouched+stay
			if all++; holdCompared(t, p[0], p[1], pair.ID) {
				whole++
			} else {
				t.Log(pair.ID, "is not reached in all words")
			}
		}
	}
	t.Log(whole, "of", all)
	require.Equal(t, all, whole)
	t.Log(untouched, "of", left, "paragraphs that the other edition leaves are the same bytes")
	require.Equal(t, left, untouched)
}

// paragraphsLeft counts the paragraphs of base that other has as well, and of these the
// ones that are the same bytes in a redline of both.
func paragraphsLeft(t *testing.T, base, other []byte) (left, untouched int) {
	t.Helper()
	count := func(data []byte) (means, raws map[string]int, written []string) {
		d, err := docx.Open(data)
		require.NoError(t, err)
		means, raws = map[string]int{}, map[string]int{}
		for _, s := range d.Stories() {
			for _, p := range s.Paragraphs() {
				if p.Closest("txbxContent").Exists() {
					continue
				}
				meaning := d.Canon(p.Element)
				means[meaning]++
				raws[meaning+string(p.Raw())]++
				written = append(written, meaning, string(p.Raw()))
			}
		}
		return means, raws, written
	}
	found, err := redline.Compare(base, other)
	require.NoError(t, err)
	for i := range found.Changes {
		found.Changes[i].ID, found.Changes[i].Author, found.Changes[i].Date = strconv.Itoa(i), ann, noon
	}
	r, err := redline.Execute(base, found.Changes, redline.Options{})
	require.NoError(t, err)
	_, _, all := count(base)
	means, _, _ := count(other)
	_, raws, _ := count(r.Document)
	for i := 0; i < len(all); i += 2 {
		if means[all[i]] > 0 {
			means[all[i]]--
			if left++; raws[all[i]+all[i+1]] > 0 {
				raws[all[i]+all[i+1]]--
				untouched++
			}
		}
	}
	return left, untouched
}
