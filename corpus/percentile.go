package corpus

import (
	"cmp"
	"math"
)

// Percentile is the share of values below v and half of those equal to it, 0 to
// 1: the mid-rank definition, in which equal values share the middle rank. It is 0
// if there are no values.
func Percentile[T cmp.Ordered](values []T, v T) float64 {
	sum := 0.0
	for _, other := range values {
		switch cmp.Compare(other, v) {
		case -1:
			sum++
		case 0:
			sum += 0.5
		}
	}
	return sum / float64(max(1, len(values)))
}

// Quantile is the value below which a share of sorted values lies, with linear
// interpolation between two of them, as Postgres' percentile_cont. There must be
// one value at least.
func Quantile(sorted []float64, share float64) float64 {
	place := share * float64(len(sorted)-1)
	low := int(place)
	return sorted[low] + (place-math.Floor(place))*(sorted[min(low+1, len(sorted)-1)]-sorted[low])
}

// Share is part by whole, 0 of nothing.
func Share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Ranks are the places of scores that fall, from 1 on: those of the same score
// share one. Sums of the same weights in another order are the same.
func Ranks(scores []float64) []int {
	ranks := make([]int, len(scores))
	for i, score := range scores {
		ranks[i] = i + 1
		if i > 0 && math.Abs(score-scores[i-1]) < 1e-9 {
			ranks[i] = ranks[i-1]
		}
	}
	return ranks
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
