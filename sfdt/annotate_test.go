package sfdt_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/sfdt"
)

func TestAnnotate(t *testing.T) {
	t.Parallel()

	const twice = "The fee is due."
	made := convert(t, file(t, p(twice)+
		`<w:p><w:r><w:t xml:space="preserve">It ends </w:t></w:r><w:del w:id="1"`+by+`><w:r><w:delText xml:space="preserve">not </w:delText></w:r></w:del><w:r><w:t>in</w:t><w:tab/><w:t>May.</w:t></w:r></w:p>`+
		`<w:tbl><w:tr><w:tc>`+p(twice)+`</w:tc></w:tr></w:tbl>`+p("last"), nil))
	placed := made.Annotate([]sfdt.Note{
		{Quote: twice, Text: "one"}, {Quote: "ends in May", Text: "two\nlines"}, {Quote: twice, Text: "three"}, {Text: "end"}, {Quote: "not there", Text: "lost"},
	}, "Clause Mill", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	require.Equal(t, 4, placed)
	sound(t, made)
	require.Len(t, made.Comments, 4)
	require.Equal(t, "CM", made.Comments[0].Initial)
	require.Len(t, made.Comments[1].Blocks, 2)
	saved, err := sfdt.Read(encode(t, made))
	require.NoError(t, err)
	var begun []string
	for _, line := range saved.Text {
		for _, r := range line.Runes {
			if r.Remarks == nil {
				continue
			}
			for _, id := range r.Remarks.Begin {
				begun = append(begun, line.String()+" "+id)
			}
		}
	}
	require.Equal(t, []string{twice + " note-1", "It ends not in\tMay. note-2", twice + " note-3", "last note-4"}, begun)
}
