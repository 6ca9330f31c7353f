package nlp

import "strings"

// line is one line of a page that is not blank.
type line struct {
	extent         // without the white space around it
	page      int  // from 0
	blanks    int  // blank lines above it; those around a page break do not count
	soft      bool // begins behind a wide space in a longer line, not behind a line break
	furniture bool // running header, footer or page number
	number    numbering
}

func (l *line) len() int { return l.end - l.start }

const (
	// longLine is the length from which a line is no line of print but a
	// paragraph, or several that lost their breaks.
	longLine = 200
	// wideSpace is the number of blanks that set off a column, or stand where a
	// line break was lost.
	wideSpace = 3
)

// scanLines finds the lines of text, whose pages a form feed parts.
func scanLines(text string) []line {
	lines := make([]line, 0, len(text)/64+1)
	page, blanks := 0, 0
	for i := 0; i <= len(text); {
		end := i
		for end < len(text) && text[end] != '\n' && text[end] != '\f' {
			end++
		}
		if e := trim(text, extent{i, end}); e.start < e.end {
			lines = appendLine(lines, text, line{extent: e, page: page, blanks: blanks})
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
	if l.len() > longLine {
		for at := l.start; at < l.end; {
			gap := strings.Index(text[at:l.end], "   ")
			if gap < 0 {
				break
			}
			next := at + gap
			for text[next] == ' ' {
				next++
			}
			if breaksLine(text[l.start:at+gap], text[next:l.end]) {
				head := l
				head.end = at + gap
				head.number = numberAt(text[head.start:head.end])
				lines = append(lines, head)
				l.start, l.soft, l.blanks = next, true, 0
			}
			at = next
		}
	}
	l.number = numberAt(text[l.start:l.end])
	return append(lines, l)
}

// breaksLine reports whether a wide space between before and after stands where
// one line ended and another began, rather than between two columns.
func breaksLine(before, after string) bool {
	number := numberAt(before)
	if number.end == len(before) {
		return false
	}
	if !startsUpper(after) && numberAt(after).end == 0 {
		return false
	}
	title := before[number.end:]
	return endsSentence(before) && !strings.HasSuffix(before, "..") || isTitle(title) || number.form >= counted && headingEnd(number.form, title) == len(title)
}
