package ocrtest

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// A step of reading a page is text, or the same words in several orders.
type step struct {
	text   []rune
	orders [][]step
}

// edits advances a row of the matrix of edit distances to got over the steps,
// by the best of the orders for each place in it.
func edits(steps []step, row []int, got []rune) []int {
	for _, s := range steps {
		if s.orders == nil {
			row = advance(s.text, row, got)
			continue
		}
		best := edits(s.orders[0], row, got)
		for _, order := range s.orders[1:] {
			for j, n := range edits(order, row, got) {
				best[j] = min(best[j], n)
			}
		}
		row = best
	}
	return row
}

// begin is the first row of that matrix: all of got is inserted.
func begin(got []rune) []int {
	row := make([]int, len(got)+1)
	for j := range row {
		row[j] = j
	}
	return row
}

// advance is the row after text was read.
func advance(text []rune, row []int, got []rune) []int {
	row = slices.Clone(row)
	for _, want := range text {
		diagonal := row[0]
		row[0]++
		for j, g := range got {
			substituted := diagonal
			if g != want {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, row[j]+1, row[j+1]+1)
		}
	}
	return row
}

// first is the text of steps in the first of their orders.
func first(steps []step) (text []rune) {
	for _, s := range steps {
		if s.orders != nil {
			text = append(text, first(s.orders[0])...)
		} else {
			text = append(text, s.text...)
		}
	}
	return text
}

var leaders = regexp.MustCompile(`(?:[._·-]\s*){3,}`)

// plain is normalised text with a space after each word, and without leaders.
func plain(s string) []rune {
	words := strings.Fields(leaders.ReplaceAllString(string(normalise(s)), " "))
	if len(words) == 0 {
		return nil
	}
	return []rune(strings.Join(words, " ") + " ")
}

// read lists the orders in which the words of a page may be read.
//
//   - Lines are read one after the other, each from left to right, unless:
//   - Text that runs down two columns is read column by column, and only so.
//   - Other blocks side by side, two of them and none narrower than a quarter
//     of the page's text (signatures, notices), may be read one after the other,
//     all of them or those between two wider spaces.
//   - A row of a table, which is what stands between two blank spaces and has
//     cells of different height, may be read cell by cell. But a number of a
//     clause is read with its clause.
func read(rows []row) (steps []step) {
	left, right := edges(rows)
	for len(rows) > 0 {
		n, at, columns := halves(rows, left, right)
		if n == 0 {
			n = 1
			for n < len(rows) {
				if m, _, _ := halves(rows[n:], left, right); m > 0 {
					break
				}
				n++
			}
			steps = append(steps, table(rows[:n])...)
			rows = rows[n:]
			continue
		}
		one, other := split(rows[:n], at)
		down := append(table(one), table(other)...)
		if columns {
			steps = append(steps, down...)
		} else {
			steps = append(steps, step{orders: [][]step{table(rows[:n]), down, inParts(rows[:n], at)}})
		}
		rows = rows[n:]
	}
	return steps
}

// inParts reads rows that a gutter parts, each part between two spaces wider than
// most by itself: as a table, or one side after the other.
func inParts(rows []row, at float64) (steps []step) {
	var spaces []float64
	for i, r := range rows[1:] {
		spaces = append(spaces, r.top()-rows[i].bottom())
	}
	slices.Sort(spaces)
	usual := spaces[len(spaces)/2]
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].top()-rows[n-1].bottom() < usual+rows[n].height()/2 {
			n++
		}
		one, other := split(rows[:n], at)
		steps = append(steps, step{orders: [][]step{table(rows[:n]), append(table(one), table(other)...)}})
		rows = rows[n:]
	}
	return steps
}

// table reads rows one after the other, and those that are one row of a table
// also cell by cell.
func table(rows []row) (steps []step) {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].top()-rows[n-1].bottom() < 0.35*rows[n].height() {
			n++
		}
		across := step{text: lines(rows[:n])}
		// Where each cell has each line, the lines are rows.
		one := func(column []row) bool { return len(column) < n }
		if columns := parted(rows[:n]); slices.ContainsFunc(columns, one) && !slices.ContainsFunc(columns, numbers) {
			var down []step
			for _, c := range columns {
				down = append(down, step{text: lines(c)})
			}
			across = step{orders: [][]step{{across}, down}}
		}
		steps = append(steps, across)
		rows = rows[n:]
	}
	return steps
}

