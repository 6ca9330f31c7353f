package tesseract

import (
	"cmp"
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/otiai10/gosseract/v2"

	"github.com/clausemill/clausemill/ocr"
)

// A line is one that Tesseract has found. Its paragraph is its own only within
// its block.
type line struct {
	words            []ocr.Reading
	box              image.Rectangle
	block, paragraph int
}

func (l line) height() int { return l.box.Dy() }

// add puts a word at the end of a line.
func (l *line) add(w ocr.Reading) {
	l.words = append(l.words, w)
	l.box = l.box.Union(bounds(w))
}

func bounds(w ocr.Reading) image.Rectangle {
	return image.Rect(int(w.Box[0]), int(w.Box[1]), int(w.Box[2]), int(w.Box[3]))
}

// group makes lines of the words that Tesseract has numbered by block,
// paragraph and line. Words without text are left out, and so are lines of
// nothing else.
func group(boxes []gosseract.BoundingBox) (lines []line) {
	var last gosseract.BoundingBox // numbers begin with 1
	for _, b := range boxes {
		text := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar {
				return -1
			}
			return r
		}, b.Word)
		if text == "" {
			continue
		}
		if b.BlockNum != last.BlockNum || b.ParNum != last.ParNum || b.LineNum != last.LineNum {
			lines = append(lines, line{block: b.BlockNum, paragraph: b.ParNum})
		}
		lines[len(lines)-1].add(ocr.Reading{
			Text:       text,
			Box:        [4]float32{float32(b.Box.Min.X), float32(b.Box.Min.Y), float32(b.Box.Max.X), float32(b.Box.Max.Y)},
			Confidence: float32(b.Confidence),
		})
		last = b
	}
	return lines
}

// paragraphs parts lines where their blocks or paragraphs change.
func paragraphs(lines []line) (paragraphs [][][]ocr.Reading) {
	for i, l := range lines {
		if i == 0 || l.block != lines[i-1].block || l.paragraph != lines[i-1].paragraph {
			paragraphs = append(paragraphs, nil)
		}
		paragraphs[len(paragraphs)-1] = append(paragraphs[len(paragraphs)-1], l.words)
	}
	return paragraphs
}

// A block is lines that are read one after the other.
type block struct {
	lines []line
	box   image.Rectangle
}

func (b *block) add(lines ...line) {
	for _, l := range lines {
		b.lines = append(b.lines, l)
		b.box = b.box.Union(l.box)
	}
}

// blocks gathers lines by the blocks that Tesseract has made.
func blocks(lines []line) (blocks []block) {
	for i, l := range lines {
		if i == 0 || l.block != lines[i-1].block {
			blocks = append(blocks, block{})
		}
		blocks[len(blocks)-1].add(l)
	}
	return blocks
}

// arrange judges a split of a page by what it splits. Blocks side by side are
// columns if the text runs on from line to line in each, or if they are two,
// each as wide as a quarter of the page's text and not of figures, which belong
// to what is beside them. Between columns is nothing but white: ink is that of
// the page's letters. All else that shares a height, such as
// the numbers of clauses and their text or the cells of a table, is read line
// by line across the page.
func arrange(lines []line, ink, rules []image.Rectangle) []line {
	all := blocks(lines)
	var text image.Rectangle
	for _, b := range all {
		text = text.Union(b.box)
	}
	var bands [][]block
	for len(all) > 0 {
		var beside []block
		beside, all = together(all)
		bands = append(bands, beside)
	}
	slices.SortStableFunc(bands, func(a, b []block) int { return top(a) - top(b) })
	var out []line
	for _, beside := range bands {
		columns := stacks(beside)
		switch {
		case len(beside) == 1:
			out = append(out, beside[0].lines...)
		case len(columns) > 1 && !slices.ContainsFunc(columns, func(c block) bool { return !c.runs() }) && apart(columns, ink):
			above, columns, below := spanning(columns)
			out = append(out, above...)
			for _, c := range columns {
				out = append(out, across(c.lines)...)
			}
			out = append(out, below...)
		case holdsCells(across(flat(beside)), rules):
			out = append(out, across(flat(beside))...) // down parts them again
		default:
			for _, part := range parts(beside) {
				columns := stacks(part)
				aside := func(c block) bool { return 4*c.box.Dx() < text.Dx() || c.figures() }
				if len(columns) != 2 || slices.ContainsFunc(columns, aside) || !apart(columns, ink) {
					columns = []block{{lines: flat(columns)}}
				}
				for _, c := range columns {
					out = append(out, across(c.lines)...)
				}
			}
		}
	}
	return down(out, rules)
}

func flat(blocks []block) (lines []line) {
	for _, b := range blocks {
		lines = append(lines, b.lines...)
	}
	return lines
}

