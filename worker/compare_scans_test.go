package worker_test

import (
	"bytes"
	"context"
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/ocr/ocrtest"
)

// scanned is how many pages of real contracts TestNearDuplicates scans, twice each. `make
// duplicates` scans 40.
var scanned = flag.Int("scanned", 8, "how many pages are scanned for TestNearDuplicates")

// edits are what people do to a copy.
var edits = map[string]func(text string) string{
	"with another figure": func(text string) string {
		for _, figure := range []string{`\b[0-9]{2,}\b`, `\bthe\b`} {
			if at := regexp.MustCompile(figure).FindStringIndex(text); at != nil {
				return text[:at[0]] + "77777" + text[at[1]:]
			}
		}
		return text + "77777"
	},
	"with one more clause": func(text string) string {
		return text + "\nEach party shall keep its books for seven years and open them to the auditors of the other on ten days' notice.\n"
	},
	"without its last tenth": func(text string) string {
		words := strings.Fields(text)
		return strings.Join(words[:len(words)*9/10], " ")
	},
}

// TestNearDuplicates has pages of real contracts come as text, as a clean scan,
// as a bad scan and with edits. Those of one page must be told to be one
// document, or versions of one, and no others.
func TestNearDuplicates(t *testing.T) { //nolint:paralleltest // it takes the machine for itself
	data := os.Getenv("CLAUSEMILL_DATA")
	if data == "" {
		t.Skip("needs real contracts: set CLAUSEMILL_DATA")
	}
	pages, err := ocrtest.Pages(t.Context(), filepath.Join(data, "cuad", "pdf"), *scanned, 300)
	require.NoError(t, err)
	m := newMill(t)
	m.start()
	type copied struct {
		page    int
		variant string
	}
	copies := map[string]copied{}
	add := func(page int, variant, name string, content []byte) {
		copies[m.upload(name, content).ID] = copied{page, variant}
	}
	for i, p := range pages {
		var clean bytes.Buffer
		require.NoError(t, png.Encode(&clean, p.Image))
		add(i, "text", "page.txt", []byte(p.Text))
		add(i, "clean scan", "scan.png", clean.Bytes())
		add(i, "bad scan", "scan.jpg", ocrtest.Degrade(p.Image, uint64(i)))
		for edit, apply := range edits {
			add(i, edit, "copy.txt", []byte(apply(p.Text)))
		}
	}
	require.Eventually(t, func() bool {
		n, err := m.db.CountFiles(context.Background(), m.in, db.FileFilter{Statuses: []string{string(db.FileCompleted), string(db.FileWithWarnings)}})
		return err == nil && n == len(copies)
	}, 30*time.Minute, time.Second)

	unedited := func(c copied) bool { return edits[c.variant] == nil }
	kinds, shares := map[string]map[string]int{}, map[string][]float32{}
	var pairs, alike, wrong int       // of what is one document, or versions of one
	var same, sameTold, sameFound int // of what is one document
	for id, c := range copies {
		list, err := m.db.Likenesses(t.Context(), m.in, id)
		require.NoError(t, err)
		found := map[string]db.Likeness{}
		for _, l := range list {
			found[l.FileID] = l
			if copies[l.FileID].page != c.page {
				t.Logf("%s of %s is told to be a %s of %s of %s: %.3f", c.variant, pages[c.page].Name, l.Kind,
					copies[l.FileID].variant, pages[copies[l.FileID].page].Name, l.Share)
				wrong++
			}
		}
		for other, o := range copies {
			if o.page != c.page || other <= id {
				continue
			}
			pair := min(c.variant, o.variant) + " / " + max(c.variant, o.variant)
			if kinds[pair] == nil {
				kinds[pair] = map[string]int{}
			}
			l, ok := found[other]
			kinds[pair][l.Kind]++
			shares[pair] = append(shares[pair], l.Share)
			pairs++
			duplicate := unedited(c) && unedited(o)
			if ok && l.Kind != "template" {
				alike++
			}
			if duplicate {
				same++
			}
			if l.Kind == "duplicate" {
				sameTold++
				if duplicate {
					sameFound++
				}
			}
		}
	}
	for pair, n := range kinds {
		least := float32(1)
		for _, s := range shares[pair] {
			least = min(least, s)
		}
		t.Logf("%-48s %v, least share %.3f", pair, n, least)
	}
	told := alike + wrong/2
	ratio := func(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }
	t.Logf("one contract: precision %.3f, recall %.3f of %d pairs", ratio(alike, told), ratio(alike, pairs), pairs)
	t.Logf("one document: precision %.3f, recall %.3f of %d pairs", ratio(sameFound, sameTold), ratio(sameFound, same), same)
	require.GreaterOrEqual(t, ratio(alike, told), 0.95)
	require.GreaterOrEqual(t, ratio(alike, pairs), 0.95)
	require.GreaterOrEqual(t, ratio(sameFound, sameTold), 0.9)
	require.GreaterOrEqual(t, ratio(sameFound, same), 0.9)
}
