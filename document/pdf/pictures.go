package pdf

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/layout"
)

// Pictures of pages, such as logos, drawings and signatures, are cut out of the drawn page:
// that takes care of masks, colours, turned images and those that are made of strips, and
// costs no more memory than the picture that comes of it.

// Bounds of the pictures of a file. What is beyond is left out, and with it what follows.
const (
	maxPictures      = 40
	maxPictureBytes  = 8 << 20
	maxPicturePixels = 2_000_000
	maxPagePictures  = 8
	maxPageImages    = 64 // of which pictures are made; a page with more is a map

	finestPicture  = 200 // dots per inch
	coarsePicture  = 96
	leastPicture   = 10  // points, of a side: what is thinner is a line
	mostOfPage     = 0.5 // what covers more of a page is its scan, or behind its text
	mostWordsBelow = 5   // what has more words on it is behind them
	largePNG       = 64 << 10
	pictureQuality = 85
	snippet        = 60 // code points of the text above and below
	maxLostPages   = 8
)

// Pictures calls each for the pictures of the file in the order of its pages, from top to
// bottom: those that are repeated, such as the logo in a header, only where they are first.
func (d *file) Pictures(ctx context.Context, each func(format.Picture) error) error {
	seen := map[[sha256.Size]byte]bool{}
	left, size, lost := maxPictures, 0, 0
	for number := 1; number <= d.count && left > 0; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.ready(ctx); err != nil {
			return err
		}
		found := d.picturesOf(number)
		if d.p.err != nil {
			if lost++; lost > maxLostPages {
				return nil
			}
			continue
		}
		for _, picture := range found {
			name := sha256.Sum256(picture.Bytes)
			if seen[name] {
				continue
			}
			seen[name] = true
			if size += len(picture.Bytes); left == 0 || size > maxPictureBytes {
				return nil
			}
			left--
			if err := each(picture); err != nil {
				return err
			}
		}
	}
	return nil
}

// picturesOf are those of one page, none if it is a scan.
func (d *file) picturesOf(number int) (found []format.Picture) {
	p := d.p
	page := p.call(p.loadPage, uint64(d.document), uint64(number-1))
	if page == 0 {
		return nil
	}
	defer func() { p.call(p.closePage, page) }()
	v := p.view(page)
	if !displayable(v.width) || !displayable(v.height) {
		return nil
	}
	boxes := pictureBoxes(p.content(page, v).images, v, d.limits.MaxPixels)
	if len(boxes) == 0 {
		return nil
	}
	lines := splitLines(p.glyphs(page, v, d.limits.MaxText))
	for _, b := range boxes {
		if wordsOn(lines, b.box) > mostWordsBelow {
			continue
		}
		img := p.cut(page, v, b)
		if img == nil || plain(img) {
			continue
		}
		out := format.Picture{Page: number, Width: b.box.X1 - b.box.X0, Height: b.box.Y1 - b.box.Y0, Down: b.box.Y0 / v.height}
		out.Above, out.Below = around(lines, b.box)
		if out.Bytes, out.JPEG = encodePicture(img); out.Bytes != nil {
			found = append(found, out)
		}
	}
	return found
}

// cutting is what is cut out of a page, at so many dots per inch.
type cutting struct {
	box layout.Box
	dpi float64
}