// parts cuts blocks side by side where all of them have white as high as a line.
func parts(beside []block) (parts [][]block) {
	all := flat(beside)
	slices.SortStableFunc(all, func(a, b line) int { return a.box.Min.Y - b.box.Min.Y })
	var end int
	for i, l := range all {
		if i == 0 || l.box.Min.Y-end > l.height() {
			parts = append(parts, nil)
			end = l.box.Max.Y
		}
		end = max(end, l.box.Max.Y)
		part := &parts[len(parts)-1]
		at := slices.IndexFunc(*part, func(b block) bool { return b.lines[0].block == l.block })
		if at < 0 {
			at = len(*part)
			*part = append(*part, block{})
		}
		(*part)[at].add(l)
	}
	return parts
}

// apart reports whether there is no ink between columns but for thin lines: the
// text is not cut by a stamp.
func apart(columns []block, ink []image.Rectangle) bool {
	for i, right := range columns[1:] {
		left := columns[i]
		height := right.lines[0].height()
		gap := image.Rect(left.box.Max.X, max(left.box.Min.Y, right.box.Min.Y), right.box.Min.X, min(left.box.Max.Y, right.box.Max.Y))
		if slices.ContainsFunc(ink, func(b image.Rectangle) bool { return b.Overlaps(gap) && b.Dx() > height }) {
			return false
		}
	}
	return true
}

// spanning takes the lines above and below two columns that go on over both of them: that
// have a space of words where the columns have a gutter, at which they were cut.
func spanning(columns []block) (above []line, within []block, below []line) {
	if len(columns) != 2 {
		return nil, columns, nil
	}
	left, right := across(columns[0].lines), across(columns[1].lines)
	for len(left) > 1 && len(right) > 1 && goOn(left[0], right[0]) {
		above = append(above, across([]line{left[0], right[0]})...)
		left, right = left[1:], right[1:]
	}
	for len(left) > 1 && len(right) > 1 && goOn(left[len(left)-1], right[len(right)-1]) {
		below = append(across([]line{left[len(left)-1], right[len(right)-1]}), below...)
		left, right = left[:len(left)-1], right[:len(right)-1]
	}
	var rest [2]block
	rest[0].add(left...)
	rest[1].add(right...)
	gutter := rest[1].box.Min.X - rest[0].box.Max.X
	if 5*gutter < 6*left[0].height() {
		return nil, columns, nil // the columns are no further apart than words
	}
	return above, rest[:], below
}

// goOn reports whether two lines on one height are no further apart than words are.
func goOn(left, right line) bool {
	return level(left, right) && right.box.Min.X-left.box.Max.X < left.height()
}

func top(blocks []block) int {
	return slices.MinFunc(blocks, func(a, b block) int { return a.box.Min.Y - b.box.Min.Y }).box.Min.Y
}

// together takes the first block and all that share a height with it, or with
// such blocks.
func together(all []block) (beside, rest []block) {
	beside, rest = slices.Clone(all[:1]), slices.Clone(all[1:])
	for i := 0; i < len(rest); i++ {
		if slices.ContainsFunc(beside, func(b block) bool { return b.beside(rest[i]) }) {
			beside = append(beside, rest[i])
			rest = slices.Delete(rest, i, i+1)
			i = -1
		}
	}
	return beside, rest
}

// beside reports whether two blocks share more of their heights than half a line.
func (b block) beside(other block) bool {
	shared := min(b.box.Max.Y, other.box.Max.Y) - max(b.box.Min.Y, other.box.Min.Y)
	return 2*shared > min(b.lines[0].height(), other.lines[0].height())
}

// level reports whether two lines are on one height: whether the middle of the
// lower one is well within the other.
func level(a, b line) bool {
	aTop, aEnd := a.heights()
	bTop, bEnd := b.heights()
	if aEnd-aTop > bEnd-bTop {
		aTop, aEnd, bTop, bEnd = bTop, bEnd, aTop, aEnd
	}
	middle, margin := (aTop+aEnd)/2, (bEnd-bTop)/5
	return middle > bTop+margin && middle < bEnd-margin
}

// heights are where the words of a line begin and end in the median, since
// a stroke of the pen makes one of them higher.
func (l line) heights() (top, end float32) {
	tops, ends := make([]float32, len(l.words)), make([]float32, len(l.words))
	for i, w := range l.words {
		tops[i], ends[i] = w.Box[1], w.Box[3]
	}
	slices.Sort(tops)
	slices.Sort(ends)
	return tops[len(tops)/2], ends[len(ends)/2]
}

func overlap(a, b, c, d int) bool { return a < d && c < b }

