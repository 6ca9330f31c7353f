package ocrtest

import (
	"image"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	leastWords = 40  // of a page with a layout
	setWords   = 400 // of running text that is set anew or marked
)

// kinds names the layouts of a page, none of one whose text layer is broken or
// says little: with letters that are not known, letters that are words of their
// own, words that stand upright, or marks for more than a fifth, such as [***].
func (s sheet) kinds() (kinds []string) {
	var letters, readable, unknown, upright int
	for _, w := range s.words {
		n := 0
		for _, r := range leaders.ReplaceAllString(w.Text, "") {
			n++
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				readable++
			}
			if r == unicode.ReplacementChar || unicode.Is(unicode.Co, r) {
				unknown++
			}
		}
		letters += n
		if n >= 4 && w.height() > 2*(w.X1-w.X0) {
			upright++
		}
	}
	if len(s.words) < leastWords || unknown > 0 || upright > 0 || letters < 3*len(s.words) || 5*readable < 4*letters {
		return nil
	}
	rows := s.rows()
	left, right := edges(rows)
	add := func(kind string, is bool) {
		if is {
			kinds = append(kinds, kind)
		}
	}
	var cells, leading, hanging, centred, widest int // of rows
	for i, r := range rows {
		c := r.cells()
		if len(c) >= 3 {
			cells++
			widest = max(widest, cells)
		} else {
			cells = 0
		}
		if entry.MatchString(r.text()) && (leaders.MatchString(r.text()) || len(c) > 1) {
			leading++
		}
		if len(c) > 1 && numbers(c[:1]) && i+1 < len(rows) && math.Abs(rows[i+1][0].X0-c[1][0].X0) < r.height()/2 {
			hanging++
		}
		if middle := (r[0].X0 + r[len(r)-1].X1) / 2; math.Abs(middle-(left+right)/2) < r.height() && r[len(r)-1].X1-r[0].X0 < 0.8*(right-left) {
			centred++
		}
	}
	var blocks, prose bool
	for rest := rows; len(rest) > 0; {
		n, _, columns := halves(rest, left, right)
		blocks, prose = blocks || n >= 3 && !columns, prose || columns
		rest = rest[max(n, 1):]
	}
	contents := leading >= 5 && 2*leading > len(rows)
	add(Contents, contents)
	add(Table, widest >= 4 && !contents)
	add(Prose, prose)
	add(Blocks, blocks)
	add(Margin, hanging >= 3)
	add(Cover, centred >= 5 && 2*centred > len(rows))
	if plainText := len(kinds) == 0 && len(s.words) >= setWords; plainText {
		kinds = append(kinds, Set, Marked)
	}
	return kinds
}

var entry = regexp.MustCompile(`\pL.*(?:\d|\b[ivx]+)$`)

// shows reports whether the picture of a page shows the words of its text
// layer and no others: whether there is ink where they are and, lines aside,
// hardly any elsewhere.
func shows(img *image.Gray, words []word) bool {
	const dark = 160
	size := img.Rect.Size()
	inside := image.NewGray(img.Rect)
	hidden := 0
	for _, w := range words {
		r := w.rect(0).Intersect(img.Rect)
		ink := false
		for y := r.Min.Y; y < r.Max.Y && !ink; y++ {
			ink = slices.ContainsFunc(img.Pix[y*img.Stride+r.Min.X:y*img.Stride+r.Max.X], func(v uint8) bool { return v < dark })
		}
		if !ink {
			hidden++
		}
		r = w.rect(w.height() / 5).Intersect(img.Rect)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				inside.Pix[y*inside.Stride+x] = 1
			}
		}
	}
	const line = 60 // pixels, longer than a letter at 300 dpi
	var in, out int
	above := make([]int, size.X)
	for y := range size.Y {
		for x := 0; x < size.X; {
			end := x
			for end < size.X && img.Pix[y*img.Stride+end] < dark {
				above[end]++
				end++
			}
			for ; x < end; x++ {
				switch {
				case inside.Pix[y*inside.Stride+x] == 1:
					in++
				case end-x < line && above[x] < line:
					out++
				}
			}
			if x < size.X {
				above[x] = 0
				x++
			}
		}
	}
	return hidden*200 <= len(words) && out*25 <= in
}

// rect is the box of a word with a margin on both sides.
func (w word) rect(margin float64) image.Rectangle {
	return image.Rect(int(w.X0-margin), int(w.Y0-margin), int(math.Ceil(w.X1+margin)), int(math.Ceil(w.Y1+margin)))
}

