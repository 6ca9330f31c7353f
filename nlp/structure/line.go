package structure

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// line is one line of a page that is not blank.
type line struct {
	lex.Extent      // without the white space around it
	page       int  // from 0
	blanks     int  // blank lines above it; those around a page break do not count
	soft       bool // begins behind a wide space in a longer line, not behind a line break
	furniture  bool // running header, footer or page number
	number     lex.Numbering
	of         *declared // the paragraph that it begins in; nil where none is declared
}

func (l *line) len() int { return l.End - l.Start }

const (
	// longLine is the length from which a line is no line of print but a
	// paragraph, or several that lost their breaks.
	longLine = 200
	// wideSpace is the number of blanks that set off a column, or stand where a
	// line break was lost.
	wideSpace = 3
)

// scanLines finds the lines of text, whose pages a form feed parts, and the declared
// paragraphs that they belong to.
func scanLines(text string, paragraphs []declared) []line {
	lines := make([]line, 0, len(text)/64+1)
	page, blanks := 0, 0
	for i := 0; i <= len(text); {
		end := i
		for end < len(text) && text[end] != '\n' && text[end] != '\f' {
			end++
		}
		if e := lex.Trim(text, lex.Extent{Start: i, End: end}); e.Start < e.End {
			for len(paragraphs) > 0 && paragraphs[0].End <= e.Start {
				paragraphs = paragraphs[1:]
			}
			l := line{Extent: e, page: page, blanks: blanks}
			if len(paragraphs) > 0 && paragraphs[0].Start < e.End {
				l.of = &paragraphs[0]
			}
			lines = appendLine(lines, text, l)
			blanks = 0
		} else {
			blanks++
		}
		if end < len(text) && text[end] == '\f' {
			page++
			blanks = 0
		}
		i = end + 1
	}
	return lines
}

// appendLine adds l, broken up where it holds several lines run together.
func appendLine(lines []line, text string, l line) []line {
	if l.len() > longLine && (l.of == nil || l.of.Kind == "" && l.of.Table == 0) {
		for at := l.Start; at < l.End; {
			gap := strings.Index(text[at:l.End], "   ")
			if gap < 0 {
				break
			}
			next := at + gap
			for text[next] == ' ' {
				next++
			}
			if breaksLine(text[l.Start:at+gap], text[next:l.End]) {
				head := l
				head.End = at + gap
				head.number = lex.NumberAt(text[head.Start:head.End])
				lines = append(lines, head)
				l.Start, l.soft, l.blanks = next, true, 0
			}
			at = next
		}
	}
	l.number = lex.NumberAt(text[l.Start:l.End])
	return append(lines, l)
}

// breaksLine reports whether a wide space between before and after stands where
// one line ended and another began, rather than between two columns.
func breaksLine(before, after string) bool {
	number := lex.NumberAt(before)
	if number.End == len(before) {
		return false
	}
	if !lex.StartsUpper(after) && lex.NumberAt(after).End == 0 {
		return false
	}
	title := before[number.End:]
	return lex.EndsSentence(before) && !strings.HasSuffix(before, "..") || isTitle(title) || number.Form >= lex.Counted && headingEnd(lex.GrammarOf(""), number.Form, title) == len(title)
}
