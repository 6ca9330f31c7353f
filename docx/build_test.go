package docx_test

import (
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

func TestBuildNothing(t *testing.T) {
	t.Parallel()

	data, err := docx.Build(nil)
	require.NoError(t, err)
	d, err := docx.Open(data)
	require.NoError(t, err)
	require.Len(t, d.Story("body").Paragraphs(), 1)
}