// stacks gathers blocks that stand above each other, from left to right.
func stacks(beside []block) (columns []block) {
	for _, b := range beside {
		for i := 0; i < len(columns); i++ {
			if c := columns[i]; overlap(b.box.Min.X, b.box.Max.X, c.box.Min.X, c.box.Max.X) {
				b = block{append(slices.Clone(c.lines), b.lines...), c.box.Union(b.box)}
				columns = slices.Delete(columns, i, i+1)
				i = -1
			}
		}
		columns = append(columns, b)
	}
	slices.SortFunc(columns, func(a, b block) int { return a.box.Min.X - b.box.Min.X })
	return columns
}

// runs reports whether the text of a block runs on from line to line: whether
// most lines have four words and more and reach over two thirds of its width.
// Figures do not, however many stand in a line.
func (b block) runs() bool {
	long := 0
	for _, l := range b.lines {
		if len(l.words) >= 4 && 3*l.box.Dx() > 2*b.box.Dx() {
			long++
		}
	}
	return long >= 4 && 2*long > len(b.lines) && !b.figures()
}

// figures reports whether most words of a block are numbers.
func (b block) figures() bool {
	var words, numbers int
	for _, l := range b.lines {
		for _, w := range l.words {
			words++
			if !strings.ContainsFunc(w.Text, unicode.IsLetter) {
				numbers++
			}
		}
	}
	return 2*numbers > words
}

// across reads lines of several blocks from top to bottom, and those on one
// height from left to right. Paragraphs are those of the longest of the lines
// that are joined.
func across(lines []line) (out []line) {
	middle := func(l line) float32 { top, end := l.heights(); return top + end }
	all := slices.SortedStableFunc(slices.Values(lines), func(a, b line) int { return cmp.Compare(middle(a), middle(b)) })
	for len(all) > 0 {
		longest, n := all[0], 1
		for n < len(all) && level(longest, all[n]) {
			if all[n].box.Dx() > longest.box.Dx() {
				longest = all[n]
			}
			n++
		}
		joined := line{block: longest.block, paragraph: longest.paragraph}
		parts := slices.SortedStableFunc(slices.Values(all[:n]), func(a, b line) int { return a.box.Min.X - b.box.Min.X })
		for _, part := range parts {
			for _, w := range part.words {
				joined.add(w)
			}
		}
		out = append(out, joined)
		all = all[n:]
	}
	return out
}

// down reads text column by column that was read across two of them: where
// white runs down through lines, and the text runs on from line to line on both
// sides of it. Tables whose cells hold text are read cell by cell.
func down(lines []line, rules []image.Rectangle) (out []line) {
	for len(lines) > 0 {
		t := tableOf(lines, rules)
		if t.ruled() && t.cells() {
			out = append(out, t.read()...)
			lines = lines[t.lines():]
			continue
		}
		n, at := gutter(lines)
		left, right := block{}, block{}
		for _, l := range lines[:n] {
			one, other := l.part(at)
			left.add(one...)
			right.add(other...)
		}
		switch {
		case left.runs() && right.runs():
			for _, l := range right.lines {
				l.block = math.MinInt + l.block // not that of the left side
				left.lines = append(left.lines, l)
			}
			out = append(out, left.lines...)
			lines = lines[n:]
		case t.cells():
			out = append(out, t.read()...)
			lines = lines[t.lines():]
		default:
			out = append(out, lines[0])
			lines = lines[1:]
		}
	}
	return out
}

// gutter returns through how many of the first lines a stripe of white runs
// that parts words of the first, and where it is.
func gutter(lines []line) (n, at int) {
	for i, w := range lines[0].words[1:] {
		from, to := int(lines[0].words[i].Box[2]), int(w.Box[0])
		rows := 0
		for ; rows < len(lines); rows++ {
			l := lines[rows]
			before, after := math.MinInt, math.MaxInt // where the words about the stripe end and begin
			for _, w := range l.words {
				if b := bounds(w); 2*b.Min.X < from+to && b.Max.X < to {
					before = max(before, b.Max.X)
				} else {
					after = min(after, b.Min.X)
				}
			}
			if min(to, after)-max(from, before) < l.height()*6/5 {
				break
			}
			from, to = max(from, before), min(to, after)
		}
		if rows > n {
			n, at = rows, (from+to)/2
		}
	}
	return n, at
}

// part cuts a line in two.
func (l line) part(at int) (left, right []line) {
	halves := [2]line{{block: l.block, paragraph: l.paragraph}, {block: l.block, paragraph: l.paragraph}}
	for _, w := range l.words {
		half := &halves[0]
		if int(w.Box[0]) > at {
			half = &halves[1]
		}
		half.add(w)
	}
	if len(halves[0].words) > 0 {
		left = halves[:1]
	}
	if len(halves[1].words) > 0 {
		right = halves[1:]
	}
	return left, right
}
