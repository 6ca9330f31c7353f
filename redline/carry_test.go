package redline_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// built is a document of lines.
func built(t require.TestingT, lines ...string) []byte {
	var passages []docx.Passage
	for _, line := range lines {
		passages = append(passages, docx.Passage{Kind: docx.BodyPassage, Text: line})
	}
	data, err := docx.Build(passages)
	require.NoError(t, err)
	return data
}

func TestCarry(t *testing.T) {
	t.Parallel()
	from := built(t, "The term is thirty days.", "Fees are due in thirty days.", "Notice is thirty days, too.", "The end.")
	to := built(t, "A new clause of thirty days.", "The term is thirty days.", "Fees are due in sixty days.", "The end.", "Notice is thirty days, too.")
	change := func(kind redline.Type, a redline.Anchor) redline.Change {
		return redline.Change{ID: "c", Type: kind, Anchor: a, Text: "x", Author: redline.Author{Name: "Ann"}}
	}
	for name, tt := range map[string]struct {
		change redline.Change
		block  int // -1 where it does not come along
		code   string
		words  string
	}{
		"ByOccurrence":  {change(redline.Replace, redline.Anchor{Text: "thirty", Occurrence: 1}), 1, "", "thirty"},
		"WordsAreGone":  {change(redline.Replace, redline.Anchor{Text: "thirty", Occurrence: 2}), -1, "anchor_not_found", ""},
		"Moved":         {change(redline.Replace, redline.Anchor{Text: "thirty", Occurrence: 3}), 4, "", "thirty"},
		"ByPosition":    {change(redline.Delete, redline.Anchor{Block: at(0), Start: at(4), End: at(8)}), 1, "", "term"},
		"APoint":        {change(redline.Insert, redline.Anchor{Block: at(0), Start: at(3), End: at(3)}), 1, "", ""},
		"APointGone":    {change(redline.Insert, redline.Anchor{Block: at(1), Start: at(18), End: at(18)}), -1, "stale_document", ""},
		"Paragraph":     {change(redline.DeleteParagraph, redline.Anchor{Block: at(3)}), 3, "", "The end."},
		"EditedSince":   {change(redline.Rewrite, redline.Anchor{Text: "Fees are due"}), -1, "anchor_not_found", ""},
		"BesideAnEdit":  {change(redline.Replace, redline.Anchor{Text: "Fees are due"}), 2, "", "Fees are due"},
		"Folded":        {change(redline.Replace, redline.Anchor{Text: "The  term"}), 1, "", "The  term"},
		"FoldedMoved":   {change(redline.Replace, redline.Anchor{Text: "The  end."}), 3, "", "The  end."},
		"NeverStood":    {change(redline.Replace, redline.Anchor{Text: "no such words"}), -1, "anchor_not_found", ""},
		"OtherClause":   {change(redline.Replace, redline.Anchor{Block: at(1), Start: at(0), End: at(4), Text: "Fees"}), 2, "", "Fees"},
		"OverBorders":   {change(redline.Delete, redline.Anchor{Text: "too.\nThe end."}), -1, "anchor_not_found", ""},
		"UnknownTarget": {redline.Change{ID: "c", Type: redline.Accept, Target: "rev_1"}, -1, "target_not_found", ""},
		"NoComment":     {redline.Change{ID: "c", Type: redline.Reply, Target: "com_1", Text: "x"}, -1, "target_not_found", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			carried, lost, err := redline.Carry(from, to, []redline.Change{tt.change})
			require.NoError(t, err)
			if tt.block < 0 {
				require.Empty(t, carried)
				require.Len(t, lost, 1)
				require.EqualValues(t, tt.code, lost[0].Err.Code, lost[0].Err.Message)
				return
			}
			require.Empty(t, lost)
			require.Equal(t, tt.block, carried[0].Resolved.Block)
			require.Equal(t, tt.words, carried[0].Anchor.Text)
			// It is carried out there, whatever else stands in the document.
			result, err := redline.Execute(to, []redline.Change{carried[0].Change}, redline.Options{})
			require.NoError(t, err)
			require.Empty(t, result.Failed)
			require.Equal(t, tt.block, result.Applied[0].Resolved.Block)
			require.True(t, result.Checks.OK())
		})
	}

	// A clause that went has words in common with the one that came.
	_, lost, err := redline.Carry(built(t, "The term is thirty days.", "The end."), built(t, "Fees, with costs, are due within thirty weeks from then on.", "The end."),
		[]redline.Change{change(redline.Replace, redline.Anchor{Text: "thirty"})})
	require.NoError(t, err)
	require.Len(t, lost, 1)

	// Without the version before, words that stand once are taken.
	carried, lost, err := redline.Carry(nil, to, []redline.Change{
		change(redline.Replace, redline.Anchor{Text: "sixty"}), change(redline.Replace, redline.Anchor{Text: "thirty", Occurrence: 1}), change(redline.Replace, redline.Anchor{Block: at(0)}),
		{ID: "d", Type: redline.Accept, Target: "rev_1"},
	})
	require.NoError(t, err)
	require.Len(t, carried, 1)
	require.Len(t, lost, 3)
	_, _, err = redline.Carry([]byte("no document"), to, nil)
	require.Error(t, err)
	_, _, err = redline.Carry(from, []byte("no document"), nil)
	require.Error(t, err)
}

