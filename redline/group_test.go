package redline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// TestGrouped holds what is one decision: replaced words with blanks between them, and
// dates, amounts and terms as a whole.
func TestGrouped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, new  string
		decisions [][2]string // deleted, inserted
	}{
		"Phrase":        {"for one year from now", "for two years from now", [][2]string{{"one year", "two years"}}},
		"Phrase kept":   {"online retailer of items including books", "REVISED WORDS books", [][2]string{{"online retailer of items including", "REVISED WORDS"}}},
		"Apart":         {"one red apple and one pear", "two red apple and two pear", [][2]string{{"one", "two"}, {"one", "two"}}},
		"Date":          {"by 1 May 2026 at noon", "by 1 June 2026 at noon", [][2]string{{"1 May 2026", "1 June 2026"}}},
		"Date year":     {"by May 1, 2026 at noon", "by May 1, 2027 at noon", [][2]string{{"May 1, 2026", "May 1, 2027"}}},
		"Digital date":  {"by 2026-05-01 at noon", "by 2026-06-01 at noon", [][2]string{{"2026-05-01", "2026-06-01"}}},
		"Amount":        {"pays EUR 1,000.50 now", "pays USD 1,000.50 now", [][2]string{{"EUR 1,000.50", "USD 1,000.50"}}},
		"Percent":       {"pays 5 % now", "pays 7 % now", [][2]string{{"5 %", "7 %"}}},
		"Number":        {"within thirty (30) days", "within thirty (31) days", [][2]string{{"thirty (30)", "thirty (31)"}}},
		"Term":          {"from the Effective Date on", "from the Closing Date on", [][2]string{{"Effective Date", "Closing Date"}}},
		"Quoted":        {`a “net price” here`, `a “gross price” here`, [][2]string{{"“net price”", "“gross price”"}}},
		"Digit put in":  {"pays 1,000 EUR", "pays 1,0000 EUR", [][2]string{{"1,000 EUR", "1,0000 EUR"}}},
		"Words put in":  {"pays at once", "pays in full at once", [][2]string{{"", "in full "}}},
		"Words deleted": {"pays in full at once", "pays at once", [][2]string{{"in full ", ""}}},
	} {
		base := word(t, `<w:p><w:r><w:t>`+docx.Escape(c.old)+`</w:t></w:r></w:p>`)
		r, err := redline.Execute(base, signed(redline.Change{Type: redline.Rewrite, Anchor: of(c.old), Text: c.new}), redline.Options{})
		require.NoError(t, err, name)
		require.Empty(t, r.Failed, name)
		require.True(t, r.Checks.OK(), name)
		d, err := docx.Open(r.Document)
		require.NoError(t, err)
		var decisions [][2]string
		deleted := ""
		for m := range d.Marks() {
			if m.Kind == "del" {
				if deleted != "" {
					decisions = append(decisions, [2]string{deleted, ""})
				}
				deleted = m.Text
				continue
			}
			decisions = append(decisions, [2]string{deleted, m.Text})
			deleted = ""
		}
		if deleted != "" {
			decisions = append(decisions, [2]string{deleted, ""})
		}
		require.Equal(t, c.decisions, decisions, name)
	}
}

// TestBlockBinds holds that the paragraph which an anchor names is the one that is
// changed.
func TestBlockBinds(t *testing.T) {
	t.Parallel()
	base := word(t, `<w:p><w:r><w:t>the first the</w:t></w:r></w:p><w:p><w:r><w:t>none</w:t></w:r></w:p><w:p><w:r><w:t>the second and the third</w:t></w:r></w:p>`)
	propose := func(a redline.Anchor) ([]redline.Applied, []redline.Failed) {
		d, err := docx.Open(base)
		require.NoError(t, err)
		return redline.Propose(d, redline.SHA256(base), nil, signed(redline.Change{Type: redline.Delete, Anchor: a}))
	}
	block := func(n int) *int { return &n }
	applied, failed := propose(redline.Anchor{Block: block(2), Text: "the", Occurrence: 2})
	require.Empty(t, failed)
	require.Equal(t, [3]int{2, 15, 18}, [3]int{applied[0].Resolved.Block, applied[0].Resolved.Start, applied[0].Resolved.End})
	applied, failed = propose(redline.Anchor{Block: block(2), Text: "second"})
	require.Empty(t, failed)
	require.Equal(t, 2, applied[0].Resolved.Block)

	_, failed = propose(redline.Anchor{Block: block(1), Text: "the", Occurrence: 1})
	require.Equal(t, redline.AnchorMismatch, failed[0].Err.Code)
	require.Equal(t, "none", failed[0].Err.Candidates[0].Text)
	_, failed = propose(redline.Anchor{Block: block(2), Text: "the"})
	require.Equal(t, redline.AnchorAmbiguous, failed[0].Err.Code)
	require.Len(t, failed[0].Err.Candidates, 2)
	_, failed = propose(redline.Anchor{Text: "the", Occurrence: 9999})
	require.Equal(t, redline.AnchorMismatch, failed[0].Err.Code)
	require.Contains(t, failed[0].Err.Message, "at 4 places, so there is no occurrence 9999")
	_, failed = propose(redline.Anchor{Text: "Custmer will pay second"})
	require.Equal(t, redline.AnchorNotFound, failed[0].Err.Code)
	require.Empty(t, failed[0].Err.Candidates)
}

// TestCarryPastDecision holds that a proposal keeps its place when a decision elsewhere
// brings its words into the document a second time.
func TestCarryPastDecision(t *testing.T) {
	t.Parallel()
	base := word(t, `<w:p><w:del w:id="1" w:author="Bob" w:date="2026-01-02T03:04:05Z"><w:r><w:delText>the annual fee is due</w:delText></w:r></w:del></w:p><w:p><w:r><w:t>Each party pays. the annual fee is due at once.</w:t></w:r></w:p>`)
	change := signed(redline.Change{Type: redline.Replace, Anchor: of("the annual fee"), Text: "the monthly fee"})
	decided, err := redline.Decide(base, nil, docx.RejectAll)
	require.NoError(t, err)
	carried, lost, err := redline.Carry(base, decided.Document, change)
	require.NoError(t, err)
	require.Empty(t, lost)
	r, err := redline.Execute(decided.Document, []redline.Change{carried[0].Change}, redline.Options{})
	require.NoError(t, err)
	require.Empty(t, r.Failed)
	require.Equal(t, "the annual fee is due|Each party pays. the monthly fee is due at once.", body(t, r.Document, docx.AcceptAll))
}
