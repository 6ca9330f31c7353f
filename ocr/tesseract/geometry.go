package tesseract

import "math"

// geometry is what preparation did to a page, in this order: turned it by
// quarters, scaled it, and rotated it about its centre onto paper that may be
// larger. It leads boxes back the other way.
type geometry struct {
	width, height        int     // of the image as it came in
	quarters             int     // clockwise
	scale                float64 // of the turned image
	degrees              float64 // clockwise
	scaledW, scaledH     int     // before the rotation
	preparedW, preparedH int     // after it
}

// restore maps a box of the prepared image to the image as it came in: the
// upright rectangle around the four corners, cut at the edges.
func (g geometry) restore(box [4]float32) [4]float32 {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for corner := range 4 {
		x, y := g.restorePoint(float64(box[2*(corner%2)]), float64(box[1+2*(corner/2)]))
		left, right = min(left, x), max(right, x)
		top, bottom = min(top, y), max(bottom, y)
	}
	w, h := float64(g.width), float64(g.height)
	return [4]float32{
		float32(min(max(left, 0), w)), float32(min(max(top, 0), h)),
		float32(min(max(right, 0), w)), float32(min(max(bottom, 0), h)),
	}
}

func (g geometry) restorePoint(x, y float64) (float64, float64) {
	if g.degrees != 0 {
		// Leptonica's centres are whole pixels.
		cx, cy := float64(g.preparedW/2), float64(g.preparedH/2)
		sin, cos := math.Sincos(g.degrees * math.Pi / 180)
		dx, dy := x-cx, y-cy
		x = cx + dx*cos + dy*sin - float64((g.preparedW-g.scaledW)/2)
		y = cy - dx*sin + dy*cos - float64((g.preparedH-g.scaledH)/2)
	}
	x, y = x/g.scale, y/g.scale
	w, h := float64(g.width), float64(g.height)
	switch g.quarters {
	case 1:
		return y, h - x
	case 2:
		return w - x, h - y
	case 3:
		return w - y, x
	default:
		return x, y
	}
}
