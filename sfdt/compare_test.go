package sfdt_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

var (
	sender = redline.Author{Name: "Sam Sender", Initials: "SS"}
	sentAt = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
)

// edit makes what the editor would save of a document: its own form with words
// replaced in it, and two revisions that can be used.
func edit(tb testing.TB, data []byte, replace ...string) *sfdt.Saved {
	tb.Helper()
	text := string(encode(tb, convert(tb, data)))
	for i := 0; i < len(replace); i += 2 {
		require.Contains(tb, text, replace[i])
		text = strings.Replace(text, replace[i], replace[i+1], 1)
	}
	const made = `"revisions":[{"revisionId":"new-in","revisionType":"Insertion","author":"Eve","date":"2026-03-04T05:06:07Z"},` +
		`{"revisionId":"new-out","revisionType":"Deletion","author":"Eve","date":"2026-03-04T05:06:07Z"},`
	text = strings.Replace(text, `"revisions":[`, made, 1)
	text = strings.Replace(text, `},],"customXml"`, `}],"customXml"`, 1)
	saved, err := sfdt.Read([]byte(text))
	require.NoError(tb, err)
	return saved
}

const two = `<w:p><w:r><w:t>The fee is ten.</w:t></w:r></w:p><w:p><w:r><w:t>It ends in May.</w:t></w:r></w:p>`

func typed(text string) string { return `{"text":"` + text + `","revisionIds":["new-in"]}` }

func struck(text string) string { return `{"text":"` + text + `","revisionIds":["new-out"]}` }

func plain(text string) string { return `{"text":"` + text + `"}` }

