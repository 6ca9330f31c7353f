package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Placed is a printed page with the part of a text that is on it: its words are those of
// the text, their spans count from Start, and what is printed beside the text, such as
// page numbers and words that tracked changes delete, is left out.
type Placed struct {
	Page

	Start int // code points from the start of the text
	End   int // where the next page starts, or the text ends
}

// Place finds the words of a text on the pages that it was printed on. Both have the same
// words in the same order, but for what one has and the other has not: notes and headers,
// which the text has once and elsewhere, stay without a place.
func Place(printed []Page, text string) []Placed {
	runes := []rune(text)
	p := placing{given: wordsOf(runes)}
	type place struct{ page, word int }
	var places []place
	for i, page := range printed {
		content := []rune(page.Text)
		for j, w := range page.Words {
			p.printed = append(p.printed, token{key: keyOf(content[w.Start:w.End])})
			places = append(places, place{i, j})
		}
	}
	p.found = make([]token, len(p.printed))
	p.match(0, len(p.given), 0, len(p.printed))

	pages := make([]Placed, len(printed))
	for i, page := range printed {
		pages[i] = Placed{Page: Page{Number: page.Number, Width: page.Width, Height: page.Height, Confidence: page.Confidence}, Start: -1}
	}
	last := 0
	for i, at := range places {
		if f := p.found[i]; f.end > f.start && f.start >= last {
			last = f.end
			w := printed[at.page].Words[at.word]
			w.Start, w.End = f.start, f.end
			pages[at.page].Words = append(pages[at.page].Words, w)
		}
	}
	end := len(runes)
	for i := range slices.Backward(pages) {
		page := &pages[i]
		page.End = end
		switch {
		case i == 0:
			page.Start = 0
		case len(page.Words) > 0:
			page.Start = page.Words[0].Start
		default:
			page.Start = end
		}
		end = page.Start
		page.Text = string(runes[page.Start:page.End])
		for j := range page.Words {
			page.Words[j].Start -= page.Start
			page.Words[j].End -= page.Start
		}
	}
	return pages
}

// A token is a word as it is compared, and its span in the text.
type token struct {
	key        string
	start, end int
}

// wordsOf are the runs of visible characters of a text.
func wordsOf(runes []rune) []token {
	var all []token
	for at := 0; at < len(runes); {
		start := at
		for at < len(runes) && !unicode.IsSpace(runes[at]) {
			at++
		}
		if at > start {
			all = append(all, token{keyOf(runes[start:at]), start, at})
		} else {
			at++
		}
	}
	return all
}

// alike are marks for which fonts and office programs use each other's.
var alike = strings.NewReplacer(
	"\u2018", "'", "\u2019", "'", "\u201c", `"`, "\u201d", `"`, "\u2010", "-", "\u2011", "-", "\u00ad", "",
	"\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\u200b", "",
)

func keyOf(word []rune) string { return alike.Replace(string(word)) }

// A placing matches two sequences of words.
type placing struct {
	given, printed []token
	found          []token // for each printed word its span in the text, empty where it has none
}

func (p *placing) pair(g, q int) { p.found[q] = p.given[g] }

// match pairs given[g0:g1] with printed[q0:q1] by patience: what both begin or end with,
// then the words that each has once, in the longest run that is in the order of both, and
// between those the same again. Where no word is left that each has once, few words are
// compared one by one; many stay without a place, as there is no telling which is which.
func (p *placing) match(g0, g1, q0, q1 int) {
	for g0 < g1 && q0 < q1 && p.given[g0].key == p.printed[q0].key {
		p.pair(g0, q0)
		g0, q0 = g0+1, q0+1
	}
	for g0 < g1 && q0 < q1 && p.given[g1-1].key == p.printed[q1-1].key {
		g1, q1 = g1-1, q1-1
		p.pair(g1, q1)
	}
	if g0 == g1 || q0 == q1 {
		return
	}
	run := ascending(p.once(g0, g1, q0, q1))
	if len(run) == 0 {
		p.compare(g0, g1, q0, q1)
		return
	}
	for _, at := range run {
		p.match(g0, at[0], q0, at[1])
		p.pair(at[0], at[1])
		g0, q0 = at[0]+1, at[1]+1
	}
	p.match(g0, g1, q0, q1)
}

