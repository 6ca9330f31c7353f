package raster

import (
	"image"
	"math"
)

// Resized scales a picture: by the mean of the covered pixels where it shrinks,
// by linear interpolation where it grows.
func Resized(src *image.Gray, width, height int) *image.Gray {
	if width == src.Rect.Dx() && height == src.Rect.Dy() {
		return src
	}
	columns, rows := shares(src.Rect.Dx(), width), shares(src.Rect.Dy(), height)
	dst := image.NewGray(image.Rect(0, 0, width, height))
	sums := make([]uint32, src.Rect.Dx())
	for y, row := range rows {
		clear(sums)
		for i, weight := range row.weights {
			line := src.Pix[(row.first+i)*src.Stride:][:len(sums)]
			for x, v := range line {
				sums[x] += weight * uint32(v)
			}
		}
		for x, column := range columns {
			var sum uint64
			for i, weight := range column.weights {
				sum += uint64(weight) * uint64(sums[column.first+i])
			}
			dst.Pix[y*dst.Stride+x] = uint8((sum + unit*unit/2) / (unit * unit))
		}
	}
	return dst
}

// unit is the sum of the weights of a share.
const unit = 1 << 12

// A share has the source pixels of a target pixel, with their weights.
type share struct {
	first   int
	weights []uint32
}

// shares divides from pixels among to.
func shares(from, to int) []share {
	all := make([]share, to)
	ratio := float64(from) / float64(to)
	reach := max(ratio, 1) / 2
	for i := range all {
		center := (float64(i) + 0.5) * ratio
		low, high := max(center-reach, 0), min(center+reach, float64(from))
		first, last := int(low), min(int(math.Ceil(high)), from)
		s := share{first: first, weights: make([]uint32, max(last-first, 1))}
		left := uint32(unit)
		for j := range s.weights {
			covered := min(high, float64(first+j+1)) - max(low, float64(first+j))
			s.weights[j] = min(uint32(math.Round(covered/(high-low)*unit)), left)
			left -= s.weights[j]
		}
		s.weights[len(s.weights)/2] += left // what rounding left over
		all[i] = s
	}
	return all
}
