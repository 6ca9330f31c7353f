package redline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

const (
	fieldBegin = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>FORMTEXT</w:instrText></w:r>`
	fieldShows = `<w:r><w:fldChar w:fldCharType="separate"/></w:r>`
	fieldEnd   = `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
)

func runs(markup ...string) string {
	out := `<w:p>`
	for _, m := range markup {
		out += m
	}
	return out + `</w:p>`
}

func said(text string) string { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }

// spread are fields that go over paragraphs, and what is read of them.
var spread = map[string][2]string{
	"result":            {runs(said("A "), fieldBegin, fieldShows, said("one")) + runs(said("two")) + runs(said("three"), fieldEnd, said(" B")), "A one|two|three B|The very last."},
	"result later":      {runs(said("A "), fieldBegin) + runs(fieldShows, said("two")) + runs(said("three"), fieldEnd, said(" B")), "A |two|three B|The very last."},
	"code":              {runs(said("A "), fieldBegin) + runs(said("in the code"), fieldShows, said("two"), fieldEnd), "A |two|The very last."},
	"no end":            {runs(said("A "), fieldBegin, said("one")) + runs(said("two")), "A one|two|The very last."},
	"result but no end": {runs(said("A "), fieldBegin, fieldShows, said("one")) + runs(said("two")), "A one|two|The very last."},
	"no end and others": {runs(said("A "), fieldBegin, fieldBegin, said("hidden"), fieldShows, said("one"), fieldEnd) + runs(fieldBegin, fieldShows, said("two"), fieldEnd), "A one|two|The very last."},
	"end deleted":       {runs(said("A "), fieldBegin, fieldShows, said("one")) + runs(said("two"), `<w:del w:id="1" w:author="Bob">`+fieldEnd+`</w:del>`), "A one|two|The very last."},
	"begin kept":        {runs(fieldBegin) + runs(`<w:del w:id="1" w:author="Bob">`+fieldShows+`<w:r><w:delText>gone</w:delText></w:r>`+fieldEnd+`</w:del>`, said("two")), "|two|The very last."},
}

// texts are those of the body's paragraphs after decisions, of documents that are not sound.
func texts(t *testing.T, data []byte, decide func(docx.Revision) docx.Decision) string {
	t.Helper()
	d, err := docx.Open(data)
	require.NoError(t, err)
	d, err = d.Resolved(decide)
	require.NoError(t, err)
	var all []string
	for _, p := range d.Story("body").Paragraphs() {
		all = append(all, p.Text())
	}
	return strings.Join(all, "|")
}

// TestSpreadFields reads fields that go over paragraphs, compares them and marks changes
// behind them.
func TestSpreadFields(t *testing.T) {
	t.Parallel()
	for name, f := range spread {
		base := word(t, f[0]+paragraph("The very last."))
		require.Equal(t, f[1], texts(t, base, docx.AcceptAll), name)
		other := word(t, f[0]+paragraph("The very last line."))
		holdCompared(t, base, other, name)
		found, err := redline.Compare(base, other)
		require.NoError(t, err, name)
		require.Len(t, found.Changes, 1, name)
		require.Empty(t, found.Left, name)
		r, err := redline.Execute(base, signed(redline.Change{Type: redline.Replace, Anchor: of("very"), Text: "quite"}), redline.Options{})
		require.NoError(t, err, name)
		require.Empty(t, r.Failed, name)
		require.True(t, r.Checks.OK(), name)
	}
	edited := word(t, spread["no end"][0]+paragraph("The very last."))
	r, err := redline.Execute(edited, signed(redline.Change{Type: redline.Replace, Anchor: of("two"), Text: "2"}), redline.Options{})
	require.NoError(t, err)
	require.Empty(t, r.Failed)
	require.Equal(t, "A one|2|The very last.", texts(t, r.Document, docx.AcceptAll))
	require.Equal(t, "A one|two|The very last.", texts(t, r.Document, docx.RejectAll))
}
