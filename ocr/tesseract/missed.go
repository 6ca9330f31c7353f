package tesseract

import (
	"image"
	"slices"
	"unicode/utf8"

	"github.com/otiai10/gosseract/v2"

	"github.com/clausemill/clausemill/ocr"
)

const (
	// leastMissed is the number of letters without a word that are worth
	// reading alone.
	leastMissed = 2

	// sureOfMissed is the mean confidence from which what was read alone is
	// text and no picture.
	sureOfMissed = 60

	// mostMissed is the number of blocks of a page that are read alone. Where
	// there are more, they are a picture.
	mostMissed = 24

	// mostLetters without a word are a picture as well, whose pieces are not
	// worth the time to gather them.
	mostLetters = 10_000

	// leastRule is the length of a level line in letters, from which on it parts
	// rows.
	leastRule = 6
)

// complete holds what was read against the ink of the page. It takes out words
// without letters, and reads alone what has letters and was left out: Tesseract
// drops lines that it takes for parts of a picture, or whose letters hang
// together with a stamp or a frame. It returns the pieces of ink, too, that are
// as high as letters, and its level lines.
func (e *Engine) complete(page prepared, lines []line) (_ []line, pieces, rules []image.Rectangle, err error) {
	ink, err := page.pix.binary()
	if err != nil {
		return nil, nil, nil, err
	}
	pieces, _ = ink.pieces()
	letter := int(xHeight(heights(pieces)) + 0.5)
	if letter == 0 {
		letter = int(targetXHeight + 0.5)
	}
	found := redactions(ink, pieces, letter)
	rules, err = ink.rules(leastRule*letter, letter*2/3)
	ink.close()
	if err != nil {
		return nil, nil, nil, err
	}
	pieces = slices.DeleteFunc(pieces, func(b image.Rectangle) bool { return b.Dy() < letter*2/3 })
	lines = redact(withoutLeaders(lines, pieces), found)
	missed := page.missed(lines, pieces, letter)
	if len(missed) > mostMissed {
		return lines, pieces, rules, nil
	}
	for i, region := range missed {
		part, err := page.pix.crop(region)
		if err != nil {
			return nil, nil, nil, err
		}
		boxes, err := e.recognise(part, page.dpi, gosseract.PSM_SINGLE_BLOCK)
		part.close()
		if err != nil {
			return nil, nil, nil, err
		}
		for j := range boxes {
			boxes[j].Box = boxes[j].Box.Add(region.Min)
			boxes[j].BlockNum = -1 - i
		}
		for _, l := range group(boxes) {
			lines = insert(lines, l)
		}
	}
	return lines, pieces, rules, nil
}

// insert adds the words of a line that are not known yet, unless they are
// nothing to be sure of: to a line that they continue, or as a line of their own,
// which arrange puts into its place.
func insert(lines []line, found line) []line {
	var added line
	var confidence float32
	for _, w := range found.words {
		if !known(lines, bounds(w)) {
			added.add(w)
			confidence += w.Confidence
		}
	}
	if len(added.words) == 0 || confidence < sureOfMissed*float32(len(added.words)) {
		return lines
	}
	own := line{block: found.block, paragraph: found.paragraph} // of words that continue none
	for _, w := range added.words {
		if at := continued(lines, w); at >= 0 {
			lines[at].put(w)
		} else {
			own.add(w)
		}
	}
	if len(own.words) > 0 {
		lines = append(lines, own)
	}
	return lines
}

// put adds a word before the first one to its right.
func (l *line) put(w ocr.Reading) {
	l.add(w)
	last := len(l.words) - 1
	if at := slices.IndexFunc(l.words[:last], func(o ocr.Reading) bool { return o.Box[0] > w.Box[0] }); at >= 0 {
		l.words = slices.Insert(l.words[:last], at, w)
	}
}

// known reports whether a third of a box is in one of the words.
func known(lines []line, box image.Rectangle) bool {
	return slices.ContainsFunc(lines, func(l line) bool {
		return l.box.Overlaps(box) && slices.ContainsFunc(l.words, func(w ocr.Reading) bool {
			common := bounds(w).Intersect(box)
			return 3*common.Dx()*common.Dy() > box.Dx()*box.Dy()
		})
	})
}

// continued finds the line on the height of a word that has no gap before it
// as wide as two letters are high, or -1.
func continued(lines []line, word ocr.Reading) int {
	var w line
	w.add(word)
	return slices.IndexFunc(lines, func(l line) bool {
		gap := max(w.box.Min.X-l.box.Max.X, l.box.Min.X-w.box.Max.X)
		return gap < 2*l.height() && level(l, w)
	})
}

// withoutLeaders takes out words of three letters and more where nothing is as
// high as a letter, such as the dots in a table of contents.
func withoutLeaders(lines []line, pieces []image.Rectangle) (out []line) {
	for _, l := range lines {
		kept := line{block: l.block, paragraph: l.paragraph}
		for _, w := range l.words {
			if utf8.RuneCountInString(w.Text) < 3 || slices.ContainsFunc(pieces, bounds(w).Overlaps) {
				kept.add(w)
			}
		}
		if len(kept.words) > 0 {
			out = append(out, kept)
		}
	}
	return out
}

// missed returns where there are letters, among pieces of ink, that are in none
// of the words.
func (p prepared) missed(lines []line, pieces []image.Rectangle, letter int) []image.Rectangle {
	covered := cover(p.pix.width(), p.pix.height(), lines)
	unread := slices.DeleteFunc(slices.Clone(pieces), func(b image.Rectangle) bool {
		return b.Dy() > 4*letter || b.Dx() > 40*letter || covered(b.Min.Add(b.Max).Div(2))
	})
	if len(unread) > mostLetters {
		return nil
	}
	var regions []image.Rectangle
	var letters []int
	for _, b := range unread {
		// A block ends where there is white as wide as two letters or as high as three.
		around := func(b image.Rectangle) image.Rectangle {
			return image.Rect(b.Min.X-2*letter, b.Min.Y-3*letter, b.Max.X+2*letter, b.Max.Y+3*letter)
		}
		n := 1
		for i := 0; i < len(regions); i++ {
			if regions[i].Overlaps(around(b)) {
				b, n = b.Union(regions[i]), n+letters[i]
				regions, letters = slices.Delete(regions, i, i+1), slices.Delete(letters, i, i+1)
				i = -1
			}
		}
		regions, letters = append(regions, b), append(letters, n)
	}
	page := image.Rect(0, 0, p.pix.width(), p.pix.height())
	var out []image.Rectangle
	for i, r := range regions {
		if letters[i] >= leastMissed {
			out = append(out, r.Inset(-letter/2).Intersect(page))
		}
	}
	return out
}

// cover tells of a point whether a word is there.
func cover(width, height int, lines []line) func(image.Point) bool {
	const margin, cell = 3, 4
	columns := width/cell + 1
	there := make([]bool, columns*(height/cell+1))
	page := image.Rect(0, 0, width, height)
	for _, l := range lines {
		for _, w := range l.words {
			b := bounds(w).Inset(-margin).Intersect(page)
			for y := b.Min.Y / cell; y*cell < b.Max.Y; y++ {
				for x := b.Min.X / cell; x*cell < b.Max.X; x++ {
					there[y*columns+x] = true
				}
			}
		}
	}
	return func(p image.Point) bool { return there[p.Y/cell*columns+p.X/cell] }
}
