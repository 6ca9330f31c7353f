package raster

import (
	"fmt"
	"image"
	"image/color"
)

// White is the background of transparent pictures.
const White = 0xff

// Gray converts a picture to luminance on a white ground.
func Gray(m image.Image) *image.Gray {
	b := m.Bounds()
	gray := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	switch m := m.(type) {
	case *image.Gray:
		for y := range b.Dy() {
			copy(gray.Pix[y*gray.Stride:], m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):][:b.Dx()])
		}
	case *image.YCbCr:
		for y := range b.Dy() {
			copy(gray.Pix[y*gray.Stride:], m.Y[m.YOffset(b.Min.X, b.Min.Y+y):][:b.Dx()])
		}
	case *image.Paletted:
		var shade [256]uint8
		for i, c := range m.Palette {
			shade[i&0xff] = Luminance(c)
		}
		for y := range b.Dy() {
			row := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):][:b.Dx()]
			for x, index := range row {
				gray.Pix[y*gray.Stride+x] = shade[index]
			}
		}
	case *image.NRGBA:
		for y := range b.Dy() {
			row := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):][:4*b.Dx()]
			for x := range b.Dx() {
				p := row[4*x : 4*x+4]
				gray.Pix[y*gray.Stride+x] = Over(Luma(p[0], p[1], p[2]), p[3])
			}
		}
	default:
		for y := range b.Dy() {
			for x := range b.Dx() {
				gray.Pix[y*gray.Stride+x] = Luminance(m.At(b.Min.X+x, b.Min.Y+y))
			}
		}
	}
	return gray
}

// Luminance is the lightness of a colour on white.
func Luminance(c color.Color) uint8 {
	r, g, b, a := c.RGBA()
	shine := 0xffff - a
	return Luma(uint8((r+shine)>>8), uint8((g+shine)>>8), uint8((b+shine)>>8))
}

// Luma weighs the primaries as the JFIF standard does.
func Luma(r, g, b uint8) uint8 {
	return uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
}

// Over lays a shade of some opacity on white.
func Over(shade, alpha uint8) uint8 {
	return uint8((uint32(shade)*uint32(alpha) + White*(255-uint32(alpha)) + 127) / 255)
}

// PGM writes a picture in the format that recognition reads.
func PGM(m *image.Gray) []byte {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	out := fmt.Appendf(make([]byte, 0, 32+width*height), "P5\n%d %d\n255\n", width, height)
	for y := range height {
		out = append(out, m.Pix[y*m.Stride:][:width]...)
	}
	return out
}
