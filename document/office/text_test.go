package office

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

func encoded(tb testing.TB, order unicode.Endianness, bom unicode.BOMPolicy, s string) string {
	tb.Helper()
	out, err := unicode.UTF16(order, bom).NewEncoder().String(s)
	require.NoError(tb, err)
	return out
}

func TestText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("plain ", 4000)
	for name, c := range map[string]struct{ data, want string }{
		"ASCII":           {"one\ntwo\n", "one\ntwo"},
		"LineEnds":        {"a\r\nb\rc\n\r\nd", "a\nb\nc\n\nd"},
		"BlankLines":      {"\n\na\n \t\n\n\nb\n\n", "a\n\nb"},
		"Indentation":     {"title\n  - item\n\tcode  \n", "title\n  - item\n\tcode"},
		"FormFeeds":       {"a\n\fb\f\f\fc\f", "a\fb\fc"},
		"Controls":        {long + "a\x00b\x07c\x7fd\u0090e\ufffef\ufeffg\u00adh", long + "abcdefgh"},
		"Separators":      {"a\u2028b\u0085c\vd", "a\nb\nc\nd"},
		"UTF8Mark":        {"\xef\xbb\xbfcafé", "café"},
		"UTF8":            {"§ 1 – “Müller” 漢 😀", "§ 1 – “Müller” 漢 😀"},
		"Windows1252":     {"\xa7 1 \x96 \x93M\xfcller\x94 \x80", "§ 1 – “Müller” €"},
		"LateWindows1252": {long + "M\xfcller", long + "Müller"},
		"LateUTF8":        {long + "Müller", long + "Müller"},
		"UTF16LEMark":     {encoded(t, unicode.LittleEndian, unicode.UseBOM, "Agreement § 1"), "Agreement § 1"},
		"UTF16BEMark":     {encoded(t, unicode.BigEndian, unicode.UseBOM, "Agreement § 1"), "Agreement § 1"},
		"UTF16LE":         {encoded(t, unicode.LittleEndian, unicode.IgnoreBOM, "Agreement between the parties §"), "Agreement between the parties §"},
		"UTF16BE":         {encoded(t, unicode.BigEndian, unicode.IgnoreBOM, "Agreement between the parties §"), "Agreement between the parties §"},
		"Markdown":        {"# Title\n\n* a\n* **b**\n", "Title\n\n* a\n* **b**"},
		"OnlyBlanks":      {" \n \n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, text(readAll(t, format.Text, "a.txt", []byte(c.data))))
		})
	}
}

func TestTextWithoutPages(t *testing.T) {
	t.Parallel()
	limits := format.DefaultLimits()
	limits.MaxText = 4000
	count := func(data string) (n int) {
		_, pages, err := read(t, "", []byte(data), limits)
		require.NoError(t, err)
		for _, p := range pages {
			require.LessOrEqual(t, utf8.RuneCountInString(p.Text), limits.MaxText)
			require.NotEmpty(t, p.Text)
		}
		require.Equal(t, strings.Fields(data), strings.Fields(strings.ReplaceAll(text(pages), "\f", "\n")), "nothing is lost and no word is cut")
		return len(pages)
	}
	require.Equal(t, 1, count(strings.Repeat("short paragraph\n\n", 50)))
	require.Equal(t, 2, count(strings.Repeat("short paragraph\n\n", 100)), "cut between paragraphs")
	require.Greater(t, count(strings.Repeat("short line\n", 1000)), 3, "cut between lines")
	require.Greater(t, count(strings.Repeat("word ", 2000)), 2, "cut between words")

	_, pages, err := read(t, "", []byte(strings.Repeat("x", 9000)), limits)
	require.NoError(t, err)
	require.Len(t, strings.ReplaceAll(text(pages), "\f", ""), 9000)

	limits.MaxPages = 2
	_, _, err = read(t, "", []byte(strings.Repeat("x", 19000)), limits)
	formattest.RequireCode(t, fault.TooManyPages, err)
}

// A page of text is read by its number as one of a PDF is.
func TestRunningPages(t *testing.T) {
	t.Parallel()
	f, err := openRunning(readText)(t.Context(), formattest.TempFile(t, "a", []byte("one\ftwo\fthree\ffour")), format.DefaultLimits())
	require.NoError(t, err)
	defer f.Close()
	var got []string
	require.NoError(t, f.Extract(t.Context(), 2, 3, func(p format.Page) error {
		got = append(got, p.Text)
		return nil
	}))
	require.Equal(t, []string{"two", "three"}, got)
	require.Zero(t, f.Pages())
	_, err = f.Render(t.Context(), 1, 0, false)
	require.Equal(t, fault.Unsupported, fault.KindOf(err))

	stop := errors.New("stop")
	require.ErrorIs(t, f.Extract(t.Context(), 1, 9, func(format.Page) error { return stop }), stop)
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want string }{
		"Headings":   {"# Terms\n\ntext\n\n## **1. Scope** ##\ntext\n###### Deep\n", "heading1 Terms\nheading2 1. Scope\nheading6 Deep"},
		"Underlined": {"Terms\n=====\n\ntext\n\nScope\r\n---\r\ntext", "heading1 Terms\nheading2 Scope"},
		"NoHeadings": {"# of units\n\n#hash\n\n####### seven\n\ntext\n# Not apart\n\nName   Title\n------------\n\nBy:\n----\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, outline(readAll(t, format.Text, "", []byte(c.data))))
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("one\r\n\ftwo\x96"))
	f.Add([]byte("# One\n\nTwo\n===\n\nThree\n---"))
	f.Add([]byte("\xff\xfea\x00\n\x00b"))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRunning(t, readText, data) })
}

// fuzzRunning reads data as running text: with pages in order, or a fault.
func fuzzRunning(t *testing.T, read runningReader, data []byte) {
	t.Helper()
	limits := format.DefaultLimits()
	limits.MaxText, limits.MaxUnzipped = 20_000, 1<<20
	number := 0
	out := newFlow(t.Context(), limits, func(p format.Page) error {
		number++
		require.Equal(t, number, p.Number)
		require.LessOrEqual(t, utf8.RuneCountInString(p.Text), limits.MaxText)
		checkText(t, p)
		return nil
	})
	err := read(t.Context(), io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))), out)
	if err == nil {
		err = out.finish()
	}
	if err != nil {
		formattest.RequireCode(t, fault.CodeOf(err), err)
		require.NotEqual(t, fault.InternalCode, fault.CodeOf(err), "%v", err)
		return
	}
	require.Positive(t, number)
}
