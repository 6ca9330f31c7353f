package redline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// pieces are what documents have that is more than text, each with the part of a body
// around it.
var pieces = map[string]string{
	"table":   `<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="100"/><w:gridCol w:w="100"/></w:tblGrid><w:tr><w:tc><w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Fee</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>10 euros</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
	"picture": `<w:p><w:r><w:t xml:space="preserve">Sealed </w:t></w:r><w:r><w:drawing><wp:inline><wp:docPr id="7" name="Seal" descr="The seal"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="p1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
	"box":     `<w:p><w:r><w:t xml:space="preserve">Beside </w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wp:docPr id="8" name="Box"/><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent><w:p><w:r><w:t>In the box.</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>In the box.</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
	"note":    `<w:p><w:r><w:t>Notices are given by letter</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r><w:r><w:t>.</w:t></w:r></w:p>`,
	"endnote": `<w:p><w:r><w:t>Receipts are kept</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:endnoteReference w:id="2"/></w:r></w:p>`,
	"formula": `<w:p><w:r><w:t xml:space="preserve">The price is </w:t></w:r><m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath></w:p>`,
	"bold":    `<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:t xml:space="preserve">The </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Supplier</w:t></w:r><w:r><w:t xml:space="preserve"> delivers.</w:t></w:r></w:p>`,
	"break":   `<w:p><w:r><w:t>Annex</w:t></w:r><w:r><w:br w:type="page"/></w:r></w:p>`,
}

// withPieces is a document whose body has some pieces, with what they refer to.
func withPieces(tb testing.TB, body string) []byte {
	tb.Helper()
	parts := agreement()
	const relation = `<Relationship Id="p1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/seal.png"/>`
	main := parts["word/document.xml"]
	from, to := strings.Index(main, "<w:body>")+len("<w:body>"), strings.LastIndex(main, "<w:sectPr>")
	parts["word/document.xml"] = main[:from] + body + main[to:]
	parts["word/_rels/document.xml.rels"] = strings.Replace(parts["word/_rels/document.xml.rels"], "</Relationships>", relation+"</Relationships>", 1)
	return pack(tb, parts)
}

// TestContent holds that what is more than text comes and goes with a comparison.
func TestContent(t *testing.T) {
	t.Parallel()
	const first, last = `<w:p><w:r><w:t>The first clause.</w:t></w:r></w:p>`, `<w:p><w:r><w:t>The last clause.</w:t></w:r></w:p>`
	for name, piece := range pieces {
		for where, with := range map[string]string{"between": first + piece + last, "at the end": first + last + piece, "first": piece + first + last} {
			if name == "table" && where == "at the end" {
				with += `<w:p/>`
			}
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				without, all := withPieces(t, first+last), withPieces(t, with)
				pairs := [][2][]byte{{without, all}, {all, without}}
				if name == "table" && where == "at the end" {
					pairs = pairs[:1] // the paragraph behind the last table has none before it to be joined with
				}
				for _, pair := range pairs {
					found, err := redline.Compare(pair[0], pair[1])
					require.NoError(t, err)
					left := slices.DeleteFunc(found.Left, func(l string) bool { return strings.Contains(l, "note: ") }) // notes of the package that nothing refers to
					require.Empty(t, left)
					require.NotEmpty(t, found.Changes)
					holdTold(t, pair[0], found)
					r, err := redline.Execute(pair[0], found.Changes, redline.Options{})
					require.NoError(t, err)
					require.True(t, r.Checks.OK(), "%+v", r.Checks)
				}
			})
		}
	}
}

// TestContentOfWords replaces a picture, and words by bold ones.
func TestContentOfWords(t *testing.T) {
	t.Parallel()
	base := withPieces(t, pieces["picture"]+`<w:p><w:r><w:t>The Supplier delivers in May.</w:t></w:r></w:p>`)
	other := withPieces(t, strings.Replace(pieces["picture"], "The seal", "No seal", 1)+`<w:p><w:r><w:t xml:space="preserve">The Supplier delivers in </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>June</w:t></w:r><w:r><w:t>.</w:t></w:r></w:p>`)
	found, err := redline.Compare(base, other)
	require.NoError(t, err)
	require.Empty(t, found.Left)
	require.Len(t, found.Changes, 2)
	require.Equal(t, "Sealed \uFFFC", redline.Readable(found.Changes[0].Text, found.Changes[0].Content))
	require.Equal(t, "The Supplier delivers in June.", redline.Readable(found.Changes[1].Text, found.Changes[1].Content))
	holdTold(t, base, found)
}

// TestBoxes holds that a text box whose text was changed is another one, in both of its
// forms, and that one which says the same stays.
func TestBoxes(t *testing.T) {
	t.Parallel()
	const cells = `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="100"/></w:tblGrid><w:tr><w:tc><w:tcPr/><w:p><w:r><w:t>Fee</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>`
	box := strings.ReplaceAll(pieces["box"], "<w:txbxContent>", "<w:txbxContent>"+cells)
	line := `<w:p><w:r><w:t>The clause.</w:t></w:r></w:p>`
	base, other := withPieces(t, line+box), withPieces(t, line+strings.ReplaceAll(box, "In the box.", "In the new box."))
	same, err := redline.Compare(base, withPieces(t, line+strings.ReplaceAll(box, "<w:tcPr/>", "")))
	require.NoError(t, err)
	require.Empty(t, same.Changes)
	require.Empty(t, same.Left)
	for _, pair := range [][2][]byte{{base, other}, {other, base}} {
		found, err := redline.Compare(pair[0], pair[1])
		require.NoError(t, err)
		require.Empty(t, found.Left)
		require.Len(t, found.Changes, 1)
		holdTold(t, pair[0], found)
		r, err := redline.Execute(pair[0], found.Changes, redline.Options{})
		require.NoError(t, err)
		made, err := docx.Open(r.Document)
		require.NoError(t, err)
		for with, decide := range [](func(docx.Revision) docx.Decision){docx.RejectAll, docx.AcceptAll} {
			now, err := made.Resolve(decide)
			require.NoError(t, err)
			require.Equal(t, inBoxes(t, pair[with]), inBoxes(t, now))
		}
	}
}

// inBoxes is what the text boxes of a document say, in both forms.
func inBoxes(t *testing.T, data []byte) (texts []string) {
	t.Helper()
	d, err := docx.Open(data)
	require.NoError(t, err)
	for _, p := range d.Story("body").Paragraphs() {
		if p.Closest("txbxContent").Exists() {
			texts = append(texts, p.Text())
		}
	}
	return texts
}

// TestNoteWithoutParagraphs holds that a note which some program left without any can get
// its text back.
func TestNoteWithoutParagraphs(t *testing.T) {
	t.Parallel()
	parts := agreement()
	parts["word/footnotes.xml"] = strings.Replace(parts["word/footnotes.xml"], `<w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>Registered letter.</w:t></w:r></w:p>`, "", 1)
	base, other := pack(t, parts), pack(t, agreement())
	found, err := redline.Compare(base, other)
	require.NoError(t, err)
	require.Empty(t, found.Left)
	holdTold(t, base, found)
	r, err := redline.Execute(base, found.Changes, redline.Options{Clean: true})
	require.NoError(t, err)
	require.Contains(t, strings.Join(read(t, r.Document), "\n"), "Registered letter.")

	parts = agreement() // as other programs save a note that says nothing
	parts["word/footnotes.xml"] = strings.Replace(parts["word/footnotes.xml"], `<w:r><w:t>Registered letter.</w:t></w:r>`, "", 1)
	found, err = redline.Compare(base, pack(t, parts))
	require.NoError(t, err)
	require.Empty(t, found.Changes)
}

// TestMovedAndEdited pairs a paragraph that was moved and edited.
func TestMovedAndEdited(t *testing.T) {
	t.Parallel()
	line := func(s string) string { return `<w:p><w:r><w:t>` + s + `</w:t></w:r></w:p>` }
	one, two, three := "Fees are payable at once and in full by the tenant.", "Notices are given by letter to the office.", "The term is a year from the day of signing."
	found, err := redline.Compare(word(t, line(one)+line(two)+line(three)), word(t, line(two)+line(three)+line("Fees are payable at once and in part by the tenant.")))
	require.NoError(t, err)
	require.Len(t, found.Moves, 1)
	require.Equal(t, redline.DeleteParagraph, found.Changes[found.Moves[0].From].Type)
	require.Equal(t, redline.InsertParagraph, found.Changes[found.Moves[0].To].Type)
}

// TestCells holds that columns come and go as tracked cells.
func TestCells(t *testing.T) {
	t.Parallel()
	table := func(rows ...[]string) string {
		var b strings.Builder
		b.WriteString(`<w:tbl><w:tblPr/><w:tblGrid>` + strings.Repeat(`<w:gridCol w:w="100"/>`, len(rows[0])) + `</w:tblGrid>`)
		for _, row := range rows {
			b.WriteString("<w:tr>")
			for _, cell := range row {
				b.WriteString(`<w:tc><w:tcPr><w:tcW w:w="100" w:type="dxa"/></w:tcPr><w:p><w:r><w:t>` + cell + `</w:t></w:r></w:p></w:tc>`)
			}
			b.WriteString("</w:tr>")
		}
		return b.String() + `</w:tbl><w:p/>`
	}
	two, three := word(t, table([]string{"Item", "Fee"}, []string{"Hosting", "10"})), word(t, table([]string{"Item", "Term", "Fee"}, []string{"Hosting", "a year", "10"}))
	for kind, pair := range map[redline.Type][2][]byte{redline.InsertCell: {two, three}, redline.DeleteCell: {three, two}} {
		found, err := redline.Compare(pair[0], pair[1])
		require.NoError(t, err)
		require.Empty(t, found.Left)
		cells := 0
		for _, c := range found.Changes {
			if c.Type == kind {
				cells++
			}
		}
		require.Equal(t, 2, cells, kind)
		holdTold(t, pair[0], found)
	}
}

// TestSameMeaning holds that what programs write in different ways is no difference.
func TestSameMeaning(t *testing.T) {
	t.Parallel()
	const run = `<w:r><w:t>The Supplier delivers.</w:t></w:r>`
	for name, pair := range map[string][2]string{
		"side":          {`<w:pPr><w:jc w:val="right"/></w:pPr>`, `<w:pPr><w:jc w:val="end"/></w:pPr>`},
		"indent":        {`<w:pPr><w:ind w:left="720"/></w:pPr>`, `<w:pPr><w:ind w:start="720"/></w:pPr>`},
		"no borders":    {`<w:pPr><w:pBdr><w:top w:val="nil"/></w:pBdr></w:pPr>`, `<w:pPr><w:pBdr/></w:pPr>`},
		"tab stops":     {`<w:pPr><w:tabs><w:tab w:val="right" w:pos="9000"/></w:tabs></w:pPr>`, `<w:pPr><w:tabs><w:tab w:val="clear" w:pos="720"/><w:tab w:val="right" w:leader="none" w:pos="9000"/></w:tabs></w:pPr>`},
		"line spacing":  {``, `<w:pPr><w:spacing w:line="240" w:lineRule="auto"/></w:pPr>`},
		"colour":        {`<w:pPr><w:rPr><w:color w:val="aa00bb"/></w:rPr></w:pPr>`, `<w:pPr><w:rPr><w:color w:val="AA00BB"/></w:rPr></w:pPr>`},
		"size":          {`<w:pPr><w:rPr><w:sz w:val="22.0"/></w:rPr></w:pPr>`, `<w:pPr><w:rPr><w:sz w:val="22"/></w:rPr></w:pPr>`},
		"eastern font":  {`<w:pPr><w:rPr><w:rFonts w:ascii="Arial"/></w:rPr></w:pPr>`, `<w:pPr><w:rPr><w:rFonts w:ascii="Arial" w:eastAsia="SimSun"/></w:rPr></w:pPr>`},
		"setup":         {`<w:pPr><w:sectPr><w:pgMar w:top="9" w:right="9" w:bottom="9" w:left="9"/></w:sectPr></w:pPr>`, `<w:pPr><w:sectPr><w:type w:val="nextPage"/><w:pgMar w:top="9" w:right="9" w:bottom="9" w:left="9" w:gutter="0"/><w:docGrid w:linePitch="100" w:charSpace="0" w:type="default"/></w:sectPr></w:pPr>`},
		"clear shading": {``, `<w:pPr><w:rPr><w:shd w:val="clear" w:color="auto" w:fill="auto"/></w:rPr></w:pPr>`},
	} {
		a, b := word(t, `<w:p>`+pair[0]+run+`</w:p><w:p/>`), word(t, `<w:p>`+pair[1]+run+`</w:p><w:p/>`)
		for _, p := range [][2][]byte{{a, b}, {b, a}} {
			found, err := redline.Compare(p[0], p[1])
			require.NoError(t, err)
			require.Empty(t, found.Changes, name)
			require.Empty(t, found.Left, name)
		}
	}
}

// TestReview puts a version of the other side beside what was proposed.
func TestReview(t *testing.T) {
	t.Parallel()
	lines := func(all ...string) []byte {
		var b strings.Builder
		for _, l := range all {
			b.WriteString(`<w:p>` + l + `</w:p>`)
		}
		return word(t, b.String())
	}
	said := func(s string) string { return `<w:r><w:t xml:space="preserve">` + s + `</w:t></w:r>` }
	const bob = ` w:id="5" w:author="Bob" w:date="2026-01-02T03:04:05Z"`
	from := lines(said("The term is one year from signing."), said("The fee is ten euros a month."), said("Notices are given by letter to the office."))
	to := lines(
		said("The term is ")+`<w:del`+bob+`><w:r><w:delText>one year</w:delText></w:r></w:del><w:ins w:id="6" w:author="Bob" w:date="2026-01-02T03:04:05Z">`+said("three years")+`</w:ins>`+said(" from signing."),
		said("The fee is ninety euros a month."), said("Notices are given by letter to the office."))
	change := func(id, words, text string) redline.Change {
		return redline.Change{ID: id, Type: redline.Replace, Anchor: redline.Anchor{Text: words}, Text: text, Author: ann, Date: noon}
	}
	ours := []redline.Change{change("term", "one year", "two years"), change("fee", "ten", "five"), change("notice", "letter", "mail")}
	r, err := redline.NewReview(from, to, ours)
	require.NoError(t, err)
	require.Len(t, r.Tracked, 2)
	require.Equal(t, "Bob", r.Tracked[0].Author.Name)
	require.Len(t, r.Untracked, 1)
	require.Equal(t, "The fee is ten euros a month.", r.Untracked[0].Was)
	require.Equal(t, "The fee is ninety euros a month.", r.Untracked[0].Text)
	require.Equal(t, []string{redline.Untracked}, r.Warnings)
	require.Len(t, r.Carried, 1)
	require.Equal(t, "notice", r.Carried[0].ID)
	require.Len(t, r.Conflicts, 2)
	require.Equal(t, "The term is two years from signing.", r.Conflicts[0].Ours)
	require.Equal(t, "The term is three years from signing.", r.Conflicts[0].Theirs)
	require.Equal(t, []string{"Bob"}, r.Conflicts[0].Authors)
	require.Equal(t, "The fee is ninety euros a month.", r.Conflicts[1].Theirs)
	require.Equal(t, 1, r.Conflicts[1].Place.Block)
	require.Empty(t, r.Conflicts[1].Authors)
	// Each can be decided for our words, on the version as it is.
	for i, want := range []string{"The term is two years from signing.", "The fee is five euros a month."} {
		keep := r.Conflicts[i].Keep
		require.Equal(t, redline.Rewrite, keep.Type)
		kept, err := redline.Execute(to, []redline.Change{*keep}, redline.Options{Clean: true})
		require.NoError(t, err)
		require.Empty(t, kept.Failed)
		doc, err := docx.Open(kept.Document)
		require.NoError(t, err)
		require.Equal(t, want, doc.Story("body").Paragraphs()[i].Text())
	}

	// What is decided first does not change the ids of the rest.
	d, err := docx.Open(to)
	require.NoError(t, err)
	decided, err := redline.Decide(to, []redline.Change{{ID: "1", Type: redline.Accept, Target: d.Revisions()[0].ID}}, func(docx.Revision) docx.Decision { return docx.Keep })
	require.NoError(t, err)
	d2, err := docx.Open(decided.Document)
	require.NoError(t, err)
	require.Equal(t, d.Revisions()[1].ID, d2.Revisions()[0].ID)
	again, err := redline.NewReview(from, to, nil)
	require.NoError(t, err)
	require.Equal(t, r.Untracked[0].ID, again.Untracked[0].ID)
}

// TestReviewKeeps puts proposals back where the other side took their paragraph out, and
// has nothing to do where both sides wrote the same.
func TestReviewKeeps(t *testing.T) {
	t.Parallel()
	lines := func(all ...string) []byte {
		var b strings.Builder
		for _, l := range all {
			b.WriteString(`<w:p><w:r><w:t>` + l + `</w:t></w:r></w:p>`)
		}
		return word(t, b.String())
	}
	from := lines("The term is one year from signing.", "The fee is ten euros a month.", "Notices are given by letter to the office.")
	to := lines("The term is one year from signing.", "Notices are given by courier to the office.")
	ours := []redline.Change{
		{ID: "gone", Type: redline.Replace, Anchor: redline.Anchor{Text: "ten"}, Text: "five", Author: ann, Date: noon},
		{ID: "same", Type: redline.Replace, Anchor: redline.Anchor{Text: "letter"}, Text: "courier", Author: ann, Date: noon},
		{ID: "drop", Type: redline.DeleteParagraph, Anchor: redline.Anchor{Text: "Notices are given by letter to the office."}, Author: ann, Date: noon},
		{ID: "said", Type: redline.CommentOn, Anchor: redline.Anchor{Text: "letter"}, Text: "Why?", Author: ann, Date: noon},
	}
	r, err := redline.NewReview(from, to, ours)
	require.NoError(t, err)
	require.Len(t, r.Conflicts, 4)
	require.Empty(t, r.Conflicts[0].Theirs)
	keep := r.Conflicts[0].Keep
	require.Equal(t, redline.InsertParagraph, keep.Type)
	kept, err := redline.Execute(to, []redline.Change{*keep}, redline.Options{Clean: true})
	require.NoError(t, err)
	doc, err := docx.Open(kept.Document)
	require.NoError(t, err)
	require.Equal(t, "The fee is five euros a month.", doc.Story("body").Paragraphs()[1].Text())
	require.Nil(t, r.Conflicts[1].Keep)
	require.Equal(t, redline.DeleteParagraph, r.Conflicts[2].Keep.Type)
	require.Equal(t, redline.CommentOn, r.Conflicts[3].Keep.Type)
}

// TestHTML shows marks, comments and moves, and runs nothing that the document says.
func TestHTML(t *testing.T) {
	t.Parallel()
	base := word(t, `<w:p><w:r><w:t>The first clause says much about nothing at all.</w:t></w:r></w:p><w:p><w:r><w:t>&lt;script&gt;alert(1)&lt;/script&gt; The fee is ten euros.</w:t></w:r></w:p><w:p><w:r><w:t>The last.</w:t></w:r></w:p>`)
	r, err := redline.Execute(base, []redline.Change{
		{ID: "1", Type: redline.Replace, Anchor: redline.Anchor{Text: "ten"}, Text: "five", Comment: "Too <much>?", Author: ann, Date: noon},
		{ID: "2", Type: redline.DeleteParagraph, Anchor: redline.Anchor{Text: "The first clause says much about nothing at all."}, Author: ann, Date: noon},
		{ID: "3", Type: redline.InsertParagraph, Anchor: redline.Anchor{Text: "The last."}, Text: "The first clause says much about something at all.", Author: ann, Date: noon},
	}, redline.Options{})
	require.NoError(t, err)
	require.Empty(t, r.Failed)
	d, err := docx.Open(r.Document)
	require.NoError(t, err)
	page := string(redline.HTML(d, "Lease <1>", []string{redline.HiddenText}))
	for _, part := range []string{"Lease &lt;1&gt;", "Text is hidden", "Ann Lee: 6 tracked changes, 1 comments", ">five</ins>", ">ten</del>", "Too &lt;much&gt;?", "moved away (1)", "moved here and edited (1)", "&lt;script&gt;"} {
		require.Contains(t, page, part)
	}
	for _, never := range []string{"<script", "<link", "<style", "src=", "class="} {
		require.NotContains(t, page, never)
	}
}

// TestNewNotes holds that all notes come along to a document that has had none.
func TestNewNotes(t *testing.T) {
	t.Parallel()
	parts := agreement()
	delete(parts, "word/footnotes.xml")
	delete(parts, "word/endnotes.xml")
	relations := strings.Split(parts["word/_rels/document.xml.rels"], "<Relationship ")
	relations = slices.DeleteFunc(relations, func(r string) bool {
		return strings.Contains(r, "footnotes.xml") || strings.Contains(r, "endnotes.xml")
	})
	parts["word/_rels/document.xml.rels"] = strings.Join(relations, "<Relationship ")
	if !strings.HasSuffix(parts["word/_rels/document.xml.rels"], "</Relationships>") {
		parts["word/_rels/document.xml.rels"] += "</Relationships>"
	}
	types := strings.Split(parts["[Content_Types].xml"], "<")
	types = slices.DeleteFunc(types, func(e string) bool {
		return strings.Contains(e, "/word/footnotes.xml") || strings.Contains(e, "/word/endnotes.xml")
	})
	parts["[Content_Types].xml"] = strings.Join(types, "<")
	main := parts["word/document.xml"]
	from, to := strings.Index(main, "<w:body>")+len("<w:body>"), strings.LastIndex(main, "<w:sectPr>")
	parts["word/document.xml"] = main[:from] + `<w:p><w:r><w:t>The first clause.</w:t></w:r></w:p><w:p/>` + main[to:]
	base := pack(t, parts)
	reference := func(kind, id string) string {
		return `<w:p><w:r><w:t>Letters are sent ` + kind + id + `</w:t></w:r><w:r><w:` + kind + `Reference w:id="` + id + `"/></w:r></w:p>`
	}
	other := withPieces(t, `<w:p><w:r><w:t>The first clause.</w:t></w:r></w:p>`+pieces["picture"]+reference("footnote", "3")+reference("endnote", "2")+reference("footnote", "2")+`<w:p/>`)
	found, err := redline.Compare(base, other)
	require.NoError(t, err)
	found.Changes[0].Comment = "All new."
	holdTold(t, base, found)
	r, err := redline.Execute(base, found.Changes, redline.Options{})
	require.NoError(t, err)
	require.True(t, r.Checks.OK(), "%+v", r.Checks)
	d, err := docx.Open(r.Document)
	require.NoError(t, err)
	old, err := docx.Open(base)
	require.NoError(t, err)
	require.Equal(t, old.Faults(), d.Faults())
	var notes []string
	for _, s := range d.Stories() {
		if strings.Contains(s.Key, "note:") {
			notes = append(notes, s.Paragraphs()[0].Text())
		}
	}
	require.Equal(t, []string{"Any letter.", "Registered letter.", "With receipt."}, notes)
}

// TestTableInRun puts a table into paragraphs that somebody's tracked change has cut.
func TestTableInRun(t *testing.T) {
	t.Parallel()
	const cut = `<w:p><w:pPr><w:rPr><w:ins w:id="1" w:author="Bob" w:date="2026-01-02T03:04:05Z"/></w:rPr></w:pPr><w:r><w:t xml:space="preserve">The fee is due. </w:t></w:r></w:p>`
	const rest = `<w:p><w:r><w:t>Interest runs from that day.</w:t></w:r></w:p>`
	base := word(t, cut+rest)
	found, err := redline.Compare(base, word(t, `<w:p><w:r><w:t xml:space="preserve">The fee is due. </w:t></w:r></w:p>`+pieces["table"]+rest))
	require.NoError(t, err)
	require.Empty(t, found.Left)
	holdTold(t, base, found)
}

// TestVocabulary appends a picture to a document that does not know its vocabulary: the
// document is read once the change is accepted, too.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	line := `<w:p><w:r><w:t>The first clause.</w:t></w:r></w:p>`
	base := word(t, line)
	found, err := redline.Compare(base, withPieces(t, line+pieces["picture"]))
	require.NoError(t, err)
	holdTold(t, base, found)
	clean, err := redline.Execute(base, found.Changes, redline.Options{Clean: true, Existing: docx.Accept})
	require.NoError(t, err)
	d, err := docx.Open(clean.Document)
	require.NoError(t, err)
	require.Equal(t, "Sealed \uFFFC", d.Story("body").Paragraph(1).Text())
}
