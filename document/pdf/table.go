package pdf

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/layout"
)

// Few PDFs say what their tables are, but most draw lines around the cells. The engine
// reads words as they follow each other, mostly line by line across all columns; in a
// table that is drawn they belong together by cell.

// Bounds of what is looked at, and of what counts as a table.
const (
	maxTables           = 100 // of a page
	maxTableComparisons = 20_000_000
	meeting             = 3.0  // points between lines that meet: cells may have borders of their own
	maxCrossing         = 0.05 // share of the words that go over a line between columns
	leastInner          = 4    // lines of a cell from which it may have columns of its own
	innerGap            = 3.0  // between those, in heights of the words
	leastSpan           = 3    // rows that a cell may go over, before its lines may be theirs
	tallWord            = 4    // letters from which a word that is higher than wide stands upright
)

// A cell is where a word is in a table: rows and columns count from 1, and no two tables of
// a file have one number.
type cell struct{ table, row, column int }

// A grid is lines that meet each other.
type grid struct {
	box            layout.Box
	level, upright []layout.Box
	columns, rows  edges
}

// edges are where cells may begin and end, in order, with the lines there: from where to
// where each goes.
type edges struct {
	at    []float32
	lines [][][2]float32
	left  int // comparisons
}

// tabulate moves the words of tables that are drawn with lines: each row becomes a line,
// whose words say in which cell they are. The number of the page makes those of its tables.
func tabulate(lines [][]run, rules []layout.Box, number int) [][]run {
	grids := gridsOf(rules)
	if len(grids) == 0 || sideways(lines) {
		return lines
	}
	in := func(w run) int {
		x, y := w.box.Middle()
		return slices.IndexFunc(grids, func(g *grid) bool { return g.box.Contains(x, y) })
	}
	tables := make([]table, len(grids))
	for _, line := range lines {
		for _, w := range line {
			if i := in(w); i >= 0 {
				tables[i].add(grids[i], w)
			}
		}
	}
	drawn := 0
	for i := range tables {
		if tables[i].holds(grids[i]) {
			drawn++
			tables[i].number = number<<8 | drawn
		}
	}
	if drawn == 0 {
		return lines
	}
	out := make([][]run, 0, len(lines))
	for _, line := range lines {
		var rest []run
		for _, w := range line {
			i := in(w)
			if i < 0 || tables[i].number == 0 {
				rest = append(rest, w)
				continue
			}
			if t := &tables[i]; !t.written {
				t.written = true
				if len(rest) > 0 {
					out, rest = append(out, rest), nil
				}
				out = append(out, t.rows(grids[i])...)
			}
		}
		if len(rest) > 0 {
			out = append(out, rest)
		}
	}
	return out
}

// sideways reports whether most words run up or down the page, where cells have no lines
// from left to right.
func sideways(lines [][]run) bool {
	up, across := 0, 0
	for _, line := range lines {
		for _, w := range line {
			switch width, height := w.box.X1-w.box.X0, w.box.Y1-w.box.Y0; {
			case utf8.RuneCountInString(w.text) < tallWord:
			case height > width:
				up++
			default:
				across++
			}
		}
	}
	return up > across
}

// gridsOf finds the lines that meet, the smallest grids first.
func gridsOf(rules []layout.Box) []*grid {
	level, upright := sortRules(rules)
	if len(level) == 0 || len(upright) == 0 {
		return nil
	}
	// of is the grid that each line belongs to, by way of others: first the level ones.
	of := make([]int, len(level)+len(upright))
	for i := range of {
		of[i] = i
	}
	root := func(i int) int {
		for of[i] != i {
			of[i] = of[of[i]]
			i = of[i]
		}
		return i
	}
	left := maxRuleComparisons
	for i, l := range level {
		from := sort.Search(len(upright), func(j int) bool { return upright[j].X0 >= l.X0-thickRule-meeting })
		for j, u := range upright[from:] {
			if left--; u.X0 > l.X1+meeting {
				break
			}
			if left < 0 {
				return nil
			}
			if u.X1 >= l.X0-meeting && u.Y0 <= l.Y1+meeting && u.Y1 >= l.Y0-meeting {
				of[root(len(level)+from+j)] = root(i)
			}
		}
	}
	byRoot := map[int]*grid{}
	var grids []*grid
	for i := range of {
		r := root(i)
		g := byRoot[r]
		if g == nil {
			g = &grid{}
			byRoot[r] = g
			grids = append(grids, g)
		}
		if i < len(level) {
			g.level = append(g.level, level[i])
		} else {
			g.upright = append(g.upright, upright[i-len(level)])
		}
	}
	grids = slices.DeleteFunc(grids, func(g *grid) bool { return !g.measure() })
	slices.SortFunc(grids, func(a, b *grid) int { return cmp.Compare(area(a.box), area(b.box)) })
	return grids[:min(len(grids), maxTables)]
}

