package draft_test

import (
	"strings"
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

// TestBuildCells builds a table of its cells: several paragraphs of one stay together, and
// cells that are empty keep their place.
func TestBuildCells(t *testing.T) {
	t.Parallel()
	const text = "Fee\nnet\tEUR 5\n3\nAnnex\nTotal\tEUR 9" // 3 is the number of a page
	rows := [][]db.Cell{{{Column: 1, Start: 50, End: 57}, {Column: 3, Start: 58, End: 63}}, {{Column: 1, Start: 66, End: 77}, {Column: 2, Start: 78, End: 83}}}
	require.Equal(t, [][]string{{"Fee|net", "", "EUR 5"}, {"Annex|Total", "EUR 9", ""}}, built(t, text, rows))
	require.Equal(t, [][]string{{"Fee", ""}, {"net", "EUR 5"}, {"Annex", ""}, {"Total", "EUR 9"}}, built(t, text, rows[:1]), "cells that leave words out")
}

// built is the cells of a table that is built of a text which begins at 50, by rows.
func built(t *testing.T, text string, cells [][]db.Cell) (rows [][]string) {
	t.Helper()
	data, err := draft.Build([]db.Block{{Kind: "table", Text: text, Start: 50, Furniture: []db.Stretch{{Start: 64, End: 65}}, Cells: cells}}, nil)
	require.NoError(t, err)
	d, err := docx.Open(data)
	require.NoError(t, err)
	require.Empty(t, d.Faults())
	for e := range d.Main().Root().Descendants() {
		if e.Is("tr") {
			rows = append(rows, nil)
		} else if e.Is("tc") {
			var lines []string
			for p := range e.Children() {
				if p.Is("p") {
					lines = append(lines, d.Story("body").ParagraphOf(p).Text())
				}
			}
			rows[len(rows)-1] = append(rows[len(rows)-1], strings.Join(lines, "|"))
		}
	}
	return rows
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
