package draft_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
)

// TestBuildOverPages leaves out the footer and the header of the pages that a paragraph
// goes over, and keeps what stands out around them.
func TestBuildOverPages(t *testing.T) {
	t.Parallel()
	const text = "The Rent is\n\nSource: ACME\n12\f\nLease\n\ndue on “May”."
	data, err := draft.Build([]db.Block{{
		Kind: "paragraph", Text: text, Start: 100,
		Emphasis:  []db.Emphasis{{Start: 104, End: 108, Bold: true}, {Start: 129, End: 134, Bold: true}, {Start: 144, End: 150, Italic: true}},
		Furniture: []db.Stretch{{Start: 113, End: 125}, {Start: 126, End: 128}, {Start: 130, End: 135}},
	}})
	require.NoError(t, err)
	d, err := docx.Open(data)
	require.NoError(t, err)
	paragraphs := d.Story("body").Paragraphs()
	require.Len(t, paragraphs, 1)
	require.Equal(t, "The Rent is due on “May”.", paragraphs[0].Text())
	var emphasised []string
	for r := range paragraphs[0].Children() {
		if r.Child("rPr").Exists() {
			emphasised = append(emphasised, r.Child("t").Chars())
		}
	}
	require.Equal(t, []string{"Rent", "“May”."}, emphasised)
}
