package tesseract

import (
	"image"
	"slices"

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
)

// complete reads alone what has letters and was left out: Tesseract drops lines
// that it takes for parts of a picture, or whose letters hang together with
// a stamp or a frame.
func (e *Engine) complete(page prepared, lines []line) ([]line, error) {
	missed, err := page.missed(lines)
	if err != nil || len(missed) > mostMissed {
		return lines, err
	}
	for i, region := range missed {
		part, err := page.pix.crop(region)
		if err != nil {
			return nil, err
		}
		boxes, err := e.recognise(part, page.dpi, gosseract.PSM_SINGLE_BLOCK)
		part.close()
		if err != nil {
			return nil, err
		}
		for j := range boxes {
			boxes[j].Box = boxes[j].Box.Add(region.Min)
			boxes[j].BlockNum = -1 - i
		}
		for _, l := range group(boxes) {
			lines = insert(lines, l)
		}
	}
	return lines, nil
}

// insert puts the words of a line that are not known yet before the first line
// below it, in a block of their own, unless it is nothing to be sure of.
func insert(lines []line, found line) []line {
	known := func(box image.Rectangle) bool {
		return slices.ContainsFunc(lines, func(l line) bool {
			return l.box.Overlaps(box) && slices.ContainsFunc(l.words, func(w ocr.Reading) bool {
				common := bounds(w).Intersect(box)
				return 3*common.Dx()*common.Dy() > box.Dx()*box.Dy()
			})
		})
	}
	added := line{block: found.block, paragraph: found.paragraph}
	var confidence float32
	for _, w := range found.words {
		if !known(bounds(w)) {
			added.add(w)
			confidence += w.Confidence
		}
	}
	if len(added.words) == 0 || confidence < sureOfMissed*float32(len(added.words)) {
		return lines
	}
	at := slices.IndexFunc(lines, func(l line) bool {
		return l.box.Min.Y+l.box.Max.Y > added.box.Min.Y+added.box.Max.Y && overlap(l.box.Min.X, l.box.Max.X, added.box.Min.X, added.box.Max.X)
	})
	if at < 0 {
		at = len(lines)
	}
	return slices.Insert(lines, at, added)
}

// missed returns where there are letters that are in none of the words.
func (p prepared) missed(lines []line) ([]image.Rectangle, error) {
	ink, err := p.pix.binary()
	if err != nil {
		return nil, err
	}
	defer ink.close()
	pieces := ink.pieces()
	letter := int(xHeight(heights(pieces)) + 0.5)
	if letter == 0 {
		letter = int(targetXHeight + 0.5)
	}
	covered := cover(p.pix.width(), p.pix.height(), lines)
	var regions []image.Rectangle
	var letters []int
	for _, b := range pieces {
		if b.Dy() < letter*2/3 || b.Dy() > 4*letter || b.Dx() > 40*letter || covered(b.Min.Add(b.Max).Div(2)) {
			continue
		}
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
	return out, nil
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