// measure finds the edges of the cells, and reports whether there are two columns and two
// rows of them.
func (g *grid) measure() bool {
	if len(g.level) == 0 || len(g.upright) == 0 {
		return false
	}
	g.box = g.level[0]
	for _, l := range slices.Concat(g.level, g.upright) {
		g.box = g.box.Union(l)
	}
	g.columns, g.rows = newEdges(g.box.X0, g.box.X1), newEdges(g.box.Y0, g.box.Y1)
	for _, u := range g.upright {
		x, _ := u.Middle()
		g.columns.add(x, u.Y0, u.Y1)
	}
	for _, l := range g.level {
		_, y := l.Middle()
		g.rows.add(y, l.X0, l.X1)
	}
	g.columns.join()
	g.rows.join()
	return len(g.columns.at) > 2 && len(g.rows.at) > 2
}

func newEdges(first, last float32) edges {
	return edges{at: []float32{first, last}, lines: [][][2]float32{nil, nil}, left: maxTableComparisons}
}

func (e *edges) add(at, from, to float32) {
	e.at, e.lines = append(e.at, at), append(e.lines, [][2]float32{{from, to}})
}

// join sorts the edges, and makes one of those that are close together.
func (e *edges) join() {
	order := make([]int, len(e.at))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(e.at[i], e.at[j]) })
	joined := edges{left: e.left}
	for _, i := range order {
		last := len(joined.at) - 1
		if last < 0 || e.at[i]-joined.at[last] > 2*meeting {
			joined.at, joined.lines = append(joined.at, e.at[i]), append(joined.lines, nil)
			last++
		}
		joined.lines[last] = append(joined.lines[last], e.lines[i]...)
	}
	*e = joined
}

// before is the edge at or before v that has a cell behind it.
func (e *edges) before(v float32) int {
	i := sort.Search(len(e.at), func(i int) bool { return e.at[i] > v }) - 1
	return min(max(i, 0), len(e.at)-2)
}

// parts reports whether a line at an edge goes past a place across it.
func (e *edges) parts(edge int, across float32) bool {
	e.left -= len(e.lines[edge]) + 1
	return e.left > 0 && slices.ContainsFunc(e.lines[edge], func(l [2]float32) bool { return l[0] <= across+meeting && l[1] >= across-meeting })
}

// place is the row and the column of a point, from 0. Cells that no line parts are one,
// which has the place of its upper left.
func (g *grid) place(x, y float32) (row, column int) {
	row, column = g.rows.before(y), g.columns.before(x)
	for column > 0 && !g.columns.parts(column, y) {
		column--
	}
	for row > 0 && !g.rows.parts(row, x) {
		row--
	}
	return row, column
}

// right is where the cell at a row and column ends.
func (g *grid) right(row, column int) float32 {
	y := (g.rows.at[row] + g.rows.at[row+1]) / 2
	for column++; column+1 < len(g.columns.at) && !g.columns.parts(column, y); {
		column++
	}
	return g.columns.at[column]
}

// A table is the words of a grid by their cells.
type table struct {
	number   int // 0 for none: what is drawn there is no table
	written  bool
	words    map[[2]int][]run // by row and column
	crossing int              // words that go over a line between columns
	all      int
}

func (t *table) add(g *grid, w run) {
	if t.words == nil {
		t.words = map[[2]int][]run{}
	}
	row, column := g.place(w.box.Middle())
	t.words[[2]int{row, column}] = append(t.words[[2]int{row, column}], w)
	t.all++
	inner := (w.box.X1 - w.box.X0) / 4
	_, y := w.box.Middle()
	if over := g.columns.before(w.box.X1 - inner); over > column && g.columns.at[over] > w.box.X0+inner && g.columns.parts(over, y) {
		t.crossing++
	}
}

