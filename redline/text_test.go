package redline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/redline"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	cell := func(text string) string { return "<w:tc><w:p><w:r><w:t>" + text + "</w:t></w:r></w:p></w:tc>" }
	base := word(t, `<w:p><w:r><w:t>Pay now. Time is short.</w:t></w:r></w:p>`+
		`<w:tbl><w:tr>`+cell("Fee")+cell("100")+`</w:tr><w:tr>`+cell("Fee")+cell("100")+`</w:tr></w:tbl>`+
		`<w:p><w:r><w:t xml:space="preserve">Pay  now. </w:t><w:drawing/><w:t>Time</w:t><w:br/><w:t>is short.</w:t></w:r></w:p><w:p><w:r><w:t>End.</w:t></w:r></w:p>`)
	const text = "Pay now. Time is short.\n\nFee\t100\nFee\t100\n\nPay now. Time\nis short.\fUnder the page.\n\nEnd."
	doc, err := docx.Open(base)
	require.NoError(t, err)
	beside := redline.NewText(doc, text)
	// at is where the nth of some words stands in the text.
	at := func(words string, n int) (start, end int) {
		for ; ; n-- {
			i := strings.Index(text[start:], words)
			require.GreaterOrEqual(t, i, 0, words)
			if start += i; n == 1 {
				return start, start + len(words)
			}
			start++
		}
	}
	for name, c := range map[string]struct {
		words  string
		nth    int
		change redline.Change
		want   string
	}{
		"Second":      {"Pay now.", 2, redline.Change{Type: redline.Delete}, "Pay now. Time is short.|Fee|100|Fee|100| \uFFFCTime\vis short.|End."},
		"LineEnds":    {"Time\nis short.", 1, redline.Change{Type: redline.Replace, Text: "Time\nis very short."}, "Pay now. Time is short.|Fee|100|Fee|100|Pay  now. \uFFFCTime\vis very short.|End."},
		"Picture":     {"now. Time", 2, redline.Change{Type: redline.Replace, Text: "soon. Time"}, "Pay now. Time is short.|Fee|100|Fee|100|Pay  soon. \uFFFCTime\vis short.|End."},
		"Cells":       {"Fee\t100", 2, redline.Change{Type: redline.Replace, Text: "Fee in all\t200"}, "Pay now. Time is short.|Fee|100|Fee in all|200|Pay  now. \uFFFCTime\vis short.|End."},
		"OneCell":     {"Fee\t100", 1, redline.Change{Type: redline.Replace, Text: "Fee\t90"}, "Pay now. Time is short.|Fee|90|Fee|100|Pay  now. \uFFFCTime\vis short.|End."},
		"EmptiedCell": {"Fee\t100", 1, redline.Change{Type: redline.Replace, Text: "Fee\t"}, "Pay now. Time is short.|Fee||Fee|100|Pay  now. \uFFFCTime\vis short.|End."},
		"Row":         {"Fee\t100", 2, redline.Change{Type: redline.DeleteRow}, "Pay now. Time is short.|Fee|100|Pay  now. \uFFFCTime\vis short.|End."},
		"Insert":      {"Fee\t100", 2, redline.Change{Type: redline.Insert, Side: redline.After, Text: "!"}, "Pay now. Time is short.|Fee|100|Fee|100!|Pay  now. \uFFFCTime\vis short.|End."},
		"Paragraph":   {"is short.", 2, redline.Change{Type: redline.DeleteParagraph}, "Pay now. Time is short.|Fee|100|Fee|100|End."},
		"Rewritten":   {"End.", 1, redline.Change{Type: redline.Rewrite, Text: "The end."}, "Pay now. Time is short.|Fee|100|Fee|100|Pay  now. \uFFFCTime\vis short.|The end."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := docx.Open(base)
			require.NoError(t, err)
			start, end := at(c.words, c.nth)
			c.change.Anchor.Text = c.words
			placed, err := redline.NewText(doc, text).Place(c.change, start, end)
			require.NoError(t, err)
			for i := range placed {
				placed[i].ID = name + string(rune('0'+i))
			}
			result, err := redline.Execute(base, signed(placed...), redline.Options{})
			require.NoError(t, err)
			require.Empty(t, result.Failed)
			require.True(t, result.Checks.OK())
			for _, done := range result.Applied {
				require.Equal(t, redline.Exact, done.Resolved.How)
			}
			require.Equal(t, c.want, body(t, result.Document, docx.AcceptAll))
		})
	}
	start, end := at("Fee\t100", 1)
	comments, err := beside.Place(redline.Change{Type: redline.CommentOn, Text: "Why?"}, start, end)
	require.NoError(t, err)
	require.Len(t, comments, 1)
	require.Equal(t, "Fee", comments[0].Anchor.Text)

	for _, c := range []struct {
		change     redline.Change
		start, end int
		want       fault.Code
	}{
		{redline.Change{Type: redline.Delete}, 4, 3, redline.AnchorMismatch},
		{redline.Change{Type: redline.Delete}, -1, 3, redline.AnchorMismatch},
		{redline.Change{Type: redline.Delete}, 0, len(text) + 1, redline.AnchorMismatch},
		{redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Text: "Pay late."}}, 0, 8, redline.AnchorMismatch},
		{redline.Change{Type: redline.Delete}, strings.Index(text, "Under"), strings.Index(text, "Under") + 5, redline.AnchorNotFound},
		{redline.Change{Type: redline.Replace, Text: "Fee of 100"}, start, end, docx.CrossesStructure},
		{redline.Change{Type: redline.Replace, Text: "Fee\t100"}, start, end, redline.NoChange},
		{redline.Change{Type: redline.Rewrite, Text: "Fee"}, start, end, docx.CrossesStructure},
		{redline.Change{Type: redline.Replace, Text: "Fee\xb4"}, start, end, redline.BadChange},
	} {
		_, err := beside.Place(c.change, c.start, c.end)
		var why *redline.Error
		require.ErrorAs(t, err, &why)
		require.Equal(t, c.want, why.Code, "%+v", c)
	}
}

// FuzzPlace puts any text beside a document: what is placed in it can be found.
func FuzzPlace(f *testing.F) {
	base := word(f, `<w:p><w:r><w:t>Pay now. Time is short.</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>Fee</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>100</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p><w:r><w:t>Pay now.</w:t></w:r></w:p>`)
	f.Add("Pay now. Time is short.\n\nFee\t100\n\nPay now.", 0, 8, "Pay later.")
	f.Add("Time Fee 100 now", 0, 12, "")
	f.Fuzz(func(t *testing.T, text string, start, end int, words string) {
		doc, err := docx.Open(base)
		require.NoError(t, err)
		for _, kind := range redline.Types {
			placed, err := redline.NewText(doc, text).Place(redline.Change{ID: "1", Type: kind, Side: redline.After, Text: words}, start, end)
			if err != nil {
				var why *redline.Error
				require.ErrorAs(t, err, &why)
				continue
			}
			require.NotEmpty(t, placed)
			for _, c := range placed {
				_, failed := redline.Propose(doc, "", nil, []redline.Change{c})
				for _, f := range failed {
					require.NotContains(t, []fault.Code{redline.AnchorNotFound, redline.AnchorAmbiguous}, f.Err.Code, "%+v", c)
				}
			}
		}
	})
}
