package office

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want string }{
		"Blocks":       {"<p>One  two\nthree<p>Four<div>Five</div>Six", "One two three\n\nFour\n\nFive\n\nSix"},
		"Inline":       {"<p>ter<b>mi</b><i>nat</i>ion <a href=x>now</a>", "termination now"},
		"Breaks":       {"<p>a<br>b<br><br>c", "a\nb\n\nc"},
		"Entities":     {"<p>&sect;&nbsp;1 &amp; &#8220;x&#8221; &#146; &unknown;", "§\u00a01 & “x” ’ &unknown;"},
		"NotShown":     {"<head><title>T</title><style>p{}</style></head><body>a<script>var x='<p>b'</script><template>c</template><noscript>d</noscript><!-- e --><p hidden>f<p style='display: none'>g<div>h</div>", "a\n\nh"},
		"HiddenNests":  {"<div style='display:none'>a<div>b</div>c</div>d", "d"},
		"Deleted":      {"<p>a <del>old </del><ins>new</ins>", "a new"},
		"Lists":        {"<ol><li>a<li>b<ul><li>c</ul><li>d</ol>", "a\n\nb\n\nc\n\nd"},
		"Table":        {"x<table><tr><th>a<th>b<tr><td><td>c<p>d</table>y", "x\n\na\tb\n\tc\nd\n\ny"},
		"TableInCell":  {"<table><tr><td>a<td><table><tr><td>b<td>c</table></table>z", "a\nb\tc\n\nz"},
		"Preformatted": {"<pre>a\n b\n\nc</pre>", "a\nb\n\nc"},
		"PageBreaks":   {"a<p style='page-break-before: always'>b<hr style='page-break-after:always'>c<div style='break-after:page'>d</div>e", "a\fb\fc\n\nd\fe"},
		"Unclosed":     {"<div><p>a<span>b<table><tr><td>c", "ab\n\nc"},
		"StrayEnds":    {"a</div></p>b</td></table>c", "a\n\nbc"},
		"Upper":        {"<P>a<BR>b</P>", "a\nb"},
		"Empty":        {"<html></html>", ""},
		"Declared":     {"<html><meta charset=windows-1251>\xcf\xf0\xe8", "При"},
		"Undeclared":   {"<html><p>" + strings.Repeat("x ", 900) + "M\xc3\xbcller", strings.Repeat("x ", 900) + "Müller"},
		"Windows1252":  {"<html><p>\x93M\xfcller\x94", "“Müller”"},
		"Filing":       {"<DOCUMENT>\n<TYPE>EX-10\n<TEXT>\n<HTML><BODY><P>Lease", "EX-10\n\nLease"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, text(readAll(t, format.HTML, "a.html", []byte(c.data))))
		})
	}
}

func TestHTMLStructure(t *testing.T) {
	t.Parallel()
	pages := readAll(t, format.HTML, "", []byte(`<body><h1>A</h1><p>b</p><ol type=i start=3><li>c<li value=9><p>d<ol type=A><li>e</ol><li>f</ol>
		<ul><li>g<p>more</ul><li>h</li><table><tr><td><h2>i</h2></table><h2>J`))
	require.Equal(t, strings.Join([]string{
		"heading1 A", "paragraph b", "list_item1 iii. c", "list_item1 ix. d", "list_item2 A. e", "list_item1 x. f",
		"list_item1 • g", "list_item1 more", "list_item • h", "1.1.1 heading2 i", "heading2 J",
	}, "\n"), outline(pages))
}

func TestHTMLFaults(t *testing.T) {
	t.Parallel()
	_, _, err := read(t, "a.html", []byte("<html><p "+strings.Repeat("a", maxToken+1)), format.DefaultLimits())
	formattest.RequireCode(t, fault.FileTooLarge, err)
	limits := format.DefaultLimits()
	limits.MaxPages = 2
	_, _, err = read(t, "a.html", []byte(strings.Repeat("<p style='page-break-before:always'>x", 3)), limits)
	formattest.RequireCode(t, fault.TooManyPages, err)
}

// Elements that are never closed must not add up.
func TestHTMLDeep(t *testing.T) {
	t.Parallel()
	pages := readAll(t, format.HTML, "a.html", []byte("<html>"+strings.Repeat("<div><font><table><tr><td>", 20_000)+"x"))
	require.Equal(t, "x", strings.TrimSpace(text(pages)))
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte("<p>a<table><tr><td>b</table><ol><li>c<pre>\n d"))
	f.Add([]byte("<div hidden><p></div></p><td style='page-break-before:always'>x<br><br>y"))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRunning(t, readHTML, data) })
}
