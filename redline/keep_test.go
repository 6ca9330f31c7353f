package redline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// TestReviewKeepsParagraphs keeps our words of two paragraphs that the other side changed
// both, of each contract in CLAUSEMILL_DATA: the paragraphs stay two, and what stays in them
// looks as it did.
func TestReviewKeepsParagraphs(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		t.Skip("CLAUSEMILL_DATA is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "docx", "contract__*.docx"))
	require.NoError(t, err)
	kept := 0
	for _, file := range files {
		from, err := os.ReadFile(file)
		require.NoError(t, err)
		doc, err := docx.Open(from)
		require.NoError(t, err)
		one, two := together(doc)
		if one == nil {
			continue
		}
		name := filepath.Base(file)
		first, second := strings.Fields(one.Text()), strings.Fields(two.Text())
		base := one.Text() + "\n" + two.Text()
		last := first[len(first)-1]
		want := strings.TrimSuffix(one.Text(), last) + "ours. Ours " + strings.TrimPrefix(two.Text(), second[0])
		want = strings.Replace(want, "ours. Ours", "ours.\nOurs", 1)
		to := executed(t, from, name,
			redline.Change{ID: "1", Type: redline.Replace, Anchor: anchorOf(one, last), Text: "theirs."},
			redline.Change{ID: "2", Type: redline.Replace, Anchor: anchorOf(two, second[0]), Text: "Theirs"})
		at, zero, end := one.Index, 0, one.Len()+1+two.Len()
		review, err := redline.NewReview(from, to, []redline.Change{{
			ID: "ours", Type: redline.Replace, Text: want, Author: ann, Date: noon,
			Anchor: redline.Anchor{Part: "body", Block: &at, Start: &zero, End: &end, Text: base},
		}})
		require.NoError(t, err, name)
		require.Len(t, review.Conflicts, 1, name)
		k := review.Conflicts[0]
		require.Equal(t, base, k.Base, name)
		require.Equal(t, want, k.Ours, name)
		require.NotNil(t, k.Keep, name)
		require.Equal(t, one.Index+1, k.Place.EndBlock, name)
		after, err := docx.Open(executed(t, to, name, *k.Keep))
		require.NoError(t, err)
		paragraphs := after.Story("body").Paragraphs()
		require.Len(t, paragraphs, len(doc.Story("body").Paragraphs()), name)
		require.Equal(t, want, paragraphs[one.Index].Text()+"\n"+paragraphs[two.Index].Text(), name)
		for _, p := range []*docx.Paragraph{one, two} {
			now := paragraphs[p.Index]
			require.Equal(t, string(p.Child("pPr").Raw()), string(now.Child("pPr").Raw()), name)
			require.Equal(t, looks(p, 1, len(strings.Fields(p.Text()))-1), looks(now, 1, len(strings.Fields(now.Text()))-1), name)
		}
		tracked, err := redline.Execute(to, []redline.Change{*k.Keep}, redline.Options{})
		require.NoError(t, err)
		require.True(t, tracked.Checks.OK(), name)
		kept++
	}
	t.Log(kept, "of", len(files))
	require.Greater(t, kept, len(files)/2)
}

// together are two long paragraphs of plain text that follow each other.
func together(doc *docx.Document) (one, two *docx.Paragraph) {
	plain := func(p *docx.Paragraph) bool {
		text := p.Text()
		return len(text) > 120 && len(strings.Fields(text)) > 15 && !strings.ContainsAny(text, "\uFFFC\t\n\u00A0") && strings.TrimSpace(text) == text
	}
	all := doc.Story("body").Paragraphs()
	for i := 1; i < len(all); i++ {
		if plain(all[i-1]) && plain(all[i]) && all[i-1].Parent() == all[i].Parent() {
			return all[i-1], all[i]
		}
	}
	return nil, nil
}

func anchorOf(p *docx.Paragraph, word string) redline.Anchor {
	at, start := p.Index, len([]rune(p.Text()[:strings.LastIndex(p.Text(), word)]))
	if strings.HasPrefix(p.Text(), word) {
		start = 0
	}
	end := start + len([]rune(word))
	return redline.Anchor{Part: "body", Block: &at, Start: &start, End: &end}
}

func executed(t *testing.T, data []byte, name string, changes ...redline.Change) []byte {
	t.Helper()
	for i := range changes {
		changes[i].Author, changes[i].Date = ann, noon
	}
	r, err := redline.Execute(data, changes, redline.Options{Clean: true})
	require.NoError(t, err, name)
	require.Empty(t, r.Failed, name)
	return r.Document
}

// looks are the words of a paragraph from..to with their formatting.
func looks(p *docx.Paragraph, from, to int) []string {
	var words []string
	look := map[int]string{}
	for piece := range p.Pieces() {
		for i := piece.Start; i < piece.End; i++ {
			look[i] = string(piece.Run.Child("rPr").Raw())
		}
	}
	start := -1
	text := []rune(p.Text() + " ")
	for i, r := range text {
		switch {
		case r != ' ' && start < 0:
			start = i
		case r == ' ' && start >= 0:
			words, start = append(words, string(text[start:i])+" "+look[start]), -1
		}
	}
	return words[from:to]
}

// TestReviewKeepsSeveral brings back what the other side took out of several paragraphs.
func TestReviewKeepsSeveral(t *testing.T) {
	t.Parallel()
	lines := func(all ...string) []byte {
		var b strings.Builder
		for _, l := range all {
			b.WriteString(`<w:p><w:r><w:t>` + l + `</w:t></w:r></w:p>`)
		}
		return word(t, b.String())
	}
	const term, fee, pay, notice = "The term is one year from signing.", "The fee is ten euros a month.", "It is paid on the first day of each month.", "Notices are given by letter to the office."
	from := lines(term, fee, pay, notice)
	ours := redline.Change{ID: "1", Type: redline.Replace, Anchor: redline.Anchor{Text: fee + "\n" + pay}, Text: "The fee is five euros a month.\nIt is paid on the last day of each month."}
	drop, zero, two := ours, 1, 2
	drop.Type, drop.Text, drop.Anchor = redline.DeleteParagraph, "", redline.Anchor{Part: "body", Block: &zero, EndBlock: &two, Text: fee + "\n" + pay}
	for name, c := range map[string]struct {
		ours redline.Change
		to   []string
		kind redline.Type // of the change that keeps, none where nothing can
		want []string
	}{
		"changed":     {ours, []string{term, "The fee is twenty euros a month.", "It is paid on the tenth day of each month.", notice}, redline.Replace, []string{term, "The fee is five euros a month.", "It is paid on the last day of each month.", notice}},
		"one is gone": {ours, []string{term, "The fee is twenty euros a month.", notice}, redline.Replace, []string{term, "The fee is five euros a month.", "It is paid on the last day of each month.", notice}},
		"all gone":    {ours, []string{term, notice}, redline.InsertParagraph, []string{term, "The fee is five euros a month.", "It is paid on the last day of each month.", notice}},
		"turned":      {ours, []string{term, "It is paid on the tenth day of each month.", "The fee is twenty euros a month.", notice}, "", nil},
		"taken out":   {drop, []string{term, "The fee is twenty euros a month.", "It is paid on the tenth day of each month.", notice}, redline.DeleteParagraph, []string{term, notice}},
		"put between": {ours, []string{term, "The fee is twenty euros a month.", "a", "b", "c", "It is paid on the tenth day of each month.", notice}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := c.ours
			change.Author, change.Date = ann, noon
			to := lines(c.to...)
			r, err := redline.NewReview(from, to, []redline.Change{change})
			require.NoError(t, err)
			require.Len(t, r.Conflicts, 1)
			keep := r.Conflicts[0].Keep
			if c.kind == "" {
				require.Nil(t, keep)
				return
			}
			require.NotNil(t, keep)
			require.Equal(t, c.kind, keep.Type)
			doc, err := docx.Open(executed(t, to, name, *keep))
			require.NoError(t, err)
			var texts []string
			for _, p := range doc.Story("body").Paragraphs() {
				texts = append(texts, p.Text())
			}
			require.Equal(t, c.want, texts)
		})
	}
}
