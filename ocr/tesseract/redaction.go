package tesseract

import (
	"image"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/clausemill/clausemill/ocr"
)

const (
	// mostMarks is the number of marks between the brackets of a redaction.
	mostMarks = 12

	// mostRedactions is the number of redactions of a page. One with more is a pattern.
	mostRedactions = 1000

	// unread is the block of the first redaction; where nothing was read in its place, each
	// is a block of its own.
	unread = -1 << 30

	// sureOfRedaction is the confidence of a redaction, in percent: it is measured, not guessed.
	sureOfRedaction = 95
)

// A redaction stands for words that were taken out of a contract, such as [***], or are
// yet to be put in: [•]. Tesseract takes those that stand alone, as in a table, for letters.
type redaction struct {
	box  image.Rectangle
	text string
}

// readRedaction is a redaction in words that Tesseract has read.
var readRedaction = regexp.MustCompile(`\[\*+\]`)

// redactions finds brackets with nothing but asterisks or a bullet between them, by the
// shapes of the pieces of a binary image.
func redactions(ink pix, pieces []image.Rectangle, letter int) (found []redaction) {
	all := slices.Clone(pieces)
	slices.SortFunc(all, func(a, b image.Rectangle) int { return a.Min.X - b.Min.X })
	for _, opening := range all {
		if !mayBracket(opening, letter) || ink.bracket(opening) != opens {
			continue
		}
		next := sort.Search(len(all), func(i int) bool { return all[i].Min.X >= opening.Max.X })
		if r, ok := redacted(ink, opening, all[next:]); ok {
			found = append(found, r)
		}
		if len(found) > mostRedactions {
			return nil
		}
	}
	return found
}

// mayBracket reports whether a piece has the size of a bracket among letters whose x-height is letter.
func mayBracket(b image.Rectangle, letter int) bool {
	return 3*letter <= 2*b.Dy() && b.Dy() <= 4*letter && 2*b.Dx() <= b.Dy()
}

// redacted is the redaction that an opening bracket begins. The pieces to its right are
// ordered from left to right.
func redacted(ink pix, opening image.Rectangle, right []image.Rectangle) (redaction, bool) {
	height := opening.Dy()
	var words [][]image.Rectangle // the pieces of marks without a space between
	end := opening.Max.X
	for _, p := range right {
		last := len(words) - 1
		switch {
		case p.Min.X > end+height:
			return redaction{}, false
		case p.Max.Y <= opening.Min.Y || p.Min.Y >= opening.Max.Y: // of another line
			continue
		case last >= 0 && near(p.Min.Y, opening.Min.Y, height/8) && near(p.Max.Y, opening.Max.Y, height/8):
			text := ink.marks(words)
			return redaction{opening.Union(p), "[" + text + "]"}, text != "" && ink.bracket(p) == closes
		case !mayMark(p, opening):
			return redaction{}, false
		case last >= 0 && p.Min.X-end <= p.Dy(): // no space between
			words[last] = append(words[last], p)
		default:
			words = append(words, []image.Rectangle{p})
		}
		end = max(end, p.Max.X)
	}
	return redaction{}, false
}

func near(a, b, within int) bool { return max(a-b, b-a) <= within }

// mayMark reports whether a piece behind a bracket stands as high as asterisks and bullets. The
// height of small letters and where they end add up to 1.31 of a bracket or more, in Arial, Courier and
// Times.
func mayMark(piece, bracket image.Rectangle) bool {
	height, h := float64(bracket.Dy()), float64(piece.Dy())
	top, end := float64(piece.Min.Y-bracket.Min.Y), float64(piece.Max.Y-bracket.Min.Y)
	return 0.2*height <= h && h <= 0.62*height && -0.1*height <= top && h+end <= 1.29*height && float64(piece.Dx()) >= 0.6*h
}

// marks reads a bullet, or asterisks; "" where there are too many.
func (p pix) marks(words [][]image.Rectangle) string {
	total := 0
	for _, pieces := range words {
		all, apart := span(pieces)
		part, err := p.crop(all)
		if err != nil {
			return ""
		}
		full := float64(part.inked()) / float64(all.Dx()*all.Dy())
		rows := part.rows()
		part.close()
		if full > 0.65 && len(words) == 1 && 10*all.Dx() <= 13*all.Dy() {
			return "•"
		}
		// Worn ones are broken, or hang together: of three counts, the middle one.
		counts := []int{runs(rows[:max(1, (len(rows)+1)/5)]), apart, asterisksIn(all.Dx(), all.Dy())} // an arm of each points upwards
		slices.Sort(counts)
		total += max(1, counts[1])
	}
	switch {
	case total > mostMarks:
		return ""
	case total == len(words): // spaces between all of them
		return strings.Repeat(" *", total)[1:]
	}
	return strings.Repeat("*", total)
}

