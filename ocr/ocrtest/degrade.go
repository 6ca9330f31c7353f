package ocrtest

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
)

// Degrade returns img as a bad scanner would deliver it: skewed by 0.5 to 1.5
// degrees either way, slightly out of focus, noisy, and as a JPEG of quality
// 60. The same seed gives the same damage.
func Degrade(img *image.Gray, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	angle := 0.5 + rng.Float64()
	if rng.IntN(2) == 0 {
		angle = -angle
	}
	out := Rotate(img, angle)
	blur(out)
	for i, v := range out.Pix {
		out.Pix[i] = clamp(float64(v) + rng.NormFloat64()*12)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, out, &jpeg.Options{Quality: 60}); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// Rotate turns img clockwise by some degrees about its centre, on white paper
// of the same size.
func Rotate(img *image.Gray, degrees float64) *image.Gray {
	size := img.Rect.Size()
	out := image.NewGray(image.Rect(0, 0, size.X, size.Y))
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	cx, cy := float64(size.X)/2, float64(size.Y)/2
	at := func(x, y int) float64 {
		if x < 0 || y < 0 || x >= size.X || y >= size.Y {
			return 255
		}
		return float64(img.Pix[y*img.Stride+x])
	}
	for y := range size.Y {
		for x := range size.X {
			dx, dy := float64(x)-cx, float64(y)-cy
			sx, sy := cx+dx*cos+dy*sin, cy-dx*sin+dy*cos
			fx, fy := math.Floor(sx), math.Floor(sy)
			x0, y0, tx, ty := int(fx), int(fy), sx-fx, sy-fy
			top := at(x0, y0)*(1-tx) + at(x0+1, y0)*tx
			bottom := at(x0, y0+1)*(1-tx) + at(x0+1, y0+1)*tx
			out.Pix[y*out.Stride+x] = clamp(top*(1-ty) + bottom*ty)
		}
	}
	return out
}

// Turn turns img clockwise by a number of quarters.
func Turn(img *image.Gray, quarters int) *image.Gray {
	for range (quarters%4 + 4) % 4 {
		size := img.Rect.Size()
		out := image.NewGray(image.Rect(0, 0, size.Y, size.X))
		for y := range size.Y {
			for x := range size.X {
				out.Pix[x*out.Stride+size.Y-1-y] = img.Pix[y*img.Stride+x]
			}
		}
		img = out
	}
	return img
}

// blur is a Gaussian of about 0.8 pixels, in both directions.
func blur(img *image.Gray) {
	size := img.Rect.Size()
	line := make([]float64, max(size.X, size.Y))
	smooth := func(start, step, n int) {
		for i := range n {
			line[i] = float64(img.Pix[start+i*step])
		}
		for i := 1; i < n-1; i++ {
			img.Pix[start+i*step] = clamp(0.25*line[i-1] + 0.5*line[i] + 0.25*line[i+1])
		}
	}
	for y := range size.Y {
		smooth(y*img.Stride, 1, size.X)
	}
	for x := range size.X {
		smooth(x, img.Stride, size.Y)
	}
}

func clamp(v float64) uint8 { return uint8(min(max(v+0.5, 0), 255)) }