// holds reports whether the words are those of a table: some row has two cells, there are
// two rows, words stay within the lines, and no cell is set in columns or has a line for each
// of the rows beside it, as forms are that have lines around some of their parts.
func (t *table) holds(g *grid) bool {
	if g.columns.left <= 0 || g.rows.left <= 0 {
		return false
	}
	rows, beside := map[int]bool{}, false
	for at, words := range t.words {
		beside = beside || rows[at[0]]
		rows[at[0]] = true
		starts := append(sortCell(words), len(words))
		lines := len(starts) - 1
		if lines < leastInner {
			continue
		}
		if over := g.spans(at[0], words[0]); 2*gaps(words, starts) >= lines || over >= leastSpan && 2*lines >= over {
			return false
		}
	}
	return beside && len(rows) > 1 && float64(t.crossing) <= maxCrossing*float64(t.all)
}

// gaps counts the lines of a cell that have a wide gap.
func gaps(words []run, starts []int) (wide int) {
	for k := range starts[1:] {
		line := words[starts[k]:starts[k+1]]
		for i := 1; i < len(line); i++ {
			if w := line[i].box; w.X0-line[i-1].box.X1 > innerGap*(w.Y1-w.Y0) {
				wide++
				break
			}
		}
	}
	return wide
}

// spans is how many rows the cell of a word goes over that begins in a row.
func (g *grid) spans(row int, w run) int {
	x, _ := w.box.Middle()
	n := 1
	for row+n < len(g.rows.at)-1 && !g.rows.parts(row+n, x) {
		n++
	}
	return n
}

// rows are the lines of the table: words of a cell in one line where the page only wrapped
// them.
func (t *table) rows(g *grid) (rows [][]run) {
	places := make([][2]int, 0, len(t.words))
	for at := range t.words {
		places = append(places, at)
	}
	slices.SortFunc(places, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	for i, at := range places {
		if i == 0 || places[i-1][0] != at[0] {
			rows = append(rows, nil)
		}
		row := &rows[len(rows)-1]
		words := t.words[at]
		wrap(words, g.columns.at[at[1]], g.right(at[0], at[1]))
		if len(*row) > 0 {
			words[0].before = '\t'
		}
		for j := range words {
			words[j].cell = cell{t.number, len(rows), at[1] + 1}
		}
		*row = append(*row, words...)
	}
	return rows
}

// wrap puts the words of a cell from left to right in order, and marks those that begin a
// line which somebody meant: one whose first word had room in the line above, or that is
// further below than usual.
func wrap(words []run, left, right float32) {
	starts := sortCell(words)
	padding := right - left
	for _, w := range words {
		padding = min(padding, w.box.X0-left, right-w.box.X1)
	}
	room := right - left - 2*max(padding, 0)
	for k, i := range starts[1:] {
		from, last, w := words[starts[k]].box, words[i-1].box, words[i].box
		height := w.Y1 - w.Y0
		fits := last.X1-from.X0+height/3+w.X1-w.X0 < room
		if fits || w.Y1-last.Y1 > 2*height {
			words[i].before = '\n'
		}
	}
}

// sortCell sorts words from top to bottom, and within a line from left to right, and tells
// where lines start. Bullets are often drawn by themselves. What is written from right to
// left has its order already.
func sortCell(words []run) (starts []int) {
	middle := func(w run) float32 { return (w.box.Y0 + w.box.Y1) / 2 }
	within := func(y float32, b layout.Box) bool { return y >= b.Y0 && y <= b.Y1 }
	turned := func(w run) bool { return strings.ContainsFunc(w.text, isRightToLeft) }
	slices.SortStableFunc(words, func(a, b run) int { return cmp.Compare(middle(a), middle(b)) })
	for i := 0; i < len(words); {
		starts = append(starts, i)
		end := i + 1
		for end < len(words) && (within(middle(words[end]), words[i].box) || within(middle(words[i]), words[end].box)) {
			end++
		}
		if line := words[i:end]; !slices.ContainsFunc(line, turned) {
			slices.SortStableFunc(line, func(a, b run) int { return cmp.Compare(a.box.X0, b.box.X0) })
		}
		i = end
	}
	return starts
}
