package tesseract

import (
	"image"
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

// blocks gathers lines by the blocks that Tesseract has made.
func blocks(lines []line) (blocks []block) {
	for i, l := range lines {
		if i == 0 || l.block != lines[i-1].block {
			blocks = append(blocks, block{})
		}
		b := &blocks[len(blocks)-1]
		b.lines = append(b.lines, l)
		b.box = b.box.Union(l.box)
	}
	return blocks
}

// arrange judges a split of a page by what it splits. Blocks side by side are
// columns if they are two and each as wide as a quarter of the page's text, or
// if the text runs on from line to line in each. All else that stands side by
// side, such as the numbers of clauses and their text or the cells of a table,
// is read line by line across the page.
func arrange(lines []line) []line {
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
		if len(columns) > 1 && !split(columns, text.Dx()) {
			out = append(out, across(beside)...)
			continue
		}
		for _, b := range beside {
			out = append(out, b.lines...)
		}
	}
	return out
}

func top(blocks []block) int {
	return slices.MinFunc(blocks, func(a, b block) int { return a.box.Min.Y - b.box.Min.Y }).box.Min.Y
}

// together takes the first block and all that stand beside it, or beside such
// blocks.
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

// beside reports whether two blocks stand side by side, or have lines that do.
func (b block) beside(other block) bool {
	shared := min(b.box.Max.Y, other.box.Max.Y) - max(b.box.Min.Y, other.box.Min.Y)
	if shared <= 0 {
		return false
	}
	if !overlap(b.box.Min.X, b.box.Max.X, other.box.Min.X, other.box.Max.X) {
		return 2*shared > min(b.lines[0].height(), other.lines[0].height())
	}
	for _, l := range b.lines {
		for _, o := range other.lines {
			if level(l, o) {
				return true
			}
		}
	}
	return false
}

// level reports whether two lines are on one height: whether the middle of the
// lower one is within the other.
func level(a, b line) bool {
	if a.height() > b.height() {
		a, b = b, a
	}
	middle := (a.box.Min.Y + a.box.Max.Y) / 2
	return middle > b.box.Min.Y+b.height()/5 && middle < b.box.Max.Y-b.height()/5
}

func overlap(a, b, c, d int) bool { return a < d && c < b }

// stacks gathers blocks that stand above each other.
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
	return columns
}

// split reports whether blocks side by side are columns.
func split(columns []block, width int) bool {
	wide := !slices.ContainsFunc(columns, func(c block) bool { return 4*c.box.Dx() < width })
	return len(columns) == 2 && wide || !slices.ContainsFunc(columns, func(c block) bool { return !c.runs() })
}

// runs reports whether most lines of a block have four words and more.
func (b block) runs() bool {
	long := 0
	for _, l := range b.lines {
		if len(l.words) >= 4 {
			long++
		}
	}
	return long >= 4 && 2*long > len(b.lines)
}

// across reads blocks line by line. Paragraphs are those of the longest of the
// lines that are joined.
func across(beside []block) (out []line) {
	var all []line
	for _, b := range beside {
		all = append(all, b.lines...)
	}
	slices.SortStableFunc(all, func(a, b line) int { return a.box.Min.Y + a.box.Max.Y - b.box.Min.Y - b.box.Max.Y })
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