// TestCarryDecisions has decisions and replies come along with the marks that they
// are about.
func TestCarryDecisions(t *testing.T) {
	t.Parallel()
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	edits := func(lines []string, changes ...redline.Change) []byte {
		for i := range changes {
			changes[i].ID, changes[i].Author, changes[i].Date = strconv.Itoa(i), redline.Author{Name: "Bob"}, date
		}
		result, err := redline.Execute(built(t, lines...), changes, redline.Options{})
		require.NoError(t, err)
		require.Empty(t, result.Failed)
		return result.Document
	}
	insert := func(block int, text string) redline.Change {
		return redline.Change{Type: redline.Insert, Anchor: redline.Anchor{Block: at(block), Start: at(0), End: at(0)}, Text: text}
	}
	comment := redline.Change{Type: redline.CommentOn, Anchor: redline.Anchor{Text: "end"}, Text: "Why?"}
	from := edits([]string{"One.", "Two.", "The end."}, insert(0, "same "), insert(1, "same "), insert(2, "gone "), comment)
	to := edits([]string{"Zero.", "One.", "Two.", "The end."}, insert(1, "same "), insert(2, "same "), comment)
	doc, err := docx.Open(from)
	require.NoError(t, err)
	next, err := docx.Open(to)
	require.NoError(t, err)
	old, now := doc.Revisions(), next.Revisions()
	require.Len(t, old, 3)
	carried, lost, err := redline.Carry(from, to, []redline.Change{
		{ID: "a", Type: redline.Accept, Target: old[0].ID}, {ID: "b", Type: redline.Reject, Target: old[1].ID}, {ID: "c", Type: redline.Accept, Target: old[2].ID},
		{ID: "d", Type: redline.Reply, Target: redline.CommentPrefix + doc.Comments()[0].ID, Text: "So."},
	})
	require.NoError(t, err)
	require.Len(t, lost, 1)
	require.Equal(t, "c", lost[0].ID)
	require.Equal(t, []string{now[0].ID, now[1].ID, redline.CommentPrefix + next.Comments()[0].ID},
		[]string{carried[0].Target, carried[1].Target, carried[2].Target})

	// Of two alike one is gone, and nobody knows which.
	to = edits([]string{"Zero.", "One.", "Two.", "The end."}, insert(1, "same "))
	_, lost, err = redline.Carry(from, to, []redline.Change{{ID: "a", Type: redline.Accept, Target: old[0].ID}})
	require.NoError(t, err)
	require.Equal(t, redline.UnknownTarget, lost[0].Err.Code)
}

// TestCarryAnything puts changes of any words into any next version: those that
// come along mean the same words, and of a line that stands once in both versions,
// that line.
func TestCarryAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"term", "fee", "thirty", "days", "is", "the"})
		line := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "words"), " ")
		})
		lines := rapid.SliceOfN(line, 1, 6).Draw(t, "lines")
		next := append([]string{}, lines...)
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			i := rapid.IntRange(0, len(next)-1).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "edit") {
			case 0:
				next[i] = line.Draw(t, "other")
			case 1:
				next = append(next[:i], append([]string{line.Draw(t, "new")}, next[i:]...)...)
			case 2:
				if len(next) > 1 {
					next = append(next[:i], next[i+1:]...)
				}
			}
		}
		from, to := built(t, lines...), built(t, next...)
		block := rapid.IntRange(0, len(lines)-1).Draw(t, "block")
		words := strings.Fields(lines[block])
		first := rapid.IntRange(0, len(words)-1).Draw(t, "first")
		last := rapid.IntRange(first, len(words)-1).Draw(t, "last")
		start := len(strings.Join(append(append([]string{}, words[:first]...), ""), " "))
		text := strings.Join(words[first:last+1], " ")
		change := redline.Change{
			ID: "c", Type: redline.Delete, Anchor: redline.Anchor{Block: &block, Start: &start, End: at(start + len(text)), Text: text},
			Author: redline.Author{Name: "Ann"},
		}
		if rapid.Bool().Draw(t, "whole") {
			change.Type, change.Anchor, text = redline.DeleteParagraph, redline.Anchor{Block: &block}, lines[block]
		}
		carried, lost, err := redline.Carry(from, to, []redline.Change{change})
		require.NoError(t, err)
		require.Equal(t, 1, len(carried)+len(lost))
		once := func(in []string) (found int) {
			found = -1
			for i, l := range in {
				if l == lines[block] {
					if found >= 0 {
						return -1
					}
					found = i
				}
			}
			return found
		}
		if len(carried) == 0 {
			require.NotEqual(t, lines, next)
			return
		}
		found := carried[0].Resolved
		require.Equal(t, text, next[found.Block][found.Start:found.End])
		if is := once(next); once(lines) >= 0 && is >= 0 && change.Type == redline.DeleteParagraph {
			require.Equal(t, is, found.Block)
		}
		result, err := redline.Execute(to, []redline.Change{carried[0].Change}, redline.Options{})
		require.NoError(t, err)
		require.Equal(t, found.Block, result.Applied[0].Resolved.Block)
		require.Equal(t, found.Start, result.Applied[0].Resolved.Start)
	})
}
