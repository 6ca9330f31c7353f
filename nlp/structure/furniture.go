package structure

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Running headers and footers are lines that return at the edge of pages with
// nothing in them that changes but the page number. They are looked for from
// the edge inwards: a line counts only if all lines between it and the edge do.

const (
	// edgeLines is how many lines at the top and at the bottom of a page may be
	// running ones.
	edgeLines = 6
	// longestFurniture bounds a running line, in bytes; legends about
	// confidential treatment are the longest.
	longestFurniture = 250
	// enoughRepeats is on how many pages, at most one page apart, a line must
	// return; headers of left and right pages may differ.
	enoughRepeats = 3
	// fewLines is the number of lines below which a page need not have a number.
	fewLines = 4
	// pageLength is the least distance in bytes of two page numbers in a text
	// that lost its page breaks.
	pageLength = 500
)

// markFurniture marks the running headers, footers and page numbers among
// lines.
func markFurniture(text string, lines []line) {
	pages := pageRanges(lines)
	for _, edge := range []func(lex.Extent) []int{topEdge, bottomEdge} {
		markEdge(text, lines, pages, edge)
	}
	markInline(text, lines)
}

// furnitureOf returns the extents of the lines marked, in order.
func furnitureOf(lines []line) []lex.Extent {
	var marked []lex.Extent
	for _, l := range lines {
		if l.furniture {
			marked = append(marked, l.Extent)
		}
	}
	return marked
}

// markEdge marks the running lines at one edge of the pages.
func markEdge(text string, lines []line, pages []lex.Extent, edge func(lex.Extent) []int) {
	seen := repeats{}
	for _, page := range pages {
		for depth, i := range edge(page) {
			for _, key := range runningKeys(text, lines[i]) {
				seen.add(key, depth, lines[i].page)
			}
		}
	}
	most := seen.most()
	need := min(enoughRepeats, max(2, len(pages)-1))
	opened := map[attachment]bool{}
	for _, page := range pages {
		numberSeen := false
		for _, i := range edge(page) {
			s := text[lines[i].Start:lines[i].End]
			_, numbered := pageNumber(s)
			figure := !lex.HasLetter(s)
			enough := need
			if figure && !numbered {
				enough = max(need, len(pages)/2) // "7." is a section's number as a rule
			} else if namesInstrument(s) {
				enough = max(need+1, len(pages)/2) // cover, contents and first page have the title, too
			}
			repeated := slices.ContainsFunc(runningKeys(text, lines[i]), func(key runningKey) bool { return most[key] >= enough })
			if numbered && !repeated && page.End-page.Start < fewLines {
				numbered, figure = false, false // a number that the text ends with
			}
			if !repeated && !numbered || numberSeen && (figure || numbered) {
				break
			}
			if a, ok := readAttachment(s); ok && !opened[a] {
				opened[a] = true // where an exhibit begins, its running header is its heading
				break
			}
			numberSeen = numberSeen || figure || numbered
			lines[i].furniture = true
		}
	}
}

// pageRanges returns the lines of each page that has any.
func pageRanges(lines []line) []lex.Extent {
	var pages []lex.Extent
	for i := range lines {
		if i == 0 || lines[i].page != lines[i-1].page {
			pages = append(pages, lex.Extent{Start: i, End: i})
		}
		pages[len(pages)-1].End = i + 1
	}
	return pages
}

// topEdge returns the lines at the top of a page, from the edge inwards. A page
// keeps at least one line.
func topEdge(page lex.Extent) []int {
	var edge []int
	for i := page.Start; i < page.End-1 && len(edge) < edgeLines; i++ {
		edge = append(edge, i)
	}
	return edge
}

func bottomEdge(page lex.Extent) []int {
	var edge []int
	for i := page.End - 1; i > page.Start && len(edge) < edgeLines; i-- {
		edge = append(edge, i)
	}
	return edge
}

// runningKey is what two occurrences of a running line have in common: its
// letters and digits, with one number replaced by its distance from the page's
// place in the file.
type runningKey struct {
	words    string
	distance int
}

// place is where a running line stands: so many lines from the edge.
type place struct {
	key   runningKey
	depth int
}

// repeats counts on how many pages in a row a running line is in one place.
type repeats map[place]struct{ last, run, most int }

func (r repeats) add(key runningKey, depth, page int) {
	at := place{key, depth}
	seen, known := r[at]
	if known && page-seen.last <= 2 {
		seen.run++
	} else {
		seen.run = 1
	}
	seen.last = page
	seen.most = max(seen.most, seen.run)
	r[at] = seen
}

// most returns the longest run of each line, wherever it stands.
func (r repeats) most() map[runningKey]int {
	most := make(map[runningKey]int, len(r))
	for at, seen := range r {
		most[at.key] = max(most[at.key], seen.most)
	}
	return most
}

const digits = "0123456789"

