package office

import (
	"bufio"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/document/format"
)

// longestHeading bounds a heading of Markdown, in bytes.
const longestHeading = 160

// markdownHeading reads a line that is a heading of Markdown: "## Scope". A line that
// says the number of something ("# of units") is none. The level is 0 for other lines.
func markdownHeading(line string) (heading string, level int) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level < 1 || level > 6 || len(line) > longestHeading || !strings.HasPrefix(rest, " ") {
		return "", 0
	}
	heading = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
	heading = plainMarkdown(heading)
	if first, _ := utf8.DecodeRuneInString(heading); strings.ContainsAny(heading, "\t|") || strings.Contains(heading, "   ") || unicode.IsLower(first) ||
		!strings.ContainsFunc(heading, unicode.IsLetter) {
		return "", 0
	}
	return heading, level
}

// plainMarkdown takes the marks of emphasis off a heading.
func plainMarkdown(s string) string {
	for _, mark := range []string{"**", "__", "*"} {
		if inner := strings.TrimSuffix(strings.TrimPrefix(s, mark), mark); len(inner) == len(s)-2*len(mark) && inner != "" && !strings.Contains(inner, mark) {
			return strings.TrimSpace(inner)
		}
	}
	return s
}

// underline is the level of a heading that the next line underlines: 1 with "=", 2 with
// "-", which many texts have below anything, so that it counts only where Markdown was
// seen before. It is 0 for other lines. What r holds is not read.
func underline(r *bufio.Reader, line string, markdown bool) int {
	line = strings.TrimSpace(line)
	if first, _ := utf8.DecodeRuneInString(line); line == "" || len(line) > longestHeading || !unicode.IsUpper(first) && !unicode.IsDigit(first) || strings.ContainsAny(line, "\t|") {
		return 0
	}
	next, _ := r.Peek(longestHeading) // at the end there is less
	below, _, _ := strings.Cut(string(next), "\n")
	below = strings.TrimRight(below, " \r")
	switch {
	case len(below) < 3 || len(below) == longestHeading:
		return 0
	case strings.Trim(below, "=") == "":
		return 1
	case strings.Trim(below, "-") == "" && markdown:
		return 2
	}
	return 0
}

func writeHeading(to *flow, heading string, level int) {
	to.paragraph()
	to.begin(format.Paragraph{Kind: format.Heading, Level: level})
	to.write(heading)
	to.end()
	to.paragraph()
}