// TestCompare holds what is told of an edit to making it: the changes, carried
// out on the file, give the text that the editor shows.
func TestCompare(t *testing.T) {
	t.Parallel()

	const change = `<w:p><w:r><w:t xml:space="preserve">a </w:t></w:r><w:ins w:id="1"` + by + `><w:r><w:t xml:space="preserve">in </w:t></w:r></w:ins>` +
		`<w:del w:id="2"` + by + `><w:r><w:delText xml:space="preserve">out </w:delText></w:r></w:del><w:r><w:t>b</w:t></w:r></w:p>`
	changed := edit(t, file(t, change, nil))
	insertion, deletion := "", ""
	for id, r := range changed.Revisions {
		switch {
		case strings.HasPrefix(id, "new"):
		case r.Type == "Insertion":
			insertion = id
		default:
			deletion = id
		}
	}
	in, out := `"in ","revisionIds":["`+insertion+`"]`, `"out ","revisionIds":["`+deletion+`"]`
	tests := []struct {
		name, body string
		replace    []string
		types      []redline.Type
		author     string
		want       []string
	}{
		{"nothing", two, nil, nil, "", nil},
		{
			"typed and struck", two, []string{plain("The fee is ten."), plain("The fee is ") + "," + struck("ten") + "," + typed("twelve") + "," + plain(".")},
			[]redline.Type{redline.Delete, redline.Insert},
			"Eve",
			[]string{"The fee is twelve.", "It ends in May."},
		},
		{"typed first", two, []string{plain("It ends in May."), typed("Note: ") + "," + plain("It ends in May.")}, []redline.Type{redline.Insert}, "Eve", []string{"The fee is ten.", "Note: It ends in May."}},
		{"without tracking", two, []string{"ten.", "twelve euros."}, []redline.Type{redline.Rewrite}, "Sam Sender", []string{"The fee is twelve euros.", "It ends in May."}},
		{
			"a paragraph without tracking", two, []string{`{"paragraphFormat":{"styleName":"Normal"},"inlines":[` + plain("It ends in May."), `{"inlines":[` + plain("New.") + `]},{"inlines":[` + plain("It ends in May.")},
			[]redline.Type{redline.InsertParagraph},
			"Sam Sender",
			[]string{"The fee is ten.", "New.", "It ends in May."},
		},
		{
			"a paragraph", two, []string{`{"paragraphFormat":{"styleName":"Normal"},"inlines":[` + plain("It ends in May."), `{"characterFormat":{"revisionIds":["new-in"]},"inlines":[` + typed("New.") + `]},{"inlines":[` + plain("It ends in May.")},
			[]redline.Type{redline.InsertParagraph},
			"Eve",
			[]string{"The fee is ten.", "New.", "It ends in May."},
		},
		{
			"a paragraph struck", two, []string{`"inlines":[` + plain("The fee is ten.") + `]`, `"characterFormat":{"revisionIds":["new-out"]},"inlines":[` + struck("The fee is ten.") + `]`},
			[]redline.Type{redline.DeleteParagraph},
			"Eve",
			[]string{"It ends in May."},
		},
		{
			"a paragraph removed", two, []string{`{"paragraphFormat":{"styleName":"Normal"},"inlines":[` + plain("The fee is ten.") + `]},`, ""},
			[]redline.Type{redline.DeleteParagraph},
			"Sam Sender",
			[]string{"It ends in May."},
		},
		{
			"split", two, []string{`"inlines":[` + plain("The fee is ten.") + `]`, `"characterFormat":{"revisionIds":["new-in"]},"inlines":[` + plain("The fee") + `]},{"inlines":[` + plain(" is ten.") + `]`},
			[]redline.Type{redline.Insert},
			"Eve",
			[]string{"The fee", " is ten.", "It ends in May."},
		},
		{"accepted", change, []string{in, `"in "`, `,{"text":` + out + `}`, ""}, []redline.Type{redline.Accept, redline.Accept}, "Sam Sender", []string{"a in b"}},
		{"rejected", change, []string{`,{"text":` + in + `}`, "", out, `"out "`}, []redline.Type{redline.Reject, redline.Reject}, "Sam Sender", []string{"a out b"}},
		{"accepted in place", change, []string{in, `"in "`}, []redline.Type{redline.Accept}, "Sam Sender", []string{"a in b"}},
		{"struck in a deletion's paragraph", change, []string{plain("b"), struck("b")}, []redline.Type{redline.Delete}, "Eve", []string{"a in "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			data := file(t, test.body, nil)
			saved := edit(t, data, test.replace...)
			src, err := docx.Open(data)
			require.NoError(t, err)
			changes, unclear, err := sfdt.Compare(src, saved, sender, sentAt)
			require.NoError(t, err)
			require.Empty(t, unclear)
			var types []redline.Type
			for _, c := range changes {
				types = append(types, c.Type)
				require.Equal(t, test.author, c.Author.Name)
				require.False(t, c.Date.IsZero())
				require.NoError(t, c.Validate())
			}
			require.ElementsMatch(t, test.types, types)
			if len(changes) == 0 {
				return
			}
			for i := range changes {
				changes[i].ID = string(rune('a' + i))
			}
			result, err := redline.Execute(data, changes, redline.Options{Clean: true})
			require.NoError(t, err)
			require.Empty(t, result.Failed)
			after, err := docx.Open(result.Document)
			require.NoError(t, err)
			var texts []string
			for _, p := range after.Story("body").Paragraphs() {
				texts = append(texts, p.Text())
			}
			require.Equal(t, test.want, texts)
		})
	}
}

// TestCorpusComparesEqual finds nothing where nothing was done.
func TestCorpusComparesEqual(t *testing.T) {
	t.Parallel()

	for name, src := range readable(t) {
		made, err := sfdt.Convert(src)
		require.NoError(t, err)
		saved, err := sfdt.Read(encode(t, made))
		require.NoError(t, err)
		changes, unclear, err := sfdt.Compare(src, saved, sender, sentAt)
		require.NoError(t, err)
		require.Empty(t, changes, name)
		require.Empty(t, unclear, name)
	}
}

