package raster

import "image"

// Orientation is the rotation of a picture for display, by the values of EXIF and
// TIFF.
type Orientation int

// Swaps reports whether the rotation swaps width and height.
func (o Orientation) Swaps() bool { return o >= 5 && o <= 8 }

// Turned rotates a picture so that it is upright.
func Turned(src *image.Gray, o Orientation) *image.Gray {
	if o < 2 || o > 8 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	dst := image.NewGray(image.Rect(0, 0, w, h))
	if o.Swaps() {
		dst = image.NewGray(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x, v := range src.Pix[y*src.Stride:][:w] {
			var tx, ty int
			switch o {
			case 2: // mirrored
				tx, ty = w-1-x, y
			case 3: // upside down
				tx, ty = w-1-x, h-1-y
			case 4: // upside down and mirrored
				tx, ty = x, h-1-y
			case 5: // mirrored along the main diagonal
				tx, ty = y, x
			case 6: // to be turned clockwise
				tx, ty = h-1-y, x
			case 7: // mirrored along the other diagonal
				tx, ty = h-1-y, w-1-x
			case 8: // to be turned counter-clockwise
				tx, ty = y, w-1-x
			}
			dst.Pix[ty*dst.Stride+tx] = v
		}
	}
	return dst
}
