package raster

import "image"

// Fit scales a picture to a size, on a white ground and with its colours, and turns it
// then. It is an *image.Gray, an opaque *image.RGBA, or an *image.YCbCr without
// subsampling.
func Fit(m image.Image, width, height int, o Orientation) image.Image {
	fit := func(plane *image.Gray) *image.Gray { return Turned(Resized(plane, width, height), o) }
	switch m := m.(type) {
	case *image.Gray:
		return fit(Gray(m))
	case *image.YCbCr:
		return joined(fit(Gray(m)), fit(chroma(m, m.Cb)), fit(chroma(m, m.Cr)))
	}
	planes := split(m)
	for i := range planes {
		planes[i] = fit(planes[i])
	}
	return merged(planes)
}

// chroma is one of the colour planes of a picture, as large as it is stored.
func chroma(m *image.YCbCr, plane []uint8) *image.Gray {
	b := m.Bounds()
	first := m.COffset(b.Min.X, b.Min.Y)
	last := m.COffset(b.Max.X-1, b.Max.Y-1)
	rows := (last-first)/m.CStride + 1
	width := last - first - (rows-1)*m.CStride + 1
	return &image.Gray{Pix: plane[first:], Stride: m.CStride, Rect: image.Rect(0, 0, width, rows)}
}

func joined(y, cb, cr *image.Gray) image.Image {
	return &image.YCbCr{
		Y: y.Pix, Cb: cb.Pix, Cr: cr.Pix, YStride: y.Stride, CStride: cb.Stride,
		SubsampleRatio: image.YCbCrSubsampleRatio444, Rect: y.Rect,
	}
}

// split is the red, the green and the blue of a picture on white.
func split(m image.Image) (planes [3]*image.Gray) {
	b := m.Bounds()
	for i := range planes {
		planes[i] = image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	}
	at := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			red, green, blue, alpha := m.At(x, y).RGBA()
			shine := 0xffff - alpha
			planes[0].Pix[at], planes[1].Pix[at], planes[2].Pix[at] = uint8((red+shine)>>8), uint8((green+shine)>>8), uint8((blue+shine)>>8)
			at++
		}
	}
	return planes
}

// merged is the inverse of split, opaque.
func merged(planes [3]*image.Gray) image.Image {
	out := image.NewRGBA(planes[0].Rect)
	for i, red := range planes[0].Pix {
		copy(out.Pix[4*i:], []uint8{red, planes[1].Pix[i], planes[2].Pix[i], 0xff})
	}
	return out
}