// runningKeys returns the keys under which l may return: as it is, and with its
// first or its last number as the page number.
func runningKeys(text string, l line) []runningKey {
	s := text[l.Start:l.End]
	if len(s) > longestFurniture || isSignatureLine(s) {
		return nil
	}
	var keys []runningKey
	if words := lex.Squash(s); len(words) >= 4 && lex.HasLetter(words) {
		keys = append(keys, runningKey{words: words})
	}
	first := strings.IndexFunc(s, unicode.IsDigit)
	if first < 0 || !lex.HasLetter(s) && strings.ContainsFunc(strings.TrimLeft(s[first:], digits), unicode.IsDigit) {
		return keys // also "7.2": a section's number, not a page's
	}
	if _, ok := readAttachment(s); ok {
		return keys // exhibits count up from page to page, too
	}
	last := strings.LastIndexFunc(s, unicode.IsDigit)
	for last > 0 && lex.IsDigit(s[last-1]) {
		last--
	}
	for _, at := range slices.Compact([]int{first, last}) {
		figures := lex.DigitPrefix(s[at:])
		if figures == 0 || figures > 4 {
			continue
		}
		value, _ := strconv.Atoi(s[at : at+figures]) // at most four digits
		keys = append(keys, runningKey{lex.Squash(s[:at]) + "#" + lex.Squash(s[at+figures:]), value - l.page})
	}
	return keys
}

// pageNumber reads a line that is nothing but a page number: "12", "- 12 -",
// "Page 12", "Page 12 of 30", "iv".
func pageNumber(s string) (value int, ok bool) {
	if len(s) > 24 {
		return 0, false
	}
	s = strings.Trim(strings.ToLower(s), " -–—|[]~\u00a0")
	s = strings.TrimSpace(strings.TrimPrefix(s, "page"))
	if slash := strings.IndexByte(s, '/'); slash > 0 && lex.DigitPrefix(s[slash+1:]) == len(s)-slash-1 {
		s = s[:slash]
	}
	if of := strings.Index(s, " of "); of > 0 && lex.DigitPrefix(s[of+4:]) == len(s)-of-4 {
		s = strings.TrimSpace(s[:of])
	}
	if digits := lex.DigitPrefix(s); digits == len(s) && digits > 0 && digits <= 4 {
		value, _ = strconv.Atoi(s) // at most four digits
		return value, true
	}
	value = lex.RomanValue(s)
	return value, value > 0
}

// markInline marks what is left of headers and footers in a text that lost its
// page breaks: page numbers that count up at the distance of pages, the stamps
// of filing services, and lines that return beside either.
func markInline(text string, lines []line) {
	type number struct{ line, before, depth int }
	var numbers []number
	latest := map[int]int{} // by value, index into numbers
	var counted []int       // lines that call themselves pages: "Page 3 of 20"
	stamps := map[string]int{}
	for i := range lines {
		s := text[lines[i].Start:lines[i].End]
		if len(s) <= longestFurniture && strings.HasPrefix(s, "Source: ") {
			stamps[s]++
		}
		value, ok := pageNumber(s)
		if ok && len(s) > 5 && strings.EqualFold(s[:5], "page ") {
			counted = append(counted, i)
		}
		alone := lines[i].blanks > 0 && (i+1 == len(lines) || lines[i+1].blanks > 0 || lines[i+1].page > lines[i].page)
		if !ok || !alone {
			continue
		}
		n := number{line: i, before: -1, depth: 1}
		if before, ok := latest[value-1]; ok && lines[i].Start-lines[numbers[before].line].End >= pageLength {
			n.before, n.depth = before, numbers[before].depth+1
		}
		latest[value] = len(numbers)
		numbers = append(numbers, n)
	}
	var marked []int
	mark := func(i int) {
		if !lines[i].furniture {
			lines[i].furniture = true
			marked = append(marked, i)
		}
	}
	followed := make([]bool, len(numbers)) // by a number that counts
	for k, n := range slices.Backward(numbers) {
		if n.depth >= enoughRepeats || followed[k] {
			mark(n.line)
			if n.before >= 0 {
				followed[n.before] = true
			}
		}
	}
	if len(counted) >= enoughRepeats {
		for _, i := range counted {
			mark(i)
		}
	}
	for i := range lines {
		if stamps[text[lines[i].Start:lines[i].End]] >= 2 {
			mark(i)
		}
	}
	for round := 0; round < edgeLines && len(marked) > 0; round++ {
		marked = markBeside(text, lines, marked)
	}
}

// markBeside marks the lines that stand again and again beside lines marked,
// and returns them.
func markBeside(text string, lines []line, marked []int) []int {
	var added []int
	beside := map[string][]int{}
	for _, i := range marked {
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j >= len(lines) || lines[j].furniture || lines[j].len() > longestFurniture || lines[j].soft {
				continue
			}
			if s := text[lines[j].Start:lines[j].End]; !isSignatureLine(s) {
				if words := lex.Squash(s); len(words) >= 4 {
					beside[words] = append(beside[words], j)
				}
			}
		}
	}
	for _, same := range beside {
		if len(same) >= enoughRepeats {
			for _, i := range same {
				if !lines[i].furniture {
					lines[i].furniture = true
					added = append(added, i)
				}
			}
		}
	}
	slices.Sort(added)
	return added
}
