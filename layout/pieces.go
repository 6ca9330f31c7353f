package layout

import (
	"cmp"
	"slices"
	"sort"
	"unicode"
)

// Piece is words that follow each other in a line, and the rectangle that marks them.
type Piece struct {
	Start, End int // code points from the start of Page.Text
	Box        Box
}

// maxComparisons bounds the search for words that a rectangle must not cover. Behind it
// every word is a piece by itself.
const maxComparisons = 2_000_000

// Pieces are the words of a page that lie in start..end of its text, wholly or in part:
// one piece for each line, and more where its rectangle would also cover the middle of
// other words. Words without a box are left out.
func Pieces(page Page, start, end int) []Piece {
	others := newMiddles(page.Words, start, end)
	var pieces []Piece
	for _, line := range Lines(page) {
		open := false
		for _, w := range line {
			if w.End <= start || w.Start >= end || start >= end || w.Box == (Box{}) {
				open = false
				continue
			}
			if open {
				p := &pieces[len(pieces)-1]
				if joint := p.Box.Union(w.Box); !others.within(joint) {
					p.End, p.Box = w.End, joint
					continue
				}
			}
			pieces, open = append(pieces, Piece{w.Start, w.End, w.Box}), true
		}
	}
	for i := range pieces {
		pieces[i].Start, pieces[i].End = max(pieces[i].Start, start), min(pieces[i].End, end)
	}
	return pieces
}

// middles are the middles of words, from top to bottom.
type middles struct {
	points [][2]float32
	left   int // comparisons
}

// newMiddles are those of the words outside of start..end.
func newMiddles(words []Word, start, end int) *middles {
	m := &middles{left: maxComparisons}
	for _, w := range words {
		if w.End <= start || w.Start >= end {
			x, y := w.Box.Middle()
			m.points = append(m.points, [2]float32{x, y})
		}
	}
	slices.SortFunc(m.points, func(a, b [2]float32) int { return cmp.Compare(a[1], b[1]) })
	return m
}

// within reports whether one of them is in a box, or that it took too long to find out.
func (m *middles) within(box Box) bool {
	first := sort.Search(len(m.points), func(i int) bool { return m.points[i][1] >= box.Y0 })
	for _, p := range m.points[first:] {
		if m.left--; p[1] > box.Y1 {
			return m.left < 0
		}
		if m.left < 0 || box.Contains(p[0], p[1]) {
			return true
		}
	}
	return m.left < 0
}

// Fraction is b in parts of a page's width and height, cut at its edges and rounded to a
// hundredth of a thousandth: a hundredth of a point of most pages.
func (b Box) Fraction(page Page) Box {
	part := func(v, whole float32) float32 {
		if !(whole > 0) {
			return 0
		}
		return float32(int(min(max(v/whole, 0), 1)*1e5+0.5)) / 1e5
	}
	return Box{part(b.X0, page.Width), part(b.Y0, page.Height), part(b.X1, page.Width), part(b.Y1, page.Height)}
}

// Quarters is by how many quarter turns the text of a page is turned clockwise against the
// page as displayed. Most words are followed by the next one of their line on the right,
// those of a script that runs to the left on the left: where they are followed below, on
// the other side or above instead, the page is turned. It is 0 where no line has two words.
func Quarters(page Page) int {
	var votes [4]int
	text := []rune(page.Text)
	for _, line := range Lines(page) {
		for i := 1; i < len(line); i++ {
			if quarters, ok := step(line[i-1].Box, line[i].Box); ok {
				if leftward(text[line[i-1].Start:line[i-1].End]) && leftward(text[line[i].Start:line[i].End]) {
					quarters ^= 2
				}
				votes[quarters]++
			}
		}
	}
	most := 0
	for quarters, n := range votes {
		if n > votes[most] {
			most = quarters
		}
	}
	return most
}

// step is in which direction b lies from a: 0 right, 1 below, 2 left, 3 above.
func step(a, b Box) (quarters int, ok bool) {
	ax, ay := a.Middle()
	bx, by := b.Middle()
	x, y := bx-ax, by-ay
	switch across, down := max(x, -x), max(y, -y); {
	case across > down && x > 0:
		return 0, true
	case across > down:
		return 2, true
	case down > across && y > 0:
		return 1, true
	case down > across:
		return 3, true
	}
	return 0, false
}

// leftward reports whether a word begins with a letter of a script that runs from right to left.
func leftward(word []rune) bool {
	return len(word) > 0 && unicode.In(word[0], unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}
