package sfdt_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

// sample finds a document by its name among samples.
func sample(tb testing.TB, name string) []byte {
	tb.Helper()
	for _, s := range samples {
		if s.name == name {
			return file(tb, s.body, s.parts)
		}
	}
	require.Fail(tb, "no such sample", name)
	return nil
}

// compare tells what was edited.
func compare(tb testing.TB, data []byte, saved *sfdt.Saved) (changes []redline.Change, unclear []string) {
	tb.Helper()
	src, err := docx.Open(data)
	require.NoError(tb, err)
	changes, unclear, err = sfdt.Compare(src, saved, sender, sentAt)
	require.NoError(tb, err)
	for i := range changes {
		changes[i].ID = string(rune('a' + i))
		require.NoError(tb, changes[i].Validate())
	}
	return changes, unclear
}

// applied is a document with changes in it and no trace of them.
func applied(tb testing.TB, data []byte, changes []redline.Change) *docx.Document {
	tb.Helper()
	result, err := redline.Execute(data, changes, redline.Options{Clean: true})
	require.NoError(tb, err)
	require.Empty(tb, result.Failed)
	after, err := docx.Open(result.Document)
	require.NoError(tb, err)
	return after
}

// TestCompareStories finds edits of headers, footers and notes.
func TestCompareStories(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		sample  string
		replace []string
		author  string
		part    string
		want    string
	}{
		"a header, tracked":  {"sections", []string{plain("head"), plain("head") + "," + typed("er")}, "Eve", "header:1", "header"},
		"a header, not":      {"sections", []string{plain("head"), plain("header")}, "Sam Sender", "header:1", "header"},
		"beside page number": {"sections", []string{plain("1") + `,{"fieldType":1}`, plain("27") + `,{"fieldType":1},` + typed(" of 9")}, "Eve", "footer:1", "1 of 9"},
		"all but the number": {"sections", []string{`{"fieldType":0`, plain("Page ") + `,{"fieldType":0`}, "Sam Sender", "footer:1", "Page 1"},
		"a note":             {"notes", []string{plain("note"), plain("note") + "," + typed("d")}, "Eve", "footnote:2", "note\uFFFCd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			data := sample(t, test.sample)
			changes, unclear := compare(t, data, edit(t, data, test.replace...))
			require.Empty(t, unclear)
			require.Len(t, changes, 1)
			require.Equal(t, test.author, changes[0].Author.Name)
			require.Equal(t, test.part, changes[0].Anchor.Part)
			after := applied(t, data, changes)
			require.Equal(t, test.want, after.Story(test.part).Paragraphs()[0].Text())
		})
	}
}

// TestCompareKeepsWhatIsNotShown edits beside a page break and a picture without
// tracking, and leaves them where they are.
func TestCompareKeepsWhatIsNotShown(t *testing.T) {
	t.Parallel()

	const picture = `<w:r><w:drawing><wp:inline><a:blip r:embed="missing"/></wp:inline></w:drawing></w:r>`
	data := file(t, `<w:p>`+picture+`<w:r><w:t xml:space="preserve">The fee </w:t><w:br w:type="page"/><w:t>is ten.</w:t></w:r></w:p>`, nil)
	changes, unclear := compare(t, data, edit(t, data, plain("The fee "), plain("A fee "), plain("is ten."), plain("is twelve.")))
	require.Empty(t, unclear)
	require.Len(t, changes, 2)
	require.Equal(t, "\uFFFCA fee \fis twelve.", applied(t, data, changes).Story("body").Paragraphs()[0].Text())
}

// TestCompareCountsNoPages passes over what the editor counts itself.
func TestCompareCountsNoPages(t *testing.T) {
	t.Parallel()

	data := sample(t, "sections")
	changes, unclear := compare(t, data, edit(t, data, plain("1")+`,{"fieldType":1}`, plain("27")+`,{"fieldType":1}`))
	require.Empty(t, changes)
	require.Empty(t, unclear)
}