func TestCompareComments(t *testing.T) {
	t.Parallel()

	body := `<w:p><w:commentRangeStart w:id="1"/><w:r><w:t>said</w:t></w:r><w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r></w:p>` + p("The fee is ten.")
	data := file(t, body, map[string]string{"comments": comment("1", "P1", "first")})
	saved := edit(t, data,
		`"replyComments":[]}`, `"replyComments":[{"commentId":"x","author":"Eve","date":"2026-03-04T05:06:07Z","blocks":[{"inlines":[{"text":"no"}]}],"replyComments":[]}]},`+
			`{"commentId":"y","author":"Eve","date":"2026-03-04T05:06:07Z","blocks":[{"inlines":[{"text":"why"}]},{"inlines":[{"text":"ten?"}]}],"replyComments":[]}`,
		plain("The fee is ten."), plain("The fee is ")+`,{"commentCharacterType":0,"commentId":"y"},`+plain("ten")+`,{"commentCharacterType":1,"commentId":"y"},`+plain("."))
	src, err := docx.Open(data)
	require.NoError(t, err)
	changes, unclear, err := sfdt.Compare(src, saved, sender, sentAt)
	require.NoError(t, err)
	require.Empty(t, unclear)
	require.Len(t, changes, 2)
	require.Equal(t, redline.Reply, changes[0].Type)
	require.Equal(t, "com_1", changes[0].Target)
	require.Equal(t, "no", changes[0].Text)
	require.Equal(t, redline.CommentOn, changes[1].Type)
	require.Equal(t, "why\nten?", changes[1].Text)
	require.Equal(t, []int{1, 11, 14}, []int{*changes[1].Anchor.Block, *changes[1].Anchor.Start, *changes[1].Anchor.End})
	require.Equal(t, "Eve", changes[1].Author.Name)
}

// TestCompareDoubts names what cannot be carried back.
func TestCompareDoubts(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		body    string
		replace []string
	}{
		"a formula": {`<w:p><w:r><w:t>so </w:t></w:r><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p>`, []string{"x=1", "x=2"}},
		"a row":     {`<w:tbl><w:tr><w:tc>` + p("cell") + `</w:tc></w:tr></w:tbl>` + p("after"), []string{`{"paragraphFormat":{"styleName":"Normal"},"inlines":[` + plain("cell") + `]}`, `{"inlines":[` + plain("cell") + `]},{"inlines":[` + plain("more") + `]}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			data := file(t, test.body, nil)
			src, err := docx.Open(data)
			require.NoError(t, err)
			changes, unclear, err := sfdt.Compare(src, edit(t, data, test.replace...), sender, sentAt)
			require.NoError(t, err)
			require.Empty(t, changes)
			require.Len(t, unclear, 1)
		})
	}
}

// TestCompareWithAnother refuses what was opened with the changes in it that are
// proposed, or with others.
func TestCompareWithAnother(t *testing.T) {
	t.Parallel()
	const by = ` w:author="Bob" w:date="2026-01-02T03:04:05Z"`
	base := file(t, `<w:p><w:r><w:t xml:space="preserve">The fee is </w:t></w:r><w:ins w:id="1"`+by+`><w:r><w:t>ten</w:t></w:r></w:ins></w:p>`, nil)
	src, err := docx.Open(base)
	require.NoError(t, err)
	author, now := redline.Author{Name: "Ann"}, time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	for name, change := range map[string]redline.Change{
		"a tracked change": {Type: redline.Insert, Anchor: redline.Anchor{Text: "fee"}, Side: redline.Before, Text: "whole "},
		"a comment":        {Type: redline.CommentOn, Anchor: redline.Anchor{Text: "fee"}, Text: "Why?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change.ID, change.Author, change.Date = "a", author, now
			for _, clean := range []bool{false, true} {
				r, err := redline.Execute(base, []redline.Change{change}, redline.Options{Clean: clean})
				require.NoError(t, err)
				require.Empty(t, r.Failed)
				src, err := docx.Open(base)
				require.NoError(t, err)
				saved := edit(t, r.Document)
				_, _, err = sfdt.Compare(src, saved, author, now)
				require.Equal(t, fault.Conflict, fault.KindOf(err))
				require.Equal(t, redline.StaleDocument, fault.CodeOf(err))
				if !clean { // told by the marks where nothing tells what it was made of
					saved.Origin = ""
					_, _, err = sfdt.Compare(src, saved, author, now)
					require.Equal(t, redline.StaleDocument, fault.CodeOf(err))
				}
			}
		})
	}
	changes, unclear, err := sfdt.Compare(src, edit(t, base), author, now)
	require.NoError(t, err)
	require.Empty(t, changes)
	require.Empty(t, unclear)
}