// set sets the words of a page anew, below its first line: in two columns, or
// as text with two blocks of short lines side by side.
func set(img *image.Gray, page sheet, seed uint64) (*image.Gray, sheet) {
	rng := rand.New(rand.NewPCG(seed, 2))
	var all row
	for _, r := range page.rows() {
		all = append(all, r...)
	}
	all = slices.DeleteFunc(all, func(w word) bool { return leaders.MatchString(w.Text) || strings.Contains(w.Text, "__") })
	t := &typesetter{from: img, to: image.NewGray(img.Rect), height: all.height()}
	for i := range t.to.Pix {
		t.to.Pix[i] = 255
	}
	t.leading, t.space = 1.25*t.height, page.space()
	left, right := edges(page.rows())
	width, y := right-left, 8*t.height
	end := float64(img.Rect.Max.Y) - 8*t.height
	all, y = t.fill(all, left, y, width, 1)
	if rng.IntN(2) == 0 {
		gutter := (2 + 2*rng.Float64()) * t.height
		column := (width - gutter) / 2
		var length float64
		for _, w := range all {
			length += w.X1 - w.X0 + t.space
		}
		rows := min(int(length/column*0.53)+1, int((end-y)/t.leading)-1)
		all, _ = t.fill(all, left, y+t.height, column, rows)
		t.fill(all, left+column+gutter, y+t.height, column, rows)
		return t.to, sheet{page.number, t.words}
	}
	all, y = t.fill(all, left, y+t.height, width, 3+rng.IntN(12))
	column := width * (0.25 + 0.1*rng.Float64())
	n := 3 + rng.IntN(5)
	rest, below := t.fill(all, left+width/12, y+2*t.height, column, n)
	all, _ = t.fill(rest, left+width/2, y+2*t.height, column, n)
	t.fill(all, left, below+2*t.height, width, int((end-below-2*t.height)/t.leading))
	return t.to, sheet{page.number, t.words}
}

// space is the width of the median space between words.
func (s sheet) space() float64 {
	var spaces []float64
	for _, r := range s.rows() {
		for i, w := range r[1:] {
			spaces = append(spaces, w.X0-r[i].X1)
		}
	}
	slices.Sort(spaces)
	return spaces[len(spaces)/2]
}

type typesetter struct {
	from, to               *image.Gray
	height, leading, space float64
	words                  []word
}

// fill sets words in lines of some width, and returns those that are left and
// where the next line would be.
func (t *typesetter) fill(words []word, left, y, width float64, lines int) ([]word, float64) {
	x := left
	for len(words) > 0 {
		w := words[0]
		if x > left && x+w.X1-w.X0 > left+width {
			x, y, lines = left, y+t.leading, lines-1
		}
		if lines <= 0 {
			return words, y
		}
		margin := int(0.15 * t.height) // letters are higher than their boxes
		r := w.rect(0)
		r.Min.Y, r.Max.Y = r.Min.Y-margin, r.Max.Y+margin
		at := image.Pt(int(x), int(y+t.height-w.height())-margin)
		for dy := range r.Dy() {
			for dx := range r.Dx() {
				if v := t.from.GrayAt(r.Min.X+dx, r.Min.Y+dy).Y; image.Pt(at.X+dx, at.Y+dy).In(t.to.Rect) {
					i := t.to.PixOffset(at.X+dx, at.Y+dy)
					t.to.Pix[i] = min(t.to.Pix[i], v)
				}
			}
		}
		t.words = append(t.words, word{float64(at.X), float64(at.Y + margin), float64(at.X) + w.X1 - w.X0, float64(at.Y+margin) + w.height(), w.Text})
		x += w.X1 - w.X0 + t.space
		words = words[1:]
	}
	return nil, y + t.leading
}

// mark draws the ring of a stamp and a signature over a page.
func mark(img *image.Gray, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	dot := func(x, y, radius float64, shade uint8) {
		for py := int(y - radius); py <= int(y+radius); py++ {
			for px := int(x - radius); px <= int(x+radius); px++ {
				if image.Pt(px, py).In(img.Rect) && math.Hypot(float64(px)-x, float64(py)-y) <= radius {
					i := img.PixOffset(px, py)
					img.Pix[i] = min(img.Pix[i], shade)
				}
			}
		}
	}
	shade := uint8(90 + rng.IntN(80))
	x, y := w*(0.3+0.4*rng.Float64()), h*(0.3+0.4*rng.Float64())
	for _, radius := range []float64{w / 12, w / 15} {
		for a := 0.0; a < 2*math.Pi; a += 1 / radius {
			dot(x+radius*math.Cos(a), y+radius*math.Sin(a), 2.5, shade)
		}
	}
	x, y = w*(0.2+0.3*rng.Float64()), h*(0.7+0.15*rng.Float64())
	a, b := rng.Float64(), 5+4*rng.Float64()
	for s := 0.0; s < 1; s += 0.0004 { // loops that lean and become flatter
		dot(x+s*w/5+w/80*math.Sin(2*b*math.Pi*s+a), y+w/40*(1-s)*math.Cos(2*b*math.Pi*s)-s*w/50, 2.5, 40)
	}
}
