package redline_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/redline"
)

const wordNS = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// word is a package with a body and a header.
func word(tb testing.TB, body string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="h1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/header" Target="header1.xml"/></Relationships>`},
		{"word/document.xml", `<?xml version="1.0"?><w:document ` + wordNS + `><w:body>` + body + `<w:sectPr/></w:body></w:document>`},
		{"word/header1.xml", `<w:hdr ` + wordNS + `><w:p><w:r><w:t>Draft of 1 May</w:t></w:r></w:p></w:hdr>`},
	} {
		w, err := z.Create(part[0])
		require.NoError(tb, err)
		_, err = w.Write([]byte(part[1]))
		require.NoError(tb, err)
	}
	require.NoError(tb, z.Close())
	return b.Bytes()
}

// contract has what is hard: runs cut at odd places, another author's changes, a
// link, a field, a list, a table, a locked control.
const contract = `` +
	`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>The Te</w:t></w:r><w:r><w:t xml:space="preserve">rm is thirty </w:t></w:r><w:r><w:t>(30) days.</w:t></w:r></w:p>` +
	`<w:p><w:r><w:t xml:space="preserve">Fees are </w:t></w:r><w:ins w:id="7" w:author="Bob" w:date="2026-01-02T03:04:05Z"><w:r><w:t>payable at once</w:t></w:r></w:ins><w:del w:id="8" w:author="Bob" w:date="2026-01-02T03:04:05Z"><w:r><w:delText>never due</w:delText></w:r></w:del><w:r><w:t xml:space="preserve"> and in full.</w:t></w:r></w:p>` +
	`<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink w:anchor="x"><w:r><w:t>Section 4</w:t></w:r></w:hyperlink><w:r><w:t xml:space="preserve"> and page </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>12</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t>.</w:t></w:r></w:p>` +
	`<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr><w:tc><w:p><w:r><w:t>Item</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Price</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>Seat</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>100</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` +
	`<w:sdt><w:sdtPr><w:lock w:val="contentLocked"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Locked words.</w:t></w:r></w:p></w:sdtContent></w:sdt>` +
	`<w:p/><w:p><w:r><w:t>The end. The end.</w:t></w:r></w:p>`

// of makes an anchor of words.
func of(text string) redline.Anchor { return redline.Anchor{Text: text} }

func signed(changes ...redline.Change) []redline.Change {
	for i := range changes {
		changes[i].ID, changes[i].Author, changes[i].Date = string(rune('a'+i)), ann, noon
	}
	return changes
}

// body is the text of the body after decisions.
func body(tb testing.TB, data []byte, decide func(docx.Revision) docx.Decision) string {
	tb.Helper()
	d, err := docx.Open(data)
	require.NoError(tb, err)
	resolved, err := d.Resolve(decide)
	require.NoError(tb, err)
	d, err = docx.Open(resolved)
	require.NoError(tb, err)
	require.Empty(tb, d.Faults())
	var lines []string
	for _, p := range d.Story("body").Paragraphs() {
		lines = append(lines, p.Text())
	}
	return strings.Join(lines, "|")
}

const accepted = "The Term is thirty (30) days.|Fees are payable at once and in full.|See Section 4 and page 12.|Item|Price|Seat|100|Locked words.||The end. The end."

func TestChanges(t *testing.T) {
	t.Parallel()
	base := word(t, contract)
	for _, tt := range []struct {
		name   string
		change redline.Change
		want   string // of accepted, what becomes what
	}{
		{"Replace", redline.Change{Type: redline.Replace, Anchor: of("thirty (30)"), Text: "sixty (60)"}, "thirty (30)→sixty (60)"},
		{"ReplaceAcrossRuns", redline.Change{Type: redline.Replace, Anchor: of("The Term is"), Text: "The Period was"}, "The Term is→The Period was"},
		{"Delete", redline.Change{Type: redline.Delete, Anchor: of(" (30)")}, " (30)→"},
		{"InsertBefore", redline.Change{Type: redline.Insert, Anchor: of("days"), Side: redline.Before, Text: "calendar "}, "days→calendar days"},
		{"InsertIntoForeignInsertion", redline.Change{Type: redline.Insert, Anchor: of("payable"), Side: redline.After, Text: " in cash"}, "payable→payable in cash"},
		{"DeleteInForeignInsertion", redline.Change{Type: redline.Delete, Anchor: of(" at once")}, " at once→"},
		{"ReplaceOverForeignBorder", redline.Change{Type: redline.Replace, Anchor: of("once and in full"), Text: "once or in part"}, "once and in full→once or in part"},
		{"Split", redline.Change{Type: redline.Replace, Anchor: of("thirty (30)"), Text: "thirty\n(30)"}, "thirty (30)→thirty|(30)"},
		{"Join", redline.Change{Type: redline.Delete, Anchor: of("days.\nFees")}, "days.|Fees→"},
		{"ReplaceInLink", redline.Change{Type: redline.Replace, Anchor: of("Section 4"), Text: "Section 5"}, "Section 4→Section 5"},
		{"DeleteField", redline.Change{Type: redline.Delete, Anchor: of("page 12")}, "page 12→"},
		{"Rewrite", redline.Change{Type: redline.Rewrite, Anchor: redline.Anchor{Block: at(0)}, Text: "The Term was thirty (30) years."}, "is thirty (30) days→was thirty (30) years"},
		{"InsertParagraph", redline.Change{Type: redline.InsertParagraph, Anchor: redline.Anchor{Block: at(0)}, Text: "New."}, "days.→days.|New."},
		{"InsertParagraphBeforeTable", redline.Change{Type: redline.InsertParagraph, Anchor: redline.Anchor{Block: at(2)}, Text: "New."}, "12.→12.|New."},
		{"InsertLastParagraph", redline.Change{Type: redline.InsertParagraph, Anchor: redline.Anchor{Block: at(9)}, Text: "New."}, "The end. The end.→The end. The end.|New."},
		{"InsertLastInCell", redline.Change{Type: redline.InsertParagraph, Anchor: of("Seat"), Text: "Desk"}, "Seat→Seat|Desk"},
		{"DeleteFirstParagraph", redline.Change{Type: redline.DeleteParagraph, Anchor: redline.Anchor{Block: at(0)}}, "The Term is thirty (30) days.|→"},
		{"DeleteParagraphBeforeTable", redline.Change{Type: redline.DeleteParagraph, Anchor: redline.Anchor{Block: at(2)}}, "See Section 4 and page 12.|→"},
		{"DeleteLastParagraphs", redline.Change{Type: redline.DeleteParagraph, Anchor: redline.Anchor{Block: at(8), EndBlock: at(9)}}, "||The end. The end.→|"},
		{"DeleteOnlyOfCell", redline.Change{Type: redline.DeleteParagraph, Anchor: of("100")}, "100→"},
		{"InsertRow", redline.Change{Type: redline.InsertRow, Anchor: of("Seat"), Side: redline.After, Cells: []string{"Desk", "50"}}, "100→100|Desk|50"},
		{"DeleteRow", redline.Change{Type: redline.DeleteRow, Anchor: of("Seat")}, "Seat|100|→"},
		{"Format", redline.Change{Type: redline.FormatText, Anchor: of("in full"), Format: docx.Format{Bold: at(true), Size: at(24)}}, "→"},
		{"Comment", redline.Change{Type: redline.CommentOn, Anchor: of("Term is thirty"), Text: "Why?\nReally."}, "→"},
		{"Occurrence", redline.Change{Type: redline.Replace, Anchor: redline.Anchor{Text: "The end.", Occurrence: 2}, Text: "It ends."}, "The end. The end.→The end. It ends."},
		{"Folded", redline.Change{Type: redline.Delete, Anchor: of("and\u00a0in  full")}, "and in full→"},
	} {
		for _, comment := range []string{"", "Because."} {
			t.Run(tt.name+comment, func(t *testing.T) {
				t.Parallel()
				change := tt.change
				change.Comment = comment
				r, err := redline.Execute(base, signed(change), redline.Options{})
				require.NoError(t, err)
				require.Empty(t, r.Failed)
				require.True(t, r.Checks.OK(), "%+v", r.Checks)
				from, to, _ := strings.Cut(tt.want, "→")
				require.Contains(t, accepted, from)
				require.Equal(t, strings.Replace(accepted, from, to, 1), body(t, r.Document, docx.AcceptAll), "or the last of two equal places")
				require.Equal(t, body(t, base, docx.RejectAll), body(t, r.Document, docx.RejectAll))
				clean, err := redline.Execute(base, signed(change), redline.Options{Clean: true, Existing: docx.Accept, Strip: true})
				require.NoError(t, err)
				require.Zero(t, clean.After)
				require.Zero(t, clean.Comments)
				require.Equal(t, body(t, r.Document, docx.AcceptAll), body(t, clean.Document, docx.AcceptAll))
				again, err := redline.Execute(base, signed(change), redline.Options{})
				require.NoError(t, err)
				require.True(t, bytes.Equal(r.Document, again.Document), "the same again")
			})
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	base := word(t, contract)
	for _, tt := range []struct {
		name   string
		change redline.Change
		code   fault.Code
	}{
		{"Missing", redline.Change{Type: redline.Delete, Anchor: of("no such words")}, redline.AnchorNotFound},
		{"Twice", redline.Change{Type: redline.Delete, Anchor: of("The end.")}, redline.AnchorAmbiguous},
		{"DeletedAlready", redline.Change{Type: redline.Delete, Anchor: of("never due")}, docx.TargetDeleted},
		{"PartOfField", redline.Change{Type: redline.Replace, Anchor: redline.Anchor{Block: at(2), Start: at(24), End: at(25)}, Text: "3"}, docx.UnsupportedRegion},
		{"Locked", redline.Change{Type: redline.Delete, Anchor: of("Locked")}, docx.UnsupportedRegion},
		{"AcrossLink", redline.Change{Type: redline.Delete, Anchor: of("4 and")}, docx.CrossesStructure},
		{"Outside", redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Block: at(99)}}, redline.AnchorMismatch},
		{"Backwards", redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Block: at(0), Start: at(5), End: at(2)}}, redline.AnchorMismatch},
		{"WrongWords", redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Block: at(0), Start: at(0), End: at(4), Text: "Fee", DocSHA256: redline.SHA256(base)}}, redline.AnchorMismatch},
		{"Stale", redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Block: at(0), Start: at(0), End: at(4), DocSHA256: "0"}}, redline.StaleDocument},
		{"Same", redline.Change{Type: redline.Replace, Anchor: redline.Anchor{Block: at(0), Start: at(0), End: at(3)}, Text: "The"}, redline.NoChange},
		{"Empty", redline.Change{Type: redline.Insert, Anchor: of("Term")}, redline.NoChange},
		{"Control", redline.Change{Type: redline.Insert, Anchor: of("Term"), Side: redline.After, Text: "\x01"}, redline.BadChange},
		{"Type", redline.Change{Type: "shred", Anchor: of("Term")}, redline.BadChange},
		{"Cells", redline.Change{Type: redline.InsertRow, Anchor: of("Seat"), Cells: []string{"one"}}, redline.BadChange},
		{"NoRow", redline.Change{Type: redline.DeleteRow, Anchor: redline.Anchor{Block: at(0)}}, redline.AnchorMismatch},
		{"NoComment", redline.Change{Type: redline.Reply, Target: "com_9", Text: "No."}, redline.UnknownTarget},
		{"NoRevision", redline.Change{Type: redline.Accept, Target: "rev_9"}, redline.UnknownTarget},
		{"Part", redline.Change{Type: redline.Delete, Anchor: redline.Anchor{Part: "footnote:1", Text: "x"}}, redline.AnchorNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := redline.Execute(base, signed(tt.change), redline.Options{})
			require.NoError(t, err)
			require.Len(t, r.Failed, 1)
			require.Equal(t, tt.code, r.Failed[0].Err.Code, r.Failed[0].Err.Message)
			require.True(t, bytes.Equal(base, r.Document), "nothing was done")
		})
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	base := word(t, contract)
	r, err := redline.Execute(base, signed(
		redline.Change{Type: redline.Replace, Anchor: of("thirty (30)"), Text: "sixty"},
		redline.Change{Type: redline.Delete, Anchor: of("(30) days")},
		redline.Change{Type: redline.DeleteParagraph, Anchor: redline.Anchor{Block: at(0)}},
		redline.Change{Type: redline.CommentOn, Anchor: of("(30) days"), Text: "Fine."},
		redline.Change{Type: redline.Insert, Anchor: of("(30)"), Side: redline.After, Text: " working"},
	), redline.Options{})
	require.NoError(t, err)
	require.True(t, r.Checks.OK())
	require.Len(t, r.Failed, 2)
	for _, f := range r.Failed {
		require.Equal(t, redline.Conflict, f.Err.Code)
		require.Equal(t, "a", f.Err.With)
	}
	require.Equal(t, "The Term is sixty working days.", strings.Split(body(t, r.Document, docx.AcceptAll), "|")[0])
	r, err = redline.Execute(base, signed(
		redline.Change{Type: redline.DeleteParagraph, Anchor: redline.Anchor{Block: at(1)}},
		redline.Change{Type: redline.InsertParagraph, Anchor: redline.Anchor{Block: at(1)}, Text: "In its place."},
		redline.Change{Type: redline.InsertRow, Anchor: of("Seat"), Cells: []string{"Desk", "50"}},
		redline.Change{Type: redline.Rewrite, Anchor: of("Seat"), Text: "Chair"},
		redline.Change{Type: redline.Delete, Anchor: of("days.\nFees")},
		redline.Change{Type: redline.DeleteRow, Anchor: of("Seat")},
	), redline.Options{})
	require.NoError(t, err)
	require.True(t, r.Checks.OK())
	require.Equal(t, "The Term is thirty (30) days.|In its place.|See Section 4 and page 12.|Item|Price|Chair|100|Desk|50|Locked words.||The end. The end.", body(t, r.Document, docx.AcceptAll))
	require.Len(t, r.Failed, 2)
	require.Equal(t, "a", r.Failed[0].Err.With, "what goes is no place to run on into")
	require.Equal(t, "c", r.Failed[1].Err.With, "a row stays that another is put beside")

	_, err = redline.Execute(base, signed(redline.Change{Type: redline.Delete, Anchor: of("no such")}), redline.Options{Strict: true})
	require.Error(t, err)
}

func TestHeaderAndReply(t *testing.T) {
	t.Parallel()
	base := word(t, contract)
	first, err := redline.Execute(base, signed(
		redline.Change{Type: redline.Replace, Anchor: redline.Anchor{Part: "header:1", Text: "1 May"}, Text: "2 June"},
		redline.Change{Type: redline.CommentOn, Anchor: of("in full"), Text: "Why?"},
	), redline.Options{})
	require.NoError(t, err)
	require.Empty(t, first.Failed)
	require.True(t, first.Checks.OK())
	second, err := redline.Execute(first.Document, signed(redline.Change{Type: redline.Reply, Target: "com_0", Text: "Why not?"}), redline.Options{})
	require.NoError(t, err)
	require.Empty(t, second.Failed)
	require.True(t, second.Checks.OK(), "%+v", second.Checks)
	d, err := docx.Open(second.Document)
	require.NoError(t, err)
	comments := d.Comments()
	require.Len(t, comments, 2)
	require.Equal(t, comments[0].ID, comments[1].Parent)
	require.Equal(t, "Why not?", comments[1].Text)
	require.Empty(t, d.Faults())
	require.Equal(t, "Draft of 2 June", d.Story("header:1").Paragraphs()[0].Text())
}

func TestDecide(t *testing.T) {
	t.Parallel()
	base := word(t, contract)
	d, err := docx.Open(base)
	require.NoError(t, err)
	stood := d.Revisions()
	require.Len(t, stood, 2)
	keep := func(docx.Revision) docx.Decision { return docx.Keep }
	r, err := redline.Decide(base, signed(redline.Change{Type: redline.Reject, Target: stood[0].ID}), keep)
	require.NoError(t, err)
	require.Equal(t, []string{stood[0].ID}, r.Rejected)
	require.Equal(t, 1, r.After)
	require.True(t, r.Checks.OK(), "%+v", r.Checks)
	require.Contains(t, body(t, r.Document, docx.RejectAll), "Fees are never due and in full.")
	require.Contains(t, body(t, r.Document, docx.AcceptAll), "Fees are  and in full.")

	r, err = redline.Decide(base, nil, keep)
	require.NoError(t, err)
	require.True(t, bytes.Equal(base, r.Document))
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		old, new string
		want     []redline.Hunk
	}{
		{"a b c", "a b c", nil},
		{"thirty (30) days", "sixty (60) days", []redline.Hunk{{0, 6, "sixty"}, {8, 10, "60"}}},
		{"one two", "one, two", []redline.Hunk{{3, 3, ","}}},
		{"naïve é", "é", []redline.Hunk{{0, 6, ""}}},
		{"", "all new", []redline.Hunk{{0, 0, "all new"}}},
	} {
		require.Equal(t, tt.want, redline.Diff(tt.old, tt.new), tt.old)
	}
}

// FuzzDiff holds differences to their law: made in the old text, they give the
// new one.
func FuzzDiff(f *testing.F) {
	f.Add("thirty (30) days", "sixty (60) days", "(30)")
	f.Add("a\nb", "a b", "")
	f.Fuzz(func(t *testing.T, old, new, atom string) {
		old, new = strings.ToValidUTF8(old, "?"), strings.ToValidUTF8(new, "?")
		hunks := redline.Diff(old, new, strings.ToValidUTF8(atom, "?"))
		runes := []rune(old)
		var b strings.Builder
		at := 0
		for _, h := range hunks {
			require.LessOrEqual(t, at, h.Start)
			b.WriteString(string(runes[at:h.Start]) + h.Text)
			at = h.End
		}
		require.Equal(t, new, b.String()+string(runes[at:]))
	})
}

// TestRewriteAroundPicture gives a paragraph a new text that shows where its
// picture is to stay.
func TestRewriteAroundPicture(t *testing.T) {
	t.Parallel()
	base := word(t, `<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:r><w:drawing/></w:r><w:r><w:t xml:space="preserve"> above.</w:t></w:r></w:p>`)
	for text, want := range map[string]string{"See \uFFFC below.": "", "\uFFFC and \uFFFC": "invalid_change"} {
		r, err := redline.Execute(base, signed(redline.Change{Type: redline.Rewrite, Anchor: redline.Anchor{Block: at(0)}, Text: text}), redline.Options{})
		require.NoError(t, err)
		require.True(t, r.Checks.OK())
		if want != "" {
			require.EqualValues(t, want, r.Failed[0].Err.Code)
			continue
		}
		require.Empty(t, r.Failed)
		require.Equal(t, text, body(t, r.Document, docx.AcceptAll))
	}
}

// TestCommentInOtherPart comments on a document whose main part has another name
// than it usually has.
func TestCommentInOtherPart(t *testing.T) {
	t.Parallel()
	z, err := zip.NewReader(bytes.NewReader(word(t, contract)), int64(len(word(t, contract))))
	require.NoError(t, err)
	rename := strings.NewReplacer("document.xml", "document22.xml")
	var b bytes.Buffer
	renamed := zip.NewWriter(&b)
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		w, err := renamed.Create(rename.Replace(f.Name))
		require.NoError(t, err)
		_, err = io.WriteString(w, rename.Replace(string(content)))
		require.NoError(t, err)
	}
	require.NoError(t, renamed.Close())
	r, err := redline.Execute(b.Bytes(), signed(redline.Change{Type: redline.CommentOn, Anchor: of("in full"), Text: "Why?"}), redline.Options{})
	require.NoError(t, err)
	require.True(t, r.Checks.OK())
	d, err := docx.Open(r.Document)
	require.NoError(t, err)
	require.Empty(t, d.Faults())
	require.Contains(t, d.Relationships("word/document22.xml"), docx.Relationship{ID: "rId1", Type: "comments", Target: "word/comments.xml"})
	comments := d.Comments()
	require.Len(t, comments, 1)
	require.Equal(t, "body", comments[0].Story)
}

// TestQuotes finds words as a reader has them who sees no paragraphs, no cells
// and no notes.
func TestQuotes(t *testing.T) {
	t.Parallel()
	base := word(t, `<w:p><w:r><w:t>The Fees are due:</w:t></w:r></w:p><w:p/><w:p><w:r><w:t>(a) at</w:t><w:br/><w:t>once; “net”</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r><w:r><w:t xml:space="preserve"> of taxes.</w:t></w:r></w:p>`+
		`<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr><w:tc><w:p><w:r><w:t>Law</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Texas</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p><w:r><w:t>The end.</w:t></w:r></w:p>`)
	was := body(t, base, docx.AcceptAll)
	for name, c := range map[string]struct {
		change redline.Change
		want   []string // what is replaced by what
	}{
		"over paragraphs":           {redline.Change{Type: redline.Replace, Anchor: of("are due:\n(a) at\nonce;"), Text: "are due:\n(a) at\ntwice;"}, []string{"once", "twice"}},
		"blanks for paragraph ends": {redline.Change{Type: redline.Replace, Anchor: of("Fees are due: (a) at once"), Text: "Fees are owed: (a) at once"}, []string{"due", "owed"}},
		"with what is not shown":    {redline.Change{Type: redline.Replace, Anchor: of(`"net" of taxes.`), Text: `"net" of all taxes.`}, []string{"of taxes", "of all taxes"}},
		"at the end":                {redline.Change{Type: redline.Replace, Anchor: of(`"net" of taxes.`), Text: `"net" of taxes. Always.`}, []string{"taxes.", "taxes. Always."}},
		"a comment":                 {redline.Change{Type: redline.CommentOn, Anchor: of("due: (a) at once"), Text: "Why?"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := redline.Execute(base, signed(c.change), redline.Options{})
			require.NoError(t, err)
			require.Empty(t, r.Failed)
			require.True(t, r.Checks.OK())
			require.Equal(t, redline.Folded, r.Applied[0].Resolved.How)
			require.Equal(t, strings.NewReplacer(c.want...).Replace(was), body(t, r.Document, docx.AcceptAll))
			require.Equal(t, was, body(t, r.Document, docx.RejectAll))
		})
	}

	doc, err := docx.Open(base)
	require.NoError(t, err)
	applied, failed := redline.Propose(doc, "", nil, signed(
		redline.Change{Type: redline.Replace, Anchor: of("Law\tTexas"), Text: "Law\tOhio"},
		redline.Change{Type: redline.DeleteParagraph, Anchor: of("The Fees are due: (a) at once; 'net'")},
		redline.Change{Type: redline.DeleteParagraph, Anchor: of("The Fees are due: (a) at once")},
	))
	require.Len(t, applied, 1)
	require.Equal(t, 0, applied[0].Resolved.Block)
	require.Equal(t, 2, applied[0].Resolved.EndBlock, "all that the words are in")
	require.Equal(t, docx.CrossesStructure, failed[0].Err.Code)
	require.Equal(t, "Law", failed[0].Err.Candidates[0].Text)
	require.Equal(t, "Texas", failed[0].Err.Candidates[1].Text)
	require.Equal(t, redline.AnchorNotFound, failed[1].Err.Code)
}

// TestNumbers finds words as they are copied from a page that shows the numbers
// of lists, which are no text.
func TestNumbers(t *testing.T) {
	t.Parallel()
	base, err := docx.Build([]docx.Passage{
		{Kind: docx.Heading, Level: 1, Number: "1.", Text: "Term"},
		{Kind: docx.ListItem, Level: 2, Number: "1.1", Text: "It lasts a year."},
		{Kind: docx.ListItem, Level: 2, Number: "1.2", Text: "It ends."},
		{Kind: docx.Heading, Level: 1, Number: "2.", Text: "Fees"},
		{Kind: docx.ListItem, Level: 2, Number: "2.1", Text: "It ends."},
	})
	require.NoError(t, err)
	was := body(t, base, docx.AcceptAll)
	for name, c := range map[string]struct {
		anchor, text, want string
	}{
		"kept":        {"1.1\tIt lasts a year.", "1.1\tIt lasts two years.", "Term|It lasts two years.|It ends.|Fees|It ends."},
		"left out":    {"1.1 It lasts a year.", "It lasts two years.", "Term|It lasts two years.|It ends.|Fees|It ends."},
		"tells apart": {"2.1 It ends.", "2.1 It never ends.", "Term|It lasts a year.|It ends.|Fees|It never ends."},
		"several":     {"1. Term\n1.1 It lasts a year.\n1.2 It ends.", "1. Duration\n1.1 It lasts a year.\n1.2 It stops.", "Duration|It lasts a year.|It stops.|Fees|It ends."},
		"over an end": {"year.\n1.2 It", "year.\n1.2 This", "Term|It lasts a year.|This ends.|Fees|It ends."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := redline.Execute(base, signed(redline.Change{Type: redline.Replace, Anchor: of(c.anchor), Text: c.text}), redline.Options{})
			require.NoError(t, err)
			require.Empty(t, r.Failed)
			require.True(t, r.Checks.OK())
			require.Equal(t, redline.Numbered, r.Applied[0].Resolved.How)
			require.Equal(t, c.want, body(t, r.Document, docx.AcceptAll))
			require.Equal(t, was, body(t, r.Document, docx.RejectAll))
		})
	}
	for name, c := range map[string]struct {
		change redline.Change
		code   fault.Code
		says   string
	}{
		"another number": {redline.Change{Type: redline.Delete, Anchor: of("1.3 It lasts a year.")}, redline.AnchorNotFound, `numbered "1.1" and not "1.3"`},
		"half a number":  {redline.Change{Type: redline.Delete, Anchor: of("1 It lasts a year.")}, redline.AnchorNotFound, `numbered "1.1" and not "1"`},
		"no words":       {redline.Change{Type: redline.Delete, Anchor: of("1.1 It lasts no year.")}, redline.AnchorNotFound, "do not stand in the document"},
		"a new number":   {redline.Change{Type: redline.Replace, Anchor: of("1.1 It lasts a year."), Text: "1.5 It lasts a year."}, redline.BadChange, "made by its list"},
		"before it":      {redline.Change{Type: redline.Replace, Anchor: of("1.1 It lasts a year."), Text: "Clause 1.1 It lasts a year."}, redline.BadChange, "made by its list"},
		"rewritten":      {redline.Change{Type: redline.Rewrite, Anchor: of("1.1 It lasts a year."), Text: "1.1 It lasts."}, redline.BadChange, "made by its list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := docx.Open(base)
			require.NoError(t, err)
			_, failed := redline.Propose(doc, "", nil, signed(c.change))
			require.Len(t, failed, 1)
			require.Equal(t, c.code, failed[0].Err.Code)
			require.Contains(t, failed[0].Err.Message, c.says)
		})
	}
}

// TestDeletesAtTheEnd deletes the last paragraphs one by one, in any order.
func TestDeletesAtTheEnd(t *testing.T) {
	t.Parallel()
	lines := []string{"One.", "Two.", "Three.", "Four."}
	var paragraphs strings.Builder
	for i, line := range lines {
		paragraphs.WriteString(`<w:p><w:pPr><w:ind w:left="` + string(rune('1'+i)) + `"/></w:pPr><w:r><w:t>` + line + `</w:t></w:r></w:p>`)
	}
	cell := `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>` + paragraphs.String() + `</w:tc></w:tr></w:tbl><w:p/>`
	gone := func(i int) redline.Change {
		return redline.Change{Type: redline.DeleteParagraph, Anchor: of(lines[i])}
	}
	for name, c := range map[string]struct {
		changes []redline.Change
		want    string
		refused bool
		left    string // the indentation of the last paragraph
	}{
		"in order":             {[]redline.Change{gone(2), gone(3)}, "One.|Two.", false, "2"},
		"backwards":            {[]redline.Change{gone(3), gone(2)}, "One.|Two.", false, "2"},
		"three":                {[]redline.Change{gone(1), gone(3), gone(2)}, "One.", false, "1"},
		"all":                  {[]redline.Change{gone(1), gone(0), gone(3), gone(2)}, "", false, "3"},
		"with the one before":  {[]redline.Change{gone(2), {Type: redline.Insert, Anchor: of("Two."), Side: redline.After, Text: " And more."}, gone(3)}, "One.|Two. And more.", false, "2"},
		"beside what is new":   {[]redline.Change{gone(2), {Type: redline.InsertParagraph, Anchor: of("Two."), Text: "New."}, gone(3)}, "One.|Two.|New.|Four.", true, ""},
		"before what runs on":  {[]redline.Change{gone(3), {Type: redline.Delete, Anchor: of("o.\nThree")}}, "One.|Tw.", false, "3"},
		"after what runs on":   {[]redline.Change{{Type: redline.Delete, Anchor: of("ree.\nFo")}, gone(2)}, "One.|Two.|Thur.", true, ""},
		"twice the same words": {[]redline.Change{gone(3), gone(3)}, "One.|Two.|Three.", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{paragraphs.String(), cell} {
				base := word(t, text)
				r, err := redline.Execute(base, signed(c.changes...), redline.Options{})
				require.NoError(t, err)
				require.True(t, r.Checks.OK())
				require.Equal(t, c.refused, len(r.Failed) > 0, "%v", r.Failed)
				want := c.want
				if text == cell {
					want += "|"
				}
				require.Equal(t, want, body(t, r.Document, docx.AcceptAll))
				if c.refused {
					continue
				}
				clean, err := redline.Execute(base, signed(c.changes...), redline.Options{Clean: true})
				require.NoError(t, err)
				made, err := docx.Open(clean.Document)
				require.NoError(t, err)
				p := made.Story("body").Paragraphs()[strings.Count(c.want, "|")]
				require.Equal(t, c.left, p.Child("pPr", "ind").Attr("left"), "what stays keeps its looks")
			}
		})
	}
}
