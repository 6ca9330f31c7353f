package tesseract

import (
	"image"
	"math"
	"slices"
)

const (
	// maxSkew is the steepest slope, in degrees, that is looked for.
	maxSkew = 7

	// A slope below minSkew costs more sharpness to straighten than it costs
	// letters, and one found with less confidence than minSkewConfidence is
	// noise.
	minSkew           = 0.1
	minSkewConfidence = 3

	// targetXHeight is the height in pixels to which small letters are
	// brought. From 18 pixels, that of 11 point type at 300 dpi, down to 11.5
	// the error rate stays the same and the time falls by a fifth; at 10 worn
	// pages lose a line here and there, at 8 the errors double.
	targetXHeight = 11.5

	// Where the resolution of a page is known, it is read at no less and no
	// more than these, whatever its letters seem to say.
	minDPI, maxDPI = 140, 300

	// A resolution outside of these is a mistake of whoever wrote it.
	leastDPI, mostDPI = 50, 2400

	// targetDPI is what a page is read at when its letters say nothing, and
	// usualDPI the resolution of a page about which nothing is known at all.
	targetDPI, usualDPI = 190, 300

	// leastLetter and maxLetter bound the height in pixels of what may be a
	// letter: points, commas and noise are lower.
	leastLetter, maxLetter = 4, 200

	// minSide is the least width and height in pixels of an image with a word.
	minSide = 16

	// minLetters is the least number of pieces that say something about the
	// size of letters.
	minLetters = 60
)

// prepared is a page as Tesseract gets it.
type prepared struct {
	pix     pix
	dpi     int // as which its letters look of usual size
	columns bool
	blank   bool // nothing on it can be a letter: there is no pix
	geometry
}

// prepare sets a page upright, straightens it and brings it to the size at
// which it is read. dpi is 0 where it is not known.
func prepare(picture []byte, dpi float64, osd *osd) (out prepared, err error) {
	if dpi < leastDPI || dpi > mostDPI {
		dpi = 0
	}
	page, shrink, err := decode(picture, dpi)
	if err != nil {
		return prepared{}, err
	}
	defer func() {
		if out.pix != page {
			page.close()
		}
	}()
	g := geometry{width: page.width() * shrink, height: page.height() * shrink, scale: 1}
	if min(page.width(), page.height()) < minSide {
		return prepared{blank: true, geometry: g}, nil
	}
	dpi /= float64(shrink)

	ink, err := page.binary()
	if err != nil {
		return prepared{}, err
	}
	defer func() { ink.close() }()
	pieces, all := ink.pieces()
	if all < minLetters && !slices.ContainsFunc(pieces, mayBeLetter) {
		return prepared{blank: true, geometry: g}, nil
	}
	letters, err := g.upright(&page, &ink, pieces, osd)
	if err != nil {
		return prepared{}, err
	}
	degrees, confidence := ink.skew()
	if math.Abs(degrees) >= minSkew && confidence >= minSkewConfidence {
		g.degrees = degrees
	}
	rows, err := ink.bitmap()
	if err != nil {
		return prepared{}, err
	}
	scale := readingScale(letters, dpi)
	if err := g.straighten(&page, scale); err != nil {
		return prepared{}, err
	}
	g.scale = scale / float64(shrink)
	readDPI := targetDPI
	if dpi > 0 {
		readDPI = int(dpi*scale + 0.5)
	}
	return prepared{pix: page, dpi: readDPI, columns: hasColumns(rows, g.degrees), geometry: g}, nil
}

// mayBeLetter is false for rules and specks. Pages with a few of these and nothing else,
// between chapters or on the back of a leaf, are not worth half a second in search of their
// letters. Many specks may be: a dot matrix printer makes letters of them.
func mayBeLetter(piece image.Rectangle) bool {
	return min(piece.Dx(), piece.Dy()) >= leastLetter
}

