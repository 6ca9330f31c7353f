package docx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
)

// FuzzNotesInOrder gives ids to notes whatever they and their references say: what refers
// to a note still does, and nothing is left to do.
func FuzzNotesInOrder(f *testing.F) {
	const note, reference = `<w:footnote w:id="ID"><w:p><w:r><w:t>Note ID.</w:t></w:r></w:p></w:footnote>`, `<w:p><w:r><w:footnoteReference w:id="ID"/></w:r></w:p>`
	each := func(markup string, ids ...string) (all string) {
		for _, id := range ids {
			all += strings.ReplaceAll(markup, "ID", id)
		}
		return all
	}
	f.Add(each(reference, "7", "3"), each(note, "3", "7", "8"))
	f.Add(each(reference, "2", "2", "1", "9"), `<w:footnote w:type="separator" w:id="1"/>`+each(note, "2", "2", "x", ""))
	f.Add(each(reference, "1", "9")+`<w:p><w:r><w:footnoteReference/></w:r></w:p>`, each(note, "2", "1", ""))
	f.Fuzz(func(t *testing.T, content, notes string) {
		const relation = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="f" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" Target="footnotes.xml"/></Relationships>`
		d, err := docx.Open(pack(t, [2]string{"[Content_Types].xml", types}, [2]string{"word/document.xml", body(content)}, [2]string{"word/_rels/document.xml.rels", relation},
			[2]string{"word/footnotes.xml", `<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` + notes + `</w:footnotes>`}))
		if err != nil {
			return
		}
		data, err := d.NotesInOrder()
		require.NoError(t, err)
		ordered, err := docx.Open(data)
		require.NoError(t, err)
		require.Equal(t, referred(d), referred(ordered))
		again, err := ordered.NotesInOrder()
		require.NoError(t, err)
		require.Equal(t, data, again)
	})
}

// referred is what the notes say that a document refers to, in order.
func referred(d *docx.Document) (texts []string) {
	for e := range d.Main().Root().Descendants() {
		if e.Is("footnoteReference") {
			text := ""
			if s := d.Story("footnote:" + e.Attr("id")); s != nil {
				text = string(s.Root.Content())
			}
			texts = append(texts, text)
		}
	}
	return texts
}