// TestCompareLooks makes changes of what can be said of how words are set, in
// names and in the numbers of the short form.
func TestCompareLooks(t *testing.T) {
	t.Parallel()

	at := func(on bool) *bool { return &on }
	for name, test := range map[string]struct {
		format string
		want   docx.Format
	}{
		"on":        {`"bold":true,"italic":true,"allCaps":true,"underline":"Single","strikethrough":"SingleStrike"`, docx.Format{Bold: at(true), Italic: at(true), Caps: at(true), Underline: at(true), Strike: at(true)}},
		"off":       {`"b":0,"i":0,"ac":0,"u":0,"st":0`, docx.Format{}},
		"numbers":   {`"b":1,"u":1,"st":1,"hc":2`, docx.Format{Bold: at(true), Underline: at(true), Strike: at(true), Highlight: new("green")}},
		"colours":   {`"fontColor":"#ff0000FF","highlightColor":"Turquoise"`, docx.Format{Color: new("FF0000"), Highlight: new("cyan")}},
		"half size": {`"fontSize":11.5`, docx.Format{Size: new(23)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			data := file(t, two, nil)
			set := `{"text":"fee is","characterFormat":{` + test.format + `}}`
			changes, unclear := compare(t, data, edit(t, data, plain("The fee is ten."), plain("The ")+","+set+","+plain(" ten.")))
			require.Empty(t, unclear)
			require.Len(t, changes, 1)
			require.Equal(t, redline.FormatText, changes[0].Type)
			require.Equal(t, []int{4, 10}, []int{*changes[0].Anchor.Start, *changes[0].Anchor.End})
			if test.want.IsZero() {
				test.want = docx.Format{Bold: at(false), Italic: at(false), Caps: at(false), Underline: at(false), Strike: at(false)}
			}
			require.Equal(t, test.want, changes[0].Format)
			require.Equal(t, "The fee is ten.", applied(t, data, changes).Story("body").Paragraphs()[0].Text())
		})
	}
}

// TestCompareLooksBesideEdits keeps what was set and what was typed apart.
func TestCompareLooksBesideEdits(t *testing.T) {
	t.Parallel()

	data := file(t, two, nil)
	bold := func(text string) string { return `{"text":"` + text + `","characterFormat":{"bold":true}}` }
	changes, unclear := compare(t, data, edit(t, data, plain("The fee is ten."), bold("The ")+","+typed("yearly ")+","+bold("fee ")+","+struck("is")+","+plain(" ten.")))
	require.Empty(t, unclear)
	var types []redline.Type
	for _, c := range changes {
		types = append(types, c.Type)
	}
	require.ElementsMatch(t, []redline.Type{redline.FormatText, redline.FormatText, redline.Insert, redline.Delete}, types)
	require.Equal(t, "The yearly fee  ten.", applied(t, data, changes).Story("body").Paragraphs()[0].Text())

	changes, unclear = compare(t, data, edit(t, data, plain("The fee is ten."), `{"text":"Now: ","characterFormat":{"bold":true},"revisionIds":["new-in"]},`+plain("The fee is ten.")))
	require.Len(t, changes, 1)
	require.Len(t, unclear, 1, "what is typed takes after its neighbour, which is not bold")

	changes, unclear = compare(t, data, edit(t, data, plain("The fee is ten."), plain("The fee is ")+","+bold("twelve.")))
	require.Len(t, changes, 1)
	require.Equal(t, redline.Rewrite, changes[0].Type)
	require.Len(t, unclear, 1)
}