// span is what pieces take up, and how many asterisks they are by their widths. Those that
// overlap are one.
func span(pieces []image.Rectangle) (all image.Rectangle, n int) {
	for _, p := range pieces {
		all = all.Union(p)
	}
	end := all.Min.X
	for _, p := range pieces {
		if p.Max.X > end {
			n += asterisksIn(p.Max.X-max(end, p.Min.X), all.Dy())
			end = p.Max.X
		}
	}
	return all, n
}

// asterisksIn is how many asterisks of a height are as wide together. From one to the next it is 1.4
// times their height in Arial and Times.
func asterisksIn(width, height int) int {
	return int(math.Round((float64(width)/float64(height) + 0.4) / 1.4))
}

// runs counts the runs of columns in which any of the rows has ink.
func runs(rows [][]bool) (n int) {
	before := false
	for x := range rows[0] {
		here := slices.ContainsFunc(rows, func(row []bool) bool { return row[x] })
		if here && !before {
			n++
		}
		before = here
	}
	return n
}

// A side is that of the text on which a bracket stands.
type side int

const (
	neither side = iota
	opens
	closes
)

// bracket reports whether a piece of a binary image has the shape of a square bracket: a
// straight stroke, which goes further to one side at both ends than between them.
func (p pix) bracket(r image.Rectangle) side {
	part, err := p.crop(r)
	if err != nil {
		return neither
	}
	defer part.close()
	rows := part.rows()
	fifth := len(rows) / 5
	topLeft, topRight := extent(rows[:fifth])
	left, right := extent(rows[fifth : len(rows)-fifth])
	endLeft, endRight := extent(rows[len(rows)-fifth:])
	switch {
	case topRight > right && endRight > right && near(topLeft, left, 1) && near(endLeft, left, 1):
		return opens
	case topLeft < left && endLeft < left && near(topRight, right, 1) && near(endRight, right, 1):
		return closes
	}
	return neither
}

// extent is the first column of rows that has ink, and the last one.
func extent(rows [][]bool) (first, last int) {
	first, last = math.MaxInt, -1
	for _, row := range rows {
		if x := slices.Index(row, true); x >= 0 {
			first = min(first, x)
		}
		for x := len(row) - 1; x > last; x-- {
			if row[x] {
				last = x
			}
		}
	}
	return first, last
}

// redact puts redactions into the place of the words that were read there.
func redact(lines []line, found []redaction) []line {
	for i, r := range found {
		lines = r.put(lines, unread-i)
	}
	return lines
}

// put has the redaction read as what it is. What stands before or behind it in the same
// word, such as a comma, stays. Block is that of a redaction where nothing was read.
func (r redaction) put(lines []line, block int) []line {
	word := ocr.Reading{
		Text: r.text, Confidence: sureOfRedaction,
		Box: [4]float32{float32(r.box.Min.X), float32(r.box.Min.Y), float32(r.box.Max.X), float32(r.box.Max.Y)},
	}
	for i, l := range lines {
		if !l.box.Overlaps(r.box) {
			continue
		}
		var words []ocr.Reading
		done := false
		for _, w := range l.words {
			b := bounds(w)
			switch common := b.Intersect(r.box); {
			case 2*common.Dy() < min(b.Dy(), r.box.Dy()) || 3*common.Dx() < b.Dx():
				words = append(words, w)
			case readRedaction.MatchString(w.Text):
				return lines // read as what it is
			case 2*common.Dx() < b.Dx():
				return lines // a part of a longer word, of which it is not known which letters it is
			case !done:
				before, behind := r.beside(w)
				word.Text = before + word.Text + behind
				words, done = append(words, word), true
			default: // the next part of the redaction
				_, behind := r.beside(w)
				words[len(words)-1].Text += behind
			}
		}
		if done {
			at := line{block: l.block, paragraph: l.paragraph}
			for _, w := range words {
				at.add(w)
			}
			lines[i] = at
			return lines
		}
	}
	return insert(lines, line{words: []ocr.Reading{word}, box: r.box, block: block})
}

// beside is the punctuation of a word that stands before the redaction, and behind it.
func (r redaction) beside(w ocr.Reading) (before, behind string) {
	const opening, closing = "($€£“\"", ",.;:)%”\""
	b, least := bounds(w), r.box.Dy()/8
	if r.box.Min.X-b.Min.X >= least {
		before = w.Text[:len(w.Text)-len(strings.TrimLeft(w.Text, opening))]
	}
	if b.Max.X-r.box.Max.X >= least {
		behind = w.Text[len(strings.TrimRight(w.Text, closing)):]
	}
	return before, behind
}