// upright turns a page and its ink, which is in pieces, by quarters, if need be, and
// returns the height of its small letters or 0.
func (g *geometry) upright(page, ink *pix, pieces []image.Rectangle, osd *osd) (letters float64, err error) {
	letters = xHeight(heights(pieces))
	if g.quarters, err = quartersToUpright(*page, *ink, letters, osd); err != nil || g.quarters == 0 {
		return letters, err
	}
	for _, p := range []*pix{page, ink} {
		if err := p.become(p.turn(g.quarters)); err != nil {
			return 0, err
		}
	}
	turned, _ := ink.pieces()
	return xHeight(heights(turned)), nil // they may have been widths
}

// straighten scales a page and rotates it by the degrees that were found.
func (g *geometry) straighten(page *pix, scale float64) error {
	if scale != 1 {
		if err := page.become(page.scale(scale)); err != nil {
			return err
		}
	}
	g.scaledW, g.scaledH = page.width(), page.height()
	if g.degrees != 0 {
		if err := page.become(page.rotate(g.degrees)); err != nil {
			return err
		}
	}
	g.preparedW, g.preparedH = page.width(), page.height()
	return nil
}

// xHeight is the most frequent height among pieces of ink, which in running
// text is that of the small letters; 0 where there are too few pieces.
func xHeight(heights [maxLetter]int) float64 {
	var total, best, most int
	for h := leastLetter; h < maxLetter-1; h++ {
		total += heights[h]
		if n := heights[h-1] + 2*heights[h] + heights[h+1]; h > leastLetter && n > most {
			best, most = h, n
		}
	}
	if total < minLetters {
		return 0
	}
	low, at, high := heights[best-1], heights[best], heights[best+1]
	return float64(best) + float64(high-low)/float64(low+at+high)
}

// readingScale is the factor that brings letters of some height to
// targetXHeight, within the bounds that a known resolution sets.
func readingScale(xHeight, dpi float64) float64 {
	var scale float64
	switch {
	case xHeight > 0:
		scale = targetXHeight / xHeight
	case dpi > 0:
		scale = targetDPI / dpi
	default:
		scale = targetDPI / float64(usualDPI)
	}
	if dpi > 0 {
		scale = min(max(scale, minDPI/dpi), maxDPI/dpi)
	}
	scale = min(max(scale, 0.1), 3)
	if scale > 0.95 && scale < 1.05 {
		return 1 // not worth the blur
	}
	return scale
}

// hasColumns reports whether a page may be set in columns: whether a white
// stripe runs down between two bodies of text. Rows are an eighth of the page's
// size, about 37 to the inch at 300 dpi; slopes are followed.
//
// Numbers in the margin are no column: the stripe must leave a quarter of the
// text's width on either side. In running text no white stripe is as long as a
// sixth of the page.
func hasColumns(rows [][]bool, degrees float64) bool {
	left, right := textEdges(rows)
	width := right - left
	if width < 40 {
		return false
	}
	slope := math.Tan(degrees * math.Pi / 180)
	gap := max(width/60, 3)
	for x := left + width/4; x < right-width/4; x += gap / 2 {
		var run, support int
		for y, row := range rows {
			at := x + int(slope*float64(y-len(rows)/2))
			if at < left || at+gap > right {
				continue
			}
			if anyInk(row[at : at+gap]) {
				run, support = 0, 0
				continue
			}
			run++
			if anyInk(row[max(at-width/5, 0):at]) && anyInk(row[at+gap:min(at+gap+width/5, len(row))]) {
				support++
			}
			if run >= len(rows)/6 && support >= run/3 {
				return true
			}
		}
	}
	return false
}

// textEdges returns the columns between which nearly all of the ink is.
func textEdges(rows [][]bool) (left, right int) {
	if len(rows) == 0 {
		return 0, 0
	}
	ink := make([]int, len(rows[0]))
	total := 0
	for _, row := range rows {
		for x, on := range row {
			if on {
				ink[x]++
				total++
			}
		}
	}
	const edge = 200 // the share of ink, one in so many, that may be outside on either side
	left, right = 0, len(ink)
	for n := 0; left < right && n+ink[left] <= total/edge; left++ {
		n += ink[left]
	}
	for n := 0; right > left && n+ink[right-1] <= total/edge; right-- {
		n += ink[right-1]
	}
	return left, right
}

func anyInk(row []bool) bool {
	for _, on := range row {
		if on {
			return true
		}
	}
	return false
}