// once are the pairs of words that are in each part exactly once, as they are printed.
func (p *placing) once(g0, g1, q0, q1 int) [][2]int {
	type count struct{ given, printed, at int }
	counts := make(map[string]count, g1-g0)
	for g := g0; g < g1; g++ {
		c := counts[p.given[g].key]
		c.given, c.at = c.given+1, g
		counts[p.given[g].key] = c
	}
	for q := q0; q < q1; q++ {
		if c, ok := counts[p.printed[q].key]; ok {
			c.printed++
			counts[p.printed[q].key] = c
		}
	}
	var pairs [][2]int
	for q := q0; q < q1; q++ {
		if c := counts[p.printed[q].key]; c.given == 1 && c.printed == 1 {
			pairs = append(pairs, [2]int{c.at, q})
		}
	}
	return pairs
}

// ascending is the longest run of pairs whose first numbers ascend.
func ascending(pairs [][2]int) [][2]int {
	var ends []int // of the runs of each length, the index of the least last pair
	before := make([]int, len(pairs))
	for i, pair := range pairs {
		n, _ := slices.BinarySearchFunc(ends, pair[0], func(end, g int) int { return pairs[end][0] - g })
		if before[i] = -1; n > 0 {
			before[i] = ends[n-1]
		}
		ends = append(ends[:n], append([]int{i}, ends[min(n+1, len(ends)):]...)...)
	}
	if len(ends) == 0 {
		return nil
	}
	run := make([][2]int, len(ends))
	for i, at := len(ends)-1, ends[len(ends)-1]; i >= 0; i-- {
		run[i], at = pairs[at], before[at]
	}
	return run
}

// mostCompared bounds the comparisons of words with each other.
const mostCompared = 1 << 18

// compare pairs the longest sequence of words that both parts have, and what is between
// two of its pairs where that is the same with other blanks in it.
func (p *placing) compare(g0, g1, q0, q1 int) {
	n, m := g1-g0, q1-q0
	if n*m > mostCompared {
		return
	}
	longest := make([]uint16, (n+1)*(m+1)) // from i and j on
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if p.given[g0+i].key == p.printed[q0+j].key {
				longest[i*(m+1)+j] = longest[(i+1)*(m+1)+j+1] + 1
			} else {
				longest[i*(m+1)+j] = max(longest[(i+1)*(m+1)+j], longest[i*(m+1)+j+1])
			}
		}
	}
	lastG, lastQ := g0, q0 // behind the last pair
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case p.given[g0+i].key == p.printed[q0+j].key:
			p.respace(lastG, g0+i, lastQ, q0+j)
			p.pair(g0+i, q0+j)
			i, j = i+1, j+1
			lastG, lastQ = g0+i, q0+j
		case longest[(i+1)*(m+1)+j] >= longest[i*(m+1)+j+1]:
			i++
		default:
			j++
		}
	}
	p.respace(lastG, g1, lastQ, q1)
}

// respace places printed words that are given ones with other blanks: a word that was
// printed in two pieces, or two without a gap.
func (p *placing) respace(g0, g1, q0, q1 int) {
	var given, printed strings.Builder
	var at []int // in the text, of each byte of given
	for _, w := range p.given[g0:g1] {
		nth := 0
		for _, r := range w.key {
			for range utf8.RuneLen(r) {
				at = append(at, min(w.start+nth, w.end-1))
			}
			nth++
		}
		given.WriteString(w.key)
	}
	for _, w := range p.printed[q0:q1] {
		printed.WriteString(w.key)
	}
	if len(at) == 0 || given.String() != printed.String() {
		return
	}
	from := 0
	for q := q0; q < q1; q++ {
		if n := len(p.printed[q].key); n > 0 {
			p.found[q] = token{start: at[from], end: at[from+n-1] + 1}
			from += n
		}
	}
}
