package redline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

func TestStanding(t *testing.T) {
	t.Parallel()
	base := word(t, `<w:p><w:r><w:t>Pay now.</w:t></w:r></w:p><w:p><w:r><w:t>End.</w:t></w:r></w:p>`)
	made, err := redline.Execute(base, []redline.Change{
		{ID: "1", Type: redline.Replace, Anchor: redline.Anchor{Text: "now"}, Text: "soon", Author: redline.NewAuthor("Ann Lee")},
		{ID: "2", Type: redline.CommentOn, Anchor: redline.Anchor{Text: "End."}, Text: "Really?", Author: redline.NewAuthor("Ann Lee")},
	}, redline.Options{})
	require.NoError(t, err)
	doc, err := docx.Open(made.Document)
	require.NoError(t, err)
	revisions := doc.Revisions()
	require.Len(t, revisions, 2)
	open := []redline.Change{
		{ID: "3", Type: redline.Accept, Target: revisions[0].ID}, {ID: "4", Type: redline.Reply, Target: revisions[1].ID},
		{ID: "5", Type: redline.Reject, Target: revisions[0].ID},
	}
	marks := redline.Standing(doc, open)
	require.Len(t, marks, 3)
	require.Equal(t, redline.Reject, marks[0].Decision, "the last decision counts")
	require.Empty(t, marks[1].Decision, "an answer is no decision")
	require.Equal(t, []bool{false, false, true}, []bool{marks[0].Comment, marks[1].Comment, marks[2].Comment})
	require.Equal(t, 0, marks[0].Resolved.Block)
	require.Equal(t, 1, marks[2].Resolved.Block)
	require.Equal(t, "Really?", marks[2].Text)
	require.Equal(t, redline.Author{Name: "Ann Lee", Initials: "AL"}, marks[2].Author)
	require.Equal(t, redline.CommentPrefix, marks[2].ID[:len(redline.CommentPrefix)])
	require.Equal(t, []string{"3", "5"}, redline.Decisions(open))
}

func TestPlaceAll(t *testing.T) {
	t.Parallel()
	cell := func(text string) string { return "<w:tc><w:p><w:r><w:t>" + text + "</w:t></w:r></w:p></w:tc>" }
	doc, err := docx.Open(word(t, `<w:p><w:r><w:t>Pay.</w:t></w:r></w:p><w:tbl><w:tr>`+cell("Fee")+cell("100")+`</w:tr></w:tbl>`))
	require.NoError(t, err)
	text := redline.NewText(doc, "Pay.\n\nFee\t100")
	free := redline.Asked{Change: redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Text: "Pay."}}}
	row := redline.Asked{Change: redline.Change{Type: redline.Replace, Anchor: redline.Anchor{Text: "Fee\t100"}, Text: "Price\t90"}, Span: &[2]int{6, 13}}
	require.False(t, redline.Spanned([]redline.Asked{free}))
	require.True(t, redline.Spanned([]redline.Asked{free, row}))
	changes, from, err := text.PlaceAll([]redline.Asked{free, row, free})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 1, 2}, from, "a change for each cell")
	require.Equal(t, free.Change, changes[0])
	row.Span = &[2]int{90, 99}
	_, from, err = text.PlaceAll([]redline.Asked{free, row})
	var why *redline.Error
	require.ErrorAs(t, err, &why)
	require.Equal(t, []int{0, 1}, from, "the last is the one that cannot be placed")
	var none *redline.Text
	changes, _, err = none.PlaceAll([]redline.Asked{free})
	require.NoError(t, err)
	require.Len(t, changes, 1, "without spans no text is needed")
}

func TestMoved(t *testing.T) {
	t.Parallel()
	c := redline.Comparison{Changes: []redline.Change{{ID: "a"}, {ID: "b"}, {ID: "c"}}, Moves: []redline.Move{{From: 2, To: 0}}}
	require.Equal(t, [][2]string{{"c", "a"}}, c.Moved())
}
