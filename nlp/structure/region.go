package structure

import (
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// markContents marks the lines of tables of contents.
func (o *outline) markContents() {
	stated := false
	for i := range o.lines {
		if d := o.lines[i].of; d != nil && d.Kind == Contents {
			o.kinds[i], stated = contentsLine, true
		}
	}
	if stated {
		return
	}
	for i := 0; i < len(o.lines); i++ {
		switch {
		case o.lines[i].of.isHeading() || o.lines[i].of.beside():
		case isContentsTitle(o.line(i)):
			runTogether := isEntries(o.line(i)) || i+1 < len(o.lines) && isEntries(o.line(i+1))
			if end := o.contentsEnd(i+1, runTogether); end > i+3 || runTogether {
				o.mark(contentsLine, i, end)
				i = end - 1
			}
		case hasLeader(o.line(i)):
			end := i + 1
			for end < len(o.lines) && (hasLeader(o.line(end)) || end+1 < len(o.lines) && o.lines[end].len() < longestTitle && hasLeader(o.line(end+1))) {
				end++
			}
			if end-i >= 4 {
				o.mark(contentsLine, i, end)
			}
			i = end - 1
		}
	}
}

func (o *outline) mark(kind lineKind, from, to int) {
	for i := from; i < to; i++ {
		o.kinds[i] = kind
	}
}

// isContentsTitle reports whether s is the title of a table of contents, or
// opens with it where the entries were run together.
func isContentsTitle(s string) bool {
	head := strings.ToLower(s[:min(len(s), len("table of contents"))])
	if head == "table of contents" {
		return true
	}
	if len(s) > 60 {
		return strings.HasPrefix(head, "contents") && isEntries(s) || strings.Contains(s[:min(len(s), shortLine)], "   TABLE OF CONTENTS   ") // behind a legend
	}
	switch words := lex.Squash(s); words {
	case "contents", "contentspage", "index", "indexpage":
		return true
	}
	return false
}

// hasLeader reports whether s ends with a page number behind leader dots.
func hasLeader(s string) bool {
	head, _, ok := cutPageNumber(s)
	if !ok {
		return false
	}
	dots := 0
	for i := len(head) - 1; i >= 0 && (head[i] == '.' || head[i] == ' ' || head[i] == '_'); i-- {
		if head[i] != ' ' {
			dots++
		}
	}
	return dots >= 4
}

// cutPageNumber splits an entry of a table of contents into its words and its
// page.
func cutPageNumber(s string) (head string, page int, ok bool) {
	i := strings.LastIndexAny(s, " \t.")
	if i <= 0 || len(s)-i > 4 { // four figures are a year
		return "", 0, false
	}
	if page, ok = pageNumber(s[i+1:]); lex.StartsUpper(s[i+1:]) {
		ok = false // the end of a name: "Energy XXI"
	}
	return strings.TrimSuffix(strings.TrimSuffix(s[:i+1], "Page "), "PAGE "), page, ok
}

// isEntries reports whether s is several entries of a table of contents run
// together: titles with numbers between them, of pages or sections, and no text.
func isEntries(s string) bool {
	words, numbers, small := 0, 0, 0
	for word := range strings.FieldsSeq(s) {
		if strings.Trim(word, "._-–—") == "" {
			continue // leaders and rules
		}
		words++
		if digits := lex.DigitPrefix(word); digits == len(word) && digits <= 3 || lex.NumberAt(word).Form == lex.Decimal {
			numbers++
		} else if lex.StartsLower(word) && !Connectors[word] {
			small++
		}
	}
	return numbers >= 2 && numbers*15 >= words && small*6 <= words
}

// contentsEnd returns the line behind the table of contents whose entries begin
// at line from: where its first entry stands again, or text begins. Once
// entries have pages, the ones that follow must.
func (o *outline) contentsEnd(from int, paged bool) int {
	first, last, end := "", 0, from
	for i := from; i < len(o.lines); i++ {
		if o.lines[i].of.isHeading() {
			return end
		}
		s := o.line(i)
		_, bareNumber := pageNumber(s)
		head, page, hasPage := cutPageNumber(s)
		// "ARTICLE 1" is no entry, nor is what goes back to an earlier page.
		hasPage = hasPage && o.lines[i].number.End < len(s) && page >= last
		switch {
		case isEntries(s) || strings.Contains(s, "....") || strings.Contains(s, ". . . .") || hasPage && len(s) <= longestTitle:
			paged = true
			end = i + 1
			if hasPage {
				last = page
			}
		case bareNumber:
			paged = true
			end = i + 1
			continue
		case len(s) > longLine:
			return end
		default:
			head = s
			if !paged && !isEntry(s) && !isContentsLabel(s) {
				return end
			}
			if !paged {
				end = i + 1
			}
			if i-end > 12 {
				return end
			}
		}
		words := lex.Squash(strings.TrimRight(head, ". _\t"))
		switch {
		case isContentsLabel(s) || len(words) < 4:
		case first == "":
			first = words
		case words == first && !hasPage || paged && !hasPage && strings.HasPrefix(words, first):
			return min(end, i)
		}
	}
	return end
}

// isEntry reports whether s can be in a table of contents that names no
// pages.
func isEntry(s string) bool {
	n := lex.NumberAt(s)
	return len(s) < longestTitle && (isTitle(s[n.End:]) || n.End == len(s))
}

func isContentsLabel(s string) bool {
	switch lex.Squash(s) {
	case "page", "pageno", "pagenumber", "article", "section", "articlepage", "sectionpage", "exhibits", "schedules", "annexes", "appendices", "attachments":
		return true
	}
	return len(s) <= 60 && isContentsTitle(s)
}

// signatureMarks are the labels of the lines that people sign on. Those marked
// true occur only in signatures.
var signatureMarks = map[string]bool{
	"by": true, "signature": true, "signed": true, "per": true,
	"name": false, "title": false, "its": false, "date": false, "dated": false, "print name": false, "printed name": false, "witness": false, "attest": false, "position": false, "print": false,
}

// signatureMark tells whether s is a line to sign on or belongs to one, and
// whether it leaves no doubt.
func signatureMark(s string) (sure, ok bool) {
	if len(s) > longLine {
		return false, false
	}
	if strings.Contains(s, "/s/") {
		return true, true
	}
	if label, _, found := strings.Cut(s, ":"); found {
		sure, ok = signatureMarks[strings.ToLower(strings.TrimSpace(label))]
		return sure, ok // a blank behind another label is one to fill in
	}
	blank := strings.Count(s, "_")*2 > len(s) && len(s) > 8
	return blank, blank
}

// isRule reports whether s is nothing but a line drawn across the page.
func isRule(s string) bool { return strings.Trim(s, "_-–— ") == "" }

// isSignatureLine reports whether s is a line to sign on or belongs to one.
func isSignatureLine(s string) bool {
	_, ok := signatureMark(s)
	return ok
}

// shortLine is the length in bytes up to which a line may be a name.
const shortLine = 90

// markSignatures marks groups of lines that people sign on, with the names
// above them.
func (o *outline) markSignatures() {
	const above = 3 // lines of names
	for i := 0; i < len(o.lines); i++ {
		if _, ok := signatureMark(o.line(i)); !ok || o.kinds[i] != prose || o.lines[i].of.stands() {
			continue
		}
		end, signed := o.signaturesEnd(i)
		if signed {
			from := i
			for from > 0 && i-from < above && !o.apart[from] && o.isName(from-1) {
				from--
			}
			o.mark(signatureLine, from, end)
		}
		i = max(i, end-1)
	}
}

// isName reports whether line i can be the name of somebody who signs.
func (o *outline) isName(i int) bool {
	s := o.line(i)
	return o.kinds[i] == prose && !o.lines[i].of.stands() && len(s) < shortLine && o.lines[i].number.End == 0 && (!lex.EndsSentence(s) || lex.IsCapitals(s))
}

// signaturesEnd returns where the group of lines to sign on ends that begins
// with line from, and whether it is one without doubt.
func (o *outline) signaturesEnd(from int) (end int, signed bool) {
	const (
		between    = 3  // short lines between marks
		coverLines = 40 // where a rule alone is decoration
	)
	marks, sures, labels := 0, 0, 0
	end = from
	for i := from; i < len(o.lines) && i-end <= between && o.kinds[i] == prose && (i == from || !o.apart[i]); i++ {
		if o.lines[i].of.stands() {
			break
		}
		s := o.line(i)
		sure, ok := signatureMark(s)
		if !ok {
			if len(s) > shortLine {
				break
			}
			continue
		}
		marks++
		if sure {
			sures++
		}
		if !isRule(s) {
			labels++
		}
		end = i + 1
		if strings.HasSuffix(s, ":") && end < len(o.lines) && o.kinds[end] == prose && !o.apart[end] && o.lines[end].len() < shortLine {
			end++ // what the label asks for
		}
	}
	cover := o.lines[from].page == 0 && from < coverLines
	return end, marks >= 2 && sures > 0 && (labels > 0 || !cover)
}

// markTables marks runs of lines that are set in columns.
func (o *outline) markTables() {
	for i := range o.lines {
		if d := o.lines[i].of; d != nil && d.Table > 0 && o.kinds[i] == prose {
			o.kinds[i] = tableLine
		}
	}
	for i := 0; i < len(o.lines); {
		end, columns := i, 0
		for end < len(o.lines) && o.kinds[end] == prose && !o.lines[end].of.stands() && (end == i || o.lines[end].blanks <= 1) {
			c := columnsOf(o.line(end)[o.lines[end].number.End:])
			if c < 2 {
				break
			}
			columns = max(columns, c)
			end++
		}
		if rows := end - i; rows >= 3 || rows == 2 && columns >= 3 {
			o.mark(tableLine, i, end)
		}
		i = max(end, i+1)
	}
}

// columnsOf counts the columns of a line: what wide spaces, tabs or bars part.
// Small letters behind a wide space continue with a sentence.
func columnsOf(s string) int {
	if len(s) > longLine {
		return 1
	}
	columns, blanks := 1, 0
	for i := range len(s) {
		switch s[i] {
		case ' ':
			blanks++
			continue
		case '\t', '|':
			blanks = wideSpace
			continue
		}
		if lower := s[i] >= 'a' && s[i] <= 'z'; blanks >= wideSpace && i > blanks && !lower {
			columns++
		}
		blanks = 0
	}
	return columns
}
