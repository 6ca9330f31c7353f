package draft_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
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
	}}, nil)
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

// TestBuildPictures puts pictures where they are read: behind the text above them, before
// that below, or as far down as they are on the page.
func TestBuildPictures(t *testing.T) {
	t.Parallel()
	blocks := []db.Block{
		{Kind: "heading", Text: "LEASE", Page: 1}, {Kind: "paragraph", Text: "The Rent is\ndue on May.", Page: 1},
		{Kind: "paragraph", Text: "Signed:", Page: 2}, {Kind: "paragraph", Text: "The end.", Page: 2},
	}
	picture := func(page int, down float32, above, below string) document.Picture {
		return document.Picture{Page: page, Width: 72, Height: 36, Down: down, Bytes: []byte{1}, Above: above, Below: below}
	}
	data, err := draft.Build(blocks, []document.Picture{
		picture(1, 0, "", "LEASE"), picture(1, 0.2, "ACME", "nowhere"), picture(1, 0.5, "due on May.", "Signed:"), picture(2, 0.6, "", ""), picture(9, 0, "", ""),
	})
	require.NoError(t, err)
	d, err := docx.Open(data)
	require.NoError(t, err)
	require.Empty(t, d.Faults())
	var texts []string
	for _, p := range d.Story("body").Paragraphs() {
		texts = append(texts, p.Text())
	}
	require.Equal(t, []string{"\uFFFC", "\uFFFC", "LEASE", "The Rent is due on May.", "\uFFFC", "Signed:", "\uFFFC", "The end.", "\uFFFC"}, texts)
}
