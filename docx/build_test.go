package docx_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
)

func TestBuild(t *testing.T) {
	t.Parallel()

	passages := []docx.Passage{
		{Kind: docx.Heading, Text: "SERVICES\nAGREEMENT"},
		{Kind: docx.Heading, Level: 1, Number: "1.", Text: "1. Term & \"Renewal\" <sic>"},
		{Kind: docx.BodyPassage, Text: "It begins\nat once.\x00\uFFFE"},
		{Kind: docx.ListItem, Level: 2, Number: "(a)", Text: "for one year"},
		{Kind: docx.ListItem, Level: 2, Number: "(a)", Text: "for ever"},
		{Kind: docx.Table, Text: "Fee\tDue\n100\n"},
		{Kind: docx.Table, Text: "second\ttable"},
		{Kind: docx.Signature, Text: "By: ____\nName: Ann"},
		{Kind: docx.Table, Text: "last"},
	}
	data, err := docx.Build(passages)
	require.NoError(t, err)
	again, err := docx.Build(passages)
	require.NoError(t, err)
	require.Equal(t, data, again)

	d, err := docx.Open(data)
	require.NoError(t, err)
	var texts, labels []string
	for _, p := range d.Story("body").Paragraphs() {
		texts = append(texts, p.Text())
		if id := p.Child("pPr", "numPr", "numId").Attr("val"); id != "" {
			labels = append(labels, id)
		}
	}
	require.Equal(t, []string{
		"SERVICES AGREEMENT", `1. Term & "Renewal" <sic>`, "It begins at once.", "for one year", "for ever",
		"Fee", "Due", "100", "", "", "second", "table", "By: ____", "Name: Ann", "last", "",
	}, texts)
	require.Equal(t, []string{"1", "1"}, labels, "a number that is no text is printed by a list")
	level := d.Related("numbering").Root().Child("abstractNum", "lvl")
	require.Equal(t, "(a)", level.Child("lvlText").Attr("val"))
}

// TestBuildEmphasis keeps bold and italic words, in headings what their style does not say.
func TestBuildEmphasis(t *testing.T) {
	t.Parallel()

	data, err := docx.Build([]docx.Passage{
		{Kind: docx.Heading, Level: 1, Text: "Rent and term", Emphasis: []docx.Emphasis{{Start: 0, End: 13, Bold: true}}},
		{Kind: docx.BodyPassage, Text: "The “Monthly\nRent” is due", Emphasis: []docx.Emphasis{{Start: 5, End: 17, Bold: true}, {Start: 22, End: 99, Bold: true, Italic: true}}},
		{Kind: docx.Table, Text: "Fee\tDue\n100\t now\n", Emphasis: []docx.Emphasis{{Start: 0, End: 7, Italic: true}, {Start: 13, End: 16, Bold: true}}},
		{Kind: docx.Signature, Text: "By: Ann\nTitle: CEO", Emphasis: []docx.Emphasis{{Start: 4, End: 7, Bold: true}}},
	})
	require.NoError(t, err)
	d, err := docx.Open(data)
	require.NoError(t, err)
	var found []string
	for _, p := range d.Story("body").Paragraphs() {
		for r := range p.Children() {
			if !r.Is("r") {
				continue
			}
			name := ""
			if r.Child("rPr", "b").Exists() {
				name += "b"
			}
			if r.Child("rPr", "i").Exists() {
				name += "i"
			}
			found = append(found, name+":"+r.Child("t").Chars())
		}
	}
	require.Equal(t, []string{":Rent and term", ":The “", "b:Monthly Rent", ":” is ", "bi:due", "i:Fee", "i:Due", ":100", "b:now", ":By: ", "b:Ann", ":Title: CEO"}, found)
}

// TestBuildWideTable keeps the words of a row with more cells than Word opens.
func TestBuildWideTable(t *testing.T) {
	t.Parallel()

	var cells []string
	for i := range 70 {
		cells = append(cells, "c"+strconv.Itoa(i))
	}
	data, err := docx.Build([]docx.Passage{{Kind: docx.Table, Text: strings.Join(cells, "\t")}})
	require.NoError(t, err)
	d, err := docx.Open(data)
	require.NoError(t, err)
	var words []string
	for _, p := range d.Story("body").Paragraphs() {
		words = append(words, strings.Fields(p.Text())...)
	}
	require.Equal(t, cells, words)
	require.Len(t, d.Story("body").Paragraphs(), 63+1)
}

func TestBuildNothing(t *testing.T) {
	t.Parallel()

	data, err := docx.Build(nil)
	require.NoError(t, err)
	d, err := docx.Open(data)
	require.NoError(t, err)
	require.Len(t, d.Story("body").Paragraphs(), 1)
}

// TestBuildUnderline underlines words, in headings too, beside what else they stand out by.
func TestBuildUnderline(t *testing.T) {
	t.Parallel()

	data, err := docx.Build([]docx.Passage{
		{Kind: docx.Heading, Level: 1, Text: "Term", Emphasis: []docx.Emphasis{{End: 4, Bold: true, Underline: true}}},
		{Kind: docx.BodyPassage, Text: "The Rent is due.", Emphasis: []docx.Emphasis{{Start: 4, End: 8, Italic: true, Underline: true}}},
	})
	require.NoError(t, err)
	d, err := docx.Open(data)
	require.NoError(t, err)
	var found []string
	for _, p := range d.Story("body").Paragraphs() {
		for r := range p.Children() {
			if r.Child("rPr", "u").Attr("val") == "single" {
				found = append(found, r.Child("t").Chars())
			}
		}
	}
	require.Equal(t, []string{"Term", "Rent"}, found)
}