// TestCompareNames names what no change can say, and says nothing of the rest.
func TestCompareNames(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		data    []byte
		replace []string
		named   string
	}{
		"a font":         {file(t, two, nil), []string{plain("The fee is ten."), `{"text":"The fee is ten.","characterFormat":{"fontFamily":"Courier"}}`}, "The fee is ten."},
		"a double line":  {file(t, two, nil), []string{plain("The fee is ten."), `{"text":"The fee is ten.","characterFormat":{"underline":"Double"}}`}, "The fee is ten."},
		"a setting":      {file(t, two, nil), []string{`"styleName":"Normal"},"inlines":[` + plain("The fee is ten."), `"styleName":"Normal","textAlignment":"Center"},"inlines":[` + plain("The fee is ten.")}, "The fee is ten."},
		"a list":         {file(t, two, nil), []string{`"styleName":"Normal"},"inlines":[` + plain("The fee is ten."), `"styleName":"Normal","listFormat":{"listId":3,"listLevelNumber":0}},"inlines":[` + plain("The fee is ten.")}, "The fee is ten."},
		"a picture":      {file(t, two, nil), []string{plain("The fee is ten."), plain("The fee is ten.") + `,{"imageString":"0","revisionIds":["new-in"]}`}, "The fee is ten."},
		"a page break":   {file(t, two, nil), []string{plain("The fee is ten."), plain("The fee is ten.") + `,{"text":"\f"}`}, "The fee is ten."},
		"a text box":     {sample(t, "drawings"), []string{plain("boxed"), plain("unboxed")}, "text box"},
		"a section":      {sample(t, "sections"), []string{`{"sectionFormat"`, `{"blocks":[]},{"sectionFormat"`}, "Sections"},
		"a header less":  {sample(t, "sections"), []string{`"headersFooters":{"header":`, `"headersFooters":{"was":`}, "head"},
		"a note less":    {sample(t, "notes"), []string{`"footnoteType":"Footnote","blocks":`, `"footnoteType":"Footnote","was":`}, "text"},
		"another header": {sample(t, "sections"), []string{`"firstPageFooter"`, `"header":{"blocks":[{"inlines":[{"text":"other"}]}]},"firstPageFooter"`}, "other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			changes, unclear := compare(t, test.data, edit(t, test.data, test.replace...))
			require.Empty(t, changes)
			require.Len(t, unclear, 1)
			require.Contains(t, unclear[0], test.named)
		})
	}
}

// TestCompareOneHeaderTwice takes a header that two sections show for one.
func TestCompareOneHeaderTwice(t *testing.T) {
	t.Parallel()

	const reference = `<w:headerReference w:type="default" r:id="header1"/>`
	data := file(t, `<w:p><w:pPr><w:sectPr>`+reference+`</w:sectPr></w:pPr></w:p>`+p("second")+`<w:sectPr>`+reference+`</w:sectPr>`, map[string]string{"header1": p("head")})
	text := string(encode(t, convert(t, data)))
	require.Equal(t, 2, strings.Count(text, plain("head")))

	both, err := sfdt.Read([]byte(strings.ReplaceAll(text, plain("head"), plain("header"))))
	require.NoError(t, err)
	changes, unclear := compare(t, data, both)
	require.Len(t, changes, 1)
	require.Empty(t, unclear)

	one, err := sfdt.Read([]byte(strings.Replace(text, plain("head"), plain("header"), 1)))
	require.NoError(t, err)
	changes, unclear = compare(t, data, one)
	require.Len(t, changes, 1)
	require.Len(t, unclear, 1)
}

// TestCompareListOfStyle passes over the list of a style, which the editor writes
// out where it edits.
func TestCompareListOfStyle(t *testing.T) {
	t.Parallel()

	data := sample(t, "lists")
	const of = `"styleName":"Clause"},"inlines":[{"text":"b"}]`
	list := func(id string) string {
		return `"styleName":"Clause","listFormat":{"listId":` + id + `,"listLevelNumber":1}},"inlines":[{"text":"b"}]`
	}
	for _, style := range convert(t, data).Styles {
		if style.Name != "Clause" {
			continue
		}
		id := strconv.Itoa(style.ParagraphFormat.ListFormat.List)
		changes, unclear := compare(t, data, edit(t, data, of, list(id)))
		require.Empty(t, changes)
		require.Empty(t, unclear)
		_, unclear = compare(t, data, edit(t, data, of, list("77")))
		require.Len(t, unclear, 1)
		return
	}
	require.Fail(t, "no such style")
}