// pictureBoxes are where the pictures of a page are: images that touch each other are one.
func pictureBoxes(images []placed, v view, maxPixels int) []cutting {
	if len(images) > maxPageImages {
		return nil
	}
	var all []cutting
	var covered float32
	for _, i := range images {
		covered += area(i.box)
		w, h := i.full.X1-i.full.X0, i.full.Y1-i.full.Y0
		if !(area(i.box) > 0) || !(w > 0) || !(h > 0) || i.width <= 0 || i.height <= 0 || i.width > maxPixels/i.height {
			continue
		}
		native := pointsPerInch * math.Sqrt(float64(i.width)*float64(i.height)/(float64(w)*float64(h)))
		all = append(all, cutting{i.box, native})
	}
	if v.share(covered) >= scanShare {
		return nil
	}
	for merged := true; merged; {
		merged = false
		for i := 0; i < len(all); i++ {
			for j := len(all) - 1; j > i; j-- {
				if touch(all[i].box, all[j].box) {
					all[i] = cutting{all[i].box.Union(all[j].box), max(all[i].dpi, all[j].dpi)}
					all, merged = slices.Delete(all, j, j+1), true
				}
			}
		}
	}
	all = slices.DeleteFunc(all, func(c cutting) bool {
		return min(c.box.X1-c.box.X0, c.box.Y1-c.box.Y0) < leastPicture || v.share(area(c.box)) > mostOfPage
	})
	slices.SortFunc(all, func(a, b cutting) int {
		return cmp.Or(cmp.Compare(a.box.Y0, b.box.Y0), cmp.Compare(a.box.X0, b.box.X0))
	})
	return all[:min(len(all), maxPagePictures)]
}

func touch(a, b layout.Box) bool {
	const gap = 1 // point
	return a.X0 <= b.X1+gap && b.X0 <= a.X1+gap && a.Y0 <= b.Y1+gap && b.Y0 <= a.Y1+gap
}

func wordsOn(lines [][]run, box layout.Box) (n int) {
	for _, line := range lines {
		for _, w := range line {
			if box.Contains(w.box.Middle()) {
				n++
			}
		}
	}
	return n
}

// around is the text that is read before and after a picture: of the lines above its middle
// and not beside it the last one, and what is read next.
func around(lines [][]run, box layout.Box) (above, below string) {
	_, middle := box.Middle()
	last := -1
	for i, line := range lines {
		b := bounds(line)
		_, y := b.Middle()
		if y < middle && b.X0 < box.X1 && box.X0 < b.X1 {
			last = i
		}
	}
	if last < 0 { // nothing stands over it
		for i, line := range lines {
			if _, y := bounds(line).Middle(); y < middle && i == last+1 {
				last = i
			}
		}
	}
	if last >= 0 {
		text := []rune(textOf(lines[last]))
		above = string(text[max(0, len(text)-snippet):])
	}
	if last+1 < len(lines) {
		text := []rune(textOf(lines[last+1]))
		below = string(text[:min(len(text), snippet)])
	}
	return above, below
}

func textOf(line []run) string {
	words := make([]string, len(line))
	for i, w := range line {
		words[i] = w.text
	}
	return strings.Join(words, " ")
}

// cut draws a part of a page, without what is laid over it.
func (p *pdfium) cut(page uint64, v view, c cutting) *image.RGBA {
	points := float64(area(c.box))
	dpi := min(max(c.dpi, coarsePicture), finestPicture, pointsPerInch*math.Sqrt(maxPicturePixels/points))
	scale := dpi / pointsPerInch
	at := pixelRect(c.box, scale)
	at.Max.X, at.Max.Y = max(at.Max.X, at.Min.X+1), max(at.Max.Y, at.Min.Y+1)
	if at.Dx() > maxPicturePixels || at.Dy() > 2*maxPicturePixels/at.Dx() {
		return nil
	}
	across, down := v.pixels(dpi)
	return p.paintPart(page, at, across, down, drawReversed)
}

// plain reports whether a picture has one colour only.
func plain(m *image.RGBA) bool {
	for i := 4; i < len(m.Pix); i += 4 {
		if !bytes.Equal(m.Pix[i:i+4], m.Pix[:4]) {
			return false
		}
	}
	return true
}

// encodePicture writes a PNG, and a JPEG where that is much smaller.
func encodePicture(m *image.RGBA) (data []byte, isJPEG bool) {
	var out bytes.Buffer
	if png.Encode(&out, m) != nil {
		return nil, false
	}
	if out.Len() > largePNG {
		var smaller bytes.Buffer
		if jpeg.Encode(&smaller, m, &jpeg.Options{Quality: pictureQuality}) == nil && smaller.Len() < out.Len()/2 {
			return smaller.Bytes(), true
		}
	}
	return out.Bytes(), false
}
