package redline_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

var (
	ann  = redline.Author{Name: "Ann Lee", Initials: "AL"}
	noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

// corpus lists the Word documents of the dataset, or skips the test where it is
// not installed.
func corpus(tb testing.TB) []string {
	tb.Helper()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		tb.Skip("CLAUSEMILL_DATA is not set")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "docx", "*.docx"))
	require.NoError(tb, err)
	require.NotEmpty(tb, paths)
	return paths
}

func at[T any](value T) *T { return &value }

// randomText is new text of one to six words.
func randomText(random *rand.Rand) string {
	words := []string{"shall", "thirty", "(30)", "days", "Buyer", "§ 7", "“quoted”", "a\tb", "c\vd", "naïve", "&", "<x>", "x"}
	var b strings.Builder
	for range 1 + random.IntN(6) {
		b.WriteString(words[random.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()
}

// randomChange is any change at any place of the document.
func randomChange(random *rand.Rand, d *docx.Document, id int) redline.Change {
	stories := d.Stories()
	s := stories[0]
	if random.IntN(3) == 0 {
		s = stories[random.IntN(len(stories))]
	}
	c := redline.Change{ID: "c" + strconv.Itoa(id), Author: ann, Date: noon}
	all := s.Paragraphs()
	if len(all) == 0 {
		return c
	}
	p := all[random.IntN(len(all))]
	text := []rune(p.Text())
	start, end := random.IntN(len(text)+1), random.IntN(len(text)+1)
	start, end = min(start, end), max(start, end)
	c.Anchor = redline.Anchor{Part: s.Key, Block: at(p.Index), Start: &start, End: &end}
	if random.IntN(2) == 0 {
		c.Anchor.Text = string(text[start:end])
	}
	types := []redline.Type{
		redline.Insert, redline.Delete, redline.Replace, redline.Replace, redline.Rewrite, redline.InsertParagraph, redline.DeleteParagraph,
		redline.InsertRow, redline.DeleteRow, redline.FormatText, redline.CommentOn,
	}
	c.Type = types[random.IntN(len(types))]
	switch c.Type {
	case redline.Insert:
		c.Anchor.End, c.Anchor.Text = &start, ""
		c.Text = randomText(random)
		if random.IntN(3) == 0 {
			c.Text += "\n" + randomText(random)
		}
	case redline.Delete:
		if random.IntN(3) == 0 && p.Index+1 < len(all) {
			c.Anchor.Text, c.Anchor.End = "", at(len(text)+1) // with its end
		}
	case redline.Replace:
		c.Text = randomText(random)
	case redline.Rewrite:
		words := strings.Fields(string(text))
		if len(words) > 0 {
			words[random.IntN(len(words))] = "changed"
		}
		c.Text = strings.Join(words, " ")
	case redline.InsertParagraph:
		c.Text = randomText(random)
		c.Side = []redline.Side{redline.Before, redline.After}[random.IntN(2)]
	case redline.InsertRow:
		if row := p.Closest("tr"); row.Exists() {
			for range docx.Cells(row) {
				c.Cells = append(c.Cells, randomText(random))
			}
		}
	case redline.FormatText:
		c.Format.Italic = at(true)
	case redline.CommentOn:
		c.Text = "Why?"
	}
	switch c.Type {
	case redline.Rewrite, redline.InsertParagraph, redline.DeleteParagraph, redline.InsertRow, redline.DeleteRow:
		c.Anchor.Text = ""
	}
	if random.IntN(4) == 0 {
		c.Comment = "Because."
	}
	return c
}

// TestLaws holds random changes of every document to the laws of redlines.
func TestLaws(t *testing.T) {
	t.Parallel()
	out := os.Getenv("DOCX_OUT")
	applied, failed := 0, map[string]int{}
	for i, path := range corpus(t) {
		base, err := os.ReadFile(path)
		require.NoError(t, err)
		d, err := docx.Open(base)
		if err != nil {
			continue
		}
		random := rand.New(rand.NewPCG(7, uint64(i)))
		for round, n := range []int{1, 3, 10} {
			var changes []redline.Change
			for id := range n {
				changes = append(changes, randomChange(random, d, id))
			}
			r, err := redline.Execute(base, changes, redline.Options{})
			require.NoError(t, err, path)
			require.Len(t, changes, len(r.Applied)+len(r.Failed))
			applied += len(r.Applied)
			for _, f := range r.Failed {
				failed[string(f.Err.Code)]++
			}
			if !r.Checks.OK() {
				t.Errorf("%s round %d: %+v", filepath.Base(path), round, r.Checks)
			}
			if len(r.Applied) == 0 {
				require.Equal(t, base, r.Document)
			}
			if out != "" {
				require.NoError(t, os.WriteFile(filepath.Join(out, strconv.Itoa(round)+"-"+filepath.Base(path)), r.Document, 0o600))
			}
		}
	}
	t.Log(applied, failed)
}

// TestCompare turns documents into others by the changes between them.
func TestCompare(t *testing.T) {
	t.Parallel()
	paths := corpus(t)
	dir := filepath.Dir(paths[0])
	list, err := os.Open(filepath.Join(dir, "pairs.jsonl"))
	require.NoError(t, err)
	defer list.Close()
	lines := json.NewDecoder(list)
	complete, left := 0, 0
	for lines.More() {
		var pair struct{ Before, After string }
		require.NoError(t, lines.Decode(&pair))
		base, err := os.ReadFile(filepath.Join(dir, pair.Before))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		other, err := os.ReadFile(filepath.Join(dir, pair.After))
		require.NoError(t, err)
		found, err := redline.Compare(base, other)
		require.NoError(t, err)
		if len(found.Left) > 0 {
			t.Log(pair.Before, pair.After, found.Left)
			left++
			continue
		}
		for i := range found.Changes {
			found.Changes[i].ID, found.Changes[i].Author, found.Changes[i].Date = strconv.Itoa(i), ann, noon
		}
		r, err := redline.Execute(base, found.Changes, redline.Options{})
		require.NoError(t, err)
		require.True(t, r.Checks.OK(), "%s %+v", pair.Before, r.Checks)
		require.Empty(t, r.Failed, pair.Before)
		clean, err := redline.Execute(base, found.Changes, redline.Options{Clean: true})
		require.NoError(t, err)
		again, err := redline.Compare(clean.Document, other)
		require.NoError(t, err)
		require.Empty(t, textual(again.Changes), pair.Before+" "+pair.After)
		complete++
	}
	t.Log(complete, left)
	require.Positive(t, complete)
}

// TestComparisonDrops keeps the pairs of moves together, and says what is missing.
func TestComparisonDrops(t *testing.T) {
	t.Parallel()
	block := 3
	c := redline.Comparison{
		Changes: []redline.Change{
			{ID: "a", Type: redline.DeleteParagraph}, {ID: "b", Type: redline.Rewrite, Anchor: redline.Anchor{Part: "body", Block: &block}},
			{ID: "c", Type: redline.InsertParagraph}, {ID: "d", Type: redline.InsertParagraph},
		},
		Moves: []redline.Move{{From: 0, To: 3}, {From: 0, To: 1}},
	}
	c.Drop([]redline.Failed{{ID: "b", Err: &redline.Error{Message: "the paragraph has a change"}}})
	require.Equal(t, []string{"a", "c", "d"}, []string{c.Changes[0].ID, c.Changes[1].ID, c.Changes[2].ID})
	require.Equal(t, []redline.Move{{From: 0, To: 2}}, c.Moves)
	require.Equal(t, []string{"body, paragraph 3: a change (rewrite) cannot be made: the paragraph has a change"}, c.Left)
}

// textual leaves out empty paragraphs, which a story or cell must keep where its
// tables are deleted.
func textual(changes []redline.Change) []redline.Change {
	var kept []redline.Change
	for _, c := range changes {
		if c.Type != redline.DeleteParagraph || c.Anchor.Text != "" {
			kept = append(kept, c)
		}
	}
	return kept
}
