package tesseract

import (
	"image"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// leastTable is the lines of a table that no rules show: through fewer, white may
// run by chance.
const leastTable = 5

// A table is lines through which white runs down, parted there. Its rows are
// what stands side by side between two rules, or else between two blank spaces.
type table struct{ rows []tableRow }

// A tableRow has the lines as they were read across, and by column.
type tableRow struct {
	across  []line
	columns []block
	ruled   bool // above and below
}

// tableOf is the table that begins with the first of lines, without rows where
// none does. Cells between rules stand closer to each other than others.
func tableOf(lines []line, rules []image.Rectangle) table {
	if t := tableBetween(lines, rules, 0.6); t.ruled() {
		return t
	}
	return tableBetween(lines, rules, 1.2)
}

// tableBetween is the table whose columns are parted by white as wide as a line
// is high, times gap.
func tableBetween(lines []line, rules []image.Rectangle, gap float64) (t table) {
	n, gutters := stripes(lines, gap)
	if n < 2 {
		return table{}
	}
	middles := make([]float32, n)
	for i, l := range lines[:n] {
		middles[i] = l.middle()
	}
	rule := make([]bool, n+1) // above each line, and below the last
	for i := range rule {
		above, below := middles[max(i-1, 0)], middles[min(i, n-1)]
		switch i {
		case 0:
			above -= 2 * float32(lines[0].height())
		case n:
			below += 2 * float32(lines[n-1].height())
		}
		rule[i] = slices.ContainsFunc(rules, func(r image.Rectangle) bool {
			y := float32(r.Min.Y+r.Max.Y) / 2
			return above < y && y < below && r.Min.X < gutters[0][0] && gutters[len(gutters)-1][1] < r.Max.X
		})
	}
	ruled := slices.Contains(rule[1:n], true)
	pitch := pitch(middles)
	var before []bool // columns that the line before has words in
	for i, l := range lines[:n] {
		cells := l.cut(gutters)
		here := make([]bool, len(cells))
		again := false // a column has words that had none
		for c, cell := range cells {
			here[c] = len(cell.words) > 0
			again = again || i > 0 && here[c] && !before[c]
		}
		if i == 0 || rule[i] || !ruled && (again || middles[i]-middles[i-1] > 1.3*pitch) {
			t.rows = append(t.rows, tableRow{columns: make([]block, len(cells)), ruled: rule[i]})
		}
		row := &t.rows[len(t.rows)-1]
		row.across = append(row.across, l)
		for c, cell := range cells {
			if here[c] {
				row.columns[c].add(cell)
			}
		}
		if last := i == n-1; last || rule[i+1] {
			row.ruled = row.ruled && rule[i+1]
		}
		before = here
	}
	return t
}

// holdsCells reports whether there is a table among lines that is to be read cell
// by cell.
func holdsCells(lines []line, rules []image.Rectangle) bool {
	for i := range lines {
		if tableOf(lines[i:], rules).cells() {
			return true
		}
	}
	return false
}

// stripes returns the stripes of white that run down between words of the first
// line, and through how many lines: so that lines and stripes are most.
func stripes(lines []line, gap float64) (n int, white [][2]int) {
	var open [][2]int
	for i, w := range lines[0].words[1:] {
		open = append(open, [2]int{int(lines[0].words[i].Box[2]), int(w.Box[0])})
	}
	for i, l := range lines {
		if i > 0 && l.box.Min.Y-lines[i-1].box.Max.Y > 3*l.height() {
			break
		}
		for _, w := range l.words {
			b := bounds(w)
			var rest [][2]int
			for _, g := range open {
				for _, part := range [][2]int{{g[0], min(g[1], b.Min.X)}, {max(g[0], b.Max.X), g[1]}} {
					if b.Min.X >= g[1] || b.Max.X <= g[0] {
						part = g
					}
					if float64(part[1]-part[0]) >= gap*float64(l.height()) && !slices.Contains(rest, part) {
						rest = append(rest, part)
					}
				}
			}
			open = rest
		}
		if len(open) == 0 {
			break
		}
		if (i+1)*len(open) > n*len(white) {
			n, white = i+1, slices.Clone(open)
		}
	}
	slices.SortFunc(white, func(a, b [2]int) int { return a[0] - b[0] })
	return n, white
}

func (l line) middle() float32 { top, end := l.heights(); return (top + end) / 2 }

// pitch is the distance between lines that follow each other closely.
func pitch(middles []float32) float32 {
	var all []float32
	for i, m := range middles[1:] {
		all = append(all, m-middles[i])
	}
	slices.Sort(all)
	return all[len(all)/4]
}

// cut parts a line at gutters; some parts may have no words.
func (l line) cut(gutters [][2]int) []line {
	cells := make([]line, len(gutters)+1)
	for i := range cells {
		cells[i] = line{block: l.block, paragraph: l.paragraph}
	}
	for _, w := range l.words {
		at := 0
		for at < len(gutters) && 2*int(w.Box[0]) > gutters[at][0]+gutters[at][1] {
			at++
		}
		cells[at].add(w)
	}
	return cells
}

// ruled reports whether a row between rules is to be read cell by cell.
func (t table) ruled() bool {
	return slices.ContainsFunc(t.rows, func(r tableRow) bool { return r.ruled && t.byCell(r) })
}

func (t table) lines() (n int) {
	for _, r := range t.rows {
		n += len(r.across)
	}
	return n
}

// cells reports whether a row is to be read cell by cell. Where no rules part rows,
// text must run on in two columns: one alone is text with numbers beside it.
func (t table) cells() bool {
	if t.ruled() {
		return true
	}
	running := map[int]bool{}
	for _, r := range t.rows {
		for c, cell := range r.columns {
			if len(cell.lines) > 1 && t.byCell(r) {
				running[c] = true
			}
		}
	}
	return len(running) > 1 && t.lines() >= leastTable
}

// byCell reports whether a row holds text that runs on within its cells, and not
// several rows: whether most lines go on in the next of their cell, whose first
// word had no place in them, which begins small and where the cell does. Single
// words are items. Cells that all have the same number of lines may be rows unless
// they stand between rules.
func (t table) byCell(r tableRow) bool {
	uneven := r.ruled
	var lines, pairs, words, full, small, aligned int
	for c, cell := range r.columns {
		uneven = uneven || len(cell.lines) > 0 && len(cell.lines) < len(r.across)
		if len(cell.lines) < 2 {
			continue
		}
		if cell.figures() {
			return false
		}
		end := t.end(c)
		for i, l := range cell.lines {
			lines++
			words += len(l.words)
			if 2*(l.box.Min.X-cell.box.Min.X) < l.height() {
				aligned++
			}
			if i == 0 {
				continue
			}
			pairs++
			if cell.lines[i-1].box.Max.X+bounds(l.words[0]).Dx()+l.height()/4 > end {
				full++
			}
			if r, _ := utf8.DecodeRuneInString(l.words[0].Text); unicode.IsLower(r) {
				small++
			}
		}
	}
	return pairs > 0 && uneven && 3*full >= 2*pairs && 2*small >= pairs && 3*aligned >= 2*lines && words >= 2*lines
}

// end is where the text of a column ends.
func (t table) end(column int) int {
	end := math.MinInt
	for _, r := range t.rows {
		end = max(end, r.columns[column].box.Max.X)
	}
	return end
}

// read reads rows one after the other, those of text cell by cell. What follows
// a cell of one line stands beside it.
func (t table) read() (out []line) {
	for _, r := range t.rows {
		if !t.byCell(r) {
			out = append(out, r.across...)
			continue
		}
		beside := false
		for c, cell := range r.columns {
			for i, l := range cell.lines {
				l.paragraph = l.paragraph*len(r.columns) + c // not that of the cell before
				if last := len(out) - 1; beside && i == 0 && level(out[last], l) {
					l.words = slices.Concat(out[last].words, l.words)
					l.box = l.box.Union(out[last].box)
					out[last] = l
					continue
				}
				out = append(out, l)
			}
			beside = len(cell.lines) == 1 || beside && len(cell.lines) == 0
		}
	}
	return out
}