func lines(rows []row) []rune {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.text() + " ")
	}
	return plain(b.String())
}

// parted is rows as columns, parted at the white that runs down through all of them.
func parted(rows []row) [][]row {
	if len(rows) < 2 {
		return nil
	}
	var columns [][]row
	rest := rows
	for _, gap := range gutters(rows) {
		var one []row
		one, rest = split(rest, (gap[0]+gap[1])/2)
		columns = append(columns, one)
	}
	return append(columns, rest)
}

func split(rows []row, at float64) (left, right []row) {
	for _, r := range rows {
		i, _ := slices.BinarySearchFunc(r, at, func(w word, at float64) int { return cmp.Compare(w.X0, at) })
		if i > 0 {
			left = append(left, r[:i])
		}
		if i < len(r) {
			right = append(right, r[i:])
		}
	}
	return left, right
}

// gutters are the stripes of white, as wide as letters are high and more, that
// run down between words of all rows.
func gutters(rows []row) (gaps [][2]float64) {
	var all row
	for _, r := range rows {
		all = append(all, r...)
	}
	slices.SortFunc(all, func(a, b word) int { return cmp.Compare(a.X0, b.X0) })
	least := cellGap * all.height()
	end := all[0].X1
	for _, w := range all {
		if w.X0-end > least {
			gaps = append(gaps, [2]float64{end, w.X0})
		}
		end = max(end, w.X1)
	}
	return gaps
}

const leastProse = 6 // lines in each of two columns

// halves returns how many of the first rows stand in two blocks side by side,
// where they part, and whether the text runs down in them.
func halves(rows []row, left, right float64) (n int, at float64, columns bool) {
	quarter := (right - left) / 4
	sides := 0 // rows with words on both sides
	for i := range rows {
		gaps := slices.DeleteFunc(gutters(rows[:i+1]), func(g [2]float64) bool {
			return g[0]+g[1] < 2*(left+quarter) || g[0]+g[1] > 2*(right-quarter)
		})
		if len(gaps) == 0 {
			break
		}
		if i > 0 && rows[i].top()-rows[i-1].bottom() > 6*rows[i].height() {
			break
		}
		mid := (gaps[0][0] + gaps[0][1]) / 2
		if first, last := rows[i][0], rows[i][len(rows[i])-1]; first.X0 < mid && last.X0 > mid {
			sides++
			n = i + 1
			if len(gaps) == 1 {
				at = mid
			} else {
				at = math.NaN() // a table of three columns
			}
		} else if i == 0 {
			break
		}
	}
	if sides < 2 || math.IsNaN(at) {
		return 0, 0, false
	}
	// A block that is the longer one ends where its lines do.
	for n < len(rows) && rows[n].top()-rows[n-1].bottom() < 0.35*rows[n].height() &&
		(rows[n][len(rows[n])-1].X1 < at || rows[n][0].X0 > at) {
		n++
	}
	one, other := split(rows[:n], at)
	return n, at, runs(one) && runs(other)
}

// runs reports whether the text of a column runs from line to line: whether
// most lines have four words and more and reach over two thirds of its width.
func runs(rows []row) bool {
	left, right := edges(rows)
	long := 0
	for _, r := range rows {
		if len(r) >= 4 && 3*(r[len(r)-1].X1-r[0].X0) > 2*(right-left) {
			long++
		}
	}
	return long >= leastProse && 2*long > len(rows)
}

// edges are where text begins and ends on a page.
func edges(rows []row) (left, right float64) {
	left, right = math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		left, right = min(left, r[0].X0), max(right, r[len(r)-1].X1)
	}
	return left, right
}

var number = regexp.MustCompile(`^(?:[([]?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5})[.)\]]*|(?:Section|Article|SECTION|ARTICLE)|[•·○▪■-])$`)

// numbers reports whether a column has nothing but numbers of clauses.
func numbers(rows []row) bool {
	for _, r := range rows {
		for _, w := range r {
			if !number.MatchString(w.Text) {
				return false
			}
		}
	}
	return true
}
