package score

// Share is how many of something are right.
type Share struct{ Right, All int }

func (s *Share) add(right bool) {
	s.All++
	if right {
		s.Right++
	}
}

// Value is the share itself, 0 of nothing.
func (s Share) Value() float64 { return float64(s.Right) / float64(max(1, s.All)) }

// F1 is the harmonic mean of precision and recall.
func F1(precision, recall Share) float64 {
	p, r := precision.Value(), recall.Value()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}
